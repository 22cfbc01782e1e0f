//! Draws of the recording, made again with other state: the inspector's measurements.
//!
//! A [`Probe`] changes the state of a context, draws, measures, and sets the recording's state
//! again. Nothing that it draws reaches a resource of the recording.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use pipe_core::*;

use crate::bytes;
use crate::samples::Samples;
use crate::state::{Constants, ContextFacts, Draw};

/// The bindings of a context that a probe changes.
#[derive(Clone)]
pub struct Bound {
    /// The attachments.
    pub framebuffer: FramebufferState,
    /// The bound blend state.
    pub blend: Option<(BlendHandle, BlendState)>,
    /// The bound depth, stencil and alpha state.
    pub depth: Option<(DepthStencilAlphaHandle, DepthStencilAlphaState)>,
    /// The bound rasterizer state.
    pub rasterizer: Option<(RasterizerHandle, RasterizerState)>,
    /// Bound shaders by stage.
    pub shaders: PerStage<Option<ShaderHandle>>,
    /// Scissors by viewport.
    pub scissors: BTreeMap<usize, ScissorState>,
    viewports: BTreeMap<usize, ViewportState>,
    vertex_buffers: BTreeMap<usize, VertexBuffer>,
    elements: Option<VertexElementsHandle>,
    constants: BTreeMap<usize, Constants>,
    /// The stencil reference values.
    pub stencil_ref: StencilRef,
    /// The sample mask.
    pub sample_mask: u32,
    targets: Vec<Option<StreamOutputTargetHandle>>,
    condition: Option<(QueryHandle, bool, pipe_core::query::RenderConditionMode)>,
    condition_memory: Option<(ResourceHandle, u32, bool)>,
    queries_count: bool,
}

impl Bound {
    /// Copies the bindings of a context.
    pub fn of(facts: &ContextFacts) -> Self {
        let mut shaders = PerStage([None; ShaderType::COUNT]);
        for stage in ShaderType::ALL {
            shaders[*stage] = facts.stages[*stage].shader;
        }
        Self {
            framebuffer: facts.framebuffer,
            blend: facts.blend.zip(facts.blend_state()),
            depth: facts.depth.zip(facts.depth_state()),
            rasterizer: facts.rasterizer.zip(facts.rasterizer_state()),
            shaders,
            scissors: facts.scissors.clone(),
            viewports: facts.viewports.clone(),
            vertex_buffers: facts.vertex_buffers.clone(),
            elements: facts.vertex_elements,
            constants: facts.stages[ShaderType::Fragment].constants.clone(),
            stencil_ref: facts.stencil_ref,
            sample_mask: facts.sample_mask.unwrap_or(u32::MAX),
            targets: facts.bound_targets.clone(),
            condition: facts.condition,
            condition_memory: facts.condition_memory,
            queries_count: facts.queries_count.unwrap_or(true),
        }
    }

    /// Returns true if a query or a buffer conditions rendering.
    pub const fn is_conditional(&self) -> bool {
        self.condition.is_some() || self.condition_memory.is_some()
    }

    /// Returns the rasterizer state in force.
    pub fn rasterizer_state(&self) -> RasterizerState {
        self.rasterizer.map(|(_, state)| state).unwrap_or_default()
    }

    /// Returns the depth, stencil and alpha state in force.
    pub fn depth_state(&self) -> DepthStencilAlphaState {
        self.depth.map(|(_, state)| state).unwrap_or_default()
    }

    /// Returns the blend state in force.
    pub fn blend_state(&self) -> BlendState {
        self.blend.map(|(_, state)| state).unwrap_or_default()
    }
}

/// The state of one measurement.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The attachments.
    pub framebuffer: FramebufferState,
    /// The rasterizer state.
    pub rasterizer: RasterizerState,
    /// The depth, stencil and alpha state.
    pub depth: DepthStencilAlphaState,
    /// The blend state.
    pub blend: BlendState,
    /// The fragment shader.
    pub fragment: Option<ShaderHandle>,
    /// The stencil reference value of both faces.
    pub stencil_ref: u8,
    /// Limits all viewports to this rectangle; `None` leaves the recording's scissors.
    pub scissor: Option<ScissorState>,
    /// The sample mask.
    pub sample_mask: u32,
}

