//! Memory for machine code: chunks of pages, each page writable first, then executable, never both.
//!
//! Linux allows a process about 65,000 mappings, so the code of thousands of programs shares
//! chunks. Unused pages stay executable and empty until code is placed there again or their chunk
//! is unmapped. A chunk is therefore at most five mappings: executable pages, two runs of pages
//! that were never used, and pages that are being written.

#![expect(unsafe_code, reason = "pages are mapped, protected and written through pointers")]

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

/// The bytes of a page on x86-64.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Pages of an arena's first chunk; each later chunk has twice as many, up to [`LARGEST_CHUNK`].
const FIRST_CHUNK: usize = 16;
/// Pages of the largest chunk: 2 MiB.
const LARGEST_CHUNK: usize = 512;
/// Pages of an arena: 64 MiB.
const ARENA_PAGES: usize = 16_384;
/// Most chunks of all arenas of a process. At five mappings per chunk they take a quarter of the
/// mappings that Linux allows.
const PROCESS_CHUNKS: usize = 3_276;

/// Advice that lets the system take back the memory of pages.
#[cfg(target_os = "linux")]
const FORGET: Advice = Advice::LinuxDontNeed;
#[cfg(not(target_os = "linux"))]
const FORGET: Advice = Advice::DontNeed;

/// The number of chunks of all arenas.
static CHUNKS: AtomicUsize = AtomicUsize::new(0);

/// The machine code of the programs of a generator.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Mutex<Vec<Chunk>>,
}

/// A run of pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pages {
    first: usize,
    count: usize,
}

/// One mapping of the system, divided into pages.
#[derive(Debug)]
struct Chunk {
    start: NonNull<u8>,
    pages: usize,
    /// The runs of unused pages, in order of address; no two touch.
    free: Vec<Pages>,
}

// SAFETY: a chunk owns its mapping; nothing in it belongs to a thread.
unsafe impl Send for Chunk {}

/// Code in the pages of an arena. It can be executed until it is dropped.
#[derive(Debug)]
pub(crate) struct Text {
    arena: Arc<Arena>,
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: the code is not written while the text lives, and any thread may execute it.
unsafe impl Send for Text {}
// SAFETY: as above.
unsafe impl Sync for Text {}

impl Arena {
    fn chunks(&self) -> MutexGuard<'_, Vec<Chunk>> {
        // A panic leaves the list intact: nothing between two changes of it can panic.
        self.chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies code to newly taken pages and makes them executable.
    ///
    /// # Errors
    /// The arena or the process has reached its limit of code, or the system refuses memory.
    pub(crate) fn place(self: &Arc<Self>, code: &[u8]) -> io::Result<Text> {
        let count = code.len().div_ceil(PAGE_BYTES).max(1);
        let mut chunks = self.chunks();
        let taken = chunks.iter_mut().find_map(|chunk| Some((chunk.take(count)?, chunk.start)));
        let (pages, chunk) = match taken {
            Some(taken) => taken,
            None => {
                let mapped: usize = chunks.iter().map(|chunk| chunk.pages).sum();
                let next = (FIRST_CHUNK << chunks.len().min(16)).min(LARGEST_CHUNK);
                let wanted = next.max(count);
                if mapped + wanted > ARENA_PAGES {
                    return Err(io::Errno::NOMEM);
                }
                let mut chunk = Chunk::map(wanted)?;
                let start = chunk.start;
                let pages = chunk.take(count).ok_or(io::Errno::NOMEM)?;
                chunks.push(chunk);
                (pages, start)
            }
        };
        // SAFETY: the pages are in the chunk's mapping.
        let start = unsafe { chunk.add(pages.first * PAGE_BYTES) };
        // From here on the pages are the text's: dropping it gives them back.
        let text = Text { arena: Arc::clone(self), start, len: count * PAGE_BYTES };
        let written = text.write(code);
        drop(chunks);
        written.map(|()| text)
    }

