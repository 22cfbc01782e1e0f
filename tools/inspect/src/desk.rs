//! Answers to the page: the same bytes from the server and from the engine inside an exported page.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::answer;
use crate::picture::Picture;
use crate::playback::Recording;
use crate::query::Query;
use crate::session::Progress;
use crate::views::{self, Scope, Shown, View};
use crate::{debug, history, mesh, why};

/// The most calls in one answer.
const MAX_CALLS: u64 = 500;
/// The most steps of a shader in one answer.
const MAX_STEPS: u32 = 200;

/// A view with its call, kind and scope.
type Kept = ((u64, View, Scope), Arc<Shown>);

/// The time that a question waits for the first pass; then the page shows how far the pass is.
const PATIENCE: Duration = Duration::from_millis(200);

/// An answer: a status of HTTP, a media type, and the contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// 200; 202 with the progress of the first pass, if it has not reached the call; or 4xx with a reason
    /// in the contents.
    pub status: u16,
    /// The media type.
    pub kind: &'static str,
    /// The contents.
    pub bytes: Vec<u8>,
}

impl Reply {
    fn of(value: &Value) -> Self {
        Self { status: 200, kind: "application/json", bytes: value.to_string().into_bytes() }
    }

    /// Returns an answer with the reason why there is no other.
    pub(crate) fn refused(status: u16, why: &str) -> Self {
        Self { status, ..Self::of(&json!({ "error": why })) }
    }
}

/// Answers the page's questions about one recording.
pub struct Desk<R> {
    recording: R,
    /// The last view.
    shown: Mutex<Option<Kept>>,
}

impl<R: Recording> Desk<R> {
    /// Answers questions about a recording.
    pub fn new(recording: R) -> Self {
        Self { recording, shown: Mutex::default() }
    }

    /// Answers a request: `address` is a path, or a path, a question mark, and names with values.
    pub fn reply(&self, address: &str) -> Reply {
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        self.reply_to(path, &Query::of(query))
    }

    pub(crate) fn reply_to(&self, path: &str, query: &Query<'_>) -> Reply {
        match query.optional("call") {
            Ok(Some(call)) if path != "/api/seek" && !self.recording.wait_for(call, PATIENCE) => {
                return Reply { status: 202, ..Reply::of(&self.progress()) };
            }
            _ => {}
        }
        let reply = match path {
            "/api/picture" => {
                let png = self.picture(query);
                png.map(|bytes| Some(Reply { status: 200, kind: "image/png", bytes }))
            }
            _ => self.answer(path, query).map(|value| value.as_ref().map(Reply::of)),
        };
        match reply {
            Ok(Some(reply)) => reply,
            Ok(None) => Reply::refused(404, "there is no such page"),
            Err(error) => Reply::refused(422, &format!("{error:#}")),
        }
    }