/// A context in the inspector's hands.
pub struct Probe<'p, 's> {
    /// The screen.
    pub screen: &'s dyn Screen<'static>,
    /// The context.
    pub context: &'p mut (dyn Context<'static> + 's),
    /// The recording's bindings.
    pub bound: Bound,
    /// The samples per pixel of isolated fragments, and the one that is read.
    pub samples: (u8, u32),
    /// The context that reads samples.
    reader: Option<os_shim::Box<'s, dyn Context<'static> + 's>>,
    resources: Vec<ResourceHandle>,
    surfaces: Vec<SurfaceHandle>,
    shaders: Vec<(ShaderType, ShaderHandle)>,
}

impl<'p, 's> Probe<'p, 's> {
    /// Calls `run` with a probe of a context, and sets the recording's state again.
    ///
    /// # Errors
    /// An error of `run` or of the driver.
    pub fn run<R>(
        screen: &'s dyn Screen<'static>,
        context: &'p mut (dyn Context<'static> + 's),
        bound: Bound,
        run: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        let (resources, surfaces, shaders) = Default::default();
        let (samples, reader) = ((1, 0), None);
        let mut probe =
            Self { screen, context, bound, samples, reader, resources, surfaces, shaders };
        let result = probe.begin().and_then(|()| run(&mut probe));
        let restored = probe.restore();
        result.and_then(|result| restored.map(|()| result))
    }

    fn begin(&mut self) -> Result<()> {
        if self.bound.targets.iter().any(Option::is_some) {
            self.context.set_stream_output_targets(&[], &[])?;
        }
        if self.bound.condition.is_some() || self.bound.condition_memory.is_some() {
            self.context.render_condition(None, false, Default::default())?;
        }
        if !self.bound.queries_count {
            self.context.set_active_query_state(true);
        }
        Ok(())
    }

    /// Sets the recording's state, and destroys what the probe created.
    fn restore(&mut self) -> Result<()> {
        let Self { context, bound, .. } = self;
        context.set_framebuffer_state(&bound.framebuffer)?;
        context.bind_blend_state(bound.blend.map(|(handle, _)| handle))?;
        context.bind_depth_stencil_alpha_state(bound.depth.map(|(handle, _)| handle))?;
        context.bind_rasterizer_state(bound.rasterizer.map(|(handle, _)| handle))?;
        for stage in ShaderType::ALL.iter().filter(|stage| **stage != ShaderType::Compute) {
            if bound.shaders[*stage].is_some() || !self.shaders.is_empty() {
                context.bind_shader_state(*stage, bound.shaders[*stage])?;
            }
        }
        for (slot, scissor) in &bound.scissors {
            context.set_scissor_states(*slot, &[*scissor])?;
        }
        for (slot, viewport) in &bound.viewports {
            context.set_viewport_states(*slot, &[*viewport])?;
        }
        context.bind_vertex_elements_state(bound.elements)?;
        for slot in 0..2 {
            context.set_vertex_buffers(slot, &[bound.vertex_buffers.get(&slot).copied()])?;
        }
        for slot in 0..16 {
            let buffer = bound.constants.get(&slot).map(|constants| match constants {
                Constants::User(bytes) => ConstantBuffer::User(bytes),
                Constants::Resource(resource, offset, size) => ConstantBuffer::Resource {
                    resource: *resource,
                    buffer_offset: *offset,
                    buffer_size: *size,
                },
            });
            context.set_constant_buffer(ShaderType::Fragment, slot, buffer)?;
        }
        context.set_stencil_ref(bound.stencil_ref);
        context.set_sample_mask(bound.sample_mask);
        if bound.targets.iter().any(Option::is_some) {
            let offsets = vec![None; bound.targets.len()];
            context.set_stream_output_targets(&bound.targets, &offsets)?;
        }
        if let Some((query, condition, mode)) = bound.condition {
            context.render_condition(Some(query), condition, mode)?;
        }
        if let Some((resource, offset, condition)) = bound.condition_memory {
            context.render_condition_mem(resource, offset, condition)?;
        }
        if !bound.queries_count {
            context.set_active_query_state(false);
        }
        for (_, shader) in self.shaders.drain(..) {
            context.delete_shader_state(shader)?;
        }
        for surface in self.surfaces.drain(..) {
            context.surface_destroy(surface)?;
        }
        for resource in self.resources.drain(..) {
            self.screen.resource_destroy(resource)?;
        }
        Ok(())
    }

