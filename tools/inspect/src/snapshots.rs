//! Snapshots: copies of the contents of all resources at some calls, from which playing goes on.
//!
//! The copies are cut into pieces. Equal pieces are kept once, in memory up to a limit, then in a
//! temporary file up to another one. When both are full, a snapshot is removed: the one whose
//! two neighbours take the shortest time to play from one to the other.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use anyhow::{Context as _, Result};
use pipe_core::ResourceTemplate;

/// The most bytes of a piece.
const PIECE: usize = 64 << 10;

/// The most bytes of the lists of all snapshots.
const LISTS: usize = 32 << 20;

/// The contents of a resource.
#[derive(Debug)]
pub struct Contents {
    /// The call that created the resource.
    pub created: u64,
    /// Its template.
    pub template: ResourceTemplate,
    /// The pieces of each level, or of each sample of level 0.
    planes: Vec<Vec<u32>>,
}

impl Contents {
    /// Returns the number of planes: levels, or samples of level 0.
    pub const fn planes(&self) -> usize {
        self.planes.len()
    }

    fn list_bytes(&self) -> usize {
        let pieces: usize = self.planes.iter().map(Vec::len).sum();
        size_of::<Self>() + pieces * size_of::<u32>()
    }
}

/// The name of a binding: the context, the number of the call, and the slots.
pub type Binding = (u64, u64, u64);

/// The contents of all resources after a call, and the bindings.
#[derive(Debug)]
pub struct Snapshot {
    /// The call.
    pub call: u64,
    /// The context of the last call that was for one.
    pub last_context: u64,
    /// The time of playing from the first call to this one.
    pub played: Duration,
    /// The time of copying the contents.
    pub took: Duration,
    /// The contents, shared with other snapshots.
    pub contents: Vec<Arc<Contents>>,
    /// The last calls that set each binding, in the order of their numbers.
    pub bindings: Vec<(u32, Binding)>,
    /// Contexts with a cleared depth buffer.
    pub depth_cleared: Vec<u64>,
    /// The last call that can be played from here: a later one needs the result of a query before.
    pub reach: AtomicU64,
}

impl Snapshot {
    fn list_bytes(&self) -> usize {
        size_of::<Self>()
            + self.contents.len() * size_of::<Arc<Contents>>()
            + self.bindings.len() * size_of::<(u32, Binding)>()
    }
}

/// The snapshots of a recording, in the order of their calls.
pub struct Snapshots {
    list: Vec<Arc<Snapshot>>,
    /// Contents that hold pieces, also the contents of snapshots that are gone.
    contents: Vec<Arc<Contents>>,
    pieces: Pieces,
}

impl Snapshots {
    /// Creates an empty set.
    ///
    /// * `memory`: the most bytes of contents in memory.
    /// * `file`: the most bytes of the temporary file.
    pub fn new(memory: usize, file: u64) -> Self {
        Self { list: Vec::new(), contents: Vec::new(), pieces: Pieces::new(memory, file) }
    }

    /// Returns the number of snapshots.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns true if there is no snapshot.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the bytes of contents in memory and in the file.
    pub const fn bytes(&self) -> (usize, u64) {
        (self.pieces.in_memory, self.pieces.in_file)
    }

    /// Returns the last snapshot from which call `to` can be played.
    pub fn before(&self, to: u64) -> Option<&Arc<Snapshot>> {
        let end = self.list.partition_point(|kept| kept.call <= to);
        self.list.get(..end)?.iter().rfind(|kept| kept.reach.load(Relaxed) >= to)
    }

    /// Returns the last snapshot with a call of `from` to `to`.
    pub fn within(&self, from: u64, to: u64) -> Option<&Arc<Snapshot>> {
        let end = self.list.partition_point(|kept| kept.call <= to);
        self.list.get(..end)?.last().filter(|kept| kept.call >= from)
    }

    /// Limits the snapshots of the calls from `first` on, up to call `last`: they reach only `last`.
    pub fn limit(&self, first: u64, last: u64) {
        for kept in self.list.iter().filter(|kept| (first..=last).contains(&kept.call)) {
            kept.reach.fetch_min(last, Relaxed);
        }
    }

