//! Samplers of the bound textures, prepared for a draw or a scene with the levels that their views
//! show.

use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::{PipeError, SamplerViewRange};
use tgsi::exec::{FIRST_HANDLE, HANDLE, Lanes, MemoryRequest, Resources, SampleRequest};
use tgsi::program::Sample;

use super::{Inputs, TextureBinding};
use crate::budget::Work;
use crate::features::{DESKTOP, Only, PALETTES};
#[cfg(feature = "compile")]
use crate::generator;
use crate::generator::Code;
use crate::lanes::{Level, stamps_per_batch};
use crate::memory::ShaderMemory;
#[cfg(any(feature = "fragments", feature = "es2"))]
pub(crate) use crate::texture::Sampler;
#[cfg(not(any(feature = "fragments", feature = "es2")))]
pub(crate) use crate::texture::Unfiltered as Sampler;

/// The error for texture state in builds without textures.
pub(crate) const NO_TEXTURES: PipeError =
    PipeError::Unsupported("textures (the feature `textures` has them)");

/// The levels that views show, as they lie in memory.
pub(crate) struct Levels<'m, 'a> {
    levels: Vec<'m, Level<'a>>,
    /// The number of levels of each binding.
    counts: Vec<'m, usize>,
}

impl<'m, 'a> Levels<'m, 'a> {
    /// Returns no levels.
    #[inline(always)]
    pub(crate) fn new_in(memory: Memory<'m>) -> Self {
        Levels { levels: Vec::new_in(memory), counts: Vec::new_in(memory) }
    }

    /// Finds the levels that the bindings show. Levels that are drawn to are empty.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn of(
        bindings: &[TextureBinding],
        inputs: Inputs<'a, '_>,
        memory: Memory<'m>,
    ) -> Result<Self, OutOfMemory> {
        let most = bindings.iter().map(|binding| binding.view.levels()).sum();
        let mut found = Levels {
            levels: Vec::try_with_capacity_in(most, memory)?,
            counts: Vec::try_with_capacity_in(bindings.len(), memory)?,
        };
        found.find(bindings, inputs);
        Ok(found)
    }

    fn find(&mut self, bindings: &[TextureBinding], inputs: Inputs<'a, '_>) {
        for binding in bindings {
            let before = self.levels.len();
            match binding.view.range {
                SamplerViewRange::Texture { first_level, last_level, .. } => {
                    let list = (first_level..=last_level)
                        .map_while(|level| inputs.level(binding.resource, level));
                    for level in list {
                        let _ = self.levels.push_within_capacity(level);
                    }
                }
                SamplerViewRange::Buffer { offset, size } => {
                    let bytes = inputs.bytes(binding.resource, 0);
                    let bytes = bytes.get(offset as usize..).unwrap_or(&[]);
                    let bytes = bytes.get(..size as usize).unwrap_or(bytes);
                    let texels = bytes.len() / binding.view.format.block_bytes().max(1);
                    let _ = self.levels.push_within_capacity(Level {
                        bytes,
                        width: texels as u32,
                        height: 1,
                        depth: 1,
                        row_stride: bytes.len(),
                        layer_stride: bytes.len(),
                        samples: Only::new(1),
                    });
                }
            }
            let _ = self.counts.push_within_capacity(self.levels.len() - before);
        }
    }

    /// Returns one sampler per binding of [`of`](Self::of).
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn samplers(
        &self,
        bindings: &[TextureBinding],
        memory: Memory<'m>,
    ) -> Result<Vec<'m, Sampler<'_>>, OutOfMemory> {
        let mut samplers = Vec::try_with_capacity_in(bindings.len(), memory)?;
        let mut rest = self.levels.as_slice();
        for (binding, count) in bindings.iter().zip(&self.counts) {
            let (mine, others) = rest.split_at_checked(*count).unwrap_or((&[], &[]));
            rest = others;
            let view = binding.view.of(mine);
            let sampler = Sampler::new(&view, &binding.sampler);
            let sampler = match PALETTES {
                true => sampler.with_indices(binding.view.index_bits.get().copied().flatten()),
                false => sampler,
            };
            let _ = samplers.push_within_capacity(sampler);
        }
        Ok(samplers)
    }
}

/// The resources of a shader stage: the textures that its program samples, the memory that it loads
/// from and stores to, and its machine code.
#[derive(Clone, Copy)]
pub(crate) struct StageResources<'a> {
    pub(crate) bindings: &'a [TextureBinding],
    pub(crate) samplers: &'a [Sampler<'a>],
    pub(crate) memory: ShaderMemory<'a>,
    /// The work budget of the program's loops.
    pub(crate) work: Work<'a>,
    /// The machine code of the program's arithmetic.
    pub(crate) code: Code<'a>,
}

impl<'a> StageResources<'a> {
    /// Returns the sampler of a view unit and a sampler unit, or of a handle; `None` if nothing is
    /// bound there.
    #[inline(always)]
    fn sampler(&self, view: u32, sampler: u32) -> Option<&'a Sampler<'a>> {
        let bound = match DESKTOP && view >= FIRST_HANDLE {
            // Handles may be many; bindings are sorted by their numbers.
            true => self.bindings.binary_search_by_key(&view, |binding| binding.unit).ok(),
            false => self.bindings.iter().position(|binding| binding.is_at(view, sampler)),
        }?;
        self.samplers.get(bound)
    }
}

impl<R: Lanes> Resources<R> for StageResources<'_> {
    fn stopped(&mut self, units: u32) -> bool {
        // Draw passes 0 units between its segments, to ask at once.
        if units == 0 { self.work.take().is_err() } else { self.work.stops_after(units) }
    }

    #[cfg(feature = "shader-memory")]
    fn clock(&mut self) -> u64 {
        self.work.now_ns()
    }

    #[cfg(feature = "compile")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: tgsi::exec::Mask) -> Option<u32> {
        generator::run(self.code, segment, rows, exec)
    }

    fn sample_rows(&mut self, sample: &Sample, rows: &mut [R]) -> bool {
        // Copying rows of so few lanes costs nothing.
        if stamps_per_batch::<R>() == 0 {
            return false;
        }
        let sampler = self.sampler(sample.view.into(), sample.sampler.into());
        let Some(sampler) = sampler else { return false };
        let is_done = sampler.sample_rows(sample, rows);
        if DESKTOP && is_done {
            self.work.count(sampler.units(sample.kind, R::COUNT as u32));
        }
        is_done
    }

    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        match self.sampler(request.view, request.sampler) {
            Some(sampler) => {
                sampler.sample(request, out);
                if DESKTOP {
                    self.work.count(sampler.units(request.kind, request.live.count_ones()));
                }
            }
            // An invalid handle reads as 0.
            None if DESKTOP && request.view >= HANDLE.into() => {}
            // An unbound unit samples as opaque black, like an incomplete texture.
            None => *out = [R::ZERO, R::ZERO, R::ZERO, R::splat(1.0f32.to_bits())],
        }
    }

    #[inline(always)]
    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        self.memory.access(request, out);
    }
}
