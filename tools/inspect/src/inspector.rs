//! A recording that a thread of its own plays while other threads ask.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, anyhow};
use filebuffer::FileBuffer;
use os_shim::Os;
use os_shim::threads::Pool;

use crate::listing::Listing;
use crate::playback::{Playback, Recording};
use crate::session::{Limits, Session};

/// The work of a question.
type Job = Box<dyn FnOnce(Result<&mut Session<'_>>) + Send>;

/// A question to the worker: the call to go to, and the work there.
struct Request {
    call: u64,
    job: Job,
}

/// Answers questions about a recording. A worker thread plays the recording; one question at a
/// time.
pub struct Inspector {
    requests: Mutex<Sender<Request>>,
    listing: Arc<Listing>,
}

impl Inspector {
    /// Reads a recording and starts its worker.
    ///
    /// # Errors
    /// The bytes are no recording, or the thread cannot be started.
    pub fn new(trace: &'static [u8], limits: Limits) -> Result<Self> {
        let listing = Arc::new(Listing::new(trace)?);
        let (requests, answers) = channel();
        let of_worker = Arc::clone(&listing);
        std::thread::Builder::new()
            .name("inspector".into())
            .stack_size(16 << 20)
            .spawn(move || serve(trace, limits, of_worker, &answers))?;
        Ok(Self { requests: Mutex::new(requests), listing })
    }

    /// Maps a recording's file and starts its worker. The file must not shrink while it is inspected.
    ///
    /// # Errors
    /// The file cannot be read, or is no recording.
    pub fn open(path: &Path, limits: Limits) -> Result<Self> {
        // The file's pages are read when they are needed: a recording may be larger than the memory.
        let file = FileBuffer::open(path);
        let file = file.with_context(|| format!("cannot read {}", path.display()))?;
        let bytes: &'static FileBuffer = Box::leak(Box::new(file));
        Self::new(bytes, limits).with_context(|| format!("cannot inspect {}", path.display()))
    }

    /// Returns the recording's listing.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Plays the recording to the end of `call`, calls `job` there, and returns its result.
    ///
    /// # Errors
    /// The call cannot be reached, or an error of `job`.
    pub fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let (answer, result) = channel();
        let job = Box::new(move |session: Result<&mut Session<'_>>| {
            // The asker may be gone.
            let _ = answer.send(session.and_then(job));
        });
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let gone = "the inspector's worker has ended";
        requests.send(Request { call, job }).map_err(|_| anyhow!(gone))?;
        result.recv().map_err(|_| anyhow!(gone))?
    }
}

impl Recording for Inspector {
    fn listing(&self) -> &Listing {
        self.listing()
    }

    fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        self.at(call, job)
    }
}

/// The worker: plays the recording to the calls of questions.
fn serve(
    trace: &'static [u8],
    limits: Limits,
    listing: Arc<Listing>,
    requests: &Receiver<Request>,
) {
    let mut os = Os::host();
    if limits.threads > 1 {
        os.threads = Box::leak(Box::new(Pool::new(limits.threads)));
    }
    let mut playback = Playback::new(trace, os, limits, listing);
    let mut is_prepared = !limits.prepares;
    while let Some(Request { call, job }) = next(requests, &mut playback, &mut is_prepared) {
        playback.at(call, job);
    }
}

/// The calls that are played between two looks for a question.
const BETWEEN: u64 = 64;

/// Waits for the next question. Meanwhile plays the recording on, until it was played to its end once.
fn next(
    requests: &Receiver<Request>,
    playback: &mut Playback,
    is_prepared: &mut bool,
) -> Option<Request> {
    while !*is_prepared {
        match requests.try_recv() {
            Ok(request) => return Some(request),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        *is_prepared = playback.prepare(BETWEEN);
    }
    requests.recv().ok()
}
