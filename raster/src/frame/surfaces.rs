//! The memory of a framebuffer's surfaces while it is drawn to.
//!
//! Levels that are drawn to are taken out of their resources. The borrow checker then proves that
//! no two workers share a pixel, and other levels can still be sampled. Taken levels read as empty
//! until they are put back.

use os_shim::pool::{Pool, RawHandle};

use super::framebuffer::{ATTACHMENTS, Framebuffer};
use crate::features::{ES2, FLIGHTS, MEMORY_SURFACES, Only};
use crate::resource::{FlightNumber, LevelBytes, Resource};

/// A level taken out of its resource.
#[derive(Debug)]
struct Taken<'m> {
    resource: RawHandle,
    level: u32,
    bytes: LevelBytes<'m>,
    /// Set while a flight holds the bytes.
    awaited: Only<bool, { FLIGHTS as usize }>,
}

/// The memory of a framebuffer's surfaces, taken out of the pool of resources.
#[derive(Debug)]
pub(crate) struct Surfaces<'m> {
    taken: heapless::Vec<Taken<'m>, ATTACHMENTS>,
}

impl<'m> Surfaces<'m> {
    /// Takes the levels that are drawn to out of `resources`. Reserves the levels that `flight`
    /// draws to, for [`fetch`](Self::fetch).
    pub(crate) fn take(
        framebuffer: &Framebuffer,
        resources: &mut Pool<'m, Resource<'m>>,
        flight: FlightNumber,
    ) -> Surfaces<'m> {
        let memory = resources.memory();
        let mut taken: heapless::Vec<Taken<'m>, ATTACHMENTS> = heapless::Vec::new();
        for attachment in framebuffer.attachments.iter().flatten() {
            let (resource, level) = (attachment.resource, attachment.level);
            if attachment.is_streamed()
                || taken.iter().any(|taken| (taken.resource, taken.level) == (resource, level))
            {
                continue;
            }
            if FLIGHTS
                && let Some(drawn) = resources.get_mut(resource)
                && drawn.is_drawn_to_by(flight)
            {
                drawn.reserve();
                let bytes = LevelBytes::none(memory);
                let _ = taken.push(Taken { resource, level, bytes, awaited: Only::new(true) });
                continue;
            }
            if let Some(bytes) = resources.get_mut(resource).and_then(|r| r.take_level(level)) {
                let _ = taken.push(Taken { resource, level, bytes, awaited: Only::new(false) });
            }
        }
        Surfaces { taken }
    }

    /// Returns no levels.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Surfaces { taken: heapless::Vec::new() }
    }

    /// Takes one level out of its resource.
    pub(crate) fn take_level(
        resource: RawHandle,
        level: u32,
        resources: &mut Pool<'m, Resource<'m>>,
    ) -> Self {
        let mut surfaces = Surfaces::none();
        if let Some(bytes) = resources.get_mut(resource).and_then(|it| it.take_level(level)) {
            let _ =
                surfaces.taken.push(Taken { resource, level, bytes, awaited: Only::new(false) });
        }
        surfaces
    }

    /// Returns the bytes of the level of [`take_level`](Self::take_level).
    pub(crate) fn level(&mut self) -> Option<&mut [u8]> {
        self.taken.first_mut().map(|taken| taken.bytes.as_mut_slice())
    }

    /// Returns the taken levels: resource, number, bytes.
    pub(crate) fn levels(&self) -> impl Iterator<Item = (RawHandle, u32, &LevelBytes<'m>)> {
        self.taken.iter().map(|taken| (taken.resource, taken.level, &taken.bytes))
    }

    /// Puts the levels back.
    pub(crate) fn put_back(&mut self, resources: &mut Pool<'m, Resource<'m>>) {
        while (MEMORY_SURFACES || ES2)
            && let Some(level) = self.taken.pop()
        {
            if let Some(resource) = resources.get_mut(level.resource) {
                if level.awaited.is_set() {
                    resource.give_up();
                    continue;
                }
                let drawn = level.bytes.as_slice().len();
                resource.put_level(level.level, level.bytes);
                resource.drop_absent(level.level, 0..drawn);
            }
        }
    }

    /// Returns the bytes of each attachment, from the taken levels.
    #[cfg_attr(feature = "memory-surfaces", inline(never))]
    pub(super) fn attach(&mut self, framebuffer: &Framebuffer) -> [Option<&mut [u8]>; ATTACHMENTS] {
        let mut found = [const { None }; ATTACHMENTS];
        for level in self.taken.iter_mut().filter(|_| MEMORY_SURFACES) {
            // Several layers of a level may be attached: they are split off in memory order.
            let mut order: heapless::Vec<(usize, usize, usize), ATTACHMENTS> = heapless::Vec::new();
            for (index, attachment) in framebuffer.attachments.iter().enumerate() {
                if let Some(attachment) = attachment
                    && (attachment.resource, attachment.level) == (level.resource, level.level)
                    && !attachment.is_streamed()
                {
                    let entry = (attachment.offset, attachment.bytes, index);
                    let at = order.iter().position(|other| *other > entry).unwrap_or(order.len());
                    let _ = order.insert(at, entry);
                }
            }
            let mut rest: &mut [u8] = level.bytes.as_mut_slice();
            let mut base = 0;
            for &(offset, bytes, index) in &order {
                // A layer that is attached twice is drawn to once.
                let Some(skip) = offset.checked_sub(base) else { continue };
                if skip + bytes > rest.len() {
                    continue;
                }
                let layers = core::mem::take(&mut rest).split_at_mut_checked(skip);
                let layer = layers.and_then(|(_, layers)| layers.split_at_mut_checked(bytes));
                let (Some((layer, tail)), Some(place)) = (layer, found.get_mut(index)) else {
                    break;
                };
                *place = Some(layer);
                (rest, base) = (tail, offset + bytes);
            }
        }
        found
    }
}

#[cfg(flights)]
impl<'m> Surfaces<'m> {
    /// Records the flight that draws to the levels, or none, in their resources.
    pub(crate) fn set_flight(&self, resources: &mut Pool<'m, Resource<'m>>, flight: FlightNumber) {
        for taken in &self.taken {
            if let Some(resource) = resources.get_mut(taken.resource) {
                resource.set_flight(flight);
            }
        }
    }

    /// Returns true if a flight holds some of the levels.
    pub(crate) fn are_awaited(&self) -> bool {
        self.taken.iter().any(|taken| taken.awaited.is_set())
    }

    /// Takes the levels that a flight has put back.
    pub(crate) fn fetch(
        &mut self,
        resources: &mut Pool<'m, Resource<'m>>,
        memory: os_shim::memory::Memory<'m>,
    ) {
        for taken in self.taken.iter_mut().filter(|taken| taken.awaited.is_set()) {
            taken.awaited.set(false);
            if let Some(resource) = resources.get_mut(taken.resource) {
                taken.bytes = resource.take_left_level(taken.level, memory);
            }
        }
    }
}
