//! Depth and stencil: formats, functions and operations.

use formats::Format;
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, Screen, StencilOp, StencilState, TextureTarget,
};

use super::Group;
use super::setup::Setup;

/// Returns a draw that passes a depth test and writes depth.
fn tested() -> Setup {
    Setup {
        depth: Some(Format::Z24UnormS8Uint),
        tests: DepthStencilAlphaState::depth(CompareFunc::LessEqual),
        ..Setup::default()
    }
}

/// Returns the groups for depth, stencil and alpha tests.
pub(super) fn groups(screen: &dyn Screen<'_>) -> Vec<Group> {
    let mut depth = Group::new("depth", tested());
    for &format in Format::ALL.iter().filter(|format| format.has_depth()) {
        if screen.is_format_supported(format, TextureTarget::Texture2D, 0, 0, Bind::DEPTH_STENCIL) {
            depth.vary(format!("{format:?}"), |setup| setup.depth = Some(format));
        }
    }
    for func in CompareFunc::ALL {
        depth.vary(format!("{func:?}"), |setup| setup.tests.depth_func = *func);
    }
    depth.vary("read only", |setup| setup.tests.depth_writemask = false);
    depth.vary("bounds", |setup| {
        setup.tests.depth_bounds_test = true;
        setup.tests.depth_bounds_max = 1.0;
    });
    vec![depth, stencil(), alpha()]
}

/// Returns the group of stencil functions and operations; the baseline has only a depth test.
fn stencil() -> Group {
    let enabled = StencilState { enabled: true, ..StencilState::default() };
    let mut group = Group::new("stencil", tested());
    for func in CompareFunc::ALL {
        group.vary(format!("{func:?}"), |setup| {
            setup.tests.stencil[0] = StencilState { func: *func, ..enabled };
        });
    }
    for op in StencilOp::ALL {
        group.vary(format!("pass {op:?}"), |setup| {
            setup.tests.stencil[0] = StencilState { zpass_op: *op, ..enabled };
        });
    }
    group.vary("two sides", |setup| {
        let state = StencilState { zpass_op: StencilOp::Incr, ..enabled };
        setup.tests.stencil = [state, StencilState { zpass_op: StencilOp::Decr, ..state }];
    });
    group.vary("write mask", |setup| {
        setup.tests.stencil[0] =
            StencilState { zpass_op: StencilOp::Invert, writemask: 0x0f, ..enabled };
    });
    group
}

/// Returns the group of alpha tests; the baseline has none.
fn alpha() -> Group {
    let mut group = Group::new("alpha test", Setup::default());
    for func in CompareFunc::ALL {
        group.vary(format!("{func:?}"), |setup| {
            setup.tests.alpha_enabled = true;
            setup.tests.alpha_func = *func;
            setup.tests.alpha_ref_value = 0.3;
        });
    }
    group
}
