//! The generic kernel with and without the general path: equal pictures with it, errors without it.

#[macro_use]
#[path = "it/common.rs"]
mod common;

use common::*;
use formats::Format;
use gallium_raster::{Host, Small, Tiny};
use os_shim::Os;
use pipe_core::state::{BlendFactor, BlendState, LogicOp, RenderTargetBlendState};
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, FlushFlags, PipeError, PrimType, ResourceTemplate,
    SamplerState, SamplerViewTemplate, ShaderType, TexFilter, TexWrap,
};

const WIDTH: u32 = 16;
const HEIGHT: u32 = 4;

/// True if the general path draws everything that the kernel does not.
const ALL: bool = cfg!(feature = "fragments");

in_all_profiles! {
    ramps_have_the_values_of_their_pixels
    bilinear_means_are_drawn_or_refused
    blend_factors_are_drawn_or_refused
    what_is_refused_says_so
}

fn options() -> Options {
    let (format, depth) = (Format::L8Unorm, Some(Format::Z16Unorm));
    Options { width: WIDTH, height: HEIGHT, format, depth, ..Options::default() }
}

/// Returns a quad over the whole target at depth `z`, its red from `left` to `right`.
fn quad(z: f32, left: f32, right: f32, alpha: f32) -> [Vertex; 6] {
    let corner = |x: f32, y: f32| {
        let red = if x < 0.0 { left } else { right };
        vertex(x, y, z, [red, 0.0, 0.0, alpha])
    };
    let [a, b] = [corner(-1.0, -1.0), corner(1.0, -1.0)];
    let [c, d] = [corner(-1.0, 1.0), corner(1.0, 1.0)];
    [a, b, c, c, b, d]
}

fn ramps_have_the_values_of_their_pixels<P: gallium_raster::Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options()).unwrap();
    setup.depth_test(&DepthStencilAlphaState::depth(CompareFunc::Less)).unwrap();
    setup.clear([0.0; 4], 1.0).unwrap();
    setup.upload(&screen, &quad(0.0, 0.0, 1.0, 1.0)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    // Behind it.
    setup.upload(&screen, &quad(0.5, 1.0, 1.0, 1.0)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let row: Vec<u8> = (0..16).map(|x| ((x as f64 + 0.5) / 16.0 * 255.0).round() as u8).collect();
    assert_eq!(setup.pixels().unwrap(), row.repeat(HEIGHT as usize));

    // A quarter of white over it.
    let over = RenderTargetBlendState {
        blend_enable: true,
        rgb_src_factor: BlendFactor::SrcAlpha,
        rgb_dst_factor: BlendFactor::InvSrcAlpha,
        alpha_src_factor: BlendFactor::One,
        alpha_dst_factor: BlendFactor::Zero,
        ..RenderTargetBlendState::default()
    };
    setup.blend(&BlendState::uniform(over)).unwrap();
    setup.upload(&screen, &quad(-0.5, 1.0, 1.0, 0.25)).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    let blended = setup.pixels().unwrap();
    for (was, is) in row.repeat(HEIGHT as usize).into_iter().zip(blended) {
        let exact = 255.0 * 0.25 + f64::from(was) * 0.75;
        assert!((f64::from(is) - exact).abs() <= 0.5, "{was}: {is}, {exact}");
    }
}

/// Looks up the place between a black column and a nearly white one, all over the target.
fn bilinear_means_are_drawn_or_refused<P: gallium_raster::Profile>() {
    use TexFilter::{Linear, Nearest};
    const BILINEAR: bool = ALL || cfg!(feature = "spans-bilinear");
    for (min, mag, wrap, drawn) in [
        (Nearest, Nearest, TexWrap::Clamp, Some(254)),
        (Linear, Linear, TexWrap::Repeat, BILINEAR.then_some(127)),
        // The first shows half the border. The second depends on minification.
        (Linear, Linear, TexWrap::Clamp, ALL.then_some(127)),
        (Linear, Nearest, TexWrap::Repeat, ALL.then_some(254)),
    ] {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, options()).unwrap();
        setup.shaders(PASS, TEXEL).unwrap();
        let template = ResourceTemplate::texture_2d(Format::L8Unorm, 2, 1, Bind::SAMPLER_VIEW);
        let image = setup.image(&screen, &template, &[0, 254]).unwrap();
        let (min_img_filter, mag_img_filter) = (min, mag);
        let sampler = SamplerState { min_img_filter, mag_img_filter, wrap_s: wrap, ..nearest() };
        let view = SamplerViewTemplate::whole(&template);
        setup.texture(ShaderType::Fragment, image, &view, &sampler).unwrap();
        setup.clear([0.0; 4], 1.0).unwrap();
        setup.upload(&screen, &quad(0.0, 0.5, 0.5, 1.0)).unwrap();
        let result = setup.draw(PrimType::Triangles, 6);
        assert_eq!(result.is_ok(), drawn.is_some(), "{min:?} {mag:?} {wrap:?}");
        if let Some(grey) = drawn {
            let pixels = setup.pixels().unwrap();
            assert!(pixels.iter().all(|pixel| *pixel == grey), "{min:?} {mag:?} {wrap:?}");
        }
    }
}

