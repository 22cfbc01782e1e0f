//! Shader buffers, images and hardware atomic counters.

use pipe_core::context::ShaderResources;
use pipe_core::{
    ImageAccess, ImageRange, ImageView, PipeError, ResourceHandle, ShaderBuffer, ShaderType,
};

use super::{Context, refuse};
use crate::memory::{BufferRange, Image, Texels};

/// Replaces slots from `start` on by the results of `make` for the new values. Changes nothing on
/// an error.
///
/// # Errors
/// A slot is beyond the last, or `make` fails.
fn set_slots<T, S>(
    slots: &mut [Option<S>],
    start: usize,
    new: &[Option<T>],
    make: impl Fn(usize, &T) -> Result<S, PipeError>,
) -> Result<(), PipeError> {
    let end = start.saturating_add(new.len()) as u64;
    PipeError::at_most("slots of shader memory", end, slots.len() as u64)?;
    let made = new.iter().enumerate();
    let made =
        made.map(|(index, value)| value.as_ref().map(|value| make(index, value)).transpose());
    let made = made.collect::<Result<std::vec::Vec<_>, _>>()?;
    for (slot, value) in slots.iter_mut().skip(start).zip(made) {
        *slot = value;
    }
    Ok(())
}

impl<'m> Context<'_, 'm> {
    /// Returns a buffer range for programs.
    pub(super) fn buffer_range(
        &self,
        handle: ResourceHandle,
        offset: u32,
        size: u32,
        writable: bool,
    ) -> Result<BufferRange<'m>, PipeError> {
        let resource = self.device.resource(handle)?;
        if !resource.template.is_buffer() {
            return Err(PipeError::Invalid("the shader buffer is a texture"));
        }
        refuse(writable && !resource.is_writable(), "writing to user memory")?;
        whole_words(offset)?;
        let (offset, size) = (offset as usize, size as usize);
        Ok(BufferRange { resource, offset, size, writable })
    }

    fn image(&self, view: &ImageView) -> Result<Image<'m>, PipeError> {
        let &ImageView { resource, format, access, range } = view;
        let resource = self.device.resource(resource)?;
        let writable = access.contains(ImageAccess::WRITE);
        refuse(writable && !resource.is_writable(), "writing to user memory")?;
        refuse(resource.template.samples() > 1, "multisampled shader images")?;
        let is_color = format.is_texel() && !format.is_depth_or_stencil();
        if !is_color || format.block_bytes() > 16 {
            return Err(PipeError::UnsupportedFormat { format, usage: "shader images" });
        }
        let texels = match (range, resource.template.is_buffer()) {
            (ImageRange::Buffer { offset, size }, true) => {
                whole_words(offset)?;
                Texels::Range { offset: offset as usize, size: size as usize }
            }
            (ImageRange::Texture { level, first_layer, last_layer, single_layer_view }, false) => {
                let alike = resource.template.format.block_bytes() == format.block_bytes();
                if !alike || resource.layout.level(level).is_none() {
                    return Err(PipeError::Invalid("the image exceeds its resource"));
                }
                let last = if single_layer_view { first_layer } else { last_layer };
                Texels::Layers { level, first: first_layer, last }
            }
            _ => return Err(PipeError::Invalid("the image is of another kind than its resource")),
        };
        Ok(Image { resource, format, texels, writable })
    }
}

/// Checks that an offset in bytes is a multiple of 4.
fn whole_words(offset: u32) -> Result<(), PipeError> {
    if offset.is_multiple_of(4) {
        return Ok(());
    }
    Err(PipeError::Invalid("the shader memory's offset is not a multiple of 4"))
}

impl ShaderResources for Context<'_, '_> {
    fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let mut slots = self.bound.stages[stage].buffers.clone();
        set_slots(&mut slots, start, buffers, |index, buffer| {
            let writable = writable >> (index & 31) & 1 != 0;
            let ShaderBuffer { resource, buffer_offset, buffer_size } = *buffer;
            self.buffer_range(resource, buffer_offset, buffer_size, writable)
        })?;
        self.bound.stages[stage].buffers = slots;
        Ok(())
    }

    fn set_shader_images(
        &mut self,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        let mut slots = self.bound.stages[stage].images.clone();
        set_slots(&mut slots, start, images, |_, image| self.image(image))?;
        self.bound.stages[stage].images = slots;
        Ok(())
    }

    fn set_hw_atomic_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        let mut slots = self.bound.counters.clone();
        set_slots(&mut slots, start, buffers, |_, buffer| {
            let ShaderBuffer { resource, buffer_offset, buffer_size } = *buffer;
            self.buffer_range(resource, buffer_offset, buffer_size, true)
        })?;
        self.bound.counters = slots;
        Ok(())
    }
}