    /// Creates a resource that lives as long as the probe.
    ///
    /// # Errors
    /// The driver's error.
    pub fn resource(&mut self, template: &ResourceTemplate) -> Result<ResourceHandle> {
        let resource = self.screen.resource_create(template)?;
        self.resources.push(resource);
        Ok(resource)
    }

    /// Creates a target with the size of the framebuffer.
    ///
    /// # Errors
    /// The driver's error.
    pub fn target(
        &mut self,
        format: Format,
        bind: Bind,
    ) -> Result<(ResourceHandle, SurfaceHandle)> {
        self.target_of(format, bind, 1)
    }

    /// Creates a target with the size of the framebuffer and a number of samples.
    fn target_of(
        &mut self,
        format: Format,
        bind: Bind,
        samples: u8,
    ) -> Result<(ResourceHandle, SurfaceHandle)> {
        let FramebufferState { width, height, .. } = self.bound.framebuffer;
        let count = if samples > 1 { samples } else { 0 };
        let template = ResourceTemplate {
            nr_samples: count,
            nr_storage_samples: count,
            ..ResourceTemplate::texture_2d(format, width.into(), height.into(), bind)
        };
        let resource = self.resource(&template)?;
        let surface = self.context.create_surface(resource, &SurfaceTemplate::of(format))?;
        self.surfaces.push(surface);
        Ok((resource, surface))
    }

    /// Creates a shader that lives as long as the probe.
    ///
    /// # Errors
    /// The driver's error.
    pub fn shader(
        &mut self,
        stage: ShaderType,
        state: &ShaderState<'_, 'static>,
    ) -> Result<ShaderHandle> {
        let shader = self.context.create_shader_state(stage, state)?;
        self.shaders.push((stage, shader));
        Ok(shader)
    }

    /// Returns a pass with the recording's state.
    pub fn pass(&self) -> Pass {
        Pass {
            framebuffer: self.bound.framebuffer,
            rasterizer: self.bound.rasterizer_state(),
            depth: self.bound.depth_state(),
            blend: self.bound.blend_state(),
            fragment: self.bound.shaders[ShaderType::Fragment],
            stencil_ref: self.bound.stencil_ref.ref_value[0],
            scissor: None,
            sample_mask: self.bound.sample_mask,
        }
    }

    /// Calls `run` with the state of a pass.
    ///
    /// # Errors
    /// An error of `run` or of the driver.
    pub fn with<R>(&mut self, pass: &Pass, run: impl FnOnce(&mut Self) -> Result<R>) -> Result<R> {
        let context = &mut *self.context;
        let blend = context.create_blend_state(&pass.blend)?;
        let depth = context.create_depth_stencil_alpha_state(&pass.depth)?;
        let rasterizer = context.create_rasterizer_state(&pass.rasterizer)?;
        context.bind_blend_state(Some(blend))?;
        context.bind_depth_stencil_alpha_state(Some(depth))?;
        context.bind_rasterizer_state(Some(rasterizer))?;
        context.set_framebuffer_state(&pass.framebuffer)?;
        context.bind_shader_state(ShaderType::Fragment, pass.fragment)?;
        context.set_stencil_ref(StencilRef { ref_value: [pass.stencil_ref; 2] });
        context.set_sample_mask(pass.sample_mask);
        if let Some(scissor) = pass.scissor {
            context.set_scissor_states(0, &[scissor; limits::MAX_VIEWPORTS])?;
        }
        let result = run(self);
        let Self { context, bound, .. } = self;
        for (slot, scissor) in &bound.scissors {
            context.set_scissor_states(*slot, &[*scissor])?;
        }
        context.bind_blend_state(None)?;
        context.bind_depth_stencil_alpha_state(None)?;
        context.bind_rasterizer_state(None)?;
        context.delete_blend_state(blend)?;
        context.delete_depth_stencil_alpha_state(depth)?;
        context.delete_rasterizer_state(rasterizer)?;
        result
    }

