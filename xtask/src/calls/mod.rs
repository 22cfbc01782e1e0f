//! The call graph of a firmware image, read from its instructions.
//!
//! Direct calls and jumps between functions are followed, for Thumb and 32-bit RISC-V. A call
//! through a pointer may reach any function with its address in the image: in a constant, such as a
//! method table, or in code that loads the address. These addresses are known for Thumb only.

mod decode;
pub mod panics;
pub mod why;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, SymbolKind, elf,
};
use rustc_demangle::demangle;

use crate::board::Board;
use crate::size::ASSETS;
use decode::{Decode, Flow, riscv, thumb};

/// A function of an image.
struct Function {
    /// Its path. If identical functions were merged, it has the paths of all of them.
    name: String,
    address: u64,
    size: u64,
    /// Indices of the functions that it calls or jumps to.
    calls: Vec<usize>,
    /// True if it calls through pointers.
    by_pointer: bool,
}

impl Function {
    /// Returns the last part of the path of a function that only panics, such as core's
    /// `slice_index_fail` and `expect_failed`.
    fn panic(&self) -> Option<&str> {
        let panics = |name: &&str| {
            let in_core = name.starts_with("core::");
            name.contains("core::panicking::")
                || name.contains("rust_begin_unwind")
                || in_core && (name.contains("_fail") || name.contains("::panic_"))
        };
        self.name.split(" = ").find(panics).and_then(|name| name.rsplit("::").next())
    }

    fn panics(&self) -> bool {
        self.panic().is_some()
    }

    /// Returns true for software float arithmetic.
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
    /// Indices of the functions that calls through pointers may reach; `None` if they are unknown.
    taken: Option<BTreeSet<usize>>,
}

/// The symbols of an image that distinguish code and data.
#[derive(Default)]
struct Symbols {
    functions: BTreeMap<u64, Function>,
    /// Addresses where code begins (true), and data within it (false).
    marks: BTreeMap<u64, bool>,
    /// Address ranges of meshes and textures. Numbers in them are not addresses.
    assets: Vec<Range<u64>>,
}

impl Symbols {
    fn read(file: &object::File<'_>) -> Symbols {
        // Thumb functions have odd addresses.
        let thumb = u64::from(file.architecture() == Architecture::Arm);
        let mut symbols = Symbols::default();
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            let (address, size) = (symbol.address(), symbol.size());
            if let Some(mark) = name.strip_prefix('$') {
                symbols.marks.insert(address, !mark.starts_with('d'));
            } else if ASSETS.iter().any(|path| name.contains(path)) {
                symbols.assets.push(address..address + size);
            } else if symbol.kind() == SymbolKind::Text && size > 0 {
                let (name, address) = (format!("{:#}", demangle(name)), address & !thumb);
                symbols
                    .functions
                    .entry(address)
                    .and_modify(|other| other.name = format!("{} = {name}", other.name))
                    .or_insert(Function { name, address, size, calls: vec![], by_pointer: false });
            }
        }
        symbols
    }

    fn is_code(&self, address: u64) -> bool {
        self.marks.range(..=address).next_back().is_none_or(|(_, code)| *code)
    }
}

impl Calls {
    /// Reads an image.
    ///
    /// # Errors
    /// The file is not an image, or its instruction set is not supported.
    pub fn read(image: &Path) -> Result<Calls> {
        let bytes =
            std::fs::read(image).with_context(|| format!("cannot read {}", image.display()))?;
        let file = object::File::parse(&*bytes)
            .with_context(|| format!("{}: not an image", image.display()))?;
        let (decode, taken): (Decode, _) = match file.architecture() {
            Architecture::Arm => (thumb, Some(BTreeSet::new())),
            Architecture::Riscv32 => (riscv, None),
            other => anyhow::bail!("{}: no decoder for {other:?}", image.display()),
        };
        let mut symbols = Symbols::read(&file);
        let functions = std::mem::take(&mut symbols.functions).into_values().collect();
        let mut calls = Calls { functions, taken };
        for at in 0..calls.functions.len() {
            let (address, size) = (calls.functions[at].address, calls.functions[at].size);
            let code = file
                .sections()
                .find_map(|section| section.data_range(address, size).ok().flatten())
                .unwrap_or(&[]);
            calls.read_code(at, code, &symbols, decode);
        }
        for section in file.sections() {
            calls.read_constants(&section, &symbols);
        }
        // Only the processor goes to the start. Its address is a small number on some boards and
        // may occur in the image as an ordinary constant.
        if let (Some(start), Some(taken)) = (calls.at(file.entry() & !1), &mut calls.taken) {
            taken.remove(&start);
        }
        Ok(calls)
    }

    /// Reads the instructions of function number `at`.
    fn read_code(&mut self, at: usize, code: &[u8], symbols: &Symbols, decode: Decode) {
        let address = self.functions[at].address;
        let mut pc = address;
        let mut registers = [0; 16];
        while pc + 2 <= address + code.len() as u64 {
            if !symbols.is_code(pc) {
                pc += 2;
                continue;
            }
            let (length, flow) = decode(pc, &code[(pc - address) as usize..]);
            match flow {
                Flow::Next => {}
                Flow::ByPointer => self.functions[at].by_pointer = true,
                Flow::To(target) => {
                    let callee = self.at(target).filter(|callee| *callee != at);
                    self.functions[at].calls.extend(callee);
                }
                Flow::Low { register, bits } => registers[register as usize] = bits,
                Flow::High { register, bits } => {
                    self.take(registers[register as usize] & 0xffff | bits << 16);
                }
            }
            pc += length;
        }
    }

