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
    Waiting(std::vec::Vec<u8>, &'f RecordFiles),
    File(File),
    /// The file could not be made.
    Lost,
}

impl RecordFile<'_> {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create(path).map(|file| Self(Mutex::new(Calls::File(file))))
    }
}

impl RecordSink for RecordFile<'_> {
    fn take(&self, bytes: &[u8]) {
        let mut calls = self.0.lock();
        if let Calls::Waiting(before, files) = &mut *calls {
            before.extend_from_slice(bytes);
            if !number(bytes).is_ok_and(|(call, _)| works(call)) {
                return;
            }
            let next = files.next();
            let written = next.and_then(|mut file| file.write_all(before).map(|()| file));
            *calls = written.map_or(Calls::Lost, Calls::File);
        } else if let Calls::File(file) = &mut *calls {
            // A trace is an aid: it must not make the traced program fail.
            let _ = file.write_all(bytes);
        }
    }
}

/// The files of several screens: a name for the first that draws, and the same with a dot and a number
/// from 2 for later ones. A screen that only answers questions takes none.
pub struct RecordFiles {
    path: PathBuf,
    taken: Mutex<u32>,
}

impl RecordFiles {
    /// Creates the first file, or empties it, so that a wrong name is seen at once.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(path: &Path) -> io::Result<Self> {
        File::create(path)?;
        Ok(Self { path: path.to_path_buf(), taken: Mutex::new(0) })
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

    /// Returns the file of one more screen.
    pub fn file(&self) -> RecordFile<'_> {
        RecordFile(Mutex::new(Calls::Waiting(std::vec::Vec::new(), self)))
    }

    fn next(&self) -> io::Result<File> {
        let mut taken = self.taken.lock();
        *taken = taken.saturating_add(1);
        let mut name = self.path.clone().into_os_string();
        if *taken > 1 {
            name.push(std::format!(".{}", *taken));
        }
        File::create(name)
    }
}

/// Hands `run` the screen, recorded to one more of the files, if there are some.
///
/// A program makes the files once, by [`RecordFiles::of_options`], and calls this for each of its screens.
///
/// * `memory`: for single calls, and for the wrappers of contexts.
pub fn recorded<'m, R>(
    screen: &dyn Screen<'m>,
    files: Option<&RecordFiles>,
    memory: Memory<'_>,
    run: impl FnOnce(&dyn Screen<'m>) -> R,
) -> R {
    match files.map(RecordFiles::file) {
        None => run(screen),
        Some(file) => run(&RecordScreen::new(screen, &file, memory)),
    }
}
