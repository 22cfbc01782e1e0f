//! Compares pictures.

use image::RgbaImage;

/// How far a picture may be from the expected one.
#[derive(Clone, Copy)]
pub enum Bounds {
    /// As egui's snapshot tests compare: no pixel's colour is farther than this threshold of dify, the crate
    /// that egui_kittest compares with.
    Snapshot(f32),
    /// At most `share` of the pixels have a channel that differs by more than `step`, and the mean of all
    /// differences is at most `mean`.
    Coverage { step: u8, share: f64, mean: f64 },
}

/// How two pictures differ.
pub struct Difference {
    /// The picture is within its bounds.
    pub passed: bool,
    /// Pixels that differ at all.
    pub pixels: usize,
    /// The largest difference of a channel.
    pub largest: u8,
    /// The mean difference of all channels.
    pub mean: f64,
    /// Pixels that are farther apart than the bounds allow for one pixel.
    pub beyond: usize,
}

/// Compares two pictures; pictures of different sizes have no pixel in common.
pub fn compare(expected: &RgbaImage, actual: &RgbaImage, bounds: Bounds) -> Difference {
    if expected.dimensions() != actual.dimensions() {
        let pixels = expected.pixels().len().max(actual.pixels().len());
        return Difference { passed: false, pixels, largest: 255, mean: 255.0, beyond: pixels };
    }
    let steps: Vec<u8> = expected
        .pixels()
        .zip(actual.pixels())
        .map(|(a, b)| (0..4).map(|i| a.0[i].abs_diff(b.0[i])).max().unwrap_or(0))
        .collect();
    let total: u64 =
        expected.iter().zip(actual.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    let mean = total as f64 / expected.len().max(1) as f64;
    let beyond = match bounds {
        Bounds::Snapshot(threshold) => {
            let (expected, actual) = (expected.clone(), actual.clone());
            let result =
                dify::diff::get_results(expected, actual, threshold, true, None, &None, &None);
            result.map_or(0, |(count, _)| usize::try_from(count).unwrap_or(usize::MAX))
        }
        Bounds::Coverage { step, .. } => steps.iter().filter(|&&other| other > step).count(),
    };
    let passed = match bounds {
        Bounds::Snapshot(_) => beyond == 0,
        Bounds::Coverage { share, mean: most, .. } => {
            beyond as f64 <= share * steps.len() as f64 && mean <= most
        }
    };
    Difference {
        passed,
        pixels: steps.iter().filter(|&&step| step > 0).count(),
        largest: steps.into_iter().max().unwrap_or(0),
        mean,
        beyond,
    }
}

/// Returns a picture of the differences, eight times as large.
pub fn picture(expected: &RgbaImage, actual: &RgbaImage) -> RgbaImage {
    let (width, height) = expected.dimensions();
    RgbaImage::from_fn(width.min(actual.width()), height.min(actual.height()), |x, y| {
        let (a, b) = (expected.get_pixel(x, y).0, actual.get_pixel(x, y).0);
        let far = [0, 1, 2, 3].map(|i| a[i].abs_diff(b[i]));
        let [red, green, blue] = [far[0], far[1], far[2]].map(|d| d.max(far[3]).saturating_mul(8));
        image::Rgba([red, green, blue, 255])
    })
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    fn grey(values: [u8; 4]) -> RgbaImage {
        RgbaImage::from_fn(4, 1, |x, _| Rgba([values[x as usize]; 4]))
    }

    #[test]
    fn coverage_counts_pixels_and_their_mean() {
        let bounds = Bounds::Coverage { step: 4, share: 0.25, mean: 2.5 };
        let (black, other) = (grey([0; 4]), grey([0, 1, 4, 5]));
        let found = compare(&black, &other, bounds);
        assert!(found.passed);
        assert_eq!((found.pixels, found.largest, found.beyond, found.mean), (3, 5, 1, 2.5));
        assert!(!compare(&black, &grey([0, 1, 5, 5]), bounds).passed);
        let strict = Bounds::Coverage { step: 4, share: 0.25, mean: 2.4 };
        assert!(!compare(&black, &other, strict).passed);
    }

    #[test]
    fn snapshots_forgive_a_step_but_not_a_colour() {
        let grey_picture = grey([100; 4]);
        assert!(compare(&grey_picture, &grey([100, 101, 100, 99]), Bounds::Snapshot(0.6)).passed);
        assert!(!compare(&grey_picture, &grey([100, 160, 100, 100]), Bounds::Snapshot(0.6)).passed);
    }

    #[test]
    fn another_size_fails() {
        let small = RgbaImage::new(3, 1);
        assert!(!compare(&grey([0; 4]), &small, Bounds::Snapshot(0.6)).passed);
    }

    #[test]
    fn differences_are_shown_eight_times_as_large() {
        let shown = picture(&grey([0, 0, 0, 0]), &grey([0, 1, 40, 0]));
        assert_eq!(shown.get_pixel(1, 0).0, [8, 8, 8, 255]);
        assert_eq!(shown.get_pixel(2, 0).0, [255, 255, 255, 255]);
    }
}
