//! The shader debugger: one invocation of a fragment or vertex shader, step by step.
//!
//! The driver runs the shader itself. Each run is the shader of the recording with code that
//! captures the results of a few steps, so textures, constants and derivatives are the real ones.

use anyhow::{Context as _, Result, bail};
use pipe_core::*;
use serde::Serialize;

use crate::mesh;
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
    /// The sample whose fragment was run, in a target with several samples per pixel.
    pub sample: Option<u32>,
}

/// Runs the fragment shader of draw `call` for fragment `fragment` (from 0) at a pixel, and returns
/// the results of the steps from `first` (from 1) on, at most `limit`.
///
/// # Errors
/// The draw has no such fragment, or its shader cannot be stepped.
pub fn fragment(
    session: &mut Session<'_>,
    call: u64,
    pixel: [u32; 2],
    fragment: usize,
    first: u32,
    limit: u32,
) -> Result<Run> {
    of_sample(session, call, (pixel, None), fragment, first, limit)
}

/// Runs the fragment shader of draw `call` as [`fragment`] does, for a sample of the pixel: its fragments
/// are counted at that sample. `None` is sample 0.
///
/// # Errors
/// As for [`fragment`]; there is no such sample.
pub fn of_sample(
    session: &mut Session<'_>,
    call: u64,
    ([x, y], sample): ([u32; 2], Option<u32>),
    fragment: usize,
    first: u32,
    limit: u32,
) -> Result<Run> {
    let draw = session.hold(call)?;
    // The draw itself is not made, so that the session cannot go on.
    session.spoil();
    let (bound, text, count) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        let (_, shader) =
            context.shader(ShaderType::Fragment).context("no fragment shader is bound")?;
        (Bound::of(context), shader.text.clone(), facts.samples(context))
    };
    if let Some(sample) = sample.filter(|sample| *sample >= u32::from(count)) {
        bail!("the framebuffer has {count} samples per pixel: there is no sample {sample}");
    }
    let sample = (count > 1).then_some(sample.unwrap_or(0));
    let size = [bound.framebuffer.width, bound.framebuffer.height].map(u32::from);
    if x >= size[0] || y >= size[1] {
        bail!("the framebuffer has {} × {} pixels: it has no pixel ({x}, {y})", size[0], size[1]);
    }
    let stepped = shaders::stepped(&text)?;
    let names = instructions(&text)?;
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| {
            probe.samples = (count, sample.unwrap_or(0));
            let formats = [Format::R32G32B32A32Uint; shaders::STEPS + 2];
            let isolation = Isolation::new(probe, x, y, &formats, 0, None)?;
            let state = ShaderState::text(&stepped.text);
            let shader = probe.shader(ShaderType::Fragment, &state)?;
            let mut run = Run { steps: 0, shown: Vec::new(), sample };
            let mut next = first.max(1);
            let end = next.saturating_add(limit);
            while next < end && (next <= run.steps || run.steps == 0) {
                set_first(probe, ShaderType::Fragment, stepped.slot, next)?;
                let (colors, _) = isolation.fragment(probe, &draw, shader, fragment)?;
                let words: Vec<[u32; 4]> = colors.iter().map(|bytes| words(bytes)).collect();
                next = run.add(&words, next..end, &names)?;
                if run.steps == 0 {
                    break;
                }
            }
            Ok(run)
        })
    })
}

