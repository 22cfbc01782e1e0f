//! The adapter: features, limits, and the uses of formats.

use os_shim::{Memory, Os};
use pipe_core::{Bind, Screen as _, TextureTarget};
use wgpu_hal::{Alignments, Capabilities, TextureFormatCapabilities as Uses};
use wgpu_types as wgt;
use wgpu_types::{Features, Limits, TextureFormat};

use crate::formats;

/// Bytes of immediates.
pub(crate) const MAX_IMMEDIATES: usize = 256;

/// Returns the features that a device may have.
pub(crate) fn features() -> Features {
    Features::DEPTH_CLIP_CONTROL
        | Features::DEPTH32FLOAT_STENCIL8
        | Features::TEXTURE_COMPRESSION_BC
        | Features::TEXTURE_COMPRESSION_BC_SLICED_3D
        | Features::TEXTURE_COMPRESSION_ETC2
        | Features::TEXTURE_COMPRESSION_ASTC
        | Features::TEXTURE_COMPRESSION_ASTC_SLICED_3D
        | Features::RG11B10UFLOAT_RENDERABLE
        | Features::BGRA8UNORM_STORAGE
        | Features::FLOAT32_FILTERABLE
        | Features::FLOAT32_BLENDABLE
        | Features::DUAL_SOURCE_BLENDING
        | Features::CLIP_DISTANCES
        | Features::INDIRECT_FIRST_INSTANCE
        | Features::TIMESTAMP_QUERY
        | Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
        | Features::TIMESTAMP_QUERY_INSIDE_PASSES
        | Features::TEXTURE_FORMAT_16BIT_NORM
        | Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES
        | Features::POLYGON_MODE_LINE
        | Features::POLYGON_MODE_POINT
        | Features::CONSERVATIVE_RASTERIZATION
        | Features::PRIMITIVE_INDEX
        | Features::IMMEDIATES
        | Features::MULTI_DRAW_INDIRECT_COUNT
        | Features::ADDRESS_MODE_CLAMP_TO_ZERO
        | Features::ADDRESS_MODE_CLAMP_TO_BORDER
        | Features::VERTEX_WRITABLE_STORAGE
        | Features::CLEAR_TEXTURE
        | Features::TEXTURE_ATOMIC
        | Features::SHADER_FLOAT32_ATOMIC
        | Features::SHADER_EARLY_DEPTH_TEST
        | Features::SHADER_F16
}

/// Returns the limits: WebGPU's defaults, and larger textures.
fn limits() -> Limits {
    Limits {
        max_texture_dimension_1d: 16384,
        max_texture_dimension_2d: 16384,
        max_texture_array_layers: 2048,
        max_color_attachment_bytes_per_sample: 128,
        max_immediate_size: MAX_IMMEDIATES as u32,
        max_buffer_size: 1 << 30,
        ..Limits::defaults()
    }
}

/// Returns the capabilities of a device.
pub(crate) fn capabilities() -> Capabilities {
    let one = wgt::BufferSize::MIN;
    Capabilities {
        limits: limits(),
        alignments: Alignments {
            buffer_copy_offset: one,
            buffer_copy_pitch: one,
            uniform_bounds_check_alignment: one,
            raw_tlas_instance_size: 0,
            ray_tracing_scratch_buffer_alignment: 1,
            ray_tracing_pipeline_group_data_size: 1,
            ray_tracing_pipeline_group_data_alignment: 1,
            ray_tracing_pipeline_data_offset_alignment: 1,
        },
        downlevel: wgt::DownlevelCapabilities {
            flags: wgt::DownlevelFlags::all(),
            limits: wgt::DownlevelLimits {},
            shader_model: wgt::ShaderModel::Sm5,
        },
        cooperative_matrix_properties: Vec::new(),
    }
}

/// Returns the description of the adapter.
pub(crate) fn info() -> wgt::AdapterInfo {
    wgt::AdapterInfo {
        name: "gallium raster".into(),
        driver: "gallium-wgpu".into(),
        driver_info: env!("CARGO_PKG_VERSION").into(),
        ..wgt::AdapterInfo::new(wgt::DeviceType::Cpu, wgt::Backend::Noop)
    }
}

/// Returns the uses that textures of a format may have.
pub(crate) fn uses(format: TextureFormat) -> Uses {
    let Some(gallium) = formats::texture(format) else { return Uses::empty() };
    // A screen without a resource has no memory.
    let screen =
        raster::Screen::<raster::Host>::new(Os::bare(Memory::system()), Default::default());
    let supports = |samples: u8, bind: Bind| {
        screen.is_format_supported(gallium, TextureTarget::Texture2D, samples, samples, bind)
    };
    let mut uses = Uses::COPY_SRC | Uses::COPY_DST;
    let is_depth = format.is_depth_stencil_format();
    let ty = format.sample_type(None, Some(features()));
    uses.set(Uses::SAMPLED, supports(1, Bind::SAMPLER_VIEW));
    let filterable = ty == Some(wgt::TextureSampleType::Float { filterable: true });
    uses.set(Uses::SAMPLED_LINEAR, filterable);
    if is_depth {
        uses.set(Uses::DEPTH_STENCIL_ATTACHMENT, supports(1, Bind::DEPTH_STENCIL));
    } else {
        uses.set(Uses::COLOR_ATTACHMENT, supports(1, Bind::RENDER_TARGET));
        let blend = Bind::RENDER_TARGET | Bind::BLENDABLE;
        uses.set(Uses::COLOR_ATTACHMENT_BLEND, supports(1, blend));
        let is_storage = formats::is_storage(format) && supports(1, Bind::SHADER_IMAGE);
        uses.set(
            Uses::STORAGE_READ_ONLY | Uses::STORAGE_WRITE_ONLY | Uses::STORAGE_READ_WRITE,
            is_storage,
        );
        let is_word = matches!(format, TextureFormat::R32Uint | TextureFormat::R32Sint);
        uses.set(Uses::STORAGE_ATOMIC, is_storage && is_word);
    }
    let attached = if is_depth { Bind::DEPTH_STENCIL } else { Bind::RENDER_TARGET };
    for (samples, flag) in [
        (2, Uses::MULTISAMPLE_X2),
        (4, Uses::MULTISAMPLE_X4),
        (8, Uses::MULTISAMPLE_X8),
        (16, Uses::MULTISAMPLE_X16),
    ] {
        uses.set(flag, supports(samples, attached));
    }
    let is_float = matches!(ty, Some(wgt::TextureSampleType::Float { .. }));
    uses.set(Uses::MULTISAMPLE_RESOLVE, is_float && uses.contains(Uses::MULTISAMPLE_X4));
    uses
}
