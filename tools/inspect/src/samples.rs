//! Single samples of resources with several samples per pixel.
//!
//! A map shows the mean of a pixel's samples. Single samples are read and written by draws: one fetch
//! per pixel, in a context of the inspector.

use anyhow::{Result, bail};
use formats::Format;
use pipe_core::*;

use crate::bytes;

const VERTEX: &str = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";

const CORNERS: [[f32; 4]; 3] =
    [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];

/// Returns the view of the stencil of a format, if it has one.
fn stencil_view(format: Format) -> Option<Format> {
    Some(match format {
        Format::S8Uint => Format::S8Uint,
        Format::Z24UnormS8Uint => Format::X24S8Uint,
        Format::S8UintZ24Unorm => Format::S8X24Uint,
        Format::Z32FloatS8X24Uint => Format::X32_S8X24Uint,
        _ => return None,
    })
}

/// Returns true if samples are read and written bit for bit. A depth of 24 or 32 bits that is no float
/// passes through a float, which may change its last bit.
pub fn are_exact(format: Format) -> bool {
    let is_float = matches!(format, Format::Z32Float | Format::Z32FloatS8X24Uint);
    !format.has_depth() || is_float || format == Format::Z16Unorm
}

/// Returns the fragment shader that copies the texel below, or one sample of it.
fn fragment(format: Format, target: &str, sample: u32) -> String {
    let kind = match (format.is_pure_sint(), format.is_pure_uint()) {
        (true, _) => "SINT",
        (_, true) => "UINT",
        _ => "FLOAT",
    };
    let (mut outputs, mut code) = (String::new(), String::new());
    if !format.is_depth_or_stencil() {
        outputs.push_str("DCL OUT[0], COLOR\n");
        outputs.push_str(&format!("DCL SAMP[0]\nDCL SVIEW[0], {target}, {kind}\n"));
        code.push_str(&format!("TXF OUT[0], TEMP[0], SAMP[0], {target}\n"));
    }
    if format.has_depth() {
        outputs.push_str("DCL OUT[0], POSITION\n");
        outputs.push_str(&format!("DCL SAMP[0]\nDCL SVIEW[0], {target}, FLOAT\n"));
        code.push_str(&format!(
            "TXF TEMP[1], TEMP[0], SAMP[0], {target}\nMOV OUT[0].z, TEMP[1].xxxx\n"
        ));
    }
    if format.has_stencil() {
        outputs.push_str("DCL OUT[1], STENCIL\n");
        outputs.push_str(&format!("DCL SAMP[1]\nDCL SVIEW[1], {target}, UINT\n"));
        code.push_str(&format!(
            "TXF TEMP[1], TEMP[0], SAMP[1], {target}\nMOV OUT[1].y, TEMP[1].xxxx\n"
        ));
    }
    format!(
        "FRAG\nDCL IN[0], POSITION, LINEAR\n{outputs}DCL TEMP[0..1]\nIMM[0] UINT32 {{{sample}, 0, 0, 0}}\n\
         MOV TEMP[0], IMM[0].yyyy\nF2I TEMP[0].xy, IN[0].xyyy\nMOV TEMP[0].w, IMM[0].xxxx\n{code}END\n"
    )
}

/// Reads a sample of a box of a layer. Draws of `context` are seen, those of other contexts after their
/// flush.
///
/// # Errors
/// There is no such sample, or the driver's error.
pub fn read<'s>(
    screen: &'s dyn Screen<'static>,
    context: &mut (dyn Context<'static> + '_),
    (resource, template): (ResourceHandle, &ResourceTemplate),
    level: u32,
    region: &Region,
    sample: u32,
) -> Result<Vec<u8>> {
    context.flush(FlushFlags::empty())?;
    let mut own = screen.context_create(ContextFlags::empty())?;
    let size = [u32::try_from(region.width)?, u32::try_from(region.height)?];
    Samples::with(screen, &mut *own, template, size, |samples| {
        samples.load(resource, level, region)?;
        samples.read(sample)
    })
}

