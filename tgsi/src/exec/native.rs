//! Native bodies of programs: the types that `tgsi!(native; …)` fills in, and the functions that
//! its code calls.
//!
//! A native body computes the same bits in the same rows as interpreting [`Program::body`]. Loops
//! over lanes keep values in registers from op to op, masks are variables, branches are branches.
//! Ops that access more than rows call the interpreter's functions.

use super::features::INTERPRETER;
use super::lanes::{Lanes, Mask, vectorize};
use super::program::{Op, Program};
use super::{Batch, ExecError, NO_INTERPRETER, access, alu, texture};
use core::cell::Cell;

#[doc(hidden)]
pub use super::{lanes::Ops, scalar};

/// The body of a program for one lane width.
pub type Body<R> = fn(Ops<'_, R>) -> Result<(), ExecError>;

/// The most input components that a [`Pixel`] reads: four inputs of four components.
pub const PIXEL_INPUTS: usize = 16;

/// The body of a fragment program for one pixel.
///
/// The first argument holds one lane of each of the program's rows after
/// [`prepare`](super::prepare). The second holds the components of its inputs, four per input in
/// the order of [`Program::inputs`](super::Program::inputs). The result is the colour, as bits of
/// f32. It is 0 if there are fewer rows than the program has.
pub type Pixel = fn(&[u32], &[u32; PIXEL_INPUTS]) -> [u32; 4];

/// The preamble of a program, on rows with one value in all lanes.
pub type Preamble = fn(&mut dyn Same);

/// Rows that hold one value in all lanes.
#[doc(hidden)]
pub trait Same {
    /// Returns the value of a row; 0 if there is no such row.
    fn get(&self, row: usize) -> u32;

    /// Writes every lane of a row.
    fn set(&mut self, row: usize, bits: u32);
}

/// A register file, used as rows that hold one value in all lanes.
pub(super) struct SameLanes<'r, R>(pub(super) &'r mut [R]);

impl<R: Lanes> Same for SameLanes<'_, R> {
    fn get(&self, row: usize) -> u32 {
        self.0.get(row).and_then(|row| row.as_slice().first()).copied().unwrap_or(0)
    }

    fn set(&mut self, row: usize, bits: u32) {
        if let Some(row) = self.0.get_mut(row) {
            *row = R::splat(bits);
        }
    }
}

/// The native bodies of a program by lane width. Widths without a body are interpreted.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    /// For 4 lanes.
    pub lanes4: Option<Body<[u32; 4]>>,
    /// For 16 lanes.
    pub lanes16: Option<Body<[u32; 16]>>,
    /// For 64 lanes.
    pub lanes64: Option<Body<[u32; 64]>>,
    /// For one pixel.
    pub pixel: Option<Pixel>,
    /// The preamble.
    pub preamble: Option<Preamble>,
    /// True if a body calls the interpreter for some of its ops.
    pub interprets: bool,
}

impl Native {
    /// No native code: the whole program is interpreted.
    pub const NONE: Native = Native {
        lanes4: None,
        lanes16: None,
        lanes64: None,
        pixel: None,
        preamble: None,
        interprets: false,
    };
}

impl Program<'_> {
    /// Returns true if the program runs with these lanes without the interpreter.
    pub fn runs<R: Lanes>(&self) -> bool {
        let native = &self.native;
        self.prepares() && R::native(native).is_some() && !native.interprets
    }

    /// Returns true if [`prepare`](super::prepare) does not need the interpreter.
    pub fn prepares(&self) -> bool {
        self.preamble.is_empty() || self.native.preamble.is_some()
    }
}

/// Runs a native body with the best available vector instructions.
#[doc(hidden)]
#[inline(always)]
pub fn run<R: Lanes>(
    ops: Ops<'_, R>,
    body: impl FnOnce(&mut State<'_, R>) -> Result<(), ExecError>,
) -> Result<(), ExecError> {
    let Ops { program, ops, rows, batch, constants, resources } = ops;
    let Batch { exec, live, turns, .. } = *batch;
    let reach = Ops { program, ops, rows, batch: &mut *batch, constants, resources };
    let mut state = State { exec, live, turns, reach };
    vectorize::<R, _>(
        #[inline(always)]
        || body(&mut state),
    )?;
    let State { exec, live, turns, .. } = state;
    *batch = Batch { next: program.body.len(), exec, live, turns, finished: true };
    Ok(())
}

/// The state of a native body: masks, and the interpreter's arguments.
#[doc(hidden)]
pub struct State<'a, R> {
    /// The running lanes.
    pub exec: Mask,
    /// The lanes with results that count.
    pub live: Mask,
    turns: u32,
    reach: Ops<'a, R>,
}

