//! The band of triangles between an outer and an inner line of points.

/// Points in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The place of each point along its edge.
    pub(super) places: &'a [u32],
    /// The number of the first point, and the step in numbers to the next point, except to the
    /// last.
    pub(super) first: u16,
    pub(super) step: i16,
    /// The number of the last point.
    pub(super) last: u16,
}

impl Line<'_> {
    /// Returns number and place of a point.
    #[inline(always)]
    fn get(&self, at: usize) -> Option<(u16, u32)> {
        let place = *self.places.get(at)?;
        let ends = at + 1 == self.places.len();
        let number = self.first.wrapping_add_signed((at as i16).wrapping_mul(self.step));
        Some((if ends { self.last } else { number }, place))
    }
}

/// Fills the band between two lines that run along one edge, the inner line on the left. The inner
/// line may be a single point.
pub(super) fn stitch<E>(
    outer: Line<'_>,
    inner: Line<'_>,
    triangle: &mut impl FnMut(u16, u16, u16) -> Result<(), E>,
) -> Result<(), E> {
    let (mut outer_at, mut inner_at) = (0, 0);
    while let (Some((a, a_place)), Some((b, b_place))) = (outer.get(outer_at), inner.get(inner_at))
    {
        match (outer.get(outer_at + 1), inner.get(inner_at + 1)) {
            (None, None) => break,
            // The step with the earlier middle makes the better triangle.
            (Some((_, next)), Some((other, place))) if a_place + next > b_place + place => {
                triangle(a, other, b)?;
                inner_at += 1;
            }
            (Some((next, _)), _) => {
                triangle(a, next, b)?;
                outer_at += 1;
            }
            (None, Some((other, _))) => {
                triangle(a, other, b)?;
                inner_at += 1;
            }
        }
    }
    Ok(())
}
