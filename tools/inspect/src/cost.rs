//! The instructions that a draw's shaders take on a Cortex-M4F: estimated from their ops, and from the number of their
//! runs as the driver counts it. The board's count follows, if the recording has one.

use std::fmt::{Display, Formatter};

use anyhow::{Context as _, Result};
use os_shim::Memory;
use pipe_core::query::PipelineStatistic;
use pipe_core::*;
use serde::Serialize;
use tgsi::compile::{CompileOptions, compile};

use crate::session::Session;
use crate::shaders;

/// The stages of a draw, and the counters of their runs.
const STAGES: [(ShaderType, PipelineStatistic); 5] = [
    (ShaderType::Vertex, PipelineStatistic::VsInvocations),
    (ShaderType::TessCtrl, PipelineStatistic::HsInvocations),
    (ShaderType::TessEval, PipelineStatistic::DsInvocations),
    (ShaderType::Geometry, PipelineStatistic::GsInvocations),
    (ShaderType::Fragment, PipelineStatistic::PsInvocations),
];

/// The estimate for a shader of a draw.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Stage {
    /// The stage.
    pub stage: String,
    /// The number of runs.
    pub runs: u64,
    /// Instructions of all runs of interpreted lane code.
    pub interpreted: u64,
    /// Instructions of all runs of machine code.
    pub native: u64,
    /// Ops that count nothing, such as texture lookups.
    pub without: Vec<String>,
}

/// The estimate for a draw.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Cost {
    /// The call.
    pub call: u64,
    /// The instructions that the recorded board counted.
    pub counted: Option<String>,
    /// The shaders, in the order of the pipeline.
    pub stages: Vec<Stage>,
}

/// Estimates the cost of a draw on a Cortex-M4F.
///
/// # Errors
/// The call is no draw, or cannot be reached.
pub fn cost(session: &mut Session<'_>, call: u64) -> Result<Cost> {
    let draw = session.hold(call)?;
    let counted = session.with_context(draw.context, |_, context| {
        let query = context.create_query(QueryType::PipelineStatistics, 0)?;
        context.begin_query(query)?;
        draw.make(context)?;
        context.end_query(query)?;
        let result = context.get_query_result(query, true)?;
        context.destroy_query(query)?;
        Ok(result)
    });
    session.spoil();
    let counted = counted?.context("the driver did not count the runs of the shaders")?;
    let described = session.listing().describe(call, call)?;
    let counts = described.first().and_then(|call| call.instructions());
    let mut cost = Cost { call, counted: counts.map(str::to_owned), stages: Vec::new() };
    let facts = session.facts().lock();
    let context = facts.contexts.get(&draw.context).context("no such context")?;
    for (stage, counter) in STAGES {
        let Some((_, shader)) = context.shader(stage) else { continue };
        let runs = counted.number(counter as u32).unwrap_or(0);
        cost.stages.push(estimated(stage, &shader.text, runs)?);
    }
    Ok(cost)
}

/// Estimates the instructions of a shader's runs.
fn estimated(stage: ShaderType, text: &str, runs: u64) -> Result<Stage> {
    let shader = shaders::parse(text)?;
    let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system());
    let compiled = compiled.map_err(|error| anyhow::anyhow!("the {stage:?} shader: {error}"))?;
    let one = ::cost::estimate(&compiled.program(), None);
    let all = |one: f32| (f64::from(one) * runs as f64) as u64;
    let (interpreted, native) = (all(one.interpreted), all(one.native));
    Ok(Stage { stage: format!("{stage:?}"), runs, interpreted, native, without: one.without })
}

impl Display for Cost {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        for it in &self.stages {
            let Stage { stage, runs, interpreted, native, .. } = it;
            write!(
                f,
                "{stage} shader: {runs} runs, {native} instructions native, {interpreted} interpreted"
            )?;
            if !it.without.is_empty() {
                write!(f, ", without the ops {}", it.without.join(", "))?;
            }
            writeln!(f)?;
        }
        let native: u64 = self.stages.iter().map(|it| it.native).sum();
        let interpreted: u64 = self.stages.iter().map(|it| it.interpreted).sum();
        writeln!(
            f,
            "shaders on a Cortex-M4F: {native} instructions native, {interpreted} interpreted"
        )?;
        if let Some(counted) = &self.counted {
            writeln!(
                f,
                "the board counted {counted} instructions for the call; its pixels are in the flush or present"
            )?;
        }
        writeln!(f, "({})", ::cost::NOTE)
    }
}
