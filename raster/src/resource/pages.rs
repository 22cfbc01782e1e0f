//! The pages of a sparse level. Pages without memory read as 0 and discard writes.
//!
//! A level's bytes are one allocation of zeros, which hosts back with memory where it is written.
//! When its last page loses its memory, a level gets a new allocation of zeros, and the host gets
//! the memory of the old one. Pages without memory are zero between calls. Code that writes the
//! bytes of a resource clears such pages afterwards, and shader memory checks each word.
//!
//! ```text
//!   page of a texture: 64 KiB of texels, as square as powers of two can be (Direct3D's and Vulkan's
//!   standard shapes)         1 byte  256×256   2 bytes  256×128   4  128×128   8  128×64   16  64×64
//!   of a 3D texture          1 byte 64×32×32   2 bytes 32×32×32   4 32×32×16   8 32×16×16  16 16×16×16
//!   mip tail: from the first level on that is smaller than a page; its levels have memory together
//! ```

use core::ops::Range;

use formats::Format;
use os_shim::Vec;
use os_shim::memory::{Memory, OutOfMemory};
use pipe_core::layout::LevelLayout;
use pipe_core::{Bind, PipeError, Region, ResourceTemplate, TextureTarget};

use super::{LevelBytes, Resource, StoredLevel};
use crate::features::DESKTOP;
use crate::memory::{PAGE_BYTES, PageGrid, PageMap};

/// The error for boxes that contain parts of pages.
const PARTS: PipeError = PipeError::Invalid("the commit covers parts of pages");

/// Returns the width, height and depth in texels of a page, for textures of a target and format;
/// `None` if they cannot be sparse.
pub(crate) fn page_size(target: TextureTarget, format: Format) -> Option<[u32; 3]> {
    use TextureTarget::*;
    let block = format.block();
    let bytes = u32::from(block.bytes);
    if !bytes.is_power_of_two() || PAGE_BYTES as u32 <= bytes {
        return None;
    }
    let digits = (PAGE_BYTES as u32 / bytes).ilog2();
    let [x, y, z] = match target {
        Texture2D | Texture2DArray | Rect | Cube | CubeArray => [digits.div_ceil(2), digits / 2, 0],
        Texture3D => {
            let x = digits.div_ceil(3);
            let y = (digits - x).div_ceil(2);
            [x, y, digits - x - y]
        }
        Buffer | Texture1D | Texture1DArray => return None,
    };
    Some([u32::from(block.width) << x, u32::from(block.height) << y, 1 << z])
}

/// Returns true if such a resource can be sparse: a buffer, or a texture of one sample that has
/// pages and is not shown on a display.
pub(crate) fn can_be_sparse(template: &ResourceTemplate) -> bool {
    let ResourceTemplate { target, format, bind, .. } = *template;
    let shown = bind.intersects(Bind::DISPLAY_TARGET | Bind::SCANOUT);
    target == TextureTarget::Buffer
        || (template.samples() == 1 && !shown && page_size(target, format).is_some())
}

/// The pages of a level. A set bit is a page that has memory.
#[derive(Debug)]
pub(crate) struct Pages<'m> {
    bits: Vec<'m, u32>,
    grid: PageGrid,
}

impl<'m> Pages<'m> {
    /// Returns the pages of a resource's level, all without memory.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn of(
        template: &ResourceTemplate,
        place: &LevelLayout,
        memory: Memory<'m>,
    ) -> Result<Self, OutOfMemory> {
        let (grid, pages) = match page_size(template.target, template.format) {
            Some([width, height, layers]) if place.row_stride > 0 => {
                let block = template.format.block();
                let rows = height / u32::from(block.height.max(1));
                let blocks = width / u32::from(block.width.max(1));
                let row = blocks as usize * usize::from(block.bytes);
                let page = [row, rows as usize, layers as usize];
                let rows = place.layer_stride / place.row_stride;
                let grid = PageGrid::new(page, place.row_stride, rows);
                (grid, grid.counts(place.layers as usize).iter().product())
            }
            _ => (PageGrid::BUFFER, place.size.div_ceil(PAGE_BYTES)),
        };
        Ok(Pages { bits: Vec::try_zeros_in(pages.div_ceil(32), memory)?, grid })
    }

    /// Returns the map that answers queries about pages.
    pub(crate) fn map(&self) -> PageMap<'_> {
        PageMap::new(&self.bits, self.grid)
    }

    /// Returns true if no page has memory.
    fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }

    /// Gives memory to a box of pages, or removes it.
    fn set(&mut self, [x, y, z]: [Range<usize>; 3], has_memory: bool) {
        for (z, y) in z.flat_map(|z| y.clone().map(move |y| (z, y))) {
            for page in x.clone().map(|x| self.grid.number([x, y, z])) {
                if let Some(word) = self.bits.get_mut(page / 32) {
                    let bit = 1 << (page % 32);
                    *word = if has_memory { *word | bit } else { *word & !bit };
                }
            }
        }
    }

    /// Writes zeros over the bytes of `range` that have no memory. Does not write bytes that are 0
    /// already, so that hosts do not back them.
    fn clear_absent(&self, bytes: &mut [u8], range: Range<usize>) {
        let mut at = range.start;
        let last = range.end.min(bytes.len());
        while at < last {
            let (page, end) = self.grid.page_of(at);
            if !self.map().has_page(page) {
                let bytes = bytes.get_mut(at..end.min(last)).unwrap_or(&mut []);
                if bytes.iter().any(|byte| *byte != 0) {
                    bytes.fill(0);
                }
            }
            at = end;
        }
    }
}

