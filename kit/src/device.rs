//! A screen with its context: the pair that every function of this crate works on.

use core::mem::MaybeUninit;

use os_shim::{Box, Memory, Os, Region};
use pipe_core::wrap::record::{RecordScreen, RecordSink};
use pipe_core::{Context, ContextFlags, PipeError, Screen};
use raster::{Config, Profile};

/// A screen and a context of it.
///
/// [`Raster`] is one for firmware. A pair of references is one for any driver or wrapper:
/// `&mut (&screen, &mut context)`.
pub trait Device<'m> {
    /// The screen, which creates resources.
    type Screen: Screen<'m> + ?Sized;
    /// The context, which creates state objects and draws.
    type Context: Context<'m> + ?Sized;

    /// Returns the screen and the context.
    fn parts(&mut self) -> (&Self::Screen, &mut Self::Context);

    /// Returns the context.
    fn context(&mut self) -> &mut Self::Context;
}

impl<'m, S: Screen<'m> + ?Sized, C: Context<'m> + ?Sized> Device<'m> for (&S, &mut C) {
    type Screen = S;
    type Context = C;

    #[inline(always)]
    fn parts(&mut self) -> (&S, &mut C) {
        (self.0, self.1)
    }

    #[inline(always)]
    fn context(&mut self) -> &mut C {
        self.1
    }
}

/// The driver `gallium-raster` in memory that it keeps for the rest of the program.
///
/// No lifetime is left, so a struct can own it together with the objects that it made.
pub struct Raster<P: Profile> {
    /// The screen.
    pub screen: &'static raster::Screen<'static, P>,
    /// The context, of its concrete type: the linker drops calls that are never made.
    pub context: Box<'static, raster::Context<'static, 'static, P>>,
    /// The memory. `memory.usage().peak` is the number of bytes that a program needs.
    pub memory: Memory<'static>,
}

impl<P: Profile> Raster<P> {
    /// Creates a screen and a context in `heap`. The scene buffer takes `scene_bytes` bytes of it.
    ///
    /// # Errors
    /// Out of memory.
    pub fn new(
        heap: &'static mut [MaybeUninit<u8>],
        scene_bytes: usize,
    ) -> Result<Self, PipeError> {
        let memory = Region::in_place(heap)?;
        let screen = raster::Screen::<P>::new(Os::bare(memory), Config { scene_bytes });
        let screen: &'static raster::Screen<'static, P> =
            Box::leak(Box::try_new_in(screen, memory)?);
        let context = screen.boxed_context(ContextFlags::empty())?;
        Ok(Raster { screen, context, memory })
    }

    /// Passes all later calls to `sink` as bytes, for `cargo xtask inspect`. Objects that were made
    /// before belong to a context that is gone.
    ///
    /// Enable the feature `record` in firmware: without it, recordings lack the names of shaders, and
    /// no host can play them. A recorded driver takes more flash, because it can make every call.
    ///
    /// ```
    /// use gallium_kit::Raster;
    /// use pipe_core::wrap::record::RecordPort;
    /// # use core::mem::MaybeUninit;
    ///
    /// # fn send(_: &[u8]) {}
    /// # fn cycles() -> u32 { 0 }
    /// # fn start(heap: &'static mut [MaybeUninit<u8>]) -> Result<(), pipe_core::PipeError> {
    /// // In firmware: bytes to a UART or an RTT channel, and the counter of the core.
    /// static PORT: RecordPort<fn(&[u8])> = RecordPort::new(send as fn(&[u8])).with_counter(cycles);
    ///
    /// let mut driver = Raster::<raster::Small>::new(heap, 4096)?.recorded(&PORT)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Out of memory.
    pub fn recorded(self, sink: &'static dyn RecordSink) -> Result<Recorded, PipeError> {
        let Raster { screen, context, memory } = self;
        // Its memory is for the recorded context.
        drop(context);
        let screen = RecordScreen::new(screen, sink, memory);
        let screen: &'static RecordScreen<'static, 'static> =
            Box::leak(Box::try_new_in(screen, memory)?);
        let context = screen.context_create(ContextFlags::empty())?;
        Ok(Recorded { screen, context, memory })
    }
}

impl<P: Profile> Device<'static> for Raster<P> {
    type Screen = raster::Screen<'static, P>;
    type Context = raster::Context<'static, 'static, P>;

    #[inline(always)]
    fn parts(&mut self) -> (&Self::Screen, &mut Self::Context) {
        (self.screen, &mut self.context)
    }

    #[inline(always)]
    fn context(&mut self) -> &mut Self::Context {
        &mut self.context
    }
}

/// A [`Raster`] that records its calls; [`Raster::recorded`] makes it.
pub struct Recorded {
    /// The screen.
    pub screen: &'static RecordScreen<'static, 'static>,
    /// The context.
    pub context: Box<'static, dyn Context<'static>>,
    /// The memory.
    pub memory: Memory<'static>,
}

impl Device<'static> for Recorded {
    type Screen = RecordScreen<'static, 'static>;
    type Context = dyn Context<'static>;

    fn parts(&mut self) -> (&Self::Screen, &mut Self::Context) {
        (self.screen, &mut *self.context)
    }

    fn context(&mut self) -> &mut Self::Context {
        &mut *self.context
    }
}

impl core::fmt::Debug for Recorded {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Recorded").finish_non_exhaustive()
    }
}

impl<P: Profile> core::fmt::Debug for Raster<P> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Raster").field("screen", &self.screen).finish_non_exhaustive()
    }
}
