//! The driver through its contract. One binary, so that the code of three profiles is generated
//! once.

/// Makes a compute program's text that declares its invocation's number in SV[0] to SV[2]: thread,
/// block, size of blocks.
#[cfg(feature = "shader-memory")]
macro_rules! invocation {
    ($text:literal) => {
        concat!("COMP\nDCL SV[0], THREAD_ID\nDCL SV[1], BLOCK_ID\nDCL SV[2], BLOCK_SIZE\n", $text)
    };
}

#[macro_use]
mod common;

mod allocation;
#[cfg(feature = "es2")]
mod areas;
mod bad_input;
mod bands;
#[cfg(feature = "desktop")]
mod bindless;
mod blits;
#[cfg(feature = "desktop")]
mod budget;
#[cfg(feature = "desktop")]
mod budget_bytes;
mod buffer_targets;
mod clears;
#[cfg(feature = "shader-memory")]
mod compute;
#[cfg(all(feature = "shader-memory", feature = "compile"))]
mod compute_entries;
#[cfg(feature = "desktop")]
mod compute_memory;
#[cfg(feature = "shader-memory")]
mod context_flags;
#[cfg(all(feature = "desktop", feature = "threads"))]
mod contexts;
mod depth_clamp;
#[cfg(feature = "desktop")]
mod desktop;
#[cfg(feature = "desktop")]
mod diagnostics;
mod direct;
mod drawing;
#[cfg(feature = "desktop")]
mod driver_queries;
mod exact;
mod exports;
#[cfg(feature = "desktop")]
mod external_fences;
#[cfg(feature = "desktop")]
mod feedback;
#[cfg(feature = "desktop")]
mod fences;
#[cfg(all(feature = "desktop", feature = "threads"))]
mod flights;
#[cfg(all(feature = "full", feature = "threads"))]
mod flights_meet;
#[cfg(feature = "desktop")]
mod framebuffer_fetch;
mod frames;
#[cfg(feature = "full")]
mod generated;
#[cfg(all(feature = "desktop", feature = "workers"))]
mod geometry;
#[cfg(feature = "desktop")]
mod global_memory;
mod largest_target;
mod maps;
#[cfg(feature = "shader-memory")]
mod memory_model;
#[cfg(feature = "shader-memory")]
mod memory_programs;
mod mipmaps;
mod occlusion;
mod parts;
mod planes;
mod profiles;
mod profiling;
mod pulled;
mod query_buffers;
#[cfg(feature = "shader-memory")]
mod radix_sort;
#[cfg(feature = "desktop")]
mod resets;
mod resources;
#[cfg(feature = "es2")]
mod samplers;
#[cfg(feature = "samples")]
mod samples;
#[cfg(feature = "shader-memory")]
mod shader_memory;
#[cfg(feature = "desktop")]
mod sharing;
#[cfg(feature = "desktop")]
mod spans_565;
mod spans_bilinear;
#[cfg(feature = "spans-filtered")]
mod spans_filtered;
mod spans_generic;
#[cfg(feature = "desktop")]
mod sparse;
#[cfg(feature = "desktop")]
mod sparse_textures;
#[cfg(feature = "stages")]
mod stages;
mod stamps;
mod statistics;
mod streaming;
mod streams;
mod strokes;
#[cfg(all(feature = "stages", feature = "shader-memory"))]
mod subgroups;
#[cfg(feature = "compressed")]
mod subsampled;
mod system_values;
mod unsupported;
mod vertex_cache;
#[cfg(feature = "desktop")]
mod window_rectangles;
