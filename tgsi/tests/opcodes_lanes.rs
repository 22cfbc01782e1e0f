//! Opcodes that read other lanes, the clock, or inputs at other places; samplers separate from
//! views.

mod common;

use common::table::*;
use common::{Registers, compiled, run_all_with, run_batch};
use gallium_tgsi::exec::{
    self, InputPlace, InterpolateRequest, Lanes, NoResources, Resources, SampleRequest,
};
use std::fmt::Write;

/// Runs an instruction on few lanes, so that every width holds them in one batch.
#[track_caller]
fn lanes_of(body: &str, inputs: &[Vec4]) -> Vec<Vec4> {
    assert!(inputs.len() <= 4);
    let source = format!(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nDCL TEMP[0]\nIMM[0] UINT32 {{0, 1, 2, 3}}\n{body}\nEND\n"
    );
    let inputs: Vec<Registers> = inputs.iter().map(|&input| vec![input]).collect();
    let results = run_all_with(&source, &inputs, &[], |_| NoResources, |_| {});
    results.into_iter().map(|lane| lane.unwrap()[0]).collect()
}

#[test]
fn votes() {
    let any = |opcode: &str, x: &[u32]| {
        let inputs: Vec<Vec4> = x.iter().map(|&x| u(x, 1, 0, 7)).collect();
        let lanes = lanes_of(&format!("{opcode} OUT[0], IN[0]"), &inputs);
        assert!(lanes.iter().all(|lane| *lane == lanes[0]), "the same for all");
        lanes[0]
    };
    // x as given, y always set, z never set, w always the same.
    assert_eq!(any("VOTE_ANY", &[0, 0, 5]), [ALL, ALL, 0, ALL]);
    assert_eq!(any("VOTE_ANY", &[0, 0, 0, 0]), [0, ALL, 0, ALL]);
    assert_eq!(any("VOTE_ALL", &[1, 2, 3]), [ALL, ALL, 0, ALL]);
    assert_eq!(any("VOTE_ALL", &[1, 0, 3]), [0, ALL, 0, ALL]);
    assert_eq!(any("VOTE_EQ", &[5, 5, 5]), [ALL; 4]);
    assert_eq!(any("VOTE_EQ", &[5, 5, 6]), [0, ALL, ALL, ALL]);
    assert_eq!(any("VOTE_EQ", &[0x8000_0000, 0]), [0, ALL, ALL, ALL]);
}

#[test]
fn votes_are_among_the_lanes_that_run() {
    let body = "MOV OUT[0], IMM[0].xxxx\nUIF IN[0].xxxx\nVOTE_ALL OUT[0].x, IN[0].yyyy\nVOTE_EQ OUT[0].y, IN[0].zzzz\n\
        BALLOT OUT[0].zw, IN[0].yyyy\nENDIF";
    let lanes = [u(1, 1, 7, 0), u(0, 0, 8, 0), u(1, 1, 7, 0), u(1, 0, 7, 0)];
    let expected = [u(0, ALL, 0b101, 0), [0; 4], u(0, ALL, 0b101, 0), u(0, ALL, 0b101, 0)];
    assert_eq!(lanes_of(body, &lanes), expected);
}

#[test]
fn ballots() {
    let lanes = [u(1, 0, 0, 0), u(0, 0, 0, 0), u(ALL, 0, 0, 0)];
    assert_eq!(lanes_of("BALLOT OUT[0].xy, IN[0].xxxx", &lanes), [[0b101, 0, 0, 0]; 3]);
    // Lanes from 32 on are in the high word.
    let compiled = compiled(
        "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nBALLOT OUT[0].xy, IN[0].xxxx\nEND\n",
        true,
    );
    let inputs: Vec<Registers> =
        (0..64).map(|lane| vec![u(u32::from(lane >= 31), 0, 0, 0)]).collect();
    let results =
        run_batch::<[u32; 64]>(&compiled.program(), &inputs, !0 >> 1, &[], &mut NoResources);
    assert_eq!(results.lanes[0][0], [1 << 31, 0x7FFF_FFFF, 0, 0]);
}

