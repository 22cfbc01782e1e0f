//! Traces in files, on hosts.

extern crate std;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use os_shim::Memory;
use os_shim::options::names::GALLIUM_TRACE;
use os_shim::options::{Options, string_option};
use os_shim::sync::Mutex;

use super::calls::works;
use super::{RecordScreen, RecordSink};
use crate::screen::Screen;
use crate::wire::number;

/// A file that takes the calls of one screen. Each call is handed to the system at once, so that a
/// program that dies leaves all calls that it made.
pub struct RecordFile<'f>(Mutex<Calls<'f>>);

/// The calls so far.
enum Calls<'f> {
    /// Calls that wait for one that draws, and the files to take the next of then.
    Waiting(os_shim::Vec<'f, u8>, &'f RecordFiles),
    /// The file, and the files that it is one of.
    File(File, Option<&'f RecordFiles>),
    /// There was no memory for calls that wait, no file, or no room in the files.
    Lost,
}

/// Bytes that a file counts beside its calls, so that there is an end to files, too.
const FILE_BYTES: u64 = 1 << 20;

impl RecordFile<'_> {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create(path).map(|file| Self(Mutex::new(Calls::File(file, None))))
    }
}

impl RecordSink for RecordFile<'_> {
    fn take(&self, bytes: &[u8]) {
        let mut calls = self.0.lock();
        let lost = match &mut *calls {
            Calls::Waiting(before, files) => {
                let kept = before.try_extend_from_slice(bytes);
                if kept.is_ok() && !number(bytes).is_ok_and(|(call, _)| works(call)) {
                    return;
                }
                let files = *files;
                let next = kept.ok().and_then(|()| files.next(before));
                *calls = next.map_or(Calls::Lost, |file| Calls::File(file, Some(files)));
                return;
            }
            // A trace is an aid: it must not make the traced program fail.
            Calls::File(file, files) => {
                let has_room = files.is_none_or(|files| files.has_room(bytes.len() as u64));
                !has_room || file.write_all(bytes).is_err()
            }
            Calls::Lost => false,
        };
        if lost {
            *calls = Calls::Lost;
        }
    }
}

/// The files of several screens: a name for the first that draws, and the same with a dot and a number
/// from 2 for later ones. A screen that only answers questions takes none.
///
/// The files together may be limited; the calls beyond the limit are left out, with all later calls of
/// their screens.
pub struct RecordFiles {
    path: PathBuf,
    taken: Mutex<Taken>,
}

/// What screens have taken of the files.
struct Taken {
    files: u32,
    /// Bytes that are left for all files.
    left: u64,
}

impl RecordFiles {
    /// Creates the first file, or empties it, so that a wrong name is seen at once.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create(path)?;
        let taken = Taken { files: 0, left: u64::MAX };
        Ok(Self { path: path.to_path_buf(), taken: Mutex::new(taken) })
    }

    /// Limits all files together to `bytes`.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        self.taken.lock().left = bytes;
        self
    }

    /// Creates the first file that the option `GALLIUM_TRACE` names; `None` if it is not set.
    ///
    /// # Errors
    /// The file system's.
    pub fn of_options(options: &dyn Options) -> io::Result<Option<Self>> {
        let mut files = None;
        string_option(options, GALLIUM_TRACE, &mut |path| {
            files = Some(Self::create(Path::new(path)));
        });
        files.transpose()
    }

    /// Returns the file of one more screen. Calls before the first that draws wait in `memory`.
    pub fn file<'f>(&'f self, memory: Memory<'f>) -> RecordFile<'f> {
        RecordFile(Mutex::new(Calls::Waiting(os_shim::Vec::new_in(memory), self)))
    }

    /// Takes room for `bytes`; returns false if there is none.
    fn has_room(&self, bytes: u64) -> bool {
        let mut taken = self.taken.lock();
        let left = taken.left.checked_sub(bytes);
        taken.left = left.unwrap_or(taken.left);
        left.is_some()
    }

    /// Creates the next file, with its first calls; `None` if there is no room, or the file system fails.
    fn next(&self, calls: &[u8]) -> Option<File> {
        if !self.has_room(FILE_BYTES.saturating_add(calls.len() as u64)) {
            return None;
        }
        let mut taken = self.taken.lock();
        taken.files = taken.files.saturating_add(1);
        let mut name = self.path.clone().into_os_string();
        if taken.files > 1 {
            name.push(std::format!(".{}", taken.files));
        }
        drop(taken);
        let mut file = File::create(name).ok()?;
        file.write_all(calls).ok()?;
        Some(file)
    }
}

/// Hands `run` the screen, recorded to one more of the files, if there are some.
///
/// A program makes the files once, by [`RecordFiles::of_options`], and calls this for each of its screens.
///
/// * `memory`: for single calls, for those before the first that draws, and for the wrappers of contexts.
pub fn recorded<'m, R>(
    screen: &dyn Screen<'m>,
    files: Option<&RecordFiles>,
    memory: Memory<'_>,
    run: impl FnOnce(&dyn Screen<'m>) -> R,
) -> R {
    match files.map(|files| files.file(memory)) {
        None => run(screen),
        Some(file) => run(&RecordScreen::new(screen, &file, memory)),
    }
}
