//! The page: a small server on the loopback interface.
//!
//! The page, its style and its program are in the binary. A request must name the server by its
//! loopback address and carry the token that the program printed, so that neither another user of
//! the machine nor a page of another site reads the recording.

use std::hash::{BuildHasher as _, RandomState};
use std::io::Cursor;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Value, json};
use tiny_http::{Header, Method, Request, Response};

use crate::answer::{self, At};
use crate::picture::Picture;
use crate::session::Inspector;
use crate::views::{self, Scope, Shown, View};
use crate::{debug, history, mesh, why};

const PAGE: &str = include_str!("page/page.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");

/// The most bytes of a request's address.
const MAX_URL: usize = 2048;
/// The most calls in one answer.
const MAX_CALLS: u64 = 500;
/// Requests that are answered at the same time.
const WORKERS: usize = 4;

/// A server of the page for one recording.
pub struct Server {
    http: Arc<tiny_http::Server>,
    desk: Arc<Desk>,
}

/// A view with its call, kind and scope.
type Kept = ((u64, View, Scope), Arc<Shown>);

/// The state that the workers share.
struct Desk {
    inspector: Inspector,
    token: String,
    port: u16,
    /// The last view.
    shown: Mutex<Option<Kept>>,
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
        let desk = Desk { inspector, token: token(), port, shown: Mutex::default() };
        Ok(Self { http: Arc::new(http), desk: Arc::new(desk) })
    }

    /// Returns the link to the page.
    pub fn link(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.desk.port, self.desk.token)
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn run(&self) -> Result<()> {
        let mut workers = Vec::new();
        for _ in 1..WORKERS {
            let (http, desk) = (Arc::clone(&self.http), Arc::clone(&self.desk));
            let worker = std::thread::Builder::new().name("page".into());
            workers.push(worker.spawn(move || serve(&http, &desk))?);
        }
        serve(&self.http, &self.desk);
        Ok(())
    }

    /// Makes [`run`](Self::run) return after the current requests.
    pub fn stop(&self) {
        for _ in 0..WORKERS {
            self.http.unblock();
        }
    }
}

fn serve(http: &tiny_http::Server, desk: &Desk) {
    while let Ok(request) = http.recv() {
        let answer = desk.respond(&request);
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
    respond(status, "application/json", json!({ "error": why }).to_string().into_bytes())
}

/// The parts of a request's address after the question mark.
pub(crate) struct Query<'q>(Vec<(&'q str, String)>);

impl<'q> Query<'q> {
    fn of(text: &'q str) -> Self {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Self(pairs.map(|(name, value)| (name, unescaped(value))).collect())
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn optional(&self, name: &str) -> Result<Option<u64>> {
        match self.text(name) {
            "" => Ok(None),
            text => Ok(Some(text.parse().with_context(|| format!("{name} is no number"))?)),
        }
    }

    fn number(&self, name: &str) -> Result<u64> {
        self.optional(name)?.with_context(|| format!("{name} is missing"))
    }

    fn side(&self, name: &str) -> Result<u32> {
        Ok(u32::try_from(self.number(name)?)?)
    }

    fn at(&self) -> Result<At> {
        let small =
            |name| Ok::<_, anyhow::Error>(self.optional(name)?.map(u32::try_from).transpose()?);
        Ok(At {
            resource: self.text("resource").to_owned(),
            level: small("level")?,
            layer: small("layer")?,
            x: small("x")?.unwrap_or(0),
            y: small("y")?.unwrap_or(0),
        })
    }
}

/// Replaces `%23` and the like.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        let digit = |at: usize| tail.get(at).and_then(|it| char::from(*it).to_digit(16));
        match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = tail.get(2..).unwrap_or(&[]);
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
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

impl Desk {
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
        if path == "/api/picture" {
            return match self.picture(&query) {
                Ok(png) => respond(200, "image/png", png),
                Err(error) => refused(422, &format!("{error:#}")),
            };
        }
        match self.answer(path, &query) {
            Ok(Some(value)) => respond(200, "application/json", value.to_string().into_bytes()),
            Ok(None) => refused(404, "there is no such page"),
            Err(error) => refused(422, &format!("{error:#}")),
        }
    }

