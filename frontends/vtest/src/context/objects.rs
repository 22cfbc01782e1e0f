//! Objects: made from bit fields, bound, destroyed.

use std::rc::Rc;

use formats::Format;
use pipe_core::*;

use super::query::Query;
use super::{CommandError, Done, MAX_OBJECTS, Shared, SubContext, decode};
use crate::error::ClientError;
use crate::reader::Reader;
use crate::resource::Resource;
use crate::wire::ObjectType;

/// An object of a sub-context.
#[derive(Debug)]
pub(super) enum Object<'s> {
    /// Blend state.
    Blend(BlendHandle),
    /// Rasterizer state.
    Rasterizer {
        handle: RasterizerHandle,
        /// The client's driver made it for itself: OpenGL has no such state.
        internal: bool,
    },
    /// Depth, stencil and alpha state.
    DepthStencilAlpha(DepthStencilAlphaHandle),
    /// Vertex elements.
    VertexElements(VertexElementsHandle),
    /// Sampler state.
    Sampler(SamplerHandle),
    /// A shader.
    Shader {
        stage: ShaderType,
        handle: ShaderHandle,
        /// It declares samplers.
        samples: bool,
    },
    /// A view to sample from.
    SamplerView(SamplerViewHandle),
    /// A view to draw to.
    Surface {
        handle: SurfaceHandle,
        resource: Rc<Resource<'s>>,
        level: u32,
        /// Width and height.
        size: [u32; 2],
        depth: bool,
    },
    /// A stream output target.
    Target { handle: StreamOutputTargetHandle, resource: Rc<Resource<'s>> },
    /// A query.
    Query(Query<'s>),
}

/// `count` bits from `low` on.
fn bits(word: u32, low: u32, count: u32) -> u32 {
    word >> low & ((1 << count) - 1)
}

/// One bit.
fn bit(word: u32, index: u32) -> bool {
    bits(word, index, 1) != 0
}

/// Replaces NaN and infinity with 0. Hostile streams contain them, and drivers refuse them.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

/// The format with this number.
pub(super) fn format(number: u32) -> Result<Format, CommandError> {
    let known = |number| u16::try_from(number).ok().and_then(Format::from_number);
    decode("format", |number| known(number).filter(|format| *format != Format::None), number)
}

impl<'s> SubContext<'s> {
    /// Adds an object. Replaces an object with the same name.
    pub(super) fn insert(
        &mut self,
        name: u32,
        object: Object<'s>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let count = self.objects.len() as u64 + 1;
        ClientError::at_most("objects", count, MAX_OBJECTS as u64)?;
        if let Some(old) = self.objects.insert(name, Rc::new(object)) {
            self.dying.push(old);
            self.sweep(&mut shared.notes);
        }
        Ok(())
    }

    /// Counts the memory of `count` table entries with their objects against the client's limit.
    /// The driver counts its own objects. The tables do not shrink.
    fn reserve_objects(&mut self, count: usize, shared: &Shared<'s>) -> Result<(), ClientError> {
        /// Upper bound, a power of two, for one table entry (with the table's growth) and its
        /// object.
        const OBJECT_BYTES: usize = 256;
        let what = "objects";
        let reserved = match &mut self.reserved {
            Some(reserved) => reserved,
            none => none.insert(shared.memory.reserve(what, 0)?),
        };
        let more = (count * OBJECT_BYTES).saturating_sub(reserved.bytes());
        reserved.grow(more).map_err(|error| shared.memory.refused(what, error.requested))
    }

    pub(super) fn create_object(
        &mut self,
        kind: u8,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let Some(kind) = ObjectType::from_number(kind) else {
            return Err(ClientError::Protocol("unknown object type").into());
        };
        let name = reader.word()?;
        // Reserve the entry before the driver makes the object.
        self.reserve_objects(self.objects.len() + self.dying.len() + 1, shared)?;
        let driver = &mut *self.driver;
        let object = match kind {
            ObjectType::Shader => return self.create_shader(name, reader, shared),
            ObjectType::Blend => Object::Blend(driver.create_blend_state(&blend(reader)?)?),
            ObjectType::Rasterizer => {
                let state = rasterizer(reader)?;
                let internal = state.point_size == 0.0 && state.line_width == 0.0;
                Object::Rasterizer { handle: driver.create_rasterizer_state(&state)?, internal }
            }
            ObjectType::DepthStencilAlpha => {
                let state = depth_stencil_alpha(reader)?;
                Object::DepthStencilAlpha(driver.create_depth_stencil_alpha_state(&state)?)
            }
            ObjectType::SamplerState => {
                Object::Sampler(driver.create_sampler_state(&sampler(reader)?)?)
            }
            ObjectType::VertexElements => {
                let elements = vertex_elements(reader)?;
                Object::VertexElements(driver.create_vertex_elements_state(&elements)?)
            }
            ObjectType::SamplerView => {
                let resource = shared.resources.find(reader.word()?)?;
                let view = sampler_view(reader, resource)?;
                Object::SamplerView(driver.create_sampler_view(resource.handle()?, &view)?)
            }
            ObjectType::Surface | ObjectType::MsaaSurface => {
                let resource = Rc::clone(shared.resources.find(reader.word()?)?);
                let template = surface(reader, kind == ObjectType::MsaaSurface)?;
                let size = template.size(resource.template()?);
                let [width, height, _] =
                    size.ok_or(PipeError::Invalid("the surface exceeds its resource"))?;
                let handle = driver.create_surface(resource.handle()?, &template)?;
                let level = match template.range {
                    SurfaceRange::Texture { level, .. } => level,
                    SurfaceRange::Buffer { .. } => 0,
                };
                let depth = template.format.is_depth_or_stencil();
                Object::Surface { handle, resource, level, size: [width, height], depth }
            }
            ObjectType::Query => Object::Query(self.create_query(reader, shared)?),
            ObjectType::StreamOutputTarget => {
                let resource = Rc::clone(shared.resources.find(reader.word()?)?);
                let [offset, size] = reader.words()?;
                let handle =
                    driver.create_stream_output_target(resource.handle()?, offset, size)?;
                Object::Target { handle, resource }
            }
        };
        self.insert(name, object, shared)
    }

    pub(super) fn bind_object(
        &mut self,
        kind: u8,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let name = reader.word()?;
        let object = self.object(name).cloned();
        // An object that the driver refused to make does not exist: bind nothing in its place.
        let missing = name != 0 && object.is_none();
        let driver = &mut *self.driver;
        let slot = match (ObjectType::from_number(kind), object.as_deref()) {
            (Some(ObjectType::Blend), Some(Object::Blend(handle))) => {
                driver.bind_blend_state(Some(*handle))?;
                &mut self.bound.blend
            }
            (Some(ObjectType::Blend), None) => {
                driver.bind_blend_state(None)?;
                &mut self.bound.blend
            }
            (Some(ObjectType::Rasterizer), Some(Object::Rasterizer { handle, .. })) => {
                driver.bind_rasterizer_state(Some(*handle))?;
                &mut self.bound.rasterizer
            }
            (Some(ObjectType::Rasterizer), None) => {
                driver.bind_rasterizer_state(None)?;
                &mut self.bound.rasterizer
            }
            (Some(ObjectType::DepthStencilAlpha), Some(Object::DepthStencilAlpha(handle))) => {
                driver.bind_depth_stencil_alpha_state(Some(*handle))?;
                &mut self.bound.depth_stencil_alpha
            }
            (Some(ObjectType::DepthStencilAlpha), None) => {
                driver.bind_depth_stencil_alpha_state(None)?;
                &mut self.bound.depth_stencil_alpha
            }
            (Some(ObjectType::VertexElements), Some(Object::VertexElements(handle))) => {
                driver.bind_vertex_elements_state(Some(*handle))?;
                &mut self.bound.vertex_elements
            }
            (Some(ObjectType::VertexElements), None) => {
                driver.bind_vertex_elements_state(None)?;
                &mut self.bound.vertex_elements
            }
            _ => return Err(PipeError::Invalid("the object has another type").into()),
        };
        *slot = object;
        self.sweep(&mut shared.notes);
        if missing { Err(PipeError::Invalid("no object has this name").into()) } else { Ok(()) }
    }

    pub(super) fn destroy_object(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let name = reader.word()?;
        self.partial.remove(&name);
        if let Some(object) = self.objects.remove(&name) {
            self.dying.push(object);
            self.sweep(&mut shared.notes);
        }
        Ok(())
    }
}

fn blend(mut reader: Reader<'_>) -> Result<BlendState, CommandError> {
    let [flags, logic, rt @ ..]: [u32; 10] = reader.words()?;
    let mut state = BlendState {
        independent_blend_enable: bit(flags, 0),
        logicop_enable: bit(flags, 1),
        logicop_func: decode("logic op", LogicOp::from_number, bits(logic, 0, 4))?,
        dither: bit(flags, 2),
        alpha_to_coverage: bit(flags, 3),
        alpha_to_one: bit(flags, 4),
        ..BlendState::default()
    };
    // The words of unused targets are 0, which is no valid state.
    let count = if state.independent_blend_enable { rt.len() } else { 1 };
    for (target, word) in state.rt.iter_mut().zip(rt).take(count) {
        *target = render_target_blend(word)?;
    }
    Ok(state)
}

fn render_target_blend(word: u32) -> Result<RenderTargetBlendState, CommandError> {
    let enabled = bit(word, 0);
    let colormask = ColorMask::from_bits_truncate(bits(word, 27, 4) as u8);
    if !enabled {
        return Ok(RenderTargetBlendState { colormask, ..RenderTargetBlendState::default() });
    }
    let func = |low| decode("blend function", BlendFunc::from_number, bits(word, low, 3));
    let factor = |low| decode("blend factor", BlendFactor::from_number, bits(word, low, 5));
    Ok(RenderTargetBlendState {
        blend_enable: true,
        rgb_func: func(1)?,
        rgb_src_factor: factor(4)?,
        rgb_dst_factor: factor(9)?,
        alpha_func: func(14)?,
        alpha_src_factor: factor(17)?,
        alpha_dst_factor: factor(22)?,
        colormask,
    })
}

fn rasterizer(mut reader: Reader<'_>) -> Result<RasterizerState, CommandError> {
    let flags = reader.word()?;
    let point_size = finite(reader.float()?).max(0.0);
    let [sprite_coord_enable, stipple] = reader.words()?;
    let [line_width, offset_units, offset_scale, offset_clamp] = reader.floats()?.map(finite);
    let mode = |low| decode("polygon mode", PolygonMode::from_number, bits(flags, low, 2));
    let sprites = bit(flags, 7);
    // Coordinates are replaced on sprites only, and sprites have no round edges.
    let sprite_coord_enable = if sprites { sprite_coord_enable } else { 0 };
    let (line_smooth, multisample) = (bit(flags, 26), bit(flags, 25));
    // OpenGL rounds the width of lines without antialiasing (OpenGL 4.6, chapter 14.5.2.2); the
    // driver draws widths as they are.
    let line_width = match line_smooth || multisample || line_width <= 0.0 {
        true => line_width.max(0.0),
        false => line_width.round().max(1.0),
    };
    Ok(RasterizerState {
        flatshade: bit(flags, 0),
        depth_clip_near: bit(flags, 1),
        depth_clip_far: bit(flags, 1),
        depth_clamp: !bit(flags, 1),
        clip_halfz: bit(flags, 2),
        rasterizer_discard: bit(flags, 3),
        flatshade_first: bit(flags, 4),
        light_twoside: bit(flags, 5),
        sprite_coord_mode: decode(
            "sprite coordinate mode",
            SpriteCoordMode::from_number,
            bits(flags, 6, 1),
        )?,
        point_quad_rasterization: sprites,
        cull_face: decode("face", Face::from_number, bits(flags, 8, 2))?,
        fill_front: mode(10)?,
        fill_back: mode(12)?,
        scissor: bit(flags, 14),
        front_ccw: bit(flags, 15),
        clamp_vertex_color: bit(flags, 16),
        clamp_fragment_color: bit(flags, 17),
        offset_line: bit(flags, 18),
        offset_point: bit(flags, 19),
        offset_tri: bit(flags, 20),
        poly_smooth: bit(flags, 21),
        poly_stipple_enable: bit(flags, 22),
        point_smooth: bit(flags, 23) && sprite_coord_enable == 0,
        point_size_per_vertex: bit(flags, 24),
        multisample,
        // OpenGL's sample masks are operations of multisampling (OpenGL ES 3.2, chapter 15.1.3).
        no_ms_sample_mask_out: true,
        line_smooth,
        line_stipple_enable: bit(flags, 27),
        line_last_pixel: bit(flags, 28),
        half_pixel_center: bit(flags, 29),
        bottom_edge_rule: bit(flags, 30),
        force_persample_interp: bit(flags, 31),
        point_size,
        sprite_coord_enable,
        line_stipple_pattern: bits(stipple, 0, 16) as u16,
        line_stipple_factor: bits(stipple, 16, 8) as u8,
        clip_plane_enable: bits(stipple, 24, 8) as u8,
        line_width,
        offset_units,
        offset_scale,
        offset_clamp,
        ..RasterizerState::default()
    })
}

fn depth_stencil_alpha(mut reader: Reader<'_>) -> Result<DepthStencilAlphaState, CommandError> {
    let [flags, front, back] = reader.words()?;
    let func = |word, low| decode("compare function", CompareFunc::from_number, bits(word, low, 3));
    let stencil = |word| -> Result<StencilState, CommandError> {
        let op = |low| decode("stencil op", StencilOp::from_number, bits(word, low, 3));
        Ok(StencilState {
            enabled: bit(word, 0),
            func: func(word, 1)?,
            fail_op: op(4)?,
            zpass_op: op(7)?,
            zfail_op: op(10)?,
            valuemask: bits(word, 13, 8) as u8,
            writemask: bits(word, 21, 8) as u8,
        })
    };
    Ok(DepthStencilAlphaState {
        depth_enabled: bit(flags, 0),
        depth_writemask: bit(flags, 1),
        depth_func: func(flags, 2)?,
        stencil: [stencil(front)?, stencil(back)?],
        alpha_enabled: bit(flags, 8),
        alpha_func: func(flags, 9)?,
        alpha_ref_value: finite(reader.float()?),
        ..DepthStencilAlphaState::default()
    })
}

fn sampler(mut reader: Reader<'_>) -> Result<SamplerState, CommandError> {
    let flags = reader.word()?;
    let [lod_bias, min_lod, max_lod] = reader.floats()?.map(finite);
    let wrap = |low| decode("texture wrap mode", TexWrap::from_number, bits(flags, low, 3));
    let filter =
        |low, count| decode("texture filter", TexFilter::from_number, bits(flags, low, count));
    Ok(SamplerState {
        wrap_s: wrap(0)?,
        wrap_t: wrap(3)?,
        wrap_r: wrap(6)?,
        min_img_filter: filter(9, 2)?,
        min_mip_filter: decode("mip filter", TexMipFilter::from_number, bits(flags, 11, 2))?,
        mag_img_filter: filter(13, 2)?,
        compare_mode: decode("texture compare mode", TexCompare::from_number, bits(flags, 15, 1))?,
        compare_func: decode("compare function", CompareFunc::from_number, bits(flags, 16, 3))?,
        seamless_cube_map: bit(flags, 19),
        max_anisotropy: bits(flags, 20, 6) as u8,
        lod_bias,
        min_lod,
        max_lod,
        border_color: ColorUnion::uint(reader.words()?),
        ..SamplerState::default()
    })
}

fn vertex_elements(mut reader: Reader<'_>) -> Result<Vec<VertexElement>, CommandError> {
    let mut elements = Vec::new();
    while elements.len() < limits::MAX_ATTRIBS && reader.len() >= 4 {
        let [src_offset, instance_divisor, buffer, number] = reader.words()?;
        elements.push(VertexElement {
            src_offset,
            instance_divisor,
            vertex_buffer_index: u8::try_from(buffer).unwrap_or(u8::MAX),
            src_format: format(number)?,
            dual_slot: false,
        });
    }
    Ok(elements)
}

fn sampler_view(
    mut reader: Reader<'_>,
    resource: &Resource<'_>,
) -> Result<SamplerViewTemplate, CommandError> {
    let [format_word, first, last, swizzle] = reader.words()?;
    let template = resource.template()?;
    let format = format(bits(format_word, 0, 24))?;
    // Clients send 0 for buffers, and for "as the resource".
    let target = match TextureTarget::from_number(bits(format_word, 24, 8)) {
        Some(TextureTarget::Buffer) | None => template.target,
        Some(target) => target,
    };
    let range = if template.is_buffer() {
        let texel = format.block_bytes() as u32;
        let offset = first.saturating_mul(texel);
        let end = last.saturating_add(1).saturating_mul(texel).min(template.width0);
        SamplerViewRange::Buffer { offset, size: end.saturating_sub(offset) }
    } else {
        let layers = template.array_size.saturating_sub(1);
        let (first_layer, last_layer) = match target {
            TextureTarget::Cube if template.target == TextureTarget::Cube => (0, layers),
            target if target.is_layered() || template.target.is_layered() => {
                (bits(first, 0, 16), bits(first, 16, 16).min(layers))
            }
            _ => (0, 0),
        };
        SamplerViewRange::Texture {
            first_level: bits(last, 0, 8),
            last_level: bits(last, 8, 8).min(template.last_level),
            first_layer,
            last_layer,
        }
    };
    let mut components = [Swizzle::X; 4];
    for (component, low) in components.iter_mut().zip([0, 3, 6, 9]) {
        *component = decode("swizzle", Swizzle::from_number, bits(swizzle, low, 3))?;
    }
    Ok(SamplerViewTemplate { format, target, swizzle: components, range })
}

fn surface(mut reader: Reader<'_>, multisampled: bool) -> Result<SurfaceTemplate, CommandError> {
    let [number, level, layers] = reader.words()?;
    let nr_samples = if multisampled { reader.word()? as u8 } else { 0 };
    let (first_layer, last_layer) = (bits(layers, 0, 16), bits(layers, 16, 16));
    let range = SurfaceRange::Texture { level, first_layer, last_layer };
    Ok(SurfaceTemplate { format: format(number)?, nr_samples, range })
}
