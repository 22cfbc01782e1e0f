//! Draws a scene through a context: creates the objects once, then draws frame by frame.

use core::cell::Cell;

use formats::Format;
use pipe_core::{
    Bands, Bind, BlendHandle, BlendState, ClearFlags, ColorUnion, CompareFunc, ConstantBuffer,
    Context, DepthStencilAlphaHandle, DepthStencilAlphaState, DrawInfo, DrawStartCount, Face,
    FlushFlags, FramebufferState, IndexBuffer, PipeError, PrimType, RasterizerHandle,
    RasterizerState, ResourceFlags, ResourceHandle, ResourceTemplate, SamplerHandle, SamplerState,
    SamplerViewHandle, SamplerViewTemplate, Screen, ShaderHandle, ShaderState, ShaderType,
    SurfaceHandle, SurfaceTemplate, TexFilter, TexMipFilter, TexWrap, TilePanel, VertexBuffer,
    VertexElement, VertexElementsHandle, ViewportState,
};

#[cfg(feature = "samples")]
use pipe_core::{BlitInfo, BlitSurface, Region};

use crate::asset::{Mesh, Texture};
#[cfg(feature = "compute")]
use crate::life::{self, Life};
#[cfg(feature = "tessellation")]
use crate::scene::Patches;
use crate::scene::{Filter, Scene, View};
#[cfg(feature = "tessellation")]
use pipe_core::TessState;

/// Size and formats of the picture for a scene.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Surface {
    /// Width in pixels.
    pub width: u16,
    /// Height in pixels.
    pub height: u16,
    /// Colour format.
    pub color: Format,
    /// Depth format.
    pub depth: Format,
    /// True if the picture has no memory: only a panel receives it, tile by tile.
    pub streamed: bool,
}

