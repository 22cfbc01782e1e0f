//! Capabilities of compute programs.

use super::caps;

caps! {
    /// What `Screen::get_compute_param` answers; scalars in the first of the three.
    /// `PIPE_COMPUTE_CAP_*`.
    pub enum ComputeCap: [u64; 3] {
        /// The target triple of native code; our drivers have none.
        IrTarget = "PIPE_COMPUTE_CAP_IR_TARGET", [0, 0, 0];
        /// Number of supported dimensions for grid and block coordinates.
        GridDimension = "PIPE_COMPUTE_CAP_GRID_DIMENSION", [0, 0, 0];
        /// Maximum grid size in block units.
        MaxGridSize = "PIPE_COMPUTE_CAP_MAX_GRID_SIZE", [0, 0, 0];
        /// Maximum block size in thread units.
        MaxBlockSize = "PIPE_COMPUTE_CAP_MAX_BLOCK_SIZE", [0, 0, 0];
        /// Maximum number of threads that a single block can contain.
        MaxThreadsPerBlock = "PIPE_COMPUTE_CAP_MAX_THREADS_PER_BLOCK", [0, 0, 0];
        /// Maximum size of the GLOBAL resource.
        MaxGlobalSize = "PIPE_COMPUTE_CAP_MAX_GLOBAL_SIZE", [0, 0, 0];
        /// Maximum size of the LOCAL resource.
        MaxLocalSize = "PIPE_COMPUTE_CAP_MAX_LOCAL_SIZE", [0, 0, 0];
        /// Maximum size of the PRIVATE resource.
        MaxPrivateSize = "PIPE_COMPUTE_CAP_MAX_PRIVATE_SIZE", [0, 0, 0];
        /// Maximum size of the INPUT resource.
        MaxInputSize = "PIPE_COMPUTE_CAP_MAX_INPUT_SIZE", [0, 0, 0];
        /// Maximum size of a memory object allocation in bytes.
        MaxMemAllocSize = "PIPE_COMPUTE_CAP_MAX_MEM_ALLOC_SIZE", [0, 0, 0];
        /// Maximum frequency of the GPU clock in MHz.
        MaxClockFrequency = "PIPE_COMPUTE_CAP_MAX_CLOCK_FREQUENCY", [0, 0, 0];
        /// Maximum number of compute units Value type: uint32_t.
        MaxComputeUnits = "PIPE_COMPUTE_CAP_MAX_COMPUTE_UNITS", [0, 0, 0];
        /// Whether images are supported non-zero means yes, zero means no.
        ImagesSupported = "PIPE_COMPUTE_CAP_IMAGES_SUPPORTED", [0, 0, 0];
        /// The size of a basic execution unit in threads.
        SubgroupSize = "PIPE_COMPUTE_CAP_SUBGROUP_SIZE", [0, 0, 0];
        /// The default compute device address space size specified as an unsigned integer value in
        /// bits.
        AddressBits = "PIPE_COMPUTE_CAP_ADDRESS_BITS", [0, 0, 0];
        /// Maximum variable number of threads that a single block can contain.
        MaxVariableThreadsPerBlock = "PIPE_COMPUTE_CAP_MAX_VARIABLE_THREADS_PER_BLOCK", [0, 0, 0];
    }
}
