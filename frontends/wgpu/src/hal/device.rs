//! The device: creates objects, maps buffers, waits for fences.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wgpu_hal as hal;
use wgpu_hal::{DeviceError, PipelineError};
use wgpu_types as wgt;

use super::{Absent, Api, Encoder, Queue};
use crate::bind::{BindGroup, BindGroupLayout, GroupDescriptor, PipelineLayout};
use crate::buffer::{Buffer, Storage};
use crate::machine::Machine;
use crate::pipeline::{ComputePipeline, RenderPipeline};
use crate::query::QuerySet;
use crate::sampler::Sampler;
use crate::shader::ShaderModule;
use crate::texture::{Texture, TextureView};

/// A device. Its objects are reference counted: destroying one drops it.
#[derive(Debug)]
pub struct Device {
    pub(super) machine: Arc<Machine>,
}

impl Device {
    pub(super) fn new(machine: Arc<Machine>) -> Device {
        Device { machine }
    }
}

/// The number of the last submission that is done.
#[derive(Default, Debug)]
pub struct Fence(AtomicU64);

impl Fence {
    pub(super) fn signal(&self, value: hal::FenceValue) {
        self.0.fetch_max(value, Ordering::AcqRel);
    }
}

/// Returns the error of a feature that the adapter does not announce.
fn absent(what: &str) -> DeviceError {
    log::error!("{what} are not supported");
    DeviceError::Unexpected
}

impl hal::Device for Device {
    type A = Api;

    unsafe fn create_buffer(
        &self,
        desc: &hal::BufferDescriptor<'_>,
    ) -> Result<Buffer, DeviceError> {
        Buffer::new(&self.machine, desc)
    }

    unsafe fn destroy_buffer(&self, _: Buffer) {}

    unsafe fn add_raw_buffer(&self, _: &Buffer) {}

    unsafe fn map_buffer(
        &self,
        buffer: &Buffer,
        range: hal::MemoryRange,
    ) -> Result<hal::BufferMapping, DeviceError> {
        let Storage::Host(memory) = buffer.storage() else {
            return Err(absent("maps of buffers with other uses than copies"));
        };
        let ptr = memory.map(range).ok_or(DeviceError::Unexpected)?;
        Ok(hal::BufferMapping { ptr, is_coherent: true })
    }

    unsafe fn unmap_buffer(&self, _: &Buffer) {}

    unsafe fn flush_mapped_ranges<I>(&self, _: &Buffer, _: I)
    where
        I: Iterator<Item = hal::MemoryRange>,
    {
    }

    unsafe fn invalidate_mapped_ranges<I>(&self, _: &Buffer, _: I)
    where
        I: Iterator<Item = hal::MemoryRange>,
    {
    }

    unsafe fn create_texture(
        &self,
        desc: &hal::TextureDescriptor<'_>,
    ) -> Result<Texture, DeviceError> {
        Texture::new(&self.machine, desc)
    }

    unsafe fn destroy_texture(&self, _: Texture) {}

    unsafe fn add_raw_texture(&self, _: &Texture) {}

    unsafe fn create_texture_view(
        &self,
        texture: &Texture,
        desc: &hal::TextureViewDescriptor<'_>,
    ) -> Result<TextureView, DeviceError> {
        TextureView::new(texture, desc)
    }

    unsafe fn destroy_texture_view(&self, _: TextureView) {}

    unsafe fn create_sampler(
        &self,
        desc: &hal::SamplerDescriptor<'_>,
    ) -> Result<Sampler, DeviceError> {
        Sampler::new(&self.machine, desc)
    }

    unsafe fn destroy_sampler(&self, _: Sampler) {}

    unsafe fn create_command_encoder(
        &self,
        _: &hal::CommandEncoderDescriptor<'_, Queue>,
    ) -> Result<Encoder, DeviceError> {
        self.machine.check()?;
        Ok(Encoder::default())
    }

    unsafe fn create_bind_group_layout(
        &self,
        desc: &hal::BindGroupLayoutDescriptor<'_>,
    ) -> Result<BindGroupLayout, DeviceError> {
        Ok(BindGroupLayout::new(desc.entries))
    }

    unsafe fn destroy_bind_group_layout(&self, _: BindGroupLayout) {}

    unsafe fn create_pipeline_layout(
        &self,
        desc: &hal::PipelineLayoutDescriptor<'_, BindGroupLayout>,
    ) -> Result<PipelineLayout, DeviceError> {
        PipelineLayout::new(desc)
    }

    unsafe fn destroy_pipeline_layout(&self, _: PipelineLayout) {}

