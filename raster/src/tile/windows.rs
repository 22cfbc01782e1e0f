//! Window rectangles: the pixels of a block that fragments may write.

use super::coverage::Coverage;

/// Removes the pixels that window rectangles reject from the coverage of the block at first pixel
/// (`x`, `y`).
///
/// `windows` begins with 1 if pixels inside are kept, or 0 if pixels outside are kept. Two words
/// per rectangle follow: (x, y) of its first corner and of the corner past its last, 16 bits each,
/// x in the low bits.
pub(crate) fn keep_windows(coverage: &Coverage, windows: &[u32], x: i32, y: i32) -> Coverage {
    let Some((include, rectangles)) = windows.split_first() else { return *coverage };
    let flip = if *include == 0 { 0xffff } else { 0 };
    let mut kept = *coverage;
    for (row, pixels) in (y..).zip(&mut kept) {
        let mut inside = 0;
        for [first, last] in rectangles.as_chunks().0 {
            let [top, bottom] = [first, last].map(|corner| (corner >> 16) as i32);
            if (top..bottom).contains(&row) {
                let [left, right] = [first, last].map(|corner| (corner & 0xffff) as i32 - x);
                // Bits from `left` on, except those from `right` on.
                let from = |column: i32| u16::MAX.checked_shl(column.max(0) as u32).unwrap_or(0);
                inside |= from(left) & !from(right);
            }
        }
        *pixels &= inside ^ flip;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_the_rows_inside_are_kept_or_removed() {
        let full = [0xffff; 16];
        // Columns 18 to 20 and rows 33 to 34 of the block at (16, 32).
        let windows = [1, 33 << 16 | 18, 35 << 16 | 21];
        let kept = keep_windows(&full, &windows, 16, 32);
        assert_eq!(kept[..4], [0, 0b1_1100, 0b1_1100, 0]);
        let [_, first, last] = windows;
        let kept = keep_windows(&full, &[0, first, last], 16, 32);
        assert_eq!(kept[..4], [0xffff, !0b1_1100, !0b1_1100, 0xffff]);
        // Rectangles around the block, next to it, and without pixels.
        for (corners, wanted) in [
            ([0, 99 << 16 | 99], 0xffff),
            ([32 << 16, 99 << 16 | 16], 0),
            ([32 << 16 | 32, 99 << 16 | 99], 0),
            ([32 << 16 | 20, 99 << 16 | 17], 0),
        ] {
            assert_eq!(keep_windows(&full, &[1, corners[0], corners[1]], 16, 32), [wanted; 16]);
        }
        // A pixel inside one of two rectangles is inside.
        let both = [1, 32 << 16 | 16, 48 << 16 | 18, 32 << 16 | 17, 48 << 16 | 20];
        assert_eq!(keep_windows(&full, &both, 16, 32), [0b1111; 16]);
    }
}
