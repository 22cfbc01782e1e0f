//! Plain lookups: colours from texels of one word, along one or two axes, without borders and
//! comparisons.
//!
//! Most lookups of programs are plain. Wide rows take three loops over the lanes instead of one
//! loop per step: addresses, loads, colours. The loads have their own loop between loops over
//! vectors, because vectors cannot load with bounds checks.

use formats::lanes::word;
use os_shim::simd::vectorize;
use tgsi::exec::Lanes;

use super::fetch::Texel;
use super::loads::{LANES, pair_at};
use super::wrap::{Axis, Wrap};
use super::{Coordinates, Level, Sampler};
use crate::lanes::{UnormLayout, floor, stamps_per_batch};

/// A plain lookup in a level of less than 2³² bytes.
pub(super) struct Lookup<'a> {
    level: &'a Level<'a>,
    /// The bytes per texel.
    texel: u32,
    /// The wrap modes along s, and along t if there is a t.
    s: Axis,
    t: Axis,
    has_t: bool,
    coordinates: [&'a [u32]; 2],
    layers: Layers<'a>,
}

/// The layers of a lookup's lanes.
#[derive(Clone, Copy)]
pub(super) enum Layers<'a> {
    /// One layer in all lanes.
    One(u32),
    /// One layer per lane.
    Each(&'a [u32]),
}

impl Layers<'_> {
    /// Adds the layers, `slice` bytes apart, to offsets.
    #[inline(always)]
    fn add_to(self, offsets: &mut [u32], slice: u32) {
        match self {
            // The only layer of a view is usually layer 0.
            Layers::One(0) => {}
            Layers::One(layer) => {
                let first = layer.wrapping_mul(slice);
                offsets.iter_mut().for_each(|offset| *offset = offset.wrapping_add(first));
            }
            Layers::Each(layers) => {
                for (offset, layer) in offsets.iter_mut().zip(layers) {
                    *offset = offset.wrapping_add(layer.wrapping_mul(slice));
                }
            }
        }
    }
}

impl Sampler<'_> {
    /// Writes the nearest texels' colours if the lookup is plain; returns false if not.
    pub(super) fn plain_nearest<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) -> bool {
        let Some(layout) = self.plain_layout(level, at) else { return false };
        let lookup =
            self.plain(level, layout.bytes, at.coord, at.offset, at.layers(), &self.nearest);
        let mut texels = [0; LANES];
        let texels = texels.get_mut(..R::COUNT).unwrap_or_default();
        lookup.nearest(texels);
        layout.unpack_rows(texels, out.each_mut().map(|row| row.as_mut_slice()));
        true
    }

    /// Writes bilinear means if the lookup is plain and each lane's texels are neighbours along s;
    /// returns false if not.
    pub(super) fn plain_linear<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
        out: &mut [R; 4],
    ) -> bool {
        let Some(layout) = self.plain_layout(level, at) else { return false };
        let lookup =
            self.plain(level, layout.bytes, at.coord, at.offset, at.layers(), &self.linear);
        let mut around = Around::NONE;
        let is_found = lookup.around(&mut around);
        if is_found {
            around.mix(layout, out.each_mut().map(|row| row.as_mut_slice()));
        }
        is_found
    }

    /// Returns the layout of a level's texels if lookups at `at` are plain there.
    #[inline(always)]
    fn plain_layout<R: Lanes>(
        &self,
        level: &Level<'_>,
        at: &Coordinates<'_, R>,
    ) -> Option<&UnormLayout> {
        if at.reference.is_some() { None } else { self.layout_of_plain::<R>(level) }
    }

    /// Returns the layout of a level's texels if lookups without comparisons are plain there.
    #[inline(always)]
    pub(super) fn layout_of_plain<R: Lanes>(&self, level: &Level<'_>) -> Option<&UnormLayout> {
        let Texel::Unorm(layout) = &self.texel else { return None };
        self.has_plain_levels::<R>(level).then_some(layout)
    }

    /// Returns true if lookups are plain in a level of texels of one word.
    #[inline(always)]
    pub(super) fn has_plain_levels<R: Lanes>(&self, level: &Level<'_>) -> bool {
        stamps_per_batch::<R>() > 0
            && self.shape.dims() <= 2
            && !self.has_border
            && u32::try_from(level.bytes.len()).is_ok()
    }

    /// Returns the plain lookup in a level with texels of `texel` bytes and the wrap modes of a
    /// filter.
    #[inline(always)]
    pub(super) fn plain<'a, R: Lanes>(
        &self,
        level: &'a Level<'a>,
        texel: u32,
        [s, t, _]: [&'a R; 3],
        [x, y, _]: [i8; 3],
        layers: Layers<'a>,
        [s_wrap, t_wrap, _]: &[Wrap; 3],
    ) -> Lookup<'a> {
        Lookup {
            level,
            texel,
            s: s_wrap.axis(level.width, self.normalized, x.into()),
            t: t_wrap.axis(level.height, self.normalized, y.into()),
            has_t: self.shape.dims() > 1,
            coordinates: [s.as_slice(), t.as_slice()],
            layers,
        }
    }
}

