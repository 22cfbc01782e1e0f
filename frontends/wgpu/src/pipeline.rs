//! Pipelines: programs and constant state objects.

use std::sync::Arc;

use pipe_core::{
    BlendHandle, BlendState, ColorMask, ConservativeRasterMode, DepthStencilAlphaHandle,
    DepthStencilAlphaState, PipeError, PrimType, RasterizerHandle, RasterizerState,
    RenderTargetBlendState, ShaderHandle, ShaderState, ShaderType, StencilState, VertexElement,
    VertexElementsHandle,
};
use wgpu_hal::{
    ComputePipelineDescriptor, DynPipelineCache, PipelineError, RenderPipelineDescriptor,
    VertexBufferLayout, VertexProcessor,
};
use wgpu_types as wgt;

use crate::bind::PipelineLayout;
use crate::formats;
use crate::machine::{Garbage, Machine, Refused};
use crate::shader::{Program, ShaderModule};
use crate::state;

/// The fragment program of pipelines without one.
const NO_FRAGMENTS: &str = "FRAG\n  0: END\n";

/// A compute pipeline of wgpu-hal.
#[derive(Clone, Debug)]
pub struct ComputePipeline(Arc<Program>);

impl ComputePipeline {
    pub(crate) fn new<C: DynPipelineCache>(
        machine: &Arc<Machine>,
        desc: &ComputePipelineDescriptor<'_, PipelineLayout, ShaderModule, C>,
    ) -> Result<ComputePipeline, PipelineError> {
        let program =
            ShaderModule::program(machine, desc.layout, ShaderType::Compute, &desc.stage, None)?;
        Ok(ComputePipeline(program))
    }

    pub(crate) fn program(&self) -> &Program {
        &self.0
    }
}

/// A render pipeline of wgpu-hal.
#[derive(Clone, Debug)]
pub struct RenderPipeline(Arc<RenderState>);

/// The state of a render pipeline.
#[derive(Debug)]
pub(crate) struct RenderState {
    pub(crate) vertex: Arc<Program>,
    pub(crate) fragment: Option<Arc<Program>>,
    pub(crate) fragment_handle: ShaderHandle,
    pub(crate) elements: VertexElementsHandle,
    pub(crate) rasterizer: RasterizerHandle,
    pub(crate) depth_stencil: DepthStencilAlphaHandle,
    pub(crate) blend: BlendHandle,
    /// Bytes from one vertex to the next, for each vertex buffer.
    pub(crate) strides: Vec<u32>,
    pub(crate) mode: PrimType,
    /// An index of all ones starts a new strip.
    pub(crate) restarts: bool,
    pub(crate) sample_mask: u32,
    machine: Arc<Machine>,
}

impl Drop for RenderState {
    fn drop(&mut self) {
        self.machine.discard(Garbage::VertexElements(self.elements));
        self.machine.discard(Garbage::Rasterizer(self.rasterizer));
        self.machine.discard(Garbage::DepthStencilAlpha(self.depth_stencil));
        self.machine.discard(Garbage::Blend(self.blend));
        if self.fragment.is_none() {
            self.machine.discard(Garbage::Shader(ShaderType::Fragment, self.fragment_handle));
        }
    }
}

/// The descriptor of a render pipeline of this backend.
type Descriptor<'a, C> = RenderPipelineDescriptor<'a, PipelineLayout, ShaderModule, C>;

