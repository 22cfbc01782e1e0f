//! The call graph of a firmware's image, read from its instructions.
//!
//! Direct calls and jumps between functions are followed, of Thumb and of 32-bit RISC-V. Calls
//! through pointers cannot be; that a function makes some is known.

mod decode;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{Architecture, Object, ObjectSection, ObjectSymbol, SymbolKind};
use rustc_demangle::demangle;

use crate::board::Board;
use decode::{Flow, riscv, thumb};

/// A function of an image.
struct Function {
    /// Its path. Functions that became one have all their paths here.
    name: String,
    address: u64,
    size: u64,
    /// Indices of the functions it calls or jumps to.
    calls: Vec<usize>,
    /// It calls through pointers.
    by_pointer: bool,
}

impl Function {
    fn panics(&self) -> bool {
        // Core's `slice_index_fail`, `expect_failed` and the like do nothing else.
        self.name.contains("core::panicking::")
            || self.name.contains("rust_begin_unwind")
            || self.name.starts_with("core::") && self.name.contains("_fail")
    }

    /// Returns true for arithmetic on floats in software.
    fn is_float(&self) -> bool {
        self.name.split(" = ").any(|name| match name.strip_prefix("__aeabi_") {
            Some(rest) => {
                rest.starts_with(['f', 'd']) || rest.contains("2f") || rest.contains("2d")
            }
            None => {
                name.contains("compiler_builtins::float::")
                    || name.starts_with("__") && (name.contains("sf") || name.contains("df"))
            }
        })
    }
}

/// The functions of an image, by address.
pub struct Calls {
    functions: Vec<Function>,
}

impl Calls {
    /// Reads an image.
    ///
    /// # Errors
    /// It is none, or not of a known instruction set.
    pub fn read(image: &Path) -> Result<Calls> {
        let bytes =
            std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
        let file = object::File::parse(&*bytes)
            .with_context(|| format!("{}: not an image", image.display()))?;
        let decode = match file.architecture() {
            Architecture::Arm => thumb,
            Architecture::Riscv32 => riscv,
            other => anyhow::bail!("{}: no decoder for {other:?}", image.display()),
        };
        // Thumb's functions have odd addresses.
        let even = |address: u64| {
            if file.architecture() == Architecture::Arm { address & !1 } else { address }
        };
        let mut found: BTreeMap<u64, Function> = BTreeMap::new();
        // Addresses at which code begins (true), and data within it (false).
        let mut marks: BTreeMap<u64, bool> = BTreeMap::new();
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            if let Some(mark) = name.strip_prefix('$') {
                marks.insert(symbol.address(), !mark.starts_with('d'));
            } else if symbol.kind() == SymbolKind::Text && symbol.size() > 0 {
                let (name, address) = (format!("{:#}", demangle(name)), even(symbol.address()));
                found
                    .entry(address)
                    .and_modify(|other| other.name = format!("{} = {name}", other.name))
                    .or_insert(Function {
                        name,
                        address,
                        size: symbol.size(),
                        calls: Vec::new(),
                        by_pointer: false,
                    });
            }
        }
        let mut calls = Calls { functions: found.into_values().collect() };
        for at in 0..calls.functions.len() {
            let (address, size) = (calls.functions[at].address, calls.functions[at].size);
            let code = file
                .sections()
                .find_map(|section| section.data_range(address, size).ok().flatten())
                .unwrap_or(&[]);
            let is_code = |pc: u64| marks.range(..=pc).next_back().is_none_or(|(_, code)| *code);
            let mut pc = address;
            while pc + 2 <= address + code.len() as u64 {
                if !is_code(pc) {
                    pc += 2;
                    continue;
                }
                let (length, flow) = decode(pc, &code[(pc - address) as usize..]);
                match flow {
                    Flow::Next => {}
                    Flow::ByPointer => calls.functions[at].by_pointer = true,
                    Flow::To(target) => {
                        let callee = calls.at(target).filter(|callee| *callee != at);
                        calls.functions[at].calls.extend(callee);
                    }
                }
                pc += length;
            }
        }
        Ok(calls)
    }

    /// Returns the function that contains this address.
    fn at(&self, address: u64) -> Option<usize> {
        let after = self.functions.partition_point(|function| function.address <= address);
        let at = after.checked_sub(1)?;
        let function = &self.functions[at];
        (address < function.address + function.size).then_some(at)
    }

    /// Returns the functions whose path has this part.
    fn named(&self, part: &str) -> Vec<usize> {
        let all = 0..self.functions.len();
        all.filter(|at| self.functions[*at].name.contains(part)).collect()
    }

    /// Returns the functions reached from these, including these. Functions that panic end the way.
    fn reached(&self, from: &[usize]) -> Vec<usize> {
        let mut seen = vec![false; self.functions.len()];
        let mut waiting = from.to_vec();
        while let Some(at) = waiting.pop() {
            if !std::mem::replace(&mut seen[at], true) && !self.functions[at].panics() {
                waiting.extend(&self.functions[at].calls);
            }
        }
        (0..seen.len()).filter(|at| seen[*at]).collect()
    }

    /// Counts the functions reached from those whose path has this part.
    ///
    /// # Errors
    /// No function has that path; a function that is reached `is` of the forbidden kind, or calls
    /// through a pointer and is not among those that `may`, by parts of their paths.
    fn without(&self, part: &str, may: &[String], is: impl Fn(&Function) -> bool) -> Result<usize> {
        let roots = self.named(part);
        ensure!(!roots.is_empty(), "no function's path has it");
        let reached = self.reached(&roots);
        for at in &reached {
            let function = &self.functions[*at];
            ensure!(!is(function), "it reaches {}", function.name);
            let known = !function.by_pointer
                || function.panics()
                || may.iter().any(|part| function.name.contains(part));
            ensure!(known, "it reaches {}, which calls through a pointer", function.name);
        }
        Ok(reached.len())
    }

    /// Returns the names of those functions among these that call one that panics.
    fn panicking(&self, among: &[usize]) -> Vec<&str> {
        let calls_panic = |at: &&usize| {
            let function = &self.functions[**at];
            !function.panics() && function.calls.iter().any(|to| self.functions[*to].panics())
        };
        among.iter().filter(calls_panic).map(|at| self.functions[*at].name.as_str()).collect()
    }
}

