//! Recorded commands.
//!
//! Commands are recorded and run at the submission: writes to buffers and other submissions come
//! between.

use pipe_core::{BlendColor, ScissorState, ViewportState};
use wgpu_hal::{AttachmentOps, BufferCopy, BufferTextureCopy, TextureCopy};
use wgpu_types as wgt;

use crate::bind::{BindGroup, PipelineLayout};
use crate::buffer::Buffer;
use crate::pipeline::{ComputePipeline, RenderPipeline};
use crate::query::QuerySet;
use crate::texture::{Texture, TextureView};

/// Timestamps of a pass: the query set, and the queries of its beginning and its end.
#[derive(Clone, Debug)]
pub(crate) struct Timestamps {
    pub(crate) set: QuerySet,
    pub(crate) beginning: Option<u32>,
    pub(crate) end: Option<u32>,
}

/// A colour attachment of a render pass.
#[derive(Debug)]
pub(crate) struct ColorAttachment {
    pub(crate) view: TextureView,
    /// The slice of a 3D texture.
    pub(crate) slice: Option<u32>,
    pub(crate) resolve: Option<TextureView>,
    pub(crate) ops: AttachmentOps,
    pub(crate) clear: wgt::Color,
}

/// The depth and stencil attachment of a render pass.
#[derive(Debug)]
pub(crate) struct DepthAttachment {
    pub(crate) view: TextureView,
    pub(crate) depth_ops: AttachmentOps,
    pub(crate) stencil_ops: AttachmentOps,
    pub(crate) depth: f32,
    pub(crate) stencil: u32,
}

/// The attachments of a render pass.
#[derive(Debug)]
pub(crate) struct RenderPass {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) samples: u32,
    pub(crate) colors: Vec<Option<ColorAttachment>>,
    pub(crate) depth: Option<DepthAttachment>,
    pub(crate) timestamps: Option<Timestamps>,
}

/// A range of numbers, and the instances to draw it for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) first_instance: u32,
    pub(crate) instance_count: u32,
}

/// A command.
#[derive(Debug)]
pub(crate) enum Command {
    ClearBuffer {
        buffer: Buffer,
        offset: u32,
        size: u32,
    },
    CopyBuffer {
        src: Buffer,
        dst: Buffer,
        copy: BufferCopy,
    },
    CopyTexture {
        src: Texture,
        dst: Texture,
        copy: TextureCopy,
    },
    Upload {
        src: Buffer,
        dst: Texture,
        copy: BufferTextureCopy,
    },
    Download {
        src: Texture,
        dst: Buffer,
        copy: BufferTextureCopy,
    },
    BeginQuery {
        set: QuerySet,
        index: u32,
    },
    EndQuery {
        set: QuerySet,
        index: u32,
    },
    WriteTimestamp {
        set: QuerySet,
        index: u32,
    },
    ResetQueries {
        set: QuerySet,
        first: u32,
        end: u32,
    },
    ResolveQueries {
        set: QuerySet,
        first: u32,
        end: u32,
        buffer: Buffer,
        offset: u32,
        stride: u32,
    },
    BeginRender(Box<RenderPass>),
    EndRender,
    BeginCompute(Option<Timestamps>),
    EndCompute {
        timestamps: Option<Timestamps>,
    },
    BindGroup {
        layout: PipelineLayout,
        index: u32,
        group: BindGroup,
        offsets: Box<[u32]>,
    },
    Immediates {
        offset: u32,
        data: Box<[u32]>,
    },
    RenderPipeline(RenderPipeline),
    IndexBuffer {
        buffer: Buffer,
        offset: u32,
        format: wgt::IndexFormat,
    },
    VertexBuffer {
        index: u32,
        buffer: Buffer,
        offset: u32,
    },
    Viewport(ViewportState),
    Scissor(ScissorState),
    StencilReference(u8),
    BlendColor(BlendColor),
    Draw(Part),
    DrawIndexed {
        part: Part,
        base_vertex: i32,
    },
    DrawIndirect {
        indexed: bool,
        buffer: Buffer,
        offset: u32,
        count: u32,
        limit: Option<(Buffer, u32)>,
    },
    ComputePipeline(ComputePipeline),
    Dispatch([u32; 3]),
    DispatchIndirect {
        buffer: Buffer,
        offset: u32,
    },
}
