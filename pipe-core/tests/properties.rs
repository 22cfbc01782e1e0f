//! Properties of layouts and boxes on random sizes.

use gallium_pipe_core::layout::{Layout, holds};
use gallium_pipe_core::{Bind, Format, Region, ResourceTemplate, TextureTarget};
use proptest::prelude::*;

/// Generates valid templates of every target, small enough for a test.
fn template() -> impl Strategy<Value = ResourceTemplate> {
    let format = prop::sample::select(vec![
        Format::R8Unorm,
        Format::B5G6R5Unorm,
        Format::R8G8B8Unorm,
        Format::R32G32B32A32Float,
    ]);
    let target = prop::sample::select(TextureTarget::ALL);
    (format, target, 1..40u32, 1..40u32, 1..9u32, any::<bool>()).prop_map(
        |(format, target, width, height, layers, mipmapped)| {
            let base = ResourceTemplate::texture_2d(format, width, height, Bind::SAMPLER_VIEW);
            let base = ResourceTemplate { target, ..base };
            let template = match target {
                TextureTarget::Buffer => ResourceTemplate::buffer(width * height, base.bind),
                TextureTarget::Texture1D => ResourceTemplate { height0: 1, ..base },
                TextureTarget::Texture1DArray => {
                    ResourceTemplate { height0: 1, array_size: layers, ..base }
                }
                TextureTarget::Texture2DArray => ResourceTemplate { array_size: layers, ..base },
                TextureTarget::Texture3D => ResourceTemplate { depth0: layers, ..base },
                TextureTarget::Cube => ResourceTemplate { height0: width, array_size: 6, ..base },
                TextureTarget::CubeArray => {
                    ResourceTemplate { height0: width, array_size: 6 * layers, ..base }
                }
                TextureTarget::Texture2D | TextureTarget::Rect => base,
            };
            if mipmapped { template.mipmapped() } else { template }
        },
    )
}

/// Generates a box near a level of up to 20 texels per side, inside or outside.
fn region() -> impl Strategy<Value = Region> {
    let side = || (-4..24i32, -4..24i32);
    (side(), side(), side()).prop_map(|((x, width), (y, height), (z, depth))| Region {
        x,
        y,
        z,
        width,
        height,
        depth,
    })
}

/// Returns the texels of a box, one by one.
fn texels(region: &Region) -> Vec<[i32; 3]> {
    let Region { x, y, z, width, height, depth } = *region;
    let mut list = Vec::new();
    for z in z..z + depth.max(0) {
        for y in y..y + height.max(0) {
            list.extend((x..x + width.max(0)).map(|x| [x, y, z]));
        }
    }
    list
}

proptest! {
    /// Texels lie one after another, without gaps, up to the end.
    #[test]
    fn layouts_are_gapless(template in template()) {
        prop_assert_eq!(template.validate(), Ok(()));
        let layout = Layout::of(&template).expect("a valid template");
        let bytes = template.format.block_bytes();
        let mut expected = 0;
        for level in 0..=template.last_level {
            let [width, height, layers] = template.level_size(level).expect("a level");
            for z in 0..layers {
                for y in 0..height {
                    for x in 0..width {
                        prop_assert_eq!(layout.offset(level, x, y, z), Some(expected));
                        expected += bytes;
                    }
                }
            }
            prop_assert_eq!(layout.offset(level, width, 0, 0), None);
        }
        prop_assert_eq!(layout.total(), expected);
    }

    /// Boxes agree with texels counted one by one.
    #[test]
    fn boxes_are_their_texels(a in region(), b in region()) {
        let common: Vec<_> = {
            let of_b = texels(&b);
            texels(&a).into_iter().filter(|texel| of_b.contains(texel)).collect()
        };
        prop_assert_eq!(a.overlaps(&b), !common.is_empty());
        if !common.is_empty() {
            prop_assert_eq!(texels(&a.intersection(&b)), common);
        }
        let size = [20u32, 10, 5];
        let sides = [a.width, a.height, a.depth];
        if sides.iter().all(|side| *side > 0) {
            let inside = texels(&a)
                .iter()
                .all(|texel| texel.iter().zip(size).all(|(at, end)| (0..end as i32).contains(at)));
            prop_assert_eq!(a.is_within(size), inside);
        }
        if let Some((upright, flips)) = a.unflipped() {
            prop_assert_eq!([upright.width, upright.height, upright.depth], sides.map(i32::abs));
            prop_assert_eq!(flips, sides.map(|side| side < 0));
        }
    }

    /// Data is large enough exactly if its last byte exists.
    #[test]
    fn data_holds_its_last_byte(
        row in 1..9usize, rows in 1..9usize, layers in 1..9usize, pad in 0..5usize, gap in 0..5usize,
    ) {
        let stride = row + pad;
        let layer_stride = stride * rows + gap;
        let last = (layers - 1) * layer_stride + (rows - 1) * stride + row;
        prop_assert!(holds(last, [row, rows, layers], stride, layer_stride));
        prop_assert!(!holds(last - 1, [row, rows, layers], stride, layer_stride));
    }
}
