#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! The IR, which text and tokens are two spellings of:
//! * [`shader`]: shader, instruction, immediate; stages, texture targets
//! * [`declaration`]: what a shader uses; semantics, interpolation
//! * [`register`]: files, operands, swizzles, masks
//! * [`opcode`]: the table of opcodes
//! * [`property`]: what a shader says of itself as a whole
//!
//! Ways in and out:
//! * [`text`]: parse, print (feature `text`)
//! * [`token`]: the binary form
//! * [`builder`]: shaders made by Rust code
//! * [`transform`]: shaders made from shaders
//!
//! Looking at a shader:
//! * [`sanity`]: is it well formed?
//! * [`scan`]: what does it use?
//!
//! Running it:
//! * [`compile`]: IR to lane code (feature `compile`)
//! * [`program`]: lane code, plain data
//! * [`exec`]: runs lane code
//! * [`math`]: the functions lane code calls
//!
//! # Features
//!
//! * `text` (default): shaders from and to text.
//! * `compile` (default): shaders to lane code. Without it only programs made at build time run.
//! * `integers`, `memory`, `doubles`, `shader-stages`, `lanes`: parts of the executor, see [`exec::Group`].
//! * `full`: all of these.
//! * `std`, `log`, `defmt`: as in `gallium-os-shim`.

#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(feature = "std", test))]
extern crate std;

mod format_name;
mod instruction;
mod names;

pub mod builder;
#[cfg(feature = "compile")]
pub mod compile;
pub mod declaration;
pub mod exec;
pub mod math;
pub mod opcode;
pub mod program;
pub mod property;
pub mod register;
pub mod sanity;
pub mod scan;
pub mod shader;
#[cfg(feature = "text")]
pub mod text;
pub mod token;
pub mod transform;

/// How many edits make one word of the other (optimal string alignment, any case), counted up
/// to words of 24 letters; longer ones are as far as can be.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > 24 || b.len() > 24 {
        return usize::MAX;
    }
    let mut rows = [[0usize; 25]; 3];
    for (column, cost) in rows[1].iter_mut().enumerate() {
        *cost = column;
    }
    for (i, x) in a.iter().enumerate() {
        let [before, last, row] = &mut rows;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let same = x.eq_ignore_ascii_case(y);
            row[j + 1] = (last[j] + usize::from(!same)).min(last[j + 1] + 1).min(row[j] + 1);
            let swapped = i > 0
                && j > 0
                && x.eq_ignore_ascii_case(&b[j - 1])
                && y.eq_ignore_ascii_case(&a[i - 1]);
            if swapped {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}
