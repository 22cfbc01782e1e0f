//! What a client asked in vain, said once a kind.

use std::fmt::{Display, Write as _};

use rustc_hash::FxHashSet;

/// Kinds after which a client's complaints are no longer told apart.
const MAX_KINDS: usize = 200;

/// One client's complaints so far.
#[derive(Debug, Default)]
pub struct Notes {
    client: u64,
    seen: FxHashSet<String>,
}

impl Notes {
    /// Nothing noted yet for client number `client`.
    pub fn new(client: u64) -> Self {
        Notes { client, seen: FxHashSet::default() }
    }

    /// Logs that `what` was not done, unless it was logged before for the same reason; reasons
    /// that differ in numbers only are the same.
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

    /// Logs a refusal, and turns it into nothing.
    pub fn done<T, E: Display>(&mut self, what: &str, result: Result<T, E>) -> Option<T> {
        result.map_err(|why| self.refused(what, &why)).ok()
    }

    /// How many kinds of refusals there were.
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
