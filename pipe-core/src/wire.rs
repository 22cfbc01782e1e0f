//! Values as bytes, for traces that can be replayed.
//!
//! Whole numbers are LEB128: seven bits per byte, the lowest first, with the top bit set in all
//! bytes except the last. Signed numbers are first folded (0, -1, 1, -2 …). Floats are their bits,
//! little-endian. A boolean, an option and a variant are numbers from 0. A list or text is its
//! length followed by its items. State objects are their members in declaration order.

use core::fmt;

use formats::Format;
use os_shim::pool::RawHandle;
use os_shim::{Memory, Vec};

/// The first bytes of every trace.
pub const MAGIC: &[u8; 8] = b"GALTRACE";

/// The version of the format. It increases when the encoding of a call or value changes.
pub const VERSION: u32 = 1;

/// The bytes of a call during writing: passes them on in pieces.
pub(crate) struct Writer<'w>(&'w mut dyn FnMut(&[u8]));

impl<'w> Writer<'w> {
    pub(crate) fn new(pieces: &'w mut dyn FnMut(&[u8])) -> Self {
        Self(pieces)
    }

    /// Appends raw bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        (self.0)(bytes);
    }

    pub(crate) fn number(&mut self, number: u64) {
        let mut bytes = heapless::Vec::<u8, 10>::new();
        let mut rest = number;
        while rest >= 0x80 {
            let _ = bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        let _ = bytes.push(rest as u8);
        self.raw(&bytes);
    }

    /// Appends a list of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }
}

/// The reason why a trace cannot be read or played further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TraceError {
    /// The bytes do not begin like a trace.
    NoTrace,
    /// The trace has another version of the format.
    Version(u32),
    /// The trace ends inside a call.
    Truncated,
    /// No call has this number.
    Call(u64),
    /// A value does not belong to its type; holds the type's name.
    Value(&'static str),
    /// A call names a context that was not created or is destroyed.
    Context(u64),
    /// A shader was compiled into the traced program: record the program with shaders as text or
    /// tokens.
    CompiledShader,
    /// The recording is a firmware's, and names a program by the hash of its text.
    Program(u64),
    /// The recorder had no memory to write a call.
    Lost,
    /// There is no memory for the player's lists.
    OutOfMemory,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTrace => f.write_str("this is no trace: it does not begin with GALTRACE"),
            Self::Version(version) => write!(
                f,
                "the trace has version {version} of the format, this player reads version {}: \
                 record it again",
                VERSION
            ),
            Self::Truncated => f.write_str("the trace ends within a call"),
            Self::Call(number) => write!(f, "there is no call of number {number}"),
            Self::Value(what) => write!(f, "bytes that are no {what}"),
            Self::Context(number) => write!(f, "there is no context {number}"),
            Self::CompiledShader => f.write_str(
                "the shader was compiled into the traced program: record one of text or tokens",
            ),
            Self::Program(name) => write!(
                f,
                "the shader is program {name:016x} of a firmware, and its text is in the firmware's ELF file: \
                 name that file with --elf"
            ),
            Self::Lost => f.write_str("the recorder ran out of memory here: record a shorter run"),
            Self::OutOfMemory => f.write_str("no memory for the player's lists: hand over more"),
        }
    }
}

impl core::error::Error for TraceError {}

/// Maps handles in a trace to live handles.
pub(crate) trait Live {
    /// Returns the live handle for a traced handle. If there is none, returns a handle that names
    /// no object.
    fn live(&self, kind: &'static str, traced: RawHandle) -> RawHandle;
}

/// The bytes of a call during reading.
pub(crate) struct Reader<'a, 'r> {
    rest: &'a [u8],
    pub(crate) live: &'r dyn Live,
    pub(crate) memory: Memory<'r>,
}

impl<'a, 'r> Reader<'a, 'r> {
    pub(crate) const fn new(bytes: &'a [u8], live: &'r dyn Live, memory: Memory<'r>) -> Self {
        Self { rest: bytes, live, memory }
    }

