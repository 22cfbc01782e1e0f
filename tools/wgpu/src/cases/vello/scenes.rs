//! The scenes: what a 2D renderer is asked for.

use std::f64::consts::TAU;
use std::sync::Arc;

use vello::AaConfig::{self, Area, Msaa8, Msaa16};
use vello::Glyph;
use vello::kurbo::{Affine, BezPath, Cap, Circle, Join, Rect, RoundedRect, Shape as _, Stroke};
use vello::peniko::{
    BlendMode, Blob, Brush, Color, Compose, Extend, Fill, FontData, Gradient, ImageAlphaType,
    ImageBrush, ImageData, ImageFormat, ImageQuality, Mix,
};

use super::canvas::Canvas;

/// The colour behind every scene.
pub const BACKGROUND: Color = Color::from_rgb8(24, 28, 38);

/// A scene of 256 × 256 pixels.
pub struct Scene {
    pub name: &'static str,
    pub draw: fn(&mut dyn Canvas),
    /// The kinds of coverage, with the distance of lavapipe's picture to vello_cpu's: the mean difference, and
    /// the share of pixels that differ by more than 32 steps.
    pub modes: &'static [(AaConfig, f64, f64)],
}

/// The scenes.
pub const SCENES: [Scene; 10] = [
    Scene {
        name: "shapes",
        draw: shapes,
        modes: &[(Area, 0.046, 0.0007), (Msaa8, 0.234, 0.0018), (Msaa16, 0.148, 0.0011)],
    },
    Scene {
        name: "strokes",
        draw: strokes,
        modes: &[(Area, 0.235, 0.0031), (Msaa8, 0.461, 0.0042), (Msaa16, 0.366, 0.0035)],
    },
    Scene { name: "many", draw: many, modes: &[(Area, 0.103, 0.0001), (Msaa16, 0.857, 0.0010)] },
    Scene { name: "gradients", draw: gradients, modes: &[(Area, 2.028, 0.0068)] },
    Scene { name: "clips", draw: clips, modes: &[(Area, 0.011, 0.0001)] },
    Scene { name: "mixes", draw: mixes, modes: &[(Area, 1.823, 0.0003)] },
    Scene { name: "composed", draw: composed, modes: &[(Area, 0.052, 0.0001)] },
    Scene { name: "images", draw: images, modes: &[(Area, 0.743, 0.0227)] },
    Scene { name: "blurs", draw: blurs, modes: &[(Area, 0.574, 0.0026)] },
    Scene { name: "text", draw: text, modes: &[(Area, 0.019, 0.0001)] },
];

const PALETTE: [Color; 6] = [
    Color::from_rgb8(242, 140, 104),
    Color::from_rgb8(90, 190, 240),
    Color::from_rgb8(250, 220, 90),
    Color::from_rgb8(120, 220, 130),
    Color::from_rgb8(220, 110, 200),
    Color::from_rgb8(235, 235, 240),
];

fn solid(index: usize, alpha: f32) -> Brush {
    Brush::Solid(PALETTE[index % PALETTE.len()].with_alpha(alpha))
}

fn at(x: f64, y: f64) -> Affine {
    Affine::translate((x, y))
}

fn circle(x: f64, y: f64, radius: f64) -> BezPath {
    Circle::new((x, y), radius).to_path(0.01)
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> BezPath {
    Rect::new(x, y, x + width, y + height).to_path(0.01)
}

/// A star with edges that cross each other.
fn star(points: usize, step: usize, radius: f64) -> BezPath {
    let mut path = BezPath::new();
    for index in 0..points {
        let angle = TAU * (index * step) as f64 / points as f64 - TAU / 4.0;
        let corner = (radius * angle.cos(), radius * angle.sin());
        if index == 0 { path.move_to(corner) } else { path.line_to(corner) }
    }
    path.close_path();
    path
}

fn shapes(canvas: &mut dyn Canvas) {
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(0, 1.0), &circle(64.0, 60.0, 48.5));
    canvas.fill(Fill::NonZero, at(180.0, 64.0), &solid(1, 1.0), &star(5, 2, 56.0));
    canvas.fill(Fill::EvenOdd, at(68.0, 184.0), &solid(2, 1.0), &star(9, 4, 60.0));
    let rounded = RoundedRect::new(-40.0, -26.0, 40.0, 26.0, 12.0).to_path(0.01);
    canvas.fill(Fill::NonZero, at(186.0, 188.0) * Affine::rotate(0.4), &solid(3, 0.7), &rounded);
    canvas.fill(Fill::NonZero, at(200.5, 170.25), &solid(4, 0.6), &circle(0.0, 0.0, 30.0));
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(5, 1.0), &rect(120.25, 120.5, 16.5, 0.75));
}