    unsafe fn create_bind_group(
        &self,
        desc: &GroupDescriptor<'_, Absent>,
    ) -> Result<BindGroup, DeviceError> {
        BindGroup::new(desc)
    }

    unsafe fn destroy_bind_group(&self, _: BindGroup) {}

    unsafe fn create_shader_module(
        &self,
        _: &hal::ShaderModuleDescriptor<'_>,
        shader: hal::ShaderInput<'_>,
    ) -> Result<ShaderModule, hal::ShaderError> {
        ShaderModule::new(shader)
    }

    unsafe fn destroy_shader_module(&self, _: ShaderModule) {}

    unsafe fn create_render_pipeline(
        &self,
        desc: &hal::RenderPipelineDescriptor<'_, PipelineLayout, ShaderModule, Absent>,
    ) -> Result<RenderPipeline, PipelineError> {
        RenderPipeline::new(&self.machine, desc)
    }

    unsafe fn destroy_render_pipeline(&self, _: RenderPipeline) {}

    unsafe fn create_compute_pipeline(
        &self,
        desc: &hal::ComputePipelineDescriptor<'_, PipelineLayout, ShaderModule, Absent>,
    ) -> Result<ComputePipeline, PipelineError> {
        ComputePipeline::new(&self.machine, desc)
    }

    unsafe fn destroy_compute_pipeline(&self, _: ComputePipeline) {}

    unsafe fn create_ray_tracing_pipeline(
        &self,
        _: &hal::RayTracingPipelineDescriptor<'_, PipelineLayout, ShaderModule, Absent>,
    ) -> Result<Absent, PipelineError> {
        Err(PipelineError::Device(absent("ray tracing pipelines")))
    }

    unsafe fn destroy_ray_tracing_pipeline(&self, _: Absent) {}

    unsafe fn get_raytracing_pipeline_group_data(
        &self,
        _: &Absent,
        _: Range<u32>,
    ) -> Result<Vec<u8>, DeviceError> {
        Err(absent("ray tracing pipelines"))
    }

    unsafe fn create_pipeline_cache(
        &self,
        _: &hal::PipelineCacheDescriptor<'_>,
    ) -> Result<Absent, hal::PipelineCacheError> {
        Err(hal::PipelineCacheError::Device(absent("pipeline caches")))
    }

    unsafe fn destroy_pipeline_cache(&self, _: Absent) {}

    unsafe fn create_query_set(
        &self,
        desc: &wgt::QuerySetDescriptor<hal::Label<'_>>,
    ) -> Result<QuerySet, DeviceError> {
        QuerySet::new(&self.machine, desc)
    }

    unsafe fn destroy_query_set(&self, _: QuerySet) {}

    unsafe fn create_fence(&self) -> Result<Fence, DeviceError> {
        Ok(Fence::default())
    }

    unsafe fn destroy_fence(&self, _: Fence) {}

    unsafe fn get_fence_value(&self, fence: &Fence) -> Result<hal::FenceValue, DeviceError> {
        Ok(fence.0.load(Ordering::Acquire))
    }

    unsafe fn wait(
        &self,
        fence: &Fence,
        value: hal::FenceValue,
        _: Option<Duration>,
    ) -> Result<bool, DeviceError> {
        self.machine.check()?;
        // A submission is done when its call returns.
        Ok(fence.0.load(Ordering::Acquire) >= value)
    }

    unsafe fn start_graphics_debugger_capture(&self) -> bool {
        false
    }

    unsafe fn stop_graphics_debugger_capture(&self) {}

    unsafe fn create_acceleration_structure(
        &self,
        _: &hal::AccelerationStructureDescriptor<'_>,
    ) -> Result<Absent, DeviceError> {
        Err(absent("acceleration structures"))
    }

    unsafe fn get_acceleration_structure_build_sizes(
        &self,
        _: &hal::GetAccelerationStructureBuildSizesDescriptor<'_, Buffer>,
    ) -> hal::AccelerationStructureBuildSizes {
        hal::AccelerationStructureBuildSizes::default()
    }

    unsafe fn get_acceleration_structure_device_address(&self, _: &Absent) -> wgt::BufferAddress {
        0
    }

    unsafe fn destroy_acceleration_structure(&self, _: Absent) {}

    fn tlas_instance_to_bytes(&self, _: hal::TlasInstance) -> Vec<u8> {
        Vec::new()
    }

    fn get_internal_counters(&self) -> wgt::HalCounters {
        wgt::HalCounters::default()
    }

    fn check_if_oom(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}