    /// Returns the picture that the query's `view`, `scope` and `call` name; the last one is kept.
    fn view(&self, query: &Query<'_>) -> Result<Arc<Shown>> {
        let (view, scope) = (query.text("view").parse()?, query.text("scope").parse()?);
        let key = (query.number("call")?, view, scope);
        let kept = || self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, shown)) = &*kept()
            && *known == key
        {
            return Ok(Arc::clone(shown));
        }
        let start = match scope {
            Scope::Draw => key.0.saturating_sub(1),
            _ => self.inspector.listing().frame_start(key.0).saturating_sub(1),
        };
        let shown =
            self.inspector.at(start, move |session| views::view(session, key.0, view, scope))?;
        let shown = Arc::new(shown);
        *kept() = Some((key, Arc::clone(&shown)));
        Ok(shown)
    }

    fn picture(&self, query: &Query<'_>) -> Result<Vec<u8>> {
        if !query.text("view").is_empty() {
            return self.view(query)?.png();
        }
        let at = query.at()?;
        let picture = self.inspector.at(query.number("call")?, move |session| {
            let place = at.place(session)?;
            Picture::read(session, place.resource, place.level, place.layer)
        })?;
        picture.png(query.text("alpha").is_empty())
    }

    fn answer(&self, path: &str, query: &Query<'_>) -> Result<Option<Value>> {
        let inspector = &self.inspector;
        let listing = inspector.listing();
        Ok(Some(match path {
            "/api/summary" => json!({
                "driver": listing.driver(),
                "calls": listing.count(),
                "draws": listing.works().len(),
                "frames": listing.frames().len(),
                "end": listing.end(),
            }),
            "/api/calls" => {
                let first = query.number("first")?;
                let count = query.number("count")?.min(MAX_CALLS);
                json!(listing.describe(first, first.saturating_add(count).saturating_sub(1))?)
            }
            "/api/seek" => {
                let call = query.number("call")?;
                let works = listing.works();
                let found = match query.text("to") {
                    "next" => works.get(works.partition_point(|it| u64::from(*it) <= call)),
                    "previous" => {
                        let at = works.partition_point(|it| u64::from(*it) < call);
                        at.checked_sub(1).and_then(|at| works.get(at))
                    }
                    _ => bail!("to is next or previous"),
                };
                json!({ "call": found })
            }
            "/api/state" => {
                json!(inspector.at(query.number("call")?, |session| Ok(answer::state(session)))?)
            }
            "/api/resources" => json!(
                inspector.at(query.number("call")?, |session| Ok(answer::resources(session)))?
            ),
            "/api/value" if !query.text("view").is_empty() => {
                let (x, y) = (query.side("x")?, query.side("y")?);
                let shown = self.view(query)?;
                let value =
                    shown.value(x as usize, y as usize).context("there is no such pixel")?;
                let text = if value.is_nan() { "no fragment".into() } else { value.to_string() };
                json!({ "format": query.text("view"), "text": text })
            }
            "/api/view" => {
                let shown = self.view(query)?;
                json!({ "summary": shown.summary(), "notes": shown.notes })
            }
            "/api/value" => {
                let at = query.at()?;
                inspector.at(query.number("call")?, move |session| {
                    let place = at.place(session)?;
                    let picture = Picture::read(session, place.resource, place.level, place.layer)?;
                    let value = picture.value(place.x as usize, place.y as usize);
                    let value = value.context("there is no such texel")?;
                    Ok(json!({ "format": picture.format.to_string(), "text": value.to_string() }))
                })?
            }
            "/api/shader" => {
                let stage = query.text("stage").to_owned();
                json!(
                    inspector.at(query.number("call")?, move |session| {
                        answer::code(session, &stage)
                    })?
                )
            }
            "/api/vertices" => {
                let call = query.number("call")?;
                json!(inspector.at(call.saturating_sub(1), move |session| {
                    answer::vertices(session, call, 256)
                })?)
            }
            "/api/mesh" => {
                let call = query.number("call")?;
                let first = query.optional("first")?.unwrap_or(0);
                let only_unseen = query.text("only") == "unseen";
                json!(inspector.at(call.saturating_sub(1), move |session| {
                    mesh::after(session, call, first, 100, only_unseen)
                })?)
            }
            "/api/history" => {
                let (call, at) = (query.number("call")?, query.at()?);
                let place = inspector.at(call, move |session| at.place(session))?;
                let first = match query.text("all") {
                    "" => listing.frame_start(call),
                    _ => 1,
                };
                json!(inspector.at(first.saturating_sub(1), move |session| {
                    history::history(session, place, first, call)
                })?)
            }
            "/api/why" => {
                let call = query.number("call")?;
                json!(inspector.at(call.saturating_sub(1), move |session| why::why(session, call))?)
            }
            "/api/debug" => {
                let call = query.number("call")?;
                let first = u32::try_from(query.optional("first")?.unwrap_or(1))?;
                if let Some(vertex) = query.optional("vertex")? {
                    let vertex = u32::try_from(vertex)?;
                    let instance = u32::try_from(query.optional("instance")?.unwrap_or(0))?;
                    return Ok(Some(json!(inspector.at(
                        call.saturating_sub(1),
                        move |session| {
                            debug::vertex(session, call, vertex, instance, first, 200)
                        }
                    )?)));
                }
                let (x, y) = (query.side("x")?, query.side("y")?);
                let fragment = usize::try_from(query.optional("fragment")?.unwrap_or(0))?;
                json!(inspector.at(call.saturating_sub(1), move |session| {
                    debug::fragment(session, call, [x, y], fragment, first, 200)
                })?)
            }
            _ => return Ok(None),
        }))
    }
}
