//! Formats and texture targets that the driver supports, for each set of bindings.

use formats::Format;
use pipe_core::{Bind, PipeError, ResourceFlags, ResourceTemplate, TextureTarget};

use crate::depth;
use crate::features::{
    ALL_FORMATS, BUFFER_SURFACES, DESKTOP, ES2, FRAGMENTS, PALETTES, RGB565_ALONE, SHADER_MEMORY,
    STAGES, STATE_CHECKS, TEXTURES, TWO_FORMATS, Z16_ALONE,
};
use crate::lanes::UnormLayout;
use crate::report::Features;
use crate::resource::index_bits;
use crate::setup::has_sample_count;
use crate::span::can_draw_to as spans_draw_to;

/// Returns true if resources can have this target.
pub(super) fn has_target(target: TextureTarget) -> bool {
    use TextureTarget::*;
    ES2 || matches!(target, Buffer | Texture2D | Rect)
}

/// The bindings that draw, sample or show colours.
const COLOR: Bind = Bind::RENDER_TARGET
    .union(Bind::BLENDABLE)
    .union(Bind::SAMPLER_VIEW)
    .union(Bind::DISPLAY_TARGET)
    .union(Bind::SCANOUT);

/// The bindings of images that programs load from and store to.
const IMAGE: Bind = Bind::SHADER_IMAGE.union(Bind::COMPUTE_RESOURCE);

/// The image bindings that this build supports.
const MEMORY: Bind = match SHADER_MEMORY {
    true if DESKTOP => IMAGE,
    true => Bind::SHADER_IMAGE,
    false => Bind::empty(),
};

/// The bindings of buffers that are drawn to.
const BUFFER_TARGET: Bind = Bind::RENDER_TARGET.union(Bind::BLENDABLE);

/// The bindings of buffers.
const BUFFER: Bind = Bind::VERTEX_BUFFER
    .union(Bind::INDEX_BUFFER)
    .union(Bind::CONSTANT_BUFFER)
    .union(Bind::COMMAND_ARGS_BUFFER)
    .union(if STAGES { Bind::STREAM_OUTPUT } else { Bind::empty() })
    .union(if ES2 { Bind::SAMPLER_VIEW } else { Bind::empty() })
    .union(if SHADER_MEMORY { Bind::SHADER_BUFFER } else { Bind::empty() })
    .union(if DESKTOP { Bind::GLOBAL } else { Bind::empty() })
    .union(if ES2 { Bind::QUERY_BUFFER } else { Bind::empty() })
    .union(if BUFFER_SURFACES { BUFFER_TARGET } else { Bind::empty() })
    .union(MEMORY)
    .union(HINTS);

/// The bindings of textures.
const TEXTURE: Bind = COLOR.union(Bind::DEPTH_STENCIL).union(MEMORY).union(HINTS);

/// Bindings that change nothing in this driver.
const HINTS: Bind = Bind::CUSTOM.union(Bind::STAGING).union(Bind::SHARED).union(Bind::LINEAR);

/// Returns true if resources of a target can have all these bindings at once, in some format.
pub(super) fn has_bindings(target: TextureTarget, bind: Bind) -> bool {
    if target == TextureTarget::Buffer { BUFFER.contains(bind) } else { TEXTURE.contains(bind) }
}

/// Returns true if a resource of the target can hold texels of the format. Depth needs 1D or 2D
/// textures; blocks of several texels need textures with several rows.
fn fits_target(format: Format, target: TextureTarget) -> bool {
    use TextureTarget::{Buffer, Texture1D, Texture1DArray, Texture3D};
    let block = format.block();
    if format.is_depth_or_stencil() {
        !matches!(target, Buffer | Texture3D)
    } else if (block.width, block.height) != (1, 1) {
        !matches!(target, Buffer | Texture1D | Texture1DArray)
    } else {
        true
    }
}

/// Returns true if a resource of the target can have `samples` samples (more than one) per texel of
/// the format. The format must be drawable and the target 2D. Displays show resolved pixels of up
/// to 8 samples.
pub(super) fn fits_samples(format: Format, target: TextureTarget, samples: u8, bind: Bind) -> bool {
    has_sample_count(samples.into())
        && matches!(target, TextureTarget::Texture2D | TextureTarget::Texture2DArray)
        && format.is_texel()
        && (samples <= 8 || !bind.intersects(Bind::DISPLAY_TARGET | Bind::SCANOUT))
}

/// Returns true if framebuffers without attachments can have `samples` samples. A query for
/// `Format::None` asks this.
pub(super) fn draws_without_attachments(target: TextureTarget, samples: u8, bind: Bind) -> bool {
    target == TextureTarget::Texture2D
        && bind == Bind::RENDER_TARGET
        && (samples == 1 || has_sample_count(samples.into()))
}

/// Returns true if the texels of a resource are indices into a palette.
pub(super) fn is_palette(template: &ResourceTemplate) -> bool {
    PALETTES && template.flags.contains(ResourceFlags::PALETTE)
}