    /// Reads the words of a section that are not code, except the interrupt table.
    fn read_constants(&mut self, section: &object::Section<'_, '_>, symbols: &Symbols) {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return };
        if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || section.name() == Ok(".vector_table") {
            return;
        }
        let is_text = section.kind() == SectionKind::Text;
        for (number, word) in section.data().unwrap_or(&[]).as_chunks().0.iter().enumerate() {
            let address = section.address() + 4 * number as u64;
            let is_code = is_text && symbols.is_code(address);
            if !is_code && !symbols.assets.iter().any(|asset| asset.contains(&address)) {
                self.take(u32::from_le_bytes(*word));
            }
        }
    }

    /// Records a word if it is the address of a Thumb function.
    fn take(&mut self, word: u32) {
        let entry = u64::from(word & !1);
        let function = self.functions.binary_search_by_key(&entry, |function| function.address);
        if let (Some(taken), Ok(function), 1) = (&mut self.taken, function, word & 1) {
            taken.insert(function);
        }
    }

    /// Returns the function that contains this address.
    fn at(&self, address: u64) -> Option<usize> {
        let after = self.functions.partition_point(|function| function.address <= address);
        let at = after.checked_sub(1)?;
        let function = &self.functions[at];
        (address < function.address + function.size).then_some(at)
    }

    /// Returns the functions with this part in their path.
    fn named(&self, part: &str) -> Vec<usize> {
        let all = 0..self.functions.len();
        all.filter(|at| self.functions[*at].name.contains(part)).collect()
    }

    /// Returns the functions reached from these, including these, if calls through pointers reach all
    /// of `taken`. Functions that are `excepted` are left out, and calls made by them, or by functions
    /// that panic, are not followed.
    fn reached_with(
        &self,
        from: &[usize],
        taken: &BTreeSet<usize>,
        excepted: &dyn Fn(&Function) -> bool,
    ) -> Vec<usize> {
        let mut seen = vec![false; self.functions.len()];
        let mut waiting = from.to_vec();
        while let Some(at) = waiting.pop() {
            let function = &self.functions[at];
            if !excepted(function) && !std::mem::replace(&mut seen[at], true) && !function.panics()
            {
                waiting.extend(&function.calls);
                if function.by_pointer {
                    waiting.extend(taken);
                }
            }
        }
        (0..seen.len()).filter(|at| seen[*at]).collect()
    }

    /// Counts the functions reached from the functions with this part in their path.
    ///
    /// # Errors
    /// No function has that path; a reached function is forbidden by `is`, or it calls through a
    /// pointer and its path has no part listed in `may`. Calls made by functions with a part of
    /// `except` in their path are not followed.
    fn without(
        &self,
        part: &str,
        may: &[String],
        except: &[String],
        is: impl Fn(&Function) -> bool,
    ) -> Result<usize> {
        let roots = self.named(part);
        let reached = self.reached_with(&roots, &BTreeSet::new(), &|function| {
            except.iter().any(|part| function.name.contains(part))
        });
        ensure!(!reached.is_empty(), "no function's path has it");
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
}

/// Checks the functions that run for each pixel of a board's kernel; returns lines to print.
///
/// # Errors
/// One of these functions may panic, uses software floats, or calls through a pointer; or the image
/// has no function with a path that the kernel lists.
pub fn check(board: &Board, calls: &Calls) -> Result<String> {
    let mut text = String::new();
    let Some(kernel) = board.kernel()? else { return Ok(text) };
    for (what, is) in
        [("panics", Function::panics as fn(&Function) -> bool), ("floats", Function::is_float)]
    {
        let mut count = 0;
        let except: &[String] = if what == "floats" { &kernel.in_floats } else { &[] };
        for part in &kernel.pixels {
            let without = calls.without(part, &kernel.by_pointer, except, is);
            count += without.with_context(|| format!("{}: `{part}`: {what}", board.name))?;
        }
        text += &format!("  pixels: {count} functions without {what}\n");
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
            taken: None,
            functions: vec![
                function("a::pixel", &[1]),
                function("a::row", &[0, 2]),
                function("core::panicking::panic_fmt", &[3]),
                function("b::handler", &[]),
                function("__aeabi_fadd = compiler_builtins::float::add::__addsf3", &[]),
            ],
        };
        let reached = calls.reached_with(&calls.named("pixel"), &BTreeSet::new(), &|_| false);
        assert_eq!(reached, [0, 1, 2]);
        assert_eq!(calls.without("pixel", &[], &[], Function::is_float).unwrap(), 3);
        let error = calls.without("pixel", &[], &[], Function::panics).unwrap_err().to_string();
        assert_eq!(error, "it reaches core::panicking::panic_fmt");
        assert!(calls.without("c::", &[], &[], Function::panics).is_err());
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
