//! The server of the page. It answers requests of that page alone.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use formats::Format;
use gallium_inspect::serve::Server;
use serde_json::Value;

use crate::scene::{draws, inspector, recorded, whole};

/// Sends a GET request and returns the status and the body.
fn ask(port: &str, path: &str, headers: &str) -> (String, String) {
    let (status, body) = send(port, "GET", path, headers, "");
    (status, String::from_utf8_lossy(&body).into_owned())
}

/// Sends a request and returns the status and the body.
pub(crate) fn send(
    port: &str,
    method: &str,
    path: &str,
    headers: &str,
    text: &str,
) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).expect("a server");
    let size = text.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {size}\r\nConnection: close\r\n\r\n{text}"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).expect("a status").to_owned();
    (status, answer[end + 4..].to_vec())
}

#[test]
fn only_the_page_itself_gets_answers() {
    let trace = recorded(Format::Z24UnormS8Uint, |stage| {
        stage.draw(&whole(0.0, [1.0, 0.0, 0.0, 1.0]));
        stage.draw(&whole(0.0, [0.0, 1.0, 0.0, 1.0]));
    });
    let inspector = inspector(trace);
    let last = draws(&inspector)[1];
    let server = Arc::new(Server::new(inspector, 0).expect("a port"));
    let link = server.link();
    let (address, token) = link.split_once("/?token=").expect("a token");
    let port = address.rsplit(':').next().expect("a port").to_owned();
    assert_eq!(token.len(), 32);
    let running = {
        let server = Arc::clone(&server);
        std::thread::spawn(move || server.run())
    };
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let known = format!("{host}X-Token: {token}\r\n");

    let status = |path: &str, headers: &str| ask(&port, path, headers).0;
    assert_eq!(status("/api/summary", &known), "200");
    assert_eq!(status("/api/summary", &host), "403", "no token");
    assert_eq!(status("/", &host), "403", "no token");
    assert_eq!(status(&format!("/?token={token}"), &host), "200");
    let foreign = format!("Host: evil.example\r\nX-Token: {token}\r\n");
    assert_eq!(status("/api/summary", &foreign), "403", "another name of the host");
    let other = format!("{known}Origin: http://evil.example\r\n");
    assert_eq!(status("/api/summary", &other), "403", "another site");
    let own = format!("{known}Origin: http://127.0.0.1:{port}\r\n");
    assert_eq!(status("/api/summary", &own), "200");
    assert_eq!(status(&format!("/api/summary?{}", "x".repeat(3000)), &known), "414");
    assert_eq!(status("/api/nothing", &known), "404");
    assert_eq!(status("/api/state?call=9999", &known), "422");
    let (_, progress) = ask(&port, "/api/progress", &known);
    let progress: Value = serde_json::from_str(&progress).expect("JSON");
    assert_eq!(progress["done"], true, "nothing is prepared");

    let (_, body) = ask(&port, &format!("/api/history?call={last}&x=4&y=4"), &known);
    let events: Value = serde_json::from_str(&body).expect("JSON");
    let colors: Vec<_> = events.as_array().expect("a list").iter().map(|it| &it["after"]).collect();
    assert_eq!(*colors[2], serde_json::json!([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(*colors[3], serde_json::json!([0.0, 1.0, 0.0, 1.0]));
    server.stop();
    running.join().expect("no panic").expect("served");
}
