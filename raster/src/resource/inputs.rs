//! The levels that a draw or a scene reads.
//!
//! With the feature `threads` levels are lent: each is held while the work runs, without the lock
//! of the resources, so that other contexts can draw meanwhile. Without the feature the lock is
//! held and levels are read in place.

use os_shim::memory::OutOfMemory;
use os_shim::pool::{Pool, RawHandle};

use super::{Resource, TextureBinding};
use crate::lanes::Level;

#[cfg(feature = "threads")]
pub(crate) use self::lent::{Inputs, Loans};
#[cfg(not(feature = "threads"))]
pub(crate) use self::locked::{Inputs, Loans};

impl<'m> Loans<'m> {
    /// Lends the levels that texture views show.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn lend_textures(
        &mut self,
        resources: &Pool<'m, Resource<'m>>,
        bindings: &[TextureBinding],
    ) -> Result<(), OutOfMemory> {
        let mut last = None;
        for binding in bindings {
            // Consecutive draws usually use the same textures.
            let shown = (binding.resource, binding.view.first_and_last_level());
            if last != Some(shown) {
                let (first, last) = shown.1;
                self.lend(resources, binding.resource, first..=last)?;
            }
            last = Some(shown);
        }
        Ok(())
    }
}

#[cfg(feature = "threads")]
mod lent {
    use core::ops::RangeInclusive;

    use super::{Level, OutOfMemory, Pool, RawHandle, Resource};
    use crate::resource::Held;
    use os_shim::Vec;
    use os_shim::memory::Memory;

    /// A lent level.
    #[derive(Debug)]
    pub(super) struct Loan<'m> {
        resource: RawHandle,
        number: u32,
        level: Held<'m>,
    }

    impl Loan<'_> {
        fn key(&self) -> (RawHandle, u32) {
            (self.resource, self.number)
        }
    }

    /// The levels that are lent for a draw or a scene.
    #[derive(Debug)]
    pub(crate) struct Loans<'m>(Vec<'m, Loan<'m>>);

    /// Up to this many lent levels are searched linearly; more are sorted first.
    const FEW: usize = 16;

    impl<'m> Loans<'m> {
        /// Returns no loans.
        pub(crate) fn new_in(memory: Memory<'m>) -> Self {
            Loans(Vec::new_in(memory))
        }

        /// Lends the resource's levels in the range `levels`. Skips levels that are drawn to.
        ///
        /// # Errors
        /// Out of memory.
        pub(crate) fn lend(
            &mut self,
            resources: &Pool<'m, Resource<'m>>,
            handle: RawHandle,
            levels: RangeInclusive<u32>,
        ) -> Result<(), OutOfMemory> {
            let Some(resource) = resources.get(handle) else { return Ok(()) };
            for number in levels {
                let Some(level) = resource.held_level(number) else { break };
                self.0.try_push(Loan { resource: handle, number, level })?;
            }
            Ok(())
        }

        /// Sorts the loans for look-ups. Call it after the last loan.
        pub(crate) fn sort(&mut self) {
            if self.0.len() > FEW {
                self.0.sort_unstable_by_key(Loan::key);
            }
        }

        /// Ends all loans; keeps their memory.
        pub(crate) fn clear(&mut self) {
            self.0.clear();
        }

        /// Returns the levels to read.
        pub(crate) fn inputs(&self) -> Inputs<'_, 'm> {
            Inputs(&self.0)
        }
    }

    /// The levels that a draw or a scene reads.
    #[derive(Clone, Copy)]
    pub(crate) struct Inputs<'a, 'm>(&'a [Loan<'m>]);

    impl<'a> Inputs<'a, '_> {
        fn find(self, resource: RawHandle, number: u32) -> Option<&'a Loan<'a>> {
            let key = (resource, number);
            if self.0.len() > FEW {
                let at = self.0.binary_search_by_key(&key, Loan::key).ok()?;
                self.0.get(at)
            } else {
                self.0.iter().find(|loan| loan.key() == key)
            }
        }

        /// Returns a level as texture sampling reads it; `None` if it was not lent.
        pub(crate) fn level(self, resource: RawHandle, number: u32) -> Option<Level<'a>> {
            self.find(resource, number).map(|loan| loan.level.level())
        }

        /// Returns a level's bytes; none if it was not lent.
        pub(crate) fn bytes(self, resource: RawHandle, number: u32) -> &'a [u8] {
            self.find(resource, number).map_or(&[], |loan| loan.level.bytes())
        }
    }
}

#[cfg(not(feature = "threads"))]
mod locked {
    use core::marker::PhantomData;
    use core::ops::RangeInclusive;

    use super::{Level, OutOfMemory, Pool, RawHandle, Resource};
    use os_shim::memory::Memory;

    /// No loans: levels are read in place.
    #[derive(Debug)]
    pub(crate) struct Loans<'m>(PhantomData<&'m ()>);

    impl<'m> Loans<'m> {
        /// No loans.
        pub(crate) const NONE: Self = Loans(PhantomData);

        /// Returns no loans.
        #[inline(always)]
        pub(crate) fn new_in(_: Memory<'m>) -> Self {
            Loans::NONE
        }

        /// Does nothing.
        ///
        /// # Errors
        /// None.
        #[inline(always)]
        pub(crate) fn lend(
            &mut self,
            _: &Pool<'m, Resource<'m>>,
            _: RawHandle,
            _: RangeInclusive<u32>,
        ) -> Result<(), OutOfMemory> {
            Ok(())
        }
    }

    /// The locked resources.
    #[derive(Clone, Copy)]
    pub(crate) struct Inputs<'a, 'm>(&'a Pool<'m, Resource<'m>>);

    impl<'a, 'm> Inputs<'a, 'm> {
        /// Returns the levels of `resources`.
        #[inline(always)]
        pub(crate) fn of(resources: &'a Pool<'m, Resource<'m>>) -> Self {
            Inputs(resources)
        }

        /// Returns a level as texture sampling reads it; `None` if there is none.
        #[inline(always)]
        pub(crate) fn level(self, resource: RawHandle, number: u32) -> Option<Level<'a>> {
            self.0.get(resource).and_then(|resource| resource.level(number))
        }

        /// Returns a level's bytes; none if it is streamed, drawn to, or does not exist.
        #[inline(always)]
        pub(crate) fn bytes(self, resource: RawHandle, number: u32) -> &'a [u8] {
            self.0.get(resource).map_or(&[], |resource| resource.bytes(number))
        }
    }
}
