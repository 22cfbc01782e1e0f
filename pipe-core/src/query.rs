//! Queries: the types, their results, conditional rendering.

use crate::numbered::numbered;

numbered! {
    /// The quantity that a query measures. `PIPE_QUERY_*`; the numbers are the virgl wire's. Later
    /// Gallium versions rearranged them.
    pub enum QueryType {
        /// Counts samples that passed all tests. [`QueryResult::U64`].
        OcclusionCounter = 0,
        /// Returns true if any sample passed all tests. [`QueryResult::Bool`].
        OcclusionPredicate = 1,
        /// Takes the time after all commands so far, in nanoseconds. Needs no `begin_query`.
        Timestamp = 2,
        /// Returns the timer's resolution, and whether timestamps are reliable.
        /// [`QueryResult::TimestampDisjoint`].
        TimestampDisjoint = 3,
        /// Measures the elapsed time, in nanoseconds.
        TimeElapsed = 4,
        /// Counts primitives of a vertex stream that the pipeline processed.
        PrimitivesGenerated = 5,
        /// Counts primitives of a vertex stream that were written to stream output.
        PrimitivesEmitted = 6,
        /// Counts primitives written to stream output, and primitives that would be written with
        /// enough room.
        SoStatistics = 7,
        /// Returns true if stream output of a vertex stream overflowed.
        SoOverflowPredicate = 8,
        /// Returns true if all commands before `end_query` are done. Needs no `begin_query`.
        GpuFinished = 9,
        /// Counts everything in [`PipelineStatistic`].
        PipelineStatistics = 10,
        /// Returns true if any sample passed; may also be true if none passed.
        OcclusionPredicateConservative = 11,
        /// Returns true if stream output of any vertex stream overflowed.
        SoOverflowAnyPredicate = 12,
        /// Counts the [`PipelineStatistic`] that is the query's index.
        PipelineStatisticsSingle = 13,
        /// Measures a query from the driver's list
        /// ([`Screen::get_driver_query_info`](crate::Screen::get_driver_query_info)). The query's
        /// index is the position in the list. [`QueryResult::U64`]. `PIPE_QUERY_DRIVER_SPECIFIC`
        /// and the numbers above it, which the virgl wire lacks.
        DriverSpecific = 255,
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
        /// Primitives emitted by geometry shaders.
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

    /// The waiting mode of conditional rendering. `PIPE_RENDER_COND_*`.
    #[derive(Default)]
    pub enum RenderConditionMode {
        /// Waits for the result.
        #[default]
        Wait = 0,
        /// Does not wait: without a result, draws are executed.
        NoWait = 1,
        /// Waits for the result; draws may skip regions where no sample passed.
        ByRegionWait = 2,
        /// Does not wait; draws may skip regions where no sample passed.
        ByRegionNoWait = 3,
    }

    /// The format of a query's result in a buffer. `PIPE_QUERY_TYPE_*`.
    pub enum QueryValueType {
        /// 32 bits, signed; larger results saturate.
        I32 = 0,
        /// 32 bits, unsigned; larger results saturate.
        U32 = 1,
        /// 64 bits, signed.
        I64 = 2,
        /// 64 bits, unsigned.
        U64 = 3,
    }
}

impl QueryType {
    /// Returns true if the query needs `begin_query`; otherwise `end_query` alone is enough.
    pub const fn needs_begin(self) -> bool {
        !matches!(self, Self::Timestamp | Self::GpuFinished)
    }

    /// Returns true if the query's index is a vertex stream.
    pub const fn has_stream(self) -> bool {
        matches!(
            self,
            Self::PrimitivesGenerated | Self::PrimitivesEmitted | Self::SoOverflowPredicate
        )
    }

    /// Returns true if the query can be a render condition.
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

impl QueryValueType {
    /// Returns the bytes of a result as written to a buffer, and their number. Results beyond the
    /// type's range become its greatest value.
    pub fn bytes_of(self, value: u64) -> ([u8; 8], usize) {
        let (greatest, size) = match self {
            Self::I32 => (i32::MAX as u64, 4),
            Self::U32 => (u32::MAX.into(), 4),
            Self::I64 => (i64::MAX as u64, 8),
            Self::U64 => (u64::MAX, 8),
        };
        (value.min(greatest).to_le_bytes(), size)
    }
}

/// The result of a query. `pipe_query_result`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryResult {
    /// Result of predicates and `GpuFinished`.
    Bool(bool),
    /// Result of counters, and of times in nanoseconds.
    U64(u64),
    /// Result of `SoStatistics`.
    SoStatistics {
        /// Number of primitives written.
        num_primitives_written: u64,
        /// Number of primitives that would be written to unlimited targets.
        primitives_storage_needed: u64,
    },
    /// Result of `TimestampDisjoint`.
    TimestampDisjoint {
        /// Ticks of the timer per second.
        frequency: u64,
        /// True if timestamps taken in the meantime are not reliable.
        disjoint: bool,
    },
    /// Result of `PipelineStatistics`, in the order of [`PipelineStatistic`].
    PipelineStatistics([u64; 11]),
}

impl QueryResult {
    /// Returns the result of a query during which nothing happened.
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
            | PipelineStatisticsSingle
            | DriverSpecific => Self::U64(0),
        }
    }

    /// Returns how many numbers the result has.
    pub const fn numbers(&self) -> u32 {
        match self {
            Self::Bool(_) | Self::U64(_) => 1,
            Self::SoStatistics { .. } | Self::TimestampDisjoint { .. } => 2,
            Self::PipelineStatistics(counters) => counters.len() as u32,
        }
    }

    /// Returns one of the result's numbers, with booleans as 0 or 1; `None` beyond the last one.
    pub fn number(&self, index: u32) -> Option<u64> {
        match (*self, index) {
            (Self::Bool(_) | Self::U64(_), 0) => Some(self.as_u64()),
            (Self::SoStatistics { num_primitives_written, .. }, 0) => Some(num_primitives_written),
            (Self::SoStatistics { primitives_storage_needed, .. }, 1) => {
                Some(primitives_storage_needed)
            }
            (Self::TimestampDisjoint { frequency, .. }, 0) => Some(frequency),
            (Self::TimestampDisjoint { disjoint, .. }, 1) => Some(disjoint.into()),
            (Self::PipelineStatistics(counters), index) => counters.get(index as usize).copied(),
            _ => None,
        }
    }

    /// Returns the result as one number: booleans as 0 or 1; the first one of several numbers.
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
