//! Driver-specific queries, in addition to the contract's queries (manual, chapter Screen,
//! "get_driver_query_info").

use crate::flags::debug_as_flags;
use crate::numbered::numbered;

numbered! {
    /// The unit of a driver query's result. `PIPE_DRIVER_QUERY_TYPE_*`.
    #[derive(Default)]
    pub enum DriverQueryType {
        /// A 64-bit count.
        #[default]
        Uint64 = 0,
        /// A 32-bit count.
        Uint = 1,
        /// A float.
        Float = 2,
        /// A percentage.
        Percentage = 3,
        /// A number of bytes.
        Bytes = 4,
        /// A time in microseconds.
        Microseconds = 5,
        /// A frequency in hertz.
        Hz = 6,
        /// A power in decibel-milliwatts.
        Dbm = 7,
        /// A temperature in degrees Celsius.
        Temperature = 8,
        /// A voltage in millivolts.
        Volts = 9,
        /// A current in milliamperes.
        Amps = 10,
        /// A power in milliwatts.
        Watts = 11,
    }

    /// The rule that combines results of several queries. `PIPE_DRIVER_QUERY_RESULT_TYPE_*`.
    pub enum DriverQueryResultType {
        /// Their mean: the query measures a state when it ends.
        Average = 0,
        /// Their sum: the query counts from its begin to its end.
        Cumulative = 1,
    }
}

bitflags::bitflags! {
    /// Properties of a driver query. `PIPE_DRIVER_QUERY_FLAG_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct DriverQueryFlags: u32 {
        /// Available only in a batch. This contract has no batches, so no driver sets it.
        const BATCH = 1 << 0;
        /// Hidden from lists for users.
        const DONT_LIST = 1 << 1;
    }
}
debug_as_flags!(DriverQueryFlags);

/// A query of a driver. `pipe_driver_query_info`.
///
/// Its position in the list of
/// [`Screen::get_driver_query_info`](crate::Screen::get_driver_query_info) is the index that
/// [`create_query`](crate::context::Queries::create_query) takes with
/// [`QueryType::DriverSpecific`](crate::QueryType::DriverSpecific).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverQueryInfo {
    /// The name, for display.
    pub name: &'static str,
    /// The greatest possible result; 0 if unknown.
    pub max_value: u64,
    /// The unit of the result.
    pub unit: DriverQueryType,
    /// The rule that combines results.
    pub result_type: DriverQueryResultType,
    /// The position of its group in the list of
    /// [`Screen::get_driver_query_group_info`](crate::Screen::get_driver_query_group_info).
    pub group_id: u32,
    /// Properties.
    pub flags: DriverQueryFlags,
}

/// A group of driver queries. `pipe_driver_query_group_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverQueryGroupInfo {
    /// The name, for display.
    pub name: &'static str,
    /// The most queries of the group that can run at the same time.
    pub max_active_queries: u32,
    /// The number of queries in the group.
    pub num_queries: u32,
}
