//! The maker of machine code for programs that come at run time, if the device has one.

/// The maker of machine code.
#[cfg(feature = "generated")]
pub(crate) type Generator<'m> = Option<&'m dyn tgsi::exec::Generate>;
/// No machine code is made.
#[cfg(not(feature = "generated"))]
pub(crate) type Generator<'m> = core::marker::PhantomData<&'m ()>;
