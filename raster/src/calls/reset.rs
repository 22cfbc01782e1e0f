//! Device resets: a command exceeded its budget and was stopped, and its context reports this.

use pipe_core::context::DeviceReset;
#[cfg(feature = "desktop")]
use pipe_core::{ResetStatus, context::ResetCallback};

use crate::context::Context;
use crate::profile::Profile;

#[cfg(not(feature = "desktop"))]
impl<P: Profile> DeviceReset for Context<'_, '_, P> {}

#[cfg(feature = "desktop")]
impl<P: Profile> DeviceReset for Context<'_, '_, P> {
    fn get_device_reset_status(&mut self) -> ResetStatus {
        self.renderer.note_flight(&mut self.state);
        self.state.reset.take_status()
    }

    fn set_device_reset_callback(&mut self, callback: Option<ResetCallback>) {
        self.state.reset.callback.set(callback);
    }
}
