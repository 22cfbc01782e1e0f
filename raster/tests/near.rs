//! Shapes near the camera, in builds with and without the general path: no frame fails over them,
//! and every pixel shows what a ray from the eye hits.
//!
//! Run it with the features of each kind of firmware: xtask/src/test/mod.rs lists them.

#[macro_use]
#[path = "it/common.rs"]
mod common;
#[path = "it/exact.rs"]
mod exact;
#[path = "it/kernel_planes.rs"]
mod kernel_planes;

use common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, BlendFactor, BlendState, CompareFunc, DepthStencilAlphaState, PipeError, PrimType,
    RenderTargetBlendState, ResourceTemplate, SamplerState, SamplerViewTemplate, Screen as _,
    ShaderType, TexFilter, ViewportState,
};

in_all_profiles! {
    a_textured_ground_is_what_rays_hit
    a_filtered_ground_is_what_rays_hit
    coordinates_far_from_zero_show_their_texels
    textures_of_odd_sizes_and_addresses_repeat
    great_constants_are_clamped_after_they_are_multiplied
    linear_and_perspective_inputs_keep_their_modes
    a_quad_far_beyond_the_screen_shows_its_texels
    neighbours_leave_no_gap_and_paint_no_pixel_twice
}

/// True if the general path draws everything that the kernels do not.
const ALL: bool = cfg!(feature = "fragments");

const WIDTH: u32 = 72;
const HEIGHT: u32 = 48;

/// The texture's sides, in texels.
const SIDE: i64 = 8;

/// The plane reaches this far from the eye, in units.
const REACH: f64 = 20.0;

/// Units per repetition of the texture.
const UNITS: f64 = 4.0;

/// The camera: at the origin, one unit above the ground, looking down by a third of a right angle.
#[derive(Clone, Copy)]
struct Camera {
    near: f64,
}

impl Camera {
    const FAR: f64 = 100.0;

    /// Returns the sine and cosine of the angle to the horizon.
    fn pitch() -> (f64, f64) {
        (std::f64::consts::PI / 6.0).sin_cos()
    }

    /// Returns the place in clip space of a point on the ground.
    fn project(self, [x, z]: [f64; 2]) -> [f32; 4] {
        let (sin, cos) = Camera::pitch();
        let (y, z) = (-cos - z * sin, z * cos - sin);
        let (near, far) = (self.near, Camera::FAR);
        let depth = (far + near) / (near - far) * z + 2.0 * far * near / (near - far);
        let aspect = f64::from(WIDTH) / f64::from(HEIGHT);
        [x / aspect, y, depth, -z].map(|number| number as f32)
    }

    /// Returns the point of the ground in a direction, from a place in the picture in pixels;
    /// `None` if the ray hits no part that is drawn.
    fn hit(self, x: f64, y: f64) -> Option<[f64; 2]> {
        let aspect = f64::from(WIDTH) / f64::from(HEIGHT);
        let right = (2.0 * x / f64::from(WIDTH) - 1.0) * aspect;
        let up = 1.0 - 2.0 * y / f64::from(HEIGHT);
        // The direction (right, up, -1), turned down.
        let (sin, cos) = Camera::pitch();
        let (rises, ahead) = (up * cos - sin, -cos - up * sin);
        let distance = -1.0 / rises;
        let at = [right * distance, ahead * distance];
        let drawn = rises < 0.0
            && (self.near..Camera::FAR).contains(&distance)
            && at.iter().all(|place| place.abs() < REACH);
        drawn.then_some(at)
    }
}

/// Returns the ground as triangles, in so many cells along each side.
fn ground(camera: Camera, cells: u32) -> Vec<Vertex> {
    let place = |cell: u32| 2.0 * REACH * f64::from(cell) / f64::from(cells) - REACH;
    let corner = |x: u32, z: u32| {
        let at = [place(x), place(z)];
        let [s, t] = at.map(|place| (place / UNITS) as f32);
        Vertex { position: camera.project(at), color: [s, t, 0.0, 1.0] }
    };
    let mut vertices = Vec::new();
    for x in 0..cells {
        for z in 0..cells {
            let [a, b] = [corner(x, z), corner(x + 1, z)];
            let [c, d] = [corner(x, z + 1), corner(x + 1, z + 1)];
            vertices.extend([a, b, c, c, b, d]);
        }
    }
    vertices
}

