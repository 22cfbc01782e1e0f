//! The counts of a draw, and query results from counts at two moments.

use crate::features::STAGES;
use core::ops::AddAssign;

use pipe_core::query::{PipelineStatistic, QueryResult, QueryType};

/// The counters of `PIPE_QUERY_PIPELINE_STATISTICS` before rasterization.
///
/// [`Pipeline::run`](crate::Pipeline::run) returns the counts of one draw; `+=` adds them up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Vertices read: indices without restart indices.
    pub ia_vertices: u64,
    /// Whole primitives assembled; a quad or a polygon is one.
    pub ia_primitives: u64,
    /// Vertices shaded: fewer than `ia_vertices`, because the vertex cache finds some again.
    pub vs_invocations: u64,
    /// Points, lines and triangles made in stream 0, including ones that `rasterizer_discard`
    /// drops: `PIPE_QUERY_PRIMITIVES_GENERATED`.
    pub primitives: u64,
    /// Points, lines and triangles that reached the clipper.
    pub c_invocations: u64,
    /// Points, lines and triangles that are left after clipping, before faces are culled.
    pub c_primitives: u64,
    /// The counts of the stages after the vertex shader.
    pub stages: StageStatistics,
}

/// The counts of the stages after the vertex shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StageStatistics {
    /// Patches that went through tessellation control.
    pub hs_invocations: u64,
    /// Vertices shaded by tessellation evaluation.
    pub ds_invocations: u64,
    /// Invocations of the geometry shader.
    pub gs_invocations: u64,
    /// Points, lines and triangles that the geometry shader made, in all streams.
    pub gs_primitives: u64,
    /// The primitives of streams 1, 2 and 3.
    pub other_streams: [u64; 3],
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.ia_vertices += other.ia_vertices;
        self.ia_primitives += other.ia_primitives;
        self.vs_invocations += other.vs_invocations;
        self.primitives += other.primitives;
        self.c_invocations += other.c_invocations;
        self.c_primitives += other.c_primitives;
        if STAGES {
            self.stages += other.stages;
        }
    }
}

impl AddAssign for StageStatistics {
    fn add_assign(&mut self, other: StageStatistics) {
        self.hs_invocations += other.hs_invocations;
        self.ds_invocations += other.ds_invocations;
        self.gs_invocations += other.gs_invocations;
        self.gs_primitives += other.gs_primitives;
        for (sum, count) in self.other_streams.iter_mut().zip(other.other_streams) {
            *sum += count;
        }
    }
}

/// Running totals of a context. Their differences are the results of queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// Samples that passed all tests.
    pub samples: u64,
    /// Invocations of fragment shaders.
    pub ps_invocations: u64,
    /// Invocations of compute shaders.
    pub cs_invocations: u64,
    /// The time, in nanoseconds.
    pub time_ns: u64,
    /// The counts of all draws.
    pub draw: Statistics,
    /// The primitives that went to stream output.
    pub streamed: Streamed,
}

/// The number of vertex streams.
pub const STREAMS: usize = 4;

/// The primitives of each vertex stream that went to stream output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Streamed {
    /// Primitives written.
    pub emitted: [u64; STREAMS],
    /// Primitives that would have been written with enough room.
    pub needed: [u64; STREAMS],
}

impl AddAssign for Streamed {
    fn add_assign(&mut self, other: Streamed) {
        let sums = self.emitted.iter_mut().chain(&mut self.needed);
        for (sum, count) in sums.zip(other.emitted.into_iter().chain(other.needed)) {
            *sum += count;
        }
    }
}