/// The functions that draw tiles, by a part of their paths.
const TILES: &str = "gallium_raster::frame::";

/// Checks the functions that run for each pixel of a board's kernel; returns lines to show.
///
/// # Errors
/// One of them may panic, computes with floats in software, or calls through a pointer; or the image
/// has no function of a path that the kernel lists.
pub fn check(board: &Board, image: &Path) -> Result<String> {
    let calls = Calls::read(image)?;
    let mut text = String::new();
    if let Some(kernel) = board.kernel()? {
        for (what, is) in
            [("panics", Function::panics as fn(&Function) -> bool), ("floats", Function::is_float)]
        {
            let mut count = 0;
            for part in &kernel.pixels {
                let without = calls.without(part, &kernel.by_pointer, is);
                count += without.with_context(|| format!("{}: `{part}`: {what}", board.name))?;
            }
            text += &format!("  pixels: {count} functions without {what}\n");
        }
    }
    let drawing = calls.named(TILES);
    ensure!(!drawing.is_empty(), "{}: no function's path has `{TILES}`", board.name);
    let tiles = calls.reached(&drawing);
    let panicking = calls.panicking(&tiles);
    if !panicking.is_empty() {
        text += "  tiles:  these index with checks that may panic:\n";
    }
    for name in panicking {
        text += &format!("          {name}\n");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reached_through_others_is_found() {
        let function = |name: &str, calls: &[usize]| Function {
            name: name.into(),
            address: 0,
            size: 2,
            calls: calls.to_vec(),
            by_pointer: false,
        };
        let calls = Calls {
            functions: vec![
                function("a::pixel", &[1]),
                function("a::row", &[0, 2]),
                function("core::panicking::panic_fmt", &[3]),
                function("b::handler", &[]),
                function("__aeabi_fadd = compiler_builtins::float::add::__addsf3", &[]),
            ],
        };
        let reached = calls.reached(&calls.named("pixel"));
        assert_eq!(reached, [0, 1, 2]);
        assert_eq!(calls.panicking(&reached), ["a::row"]);
        assert_eq!(calls.without("pixel", &[], Function::is_float).unwrap(), 3);
        let error = calls.without("pixel", &[], Function::panics).unwrap_err().to_string();
        assert_eq!(error, "it reaches core::panicking::panic_fmt");
        assert!(calls.without("c::", &[], Function::panics).is_err());
        let floats: Vec<bool> = calls.functions.iter().map(Function::is_float).collect();
        assert_eq!(floats, [false, false, false, false, true]);
        assert!(function("__aeabi_ui2f", &[]).is_float());
        assert!(function("__mulsf3", &[]).is_float() && function("__floatsidf", &[]).is_float());
        assert!(function("core::slice::index::slice_index_fail", &[]).panics());
        assert!(!function("a::fail", &[]).panics());
        assert!(!function("__aeabi_memcpy", &[]).is_float());
        assert!(!function("__aeabi_uidivmod", &[]).is_float());
    }
}