impl Surface {
    /// Returns width over height.
    pub fn aspect(&self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

/// The maximum number of inputs of a scene's vertex shader.
const MAX_INPUTS: usize = 4;

/// The objects of one scene in one context.
///
/// [`SceneRenderer::destroy`] destroys them. Otherwise they end with the context and the screen.
pub struct SceneRenderer {
    scene: &'static Scene,
    streamed: bool,
    mesh: Option<&'static Mesh>,
    framebuffer: FramebufferState,
    viewport: ViewportState,
    color: Option<ResourceHandle>,
    depth: Option<ResourceHandle>,
    /// The picture with one sample per pixel, if the colour buffer is in memory and has more.
    #[cfg(feature = "samples")]
    resolved: Option<ResourceHandle>,
    surfaces: [Option<SurfaceHandle>; 2],
    vertices: Option<ResourceHandle>,
    indices: Option<ResourceHandle>,
    texels: Option<ResourceHandle>,
    view: Option<SamplerViewHandle>,
    sampler: Option<SamplerHandle>,
    elements: Option<VertexElementsHandle>,
    vertex: Option<ShaderHandle>,
    #[cfg(feature = "tessellation")]
    evaluation: Option<ShaderHandle>,
    fragment: Option<ShaderHandle>,
    #[cfg(feature = "compute")]
    life: Life,
    blend: Option<BlendHandle>,
    depth_test: Option<DepthStencilAlphaHandle>,
    /// One for whole pictures, and one with the scissor for parts of a picture.
    rasterizers: [Option<RasterizerHandle>; 2],
    height: u32,
    #[cfg(feature = "samples")]
    format: Format,
    /// The division of streamed frames into parts.
    bands: Cell<Bands>,
}

impl SceneRenderer {
    /// Creates the objects to draw `scene` to `surface`.
    ///
    /// # Errors
    /// Any error of the driver. The objects created before the error are destroyed.
    #[inline(never)]
    pub fn new<'m>(
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
        surface: &Surface,
        scene: &'static Scene,
    ) -> Result<SceneRenderer, PipeError> {
        let mut renderer = SceneRenderer {
            scene,
            streamed: surface.streamed,
            mesh: scene.mesh_for(surface.height),
            framebuffer: FramebufferState::default(),
            viewport: ViewportState::y_up(surface.width.into(), surface.height.into()),
            color: None,
            depth: None,
            #[cfg(feature = "samples")]
            resolved: None,
            surfaces: [None; 2],
            vertices: None,
            indices: None,
            texels: None,
            view: None,
            sampler: None,
            elements: None,
            vertex: None,
            #[cfg(feature = "tessellation")]
            evaluation: None,
            fragment: None,
            #[cfg(feature = "compute")]
            life: Life::NONE,
            blend: None,
            depth_test: None,
            rasterizers: [None; 2],
            height: surface.height.into(),
            #[cfg(feature = "samples")]
            format: surface.color,
            bands: Cell::new(Bands::new()),
        };
        match renderer.build(screen, context, surface) {
            Ok(()) => Ok(renderer),
            Err(error) => {
                renderer.destroy(screen, context);
                Err(error)
            }
        }
    }

    fn build<'m>(
        &mut self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
        surface: &Surface,
    ) -> Result<(), PipeError> {
        self.build_surfaces(screen, context, surface)?;
        if let Some(mesh) = self.mesh {
            self.build_mesh(screen, context, mesh)?;
        }
        #[cfg(feature = "compute")]
        if self.scene.cells {
            self.elements = Some(self.life.build(screen, context)?);
        }
        if let Some((texture, filter)) = self.scene.texture {
            self.build_texture(screen, context, texture, filter)?;
        }
        let (vertex, fragment) = (self.scene.vertex, self.scene.fragment);
        self.vertex = Some(context.create_vs_state(&ShaderState::program(vertex))?);
        self.fragment = Some(context.create_fs_state(&ShaderState::program(fragment))?);
        #[cfg(feature = "tessellation")]
        if let Some(patches) = self.scene.patches {
            let state = ShaderState::program(patches.evaluation);
            self.evaluation = Some(context.create_shader_state(ShaderType::TessEval, &state)?);
        }
        self.blend = Some(context.create_blend_state(&BlendState::default())?);
        let depth_test = if self.scene.depth {
            DepthStencilAlphaState::depth(CompareFunc::Less)
        } else {
            DepthStencilAlphaState::default()
        };
        self.depth_test = Some(context.create_depth_stencil_alpha_state(&depth_test)?);
        let cull_face = if self.scene.cull { Face::Back } else { Face::None };
        for (slot, scissor) in self.rasterizers.iter_mut().zip([false, true]) {
            let state = RasterizerState { cull_face, scissor, ..RasterizerState::default() };
            #[cfg(feature = "samples")]
            let state = RasterizerState { multisample: self.scene.samples > 1, ..state };
            #[cfg(feature = "compute")]
            let state = match self.scene.cells {
                true => RasterizerState { point_size: life::POINT_SIZE, ..state },
                false => state,
            };
            *slot = Some(context.create_rasterizer_state(&state)?);
        }
        Ok(())
    }