#[test]
fn other_lanes_values() {
    let lanes = [u(0, 10, 3, 0), u(1, 11, 3, 0), u(1, 12, 3, 0), u(9, 13, 3, 0)];
    let first = lanes_of("READ_FIRST OUT[0], IN[0]", &lanes);
    assert_eq!(first, [lanes[0]; 4]);
    let body = "MOV OUT[0], IMM[0].xxxx\nUIF IN[0].xxxx\nREAD_FIRST OUT[0].y, IN[0]\nENDIF";
    let first = lanes_of(body, &lanes);
    assert_eq!(first, [[0; 4], u(0, 11, 0, 0), u(0, 11, 0, 0), u(0, 11, 0, 0)]);
    let read = lanes_of("READ_INVOC OUT[0].yz, IN[0], IN[0].zzzz", &lanes);
    assert_eq!(read, [u(0, 13, 3, 0); 4]);
    // Each lane looks up another lane; no lane has number ~0.
    let lanes = [u(1, 10, ALL, 0), u(0, 11, 0, 0)];
    let read = lanes_of("READ_INVOC OUT[0].y, IN[0], IN[0].xxxx", &lanes);
    assert_eq!(read, [u(0, 11, 0, 0), u(0, 10, 0, 0)]);
    assert_eq!(lanes_of("READ_INVOC OUT[0].y, IN[0], IN[0].zzzz", &lanes)[0], [0; 4]);
}

/// Computes a subgroup's system value by the manual's formula, in arbitrary precision.
fn subgroup_value(name: &str, lane: u32, size: u32) -> u64 {
    let value = match name {
        "SIZE" => size.into(),
        "INVOCATION" => lane.into(),
        "EQ_MASK" => 1u128 << lane,
        "GE_MASK" => ((1u128 << (size - lane)) - 1) << lane,
        "GT_MASK" => ((1u128 << (size - lane - 1)) - 1) << (lane + 1),
        "LE_MASK" => (1u128 << (lane + 1)) - 1,
        _ => (1u128 << lane) - 1,
    };
    value.try_into().unwrap()
}

fn subgroup_values_of<R: Lanes>(processor: &str, output: &str) {
    let size = R::COUNT as u32;
    for name in ["SIZE", "INVOCATION", "EQ_MASK", "GE_MASK", "GT_MASK", "LE_MASK", "LT_MASK"] {
        // Read in both branches: as a whole in one, in two parts in the other.
        let source = format!(
            "{processor}\nDCL SV[3], SUBGROUP_{name}\nDCL OUT[0], {output}\nDCL TEMP[0]\n\
             DCL SV[0], SUBGROUP_INVOCATION\nIMM[0] UINT32 {{1, 0, 0, 0}}\n\
             AND TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nUIF TEMP[0].xxxx\nMOV OUT[0], SV[3]\nELSE\n\
             MOV OUT[0].yw, SV[3]\nMOV OUT[0].xz, SV[3]\nENDIF\nEND\n"
        );
        for optimize in [true, false] {
            let compiled = compiled(&source, optimize);
            let program = compiled.program();
            assert!(program.system_values.is_empty(), "no caller fills them");
            let all = exec::all_lanes::<R>();
            for live in [all, all >> 1, 0b10, all & 0x0123_4567_89AB_CDEF] {
                let results = run_batch::<R>(&program, &[], live, &[], &mut NoResources);
                for lane in (0..R::COUNT).filter(|lane| live >> lane & 1 != 0) {
                    let value = subgroup_value(name, lane as u32, size);
                    let wanted = [value as u32, (value >> 32) as u32, 0, 0];
                    assert_eq!(results.lanes[lane][0], wanted, "{name} of lane {lane} of {size}");
                }
            }
        }
    }
}

#[test]
fn subgroup_values() {
    for (processor, output) in [("VERT", "POSITION"), ("FRAG", "COLOR")] {
        subgroup_values_of::<[u32; 4]>(processor, output);
        subgroup_values_of::<[u32; 16]>(processor, output);
        subgroup_values_of::<[u32; 64]>(processor, output);
    }
}

