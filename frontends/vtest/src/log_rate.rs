//! A log that grows slowly, whatever clients do.
//!
//! The log reports each kind of refusal once per client, but clients may connect again and again.
//! So the log of a process grows by at most [`RATE`] bytes per second, plus [`BURST`] bytes after a
//! quiet time. The log counts the lines that it drops and reports the count.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use log::{Level, LevelFilter, Log, Metadata, Record};

/// Bytes per second.
const RATE: u64 = 2 << 10;

/// Bytes that may be logged at once.
const BURST: u64 = 64 << 10;

/// Bytes of a line in addition to its text: the level and the module.
const LINE: u64 = 48;

/// A log with a limited rate. At the levels `debug` and `trace`, which serve to find faults, the
/// rate is not limited.
#[derive(Debug)]
pub struct Limited<L> {
    log: L,
    level: LevelFilter,
    room: Mutex<Room>,
}

/// The bytes that may still be logged.
#[derive(Debug)]
struct Room {
    bytes: u64,
    since: Instant,
    left_out: u64,
}

impl Room {
    /// Takes room for a line of `bytes`. Returns the number of lines dropped before this line, or
    /// `None` if this line is dropped, too.
    fn take(&mut self, bytes: u64, now: Instant) -> Option<u64> {
        let passed = now.saturating_duration_since(self.since).as_millis();
        let more = u64::try_from(passed).unwrap_or(u64::MAX).saturating_mul(RATE) / 1000;
        if more > 0 {
            self.bytes = self.bytes.saturating_add(more).min(BURST);
            self.since = now;
        }
        match self.bytes.checked_sub(bytes) {
            Some(rest) => {
                self.bytes = rest;
                Some(std::mem::take(&mut self.left_out))
            }
            None => {
                self.left_out = self.left_out.saturating_add(1);
                None
            }
        }
    }
}

impl<L: Log + 'static> Limited<L> {
    /// Returns `log` with a limited rate. It shows no level more verbose than `level`.
    pub fn new(log: L, level: LevelFilter) -> Self {
        let room = Room { bytes: BURST, since: Instant::now(), left_out: 0 };
        Limited { log, level, room: Mutex::new(room) }
    }

    /// Installs this log as the log of the process.
    ///
    /// # Errors
    /// The process has a log already.
    pub fn init(self) -> Result<(), log::SetLoggerError> {
        log::set_max_level(self.level);
        log::set_boxed_logger(Box::new(self))
    }

    /// Returns the number of lines dropped before a line of `bytes`, or `None` if this line is
    /// dropped.
    fn take(&self, bytes: u64) -> Option<u64> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner).take(bytes, Instant::now())
    }
}

impl<L: Log + 'static> Log for Limited<L> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.log.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if !self.log.enabled(record.metadata()) {
            return;
        }
        if self.level >= LevelFilter::Debug {
            return self.log.log(record);
        }
        let bytes = record.args().to_string().len() as u64;
        match self.take(bytes.saturating_add(LINE)) {
            None => return,
            Some(0) => {}
            Some(count) => self.log.log(
                &Record::builder()
                    .level(Level::Warn)
                    .target(record.target())
                    .args(format_args!(
                        "{count} lines were left out: the log may grow by {RATE} bytes a second \
                         (--log debug: any number)"
                    ))
                    .build(),
            ),
        }
        self.log.log(record);
    }

    fn flush(&self) {
        self.log.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    /// A log that keeps its lines.
    #[derive(Clone, Debug, Default)]
    struct Kept(Arc<Mutex<Vec<String>>>);

    impl Log for Kept {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            metadata.level() <= Level::Warn
        }

        fn log(&self, record: &Record<'_>) {
            self.0.lock().expect("no panic").push(record.args().to_string());
        }

        fn flush(&self) {}
    }

    /// Logs `lines` lines of 100 bytes per level and returns the lines that are kept.
    fn kept(level: LevelFilter, lines: usize) -> Vec<String> {
        let kept = Kept::default();
        let log = Limited::new(kept.clone(), level);
        for _ in 0..lines {
            let text = "x".repeat(100);
            log.log(&Record::builder().level(Level::Warn).args(format_args!("{text}")).build());
            log.log(&Record::builder().level(Level::Info).args(format_args!("{text}")).build());
        }
        kept.0.lock().expect("no panic").clone()
    }

    #[test]
    fn lines_beyond_the_burst_are_left_out() {
        let count = kept(LevelFilter::Warn, 10_000).len() as u64;
        // A second may have passed.
        let burst = BURST / (100 + LINE);
        assert!((burst..burst + 60).contains(&count), "{count}");
        assert_eq!(kept(LevelFilter::Debug, 10_000).len(), 10_000);
    }

    #[test]
    fn room_grows_with_time_and_what_was_left_out_is_counted() {
        let start = Instant::now();
        let mut room = Room { bytes: 100, since: start, left_out: 0 };
        assert_eq!(room.take(80, start), Some(0));
        assert_eq!((room.take(80, start), room.take(80, start)), (None, None));
        assert_eq!(room.take(80, start + Duration::from_millis(100)), Some(2));
        assert_eq!(room.take(BURST, start + Duration::from_secs(3600)), Some(0));
        assert_eq!(room.take(1, start + Duration::from_secs(3600)), None);
    }
}
