//! Queries that a driver has beside those of the contract (manual, chapter Screen,
//! "get_driver_query_info").

use crate::flags::debug_as_flags;
use crate::numbered::numbered;

numbered! {
    /// The unit of a driver query's result. `PIPE_DRIVER_QUERY_TYPE_*`.
    #[derive(Default)]
    pub enum DriverQueryType {
        /// A number of things, of 64 bits.
        #[default]
        Uint64 = 0,
        /// A number of things, of 32 bits.
        Uint = 1,
        /// A float.
        Float = 2,
        /// A share of a hundred.
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

    /// The way in which results of several queries make one. `PIPE_DRIVER_QUERY_RESULT_TYPE_*`.
    pub enum DriverQueryResultType {
        /// Their mean: the query tells the state when it ends.
        Average = 0,
        /// Their sum: the query counts from its begin to its end.
        Cumulative = 1,
    }
}

bitflags::bitflags! {
    /// Properties of a driver query. `PIPE_DRIVER_QUERY_FLAG_*`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct DriverQueryFlags: u32 {
        /// Can only be had in a batch. This contract has none, so no driver sets it.
        const BATCH = 1 << 0;
        /// Is left out of lists for users.
        const DONT_LIST = 1 << 1;
    }
}
debug_as_flags!(DriverQueryFlags);

/// A query of a driver. `pipe_driver_query_info`.
///
/// Its place in the list of [`Screen::get_driver_query_info`](crate::Screen::get_driver_query_info) is
/// the index that [`create_query`](crate::context::Queries::create_query) takes with
/// [`QueryType::DriverSpecific`](crate::QueryType::DriverSpecific).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverQueryInfo {
    /// The name, for people to read.
    pub name: &'static str,
    /// The greatest result that there can be; 0 where the driver knows none.
    pub max_value: u64,
    /// The unit of the result.
    pub unit: DriverQueryType,
    /// The way in which results add up.
    pub result_type: DriverQueryResultType,
    /// The place of its group in the list of
    /// [`Screen::get_driver_query_group_info`](crate::Screen::get_driver_query_group_info).
    pub group_id: u32,
    /// Properties.
    pub flags: DriverQueryFlags,
}

/// A group of driver queries. `pipe_driver_query_group_info`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DriverQueryGroupInfo {
    /// The name, for people to read.
    pub name: &'static str,
    /// The most queries of the group that can run at the same time.
    pub max_active_queries: u32,
    /// The number of queries in the group.
    pub num_queries: u32,
}