    /// Keeps the planes of a resource; `None` if the other contents of the same
    /// snapshot leave no room.
    pub fn contents(
        &mut self,
        created: u64,
        template: ResourceTemplate,
        planes: &[Vec<u8>],
    ) -> Option<Arc<Contents>> {
        let mut contents = Contents { created, template, planes: Vec::new() };
        for bytes in planes {
            let mut pieces = Vec::with_capacity(bytes.len().div_ceil(PIECE));
            for piece in bytes.chunks(PIECE) {
                let mut kept = self.pieces.keep(piece);
                while kept.is_none() && self.thin() {
                    kept = self.pieces.keep(piece);
                }
                let Some(kept) = kept else {
                    contents.planes.push(pieces);
                    self.pieces.drop_contents(&contents);
                    return None;
                };
                pieces.push(kept);
            }
            contents.planes.push(pieces);
        }
        let contents = Arc::new(contents);
        self.contents.push(Arc::clone(&contents));
        Some(contents)
    }

    /// Returns the bytes of a plane.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn plane(&mut self, contents: &Contents, plane: usize) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for piece in contents.planes.get(plane).context("no such plane")? {
            self.pieces.read(*piece, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Adds a snapshot, if there is none of its call.
    pub fn add(&mut self, snapshot: Snapshot) {
        let at = self.list.partition_point(|kept| kept.call < snapshot.call);
        if self.list.get(at).is_some_and(|kept| kept.call == snapshot.call) {
            return;
        }
        self.list.insert(at, Arc::new(snapshot));
        let lists = |snapshots: &Self| -> usize {
            let contents: usize = snapshots.contents.iter().map(|it| it.list_bytes()).sum();
            contents + snapshots.list.iter().map(|it| it.list_bytes()).sum::<usize>()
        };
        while lists(self) > LISTS && self.thin() {}
    }

    /// Removes a snapshot that cannot be used.
    pub fn remove(&mut self, call: u64) {
        self.list.retain(|kept| kept.call != call);
    }

    /// Removes the snapshot whose two neighbours are the shortest time apart. Returns false if only the
    /// last snapshot and snapshots in use are left.
    fn thin(&mut self) -> bool {
        let before = |at: usize| at.checked_sub(1).and_then(|at| self.list.get(at));
        let gap = |at: usize| {
            let next = self.list.get(at + 1)?;
            let start = before(at).map_or(Duration::ZERO, |kept| kept.played);
            Some(next.played.saturating_sub(start))
        };
        let unused = |at: &usize| self.list.get(*at).is_some_and(|it| Arc::strong_count(it) == 1);
        let all = 0..self.list.len().saturating_sub(1);
        let Some(gone) = all.filter(unused).min_by_key(|at| gap(*at)) else { return false };
        self.list.remove(gone);
        let pieces = &mut self.pieces;
        self.contents.retain(|contents| {
            let is_used = Arc::strong_count(contents) > 1;
            if !is_used {
                pieces.drop_contents(contents);
            }
            is_used
        });
        true
    }
}

/// The place of a piece.
enum Place {
    Memory(Box<[u8]>),
    /// The number of its part of the file.
    File(u32),
}

struct Piece {
    place: Place,
    size: usize,
    hash: u64,
    uses: u32,
}

/// Pieces of contents; equal ones are kept once.
struct Pieces {
    list: Vec<Option<Piece>>,
    free: Vec<u32>,
    /// The piece with a hash.
    known: HashMap<u64, u32>,
    hasher: RandomState,
    memory: usize,
    in_memory: usize,
    /// The most bytes of the file.
    file: u64,
    in_file: u64,
    spill: Option<Spill>,
    free_parts: Vec<u32>,
    parts: u32,
    scratch: Vec<u8>,
}

impl Pieces {
    fn new(memory: usize, file: u64) -> Self {
        Self {
            list: Vec::new(),
            free: Vec::new(),
            known: HashMap::new(),
            hasher: RandomState::new(),
            memory,
            in_memory: 0,
            file,
            in_file: 0,
            spill: None,
            free_parts: Vec::new(),
            parts: 0,
            scratch: Vec::new(),
        }
    }

