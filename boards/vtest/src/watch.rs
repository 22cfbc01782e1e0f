//! The watch over running commands: those of clients that have gone, and those that take too long,
//! are stopped.
//!
//! A client's thread may be deep in a draw for any time. It asks its budget between tiles, batches
//! and turns of loops whether to go on; the watch, a thread of its own, is who says no.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use os_shim::budget::{Stopped, WorkBudget};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The time between two looks at all clients, and at none.
const LOOK: Duration = Duration::from_millis(20);
const IDLE_LOOK: Duration = Duration::from_millis(100);

/// A client under watch.
#[derive(Debug)]
struct Watched {
    stream: UnixStream,
    budget: &'static WorkBudget,
    /// The command that it was at, and since when.
    command: u64,
    since: Instant,
}

/// The clients under watch, by their numbers.
#[derive(Debug, Default)]
pub struct Watch {
    clients: Mutex<HashMap<u64, Watched>>,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Watched>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a client, whose commands spend from `budget`, until [`remove`](Self::remove).
    ///
    /// # Errors
    /// The system has no more open files.
    pub fn add(
        &self,
        number: u64,
        stream: &UnixStream,
        budget: &'static WorkBudget,
    ) -> std::io::Result<()> {
        let (command, since) = (budget.command(), Instant::now());
        let stream = stream.try_clone()?;
        self.lock().insert(number, Watched { stream, budget, command, since });
        Ok(())
    }

    /// Ends the watch over a client.
    pub fn remove(&self, number: u64) {
        self.lock().remove(&number);
    }

    /// Cancels the commands of all clients and disconnects them.
    pub fn cancel_all(&self) {
        for client in self.lock().values() {
            client.budget.cancel();
            // It may be gone already.
            let _ = client.stream.shutdown(std::net::Shutdown::Both);
        }
    }

    /// Looks at the clients again and again until `stopping` is set; see [`look`](Self::look).
    pub fn run(&self, stopping: &AtomicBool, longest: Option<Duration>) {
        while !stopping.load(SeqCst) {
            self.look(longest);
            let idle = self.lock().is_empty();
            thread::sleep(if idle { IDLE_LOOK } else { LOOK });
        }
    }

    /// Looks at every client once: cancels those that hung up, and stops commands that are older
    /// than `longest`.
    pub fn look(&self, longest: Option<Duration>) {
        let now = Instant::now();
        for client in self.lock().values_mut() {
            if has_hung_up(&client.stream) {
                client.budget.cancel();
            }
            let command = client.budget.command();
            if command != client.command {
                (client.command, client.since) = (command, now);
            } else if longest.is_some_and(|longest| now - client.since > longest) {
                // Between commands this has no effect: the next one is granted anew.
                client.budget.stop(command, Stopped::Time);
            }
        }
    }
}

/// Returns true if the other end of a socket is closed. A client that only ended its own messages
/// still listens.
fn has_hung_up(stream: &UnixStream) -> bool {
    let mut files = [PollFd::new(stream, PollFlags::empty())];
    let hung_up = PollFlags::HUP | PollFlags::ERR;
    poll(&mut files, Some(&Timespec::default()))
        .is_ok_and(|_| files.iter().any(|file| file.revents().intersects(hung_up)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::budget::Budget;

    fn watched() -> (Watch, UnixStream, &'static WorkBudget) {
        let (ours, theirs) = UnixStream::pair().expect("sockets");
        let budget: &'static WorkBudget = Box::leak(Box::default());
        let watch = Watch::default();
        watch.add(1, &ours, budget).expect("a copy of the socket");
        budget.grant(10);
        (watch, theirs, budget)
    }

    #[test]
    fn a_command_of_a_client_that_hung_up_is_cancelled() {
        let (watch, theirs, budget) = watched();
        watch.look(None);
        assert_eq!(budget.spend(1), Ok(()));
        theirs.shutdown(std::net::Shutdown::Write).expect("half-closed");
        watch.look(None);
        assert_eq!(budget.spend(1), Ok(()), "the client still reads");
        drop(theirs);
        watch.look(None);
        assert_eq!(budget.spend(1), Err(Stopped::Cancelled));
    }

    #[test]
    fn a_command_that_is_seen_for_too_long_is_stopped_and_the_next_one_is_not() {
        let (watch, _theirs, budget) = watched();
        watch.look(Some(Duration::ZERO));
        assert_eq!(budget.spend(1), Ok(()), "seen for the first time");
        std::thread::sleep(Duration::from_millis(2));
        watch.look(Some(Duration::from_secs(60)));
        assert_eq!(budget.spend(1), Ok(()));
        watch.look(Some(Duration::from_millis(1)));
        assert_eq!(budget.spend(1), Err(Stopped::Time));
        budget.grant(10);
        watch.look(Some(Duration::from_millis(1)));
        assert_eq!(budget.spend(1), Ok(()));
    }

    #[test]
    fn the_end_of_the_server_cancels_all() {
        let (watch, _theirs, budget) = watched();
        watch.cancel_all();
        budget.grant(10);
        assert_eq!(budget.spend(1), Err(Stopped::Cancelled));
        watch.remove(1);
    }
}