    /// Takes back the pages of a text, and unmaps a chunk when all its pages came back.
    fn release(&self, start: NonNull<u8>, len: usize) {
        let mut chunks = self.chunks();
        let address = start.as_ptr() as usize;
        let Some(at) = chunks.iter().position(|chunk| chunk.holds(address)) else { return };
        let Some(chunk) = chunks.get_mut(at) else { return };
        // SAFETY: nothing else refers to the pages; their contents may be lost.
        let forgotten = unsafe { rustix::mm::madvise(start.as_ptr().cast(), len, FORGET) };
        // If this fails, the pages keep their contents and occupy memory until they are used again.
        let _ = forgotten;
        let first = (address - chunk.start.as_ptr() as usize) / PAGE_BYTES;
        chunk.give_back(Pages { first, count: len / PAGE_BYTES });
        // A chunk that the system refuses to unmap stays, empty, and is used again.
        if chunk.is_empty() && chunk.unmap().is_ok() {
            chunks.swap_remove(at);
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // Every text holds the arena, so the only chunks left are empty ones that could not be
        // unmapped.
        for chunk in self.chunks().drain(..) {
            let _ = chunk.unmap();
        }
    }
}

impl Chunk {
    /// Maps pages that are writable but not executable.
    fn map(pages: usize) -> io::Result<Chunk> {
        if CHUNKS.fetch_add(1, Relaxed) >= PROCESS_CHUNKS {
            CHUNKS.fetch_sub(1, Relaxed);
            return Err(io::Errno::NOMEM);
        }
        let (bytes, access) = (pages * PAGE_BYTES, ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: the system chooses an address where nothing was mapped before.
        let start = unsafe {
            rustix::mm::mmap_anonymous(std::ptr::null_mut(), bytes, access, MapFlags::PRIVATE)
        };
        let start = start.and_then(|start| NonNull::new(start.cast()).ok_or(io::Errno::NOMEM));
        match start {
            Ok(start) => Ok(Chunk { start, pages, free: vec![Pages { first: 0, count: pages }] }),
            Err(error) => {
                CHUNKS.fetch_sub(1, Relaxed);
                Err(error)
            }
        }
    }

    /// Gives the mapping of an empty chunk back to the system.
    fn unmap(&self) -> io::Result<()> {
        // SAFETY: no text is in the chunk, and its owner forgets it.
        unsafe { rustix::mm::munmap(self.start.as_ptr().cast(), self.pages * PAGE_BYTES)? };
        CHUNKS.fetch_sub(1, Relaxed);
        Ok(())
    }

    fn holds(&self, address: usize) -> bool {
        let start = self.start.as_ptr() as usize;
        (start..start + self.pages * PAGE_BYTES).contains(&address)
    }

    fn is_empty(&self) -> bool {
        self.free.first().is_some_and(|pages| pages.count == self.pages)
    }

    /// Takes the first run of `count` free pages.
    fn take(&mut self, count: usize) -> Option<Pages> {
        let at = self.free.iter().position(|pages| pages.count >= count)?;
        let run = self.free.get_mut(at)?;
        let taken = Pages { first: run.first, count };
        run.first += count;
        run.count -= count;
        if run.count == 0 {
            self.free.remove(at);
        }
        Some(taken)
    }

    /// Returns pages to the free runs, and joins runs that touch.
    fn give_back(&mut self, pages: Pages) {
        let end = pages.first + pages.count;
        let at = self.free.partition_point(|run| run.first < pages.first);
        let joins_next = self.free.get(at).is_some_and(|next| next.first == end);
        let before = at.checked_sub(1).and_then(|before| self.free.get_mut(before));
        match before.filter(|run| run.first + run.count == pages.first) {
            Some(run) => {
                run.count += pages.count;
                if joins_next {
                    let next = self.free.remove(at);
                    if let Some(run) = self.free.get_mut(at - 1) {
                        run.count += next.count;
                    }
                }
            }
            None if joins_next => {
                if let Some(next) = self.free.get_mut(at) {
                    *next = Pages { first: pages.first, count: pages.count + next.count };
                }
            }
            None => self.free.insert(at, pages),
        }
    }
}

impl Text {
    /// Returns the address of a byte of the text.
    pub(crate) fn address(&self, offset: usize) -> Option<*const u8> {
        // SAFETY: the byte is in the text.
        (offset < self.len).then(|| unsafe { self.start.add(offset) }.as_ptr().cast_const())
    }

