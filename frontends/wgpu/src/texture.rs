//! Textures and their views.

use std::fmt;
use std::sync::{Arc, OnceLock};

use pipe_core::{
    Bind, Context, Format, ImageAccess, ImageRange, ImageView, PipeError, ResourceHandle,
    ResourceTemplate, SamplerViewHandle, SamplerViewRange, SamplerViewTemplate, SurfaceHandle,
    SurfaceRange, SurfaceTemplate, Swizzle, TextureTarget,
};
use wgpu_hal::{DeviceError, TextureDescriptor, TextureViewDescriptor};
use wgpu_types::{TextureDimension, TextureFormat, TextureUses, TextureViewDimension};

use crate::formats;
use crate::machine::{Garbage, Machine};

/// A texture of wgpu-hal.
#[derive(Clone)]
pub struct Texture(Arc<Shared>);

struct Shared {
    resource: ResourceHandle,
    template: ResourceTemplate,
    format: TextureFormat,
    machine: Arc<Machine>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.machine.discard(Garbage::Resource(self.resource));
    }
}

impl fmt::Debug for Texture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Texture").field(&self.0.template).finish()
    }
}

/// Returns the bindings of a resource for these uses.
fn bind(uses: TextureUses) -> Bind {
    let mut bind = Bind::empty();
    let depth = TextureUses::DEPTH_STENCIL_READ | TextureUses::DEPTH_STENCIL_WRITE;
    let storage = TextureUses::STORAGE_READ_ONLY
        | TextureUses::STORAGE_WRITE_ONLY
        | TextureUses::STORAGE_READ_WRITE
        | TextureUses::STORAGE_ATOMIC;
    bind.set(Bind::SAMPLER_VIEW, uses.contains(TextureUses::RESOURCE));
    bind.set(Bind::RENDER_TARGET, uses.contains(TextureUses::COLOR_TARGET));
    bind.set(Bind::DEPTH_STENCIL, uses.intersects(depth));
    bind.set(Bind::SHADER_IMAGE, uses.intersects(storage));
    bind
}

/// Returns the resource of a texture.
fn template(desc: &TextureDescriptor<'_>) -> Option<ResourceTemplate> {
    let format = formats::texture(desc.format)?;
    let mut depth0 = 1;
    let mut array_size = 1;
    let target = match desc.dimension {
        TextureDimension::D1 => TextureTarget::Texture1D,
        TextureDimension::D3 => {
            depth0 = desc.size.depth_or_array_layers;
            TextureTarget::Texture3D
        }
        TextureDimension::D2 => {
            array_size = desc.size.depth_or_array_layers;
            if array_size > 1 { TextureTarget::Texture2DArray } else { TextureTarget::Texture2D }
        }
    };
    Some(ResourceTemplate {
        target,
        format,
        width0: desc.size.width,
        height0: desc.size.height,
        depth0,
        array_size,
        last_level: desc.mip_level_count.saturating_sub(1),
        nr_samples: u8::try_from(desc.sample_count).ok()?,
        bind: bind(desc.usage),
        ..ResourceTemplate::default()
    })
}

impl Texture {
    pub(crate) fn new(
        machine: &Arc<Machine>,
        desc: &TextureDescriptor<'_>,
    ) -> Result<Texture, DeviceError> {
        let Some(template) = template(desc) else {
            log::error!("textures of the format {:?} are not supported", desc.format);
            return Err(DeviceError::Unexpected);
        };
        let resource = machine.create(|screen, _| screen.resource_create(&template))?;
        let machine = Arc::clone(machine);
        Ok(Texture(Arc::new(Shared { resource, template, format: desc.format, machine })))
    }

    pub(crate) fn resource(&self) -> ResourceHandle {
        self.0.resource
    }

    pub(crate) fn template(&self) -> &ResourceTemplate {
        &self.0.template
    }

    pub(crate) fn format(&self) -> TextureFormat {
        self.0.format
    }
}

/// A view of wgpu-hal. The driver's objects are made at the first use.
#[derive(Clone, Debug)]
pub struct TextureView(Arc<View>);

#[derive(Debug)]
struct View {
    texture: Texture,
    /// The format in WebGPU's terms.
    format: TextureFormat,
    /// The format of lookups.
    sampled: Format,
    target: TextureTarget,
    first_level: u32,
    last_level: u32,
    first_layer: u32,
    last_layer: u32,
    sampler_view: OnceLock<SamplerViewHandle>,
    surface: OnceLock<SurfaceHandle>,
}

impl Drop for View {
    fn drop(&mut self) {
        let machine = &self.texture.0.machine;
        if let Some(&handle) = self.sampler_view.get() {
            machine.discard(Garbage::SamplerView(handle));
        }
        if let Some(&handle) = self.surface.get() {
            machine.discard(Garbage::Surface(handle));
        }
    }
}

