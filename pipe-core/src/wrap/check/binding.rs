//! Checks of bindings: buffers, views, surfaces, stream output targets.

use formats::Format;

use super::{Check, require, same_blocks, slots};
use crate::caps::{Cap, ShaderCap};
use crate::context::{
    ConstantBuffer, ResourceBinding, SamplerViews, ShaderResources, StreamOutputs, Surfaces,
};
use crate::error::PipeError;
use crate::handle::*;
use crate::limits::{
    MAX_ATTRIBS, MAX_CONSTANT_BUFFERS, MAX_HW_ATOMIC_BUFFERS, MAX_SHADER_BUFFERS,
    MAX_SHADER_IMAGES, MAX_SHADER_SAMPLER_VIEWS, MAX_SO_BUFFERS,
};
use crate::resource::{Bind, ResourceFlags};
use crate::shader::ShaderType;
use crate::state::{FramebufferState, VertexBuffer};
use crate::surface::{
    ImageRange, ImageView, SamplerViewRange, SamplerViewTemplate, ShaderBuffer, SurfaceRange,
    SurfaceTemplate, Swizzle,
};

impl Check<'_, '_> {
    /// Checks the number, formats, sizes and sample counts of attachments.
    fn framebuffer(&self, state: &FramebufferState) -> Result<(), PipeError> {
        let limit = self.limit(Cap::MaxRenderTargets);
        PipeError::at_most("the number of colour buffers", state.nr_cbufs() as u64, limit)?;
        let (mut samples, mut format, mut whole) = (None, None, None);
        for surface in state.attachments() {
            // An unknown surface is stale; the driver reports it.
            let Some((_, template, size, surface_samples)) = self.surfaces.get(surface) else {
                continue;
            };
            let is_zs = template.format.is_depth_or_stencil();
            let at_zs = state.zsbuf == Some(surface);
            require(is_zs == at_zs, "a colour surface as depth or a depth surface as colour")?;
            PipeError::at_most("the framebuffer's width", state.width.into(), size[0].into())?;
            PipeError::at_most("the framebuffer's height", state.height.into(), size[1].into())?;
            let sizes = *whole.get_or_insert([size[0], size[1]]) != [size[0], size[1]];
            self.needs(sizes, Cap::MixedFramebufferSizes, "attachments of different sizes")?;
            if !is_zs {
                let mixed = *format.get_or_insert(template.format) != template.format;
                let cap = Cap::MixedColorbufferFormats;
                self.needs(mixed, cap, "colour buffers of different formats")?;
            }
            let alike = *samples.get_or_insert(*surface_samples) == *surface_samples;
            require(alike, "the attachments' sample counts differ")?;
        }
        Ok(())
    }

    /// Checks an image's resource, range and format.
    pub(super) fn image(&self, image: &ImageView) -> Result<(), PipeError> {
        let template = self.template(image.resource)?;
        require(!template.is_streamed(), "a streamed resource has no storage")?;
        self.format_usable(image.format, &template, Bind::SHADER_IMAGE, "a shader image")?;
        match image.range {
            ImageRange::Buffer { offset, size } => {
                self.buffer_range(image.resource, offset, size.into()).map(|_| ())
            }
            ImageRange::Texture { level, first_layer, last_layer, .. } => {
                let range = SurfaceRange::Texture { level, first_layer, last_layer };
                let seen = SurfaceTemplate { range, ..SurfaceTemplate::of(image.format) };
                require(seen.size(&template).is_some(), "the image exceeds its resource")?;
                require(
                    same_blocks(image.format, template.format),
                    "an image format of another size",
                )
            }
        }
    }

    fn shader_buffers(&self, buffers: &[Option<ShaderBuffer>]) -> Result<(), PipeError> {
        for buffer in buffers.iter().flatten() {
            let size = u64::from(buffer.buffer_size);
            let limit = self.limit(Cap::MaxShaderBufferSize);
            PipeError::at_most("the size of a shader buffer", size, limit)?;
            self.buffer_range(buffer.resource, buffer.buffer_offset, size)?;
            let alignment = self.limit(Cap::ShaderBufferOffsetAlignment).max(1);
            let aligned = u64::from(buffer.buffer_offset).is_multiple_of(alignment);
            require(aligned, "a shader buffer's offset is not aligned")?;
        }
        Ok(())
    }
}

