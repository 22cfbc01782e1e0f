//! Ops beyond arithmetic, branches and textures: for vertices, other lanes, memory.

use super::Resources;
use super::lanes::{Lanes, Mask};
use super::memory::memory;
use super::op::{LaneMask, Op, OpCode};
use super::program::{InputAt, Output, Program, Row, Space};
use super::wide::wide;

/// The owner of a register that exists per vertex or per patch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VertexPlace {
    /// An input of a vertex of the primitive or patch.
    Input,
    /// An output of a vertex of the patch that tessellation control makes.
    Output,
    /// As `Output`, for the vertex that the invocation writes.
    OwnOutput,
    /// An output of the patch as a whole.
    Patch,
}

/// One component of a register of a vertex, for every lane of a batch.
#[derive(Clone, Copy, Debug)]
pub struct VertexRequest<'a, R> {
    /// The owner of the register.
    pub place: VertexPlace,
    /// The component, 0 to 3.
    pub component: u8,
    /// The lanes that ask.
    pub live: Mask,
    register: i32,
    registers: &'a R,
    vertex: i32,
    vertices: &'a R,
}

impl<R: Lanes> VertexRequest<'_, R> {
    /// Returns the register that a lane asks for. It may be any number if the shader computes it.
    pub fn register(&self, lane: usize) -> i32 {
        let computed = self.registers.as_slice().get(lane).copied().unwrap_or(0);
        self.register.wrapping_add(computed as i32)
    }

    /// Returns the vertex of the primitive or patch that a lane asks for, if there are several. It
    /// may be any number if the shader computes it.
    pub fn vertex(&self, lane: usize) -> i32 {
        let computed = self.vertices.as_slice().get(lane).copied().unwrap_or(0);
        self.vertex.wrapping_add(computed as i32)
    }

    /// Returns the register and vertex that all lanes ask for; `None` if lanes ask for different
    /// ones or no lane asks. Shaders that loop over the vertices of a primitive ask for the same
    /// one.
    pub fn uniform(&self) -> Option<(i32, i32)> {
        let first = self.lanes().next()?;
        let (register, vertex) = (self.register(first) as u32, self.vertex(first) as u32);
        let (own_register, own_vertex) = (self.register as u32, self.vertex as u32);
        let differ = |asks: fn(Mask, usize) -> u32| {
            let lanes = self.registers.as_slice().iter().zip(self.vertices.as_slice()).enumerate();
            lanes.fold(0, |differ, (lane, (registers, vertices))| {
                let registers = registers.wrapping_add(own_register) ^ register;
                let vertices = vertices.wrapping_add(own_vertex) ^ vertex;
                differ | (registers | vertices) & asks(self.live, lane)
            })
        };
        // Usually, lanes that do not ask hold the same numbers.
        let are_alike = differ(|_, _| u32::MAX) == 0
            || differ(|live, lane| ((live >> lane & 1) as u32).wrapping_neg()) == 0;
        are_alike.then_some((register as i32, vertex as i32))
    }

    /// Returns the lanes that ask, in ascending order.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<R> {
        let live = self.live;
        (0..R::COUNT).filter(move |&lane| live >> lane & 1 != 0)
    }
}

/// The outputs of emitted vertices, one vertex per lane.
#[derive(Clone, Copy, Debug)]
pub struct Emitted<'a, R> {
    /// The registers; registers of other streams keep their values.
    pub outputs: &'a [Output],
    /// The rows that they name.
    pub rows: &'a [R],
    /// The lanes that emit.
    pub live: Mask,
    /// The stream, 0 to 3.
    pub stream: u32,
}

/// The place in the pixel where an input is evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InputPlace {
    /// A covered position.
    Centroid,
    /// The position of a sample.
    Sample,
    /// An offset from the pixel's centre.
    Offset,
}

/// An input to evaluate at another place, for every lane of a batch.
#[derive(Clone, Copy, Debug)]
pub struct InterpolateRequest<'a, R> {
    /// The register, `IN[register]`.
    pub register: u16,
    /// The place in the pixel.
    pub place: InputPlace,
    /// `Sample`: the sample's number, an integer, in x. `Offset`: pixels along x and y, floats.
    pub at: [&'a R; 2],
    /// The lanes that ask, including helpers.
    pub live: Mask,
}

/// The state that ops beyond arithmetic and branches work on.
pub(super) struct Reach<'a, 'p, R: Lanes> {
    pub(super) program: &'a Program<'p>,
    pub(super) rows: &'a mut [R],
    pub(super) exec: Mask,
    pub(super) live: Mask,
    pub(super) constants: &'a [&'a [u8]],
    pub(super) resources: &'a mut dyn Resources<R>,
}

impl<R: Lanes> Reach<'_, '_, R> {
    fn row(&self, row: Row) -> Option<&R> {
        self.rows.get(row.index()?)
    }

    /// Returns the value of a row in the first running lane.
    fn first(&self, row: Row) -> Option<u32> {
        let lane = self.exec.trailing_zeros() as usize;
        Some(self.row(row)?.as_slice().get(lane).copied().unwrap_or(0))
    }

