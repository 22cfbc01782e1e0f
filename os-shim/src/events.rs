//! A file of timed events in Chrome's trace format, which `ui.perfetto.dev` and `chrome://tracing`
//! show: one row per thread, one bar per event.
//!
//! Only hosts have files. Without the feature `std`, [`EventFile::of_options`] returns `None`.

use core::fmt;

use crate::options::Options;

/// A file of events. Devices that name the same path share the file.
///
/// The file holds at most [`EventFile::MAX_EVENTS`] events; later ones are dropped. It has the
/// array form without the closing bracket, which the format allows, so that a program that crashes
/// leaves a file that viewers open.
#[derive(Debug)]
pub struct EventFile(file::Handle);

impl EventFile {
    /// The most events of a file: about 150 MB of text.
    pub const MAX_EVENTS: u32 = 1 << 20;

    /// Opens the file that the option `name` names; `None` if the option is not set, if the file
    /// cannot be created (standard error then has the reason), or if there are no files.
    pub fn of_options(options: &dyn Options, name: &str) -> Option<EventFile> {
        file::open(options, name).map(EventFile)
    }

    /// Writes an event of the current thread.
    ///
    /// * `name`: what ran; letters, digits and spaces.
    /// * `since_ns`, `until_ns`: times of the host's clock in nanoseconds.
    /// * `worked_ns`: the thread's processor time in between, from [`EventFile::worked_ns`].
    /// * `facts`: members of a JSON object, which viewers show with the event, such as `"x":1`.
    pub fn write(
        &self,
        name: &str,
        [since_ns, until_ns]: [u64; 2],
        worked_ns: u64,
        facts: fmt::Arguments<'_>,
    ) {
        self.0.write(name, [since_ns, until_ns], worked_ns, facts);
    }

    /// Returns the processor time that the current thread has used, in nanoseconds.
    pub fn worked_ns(&self) -> u64 {
        self.0.worked_ns()
    }
}

/// A system without files: there is no handle.
#[cfg(not(feature = "std"))]
mod file {
    use core::fmt;

    use crate::options::Options;

    #[derive(Debug)]
    pub(super) enum Handle {}

    pub(super) fn open(_: &dyn Options, _: &str) -> Option<Handle> {
        None
    }

    impl Handle {
        pub(super) fn write(&self, _: &str, _: [u64; 2], _: u64, _: fmt::Arguments<'_>) {
            match *self {}
        }

        pub(super) fn worked_ns(&self) -> u64 {
            match *self {}
        }
    }
}

#[cfg(feature = "std")]
mod file {
    use core::cell::Cell;
    use core::fmt;
    use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::fs::File;
    use std::io::{self, Write};
    use std::path::{Path, PathBuf};
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::vec::Vec;

    use super::EventFile;
    use crate::clock::{Clock, ThreadClock};
    use crate::options::{Options, string_option};

    /// Bytes that wait for the file system.
    const WAITING: usize = 64 << 10;

    /// One holder of a file. The file is complete once a holder is dropped.
    #[derive(Debug)]
    pub(super) struct Handle(Arc<Mutex<Events>>);

    #[derive(Debug)]
    struct Events {
        file: File,
        waiting: Vec<u8>,
        /// The number of events that the file has room for.
        left: u32,
        /// The threads that the file has names for.
        named: Vec<u32>,
    }

    /// Opens the file that an option names.
    pub(super) fn open(options: &dyn Options, name: &str) -> Option<Handle> {
        let mut opened = None;
        string_option(options, name, &mut |path| match Handle::open(path.as_ref()) {
            Ok(handle) => opened = Some(handle),
            Err(error) => crate::say!("{}: cannot create {}: {}", name, path, error),
        });
        opened
    }

    impl Handle {
        fn open(path: &Path) -> io::Result<Handle> {
            static FILES: Mutex<Vec<(PathBuf, Arc<Mutex<Events>>)>> = Mutex::new(Vec::new());
            let mut files = lock(&FILES);
            if let Some((_, events)) = files.iter().find(|(known, _)| known == path) {
                return Ok(Handle(Arc::clone(events)));
            }
            let file = File::create(path)?;
            let (waiting, left) = (b"[\n".to_vec(), EventFile::MAX_EVENTS);
            let events = Arc::new(Mutex::new(Events { file, waiting, left, named: Vec::new() }));
            files.push((path.to_path_buf(), Arc::clone(&events)));
            Ok(Handle(events))
        }

        pub(super) fn worked_ns(&self) -> u64 {
            ThreadClock::current().now_ns()
        }

