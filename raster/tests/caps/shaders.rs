//! Tests every cap of every stage.

use pipe_core::{ConstantBuffer, SamplerState, Screen as _, ShaderCap, ShaderState, ShaderType};
use tgsi_macros::tgsi;

use crate::bench::*;
use crate::{Judge, all_hold, judged};

#[test]
fn every_cap_of_the_vertex_stage() {
    let screen = screen();
    all_hold(ShaderCap::ALL.iter().map(|cap| {
        let answer = screen.get_shader_param(ShaderType::Vertex, *cap);
        judged(cap.gallium_name(), answer.into(), &judge(*cap))
    }));
}

#[test]
fn stages_that_are_not_there_have_nothing() {
    let screen = screen();
    for stage in ShaderType::ALL {
        let there = match stage {
            ShaderType::Vertex | ShaderType::Fragment => true,
            ShaderType::Geometry => cfg!(feature = "stages"),
            ShaderType::TessCtrl | ShaderType::TessEval => cfg!(feature = "stages"),
            ShaderType::Compute => cfg!(feature = "shader-memory"),
        };
        let instructions = screen.get_shader_param(*stage, ShaderCap::MaxInstructions);
        assert_eq!(instructions > 0, there, "{stage:?}");
        if !there {
            for cap in ShaderCap::ALL {
                assert_eq!(screen.get_shader_param(*stage, *cap), 0, "{stage:?}, {cap:?}");
            }
        }
    }
}

#[test]
fn opcode_groups_are_alike_in_every_stage() {
    let screen = screen();
    for stage in ShaderType::ALL {
        if screen.get_shader_param(*stage, ShaderCap::MaxInstructions) == 0 {
            continue;
        }
        for cap in [
            ShaderCap::Subroutines,
            ShaderCap::Integers,
            ShaderCap::TgsiFmaSupported,
            ShaderCap::TgsiLdexpSupported,
            ShaderCap::TgsiDroundSupported,
            ShaderCap::TgsiDfracexpDldexpSupported,
        ] {
            let [one, other] =
                [ShaderType::Vertex, *stage].map(|it| screen.get_shader_param(it, cap));
            assert_eq!(one, other, "{stage:?}, {cap:?}");
        }
    }
}

