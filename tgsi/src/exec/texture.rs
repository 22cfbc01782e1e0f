//! Texture lookups: the executor sends requests to the owner of the textures.

use super::lanes::{Lanes, Mask};
use super::memory::MemoryRequest;
use super::program::{Row, Sample};
use super::stages::{Emitted, InterpolateRequest, VertexRequest};
use crate::shader::{Processor, TextureTarget};

/// The kind of a texture lookup.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// The level of detail comes from the quad's coordinates.
    Implicit,
    /// As `Implicit`, plus `lod`.
    Bias,
    /// At level of detail `lod`; at level 0 without `lod`.
    Lod,
    /// The level of detail comes from `ddx` and `ddy`.
    Gradient,
    /// One texel. Coordinates, layer and level are integers. `lod` is the level, or the sample's
    /// index in multisampled targets. No sampler.
    Fetch,
    /// Component `component` of the four texels that bilinear filtering would weight; for shadow
    /// targets four comparisons. In order (i0, j1), (i1, j1), (i1, j0), (i0, j0).
    Gather,
    /// x: the level that would be read; y: the level of detail before clamping.
    LodQuery,
    /// The size of level `lod` (an integer). x, y, z: size, with layers of arrays last; w: number
    /// of levels.
    SizeQuery,
    /// x: number of samples; 1 if texels have one sample. With the view [`RENDER_TARGET`]: the
    /// render target's number of samples.
    SampleCount,
    /// x, y: position of sample `lod` (an integer) in the pixel, from 0 to 1.
    SamplePosition,
}

/// The view of lookups that query the render target.
pub const RENDER_TARGET: u16 = u16::MAX;

/// The slot number that stands for a bindless handle; the request has the handle in its place.
pub const HANDLE: u16 = u16::MAX - 1;

/// The first number that a bindless handle may have; lower numbers are slots.
pub const FIRST_HANDLE: u32 = 1 << 16;

/// The handle that `SAMP2HND` and `IMG2HND` return for slot 0; the handles of further slots follow.
pub(crate) const SLOT_HANDLES: u32 = 1 << 31;

