//! The declared registers, and records of their use.

use super::is_per_vertex;
use crate::declaration::{Semantic, SemanticName};
use crate::register::File;
use crate::shader::{Processor, Shader};
use os_shim::Vec;
use os_shim::memory::OutOfMemory;

/// The first of two brackets, as a declaration requires it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outer {
    /// No first bracket.
    None,
    /// This constant or counter buffer.
    Buffer(u16),
    /// A vertex. Its number must be below the count of vertices.
    Vertex,
}

/// One declaration's registers.
#[derive(Clone, Copy)]
struct Range {
    file: File,
    outer: Outer,
    first: u16,
    last: u16,
    /// The use bit of `first`.
    bit: usize,
    /// Set if it shares a register with an earlier range in `ranges`.
    repeated: Repeated,
    /// The declaration's number.
    number: usize,
    semantic: Option<Semantic>,
}

/// The relation of a declaration to an earlier one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    No,
    /// It declares the same input or output again, perhaps with other components. Clients split
    /// varyings in this way.
    Alike,
    Differently,
}

/// The most overlapping declarations that are searched; well-behaved shaders have two.
const MAX_REPEATED: usize = 16;

/// The result of a register lookup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Declared,
    Missing,
    /// The idiom of geometry shaders: declared per vertex, read without a vertex.
    PrimitiveId,
    /// The idiom of tessellation control: declared per vertex, written without a vertex.
    OwnVertex,
    /// Shared memory under another index.
    Memory,
}

/// The declared registers, with one use bit per register.
pub(super) struct Declared<'m> {
    /// Sorted by file, outer, first.
    ranges: Vec<'m, Range>,
    /// The index in `ranges` of each declaration, by its number.
    places: Vec<'m, u32>,
    used: Vec<'m, u32>,
    files: u32,
    immediates: usize,
    /// The number of vertices for a first bracket of inputs and of outputs.
    vertices: [u32; 2],
}

