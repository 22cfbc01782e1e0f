//! Assembles groups of vertices from indices alone: points, lines and triangles, with or without
//! neighbours, and patches.

use crate::assemble::{Assembler, Primitive};
use crate::neighbours::NeighbourAssembler;
use core::convert::Infallible;
use heapless::Vec;
use pipe_core::PrimType;

/// Makes groups of the primitives that the assembler's method `step` emits.
macro_rules! groups_of {
    ($assembler:ident, $step:ident $(, $vertex:expr)?) => {{
        let mut pieces = Pieces::new();
        let mut emit = |piece| {
            let _ = pieces.push(piece);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = $assembler.$step($($vertex,)? &mut emit);
        plain(&pieces, $assembler)
    }};
}

/// The most vertices of a patch.
pub(crate) const MAX_PATCH: usize = 32;

/// A primitive over vertex indices.
pub(crate) struct Group {
    pub(crate) vertices: Vec<u32, MAX_PATCH>,
    pub(crate) shape: Shape,
}

/// The part of a primitive apart from its vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The primitive's number in its instance; a quad's two triangles share one.
    #[cfg_attr(not(feature = "stages"), expect(dead_code, reason = "stages read it"))]
    pub(crate) id: u32,
    /// As [`Primitive::provoking`], without counting neighbours. 0 in patches.
    pub(crate) provoking: u8,
    /// As [`Primitive::edges`].
    #[cfg_attr(not(feature = "stages"), expect(dead_code, reason = "stages read them"))]
    pub(crate) edges: u8,
}

/// The groups that a vertex completes: a quad is two triangles.
pub(crate) type Groups = Vec<Group, 2>;

/// Converts the index stream of an instance to groups.
#[derive(Clone)]
pub(crate) enum GroupAssembler {
    /// Points, lines and triangles, without neighbours.
    Plain(Assembler),
    /// Lines and triangles with their neighbours.
    Adjacent { assembler: NeighbourAssembler, first_provokes: bool, count: u32 },
    /// Patches of `size` vertices.
    Patches { size: u8, vertices: Vec<u32, MAX_PATCH>, count: u32 },
}

impl GroupAssembler {
    /// Starts a stream of `mode`, with adjacency if `neighbours` is set. Patches have `patch`
    /// vertices.
    pub(crate) fn new(mode: PrimType, patch: u8, first_provokes: bool, neighbours: bool) -> Self {
        if neighbours && let Some(assembler) = NeighbourAssembler::new(mode) {
            return GroupAssembler::Adjacent { assembler, first_provokes, count: 0 };
        }
        match Assembler::new(mode, first_provokes) {
            Some(assembler) => GroupAssembler::Plain(assembler),
            None => GroupAssembler::Patches {
                size: patch.clamp(1, MAX_PATCH as u8),
                vertices: Vec::new(),
                count: 0,
            },
        }
    }

    /// Returns the number of vertices of a group; the largest number if groups differ.
    #[cfg(feature = "stages")]
    pub(crate) fn size(&self, mode: PrimType) -> usize {
        match self {
            GroupAssembler::Plain(_) => match mode {
                PrimType::Points => 1,
                PrimType::Lines
                | PrimType::LineLoop
                | PrimType::LineStrip
                | PrimType::LinesAdjacency
                | PrimType::LineStripAdjacency => 2,
                _ => 3,
            },
            GroupAssembler::Adjacent { .. } => match mode {
                PrimType::LinesAdjacency | PrimType::LineStripAdjacency => 4,
                _ => 6,
            },
            GroupAssembler::Patches { size, .. } => usize::from(*size),
        }
    }

    /// Returns the number of whole primitives so far.
    #[cfg(feature = "stages")]
    pub(crate) fn primitives(&self) -> u64 {
        match self {
            GroupAssembler::Plain(assembler) => assembler.primitives(),
            GroupAssembler::Adjacent { count, .. } | GroupAssembler::Patches { count, .. } => {
                u64::from(*count)
            }
        }
    }

    /// Takes the next vertex; returns the groups that it completes.
    pub(crate) fn push(&mut self, vertex: u32) -> Groups {
        match self {
            GroupAssembler::Plain(assembler) => groups_of!(assembler, push, vertex),
            GroupAssembler::Adjacent { assembler, first_provokes, count } => {
                let group = assembler.push(vertex);
                whole(group.as_deref(), assembler.provoking(*first_provokes), count)
            }
            GroupAssembler::Patches { size, vertices, count } => {
                let _ = vertices.push(vertex);
                if vertices.len() < usize::from(*size) {
                    return Groups::new();
                }
                let vertices = core::mem::take(vertices);
                whole(Some(&vertices), 0, count)
            }
        }
    }

    /// Ends a strip, fan, loop or polygon and drops incomplete groups. The next vertex starts a new
    /// one.
    pub(crate) fn finish(&mut self) -> Groups {
        match self {
            GroupAssembler::Plain(assembler) => groups_of!(assembler, finish),
            GroupAssembler::Adjacent { assembler, first_provokes, count } => {
                let group = assembler.finish();
                whole(group.as_deref(), assembler.provoking(*first_provokes), count)
            }
            GroupAssembler::Patches { vertices, .. } => {
                vertices.clear();
                Groups::new()
            }
        }
    }
}

/// The points, lines and triangles that a vertex completes: at most two triangles.
type Pieces = Vec<Primitive<u32>, 2>;

/// Makes groups of the pieces of the primitive that the assembler made last.
fn plain(pieces: &Pieces, assembler: &Assembler) -> Groups {
    // All pieces of a quad or polygon have the number of the whole primitive.
    let id = assembler.primitives().saturating_sub(1) as u32;
    let group = |piece: &Primitive<u32>| {
        let Primitive { vertices, count, provoking, edges } = *piece;
        let vertices = vertices.into_iter().take(count.into()).collect();
        Group { vertices, shape: Shape { id, provoking, edges } }
    };
    pieces.iter().map(group).collect()
}

/// Makes a group of a whole primitive. All its edges belong to the draw.
fn whole(vertices: Option<&[u32]>, provoking: u8, count: &mut u32) -> Groups {
    let mut groups = Groups::new();
    if let Some(vertices) = vertices {
        let shape = Shape { id: *count, provoking, edges: Primitive::<u32>::STARTS | 0b111 };
        *count = count.wrapping_add(1);
        let _ = groups.push(Group { vertices: vertices.iter().copied().collect(), shape });
    }
    groups
}
