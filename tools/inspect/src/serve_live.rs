//! The page of a running program: `GALLIUM_RBUG`.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use os_shim::Memory;
use os_shim::options::names::GALLIUM_RBUG;
use os_shim::options::{Options, string_option};
use pipe_core::Screen;
use serde_json::{Value, json};
use tiny_http::{Method, Request};

use crate::live::{Gate, Stop, Uses, live};
use crate::query::Query;
use crate::serve::{Answer, checked, refused, respond, token};

const PAGE: &str = include_str!("page/live.html");
const SCRIPT: &str = include_str!("page/live.js");

/// The most bytes of a shader's text.
const MAX_TEXT: u64 = 1 << 18;

/// Requests that are answered at the same time: some wait for a program's next call.
const WORKERS: usize = 4;

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
        address_of(options)?.map(Self::open).transpose()
    }

    /// Opens the server on a loopback address; port 0 takes a free one.
    ///
    /// # Errors
    /// The address is no loopback address of IPv4, or the port is taken.
    pub fn open(address: SocketAddr) -> Result<Self> {
        if !address.ip().is_loopback() || address.is_ipv6() {
            bail!("GALLIUM_RBUG is {address}: only the loopback address 127.0.0.1 is allowed");
        }
        let http = tiny_http::Server::http(address)
            .map_err(|error| anyhow!("cannot listen on {address}: {error}"))?;
        let port = http.server_addr().to_ip().context("no address")?.port();
        let gates = Arc::new(Mutex::new(Vec::new()));
        let desk = Desk { gates: Arc::clone(&gates), token: token(), port };
        let link = format!("http://127.0.0.1:{port}/?token={}", desk.token);
        let (http, desk) = (Arc::new(http), Arc::new(desk));
        for _ in 0..WORKERS {
            let (http, desk) = (Arc::clone(&http), Arc::clone(&desk));
            std::thread::Builder::new().name("rbug".into()).spawn(move || {
                while let Ok(mut request) = http.recv() {
                    let answer = desk.respond(&mut request);
                    // The viewer may be gone.
                    let _ = request.respond(answer);
                }
            })?;
        }
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

/// Calls `run` with a screen: behind a gate of the server, if there is one.
pub fn watched<'m, R>(
    server: Option<&LiveServer>,
    screen: &dyn Screen<'m>,
    memory: Memory<'_>,
    run: impl FnOnce(&dyn Screen<'m>) -> R,
) -> R {
    match server {
        Some(server) => live(screen, &server.gate().gate, memory, run),
        None => run(screen),
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

/// Returns the address that the option `GALLIUM_RBUG` asks for; `None` if it is not set or false.
///
/// # Errors
/// The value is neither a Boolean nor an address with a port.
pub fn address_of(options: &dyn Options) -> Result<Option<SocketAddr>> {
    let mut address = None;
    string_option(options, GALLIUM_RBUG, &mut |value| {
        address = match value.to_ascii_lowercase().as_str() {
            "" | "0" | "n" | "no" | "f" | "false" => None,
            "1" | "y" | "yes" | "t" | "true" => Some(Ok(([127, 0, 0, 1], 0).into())),
            value => Some(value.parse().with_context(|| {
                format!("GALLIUM_RBUG is {value}: use true, or an address such as 127.0.0.1:8000")
            })),
        };
    });
    address.transpose()
}

impl Desk {
    fn respond(&self, request: &mut Request) -> Answer {
        let method = request.method().clone();
        let (path, asked) = match checked(request, self.port, &self.token, &method) {
            Ok((path, query)) => (path.to_owned(), Asked::of(&query)),
            Err(answer) => return answer,
        };
        let asked = match asked {
            Ok(asked) => asked,
            Err(error) => return refused(422, &format!("{error:#}")),
        };
        match (&method, path.as_str()) {
            (Method::Get, "/") => return respond(200, "text/html; charset=utf-8", PAGE.into()),
            (Method::Get, "/live.js") => return respond(200, "text/javascript", SCRIPT.into()),
            (Method::Get, "/api/picture") => {
                return match self.picture(&asked) {
                    Ok(png) => respond(200, "image/png", png),
                    Err(error) => refused(422, &format!("{error:#}")),
                };
            }
            _ => {}
        }
        let text = match method {
            Method::Post => body(request),
            _ => Ok(String::new()),
        };
        match text.and_then(|text| self.answer(&method, &path, &asked, text)) {
            Ok(Some(value)) => respond(200, "application/json", value.to_string().into_bytes()),
            Ok(None) => refused(404, "there is no such page"),
            Err(error) => refused(422, &format!("{error:#}")),
        }
    }

    fn picture(&self, asked: &Asked) -> Result<Vec<u8>> {
        let gate = self.gate(asked.screen)?;
        let place = match asked.resource.as_str() {
            "" => None,
            name => Some((gate.find_resource(name)?, asked.level, asked.layer)),
        };
        gate.picture(asked.context, place)
    }

    fn answer(
        &self,
        method: &Method,
        path: &str,
        asked: &Asked,
        text: String,
    ) -> Result<Option<Value>> {
        if (method, path) == (&Method::Get, "/api/status") {
            return self.status(asked.screen).map(Some);
        }
        let gate = self.gate(asked.screen)?;
        let (context, shader) = (asked.context, asked.shader.as_str());
        Ok(Some(match (method, path) {
            (Method::Get, "/api/state") => json!(gate.state(context)?),
            (Method::Get, "/api/resources") => json!(gate.resources()),
            (Method::Get, "/api/shader") => json!({ "text": gate.text(context, shader)? }),
            (Method::Post, "/api/stop") => {
                gate.stop(asked.stop(&gate)?);
                json!({})
            }
            (Method::Post, "/api/disable") => {
                gate.disable(context, shader, asked.value == "true")?;
                json!({})
            }
            (Method::Post, "/api/replace") => {
                gate.replace(context, shader, Some(text).filter(|text| !text.is_empty()))?;
                json!({})
            }
            _ => return Ok(None),
        }))
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
}

/// The parts of a request's address.
struct Asked {
    screen: Option<u64>,
    context: u64,
    shader: String,
    resource: String,
    level: u32,
    layer: u32,
    vertices: Option<u64>,
    value: String,
}

impl Asked {
    fn of(query: &Query<'_>) -> Result<Self> {
        let small = |name| Ok::<_, anyhow::Error>(query.optional(name)?.unwrap_or(0).try_into()?);
        Ok(Self {
            screen: query.optional("screen")?,
            context: query.optional("context")?.unwrap_or(1),
            shader: query.text("shader").to_owned(),
            resource: query.text("resource").to_owned(),
            level: small("level")?,
            layer: small("layer")?,
            vertices: query.optional("vertices")?,
            value: query.text("value").to_owned(),
        })
    }

    /// Returns the call to hold.
    fn stop(&self, gate: &Gate) -> Result<Stop> {
        Ok(match self.value.as_str() {
            "draw" => Stop::Draw,
            "present" => Stop::Present,
            "never" => Stop::Never,
            "uses" => {
                let shader = match self.shader.as_str() {
                    "" => None,
                    name => Some((self.context, gate.find(self.context, name)?.0)),
                };
                let resource = match self.resource.as_str() {
                    "" => None,
                    name => Some(gate.find_resource(name)?),
                };
                Stop::Uses(Uses { shader, resource, vertices: self.vertices })
            }
            _ => bail!("value is draw, present, uses or never"),
        })
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
