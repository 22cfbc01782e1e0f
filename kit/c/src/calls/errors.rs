//! Texts of errors.

use core::ffi::c_char;
use core::fmt::{self, Write};

use super::{check_span, device};
use crate::error::{Code, Fault};
use crate::object::Gallium;

/// Returns the text of an error: what happened, then what to do. The text is never null and stays.
#[unsafe(no_mangle)]
pub extern "C" fn gallium_error_text(error: i32) -> *const c_char {
    Code::text_of(error).as_ptr()
}

/// Writes the last error of this `gallium` to `text`, which has `bytes` bytes: as much as fits, and a
/// 0 at the end. The text is empty if no call failed.
///
/// With the feature `details` of the archive, an error of the driver comes with its reason and its
/// numbers, and the program links code that formats text. Without, the text is that of the code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_error_details(
    gallium: *const Gallium,
    text: *mut c_char,
    bytes: usize,
) -> Code {
    // SAFETY: null or valid, as the header demands.
    let device = match unsafe { device(gallium) } {
        Ok(device) => device,
        Err(code) => return code,
    };
    if let Err(code) = check_span(text.cast(), bytes) {
        return code;
    }
    // A 0 has no place.
    let Some(room) = bytes.checked_sub(1) else { return Code::OutOfRange };
    // SAFETY: not null and within the address space; C hands over the memory for this call. Zeros
    // make it readable.
    let text = unsafe {
        text.write_bytes(0, bytes);
        core::slice::from_raw_parts_mut(text.cast::<u8>(), room)
    };
    if let Some(fault) = device.last.get() {
        // A text that is cut is no error.
        let _ = describe(&mut Text(text), &fault);
    }
    Code::None
}

fn describe(text: &mut Text<'_>, fault: &Fault) -> fmt::Result {
    #[cfg(feature = "details")]
    if let Some(error) = fault.error {
        return write!(text, "{error}");
    }
    text.write_str(Code::text_of(fault.code as i32).to_str().unwrap_or(""))
}

/// The rest of a text's memory.
struct Text<'a>(&'a mut [u8]);

impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            let (first, rest) = core::mem::take(&mut self.0).split_first_mut().ok_or(fmt::Error)?;
            *first = byte;
            self.0 = rest;
        }
        Ok(())
    }
}
