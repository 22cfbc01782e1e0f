#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, clippy::expect_used)
)]
#![doc = include_str!("../README.md")]

pub use ::tgsi;
pub use formats;
pub use kit;
pub use kit::glam;
pub use os_shim;
pub use pipe_core;
pub use raster;
#[doc(hidden)]
pub use tgsi_macros;

/// A TGSI shader, compiled while Rust compiles: `tgsi!` of gallium-tgsi-macros, with the path of
/// this crate, which must have the name `gallium` in the manifest.
///
/// ```
/// gallium::tgsi! {
///     /// The interpolated colour.
///     static SMOOTH: FRAG
///     DCL IN[0], COLOR, PERSPECTIVE
///     DCL OUT[0], COLOR
///     MOV OUT[0], IN[0]
///     END
/// }
/// assert_eq!(SMOOTH.outputs.len(), 1);
/// ```
#[macro_export]
macro_rules! tgsi {
    ($($shader:tt)*) => {
        $crate::tgsi_macros::tgsi! { crate = ::gallium::tgsi; $($shader)* }
    };
}

/// The names of a program that draws with the kit. `Screen` and `Context` are raster's; the traits
/// of pipe-core are there without names.
pub mod prelude {
    pub use crate::kit::glam::{Mat4, Quat, Vec2, Vec3, Vec4};
    pub use crate::kit::{
        Backdrop, BackdropCorner, Camera, Device, Fog, Lamp, Layout, Light, Material, Mesh,
        MeshData, Pipeline, PipelineState, Raster, Recorded, Sprite, Sprites, Surface, Target,
        Texture, TextureData, Transform, View, bilinear, frustum, nearest, nearest_level,
        orthographic, perspective, solids, trilinear,
    };
    pub use crate::os_shim::{Memory, Os, Region};
    pub use crate::pipe_core::context::{
        Blitting as _, Clearing as _, CsoState as _, Drawing as _, Flushing as _, Parameters as _,
        ResourceBinding as _, SamplerViews as _, Surfaces as _, Transfers as _,
    };
    #[cfg(feature = "text")]
    pub use crate::pipe_core::panel::graphics;
    pub use crate::pipe_core::wrap::record::RecordPort;
    pub use crate::pipe_core::{
        Area, BlendState, ByteOrder, Cable, CompareFunc, DepthStencilAlphaState, Face, Format,
        InFlight, Overlay, PanelError, PipeError, RasterizerState, RenderTargetBlendState,
        SamplerState, Screen as _, TexFilter, TexMipFilter, TexWrap, TilePanel, VertexElement,
    };
    pub use crate::raster::{Config, Context, Screen, Small, Tiny};
    pub use crate::tgsi::program::Program;
}
