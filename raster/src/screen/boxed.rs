//! The screen of desktops behind a pointer.
//!
//! The function is not generic, so this crate compiles the driver, and every program that calls it links the result.

use std::boxed::Box;

use os_shim::Os;
use os_shim::budget::Budget;
use tgsi::exec::Generate;

use super::Screen;
use crate::device::Config;
use crate::profile::Host;

impl<'m> Screen<'m, Host> {
    /// Makes a screen of this profile that spends its work from `budget`, as [`with_budget`](Self::with_budget) does,
    /// and compiles its programs to machine code with `generator`, if there is one.
    ///
    /// Programs that need no other profile build faster with it: they do not compile the driver themselves.
    pub fn boxed(
        os: Os<'m>,
        config: Config,
        budget: &'m dyn Budget,
        generator: Option<&'m dyn Generate>,
    ) -> Box<dyn pipe_core::Screen<'m> + Send + Sync + 'm> {
        let screen = Self::with_budget(os, config, budget);
        Box::new(match generator {
            Some(generator) => screen.with_generator(generator),
            None => screen,
        })
    }
}