/// The target and texture of a kind of kernel.
fn formats() -> &'static [(Format, Format)] {
    const WORDS: (Format, Format) = (Format::B5G6R5Unorm, Format::B5G6R5Unorm);
    const BYTES: (Format, Format) = (Format::L8Unorm, Format::L8Unorm);
    const MIXED: (Format, Format) = (Format::B5G6R5Unorm, Format::L8Unorm);
    const WIDE: (Format, Format) = (Format::R8G8B8A8Unorm, Format::L8Unorm);
    if ALL || cfg!(feature = "spans-all") {
        &[WORDS, BYTES, MIXED, WIDE]
    } else if cfg!(feature = "spans-generic") && cfg!(feature = "spans-565") {
        &[WORDS, BYTES]
    } else if cfg!(feature = "spans-generic") {
        &[BYTES]
    } else {
        &[WORDS]
    }
}

/// Returns a target's 8-bit green, or its grey.
fn level(format: Format, pixel: &[u8]) -> u8 {
    match format {
        Format::B5G6R5Unorm => {
            let green = u16::from_le_bytes([pixel[0], pixel[1]]) >> 5 & 63;
            (green << 2 | green >> 4) as u8
        }
        _ => pixel[pixel.len() / 4],
    }
}

/// Returns the bytes of a texel of this grey.
fn texel(format: Format, grey: u8) -> Vec<u8> {
    match format {
        Format::B5G6R5Unorm => {
            let [five, six] = [u16::from(grey >> 3), u16::from(grey >> 2)];
            (five << 11 | six << 5 | five).to_le_bytes().to_vec()
        }
        _ => vec![grey],
    }
}

/// The texture's grey at a texel: neighbours differ by 8 or more, and none is 0.
fn noise(s: i64, t: i64) -> u8 {
    let at = s.rem_euclid(SIDE) + SIDE * t.rem_euclid(SIDE);
    (8 * ((at * 37) % 31) + 8) as u8
}

/// A grey that changes little from texel to texel.
fn waves(s: i64, t: i64) -> u8 {
    let [s, t] = [s, t].map(|at| (at.rem_euclid(SIDE) - SIDE / 2).abs());
    (20 + 24 * (s + t)) as u8
}

/// Makes a frame of this texture and filter, cleared to black; `None` if the build has no such
/// filter.
fn frame<'s, 'm, P: Profile>(
    screen: &'s gallium_raster::Screen<'m, P>,
    (target, texture): (Format, Format),
    grey: fn(i64, i64) -> u8,
    sampler: &SamplerState,
) -> Setup<'s, 'm> {
    let depth = Some(Format::Z16Unorm);
    let options =
        Options { width: WIDTH, height: HEIGHT, format: target, depth, ..Options::default() };
    let mut setup = Setup::new(screen, options).unwrap();
    let viewport = ViewportState::y_up(WIDTH, HEIGHT);
    setup.context.set_viewport_states(0, &[viewport]).unwrap();
    setup.depth_test(&DepthStencilAlphaState::depth(CompareFunc::Less)).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let side = SIDE as u32;
    let template = ResourceTemplate::texture_2d(texture, side, side, Bind::SAMPLER_VIEW);
    let places = (0..SIDE * SIDE).map(|at| (at % SIDE, at / SIDE));
    let bytes: Vec<u8> = places.flat_map(|(s, t)| texel(texture, grey(s, t))).collect();
    let image = setup.image(screen, &template, &bytes).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, sampler).unwrap();
    setup.clear([0.0; 4], 1.0).unwrap();
    setup
}

/// Returns the least and the greatest texture coordinates, in texels, that rays hit within 1/64
/// pixel of a pixel's middle. `None`: some rays hit the ground and others do not. Corners of
/// triangles are rounded to 1/256 pixel.
fn seen(camera: Camera, x: usize, y: usize) -> Option<Option<[[f64; 2]; 2]>> {
    let off = 1.0 / 64.0;
    let (mut hits, mut range) = (0, [[f64::MAX, f64::MIN]; 2]);
    for (right, down) in [(-off, -off), (off, -off), (-off, off), (off, off)] {
        if let Some(at) = camera.hit(x as f64 + 0.5 + right, y as f64 + 0.5 + down) {
            hits += 1;
            for (range, place) in range.iter_mut().zip(at) {
                let texels = place / UNITS * SIDE as f64;
                *range = [range[0].min(texels - 0.01), range[1].max(texels + 0.01)];
            }
        }
    }
    match hits {
        0 => Some(None),
        4 => Some(Some(range)),
        _ => None,
    }
}

