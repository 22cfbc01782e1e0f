//! State that is set, slot by slot.

use std::rc::Rc;

use pipe_core::limits::{MAX_ATTRIBS, MAX_COLOR_BUFS, MAX_VIEWPORTS};
use pipe_core::*;

use super::objects::{Object, format};
use super::{CommandError, Done, IndexBinding, Shared, Slot, SubContext, decode};
use crate::reader::Reader;

/// Returns the shader stage with this number.
fn stage(number: u32) -> Result<ShaderType, CommandError> {
    decode("shader stage", ShaderType::from_number, number)
}

/// Slots that one command may set.
const MAX_SLOTS: usize = 128;

/// Replaces slots from `start` on.
fn replace<'s>(slots: &mut Vec<Slot<'s>>, start: usize, objects: Vec<Slot<'s>>) {
    if slots.len() < start + objects.len() {
        slots.resize(start + objects.len(), None);
    }
    for (slot, object) in slots.iter_mut().skip(start).zip(objects) {
        *slot = object;
    }
}

/// Returns the handles of the objects that `pick` accepts. Clears the slots of other objects.
fn handles<'s, H>(
    objects: &mut [Slot<'s>],
    pick: impl Fn(&Object<'s>) -> Option<H>,
) -> Vec<Option<H>> {
    let handle = |slot: &mut Slot<'s>| {
        let handle = slot.as_deref().and_then(&pick);
        *slot = slot.take().filter(|_| handle.is_some());
        handle
    };
    objects.iter_mut().map(handle).collect()
}