    /// Keeps a piece and returns its number; `None` if there is no room.
    fn keep(&mut self, bytes: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(bytes);
        if let Some(number) = self.known.get(&hash).copied()
            && self.is_equal(number, bytes)
        {
            let piece = self.list.get_mut(number as usize)?.as_mut()?;
            piece.uses += 1;
            return Some(number);
        }
        let place = if self.in_memory + bytes.len() <= self.memory {
            self.in_memory += bytes.len();
            Place::Memory(bytes.into())
        } else {
            Place::File(self.spilled(bytes)?)
        };
        let piece = Piece { place, size: bytes.len(), hash, uses: 1 };
        let number = match self.free.pop() {
            Some(number) => number,
            None => {
                let number = u32::try_from(self.list.len()).ok()?;
                self.list.push(None);
                number
            }
        };
        *self.list.get_mut(number as usize)? = Some(piece);
        self.known.insert(hash, number);
        Some(number)
    }

    fn is_equal(&mut self, number: u32, bytes: &[u8]) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let is_equal = self.read(number, &mut scratch).is_ok() && scratch == bytes;
        self.scratch = scratch;
        is_equal
    }

    /// Writes a piece to the file, and returns its part; `None` if there is no room.
    fn spilled(&mut self, bytes: &[u8]) -> Option<u32> {
        if self.in_file + PIECE as u64 > self.file {
            return None;
        }
        if self.spill.is_none() {
            self.spill = Spill::new();
            // Without a file all stays in memory.
            self.file = if self.spill.is_none() { 0 } else { self.file };
        }
        let part = self.free_parts.pop().unwrap_or(self.parts);
        if self.spill.as_mut()?.write(part, bytes).is_err() {
            // The disk is full.
            self.free_parts.push(part);
            self.parts = self.parts.max(part + 1);
            self.file = self.in_file;
            return None;
        }
        self.parts = self.parts.max(part + 1);
        self.in_file += PIECE as u64;
        Some(part)
    }

    /// Appends the bytes of a piece.
    fn read(&mut self, number: u32, bytes: &mut Vec<u8>) -> Result<()> {
        let piece = self.list.get(number as usize).and_then(Option::as_ref);
        let piece = piece.context("a piece is missing")?;
        match &piece.place {
            Place::Memory(kept) => bytes.extend_from_slice(kept),
            Place::File(part) => {
                let (part, size) = (*part, piece.size);
                self.spill.as_mut().context("no file")?.read(part, size, bytes)?;
            }
        }
        Ok(())
    }

    fn drop_contents(&mut self, contents: &Contents) {
        for number in contents.planes.iter().flatten() {
            let Some(slot) = self.list.get_mut(*number as usize) else { continue };
            let Some(piece) = slot else { continue };
            piece.uses -= 1;
            if piece.uses > 0 {
                continue;
            }
            match piece.place {
                Place::Memory(_) => self.in_memory -= piece.size,
                Place::File(part) => {
                    self.in_file -= PIECE as u64;
                    self.free_parts.push(part);
                }
            }
            if self.known.get(&piece.hash) == Some(number) {
                self.known.remove(&piece.hash);
            }
            *slot = None;
            self.free.push(*number);
        }
    }
}

/// A temporary file.
struct Spill {
    file: File,
    /// Its name, if the system keeps names of open files.
    path: Option<PathBuf>,
}

impl Spill {
    fn new() -> Option<Self> {
        let name = format!("gallium-inspect-{:016x}", RandomState::new().hash_one(0));
        let path = std::env::temp_dir().join(name);
        let mut options = File::options();
        let file = options.read(true).write(true).create_new(true).open(&path).ok()?;
        // Without a name, the system frees the file when the process ends, however it ends.
        let path = std::fs::remove_file(&path).is_err().then_some(path);
        Some(Self { file, path })
    }

    fn seek(&mut self, part: u32) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(u64::from(part) * PIECE as u64)).map(drop)
    }

    fn write(&mut self, part: u32, bytes: &[u8]) -> std::io::Result<()> {
        self.seek(part)?;
        self.file.write_all(bytes)
    }

    fn read(&mut self, part: u32, size: usize, bytes: &mut Vec<u8>) -> Result<()> {
        self.seek(part).context("cannot read the temporary file")?;
        let start = bytes.len();
        bytes.resize(start + size, 0);
        let into = bytes.get_mut(start..).context("no room")?;
        self.file.read_exact(into).context("cannot read the temporary file")
    }
}

