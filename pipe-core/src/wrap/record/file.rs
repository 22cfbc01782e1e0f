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

/// A file that records the calls of one screen. Each call is passed to the system at once, so that
/// a program that crashes leaves all calls that it made.
pub struct RecordFile<'f>(Mutex<Calls<'f>>);

/// The calls so far.
enum Calls<'f> {
    /// Calls that wait for the first draw, and the files to take the next one from.
    Waiting(os_shim::Vec<'f, u8>, &'f RecordFiles),
    /// The file, and the set of files that it belongs to.
    File(File, Option<&'f RecordFiles>),
    /// There was no memory for waiting calls, no file, or no room in the files.
    Lost,
}

/// Bytes that each file counts in addition to its calls, so that the number of files is limited
/// too.
const FILE_BYTES: u64 = 1 << 20;

impl RecordFile<'_> {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// The file system's error.
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
            // A trace is an aid, so it must not make the traced program fail.
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

/// The files of several screens. The first screen that draws gets the given name; later ones get
/// the name with a dot and a number from 2 on. A screen that never draws gets no file.
///
/// The total size of the files may be limited. Calls beyond the limit are dropped, together with
/// all later calls of their screens.
pub struct RecordFiles {
    path: PathBuf,
    taken: Mutex<Taken>,
}

/// The amounts that screens have used.
struct Taken {
    files: u32,
    /// Bytes that remain for all files.
    left: u64,
}

impl RecordFiles {
    /// Creates the first file, or empties it, so that a wrong name is an error at once.
    ///
    /// # Errors
    /// The file system's error.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create(path)?;
        let taken = Taken { files: 0, left: u64::MAX };
        Ok(Self { path: path.to_path_buf(), taken: Mutex::new(taken) })
    }

    /// Limits the total size of all files to `bytes`.
    #[must_use]
    pub fn with_limit(self, bytes: u64) -> Self {
        self.taken.lock().left = bytes;
        self
    }

    /// Creates the first file named by the option `GALLIUM_TRACE`; `None` if it is not set.
    ///
    /// # Errors
    /// The file system's error.
    pub fn of_options(options: &dyn Options) -> io::Result<Option<Self>> {
        let mut files = None;
        string_option(options, GALLIUM_TRACE, &mut |path| {
            files = Some(Self::create(Path::new(path)));
        });
        files.transpose()
    }

    /// Returns the file of one more screen. Calls before its first draw wait in `memory`.
    pub fn file<'f>(&'f self, memory: Memory<'f>) -> RecordFile<'f> {
        RecordFile(Mutex::new(Calls::Waiting(os_shim::Vec::new_in(memory), self)))
    }

    /// Reserves room for `bytes`; returns false if there is none.
    fn has_room(&self, bytes: u64) -> bool {
        let mut taken = self.taken.lock();
        let left = taken.left.checked_sub(bytes);
        taken.left = left.unwrap_or(taken.left);
        left.is_some()
    }

    /// Creates the next file, with its first calls; `None` if there is no room or the file system
    /// fails.
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

/// Calls `run` with the screen, recorded to one more of the files, if `files` is given.
///
/// A program creates the files once, with [`RecordFiles::of_options`], and calls this function for
/// each of its screens.
///
/// * `memory`: holds single calls, calls before the first draw, and the wrappers of contexts.
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