impl<R: Lanes> Coordinates<'_, R> {
    #[inline(always)]
    fn layers(&self) -> Layers<'_> {
        Layers::Each(self.layer.as_slice())
    }
}

/// The texels around each lane's place, and the weights of the second ones.
pub(super) struct Around {
    /// At (0, 0), (1, 0), (0, 1) and (1, 1).
    texels: [[u32; LANES]; 4],
    /// f32 bits.
    across: [u32; LANES],
    down: [u32; LANES],
}

impl Around {
    pub(super) const NONE: Around =
        Around { texels: [[0; LANES]; 4], across: [0; LANES], down: [0; LANES] };

    /// Returns the texels at (0, 0), (1, 0), (0, 1) and (1, 1). The bits above the texel's size are
    /// unspecified.
    #[cfg(any(feature = "fragments", feature = "es2"))]
    pub(super) fn texels(&self) -> &[[u32; LANES]; 4] {
        &self.texels
    }

    /// Returns the weights of the second texels along s and t, as f32 bits.
    #[cfg(any(feature = "fragments", feature = "es2"))]
    pub(super) fn weights(&self) -> [&[u32]; 2] {
        [&self.across, &self.down]
    }

    /// Writes the bilinear means of the texels.
    pub(super) fn mix(&self, layout: &UnormLayout, out: [&mut [u32]; 4]) {
        vectorize(
            #[inline(always)]
            || layout.bilinear_inline(&self.texels, &self.across, &self.down, out),
        );
    }
}