/// Checks the template of a resource with a palette.
///
/// # Errors
/// A target, format, binding, number of levels or samples that palettes do not have.
pub(super) fn check_palette(template: &ResourceTemplate) -> Result<(), PipeError> {
    let sampled = Bind::SAMPLER_VIEW.union(HINTS).contains(template.bind);
    let plain = template.target == TextureTarget::Texture2D
        && template.last_level == 0
        && template.samples() == 1
        && !template.is_streamed();
    if sampled && plain && index_bits(template).is_some() {
        return Ok(());
    }
    Err(PipeError::Unsupported(
        "a palette on other than a sampled 2D texture of one level in L1, L2, L4 or L8_UNORM",
    ))
}

/// Returns true if colours of the format can be drawn and sampled.
fn has_color(format: Format) -> bool {
    match RGB565_ALONE {
        true => spans_draw_to(format),
        false => ALL_FORMATS || UnormLayout::of(format).is_some(),
    }
}

/// Returns true if colours of the format can be drawn, by fragment programs or by spans.
fn has_target_color(format: Format) -> bool {
    FRAGMENTS || spans_draw_to(format)
}

/// Returns the features among `es2`, `all-formats` and `shader-memory` that a resource needs.
pub(super) fn needs(template: &ResourceTemplate) -> Features {
    use TextureTarget::{Buffer, Rect, Texture2D};
    let ResourceTemplate { target, format, bind, .. } = *template;
    let depth = format.is_depth_or_stencil();
    let sampled = bind.contains(Bind::SAMPLER_VIEW);
    let read = target == Buffer && (sampled || bind.contains(Bind::QUERY_BUFFER));
    let shape = !matches!(target, Buffer | Texture2D | Rect);
    // Depth texels can be loaded with `all-formats` alone.
    let texels = match depth {
        true => sampled,
        false => bind.intersects(COLOR) && UnormLayout::of(format).is_none(),
    };
    let mut needs = Features::empty();
    needs.set(Features::ES2, shape || read || depth && !depth::is_integer(format));
    needs.set(Features::ALL_FORMATS, texels);
    needs.set(Features::SHADER_MEMORY, bind.intersects(IMAGE | Bind::SHADER_BUFFER));
    needs
}

/// Returns true if resources of a format and target can have all these bindings at once.
pub(super) fn is_supported(format: Format, target: TextureTarget, bind: Bind) -> bool {
    if format == Format::None || (STATE_CHECKS && !has_bindings(target, bind)) {
        return false;
    }
    if !TEXTURES && bind.contains(Bind::SAMPLER_VIEW) {
        return false;
    }
    if Z16_ALONE {
        return is_supported_alone(format, target, bind);
    }
    if ES2 && !fits_target(format, target) {
        return false;
    }
    if format.is_depth_or_stencil() {
        // Without `all-formats`, depth texels cannot be loaded.
        let sampled = bind.contains(Bind::SAMPLER_VIEW);
        if !depth::is_supported(format) || (!ALL_FORMATS && sampled) {
            return false;
        }
    } else if bind.intersects(COLOR) && !has_color(format) {
        return false;
    }
    let texel = format.is_texel() && !format.is_depth_or_stencil();
    let color = texel && format.block_bytes() <= 16;
    let drawn = color && has_target_color(format);
    if bind.intersects(Bind::RENDER_TARGET | Bind::BLENDABLE) && !drawn {
        return false;
    }
    // The depth buffer of a streamed surface is streamed too.
    let depth = bind.contains(Bind::DEPTH_STENCIL) && format.is_depth_or_stencil();
    if bind.intersects(Bind::DISPLAY_TARGET | Bind::SCANOUT) && !color && !depth {
        return false;
    }
    if bind.contains(Bind::BLENDABLE) && format.is_pure_integer() {
        return false;
    }
    if bind.contains(Bind::DEPTH_STENCIL) && !format.is_depth_or_stencil() {
        return false;
    }
    if bind.contains(Bind::SAMPLER_VIEW) && !format.can_unpack() {
        return false;
    }
    if bind.contains(Bind::VERTEX_BUFFER) && !(texel && draw::is_attribute(format)) {
        return false;
    }
    !bind.intersects(IMAGE) || (color && is_image(format))
}

/// Returns the result of [`is_supported`] for builds with one colour and one depth format.
fn is_supported_alone(format: Format, target: TextureTarget, bind: Bind) -> bool {
    let (color, depth) = (format == Format::B5G6R5Unorm, format == Format::Z16Unorm);
    let shown = color || depth && bind.contains(Bind::DEPTH_STENCIL);
    (color || !bind.intersects(Bind::RENDER_TARGET | Bind::BLENDABLE))
        && (shown || !bind.intersects(Bind::DISPLAY_TARGET | Bind::SCANOUT))
        && (depth || !bind.contains(Bind::DEPTH_STENCIL))
        && (color || depth || !bind.contains(Bind::SAMPLER_VIEW))
        && (!bind.contains(Bind::VERTEX_BUFFER) || draw::is_attribute(format))
        && (color || depth || !TWO_FORMATS || target == TextureTarget::Buffer)
}

/// Returns true if images have the format: linear channels, texels of 1, 2, 4, 8 or 16 bytes.
fn is_image(format: Format) -> bool {
    SHADER_MEMORY
        && format.can_unpack()
        && !format.is_srgb()
        && format.block_bytes().is_power_of_two()
}
