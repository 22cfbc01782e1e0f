//! Converts colours to texels: blending or a logic operation, conversion, the colour mask.

use formats::{ChannelKind, ColorSpace, Format};
use pipe_core::{BlendColor, BlendState, ColorMask, LogicOp};

use super::blend::{Operands, blend};
use crate::target::Texel;

/// The state of one colour buffer's output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColorOutput<'a> {
    pub(crate) blend: &'a BlendState,
    pub(crate) constant: &'a BlendColor,
    /// Number of the colour buffer.
    pub(crate) index: usize,
    pub(crate) format: Format,
}

impl ColorOutput<'_> {
    /// Returns the texel that replaces `old`. Colours are bits of `f32`, or integers for
    /// pure-integer formats. `second` is the second colour of dual-source blending.
    pub(crate) fn combine(
        &self,
        mut color: [u32; 4],
        mut second: Option<[u32; 4]>,
        old: &Texel,
    ) -> Texel {
        let target = self.blend.target(self.index);
        let integer = self.format.is_pure_integer();
        if self.blend.alpha_to_one && !integer {
            // Applies to both colours (piglit's `alpha-to-one-dual-src-blend`).
            for color in [Some(&mut color), second.as_mut()].into_iter().flatten() {
                color[3] = 1.0f32.to_bits();
            }
        }
        if self.blend.logicop_enable {
            // Float and sRGB buffers have no logic operations (OpenGL 4.6, section 17.3.9), and do
            // not blend either.
            let func = if has_logic(self.format) { self.blend.logicop_func } else { LogicOp::Copy };
            let mut new = [0; _];
            self.format.store_rgba_bits(color, &mut new);
            for (new, old) in new.iter_mut().zip(old) {
                *new = func.apply((*new).into(), (*old).into()) as u8;
            }
            return masked(self.format, &new, target.colormask, old);
        }
        if target.blend_enable && !integer {
            let result = blend(target, &self.operands(color, second, old));
            color = result.map(|component| (component as f32).to_bits());
        }
        store_color(self.format, color, target.colormask, old)
    }

    /// Returns the operands of blending. The fragment's colours are clamped to the range of a
    /// normalised format (OpenGL 4.6, section 17.3.6).
    fn operands(&self, color: [u32; 4], second: Option<[u32; 4]>, old: &Texel) -> Operands {
        let least = least(self.format);
        let clamped = |component: f32| match least {
            Some(least) if component.is_nan() => least.max(0.0),
            Some(least) => f64::from(component).clamp(least, 1.0),
            None => component.into(),
        };
        let fragment = |color: [u32; 4]| color.map(|bits| clamped(f32::from_bits(bits)));
        Operands {
            source: fragment(color),
            second: fragment(second.unwrap_or_default()),
            destination: self.format.fetch_rgba_f32(old).map(f64::from),
            constant: self.constant.color.map(clamped),
        }
    }
}

/// Returns the least value of a normalised format, -1 or 0; `None` for other formats.
fn least(format: Format) -> Option<f64> {
    let desc = format.desc();
    let normalized = desc.channels.iter().find(|channel| channel.normalized)?;
    Some(if normalized.kind == ChannelKind::Signed { -1.0 } else { 0.0 })
}

/// Returns true if logic operations apply to the format.
fn has_logic(format: Format) -> bool {
    let desc = format.desc();
    let float = desc.channels.iter().any(|channel| channel.kind == ChannelKind::Float);
    !float && desc.colorspace != ColorSpace::Srgb
}

/// Converts a colour to a texel. Channels outside of `mask` keep the bits of `old`.
pub(crate) fn store_color(format: Format, color: [u32; 4], mask: ColorMask, old: &Texel) -> Texel {
    let mut new = [0; _];
    format.store_rgba_bits(color, &mut new);
    masked(format, &new, mask, old)
}

/// Returns `new`, with the channels outside of `mask` taken from `old`. A channel belongs to the
/// component that is written to it: luminance to red.
fn masked(format: Format, new: &Texel, mask: ColorMask, old: &Texel) -> Texel {
    let desc = format.desc();
    let mut result = *new;
    let mut written = [false; 4];
    for (component, swizzle) in desc.swizzle.iter().enumerate() {
        let Some(index) = swizzle.channel() else { continue };
        let Some(written) = written.get_mut(index) else { continue };
        let first = !core::mem::replace(written, true);
        if first && mask.bits() >> component & 1 == 0 {
            let channel = desc.channels[index];
            let start = usize::from(channel.shift);
            for bit in start..start + usize::from(channel.bits) {
                let (byte, bit) = (bit / 8, 1 << (bit % 8));
                result[byte] = result[byte] & !bit | old[byte] & bit;
            }
        }
    }
    result
}