    /// Reads `count` bytes.
    pub(crate) fn raw(&mut self, count: usize) -> Result<&'a [u8], TraceError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(TraceError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u64, TraceError> {
        let (number, rest) = number(self.rest)?;
        self.rest = rest;
        Ok(number)
    }

    /// Reads a list of bytes.
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], TraceError> {
        let count = self.number()?;
        self.raw(usize::try_from(count).map_err(|_| TraceError::Truncated)?)
    }

    /// Reads a list.
    pub(crate) fn list<T: Wire<'a>>(&mut self) -> Result<Vec<'r, T>, TraceError> {
        let count = self.number()?;
        let mut items = Vec::new_in(self.memory);
        for _ in 0..count {
            // Every item has at least one byte, so a wrong count ends with the bytes.
            items.try_push(T::read(self)?).map_err(|_| TraceError::OutOfMemory)?;
        }
        Ok(items)
    }

    /// Reads all remaining bytes.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        core::mem::take(&mut self.rest)
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }
}

/// Splits a number off the front of `bytes`.
pub(crate) fn number(bytes: &[u8]) -> Result<(u64, &[u8]), TraceError> {
    let mut number = 0;
    let mut rest = bytes;
    for shift in (0..64).step_by(7) {
        let (byte, tail) = rest.split_first().ok_or(TraceError::Truncated)?;
        rest = tail;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok((number, rest));
        }
    }
    Err(TraceError::Value("number"))
}

/// A value that can be encoded as bytes.
pub(crate) trait Wire<'a>: Sized {
    fn write(&self, out: &mut Writer<'_>);
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError>;
}

macro_rules! whole_numbers {
    ($($ty:ty),+) => { $(
        impl Wire<'_> for $ty {
            fn write(&self, out: &mut Writer<'_>) {
                out.number(*self as u64);
            }
            fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
                <$ty>::try_from(input.number()?).map_err(|_| TraceError::Value(stringify!($ty)))
            }
        }
    )+ };
}
whole_numbers!(u8, u16, u32, u64, usize);

impl Wire<'_> for i32 {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(u64::from(((*self << 1) ^ (*self >> 31)) as u32));
    }
    fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
        let folded = u32::read(input)?;
        Ok((folded >> 1) as i32 ^ ((folded & 1) as i32).wrapping_neg())
    }
}

impl Wire<'_> for bool {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(u64::from(*self));
    }
    fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
        match input.number()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(TraceError::Value("bool")),
        }
    }
}

macro_rules! floats {
    ($($ty:ty, $size:literal);+) => { $(
        impl Wire<'_> for $ty {
            fn write(&self, out: &mut Writer<'_>) {
                out.raw(&self.to_le_bytes());
            }
            fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
                let bytes = input.raw($size)?;
                bytes.first_chunk().map(|bytes| <$ty>::from_le_bytes(*bytes)).ok_or(TraceError::Truncated)
            }
        }
    )+ };
}
floats!(f32, 4; f64, 8);

impl<'a> Wire<'a> for &'a [u8] {
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(self);
    }
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        input.bytes()
    }
}

impl<'a> Wire<'a> for &'a str {
    fn write(&self, out: &mut Writer<'_>) {
        out.bytes(self.as_bytes());
    }
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        core::str::from_utf8(input.bytes()?).map_err(|_| TraceError::Value("text"))
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Option<T> {
    fn write(&self, out: &mut Writer<'_>) {
        self.is_some().write(out);
        if let Some(value) = self {
            value.write(out);
        }
    }
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        Ok(if bool::read(input)? { Some(T::read(input)?) } else { None })
    }
}

impl<'a, T: Wire<'a>, const N: usize> Wire<'a> for [T; N] {
    fn write(&self, out: &mut Writer<'_>) {
        for item in self {
            item.write(out);
        }
    }
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        let mut items = heapless::Vec::<T, N>::new();
        for _ in 0..N {
            let _ = items.push(T::read(input)?);
        }
        items.into_array().map_err(|_| TraceError::Truncated)
    }
}

