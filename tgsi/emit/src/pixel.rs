//! A fragment program's body as a Rust function of one pixel.
//!
//! The function contains only arithmetic. Each row is a variable, so a pixel's values stay in
//! registers. Other programs stay lane code.

use std::collections::BTreeMap;

use tgsi::declaration::SemanticName;
use tgsi::exec::native::PIXEL_INPUTS;
use tgsi::program::{Program, Row};
use tgsi::shader::Processor;

use crate::native::literals;

/// Returns the function `pixel`, or the reason why it cannot exist.
pub(crate) fn function(program: &Program<'_>) -> Result<String, String> {
    if program.processor != Processor::Fragment {
        return Err(String::from("only fragment shaders run a pixel at a time"));
    }
    let [output] = program.outputs else {
        return Err(String::from("a program that runs a pixel at a time writes one colour alone"));
    };
    if output.semantic.name != SemanticName::Color || output.semantic.index != 0 {
        return Err(String::from(
            "a program that runs a pixel at a time writes COLOR, no other output",
        ));
    }
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
            let code = op.code;
            return Err(format!(
                "a program that runs a pixel at a time has arithmetic only, not {code:?}"
            ));
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

/// Returns the index of each input row among the function's inputs.
fn inputs(program: &Program<'_>) -> Result<BTreeMap<Row, usize>, String> {
    if !program.system_values.is_empty() || program.inputs.len() * 4 > PIXEL_INPUTS {
        let most = PIXEL_INPUTS / 4;
        return Err(format!(
            "a program that runs a pixel at a time reads up to {most} inputs and no system values"
        ));
    }
    let rows = program.inputs.iter().flat_map(|input| input.rows);
    Ok(rows.zip(0..).filter(|(row, _)| *row != Row::NONE).collect())
}
