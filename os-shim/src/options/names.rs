//! The names of the options that this workspace reads.
//!
//! From the manual, "Debug Variables"; those that are ours alone say so. Left out are the
//! manual's variables for what is not here: the remote debugger (`GALLIUM_RBUG`), LLVM
//! (`DRAW_USE_LLVM`), and other drivers (`I915_*`, `FD_MESA_DEBUG`, `ST_DEBUG`).

/// Bool, default false. Sends every option that is looked up, and its value, to the log.
pub const GALLIUM_PRINT_OPTIONS: &str = "GALLIUM_PRINT_OPTIONS";

/// Text, default none. Wraps the driver in the trace driver, which writes all calls to this
/// file; on a board, where there are no files, any value sends them to the log.
pub const GALLIUM_TRACE: &str = "GALLIUM_TRACE";

/// Bool, default false. Sends what was found out about the CPU (instruction sets, number of
/// cores) to the log.
pub const GALLIUM_DUMP_CPU: &str = "GALLIUM_DUMP_CPU";

/// Number, default what [`LP_NUM_THREADS`] says. Workers that rasterize tiles, the caller's
/// thread included. Not in the manual: it is the driver-independent name.
pub const GALLIUM_NUM_THREADS: &str = "GALLIUM_NUM_THREADS";

/// Number, default the number of CPUs. The manual's name for the number of rasterizer threads,
/// honoured so that scripts made for llvmpipe work: 0 means the caller's thread alone.
pub const LP_NUM_THREADS: &str = "LP_NUM_THREADS";

/// Bool, default false. Sends the shader sanity checker's warnings and errors to the log.
pub const TGSI_PRINT_SANITY: &str = "TGSI_PRINT_SANITY";

/// Flags, default none. Debugging of the rasterizing driver, the equivalent of the manual's
/// `LP_DEBUG`; set it to `help` for the list.
pub const RASTER_DEBUG: &str = "RASTER_DEBUG";