impl Counters {
    /// Returns the result of a query that began at `start` and ends at these totals. `index` is the
    /// index that the query was created with.
    pub fn since(&self, start: &Counters, kind: QueryType, index: u32) -> QueryResult {
        use QueryType::*;
        let samples = self.samples - start.samples;
        let stream = index as usize;
        let of_stream = |of: fn(&Streamed) -> &[u64; STREAMS], stream: usize| {
            let count = |counters: &Counters| of(&counters.streamed).get(stream).copied();
            count(self).unwrap_or(0) - count(start).unwrap_or(0)
        };
        let emitted = |stream| of_stream(|streamed| &streamed.emitted, stream);
        let needed = |stream| of_stream(|streamed| &streamed.needed, stream);
        let drawn = |count: fn(&Statistics) -> u64| count(&self.draw) - count(&start.draw);
        let statistic = |statistic: PipelineStatistic| match statistic {
            PipelineStatistic::IaVertices => drawn(|s| s.ia_vertices),
            PipelineStatistic::IaPrimitives => drawn(|s| s.ia_primitives),
            PipelineStatistic::VsInvocations => drawn(|s| s.vs_invocations),
            PipelineStatistic::GsInvocations => drawn(|s| s.stages.gs_invocations),
            PipelineStatistic::GsPrimitives => drawn(|s| s.stages.gs_primitives),
            PipelineStatistic::HsInvocations => drawn(|s| s.stages.hs_invocations),
            PipelineStatistic::DsInvocations => drawn(|s| s.stages.ds_invocations),
            PipelineStatistic::CInvocations => drawn(|s| s.c_invocations),
            PipelineStatistic::CPrimitives => drawn(|s| s.c_primitives),
            PipelineStatistic::PsInvocations => self.ps_invocations - start.ps_invocations,
            PipelineStatistic::CsInvocations => {
                self.cs_invocations.wrapping_sub(start.cs_invocations)
            }
        };
        let numbered = |number: u32| PipelineStatistic::from_number(number).map_or(0, statistic);
        match kind {
            OcclusionCounter => QueryResult::U64(samples),
            OcclusionPredicate | OcclusionPredicateConservative => QueryResult::Bool(samples > 0),
            Timestamp => QueryResult::U64(self.time_ns),
            TimeElapsed => QueryResult::U64(self.time_ns - start.time_ns),
            PrimitivesGenerated => QueryResult::U64(match stream {
                1 => drawn(|s| s.stages.other_streams[0]),
                2 => drawn(|s| s.stages.other_streams[1]),
                3 => drawn(|s| s.stages.other_streams[2]),
                _ => drawn(|s| s.primitives),
            }),
            PrimitivesEmitted => QueryResult::U64(emitted(stream)),
            SoStatistics => QueryResult::SoStatistics {
                num_primitives_written: emitted(stream),
                primitives_storage_needed: needed(stream),
            },
            SoOverflowPredicate => QueryResult::Bool(needed(stream) > emitted(stream)),
            SoOverflowAnyPredicate => {
                QueryResult::Bool((0..STREAMS).any(|stream| needed(stream) > emitted(stream)))
            }
            PipelineStatistics => {
                QueryResult::PipelineStatistics(core::array::from_fn(|i| numbered(i as u32)))
            }
            PipelineStatisticsSingle => QueryResult::U64(numbered(index)),
            // A driver counts its own queries.
            TimestampDisjoint | GpuFinished | DriverSpecific => QueryResult::zero(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_differences() {
        let draw = Statistics { ia_vertices: 30, c_primitives: 9, ..Statistics::default() };
        let streamed = Streamed { emitted: [2, 0, 1, 0], needed: [3, 0, 1, 0] };
        let start = Counters { samples: 4, time_ns: 100, draw, streamed, ..Counters::default() };
        let draw = Statistics { ia_vertices: 36, c_primitives: 14, ..Statistics::default() };
        let streamed = Streamed { emitted: [3, 0, 5, 0], needed: [5, 0, 5, 0] };
        let end = Counters {
            samples: 4,
            ps_invocations: 8,
            time_ns: 170,
            draw,
            streamed,
            cs_invocations: 2,
        };
        let result = |kind: QueryType, index: u32| end.since(&start, kind, index);
        assert_eq!(result(QueryType::OcclusionCounter, 0), QueryResult::U64(0));
        assert_eq!(result(QueryType::OcclusionPredicate, 0), QueryResult::Bool(false));
        assert_eq!(result(QueryType::Timestamp, 0), QueryResult::U64(170));
        assert_eq!(result(QueryType::TimeElapsed, 0), QueryResult::U64(70));
        assert_eq!(result(QueryType::SoOverflowPredicate, 0), QueryResult::Bool(true));
        // Stream 2 had enough room.
        assert_eq!(result(QueryType::PrimitivesEmitted, 2), QueryResult::U64(4));
        assert_eq!(result(QueryType::SoOverflowPredicate, 2), QueryResult::Bool(false));
        assert_eq!(result(QueryType::SoOverflowAnyPredicate, 0), QueryResult::Bool(true));
        let so =
            QueryResult::SoStatistics { num_primitives_written: 1, primitives_storage_needed: 2 };
        assert_eq!(result(QueryType::SoStatistics, 0), so);
        let all = [6, 0, 0, 0, 0, 0, 5, 8, 0, 0, 2];
        let all = QueryResult::PipelineStatistics(all);
        assert_eq!(result(QueryType::PipelineStatistics, 0), all);
        assert_eq!(result(QueryType::PipelineStatisticsSingle, 6), QueryResult::U64(5));
        assert_eq!(result(QueryType::PipelineStatisticsSingle, 11), QueryResult::U64(0));
    }
}