fn judge(cap: ShaderCap) -> Judge {
    use Judge::*;
    match cap {
        ShaderCap::MaxInstructions
        | ShaderCap::MaxAluInstructions
        | ShaderCap::MaxTexInstructions
        | ShaderCap::MaxTexIndirections => Number(|most| Ok(most >= 1024)),
        ShaderCap::MaxControlFlowDepth => Number(|most| {
            let deep = vertex_says(vertex!(
                IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                IF IMM[0].xxxx IF IMM[0].xxxx IF IMM[0].xxxx IF IMM[0].xxxx
                IF IMM[0].xxxx IF IMM[0].xxxx IF IMM[0].xxxx IF IMM[0].xxxx
                MOV OUT[1], IMM[0].xxxx
                ENDIF ENDIF ENDIF ENDIF ENDIF ENDIF ENDIF ENDIF
            ))?;
            Ok(most >= 8 && deep)
        }),
        ShaderCap::MaxInputs => Number(|count| {
            // Reads the first and the last input. All inputs have vertex elements.
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT DCL IN[0] DCL IN[31] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0]
                    MOV OUT[0], IN[0] MOV OUT[1], IN[31] END
                ),
                SHOW,
            )?;
            let mut values = Vec::new();
            for vertex in covering(0.0, WHITE).chunks(2) {
                values.push(vertex[0]);
                values.resize(values.len() + count as usize - 2, BLACK);
                values.push(WHITE);
            }
            bench.vertices(count as usize, &values)?;
            Ok(count == 32 && bench.covered()? == SIDE * SIDE)
        }),
        ShaderCap::MaxOutputs => Number(|count| {
            let made = vertex_says(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1..31], GENERIC[0] IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                MOV OUT[0], IN[0] MOV OUT[1], IMM[0].xxxx MOV OUT[31], IMM[0].yyyy END
            ))?;
            Ok(count == 32 && made)
        }),
        ShaderCap::MaxConstBufferSize => Number(|bytes| {
            let mut bench = Bench::new()?;
            bench.programs(vertex!(DCL CONST[0][0..4095] MOV OUT[1], CONST[0][4095]), SHOW)?;
            let mut values = vec![BLACK; bytes as usize / 16 - 1];
            values.push(WHITE);
            let buffer = ConstantBuffer::User(bytemuck::cast_slice(&values));
            bench.context.set_constant_buffer(ShaderType::Vertex, 0, Some(buffer))?;
            Ok(bytes == 65536 && bench.covered()? == SIDE * SIDE)
        }),
        ShaderCap::MaxConstBuffers => Number(|count| {
            let mut bench = Bench::new()?;
            let white = [WHITE];
            let mut bind = |index| {
                let buffer = ConstantBuffer::User(bytemuck::cast_slice(&white));
                bench.context.set_constant_buffer(ShaderType::Vertex, index, Some(buffer))
            };
            bind(count as usize - 1)?;
            Ok(bind(count as usize).is_err())
        }),
        ShaderCap::MaxTemps => Number(|count| {
            let made = vertex_says(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0] DCL TEMP[0..4095]
                IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                MOV TEMP[4095], IMM[0].xxxx MOV OUT[0], IN[0] MOV OUT[1], TEMP[4095] END
            ))?;
            Ok(count == 4096 && made)
        }),
        ShaderCap::TgsiContSupported => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 0.0, 1.0, 2.0, 0.0 } MOV TEMP[0], IMM[0].xxxx
                BGNLOOP
                ADD TEMP[0], TEMP[0], IMM[0].yyyy
                SLT TEMP[1], TEMP[0], IMM[0].zzzz IF TEMP[1].xxxx CONT ENDIF
                BRK
                ENDLOOP
                SEQ OUT[1], TEMP[0], IMM[0].zzzz
            ))
        }),
        ShaderCap::IndirectInputAddr => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(
                tgsi!(
                    VERT DCL IN[0..1] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0] DCL ADDR[0]
                    IMM[0] INT32 { 1, 0, 0, 0 } UARL ADDR[0].x, IMM[0].xxxx
                    MOV OUT[0], IN[0] MOV OUT[1], IN[ADDR[0].x] END
                ),
                SHOW,
            )?;
            Ok(bench.covered()? == SIDE * SIDE)
        }),
        ShaderCap::IndirectOutputAddr => Use(|| {
            vertex_says(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1..2], GENERIC[0] DCL ADDR[0]
                IMM[0] INT32 { 1, 0, 0, 0 } IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                UARL ADDR[0].x, IMM[0].yyyy MOV OUT[0], IN[0] MOV OUT[ADDR[0].x+1], IMM[1].xxxx END
            ))
        }),
        ShaderCap::IndirectTempAddr => Use(|| {
            vertex_says(vertex!(
                DCL TEMP[4..5], ARRAY(1) DCL ADDR[0] IMM[0] INT32 { 1, 0, 0, 0 } IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                UARL ADDR[0].x, IMM[0].xxxx MOV TEMP[4], IMM[1].yyyy MOV TEMP[5], IMM[1].xxxx
                MOV OUT[1], TEMP[ADDR[0].x+4](1)
            ))
        }),
        ShaderCap::IndirectConstAddr => Use(|| {
            let mut bench = Bench::new()?;
            bench.programs(
                vertex!(
                    DCL CONST[0][0..1] DCL ADDR[0] IMM[0] INT32 { 1, 0, 0, 0 }
                    UARL ADDR[0].x, IMM[0].xxxx MOV OUT[1], CONST[0][ADDR[0].x]
                ),
                SHOW,
            )?;
            let values = [BLACK, WHITE];
            let buffer = ConstantBuffer::User(bytemuck::cast_slice(&values));
            bench.context.set_constant_buffer(ShaderType::Vertex, 0, Some(buffer))?;
            Ok(bench.covered()? == SIDE * SIDE)
        }),
        ShaderCap::Subroutines => Use(|| {
            vertex_says(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1], GENERIC[0] DCL TEMP[0]
                IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                CAL :4
                MOV OUT[0], IN[0]
                MOV OUT[1], TEMP[0]
                RET
                BGNSUB
                MOV TEMP[0], IMM[0].xxxx
                RET
                ENDSUB
                END
            ))
        }),
        ShaderCap::Integers => Use(|| {
            vertex_says(vertex!(
                IMM[0] INT32 { 6, 7, 42, 0 } IMM[1] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                UMUL TEMP[0], IMM[0].xxxx, IMM[0].yyyy USEQ TEMP[0], TEMP[0], IMM[0].zzzz
                AND OUT[1], TEMP[0], IMM[1].xxxx
            ))
        }),
        ShaderCap::TgsiFmaSupported => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 3.0, 2.0, -5.0, 1.0 } FMA OUT[1], IMM[0].xxxx, IMM[0].yyyy, IMM[0].zzzz
            ))
        }),
        ShaderCap::TgsiLdexpSupported => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT32 { 0.25, 0.0, 0.0, 0.0 } IMM[1] INT32 { 2, 0, 0, 0 }
                LDEXP OUT[1], IMM[0].xxxx, IMM[1].xxxx
            ))
        }),
        ShaderCap::TgsiDroundSupported => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT64 { 1.25, 0.0 } DFLR TEMP[0].xy, IMM[0].xyxy D2F TEMP[1].x, TEMP[0].xyxy
                MOV OUT[1], TEMP[1].xxxx
            ))
        }),
        ShaderCap::TgsiDfracexpDldexpSupported => Use(|| {
            vertex_says(vertex!(
                IMM[0] FLT64 { 0.125, 0.0 } IMM[1] INT32 { 3, 0, 0, 0 }
                DLDEXP TEMP[0].xy, IMM[0].xyxy, IMM[1].xxxx D2F TEMP[1].x, TEMP[0].xyxy MOV OUT[1], TEMP[1].xxxx
            ))
        }),
        ShaderCap::TgsiAnyInoutDeclRange => Use(|| {
            vertex_says(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL OUT[1..3], GENERIC[0] IMM[0] FLT32 { 1.0, 0.0, 0.0, 0.0 }
                MOV OUT[0], IN[0] MOV OUT[1], IMM[0].xxxx MOV OUT[3], IMM[0].yyyy END
            ))
        }),
        ShaderCap::MaxTextureSamplers | ShaderCap::MaxSamplerViews => Number(|count| {
            let mut bench = Bench::new()?;
            let sampler = bench.context.create_sampler_state(&SamplerState::default());
            let Ok(sampler) = sampler else { return Ok(count == 0) };
            let program = ShaderState::program(tgsi!(
                VERT DCL IN[0] DCL OUT[0], POSITION DCL SAMP[0] DCL SVIEW[0], 2D, FLOAT DCL TEMP[0]
                TEX TEMP[0], IN[0], SAMP[0], 2D ADD OUT[0], IN[0], TEMP[0] END
            ));
            let made = bench.context.create_vs_state(&program);
            if count == 0 {
                return Ok(made.is_err());
            }
            made?;
            let last = count as usize - 1;
            bench.context.bind_sampler_states(ShaderType::Vertex, last, &[Some(sampler)])?;
            Ok(true)
        }),
        ShaderCap::MaxShaderBuffers
        | ShaderCap::MaxShaderImages
        | ShaderCap::MaxHwAtomicCounters
        | ShaderCap::MaxHwAtomicCounterBuffers => {
            Number(|count| Ok((count > 0) == cfg!(feature = "shader-memory")))
        }
        ShaderCap::SupportedIrs => Number(|forms| Ok(forms == 1)),
        ShaderCap::PreferredIr => Number(|form| Ok(form == 0)),
        ShaderCap::Int64Atomics
        | ShaderCap::Fp16
        | ShaderCap::Fp16Derivatives
        | ShaderCap::Fp16ConstBuffers
        | ShaderCap::Int16
        | ShaderCap::Glsl16bitConsts => Absent("TGSI has no opcode for it"),
        ShaderCap::MaxUnrollIterationsHint
        | ShaderCap::LowerIfThreshold
        | ShaderCap::TgsiSkipMergeRegisters => Hint("a matter of Mesa's compiler"),
    }
}
