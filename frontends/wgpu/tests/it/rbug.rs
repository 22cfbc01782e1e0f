//! `GALLIUM_RBUG`: a viewer holds a wgpu program at a draw.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gallium_wgpu::{Options, wgpu};

use crate::common::{Gpu, WHOLE};

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the head and the contents of an answer of the page's server.
fn ask(host: &str, token: &str, request: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(host).expect("a server");
    let head = format!(
        "{request} HTTP/1.1\r\nHost: {host}\r\nX-Token: {token}\r\nContent-Length: 0\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n").expect("a head");
    let contents = answer.split_off(end + 4);
    (String::from_utf8(answer).expect("text"), contents)
}

/// Draws a green target, again and again if a viewer may come.
#[test]
fn a_target_is_green() {
    let gpu = Gpu::new();
    let wgsl =
        format!("{WHOLE} @fragment fn fs() -> @location(0) vec4f {{ return vec4f(0, 1, 0, 1); }}");
    let pipeline = gpu.pipeline(&wgsl, |_| ());
    let target = gpu.target(48, 24);
    let start = Instant::now();
    loop {
        gpu.pass(&target, |pass| {
            pass.set_pipeline(&pipeline);
            pass.draw(0..3, 0..1);
        });
        assert!(gpu.pixels(&target).iter().all(|it| *it == [0, 255, 0, 255]));
        if env::var_os("GALLIUM_RBUG").is_none() || start.elapsed() > Duration::from_secs(60) {
            return;
        }
    }
}

#[test]
fn a_viewer_holds_a_program_and_lets_it_run() {
    let mut program = Command::new(env::current_exe().expect("a path"));
    program.args(["--exact", "rbug::a_target_is_green", "--nocapture"]);
    program.env("GALLIUM_RBUG", "true").stdout(Stdio::null()).stderr(Stdio::piped());
    let mut program = Running(program.spawn().expect("the program starts"));
    let mut lines = BufReader::new(program.0.stderr.take().expect("a pipe")).lines();
    let link = lines.find_map(|line| Some(line.ok()?.strip_prefix("GALLIUM_RBUG: ")?.to_owned()));
    let link = link.expect("a link");
    let (address, token) = link.split_once("/?token=").expect("a token");
    let host = address.strip_prefix("http://").expect("an address");
    let text = |request: &str| String::from_utf8(ask(host, token, request).1).expect("text");
    // Returns the number of draws when the state has the text.
    let wait = |wanted: &str| {
        let start = Instant::now();
        loop {
            let status = text("GET /api/status");
            let draws = status.split("\"draws\":").nth(1);
            let draws = draws.and_then(|it| it.split(',').next()?.parse::<u64>().ok());
            if let Some(draws) = draws.filter(|_| status.contains(wanted)) {
                return draws;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{status}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };

    wait("\"held\":null");
    text("POST /api/stop?value=draw");
    let held = wait("\"name\":\"draw_vbo\"");
    let resources = text("GET /api/resources");
    assert!(resources.contains("48 × 24"), "the target is listed: {resources}");
    let (_, picture) = ask(host, token, "GET /api/picture");
    assert!(picture.starts_with(b"\x89PNG"), "{picture:?}");
    text("POST /api/stop?value=never");
    let start = Instant::now();
    while wait("\"held\":null") < held + 3 {
        assert!(start.elapsed() < Duration::from_secs(60), "the program runs on");
    }
}

#[test]
fn the_option_opens_a_page() {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let gpu = Gpu::with(Options { rbug: Some(free), ..Options::default() });
    let (head, contents) = ask(&free.to_string(), "guessed", "GET /api/status");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    assert!(String::from_utf8_lossy(&contents).contains("token"));
    assert_eq!(gpu.bytes(&gpu.buffer(&[1, 2, 3, 4], wgpu::BufferUsages::VERTEX)), [1, 2, 3, 4]);
}
