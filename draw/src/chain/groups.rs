//! The primitives that enter the chain: groups of vertices, from indices alone.

use crate::assemble::{Assembler, Primitive};
use crate::neighbours::NeighbourAssembler;
use core::convert::Infallible;
use heapless::Vec;
use pipe_core::PrimType;

/// Makes groups of the primitives that `step` has an assembler emit.
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
pub(super) struct Group {
    pub(super) vertices: Vec<u32, MAX_PATCH>,
    pub(super) shape: Shape,
}

/// The part of a primitive that is not its vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// The primitive's number in its instance: a quad's two triangles have one.
    pub(super) id: u32,
    /// As [`Primitive::provoking`].
    pub(super) provoking: u8,
    /// As [`Primitive::edges`].
    pub(super) edges: u8,
}

/// The groups that a vertex completes: a quad is two triangles.
pub(super) type Groups = Vec<Group, 2>;

/// Turns the index stream of an instance into groups.
#[derive(Clone)]
pub(super) enum GroupAssembler {
    /// Points, lines and triangles, without neighbours.
    Plain(Assembler),
    /// Lines and triangles with their neighbours.
    Adjacent { assembler: NeighbourAssembler, count: u32 },
    /// Patches of `size` vertices.
    Patches { size: u8, vertices: Vec<u32, MAX_PATCH>, count: u32 },
}

impl GroupAssembler {
    /// Starts a stream of `mode`, with neighbours if `neighbours`. Patches have `patch` vertices.
    pub(super) fn new(mode: PrimType, patch: u8, first_provokes: bool, neighbours: bool) -> Self {
        if neighbours && let Some(assembler) = NeighbourAssembler::new(mode) {
            return GroupAssembler::Adjacent { assembler, count: 0 };
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

    /// Returns the number of vertices of a group; the most, where groups differ.
    pub(super) fn size(&self, mode: PrimType) -> usize {
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
    pub(super) fn primitives(&self) -> u64 {
        match self {
            GroupAssembler::Plain(assembler) => assembler.primitives(),
            GroupAssembler::Adjacent { count, .. } | GroupAssembler::Patches { count, .. } => {
                u64::from(*count)
            }
        }
    }

    /// Takes the next vertex; returns the groups that it completes.
    pub(super) fn push(&mut self, vertex: u32) -> Groups {
        match self {
            GroupAssembler::Plain(assembler) => groups_of!(assembler, push, vertex),
            GroupAssembler::Adjacent { assembler, count } => {
                adjacent(assembler.push(vertex).as_deref(), count)
            }
            GroupAssembler::Patches { size, vertices, count } => {
                let _ = vertices.push(vertex);
                if vertices.len() < usize::from(*size) {
                    return Groups::new();
                }
                let vertices = core::mem::take(vertices);
                adjacent(Some(&vertices), count)
            }
        }
    }

    /// Ends a strip, fan, loop or polygon and drops incomplete groups; the next vertex starts anew.
    pub(super) fn finish(&mut self) -> Groups {
        match self {
            GroupAssembler::Plain(assembler) => groups_of!(assembler, finish),
            GroupAssembler::Adjacent { assembler, count } => {
                adjacent(assembler.finish().as_deref(), count)
            }
            GroupAssembler::Patches { vertices, .. } => {
                vertices.clear();
                Groups::new()
            }
        }
    }
}

/// The points, lines and triangles that a vertex completes: two triangles at most.
type Pieces = Vec<Primitive<u32>, 2>;

/// Makes groups of the pieces of the primitive that an assembler made last.
fn plain(pieces: &Pieces, assembler: &Assembler) -> Groups {
    // All pieces of a quad or polygon have the number of the whole.
    let id = assembler.primitives().saturating_sub(1) as u32;
    let group = |piece: &Primitive<u32>| {
        let Primitive { vertices, count, provoking, edges } = *piece;
        let vertices = vertices.into_iter().take(count.into()).collect();
        Group { vertices, shape: Shape { id, provoking, edges } }
    };
    pieces.iter().map(group).collect()
}

/// Makes a group of vertices that no edge or provoking vertex is known of.
fn adjacent(vertices: Option<&[u32]>, count: &mut u32) -> Groups {
    let mut groups = Groups::new();
    if let Some(vertices) = vertices {
        let shape = Shape { id: *count, provoking: 0, edges: Primitive::<u32>::STARTS | 0b111 };
        *count = count.wrapping_add(1);
        let _ = groups.push(Group { vertices: vertices.iter().copied().collect(), shape });
    }
    groups
}