    /// Runs an op of the group `shader-stages`. `None`: it names rows or entries that the program
    /// does not have.
    #[inline(never)]
    pub(super) fn stage_op(&mut self, op: &Op) -> Option<()> {
        match op.code {
            OpCode::LoadVertex => {
                let mut out = R::ZERO;
                let request = vertex_request(op, self.program, self.rows, self.exec)?;
                self.resources.load_vertex(&request, &mut out);
                *self.rows.get_mut(op.dst.index()?)? = out;
            }
            OpCode::StoreVertex => {
                let lanes = self.exec & self.live;
                let request = vertex_request(op, self.program, self.rows, lanes)?;
                self.resources.store_vertex(&request, self.rows.get(op.c.index()?)?);
            }
            OpCode::Emit => {
                let stream = self.first(op.a)?;
                self.resources.emit(&Emitted {
                    outputs: self.program.outputs,
                    rows: self.rows,
                    live: self.exec & self.live,
                    stream,
                });
            }
            _ => {
                let stream = self.first(op.a)?;
                self.resources.end_primitive(stream, self.exec & self.live);
            }
        }
        Some(())
    }

    /// Runs an op of the group `memory`. `None`: it names rows or entries that the program does not
    /// have.
    #[inline(never)]
    pub(super) fn memory_op(&mut self, op: &Op) -> Option<()> {
        let access = self.program.memory.get(usize::from(op.aux))?;
        memory(access, self.rows, [self.exec, self.live], self.constants, self.resources)
    }

    /// Runs an op of the group `doubles`. `None`: it names rows or entries that the program does
    /// not have.
    #[inline(never)]
    pub(super) fn wide_op(&mut self, op: &Op) -> Option<()> {
        wide(self.program.wides.get(usize::from(op.aux))?, self.rows)
    }

    /// Runs an op of the group `lanes`. `None`: it names rows or entries that the program does not
    /// have.
    #[inline(never)]
    pub(super) fn lane_op(&mut self, op: &Op) -> Option<()> {
        let exec = self.exec;
        if op.code == OpCode::Interpolate {
            return self.interpolate(self.program.inputs_at.get(usize::from(op.aux))?);
        }
        let a = *self.row(op.a)?;
        let set = || exec & nonzero(&a);
        let mask = |condition: bool| R::splat(if condition { !0 } else { 0 });
        let first = self.first(op.a)?;
        let result = match op.code {
            OpCode::VoteAny => mask(set() != 0),
            OpCode::VoteAll => mask(set() == exec),
            OpCode::VoteEqual => {
                let mut lanes = (0..R::COUNT).filter(|lane| exec >> lane & 1 != 0);
                mask(lanes.all(|lane| a.as_slice().get(lane) == Some(&first)))
            }
            OpCode::BallotLow => R::splat(set() as u32),
            OpCode::BallotHigh => R::splat((set() >> 32) as u32),
            OpCode::ReadFirst => R::splat(first),
            OpCode::ReadInvocation => {
                let invocations = *self.row(op.b)?;
                lanes(|lane| {
                    let from =
                        invocations.as_slice().get(lane).map_or(usize::MAX, |&at| at as usize);
                    a.as_slice().get(from).copied().unwrap_or(0)
                })
            }
            OpCode::ReadHelper => lanes(|lane| if self.live >> lane & 1 == 0 { !0 } else { 0 }),
            OpCode::LaneCount => R::splat(R::COUNT as u32),
            OpCode::LaneNumber => lanes(|lane| lane as u32),
            OpCode::LaneMask => {
                let mask = LaneMask::from_bits_truncate(op.aux);
                lanes(|lane| mask.word(lane, R::COUNT))
            }
            _ => {
                let time = self.resources.clock();
                *self.rows.get_mut(op.b.index()?)? = R::splat((time >> 32) as u32);
                R::splat(time as u32)
            }
        };
        *self.rows.get_mut(op.dst.index()?)? = result;
        Some(())
    }

    fn interpolate(&mut self, input: &InputAt) -> Option<()> {
        let zero = R::ZERO;
        let row = |row: Row| match row.index() {
            None => Some(&zero),
            Some(index) => self.rows.get(index),
        };
        let mut out = [zero; 4];
        for (out, plain) in out.iter_mut().zip(input.plain) {
            *out = *row(plain)?;
        }
        let request = InterpolateRequest {
            register: input.register,
            place: input.place,
            at: [row(input.at[0])?, row(input.at[1])?],
            live: self.exec,
        };
        self.resources.interpolate(&request, &mut out);
        for (row, value) in input.dst.into_iter().zip(out) {
            if let Some(index) = row.index() {
                *self.rows.get_mut(index)? = value;
            }
        }
        Some(())
    }
}

/// Returns the request of a `LoadVertex` or `StoreVertex` op.
fn vertex_request<'a, R>(
    op: &Op,
    program: &Program<'_>,
    rows: &'a [R],
    live: Mask,
) -> Option<VertexRequest<'a, R>> {
    let access = program.accesses.get(usize::from(op.aux))?;
    let Space::Vertices { place, vertex } = access.space else { return None };
    Some(VertexRequest {
        place,
        component: access.component,
        live,
        register: access.index,
        registers: rows.get(op.a.index()?)?,
        vertex: vertex.into(),
        vertices: rows.get(op.b.index()?)?,
    })
}

/// Returns the lanes with a value that is not 0.
fn nonzero<R: Lanes>(row: &R) -> Mask {
    let lanes = row.as_slice().iter().enumerate();
    lanes.fold(0, |mask, (lane, &value)| mask | Mask::from(value != 0) << lane)
}

/// Returns the row that holds `value` of each lane.
fn lanes<R: Lanes>(value: impl Fn(usize) -> u32) -> R {
    let mut row = R::ZERO;
    for (lane, slot) in row.as_mut_slice().iter_mut().enumerate() {
        *slot = value(lane);
    }
    row
}
