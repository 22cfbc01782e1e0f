//! Draws a scene on a screen, and reads the pixels of its buffers.

use cso_cache::CsoContext;
use formats::Format;
use os_shim::Memory;
use pipe_core::context::ConstantBuffer;
use pipe_core::query::QueryType;
use pipe_core::wrap::{CheckScreen, TraceScreen, WriteSink};
use pipe_core::*;

use crate::kernel::Kernel;
use crate::rng::Rng;
use crate::samples::{fetch, sampled};
use crate::scene::{Draw, Scene, Texture, Vertex};
use crate::shaders::{Sampled, Work};
use crate::stages::Stages;

/// The pixels of a buffer, row by row.
#[derive(Clone, PartialEq, Debug)]
pub struct Plane {
    /// The format that they were stored in.
    pub format: Format,
    /// True if the components must be equal on all drivers.
    pub exact: bool,
    /// Components in the steps of the format: sRGB is not decoded, integers are unchanged. Depth is
    /// the first component, stencil the second.
    pub pixels: Vec<[f64; 4]>,
}

/// The result of a scene.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    /// In pixels.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// The colour buffers, then the depth and stencil buffer. Of several samples, this is their
    /// mean (the first sample for depth and stencil), then each sample. Of a streamed surface it is
    /// the presented picture. Then follow the words of buffers and images that programs wrote, and
    /// the numbers of streamed primitives.
    pub planes: Vec<Plane>,
    /// Number of samples that passed the tests of each draw.
    pub samples: Vec<u64>,
}

/// Draws a scene through the cache of state objects and the checking wrapper.
///
/// # Errors
/// Any error of the driver.
pub fn render(screen: &dyn Screen<'static>, scene: &Scene) -> Result<Picture, PipeError> {
    let memory = Memory::system();
    let screen = CheckScreen::new(screen, memory);
    let context = screen.context_create(ContextFlags::empty())?;
    let mut cso = CsoContext::new(context, memory);
    let mut session = Session {
        screen: &screen,
        cso: &mut cso,
        kept: Vec::new(),
        written: Vec::new(),
        counts: None,
        primitives: Vec::new(),
    };
    session.scene(scene)
}

/// Returns the trace of the calls that draw a scene.
pub fn trace(screen: &dyn Screen<'static>, scene: &Scene) -> String {
    let sink = WriteSink::new(String::new());
    // A refused scene has a trace, too: it ends with the refusal.
    let _ = render(&TraceScreen::new(screen, &sink, Memory::system()), scene);
    let text = sink.into_inner();
    // Queries of capabilities, and the calls that clean up the cache after the flush, draw nothing.
    let calls = text.lines().take_while(|line| !line.starts_with("flush("));
    let draws = |line: &&str| !line.starts_with("get_") && !line.starts_with("is_format");
    calls.filter(draws).flat_map(|line| [line, "\n"]).collect()
}

/// The calls of one scene.
struct Session<'a, 'c> {
    screen: &'a dyn Screen<'static>,
    cso: &'a mut CsoContext<'c, 'static>,
    /// Resources to destroy at the end.
    kept: Vec<ResourceHandle>,
    /// Buffers and images of words that programs write to.
    written: Vec<ResourceHandle>,
    /// The buffer and the image that count fragments.
    counts: Option<(ResourceHandle, ResourceHandle)>,
    /// The numbers of primitives that draws wrote to stream output.
    primitives: Vec<[f64; 4]>,
}

/// A panel that assembles the picture from its tiles.
#[derive(Default)]
struct Shown {
    width: usize,
    bytes: Vec<u8>,
}

impl TilePanel for Shown {
    fn begin(&mut self, width: u32, _height: u32) -> Result<(), PanelError> {
        (self.width, self.bytes) = (width as usize, Vec::new());
        Ok(())
    }

    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride: usize,
    ) -> Result<(), PanelError> {
        let texel = format.block_bytes();
        for row in 0..height as usize {
            let to = ((y as usize + row) * self.width + x as usize) * texel;
            let (from, size) = (row * stride, width as usize * texel);
            if self.bytes.len() < to + size {
                self.bytes.resize(to + size, 0);
            }
            self.bytes[to..to + size].copy_from_slice(&pixels[from..from + size]);
        }
        Ok(())
    }
}

