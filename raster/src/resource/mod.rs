//! Resources: buffers and textures, the places of their bytes, and the parts that views show.

mod block;
mod bytes;
mod inputs;
mod memory;
#[cfg(feature = "desktop")]
mod outside;
mod pages;
mod samplers;
mod surface;
mod view;

use formats::Format;
use os_shim::Vec;
use os_shim::memory::Memory;
use pipe_core::layout::{Layout, LevelLayout};
use pipe_core::{PipeError, ResourceFlags, ResourceTemplate};

use self::block::block;
pub(crate) use self::block::{is_drawn_as, pixel_bytes};
pub(crate) use self::bytes::LevelBytes;
pub(crate) use self::inputs::{Inputs, Loans};
pub(crate) use self::memory::{MemoryBinding, MemoryBindings, MemoryView, TakenMemory};
#[cfg(feature = "desktop")]
pub(crate) use self::outside::{Outside, OutsideMemory};
pub(crate) use self::pages::{Pages, can_be_sparse, page_size};
pub(crate) use self::samplers::{Levels, NO_TEXTURES, Sampler, StageResources};
pub(crate) use self::surface::SurfacePlace;
pub(crate) use self::view::{TextureBinding, ViewState};
use crate::budget::Work;
use crate::features::{
    DESKTOP, FLIGHTS, OWN_MEMORY, OfDesktop, OfEs2, OfSamples, Only, PALETTES, SAMPLES,
};
use crate::lanes::Level;
use crate::setup::has_sample_count;

/// The number of a flight of the device, or [`NO_FLIGHT`].
pub(crate) type FlightNumber = Only<u64, { FLIGHTS as usize }>;

/// The value that stands for no flight.
pub(crate) const NO_FLIGHT: FlightNumber = Only::new(0);

/// Returns the bits of a texel if the texels of a resource are indices into a palette.
pub(crate) fn index_bits(template: &ResourceTemplate) -> Option<u32> {
    if !PALETTES || !template.flags.contains(ResourceFlags::PALETTE) {
        return None;
    }
    match template.format {
        Format::L1Unorm => Some(1),
        Format::L2Unorm => Some(2),
        Format::L4Unorm => Some(4),
        Format::L8Unorm => Some(8),
        _ => None,
    }
}

/// One mip level.
#[derive(Debug)]
struct StoredLevel<'m> {
    place: LevelLayout,
    /// Empty for user memory and streamed surfaces, and while the level is drawn to.
    bytes: LevelBytes<'m>,
    /// The pages of a sparse level; `None` while a call writes to it as shader memory.
    pages: OfDesktop<Option<Pages<'m>>>,
}

/// A level that is held for reading, even if its resource is destroyed meanwhile.
#[cfg(feature = "threads")]
#[derive(Debug)]
pub(crate) struct Held<'m> {
    place: LevelLayout,
    samples: OfSamples<u32>,
    own: LevelBytes<'m>,
    /// The user's bytes, if the resource uses user memory.
    user: &'m [u8],
}

#[cfg(feature = "threads")]
impl Held<'_> {
    /// Returns the level's bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.user.is_empty() { self.own.as_slice() } else { self.user }
    }

    /// Returns the level as texture sampling reads it.
    pub(crate) fn level(&self) -> Level<'_> {
        level(&self.place, self.samples, self.bytes())
    }
}

/// Returns the layout of a multisampled level. Each sample has a plane, and the rows of the planes
/// alternate, so a band of rows holds all samples of its pixels. Strides are the strides of one
/// plane.
fn with_samples(place: &LevelLayout, samples: u8) -> LevelLayout {
    if !SAMPLES {
        return *place;
    }
    let samples = usize::from(samples);
    LevelLayout {
        row_stride: place.row_stride * samples,
        layer_stride: place.layer_stride * samples,
        size: place.size * samples,
        ..*place
    }
}

