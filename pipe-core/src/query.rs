//! Questions to the pipeline, and their answers.

use crate::numbered::numbered;

numbered! {
    /// What a query counts. `PIPE_QUERY_*`; numbers are the virgl wire's, which later Gallium
    /// rearranged.
    pub enum QueryType {
        /// Samples that passed all tests. A number.
        OcclusionCounter = 0,
        /// Whether any passed. A boolean.
        OcclusionPredicate = 1,
        /// The time after all commands so far, in nanoseconds. Needs no `begin_query`.
        Timestamp = 2,
        /// The timer's resolution, and whether it can be trusted.
        TimestampDisjoint = 3,
        /// The time spent, in nanoseconds.
        TimeElapsed = 4,
        /// Primitives the pipeline processed, of one vertex stream.
        PrimitivesGenerated = 5,
        /// Primitives written to stream output, of one vertex stream.
        PrimitivesEmitted = 6,
        /// Primitives written to stream output, and those that would have been.
        SoStatistics = 7,
        /// Whether a stream output target overflowed, of one vertex stream.
        SoOverflowPredicate = 8,
        /// Whether all commands before `end_query` are done. Needs no `begin_query`.
        GpuFinished = 9,
        /// All the counters of [`PipelineStatistic`].
        PipelineStatistics = 10,
        /// Whether any sample passed; may be true without.
        OcclusionPredicateConservative = 11,
        /// Whether any stream output target overflowed.
        SoOverflowAnyPredicate = 12,
        /// One counter of [`PipelineStatistic`], named by the query's index.
        PipelineStatisticsSingle = 13,
    }

    /// A counter of the pipeline. `PIPE_STAT_QUERY_*`.
    pub enum PipelineStatistic {
        /// Vertices read from vertex buffers.
        IaVertices = 0,
        /// Primitives read from vertex buffers.
        IaPrimitives = 1,
        /// Vertex shader invocations.
        VsInvocations = 2,
        /// Geometry shader invocations.
        GsInvocations = 3,
        /// Primitives geometry shaders made.
        GsPrimitives = 4,
        /// Primitives sent to the rasterizer.
        CInvocations = 5,
        /// Primitives rasterized.
        CPrimitives = 6,
        /// Fragment shader invocations.
        PsInvocations = 7,
        /// Tessellation control shader invocations.
        HsInvocations = 8,
        /// Tessellation evaluation shader invocations.
        DsInvocations = 9,
        /// Compute shader invocations.
        CsInvocations = 10,
    }

    /// How conditional rendering waits. `PIPE_RENDER_COND_*`.
    #[derive(Default)]
    pub enum RenderConditionMode {
        /// For the result.
        #[default]
        Wait = 0,
        /// Not at all: without a result, it draws.
        NoWait = 1,
        /// For the result; regions without samples may be left out.
        ByRegionWait = 2,
        /// Not at all; regions without samples may be left out.
        ByRegionNoWait = 3,
    }

    /// How a query's result is written to a buffer. `PIPE_QUERY_TYPE_*`.
    pub enum QueryValueType {
        /// 32 bits, signed, saturated.
        I32 = 0,
        /// 32 bits, saturated.
        U32 = 1,
        /// 64 bits, signed.
        I64 = 2,
        /// 64 bits.
        U64 = 3,
    }
}

impl QueryType {
    /// Whether it has a beginning; else `end_query` alone asks.
    pub const fn needs_begin(self) -> bool {
        !matches!(self, Self::Timestamp | Self::GpuFinished)
    }

    /// Whether its index is a vertex stream.
    pub const fn has_stream(self) -> bool {
        matches!(
            self,
            Self::PrimitivesGenerated | Self::PrimitivesEmitted | Self::SoOverflowPredicate
        )
    }

    /// Whether drawing can depend on it.
    pub const fn is_condition(self) -> bool {
        use QueryType::*;
        matches!(
            self,
            OcclusionCounter
                | OcclusionPredicate
                | OcclusionPredicateConservative
                | SoOverflowPredicate
                | SoOverflowAnyPredicate
        )
    }
}

/// A query's answer. `pipe_query_result`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryResult {
    /// Of predicates and `GpuFinished`.
    Bool(bool),
    /// Of counters and times (nanoseconds).
    U64(u64),
    /// Of `SoStatistics`.
    SoStatistics {
        /// Primitives written.
        num_primitives_written: u64,
        /// Primitives that needed room.
        primitives_storage_needed: u64,
    },
    /// Of `TimestampDisjoint`.
    TimestampDisjoint {
        /// Ticks a second.
        frequency: u64,
        /// Whether timestamps meanwhile are not to be trusted.
        disjoint: bool,
    },
    /// Of `PipelineStatistics`, in the order of [`PipelineStatistic`].
    PipelineStatistics([u64; 11]),
}

impl QueryResult {
    /// The answer of a query that saw nothing.
    pub const fn zero(kind: QueryType) -> Self {
        use QueryType::*;
        match kind {
            OcclusionPredicate
            | OcclusionPredicateConservative
            | SoOverflowPredicate
            | SoOverflowAnyPredicate => Self::Bool(false),
            GpuFinished => Self::Bool(true),
            TimestampDisjoint => {
                Self::TimestampDisjoint { frequency: 1_000_000_000, disjoint: false }
            }
            SoStatistics => {
                Self::SoStatistics { num_primitives_written: 0, primitives_storage_needed: 0 }
            }
            PipelineStatistics => Self::PipelineStatistics([0; 11]),
            OcclusionCounter
            | Timestamp
            | TimeElapsed
            | PrimitivesGenerated
            | PrimitivesEmitted
            | PipelineStatisticsSingle => Self::U64(0),
        }
    }

    /// One number: booleans are 0 or 1, of several the first.
    pub const fn as_u64(&self) -> u64 {
        match *self {
            Self::Bool(value) => value as u64,
            Self::U64(value) => value,
            Self::SoStatistics { num_primitives_written, .. } => num_primitives_written,
            Self::TimestampDisjoint { frequency, .. } => frequency,
            Self::PipelineStatistics(counters) => counters[0],
        }
    }
}