impl Session<'_, '_> {
    fn scene(&mut self, scene: &Scene) -> Result<Picture, PipeError> {
        let result = self.draws(scene);
        for resource in core::mem::take(&mut self.kept) {
            // Views and bindings are destroyed with the context.
            let _ = self.screen.resource_destroy(resource);
        }
        result
    }

    fn draws(&mut self, scene: &Scene) -> Result<Picture, PipeError> {
        let (width, height) = (u32::from(scene.width), u32::from(scene.height));
        let mut framebuffer =
            FramebufferState { width: scene.width, height: scene.height, ..Default::default() };
        let mut buffers = Vec::new();
        for (index, format) in scene.colors.iter().enumerate() {
            let (resource, surface) = self.surface(*format, scene, Bind::RENDER_TARGET)?;
            framebuffer.cbufs[index] = Some(surface);
            buffers.push((resource, *format));
        }
        if let Some(format) = scene.depth {
            let (resource, surface) = self.surface(format, scene, Bind::DEPTH_STENCIL)?;
            framebuffer.zsbuf = Some(surface);
            buffers.push((resource, format));
        }
        if let Some(kernel) = &scene.kernel {
            self.launch(kernel)?;
        }
        self.cso.set_framebuffer(&framebuffer)?;
        self.clear(scene)?;
        let query = self.cso.context().create_query(QueryType::OcclusionCounter, 0)?;
        let mut samples = Vec::new();
        for draw in &scene.draws {
            // A streamed surface is drawn when it is presented; before that, nothing is counted.
            if scene.streamed {
                self.draw(draw, scene)?;
                continue;
            }
            let counting = match draw.stages.streams {
                true => self.stream_queries()?,
                false => Vec::new(),
            };
            for query in counting.iter().chain([&query]) {
                self.cso.context().begin_query(*query)?;
            }
            self.draw(draw, scene)?;
            for query in counting.iter().chain([&query]) {
                self.cso.context().end_query(*query)?;
            }
            for query in counting {
                let result = self.cso.context().get_query_result(query, true)?;
                let count = result.map_or(0, |result| result.as_u64());
                self.primitives.push([count as f64, 0.0, 0.0, 0.0]);
                self.cso.context().destroy_query(query)?;
            }
            let result = self.cso.context().get_query_result(query, true)?;
            samples.push(result.map_or(0, |result| result.as_u64()));
        }
        let mut planes = Vec::new();
        if scene.streamed {
            let (resource, format) = buffers.remove(0);
            let mut shown = Shown::default();
            self.cso.context().present(resource.into(), &mut shown)?;
            let texels = shown.bytes.chunks_exact(format.block_bytes());
            let pixels = texels.map(|texel| components(format, texel)).collect();
            planes.push(Plane { format, exact: false, pixels });
            buffers.clear();
        }
        self.cso.context().flush(FlushFlags::empty())?;
        let layers = scene.layers.into();
        for &(resource, format) in &buffers {
            let read = match scene.samples {
                1 => resource,
                _ => self.resolved(resource, format, scene)?,
            };
            planes.push(self.plane(read, format, Region::whole(width, height, layers))?);
        }
        if scene.samples > 1 {
            for (resource, format) in buffers {
                self.samples(resource, format, scene, &mut planes)?;
            }
        }
        for resource in core::mem::take(&mut self.written) {
            let template = self.screen.resource_template(resource)?;
            let region = template.level_region(0).unwrap_or(Region::bytes(0, 0));
            let format = Format::R32Uint;
            let words = self.plane(resource, format, region)?;
            planes.push(Plane { exact: true, ..words });
        }
        let (format, pixels) = (Format::R32Uint, core::mem::take(&mut self.primitives));
        planes.push(Plane { format, exact: true, pixels });
        let (width, height) = (scene.width.into(), scene.height.into());
        Ok(Picture { width, height, planes, samples })
    }

