//! The page of a running program: `GALLIUM_RBUG`.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::options::names::GALLIUM_RBUG;
use os_shim::options::{Options, string_option};
use serde_json::{Value, json};
use tiny_http::{Method, Request};

use crate::live::{Gate, Stop};
use crate::serve::{Answer, Query, checked, refused, respond, token};

const PAGE: &str = include_str!("page/live.html");
const SCRIPT: &str = include_str!("page/live.js");

/// The most bytes of a shader's text.
const MAX_TEXT: u64 = 1 << 18;

/// The most screens that are listed.
const MAX_GATES: usize = 256;

/// A server for the screens of a running program.
pub struct LiveServer {
    gates: Arc<Mutex<Vec<(u64, Gate)>>>,
    link: String,
}

/// The state of the server's thread.
struct Desk {
    gates: Arc<Mutex<Vec<(u64, Gate)>>>,
    token: String,
    port: u16,
}

impl LiveServer {
    /// Opens the server that the option `GALLIUM_RBUG` asks for; `None` if it is not set or false.
    ///
    /// # Errors
    /// The value is neither a Boolean nor a loopback address with a port, or the port is taken.
    pub fn of_options(options: &dyn Options) -> Result<Option<Self>> {
        let mut server = None;
        string_option(options, GALLIUM_RBUG, &mut |value| {
            server = match value.to_ascii_lowercase().as_str() {
                "" | "0" | "n" | "no" | "f" | "false" => None,
                "1" | "y" | "yes" | "t" | "true" => Some(Self::open(([127, 0, 0, 1], 0).into())),
                value => Some(address(value).and_then(Self::open)),
            };
        });
        server.transpose()
    }

    /// Opens the server on a loopback address.
    ///
    /// # Errors
    /// The port is taken.
    pub fn open(address: SocketAddr) -> Result<Self> {
        let http = tiny_http::Server::http(address)
            .map_err(|error| anyhow!("cannot listen on {address}: {error}"))?;
        let port = http.server_addr().to_ip().context("no address")?.port();
        let gates = Arc::new(Mutex::new(Vec::new()));
        let desk = Desk { gates: Arc::clone(&gates), token: token(), port };
        let link = format!("http://127.0.0.1:{port}/?token={}", desk.token);
        std::thread::Builder::new().name("rbug".into()).spawn(move || {
            while let Ok(mut request) = http.recv() {
                let answer = desk.respond(&mut request);
                // The viewer may be gone.
                let _ = request.respond(answer);
            }
        })?;
        Ok(Self { gates, link })
    }

    /// Returns the link to the page.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Returns the gate of one more screen. It is listed until the guard is dropped.
    pub fn gate(&self) -> Listed<'_> {
        let gate = Gate::default();
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let number = gates.last().map_or(1, |(last, _)| last + 1);
        if gates.len() < MAX_GATES {
            gates.push((number, gate.clone()));
        }
        Listed { server: self, number, gate }
    }
}

/// A listed screen.
pub struct Listed<'s> {
    server: &'s LiveServer,
    number: u64,
    /// Its gate.
    pub gate: Gate,
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        let mut gates = self.server.gates.lock().unwrap_or_else(PoisonError::into_inner);
        gates.retain(|(number, _)| *number != self.number);
    }
}

/// Reads a loopback address.
fn address(value: &str) -> Result<SocketAddr> {
    let address: SocketAddr = value.parse().with_context(|| {
        format!("GALLIUM_RBUG is {value}: use true, or an address such as 127.0.0.1:8000")
    })?;
    if !address.ip().is_loopback() || address.is_ipv6() {
        bail!("GALLIUM_RBUG is {value}: only the loopback address 127.0.0.1 is allowed");
    }
    Ok(address)
}

impl Desk {
    fn respond(&self, request: &mut Request) -> Answer {
        let method = request.method().clone();
        let (path, screen, context, shader, value) =
            match checked(request, self.port, &self.token, &method) {
                Ok((path, query)) => {
                    let number = |query: &Query<'_>, name| query.optional(name).ok().flatten();
                    let (screen, context) = (number(&query, "screen"), number(&query, "context"));
                    let text = |name| query.text(name).to_owned();
                    (path.to_owned(), screen, context, text("shader"), text("value"))
                }
                Err(answer) => return answer,
            };
        let answer = match (&method, path.as_str()) {
            (Method::Get, "/") => return respond(200, "text/html; charset=utf-8", PAGE.into()),
            (Method::Get, "/live.js") => return respond(200, "text/javascript", SCRIPT.into()),
            (Method::Get, "/api/picture") => {
                let picture = self.gate(screen).and_then(|gate| gate.picture(context.unwrap_or(1)));
                match picture {
                    Ok(png) => return respond(200, "image/png", png),
                    Err(error) => Err(error),
                }
            }
            (Method::Get, "/api/status") => self.status(screen),
            (Method::Get, "/api/shader") => self
                .gate(screen)
                .and_then(|gate| gate.text(context.unwrap_or(1), &shader))
                .map(|text| json!({ "text": text })),
            (Method::Post, "/api/stop") => self.stop(screen, &value),
            (Method::Post, "/api/disable") => self
                .gate(screen)
                .and_then(|gate| gate.disable(context.unwrap_or(1), &shader, value == "true"))
                .map(|()| json!({})),
            (Method::Post, "/api/replace") => {
                let text = match body(request) {
                    Ok(text) => Some(text).filter(|text| !text.is_empty()),
                    Err(error) => return refused(422, &format!("{error:#}")),
                };
                self.gate(screen)
                    .and_then(|gate| gate.replace(context.unwrap_or(1), &shader, text))
                    .map(|()| json!({}))
            }
            _ => return refused(404, "there is no such page"),
        };
        match answer {
            Ok(value) => respond(200, "application/json", value.to_string().into_bytes()),
            Err(error) => refused(422, &format!("{error:#}")),
        }
    }

    fn gate(&self, screen: Option<u64>) -> Result<Gate> {
        let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let found = gates.iter().find(|(number, _)| Some(*number) == screen).or(gates.first());
        Ok(found.context("the program has no screen now")?.1.clone())
    }

    fn status(&self, screen: Option<u64>) -> Result<Value> {
        let screens: Vec<u64> = {
            let gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
            gates.iter().map(|(number, _)| *number).collect()
        };
        let status = self.gate(screen).map(|gate| gate.status());
        Ok(json!({ "screens": screens, "status": status.ok() }))
    }

    fn stop(&self, screen: Option<u64>, value: &str) -> Result<Value> {
        let stop = match value {
            "draw" => Stop::Draw,
            "present" => Stop::Present,
            "never" => Stop::Never,
            _ => bail!("value is draw, present or never"),
        };
        self.gate(screen)?.stop(stop);
        Ok(json!({}))
    }
}

/// Reads the text in a request.
fn body(request: &mut Request) -> Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    request.as_reader().take(MAX_TEXT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_TEXT {
        bail!("the text exceeds {MAX_TEXT} bytes");
    }
    Ok(text)
}