impl<'a, A: Wire<'a>, B: Wire<'a>> Wire<'a> for (A, B) {
    fn write(&self, out: &mut Writer<'_>) {
        self.0.write(out);
        self.1.write(out);
    }
    fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        Ok((A::read(input)?, B::read(input)?))
    }
}

/// Added to the index of formats without a number in the virgl protocol.
const UNNUMBERED: u16 = 0x8000;

impl Wire<'_> for Format {
    fn write(&self, out: &mut Writer<'_>) {
        self.number().unwrap_or(UNNUMBERED | *self as u16).write(out);
    }
    fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
        let number = u16::read(input)?;
        let format = match number.checked_sub(UNNUMBERED) {
            Some(index) => Format::ALL.get(usize::from(index)).copied(),
            None => Format::from_number(number),
        };
        format.ok_or(TraceError::Value("format"))
    }
}

/// Implements [`Wire`] for a struct. Fields are destructured, so a missing field is a compile
/// error.
macro_rules! wire {
    ($name:ident $(<$life:lifetime>)? { $($field:ident),+ $(,)? }) => {
        impl<'a> $crate::wire::Wire<'a> for $crate::wire::wire!(@type $name $(<$life>)?) {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                let Self { $($field),+ } = self;
                $( $crate::wire::Wire::write($field, out); )+
            }
            fn read(
                input: &mut $crate::wire::Reader<'a, '_>,
            ) -> Result<Self, $crate::wire::TraceError> {
                $( let $field = $crate::wire::Wire::read(input)?; )+
                Ok(Self { $($field),+ })
            }
        }
    };
    (@type $name:ident) => { $name };
    (@type $name:ident <$life:lifetime>) => { $name<'a> };
}
pub(crate) use wire;

/// Implements [`Wire`] for flag sets: their bits.
macro_rules! wire_flags {
    ($($name:ty),+ $(,)?) => { $(
        impl $crate::wire::Wire<'_> for $name {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                self.bits().write(out);
            }
            fn read(
                input: &mut $crate::wire::Reader<'_, '_>,
            ) -> Result<Self, $crate::wire::TraceError> {
                let bits = $crate::wire::Wire::read(input)?;
                Self::from_bits(bits).ok_or($crate::wire::TraceError::Value(stringify!($name)))
            }
        }
    )+ };
}
pub(crate) use wire_flags;

/// Implements [`Wire`] for an enum with members: the number of the variant, followed by its
/// members.
macro_rules! wire_enum {
    ($name:ident $(<$life:lifetime>)? {
        $( $number:literal = $variant:ident $( { $($field:ident),+ } )? $( ($inner:ident) )? ),+ $(,)?
    }) => {
        impl<'a> $crate::wire::Wire<'a> for $crate::wire::wire!(@type $name $(<$life>)?) {
            fn write(&self, out: &mut $crate::wire::Writer<'_>) {
                match self {
                    $( Self::$variant $( { $($field),+ } )? $( ($inner) )? => {
                        out.number($number);
                        $( $( $crate::wire::Wire::write($field, out); )+ )?
                        $( $crate::wire::Wire::write($inner, out); )?
                    } )+
                }
            }
            fn read(
                input: &mut $crate::wire::Reader<'a, '_>,
            ) -> Result<Self, $crate::wire::TraceError> {
                match input.number()? {
                    $( $number => {
                        $( $( let $field = $crate::wire::Wire::read(input)?; )+ )?
                        $( let $inner = $crate::wire::Wire::read(input)?; )?
                        Ok(Self::$variant $( { $($field),+ } )? $( ($inner) )?)
                    } )+
                    _ => Err($crate::wire::TraceError::Value(stringify!($name))),
                }
            }
        }
    };
}
pub(crate) use wire_enum;
