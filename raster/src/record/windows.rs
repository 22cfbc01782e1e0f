//! Window rectangles in a scene.

use pipe_core::{ScissorState, WindowRectangles};

use super::RecordError;
use crate::profile::Profile;
use crate::scene::{ConstantBlock, Scene};

/// Copies the window rectangles to the scene, in the layout of `tile::keep_windows`. The first word
/// is 1 if fragments inside are kept. Each rectangle takes two words: (x, y) of its first corner,
/// and (x, y) one past its last, 16 bits each. A test that keeps everything takes no words.
pub(super) fn record<P: Profile>(
    scene: &mut Scene<'_, P>,
    windows: &WindowRectangles,
) -> Result<ConstantBlock, RecordError> {
    let rectangles = windows.as_slice();
    if rectangles.is_empty() && !windows.include {
        return Ok(ConstantBlock::default());
    }
    let count = 1 + 2 * rectangles.len();
    let at = scene.reserve(count)?;
    let corner = |x: u16, y: u16| u32::from(y) << 16 | u32::from(x);
    let corners = rectangles.iter().flat_map(|&ScissorState { minx, miny, maxx, maxy }| {
        [corner(minx, miny), corner(maxx, maxy)]
    });
    let words = [windows.include.into()].into_iter().chain(corners);
    for (to, word) in scene.arena.get_mut(at, count).iter_mut().zip(words) {
        *to = word;
    }
    Ok(ConstantBlock { at: at as u32, words: count as u32 })
}
