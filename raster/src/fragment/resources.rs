//! The resources of a fragment program: textures, memory, and the current colour of its pixel
//! (`FBFETCH`).

use formats::lanes::Unpacker;
use tgsi::exec::{InterpolateRequest, RENDER_TARGET};
use tgsi::exec::{Lanes, Mask, MemoryRequest, MemorySpace, Resources, SampleRequest};
use tgsi::program::Sample;

use super::batch::Batch;
use super::inputs_at::InputsAt;
use crate::features::{DESKTOP, OfSamples};
use crate::lanes::planes::unpack;
use crate::lanes::{QuadPositions, Target, TileTargets, gather_planes};
use crate::resource::StageResources;

/// The textures and targets that a batch reads.
///
/// A batch never holds a pixel twice and is written before the next batch runs. So a program reads
/// the colours that all earlier primitives left (coherent framebuffer fetch).
pub(super) struct FragmentResources<'a, 't, R: Lanes> {
    pub(super) textures: StageResources<'a>,
    pub(super) batch: &'a Batch<R>,
    pub(super) targets: &'a mut TileTargets<'t>,
    pub(super) at: OfSamples<InputsAt<'a, R>>,
}

impl<R: Lanes> Resources<R> for FragmentResources<'_, '_, R> {
    fn stopped(&mut self, units: u32) -> bool {
        Resources::<R>::stopped(&mut self.textures, units)
    }

    #[cfg(feature = "shader-memory")]
    fn clock(&mut self) -> u64 {
        Resources::<R>::clock(&mut self.textures)
    }

    #[cfg(feature = "compile")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: Mask) -> Option<u32> {
        self.textures.segment(segment, rows, exec)
    }

    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        if let Some(at) = self.at.get()
            && request.view == u32::from(RENDER_TARGET)
        {
            return at.describe_target(request, out);
        }
        self.textures.sample(request, out);
    }

    fn sample_rows(&mut self, sample: &Sample, rows: &mut [R]) -> bool {
        self.textures.sample_rows(sample, rows)
    }

    fn interpolate(&mut self, request: &InterpolateRequest<'_, R>, out: &mut [R; 4]) {
        if let Some(at) = self.at.get() {
            at.interpolate(request, out);
        }
    }

    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        if request.space != MemorySpace::ColorBuffer {
            self.textures.memory(request, out);
            return;
        }
        let target = self.targets.color.get_mut(request.unit as usize).and_then(Option::as_mut);
        if DESKTOP && let Some(target) = target {
            let positions = self.batch.positions();
            match self.at.get() {
                Some(at) => read(&at.plane(target), positions, request.live, out),
                None => read(target, positions, request.live, out),
            }
        }
    }
}

/// Reads the colours of a batch's pixels, as f32 or, from a pure-integer format, as integers.
#[cold]
#[inline(never)]
fn read<R: Lanes>(target: &Target<'_>, quads: QuadPositions<'_>, mask: Mask, out: &mut [R; 4]) {
    let bytes = target.format.block_bytes();
    let mut texels = [R::ZERO; 4];
    gather_planes(target, bytes, quads, mask, &mut texels);
    unpack(&Unpacker::new(target.format), bytes.div_ceil(4), &texels, out);
}