    fn resource(&mut self, template: &ResourceTemplate) -> Result<ResourceHandle, PipeError> {
        let resource = self.screen.resource_create(template)?;
        self.kept.push(resource);
        Ok(resource)
    }

    fn surface(
        &mut self,
        format: Format,
        scene: &Scene,
        bind: Bind,
    ) -> Result<(ResourceHandle, SurfaceHandle), PipeError> {
        let mut template = scene.buffer(format, bind);
        if scene.samples > 1 {
            template.nr_samples = scene.samples;
            template.bind |= sampled(format);
        }
        let (width, height) = (scene.width.into(), scene.height.into());
        if scene.streamed {
            template = match bind {
                Bind::DEPTH_STENCIL => ResourceTemplate::streamed_depth(format, width, height),
                _ => ResourceTemplate::streamed(format, width, height),
            };
        }
        if scene.layers > 1 {
            template.target = TextureTarget::Texture2DArray;
            template.array_size = scene.layers.into();
        }
        let resource = self.resource(&template)?;
        let last_layer = u32::from(scene.layers) - 1;
        let range = SurfaceRange::Texture { level: 0, first_layer: 0, last_layer };
        let surface = SurfaceTemplate { range, ..SurfaceTemplate::of(format) };
        let surface = self.cso.context().create_surface(resource, &surface)?;
        Ok((resource, surface))
    }

    /// Blits a buffer with several samples to a buffer with one.
    fn resolved(
        &mut self,
        resource: ResourceHandle,
        format: Format,
        scene: &Scene,
    ) -> Result<ResourceHandle, PipeError> {
        let depth = format.is_depth_or_stencil();
        let bind = if depth { Bind::DEPTH_STENCIL } else { Bind::RENDER_TARGET };
        let mut mask = BlitMask::empty();
        mask.set(BlitMask::RGBA, !depth);
        mask.set(BlitMask::Z, format.has_depth());
        mask.set(BlitMask::S, format.has_stencil());
        let to = self.resource(&scene.buffer(format, bind))?;
        let region = Region::whole(scene.width.into(), scene.height.into(), 1);
        let end = |resource| BlitSurface { resource, level: 0, region, format };
        let info = BlitInfo::new(end(to), end(resource), TexFilter::Nearest);
        self.cso.context().blit(&BlitInfo { mask, ..info })?;
        Ok(to)
    }