/// A box of one layer of a multisampled resource, with its samples at hand.
pub struct Samples<'p, 's> {
    screen: &'s dyn Screen<'static>,
    context: &'p mut (dyn Context<'static> + 's),
    /// The number of samples per pixel.
    pub count: u32,
    format: Format,
    size: [u32; 2],
    /// The box with all samples, and with one.
    all: ResourceHandle,
    one: ResourceHandle,
}

impl<'p, 's> Samples<'p, 's> {
    /// Calls `run` with textures for boxes of a size of a resource with this template. The context is a
    /// new one; its state is not set back.
    ///
    /// # Errors
    /// An error of `run` or of the driver.
    pub fn with<R>(
        screen: &'s dyn Screen<'static>,
        context: &'p mut (dyn Context<'static> + 's),
        template: &ResourceTemplate,
        size: [u32; 2],
        run: impl FnOnce(&mut Self) -> Result<R>,
    ) -> Result<R> {
        let format = template.format.to_linear();
        let target = match format.is_depth_or_stencil() {
            true => Bind::DEPTH_STENCIL,
            false => Bind::RENDER_TARGET,
        };
        let [width, height] = size;
        let bind = target | Bind::SAMPLER_VIEW;
        let plain = ResourceTemplate::texture_2d(template.format, width, height, bind);
        let count = template.samples();
        let sampled = ResourceTemplate { nr_samples: count, nr_storage_samples: count, ..plain };
        let corners = u32::try_from(size_of_val(&CORNERS))?;
        let templates = [
            sampled,
            ResourceTemplate { format, ..plain },
            ResourceTemplate::buffer(corners, Bind::VERTEX_BUFFER),
        ];
        let owned = templates.each_ref().map(|template| screen.resource_create(template));
        let result = match owned {
            [Ok(all), Ok(one), Ok(corners)] => {
                let count = count.into();
                let mut samples = Self { screen, context, count, format, size, all, one };
                samples.begin(corners).and_then(|()| run(&mut samples))
            }
            _ => Err(anyhow::anyhow!("the driver has no memory for a copy of the samples")),
        };
        for resource in owned.into_iter().flatten() {
            screen.resource_destroy(resource)?;
        }
        result
    }

    /// Binds all that does not change between draws.
    fn begin(&mut self, resource: ResourceHandle) -> Result<()> {
        let [width, height] = self.size;
        let bytes: Vec<u8> =
            CORNERS.as_flattened().iter().flat_map(|it| it.to_le_bytes()).collect();
        let context = &mut *self.context;
        context.buffer_subdata(resource, MapFlags::WRITE, 0, &bytes)?;
        let vertices = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
        context.set_vertex_buffers(0, &[Some(vertices)])?;
        let elements = [VertexElement::per_vertex(0, Format::R32G32B32A32Float)];
        let elements = context.create_vertex_elements_state(&elements)?;
        context.bind_vertex_elements_state(Some(elements))?;
        context.set_viewport_states(0, &[ViewportState::y_down(width, height)])?;
        let vertex = context.create_shader_state(ShaderType::Vertex, &ShaderState::text(VERTEX))?;
        context.bind_shader_state(ShaderType::Vertex, Some(vertex))?;
        let multisampled = RasterizerState { multisample: true, ..RasterizerState::default() };
        let rasterizer = context.create_rasterizer_state(&multisampled)?;
        context.bind_rasterizer_state(Some(rasterizer))?;
        let sampler = context.create_sampler_state(&SamplerState::default())?;
        let samplers = [Some(sampler), Some(sampler)];
        context.bind_sampler_states(ShaderType::Fragment, 0, &samplers)?;
        let mut depth = DepthStencilAlphaState {
            depth_enabled: true,
            depth_writemask: true,
            depth_func: CompareFunc::Always,
            ..DepthStencilAlphaState::default()
        };
        depth.stencil[0] =
            StencilState { enabled: true, zpass_op: StencilOp::Replace, ..StencilState::default() };
        let depth = context.create_depth_stencil_alpha_state(&depth)?;
        context.bind_depth_stencil_alpha_state(Some(depth))?;
        Ok(())
    }

