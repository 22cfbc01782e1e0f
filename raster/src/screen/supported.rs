//! Formats and texture targets that the driver draws to and samples, by what is bound.

use formats::Format;
use pipe_core::{Bind, TextureTarget};

use crate::depth;
use crate::features::{ALL_FORMATS, FRAGMENTS, TEXTURE_TARGETS};
use crate::lanes::UnormLayout;
#[cfg(spans)]
use crate::span::can_draw_to as spans_draw_to;

/// Returns whether textures can have this target.
pub(super) fn has_target(target: TextureTarget) -> bool {
    use TextureTarget::*;
    TEXTURE_TARGETS || matches!(target, Buffer | Texture2D | Rect)
}

/// The uses that need a colour drawn or sampled.
const COLOR: Bind = Bind::RENDER_TARGET
    .union(Bind::BLENDABLE)
    .union(Bind::SAMPLER_VIEW)
    .union(Bind::DISPLAY_TARGET)
    .union(Bind::SCANOUT);

/// Returns whether colours of the format can be drawn and sampled.
fn has_color(format: Format) -> bool {
    ALL_FORMATS || UnormLayout::of(format).is_some()
}

/// Returns whether colours of the format can be drawn, by fragment programs or by spans.
fn has_target_color(format: Format) -> bool {
    FRAGMENTS || spans_draw_to(format)
}

/// Always false without spans.
#[cfg(not(spans))]
fn spans_draw_to(_: Format) -> bool {
    false
}

/// Returns whether resources of a format can be bound in all these ways.
pub(super) fn is_supported(format: Format, bind: Bind) -> bool {
    if format == Format::None {
        return false;
    }
    if format.is_depth_or_stencil() {
        if !depth::is_supported(format) {
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
    // The depth buffer of a streamed surface is streamed with it.
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
    !bind.intersects(Bind::SHADER_IMAGE)
}