impl<'s> SubContext<'s> {
    /// Returns the objects that the rest of a command names, at most one per slot.
    fn objects(&self, mut reader: Reader<'_>, start: usize) -> Result<Vec<Slot<'s>>, PipeError> {
        let end = start.saturating_add(reader.len()) as u64;
        PipeError::at_most("slots", end, MAX_SLOTS as u64)?;
        let mut objects = Vec::with_capacity(reader.len());
        while let Ok(name) = reader.word() {
            objects.push(self.object(name).cloned());
        }
        Ok(objects)
    }

    pub(super) fn set_viewport_state(&mut self, mut reader: Reader<'_>) -> Done {
        let start = reader.word()? as usize;
        let mut viewports = Vec::new();
        while viewports.len() < MAX_VIEWPORTS && reader.len() >= 6 {
            let [sx, sy, sz, tx, ty, tz] = reader.floats()?;
            viewports.push(ViewportState {
                scale: [sx, sy, sz],
                translate: [tx, ty, tz],
                ..ViewportState::default()
            });
        }
        Ok(self.driver.set_viewport_states(start, &viewports)?)
    }

    pub(super) fn set_scissor_state(&mut self, mut reader: Reader<'_>) -> Done {
        let start = reader.word()? as usize;
        let mut scissors = Vec::new();
        while scissors.len() < MAX_VIEWPORTS && reader.len() >= 2 {
            let [min, max] = reader.words()?;
            scissors.push(scissor(min, max));
        }
        Ok(self.driver.set_scissor_states(start, &scissors)?)
    }

    pub(super) fn set_framebuffer_state(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [count, zsbuf] = reader.words()?;
        PipeError::at_most("colour buffers", count.into(), MAX_COLOR_BUFS as u64)?;
        let mut state = FramebufferState::default();
        let mut held = Vec::new();
        let mut missing = false;
        let mut smallest = [u32::from(u16::MAX); 2];
        let mut attach = |name: u32, is_depth: bool| {
            let object = self.objects.get(&name)?;
            let Object::Surface { handle, size, depth, .. } = **object else { return None };
            if depth != is_depth {
                return None;
            }
            smallest = [smallest[0].min(size[0]), smallest[1].min(size[1])];
            held.push(Rc::clone(object));
            Some(handle)
        };
        for slot in state.cbufs.iter_mut().take(count as usize) {
            let name = reader.word()?;
            *slot = attach(name, false);
            missing |= name != 0 && slot.is_none();
        }
        state.zsbuf = attach(zsbuf, true);
        missing |= zsbuf != 0 && state.zsbuf.is_none();
        if !held.is_empty() {
            [state.width, state.height] = smallest.map(|size| size as u16);
        }
        let set = self.driver.set_framebuffer_state(&state);
        if set.is_err() {
            // Bind no framebuffer: the old one would receive draws that are not meant for it.
            self.driver.set_framebuffer_state(&FramebufferState::default())?;
            held.clear();
        }
        self.bound.surfaces = held;
        self.sweep(&mut shared.notes);
        set?;
        if missing {
            Err(PipeError::Invalid("the surface was refused when it was created").into())
        } else {
            Ok(())
        }
    }

    pub(super) fn set_framebuffer_state_no_attach(&mut self, mut reader: Reader<'_>) -> Done {
        let [size, layers] = reader.words()?;
        if !self.bound.surfaces.is_empty() {
            return Ok(());
        }
        let state = FramebufferState {
            width: size as u16,
            height: (size >> 16) as u16,
            layers: layers as u16,
            samples: (layers >> 16) as u8,
            ..FramebufferState::default()
        };
        Ok(self.driver.set_framebuffer_state(&state)?)
    }

    pub(super) fn set_vertex_buffers(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let mut buffers = Vec::with_capacity(MAX_ATTRIBS);
        self.bound.first_vertex_buffer = None;
        while buffers.len() < MAX_ATTRIBS && reader.len() >= 3 {
            let [stride, buffer_offset, name] = reader.words()?;
            let resource = shared.resources.get(name);
            if buffers.is_empty() {
                self.bound.first_vertex_buffer = resource.cloned();
            }
            let handle = resource.and_then(|resource| resource.handle().ok());
            buffers.push(handle.map(|resource| VertexBuffer { resource, stride, buffer_offset }));
        }
        // All bindings are replaced, including the slots beyond the given ones.
        let count = buffers.len();
        buffers.resize(count.max(self.bound.vertex_buffers), None);
        self.driver.set_vertex_buffers(0, &buffers)?;
        self.bound.vertex_buffers = count;
        Ok(())
    }

    pub(super) fn set_index_buffer(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let name = reader.word()?;
        self.bound.index = None;
        if name == 0 {
            return Ok(());
        }
        let [size, offset] = reader.words()?;
        let resource = Rc::clone(shared.resources.find(name)?);
        self.bound.index = Some(IndexBinding { resource, size, offset });
        Ok(())
    }

    pub(super) fn set_constant_buffer(&mut self, mut reader: Reader<'_>) -> Done {
        let [number, slot] = reader.words()?;
        let stage = stage(number)?;
        let bytes = reader.rest();
        let buffer = (!bytes.is_empty()).then_some(ConstantBuffer::User(bytes));
        Ok(self.driver.set_constant_buffer(stage, slot as usize, buffer)?)
    }

    pub(super) fn set_uniform_buffer(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [number, slot, buffer_offset, size, name] = reader.words()?;
        let stage = stage(number)?;
        let buffer = match name {
            0 => None,
            name => {
                let found = shared.resources.find(name)?;
                let (resource, template) = (found.handle()?, found.template()?);
                let buffer_size = size.min(template.width0.saturating_sub(buffer_offset));
                Some(ConstantBuffer::Resource { resource, buffer_offset, buffer_size })
            }
        };
        Ok(self.driver.set_constant_buffer(stage, slot as usize, buffer)?)
    }

    pub(super) fn set_sampler_views(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [number, start] = reader.words()?;
        let (stage, start) = (stage(number)?, start as usize);
        let mut objects = self.objects(reader, start)?;
        let handles = handles(&mut objects, |object| match object {
            Object::SamplerView(handle) => Some(*handle),
            _ => None,
        });
        self.driver.set_sampler_views(stage, start, &handles)?;
        replace(self.bound.views.of_mut(stage), start, objects);
        self.sweep(&mut shared.notes);
        Ok(())
    }

    pub(super) fn bind_sampler_states(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [number, start] = reader.words()?;
        let (stage, start) = (stage(number)?, start as usize);
        let mut objects = self.objects(reader, start)?;
        let handles = handles(&mut objects, |object| match object {
            Object::Sampler(handle) => Some(*handle),
            _ => None,
        });
        self.driver.bind_sampler_states(stage, start, &handles)?;
        replace(self.bound.samplers.of_mut(stage), start, objects);
        self.sweep(&mut shared.notes);
        Ok(())
    }

    pub(super) fn set_stencil_ref(&mut self, mut reader: Reader<'_>) -> Done {
        let [front, back, ..] = reader.word()?.to_le_bytes();
        self.driver.set_stencil_ref(StencilRef { ref_value: [front, back] });
        Ok(())
    }

    pub(super) fn set_blend_color(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.set_blend_color(&BlendColor { color: reader.floats()? });
        Ok(())
    }

    pub(super) fn set_polygon_stipple(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.set_polygon_stipple(&PolyStipple { stipple: reader.words()? });
        Ok(())
    }

    pub(super) fn set_clip_state(&mut self, mut reader: Reader<'_>) -> Done {
        let mut state = ClipState::default();
        for plane in &mut state.ucp {
            *plane = reader.floats()?;
        }
        self.driver.set_clip_state(&state);
        Ok(())
    }

    pub(super) fn set_sample_mask(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.set_sample_mask(reader.word()?);
        Ok(())
    }

    pub(super) fn set_min_samples(&mut self, mut reader: Reader<'_>) -> Done {
        self.driver.set_min_samples(u8::try_from(reader.word()?).unwrap_or(u8::MAX));
        Ok(())
    }

    pub(super) fn set_tess_state(&mut self, mut reader: Reader<'_>) -> Done {
        let default_outer_level = reader.floats()?;
        let default_inner_level = reader.floats()?;
        self.driver.set_tess_state(&TessState { default_outer_level, default_inner_level });
        Ok(())
    }

    pub(super) fn set_shader_buffers(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [number, start] = reader.words()?;
        let stage = stage(number)?;
        let buffers = shader_buffers(reader, shared)?;
        Ok(self.driver.set_shader_buffers(stage, start as usize, &buffers, u32::MAX)?)
    }

    pub(super) fn set_atomic_buffers(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let start = reader.word()? as usize;
        let buffers = shader_buffers(reader, shared)?;
        Ok(self.driver.set_hw_atomic_buffers(start, &buffers)?)
    }

    pub(super) fn set_shader_images(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        let [number, start] = reader.words()?;
        let stage = stage(number)?;
        let mut images = Vec::new();
        while images.len() < MAX_SLOTS && reader.len() >= 5 {
            let [number, access, layer_offset, level_size, name] = reader.words()?;
            if name == 0 {
                images.push(None);
                continue;
            }
            let resource = shared.resources.find(name)?;
            let range = if resource.template()?.is_buffer() {
                ImageRange::Buffer { offset: layer_offset, size: level_size }
            } else {
                ImageRange::Texture {
                    // The upper bits are not initialised by the client.
                    level: level_size & 0xff,
                    first_layer: layer_offset & 0xffff,
                    last_layer: layer_offset >> 16,
                    single_layer_view: false,
                }
            };
            images.push(Some(ImageView {
                resource: resource.handle()?,
                format: format(number)?,
                access: ImageAccess::from_bits_truncate((access & 3) as u8),
                range,
            }));
        }
        Ok(self.driver.set_shader_images(stage, start as usize, &images)?)
    }

    pub(super) fn set_streamout_targets(
        &mut self,
        mut reader: Reader<'_>,
        shared: &mut Shared<'s>,
    ) -> Done {
        // The append mask is always 0 and has no meaning: targets keep their own position.
        let _append = reader.word()?;
        let mut objects = self.objects(reader, 0)?;
        let handles = handles(&mut objects, |object| match object {
            Object::Target { handle, .. } => Some(*handle),
            _ => None,
        });
        if !(handles.is_empty() && self.bound.targets.is_empty()) {
            let offsets = vec![None; handles.len()];
            self.driver.set_stream_output_targets(&handles, &offsets)?;
        }
        self.bound.targets = objects;
        self.sweep(&mut shared.notes);
        Ok(())
    }
}

/// A scissor: first and last corner, x in the low half.
pub(super) fn scissor(min: u32, max: u32) -> ScissorState {
    ScissorState {
        minx: min as u16,
        miny: (min >> 16) as u16,
        maxx: max as u16,
        maxy: (max >> 16) as u16,
    }
}

fn shader_buffers(
    mut reader: Reader<'_>,
    shared: &Shared<'_>,
) -> Result<Vec<Option<ShaderBuffer>>, super::CommandError> {
    let mut buffers = Vec::new();
    while buffers.len() < MAX_SLOTS && reader.len() >= 3 {
        let [buffer_offset, buffer_size, name] = reader.words()?;
        buffers.push(match name {
            0 => None,
            name => {
                let resource = shared.resources.find(name)?.handle()?;
                Some(ShaderBuffer { resource, buffer_offset, buffer_size })
            }
        });
    }
    Ok(buffers)
}