impl Lookup<'_> {
    /// Finds the nearest texels.
    pub(super) fn nearest(&self, texels: &mut [u32]) {
        match self.texel {
            4 => self.nearest_of::<4>(texels),
            3 => self.nearest_of::<3>(texels),
            2 => self.nearest_of::<2>(texels),
            _ => self.nearest_of::<1>(texels),
        }
    }

    /// Finds the texels around each lane's place if they are neighbours along s in all lanes;
    /// returns false if not.
    pub(super) fn around(&self, around: &mut Around) -> bool {
        match self.texel {
            4 => self.around_of::<4>(around),
            3 => self.around_of::<3>(around),
            2 => self.around_of::<2>(around),
            _ => self.around_of::<1>(around),
        }
    }

    #[inline(never)]
    fn nearest_of<const N: usize>(&self, texels: &mut [u32]) {
        vectorize(
            #[inline(always)]
            || {
                // Copies, so that stores to the rows cannot change them.
                let Lookup { level, s, t, has_t, coordinates, layers, .. } = *self;
                // Places count texels. Rows are a whole number of texels apart, so one comparison
                // checks a place against the level's end.
                let row = (level.row_stride / N) as u32;
                let slice = (level.layer_stride / N) as u32;
                // The places are kept in the row that receives the texels.
                s.texels(coordinates[0], texels.iter_mut(), |u, place| {
                    *place = s.index(floor(u).1);
                });
                layers.add_to(texels, slice);
                if has_t {
                    t.texels(coordinates[1], texels.iter_mut(), |u, place| {
                        *place = place.wrapping_add(t.index(floor(u).1).wrapping_mul(row));
                    });
                }
                load::<N>(level.bytes.as_chunks().0, texels);
            },
        );
    }

    #[inline(never)]
    fn around_of<const N: usize>(&self, around: &mut Around) -> bool {
        vectorize(
            #[inline(always)]
            || {
                let Lookup { level, s, t, has_t, coordinates, layers, .. } = *self;
                let (row, slice) = (level.row_stride as u32, level.layer_stride as u32);
                let Around { texels: [upper, beside, lower, last], across, down } = around;
                // The offsets are kept in the rows that receive the first texel of each pair.
                let lanes = upper.iter_mut().zip(&mut *lower).zip(across);
                s.texels(coordinates[0], lanes, |u, ((offset, apart), weight)| {
                    let ([first, second], bits) = s.around(u);
                    *weight = bits;
                    // Held in the lower offset's row until all lanes are known to be neighbours.
                    *apart = first.wrapping_add(1) ^ second;
                    *offset = first.wrapping_mul(N as u32);
                });
                if lower.iter().fold(0, |all, apart| all | apart) != 0 {
                    return false;
                }
                layers.add_to(upper, slice);
                if has_t {
                    let lanes = upper.iter_mut().zip(&mut *lower).zip(down);
                    t.texels(coordinates[1], lanes, |u, ((upper, lower), weight)| {
                        let ([first, second], bits) = t.around(u);
                        *weight = bits;
                        *lower = upper.wrapping_add(second.wrapping_mul(row));
                        *upper = upper.wrapping_add(first.wrapping_mul(row));
                    });
                } else {
                    *lower = *upper;
                }
                let bytes = level.bytes;
                let lanes = upper.iter_mut().zip(beside).zip(lower).zip(last);
                for (((a, b), c), d) in lanes {
                    let upper = pair_at::<N>(bytes, *a as usize);
                    let lower = pair_at::<N>(bytes, *c as usize);
                    (*a, *b) = (upper as u32, (upper >> (8 * N)) as u32);
                    (*c, *d) = (lower as u32, (lower >> (8 * N)) as u32);
                }
                true
            },
        )
    }
}

/// Replaces places with the texels there; 0 outside the level.
///
/// Lanes come in quads, so that a pair of lanes lies side by side. If every pair reads neighbouring
/// texels, or the same texel twice, one load fetches both.
#[inline(always)]
fn load<const N: usize>(level: &[[u8; N]], texels: &mut [u32]) {
    let mut alike = [0; LANES / 2];
    let (pairs, _) = texels.as_chunks_mut::<2>();
    let mut apart = 0;
    for ([first, second], alike) in pairs.iter().zip(&mut alike) {
        let step = second.wrapping_sub(*first);
        apart |= step & !1;
        *alike = step.wrapping_sub(1);
    }
    // The last texel begins no pair, and in small levels many lanes read it.
    if apart != 0 || level.len() <= 16 {
        // Four at a time: the compiler does not unroll loops that branch.
        for texels in texels.as_chunks_mut::<4>().0 {
            *texels = texels.map(|place| level.get(place as usize).map_or(0, |texel| word(texel)));
        }
        return;
    }
    for [first, second] in &mut *pairs {
        let pair = pair_from(level, *first as usize);
        (*first, *second) = (word(&pair[0]), word(&pair[1]));
    }
    for ([first, second], alike) in pairs.iter_mut().zip(&alike) {
        *second = *second & !alike | *first & alike;
    }
}

/// Returns two neighbouring texels; zeros for texels outside the level.
#[inline(always)]
fn pair_from<const N: usize>(level: &[[u8; N]], first: usize) -> [[u8; N]; 2] {
    match level.get(first..first + 2) {
        Some(&[first, second]) => [first, second],
        _ => [level.get(first).copied().unwrap_or([0; N]), [0; N]],
    }
}
