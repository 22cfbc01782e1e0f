//! The traits of wgpu-hal.
//!
//! Their methods are `unsafe`, because callers promise what wgpu-core validates. This backend does
//! not depend on the promises, with two exceptions: the pointer that maps a buffer, see
//! [`HostMemory`](crate::memory::HostMemory), and the handles of a window. The methods here only
//! pass on to safe code.
#![expect(unsafe_code, reason = "the traits of wgpu-hal have unsafe methods")]

mod adapter;
mod device;
mod encoder;
mod instance;
mod queue;
#[cfg_attr(not(feature = "window"), path = "no_surface.rs")]
mod surface;
#[cfg(feature = "window")]
mod window;

use std::any::Any;

use wgpu_hal as hal;
use wgpu_types::Backend;

use crate::bind::{BindGroup, BindGroupLayout, PipelineLayout};
use crate::buffer::Buffer;
use crate::pipeline::{ComputePipeline, RenderPipeline};
use crate::query::QuerySet;
use crate::sampler::Sampler;
use crate::shader::ShaderModule;
use crate::texture::{Texture, TextureView};

use adapter::Adapter;
use device::{Device, Fence};
use encoder::{CommandBuffer, Encoder};
pub use instance::{Instance, instance, instance_with};
use queue::Queue;
use surface::Surface;

/// The types of the backend.
#[derive(Clone, Debug)]
pub struct Api;

/// An object of a feature that the adapter does not announce.
#[derive(Debug)]
pub struct Absent;

impl hal::Api for Api {
    // wgpu has no name for backends outside of its tree. The paths for other names are for the
    // needs of these backends.
    const VARIANT: Backend = Backend::Noop;

    type Instance = Instance;
    type Surface = Surface;
    type Adapter = Adapter;
    type Device = Device;
    type Queue = Queue;
    type CommandEncoder = Encoder;
    type CommandBuffer = CommandBuffer;
    type Buffer = Buffer;
    type Texture = Texture;
    type SurfaceTexture = Texture;
    type TextureView = TextureView;
    type Sampler = Sampler;
    type QuerySet = QuerySet;
    type Fence = Fence;
    type BindGroupLayout = BindGroupLayout;
    type BindGroup = BindGroup;
    type PipelineLayout = PipelineLayout;
    type ShaderModule = ShaderModule;
    type RenderPipeline = RenderPipeline;
    type ComputePipeline = ComputePipeline;
    type RayTracingPipeline = Absent;
    type PipelineCache = Absent;
    type AccelerationStructure = Absent;
}

/// Implements the trait of all resources, and the given traits without methods.
macro_rules! resources {
    ($($type:ty: $($dyn:ident)*;)*) => {$(
        impl hal::DynResource for $type {
            fn as_any(&self) -> &dyn Any {
                self
            }
            fn as_any_mut(&mut self) -> &mut dyn Any {
                self
            }
        }
        $(impl hal::$dyn for $type {})*
    )*};
}

resources! {
    Instance:;
    Surface:;
    Adapter:;
    Device:;
    Queue:;
    Encoder:;
    CommandBuffer: DynCommandBuffer;
    Buffer: DynBuffer;
    Texture: DynTexture DynSurfaceTexture;
    TextureView: DynTextureView;
    Sampler: DynSampler;
    QuerySet: DynQuerySet;
    Fence: DynFence;
    BindGroupLayout: DynBindGroupLayout;
    BindGroup: DynBindGroup;
    PipelineLayout: DynPipelineLayout;
    ShaderModule: DynShaderModule;
    RenderPipeline: DynRenderPipeline;
    ComputePipeline: DynComputePipeline;
    Absent: DynAccelerationStructure DynPipelineCache DynRayTracingPipeline;
}

impl std::borrow::Borrow<dyn hal::DynTexture> for Texture {
    fn borrow(&self) -> &dyn hal::DynTexture {
        self
    }
}
