//! Plain lookups: colours of texels of one word, along one axis or two, without borders and comparisons.
//!
//! Most lookups of programs are plain. Where rows are wide they take three loops over the lanes instead
//! of one a step: addresses, loads, colours. Loads lie between loops over vectors, because no vector
//! loads from addresses that are tested.

use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

use super::fetch::Texel;
use super::loads::{LANES, pair_at, word_at};
use super::wrap::{Axis, Wrap};
use super::{Coordinates, Level, Sampler};
use crate::lanes::{UnormLayout, floor, stamps_per_batch};

/// A plain lookup in a level, whose bytes number less than 2³².
struct Lookup<'a> {
    level: &'a Level<'a>,
    layout: &'a UnormLayout,
    /// The wrap mode along s, and along t where there is a t.
    axes: (Axis, Option<Axis>),
    coordinates: [&'a [u32]; 2],
    layer: &'a [u32],
}

impl Sampler<'_> {
    /// Writes the nearest texels' colours if the lookup is plain; returns false if not.
    pub(super) fn plain_nearest<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) -> bool {
        let Some(lookup) = self.plain(level, at, &self.nearest) else { return false };
        let out = out.each_mut().map(|row| row.as_mut_slice());
        match lookup.layout.bytes {
            4 => lookup.nearest::<4>(out),
            3 => lookup.nearest::<3>(out),
            2 => lookup.nearest::<2>(out),
            _ => lookup.nearest::<1>(out),
        }
        true
    }

    /// Writes bilinear means if the lookup is plain, and the texels of each lane are neighbours along s;
    /// returns false if not.
    pub(super) fn plain_linear<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) -> bool {
        let Some(lookup) = self.plain(level, at, &self.linear) else { return false };
        let out = out.each_mut().map(|row| row.as_mut_slice());
        match lookup.layout.bytes {
            4 => lookup.linear::<4>(out),
            3 => lookup.linear::<3>(out),
            2 => lookup.linear::<2>(out),
            _ => lookup.linear::<1>(out),
        }
    }

    /// Returns the lookup in a level, with the wrap modes of a filter; `None` if it is not plain.
    #[inline(always)]
    fn plain<'a, R: Lanes>(
        &'a self,
        level: &'a Level<'a>,
        at: &Coordinates<'a, R>,
        wraps: &[Wrap; 3],
    ) -> Option<Lookup<'a>> {
        let Texel::Unorm(layout) = &self.texel else { return None };
        let is_plain = stamps_per_batch::<R>() > 0
            && self.shape.dims() <= 2
            && !self.has_border
            && at.reference.is_none()
            && u32::try_from(level.bytes.len()).is_ok();
        if !is_plain {
            return None;
        }
        let ([s, t, _], [x, y, _]) = (wraps, at.offset);
        let t_axis = || t.axis(level.height, self.normalized, y.into());
        Some(Lookup {
            level,
            layout,
            axes: (
                s.axis(level.width, self.normalized, x.into()),
                (self.shape.dims() > 1).then(t_axis),
            ),
            coordinates: [at.coord[0].as_slice(), at.coord[1].as_slice()],
            layer: at.layer.as_slice(),
        })
    }
}

impl Lookup<'_> {
    #[inline(never)]
    fn nearest<const N: usize>(&self, out: [&mut [u32]; 4]) {
        let mut texels = [0; LANES];
        vectorize(
            #[inline(always)]
            || {
                // Copies, so that stores to the rows cannot change them.
                let Lookup { level, layout, axes: (s, t), coordinates, layer } = *self;
                let (row, slice) = (level.row_stride as u32, level.layer_stride as u32);
                let texels = texels.get_mut(..layer.len()).unwrap_or_default();
                // Offsets lie where the texels go.
                s.texels(coordinates[0], texels.iter_mut().zip(layer), |u, (offset, layer)| {
                    let x = s.index(floor(u).1);
                    *offset = layer.wrapping_mul(slice).wrapping_add(x.wrapping_mul(N as u32));
                });
                if let Some(t) = t {
                    t.texels(coordinates[1], texels.iter_mut(), |u, offset| {
                        let y = t.index(floor(u).1);
                        *offset = offset.wrapping_add(y.wrapping_mul(row));
                    });
                }
                for texel in &mut *texels {
                    *texel = word_at::<N>(level.bytes, *texel as usize);
                }
                layout.unpack_inline(texels, out);
            },
        );
    }

    #[inline(never)]
    fn linear<const N: usize>(&self, out: [&mut [u32]; 4]) -> bool {
        let [mut upper, mut lower, mut across, mut down] = [[0; LANES]; 4];
        let mut texels = [[0; LANES]; 4];
        vectorize(
            #[inline(always)]
            || {
                let Lookup { level, layout, axes: (s, t), coordinates, layer } = *self;
                let (row, slice) = (level.row_stride as u32, level.layer_stride as u32);
                let lanes = upper.iter_mut().zip(&mut lower).zip(&mut across).zip(layer);
                s.texels(coordinates[0], lanes, |u, (((offset, apart), weight), layer)| {
                    let ([first, second], bits) = s.around(u);
                    *weight = bits;
                    // It lies where the lower offset goes, until all lanes are known to be neighbours.
                    *apart = first.wrapping_add(1) ^ second;
                    *offset = layer.wrapping_mul(slice).wrapping_add(first.wrapping_mul(N as u32));
                });
                if lower.iter().fold(0, |all, apart| all | apart) != 0 {
                    return false;
                }
                let lanes = upper.iter_mut().zip(&mut lower).zip(&mut down);
                if let Some(t) = t {
                    t.texels(coordinates[1], lanes, |u, ((upper, lower), weight)| {
                        let ([first, second], bits) = t.around(u);
                        *weight = bits;
                        *lower = upper.wrapping_add(second.wrapping_mul(row));
                        *upper = upper.wrapping_add(first.wrapping_mul(row));
                    });
                } else {
                    lower = upper;
                }
                let [a, b, c, d] = &mut texels;
                let lanes = a.iter_mut().zip(b).zip(c).zip(d).zip(&upper).zip(&lower);
                for (((((a, b), c), d), upper), lower) in lanes {
                    let [upper, lower] = [*upper as usize, *lower as usize];
                    let pairs =
                        [pair_at::<N>(level.bytes, upper), pair_at::<N>(level.bytes, lower)];
                    let [upper, lower] = pairs;
                    (*a, *b) = (upper as u32, (upper >> (8 * N)) as u32);
                    (*c, *d) = (lower as u32, (lower >> (8 * N)) as u32);
                }
                layout.bilinear_inline(&texels, &across, &down, out);
                true
            },
        )
    }
}
