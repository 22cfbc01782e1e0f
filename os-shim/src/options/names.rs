//! The names of the options that this workspace reads.
//!
//! Options that print write to standard error on hosts, whatever the log level is. Boards log at
//! level `info`.
//!
//! The names come from the manual (chapter "Debugging", "Debug Variables"), except where an entry
//! says that the name is ours. Variables for parts that this workspace lacks are left out: those of
//! other drivers (`I915_*`, `FD_MESA_DEBUG`, `ST_DEBUG`).

/// Boolean, default false. Prints every option that is read, with its value.
pub const GALLIUM_PRINT_OPTIONS: &str = "GALLIUM_PRINT_OPTIONS";

/// Text, default none. Programs on hosts put the recording wrapper around their driver, which
/// writes every call with its data to this file; `cargo xtask replay` plays it. The calls of a
/// second screen or client go to the same name followed by `.2`, and so on.
pub const GALLIUM_TRACE: &str = "GALLIUM_TRACE";

/// Text, default none. `true` opens the live inspector of a host program on a free port of the
/// loopback interface; an address and port (`127.0.0.1:8000`) opens it there. The program prints a
/// link with a token. The value is the manual's Boolean, extended by the address.
pub const GALLIUM_RBUG: &str = "GALLIUM_RBUG";

/// Boolean, default false. Programs on hosts print the instruction set that loops use and the number
/// of workers when they start.
pub const GALLIUM_DUMP_CPU: &str = "GALLIUM_DUMP_CPU";

/// Number, default the value of [`LP_NUM_THREADS`]. Workers that rasterize tiles, including the
/// caller's thread. The name is ours: it does not depend on the driver.
pub const GALLIUM_NUM_THREADS: &str = "GALLIUM_NUM_THREADS";

/// Number, default the number of CPUs. The manual's name for the number of rasterizer threads, so
/// that scripts for llvmpipe work. 0 means the caller's thread alone.
pub const LP_NUM_THREADS: &str = "LP_NUM_THREADS";

/// Boolean, default false. Logs warnings and errors of the shader sanity checker, at level `warn`.
pub const TGSI_PRINT_SANITY: &str = "TGSI_PRINT_SANITY";

/// Number, default 1048576. The longest shader text, in bytes, that the driver accepts. Not in
/// the manual.
pub const TGSI_MAX_TEXT: &str = "TGSI_MAX_TEXT";

/// Flags, default none. Debugging of the raster driver; the flag `help` prints the list. The name
/// is ours: the manual's [`LP_DEBUG`] has llvmpipe's flags.
pub const RASTER_DEBUG: &str = "RASTER_DEBUG";

/// Text, default none. The driver writes the times of draws, scenes, tiles and grids to this file,
/// thread by thread, in Chrome's trace format; `ui.perfetto.dev` shows it. The name is ours.
pub const RASTER_PROFILE: &str = "RASTER_PROFILE";

/// Flags, default none. llvmpipe's flags, so that scripts for llvmpipe work; they add to the flags
/// of [`RASTER_DEBUG`]. The driver warns about a flag that it has no equivalent for; `help` prints
/// the supported ones.
pub const LP_DEBUG: &str = "LP_DEBUG";

/// Boolean, default true. False keeps programs of the stages before rasterization interpreted
/// instead of compiling them to machine code at run time with `gallium-codegen`. The name is the
/// manual's.
pub const DRAW_USE_LLVM: &str = "DRAW_USE_LLVM";
