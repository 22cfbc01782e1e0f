//! Checks whether a draw must stop: its budget of work is spent, or another thread asks for it.

use crate::error::DrawError;
use crate::features::BUDGET;
use tgsi::exec::{Lanes, Resources};

/// The number of indices between two checks, if no segment is full before.
pub(crate) const INDICES_BETWEEN_CHECKS: u32 = 1 << 16;

/// Ends a draw that its resources stop.
#[inline(always)]
pub(crate) fn check_stopped<R: Lanes, E>(
    resources: &mut dyn Resources<R>,
) -> Result<(), DrawError<E>> {
    if BUDGET && resources.stopped(0) { Err(DrawError::Stopped) } else { Ok(()) }
}
