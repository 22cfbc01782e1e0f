//! A screen that selects its profile when the program runs.
//!
//! Programs that use several profiles select them here. This crate then compiles the driver once
//! per profile, and every program of the workspace links the result.

use std::boxed::Box;

use os_shim::Os;
use os_shim::budget::Budget;

use super::Screen;
use crate::device::Config;
use crate::profile::{Host, Small, Tiny};

/// One of the driver's [profiles](crate::Profile), as a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AnyProfile {
    /// [`Tiny`]: 4 lanes, 16×16 tiles.
    Tiny,
    /// [`Small`]: 16 lanes, 64×16 tiles.
    Small,
    /// [`Host`]: 64 lanes, 64×64 tiles.
    Host,
}

impl AnyProfile {
    /// All profiles, the smallest first.
    pub const ALL: [Self; 3] = [Self::Tiny, Self::Small, Self::Host];

    /// Returns the profile's name in options and files: `tiny`, `small` or `host`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Small => "small",
            Self::Host => "host",
        }
    }

    /// Makes a screen of this profile, as [`Screen::new`] does.
    pub fn screen<'m>(self, os: Os<'m>, config: Config) -> Box<dyn pipe_core::Screen<'m> + 'm> {
        match self {
            Self::Tiny => Box::new(Screen::<Tiny>::new(os, config)),
            Self::Small => Box::new(Screen::<Small>::new(os, config)),
            Self::Host => Box::new(Screen::<Host>::new(os, config)),
        }
    }

    /// Makes a screen of this profile that spends its work from `budget`, as
    /// [`Screen::with_budget`] does.
    pub fn screen_with_budget<'m>(
        self,
        os: Os<'m>,
        config: Config,
        budget: &'m dyn Budget,
    ) -> Box<dyn pipe_core::Screen<'m> + 'm> {
        match self {
            Self::Tiny => Box::new(Screen::<Tiny>::with_budget(os, config, budget)),
            Self::Small => Box::new(Screen::<Small>::with_budget(os, config, budget)),
            Self::Host => Box::new(Screen::<Host>::with_budget(os, config, budget)),
        }
    }

    /// Makes a screen as [`screen_with_budget`](Self::screen_with_budget) does, and compiles its
    /// programs to machine code with `generator`.
    #[cfg(feature = "compile")]
    pub fn screen_with_code<'m>(
        self,
        os: Os<'m>,
        config: Config,
        budget: &'m dyn Budget,
        generator: &'m dyn tgsi::exec::Generate,
    ) -> Box<dyn pipe_core::Screen<'m> + 'm> {
        match self {
            Self::Host => Screen::<Host>::boxed(os, config, budget, Some(generator)),
            // Machine code needs rows of 64 lanes.
            Self::Tiny | Self::Small => self.screen_with_budget(os, config, budget),
        }
    }
}
