//! Shaders that clients sent: text comes out as it went in, through the IR and through tokens.
