//! Sessions of arbitrary bytes: messages, command streams, shaders, transfers.
//!
//! Recordings of real clients with inline transfers (`*.v0.vtest`) are good seeds.

/// Serves the bytes as a session.
pub fn run(session: &[u8]) {
    // An error is correct for most inputs; a panic never is.
    let _ = super::serve(session);
}