    /// Reads each sample of a buffer by drawing. Depth is read as floats, stencil is not read.
    fn samples(
        &mut self,
        resource: ResourceHandle,
        format: Format,
        scene: &Scene,
        planes: &mut Vec<Plane>,
    ) -> Result<(), PipeError> {
        if sampled(format).is_empty() {
            return Ok(());
        }
        let depth = format.is_depth_or_stencil();
        let stored = if depth { Format::R32Float } else { format };
        let to = self.resource(&scene.buffer(stored, Bind::RENDER_TARGET))?;
        let surface = self.cso.context().create_surface(to, &SurfaceTemplate::of(stored))?;
        let framebuffer = FramebufferState::single(scene.width, scene.height, surface, None);
        let seen = self.screen.resource_template(resource)?;
        let view = SamplerViewTemplate::whole(&seen);
        let view = self.cso.context().create_sampler_view(resource, &view)?;
        let cso = &mut *self.cso;
        cso.set_framebuffer(&framebuffer)?;
        cso.set_blend(&BlendState::default())?;
        cso.set_depth_stencil_alpha(&DepthStencilAlphaState::default())?;
        cso.set_rasterizer(&RasterizerState::default())?;
        cso.context().set_sample_mask(u32::MAX);
        cso.context().set_min_samples(1);
        cso.context().set_window_rectangles(&WindowRectangles::default())?;
        for stage in [ShaderType::Geometry, ShaderType::TessCtrl, ShaderType::TessEval] {
            cso.clear_shader(stage)?;
        }
        let (width, height) = (scene.width.into(), scene.height.into());
        cso.set_viewports(&[ViewportState::y_down(width, height)])?;
        let vertex = Stages::default().vertex(1);
        cso.set_shader(ShaderType::Vertex, key(&vertex), &ShaderState::text(&vertex))?;
        let text = fetch(format);
        cso.set_shader(ShaderType::Fragment, key(&text), &ShaderState::text(&text))?;
        cso.set_sampler_views(ShaderType::Fragment, &[Some(view)])?;
        let corner = |x: f32, y: f32| Vertex {
            position: [x, y, 0.0, 1.0],
            color: [0.0; 4],
            texcoord: [0.0; 4],
            size: 1.0,
        };
        let vertices = vec![corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)];
        for sample in 0..scene.samples {
            let constant = bytes(&[sample.into(); 4]);
            let constant = Some(ConstantBuffer::User(&constant));
            self.cso.context().set_constant_buffer(ShaderType::Fragment, 0, constant)?;
            self.primitives(&vertices, None, &DrawInfo::new(PrimType::Triangles))?;
            self.cso.context().flush(FlushFlags::empty())?;
            let plane = self.plane(to, stored, Region::whole(width, height, 1))?;
            // Depth has the steps of the buffer that stored it.
            planes.push(Plane { format, ..plane });
        }
        Ok(())
    }

    fn clear(&mut self, scene: &Scene) -> Result<(), PipeError> {
        let color = match scene.colors[0] {
            format if format.is_pure_sint() => {
                ColorUnion::int(scene.clear_color.map(|component| (component * 100.0) as i32))
            }
            format if format.is_pure_uint() => {
                ColorUnion::uint(scene.clear_color.map(|component| (component * 100.0) as u32))
            }
            _ => ColorUnion::float(scene.clear_color),
        };
        let mut buffers = ClearFlags::COLOR;
        for (flag, present) in [
            (ClearFlags::DEPTH, scene.depth.is_some_and(Format::has_depth)),
            (ClearFlags::STENCIL, scene.depth.is_some_and(Format::has_stencil)),
        ] {
            buffers.set(flag, present);
        }
        for index in scene.colors.len()..pipe_core::limits::MAX_COLOR_BUFS {
            buffers.remove(ClearFlags::color(index));
        }
        let (depth, stencil) = (scene.clear_depth.into(), scene.clear_stencil);
        self.cso.context().clear(buffers, None, &color, depth, stencil)
    }

    fn draw(&mut self, draw: &Draw, scene: &Scene) -> Result<(), PipeError> {
        let cso = &mut *self.cso;
        cso.set_blend(&draw.blend)?;
        cso.set_blend_color(draw.blend_color);
        cso.set_depth_stencil_alpha(&draw.tests)?;
        cso.set_stencil_ref(draw.stencil_ref);
        cso.set_rasterizer(&draw.rasterizer)?;
        cso.set_viewports(&[draw.viewport, draw.second_viewport])?;
        cso.set_scissors(&[draw.scissor, draw.second_scissor])?;
        cso.context().set_window_rectangles(&draw.windows)?;
        cso.context().set_sample_locations(draw.sample_places.as_ref().map_or(&[], |set| set))?;
        cso.context().set_polygon_stipple(&draw.stipple);
        cso.context().set_clip_state(&draw.clip);
        cso.context().set_sample_mask(draw.sample_mask);
        cso.context().set_min_samples(draw.min_samples);
        self.stages(draw, scene)?;
        let cso = &mut *self.cso;
        let sampled = draw.texture.as_ref().map(|texture| Sampled {
            target: texture.target,
            format: texture.format,
            size: texture.size,
        });
        let dual = draw.blend.is_dual_source();
        let outputs = if dual { 2 } else { scene.colors.len() };
        let text = draw.fragment.text(sampled.as_ref(), outputs, scene.colors[0]);
        cso.set_shader(ShaderType::Fragment, key(&text), &ShaderState::text(&text))?;
        let constant = bytes(&draw.constant);
        let constant = Some(ConstantBuffer::User(&constant));
        cso.context().set_constant_buffer(ShaderType::Fragment, 0, constant)?;
        if let Some(texture) = &draw.texture {
            self.texture(texture)?;
        }
        if draw.fragment.work == Work::Count {
            self.count(scene)?;
        }
        let targets = match draw.stages.streams {
            true => self.targets(draw)?,
            false => Vec::new(),
        };
        let offsets = vec![Some(0); targets.len()];
        self.cso.set_stream_outputs(&targets, &offsets)?;
        let info = DrawInfo {
            instance_count: draw.instances,
            primitive_restart: draw.restart.is_some(),
            restart_index: draw.restart.unwrap_or_default().into(),
            ..DrawInfo::new(draw.mode)
        };
        self.primitives(&draw.vertices, draw.indices.as_deref(), &info)
    }

    /// Binds the stages before the fragment shader.
    fn stages(&mut self, draw: &Draw, scene: &Scene) -> Result<(), PipeError> {
        let stages = &draw.stages;
        let (outputs, stride) = stages.streamed();
        let programs = [
            (ShaderType::Vertex, Some(stages.vertex(scene.layers))),
            (ShaderType::TessCtrl, stages.control()),
            (ShaderType::TessEval, stages.evaluation()),
            (ShaderType::Geometry, stages.geometry(draw.mode, scene.layers)),
        ];
        let last = programs.iter().rposition(|(_, text)| text.is_some());
        for (number, (stage, text)) in programs.iter().enumerate() {
            let Some(text) = text else {
                self.cso.clear_shader(*stage)?;
                continue;
            };
            let mut state = ShaderState::text(text);
            let streams = stages.streams && Some(number) == last;
            if streams {
                state.stream_output = StreamOutputInfo { stride, outputs: &outputs };
            }
            let key = key(text).wrapping_add(streams.into());
            self.cso.set_shader(*stage, key, &state)?;
        }
        if let Some(tessellation) = &stages.tessellation {
            self.cso.set_patch_vertices(tessellation.domain.vertices())?;
            let [a, b, c, d, e, f] = tessellation.levels;
            let default_outer_level = [a, b, c, d];
            let levels = TessState { default_outer_level, default_inner_level: [e, f] };
            self.cso.context().set_tess_state(&levels);
        }
        Ok(())
    }

    /// Creates queries of the primitives that a draw generates and writes, for two vertex streams.
    fn stream_queries(&mut self) -> Result<Vec<QueryHandle>, PipeError> {
        use QueryType::{PrimitivesEmitted, PrimitivesGenerated, SoOverflowPredicate};
        let kinds = [PrimitivesGenerated, PrimitivesEmitted, SoOverflowPredicate];
        let queries = kinds.into_iter().flat_map(|kind| [(kind, 0), (kind, 1)]);
        queries.map(|(kind, stream)| self.cso.context().create_query(kind, stream)).collect()
    }

    /// Creates a buffer of words that a program writes.
    fn words(&mut self, words: &[u32], bind: Bind) -> Result<ResourceHandle, PipeError> {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let template = ResourceTemplate::buffer(data.len() as u32, bind);
        let resource = self.resource(&template)?;
        self.cso.context().buffer_subdata(resource, MapFlags::WRITE, 0, &data)?;
        self.written.push(resource);
        Ok(resource)
    }

    /// Creates stream output targets: buffers for a few vertices, so that some overflow.
    fn targets(&mut self, draw: &Draw) -> Result<Vec<Option<StreamOutputTargetHandle>>, PipeError> {
        let (outputs, stride) = draw.stages.streamed();
        let used = outputs.iter().map(|output| output.output_buffer).max().unwrap_or(0);
        let vertices = draw.vertices.len();
        let mut targets = Vec::new();
        for stride in &stride[..=usize::from(used)] {
            let size = vertices * usize::from(*stride);
            let buffer = self.words(&vec![7; size], Bind::STREAM_OUTPUT)?;
            let size = 4 * size as u32;
            targets.push(Some(self.cso.context().create_stream_output_target(buffer, 0, size)?));
        }
        Ok(targets)
    }

    /// Binds the buffer and the image that count fragments.
    fn count(&mut self, scene: &Scene) -> Result<(), PipeError> {
        let (buffer, image) = match self.counts {
            Some(counts) => counts,
            None => {
                let buffer = self.words(&[0; 4], Bind::SHADER_BUFFER)?;
                let template = scene.buffer(Format::R32Uint, Bind::SHADER_IMAGE);
                let image = self.resource(&template)?;
                self.written.push(image);
                *self.counts.insert((buffer, image))
            }
        };
        let range = ImageRange::Texture {
            level: 0,
            first_layer: 0,
            last_layer: 0,
            single_layer_view: false,
        };
        let (format, access) = (Format::R32Uint, ImageAccess::READ_WRITE);
        let image = ImageView { resource: image, format, access, range };
        let buffer = ShaderBuffer { resource: buffer, buffer_offset: 0, buffer_size: 16 };
        self.cso.set_shader_buffers(ShaderType::Fragment, &[Some(buffer)], 1)?;
        self.cso.set_shader_images(ShaderType::Fragment, &[Some(image)])
    }

    /// Runs a compute kernel.
    fn launch(&mut self, kernel: &Kernel) -> Result<(), PipeError> {
        let mut rng = Rng::new(kernel.seed);
        let mut buffers = [None; 3];
        for (slot, count) in buffers.iter_mut().zip(kernel.words()) {
            let words: Vec<u32> = (0..count).map(|_| rng.bits() as u32).collect();
            let resource = self.words(&words, Bind::SHADER_BUFFER)?;
            let buffer_size = 4 * count;
            *slot = Some(ShaderBuffer { resource, buffer_offset: 0, buffer_size });
        }
        self.cso.set_shader_buffers(ShaderType::Compute, &buffers, 0b110)?;
        let text = kernel.text();
        let state = ComputeState {
            source: ShaderSource::Text(&text),
            static_shared_mem: 4 * kernel.volume(),
            req_private_mem: 0,
            req_input_mem: 0,
        };
        let program = self.cso.context().create_compute_state(&state)?;
        self.cso.set_compute(Some(program))?;
        let &Kernel { block, last_block, grid, base, .. } = kernel;
        let info = GridInfo { block, last_block, grid, grid_base: base, ..GridInfo::default() };
        self.cso.context().launch_grid(&info)?;
        self.cso.set_compute(None)?;
        self.cso.context().delete_compute_state(program)
    }

    fn texture(&mut self, texture: &Texture) -> Result<(), PipeError> {
        let (array_size, depth0) = texture.layers_and_depth();
        let template = ResourceTemplate {
            target: texture.target,
            depth0,
            array_size,
            last_level: texture.levels - 1,
            ..ResourceTemplate::texture_2d(
                texture.format,
                texture.size[0],
                texture.size[1],
                Bind::SAMPLER_VIEW,
            )
        };
        let resource = self.resource(&template)?;
        let mut rng = Rng::new(texture.seed);
        for level in 0..texture.levels {
            let Some(region) = template.level_region(level) else { continue };
            let stride = texture.format.row_bytes(region.width as usize);
            let rows = (region.height as usize).div_ceil(texture.format.block().height.into());
            let data = texels(&mut rng, texture.format, stride * rows * region.depth as usize);
            let (usage, layer) = (MapFlags::WRITE, stride * rows);
            self.cso
                .context()
                .texture_subdata(resource, level, usage, &region, &data, stride, layer)?;
        }
        let whole = SamplerViewTemplate::whole(&template);
        let range = SamplerViewRange::Texture {
            first_level: texture.first_level,
            last_level: texture.levels - 1,
            first_layer: 0,
            last_layer: array_size - 1,
        };
        let view = SamplerViewTemplate { swizzle: texture.swizzle, range, ..whole };
        let view = self.cso.context().create_sampler_view(resource, &view)?;
        self.cso.set_sampler_views(ShaderType::Fragment, &[Some(view)])?;
        self.cso.set_samplers(ShaderType::Fragment, &[Some(texture.sampler)])
    }

    fn primitives(
        &mut self,
        vertices: &[Vertex],
        indices: Option<&[u16]>,
        info: &DrawInfo<'_>,
    ) -> Result<(), PipeError> {
        let words: Vec<f32> = vertices.iter().flat_map(Vertex::words).collect();
        let data = bytes(&words);
        let template = ResourceTemplate::buffer(data.len().max(4) as u32, Bind::VERTEX_BUFFER);
        let resource = self.resource(&template)?;
        self.cso.context().buffer_subdata(resource, MapFlags::WRITE, 0, &data)?;
        let stride = 4 * Vertex::WORDS as u32;
        let buffer = VertexBuffer { resource, stride, buffer_offset: 0 };
        self.cso.set_vertex_buffers(&[Some(buffer)])?;
        let four = Format::R32G32B32A32Float;
        self.cso.set_vertex_elements(&[
            VertexElement::per_vertex(0, four),
            VertexElement::per_vertex(16, four),
            VertexElement::per_vertex(32, four),
            VertexElement::per_vertex(48, Format::R32Float),
        ])?;
        let indices: Option<Vec<u8>> =
            indices.map(|indices| indices.iter().flat_map(|index| index.to_le_bytes()).collect());
        let index = indices.as_ref().map(|bytes| IndexBuffer::user(bytes, 2));
        let count = indices.as_ref().map_or(vertices.len(), |bytes| bytes.len() / 2);
        let info = DrawInfo { index, ..*info };
        let part = DrawStartCount::count(count as u32);
        self.cso.context().draw_vbo(&info, None, &[part])
    }

    fn plane(
        &mut self,
        resource: ResourceHandle,
        format: Format,
        region: Region,
    ) -> Result<Plane, PipeError> {
        let context = self.cso.context();
        let map = context.transfer_map(resource, 0, MapFlags::READ, &region)?;
        let bytes = context.transfer_bytes(map.handle)?;
        let texels = bytes.chunks_exact(format.block_bytes().max(1));
        let pixels = texels.map(|texel| components(format, texel)).collect();
        context.transfer_unmap(map.handle)?;
        Ok(Plane { format, exact: false, pixels })
    }
}

