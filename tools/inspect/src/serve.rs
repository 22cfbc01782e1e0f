//! The page: a small server on the loopback interface.
//!
//! The page, its style and its program are in the binary. A request must name the server by its
//! loopback address and carry the token that the program printed, so that neither another user of
//! the machine nor a page of another site reads the recording.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Cursor;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow};
use tiny_http::{Header, Method, Request, Response};

use crate::desk::{Desk, Reply};
use crate::inspector::Inspector;
use crate::query::Query;

const PAGE: &str = include_str!("page/page.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");

/// The most bytes of a request's address.
const MAX_URL: usize = 2048;
/// Requests that are answered at the same time.
const WORKERS: usize = 4;

/// A server of the page for one recording.
pub struct Server {
    http: Arc<tiny_http::Server>,
    door: Arc<Door>,
}

/// The state that the workers share.
struct Door {
    desk: Desk<Inspector>,
    token: String,
    port: u16,
}

/// A token that cannot be guessed: 128 bits from the system's randomness.
pub(crate) fn token() -> String {
    let word = |salt: u64| RandomState::new().hash_one(salt);
    format!("{:016x}{:016x}", word(1), word(2))
}

impl Server {
    /// Opens the server on a loopback port; 0 takes a free one.
    ///
    /// # Errors
    /// The port is taken.
    pub fn new(inspector: Inspector, port: u16) -> Result<Self> {
        let http = tiny_http::Server::http(("127.0.0.1", port))
            .map_err(|error| anyhow!("cannot listen on port {port}: {error}"))?;
        let port = http.server_addr().to_ip().context("no address")?.port();
        let door = Door { desk: Desk::new(inspector), token: token(), port };
        Ok(Self { http: Arc::new(http), door: Arc::new(door) })
    }

    /// Returns the link to the page.
    pub fn link(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.door.port, self.door.token)
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn run(&self) -> Result<()> {
        let mut workers = Vec::new();
        for _ in 1..WORKERS {
            let (http, door) = (Arc::clone(&self.http), Arc::clone(&self.door));
            let worker = std::thread::Builder::new().name("page".into());
            workers.push(worker.spawn(move || serve(&http, &door))?);
        }
        serve(&self.http, &self.door);
        Ok(())
    }

    /// Makes [`run`](Self::run) return after the current requests.
    pub fn stop(&self) {
        for _ in 0..WORKERS {
            self.http.unblock();
        }
    }
}

fn serve(http: &tiny_http::Server, door: &Door) {
    while let Ok(request) = http.recv() {
        let answer = door.respond(&request);
        // The viewer may be gone.
        let _ = request.respond(answer);
    }
}

pub(crate) type Answer = Response<Cursor<Vec<u8>>>;

/// Returns an answer that browsers neither keep nor sniff nor frame.
pub(crate) fn respond(status: u16, kind: &str, bytes: Vec<u8>) -> Answer {
    let mut response = Response::from_data(bytes).with_status_code(status);
    let headers = [
        ("Content-Type", kind),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
             img-src 'self' blob:",
        ),
    ];
    for (name, value) in headers {
        if let Ok(header) = Header::from_bytes(name, value) {
            response.add_header(header);
        }
    }
    response
}

pub(crate) fn refused(status: u16, why: &str) -> Answer {
    let Reply { status, kind, bytes } = Reply::refused(status, why);
    respond(status, kind, bytes)
}

/// Checks that a request comes from the server's own page. Returns its path and its query.
pub(crate) fn checked<'r>(
    request: &'r Request,
    port: u16,
    token: &str,
    method: &Method,
) -> Result<(&'r str, Query<'r>), Answer> {
    let header = |name: &'static str| {
        let of_name = |header: &&Header| header.field.equiv(name);
        request.headers().iter().find(of_name).map(|header| header.value.as_str())
    };
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    if !header("Host").is_some_and(|host| hosts.iter().any(|known| known == host)) {
        return Err(refused(403, "the request names another host"));
    }
    if let Some(origin) = header("Origin")
        && !hosts.iter().any(|host| origin == format!("http://{host}"))
    {
        return Err(refused(403, "the request comes from another site"));
    }
    if *request.method() != *method {
        return Err(refused(405, "another method is needed"));
    }
    let url = request.url();
    if url.len() > MAX_URL {
        return Err(refused(414, "the address is too long"));
    }
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let query = Query::of(query);
    if path == "/page.css" {
        return Err(respond(200, "text/css", STYLE.into()));
    }
    if path == "/favicon.ico" {
        return Err(respond(204, "text/plain", Vec::new()));
    }
    let is_script = path.ends_with(".js");
    let given = header("X-Token").unwrap_or_else(|| query.text("token"));
    if given != token && !is_script {
        let why = "the token is missing or wrong: open the link that the program printed";
        return Err(refused(403, why));
    }
    Ok((path, query))
}

impl Door {
    fn respond(&self, request: &Request) -> Answer {
        let (path, query) = match checked(request, self.port, &self.token, &Method::Get) {
            Ok(parts) => parts,
            Err(answer) => return answer,
        };
        match path {
            "/page.js" => return respond(200, "text/javascript", SCRIPT.into()),
            "/" => return respond(200, "text/html; charset=utf-8", PAGE.into()),
            _ => {}
        }
        let Reply { status, kind, bytes } = self.desk.reply_to(path, &query);
        respond(status, kind, bytes)
    }
}