    /// Copies the samples of a box of the resource.
    ///
    /// # Errors
    /// The driver's error.
    pub fn load(&mut self, resource: ResourceHandle, level: u32, region: &Region) -> Result<()> {
        let all = self.all;
        Ok(self.context.resource_copy_region(all, 0, 0, 0, 0, resource, level, region)?)
    }

    /// Writes the samples to a box of the resource.
    ///
    /// # Errors
    /// The driver's error.
    pub fn store(&mut self, resource: ResourceHandle, level: u32, region: &Region) -> Result<()> {
        let [x, y, z] = [region.x, region.y, region.z].map(|it| u32::try_from(it).unwrap_or(0));
        let whole = self.whole()?;
        let all = self.all;
        self.context.resource_copy_region(resource, level, x, y, z, all, 0, &whole)?;
        self.context.flush(FlushFlags::empty())?;
        Ok(())
    }

    fn whole(&self) -> Result<Region> {
        let [width, height] = self.size;
        Ok(Region {
            width: width.try_into()?,
            height: height.try_into()?,
            ..Region::rect(0, 0, 1, 1)
        })
    }

    /// Draws one sample of a texture to a target.
    fn draw(
        &mut self,
        from: ResourceHandle,
        sample: u32,
        to: ResourceHandle,
        mask: u32,
    ) -> Result<()> {
        let [width, height] = self.size.map(u16::try_from);
        let (width, height, format) = (width?, height?, self.format);
        let template = self.screen.resource_template(from)?;
        let context = &mut *self.context;
        let surface = context.create_surface(to, &SurfaceTemplate::of(format))?;
        let mut framebuffer = FramebufferState::single(width, height, surface, None);
        if format.is_depth_or_stencil() {
            framebuffer.zsbuf = framebuffer.cbufs[0].take();
        }
        context.set_framebuffer_state(&framebuffer)?;
        context.set_sample_mask(mask);
        let of = |format| SamplerViewTemplate { format, ..SamplerViewTemplate::whole(&template) };
        let first = context.create_sampler_view(from, &of(format))?;
        let second = match stencil_view(format) {
            Some(view) => Some(context.create_sampler_view(from, &of(view))?),
            None if format.has_stencil() => bail!("samples of {format} cannot be read"),
            None => None,
        };
        context.set_sampler_views(ShaderType::Fragment, 0, &[Some(first), second])?;
        let target = if template.samples() > 1 { "2D_MSAA" } else { "2D" };
        let text = fragment(format, target, sample);
        let shader =
            context.create_shader_state(ShaderType::Fragment, &ShaderState::text(&text))?;
        context.bind_shader_state(ShaderType::Fragment, Some(shader))?;
        let info = DrawInfo::new(PrimType::Triangles);
        context.draw_vbo(&info, None, &[DrawStartCount::count(3)])?;
        context.flush(FlushFlags::empty())?;
        context.bind_shader_state(ShaderType::Fragment, None)?;
        context.set_sampler_views(ShaderType::Fragment, 0, &[None, None])?;
        context.set_framebuffer_state(&FramebufferState::default())?;
        context.delete_shader_state(shader)?;
        for view in [Some(first), second].into_iter().flatten() {
            context.sampler_view_destroy(view)?;
        }
        Ok(context.surface_destroy(surface)?)
    }

    /// Reads a sample of all pixels: rows, tightly packed.
    ///
    /// # Errors
    /// There is no such sample, or the driver's error.
    pub fn read(&mut self, sample: u32) -> Result<Vec<u8>> {
        if sample >= self.count {
            bail!("there is no sample {sample}: the pixels have {}", self.count);
        }
        let (all, one, whole) = (self.all, self.one, self.whole()?);
        self.draw(all, sample, one, u32::MAX)?;
        bytes::read(self.screen, self.context, one, 0, &whole)
    }

    /// Writes a sample of all pixels from tightly packed rows.
    ///
    /// # Errors
    /// The driver's error.
    pub fn write(&mut self, sample: u32, bytes: &[u8]) -> Result<()> {
        let (all, one, whole) = (self.all, self.one, self.whole()?);
        bytes::write(self.screen, self.context, one, 0, &whole, bytes)?;
        self.draw(one, 0, all, 1 << sample)
    }
}
