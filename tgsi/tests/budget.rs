//! The executor counts the work of programs, and asks often enough whether it may continue.

mod common;

use common::{Registers, compiled, run_batch};
use gallium_tgsi::exec::{self, ExecError, Lanes, Resources, SampleRequest};
use gallium_tgsi::program::Program;

/// Counts questions and units, and stops the program at a chosen question.
struct Counter {
    questions: usize,
    lookups: usize,
    units: u64,
    most: u32,
    stop_at: usize,
}

impl Counter {
    fn until(stop_at: usize) -> Counter {
        Counter { questions: 0, lookups: 0, units: 0, most: 0, stop_at }
    }
}

impl<R: Lanes> Resources<R> for Counter {
    fn stopped(&mut self, units: u32) -> bool {
        self.questions += 1;
        self.units += u64::from(units);
        self.most = self.most.max(units);
        self.questions == self.stop_at
    }

    fn sample(&mut self, _: &SampleRequest<'_, R>, _: &mut [R; 4]) {
        self.lookups += 1;
    }
}

/// Returns a vertex program of `count` additions; each one needs the previous result.
fn additions(count: usize) -> String {
    let steps = "ADD TEMP[0].x, TEMP[0].xxxx, IN[0].xxxx\n".repeat(count);
    format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\n\
         MOV TEMP[0], IN[0]\n{steps}MOV OUT[0], TEMP[0]\nEND"
    )
}

fn run(program: &Program<'_>, counter: &mut Counter) -> Result<u64, ExecError> {
    let mut rows = vec![[0; 64]; program.rows.into()];
    exec::prepare(program, &mut rows, &[])?;
    exec::run(program, &mut rows, !0, &[], counter)
}

#[test]
fn straight_programs_ask_on_their_way() {
    let compiled = compiled(&additions(20_000), true);
    let mut counter = Counter::until(usize::MAX);
    assert_eq!(run(&compiled.program(), &mut counter), Ok(!0));
    // One addition is one unit.
    assert!((20_000..20_100).contains(&counter.units), "{} units", counter.units);
    assert!(counter.most < 5000, "{} units between two questions", counter.most);
    for stop_at in 1..=counter.questions {
        let mut counter = Counter::until(stop_at);
        assert_eq!(run(&compiled.program(), &mut counter), Err(ExecError::Stopped));
        assert_eq!(counter.questions, stop_at);
    }
}

/// Returns a vertex program that makes `count` additions in each of `turns` turns of a loop.
fn additions_in_a_loop(count: usize, turns: usize) -> String {
    let body = "ADD TEMP[0].y, TEMP[0].yyyy, IN[0].xxxx\n".repeat(count);
    format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0..1]\nIMM[0] FLT32 {{ 0.0, 1.0, {turns}.0, 0.0 }}\n\
         MOV TEMP[0], IMM[0].xxxx\nBGNLOOP\nSGE TEMP[1].x, TEMP[0].xxxx, IMM[0].zzzz\nIF TEMP[1].xxxx\nBRK\n\
         ENDIF\nADD TEMP[0].x, TEMP[0].xxxx, IMM[0].yyyy\n{body}ENDLOOP\nMOV OUT[0], TEMP[0]\nEND"
    )
}

#[test]
fn loops_cost_what_their_bodies_cost() {
    let compiled = compiled(&additions_in_a_loop(100, 50), true);
    let mut counter = Counter::until(usize::MAX);
    assert_eq!(run(&compiled.program(), &mut counter), Ok(!0));
    // 50 turns of 100 additions, plus some ten ops for the loop itself.
    assert!((5000..6000).contains(&counter.units), "{} units", counter.units);
}

/// Work that was done before a jump counts after it, and a jump does not move the next question away.
#[test]
fn long_loops_ask_on_their_way() {
    let compiled = compiled(&additions_in_a_loop(10_000, 5), true);
    let mut counter = Counter::until(usize::MAX);
    assert_eq!(run(&compiled.program(), &mut counter), Ok(!0));
    assert!((50_000..51_000).contains(&counter.units), "{} units", counter.units);
    assert!(counter.most < 5000, "{} units between two questions", counter.most);
}

#[test]
fn each_lookup_is_followed_by_a_question() {
    let lookups = "TEX TEMP[0], TEMP[0], SAMP[0], 2D\n".repeat(10);
    let source = format!(
        "FRAG\nDCL IN[0], GENERIC[0], PERSPECTIVE\nDCL OUT[0], COLOR\nDCL SAMP[0]\n\
         DCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\nMOV TEMP[0], IN[0]\n{lookups}MOV OUT[0], TEMP[0]\nEND"
    );
    let compiled = compiled(&source, true);
    for stop_at in 1..=10 {
        let mut counter = Counter::until(stop_at);
        assert_eq!(run(&compiled.program(), &mut counter), Err(ExecError::Stopped));
        assert_eq!(counter.lookups, stop_at);
    }
}

/// Ops that depend only on constants run once per draw without a question, because their number is
/// bounded.
#[test]
fn preambles_are_bounded() {
    let steps = "ADD TEMP[0].x, TEMP[0].xxxx, CONST[0].yyyy\n".repeat(10_000);
    let source = format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL CONST[0..1]\nDCL TEMP[0]\n\
         MOV TEMP[0], CONST[0]\n{steps}ADD OUT[0], TEMP[0].xxxx, IN[0].xxxx\nEND"
    );
    let compiled = compiled(&source, true);
    let program = compiled.program();
    let ops = [program.preamble.len(), program.body.len()];
    assert!(ops[0] <= 4096 && ops[0] + ops[1] >= 10_000, "{ops:?} ops");
    let constants: Vec<u8> =
        [0.5f32, 1.0, 0.0, 0.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    let inputs: Vec<Registers> = vec![vec![[2.0f32.to_bits(); 4]; 4]; 64];
    let mut counter = Counter::until(usize::MAX);
    let batch = run_batch::<[u32; 64]>(&program, &inputs, !0, &[&constants], &mut counter);
    assert_eq!(f32::from_bits(batch.lanes[5][0][0]), 0.5 + 10_000.0 + 2.0);
}

/// A program is untrusted data: whatever op a jump goes to, the program ends, by the limit on turns if not before.
#[test]
fn jumps_to_any_op_end() {
    let compiled = compiled(&additions_in_a_loop(3, 5), true);
    let whole = compiled.program();
    let mut ends = [0; 2];
    for at in (0..whole.body.len()).filter(|at| whole.body[*at].code.jumps()) {
        for to in 0..=whole.body.len() {
            let mut body = whole.body.to_vec();
            body[at].aux = to as u16;
            let program = Program { body: &body, ..whole };
            match run(&program, &mut Counter::until(usize::MAX)) {
                Ok(_) => ends[0] += 1,
                Err(ExecError::Budget { .. }) => ends[1] += 1,
                Err(error) => panic!("op {at} jumps to {to}: {error:?}"),
            }
        }
    }
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
}