#[test]
fn helpers() {
    // Lane 3 completes the quad; lane 1 becomes a helper in the middle of the shader.
    let source = "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL OUT[0], COLOR\nREAD_HELPER OUT[0].x\n\
        UIF IN[0].xxxx\nDEMOTE\nENDIF\nREAD_HELPER OUT[0].y\nDDX OUT[0].z, IN[0].yyyy\nEND\n";
    for optimize in [true, false] {
        let compiled = compiled(source, optimize);
        let inputs: Vec<Registers> = (0..4)
            .map(|lane: u32| vec![u(u32::from(lane == 1), (lane as f32).to_bits(), 0, 0)])
            .collect();
        let results =
            run_batch::<[u32; 4]>(&compiled.program(), &inputs, 0b111, &[], &mut NoResources);
        let one = 1f32.to_bits();
        let lanes: Vec<Vec4> = results.lanes.into_iter().map(|lane| lane[0]).collect();
        assert_eq!(lanes, [[0, 0, one, 0], [0, ALL, one, 0], [0, 0, one, 0], [ALL, ALL, one, 0]]);
        assert_eq!(results.alive, 0b101);
    }
}

/// A clock that counts, and inputs that show the request.
#[derive(Default)]
struct Machine {
    time: u64,
    log: String,
}

impl<R: Lanes> Resources<R> for Machine {
    fn clock(&mut self) -> u64 {
        self.time += 0x1_0000_0001;
        self.time
    }

    fn interpolate(&mut self, request: &InterpolateRequest<'_, R>, out: &mut [R; 4]) {
        let lane = |row: &R| row.as_slice()[1];
        let [x, y] = request.at.map(lane);
        let at = match request.place {
            InputPlace::Offset => format!("{} {}", f32::from_bits(x), f32::from_bits(y)),
            _ => format!("{x} {y}"),
        };
        let (register, live) = (request.register, request.live & 0xF);
        writeln!(self.log, "{:?} {register}: {at}; {live:b}", request.place).unwrap();
        out[1] = R::splat(77);
    }
}

#[test]
fn the_clock() {
    let source = "FRAG\nDCL OUT[0], COLOR\nCLOCK OUT[0].xy\nCLOCK OUT[0].zw\nEND\n";
    let results = run_all_with(source, &[vec![], vec![]], &[], |_| Machine::default(), |_| {});
    for lane in results {
        assert_eq!(lane.unwrap()[0], [1, 1, 2, 2]);
    }
    let source =
        "FRAG\nDCL OUT[0], COLOR\nDCL TEMP[0]\nCLOCK TEMP[0].xy\nMOV OUT[0].y, TEMP[0].yyyy\nEND\n";
    let results = run_all_with(source, &[vec![]], &[], |_| Machine::default(), |_| {});
    assert_eq!(results[0].as_ref().unwrap()[0], [0, 1, 0, 0]);
}

#[test]
fn inputs_elsewhere() {
    for (body, asked) in [
        ("INTERP_CENTROID OUT[0], IN[1]", "Centroid 1: 0 0; 1111\n"),
        ("INTERP_SAMPLE OUT[0], IN[1], IN[0].yyyy", "Sample 1: 5 0; 1111\n"),
        ("INTERP_OFFSET OUT[0], IN[1], IMM[0].xyxx", "Offset 1: 0.5 -0.25; 1111\n"),
        // The swizzle of the input is ignored.
        ("INTERP_CENTROID OUT[0], IN[1].wwww", "Centroid 1: 0 0; 1111\n"),
    ] {
        let source = format!(
            "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], PERSPECTIVE\nDCL OUT[0], COLOR\n\
             IMM[0] FLT32 {{0.5, -0.25, 0, 0}}\n{body}\nEND\n"
        );
        let inputs: Vec<Registers> = vec![vec![[5; 4], [6, 7, 8, 9]]; 2];
        let results = run_all_with(
            &source,
            &inputs,
            &[],
            |_| Machine::default(),
            |machine| {
                assert_eq!(machine.log, asked);
            },
        );
        assert_eq!(results[0].as_ref().unwrap()[0], [6, 77, 8, 9], "{body}");
        // Without an implementation the input keeps its value.
        let results = run_all_with(&source, &inputs, &[], |_| NoResources, |_| {});
        assert_eq!(results[0].as_ref().unwrap()[0], [6, 7, 8, 9], "{body}");
    }
}

