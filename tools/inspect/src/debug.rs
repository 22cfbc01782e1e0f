//! The shader debugger: one invocation of a fragment shader, step by step.
//!
//! The driver runs the shader itself. Each run is the shader of the recording with code that
//! captures the results of a few steps, so textures, constants and derivatives are the real ones.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;

use crate::probe::{Bound, Isolation, Probe};
use crate::session::Session;
use crate::shaders;

/// A step of a shader.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Step {
    /// The number of the step, from 1.
    pub step: u32,
    /// The instruction's number in the text, from 0.
    pub instruction: u32,
    /// The instruction.
    pub text: String,
    /// The bits of its destination register after the step: x, y, z, w. For a discard: the bits of
    /// its operand.
    pub bits: [u32; 4],
}

impl Step {
    /// Returns the components as floats.
    pub fn floats(&self) -> [f32; 4] {
        self.bits.map(f32::from_bits)
    }
}

/// The run of one invocation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    /// The number of all steps.
    pub steps: u32,
    /// The steps that were asked for.
    pub shown: Vec<Step>,
}

/// Runs the fragment shader of draw `call` for fragment `fragment` (from 0) at a pixel, and returns
/// the results of the steps from `first` (from 1) on, at most `limit`.
///
/// # Errors
/// The draw has no such fragment, or its shader cannot be stepped.
pub fn fragment(
    session: &mut Session<'_>,
    call: u64,
    [x, y]: [u32; 2],
    fragment: usize,
    first: u32,
    limit: u32,
) -> Result<Run> {
    let draw = session.hold(call)?;
    // The draw itself is not made, so that the session cannot go on.
    session.spoil();
    let (bound, text) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        let (_, shader) =
            context.shader(ShaderType::Fragment).context("no fragment shader is bound")?;
        if context.framebuffer.samples > 1 {
            bail!("targets with several samples are not supported by the debugger");
        }
        (Bound::of(context), shader.text.clone())
    };
    let size = [bound.framebuffer.width, bound.framebuffer.height].map(u32::from);
    if x >= size[0] || y >= size[1] {
        bail!("the framebuffer has {} × {} pixels: it has no pixel ({x}, {y})", size[0], size[1]);
    }
    let stepped = shaders::stepped(&text)?;
    let names = instructions(&text)?;
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| {
            let formats = [Format::R32G32B32A32Uint; shaders::STEPS + 2];
            let isolation = Isolation::new(probe, x, y, &formats, 0, None)?;
            let state = ShaderState::text(&stepped.text);
            let shader = probe.shader(ShaderType::Fragment, &state)?;
            let mut run = Run { steps: 0, shown: Vec::new() };
            let mut next = first.max(1);
            let end = next.saturating_add(limit);
            loop {
                let mut constants = [0; 16];
                for (to, from) in constants.iter_mut().zip(next.to_le_bytes()) {
                    *to = from;
                }
                let buffer = Some(ConstantBuffer::User(&constants));
                probe.context.set_constant_buffer(ShaderType::Fragment, stepped.slot, buffer)?;
                let (colors, _) = isolation.fragment(probe, &draw, shader, fragment)?;
                let words: Vec<[u32; 4]> = colors.iter().map(|bytes| words(bytes)).collect();
                let (values, rest) =
                    words.split_at_checked(shaders::STEPS).context("a colour is missing")?;
                let [at, count] = rest else { bail!("a colour is missing") };
                run.steps = count[0];
                for ((step, bits), number) in (next..end).zip(values).zip(at) {
                    let Some(instruction) = number.checked_sub(1) else { continue };
                    let text = names.get(instruction as usize).cloned().unwrap_or_default();
                    run.shown.push(Step { step, instruction, text, bits: *bits });
                }
                next = next.saturating_add(shaders::STEPS as u32);
                if next >= end || next > run.steps {
                    return Ok(run);
                }
            }
        })
    })
}

fn words(bytes: &[u8]) -> [u32; 4] {
    let mut words =
        bytes.chunks(4).map(|word| word.first_chunk().map_or(0, |word| u32::from_le_bytes(*word)));
    [(); 4].map(|()| words.next().unwrap_or(0))
}

/// Returns the instructions of a shader as text.
pub fn instructions(shader: &str) -> Result<Vec<String>> {
    let text = shaders::parse(shader)?.to_string();
    let lines = text.lines().filter_map(|line| {
        let (number, instruction) = line.trim_start().split_once(": ")?;
        number.parse::<u32>().ok()?;
        Some(instruction.trim().to_owned())
    });
    Ok(lines.collect())
}