    /// Draws with the state of a pass, and returns the number of samples that passed all tests.
    ///
    /// # Errors
    /// The driver's error.
    pub fn count(&mut self, pass: &Pass, draw: &Draw) -> Result<u64> {
        self.with(pass, |probe| {
            let query = probe.context.create_query(QueryType::OcclusionCounter, 0)?;
            probe.context.begin_query(query)?;
            let drawn = draw.make(probe.context);
            probe.context.end_query(query)?;
            let counted = probe.context.get_query_result(query, true)?;
            probe.context.destroy_query(query)?;
            drawn?;
            Ok(counted.map_or(0, |result| result.as_u64()))
        })
    }

    /// Reads a texel, or the chosen sample of one.
    ///
    /// # Errors
    /// As for maps.
    pub fn texel(&mut self, resource: ResourceHandle, x: u32, y: u32) -> Result<Vec<u8>> {
        let region = Region::rect(x, y, 1, 1);
        let template = self.screen.resource_template(resource)?;
        if template.samples() > 1 {
            self.context.flush(FlushFlags::empty())?;
            let (screen, (_, sample)) = (self.screen, self.samples);
            if self.reader.is_none() {
                self.reader = Some(screen.context_create(ContextFlags::empty())?);
            }
            let reader = self.reader.as_mut().context("no context")?;
            return Samples::with(screen, &mut **reader, &template, [1, 1], |samples| {
                samples.load(resource, 0, &region)?;
                samples.read(sample)
            });
        }
        bytes::read(self.screen, self.context, resource, 0, &region)
    }
}

/// A scissor of one pixel.
pub fn pixel(x: u32, y: u32) -> Result<ScissorState> {
    let side = |at: u32| u16::try_from(at).ok().and_then(|at| Some((at, at.checked_add(1)?)));
    let ((minx, maxx), (miny, maxy)) = side(x).zip(side(y)).context("the pixel is too far out")?;
    Ok(ScissorState { minx, miny, maxx, maxy })
}

/// The buffers that isolate one fragment of a draw at a pixel, or at one of its samples.
///
/// Stencil counts the fragments of the pixel: only the fragment with a number equal to the reference
/// value passes the stencil test, and every fragment adds one.
pub struct Isolation {
    /// The pixel.
    pub scissor: ScissorState,
    /// The blend state.
    pub blend: BlendState,
    colors: Vec<(ResourceHandle, SurfaceHandle)>,
    depth: (ResourceHandle, SurfaceHandle),
    /// The format of the depth buffer.
    pub depth_format: Format,
    /// The place of the first colour buffer.
    first: usize,
}

/// The most fragments of a draw at a pixel that can be told apart: the stencil values.
pub const MAX_FRAGMENTS: usize = 255;

impl Isolation {
    /// Creates the buffers for a pixel. The depth buffer has the precision of `depth`, if there is
    /// a format of that precision with stencil.
    ///
    /// # Errors
    /// The driver's error.
    pub fn new(
        probe: &mut Probe<'_, '_>,
        x: u32,
        y: u32,
        formats: &[Format],
        first: usize,
        depth: Option<Format>,
    ) -> Result<Self> {
        let depth_format = match depth {
            Some(format) if format.is_depth_and_stencil() => format,
            Some(Format::Z24X8Unorm | Format::Z16Unorm) => Format::Z24UnormS8Uint,
            Some(Format::X8Z24Unorm) => Format::S8UintZ24Unorm,
            _ => Format::Z32FloatS8X24Uint,
        };
        let mut colors = Vec::new();
        for format in formats {
            colors.push(probe.target_of(*format, Bind::RENDER_TARGET, probe.samples.0)?);
        }
        let depth = probe.target_of(depth_format, Bind::DEPTH_STENCIL, probe.samples.0)?;
        let blend = BlendState::default();
        Ok(Self { scissor: pixel(x, y)?, blend, colors, depth, depth_format, first })
    }