    fn progress(&self) -> Value {
        let Progress { played, calls, is_done } = self.recording.progress();
        json!({ "played": played, "calls": calls, "done": is_done })
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
            _ => self.recording.listing().frame_start(key.0).saturating_sub(1),
        };
        let shown =
            self.recording.at(start, move |session| views::view(session, key.0, view, scope))?;
        let shown = Arc::new(shown);
        *kept() = Some((key, Arc::clone(&shown)));
        Ok(shown)
    }

    fn picture(&self, query: &Query<'_>) -> Result<Vec<u8>> {
        if !query.text("view").is_empty() {
            return self.view(query)?.png();
        }
        let at = query.at()?;
        let picture = self.recording.at(query.number("call")?, move |session| {
            let place = at.place(session)?;
            Picture::at(session, &place)
        })?;
        picture.png(query.text("alpha").is_empty())
    }

    fn answer(&self, path: &str, query: &Query<'_>) -> Result<Option<Value>> {
        if let Some(value) = self.of_listing(path, query)? {
            return Ok(Some(value));
        }
        match self.of_call(path, query)? {
            None => self.of_draw(path, query),
            value => Ok(value),
        }
    }

    /// Answers from the list of calls alone.
    fn of_listing(&self, path: &str, query: &Query<'_>) -> Result<Option<Value>> {
        let listing = self.recording.listing();
        Ok(Some(match path {
            "/api/summary" => json!({
                "driver": listing.driver(),
                "calls": listing.count(),
                "draws": listing.works().len(),
                "frames": listing.frames().len(),
                "end": listing.end(),
            }),
            "/api/progress" => self.progress(),
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
            _ => return Ok(None),
        }))
    }

    /// Answers from the state after a call.
    fn of_call(&self, path: &str, query: &Query<'_>) -> Result<Option<Value>> {
        let recording = &self.recording;
        Ok(Some(match path {
            "/api/state" => {
                json!(recording.at(query.number("call")?, |session| Ok(answer::state(session)))?)
            }
            "/api/resources" => json!(
                recording.at(query.number("call")?, |session| Ok(answer::resources(session)))?
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
                recording.at(query.number("call")?, move |session| {
                    let place = at.place(session)?;
                    let picture = Picture::at(session, &place)?;
                    let value = picture.value(place.x as usize, place.y as usize);
                    let value = value.context("there is no such texel")?;
                    Ok(json!({ "format": picture.format.to_string(), "text": value.to_string() }))
                })?
            }
            "/api/shader" => {
                let stage = query.text("stage").to_owned();
                json!(
                    recording.at(query.number("call")?, move |session| {
                        answer::code(session, &stage)
                    })?
                )
            }
            _ => return Ok(None),
        }))
    }

    /// Answers about a draw, or about the draws up to a call.
    fn of_draw(&self, path: &str, query: &Query<'_>) -> Result<Option<Value>> {
        let recording = &self.recording;
        Ok(Some(match path {
            "/api/vertices" => {
                let call = query.number("call")?;
                json!(recording.at(call.saturating_sub(1), move |session| {
                    answer::vertices(session, call, 256)
                })?)
            }
            "/api/mesh" => {
                let call = query.number("call")?;
                let first = query.optional("first")?.unwrap_or(0);
                let only_unseen = query.text("only") == "unseen";
                json!(recording.at(call.saturating_sub(1), move |session| {
                    mesh::after(session, call, first, 100, only_unseen)
                })?)
            }
            "/api/history" => {
                let (call, at) = (query.number("call")?, query.at()?);
                let place = recording.at(call, move |session| at.place(session))?;
                let first = match query.text("all") {
                    "" => recording.listing().frame_start(call),
                    _ => 1,
                };
                json!(recording.at(first.saturating_sub(1), move |session| {
                    history::history(session, place, first, call)
                })?)
            }
            "/api/why" => {
                let call = query.number("call")?;
                json!(recording.at(call.saturating_sub(1), move |session| why::why(session, call))?)
            }
            "/api/debug" => self.steps(query)?,
            _ => return Ok(None),
        }))
    }

    /// Steps the shader of a draw, for a vertex or a pixel.
    fn steps(&self, query: &Query<'_>) -> Result<Value> {
        let call = query.number("call")?;
        let before = call.saturating_sub(1);
        let first = u32::try_from(query.optional("first")?.unwrap_or(1))?;
        if let Some(vertex) = query.optional("vertex")? {
            let vertex = u32::try_from(vertex)?;
            let instance = u32::try_from(query.optional("instance")?.unwrap_or(0))?;
            return Ok(json!(self.recording.at(before, move |session| {
                debug::vertex(session, call, vertex, instance, first, MAX_STEPS)
            })?));
        }
        let (x, y) = (query.side("x")?, query.side("y")?);
        let fragment = usize::try_from(query.optional("fragment")?.unwrap_or(0))?;
        let sample = query.optional("sample")?.map(u32::try_from).transpose()?;
        Ok(json!(self.recording.at(before, move |session| {
            debug::of_sample(session, call, ([x, y], sample), fragment, first, MAX_STEPS)
        })?))
    }
}
