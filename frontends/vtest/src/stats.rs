//! Totals of the server, for its status line on a terminal.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Totals of all clients.
#[derive(Debug, Default)]
pub struct Stats {
    /// Clients connected now.
    pub clients: AtomicU64,
    /// Clients ever connected.
    pub connections: AtomicU64,
    /// Command streams that drew something.
    pub frames: AtomicU64,
    /// Draws.
    pub draws: AtomicU64,
}

impl Stats {
    /// Adds to a total.
    pub fn add(total: &AtomicU64, count: u64) {
        total.fetch_add(count, Relaxed);
    }

    /// Takes from a total.
    pub fn take(total: &AtomicU64, count: u64) {
        total.fetch_sub(count, Relaxed);
    }

    /// A total.
    pub fn get(total: &AtomicU64) -> u64 {
        total.load(Relaxed)
    }
}
