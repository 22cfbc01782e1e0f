//! The declared registers, and a note of those used.

use super::is_per_vertex;
use crate::declaration::{Semantic, SemanticName};
use crate::register::File;
use crate::shader::{Processor, Shader};
use os_shim::Vec;
use os_shim::memory::OutOfMemory;

/// The first of two brackets, as a declaration demands it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outer {
    /// There is none.
    None,
    /// This constant or counter buffer.
    Buffer(u16),
    /// A vertex, of so many.
    Vertex,
}

/// One declaration's registers.
#[derive(Clone, Copy)]
struct Range {
    file: File,
    outer: Outer,
    first: u16,
    last: u16,
    /// The bit of `first` among those of use.
    bit: usize,
    /// Shares a register with one before it in the order of `ranges`.
    repeated: Repeated,
    /// The declaration's number.
    number: usize,
    semantic: Option<Semantic>,
}

/// The relation of a declaration to one before it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Repeated {
    No,
    /// It says the same of an input or output, perhaps of other components. Clients split
    /// varyings so.
    Alike,
    Differently,
}

/// The most declarations that repeat each other to be looked at; honest shaders have two.
const MAX_REPEATED: usize = 16;

/// The result of looking a register up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Declared,
    Missing,
    /// The idiom of geometry shaders: declared per vertex, read without.
    PrimitiveId,
    /// The idiom of tessellation control: declared per vertex, written without.
    OwnVertex,
    /// Shared memory under another index.
    Memory,
}

/// The registers declared, with a bit each for their use.
pub(super) struct Declared<'m> {
    /// Sorted by file, outer, first.
    ranges: Vec<'m, Range>,
    /// The place in `ranges` of each declaration, by its number.
    places: Vec<'m, u32>,
    used: Vec<'m, u32>,
    files: u32,
    immediates: usize,
    /// Vertices that a first bracket counts: of inputs, of outputs.
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

    /// Tells if any register of `file` is declared.
    pub(super) fn has_file(&self, file: File) -> bool {
        self.files >> file.code() & 1 != 0
    }

    /// Returns the relation of a declaration to those with some of its registers.
    pub(super) fn repeated(&self, number: usize) -> Repeated {
        self.range_of(number).map_or(Repeated::No, |range| range.repeated)
    }

    fn range_of(&self, number: usize) -> Option<&Range> {
        self.ranges.get(*self.places.get(number)? as usize)
    }

    /// Looks a register up and notes that it is used. `any_outer`: the first bracket is
    /// computed, so that any will do.
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

    /// Marks a register used; returns its semantic, or `None` if it is not declared.
    fn mark(&mut self, file: File, outer: Outer, index: i32) -> Option<Option<SemanticName>> {
        let index = u16::try_from(index).ok()?;
        let after = self.ranges.partition_point(|range| {
            (range.file, range.outer, range.first) <= (file, outer, index)
        });
        let mut carried = None;
        let before = self.ranges.get(..after)?.iter().rev();
        // Declarations that repeat others share their use.
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

    /// Marks the register used in every buffer that has it.
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

    /// Returns the next run of registers of declaration `number`, from `from` on, that nothing
    /// uses.
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

/// Marks each range that shares a register with one before it.
fn mark_repeated(ranges: &mut [Range]) {
    // The range before that reaches furthest.
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

/// Returns the vertices that the first bracket of inputs, and of outputs, counts.
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
