//! Encodings of arguments that are not defined next to their types.

use crate::blit::{BlitInfo, BlitMask, BlitSurface};
use crate::context::{ConstantBuffer, PresentSource};
use crate::draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexBuffer, IndexSource};
use crate::flags::{BarrierFlags, ClearFlags, ContextFlags, FlushFlags, TextureBarrierFlags};
use crate::resource::{Bind, ResourceFlags, ResourceTemplate};
use crate::shader::{ComputeState, GridInfo, ShaderSource, StreamOutput};
use crate::state::{BlendState, ColorMask, VertexBuffer};
use crate::surface::{
    ImageAccess, ImageRange, ImageView, SamplerViewRange, SamplerViewTemplate, ShaderBuffer,
    SurfaceRange, SurfaceTemplate,
};
use crate::transfer::MapFlags;
use crate::wire::{Reader, TraceError, Wire, Writer, wire, wire_enum, wire_flags};

wire_flags!(
    BarrierFlags,
    Bind,
    BlitMask,
    ClearFlags,
    ColorMask,
    ContextFlags,
    FlushFlags,
    ImageAccess,
    MapFlags,
    ResourceFlags,
    TextureBarrierFlags,
);

wire!(BlendState {
    independent_blend_enable,
    logicop_enable,
    logicop_func,
    dither,
    alpha_to_coverage,
    alpha_to_coverage_dither,
    alpha_to_one,
    max_rt,
    rt,
});
wire!(BlitSurface { resource, level, region, format });
wire!(BlitInfo {
    dst,
    src,
    mask,
    filter,
    scissor,
    window_rectangles,
    render_condition_enable,
    alpha_blend,
    sample0_only,
});
wire!(DrawInfo<'_> {
    mode,
    index,
    start_instance,
    instance_count,
    min_index,
    max_index,
    index_bounds_valid,
    primitive_restart,
    restart_index,
    drawid_offset,
    increment_draw_id,
    view_mask,
});
wire!(DrawStartCount { start, count, index_bias });
wire!(GridInfo<'_> {
    pc,
    input,
    work_dim,
    block,
    last_block,
    grid,
    grid_base,
    variable_shared_mem,
    indirect,
});
wire!(ImageView { resource, format, access, range });
wire!(IndexBuffer<'_> { source, size });
wire!(ResourceTemplate {
    target,
    format,
    width0,
    height0,
    depth0,
    array_size,
    last_level,
    nr_samples,
    nr_storage_samples,
    usage,
    bind,
    flags,
});
wire!(SamplerViewTemplate { format, target, swizzle, range });
wire!(ShaderBuffer { resource, buffer_offset, buffer_size });
wire!(StreamOutput {
    register_index,
    start_component,
    num_components,
    output_buffer,
    dst_offset,
    stream,
});
wire!(SurfaceTemplate { format, nr_samples, range });
wire!(VertexBuffer { resource, stride, buffer_offset });

wire_enum!(ConstantBuffer<'_> {
    0 = Resource { resource, buffer_offset, buffer_size },
    1 = User(bytes),
});
wire_enum!(DrawIndirect {
    0 = Buffer { buffer, offset, stride, draw_count, indirect_draw_count },
    1 = StreamOutput(target),
});
wire_enum!(ImageRange {
    0 = Texture { level, first_layer, last_layer, single_layer_view },
    1 = Buffer { offset, size },
});
wire_enum!(IndexSource<'_> { 0 = Resource(resource), 1 = User(bytes) });
wire_enum!(PresentSource { 0 = Resource(resource), 1 = Surface(surface) });
wire_enum!(SamplerViewRange {
    0 = Texture { first_level, last_level, first_layer, last_layer },
    1 = Buffer { offset, size },
});
wire_enum!(SurfaceRange {
    0 = Texture { level, first_layer, last_layer },
    1 = Buffer { first_element, last_element },
});

/// Forms of a shader's code: text, tokens, a program without text, a program with the name of its text.
pub(super) const TEXT: u64 = 0;
const TOKENS: u64 = 1;
const UNNAMED: u64 = 2;
pub(super) const NAMED: u64 = 3;

/// The code of a shader in a trace; tokens are little-endian words.
#[derive(Clone, Copy)]
pub(super) enum Code<'a> {
    Text(&'a str),
    Tokens(&'a [u8]),
}

impl<'a> Code<'a> {
    pub(super) fn read(input: &mut Reader<'a, '_>) -> Result<Self, TraceError> {
        match input.number()? {
            TEXT => Ok(Self::Text(Wire::read(input)?)),
            TOKENS => Ok(Self::Tokens(input.bytes()?)),
            UNNAMED => Err(TraceError::CompiledShader),
            NAMED => Err(TraceError::Program(input.number()?)),
            _ => Err(TraceError::Value("shader")),
        }
    }
}

/// Writes the code of a shader. For a compiled shader without its text, writes the text's name, or
/// only that there was one.
pub(super) fn write_code(source: &ShaderSource<'_, '_>, out: &mut Writer<'_>) {
    let kept = match source {
        ShaderSource::Program(program) => program.source.get().map(ShaderSource::Text),
        _ => None,
    };
    match kept.as_ref().unwrap_or(source) {
        ShaderSource::Text(text) => {
            out.number(TEXT);
            text.write(out);
        }
        ShaderSource::Tokens(tokens) => {
            out.number(TOKENS);
            out.number(size_of_val(*tokens) as u64);
            for token in *tokens {
                out.raw(&token.to_le_bytes());
            }
        }
        ShaderSource::Program(program) => match program.source.name() {
            Some(name) => {
                out.number(NAMED);
                out.number(name);
            }
            None => out.number(UNNAMED),
        },
    }
}

/// Writes a compute program.
pub(super) fn write_compute(state: &ComputeState<'_, '_>, out: &mut Writer<'_>) {
    let ComputeState { source, static_shared_mem, req_private_mem, req_input_mem } = state;
    [*static_shared_mem, *req_private_mem, *req_input_mem].write(out);
    write_code(source, out);
}

/// Appends a list.
pub(super) fn write_list<'a, T: Wire<'a>>(items: &[T], out: &mut Writer<'_>) {
    out.number(items.len() as u64);
    for item in items {
        item.write(out);
    }
}