/// Returns a hash of a program as its key: the draws of a scene have few programs.
fn key(text: &str) -> u64 {
    let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    1 + text.bytes().fold(0u64, hash)
}

fn bytes(words: &[f32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns random bytes for a texture. Float texels are finite, integer texels are small.
fn texels(rng: &mut Rng, format: Format, size: usize) -> Vec<u8> {
    let mut data: Vec<u8> = (0..size).map(|_| rng.bits() as u8).collect();
    let simple = format.is_texel() && (format.is_float() || format.is_pure_integer());
    let zs = format.is_depth_or_stencil();
    if simple && !zs {
        for texel in data.chunks_exact_mut(format.block_bytes()) {
            let value = [(); 4].map(|()| rng.float(0.0, 1.0));
            if format.is_pure_integer() {
                format.store_rgba_bits(value.map(|value| (value * 120.0) as u32), texel);
            } else {
                format.store_rgba_f32(value, texel);
            }
        }
    }
    if zs && format.is_float() {
        let layout = formats::depth::DepthLayout::new(format);
        for texel in data.chunks_exact_mut(format.block_bytes()) {
            if let Some(layout) = layout {
                layout.set_z_f32(texel, rng.float(0.0, 1.0));
            }
        }
    }
    data
}

/// Returns a pixel's components; see [`Plane`].
fn components(format: Format, texel: &[u8]) -> [f64; 4] {
    if format.is_depth_or_stencil() {
        let Some(layout) = formats::depth::DepthLayout::new(format) else { return [0.0; 4] };
        let unorm = || f64::from(layout.z_unorm32(texel)) / f64::from(u32::MAX);
        let depth = if format.is_float() { layout.z_f32(texel).into() } else { unorm() };
        let depth = if format.has_depth() { depth } else { 0.0 };
        return [depth, layout.stencil(texel).into(), 0.0, 0.0];
    }
    if format.is_pure_sint() {
        return format.fetch_rgba_bits(texel).map(|bits| (bits as i32).into());
    }
    if format.is_pure_uint() {
        return format.fetch_rgba_bits(texel).map(f64::from);
    }
    format.to_linear().fetch_rgba_f32(texel).map(f64::from)
}