/// Runs the vertex shader of draw `call` for vertex `vertex` of instance `instance` (both from 0, in the
/// order of the draw), and returns the results of the steps from `first` (from 1) on, at most `limit`.
///
/// # Errors
/// The draw has no such vertex or is indirect, or its shader cannot be stepped.
pub fn vertex(
    session: &mut Session<'_>,
    call: u64,
    vertex: u32,
    instance: u32,
    first: u32,
    limit: u32,
) -> Result<Run> {
    let mut draw = session.hold(call)?;
    // The draw itself is not made, so that the session cannot go on.
    session.spoil();
    let (bound, text) = {
        let facts = session.facts().lock();
        let context = facts.contexts.get(&draw.context).context("no such context")?;
        let (_, shader) =
            context.shader(ShaderType::Vertex).context("no vertex shader is bound")?;
        (Bound::of(context), shader.text.clone())
    };
    draw.single(vertex, instance)?;
    let stepped = shaders::stepped(&text)?;
    let names = instructions(&text)?;
    let outputs: Vec<_> = (0..)
        .zip(&stepped.registers)
        .map(|(at, register)| {
            Ok(StreamOutput {
                register_index: u8::try_from(*register)?,
                start_component: 0,
                num_components: 4,
                output_buffer: 0,
                dst_offset: at * 4,
                stream: 0,
            })
        })
        .collect::<Result<_>>()?;
    let record = shaders::STEPS * 16 + 32;
    let stride = [u16::try_from(record / 4)?, 0, 0, 0];
    session.with_context(draw.context, |screen, context| {
        Probe::run(screen, context, bound, |probe| {
            for stage in [ShaderType::Geometry, ShaderType::TessCtrl, ShaderType::TessEval] {
                if probe.bound.shaders[stage].is_some() {
                    probe.context.bind_shader_state(stage, None)?;
                }
            }
            let source = ShaderSource::Text(&stepped.text);
            let stream_output = StreamOutputInfo { stride, outputs: &outputs };
            let state = ShaderState { source, stream_output };
            let shader = probe.shader(ShaderType::Vertex, &state)?;
            // The draw makes the instances before, too: the number of an instance counts from 0.
            let size = u32::try_from(record)?.checked_mul(instance.saturating_add(1));
            let size =
                size.filter(|size| *size <= 1 << 27).context("the instance is too far out")?;
            let mut run = Run { steps: 0, shown: Vec::new(), sample: None };
            let mut next = first.max(1);
            let end = next.saturating_add(limit);
            while next < end && (next <= run.steps || run.steps == 0) {
                set_first(probe, ShaderType::Vertex, stepped.slot, next)?;
                let (made, bytes) =
                    mesh::streamed_out(probe, &draw, ShaderType::Vertex, shader, size)?;
                let at = usize::try_from(instance)?.saturating_mul(record);
                let of = bytes.get(at..).and_then(|it| it.get(..record));
                let of = of.filter(|_| made > u64::from(instance));
                let of = of.context("the draw made no such vertex")?;
                let words: Vec<[u32; 4]> = of.chunks(16).map(words).collect();
                next = run.add(&words, next..end, &names)?;
                if run.steps == 0 {
                    break;
                }
            }
            Ok(run)
        })
    })
}

/// Sets the number of the first step that a stepped shader captures.
fn set_first(probe: &mut Probe<'_, '_>, stage: ShaderType, slot: usize, first: u32) -> Result<()> {
    let mut constants = [0; 16];
    for (to, from) in constants.iter_mut().zip(first.to_le_bytes()) {
        *to = from;
    }
    let buffer = Some(ConstantBuffer::User(&constants));
    Ok(probe.context.set_constant_buffer(stage, slot, buffer)?)
}

impl Run {
    /// Adds the steps of one run of a stepped shader, from its outputs. Returns the number of the step
    /// after them.
    fn add(
        &mut self,
        outputs: &[[u32; 4]],
        steps: std::ops::Range<u32>,
        names: &[String],
    ) -> Result<u32> {
        let split = outputs.split_at_checked(shaders::STEPS);
        let (values, rest) = split.context("an output is missing")?;
        let [at, count] = rest else { bail!("an output is missing") };
        self.steps = count[0];
        let next = steps.start.saturating_add(shaders::STEPS as u32);
        for ((step, bits), number) in steps.zip(values).zip(at) {
            let Some(instruction) = number.checked_sub(1) else { continue };
            let text = names.get(instruction as usize).cloned().unwrap_or_default();
            self.shown.push(Step { step, instruction, text, bits: *bits });
        }
        Ok(next)
    }
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

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(sample) = self.sample {
            writeln!(f, "sample {sample}")?;
        }
        for step in &self.shown {
            let Step { step: number, instruction, text, bits } = step;
            let floats = step.floats();
            writeln!(f, "{number:>6} {instruction:>4}: {text:<60} {floats:?} {bits:08x?}")?;
        }
        writeln!(f, "{} steps", self.steps)
    }
}
