//! `GALLIUM_RBUG` in this package's programs: a viewer holds one at a draw.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The page's program: asks what the page asks.
struct Viewer {
    host: String,
    token: String,
}

impl Viewer {
    /// Returns the contents of an answer.
    fn ask(&self, method: &str, request: &str) -> Vec<u8> {
        let Self { host, token } = self;
        let mut stream = TcpStream::connect(host).expect("a server");
        let head = format!(
            "{method} /api/{request} HTTP/1.1\r\nHost: {host}\r\nX-Token: {token}\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
        answer.split_off(end + 4)
    }

    /// Returns the program's state when it is as wanted; `ask` is asked until then.
    fn wait(&self, ask: Option<&str>, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let status = self.ask("GET", "status");
            let status: Value = serde_json::from_slice(&status).expect("JSON");
            if wanted(&status) {
                return status;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{status}");
            if let Some(ask) = ask {
                self.ask("POST", ask);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_viewer_holds_a_program_and_lets_it_run() {
    let folder = std::env::temp_dir().join(format!("gallium-rbug-{}", std::process::id()));
    let mut program = Command::new(env!("CARGO_BIN_EXE_gallium-bench"));
    program.args(["render", "--out"]).arg(&folder).env("GALLIUM_RBUG", "true");
    let mut program = Running(program.stdout(Stdio::piped()).spawn().expect("it starts"));
    let mut lines = BufReader::new(program.0.stdout.take().expect("a pipe")).lines();
    let link = lines.find_map(|line| Some(line.ok()?.strip_prefix("GALLIUM_RBUG: ")?.to_owned()));
    let link = link.expect("a link");
    let (address, token) = link.split_once("/?token=").expect("a token");
    let host = address.strip_prefix("http://").expect("an address").to_owned();
    let viewer = Viewer { host, token: token.to_owned() };

    // The program makes a screen for each picture. It may have begun the next picture.
    let is_held = |status: &Value| status["status"]["held"]["name"] == "draw_vbo";
    let held = viewer.wait(Some("stop?value=draw"), is_held);
    let resources = String::from_utf8(viewer.ask("GET", "resources")).expect("text");
    assert!(resources.contains("320 × 240"), "the target is listed: {resources}");
    let picture = viewer.ask("GET", "picture");
    let picture = png::Decoder::new(std::io::Cursor::new(&picture)).read_info().expect("a PNG");
    assert_eq!((picture.info().width, picture.info().height), (320, 240));

    let draws = |status: &Value| status["status"]["draws"].as_u64();
    let is_past =
        |status: &Value| status["screens"] != held["screens"] || draws(status) > draws(&held);
    viewer.ask("POST", "stop?value=never");
    let past = viewer.wait(None, |status| is_past(status) && status["status"]["held"].is_null());
    assert_ne!(past, held);
    drop(program);
    // It may have written nothing yet.
    let _ = std::fs::remove_dir_all(folder);
}