impl Drop for Spill {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // The system removes old temporary files.
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use pipe_core::Bind;

    use super::*;

    /// Adds a snapshot of one resource with these bytes; returns false if there is no room.
    fn add(snapshots: &mut Snapshots, call: u64, milliseconds: u64, bytes: &[u8]) -> bool {
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let Some(contents) = snapshots.contents(1, template, &[bytes.to_vec()]) else {
            return false;
        };
        snapshots.add(Snapshot {
            call,
            last_context: 1,
            played: Duration::from_millis(milliseconds),
            took: Duration::ZERO,
            contents: vec![contents],
            bindings: Vec::new(),
            depth_cleared: Vec::new(),
            reach: AtomicU64::new(u64::MAX),
        });
        true
    }

    fn first_byte(snapshots: &mut Snapshots, call: u64) -> Option<u8> {
        let snapshot = Arc::clone(snapshots.within(call, call)?);
        let bytes = snapshots.plane(snapshot.contents.first()?, 0).expect("readable");
        bytes.first().copied()
    }

    #[test]
    fn equal_pieces_are_kept_once() {
        let mut snapshots = Snapshots::new(4 * PIECE, 0);
        let bytes: Vec<u8> = (0..2 * PIECE).map(|at| (at / PIECE) as u8).collect();
        for call in 0..100 {
            assert!(add(&mut snapshots, call, call, &bytes));
        }
        assert_eq!(snapshots.bytes(), (2 * PIECE, 0));
        assert_eq!(snapshots.len(), 100);
        let last = Arc::clone(snapshots.within(99, 99).expect("kept"));
        assert!(snapshots.plane(&last.contents[0], 0).expect("readable") == bytes);
    }

    #[test]
    fn a_full_memory_spills_and_a_full_file_thins() {
        // One piece in memory, three in the file.
        let mut snapshots = Snapshots::new(PIECE, 3 * PIECE as u64);
        let bytes = |call: u8| vec![call; PIECE];
        // Without call 2 the largest gap is 105 ms, without call 3 it is 110 ms.
        for (call, played) in [(1, 100), (2, 200), (3, 205), (4, 310), (5, 410)] {
            assert!(add(&mut snapshots, call.into(), played, &bytes(call)));
        }
        assert_eq!(snapshots.bytes(), (PIECE, 3 * PIECE as u64));
        let left: Vec<_> = (1..=5).map(|call| first_byte(&mut snapshots, call)).collect();
        assert_eq!(left, [Some(1), None, Some(3), Some(4), Some(5)]);
        assert_eq!(snapshots.before(2).map(|kept| kept.call), Some(1));
    }

    #[test]
    fn contents_in_use_stay() {
        let mut snapshots = Snapshots::new(2 * PIECE, 0);
        assert!(add(&mut snapshots, 1, 1, &vec![1; PIECE]));
        assert!(add(&mut snapshots, 2, 2, &vec![2; PIECE]));
        let used = Arc::clone(snapshots.before(1).expect("kept"));
        assert!(!add(&mut snapshots, 3, 3, &vec![3; PIECE]), "no room");
        assert_eq!(snapshots.plane(&used.contents[0], 0).expect("readable")[0], 1);
        drop(used);
        assert!(add(&mut snapshots, 3, 3, &vec![3; PIECE]));
        assert_eq!(first_byte(&mut snapshots, 3), Some(3));
    }

    #[test]
    fn a_snapshot_before_a_query_does_not_reach_its_use() {
        let mut snapshots = Snapshots::new(PIECE, 0);
        for call in [10, 20, 30] {
            assert!(add(&mut snapshots, call, call, &[0]));
        }
        // A query begins at call 15; call 40 needs its result.
        snapshots.limit(15, 39);
        let before = |to| snapshots.before(to).map(|kept| kept.call);
        assert_eq!([before(39), before(40), before(14)], [Some(30), Some(10), Some(10)]);
    }
}
