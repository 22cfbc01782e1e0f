//! The memory of one client and of all clients together, and the work of clients.

use std::sync::{Arc, Mutex};
use std::thread::available_parallelism;

use os_shim::Memory;
use os_shim::budget::WorkBudget;
use os_shim::memory::{Quota, Reservation};
use pipe_core::PipeError;

use crate::error::ClientError;
use crate::peer::Peer;
use crate::turns::Turns;
use crate::watch::Activity;

/// The memory of a client: the driver's objects, the server's data for the client, and shared
/// files.
#[derive(Clone, Copy, Debug)]
pub struct ClientMemory {
    quota: &'static Quota<'static>,
    server: &'static Quota<'static>,
    activity: &'static Activity,
}

/// The limits of one client. Later clients reuse them.
#[derive(Debug)]
struct Limits {
    quota: Quota<'static>,
    activity: Activity,
}

impl ClientMemory {
    /// Returns the budget of the client's commands, which its driver spends from.
    pub fn budget(&self) -> &'static WorkBudget {
        &self.activity.budget
    }

    /// Returns the state of the client that a watch reads.
    pub fn activity(&self) -> &'static Activity {
        self.activity
    }

    /// Returns the heap that everything of the client is allocated from.
    pub fn heap(&self) -> Memory<'static> {
        Memory::new(self.quota)
    }

    /// Returns the bytes in use.
    pub fn used(&self) -> usize {
        self.quota.usage().used
    }

    /// Returns true if `bytes` more would exceed the client's own limit.
    pub fn refuses(&self, bytes: usize) -> bool {
        self.quota.refuses(bytes)
    }

    /// Counts `bytes` that are not allocated from the heap.
    ///
    /// # Errors
    /// [`ClientError::Memory`].
    pub fn reserve(
        &self,
        what: &'static str,
        bytes: usize,
    ) -> Result<Reservation<'static>, ClientError> {
        self.quota.reserve(bytes).map_err(|error| self.refused(what, error.requested))
    }

    /// Returns the error of a request of `requested` bytes for `what`.
    pub fn refused(&self, what: &'static str, requested: usize) -> ClientError {
        let (quota, option) = if self.quota.refuses(requested) || !self.server.refuses(requested) {
            (self.quota, "--client-memory")
        } else {
            (self.server, "--server-memory")
        };
        let (used, limit) = (quota.usage().used, quota.limit());
        ClientError::Memory { what, requested, used, limit, option }
    }

    /// Returns the text of a driver's error. An out-of-memory error names the limit.
    pub fn explain(&self, error: &PipeError) -> String {
        match *error {
            PipeError::OutOfMemory { requested } => {
                self.refused("memory of the driver", requested).to_string()
            }
            ref error => error.to_string(),
        }
    }
}

/// The memory that a server gives to its clients.
///
/// Drivers hold their heap for the lifetime of the program, so limits of clients that have gone are
/// kept for the next ones; there are never more of them than clients at one time.
#[derive(Debug)]
pub struct ServerMemory {
    all: &'static Quota<'static>,
    turns: &'static Turns,
    free: Mutex<Vec<&'static Limits>>,
}

impl ServerMemory {
    /// Returns at most `limit` bytes of `memory`, for all clients together.
    pub fn new(memory: Memory<'static>, limit: usize) -> Self {
        let all = Box::leak(Box::new(Quota::new(memory, limit)));
        let processors = available_parallelism().map_or(1, |count| count.get());
        let turns = Box::leak(Box::new(Turns::new(processors)));
        ServerMemory { all, turns, free: Mutex::new(Vec::new()) }
    }

    /// Returns the turns that clients take at drawing, as many at a time as there are processors.
    pub fn turns(&self) -> &'static Turns {
        self.turns
    }

    /// Returns the bytes that all clients use.
    pub fn used(&self) -> usize {
        self.all.usage().used
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<&'static Limits>> {
        self.free.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Runs `run` with the memory of a client of a program, which may use `limit` bytes. The
    /// calling thread is the client's.
    pub fn client<R>(
        &self,
        peer: &Arc<Peer>,
        limit: usize,
        run: impl FnOnce(ClientMemory) -> R,
    ) -> R {
        let kept = {
            let mut free = self.free();
            let fits = free.iter().position(|limits| limits.quota.limit() == limit);
            fits.map(|index| free.swap_remove(index))
        };
        let new = || Limits {
            quota: Quota::within(self.all, limit),
            activity: Activity::new(self.turns),
        };
        let limits = kept.unwrap_or_else(|| Box::leak(Box::new(new())));
        let Limits { quota, activity } = limits;
        activity.renew(peer);
        let result = run(ClientMemory { quota, server: self.all, activity });
        // A panic that is caught by a caller loses the entry in the list, but leaks no memory.
        self.free().push(limits);
        result
    }
}