/// Returns the level over these bytes.
fn level<'a>(place: &LevelLayout, samples: OfSamples<u32>, bytes: &'a [u8]) -> Level<'a> {
    Level {
        samples,
        bytes,
        width: place.width,
        height: place.height,
        depth: place.layers,
        row_stride: place.row_stride,
        layer_stride: place.layer_stride,
    }
}

/// The place of a resource's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Storage<'m> {
    /// In the levels; the driver may write them.
    Own,
    /// In the user's memory (flash, a mapped file): all levels in order, never written.
    User(&'m [u8]),
    /// Nowhere: each finished tile goes to a display.
    Streamed,
}

/// A buffer or texture.
#[derive(Debug)]
pub(crate) struct Resource<'m> {
    pub(crate) template: ResourceTemplate,
    levels: Vec<'m, StoredLevel<'m>>,
    storage: Storage<'m>,
    /// The number of levels that running calls draw to or that a CPU holds.
    taken: u32,
    /// Set while a CPU holds a level.
    lent: OfEs2<bool>,
    /// The flight that draws to the resource.
    flight: FlightNumber,
    /// Holders: views, surfaces and bindings, and the user until `resource_destroy`.
    references: u32,
    /// Cleared by `resource_destroy`: the user's handle is invalid, but holders keep the resource.
    pub(crate) named: bool,
    /// The user's handles in addition to the first; all are equal.
    pub(crate) other_names: OfDesktop<u32>,
    #[cfg(feature = "desktop")]
    pub(crate) outside: Option<Outside<'m>>,
}