impl<'m> Declared<'m> {
    pub(super) fn new(shader: &Shader<'m>) -> Result<Declared<'m>, OutOfMemory> {
        let memory = shader.memory();
        let declarations = shader.declarations();
        let mut ranges = Vec::try_with_capacity_in(declarations.len(), memory)?;
        let (mut bits, mut files) = (0usize, 0u32);
        for (number, declaration) in declarations.iter().enumerate() {
            files |= 1 << declaration.file.code();
            let range = Range {
                file: declaration.file,
                outer: match declaration.dimension {
                    _ if is_per_vertex(shader.processor(), declaration) => Outer::Vertex,
                    Some(buffer) => Outer::Buffer(buffer),
                    None => Outer::None,
                },
                first: declaration.first,
                last: declaration.last,
                bit: bits,
                repeated: Repeated::No,
                number,
                semantic: declaration.semantic,
            };
            bits = bits.saturating_add(declaration.count() as usize);
            ranges.try_push(range)?;
        }
        ranges.sort_unstable_by_key(|range: &Range| {
            (range.file, range.outer, range.first, range.number)
        });
        mark_repeated(&mut ranges);
        let mut places = Vec::try_filled_in(0, ranges.len(), memory)?;
        for (place, range) in ranges.iter().enumerate() {
            if let Some(slot) = places.get_mut(range.number) {
                *slot = place as u32;
            }
        }
        if !shader.immediates().is_empty() {
            files |= 1 << File::Immediate.code();
        }
        let used = Vec::try_filled_in(0, bits.div_ceil(32), memory)?;
        let immediates = shader.immediates().len();
        Ok(Declared { ranges, places, used, files, immediates, vertices: vertices(shader) })
    }

    /// Returns true if any register of `file` is declared.
    pub(super) fn has_file(&self, file: File) -> bool {
        self.files >> file.code() & 1 != 0
    }

    /// Returns the relation of a declaration to declarations that share registers with it.
    pub(super) fn repeated(&self, number: usize) -> Repeated {
        self.range_of(number).map_or(Repeated::No, |range| range.repeated)
    }

    fn range_of(&self, number: usize) -> Option<&Range> {
        self.ranges.get(*self.places.get(number)? as usize)
    }

    /// Looks a register up and marks it as used. `any_outer`: the first bracket is computed, so any
    /// buffer or vertex matches.
    #[expect(clippy::indexing_slicing, reason = "a bool is below 2")]
    pub(super) fn use_register(
        &mut self,
        file: File,
        dimension: Option<i32>,
        index: i32,
        any_outer: bool,
    ) -> Lookup {
        if file == File::Immediate {
            let declared = usize::try_from(index).is_ok_and(|index| index < self.immediates);
            return if declared { Lookup::Declared } else { Lookup::Missing };
        }
        if any_outer {
            return self.use_in_any(file, index);
        }
        let outer = match dimension {
            None => Outer::None,
            Some(dimension) => match u16::try_from(dimension) {
                Ok(buffer) => Outer::Buffer(buffer),
                Err(_) => return Lookup::Missing,
            },
        };
        if self.mark(file, outer, index).is_some() {
            return Lookup::Declared;
        }
        match (file, dimension) {
            (File::Constant, None) => self.found(file, Outer::Buffer(0), index),
            (File::Constant, Some(0)) => self.found(file, Outer::None, index),
            (File::Input | File::Output, Some(vertex)) => {
                let count = self.vertices[usize::from(file == File::Output)];
                match u32::try_from(vertex).is_ok_and(|vertex| vertex < count) {
                    true => self.found(file, Outer::Vertex, index),
                    false => Lookup::Missing,
                }
            }
            (File::Input, None) => match self.mark(file, Outer::Vertex, index) {
                Some(Some(SemanticName::PrimitiveId)) => Lookup::PrimitiveId,
                _ => Lookup::Missing,
            },
            (File::Output, None) => match self.mark(file, Outer::Vertex, index) {
                Some(_) => Lookup::OwnVertex,
                None => Lookup::Missing,
            },
            (File::Memory, None) if self.has_file(file) => {
                self.use_all(File::Memory);
                Lookup::Memory
            }
            _ => Lookup::Missing,
        }
    }

    fn found(&mut self, file: File, outer: Outer, index: i32) -> Lookup {
        match self.mark(file, outer, index) {
            Some(_) => Lookup::Declared,
            None => Lookup::Missing,
        }
    }

    /// Marks a register as used; returns its semantic, or `None` if it is not declared.
    fn mark(&mut self, file: File, outer: Outer, index: i32) -> Option<Option<SemanticName>> {
        let index = u16::try_from(index).ok()?;
        let after = self.ranges.partition_point(|range| {
            (range.file, range.outer, range.first) <= (file, outer, index)
        });
        let mut carried = None;
        let before = self.ranges.get(..after)?.iter().rev();
        // Overlapping declarations share their use.
        for range in before.take(MAX_REPEATED) {
            if (range.file, range.outer) != (file, outer) {
                break;
            }
            if index <= range.last {
                set(&mut self.used, range.bit + usize::from(index - range.first));
                carried = Some(range.semantic.map(|semantic| semantic.name));
            }
            if range.repeated == Repeated::No {
                break;
            }
        }
        carried
    }

    /// Marks the register as used in every buffer that has it.
    fn use_in_any(&mut self, file: File, index: i32) -> Lookup {
        let mut lookup = Lookup::Missing;
        for range in self.ranges.iter().filter(|range| range.file == file) {
            if i32::from(range.first) <= index && index <= i32::from(range.last) {
                let at = index.saturating_sub(range.first.into());
                set(&mut self.used, range.bit + usize::try_from(at).unwrap_or(0));
                lookup = Lookup::Declared;
            }
        }
        lookup
    }

    fn use_all(&mut self, file: File) {
        for range in self.ranges.iter().filter(|range| range.file == file) {
            set(&mut self.used, range.bit);
        }
    }

    /// Returns the next run of unused registers of declaration `number`, from `from` on.
    pub(super) fn unused(&self, number: usize, from: i32) -> Option<(i32, i32)> {
        let range = self.range_of(number)?;
        let is_used = |index: i32| {
            let at = usize::try_from(index.saturating_sub(range.first.into())).unwrap_or(0);
            let (word, bit) = ((range.bit + at) / 32, (range.bit + at) % 32);
            self.used.get(word).is_some_and(|word| word >> bit & 1 != 0)
        };
        let last = i32::from(range.last);
        let first = (from..=last).find(|&index| !is_used(index))?;
        let end = (first..=last).take_while(|&index| !is_used(index)).last()?;
        Some((first, end))
    }
}

/// Marks each range that shares a register with an earlier one.
fn mark_repeated(ranges: &mut [Range]) {
    // The earlier range with the last register.
    let mut furthest: Option<Range> = None;
    for range in ranges {
        let before =
            furthest.filter(|before| (before.file, before.outer) == (range.file, range.outer));
        range.repeated = match before {
            Some(before) if range.first <= before.last && says_the_same(&before, range) => {
                Repeated::Alike
            }
            Some(before) if range.first <= before.last => Repeated::Differently,
            _ => Repeated::No,
        };
        furthest = before.filter(|before| before.last >= range.last).or(Some(*range));
    }
}

fn says_the_same(a: &Range, b: &Range) -> bool {
    let (Some(of_a), Some(of_b)) = (a.semantic, b.semantic) else { return false };
    let index = |semantic: Semantic, range: &Range| {
        i32::from(semantic.index).saturating_sub(range.first.into())
    };
    matches!(a.file, File::Input | File::Output)
        && of_a.name == of_b.name
        && index(of_a, a) == index(of_b, b)
}

fn set(used: &mut [u32], bit: usize) {
    if let Some(word) = used.get_mut(bit / 32) {
        *word |= 1 << (bit % 32);
    }
}

/// Returns the number of vertices for the first bracket of inputs and of outputs.
fn vertices(shader: &Shader<'_>) -> [u32; 2] {
    let properties = shader.properties();
    match shader.processor() {
        Processor::Geometry => {
            let primitive = properties.input_primitive();
            [primitive.map_or(0, |primitive| primitive.vertices().into()), 0]
        }
        Processor::TessControl => [32, properties.tcs_vertices_out()],
        Processor::TessEval => [32, 0],
        _ => [0, 0],
    }
}
