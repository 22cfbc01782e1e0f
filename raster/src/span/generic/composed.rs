//! Kernels that are chosen when a program is built, for [`direct`](crate::direct): source alpha over
//! RGB565.
//!
//! Their four varyings are in perspective. The last one is alpha, or multiplies the texel's.

use super::blend::Blend;
use super::channel::ChannelLayout;
use super::texels::Texels;
use super::{Generic, ONE, Product, Texture};
use crate::depth::{Occlusion, Plain};
use crate::lanes::{TileTargets, UnormLayout};
use crate::output::Parts;
use crate::scene::Varying;
use crate::scene::recognised::DepthTest;
use crate::setup::FillRule;
use crate::span::{Corners, PaintTriangle, Scratch, Window};

/// Four varyings. Their order selects the rows.
const VARYINGS: &[Varying] = &[Varying::PERSPECTIVE; 4];

/// Returns a component of the colour.
const fn product(texel: Option<ChannelLayout>, varying: Option<usize>) -> Product {
    Product { texel, varying, constant: 1.0, fixed: ONE }
}

impl<'a> Generic<'a, true> {
    /// Paints the pixels of a tile that a triangle covers.
    #[inline(never)]
    pub(crate) fn paint_triangle(
        &self,
        corners: &Corners<'_>,
        rule: FillRule,
        window: &Window,
        scratch: &mut Scratch,
        targets: &mut TileTargets<'_>,
    ) -> bool {
        self.solve_and_paint(corners, &rule, window, scratch, targets)
    }

    /// Returns the kernel of interpolated colours: the four varyings.
    pub(crate) const fn of_colors(depth: DepthTest) -> Self {
        let (depth, occlusion) = match depth {
            DepthTest::None => (None, Occlusion::NONE),
            DepthTest::Z16(func, write) => {
                (Some(Plain::of_16_bits(func, write)), Occlusion::of_test(func, write))
            }
        };
        Generic {
            color: [
                product(None, Some(0)),
                product(None, Some(1)),
                product(None, Some(2)),
                product(None, Some(3)),
            ],
            needed: 0b1111,
            mixed: false,
            beyond: false,
            texture: None,
            target: Parts { layout: &UnormLayout::B5G6R5, writable: None, blend: None },
            blend: Some(Blend::OVER_RGB565),
            sprite: None,
            alpha: None,
            flat: false,
            varyings: VARYINGS,
            depth,
            occlusion,
            perspective: true,
        }
    }

    /// Returns the kernel of texels of 2 bytes. The first two varyings are the coordinates, and the
    /// sides of the image are 2 to the powers of `log2`, which are below 14. Takes nearest texels,
    /// or means of four times the third varying if `linear` is set.
    pub(crate) const fn of_texels(
        depth: DepthTest,
        layout: &UnormLayout,
        bytes: &'a [u8],
        log2: [u32; 2],
        linear: bool,
    ) -> Self {
        let light = if linear { Some(2) } else { None };
        let [r, g, b, a] = ChannelLayout::all(layout);
        let texels = Texels::repeating(bytes, log2, linear);
        Generic {
            color: [
                product(Some(r), light),
                product(Some(g), light),
                product(Some(b), light),
                product(Some(a), Some(3)),
            ],
            texture: Some(Texture { texels, coordinates: [0, 1] }),
            ..Generic::of_colors(depth)
        }
    }
}
