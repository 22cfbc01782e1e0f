//! Enums of WebGPU as Gallium's.

use pipe_core::{
    BlendFactor, BlendFunc, ColorUnion, CompareFunc, Face, PolygonMode, PrimType, ShaderType,
    StencilOp, TexFilter, TexMipFilter, TexWrap,
};
use wgpu_types as wgt;

/// The stages, in the order of arrays of three.
pub(crate) const STAGES: [(wgt::ShaderStages, ShaderType); 3] = [
    (wgt::ShaderStages::VERTEX, ShaderType::Vertex),
    (wgt::ShaderStages::FRAGMENT, ShaderType::Fragment),
    (wgt::ShaderStages::COMPUTE, ShaderType::Compute),
];

/// Returns the index of a stage in arrays of three.
pub(crate) const fn stage_index(stage: ShaderType) -> usize {
    match stage {
        ShaderType::Vertex => 0,
        ShaderType::Fragment => 1,
        _ => 2,
    }
}

pub(crate) fn compare(func: wgt::CompareFunction) -> CompareFunc {
    match func {
        wgt::CompareFunction::Never => CompareFunc::Never,
        wgt::CompareFunction::Less => CompareFunc::Less,
        wgt::CompareFunction::Equal => CompareFunc::Equal,
        wgt::CompareFunction::LessEqual => CompareFunc::LessEqual,
        wgt::CompareFunction::Greater => CompareFunc::Greater,
        wgt::CompareFunction::NotEqual => CompareFunc::NotEqual,
        wgt::CompareFunction::GreaterEqual => CompareFunc::GreaterEqual,
        wgt::CompareFunction::Always => CompareFunc::Always,
    }
}

pub(crate) fn stencil_op(op: wgt::StencilOperation) -> StencilOp {
    match op {
        wgt::StencilOperation::Keep => StencilOp::Keep,
        wgt::StencilOperation::Zero => StencilOp::Zero,
        wgt::StencilOperation::Replace => StencilOp::Replace,
        wgt::StencilOperation::Invert => StencilOp::Invert,
        wgt::StencilOperation::IncrementClamp => StencilOp::Incr,
        wgt::StencilOperation::DecrementClamp => StencilOp::Decr,
        wgt::StencilOperation::IncrementWrap => StencilOp::IncrWrap,
        wgt::StencilOperation::DecrementWrap => StencilOp::DecrWrap,
    }
}

pub(crate) fn blend_func(operation: wgt::BlendOperation) -> BlendFunc {
    match operation {
        wgt::BlendOperation::Add => BlendFunc::Add,
        wgt::BlendOperation::Subtract => BlendFunc::Subtract,
        wgt::BlendOperation::ReverseSubtract => BlendFunc::ReverseSubtract,
        wgt::BlendOperation::Min => BlendFunc::Min,
        wgt::BlendOperation::Max => BlendFunc::Max,
    }
}

pub(crate) fn blend_factor(factor: wgt::BlendFactor) -> BlendFactor {
    use wgt::BlendFactor as W;
    match factor {
        W::Zero => BlendFactor::Zero,
        W::One => BlendFactor::One,
        W::Src => BlendFactor::SrcColor,
        W::OneMinusSrc => BlendFactor::InvSrcColor,
        W::SrcAlpha => BlendFactor::SrcAlpha,
        W::OneMinusSrcAlpha => BlendFactor::InvSrcAlpha,
        W::Dst => BlendFactor::DstColor,
        W::OneMinusDst => BlendFactor::InvDstColor,
        W::DstAlpha => BlendFactor::DstAlpha,
        W::OneMinusDstAlpha => BlendFactor::InvDstAlpha,
        W::SrcAlphaSaturated => BlendFactor::SrcAlphaSaturate,
        W::Constant => BlendFactor::ConstColor,
        W::OneMinusConstant => BlendFactor::InvConstColor,
        W::Src1 => BlendFactor::Src1Color,
        W::OneMinusSrc1 => BlendFactor::InvSrc1Color,
        W::Src1Alpha => BlendFactor::Src1Alpha,
        W::OneMinusSrc1Alpha => BlendFactor::InvSrc1Alpha,
    }
}

pub(crate) fn primitive(topology: wgt::PrimitiveTopology) -> PrimType {
    match topology {
        wgt::PrimitiveTopology::PointList => PrimType::Points,
        wgt::PrimitiveTopology::LineList => PrimType::Lines,
        wgt::PrimitiveTopology::LineStrip => PrimType::LineStrip,
        wgt::PrimitiveTopology::TriangleList => PrimType::Triangles,
        wgt::PrimitiveTopology::TriangleStrip => PrimType::TriangleStrip,
    }
}

pub(crate) fn polygon_mode(mode: wgt::PolygonMode) -> PolygonMode {
    match mode {
        wgt::PolygonMode::Fill => PolygonMode::Fill,
        wgt::PolygonMode::Line => PolygonMode::Line,
        wgt::PolygonMode::Point => PolygonMode::Point,
    }
}

pub(crate) fn cull(mode: Option<wgt::Face>) -> Face {
    match mode {
        None => Face::None,
        Some(wgt::Face::Front) => Face::Front,
        Some(wgt::Face::Back) => Face::Back,
    }
}

pub(crate) fn wrap(mode: wgt::AddressMode) -> TexWrap {
    match mode {
        wgt::AddressMode::ClampToEdge => TexWrap::ClampToEdge,
        wgt::AddressMode::Repeat => TexWrap::Repeat,
        wgt::AddressMode::MirrorRepeat => TexWrap::MirrorRepeat,
        wgt::AddressMode::ClampToBorder => TexWrap::ClampToBorder,
    }
}

pub(crate) fn filter(mode: wgt::FilterMode) -> TexFilter {
    match mode {
        wgt::FilterMode::Nearest => TexFilter::Nearest,
        wgt::FilterMode::Linear => TexFilter::Linear,
    }
}

pub(crate) fn mip_filter(mode: wgt::MipmapFilterMode) -> TexMipFilter {
    match mode {
        wgt::MipmapFilterMode::Nearest => TexMipFilter::Nearest,
        wgt::MipmapFilterMode::Linear => TexMipFilter::Linear,
    }
}

/// Returns a clear colour in the class of an attachment's format.
pub(crate) fn clear_color(color: wgt::Color, format: wgt::TextureFormat) -> ColorUnion {
    let channels = [color.r, color.g, color.b, color.a];
    match format.sample_type(None, None) {
        Some(wgt::TextureSampleType::Uint) => {
            ColorUnion::uint(channels.map(|channel| channel as u32))
        }
        Some(wgt::TextureSampleType::Sint) => {
            ColorUnion::int(channels.map(|channel| channel as i32))
        }
        _ => ColorUnion::float(channels.map(|channel| channel as f32)),
    }
}
