//! Texel fetches and queries: no filters, no sampler state.

use super::{Lookup, Texture};

impl Texture<'_> {
    /// Returns the texel at integer coordinates. Coordinates, layer and level are clamped to the
    /// view.
    pub(super) fn fetch(&self, lookup: &Lookup, offset: [i32; 3]) -> [u32; 4] {
        // Textures with several samples have one level; the level number then names the sample.
        let sample = match self.samples {
            1 => 0,
            count => lookup.level.clamp(0, count as i32 - 1) as u32,
        };
        let level = lookup.level.clamp(0, self.levels() as i32 - 1) as u32;
        let size = self.size(level);
        if size.contains(&0) {
            return self.swizzled([0; 4]);
        }
        let shape = self.shape();
        let mut at = [0; 3];
        for axis in 0..shape.dimensions {
            let texel = lookup.texel[axis].saturating_add(offset[axis]);
            at[axis] = texel.clamp(0, size[axis] as i32 - 1) as u32;
        }
        if shape.dimensions < 3 {
            let (first, last) = self.layers();
            at[2] = first.saturating_add(lookup.texel_layer.max(0) as u32).min(last);
        }
        self.swizzled(self.sample_of_texel(level, at, sample))
    }

    /// Returns the width, the height or number of layers, and the depth or number of layers or
    /// cubes of a level, and the number of levels. A level beyond the last has size 0.
    pub(super) fn size_query(&self, lookup: &Lookup) -> [u32; 4] {
        let shape = self.shape();
        let mut result = [0, 0, 0, self.levels()];
        let Ok(level) = u32::try_from(lookup.level) else { return result };
        if level < self.levels() {
            let size = self.size(level);
            result[..shape.dimensions].copy_from_slice(&size[..shape.dimensions]);
            if shape.array {
                let (first, last) = self.layers();
                let step = if shape.cube { 6 } else { 1 };
                result[shape.dimensions] = (last - first + 1) / step;
            }
        }
        result
    }

    /// Returns the level that a lookup would access, and the level of detail before clamping.
    pub(super) fn lod_query(&self, lambda: f64) -> [u32; 4] {
        let levels = self.choose(lambda);
        let accessed = f64::from(levels.first) + levels.weight;
        [(accessed as f32).to_bits(), (lambda as f32).to_bits(), 0, 0]
    }
}
