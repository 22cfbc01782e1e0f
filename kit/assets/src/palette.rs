//! Palettes: a picture in few colours, by median cut.

use std::collections::HashMap;

type Color = [u8; 4];

/// Returns at most `count` colours, and the index of the nearest one for each pixel. A picture with
/// no more colours keeps them exactly.
pub(crate) fn reduce(pixels: &[Color], count: usize) -> (Vec<Color>, Vec<u8>) {
    let mut used: HashMap<Color, u64> = HashMap::new();
    for pixel in pixels {
        *used.entry(*pixel).or_default() += 1;
    }
    let mut colors: Vec<(Color, u64)> = used.into_iter().collect();
    colors.sort();
    let palette: Vec<Color> = if colors.len() <= count {
        colors.iter().map(|(color, _)| *color).collect()
    } else {
        let mut boxes = vec![colors];
        while boxes.len() < count {
            // The box with the widest channel, weighted by its pixels, is cut at its median.
            let Some((at, channel)) = widest(&boxes) else { break };
            let mut colors = boxes.swap_remove(at);
            colors.sort_by_key(|(color, _)| (color[channel], *color));
            let half: u64 = colors.iter().map(|(_, pixels)| pixels).sum::<u64>() / 2;
            let mut sum = 0;
            let cut = colors.iter().position(|(_, pixels)| {
                sum += pixels;
                sum > half
            });
            let cut = cut.unwrap_or(0).clamp(1, colors.len() - 1);
            let upper = colors.split_off(cut);
            boxes.extend([colors, upper]);
        }
        boxes.sort();
        boxes.iter().map(|colors| mean(colors)).collect()
    };
    let mut known: HashMap<Color, u8> = HashMap::new();
    let nearest = |pixel: &Color| {
        let distance = |color: &Color| -> u32 {
            color.iter().zip(pixel).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
        };
        (0..palette.len()).min_by_key(|at| distance(&palette[*at])).unwrap_or(0) as u8
    };
    let indices = pixels.iter().map(|pixel| *known.entry(*pixel).or_insert_with(|| nearest(pixel)));
    let indices = indices.collect();
    (palette, indices)
}

/// Returns transparent black and the mean of the pixels of at least half alpha, opaque, and the index
/// of one of the two for each pixel.
pub(crate) fn mask(pixels: &[Color]) -> (Vec<Color>, Vec<u8>) {
    let is_covered = |[.., alpha]: &Color| *alpha >= 128;
    let covered: Vec<(Color, u64)> = pixels
        .iter()
        .filter(|pixel| is_covered(pixel))
        .map(|&[r, g, b, _]| ([r, g, b, 255], 1))
        .collect();
    let indices = pixels.iter().map(|pixel| is_covered(pixel).into()).collect();
    let [r, g, b, _] = mean(&covered);
    (vec![[0; 4], [r, g, b, 255]], indices)
}

/// Returns the box to cut and its widest channel; `None` if all boxes have one colour.
fn widest(boxes: &[Vec<(Color, u64)>]) -> Option<(usize, usize)> {
    let spread = |colors: &[(Color, u64)], channel: usize| {
        let values = || colors.iter().map(|(color, _)| color[channel]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    let all = boxes.iter().enumerate().filter(|(_, colors)| colors.len() > 1);
    let wide = all.flat_map(|(at, colors)| {
        let pixels: u64 = colors.iter().map(|(_, pixels)| pixels).sum();
        (0..4).map(move |channel| (u64::from(spread(colors, channel)) * pixels, at, channel))
    });
    wide.max_by_key(|(weight, at, channel)| (*weight, std::cmp::Reverse((*at, *channel))))
        .map(|(_, at, channel)| (at, channel))
}

/// Returns the mean of a box, weighted by its pixels.
fn mean(colors: &[(Color, u64)]) -> Color {
    let total: u64 = colors.iter().map(|(_, pixels)| pixels).sum::<u64>().max(1);
    [0, 1, 2, 3].map(|channel| {
        let sum: u64 =
            colors.iter().map(|(color, pixels)| u64::from(color[channel]) * pixels).sum();
        ((sum + total / 2) / total) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_exact() {
        let pixels = [[9, 8, 7, 255], [1, 2, 3, 0], [9, 8, 7, 255]];
        let (palette, indices) = reduce(&pixels, 4);
        assert_eq!(palette, [[1, 2, 3, 0], [9, 8, 7, 255]]);
        assert_eq!(indices, [1, 0, 1]);
    }

    #[test]
    fn a_mask_has_the_mean_of_what_it_covers() {
        let pixels = [[10, 20, 30, 255], [90, 90, 90, 127], [30, 40, 50, 128]];
        let (palette, indices) = mask(&pixels);
        assert_eq!(palette, [[0; 4], [20, 30, 40, 255]]);
        assert_eq!(indices, [1, 0, 1]);
        assert_eq!(mask(&[[9, 9, 9, 0]]), (vec![[0; 4], [0, 0, 0, 255]], vec![0]));
    }

    #[test]
    fn many_colours_become_the_means_of_their_groups() {
        // Two groups, of darker and of brighter greys.
        let greys = [10, 12, 14, 200, 202, 204].map(|x| [x, x, x, 255]);
        let (palette, indices) = reduce(&greys, 2);
        assert_eq!(palette, [[12, 12, 12, 255], [202, 202, 202, 255]]);
        assert_eq!(indices, [0, 0, 0, 1, 1, 1]);
    }
}