/// Draws grounds of 1 to 1,600 cells at several near distances, and calls `check` with the
/// coordinates that rays hit and the grey of each pixel. Returns the number of checked pixels.
fn each_ground<P: Profile>(
    grey: fn(i64, i64) -> u8,
    sampler: &SamplerState,
    check: impl Fn([[f64; 2]; 2], u8) -> bool,
) {
    for &formats in formats() {
        for near in [1.0, 0.5, 0.25, 0.05] {
            for cells in [1, 4, 10, 20, 40] {
                let camera = Camera { near };
                let screen = screen::<P>(Os::host(), 0);
                let mut setup = frame(&screen, formats, grey, sampler);
                let vertices = ground(camera, cells);
                setup.upload(&screen, &vertices).unwrap();
                setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
                let pixels = setup.pixels().expect("no frame fails over a shape");
                let (mut checked, mut wrong) = (0, 0);
                let sizes = formats.0.block_bytes();
                for (index, pixel) in pixels.chunks(sizes).enumerate() {
                    let at = (index % WIDTH as usize, index / WIDTH as usize);
                    let grey = level(formats.0, pixel);
                    let right = match seen(camera, at.0, at.1) {
                        None => continue,
                        Some(None) => grey == 0,
                        Some(Some(range)) => check(range, grey),
                    };
                    checked += 1;
                    wrong += u32::from(!right);
                }
                assert_eq!(wrong, 0, "{formats:?}, near {near}, {cells}² cells");
                assert!(checked > WIDTH * HEIGHT * 8 / 10, "{checked}");
            }
        }
    }
}

fn a_textured_ground_is_what_rays_hit<P: Profile>() {
    each_ground::<P>(noise, &nearest(), |[s, t], grey| {
        let texels = |[low, high]: [f64; 2]| low.floor() as i64..=high.floor() as i64;
        texels(s).any(|s| texels(t).any(|t| noise(s, t).abs_diff(grey) <= 3))
    });
}

/// Returns the mean of the four texels around a place.
fn mean(s: f64, t: f64) -> f64 {
    let (s, t) = (s - 0.5, t - 0.5);
    let (right, below) = (s - s.floor(), t - t.floor());
    let (s, t) = (s.floor() as i64, t.floor() as i64);
    let row = |t: i64| f64::from(waves(s, t)) * (1.0 - right) + f64::from(waves(s + 1, t)) * right;
    row(t) * (1.0 - below) + row(t + 1) * below
}

fn a_filtered_ground_is_what_rays_hit<P: Profile>() {
    let words = ALL || cfg!(feature = "spans-filtered");
    let bytes = ALL || cfg!(feature = "spans-bilinear");
    if !(if cfg!(feature = "spans-565") { words } else { bytes }) || !bytes && words && !ALL {
        return;
    }
    let linear = SamplerState {
        min_img_filter: TexFilter::Linear,
        mag_img_filter: TexFilter::Linear,
        ..nearest()
    };
    each_ground::<P>(waves, &linear, |[s, t], grey| {
        let places = [0.0, 0.25, 0.5, 0.75, 1.0];
        let at = |[low, high]: [f64; 2], part: f64| low + (high - low) * part;
        if s[1] - s[0] > 2.0 || t[1] - t[0] > 2.0 {
            // At the horizon: any mean.
            return (12..=224).contains(&grey);
        }
        let means = places.map(|x| places.map(|y| mean(at(s, x), at(t, y))));
        let means = means.as_flattened();
        let low = means.iter().copied().fold(f64::MAX, f64::min);
        let high = means.iter().copied().fold(f64::MIN, f64::max);
        (low - 6.0..=high + 6.0).contains(&f64::from(grey))
    });
}

