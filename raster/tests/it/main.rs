//! The driver through its contract. One binary, so that the code of three profiles is generated
//! once.

/// Makes a compute program's text that declares its invocation's number in SV[0] to SV[2]: thread,
/// block, size of blocks.
#[cfg(feature = "compute")]
macro_rules! invocation {
    ($text:literal) => {
        concat!("COMP\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], BLOCK_SIZE\n", $text)
    };
}

#[macro_use]
mod common;

mod allocation;
#[cfg(feature = "primitive-effects")]
mod areas;
mod bad_input;
#[cfg(feature = "bindless")]
mod bindless;
mod blits;
#[cfg(feature = "budget")]
mod budget;
#[cfg(feature = "budget")]
mod budget_bytes;
mod buffer_targets;
mod clears;
#[cfg(feature = "compute")]
mod compute;
#[cfg(all(feature = "compute", feature = "compile"))]
mod compute_entries;
#[cfg(all(feature = "compute", feature = "desktop"))]
mod compute_memory;
#[cfg(feature = "compute")]
mod context_flags;
#[cfg(all(feature = "budget", feature = "threads"))]
mod contexts;
mod depth_clamp;
#[cfg(feature = "desktop")]
mod desktop;
#[cfg(feature = "debug")]
mod diagnostics;
mod direct;
mod drawing;
#[cfg(feature = "desktop")]
mod driver_queries;
mod exports;
#[cfg(feature = "desktop")]
mod external_fences;
#[cfg(feature = "feedback")]
mod feedback;
#[cfg(feature = "fences")]
mod fences;
#[cfg(all(feature = "budget", feature = "fences", feature = "threads"))]
mod flights;
#[cfg(all(feature = "full", feature = "threads"))]
mod flights_meet;
#[cfg(feature = "framebuffer-fetch")]
mod framebuffer_fetch;
mod frames;
#[cfg(feature = "generated")]
mod generated;
#[cfg(all(feature = "budget", feature = "debug", feature = "workers"))]
mod geometry;
#[cfg(all(feature = "compute", feature = "desktop"))]
mod global_memory;
mod largest_target;
mod maps;
#[cfg(feature = "compute")]
mod memory_model;
#[cfg(feature = "compute")]
mod memory_programs;
mod mipmaps;
mod occlusion;
mod parts;
mod planes;
mod profiles;
mod pulled;
mod query_buffers;
#[cfg(feature = "compute")]
mod radix_sort;
#[cfg(feature = "budget")]
mod resets;
mod resources;
#[cfg(feature = "texture-targets")]
mod samplers;
#[cfg(feature = "samples")]
mod samples;
#[cfg(feature = "shader-memory")]
mod shader_memory;
#[cfg(feature = "desktop")]
mod sharing;
#[cfg(feature = "debug")]
mod spans_565;
mod spans_bilinear;
#[cfg(feature = "spans-filtered")]
mod spans_filtered;
mod spans_generic;
#[cfg(feature = "sparse")]
mod sparse;
#[cfg(feature = "sparse")]
mod sparse_textures;
#[cfg(all(feature = "geometry-shaders", feature = "tessellation"))]
mod stages;
mod stamps;
mod statistics;
mod streaming;
mod streams;
mod strokes;
#[cfg(all(feature = "geometry-shaders", feature = "tessellation", feature = "compute"))]
mod subgroups;
#[cfg(feature = "compressed")]
mod subsampled;
mod system_values;
mod unsupported;
mod vertex_cache;
#[cfg(feature = "window-rectangles")]
mod window_rectangles;
