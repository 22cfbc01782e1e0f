//! Choices made at compile time: cargo features, and the kind of the target.

/// Attributes can have any plain or packed format, also formats without a specialised fetch loop.
pub(crate) const ALL_FORMATS: bool = cfg!(feature = "all-formats");

/// Sinks can capture whole primitives before clipping.
pub(crate) const STREAM_OUTPUT: bool = cfg!(feature = "stream-output");

/// Draws may have primitives other than lists of triangles.
pub(crate) const PRIMITIVE_TYPES: bool = cfg!(feature = "primitive-types");

/// The user's clip half-spaces.
pub(crate) const USER_CLIP_PLANES: bool = cfg!(feature = "user-clip-planes");

/// Stages may run between the vertex shader and primitive processing, and primitives choose layer
/// and viewport.
pub(crate) const STAGES: bool = cfg!(feature = "stages");

/// A draw ends when its resources stop it.
pub(crate) const BUDGET: bool = cfg!(feature = "budget");

/// Vertices are projected one by one, with branches. That is faster than straight code for all
/// lanes if the processor has no vectors, as on 32-bit targets.
pub(crate) const SCALAR: bool = cfg!(target_pointer_width = "32");