        pub(super) fn write(
            &self,
            name: &str,
            [since, until]: [u64; 2],
            worked: u64,
            facts: fmt::Arguments<'_>,
        ) {
            let mut events = lock(&self.0);
            let Some(left) = events.left.checked_sub(1) else { return };
            events.left = left;
            let thread = thread_number();
            if !events.named.contains(&thread) {
                events.named.push(thread);
                events.name_thread(thread);
            }
            let (at, took) = (Micros(since), Micros(until.saturating_sub(since)));
            let worked = Micros(worked);
            // Writing to a vector cannot fail.
            let _ = writeln!(
                events.waiting,
                r#"{{"name":"{name}","ph":"X","pid":1,"tid":{thread},"ts":{at},"dur":{took},"tdur":{worked},"args":{{{facts}}}}},"#,
            );
            if events.waiting.len() >= WAITING {
                events.flush();
            }
        }
    }

    impl Drop for Handle {
        fn drop(&mut self) {
            lock(&self.0).flush();
        }
    }

    impl Events {
        /// Writes an event that names the current thread.
        fn name_thread(&mut self, thread: u32) {
            let current = std::thread::current();
            let plain = |c: &char| c.is_ascii_alphanumeric() || "-_ .".contains(*c);
            let name: std::string::String =
                current.name().unwrap_or("thread").chars().filter(plain).collect();
            let _ = writeln!(
                self.waiting,
                r#"{{"name":"thread_name","ph":"M","pid":1,"tid":{thread},"args":{{"name":"{name}"}}}},"#,
            );
        }

        /// Gives all whole lines to the file. A profile is an aid: if the file system fails, the
        /// program goes on, and the file ends there.
        fn flush(&mut self) {
            if self.file.write_all(&self.waiting).is_err() {
                self.left = 0;
            }
            self.waiting.clear();
        }
    }

    /// Nanoseconds, printed as microseconds.
    struct Micros(u64);

    impl fmt::Display for Micros {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
        }
    }

    /// Returns the number of the current thread, from 1 on.
    fn thread_number() -> u32 {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        std::thread_local! {
            static NUMBER: Cell<u32> = const { Cell::new(0) };
        }
        NUMBER.with(|number| {
            if number.get() == 0 {
                number.set(NEXT.fetch_add(1, Relaxed));
            }
            number.get()
        })
    }

    fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::string::String;

    use super::EventFile;
    use crate::options::{NoOptions, Options};

    /// Gives every option this value.
    struct All<'a>(&'a str);

    impl Options for All<'_> {
        fn with(&self, _: &str, read: &mut dyn FnMut(&str)) {
            read(self.0);
        }
    }

    /// Reads the file that `write` fills, and removes it.
    fn written(name: &str, write: impl FnOnce(&str)) -> String {
        let path = std::env::temp_dir().join(std::format!("{name}-{}.json", std::process::id()));
        write(path.to_str().expect("a name in UTF-8"));
        let text = std::fs::read_to_string(&path).expect("the file");
        std::fs::remove_file(&path).expect("the file");
        text
    }

    #[test]
    fn devices_share_a_file_of_whole_lines() {
        let text = written("events", |path| {
            let open = || EventFile::of_options(&All(path), "FILE").expect("a file");
            let (one, other) = (open(), open());
            one.write("tile", [1_234_567, 1_240_000], 5000, format_args!(r#""x":1"#));
            std::thread::Builder::new()
                .name("worker \"2\"".into())
                .spawn(move || other.write("draw", [5, 4], 0, format_args!("")))
                .expect("a thread")
                .join()
                .expect("the thread ends");
        });
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("["));
        let events: std::vec::Vec<_> = lines.filter(|line| line.contains(r#""ph":"X""#)).collect();
        assert_eq!(events.len(), 2, "{text}");
        assert!(
            events
                .iter()
                .any(|e| e.contains(r#""ts":1234.567,"dur":5.433,"tdur":5.000,"args":{"x":1}"#))
        );
        assert!(
            events.iter().any(|e| e.contains(r#""name":"draw""#) && e.contains(r#""dur":0.000"#))
        );
        assert!(text.contains(r#""args":{"name":"worker 2"}"#), "names are plain: {text}");
    }

    #[test]
    fn without_the_option_there_is_no_file() {
        assert!(EventFile::of_options(&NoOptions, "FILE").is_none());
        assert!(EventFile::of_options(&All("/no/such/folder/events.json"), "FILE").is_none());
    }
}
