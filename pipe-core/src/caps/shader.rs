//! Capabilities of a shader stage.

use super::caps;
use crate::shader::ShaderType;

caps! {
    /// A capability of one stage for [`Screen::get_shader_param`](crate::Screen::get_shader_param).
    /// The default is for a stage that the driver has. `PIPE_SHADER_CAP_*` of the manual's chapter
    /// "Screen".
    ///
    /// A boolean answer is 0 or 1. The statement after "Boolean:" holds if it is 1.
    pub enum ShaderCap: i32 as stage_default {
        /// Maximum number of instructions of a shader.
        MaxInstructions = "PIPE_SHADER_CAP_MAX_INSTRUCTIONS", 16384;
        /// Maximum number of arithmetic instructions of a shader.
        MaxAluInstructions = "PIPE_SHADER_CAP_MAX_ALU_INSTRUCTIONS", 16384;
        /// Maximum number of texture instructions of a shader.
        MaxTexInstructions = "PIPE_SHADER_CAP_MAX_TEX_INSTRUCTIONS", 16384;
        /// Maximum number of lookups of a shader that depend on each other.
        MaxTexIndirections = "PIPE_SHADER_CAP_MAX_TEX_INDIRECTIONS", 16384;
        /// Maximum depth of nested control flow.
        MaxControlFlowDepth = "PIPE_SHADER_CAP_MAX_CONTROL_FLOW_DEPTH", 8;
        /// Maximum number of input registers.
        MaxInputs = "PIPE_SHADER_CAP_MAX_INPUTS", 16;
        /// Maximum number of output registers; fragment shaders have `MaxRenderTargets`.
        MaxOutputs = "PIPE_SHADER_CAP_MAX_OUTPUTS", 16;
        /// Maximum size of a constant buffer, in bytes.
        MaxConstBufferSize = "PIPE_SHADER_CAP_MAX_CONST_BUFFER_SIZE", 4096;
        /// Maximum number of constant buffers; 0 means 1.
        MaxConstBuffers = "PIPE_SHADER_CAP_MAX_CONST_BUFFERS", 1;
        /// Maximum number of temporary registers.
        MaxTemps = "PIPE_SHADER_CAP_MAX_TEMPS", 128;
        /// Boolean: shaders may use `CONT`.
        TgsiContSupported = "PIPE_SHADER_CAP_TGSI_CONT_SUPPORTED", 1;
        /// Boolean: input registers may be addressed indirectly.
        IndirectInputAddr = "PIPE_SHADER_CAP_INDIRECT_INPUT_ADDR", 0;
        /// Boolean: output registers may be addressed indirectly.
        IndirectOutputAddr = "PIPE_SHADER_CAP_INDIRECT_OUTPUT_ADDR", 0;
        /// Boolean: temporary registers may be addressed indirectly.
        IndirectTempAddr = "PIPE_SHADER_CAP_INDIRECT_TEMP_ADDR", 0;
        /// Boolean: constants may be addressed indirectly.
        IndirectConstAddr = "PIPE_SHADER_CAP_INDIRECT_CONST_ADDR", 0;
        /// Boolean: shaders may use `BGNSUB`, `ENDSUB`, `CAL` and `RET`, and `RET` in the main
        /// block.
        Subroutines = "PIPE_SHADER_CAP_SUBROUTINES", 0;
        /// Boolean: shaders may use integer opcodes.
        Integers = "PIPE_SHADER_CAP_INTEGERS", 0;
        /// Boolean: shaders may use atomics of 64-bit integers.
        Int64Atomics = "PIPE_SHADER_CAP_INT64_ATOMICS", 0;
        /// Boolean: shaders may use 16-bit floats.
        Fp16 = "PIPE_SHADER_CAP_FP16", 0;
        /// Boolean: shaders may use `DDX` and `DDY` of 16-bit floats.
        Fp16Derivatives = "PIPE_SHADER_CAP_FP16_DERIVATIVES", 0;
        /// Boolean: shaders may load 16-bit floats from constant buffers.
        Fp16ConstBuffers = "PIPE_SHADER_CAP_FP16_CONST_BUFFERS", 0;
        /// Boolean: shaders may use 16-bit integers.
        Int16 = "PIPE_SHADER_CAP_INT16", 0;
        /// Boolean: the frontend should lower constants of medium precision to 16 bits.
        Glsl16bitConsts = "PIPE_SHADER_CAP_GLSL_16BIT_CONSTS", 0;
        /// Maximum number of samplers.
        MaxTextureSamplers = "PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS", 2;
        /// Number of the shader form that the driver prefers: 0 is TGSI.
        PreferredIr = "PIPE_SHADER_CAP_PREFERRED_IR", 0;
        /// Maximum number of sampler views.
        MaxSamplerViews = "PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS", 2;
        /// Boolean: shaders may round doubles (`DCEIL`, `DFLR`, `DROUND`, `DTRUNC`).
        TgsiDroundSupported = "PIPE_SHADER_CAP_TGSI_DROUND_SUPPORTED", 0;
        /// Boolean: shaders may use `DFRACEXP` and `DLDEXP`.
        TgsiDfracexpDldexpSupported = "PIPE_SHADER_CAP_TGSI_DFRACEXP_DLDEXP_SUPPORTED", 0;
        /// Boolean: shaders may use `LDEXP`.
        TgsiLdexpSupported = "PIPE_SHADER_CAP_TGSI_LDEXP_SUPPORTED", 0;
        /// Boolean: shaders may use `FMA`, and `DFMA` if they may use doubles.
        TgsiFmaSupported = "PIPE_SHADER_CAP_TGSI_FMA_SUPPORTED", 0;
        /// Boolean: declarations of inputs and outputs may have any range of registers.
        TgsiAnyInoutDeclRange = "PIPE_SHADER_CAP_TGSI_ANY_INOUT_DECL_RANGE", 0;
        /// Largest number of iterations of a loop that the frontend should unroll.
        MaxUnrollIterationsHint = "PIPE_SHADER_CAP_MAX_UNROLL_ITERATIONS_HINT", 0;
        /// Maximum number of shader buffers, including buffers with atomic counters.
        MaxShaderBuffers = "PIPE_SHADER_CAP_MAX_SHADER_BUFFERS", 0;
        /// Bit mask of the shader forms that the driver accepts: bit 0 is TGSI.
        SupportedIrs = "PIPE_SHADER_CAP_SUPPORTED_IRS", 1;
        /// Maximum number of shader images.
        MaxShaderImages = "PIPE_SHADER_CAP_MAX_SHADER_IMAGES", 0;
        /// Cost of a branch, in instructions, below which the frontend should flatten it.
        LowerIfThreshold = "PIPE_SHADER_CAP_LOWER_IF_THRESHOLD", 0;
        /// Boolean: the frontend should not merge registers in TGSI.
        TgsiSkipMergeRegisters = "PIPE_SHADER_CAP_TGSI_SKIP_MERGE_REGISTERS", 0;
        /// Number of hardware atomic counters; 0: counters are in shader buffers.
        MaxHwAtomicCounters = "PIPE_SHADER_CAP_MAX_HW_ATOMIC_COUNTERS", 0;
        /// Number of buffers of hardware atomic counters; 0: counters are in shader buffers.
        MaxHwAtomicCounterBuffers = "PIPE_SHADER_CAP_MAX_HW_ATOMIC_COUNTER_BUFFERS", 0;
    }
}

impl ShaderCap {
    /// Returns the answer of a screen that does not override it: vertex and fragment shaders exist,
    /// other stages answer 0.
    pub const fn default_value(self, stage: ShaderType) -> i32 {
        match stage {
            ShaderType::Vertex | ShaderType::Fragment => self.stage_default(),
            _ => 0,
        }
    }
}