fn strokes(canvas: &mut dyn Canvas) {
    let joins = [Join::Miter, Join::Round, Join::Bevel];
    let caps = [Cap::Butt, Cap::Round, Cap::Square];
    for (column, join) in joins.into_iter().enumerate() {
        for (row, cap) in caps.into_iter().enumerate() {
            let mut path = BezPath::new();
            path.move_to((14.0, 52.0));
            path.line_to((34.0, 14.0));
            path.line_to((46.0, 48.0));
            path.quad_to((70.0, 50.0), (64.0, 16.0));
            let style = Stroke::new(7.0).with_join(join).with_caps(cap);
            let place = at(column as f64 * 82.0 + 4.0, row as f64 * 58.0 + 2.0);
            canvas.stroke(&style, place, &solid(row * 3 + column, 1.0), &path);
        }
    }
    let dashed = Stroke::new(4.0).with_dashes(3.0, [14.0, 7.0, 3.0, 7.0]).with_caps(Cap::Round);
    canvas.stroke(&dashed, at(128.0, 216.0), &solid(1, 1.0), &circle(0.0, 0.0, 32.0));
    let mut curve = BezPath::new();
    curve.move_to((10.0, 240.0));
    curve.curve_to((40.0, 150.0), (60.0, 290.0), (92.0, 190.0));
    canvas.stroke(&Stroke::new(1.0), Affine::IDENTITY, &solid(5, 1.0), &curve);
    canvas.stroke(&Stroke::new(9.0), at(160.0, 0.0), &solid(2, 0.5), &curve);
}

/// Nine hundred small shapes: more than a workgroup of each stage.
fn many(canvas: &mut dyn Canvas) {
    let mut seed = 12_345_u32;
    let mut next = |range: f64| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 24) * range
    };
    for index in 0..900 {
        let place = at(next(256.0), next(256.0)) * Affine::rotate(next(TAU));
        let size = 2.0 + next(8.0);
        let path = match index % 3 {
            0 => circle(0.0, 0.0, size),
            1 => star(5, 2, size * 1.4),
            _ => rect(-size, -size * 0.4, size * 2.0, size * 0.8),
        };
        canvas.fill(Fill::NonZero, place, &solid(index, 0.8), &path);
    }
}

fn gradients(canvas: &mut dyn Canvas) {
    let stops = [PALETTE[0], PALETTE[1], PALETTE[2]];
    for (row, extend) in [Extend::Pad, Extend::Repeat, Extend::Reflect].into_iter().enumerate() {
        let kinds = [
            Gradient::new_linear((20.0, 10.0), (50.0, 40.0)),
            Gradient::new_two_point_radial((34.0, 34.0), 6.0, (40.0, 40.0), 26.0),
            Gradient::new_sweep((40.0, 38.0), 0.3, 2.4),
        ];
        for (column, kind) in kinds.into_iter().enumerate() {
            let brush = Brush::Gradient(kind.with_extend(extend).with_stops(stops));
            let place = at(column as f64 * 84.0 + 4.0, row as f64 * 84.0 + 4.0);
            canvas.fill(Fill::NonZero, place, &brush, &rect(0.0, 0.0, 78.0, 78.0));
        }
    }
}

fn clips(canvas: &mut dyn Canvas) {
    let normal = BlendMode::new(Mix::Normal, Compose::SrcOver);
    canvas.push(normal, 1.0, Affine::IDENTITY, &circle(100.0, 110.0, 84.0));
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(1, 1.0), &rect(0.0, 0.0, 256.0, 256.0));
    canvas.push(normal, 0.6, at(150.0, 120.0), &star(7, 3, 96.0));
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(0, 1.0), &rect(0.0, 0.0, 256.0, 128.5));
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(2, 1.0), &rect(0.0, 128.5, 256.0, 120.0));
    canvas.pop();
    canvas.pop();
    canvas.push(normal, 0.5, Affine::rotate(0.1), &rect(170.0, 120.0, 80.0, 90.0));
    canvas.fill(Fill::NonZero, Affine::IDENTITY, &solid(3, 1.0), &circle(200.0, 190.0, 50.0));
    canvas.pop();
}

fn mixes(canvas: &mut dyn Canvas) {
    const MIXES: [Mix; 16] = [
        Mix::Normal,
        Mix::Multiply,
        Mix::Screen,
        Mix::Overlay,
        Mix::Darken,
        Mix::Lighten,
        Mix::ColorDodge,
        Mix::ColorBurn,
        Mix::HardLight,
        Mix::SoftLight,
        Mix::Difference,
        Mix::Exclusion,
        Mix::Hue,
        Mix::Saturation,
        Mix::Color,
        Mix::Luminosity,
    ];
    let rainbow = Gradient::new_linear((0.0, 0.0), (60.0, 0.0)).with_stops(PALETTE);
    let fade = Gradient::new_linear((0.0, 0.0), (0.0, 60.0))
        .with_stops([PALETTE[4], PALETTE[3].with_alpha(0.2)]);
    for (index, mix) in MIXES.into_iter().enumerate() {
        let place = at((index % 4) as f64 * 64.0 + 2.0, (index / 4) as f64 * 64.0 + 2.0);
        let cell = rect(0.0, 0.0, 60.0, 60.0);
        canvas.fill(Fill::NonZero, place, &Brush::Gradient(rainbow.clone()), &cell);
        canvas.push(BlendMode::new(mix, Compose::SrcOver), 1.0, place, &cell);
        canvas.fill(
            Fill::NonZero,
            place,
            &Brush::Gradient(fade.clone()),
            &circle(30.0, 30.0, 28.0),
        );
        canvas.pop();
    }
}