    fn framebuffer(&self, probe: &Probe<'_, '_>) -> FramebufferState {
        let mut framebuffer = FramebufferState {
            cbufs: Default::default(),
            zsbuf: Some(self.depth.1),
            layers: 0,
            samples: 0,
            ..probe.bound.framebuffer
        };
        let places = framebuffer.cbufs.iter_mut().skip(self.first);
        for (place, (_, surface)) in places.zip(&self.colors) {
            *place = Some(*surface);
        }
        framebuffer
    }

    fn pass(&self, probe: &Probe<'_, '_>, fragment: ShaderHandle) -> Pass {
        let own = probe.bound.rasterizer_state();
        let scissor = match (own.scissor, probe.bound.scissors.get(&0)) {
            (true, Some(scissor)) => self.scissor.intersection(scissor),
            _ => self.scissor,
        };
        Pass {
            framebuffer: self.framebuffer(probe),
            rasterizer: RasterizerState { scissor: true, ..own },
            blend: self.blend,
            depth: DepthStencilAlphaState::default(),
            fragment: Some(fragment),
            stencil_ref: 0,
            scissor: Some(scissor),
            sample_mask: if probe.samples.0 > 1 { u32::MAX } else { probe.bound.sample_mask },
        }
    }

    /// Clears the pixel, draws, and returns the bytes of the depth buffer's texel.
    fn draw(&self, probe: &mut Probe<'_, '_>, pass: &Pass, draw: &Draw) -> Result<Vec<u8>> {
        let (x, y) = (self.scissor.minx.into(), self.scissor.miny.into());
        probe.with(pass, |probe| {
            let all = ClearFlags::DEPTH | ClearFlags::STENCIL;
            let none = ColorUnion::float([0.0; 4]);
            probe.context.clear(all, Some(&self.scissor), &none, 1.0, 0)?;
            Ok(draw.make(probe.context)?)
        })?;
        probe.texel(self.depth.0, x, y)
    }

    /// Returns the number of fragments that the draw has at the pixel, before any test, up to
    /// [`MAX_FRAGMENTS`].
    ///
    /// # Errors
    /// The driver's error.
    pub fn count(
        &self,
        probe: &mut Probe<'_, '_>,
        draw: &Draw,
        fragment: ShaderHandle,
    ) -> Result<usize> {
        let mut pass = self.pass(probe, fragment);
        if pass.scissor.is_some_and(|scissor| scissor.is_empty()) {
            return Ok(0);
        }
        pass.depth.stencil[0] = StencilState {
            enabled: true,
            zpass_op: StencilOp::Incr,
            zfail_op: StencilOp::Incr,
            fail_op: StencilOp::Incr,
            ..StencilState::default()
        };
        let texel = self.draw(probe, &pass, draw)?;
        let layout = formats::depth::DepthLayout::new(self.depth_format);
        Ok(layout.context("no depth format")?.stencil(&texel).into())
    }

    /// Draws fragment `number`, from 0, alone. Returns the bytes of its colours and of its depth.
    ///
    /// # Errors
    /// The driver's error; there is no such fragment.
    pub fn fragment(
        &self,
        probe: &mut Probe<'_, '_>,
        draw: &Draw,
        fragment: ShaderHandle,
        number: usize,
    ) -> Result<(Vec<Vec<u8>>, Vec<u8>)> {
        let mut pass = self.pass(probe, fragment);
        pass.stencil_ref = u8::try_from(number)?;
        pass.depth.depth_enabled = true;
        pass.depth.depth_writemask = true;
        pass.depth.stencil[0] = StencilState {
            enabled: true,
            func: CompareFunc::Equal,
            zpass_op: StencilOp::Incr,
            zfail_op: StencilOp::Incr,
            fail_op: StencilOp::Incr,
            ..StencilState::default()
        };
        let depth = self.draw(probe, &pass, draw)?;
        let layout = formats::depth::DepthLayout::new(self.depth_format);
        if usize::from(layout.context("no depth format")?.stencil(&depth)) <= number {
            bail!("the draw has no fragment {number} at the pixel");
        }
        let (x, y) = (self.scissor.minx.into(), self.scissor.miny.into());
        let colors: Result<_> =
            self.colors.iter().map(|(color, _)| probe.texel(*color, x, y)).collect();
        Ok((colors?, depth))
    }
}