impl ResourceBinding for Check<'_, '_> {
    fn set_constant_buffer(
        &mut self,
        stage: ShaderType,
        index: usize,
        buffer: Option<ConstantBuffer<'_>>,
    ) -> Result<(), PipeError> {
        slots("the constant buffer slot", index, 1, MAX_CONSTANT_BUFFERS)?;
        if let Some(ConstantBuffer::Resource { resource, buffer_offset, buffer_size }) = buffer {
            self.buffer_range(resource, buffer_offset, buffer_size.into())?;
            let alignment = self.limit(Cap::ConstantBufferOffsetAlignment).max(1);
            let aligned = u64::from(buffer_offset).is_multiple_of(alignment);
            require(aligned, "a constant buffer's offset is not aligned")?;
        }
        let bytes = buffer.as_ref().map(|buffer| match buffer {
            ConstantBuffer::Resource { buffer_size, .. } => *buffer_size,
            ConstantBuffer::User(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        });
        self.next().set_constant_buffer(stage, index, buffer)?;
        if let Some(slot) = self.bound.constants[stage].get_mut(index) {
            *slot = bytes;
        }
        Ok(())
    }

    fn set_framebuffer_state(&mut self, state: &FramebufferState) -> Result<(), PipeError> {
        self.framebuffer(state)?;
        let mut driver = *state;
        for slot in driver.cbufs.iter_mut().chain([&mut driver.zsbuf]) {
            *slot = self.owner.open_if(&self.surfaces, *slot)?;
        }
        self.next().set_framebuffer_state(&driver)?;
        self.note_end_of_picture();
        self.bound.framebuffer = *state;
        Ok(())
    }

    fn set_vertex_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<VertexBuffer>],
    ) -> Result<(), PipeError> {
        let limit = (self.limit(Cap::MaxVertexBuffers) as usize).min(MAX_ATTRIBS);
        slots("the vertex buffer slot", start, buffers.len(), limit)?;
        for buffer in buffers.iter().flatten() {
            self.buffer_range(buffer.resource, buffer.buffer_offset, 0)?;
            let limit = self.limit(Cap::MaxVertexAttribStride);
            PipeError::at_most("the vertex stride", buffer.stride.into(), limit)?;
            let aligned = buffer.stride.is_multiple_of(4)
                || self.cap(Cap::VertexBufferStride4byteAlignedOnly) == 0;
            require(aligned, "the vertex stride is not a multiple of 4")?;
            let aligned = buffer.buffer_offset.is_multiple_of(4)
                || self.cap(Cap::VertexBufferOffset4byteAlignedOnly) == 0;
            require(aligned, "the vertex buffer's offset is not a multiple of 4")?;
        }
        self.next().set_vertex_buffers(start, buffers)?;
        for (slot, buffer) in self.bound.vertex_buffers.iter_mut().skip(start).zip(buffers) {
            *slot = *buffer;
        }
        Ok(())
    }
}

impl SamplerViews for Check<'_, '_> {
    fn create_sampler_view(
        &mut self,
        resource: ResourceHandle,
        template: &SamplerViewTemplate,
    ) -> Result<SamplerViewHandle, PipeError> {
        let viewed = self.template(resource)?;
        require(!viewed.is_streamed(), "a streamed resource has no storage")?;
        require(template.is_within(&viewed), "a view outside of its resource")?;
        let buffer = viewed.is_buffer();
        let palette = viewed.flags.contains(ResourceFlags::PALETTE);
        require(
            buffer || palette || same_blocks(template.format, viewed.format),
            "a view format of another size",
        )?;
        let target = template.target != viewed.target;
        self.needs(target, Cap::SamplerViewTarget, "views of another target")?;
        let cubes = !template.target.is_cube()
            || matches!(template.range, crate::surface::SamplerViewRange::Texture {
                first_layer, last_layer, ..
            } if last_layer.wrapping_sub(first_layer).wrapping_add(1).is_multiple_of(6));
        require(cubes, "a cube view that is not made of cubes")?;
        self.format_usable(template.format, &viewed, Bind::SAMPLER_VIEW, "a texture")?;
        let swizzled = template.swizzle != Swizzle::IDENTITY;
        self.needs(swizzled, Cap::TextureSwizzle, "swizzles of views")?;
        if let SamplerViewRange::Buffer { offset, size } = template.range {
            let alignment = self.limit(Cap::TextureBufferOffsetAlignment);
            let aligned = u64::from(offset).checked_rem(alignment);
            require(aligned.unwrap_or(offset.into()) == 0, "a view's offset is not aligned")?;
            let texels = u64::from(size).checked_div(template.format.block_bytes() as u64);
            let limit = self.limit(Cap::MaxTextureBufferSize);
            PipeError::at_most("the texels of a buffer's view", texels.unwrap_or(0), limit)?;
        }
        self.views.reserve()?;
        let view = self.next().create_sampler_view(resource, template)?;
        let view = self.owner.seal(view);
        self.views.note(view, template.format)?;
        Ok(view)
    }