    /// Writes code to the pages, then makes them executable and no longer writable.
    fn write(&self, code: &[u8]) -> io::Result<()> {
        let pages = self.start.as_ptr().cast();
        let (write, execute) =
            (MprotectFlags::READ | MprotectFlags::WRITE, MprotectFlags::READ | MprotectFlags::EXEC);
        // SAFETY: the pages belong to this text alone, and no code in them is in use yet. `code`
        // has at most as many bytes as the pages and lies elsewhere.
        unsafe {
            rustix::mm::mprotect(pages, self.len, write)?;
            std::ptr::copy_nonoverlapping(code.as_ptr(), self.start.as_ptr(), code.len());
            rustix::mm::mprotect(pages, self.len, execute)
        }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.arena.release(self.start, self.len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `mov eax, imm32; ret`
    fn code(number: u32) -> Vec<u8> {
        let mut code = vec![0xB8];
        code.extend(number.to_le_bytes());
        code.push(0xC3);
        code
    }

    fn call(text: &Text) -> u32 {
        let start = text.address(0).expect("a text has a byte");
        // SAFETY: the text is a function of this type, made by `code`.
        unsafe { std::mem::transmute::<*const u8, extern "sysv64" fn() -> u32>(start)() }
    }

    fn mappings() -> usize {
        std::fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count())
    }

    #[test]
    fn thousands_of_texts_share_few_mappings() {
        let arena = Arc::new(Arena::default());
        let before = mappings();
        let mut texts: Vec<_> =
            (0..4000).map(|number| Some(arena.place(&code(number)).expect("a page"))).collect();
        // Other tests of this process map and unmap too. One mapping per page would be 4,000.
        let limit = before + 400;
        assert!(mappings() < limit, "{} mappings, {before} before", mappings());
        // Drop every second text, then place new ones in the freed pages.
        texts.iter_mut().step_by(2).for_each(|text| *text = None);
        assert!(mappings() < limit, "{} mappings, {before} before", mappings());
        for (number, text) in (0..).zip(&mut texts).step_by(2) {
            *text = Some(arena.place(&code(number)).expect("a page"));
        }
        assert!(mappings() < limit, "{} mappings, {before} before", mappings());
        for (number, text) in (0..).zip(&texts) {
            assert_eq!(text.as_ref().map(call), Some(number));
        }
        drop(texts);
        assert!(arena.chunks().is_empty(), "every chunk went back to the system");
    }

    #[test]
    fn an_arena_that_is_full_refuses_and_goes_on() {
        let arena = Arc::new(Arena::default());
        let large = vec![0xC3; LARGEST_CHUNK * PAGE_BYTES];
        let texts: Vec<_> = std::iter::from_fn(|| arena.place(&large).ok()).collect();
        assert!(texts.len() * LARGEST_CHUNK <= ARENA_PAGES);
        assert!((texts.len() + 2) * LARGEST_CHUNK > ARENA_PAGES);
        drop(texts);
        assert_eq!(call(&arena.place(&code(7)).expect("room again")), 7);
    }

    #[test]
    fn pages_come_back_in_any_order() {
        let mut chunk = Chunk::map(8).expect("pages");
        let runs: Vec<_> = [3, 1, 2, 2].iter().map(|&count| chunk.take(count)).collect();
        assert_eq!(chunk.take(1), None);
        for at in [1, 3, 0, 2] {
            chunk.give_back(runs[at].expect("there was room"));
        }
        assert!(chunk.is_empty());
        assert_eq!(chunk.take(8), Some(Pages { first: 0, count: 8 }));
        chunk.unmap().expect("the mapping is whole");
    }
}
