//! Recordings of firmware: the texts of programs that are in its ELF file.

use tgsi::program::SourceText;

use super::calls::number;
use super::reading::{Call, Calls};
use super::values::{NAMED, TEXT};
use super::{MAGIC, VERSION};
use crate::wire::{TraceError, Writer, number};

/// Passes a firmware's recording to `out`, with the texts of its programs in place of their names. Hosts
/// can play the result.
///
/// `texts` is the contents of the section `.gallium.programs` of the firmware's ELF file.
///
/// # Errors
/// The recording is damaged, or a program's text is not in `texts`. If the recording ends within a
/// call, the calls before are passed on.
pub fn with_texts(
    trace: &[u8],
    texts: &[u8],
    out: &mut dyn FnMut(&[u8]),
) -> Result<(), TraceError> {
    let mut calls = Calls::new(trace)?;
    let mut head = Writer::new(out);
    head.raw(MAGIC);
    head.number(VERSION.into());
    head.bytes(calls.driver().as_bytes());
    loop {
        match calls.read() {
            Ok(Some(call)) => resolve(&call, texts, out)?,
            Ok(None) | Err(TraceError::Truncated) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

/// Passes a call on, with the text of its program.
fn resolve(call: &Call<'_>, texts: &[u8], out: &mut dyn FnMut(&[u8])) -> Result<(), TraceError> {
    // The numbers before the code: the stage of a shader, the sizes of memory of a compute program.
    let numbers = match call.number {
        number::CREATE_SHADER_STATE => 1,
        number::CREATE_COMPUTE_STATE => 3,
        _ => return pass(call, &[call.body], out),
    };
    let mut code = call.body;
    for _ in 0..numbers {
        code = number(code)?.1;
    }
    let (kind, rest) = number(code)?;
    if kind != NAMED {
        return pass(call, &[call.body], out);
    }
    let (name, rest) = number(rest)?;
    let mut texts = texts.split(|byte| *byte == 0);
    let text = texts.find(|text| SourceText::name_of(text) == name);
    let text = text.ok_or(TraceError::Program(name))?;
    let before = call.body.strip_suffix(code).unwrap_or(&[]);
    let mut head = heapless::Vec::<u8, 11>::new();
    let mut add = |bytes: &[u8]| drop(head.extend_from_slice(bytes));
    let mut writer = Writer::new(&mut add);
    writer.number(TEXT);
    writer.number(text.len() as u64);
    pass(call, &[before, &head, text, rest], out)
}

/// Passes a call on, with a body in parts.
fn pass(call: &Call<'_>, body: &[&[u8]], out: &mut dyn FnMut(&[u8])) -> Result<(), TraceError> {
    let mut writer = Writer::new(out);
    writer.number(call.number);
    writer.number(call.context);
    writer.number(body.iter().map(|part| part.len() as u64).sum());
    body.iter().for_each(|part| writer.raw(part));
    Ok(())
}
