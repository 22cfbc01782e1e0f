//! Tests every float cap of the screen.

use pipe_core::{CapF, PrimType, RasterizerState, SamplerState, Screen as _, TexFilter};

use crate::bench::*;
use crate::{Judge, all_hold, judged};

#[test]
fn every_float_cap() {
    let screen = screen();
    all_hold(CapF::ALL.iter().map(|cap| {
        // In thousandths, so that integer judgements work for floats.
        let answer = screen.get_paramf(*cap);
        judged(cap.gallium_name(), (answer * 1000.0) as i64, &judge(*cap))
    }));
}

/// Returns the number of rows that a horizontal line covers, or the error if lines are rejected.
fn line(line_width: f32) -> Done<usize> {
    let mut bench = Bench::new()?;
    bench.rasterizer(&RasterizerState { line_width, ..RasterizerState::default() })?;
    // Between rows 7 and 8.
    bench.vertices(2, &[[-1.0, 0.0, 0.0, 1.0], WHITE, [1.0, 0.0, 0.0, 1.0], WHITE])?;
    bench.draw(PrimType::Lines, 2)?;
    Ok(bench.picture()?.iter().filter(|row| row[8] != 0).count())
}

/// Returns the number of pixels that a point covers.
fn point(point_size: f32) -> Done<usize> {
    let mut bench = Bench::new()?;
    let state = RasterizerState {
        point_size,
        point_quad_rasterization: true,
        ..RasterizerState::default()
    };
    bench.rasterizer(&state)?;
    bench.vertices(2, &[[0.0, 0.0, 0.0, 1.0], WHITE])?;
    bench.draw(PrimType::Points, 1)?;
    bench.lit()
}

/// Runs a check in builds that draw lines and points, as `PointSizeFixed` announces.
fn strokes(holds: impl FnOnce() -> Done<bool>) -> Done<bool> {
    let has = screen().get_param(pipe_core::Cap::PointSizeFixed) != 0;
    if has { holds() } else { Ok(line(1.0).is_err() && point(1.0).is_err()) }
}

fn judge(cap: CapF) -> Judge {
    use Judge::*;
    match cap {
        CapF::MinLineWidth => {
            Number(|least| strokes(|| Ok(least == 1000 && line(1.0)? == 1 && line(0.25)? == 1)))
        }
        CapF::MaxLineWidth => Number(|most| {
            // The target is 16 rows high: wider lines cover it.
            strokes(|| Ok(most == 255_000 && line(255.0)? == 16 && line(1e9)? == 16))
        }),
        CapF::LineWidthGranularity => Number(|step| {
            // 1.125 covers the centres of both rows, 1.0 of one.
            strokes(|| Ok(step == 125 && line(1.125)? == 2 && line(1.05)? == 1))
        }),
        CapF::MinLineWidthAa | CapF::MaxLineWidthAa => {
            Hint("smooth lines have the widths of others, with shares at their edges: it::strokes")
        }
        CapF::MinPointSize => Number(|least| strokes(|| Ok(least == 1000 && point(1.0)? == 1))),
        CapF::MaxPointSize => Number(|most| {
            strokes(|| Ok(most == 255_000 && point(255.0)? == 256 && point(1e9)? == 256))
        }),
        CapF::PointSizeGranularity => Number(|step| {
            // 2.125 around a corner covers four centres, 3.125 covers sixteen.
            strokes(|| Ok(step == 125 && point(2.125)? == 4 && point(3.125)? == 16))
        }),
        CapF::MinPointSizeAa | CapF::MaxPointSizeAa => {
            Hint("smooth points have the sizes of others, with shares at their edges: it::strokes")
        }
        CapF::MaxTextureAnisotropy => Number(|most| {
            let mut bench = Bench::new()?;
            let sampler = SamplerState {
                max_anisotropy: (most / 1000) as u8,
                min_img_filter: TexFilter::Linear,
                ..SamplerState::default()
            };
            bench.context.create_sampler_state(&sampler)?;
            let past = SamplerState { max_anisotropy: 16, ..sampler };
            Ok(most == 16_000 || bench.context.create_sampler_state(&past).is_err())
        }),
        CapF::MaxTextureLodBias => Number(|most| {
            let mut bench = Bench::new()?;
            let sampler =
                SamplerState { lod_bias: most as f32 / 1000.0, ..SamplerState::default() };
            bench.context.create_sampler_state(&sampler).map(|_| true)
        }),
        CapF::MinConservativeRasterDilate
        | CapF::MaxConservativeRasterDilate
        | CapF::ConservativeRasterDilateGranularity => Number(|answer| {
            let conservative = |dilate: f32| RasterizerState {
                conservative_raster_mode: pipe_core::ConservativeRasterMode::PostSnap,
                conservative_raster_dilate: dilate,
                ..RasterizerState::default()
            };
            let has = cfg!(all(feature = "es2", feature = "fragments"));
            let within = pixels_with(&conservative(answer as f32 / 1000.0));
            let beyond = pixels_with(&conservative(0.76));
            Ok(within.is_ok() == has && beyond.is_err())
        }),
    }
}