impl<'m> Resource<'m> {
    /// Makes a resource of this layout. It owns memory filled with zeros, or no memory if it is
    /// streamed.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn new(
        template: &ResourceTemplate,
        layout: &Layout,
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        let streamed = template.is_streamed();
        let storage = if streamed { Storage::Streamed } else { Storage::Own };
        Self::with_storage(template, layout, storage, memory)
    }

    /// Makes a resource with its bytes in `storage`. Memory that it owns is filled with zeros.
    fn with_storage(
        template: &ResourceTemplate,
        layout: &Layout,
        storage: Storage<'m>,
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        let mut levels = Vec::try_with_capacity_in(layout.levels().len(), memory)?;
        for place in layout.levels() {
            let place = with_samples(place, template.samples());
            let bytes = match storage {
                Storage::Own if OWN_MEMORY => LevelBytes::zeros(place.size, memory)?,
                Storage::Own | Storage::User(_) | Storage::Streamed => LevelBytes::none(memory),
            };
            let mut pages = Only::with(|| None);
            if DESKTOP && template.flags.contains(ResourceFlags::SPARSE) {
                pages.set(Some(Pages::of(template, &place, memory)?));
            }
            levels.try_push(StoredLevel { place, bytes, pages })?;
        }
        let template = *template;
        Ok(Resource {
            template,
            levels,
            storage,
            taken: 0,
            lent: Only::new(false),
            flight: NO_FLIGHT,
            references: 1,
            named: true,
            other_names: Only::new(0),
            #[cfg(feature = "desktop")]
            outside: None,
        })
    }

    /// Makes a resource over bytes that stay in place. Levels follow each other; rows are packed.
    ///
    /// # Errors
    /// A streamed template; too few bytes; out of memory for the bookkeeping.
    pub(crate) fn from_user(
        template: &ResourceTemplate,
        layout: &Layout,
        bytes: &'m [u8],
        memory: Memory<'m>,
    ) -> Result<Self, PipeError> {
        if template.is_streamed() {
            return Err(PipeError::Invalid("a streamed resource has no memory"));
        }
        if template.samples() > 1 {
            return Err(PipeError::Unsupported("several samples in user memory"));
        }
        if bytes.len() < layout.total() {
            return Err(PipeError::OutOfRange {
                what: "the template's size in bytes",
                value: layout.total() as u64,
                limit: bytes.len() as u64,
            });
        }
        Self::with_storage(template, layout, Storage::User(bytes), memory)
    }

    /// Checks a template and returns the layout of its resource.
    ///
    /// # Errors
    /// An invalid template; an unsupported number of samples.
    pub(crate) fn layout(template: &ResourceTemplate) -> Result<Layout, PipeError> {
        let layout = template.layout_of_blocks(block(template))?;
        if !has_sample_count(template.samples().into())
            || template.storage_samples() != template.samples()
        {
            return Err(PipeError::Unsupported("resources of this number of samples"));
        }
        Ok(layout)
    }

    /// Returns the bytes of the levels that the driver allocated.
    pub(crate) fn held_bytes(&self) -> u64 {
        match self.storage {
            Storage::Own => self.levels.iter().map(|level| level.place.size as u64).sum(),
            Storage::User(_) | Storage::Streamed => 0,
        }
    }

    /// Returns a level's offset in the resource, its strides, and its size.
    pub(crate) fn place(&self, level: u32) -> Option<&LevelLayout> {
        self.levels.get(level as usize).map(|level| &level.place)
    }

    /// Returns the bytes of a level in user memory. A palette follows the texels.
    fn user_bytes(&self, bytes: &'m [u8], place: &LevelLayout) -> &'m [u8] {
        let end = match index_bits(&self.template) {
            None => place.offset + place.size,
            Some(_) => bytes.len(),
        };
        bytes.get(place.offset..end).unwrap_or(&[])
    }

    /// Returns a level's bytes; none if it is streamed, drawn to, or does not exist.
    pub(crate) fn bytes(&self, level: u32) -> &[u8] {
        let Some(level) = self.levels.get(level as usize) else { return &[] };
        match self.storage {
            Storage::Own => level.bytes.as_slice(),
            Storage::User(bytes) => self.user_bytes(bytes, &level.place),
            Storage::Streamed => &[],
        }
    }

    /// Returns a level's bytes to write.
    ///
    /// # Errors
    /// User memory and streamed surfaces cannot be written.
    pub(crate) fn bytes_mut(&mut self, level: u32) -> Result<&mut [u8], PipeError> {
        match self.storage {
            Storage::Own => Ok(self
                .levels
                .get_mut(level as usize)
                .map_or(&mut [], |level| level.bytes.as_mut_slice())),
            Storage::User(_) => Err(PipeError::Unsupported("writing to user memory")),
            Storage::Streamed => Err(PipeError::Unsupported("access to a streamed surface")),
        }
    }

    /// Returns the samples of a pixel, at least 1.
    pub(crate) fn samples(&self) -> u32 {
        if SAMPLES { self.template.samples().into() } else { 1 }
    }

    /// Returns true if drawing and transfers may write the resource.
    pub(crate) fn is_writable(&self) -> bool {
        !matches!(self.storage, Storage::User(_))
    }

    /// Returns true if tiles go to a display instead of memory.
    pub(crate) fn is_streamed(&self) -> bool {
        self.storage == Storage::Streamed
    }

    /// Returns true if no running call draws to the resource.
    pub(crate) fn is_readable(&self) -> bool {
        self.taken == 0
    }

    /// Returns true if no running call reads the resource or draws to it.
    pub(crate) fn is_idle(&self) -> bool {
        self.taken == 0 && self.levels.iter().all(|level| level.bytes.is_unique())
    }

    /// Returns a level to hold for reading; `None` if there is no such level.
    #[cfg(feature = "threads")]
    pub(crate) fn held_level(&self, level: u32) -> Option<Held<'m>> {
        let StoredLevel { place, bytes, .. } = self.levels.get(level as usize)?;
        let user = match self.storage {
            Storage::User(bytes) => self.user_bytes(bytes, place),
            Storage::Own | Storage::Streamed => &[],
        };
        Some(Held { place: *place, samples: Only::new(self.samples()), own: bytes.clone(), user })
    }

    /// Takes a level's bytes out, to draw to them while other levels are sampled.
    pub(crate) fn take_level(&mut self, level: u32) -> Option<LevelBytes<'m>> {
        if !OWN_MEMORY || self.storage != Storage::Own {
            return None;
        }
        let level = self.levels.get_mut(level as usize)?;
        self.taken += 1;
        Some(level.bytes.take())
    }

    /// Takes a level's bytes out, and leaves a copy for readers.
    ///
    /// # Errors
    /// Out of memory; [`PipeError::Stopped`].
    pub(crate) fn take_level_leaving_copy(
        &mut self,
        level: u32,
        work: Work<'_>,
        memory: Memory<'m>,
    ) -> Result<Option<LevelBytes<'m>>, PipeError> {
        let Some(left) = self.levels.get(level as usize) else { return Ok(None) };
        let copy = left.bytes.copy(work, memory)?;
        let taken = self.take_level(level);
        if let Some(level) = self.levels.get_mut(level as usize).filter(|_| taken.is_some()) {
            level.bytes = copy;
        }
        Ok(taken)
    }

    /// Leaves bytes for readers of a level that was taken.
    pub(crate) fn leave_level(&mut self, level: u32, bytes: LevelBytes<'m>) {
        if let Some(level) = self.levels.get_mut(level as usize) {
            level.bytes = bytes;
        }
    }

    /// Records the flight that draws to the resource, or none.
    #[cfg(flights)]
    pub(crate) fn set_flight(&mut self, flight: FlightNumber) {
        self.flight = flight;
    }

    /// Returns true if this flight draws to the resource.
    pub(crate) fn is_drawn_to_by(&self, flight: FlightNumber) -> bool {
        flight != NO_FLIGHT && self.flight == flight
    }

    /// Reserves the resource for the caller after the flight that draws to it now.
    pub(crate) fn reserve(&mut self) {
        self.taken = self.taken.saturating_add(1);
    }

    /// Ends the reservation of [`reserve`](Self::reserve).
    pub(crate) fn give_up(&mut self) {
        self.taken = self.taken.saturating_sub(1);
    }

    /// Takes the bytes that were left in a level.
    pub(crate) fn take_left_level(&mut self, level: u32, memory: Memory<'m>) -> LevelBytes<'m> {
        let level = self.levels.get_mut(level as usize);
        level.map_or_else(|| LevelBytes::none(memory), |level| level.bytes.take())
    }

    /// Puts a level's bytes back.
    pub(crate) fn put_level(&mut self, level: u32, bytes: LevelBytes<'m>) {
        if let Some(level) = self.levels.get_mut(level as usize) {
            level.bytes = bytes;
        }
        self.taken = self.taken.saturating_sub(1);
    }

    /// Takes a level's bytes out for the CPU.
    pub(crate) fn lend_level(&mut self, level: u32) -> Option<LevelBytes<'m>> {
        let bytes = self.take_level(level)?;
        self.lent.set(true);
        Some(bytes)
    }

    /// Puts bytes that the CPU held back.
    pub(crate) fn put_lent_level(&mut self, level: u32, bytes: LevelBytes<'m>) {
        self.lent.set(false);
        self.put_level(level, bytes);
    }

    /// Stops counting the level that a CPU holds, until [`show_lent`](Self::show_lent).
    pub(crate) fn hide_lent(&mut self) {
        self.taken = self.taken.saturating_sub(self.lent.is_set().into());
    }

    /// Counts the level that a CPU holds again.
    pub(crate) fn show_lent(&mut self) {
        self.taken += u32::from(self.lent.is_set());
    }

    /// Returns true if the user is the only holder.
    pub(crate) fn is_held_once(&self) -> bool {
        self.references == 1
    }

    /// Returns a level as texture sampling reads it.
    #[cfg(not(feature = "threads"))]
    pub(crate) fn level(&self, number: u32) -> Option<Level<'_>> {
        Some(level(self.place(number)?, Only::new(self.samples()), self.bytes(number)))
    }

    /// Counts another holder.
    pub(crate) fn hold(&mut self) {
        self.references = self.references.saturating_add(1);
    }

    /// Removes a holder; returns true if it was the last.
    pub(crate) fn release(&mut self) -> bool {
        self.references = self.references.saturating_sub(1);
        self.references == 0
    }
}
