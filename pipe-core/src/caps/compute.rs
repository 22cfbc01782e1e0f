//! Capabilities of compute programs.

use super::caps;

caps! {
    /// A capability for [`Screen::get_compute_param`](crate::Screen::get_compute_param). The answer
    /// is three numbers; a scalar is the first one. `PIPE_COMPUTE_CAP_*` of the manual's chapter
    /// "Screen".
    pub enum ComputeCap: [u64; 3] {
        /// Target triple of native code. Always 0 here, because answers are numbers and no driver
        /// has native code.
        IrTarget = "PIPE_COMPUTE_CAP_IR_TARGET", [0, 0, 0];
        /// Number of dimensions of grids and blocks, 1 to 3.
        GridDimension = "PIPE_COMPUTE_CAP_GRID_DIMENSION", [0, 0, 0];
        /// Maximum size of a grid by dimension, in blocks.
        MaxGridSize = "PIPE_COMPUTE_CAP_MAX_GRID_SIZE", [0, 0, 0];
        /// Maximum size of a block by dimension, in invocations.
        MaxBlockSize = "PIPE_COMPUTE_CAP_MAX_BLOCK_SIZE", [0, 0, 0];
        /// Maximum number of invocations of a block.
        MaxThreadsPerBlock = "PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK", [0, 0, 0];
        /// Maximum size of `GLOBAL` memory, in bytes.
        MaxGlobalSize = "PIPE_COMPUTE_CAP_MAX_GLOBAL_SIZE", [0, 0, 0];
        /// Maximum size of `LOCAL` memory, which a block shares, in bytes.
        MaxLocalSize = "PIPE_COMPUTE_CAP_MAX_LOCAL_SIZE", [0, 0, 0];
        /// Maximum size of `PRIVATE` memory of one invocation, in bytes.
        MaxPrivateSize = "PIPE_COMPUTE_CAP_MAX_PRIVATE_SIZE", [0, 0, 0];
        /// Maximum size of `INPUT` memory, in bytes.
        MaxInputSize = "PIPE_COMPUTE_CAP_MAX_INPUT_SIZE", [0, 0, 0];
        /// Maximum size of one allocation, in bytes.
        MaxMemAllocSize = "PIPE_COMPUTE_CAP_MAX_MEM_ALLOC_SIZE", [0, 0, 0];
        /// Maximum clock frequency of the device, in MHz.
        MaxClockFrequency = "PIPE_COMPUTE_CAP_MAX_CLOCK_FREQUENCY", [0, 0, 0];
        /// Number of compute units, which run blocks at the same time.
        MaxComputeUnits = "PIPE_COMPUTE_CAP_MAX_COMPUTE_UNITS", [0, 0, 0];
        /// 1 if compute programs may use images, otherwise 0.
        ImagesSupported = "PIPE_COMPUTE_CAP_IMAGES_SUPPORTED", [0, 0, 0];
        /// Number of invocations that run in lockstep.
        SubgroupSize = "PIPE_COMPUTE_CAP_SUBGROUP_SIZE", [0, 0, 0];
        /// Bit mask of the selectable numbers of invocations that run in lockstep; each bit's value
        /// is such a number. The manual names it in its chapter "Context".
        SubgroupSizes = "PIPE_COMPUTE_CAP_SUBGROUP_SIZES", [0, 0, 0];
        /// Width of an address, in bits.
        AddressBits = "PIPE_COMPUTE_CAP_ADDRESS_BITS", [0, 0, 0];
        /// Maximum number of invocations of a block with a size known only at launch.
        MaxVariableThreadsPerBlock = "PIPE_COMPUTE_CAP_MAX_VARIABLE_THREADS_PER_BLOCK", [0, 0, 0];
    }
}