fn composed(canvas: &mut dyn Canvas) {
    const MODES: [Compose; 9] = [
        Compose::SrcOver,
        Compose::DestOver,
        Compose::SrcIn,
        Compose::DestIn,
        Compose::SrcOut,
        Compose::DestOut,
        Compose::SrcAtop,
        Compose::Xor,
        Compose::Plus,
    ];
    let normal = BlendMode::new(Mix::Normal, Compose::SrcOver);
    for (index, mode) in MODES.into_iter().enumerate() {
        let place = at((index % 3) as f64 * 84.0 + 4.0, (index / 3) as f64 * 84.0 + 4.0);
        let cell = rect(0.0, 0.0, 80.0, 80.0);
        canvas.push(normal, 1.0, place, &cell);
        canvas.fill(Fill::NonZero, place, &solid(1, 0.9), &circle(30.0, 30.0, 26.0));
        canvas.push(BlendMode::new(Mix::Normal, mode), 1.0, place, &cell);
        canvas.fill(Fill::NonZero, place, &solid(0, 0.8), &circle(50.0, 50.0, 26.0));
        canvas.pop();
        canvas.pop();
    }
}

fn images(canvas: &mut dyn Canvas) {
    let texel = |x: u32, y: u32| -> [u8; 4] {
        let level = |value: u32| u8::try_from(value * 255 / 7).unwrap_or(u8::MAX);
        [level(x), level(y), if (x + y).is_multiple_of(2) { 220 } else { 40 }, 255]
    };
    let data: Vec<u8> = (0..64).flat_map(|index| texel(index % 8, index / 8)).collect();
    let image = ImageData {
        data: Blob::new(Arc::new(data)),
        format: ImageFormat::Rgba8,
        alpha_type: ImageAlphaType::Alpha,
        width: 8,
        height: 8,
    };
    let qualities = [ImageQuality::Low, ImageQuality::Medium];
    for (row, quality) in qualities.into_iter().enumerate() {
        for (column, extend) in
            [Extend::Pad, Extend::Repeat, Extend::Reflect].into_iter().enumerate()
        {
            let brush = ImageBrush::new(image.clone()).with_quality(quality).with_extend(extend);
            let corner = at(column as f64 * 84.0 + 4.0, row as f64 * 126.0 + 4.0);
            let place = corner * Affine::scale(5.25) * Affine::skew(0.2, 0.0);
            canvas.fill(Fill::NonZero, place, &Brush::Image(brush), &rect(0.0, 0.0, 13.0, 22.0));
        }
    }
}

fn blurs(canvas: &mut dyn Canvas) {
    let boxed = Rect::new(-36.0, -24.0, 36.0, 24.0);
    for (index, (radius, deviation)) in
        [(0.0, 3.0), (10.0, 6.0), (24.0, 10.0), (8.0, 1.5)].into_iter().enumerate()
    {
        let place = at((index % 2) as f64 * 120.0 + 66.0, (index / 2) as f64 * 120.0 + 66.0);
        let place = place * Affine::rotate(index as f64 * 0.3);
        canvas.blurred(place, boxed, PALETTE[index], radius, deviation);
    }
}

fn text(canvas: &mut dyn Canvas) {
    use skrifa::MetadataProvider as _;
    let bytes = epaint_default_fonts::UBUNTU_LIGHT;
    let font = FontData::new(Blob::new(Arc::new(bytes)), 0);
    let Ok(face) = skrifa::FontRef::new(bytes) else { return };
    let characters = face.charmap();
    let lines = ["Sphinx of black", "quartz, judge my", "vow 0123456789"];
    for (row, (line, size)) in lines.into_iter().zip([22.0_f32, 31.0, 13.0]).enumerate() {
        let widths = face.glyph_metrics(
            skrifa::instance::Size::new(size),
            skrifa::instance::LocationRef::default(),
        );
        let mut x = 0.0;
        let glyphs: Vec<Glyph> = line
            .chars()
            .map(|character| {
                let id = characters.map(character).unwrap_or_default();
                let glyph = Glyph { id: id.to_u32(), x, y: 0.0 };
                x += widths.advance_width(id).unwrap_or_default();
                glyph
            })
            .collect();
        let place = at(10.0, 50.0 + row as f64 * 70.0) * Affine::rotate(row as f64 * 0.08);
        canvas.glyphs(&font, size, place, PALETTE[row], &glyphs);
    }
}
