//! Sections of a draw: runs of primitives that several threads draw independently, each with its
//! pipeline.
//!
//! A section is a range of one instance's indices, with the state of the assembler before the first
//! index, or a range of whole instances. The primitives of all sections, in order, are the draw's
//! primitives, bit by bit. A vertex that two sections use is shaded in both.

use crate::assemble::Assembler;
use crate::index::Indices;
use crate::state::{Draw, DrawState};
use core::convert::Infallible;
use core::ops::Range;
use pipe_core::PrimType;
use tgsi::declaration::SemanticName;

/// Sections of lists begin at multiples of this many indices: whole primitives in every list type.
const LIST_STEP: u32 = 12;

/// A run of primitives of a draw: see [`Sections`].
#[derive(Clone, Debug)]
pub struct Section {
    /// The numbers of its instances. It is one instance unless the section has all indices of its
    /// instances.
    pub(crate) instances: Range<u32>,
    /// The section's indices, counted from the draw's start.
    pub(crate) indices: Range<u32>,
    /// The assembler before the first of these indices.
    pub(crate) assembler: Assembler,
    /// Set if the section has the last index of its instances.
    pub(crate) ends: bool,
}

/// Cuts a draw into sections, in order.
///
/// ```
/// # use gallium_draw::{Draw, DrawState, IndexBytes, Limits, OutputModes, Pipeline, Sections};
/// # use pipe_core::PrimType;
/// # fn all<R: tgsi::exec::Lanes, S: gallium_draw::PrimitiveSink>(pipeline: &mut Pipeline<'_, R>,
/// #     state: &DrawState<'_>, sink: &mut S) -> Option<()> {
/// let draw = Draw::new(PrimType::TriangleStrip, 100_000);
/// // Each section may run on another thread, with another pipeline.
/// for section in Sections::new(state, &draw, 4096)? {
///     let resources = &mut tgsi::exec::NoResources;
///     pipeline.run_section(state, &draw, &section, sink, resources).ok()?;
/// }
/// # Some(())
/// # }
/// ```
#[derive(Clone)]
pub struct Sections<'a> {
    size: u32,
    count: u32,
    instance_count: u32,
    /// The indices from the next section's first index on.
    indices: Indices<'a>,
    /// The indices from the start of an instance on.
    start: Indices<'a>,
    bias: u32,
    restart: Option<u32>,
    instance: u32,
    first: u32,
    assembler: Assembler,
    /// The assembler at the start of an instance.
    fresh: Assembler,
    /// Set if primitives share no index, so that every group of indices is a primitive.
    is_list: bool,
}

impl<'a> Sections<'a> {
    /// Cuts `draw` into sections of up to `size` indices. Returns `None` for a draw that draws
    /// nothing, and for draws with dependent primitives: draws with stages after the vertex shader,
    /// with stippled lines, or with primitives that choose layer or viewport.
    pub fn new(state: &DrawState<'a>, draw: &Draw, size: u32) -> Option<Self> {
        let rasterizer = state.rasterizer;
        let chooses = state.program.outputs.iter().any(|output| {
            matches!(output.semantic.name, SemanticName::Layer | SemanticName::ViewportIndex)
        });
        if state.stages.is_some()
            || chooses
            || rasterizer.line_stipple_enable
            || rasterizer.rasterizer_discard
            || draw.count == 0
            || draw.instance_count == 0
        {
            return None;
        }
        // Positions of indices must not wrap.
        draw.start.checked_add(draw.count)?;
        let fresh = Assembler::new(draw.mode, rasterizer.flatshade_first)?;
        let (indices, bias, restart) = state.indices(draw, draw.start);
        Some(Sections {
            size: size.max(LIST_STEP) / LIST_STEP * LIST_STEP,
            count: draw.count,
            instance_count: draw.instance_count,
            indices,
            start: indices,
            bias,
            restart,
            instance: 0,
            first: 0,
            assembler: fresh.clone(),
            fresh,
            is_list: restart.is_none() && is_list(draw.mode),
        })
    }

    /// Advances the assembler over the next section's indices.
    fn skip(&mut self, count: u32) {
        if self.is_list {
            return;
        }
        let mut emit = |_| Ok::<(), Infallible>(());
        for _ in 0..count {
            let index = self.indices.take();
            let Ok(()) = if Some(index) == self.restart {
                self.assembler.finish(&mut emit)
            } else {
                self.assembler.push(index.wrapping_add(self.bias), &mut emit)
            };
        }
        self.assembler.forget_primitives();
    }

    /// Continues with the first index of an instance.
    fn enter_instance(&mut self, number: u32) {
        self.instance = number;
        self.first = 0;
        self.indices = self.start;
        self.assembler = self.fresh.clone();
    }
}

impl Iterator for Sections<'_> {
    type Item = Section;

    fn next(&mut self) -> Option<Section> {
        if self.instance >= self.instance_count {
            return None;
        }
        let left = self.count - self.first;
        let ends = left <= self.size;
        // Whole instances if several fit.
        let whole = if self.first == 0 { (self.size / self.count).max(1) } else { 1 };
        let last = self.instance.saturating_add(whole).min(self.instance_count);
        let end = if ends { self.count } else { self.first + self.size };
        let section = Section {
            instances: self.instance..last,
            indices: self.first..end,
            assembler: self.assembler.clone(),
            ends,
        };
        if ends {
            self.enter_instance(last);
        } else {
            self.skip(self.size);
            self.first = end;
        }
        Some(section)
    }
}

/// Returns true if primitives of this type share no index.
fn is_list(mode: PrimType) -> bool {
    use PrimType::*;
    matches!(mode, Points | Lines | Triangles | Quads | LinesAdjacency | TrianglesAdjacency)
}
