//! An edge divided into segments.

use super::Spacing;
use os_shim::Vec;
use os_shim::memory::OutOfMemory;

/// The greatest level.
pub const MAX_LEVEL: u32 = 64;
/// 1.0 as a coordinate: 16 bits of fraction, so that coordinates are exact as `f32`.
pub const ONE: u32 = 1 << 16;

/// Returns true if an outer level drops its patch.
pub(super) fn drops(level: f32) -> bool {
    // Also true for NaN.
    !(level > 0.0)
}

/// Clamps a level to the range of a spacing. NaN counts as 1.
pub(super) fn limited(level: f32, spacing: Spacing) -> f32 {
    let (low, high) = match spacing {
        Spacing::Equal => (1.0, MAX_LEVEL as f32),
        Spacing::FractionalEven => (2.0, MAX_LEVEL as f32),
        Spacing::FractionalOdd => (1.0, MAX_LEVEL as f32 - 1.0),
    };
    let level = if level >= low { level } else { low };
    if level <= high { level } else { high }
}

/// Returns the number of segments of an edge with a [limited] level.
pub(super) fn segments(level: f32, spacing: Spacing) -> u32 {
    let whole = level as u32;
    let up = whole + u32::from(level > whole as f32);
    match spacing {
        Spacing::Equal => up,
        Spacing::FractionalEven => up + up % 2,
        Spacing::FractionalOdd => up + 1 - up % 2,
    }
}

/// Returns the number of segments of an inner level. A level of 1 counts as slightly more, for
/// patches that must have an inner point.
pub(super) fn inner_level(level: f32, spacing: Spacing) -> f32 {
    let level = limited(level, spacing);
    let more = 1.0 + f32::EPSILON;
    if level < more { more } else { level }
}

/// Divides an edge by a level into `points`, from 0 to [`ONE`].
pub(super) fn divide(
    points: &mut Vec<'_, u32>,
    level: f32,
    spacing: Spacing,
) -> Result<(), OutOfMemory> {
    let level = limited(level, spacing);
    let n = segments(level, spacing);
    // All segments except two have the length 1 / level; with equal spacing, all have the length 1
    // / n.
    let equal = spacing == Spacing::Equal || n < 3 || level == n as f32;
    let at = |k: u32| {
        let along = if equal { f64::from(k) / f64::from(n) } else { fractional(k, n, level) };
        (along * f64::from(ONE) + 0.5) as u32
    };
    points.clear();
    points.try_reserve_exact(n as usize + 1)?;
    for k in 0..=n {
        // The second half mirrors the first, so that both directions have the same points.
        points.try_push(if 2 * k <= n { at(k) } else { ONE - at(n - k) })?;
    }
    Ok(())
}

/// Returns point `k`, in the first half, of an edge of `n` segments. Two of them are short: one on
/// each side of the middle, as far out as a middle segment allows.
fn fractional(k: u32, n: u32, level: f32) -> f64 {
    let level = f64::from(level);
    // n - 2 whole segments of 1 / level. The two short ones share the rest.
    let whole = 1.0 / level;
    let short = (1.0 - f64::from(n - 2) * whole) / 2.0;
    // Each short segment follows the first whole segment from its end. That place depends only on
    // the number of segments.
    let before = (n - 2) / 2;
    let at_short = before.min(1);
    if k <= at_short { f64::from(k) * whole } else { f64::from(k - 1) * whole + short }
}