/// Logs lookups, and returns 10, 20, 30, 40.
#[derive(Default)]
struct Lookups(String);

impl<R: Lanes> Resources<R> for Lookups {
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]) {
        let lane = |row: &R| row.as_slice()[0];
        let optional = |row: Option<&R>| row.map_or("-".into(), |row| lane(row).to_string());
        let three = |rows: [&R; 3]| rows.map(|row| lane(row).to_string()).join(" ");
        write!(
            self.0,
            "{:?} {} view {} sampler {} at {} layer {} compare {} lod {} ddx {} ddy {} offset {:?}",
            request.kind,
            request.target,
            request.view,
            request.sampler,
            three(request.coord),
            optional(request.layer),
            optional(request.compare),
            optional(request.lod),
            three(request.ddx),
            three(request.ddy),
            request.offset,
        )
        .unwrap();
        for (component, row) in out.iter_mut().enumerate() {
            *row = R::splat(10 * (component as u32 + 1));
        }
    }
}

#[test]
fn the_sample_family() {
    let quiet = "ddx 0 0 0 ddy 0 0 0 offset [0, 0, 0]";
    for (body, asked, got) in [
        ("SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[1]",
         format!("Implicit 2D view 0 sampler 1 at 1 2 0 layer - compare - lod - {quiet}"), [10, 20, 30, 40]),
        // The view's swizzle applies.
        ("SAMPLE OUT[0], IN[0], SVIEW[1].wzyx, SAMP[0]",
         format!("Implicit 2D_ARRAY view 1 sampler 0 at 1 2 0 layer 3 compare - lod - {quiet}"), [40, 30, 20, 10]),
        ("SAMPLE_B OUT[0], IN[0], SVIEW[2], SAMP[0], IN[1].yyyy",
         format!("Bias 3D view 2 sampler 0 at 1 2 3 layer - compare - lod 6 {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_L OUT[0], IN[0], SVIEW[0], SAMP[0], IN[1].xxxx",
         format!("Lod 2D view 0 sampler 0 at 1 2 0 layer - compare - lod 5 {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_C OUT[0], IN[0], SVIEW[1], SAMP[0], IN[1].xxxx",
         format!("Implicit SHADOW2D_ARRAY view 1 sampler 0 at 1 2 0 layer 3 compare 5 lod - {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_C_LZ OUT[0], IN[0], SVIEW[0], SAMP[0], IN[1].xxxx",
         format!("Lod SHADOW2D view 0 sampler 0 at 1 2 0 layer - compare 5 lod - {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_D OUT[0], IN[0], SVIEW[0], SAMP[0], IN[1], IN[1].zwww",
         "Gradient 2D view 0 sampler 0 at 1 2 0 layer - compare - lod - ddx 5 6 0 ddy 7 8 0 offset [0, 0, 0]".into(),
         [10, 20, 30, 40]),
        ("SAMPLE OUT[0], IN[0], SVIEW[0], SAMP[0], IMM[0].xyx",
         "Implicit 2D view 0 sampler 0 at 1 2 0 layer - compare - lod - ddx 0 0 0 ddy 0 0 0 offset [-1, 2, 0]".into(),
         [10, 20, 30, 40]),
        ("GATHER4 OUT[0], IN[0], SVIEW[0], SAMP[0]",
         format!("Gather 2D view 0 sampler 0 at 1 2 0 layer - compare - lod - {quiet}"), [10, 20, 30, 40]),
        ("LOD OUT[0], IN[0], SVIEW[0].yxxx, SAMP[1]",
         format!("LodQuery 2D view 0 sampler 1 at 1 2 0 layer - compare - lod - {quiet}"), [20, 10, 10, 10]),
        ("SAMPLE_I OUT[0], IN[0], SVIEW[1]",
         format!("Fetch 2D_ARRAY view 1 sampler 1 at 1 2 0 layer 3 compare - lod 4 {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_I OUT[0].x, IN[0], SVIEW[3]",
         format!("Fetch BUFFER view 3 sampler 3 at 1 0 0 layer - compare - lod - {quiet}"), [10, 0, 0, 0]),
        ("SAMPLE_I_MS OUT[0], IN[0], SVIEW[4], IN[1].zzzz",
         format!("Fetch 2D_MSAA view 4 sampler 4 at 1 2 0 layer - compare - lod 7 {quiet}"), [10, 20, 30, 40]),
        // Sizes are not swizzled.
        ("SVIEWINFO OUT[0], IN[1].xxxx, SVIEW[0].wzyx",
         format!("SizeQuery 2D view 0 sampler 0 at 0 0 0 layer - compare - lod 5 {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_POS OUT[0].xy, SVIEW[4], IN[1].xxxx",
         format!("SamplePosition 2D_MSAA view 4 sampler 4 at 0 0 0 layer - compare - lod 5 {quiet}"), [10, 20, 0, 0]),
        ("SAMPLE_INFO OUT[0], SVIEW[4], IN[1].xxxx",
         format!("SampleCount 2D_MSAA view 4 sampler 4 at 0 0 0 layer - compare - lod - {quiet}"), [10, 20, 30, 40]),
        ("SAMPLE_POS OUT[0].xy, TEMP[0], IN[1].xxxx",
         format!("SamplePosition 2D_MSAA view 65535 sampler 65535 at 0 0 0 layer - compare - lod 5 {quiet}"), [10, 20, 0, 0]),
        ("TXQS OUT[0].x, SAMP[1], 2D_MSAA",
         format!("SampleCount 2D_MSAA view 1 sampler 1 at 0 0 0 layer - compare - lod - {quiet}"), [10, 0, 0, 0]),
        ("TEX_LZ OUT[0].x, IN[0], SAMP[1], 2D",
         format!("Lod 2D view 1 sampler 1 at 1 2 0 layer - compare - lod - {quiet}"), [10, 0, 0, 0]),
        ("TXF_LZ OUT[0].x, IN[0], SAMP[1], 2D",
         format!("Fetch 2D view 1 sampler 1 at 1 2 0 layer - compare - lod - {quiet}"), [10, 0, 0, 0]),
        ("LODQ OUT[0].xy, IN[0], SAMP[1], 2D",
         format!("LodQuery 2D view 1 sampler 1 at 1 2 0 layer - compare - lod - {quiet}"), [10, 20, 0, 0]),
    ] {
        let source = format!(
            "FRAG\nDCL IN[0], GENERIC[0], CONSTANT\nDCL IN[1], GENERIC[1], CONSTANT\nDCL OUT[0], COLOR\nDCL TEMP[0]\n\
             DCL SAMP[0..1]\nDCL SVIEW[0], 2D, FLOAT\nDCL SVIEW[1], 2D_ARRAY, FLOAT\nDCL SVIEW[2], 3D, FLOAT\n\
             DCL SVIEW[3], BUFFER, FLOAT\nDCL SVIEW[4], 2D_MSAA, FLOAT\nIMM[0] INT32 {{-1, 2, 0, 0}}\n{body}\nEND\n"
        );
        let inputs = vec![vec![[1, 2, 3, 4], [5, 6, 7, 8]]];
        let results = run_all_with(&source, &inputs, &[], |_| Lookups::default(), |lookups| {
            assert_eq!(lookups.0, asked, "{body}");
        });
        assert_eq!(results[0].as_ref().unwrap()[0], got, "{body}");
    }
}