    fn sampler_view_destroy(&mut self, view: SamplerViewHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.views, view)?;
        self.next().sampler_view_destroy(driver)?;
        self.views.forget(view);
        Ok(())
    }

    fn set_sampler_views(
        &mut self,
        stage: ShaderType,
        start: usize,
        views: &[Option<SamplerViewHandle>],
    ) -> Result<(), PipeError> {
        slots("the sampler view slot", start, views.len(), MAX_SHADER_SAMPLER_VIEWS)?;
        let driver = self.owner.open_all::<MAX_SHADER_SAMPLER_VIEWS, _, _>(&self.views, views)?;
        self.next().set_sampler_views(stage, start, &driver)?;
        for (slot, view) in self.bound.views[stage].iter_mut().skip(start).zip(views) {
            *slot = *view;
        }
        Ok(())
    }

    fn generate_mipmap(
        &mut self,
        resource: ResourceHandle,
        format: Format,
        base_level: u32,
        last_level: u32,
        first_layer: u32,
        last_layer: u32,
    ) -> Result<(), PipeError> {
        self.needs(true, Cap::GenerateMipmap, "mipmap generation")?;
        let template = self.template(resource)?;
        require(!template.is_buffer(), "mipmaps of a buffer")?;
        require(same_blocks(format, template.format), "a view format of another size")?;
        require(base_level <= last_level, "levels in the wrong order")?;
        PipeError::at_most("the level", last_level.into(), template.last_level.into())?;
        let range = SurfaceRange::Texture { level: base_level, first_layer, last_layer };
        let seen = SurfaceTemplate { range, ..SurfaceTemplate::of(format) };
        require(seen.size(&template).is_some(), "layers outside of the resource")?;
        let next = self.next();
        next.generate_mipmap(resource, format, base_level, last_level, first_layer, last_layer)
    }
}

impl ShaderResources for Check<'_, '_> {
    fn set_shader_buffers(
        &mut self,
        stage: ShaderType,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
        writable: u32,
    ) -> Result<(), PipeError> {
        slots("the shader buffer slot", start, buffers.len(), MAX_SHADER_BUFFERS)?;
        let used = buffers
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| start.saturating_add(last).saturating_add(1));
        let limit = self.stage_limit(stage, ShaderCap::MaxShaderBuffers);
        PipeError::at_most("the number of shader buffers", used as u64, limit)?;
        self.shader_buffers(buffers)?;
        self.next().set_shader_buffers(stage, start, buffers, writable)
    }

    fn set_shader_images(
        &mut self,
        stage: ShaderType,
        start: usize,
        images: &[Option<ImageView>],
    ) -> Result<(), PipeError> {
        slots("the shader image slot", start, images.len(), MAX_SHADER_IMAGES)?;
        let used = images
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| start.saturating_add(last).saturating_add(1));
        let limit = self.stage_limit(stage, ShaderCap::MaxShaderImages);
        PipeError::at_most("the number of shader images", used as u64, limit)?;
        images.iter().flatten().try_for_each(|image| self.image(image))?;
        self.next().set_shader_images(stage, start, images)
    }

    fn set_hw_atomic_buffers(
        &mut self,
        start: usize,
        buffers: &[Option<ShaderBuffer>],
    ) -> Result<(), PipeError> {
        slots("the atomic buffer slot", start, buffers.len(), MAX_HW_ATOMIC_BUFFERS)?;
        self.shader_buffers(buffers)?;
        self.next().set_hw_atomic_buffers(start, buffers)
    }
}

