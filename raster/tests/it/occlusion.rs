//! Early depth rejection: primitives behind a triangle that covers a whole tile are dropped, and no
//! pixel changes.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::options::Table;
use os_shim::{Memory, Os};
use pipe_core::{CompareFunc, DepthStencilAlphaState, PrimType};

const WIDTH: u32 = 150;
const HEIGHT: u32 = 90;

/// A step of a frame.
#[derive(Clone, Debug)]
enum Step {
    Test(CompareFunc, bool),
    Clear(f64),
    Triangles(Vec<Vertex>),
}

/// Returns a triangle of one colour, which every format and path represents exactly.
fn triangle(random: &mut Random, corners: [[f32; 2]; 3], depth: (f32, f32)) -> [Vertex; 3] {
    let color = [(); 4].map(|()| random.next().round());
    corners.map(|[x, y]| vertex(x, y, random.between(depth.0, depth.1), color))
}

/// Returns a triangle that covers the whole target.
fn wall(random: &mut Random, depth: f32) -> [Vertex; 3] {
    let slope = random.of(&[0.0, 0.01, 0.3]);
    triangle(random, [[-6.0, -2.0], [6.0, -2.0], [0.0, 8.0]], (depth - slope, depth + slope))
}

/// Returns a frame with walls that hide most triangles. Draws in between test or write depth in
/// other ways.
fn steps(seed: u32) -> Vec<Step> {
    let mut random = Random(seed);
    let mut steps = vec![Step::Test(CompareFunc::Less, true)];
    for _ in 0..12 {
        steps.push(match (random.next() * 8.0) as u32 {
            0 => {
                let funcs = [
                    CompareFunc::Less,
                    CompareFunc::LessEqual,
                    CompareFunc::Always,
                    CompareFunc::Greater,
                    CompareFunc::NotEqual,
                    CompareFunc::Equal,
                    CompareFunc::Never,
                ];
                Step::Test(random.of(&funcs), random.next() < 0.7)
            }
            1 => Step::Test(CompareFunc::Less, true),
            2 if random.next() < 0.3 => Step::Clear(random.of(&[1.0, 0.5])),
            2 | 3 => {
                let depth = random.between(-0.6, 0.6);
                Step::Triangles(wall(&mut random, depth).into())
            }
            _ => {
                let reach = random.of(&[0.05, 0.3, 2.0]);
                let mut triangles = Vec::new();
                for _ in 0..20 {
                    let middle = [random.between(-1.0, 1.0), random.between(-1.0, 1.0)];
                    let corners = [(); 3]
                        .map(|()| middle.map(|middle| middle + random.between(-reach, reach)));
                    let depth = random.between(-0.9, 0.9);
                    let slope = random.of(&[0.0, 0.001, 0.09]);
                    let depth = (depth - slope, depth + slope);
                    triangles.extend(triangle(&mut random, corners, depth));
                }
                Step::Triangles(triangles)
            }
        });
    }
    steps
}

/// Draws a frame; returns its colour and its depth.
fn draw<P: Profile>(steps: &[Step], formats: (Format, Format), flags: &Table) -> [Vec<u8>; 2] {
    let os = Os { options: flags, ..Os::bare(Memory::system()) };
    let screen = screen::<P>(os, 0);
    let options = Options {
        width: WIDTH,
        height: HEIGHT,
        format: formats.0,
        depth: Some(formats.1),
        ..Options::default()
    };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.clear([0.0; 4], 1.0).unwrap();
    for step in steps {
        match step {
            Step::Test(func, write) => {
                let mut state = DepthStencilAlphaState::depth(*func);
                state.depth_writemask = *write;
                setup.depth_test(&state).unwrap();
            }
            Step::Clear(depth) => setup.clear([0.0, 1.0, 0.0, 1.0], *depth).unwrap(),
            Step::Triangles(vertices) => {
                setup.upload(&screen, vertices).unwrap();
                setup.draw(PrimType::Triangles, vertices.len() as u32).unwrap();
            }
        }
    }
    let color = setup.pixels().unwrap();
    let depth = setup.depth.unwrap();
    [color, setup.read(depth).unwrap()]
}

#[test]
fn frames_do_not_depend_on_it() {
    // Without spans nothing is dropped: only span kernels detect a covered tile.
    let general = Table(&[("RASTER_DEBUG", "nospans")]);
    let mut formats = vec![(Format::B5G6R5Unorm, Format::Z16Unorm)];
    if cfg!(feature = "spans-all") {
        formats.push((Format::B8G8R8A8Unorm, Format::Z24X8Unorm));
    }
    for seed in 0..120 {
        let steps = steps(seed);
        for formats in &formats {
            let wanted = draw::<Small>(&steps, *formats, &general);
            for (name, drawn) in [
                ("tiny", draw::<Tiny>(&steps, *formats, &Table(&[]))),
                ("small", draw::<Small>(&steps, *formats, &Table(&[]))),
                ("host", draw::<Host>(&steps, *formats, &Table(&[]))),
            ] {
                for (wanted, drawn) in wanted.iter().zip(&drawn) {
                    let different = wanted.iter().zip(drawn).filter(|(a, b)| a != b).count();
                    assert_eq!(different, 0, "bytes, {name}, {formats:?}, seed {seed}");
                }
            }
        }
    }
}

/// A wall at depth 0.25, then one at 0.75 that always passes its test. A triangle between them is
/// visible.
/// visible.
#[test]
fn a_draw_that_writes_farther_depth_hides_nothing() {
    let wall = |z: f32, color| {
        let z = 2.0 * z - 1.0;
        Step::Triangles(vec![
            vertex(-6.0, -2.0, z, color),
            vertex(6.0, -2.0, z, color),
            vertex(0.0, 8.0, z, color),
        ])
    };
    let less = Step::Test(CompareFunc::Less, true);
    let always = Step::Test(CompareFunc::Always, true);
    let white = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0xff);
    for flags in [Table(&[]), Table(&[("RASTER_DEBUG", "nospans")])] {
        let draw = |steps: &[Step]| {
            let formats = (Format::B5G6R5Unorm, Format::Z16Unorm);
            let [color, _] = draw::<Small>(steps, formats, &flags);
            white(&color)
        };
        let (near, far) = (wall(0.25, RED), wall(0.75, BLUE));
        let between = wall(0.5, WHITE);
        assert!(!draw(&[less.clone(), near.clone(), between.clone()]));
        assert!(draw(&[
            less.clone(),
            near.clone(),
            always.clone(),
            far.clone(),
            less.clone(),
            between.clone()
        ]));
        // A wall that was cleared hides nothing either.
        assert!(draw(&[less.clone(), near, Step::Clear(1.0), between]));
    }
}
