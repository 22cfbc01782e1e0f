//! Queries: the types, their results, conditional rendering.

use crate::numbered::numbered;

numbered! {
    /// The quantity that a query measures. `PIPE_QUERY_*`; numbers are the virgl wire's, which
    /// later Gallium rearranged.
    pub enum QueryType {
        /// Counts samples that passed all tests. [`QueryResult::U64`].
        OcclusionCounter = 0,
        /// Tells if any sample passed all tests. [`QueryResult::Bool`].
        OcclusionPredicate = 1,
        /// Takes the time after all commands so far, in nanoseconds. Needs no `begin_query`.
        Timestamp = 2,
        /// Tells the timer's resolution, and if it is to be trusted.
        /// [`QueryResult::TimestampDisjoint`].
        TimestampDisjoint = 3,
        /// Measures the time spent, in nanoseconds.
        TimeElapsed = 4,
        /// Counts primitives of a vertex stream that the pipeline processed.
        PrimitivesGenerated = 5,
        /// Counts primitives of a vertex stream that were written to stream output.
        PrimitivesEmitted = 6,
        /// Counts primitives written to stream output, and those that would have been with enough
        /// room.
        SoStatistics = 7,
        /// Tells if stream output of a vertex stream overflowed.
        SoOverflowPredicate = 8,
        /// Tells if all commands before `end_query` are done. Needs no `begin_query`.
        GpuFinished = 9,
        /// Counts everything in [`PipelineStatistic`].
        PipelineStatistics = 10,
        /// Tells if any sample passed; may be true without one.
        OcclusionPredicateConservative = 11,
        /// Tells if stream output of any vertex stream overflowed.
        SoOverflowAnyPredicate = 12,
        /// Counts the [`PipelineStatistic`] that is the query's index.
        PipelineStatisticsSingle = 13,
        /// Measures what the driver's list of queries says
        /// ([`Screen::get_driver_query_info`](crate::Screen::get_driver_query_info)); its place in the
        /// list is the query's index. [`QueryResult::U64`]. `PIPE_QUERY_DRIVER_SPECIFIC` and the
        /// numbers above it, which the virgl wire has not.
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

    /// Waiting for the query of conditional rendering. `PIPE_RENDER_COND_*`.
    #[derive(Default)]
    pub enum RenderConditionMode {
        /// Waits for the result.
        #[default]
        Wait = 0,
        /// Does not wait: without a result, draws happen.
        NoWait = 1,
        /// Waits for the result; draws may skip regions without samples that passed.
        ByRegionWait = 2,
        /// Does not wait; draws may skip regions without samples that passed.
        ByRegionNoWait = 3,
    }

    /// The format in which a query's result is written to a buffer. `PIPE_QUERY_TYPE_*`.
    pub enum QueryValueType {
        /// 32 bits, signed; greater results saturate.
        I32 = 0,
        /// 32 bits, unsigned; greater results saturate.
        U32 = 1,
        /// 64 bits, signed.
        I64 = 2,
        /// 64 bits, unsigned.
        U64 = 3,
    }
}

impl QueryType {
    /// Returns true if the query needs `begin_query`; otherwise `end_query` alone takes the result.
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

    /// Returns true if conditional rendering can use the query.
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
    /// Returns the bytes of a result as they are written to a buffer, and their number. Results that
    /// are too great for the type become its greatest value.
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
        /// Number of primitives that infinite targets would have taken.
        primitives_storage_needed: u64,
    },
    /// Result of `TimestampDisjoint`.
    TimestampDisjoint {
        /// Ticks of the timer in a second.
        frequency: u64,
        /// Says that timestamps taken meanwhile are not to be trusted.
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

    /// Returns the count of numbers that the result has.
    pub const fn numbers(&self) -> u32 {
        match self {
            Self::Bool(_) | Self::U64(_) => 1,
            Self::SoStatistics { .. } | Self::TimestampDisjoint { .. } => 2,
            Self::PipelineStatistics(counters) => counters.len() as u32,
        }
    }

    /// Returns one of the result's numbers, booleans as 0 or 1; `None` beyond the last.
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

    /// Returns the result as one number: booleans as 0 or 1, of several numbers the first.
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
