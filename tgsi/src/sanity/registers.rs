//! Which registers are declared, and which are used.

use super::is_per_vertex;
use crate::declaration::SemanticName;
use crate::register::File;
use crate::shader::{Processor, Shader};
use os_shim::Vec;
use os_shim::memory::OutOfMemory;

/// What the first of two brackets must be.
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
    repeated: bool,
    /// The declaration's number.
    number: usize,
    primitive_id: bool,
}

/// What looking for a register finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    Declared,
    Missing,
    /// The idiom of geometry shaders: declared per vertex, read without.
    PrimitiveId,
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
                repeated: false,
                number,
                primitive_id: declaration
                    .semantic
                    .is_some_and(|semantic| semantic.name == SemanticName::PrimitiveId),
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

    /// Whether any register of `file` is declared.
    pub(super) fn has_file(&self, file: File) -> bool {
        self.files >> file.code() & 1 != 0
    }

    /// Whether a declaration before this one has one of its registers.
    pub(super) fn is_repeated(&self, number: usize) -> bool {
        self.range_of(number).is_some_and(|range| range.repeated)
    }

    fn range_of(&self, number: usize) -> Option<&Range> {
        self.ranges.get(*self.places.get(number)? as usize)
    }

    /// Looks a register up and notes that it is used. `any_outer`: the first bracket is
    /// computed, so that any will do.
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
                Some(true) => Lookup::PrimitiveId,
                _ => Lookup::Missing,
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

    /// Marks a register used. `None`: it is not declared; else whether it is `PRIM_ID`.
    fn mark(&mut self, file: File, outer: Outer, index: i32) -> Option<bool> {
        let index = u16::try_from(index).ok()?;
        let after = self
            .ranges
            .partition_point(|range| (range.file, range.outer, range.first) <= (file, outer, index));
        let range = *self.ranges.get(after.checked_sub(1)?)?;
        if (range.file, range.outer) != (file, outer) || index > range.last {
            return None;
        }
        set(&mut self.used, range.bit + usize::from(index - range.first));
        Some(range.primitive_id)
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

    /// The next run of registers of declaration `number`, from `from` on, that nothing uses.
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
    let mut last_key = None;
    let mut reach = 0;
    for range in ranges {
        let key = Some((range.file, range.outer));
        range.repeated = key == last_key && range.first <= reach;
        reach = if key == last_key { reach.max(range.last) } else { range.last };
        last_key = key;
    }
}

fn set(used: &mut [u32], bit: usize) {
    if let Some(word) = used.get_mut(bit / 32) {
        *word |= 1 << (bit % 32);
    }
}

/// How many vertices the first bracket of inputs and of outputs counts.
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
