//! Sessions as they come: messages, command streams, shaders, transfers.
//!
//! Recordings of real clients with inline transfers (`*.v0.vtest`) are good seeds.

/// Serves the bytes as a session.
pub fn run(session: &[u8]) {
    // An error is the right answer to most of it; a panic never is.
    let _ = super::serve(session);
}
