//! Pictures in linear light: scaled by area.

use crate::picture::Picture;

/// A picture in linear light, because sRGB codes cannot be averaged.
pub(crate) struct Linear {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

fn to_linear(x: f32) -> f32 {
    if x <= 0.04045 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }
}

fn to_srgb(x: f32) -> f32 {
    if x <= 0.0031308 { x * 12.92 } else { 1.055 * libm::powf(x, 1.0 / 2.4) - 0.055 }
}

impl Linear {
    /// Decodes the sRGB codes of a picture; alpha is linear.
    pub(crate) fn of(picture: &Picture) -> Linear {
        let pixels = picture.pixels.iter().map(|&[r, g, b, a]| {
            let [r, g, b] = [r, g, b].map(|x| to_linear(x as f32 / 255.0));
            [r, g, b, a as f32 / 255.0]
        });
        Linear {
            width: picture.width as usize,
            height: picture.height as usize,
            pixels: pixels.collect(),
        }
    }

    /// Scales by area: every output pixel is the mean of the input pixels that it covers, weighted
    /// by alpha, so that the colour of transparent pixels does not show.
    pub(crate) fn resize(&self, width: usize, height: usize) -> Linear {
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows = cover(y, height, self.height);
            for x in 0..width {
                pixels.push(self.mean(&rows, &cover(x, width, self.width)));
            }
        }
        Linear { width, height, pixels }
    }

    fn mean(&self, rows: &[(usize, f32)], columns: &[(usize, f32)]) -> [f32; 4] {
        let opaque = rows
            .iter()
            .all(|&(y, _)| columns.iter().all(|&(x, _)| self.pixels[y * self.width + x][3] == 1.0));
        let (mut sum, mut total) = ([0.0f32; 4], 0.0f32);
        let mut alpha = 0.0f32;
        for &(y, row) in rows {
            for &(x, column) in columns {
                let [r, g, b, a] = self.pixels[y * self.width + x];
                let weight = column * row;
                let share = if opaque { weight } else { weight * a };
                sum = [sum[0] + r * share, sum[1] + g * share, sum[2] + b * share, sum[3] + share];
                alpha += a * weight;
                total += weight;
            }
        }
        let shares = sum[3];
        match shares > 0.0 {
            true => [sum[0] / shares, sum[1] / shares, sum[2] / shares, alpha / total],
            false => [0.0; 4],
        }
    }

    /// Returns the pixels as sRGB codes from 0 to 1, and alpha.
    pub(crate) fn codes(&self) -> Vec<[f32; 4]> {
        let code = |&[r, g, b, a]: &[f32; 4]| {
            let [r, g, b] = [r, g, b].map(to_srgb);
            [r, g, b, a]
        };
        self.pixels.iter().map(code).collect()
    }
}

/// Returns the source pixels, of `from`, that output pixel `i` of `to` covers, with their shares.
fn cover(i: usize, to: usize, from: usize) -> Vec<(usize, f32)> {
    let (start, end) = (i * from, (i + 1) * from);
    (start / to..end.div_ceil(to))
        .map(|source| {
            let overlap = end.min((source + 1) * to) - start.max(source * to);
            (source, overlap as f32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checker_averages_to_half_the_light() {
        let (black, white) = ([0, 0, 0, 255], [255; 4]);
        let checker = Picture { width: 2, height: 2, pixels: vec![black, white, white, black] };
        let [[r, g, b, a]] = Linear::of(&checker).resize(1, 1).codes()[..] else { panic!() };
        // Half the light is sRGB code 188, not 128.
        assert!([r, g, b].iter().all(|x| (x * 255.0 - 187.5).abs() < 0.5), "{r} {g} {b}");
        assert_eq!(a, 1.0);
    }

    #[test]
    fn transparent_pixels_do_not_colour_their_neighbours() {
        let pixels = vec![[255, 0, 0, 255], [0, 0, 255, 0]];
        let pair = Picture { width: 2, height: 1, pixels };
        let [[r, g, b, a]] = Linear::of(&pair).resize(1, 1).codes()[..] else { panic!() };
        assert!((r - 1.0).abs() < 1e-6, "{r}");
        assert_eq!([g, b, a], [0.0, 0.0, 0.5]);
    }

    #[test]
    fn cover_is_a_partition() {
        assert_eq!(cover(0, 2, 3), [(0, 2.0), (1, 1.0)]);
        assert_eq!(cover(1, 2, 3), [(1, 1.0), (2, 2.0)]);
        assert_eq!(cover(3, 4, 2), [(1, 2.0)]);
    }
}