/// One lookup for every lane of a batch.
#[derive(Clone, Copy)]
pub struct SampleRequest<'a, R> {
    /// The view's slot. It may be any number if the shader computes it. From [`FIRST_HANDLE`] on it
    /// is a bindless handle's low word, which may also be any number.
    pub view: u32,
    /// The sampler's slot or handle.
    pub sampler: u32,
    /// The shape that the shader expects.
    pub target: TextureTarget,
    /// The kind of lookup.
    pub kind: SampleKind,
    /// s, t and r; zero for coordinates that the target lacks. Floats, already divided by the
    /// projector; integers for `Fetch`. Cubes have a direction.
    pub coord: [&'a R; 3],
    /// The layer of arrays (the cube of cube arrays): a float to be rounded (`floor(l + 0.5)`) and
    /// clamped; an integer for `Fetch`.
    pub layer: Option<&'a R>,
    /// The reference value of shadow targets, a float.
    pub compare: Option<&'a R>,
    /// Bias or level of detail (float), or level (integer), depending on the kind.
    pub lod: Option<&'a R>,
    /// Derivatives of the coordinates along x; zero if missing.
    pub ddx: [&'a R; 3],
    /// Derivatives of the coordinates along y; zero if missing.
    pub ddy: [&'a R; 3],
    /// The offset in texels, added before wrapping.
    pub offset: [i8; 3],
    /// The component that `Gather` reads, 0 to 3.
    pub component: u8,
    /// The running lanes, including helpers of quads. Results of further lanes are never read.
    pub live: Mask,
}

/// Everything that a shader accesses beyond its registers. Every method has a default.
pub trait Resources<R: Lanes> {
    /// Samples a texture: fills x, y, z and w of every lane of `request.live`. `out` is zeroed
    /// before the call; leave it zeroed for an empty slot.
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let _ = (request, out);
    }

    /// Samples a texture like [`sample`](Resources::sample), directly from rows of the register
    /// file to rows. Returns false, without writing, if the executor must call `sample` instead.
    ///
    /// The executor tries this method first for wide rows, which take long to copy, if units and
    /// offsets are constants.
    fn sample_rows(&mut self, sample: &Sample, rows: &mut [R]) -> bool {
        let _ = (sample, rows);
        false
    }

    /// Executes loads, stores and atomics for the lanes of `request.live`.
    /// [`MemoryRequest::access`] does this for bytes. `out` is zeroed before the call; addresses
    /// out of range read 0 and are not written.
    fn memory(&mut self, request: &MemoryRequest<'_, R>, out: &mut [R; 4]) {
        let _ = (request, out);
    }

    /// Evaluates an input at another place in the pixel. `out` holds the input's rows before the
    /// call.
    fn interpolate(&mut self, request: &InterpolateRequest<'_, R>, out: &mut [R; 4]) {
        let _ = (request, out);
    }

    /// Loads a component of a vertex register, for the lanes of `request.live`. `out` is zeroed
    /// before the call.
    fn load_vertex(&mut self, request: &VertexRequest<'_, R>, out: &mut R) {
        let _ = (request, out);
    }

    /// Stores a component of a register of a vertex or patch, in the lanes of `request.live`.
    fn store_vertex(&mut self, request: &VertexRequest<'_, R>, values: &R) {
        let _ = (request, values);
    }

    /// Emits a vertex in some lanes of a geometry program. Implementations must drop vertices
    /// beyond `GS_MAX_OUTPUT_VERTICES` and end primitives that are open when the program ends.
    fn emit(&mut self, vertex: &Emitted<'_, R>) {
        let _ = vertex;
    }

    /// Ends the primitive of a stream in the lanes of `live`.
    fn end_primitive(&mut self, stream: u32, live: Mask) {
        let _ = (stream, live);
    }

    /// Returns true if the program must stop at once, with
    /// [`ExecError::Stopped`](super::ExecError).
    ///
    /// With the feature `budget` the executor calls it at least every few thousand ops, after each
    /// lookup, and at the end of each batch. `units` is the work of the ops since the last call,
    /// one unit per arithmetic op for a batch. Lookups count only the cost of the call.
    fn stopped(&mut self, units: u32) -> bool {
        let _ = units;
        false
    }

    /// Runs a segment of [generated](super::Generated) code for the lanes of `exec`. Returns its
    /// units of work, or `None` if there is no such segment.
    #[cfg(feature = "generated")]
    fn segment(&mut self, segment: u16, rows: &mut [R], exec: Mask) -> Option<u32> {
        let _ = (segment, rows, exec);
        None
    }

    /// Returns the time, in units that the implementation chooses; it never decreases.
    fn clock(&mut self) -> u64 {
        0
    }

    /// Announces the stage of the programs that run from now on; before the first call it is the
    /// vertex stage. Draws with several vertex stages alternate between them.
    fn enter_stage(&mut self, stage: Processor) {
        let _ = stage;
    }

    /// Announces the batch of a group that runs from now on; see [`run_group`](super::run_group).
    fn enter_batch(&mut self, batch: usize) {
        let _ = batch;
    }
}

/// No resources: lookups and loads return 0, interpolation keeps the inputs' values, the clock
/// stays at 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResources;

impl<R: Lanes> Resources<R> for NoResources {}

/// Iterates over groups of lanes that agree in `N` rows, such as units and offsets.
pub(super) struct Groups<'a, R, const N: usize> {
    rows: [&'a R; N],
    /// Set if lanes may differ.
    computed: bool,
    left: Mask,
    first: bool,
}

impl<'a, R: Lanes, const N: usize> Groups<'a, R, N> {
    /// Groups the lanes of `live`. They form one group unless the rows are `computed`.
    pub(super) fn new(rows: [&'a R; N], computed: bool, live: Mask) -> Groups<'a, R, N> {
        Groups { rows, computed, left: live, first: true }
    }

    /// Returns the values of the next group in the rows, and its lanes.
    pub(super) fn next(&mut self) -> Option<([u32; N], Mask)> {
        if self.left == 0 && !self.first {
            return None;
        }
        self.first = false;
        let lane = self.left.trailing_zeros() as usize;
        let (mut values, mut lanes) = ([0; N], self.left);
        for (value, row) in values.iter_mut().zip(self.rows) {
            let row = row.as_slice();
            *value = row.get(lane).copied().unwrap_or(0);
            if self.computed {
                let same = row.iter().enumerate();
                lanes &= same.fold(0, |mask, (lane, it)| mask | Mask::from(it == value) << lane);
            }
        }
        self.left &= !lanes;
        Some((values, lanes))
    }

    /// Copies the results of some lanes into the results of the whole batch.
    pub(super) fn merge(&self, out: &mut [R; 4], part: [R; 4], lanes: Mask) {
        if !self.computed {
            *out = part;
            return;
        }
        for (out, part) in out.iter_mut().zip(part) {
            let values = out.as_mut_slice().iter_mut().zip(part.as_slice()).enumerate();
            for (_, (out, part)) in values.filter(|(lane, _)| lanes >> lane & 1 != 0) {
                *out = *part;
            }
        }
    }
}

/// Executes the lookup of an op. `None`: the table names rows that do not exist.
pub(super) fn sample<R: Lanes>(
    sample: &Sample,
    rows: &mut [R],
    live: Mask,
    resources: &mut dyn Resources<R>,
) -> Option<()> {
    let units = [sample.view_row, sample.sampler_row];
    let is_constant = units == [Row::NONE; 2] && sample.offset_rows == [Row::NONE; 3];
    if R::COUNT > 16 && is_constant && resources.sample_rows(sample, rows) {
        return Some(());
    }
    let [zero, _] = R::ZERO_AND_ONE;
    let mut out = [R::ZERO; 4];
    let first = live.trailing_zeros() as usize;
    let row = |row: Row| match row.index() {
        None => Some(zero),
        Some(index) => rows.get(index),
    };
    let optional = |row: Row| match row.index() {
        None => Some(None),
        Some(index) => rows.get(index).map(Some),
    };
    // A component applies to the whole batch: take it from the first running lane.
    let uniform = |at: Row| row(at).map(|row| row.as_slice().get(first).copied().unwrap_or(0));
    let three = |rows: [Row; 3]| Some([row(rows[0])?, row(rows[1])?, row(rows[2])?]);
    let mut request = SampleRequest {
        view: sample.view.into(),
        sampler: sample.sampler.into(),
        target: sample.target,
        kind: sample.kind,
        coord: three(sample.coord)?,
        layer: optional(sample.layer)?,
        compare: optional(sample.compare)?,
        lod: optional(sample.lod)?,
        ddx: three(sample.ddx)?,
        ddy: three(sample.ddy)?,
        offset: sample.offset,
        component: sample.component.wrapping_add(uniform(sample.component_row)? as u8) & 3,
        live,
    };
    if is_constant {
        resources.sample(&request, &mut out);
    } else {
        let [x, y, z] = three(sample.offset_rows)?;
        let [view, sampler] = units;
        let mut groups = Groups::new([row(view)?, row(sampler)?, x, y, z], true, live);
        while let Some(([to_view, to_sampler, offset @ ..], live)) = groups.next() {
            let mut part = [R::ZERO; 4];
            if view != Row::NONE {
                request.view = unit_number(sample.view, to_view);
            }
            if sampler != Row::NONE {
                request.sampler = unit_number(sample.sampler, to_sampler);
            }
            for ((sum, own), more) in request.offset.iter_mut().zip(sample.offset).zip(offset) {
                *sum = own.wrapping_add(more as i8);
            }
            request.live = live;
            resources.sample(&request, &mut part);
            groups.merge(&mut out, part, live);
        }
    }
    // Iterate by reference: an iterator over the rows themselves would copy all of them first.
    for (row, value) in sample.dst.into_iter().zip(&out) {
        if let Some(index) = row.index() {
            *rows.get_mut(index)? = *value;
        }
    }
    Some(())
}

/// Returns slot `base` + `offset`, or a number that no slot has. If `base` is [`HANDLE`], returns
/// the slot or handle in `offset`.
pub(super) fn unit_number(base: u16, offset: u32) -> u32 {
    match base {
        HANDLE if (FIRST_HANDLE..SLOT_HANDLES).contains(&offset) => offset,
        HANDLE => offset.wrapping_sub(SLOT_HANDLES).min(HANDLE.into()),
        base => u32::from(base).wrapping_add(offset).min(u16::MAX.into()),
    }
}
