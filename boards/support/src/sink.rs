//! A file on the host that receives the picture and the figures.

use core::ffi::CStr;

use pipe_core::PanelError;
use scenes::Sink;
use semihosting::fs::File;
use semihosting::io::Write;

/// A file that semihosting writes.
pub struct HostFile(File);

impl HostFile {
    /// Creates the file, or empties it, in the emulator's working directory.
    pub fn create(path: &CStr) -> Result<HostFile, PanelError> {
        File::create(path).map(HostFile).map_err(|_| PanelError(0))
    }
}

impl Sink for HostFile {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).is_ok()
    }
}