impl<'m> Resource<'m> {
    /// Discards the bytes that were written to pages of a level without memory.
    #[inline(always)]
    pub(crate) fn drop_absent(&mut self, level: u32, bytes: Range<usize>) {
        if DESKTOP
            && let Some(level) = self.levels.get_mut(level as usize)
            && let Some(Some(pages)) = level.pages.get()
        {
            pages.clear_absent(level.bytes.as_mut_slice(), bytes);
        }
    }

    /// Gives memory to the pages of a box of a level, or removes it together with their contents.
    ///
    /// # Errors
    /// The resource is not sparse; no such level; a box beyond the level, or one that contains
    /// parts of pages.
    pub(crate) fn commit(
        &mut self,
        level: u32,
        region: &Region,
        commit: bool,
        memory: Memory<'m>,
    ) -> Result<(), PipeError> {
        let limit = self.template.last_level.into();
        PipeError::at_most("level", level.into(), limit)?;
        let size = self.template.level_size(level).unwrap_or_default();
        PipeError::within(region, size)?;
        if self.levels.first().is_none_or(|level| !matches!(level.pages.get(), Some(Some(_)))) {
            return Err(PipeError::Invalid("the resource to commit is not sparse"));
        }
        let page = match page_size(self.template.target, self.template.format) {
            Some(page) => page,
            None => [PAGE_BYTES as u32, 1, 1],
        };
        let start = [region.x, region.y, region.z].map(i32::unsigned_abs);
        let sides = [region.width, region.height, region.depth].map(i32::unsigned_abs);
        let mut pages = [const { 0..0 }; 3];
        for (axis, pages) in pages.iter_mut().enumerate() {
            let of = |list: [u32; 3]| list.get(axis).copied().unwrap_or(0);
            let (start, end, page) = (of(start), of(start) + of(sides), of(page).max(1));
            if start % page != 0 || (end % page != 0 && end != of(size)) {
                return Err(PARTS);
            }
            *pages = (start / page) as usize..end.div_ceil(page) as usize;
        }
        match self.first_of_tail(page) {
            Some(first) if level >= first => {
                let is_volume = self.template.target == TextureTarget::Texture3D;
                let has_all = |axis: usize| sides.get(axis) == size.get(axis);
                if !has_all(0) || !has_all(1) || (is_volume && !has_all(2)) {
                    return Err(PipeError::Invalid(
                        "the commit covers part of a level in the mip tail",
                    ));
                }
                let [_, _, layers] = pages;
                for level in first..=self.template.last_level {
                    let layers = if is_volume { 0..usize::MAX } else { layers.clone() };
                    self.commit_pages(
                        level,
                        [0..usize::MAX, 0..usize::MAX, layers],
                        commit,
                        memory,
                    );
                }
            }
            _ => self.commit_pages(level, pages, commit, memory),
        }
        Ok(())
    }

    /// Returns the first level that is smaller than a page in some direction; `None` for buffers,
    /// or if there is no such level.
    fn first_of_tail(&self, page: [u32; 3]) -> Option<u32> {
        let dims = if self.template.target == TextureTarget::Texture3D { 3 } else { 2 };
        let is_smaller = |level: &u32| {
            let size = self.template.level_size(*level).unwrap_or_default();
            size.iter().zip(page).take(dims).any(|(size, page)| *size < page)
        };
        if self.template.is_buffer() {
            return None;
        }
        (0..=self.template.last_level).find(is_smaller)
    }

    /// Gives memory to a box of a level's pages, or removes it. (Ranges end at the level's last
    /// page.)
    fn commit_pages(
        &mut self,
        level: u32,
        pages: [Range<usize>; 3],
        commit: bool,
        memory: Memory<'m>,
    ) {
        let Some(level) = self.levels.get_mut(level as usize) else { return };
        let StoredLevel { place, bytes, pages: held } = level;
        let Some(Some(held)) = held.get_mut() else { return };
        let counts = held.grid.counts(place.layers as usize);
        let mut pages = pages;
        for (range, count) in pages.iter_mut().zip(counts) {
            range.end = range.end.min(count);
        }
        let size = place.size;
        held.set(pages, commit);
        if commit {
            return;
        }
        if held.is_empty()
            && let Ok(zeros) = LevelBytes::zeros(size, memory)
        {
            *bytes = zeros;
        }
        held.clear_absent(bytes.as_mut_slice(), 0..size);
    }

    /// Takes the pages of a sparse level, so that shader memory can check each word.
    #[inline(always)]
    pub(crate) fn take_pages(&mut self, level: u32) -> Option<Pages<'m>> {
        if !DESKTOP {
            return None;
        }
        self.levels.get_mut(level as usize)?.pages.get_mut()?.take()
    }

    /// Puts the pages of a level back.
    #[inline(always)]
    pub(crate) fn put_pages(&mut self, level: u32, pages: Option<Pages<'m>>) {
        if DESKTOP && let Some(level) = self.levels.get_mut(level as usize) {
            level.pages.set(pages);
        }
    }
}