    fn build_surfaces<'m>(
        &mut self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
        surface: &Surface,
    ) -> Result<(), PipeError> {
        let color = self.build_surface(screen, surface.color, Bind::RENDER_TARGET, surface)?;
        self.color = Some(color);
        #[cfg(feature = "samples")]
        if self.scene.samples > 1 && !surface.streamed {
            let (width, height) = (surface.width.into(), surface.height.into());
            let bind = Bind::RENDER_TARGET;
            let template = ResourceTemplate::texture_2d(surface.color, width, height, bind);
            self.resolved = Some(screen.resource_create(&template)?);
        }
        let color = context.create_surface(color, &SurfaceTemplate::of(surface.color))?;
        self.surfaces[0] = Some(color);
        if self.scene.depth {
            let depth = self.build_surface(screen, surface.depth, Bind::DEPTH_STENCIL, surface)?;
            self.depth = Some(depth);
            let depth = context.create_surface(depth, &SurfaceTemplate::of(surface.depth))?;
            self.surfaces[1] = Some(depth);
        }
        self.framebuffer =
            FramebufferState::single(surface.width, surface.height, color, self.surfaces[1]);
        Ok(())
    }

    /// Creates a colour or depth buffer. A streamed depth buffer is a display target, too: the
    /// depth of a tile is discarded with the tile.
    fn build_surface<'m>(
        &self,
        screen: &(impl Screen<'m> + ?Sized),
        format: Format,
        bind: Bind,
        surface: &Surface,
    ) -> Result<ResourceHandle, PipeError> {
        let (width, height) = (surface.width.into(), surface.height.into());
        let mut template = ResourceTemplate::texture_2d(format, width, height, bind);
        if surface.streamed {
            template.flags = ResourceFlags::STREAMED;
            template.bind |= Bind::DISPLAY_TARGET;
        }
        #[cfg(feature = "samples")]
        {
            template.nr_samples = self.scene.samples;
        }
        screen.resource_create(&template)
    }

    fn build_mesh<'m>(
        &mut self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
        mesh: &'static Mesh,
    ) -> Result<(), PipeError> {
        let buffer = |bytes: &'static [u8], bind| {
            let template = ResourceTemplate::buffer(bytes.len() as u32, bind);
            screen.resource_from_user_memory(&template, bytes)
        };
        self.vertices = Some(buffer(mesh.vertices, Bind::VERTEX_BUFFER)?);
        self.indices = Some(buffer(mesh.indices, Bind::INDEX_BUFFER)?);
        let mut elements = [VertexElement::default(); MAX_INPUTS];
        let mut count = 0;
        for (element, kind) in elements.iter_mut().zip(self.scene.inputs) {
            let attribute =
                mesh.attribute(*kind).ok_or(PipeError::Invalid("an input its mesh lacks"))?;
            *element = VertexElement::per_vertex(attribute.offset, attribute.format);
            count += 1;
        }
        self.elements = Some(context.create_vertex_elements_state(&elements[..count])?);
        Ok(())
    }

    fn build_texture<'m>(
        &mut self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
        texture: &'static Texture,
        filter: Filter,
    ) -> Result<(), PipeError> {
        let (format, size) = (texture.format, texture.size);
        let plain = ResourceTemplate::texture_2d(format, size, size, Bind::SAMPLER_VIEW);
        let template = ResourceTemplate { last_level: texture.levels - 1, ..plain };
        let texels = screen.resource_from_user_memory(&template, texture.texels)?;
        self.texels = Some(texels);
        let view = SamplerViewTemplate::whole(&template);
        self.view = Some(context.create_sampler_view(texels, &view)?);
        self.sampler = Some(context.create_sampler_state(&sampler(filter))?);
        Ok(())
    }

    /// Binds everything, clears and draws. Then call [`SceneRenderer::flush`] or
    /// [`SceneRenderer::present`] to complete the picture.
    ///
    /// # Errors
    /// Any error of the driver.
    pub fn draw<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        view: &View,
    ) -> Result<(), PipeError> {
        self.draw_with(context, view, self.rasterizers[0])
    }

    fn draw_with<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        view: &View,
        rasterizer: Option<RasterizerHandle>,
    ) -> Result<(), PipeError> {
        // A grid ends the previous frame, so it comes first.
        #[cfg(feature = "compute")]
        let cells = if self.scene.cells { self.life.compute(context, view.turns)? } else { None };
        context.set_framebuffer_state(&self.framebuffer)?;
        let mut buffers = ClearFlags::color(0);
        if self.scene.depth {
            buffers |= ClearFlags::DEPTH;
        }
        let background = ColorUnion::float(self.scene.background);
        context.clear(buffers, None, &background, 1.0, 0)?;
        #[cfg(feature = "compute")]
        if let Some(cells) = cells {
            self.bind(context)?;
            context.bind_rasterizer_state(rasterizer)?;
            return Life::draw(context, cells);
        }
        let (Some(mesh), Some(vertices), Some(indices)) = (self.mesh, self.vertices, self.indices)
        else {
            return Ok(());
        };
        self.bind(context)?;
        let buffer = VertexBuffer { resource: vertices, stride: mesh.stride, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(buffer)])?;
        context.bind_rasterizer_state(rasterizer)?;
        let constants = (self.scene.constants)(view);
        let bytes = bytemuck::bytes_of(&constants);
        for stage in [ShaderType::Vertex, ShaderType::Fragment] {
            context.set_constant_buffer(stage, 0, Some(ConstantBuffer::User(bytes)))?;
        }
        #[cfg(feature = "tessellation")]
        let mode = match self.scene.patches {
            Some(patches) => {
                self.bind_patches(context, patches, bytes)?;
                PrimType::Patches
            }
            None => PrimType::Triangles,
        };
        #[cfg(not(feature = "tessellation"))]
        let mode = PrimType::Triangles;
        let info = DrawInfo::indexed(mode, IndexBuffer::resource(indices, 2));
        context.draw_vbo(&info, None, &[DrawStartCount::count(mesh.index_count)])
    }

    /// Sets the tessellation levels of patches, and the constants of the evaluation shader.
    #[cfg(feature = "tessellation")]
    fn bind_patches<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        patches: Patches,
        constants: &[u8],
    ) -> Result<(), PipeError> {
        let Patches { size, level, .. } = patches;
        let levels = TessState { default_outer_level: [level; 4], default_inner_level: [level; 2] };
        context.set_tess_state(&levels);
        context.set_patch_vertices(size)?;
        let constants = ConstantBuffer::User(constants);
        context.set_constant_buffer(ShaderType::TessEval, 0, Some(constants))
    }

    fn bind<'m>(&self, context: &mut (impl Context<'m> + ?Sized)) -> Result<(), PipeError> {
        context.set_viewport_states(0, &[self.viewport])?;
        context.bind_vs_state(self.vertex)?;
        #[cfg(feature = "tessellation")]
        context.bind_shader_state(ShaderType::TessEval, self.evaluation)?;
        context.bind_fs_state(self.fragment)?;
        context.bind_blend_state(self.blend)?;
        context.bind_depth_stencil_alpha_state(self.depth_test)?;
        context.bind_vertex_elements_state(self.elements)?;
        context.bind_sampler_states(ShaderType::Fragment, 0, &[self.sampler])?;
        context.set_sampler_views(ShaderType::Fragment, 0, &[self.view])
    }

    /// Finishes a frame in memory.
    ///
    /// # Errors
    /// Any error of the driver.
    pub fn flush<'m>(&self, context: &mut (impl Context<'m> + ?Sized)) -> Result<(), PipeError> {
        #[cfg(feature = "samples")]
        self.resolve(context)?;
        context.flush(FlushFlags::END_OF_FRAME).map(drop)
    }

    /// Averages the samples of a picture in memory.
    #[cfg(feature = "samples")]
    fn resolve<'m>(&self, context: &mut (impl Context<'m> + ?Sized)) -> Result<(), PipeError> {
        let (Some(color), Some(resolved)) = (self.color, self.resolved) else { return Ok(()) };
        let region = Region::rect(0, 0, self.framebuffer.width.into(), self.height);
        let of = |resource| BlitSurface { resource, level: 0, region, format: self.format };
        context.blit(&BlitInfo::new(of(resolved), of(color), TexFilter::Nearest))
    }

    /// Finishes a frame and passes it to a panel, tile by tile.
    ///
    /// # Errors
    /// An error of the driver or the panel.
    pub fn present<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let color = self.color.ok_or(PipeError::Unbound("a colour buffer"))?;
        context.present(color.into(), panel)
    }

    /// Draws a frame to a panel, in parts if the driver cannot store all of it; see [`Bands`].
    ///
    /// # Errors
    /// An error of the driver or the panel; `SceneFull` if not even the smallest part fits.
    pub fn stream<'m>(
        &self,
        context: &mut (impl Context<'m> + ?Sized),
        view: &View,
        panel: &mut dyn TilePanel,
    ) -> Result<(), PipeError> {
        let color = self.color.ok_or(PipeError::Unbound("a colour buffer"))?;
        let mut bands = self.bands.get();
        let shown = bands.present(context, color, self.height, panel, |context, rows| {
            if rows == (0..self.height) {
                return self.draw(context, view);
            }
            context.set_scissor_states(0, &[Bands::scissor(&rows)])?;
            self.draw_with(context, view, self.rasterizers[1])
        });
        self.bands.set(bands);
        shown
    }

    /// Returns the colour buffer, to read a frame from memory.
    pub fn color(&self) -> Option<ResourceHandle> {
        #[cfg(feature = "samples")]
        if self.resolved.is_some() {
            return self.resolved;
        }
        self.color
    }

    /// Unbinds and destroys the objects. An object that the driver refuses to delete is kept.
    pub fn destroy<'m>(
        self,
        screen: &(impl Screen<'m> + ?Sized),
        context: &mut (impl Context<'m> + ?Sized),
    ) {
        // A frame that was begun and not presented keeps its surface in use, so it is dropped.
        if let (true, Some(color)) = (self.streamed, self.color) {
            let _ = context.invalidate_resource(color);
        }
        // Nothing may be deleted while it is bound.
        let _ = context.set_framebuffer_state(&FramebufferState::default());
        let _ = context.bind_vs_state(None);
        #[cfg(feature = "tessellation")]
        let _ = context.bind_shader_state(ShaderType::TessEval, None);
        let _ = context.bind_fs_state(None);
        let _ = context.bind_blend_state(None);
        let _ = context.bind_depth_stencil_alpha_state(None);
        let _ = context.bind_rasterizer_state(None);
        let _ = context.bind_vertex_elements_state(None);
        let _ = context.set_vertex_buffers(0, &[None]);
        let _ = context.bind_sampler_states(ShaderType::Fragment, 0, &[None]);
        let _ = context.set_sampler_views(ShaderType::Fragment, 0, &[None]);
        let _ = self.view.map(|view| context.sampler_view_destroy(view));
        let _ = self.sampler.map(|sampler| context.delete_sampler_state(sampler));
        let _ = self.elements.map(|elements| context.delete_vertex_elements_state(elements));
        #[cfg(feature = "tessellation")]
        let _ = self.evaluation.map(|shader| context.delete_shader_state(shader));
        for shader in [self.vertex, self.fragment].into_iter().flatten() {
            let _ = context.delete_shader_state(shader);
        }
        let _ = self.blend.map(|blend| context.delete_blend_state(blend));
        let _ = self.depth_test.map(|test| context.delete_depth_stencil_alpha_state(test));
        for rasterizer in self.rasterizers.into_iter().flatten() {
            let _ = context.delete_rasterizer_state(rasterizer);
        }
        for surface in self.surfaces.into_iter().flatten() {
            let _ = context.surface_destroy(surface);
        }
        #[cfg(feature = "samples")]
        let _ = self.resolved.map(|resolved| screen.resource_destroy(resolved));
        #[cfg(feature = "compute")]
        self.life.destroy(screen, context);
        let resources = [self.color, self.depth, self.vertices, self.indices, self.texels];
        for resource in resources.into_iter().flatten() {
            let _ = screen.resource_destroy(resource);
        }
    }
}

fn sampler(filter: Filter) -> SamplerState {
    let trilinear = SamplerState::trilinear(TexWrap::Repeat);
    match filter {
        Filter::Trilinear => trilinear,
        Filter::Bilinear => SamplerState { min_mip_filter: TexMipFilter::None, ..trilinear },
        Filter::Nearest => SamplerState {
            min_img_filter: TexFilter::Nearest,
            mag_img_filter: TexFilter::Nearest,
            min_mip_filter: TexMipFilter::None,
            ..trilinear
        },
    }
}
