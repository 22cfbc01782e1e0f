//! The blend equation (manual, chapter CSO, "Blend"), in `f64`.

use pipe_core::{BlendFactor, BlendFunc, RenderTargetBlendState};

/// The colours that an equation combines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    pub(super) source: [f64; 4],
    pub(super) second: [f64; 4],
    pub(super) destination: [f64; 4],
    pub(super) constant: [f64; 4],
}

/// Returns the blended colour.
pub(super) fn blend(state: &RenderTargetBlendState, operands: &Operands) -> [f64; 4] {
    core::array::from_fn(|component| {
        let (func, src, dst) = if component == 3 {
            (state.alpha_func, state.alpha_src_factor, state.alpha_dst_factor)
        } else {
            (state.rgb_func, state.rgb_src_factor, state.rgb_dst_factor)
        };
        let (s, d) = (operands.source[component], operands.destination[component]);
        let weighted_s = || s * factor(src, operands, component);
        let weighted_d = || d * factor(dst, operands, component);
        match func {
            BlendFunc::Add => weighted_s() + weighted_d(),
            BlendFunc::Subtract => weighted_s() - weighted_d(),
            BlendFunc::ReverseSubtract => weighted_d() - weighted_s(),
            BlendFunc::Min => s.min(d),
            BlendFunc::Max => s.max(d),
        }
    })
}

/// Returns a factor for one component.
fn factor(factor: BlendFactor, operands: &Operands, component: usize) -> f64 {
    let Operands { source, second, destination, constant } = operands;
    match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SrcColor => source[component],
        BlendFactor::InvSrcColor => 1.0 - source[component],
        BlendFactor::SrcAlpha => source[3],
        BlendFactor::InvSrcAlpha => 1.0 - source[3],
        BlendFactor::DstColor => destination[component],
        BlendFactor::InvDstColor => 1.0 - destination[component],
        BlendFactor::DstAlpha => destination[3],
        BlendFactor::InvDstAlpha => 1.0 - destination[3],
        BlendFactor::ConstColor => constant[component],
        BlendFactor::InvConstColor => 1.0 - constant[component],
        BlendFactor::ConstAlpha => constant[3],
        BlendFactor::InvConstAlpha => 1.0 - constant[3],
        BlendFactor::Src1Color => second[component],
        BlendFactor::InvSrc1Color => 1.0 - second[component],
        BlendFactor::Src1Alpha => second[3],
        BlendFactor::InvSrc1Alpha => 1.0 - second[3],
        BlendFactor::SrcAlphaSaturate if component == 3 => 1.0,
        BlendFactor::SrcAlphaSaturate => source[3].min(1.0 - destination[3]),
    }
}
