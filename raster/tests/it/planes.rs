//! Values, depths and derivatives over clipped triangles and slivers, against the solution in
//! homogeneous coordinates.

use crate::common::*;
use crate::exact::{Corners, Exact, KINDS, Kind, SIDE, vertices};
use formats::Format;
use gallium_raster::{Host, Small, Tiny};
use os_shim::Os;
use pipe_core::{PrimType, RasterizerState, ShaderState};

/// A colour that no triangle has.
const NOTHING: f32 = 1e30;

/// Shows two values, the depth, and 1/w.
const VALUES: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL IN[1], POSITION, LINEAR
DCL OUT[0], COLOR
MOV OUT[0].xy, IN[0].xyyy
MOV OUT[0].zw, IN[1].xyzw
END";

/// Shows how two values change from a pixel to the next.
const DERIVATIVES: &str = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL TEMP[0]
DDX_FINE TEMP[0], IN[0]
DDY_FINE TEMP[0].zw, IN[0].xxxy
MOV OUT[0], TEMP[0]
END";

/// The greatest errors over a kind of triangles.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    pixels: u32,
    /// Of a value, as the distance in pixels over which the value changes as much.
    value: f64,
    /// Of depth, in steps of 24 bits.
    depth: f64,
    /// Of 1/w, relative.
    rcp_w: f64,
    /// Of derivatives, relative.
    derivative: f64,
}

/// Draws triangles one by one and returns the greatest errors.
fn worst<P: gallium_raster::Profile>(
    state: &RasterizerState,
    triangles: impl Iterator<Item = (Corners, [[f32; 2]; 3])>,
) -> Worst {
    let screen = screen::<P>(Os::host(), 0);
    let format = Format::R32G32B32A32Float;
    let size = SIDE as u32;
    let options = Options { width: size, height: size, format, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    setup.rasterizer(state).unwrap();
    setup.shaders(PASS, VALUES).unwrap();
    let shaders = [VALUES, DERIVATIVES]
        .map(|text| setup.context.create_fs_state(&ShaderState::text(text)).unwrap());
    let mut worst = Worst::default();
    for (corners, values) in triangles {
        let Some(exact) = Exact::new(&corners, &values) else { continue };
        let vertices = vertices(&corners, values);
        setup.upload(&screen, &vertices).unwrap();
        let pictures = shaders.map(|shader| {
            setup.context.bind_fs_state(Some(shader)).unwrap();
            setup.clear([NOTHING; 4], 1.0).unwrap();
            setup.draw(PrimType::Triangles, 3).unwrap();
            let pixels = setup.pixels().unwrap();
            let floats =
                pixels.chunks(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().unwrap()));
            floats.collect::<Vec<_>>()
        });
        let most = values.as_flattened().iter().fold(0f32, |most, v| most.max(v.abs()));
        let rounding = f64::from(most) * 1e-6;
        let clips = state.depth_clip_near;
        for (at, (got, change)) in pictures[0].chunks(4).zip(pictures[1].chunks(4)).enumerate() {
            let (column, row) = (at % SIDE, at / SIDE);
            let (x, y) = (column as f64 + 0.5, row as f64 + 0.5);
            let margin = exact.margin(x, y, clips);
            let covered = got[0] != NOTHING;
            if margin.abs() < 0.006 {
                continue;
            }
            assert_eq!(covered, margin > 0.0, "{corners:?} {column} {row} {margin}");
            if !covered {
                continue;
            }
            worst.pixels += 1;
            // The centres of the quad's pixels.
            let (left, top) = ((column & !1) as f64 + 0.5, (row & !1) as f64 + 0.5);
            let w = exact.rcp_w(x, y);
            let ws = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
                .map(|(right, down)| exact.rcp_w(left + right, top + down));
            let steady = ws.iter().all(|other| *other > w * 0.5 && *other < w * 2.0);
            for index in 0..2 {
                let value = |x: f64, y: f64| exact.value(index, x, y);
                let small = 1e-3;
                let right = (value(x + small, y) - value(x - small, y)) / (2.0 * small);
                let down = (value(x, y + small) - value(x, y - small)) / (2.0 * small);
                let slope = right.hypot(down);
                let error = (f64::from(got[index]) - value(x, y)).abs();
                let error = (error - rounding).max(0.0) / slope;
                worst.value = worst.value.max(error);
                if steady {
                    let wanted = [
                        value(left + 1.0, y) - value(left, y),
                        value(x, top + 1.0) - value(x, top),
                    ];
                    let length = wanted[0].hypot(wanted[1]);
                    let error = (f64::from(change[index]) - wanted[0])
                        .hypot(f64::from(change[index + 2]) - wanted[1]);
                    worst.derivative = worst.derivative.max((error - rounding).max(0.0) / length);
                }
            }
            let z = |x: f64, y: f64| exact.z(x, y) * 0.5 + 0.5;
            let slope = (z(x + 1.0, y) - z(x, y)).hypot(z(x, y + 1.0) - z(x, y));
            // Steep depths may be off by more: by their change over a 4000th of a pixel.
            let error = (f64::from(got[2]) - z(x, y).clamp(0.0, 1.0)).abs() - slope * 2.5e-4;
            worst.depth = worst.depth.max(error * 16_777_216.0);
            worst.rcp_w = worst.rcp_w.max((f64::from(got[3]) / w - 1.0).abs());
        }
    }
    worst
}

fn planes_are_those_of_uncut_triangles<P: gallium_raster::Profile>() {
    // Flat values come from the provoking vertex. Planes start from the same vertex, unless it is
    // clipped.
    for flatshade_first in [false, true] {
        let state = RasterizerState { flatshade_first, ..rasterizer() };
        for kind in KINDS {
            let worst = worst::<P>(&state, kind.triangles(200));
            // The bound of values in pixels, of depth in steps of 24 bits.
            let (value, depth, derivative) = match kind {
                Kind::Near | Kind::Far | Kind::Both => (0.002, 40.0, 0.001),
                Kind::Anywhere => (0.02, 40.0, 0.01),
                Kind::Sliver | Kind::FlatSliver | Kind::CutSliver => (0.002, 40.0, 0.01),
            };
            assert!(worst.pixels > 100, "{kind:?}: {worst:?}");
            assert!(worst.value <= value && worst.depth <= depth, "{kind:?}: {worst:?}");
            assert!(worst.rcp_w <= 0.002 && worst.derivative <= derivative, "{kind:?}: {worst:?}");
        }
    }
}

in_all_profiles! {
    planes_are_those_of_uncut_triangles
}
