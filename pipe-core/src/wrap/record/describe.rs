//! The arguments of a traced call by name, read without playing the call.

use core::fmt;

use formats::Format;
use os_shim::Memory;
use os_shim::pool::RawHandle;

use super::answer::Answer;
use super::calls::*;
use super::reading::Call;
use super::values::Code;
use crate::blit::BlitInfo;
use crate::color::ColorUnion;
use crate::context::{ConstantBuffer, PresentSource};
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount};
use crate::error::PipeError;
use crate::flags::{BarrierFlags, ClearFlags, ContextFlags, FlushFlags, TextureBarrierFlags};
use crate::handle::*;
use crate::limits::MAX_SO_BUFFERS;
use crate::query::{QueryResult, QueryType, QueryValueType, RenderConditionMode};
use crate::region::Region;
use crate::resource::ResourceTemplate;
use crate::shader::{GridInfo, ShaderType, StreamOutput};
use crate::state::*;
use crate::surface::{ImageAccess, ImageView, SamplerViewTemplate, ShaderBuffer, SurfaceTemplate};
use crate::transfer::MapFlags;
use crate::wire::{Live, Reader, TraceError, Wire};
use crate::wrap::calls::*;
use crate::wrap::trace::{Shown, brief_list};

/// Handles as the trace has them.
struct AsTraced;

impl Live for AsTraced {
    fn live(&self, _: &'static str, traced: RawHandle) -> RawHandle {
        traced
    }
}

/// Takes the name and the value of an argument.
type Take<'t> = dyn FnMut(&'static str, &dyn fmt::Debug) + 't;

impl Call<'_> {
    /// Passes the name and value of each argument to `take`, then the results with the name
    /// `result`, then the number of `instructions` if the recorder counted them. Handles are those of the
    /// trace. Data shows only its size.
    ///
    /// # Errors
    /// The trace is damaged.
    pub fn describe(
        &self,
        memory: Memory<'_>,
        take: &mut dyn FnMut(&'static str, &dyn fmt::Debug),
    ) -> Result<(), TraceError> {
        let input = &mut Reader::new(self.body, &AsTraced, memory);
        let mut is_known = special(self.number, input, take)?;
        for list in all_chapters!() {
            is_known = is_known || list(self.number, input, take)?;
        }
        if is_known && is_counted(self.number) && !input.is_at_end() {
            take("instructions", &input.number()?);
        }
        Ok(())
    }
}

/// Reads an argument and passes it to `take`.
macro_rules! described_argument {
    (val $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &<$ty as Wire>::read($input)?)
    };
    (refs $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &<$ty as Wire>::read($input)?)
    };
    (brief $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &Shown::Brief(&<$ty as Wire>::read($input)?))
    };
    (opt $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &<Option<$ty> as Wire>::read($input)?)
    };
    (list $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &&*$input.list::<$ty>()?)
    };
    (each $name:ident $ty:ty, $input:ident, $take:ident) => {{
        let items = $input.list::<$ty>()?;
        $take(stringify!($name), &Shown::List(&|f| brief_list(f, &items)))
    }};
    (bytes $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &$input.bytes()?)
    };
    (data $name:ident $ty:ty, $input:ident, $take:ident) => {
        $take(stringify!($name), &Shown::Bytes($input.bytes()?.len()))
    };
}

/// Defines a function that describes the calls of one list. It returns false for other calls.
macro_rules! described {
    ([$function:ident] $(
        $number:literal $method:ident( $($argument:ident: $how:ident $ty:ty),* $(,)? ) -> $result:ty;
    )*) => {
        fn $function(
            number: u64,
            input: &mut Reader<'_, '_>,
            take: &mut Take<'_>,
        ) -> Result<bool, TraceError> {
            match number {
                $( $number => {
                    $( described_argument!($how $argument $ty, input, take); )*
                    <$result as Answer>::show(input, &mut |result| take("result", result))?;
                    Ok(true)
                } )*
                _ => Ok(false),
            }
        }
    };
}
all_calls!(described);

/// Reads the code of a shader and passes its size to `take`.
fn code(input: &mut Reader<'_, '_>, take: &mut Take<'_>) -> Result<(), TraceError> {
    match Code::read(input) {
        Ok(Code::Text(text)) => take("text", &Shown::Bytes(text.len())),
        Ok(Code::Tokens(bytes)) => take("tokens", &Shown::Bytes(bytes.len())),
        Err(TraceError::CompiledShader) => take("program", &format_args!("compiled")),
        Err(TraceError::Program(name)) => take("program", &format_args!("{name:016x}")),
        Err(error) => return Err(error),
    }
    Ok(())
}

/// The result of a call that may be refused.
type Outcome<T> = Result<T, PipeError>;

/// Describes a call that is in no list; returns false for other calls.
fn special(call: u64, input: &mut Reader<'_, '_>, take: &mut Take<'_>) -> Result<bool, TraceError> {
    Ok(of_screen(call, input, take)?
        || of_objects(call, input, take)?
        || of_pictures(call, input, take)?)
}