/// Coordinates of thousands of textures, as a scrolling ground has them after an hour.
fn coordinates_far_from_zero_show_their_texels<P: Profile>() {
    for &formats in formats() {
        let screen = screen::<P>(Os::host(), 0);
        for (first, wide) in [(4096.0, 1.0), (-4096.0, 1.0), (100_000.0, 1.0), (0.0, 2048.0)] {
            let mut setup = frame(&screen, formats, noise, &nearest());
            let corner = |x: f32, y: f32| {
                let [s, t] = [x, y].map(|at| first + wide * (at + 1.0) / 2.0);
                vertex(x, y, 0.0, [s, t, 0.0, 1.0])
            };
            let [a, b] = [corner(-1.0, -1.0), corner(1.0, -1.0)];
            let [c, d] = [corner(-1.0, 1.0), corner(1.0, 1.0)];
            setup.upload(&screen, &[a, b, c, c, b, d]).unwrap();
            setup.draw(PrimType::Triangles, 6).unwrap();
            let pixels = setup.pixels().expect("no frame fails over a shape");
            let (width, size) = (WIDTH as usize, formats.0.block_bytes());
            for (index, pixel) in pixels.chunks(size).enumerate() {
                let x = ((index % width) as f64 + 0.5) / f64::from(WIDTH);
                let y = 1.0 - ((index / width) as f64 + 0.5) / f64::from(HEIGHT);
                let [s, t] = [x, y].map(|at| {
                    let texels = (f64::from(first) + f64::from(wide) * at) * SIDE as f64;
                    // Floats are multiples of 2⁻¹¹ at 4096, and of 2⁻⁷ at 100,000.
                    let slack = if first.abs() < 1e5 { 0.02 } else { 0.25 };
                    (texels - slack).floor() as i64..=(texels + slack).floor() as i64
                });
                let grey = level(formats.0, pixel);
                let right = s.clone().any(|s| t.clone().any(|t| noise(s, t).abs_diff(grey) <= 3));
                assert!(right, "{formats:?} {first} {wide} pixel {index}: {grey}");
            }
        }
    }
}

/// A texture of 12×10 RGB565 texels that repeats: the RGB565 kernel cannot take it, the generic
/// kernel does. A build with neither it nor the general path refuses the draw by name.
fn textures_of_odd_sizes_and_addresses_repeat<P: Profile>() {
    if !formats().contains(&(Format::B5G6R5Unorm, Format::B5G6R5Unorm)) {
        return;
    }
    let taken = ALL || cfg!(feature = "spans-all");
    for (width, height, odd) in [(12, 10, false), (100, 60, false), (8, 8, true), (8, 8, false)] {
        let word = |s: u32, t: u32| (s * 37 + t * 101 + 5) as u16;
        let texels = (0..height).flat_map(|t| (0..width).map(move |s| (s, t)));
        let texels: Vec<u8> = texels.flat_map(|(s, t)| word(s, t).to_le_bytes()).collect();
        // Flash may hold the texels at any address.
        let mut memory = vec![0u8; texels.len() + 2];
        let start = usize::from(memory.as_ptr().addr().is_multiple_of(2) == odd);
        memory[start..][..texels.len()].copy_from_slice(&texels);
        let memory: &'static [u8] = memory.leak();
        let screen = screen::<P>(Os::host(), 0);
        let options = Options {
            width: WIDTH,
            height: HEIGHT,
            format: Format::B5G6R5Unorm,
            ..Options::default()
        };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.shaders(PASS, TEXEL).unwrap();
        let format = Format::B5G6R5Unorm;
        let template = ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW);
        let image = screen.resource_from_user_memory(&template, &memory[start..]).unwrap();
        let view = SamplerViewTemplate::whole(&template);
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
        setup.clear([0.0; 4], 1.0).unwrap();
        // Three repetitions to the right, two down.
        let corner = |x: f32, y: f32| vertex(x, y, 0.0, [1.5 * (x + 1.0), 1.0 + y, 0.0, 1.0]);
        let [a, b] = [corner(-1.0, -1.0), corner(1.0, -1.0)];
        let [c, d] = [corner(-1.0, 1.0), corner(1.0, 1.0)];
        setup.upload(&screen, &[a, b, c, c, b, d]).unwrap();
        let drawn = setup.draw(PrimType::Triangles, 6);
        let fits = !odd && width == 8;
        assert_eq!(drawn.is_ok(), taken || fits, "{width}×{height}, odd {odd}: {drawn:?}");
        if let Err(error) = drawn {
            assert!(matches!(error, PipeError::Unsupported(_)), "{error:?}");
            assert!(error.to_string().contains("spans-all"), "{error}");
            continue;
        }
        let pixels = setup.pixels().unwrap();
        for (index, pixel) in pixels.chunks(2).enumerate() {
            let [x, y] = [index as u32 % WIDTH, index as u32 / WIDTH];
            // The middles of pixels, in texels, times twice the target's size.
            let s = (2 * x + 1) * 3 * width;
            let t = (2 * y + 1) * 2 * height;
            if s.is_multiple_of(2 * WIDTH) || t.is_multiple_of(2 * HEIGHT) {
                // Between two texels.
                continue;
            }
            let want = word(s / (2 * WIDTH) % width, t / (2 * HEIGHT) % height);
            let got = u16::from_le_bytes([pixel[0], pixel[1]]);
            assert_eq!(got, want, "{width}×{height} pixel {x}, {y}");
        }
    }
}

