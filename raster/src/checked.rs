//! The contexts of builds with the feature `check`: a firmware names the same type, and every call
//! is checked.

use pipe_core::wrap::Check;

use crate::profile::Profile;

/// Finds the type of a profile's contexts. It makes [`Context`] take the same arguments as without
/// the feature `check`.
#[doc(hidden)]
pub trait CheckedProfile<'s, 'm> {
    /// The type.
    type Context;
}

impl<'s, 'm: 's, P: Profile> CheckedProfile<'s, 'm> for P {
    type Context = Check<'s, 'm>;
}

/// A rendering context of a [`Screen`](crate::Screen) that checks every call: see [`Check`].
pub type Context<'s, 'm, P> = <P as CheckedProfile<'s, 'm>>::Context;