/// Grey 0.25 with alpha 1 over grey 0.75; each factor takes its share of the two.
fn blend_factors_are_drawn_or_refused<P: gallium_raster::Profile>() {
    use BlendFactor as F;
    for source in F::ALL.iter().copied() {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = Setup::new(&screen, options()).unwrap();
        setup.clear([0.75; 4], 1.0).unwrap();
        let blend = RenderTargetBlendState {
            blend_enable: true,
            rgb_src_factor: source,
            rgb_dst_factor: F::Zero,
            ..RenderTargetBlendState::default()
        };
        setup.blend(&BlendState::uniform(blend)).unwrap();
        setup.upload(&screen, &quad(0.0, 0.25, 0.25, 1.0)).unwrap();
        // The target has no alpha, so it is 1. The blend colour is 0, and there is no second
        // colour.
        let (factor, drawn) = match source {
            F::One | F::SrcAlpha | F::DstAlpha | F::InvConstColor | F::InvConstAlpha => (1.0, true),
            F::Zero | F::InvSrcAlpha | F::InvDstAlpha | F::ConstColor | F::ConstAlpha => {
                (0.0, true)
            }
            F::SrcColor | F::InvDstColor => (0.25, true),
            F::InvSrcColor | F::DstColor => (0.75, true),
            F::SrcAlphaSaturate | F::Src1Color | F::Src1Alpha => (0.0, ALL),
            F::InvSrc1Color | F::InvSrc1Alpha => (1.0, ALL),
        };
        let result = setup.draw(PrimType::Triangles, 6);
        assert_eq!(result.is_ok(), drawn, "{source:?}");
        if drawn {
            let exact = 255.0 * 0.25 * factor;
            for pixel in setup.pixels().unwrap() {
                assert!((f64::from(pixel) - exact).abs() <= 1.0, "{source:?}: {pixel}, {exact}");
            }
        }
    }
}

fn what_is_refused_says_so<P: gallium_raster::Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, options()).unwrap();
    setup.clear([0.0; 4], 1.0).unwrap();
    let logic = BlendState {
        logicop_enable: true,
        logicop_func: LogicOp::Xor,
        ..BlendState::uniform(RenderTargetBlendState::default())
    };
    setup.blend(&logic).unwrap();
    setup.upload(&screen, &quad(0.0, 1.0, 1.0, 1.0)).unwrap();
    let drawn = setup.draw(PrimType::Triangles, 6);
    assert!(if ALL { drawn.is_ok() } else { matches!(drawn, Err(PipeError::Unsupported(_))) });
    // Values far from colours, or no numbers, and a 20-fold change of w fail no frame.
    setup.blend(&BlendState::uniform(RenderTargetBlendState::default())).unwrap();
    for red in [1e9, f32::NAN, 1.0] {
        setup.upload(&screen, &quad(0.0, 0.25, red, 1.0)).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        setup.context.flush(FlushFlags::END_OF_FRAME).expect("no frame fails over a shape");
    }
    for w in [20.0, 6.0] {
        let mut deep = quad(0.0, 0.25, 1.0, 1.0);
        for vertex in deep.iter_mut().filter(|vertex| vertex.position[0] > 0.0) {
            vertex.position = vertex.position.map(|number| number * w);
        }
        setup.upload(&screen, &deep).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        setup.context.flush(FlushFlags::END_OF_FRAME).expect("no frame fails over a shape");
        let near = (0..16).map(|x| (f64::from(x) + 0.5) / 16.0);
        // Weights 1 - t and t over w of 1 and `w`: OpenGL 4.6 §14.6.1.
        let over = |t: f64| t / f64::from(w);
        let red = near.map(|t| 0.25 + 0.75 * over(t) / (1.0 - t + over(t)));
        for (pixel, red) in setup.pixels().unwrap().iter().zip(red) {
            assert!((f64::from(*pixel) - red * 255.0).abs() <= 0.6, "{w}: {pixel} {red}");
        }
    }
    assert_eq!(setup.pixels().unwrap().len(), 64);
    // A format that the kernel cannot draw to is not a target.
    let made = Setup::new(&screen, Options { format: Format::R16G16B16A16Float, ..options() });
    assert_eq!(made.is_ok(), ALL && cfg!(feature = "all-formats"));
}
