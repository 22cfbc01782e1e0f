//! Setters of shader memory other than textures, of compute programs, and of values that a driver
//! may refuse.

use pipe_core::limits::{
    MAX_CONSTANT_BUFFERS, MAX_HW_ATOMIC_BUFFERS, MAX_SAMPLES, MAX_SHADER_BUFFERS, MAX_SHADER_IMAGES,
};
use pipe_core::{
    Bitwise, ConstantBuffer, ImageView, PipeError, ShaderBuffer, ShaderHandle, ShaderType,
    WindowRectangles,
};

use crate::context::CsoContext;
use crate::set::{count, filled};
use crate::state::{BufferSlot, ConstantRange, Saved};

impl CsoContext<'_, '_> {
    /// Sets a constant buffer of a stage; `None` unbinds it. Constants in user memory are set on
    /// the context itself, and are not saved.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] beyond `MAX_CONSTANT_BUFFERS`; the previous
    /// buffer stays bound.
    pub fn set_constants(
        &mut self,
        stage: ShaderType,
        index: usize,
        range: Option<ConstantRange>,
    ) -> Result<(), PipeError> {
        let count_with_it = (index as u64).saturating_add(1);
        PipeError::at_most("constant buffers", count_with_it, MAX_CONSTANT_BUFFERS as u64)?;
        count(&mut self.statistics.sets);
        let slots = &mut self.state.constants[stage];
        // Other code cannot have changed a slot that was never set here.
        if slots.get(index) == range && !(self.unknown && range.is_some()) {
            return Ok(());
        }
        slots.reserve(index)?;
        let buffer = range.map(|range| ConstantBuffer::Resource {
            resource: range.resource,
            buffer_offset: range.buffer_offset,
            buffer_size: range.buffer_size,
        });
        self.inner.get().set_constant_buffer(stage, index, buffer)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::CONSTANT_BUFFERS;
        slots.store(index, &[range])?;
        Ok(())
    }

    /// Sets the shader buffers of a stage from slot 0 on; all other slots become empty. Bit i of
    /// `writable` is set if the shader writes `buffers[i]`.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_SHADER_BUFFERS`; the
    /// previous buffers stay bound.
    pub fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        let buffers: [_; MAX_SHADER_BUFFERS] = filled("the number of shader buffers", buffers)?;
        let mut slots = [None; MAX_SHADER_BUFFERS];
        for ((index, slot), buffer) in slots.iter_mut().enumerate().zip(buffers) {
            *slot = buffer.map(|buffer| (buffer, writable >> index & 1 != 0));
        }
        self.apply_buffers(stage, &slots)
    }

    pub(crate) fn apply_buffers(
        &mut self,
        stage: ShaderType,
        slots: &[BufferSlot; MAX_SHADER_BUFFERS],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.buffers[stage];
        if let Some((first, new)) = state.changed(slots, self.unknown)? {
            let mut buffers = [None; MAX_SHADER_BUFFERS];
            let mut writable = 0;
            for (index, (buffer, slot)) in buffers.iter_mut().zip(new).enumerate() {
                *buffer = slot.map(|(buffer, _)| buffer);
                writable |= u32::from(slot.is_some_and(|(_, writes)| writes)) << index;
            }
            let buffers = buffers.get(..new.len()).unwrap_or(&buffers);
            self.inner.get().set_shader_buffers(stage, first, buffers, writable)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::SHADER_BUFFERS;
            state.store(first, new)?;
        }
        Ok(())
    }

    /// Sets the shader images of a stage from slot 0 on; all other slots become empty.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_SHADER_IMAGES`; the
    /// previous images stay bound.
    pub fn set_shader_images(
        &mut self,
        stage: ShaderType,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        self.apply_images(stage, &filled("the number of shader images", images)?)
    }

    pub(crate) fn apply_images(
        &mut self,
        stage: ShaderType,
        images: &[Option<ImageView>; MAX_SHADER_IMAGES],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.images[stage];
        if let Some((first, slots)) = state.changed(images, self.unknown)? {
            self.inner.get().set_shader_images(stage, first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::SHADER_IMAGES;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the buffers of hardware atomic counters from slot 0 on; all other slots become empty.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_HW_ATOMIC_BUFFERS`; the
    /// previous buffers stay bound.
    pub fn set_hw_atomic_buffers(
        &mut self,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        self.apply_atomics(&filled("the number of hardware atomic buffers", buffers)?)
    }

    pub(crate) fn apply_atomics(
        &mut self,
        buffers: &[Option<ShaderBuffer>; MAX_HW_ATOMIC_BUFFERS],
    ) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        let state = &mut self.state.atomics;
        if let Some((first, slots)) = state.changed(buffers, self.unknown)? {
            self.inner.get().set_hw_atomic_buffers(first, slots)?;
            count(&mut self.statistics.binds);
            self.touched |= Saved::HW_ATOMIC_BUFFERS;
            state.store(first, slots)?;
        }
        Ok(())
    }

    /// Sets the compute program; `None` unbinds it. The caller keeps owning the program and deletes
    /// it.
    ///
    /// # Errors
    /// The driver's error; the previous program stays bound.
    pub fn set_compute(&mut self, program: Option<ShaderHandle>) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.compute == program && !self.unknown {
            return Ok(());
        }
        self.inner.get().bind_compute_state(program)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::COMPUTE_SHADER;
        self.state.values.compute = program;
        Ok(())
    }

    /// Sets the number of vertices of an input patch.
    ///
    /// # Errors
    /// The driver's error.
    pub fn set_patch_vertices(&mut self, vertices: u8) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.patch_vertices == Some(vertices) && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_patch_vertices(vertices)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::PATCH_VERTICES;
        self.state.values.patch_vertices = Some(vertices);
        Ok(())
    }

    /// Sets the positions of samples within a pixel, one byte per sample; an empty slice restores
    /// the default.
    ///
    /// # Errors
    /// The driver's error, or [`PipeError::OutOfRange`] for more than `MAX_SAMPLES`.
    pub fn set_sample_locations(&mut self, locations: &[u8]) -> Result<(), PipeError> {
        let limit = MAX_SAMPLES.into();
        PipeError::at_most("the number of sample locations", locations.len() as u64, limit)?;
        count(&mut self.statistics.sets);
        let mut new = ([0; MAX_SAMPLES as usize], locations.len() as u8);
        for (slot, location) in new.0.iter_mut().zip(locations) {
            *slot = *location;
        }
        if self.state.values.locations == new && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_sample_locations(locations)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::SAMPLE_LOCATIONS;
        self.state.values.locations = new;
        Ok(())
    }

    /// Sets the window rectangles.
    ///
    /// # Errors
    /// The driver's error.
    pub fn set_window_rectangles(&mut self, windows: &WindowRectangles) -> Result<(), PipeError> {
        count(&mut self.statistics.sets);
        if self.state.values.windows.same_bits(windows) && !self.unknown {
            return Ok(());
        }
        self.inner.get().set_window_rectangles(windows)?;
        count(&mut self.statistics.binds);
        self.touched |= Saved::WINDOW_RECTANGLES;
        self.state.values.windows = *windows;
        Ok(())
    }
}
