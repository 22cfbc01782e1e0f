//! Error codes and their texts.

use core::ffi::CStr;

use gallium::os_shim::OutOfMemory;
use gallium::pipe_core::PipeError;

/// The result of a function; `gallium_error_text` returns its text.
#[repr(i32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// The call succeeded.
    None = 0,
    /// An argument is null.
    NullPointer = 1,
    /// A pointer does not lead to an object of its type that this `gallium` made.
    WrongObject = 2,
    /// The header names no such value of an enum.
    UnknownValue = 3,
    /// The memory of `gallium_create` is used up.
    OutOfMemory = 4,
    /// The picture has more than the scene buffer holds.
    SceneFull = 5,
    /// The archive was built without code that the call needs.
    Unsupported = 6,
    /// A number exceeds its limit.
    OutOfRange = 7,
    /// Arguments contradict each other.
    Invalid = 8,
    /// The mesh lacks an attribute that the material needs, or has another layout.
    WrongLayout = 9,
    /// A function of the panel returned an error.
    Panel = 10,
    /// A function of the panel called a function with the `gallium` that presents.
    Busy = 11,
    /// Any other reason.
    Refused = 12,
    /// The words of a shader are no shader for this version of the archive.
    WrongShader = 13,
}

impl Code {
    const ALL: [Code; 14] = [
        Code::None,
        Code::NullPointer,
        Code::WrongObject,
        Code::UnknownValue,
        Code::OutOfMemory,
        Code::SceneFull,
        Code::Unsupported,
        Code::OutOfRange,
        Code::Invalid,
        Code::WrongLayout,
        Code::Panel,
        Code::Busy,
        Code::Refused,
        Code::WrongShader,
    ];

    /// Returns the text of a number that may be a code.
    pub(crate) fn text_of(number: i32) -> &'static CStr {
        match Self::ALL.into_iter().find(|code| *code as i32 == number) {
            Some(code) => code.text(),
            None => c"the number is no error of Gallium: pass what a function returned",
        }
    }

    fn text(self) -> &'static CStr {
        match self {
            Code::None => c"the call succeeded",
            Code::NullPointer => {
                c"an argument or a pointer in it is null: pass the address of an object"
            }
            Code::WrongObject => {
                c"a pointer leads to no object of its type in this gallium: pass what its functions returned"
            }
            Code::UnknownValue => {
                c"an argument has a value that its enum lacks: pass a constant of gallium.h"
            }
            Code::OutOfMemory => {
                c"the memory of this gallium is used up: hand more bytes to gallium_create"
            }
            Code::SceneFull => {
                c"the picture does not fit the scene buffer: hand more scene_bytes to gallium_create, or draw less"
            }
            Code::Unsupported => {
                c"the archive lacks code for the call: build it with a feature that has it"
            }
            Code::OutOfRange => {
                c"a number exceeds its limit: build with the feature details, and gallium_error_details writes both"
            }
            Code::Invalid => {
                c"arguments contradict each other: build with the feature details, and gallium_error_details writes the reason"
            }
            Code::WrongLayout => {
                c"the mesh has not the attributes that the material needs: make the material for this layout"
            }
            Code::Panel => {
                c"a function of the panel returned an error: build with the feature details, and gallium_error_details writes its number"
            }
            Code::Busy => {
                c"a function of the panel called the gallium that presents: call it after gallium_present"
            }
            Code::Refused => {
                c"the driver refused the call: build with the feature details, and gallium_error_details writes the reason"
            }
            Code::WrongShader => {
                c"the words are no shader for this version of the archive: make the header again with cargo xtask wgsl --c"
            }
        }
    }
}

impl From<PipeError> for Code {
    fn from(error: PipeError) -> Self {
        match error {
            PipeError::OutOfMemory { .. } => Code::OutOfMemory,
            PipeError::SceneFull { .. } => Code::SceneFull,
            PipeError::Unsupported(_) | PipeError::UnsupportedFormat { .. } => Code::Unsupported,
            PipeError::OutOfRange { .. } | PipeError::RegionOutOfRange { .. } => Code::OutOfRange,
            PipeError::Invalid(_) | PipeError::Resource(_) => Code::Invalid,
            PipeError::Unbound(_) => Code::WrongLayout,
            PipeError::Panel(_) => Code::Panel,
            _ => Code::Refused,
        }
    }
}

/// The reason why a call is refused. Without the feature `details` it is a code, so that the driver's
/// numbers are not copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    pub(crate) code: Code,
    /// The driver's error; `None` for an error of the arguments.
    #[cfg(feature = "details")]
    pub(crate) error: Option<PipeError>,
}

impl From<PipeError> for Fault {
    fn from(error: PipeError) -> Self {
        Fault {
            code: error.into(),
            #[cfg(feature = "details")]
            error: Some(error),
        }
    }
}

impl From<OutOfMemory> for Fault {
    fn from(error: OutOfMemory) -> Self {
        PipeError::from(error).into()
    }
}

impl From<Code> for Fault {
    fn from(code: Code) -> Self {
        Fault {
            code,
            #[cfg(feature = "details")]
            error: None,
        }
    }
}
