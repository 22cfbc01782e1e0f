//! Entry points as TGSI and lane code, with size and cost.

use emit::Modes;
use os_shim::Memory;
use serde::Serialize;
use tgsi::compile::{CompileOptions, Compiled, Listing, compile};
use tgsi::shader::{Processor, Shader};

use crate::Problem;
use crate::source::{Unit, stage_name};

/// An entry point, compiled.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Stage {
    /// The entry point's name.
    pub name: String,
    /// The stage.
    pub stage: &'static str,
    /// The TGSI text.
    pub tgsi: String,
    /// The lane code.
    pub lanes: String,
    /// Number of rows of the register file.
    pub rows: u16,
    /// Number of ops that run for each batch of lanes.
    pub ops: usize,
    /// Bytes of the lane code in flash.
    pub flash: usize,
    /// The object of one run: `vertex`, `pixel` or `invocation`.
    pub one: &'static str,
    /// Instructions of a Cortex-M4F per run, interpreted.
    pub interpreted: f32,
    /// The same as machine code for rows of lanes.
    pub native: f32,
    /// The same as machine code for one pixel; `None` if the program cannot be such a function.
    pub pixel: Option<f32>,
    /// The reason why it cannot be.
    pub refusal: Option<String>,
    /// Ops without a known cost.
    pub without: Vec<String>,
}

fn compiled(shader: &Shader<'_>) -> Result<Compiled<'static>, tgsi::compile::CompileError> {
    compile(shader, &CompileOptions::DEFAULT, Memory::system())
}

/// Compiles an entry point.
pub(crate) fn stage(unit: &Unit) -> Result<Stage, Problem> {
    let plain = compiled(&unit.shader).map_err(|error| unit.problem(error.position(), error))?;
    let unrolled = unit.unrolled.as_ref().and_then(|shader| compiled(shader).ok());
    let program = plain.program();
    let pixel = unrolled.as_ref().map_or(program, Compiled::program);
    let modes = Modes { native: Vec::new(), pixel: true };
    let refusal = match program.processor {
        Processor::Fragment => emit::program(&pixel, "", "::tgsi", &modes).err(),
        _ => Some(String::from("only fragments are pixels").into()),
    };
    let estimate = cost::estimate(&program, refusal.is_none().then_some(&pixel));
    Ok(Stage {
        name: unit.name.clone(),
        stage: stage_name(program.processor),
        tgsi: unit.shader.to_string(),
        lanes: Listing(&program).to_string(),
        rows: program.rows,
        ops: program.body.len(),
        flash: cost::flash(&program),
        one: estimate.one,
        interpreted: estimate.interpreted,
        native: estimate.native,
        pixel: estimate.pixel,
        refusal: refusal.map(|it| it.reason),
        without: estimate.without,
    })
}
