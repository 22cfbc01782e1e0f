//! Formats and targets of resources, by their bindings.

use formats::Format;
use pipe_core::{Bind, TextureTarget};

use crate::setup::has_sample_count;

/// Bindings that are only hints: they do not change what this driver does.
const HINTS: Bind = Bind::CUSTOM.union(Bind::STAGING).union(Bind::SHARED).union(Bind::LINEAR);

/// The bindings of buffers.
pub(super) const BUFFER: Bind = Bind::VERTEX_BUFFER
    .union(Bind::INDEX_BUFFER)
    .union(Bind::CONSTANT_BUFFER)
    .union(Bind::COMMAND_ARGS_BUFFER)
    .union(Bind::STREAM_OUTPUT)
    .union(Bind::SAMPLER_VIEW)
    .union(MEMORY)
    .union(HINTS);

/// The bindings of memory that programs load from and store to.
const MEMORY: Bind = Bind::SHADER_BUFFER
    .union(Bind::SHADER_IMAGE)
    .union(Bind::COMPUTE_RESOURCE)
    .union(Bind::GLOBAL)
    .union(Bind::QUERY_BUFFER);

/// The bindings of textures.
const TEXTURE: Bind = Bind::RENDER_TARGET
    .union(Bind::BLENDABLE)
    .union(Bind::SAMPLER_VIEW)
    .union(Bind::DISPLAY_TARGET)
    .union(Bind::SCANOUT)
    .union(Bind::DEPTH_STENCIL)
    .union(Bind::SHADER_IMAGE)
    .union(Bind::COMPUTE_RESOURCE)
    .union(HINTS);

/// Returns true if texels of the format can have `samples` samples, more than one, in a resource of
/// the target.
pub(crate) fn fits_samples(format: Format, target: TextureTarget, samples: u8) -> bool {
    has_sample_count(samples)
        && matches!(target, TextureTarget::Texture2D | TextureTarget::Texture2DArray)
        && format.is_texel()
}

/// Returns true if resources of a format and target support all these bindings at once.
pub(crate) fn is_supported(format: Format, target: TextureTarget, bind: Bind) -> bool {
    use TextureTarget::{Buffer, Texture1D, Texture1DArray, Texture3D};
    let bindings = if target == Buffer { BUFFER } else { TEXTURE };
    if format == Format::None || !bindings.contains(bind) {
        return false;
    }
    let depth = format.is_depth_or_stencil();
    let block = format.block();
    let blocks = (block.width, block.height) != (1, 1);
    if depth && matches!(target, Buffer | Texture3D)
        || blocks && matches!(target, Buffer | Texture1D | Texture1DArray)
    {
        return false;
    }
    let texel = format.is_texel() && !depth;
    let color = texel && format.block_bytes() <= 16;
    let needs = |uses: Bind, has: bool| !bind.intersects(uses) || has;
    needs(Bind::RENDER_TARGET | Bind::BLENDABLE, color)
        && needs(Bind::BLENDABLE, !format.is_pure_integer())
        && needs(Bind::DEPTH_STENCIL, depth)
        && needs(Bind::SHADER_IMAGE | Bind::COMPUTE_RESOURCE, color && !format.is_srgb())
        && needs(
            Bind::DISPLAY_TARGET | Bind::SCANOUT,
            color || (depth && bind.contains(Bind::DEPTH_STENCIL)),
        )
        && needs(Bind::SAMPLER_VIEW, format.can_unpack())
        && needs(Bind::VERTEX_BUFFER, texel && draw::is_attribute(format))
}