/// Twenty times a texel of 0.02, blended over half grey: a constant that integers do not hold.
fn great_constants_are_clamped_after_they_are_multiplied<P: Profile>() {
    if !ALL && !cfg!(feature = "spans-generic") {
        return;
    }
    const SCALED: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL CONST[0]
DCL TEMP[0]
TEX TEMP[0], IN[0], SAMP[0], 2D
MUL OUT[0], TEMP[0], CONST[0]
END";
    let screen = screen::<P>(Os::host(), 0);
    for (grey, constant, want) in [(5u8, 20.0, 100), (5, 100.0, 255), (50, 20.0, 255), (5, 0.0, 0)]
    {
        let format = Format::L8Unorm;
        let options = Options { width: WIDTH, height: HEIGHT, format, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.shaders(PASS, SCALED).unwrap();
        setup.constants(ShaderType::Fragment, &[constant; 4]).unwrap();
        let template = ResourceTemplate::texture_2d(format, 2, 2, Bind::SAMPLER_VIEW);
        let image = setup.image(&screen, &template, &[grey; 4]).unwrap();
        let view = SamplerViewTemplate::whole(&template);
        setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
        let half = RenderTargetBlendState {
            blend_enable: true,
            rgb_src_factor: BlendFactor::One,
            rgb_dst_factor: BlendFactor::Zero,
            ..RenderTargetBlendState::default()
        };
        setup.blend(&BlendState::uniform(half)).unwrap();
        setup.clear([0.5; 4], 1.0).unwrap();
        let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, [0.5; 4]))).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let pixels = setup.pixels().expect("no frame fails over a constant");
        assert!(pixels.iter().all(|pixel| *pixel == want), "{grey} × {constant}: {}", pixels[0]);
    }
}

/// One input changes linearly over the screen, the other in perspective; their product is shown.
fn linear_and_perspective_inputs_keep_their_modes<P: Profile>() {
    if !ALL && !cfg!(feature = "spans-generic") {
        return;
    }
    const BOTH: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
DCL OUT[2], GENERIC[1]
MOV OUT[0], IN[0]
MOV OUT[1], IN[1].xxxx
MOV OUT[2], IN[1].yyyy
END";
    const ADDED: &str = "FRAG
DCL IN[0], GENERIC[0], LINEAR
DCL IN[1], GENERIC[1], PERSPECTIVE
DCL OUT[0], COLOR
MOV OUT[0].x, IN[0].xxxx
MOV OUT[0].y, IN[1].xxxx
MOV OUT[0].z, IN[0].xxxx
MOV OUT[0].w, IN[1].xxxx
END";
    // The generic kernel draws such a target only with `spans-all`.
    if !ALL && !cfg!(feature = "spans-all") {
        return;
    }
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: WIDTH, height: HEIGHT, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.shaders(BOTH, ADDED).unwrap();
    setup.clear([0.0; 4], 1.0).unwrap();
    // From w = 1 on the left to w = 3 on the right.
    let corner = |x: f32, y: f32| {
        let w = 2.0 + x;
        let value = (x + 1.0) / 2.0;
        Vertex { position: [x * w, y * w, 0.0, w], color: [value, value, 0.0, 1.0] }
    };
    let [a, b] = [corner(-1.0, -1.0), corner(1.0, -1.0)];
    let [c, d] = [corner(-1.0, 1.0), corner(1.0, 1.0)];
    setup.upload(&screen, &[a, b, c, c, b, d]).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();
    for (index, pixel) in setup.pixels().unwrap().chunks(4).enumerate() {
        let along = ((index % WIDTH as usize) as f64 + 0.5) / f64::from(WIDTH);
        // By OpenGL 4.6 §14.6.1: weights 1 - t and t over w of 1 and 3.
        let perspective = along / 3.0 / ((1.0 - along) + along / 3.0);
        let near = |byte: u8, value: f64| (f64::from(byte) - value * 255.0).abs() <= 0.6;
        assert!(near(pixel[0], along), "{index}: {pixel:?}");
        assert!(near(pixel[1], perspective), "{index}: {pixel:?}");
    }
}

