//! Samplers.

use std::sync::Arc;

use pipe_core::{ColorUnion, SamplerHandle, SamplerState, TexCompare};
use wgpu_hal::{DeviceError, SamplerDescriptor};
use wgpu_types::SamplerBorderColor;

use crate::machine::{Garbage, Machine};
use crate::state;

/// A sampler of wgpu-hal.
#[derive(Clone, Debug)]
pub struct Sampler(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    handle: SamplerHandle,
    machine: Arc<Machine>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.machine.discard(Garbage::Sampler(self.handle));
    }
}

impl Sampler {
    pub(crate) fn new(
        machine: &Arc<Machine>,
        desc: &SamplerDescriptor<'_>,
    ) -> Result<Sampler, DeviceError> {
        let [wrap_s, wrap_t, wrap_r] = desc.address_modes.map(state::wrap);
        let border = match desc.border_color {
            None | Some(SamplerBorderColor::TransparentBlack | SamplerBorderColor::Zero) => {
                [0.0; 4]
            }
            Some(SamplerBorderColor::OpaqueBlack) => [0.0, 0.0, 0.0, 1.0],
            Some(SamplerBorderColor::OpaqueWhite) => [1.0; 4],
        };
        let anisotropy = u8::try_from(desc.anisotropy_clamp).unwrap_or(16).min(16);
        let state = SamplerState {
            wrap_s,
            wrap_t,
            wrap_r,
            min_img_filter: state::filter(desc.min_filter),
            mag_img_filter: state::filter(desc.mag_filter),
            min_mip_filter: state::mip_filter(desc.mipmap_filter),
            compare_mode: match desc.compare {
                Some(_) => TexCompare::RToTexture,
                None => TexCompare::None,
            },
            compare_func: desc.compare.map(state::compare).unwrap_or_default(),
            max_anisotropy: if anisotropy > 1 { anisotropy } else { 0 },
            seamless_cube_map: true,
            min_lod: desc.lod_clamp.start,
            max_lod: desc.lod_clamp.end,
            border_color: ColorUnion::float(border),
            ..SamplerState::default()
        };
        let handle = machine.create(|_, context| context.create_sampler_state(&state))?;
        Ok(Sampler(Arc::new(Shared { handle, machine: Arc::clone(machine) })))
    }

    pub(crate) fn handle(&self) -> SamplerHandle {
        self.0.handle
    }
}
