//! Kernels that are chosen when a program is built, for [`direct`](crate::direct). Their three
//! varyings are in perspective.

use super::filtered::Filter;
use super::{Component, Rgb565, Texels};
use crate::depth::Occlusion;
use crate::features::Only;
use crate::lanes::Level;
use crate::scene::Varying;
use crate::scene::recognised::DepthTest;

/// Three varyings. Their order selects the rows.
const VARYINGS: &[Varying] = &[Varying::PERSPECTIVE; 3];

/// The colour of each channel: a varying.
const COLOR: [Component; 3] = [Component::Varying(0), Component::Varying(1), Component::Varying(2)];

impl<'a> Rgb565<'a> {
    /// Returns the kernel of interpolated colours: the three varyings.
    pub(crate) const fn of_colors(depth: DepthTest) -> Self {
        let is_nearer = matches!(depth, DepthTest::NEARER);
        Rgb565 {
            color: COLOR,
            program: Only::new(None),
            texture: None,
            filter: Only::new(None),
            depth,
            nearer: is_nearer,
            varyings: VARYINGS,
            occlusion: match depth {
                DepthTest::None => Occlusion::NONE,
                DepthTest::Z16(func, write) => Occlusion::of_test(func, write),
            },
            perspective: true,
            flat: false,
            direct: true,
        }
    }

    /// Returns the kernel of nearest texels; the first two varyings are the coordinates. The sides
    /// of the image are 2 to the powers of `log2`.
    pub(crate) const fn of_texels(depth: DepthTest, texels: &'a [u16], log2: [u32; 2]) -> Self {
        let [log2_width, log2_height] = log2;
        let texture = Texels { texels, log2_width, log2_height, s: 0, t: 1 };
        Rgb565 { texture: Some(texture), direct: false, ..Rgb565::of_colors(depth) }
    }

    /// Returns the kernel of the mean of four texels, times the third varying.
    pub(crate) fn of_means(depth: DepthTest, levels: &'a [Level<'a>]) -> Self {
        let filter = Only::new(Some(Filter::of_level(levels, [Component::Varying(2); 3])));
        Rgb565 { filter, direct: false, ..Rgb565::of_colors(depth) }
    }
}