/// A quad of 64 times the screen, along both axes; its texels are an eighth of the screen.
fn a_quad_far_beyond_the_screen_shows_its_texels<P: Profile>() {
    for &formats in formats() {
        let screen = screen::<P>(Os::host(), 0);
        let mut setup = frame(&screen, formats, noise, &nearest());
        let corner = |x: f32, y: f32| {
            // 64 repetitions of 8 texels: one repetition per screen.
            let [s, t] = [x, y].map(|at| at / 2.0 + 0.5);
            vertex(x, y, 0.0, [s, t, 0.0, 1.0])
        };
        let [a, b] = [corner(-64.0, -64.0), corner(64.0, -64.0)];
        let [c, d] = [corner(-64.0, 64.0), corner(64.0, 64.0)];
        setup.upload(&screen, &[a, b, c, c, b, d]).unwrap();
        setup.draw(PrimType::Triangles, 6).unwrap();
        let pixels = setup.pixels().expect("no frame fails over a shape");
        let size = formats.0.block_bytes();
        for (index, pixel) in pixels.chunks(size).enumerate() {
            let [x, y] = [index % WIDTH as usize, index / WIDTH as usize];
            // 9×6 pixels per texel, their middles never between two; the picture's y goes up.
            let [s, t] = [x as i64 / 9, (i64::from(HEIGHT) - 1 - y as i64) / 6];
            let grey = level(formats.0, pixel);
            assert!(noise(s, t).abs_diff(grey) <= 3, "{formats:?} {x} {y}: {grey}");
        }
    }
}

/// A mesh of 800 triangles with jittered corners, in 2D and in perspective, each adding 1 to its
/// pixels.
fn neighbours_leave_no_gap_and_paint_no_pixel_twice<P: Profile>() {
    if !ALL && !cfg!(feature = "spans-generic") {
        return;
    }
    const CELLS: usize = 20;
    let screen = screen::<P>(Os::host(), 0);
    for perspective in [false, true] {
        let mut random = Random(9);
        let mut corners = Vec::new();
        for y in 0..=CELLS {
            for x in 0..=CELLS {
                let inside = |at: usize| at > 0 && at < CELLS;
                let mut place = |at: usize| {
                    let jitter = if inside(at) { random.between(-0.2, 0.2) } else { 0.0 };
                    2.0 * (at as f32 + jitter) / CELLS as f32 - 1.0
                };
                let at = [place(x), place(y)];
                let w = if perspective { random.between(1.0, 4.0) } else { 1.0 };
                let position = [at[0] * w, at[1] * w, 0.0, w];
                corners.push(Vertex { position, color: [1.0 / 255.0; 4] });
            }
        }
        let mut vertices = Vec::new();
        for y in 0..CELLS {
            for x in 0..CELLS {
                let at = |x: usize, y: usize| corners[y * (CELLS + 1) + x];
                let [a, b] = [at(x, y), at(x + 1, y)];
                let [c, d] = [at(x, y + 1), at(x + 1, y + 1)];
                vertices.extend([a, b, c, c, b, d]);
            }
        }
        let format = Format::L8Unorm;
        let options = Options { width: WIDTH, height: HEIGHT, format, ..Options::default() };
        let mut setup = Setup::new(&screen, options).unwrap();
        let one = RenderTargetBlendState {
            blend_enable: true,
            rgb_src_factor: BlendFactor::One,
            rgb_dst_factor: BlendFactor::One,
            ..RenderTargetBlendState::default()
        };
        setup.blend(&BlendState::uniform(one)).unwrap();
        setup.clear([0.0; 4], 1.0).unwrap();
        setup.upload(&screen, &vertices).unwrap();
        setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
        let pixels = setup.pixels().unwrap();
        assert!(pixels.iter().all(|painted| *painted == 1), "{perspective}: {pixels:?}");
    }
}