/// Returns the elements that feed a program's inputs: element i is location i.
fn elements(
    program: &Program,
    buffers: &[Option<VertexBufferLayout<'_>>],
) -> Result<Vec<VertexElement>, PipelineError> {
    let count = program.attributes.iter().max().map_or(0, |last| last.saturating_add(1));
    // Attributes outside of all buffers read 0.
    let absent = VertexElement { vertex_buffer_index: u8::MAX, ..VertexElement::default() };
    let mut elements = vec![absent; count as usize];
    for (index, buffer) in buffers.iter().enumerate() {
        let Some(buffer) = buffer else { continue };
        for attribute in buffer.attributes {
            if !program.attributes.contains(&attribute.shader_location) {
                continue;
            }
            let Some(element) = elements.get_mut(attribute.shader_location as usize) else {
                continue;
            };
            let Some(src_format) = formats::vertex(attribute.format) else {
                let message = format!("attributes of {:?} are not supported", attribute.format);
                return Err(PipelineError::Linkage(wgt::ShaderStages::VERTEX, message));
            };
            *element = VertexElement {
                src_offset: u32::try_from(attribute.offset).unwrap_or(u32::MAX),
                vertex_buffer_index: u8::try_from(index).unwrap_or(u8::MAX),
                src_format,
                instance_divisor: match buffer.step_mode {
                    wgt::VertexStepMode::Vertex => 0,
                    wgt::VertexStepMode::Instance => 1,
                },
                ..VertexElement::default()
            };
        }
    }
    Ok(elements)
}

/// Returns true if primitives have an area.
fn has_area(topology: wgt::PrimitiveTopology) -> bool {
    use wgt::PrimitiveTopology::{TriangleList, TriangleStrip};
    matches!(topology, TriangleList | TriangleStrip)
}

fn rasterizer<C: DynPipelineCache>(
    desc: &Descriptor<'_, C>,
    vertex: &Program,
    fragment: Option<&Program>,
) -> RasterizerState {
    let primitive = &desc.primitive;
    let bias = desc.depth_stencil.as_ref().map(|state| state.bias).unwrap_or_default();
    let offsets = has_area(primitive.topology) && (bias.constant != 0 || bias.slope_scale != 0.0);
    let writes_depth = fragment.is_some_and(|program| program.writes_depth);
    let fill = state::polygon_mode(primitive.polygon_mode);
    RasterizerState {
        flatshade_first: true,
        front_ccw: primitive.front_face == wgt::FrontFace::Ccw,
        cull_face: state::cull(primitive.cull_mode),
        fill_front: fill,
        fill_back: fill,
        offset_point: offsets,
        offset_line: offsets,
        offset_tri: offsets,
        offset_units: bias.constant as f32,
        offset_scale: bias.slope_scale,
        offset_clamp: bias.clamp,
        scissor: true,
        point_quad_rasterization: true,
        multisample: desc.multisample.count > 1,
        conservative_raster_mode: match primitive.conservative {
            true => ConservativeRasterMode::PostSnap,
            false => ConservativeRasterMode::Off,
        },
        half_pixel_center: true,
        depth_clip_near: !primitive.unclipped_depth,
        depth_clip_far: !primitive.unclipped_depth,
        // Without these, depth lies within the viewport's range by itself.
        depth_clamp: primitive.unclipped_depth || offsets || writes_depth,
        clip_halfz: true,
        clip_plane_enable: vertex.clip_distances,
        ..RasterizerState::default()
    }
}

fn stencil(face: &wgt::StencilFaceState, all: &wgt::StencilState) -> StencilState {
    StencilState {
        enabled: true,
        func: state::compare(face.compare),
        fail_op: state::stencil_op(face.fail_op),
        zpass_op: state::stencil_op(face.pass_op),
        zfail_op: state::stencil_op(face.depth_fail_op),
        valuemask: all.read_mask as u8,
        writemask: all.write_mask as u8,
    }
}

fn depth_stencil(desc: Option<&wgt::DepthStencilState>) -> DepthStencilAlphaState {
    let Some(desc) = desc else { return DepthStencilAlphaState::default() };
    let mut state = DepthStencilAlphaState::default();
    let compare = desc.depth_compare.unwrap_or(wgt::CompareFunction::Always);
    state.depth_writemask = desc.depth_write_enabled.unwrap_or(false);
    state.depth_func = state::compare(compare);
    state.depth_enabled = desc.format.has_depth_aspect()
        && (state.depth_writemask || compare != wgt::CompareFunction::Always);
    if desc.stencil.is_enabled() {
        state.stencil = [
            stencil(&desc.stencil.front, &desc.stencil),
            stencil(&desc.stencil.back, &desc.stencil),
        ];
    }
    state
}

fn blend_target(target: &wgt::ColorTargetState) -> RenderTargetBlendState {
    let colormask = ColorMask::from_bits_truncate(target.write_mask.bits() as u8);
    let off = RenderTargetBlendState { colormask, ..RenderTargetBlendState::default() };
    target.blend.map_or(off, |blend| RenderTargetBlendState {
        blend_enable: true,
        rgb_func: state::blend_func(blend.color.operation),
        rgb_src_factor: state::blend_factor(blend.color.src_factor),
        rgb_dst_factor: state::blend_factor(blend.color.dst_factor),
        alpha_func: state::blend_func(blend.alpha.operation),
        alpha_src_factor: state::blend_factor(blend.alpha.src_factor),
        alpha_dst_factor: state::blend_factor(blend.alpha.dst_factor),
        colormask,
    })
}

fn blend<C: DynPipelineCache>(desc: &Descriptor<'_, C>) -> BlendState {
    let off = RenderTargetBlendState {
        colormask: ColorMask::empty(),
        ..RenderTargetBlendState::default()
    };
    let mut state = BlendState {
        independent_blend_enable: true,
        alpha_to_coverage: desc.multisample.alpha_to_coverage_enabled,
        max_rt: u8::try_from(desc.color_targets.len().saturating_sub(1)).unwrap_or(7),
        rt: [off; 8],
        ..BlendState::default()
    };
    for (rt, target) in state.rt.iter_mut().zip(desc.color_targets) {
        if let Some(target) = target {
            *rt = blend_target(target);
        }
    }
    state
}

impl RenderPipeline {
    pub(crate) fn state(&self) -> &RenderState {
        &self.0
    }

    pub(crate) fn new<C: DynPipelineCache>(
        machine: &Arc<Machine>,
        desc: &Descriptor<'_, C>,
    ) -> Result<RenderPipeline, PipelineError> {
        let VertexProcessor::Standard { vertex_buffers, vertex_stage } = &desc.vertex_processor
        else {
            let message = "mesh shaders are not supported".into();
            return Err(PipelineError::Linkage(wgt::ShaderStages::MESH, message));
        };
        let program =
            |ty, stage, depth| ShaderModule::program(machine, desc.layout, ty, stage, depth);
        let vertex = program(ShaderType::Vertex, vertex_stage, None)?;
        let depth = desc.depth_stencil.as_ref().map(|it| it.format);
        let fragment = desc.fragment_stage.as_ref();
        let fragment =
            fragment.map(|stage| program(ShaderType::Fragment, stage, depth)).transpose()?;
        let elements = elements(&vertex, vertex_buffers)?;
        let strides = vertex_buffers.iter().map(|buffer| {
            buffer.as_ref().map_or(0, |it| u32::try_from(it.array_stride).unwrap_or(u32::MAX))
        });
        let rasterizer = rasterizer(desc, &vertex, fragment.as_deref());
        let depth_stencil = depth_stencil(desc.depth_stencil.as_ref());
        let blend = blend(desc);
        let no_fragments = ShaderState::text(NO_FRAGMENTS);
        let made = machine.create(|_, context| {
            Ok(RenderState {
                fragment_handle: match &fragment {
                    Some(program) => program.handle,
                    None => context.create_fs_state(&no_fragments)?,
                },
                elements: context.create_vertex_elements_state(&elements)?,
                rasterizer: context.create_rasterizer_state(&rasterizer)?,
                depth_stencil: context.create_depth_stencil_alpha_state(&depth_stencil)?,
                blend: context.create_blend_state(&blend)?,
                vertex,
                fragment,
                strides: strides.collect(),
                mode: state::primitive(desc.primitive.topology),
                restarts: desc.primitive.topology.is_strip(),
                // Bits beyond 32 samples select nothing.
                sample_mask: desc.multisample.mask as u32,
                machine: Arc::clone(machine),
            })
        });
        match made {
            Ok(shared) => Ok(RenderPipeline(Arc::new(shared))),
            Err(Refused::Error(error @ (PipeError::Unsupported(_) | PipeError::Invalid(_)))) => {
                Err(PipelineError::Linkage(wgt::ShaderStages::VERTEX_FRAGMENT, error.to_string()))
            }
            Err(error) => Err(PipelineError::Device(error.into())),
        }
    }
}