/// Returns the shape of a view.
fn target(dimension: TextureViewDimension) -> TextureTarget {
    match dimension {
        TextureViewDimension::D1 => TextureTarget::Texture1D,
        TextureViewDimension::D2 => TextureTarget::Texture2D,
        TextureViewDimension::D2Array => TextureTarget::Texture2DArray,
        TextureViewDimension::Cube => TextureTarget::Cube,
        TextureViewDimension::CubeArray => TextureTarget::CubeArray,
        TextureViewDimension::D3 => TextureTarget::Texture3D,
    }
}

/// Keeps the handle that another thread may have made meanwhile.
fn get_or_make<T: Copy>(
    cell: &OnceLock<T>,
    make: impl FnOnce() -> Result<T, PipeError>,
) -> Result<T, PipeError> {
    if let Some(&value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(*cell.get_or_init(|| value))
}

impl TextureView {
    pub(crate) fn new(
        texture: &Texture,
        desc: &TextureViewDescriptor<'_>,
    ) -> Result<TextureView, DeviceError> {
        let template = texture.template();
        let levels = desc.range.mip_range(template.last_level.saturating_add(1));
        let layers = desc.range.layer_range(template.array_size);
        let Some(sampled) = formats::view(desc.format, desc.range.aspect) else {
            log::error!("views of the format {:?} are not supported", desc.format);
            return Err(DeviceError::Unexpected);
        };
        Ok(TextureView(Arc::new(View {
            texture: texture.clone(),
            format: desc.format,
            sampled,
            target: target(desc.dimension),
            first_level: levels.start,
            last_level: levels.end.saturating_sub(1),
            first_layer: layers.start,
            last_layer: layers.end.saturating_sub(1),
            sampler_view: OnceLock::new(),
            surface: OnceLock::new(),
        })))
    }

    pub(crate) fn texture(&self) -> &Texture {
        &self.0.texture
    }

    pub(crate) fn format(&self) -> TextureFormat {
        self.0.format
    }

    pub(crate) fn level(&self) -> u32 {
        self.0.first_level
    }

    pub(crate) fn layer(&self) -> u32 {
        self.0.first_layer
    }

    /// Returns the view for lookups.
    pub(crate) fn sampler_view(
        &self,
        context: &mut dyn Context<'static>,
    ) -> Result<SamplerViewHandle, PipeError> {
        let view = &*self.0;
        get_or_make(&view.sampler_view, || {
            let is_volume = view.target == TextureTarget::Texture3D;
            let template = SamplerViewTemplate {
                format: view.sampled,
                target: view.target,
                swizzle: Swizzle::IDENTITY,
                range: SamplerViewRange::Texture {
                    first_level: view.first_level,
                    last_level: view.last_level,
                    first_layer: view.first_layer,
                    // A 3D texture has one layer; coordinates select its slices.
                    last_layer: if is_volume { 0 } else { view.last_layer },
                },
            };
            context.create_sampler_view(view.texture.resource(), &template)
        })
    }

    /// Returns the surface to draw to.
    pub(crate) fn surface(
        &self,
        context: &mut dyn Context<'static>,
    ) -> Result<SurfaceHandle, PipeError> {
        get_or_make(&self.0.surface, || self.layer_surface(context, self.0.first_layer))
    }

    /// Creates a surface of one layer or slice, which the caller destroys.
    pub(crate) fn layer_surface(
        &self,
        context: &mut dyn Context<'static>,
        layer: u32,
    ) -> Result<SurfaceHandle, PipeError> {
        let view = &*self.0;
        let format = formats::texture(view.format).unwrap_or_default();
        let range = SurfaceRange::Texture {
            level: view.first_level,
            first_layer: layer,
            last_layer: layer,
        };
        let template = SurfaceTemplate { range, ..SurfaceTemplate::of(format) };
        context.create_surface(view.texture.resource(), &template)
    }

    /// Returns the view as an image of shaders.
    pub(crate) fn image(&self, access: ImageAccess) -> ImageView {
        let view = &*self.0;
        let is_volume = view.target == TextureTarget::Texture3D;
        let slices = view.texture.template().level_size(view.first_level).map_or(1, |[.., z]| z);
        ImageView {
            resource: view.texture.resource(),
            format: formats::texture(view.format).unwrap_or_default(),
            access,
            range: ImageRange::Texture {
                level: view.first_level,
                first_layer: view.first_layer,
                last_layer: if is_volume { slices.saturating_sub(1) } else { view.last_layer },
                single_layer_view: view.target == TextureTarget::Texture2D,
            },
        }
    }
}
