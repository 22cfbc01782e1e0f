#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::arithmetic_side_effects
    )
)]
#![doc = include_str!("../README.md")]
//!
//! # Map
//! Begin with [`Screen`], which creates resources and contexts. Continue with [`context`], one file
//! per chapter of the manual, and [`state`].
//!
//! A module imports only from lines below it:
//!
//! | modules | purpose |
//! |---|---|
//! | [`wrap`], [`auxiliary`] | drivers around a driver; helpers over any context |
//! | `screen` | the trait of a device |
//! | [`context`] | the traits of a context |
//! | `blit`, `error` | the arguments of blits; the one error |
//! | `desktop` | arguments and results of calls that only desktop frontends make |
//! | [`state`], [`surface`], `draw_info`, `transfer`, [`panel`] | arguments of all further calls |
//! | [`resource`], [`caps`] | templates, validation, linear layouts; capabilities |
//! | `flags`, `warnings`, `shader`, `primitive`, [`query`], `driver_query`, `sharing` | flag sets, shaders, enums |
//! | `numbered`, `color`, `region`, [`handle`] | enums with numbers, colours, boxes, handles |
//! | `key`, [`limits`] | keys by bits, sizes of arrays |
//! | `wire` | values as bytes, for traces |

#[cfg(any(feature = "std", test))]
extern crate std;

pub mod auxiliary;
mod blit;
pub mod caps;
mod color;
pub mod context;
#[cfg(feature = "desktop")]
mod desktop;
pub mod diagnostics;
mod draw_info;
#[cfg(feature = "desktop")]
mod driver_query;
mod error;
mod flags;
pub mod handle;
mod key;
pub mod limits;
mod numbered;
pub mod panel;
mod primitive;
pub mod query;
mod region;
pub mod resource;
mod screen;
mod shader;
#[cfg(feature = "desktop")]
mod sharing;
pub mod state;
pub mod surface;
mod transfer;
mod warnings;
mod wire;
pub mod wrap;

pub use auxiliary::{Bands, Tiles};
pub use blit::{BlitInfo, BlitMask, BlitSurface};
pub use caps::{Cap, CapF, ComputeCap, ShaderCap};
pub use color::ColorUnion;
pub use context::{ConstantBuffer, Context, ContextRef, PresentSource};
#[cfg(feature = "desktop")]
pub use desktop::{ComputeStateObjectInfo, DrawVertexStateInfo, Referenced, VertexStateTemplate};
pub use draw_info::{DrawIndirect, DrawInfo, DrawStartCount, IndexBuffer, IndexSource};
#[cfg(feature = "desktop")]
pub use driver_query::{
    DriverQueryFlags, DriverQueryGroupInfo, DriverQueryInfo, DriverQueryResultType, DriverQueryType,
};
pub use error::PipeError;
pub use flags::{
    BarrierFlags, ClearFlags, ContextFlags, FlushFlags, ResetStatus, TextureBarrierFlags,
};
pub use formats::Format;
pub use handle::{
    BlendHandle, DepthStencilAlphaHandle, FenceHandle, Handle, MemoryObjectHandle, QueryHandle,
    RasterizerHandle, ResourceHandle, SamplerHandle, SamplerViewHandle, ShaderHandle,
    StreamOutputTargetHandle, SurfaceHandle, TransferHandle, VertexElementsHandle,
    VertexStateHandle,
};
pub use key::{Bitwise, Brief, Key};
pub use panel::{Area, ByteOrder, Cable, InFlight, Overlay, PanelError, TilePanel};
pub use primitive::{PrimType, ReducedPrim};
pub use query::{QueryResult, QueryType};
pub use region::Region;
pub use resource::layout;
pub use resource::{Bind, ResourceError, ResourceFlags, ResourceTemplate, TextureTarget, Usage};
pub use screen::Screen;
pub use shader::{
    ComputeState, GridInfo, PerStage, ShaderSource, ShaderState, ShaderType, StreamOutput,
    StreamOutputInfo,
};
#[cfg(feature = "desktop")]
pub use sharing::{FenceFdType, WinsysHandle, WinsysHandleType};
pub use state::*;
pub use surface::{
    ImageAccess, ImageRange, ImageView, SamplerViewRange, SamplerViewTemplate, ShaderBuffer,
    SurfaceRange, SurfaceTemplate, Swizzle,
};
pub use transfer::{MapFlags, Transfer};
pub use warnings::Warnings;
