//! Handles of objects: a slot, a generation, and a type.
//!
//! A driver keeps its objects in pools ([`os_shim::pool::Pool`]) and returns handles. The
//! generation detects a handle of a destroyed object, even if its slot is in use again.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use os_shim::pool::RawHandle;

use crate::key::Bitwise;
use crate::wire::{Reader, TraceError, Wire, Writer};

/// The type of object that a handle names.
pub trait Kind: 'static {
    /// The object's name in error messages and traces.
    const NAME: &'static str;
}

/// The handle of an object of kind `K`. A copy names the same object.
pub struct Handle<K> {
    raw: RawHandle,
    kind: PhantomData<fn() -> K>,
}

impl<K> Handle<K> {
    /// Adds a type to a pool's handle. For drivers.
    #[inline]
    pub const fn new(raw: RawHandle) -> Self {
        Self { raw, kind: PhantomData }
    }

    /// Returns the pool's handle. For drivers.
    #[inline]
    pub const fn raw(self) -> RawHandle {
        self.raw
    }
}

impl<K> Clone for Handle<K> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Handle<K> {}

impl<K> PartialEq for Handle<K> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl<K> Eq for Handle<K> {}

impl<K> Hash for Handle<K> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u32(self.raw.to_bits());
    }
}

impl<K> Bitwise for Handle<K> {
    #[inline]
    fn same_bits(&self, other: &Self) -> bool {
        self == other
    }
    #[inline]
    fn hash_bits<H: Hasher>(&self, hasher: &mut H) {
        self.hash(hasher);
    }
}

/// A trace holds the traced driver's handle; reading it returns the live handle of the same object.
impl<K: Kind> Wire<'_> for Handle<K> {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw.to_bits().write(out);
    }
    fn read(input: &mut Reader<'_, '_>) -> Result<Self, TraceError> {
        let bits = u32::read(input)?;
        let traced = RawHandle::from_bits(bits).ok_or(TraceError::Value("handle"))?;
        Ok(Handle::new(input.live.live(K::NAME, traced)))
    }
}

impl<K: Kind> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", K::NAME, self.raw)
    }
}

#[cfg(feature = "defmt")]
impl<K: Kind> defmt::Format for Handle<K> {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(f, "{=str}#{=usize}.{=u16}", K::NAME, self.raw.slot(), self.raw.generation());
    }
}

macro_rules! kinds {
    ($( $(#[$meta:meta])* $alias:ident = $kind:ident, $name:literal; )+) => {
        /// Types that stand for kinds of objects in [`Handle`](super::Handle).
        pub mod kinds {
            $(
                #[doc = concat!("Marks handles of ", $name, " objects.")]
                #[derive(Clone, Copy, Debug)]
                pub enum $kind {}
                impl super::Kind for $kind {
                    const NAME: &'static str = $name;
                }
            )+
        }
        $( $(#[$meta])* pub type $alias = Handle<kinds::$kind>; )+
    };
}

kinds! {
    /// A blend state object of one context.
    BlendHandle = Blend, "blend";
    /// A depth, stencil and alpha state object of one context.
    DepthStencilAlphaHandle = DepthStencilAlpha, "depth_stencil_alpha";
    /// A rasterizer state object of one context.
    RasterizerHandle = Rasterizer, "rasterizer";
    /// A sampler state object of one context.
    SamplerHandle = Sampler, "sampler";
    /// A vertex elements object of one context.
    VertexElementsHandle = VertexElements, "vertex_elements";
    /// A shader of any stage, of one context.
    ShaderHandle = Shader, "shader";
    /// A buffer or texture of a screen; valid in all of the screen's contexts.
    ResourceHandle = Resource, "resource";
    /// A view of a resource to render to, of one context.
    SurfaceHandle = Surface, "surface";
    /// A view of a resource to sample from, of one context.
    SamplerViewHandle = SamplerView, "sampler_view";
    /// A range of a buffer to stream vertices to, of one context.
    StreamOutputTargetHandle = StreamOutputTarget, "stream_output_target";
    /// A query of one context.
    QueryHandle = Query, "query";
    /// An open transfer of one context.
    TransferHandle = Transfer, "transfer";
    /// A fence of a screen.
    FenceHandle = Fence, "fence";
    /// Externally owned memory from which a screen makes resources.
    MemoryObjectHandle = MemoryObject, "memory_object";
    /// Vertices, elements and indices of draws; belongs to a screen.
    VertexStateHandle = VertexState, "vertex_state";
}
