//! Clears that the client's driver sends as draws. No query counts them.
//!
//! A scissored or masked `glClear` arrives as a quad. Mesa pauses queries around it, but the
//! command stream has no word for that, so the quad is recognised by its state. OpenGL allows
//! neither points of size 0 nor lines of width 0: a rasterizer with both was made by Mesa, for a
//! clear, for `glBitmap` or for `glDrawPixels`. Queries count the latter two, which sample a
//! texture.

use super::objects::Object;
use super::{Bound, SubContext};

impl Bound<'_> {
    /// Returns true if the bound state is the state of a clear drawn as a quad.
    fn is_clear(&self) -> bool {
        let internal =
            matches!(self.rasterizer.as_deref(), Some(Object::Rasterizer { internal: true, .. }));
        let fragment = self.shaders.of(pipe_core::ShaderType::Fragment);
        let plain = matches!(fragment.as_deref(), Some(Object::Shader { samples: false, .. }));
        internal && plain
    }
}

impl SubContext<'_> {
    /// Pauses queries if the next draw is a clear, resumes them if it is not.
    pub(super) fn pause_queries_for_clears(&mut self) {
        let is_clear = self.bound.is_clear();
        if is_clear != self.queries_paused {
            self.driver.set_active_query_state(!is_clear);
            self.queries_paused = is_clear;
        }
    }
}
