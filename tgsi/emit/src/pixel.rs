//! A fragment program's body as a Rust function of one pixel.
//!
//! The function contains only arithmetic. Each row is a variable, so a pixel's values stay in
//! registers. Other programs stay lane code.

use std::collections::BTreeMap;

use tgsi::declaration::SemanticName;
use tgsi::exec::OpCode;
use tgsi::exec::native::PIXEL_INPUTS;
use tgsi::program::{Program, Row};
use tgsi::shader::Processor;

use crate::Refusal;
use crate::native::literals;

/// Returns the function `pixel`, or the reason why it cannot exist.
pub(crate) fn function(program: &Program<'_>) -> Result<String, Refusal> {
    if program.processor != Processor::Fragment {
        return Err(String::from("only fragment shaders run a pixel at a time").into());
    }
    let color = |name, index| name == SemanticName::Color && index == 0;
    let output = match program.outputs {
        [output] if color(output.semantic.name, output.semantic.index) => output,
        _ => {
            let reason = "a program that runs a pixel at a time writes colour 0 and nothing else";
            return Err(String::from(reason).into());
        }
    };
    let inputs = inputs(program)?;
    let literals = literals(program);
    let mut values: BTreeMap<Row, String> = BTreeMap::new();
    let value = |values: &BTreeMap<Row, String>, row: Row| -> String {
        if let Some(known) = values.get(&row) {
            known.clone()
        } else if let Some(bits) = literals.get(&row) {
            format!("{bits}u32")
        } else if let Some(at) = inputs.get(&row) {
            format!("inputs[{at}]")
        } else {
            format!("rows[{}]", row.0)
        }
    };
    let mut lines = String::new();
    for (at, op) in program.body.iter().enumerate() {
        let (Some(count), Some(function)) = (op.code.operands(), op.code.scalar_name()) else {
            let reason = format!(
                "a program that runs a pixel at a time has arithmetic only, not {}",
                description(op.code)
            );
            return Err(Refusal { reason, op: Some(at) });
        };
        let rows = [op.a, op.b, op.c, Row(op.aux)];
        let operands: Vec<String> =
            rows.iter().take(count).map(|row| value(&values, *row)).collect();
        let operands = operands.join(", ");
        lines += &format!("let v{at} = exec::native::scalar::{function}({operands});\n");
        values.insert(op.dst, format!("v{at}"));
    }
    let color = output.rows.map(|row| match row {
        Row::NONE => String::from("0"),
        row => value(&values, row),
    });
    Ok(format!(
        "#[allow(warnings, clippy::all)]\n\
         fn pixel(rows: &[u32], inputs: &[u32; {PIXEL_INPUTS}]) -> [u32; 4] {{\n\
         let ::core::option::Option::Some(rows) = rows.first_chunk::<{}>() else {{ return [0; 4] }};\n\
         {lines}[{}] }}\n",
        program.rows,
        color.join(", ")
    ))
}

/// Describes an op that is more than arithmetic.
fn description(code: OpCode) -> String {
    use OpCode::*;
    String::from(match code {
        Sample => "a texture lookup",
        Loop | EndLoop => "a loop",
        If | IfBits | Else | EndIf | Select => "a branch that is too long to compute both sides",
        Case | NotCase | Default => "a switch",
        Save | Leave | Nobody | Update => "a jump out of a loop or function",
        Kill | KillIf => "`discard`",
        Ddx | Ddy | DdxFine | DdyFine => "a derivative",
        Gather | Scatter => "an array that is indexed by a computed number",
        Memory => "a buffer or storage texture",
        code => return format!("{code:?}"),
    })
}

/// Returns the index of each input row among the function's inputs.
fn inputs(program: &Program<'_>) -> Result<BTreeMap<Row, usize>, Refusal> {
    let (most, count) = (PIXEL_INPUTS / 4, program.inputs.len());
    let reason = if let Some(value) = program.system_values.first() {
        format!("no system values, not {}", value.semantic)
    } else if count > most {
        format!("up to {most} inputs, not {count}")
    } else {
        let rows = program.inputs.iter().flat_map(|input| input.rows);
        return Ok(rows.zip(0..).filter(|(row, _)| *row != Row::NONE).collect());
    };
    Err(format!("a program that runs a pixel at a time reads {reason}").into())
}
