//! Capabilities of a shader stage.

use super::caps;
use crate::shader::ShaderType;

caps! {
    /// What `Screen::get_shader_param` answers, of a stage that exists. `PIPE_SHADER_CAP_*`.
    pub enum ShaderCap: i32 as stage_default {
        /// The maximum number of instructions.
        MaxInstructions = "PIPE_SHADER_CAP_MAX_INSTRUCTIONS", 16384;
        /// The maximum number of arithmetic instructions.
        MaxAluInstructions = "PIPE_SHADER_CAP_MAX_ALU_INSTRUCTIONS", 16384;
        /// The maximum number of texture instructions.
        MaxTexInstructions = "PIPE_SHADER_CAP_MAX_TEX_INSTRUCTIONS", 16384;
        /// The maximum number of texture indirections.
        MaxTexIndirections = "PIPE_SHADER_CAP_MAX_TEX_INDIRECTIONS", 16384;
        /// The maximum nested control flow depth.
        MaxControlFlowDepth = "PIPE_SHADER_CAP_MAX_CONTROL_FLOW_DEPTH", 8;
        /// The maximum number of input registers.
        MaxInputs = "PIPE_SHADER_CAP_MAX_INPUTS", 16;
        /// The maximum number of output registers; not for fragment shaders.
        MaxOutputs = "PIPE_SHADER_CAP_MAX_OUTPUTS", 16;
        /// The maximum size per constant buffer in bytes.
        MaxConstBufferSize = "PIPE_SHADER_CAP_MAX_CONST_BUFFER_SIZE", 4096;
        /// Constant buffers of the stage; 0 and 1 are one.
        MaxConstBuffers = "PIPE_SHADER_CAP_MAX_CONST_BUFFERS", 1;
        /// The maximum number of temporary registers.
        MaxTemps = "PIPE_SHADER_CAP_MAX_TEMPS", 128;
        /// Whether the continue opcode is supported.
        TgsiContSupported = "PIPE_SHADER_CAP_TGSI_CONT_SUPPORTED", 1;
        /// Whether indirect addressing of the input file is supported.
        IndirectInputAddr = "PIPE_SHADER_CAP_INDIRECT_INPUT_ADDR", 0;
        /// Whether indirect addressing of the output file is supported.
        IndirectOutputAddr = "PIPE_SHADER_CAP_INDIRECT_OUTPUT_ADDR", 0;
        /// Whether indirect addressing of the temporary file is supported.
        IndirectTempAddr = "PIPE_SHADER_CAP_INDIRECT_TEMP_ADDR", 0;
        /// Whether indirect addressing of the constant file is supported.
        IndirectConstAddr = "PIPE_SHADER_CAP_INDIRECT_CONST_ADDR", 0;
        /// Whether subroutines are supported (BGNSUB, ENDSUB, CAL, RET), with RET in the main block.
        Subroutines = "PIPE_SHADER_CAP_SUBROUTINES", 0;
        /// Whether integer opcodes are supported.
        Integers = "PIPE_SHADER_CAP_INTEGERS", 0;
        /// Whether int64 atomic opcodes are supported.
        Int64Atomics = "PIPE_SHADER_CAP_INT64_ATOMICS", 0;
        /// Whether half precision floating-point opcodes are supported.
        Fp16 = "PIPE_SHADER_CAP_FP16", 0;
        /// Whether half precision floating-point DDX and DDY opcodes are supported.
        Fp16Derivatives = "PIPE_SHADER_CAP_FP16_DERIVATIVES", 0;
        /// Whether half precision floating-point constant buffer loads are supported.
        Fp16ConstBuffers = "PIPE_SHADER_CAP_FP16_CONST_BUFFERS", 0;
        /// Whether 16-bit signed and unsigned integer types are supported.
        Int16 = "PIPE_SHADER_CAP_INT16", 0;
        /// Whether mediump constants should be lowered to 16 bits.
        Glsl16bitConsts = "PIPE_SHADER_CAP_GLSL_16BIT_CONSTS", 0;
        /// The maximum number of texture samplers.
        MaxTextureSamplers = "PIPE_SHADER_CAP_MAX_TEXTURE_SAMPLERS", 2;
        /// The form shaders should come in: 0 is TGSI.
        PreferredIr = "PIPE_SHADER_CAP_PREFERRED_IR", 0;
        /// The maximum number of texture sampler views.
        MaxSamplerViews = "PIPE_SHADER_CAP_MAX_SAMPLER_VIEWS", 2;
        /// Whether double precision rounding is supported.
        TgsiDroundSupported = "PIPE_SHADER_CAP_TGSI_DROUND_SUPPORTED", 0;
        /// Whether DFRACEXP and DLDEXP are supported.
        TgsiDfracexpDldexpSupported = "PIPE_SHADER_CAP_TGSI_DFRACEXP_DLDEXP_SUPPORTED", 0;
        /// Whether LDEXP is supported.
        TgsiLdexpSupported = "PIPE_SHADER_CAP_TGSI_LDEXP_SUPPORTED", 0;
        /// Whether FMA and DFMA (doubles only) are supported.
        TgsiFmaSupported = "PIPE_SHADER_CAP_TGSI_FMA_SUPPORTED", 0;
        /// Whether ranges in declarations of inputs and outputs are honoured.
        TgsiAnyInoutDeclRange = "PIPE_SHADER_CAP_TGSI_ANY_INOUT_DECL_RANGE", 0;
        /// Loops of at most so many iterations may be unrolled; a hint.
        MaxUnrollIterationsHint = "PIPE_SHADER_CAP_MAX_UNROLL_ITERATIONS_HINT", 0;
        /// Maximum number of memory buffers (also used to implement atomic counters).
        MaxShaderBuffers = "PIPE_SHADER_CAP_MAX_SHADER_BUFFERS", 0;
        /// The forms shaders may come in, a bit each: bit 0 is TGSI.
        SupportedIrs = "PIPE_SHADER_CAP_SUPPORTED_IRS", 1;
        /// Maximum number of image units.
        MaxShaderImages = "PIPE_SHADER_CAP_MAX_SHADER_IMAGES", 0;
        /// Branches cheaper than this should be flattened by the frontend.
        LowerIfThreshold = "PIPE_SHADER_CAP_LOWER_IF_THRESHOLD", 0;
        /// Whether the merge registers TGSI pass is skipped.
        TgsiSkipMergeRegisters = "PIPE_SHADER_CAP_TGSI_SKIP_MERGE_REGISTERS", 0;
        /// If atomic counters are separate, how many HW counters are available for this stage. (0
        /// uses SSBO atomics).
        MaxHwAtomicCounters = "PIPE_SHADER_CAP_MAX_HW_ATOMIC_COUNTERS", 0;
        /// If atomic counters are separate, how many atomic counter buffers are available for this
        /// stage.
        MaxHwAtomicCounterBuffers = "PIPE_SHADER_CAP_MAX_HW_ATOMIC_COUNTER_BUFFERS", 0;
    }
}

impl ShaderCap {
    /// What a screen answers that does not say otherwise: it has a vertex and a fragment
    /// shader, no others.
    pub const fn default_value(self, stage: ShaderType) -> i32 {
        match stage {
            ShaderType::Vertex | ShaderType::Fragment => self.stage_default(),
            _ => 0,
        }
    }
}
