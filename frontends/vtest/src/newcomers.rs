//! Connections that wait for a place. The place of a client that hangs up may take a moment to
//! become free.

use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::peer::PeerId;

/// The number of connections that may wait, in total and of one program.
const MOST: usize = 64;
const MOST_OF_PROGRAM: usize = 16;

/// A connection that has no place yet.
#[derive(Debug)]
pub struct Newcomer {
    /// The connection.
    pub stream: UnixStream,
    /// The program that opened the connection.
    pub id: PeerId,
    since: Instant,
}

impl Newcomer {
    /// Returns a new connection with the current time as its arrival.
    ///
    /// # Errors
    /// The system's, if it cannot name the program that connects.
    pub fn new(stream: UnixStream) -> std::io::Result<Self> {
        Ok(Newcomer { id: PeerId::of(&stream)?, stream, since: Instant::now() })
    }
}

/// Connections that wait, the first one first.
#[derive(Debug, Default)]
pub struct Newcomers(Vec<Newcomer>);

impl Newcomers {
    /// Returns true if no connection waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a connection at the end of the queue.
    pub fn push(&mut self, newcomer: Newcomer) {
        self.0.push(newcomer);
    }

    /// Asks `place` for a place for each connection. Returns the connections that got a place, and
    /// the refused connections with their reasons: they have waited for `patience`, or too many
    /// wait.
    pub fn admit<T, E>(
        &mut self,
        patience: Duration,
        mut place: impl FnMut(&Newcomer) -> Result<T, E>,
    ) -> Vec<(Newcomer, Result<T, E>)> {
        let mut done = Vec::new();
        for newcomer in std::mem::take(&mut self.0) {
            match place(&newcomer) {
                Err(_) if self.may_wait(&newcomer, patience) => self.0.push(newcomer),
                result => done.push((newcomer, result)),
            }
        }
        done
    }

    /// Returns true if one more connection may wait.
    fn may_wait(&self, newcomer: &Newcomer, patience: Duration) -> bool {
        let own = self.0.iter().filter(|other| other.id == newcomer.id).count();
        newcomer.since.elapsed() < patience && self.0.len() < MOST && own < MOST_OF_PROGRAM
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    fn newcomer(process: i32) -> Newcomer {
        let (stream, _) = UnixStream::pair().expect("sockets");
        Newcomer { stream, id: PeerId::Process(process), since: Instant::now() }
    }

    #[test]
    fn the_first_that_waits_has_the_first_place() {
        let mut newcomers = Newcomers::default();
        (1..=3).for_each(|process| newcomers.push(newcomer(process)));
        let refused = newcomers.admit(LONG, |_| Err::<(), _>(()));
        assert!(refused.is_empty() && !newcomers.is_empty());
        let mut places = 2;
        let admitted = newcomers.admit(LONG, |_| match places {
            0 => Err(()),
            _ => {
                places -= 1;
                Ok(())
            }
        });
        let ids: Vec<_> = admitted.iter().map(|(newcomer, _)| newcomer.id).collect();
        assert_eq!(ids, [PeerId::Process(1), PeerId::Process(2)]);
        let refused = newcomers.admit(Duration::ZERO, |_| Err::<(), _>(()));
        assert!(matches!(refused[..], [(_, Err(()))]) && newcomers.is_empty());
    }

    #[test]
    fn one_program_does_not_take_all_places_in_the_queue() {
        let mut newcomers = Newcomers::default();
        (0..100).for_each(|_| newcomers.push(newcomer(1)));
        newcomers.push(newcomer(2));
        let refused = newcomers.admit(LONG, |_| Err::<(), _>(()));
        assert_eq!(refused.len(), 100 - MOST_OF_PROGRAM);
        assert!(refused.iter().all(|(newcomer, _)| newcomer.id == PeerId::Process(1)));
        (3..100).for_each(|process| newcomers.push(newcomer(process)));
        newcomers.admit(LONG, |_| Err::<(), _>(()));
        assert_eq!(newcomers.0.len(), MOST);
    }
}
