//! A recording that the inspector's threads play, while viewers ask.

use std::path::Path;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use filebuffer::FileBuffer;
use os_shim::Os;
use os_shim::threads::Pool;

use crate::listing::Listing;
use crate::playback::{Playback, Recording};
use crate::session::{Common, Limits, Progress, Session};

/// The work of a question.
type Job = Box<dyn FnOnce(Result<&mut Session<'_>>) + Send>;

/// A question to the worker: the call to go to, and the work there.
struct Request {
    call: u64,
    job: Job,
}

/// Answers questions about a recording. A worker thread plays the recording; one question at a
/// time. With [`Limits::prepares`] another thread plays it to its end once.
pub struct Inspector {
    requests: Mutex<Sender<Request>>,
    common: Arc<Common>,
}

/// The time between two looks at the first pass.
const LOOK: Duration = Duration::from_millis(5);

impl Inspector {
    /// Reads a recording and starts its worker.
    ///
    /// # Errors
    /// The bytes are no recording, or the thread cannot be started.
    pub fn new(trace: &'static [u8], limits: Limits) -> Result<Self> {
        let common = Common::new(trace, limits)?;
        let (requests, answers) = channel();
        let start = |name: &str, run: Box<dyn FnOnce() + Send>| {
            let thread = std::thread::Builder::new().name(name.into());
            thread.stack_size(16 << 20).spawn(run)
        };
        let of_worker = Arc::clone(&common);
        start("inspector", Box::new(move || serve(&of_worker, &answers)))?;
        if limits.prepares {
            let of_pass = Arc::clone(&common);
            start("first pass", Box::new(move || prepare(&of_pass)))?;
        }
        Ok(Self { requests: Mutex::new(requests), common })
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
        &self.common.listing
    }

    /// Returns the state of the first pass.
    pub fn progress(&self) -> Progress {
        self.common.progress()
    }

    /// Waits until the first pass has reached a call, for `patience` at most. Returns false if it has not.
    pub fn wait_for(&self, call: u64, patience: Duration) -> bool {
        let start = Instant::now();
        loop {
            let Progress { played, calls, is_done } = self.progress();
            if is_done || call <= played || call > calls {
                return true;
            }
            if start.elapsed() >= patience {
                return false;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Plays the recording to the end of `call`, calls `job` there, and returns its result. Waits until
    /// the first pass has reached the call.
    ///
    /// # Errors
    /// The call cannot be reached, or an error of `job`.
    pub fn at<R: Send + 'static>(
        &self,
        call: u64,
        job: impl FnOnce(&mut Session<'_>) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        self.wait_for(call, Duration::MAX);
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

    /// Returns the number of snapshots, and the bytes of their contents in memory and in the file.
    pub fn snapshots(&self) -> (usize, usize, u64) {
        let snapshots = self.common.snapshots();
        let (memory, file) = snapshots.bytes();
        (snapshots.len(), memory, file)
    }
}

impl Drop for Inspector {
    fn drop(&mut self) {
        self.common.is_closed.store(true, SeqCst);
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

    fn progress(&self) -> Progress {
        self.progress()
    }

    fn wait_for(&self, call: u64, patience: Duration) -> bool {
        self.wait_for(call, patience)
    }
}

/// Returns the system for a driver.
fn os(limits: &Limits) -> Os<'static> {
    let mut os = Os::host();
    if limits.threads > 1 {
        os.threads = Box::leak(Box::new(Pool::new(limits.threads)));
    }
    os
}

/// The worker: plays the recording to the calls of questions.
fn serve(common: &Arc<Common>, requests: &Receiver<Request>) {
    let mut playback = Playback::new(common, os(&common.limits));
    while let Ok(Request { call, job }) = requests.recv() {
        playback.at(call, job);
    }
}

/// The first pass: plays the recording to its end, which leaves snapshots of all parts.
fn prepare(common: &Arc<Common>) {
    /// Marks the pass as done, also after a panic of the driver.
    struct Done<'c>(&'c Common);
    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.is_prepared.store(true, SeqCst);
        }
    }
    let _done = Done(common);
    Playback::new(common, os(&common.limits)).play(|call| {
        common.reached.store(call, SeqCst);
        !common.is_closed.load(SeqCst)
    });
}