impl Surfaces for Check<'_, '_> {
    fn create_surface(
        &mut self,
        resource: ResourceHandle,
        template: &SurfaceTemplate,
    ) -> Result<SurfaceHandle, PipeError> {
        let drawn = self.template(resource)?;
        let Some(size) = template.size(&drawn) else {
            return Err(PipeError::Invalid("the surface exceeds its resource"));
        };
        let other_blocks = !drawn.is_buffer() && !same_blocks(template.format, drawn.format);
        require(
            !other_blocks || template.format.block_bytes() == drawn.format.block_bytes(),
            "a surface format of another size",
        )?;
        require(
            !other_blocks || self.cap(Cap::SurfaceReinterpretBlocks) != 0,
            "a surface format of another size",
        )?;
        let srgb = template.format.is_srgb() != drawn.format.is_srgb();
        self.needs(srgb, Cap::DestSurfaceSrgbControl, "surfaces that differ in sRGB")?;
        let (bind, usage) = if template.format.is_depth_or_stencil() {
            (Bind::DEPTH_STENCIL, "a depth buffer")
        } else {
            (Bind::RENDER_TARGET, "a colour buffer")
        };
        require(drawn.bind.contains(bind), "a surface of a resource without the bind flag for it")?;
        self.format_usable(template.format, &drawn, bind, usage)?;
        let overrides = template.nr_samples > 1 && template.nr_samples != drawn.samples();
        self.needs(overrides, Cap::SurfaceSampleCount, "surface sample counts")?;
        let samples = template.nr_samples.max(drawn.samples());
        self.surfaces.reserve()?;
        let surface = self.next().create_surface(resource, template)?;
        let surface = self.owner.seal(surface);
        self.surfaces.note(surface, (resource, *template, size, samples))?;
        Ok(surface)
    }

    fn surface_destroy(&mut self, surface: SurfaceHandle) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.surfaces, surface)?;
        self.next().surface_destroy(driver)?;
        self.surfaces.forget(surface);
        Ok(())
    }
}

impl StreamOutputs for Check<'_, '_> {
    fn create_stream_output_target(
        &mut self,
        resource: ResourceHandle,
        offset: u32,
        size: u32,
    ) -> Result<StreamOutputTargetHandle, PipeError> {
        self.needs(true, Cap::MaxStreamOutputBuffers, "stream output")?;
        self.buffer_range(resource, offset, size.into())?;
        require(
            offset.is_multiple_of(4) && size.is_multiple_of(4),
            "a stream output range not of whole words",
        )?;
        self.targets.reserve()?;
        let target = self.next().create_stream_output_target(resource, offset, size)?;
        let target = self.owner.seal(target);
        self.targets.note(target, ())?;
        Ok(target)
    }

    fn stream_output_target_destroy(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<(), PipeError> {
        let driver = self.owner.open(&self.targets, target)?;
        self.next().stream_output_target_destroy(driver)?;
        self.targets.forget(target);
        for bound in &mut self.bound.targets {
            if *bound == Some(target) {
                *bound = None;
            }
        }
        Ok(())
    }

    fn set_stream_output_targets(
        &mut self,
        targets: &[Option<StreamOutputTargetHandle>],
        offsets: &[Option<u32>],
    ) -> Result<(), PipeError> {
        let limit = (self.limit(Cap::MaxStreamOutputBuffers) as usize).min(MAX_SO_BUFFERS);
        slots("the number of stream output targets", 0, targets.len(), limit)?;
        require(targets.len() == offsets.len(), "the numbers of targets and offsets differ")?;
        let driver = self.owner.open_all::<MAX_SO_BUFFERS, _, _>(&self.targets, targets)?;
        self.next().set_stream_output_targets(&driver, offsets)?;
        self.bound.targets = [None; MAX_SO_BUFFERS];
        for (slot, target) in self.bound.targets.iter_mut().zip(targets) {
            *slot = *target;
        }
        Ok(())
    }

    fn stream_output_target_offset(
        &mut self,
        target: StreamOutputTargetHandle,
    ) -> Result<u32, PipeError> {
        let target = self.owner.open(&self.targets, target)?;
        self.next().stream_output_target_offset(target)
    }
}
