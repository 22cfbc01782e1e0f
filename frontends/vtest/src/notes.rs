//! Logs the refused commands of a client, each kind once.

use std::fmt::{Display, Write as _};

use rustc_hash::FxHashSet;

/// The largest number of kinds of refusals that are remembered per client.
const MAX_KINDS: usize = 200;

/// The refusals of one client so far.
#[derive(Debug, Default)]
pub struct Notes {
    client: u64,
    seen: FxHashSet<String>,
}

impl Notes {
    /// Returns the empty notes of client number `client`.
    pub fn new(client: u64) -> Self {
        Notes { client, seen: FxHashSet::default() }
    }

    /// Returns the client's number.
    pub fn client(&self) -> u64 {
        self.client
    }

    /// Logs that `what` was refused, once for each reason. Reasons that differ only in numbers
    /// count as one.
    pub fn refused(&mut self, what: &str, why: &dyn Display) {
        let mut line = String::new();
        let _ = write!(line, "{what}: {why}");
        log::debug!("client {}: {line}", self.client);
        if self.seen.len() >= MAX_KINDS {
            return;
        }
        let kind: String = line.chars().filter(|c| !c.is_ascii_digit()).collect();
        if self.seen.insert(kind) {
            log::warn!("client {}: not done: {line}", self.client);
        }
    }

    /// Returns the value; logs the error.
    pub fn done<T, E: Display>(&mut self, what: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|why| self.refused(what, &why)).ok()
    }

    /// Returns the number of kinds of refusals.
    pub fn kinds(&self) -> usize {
        self.seen.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_counts_once() {
        let mut notes = Notes::new(1);
        notes.refused("draw", &"slot 3 is empty");
        notes.refused("draw", &"slot 14 is empty");
        assert_eq!(notes.kinds(), 1);
        notes.refused("clear", &"slot 3 is empty");
        assert_eq!(notes.done("draw", Ok::<_, &str>(5)), Some(5));
        assert_eq!(notes.done::<(), _>("draw", Err("no")), None);
        assert_eq!(notes.kinds(), 3);
    }
}