impl<R: Lanes> State<'_, R> {
    /// Returns the first `ROWS` rows of the register file.
    ///
    /// # Errors
    /// The file has fewer rows.
    #[inline(always)]
    pub fn rows<const ROWS: usize>(&mut self) -> Result<&mut [R; ROWS], ExecError> {
        let given = self.reach.rows.len();
        self.reach.rows.first_chunk_mut().ok_or(ExecError::Rows { needed: ROWS, given })
    }

    /// Counts a turn of a loop.
    ///
    /// # Errors
    /// The turns exceed the program's budget.
    #[inline(always)]
    pub fn turn(&mut self) -> Result<(), ExecError> {
        let limit = self.reach.program.loop_budget;
        self.turns = self.turns.checked_sub(1).ok_or(ExecError::Budget { limit })?;
        Ok(())
    }

    #[inline(always)]
    fn op(&self, at: usize) -> Result<&'_ Op, ExecError> {
        self.reach.ops.get(at).ok_or(malformed(at))
    }

    /// Runs the texture lookup of op `at`.
    ///
    /// # Errors
    /// The body was made from another program.
    #[inline(always)]
    pub fn sample(&mut self, at: usize) -> Result<(), ExecError> {
        let aux = usize::from(self.op(at)?.aux);
        let Ops { program, rows, resources, .. } = &mut self.reach;
        let sample = program.samples.get(aux);
        sample
            .and_then(|sample| texture::sample(sample, rows, self.exec, *resources))
            .ok_or(malformed(at))
    }

    /// Runs the read at a computed address of op `at`.
    ///
    /// # Errors
    /// As for `sample`.
    #[inline(always)]
    pub fn gather(&mut self, at: usize) -> Result<(), ExecError> {
        let op = *self.op(at)?;
        let Ops { program, rows, constants, .. } = &mut self.reach;
        let access = program.accesses.get(usize::from(op.aux));
        access.and_then(|access| access::gather(&op, access, rows, constants)).ok_or(malformed(at))
    }

    /// Runs the write to a computed address of op `at`.
    ///
    /// # Errors
    /// As for `sample`.
    #[inline(always)]
    pub fn scatter(&mut self, at: usize) -> Result<(), ExecError> {
        let op = *self.op(at)?;
        let Ops { program, rows, .. } = &mut self.reach;
        let access = program.accesses.get(usize::from(op.aux));
        access.and_then(|access| access::scatter(&op, access, rows, self.exec)).ok_or(malformed(at))
    }

    /// Runs the derivative of op `at`.
    ///
    /// # Errors
    /// As for `sample`.
    #[inline(always)]
    pub fn derivative(&mut self, at: usize) -> Result<(), ExecError> {
        let op = *self.op(at)?;
        let cells = Cell::from_mut(&mut *self.reach.rows).as_slice_of_cells();
        let row = |row: usize| cells.get(row).ok_or(malformed(at));
        alu::derivative(op.code, row(op.dst.0.into())?, row(op.a.0.into())?);
        Ok(())
    }

    /// Runs op `at` by the interpreter. The op neither jumps nor changes the running lanes.
    ///
    /// # Errors
    /// The interpreter's error.
    pub fn step(&mut self, at: usize) -> Result<(), ExecError> {
        if !INTERPRETER {
            return Err(NO_INTERPRETER);
        }
        let Ops { program, ops, rows, constants, resources, .. } = &mut self.reach;
        let (exec, live, turns) = (self.exec, self.live, self.turns);
        let mut batch = Batch { next: at, exec, live, turns, finished: false };
        let ops = ops.get(..=at).ok_or(malformed(at))?;
        let batch_now = &mut batch;
        R::run_ops(Ops { program, ops, rows, batch: batch_now, constants, resources: *resources })?;
        self.live = batch.live;
        Ok(())
    }
}

fn malformed(at: usize) -> ExecError {
    ExecError::Malformed { part: "op", at }
}

/// Returns the lanes with a float that is not 0; NaNs count as not 0.
#[doc(hidden)]
#[inline(always)]
pub fn nonzero<R: Lanes>(row: &R) -> Mask {
    lanes_where(row, row, |bits, _| bits << 1 != 0)
}

/// Returns the lanes with any bit set.
#[doc(hidden)]
#[inline(always)]
pub fn set<R: Lanes>(row: &R) -> Mask {
    lanes_where(row, row, |bits, _| bits != 0)
}

/// Returns the lanes with a float below 0.
#[doc(hidden)]
#[inline(always)]
pub fn negative<R: Lanes>(row: &R) -> Mask {
    lanes_where(row, row, |bits, _| f32::from_bits(bits) < 0.0)
}

/// Returns the lanes where two rows have the same bits.
#[doc(hidden)]
#[inline(always)]
pub fn equal<R: Lanes>(a: &R, b: &R) -> Mask {
    lanes_where(a, b, |a, b| a == b)
}

#[inline(always)]
fn lanes_where<R: Lanes>(a: &R, b: &R, test: impl Fn(u32, u32) -> bool) -> Mask {
    let lanes = a.as_slice().iter().zip(b.as_slice()).enumerate();
    lanes.fold(0, |mask, (lane, (&a, &b))| mask | Mask::from(test(a, b)) << lane)
}
