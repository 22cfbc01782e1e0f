//! A file on the host as the other end of the display's cable, and the log's.

use core::ffi::CStr;

use pipe_core::PanelError;
use scenes::Sink;
use semihosting::fs::File;
use semihosting::io::Write;

/// A file that semihosting writes.
pub struct HostFile(File);

impl HostFile {
    /// Makes it anew, in the emulator's working directory.
    pub fn create(path: &CStr) -> Result<HostFile, PanelError> {
        File::create(path).map(HostFile).map_err(|_| PanelError(0))
    }
}

impl Sink for HostFile {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).is_ok()
    }
}