/// Describes a call of a screen, or one that was lost; returns false for other calls.
fn of_screen(
    call: u64,
    input: &mut Reader<'_, '_>,
    take: &mut Take<'_>,
) -> Result<bool, TraceError> {
    match call {
        number::CONTEXT_CREATE => take("flags", &ContextFlags::read(input)?),
        number::CONTEXT_DESTROY | number::LOST => return Ok(true),
        number::RESOURCE_CREATE => {
            take("template", &Shown::Brief(&ResourceTemplate::read(input)?));
            show::<Outcome<ResourceHandle>>(input, take)?;
        }
        number::RESOURCE_FROM_USER_MEMORY => {
            take("template", &Shown::Brief(&ResourceTemplate::read(input)?));
            take("memory", &Shown::Bytes(input.bytes()?.len()));
            show::<Outcome<ResourceHandle>>(input, take)?;
        }
        number::RESOURCE_DESTROY | number::RESOURCE_CHANGED => {
            take("resource", &ResourceHandle::read(input)?);
            show::<Outcome<()>>(input, take)?;
        }
        number::FENCE_FINISH => {
            take("fence", &FenceHandle::read(input)?);
            take("timeout_ns", &u64::read(input)?);
            show::<Outcome<bool>>(input, take)?;
        }
        number::FENCE_DESTROY => {
            take("fence", &FenceHandle::read(input)?);
            show::<Outcome<()>>(input, take)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Describes a call that makes, binds or destroys objects; returns false for other calls.
fn of_objects(
    call: u64,
    input: &mut Reader<'_, '_>,
    take: &mut Take<'_>,
) -> Result<bool, TraceError> {
    match call {
        number::CREATE_SHADER_STATE => {
            take("stage", &ShaderType::read(input)?);
            code(input, take)?;
            let stride = <[u16; MAX_SO_BUFFERS]>::read(input)?;
            let outputs = input.list::<StreamOutput>()?;
            if !outputs.is_empty() {
                take("stride", &stride);
                take("outputs", &&*outputs);
            }
            show::<Outcome<ShaderHandle>>(input, take)?;
        }
        number::CREATE_COMPUTE_STATE => {
            let [shared, private, inputs] = <[u32; 3]>::read(input)?;
            take("static_shared_mem", &shared);
            take("req_private_mem", &private);
            take("req_input_mem", &inputs);
            code(input, take)?;
            show::<Outcome<ShaderHandle>>(input, take)?;
        }
        number::SET_GLOBAL_BINDING => {
            take("first", &usize::read(input)?);
            take("resources", &&*input.list::<Option<ResourceHandle>>()?);
            take("addresses", &&*input.list::<u64>()?);
            show::<Outcome<()>>(input, take)?;
        }
        number::SET_FRAMEBUFFER_STATE => {
            take("state", &Shown::Brief(&FramebufferState::read(input)?));
            show::<Outcome<()>>(input, take)?;
        }
        number::CREATE_SURFACE => {
            take("resource", &ResourceHandle::read(input)?);
            take("template", &SurfaceTemplate::read(input)?);
            show::<Outcome<SurfaceHandle>>(input, take)?;
        }
        number::SURFACE_DESTROY => {
            take("surface", &SurfaceHandle::read(input)?);
            show::<Outcome<()>>(input, take)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Describes a call that shows a picture or accesses the bytes of a resource; returns false for other calls.
fn of_pictures(
    call: u64,
    input: &mut Reader<'_, '_>,
    take: &mut Take<'_>,
) -> Result<bool, TraceError> {
    let mut picture = false;
    match call {
        number::FLUSH => {
            take("flags", &FlushFlags::read(input)?);
            show::<Outcome<Option<FenceHandle>>>(input, take)?;
            picture = true;
        }
        number::PRESENT | number::PRESENT_ROWS | number::PRESENT_TILE => {
            take("source", &PresentSource::read(input)?);
            match call {
                number::PRESENT_ROWS => {
                    let (start, end) = <(u32, u32)>::read(input)?;
                    take("rows", &(start..end));
                }
                number::PRESENT_TILE => {
                    take("index", &u32::read(input)?);
                    take("pixels", &Shown::Bytes(usize::read(input)?));
                }
                _ => {}
            }
            show::<Outcome<()>>(input, take)?;
            picture = true;
        }
        number::TRANSFER_MAP => {
            take("resource", &ResourceHandle::read(input)?);
            take("level", &u32::read(input)?);
            take("usage", &MapFlags::read(input)?);
            take("region", &Shown::Brief(&Region::read(input)?));
            show::<Outcome<TransferHandle>>(input, take)?;
            picture = true;
        }
        number::TRANSFER_WRITE => {
            take("transfer", &TransferHandle::read(input)?);
            take("data", &Shown::Bytes(input.bytes()?.len()));
        }
        number::TRANSFER_FLUSH_REGION => {
            take("transfer", &TransferHandle::read(input)?);
            take("region", &Shown::Brief(&Region::read(input)?));
            show::<Outcome<()>>(input, take)?;
        }
        number::TRANSFER_UNMAP => {
            take("transfer", &TransferHandle::read(input)?);
            show::<Outcome<()>>(input, take)?;
        }
        _ => return Ok(false),
    }
    if picture
        && !input.is_at_end()
        && let Some(digest) = Option::<u64>::read(input)?
    {
        take("picture", &super::PictureDigest(digest));
    }
    Ok(true)
}

/// Reads a result and passes it to `take`.
fn show<A: Answer>(input: &mut Reader<'_, '_>, take: &mut Take<'_>) -> Result<(), TraceError> {
    A::show(input, &mut |result| take("result", result))
}
