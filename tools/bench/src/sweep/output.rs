//! Colour buffers: every renderable format, and the members of blending.

use formats::Format;
use pipe_core::{
    Bind, BlendFactor, BlendFunc, BlendState, ColorMask, LogicOp, RenderTargetBlendState, Screen,
    TextureTarget,
};

use super::Group;
use super::setup::Setup;

/// Returns a blend state with one equation.
fn blend(func: BlendFunc, source: BlendFactor, destination: BlendFactor) -> BlendState {
    BlendState::uniform(RenderTargetBlendState::uniform(func, source, destination))
}

/// A program with a second source for blending.
const TWO_SOURCES: &str = "FRAG
PROPERTY FS_COLOR0_WRITES_ALL_CBUFS 0
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL OUT[1], COLOR[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[0]
END";

/// Returns the groups for colour buffers.
pub(super) fn groups(screen: &dyn Screen<'_>) -> Vec<Group> {
    let alpha = BlendState::uniform(RenderTargetBlendState::alpha_blending());
    let blended = Setup { blend: alpha, ..Setup::default() };
    let mut targets = Group::new("target replaced", Setup::default());
    let mut blends = Group::new("target blended", blended.clone());
    for &format in Format::ALL {
        let supports =
            |bind| screen.is_format_supported(format, TextureTarget::Texture2D, 0, 0, bind);
        if supports(Bind::RENDER_TARGET) {
            targets.vary(format!("{format:?}"), |setup| setup.target = format);
        }
        if supports(Bind::RENDER_TARGET | Bind::BLENDABLE) {
            blends.vary(format!("{format:?}"), |setup| setup.target = format);
        }
    }
    vec![targets, blends, equations(blended), logic_ops(), masks()]
}

/// Returns the group of blend functions and factors.
fn equations(baseline: Setup) -> Group {
    let mut group = Group::new("blend", baseline);
    for func in BlendFunc::ALL {
        group.vary(format!("{func:?}"), |setup| {
            setup.blend = blend(*func, BlendFactor::SrcAlpha, BlendFactor::InvSrcAlpha);
        });
    }
    for factor in BlendFactor::ALL {
        let program = |setup: &mut Setup| {
            if factor.is_dual_source() {
                setup.fragment = TWO_SOURCES.into();
            }
        };
        group.vary(format!("source {factor:?}"), |setup| {
            program(setup);
            setup.blend = blend(BlendFunc::Add, *factor, BlendFactor::InvSrcAlpha);
        });
        if *factor != BlendFactor::SrcAlphaSaturate {
            group.vary(format!("destination {factor:?}"), |setup| {
                program(setup);
                setup.blend = blend(BlendFunc::Add, BlendFactor::SrcAlpha, *factor);
            });
        }
    }
    group
}

/// Returns the group of logic operations; the baseline replaces.
fn logic_ops() -> Group {
    let mut group = Group::new("logic op", Setup::default());
    for op in LogicOp::ALL {
        group.vary(format!("{op:?}"), |setup| {
            setup.blend.logicop_enable = true;
            setup.blend.logicop_func = *op;
        });
    }
    group
}

/// Returns the group of colour masks; the baseline writes all components.
fn masks() -> Group {
    let mut group = Group::new("colour mask", Setup::default());
    for mask in [ColorMask::R, ColorMask::A, ColorMask::RGB, ColorMask::G | ColorMask::A] {
        group.vary(format!("{mask:?}"), |setup| {
            for target in &mut setup.blend.rt {
                target.colormask = mask;
            }
        });
    }
    group
}
