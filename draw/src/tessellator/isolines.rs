//! The isoline domain: lines along u.

use super::edge::{ONE, divide as divide_edge, drops, limited, segments};
use super::{Levels, Spacing, Tessellator};
use os_shim::memory::OutOfMemory;

/// Divides a set of lines.
pub(super) fn divide(
    to: &mut Tessellator<'_>,
    spacing: Spacing,
    levels: &Levels,
) -> Result<(), OutOfMemory> {
    let [lines, parts, ..] = levels.outer;
    if drops(lines) || drops(parts) {
        return Ok(());
    }
    // The number of lines is always spaced equally.
    let lines = segments(limited(lines, Spacing::Equal), Spacing::Equal);
    let along = divide_edge(parts, spacing);
    for line in 0..lines {
        let v = (line * ONE + lines / 2) / lines;
        let mut before = None;
        for &u in &along {
            let point = to.point(u, v)?;
            if let Some(before) = before {
                to.line(before, point)?;
            }
            before = Some(point);
        }
    }
    Ok(())
}
