//! Tests every cap of compute programs.

use pipe_core::{
    Bind, ComputeCap, ComputeState, GridInfo, MapFlags, Region, ResourceTemplate, Screen as _,
    ShaderBuffer, ShaderSource, ShaderType,
};
use tgsi::program::Program;
use tgsi_macros::tgsi;

use crate::bench::*;
use crate::{Judge, all_hold, judged};

#[test]
fn every_compute_cap() {
    let screen = screen();
    all_hold(ComputeCap::ALL.iter().map(|cap| {
        let [answer, ..] = screen.get_compute_param(*cap);
        judged(cap.gallium_name(), answer as i64, &judge(*cap))
    }));
}

fn state(program: &'static Program<'static>, shared: u32) -> ComputeState<'static, 'static> {
    ComputeState {
        source: ShaderSource::Program(program),
        static_shared_mem: shared,
        req_private_mem: 0,
        req_input_mem: 0,
    }
}

/// Launches a program over four words; returns the words.
fn launched(
    program: &'static Program<'static>,
    words: [u32; 4],
    grid: &GridInfo<'_>,
) -> Done<[u32; 4]> {
    let mut bench = Bench::new()?;
    let shader = bench.context.create_compute_state(&state(program, 0))?;
    bench.context.bind_compute_state(Some(shader))?;
    let buffer =
        bench.screen.resource_create(&ResourceTemplate::buffer(16, Bind::SHADER_BUFFER))?;
    bench.context.buffer_subdata(buffer, MapFlags::WRITE, 0, bytemuck::cast_slice(&words))?;
    let range = ShaderBuffer { resource: buffer, buffer_offset: 0, buffer_size: 16 };
    bench.context.set_shader_buffers(ShaderType::Compute, 0, &[Some(range)], 1)?;
    bench.context.launch_grid(grid)?;
    let region = Region::bytes(0, 16);
    let map = bench.context.transfer_map(buffer, 0, MapFlags::READ, &region)?;
    let bytes = bench.context.transfer_bytes(map.handle)?;
    Ok(bytemuck::pod_read_unaligned(bytes))
}

/// Launches one invocation.
pub(crate) fn run(program: &'static Program<'static>, words: [u32; 4]) -> Done<[u32; 4]> {
    launched(program, words, &GridInfo::default())
}

/// Returns a program that counts its invocations.
fn counting() -> &'static Program<'static> {
    tgsi!(
        COMP DCL BUFFER[0] DCL TEMP[0] IMM[0] UINT32 { 0, 1, 0, 0 }
        ATOMUADD TEMP[0].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy END
    )
}

/// Two blocks of four invocations have five if the last block has one.
pub(crate) fn last_block() -> Done<bool> {
    let grid = GridInfo {
        block: [4, 1, 1],
        grid: [2, 1, 1],
        last_block: [1, 0, 0],
        ..GridInfo::default()
    };
    launched(counting(), [0; 4], &grid).map(|words| words[0] == 5)
}

/// Checks a number; it must be 0 in builds without compute.
fn number(answer: i64, holds: impl FnOnce() -> Done<bool>) -> Done<bool> {
    if cfg!(feature = "shader-memory") { holds() } else { Ok(answer == 0) }
}

/// Launches the counting program in one block of this size; returns its words.
fn block(block: [u32; 3]) -> Done<[u32; 4]> {
    launched(counting(), [0; 4], &GridInfo { block, ..GridInfo::default() })
}

fn judge(cap: ComputeCap) -> Judge {
    use Judge::*;
    match cap {
        ComputeCap::IrTarget => Absent("programs are TGSI"),
        ComputeCap::GridDimension => Number(|count| {
            number(count, || {
                let grid = GridInfo { grid: [1, 2, 3], ..GridInfo::default() };
                Ok(count == 3 && launched(counting(), [0; 4], &grid)?[0] == 6)
            })
        }),
        ComputeCap::MaxGridSize => Number(|most| {
            number(most, || {
                let of = |x: i64| {
                    let grid = GridInfo { grid: [x as u32, 1, 1], ..GridInfo::default() };
                    launched(counting(), [0; 4], &grid)
                };
                Ok(i64::from(of(most)?[0]) == most)
            })
        }),
        ComputeCap::MaxBlockSize
        | ComputeCap::MaxThreadsPerBlock
        | ComputeCap::MaxVariableThreadsPerBlock => Number(|most| {
            number(most, || {
                let most = most as u32;
                let within = block([most, 1, 1])?[0] == most && block([most / 2, 2, 1])?[0] == most;
                Ok(within && block([most + 1, 1, 1]).is_err() && block([most, 2, 1]).is_err())
            })
        }),
        ComputeCap::MaxLocalSize => Number(|most| {
            number(most, || {
                let mut bench = Bench::new()?;
                bench.context.create_compute_state(&state(counting(), most as u32))?;
                let past = bench.context.create_compute_state(&state(counting(), most as u32 + 1));
                Ok(past.is_err())
            })
        }),
        ComputeCap::MaxInputSize => Number(|most| {
            number(most, || {
                let input = vec![0; most as usize];
                let grid = GridInfo { input: &input, ..GridInfo::default() };
                Ok(launched(counting(), [0; 4], &grid)?[0] == 1)
            })
        }),
        ComputeCap::MaxGlobalSize => {
            Hint("it::global_memory: as many buffers of the largest size would be gibibytes")
        }
        ComputeCap::MaxPrivateSize => Hint("PRIVATE memory: it::compute"),
        ComputeCap::MaxMemAllocSize => Number(|most| number(most, || Ok(most >= 1 << 27))),
        ComputeCap::MaxClockFrequency => Absent("a clock is nobody's to tell"),
        ComputeCap::MaxComputeUnits => Number(|count| number(count, || Ok(count >= 1))),
        ComputeCap::ImagesSupported => Number(|answer| {
            let mut bench = Bench::new()?;
            let made = bench.context.create_compute_state(&state(
                tgsi!(
                    COMP DCL IMAGE[0], 2D, WR DCL TEMP[0] IMM[0] INT32 { 0, 0, 0, 0 }
                    LOAD TEMP[0], IMAGE[0], IMM[0].xxxx, 2D STORE IMAGE[0].xyzw, IMM[0].xxxx, TEMP[0], 2D END
                ),
                0,
            ));
            Ok(made.is_ok() == (answer != 0))
        }),
        ComputeCap::SubgroupSize | ComputeCap::SubgroupSizes => Number(|size| {
            number(size, || {
                // A ballot in a block of `size` invocations has that many bits, up to 64.
                let ballot = tgsi!(
                    COMP DCL BUFFER[0] DCL TEMP[0] IMM[0] UINT32 { 0, 1, 4, 0 }
                    BALLOT TEMP[0].xy, IMM[0].yyyy STORE BUFFER[0].xy, IMM[0].xxxx, TEMP[0] END
                );
                let grid = GridInfo { block: [size as u32, 1, 1], ..GridInfo::default() };
                let words = launched(ballot, [0; 4], &grid)?;
                Ok(i64::from(words[0].count_ones() + words[1].count_ones()) == size.min(64))
            })
        }),
        ComputeCap::AddressBits => Number(|bits| number(bits, || Ok(bits == 32))),
    }
}
