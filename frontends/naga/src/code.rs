//! The program in the making: instructions, temporaries, immediates, indexed arrays.

use std::collections::HashMap;

use naga::Span;
use tgsi::declaration::ImageFormat;
use tgsi::opcode::Opcode;
use tgsi::register::{DstRegister, File, SrcRegister, Swizzle, WriteMask};
use tgsi::sanity::MAX_NESTING;
use tgsi::shader::{Immediate, ImmediateType, Instruction, MemoryInfo};

use crate::error::{Refusal, Result};

/// The most instructions of a translated program, subroutines included. The compiler to lane code
/// takes at most 65,535 operations.
const MAX_INSTRUCTIONS: usize = 1 << 17;

/// The most temporaries of a program.
pub(crate) const MAX_TEMPORARIES: u32 = 0x7fff;

/// The most arrays that one program can index at run time; array ids have ten bits.
const MAX_ARRAYS: usize = 1023;

/// A label that stands for a subroutine until the program is put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Subroutine(u32);

/// Registers that are indexed at run time.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// An instruction, and the place in the source that it comes from.
pub(crate) struct Placed {
    pub(crate) instruction: Instruction,
    pub(crate) span: Span,
}

/// The program in the making.
pub(crate) struct Code {
    /// The instructions being written; the innermost last.
    open: Vec<Vec<Placed>>,
    subroutines: Vec<Vec<Placed>>,
    count: usize,
    depth: usize,
    temporaries: u32,
    arrays: Vec<Array>,
    immediates: Vec<Immediate>,
    /// The place of each word, by notation.
    words: HashMap<(bool, u32), SrcRegister>,
    vectors: HashMap<(bool, [u32; 4]), SrcRegister>,
    /// The register of each notation that has free components, and their number so far.
    filling: [Option<(usize, usize)>; 2],
    /// The place in the source of the present statement or expression.
    pub(crate) span: Span,
    refusal: Option<Refusal>,
}

impl Code {
    pub(crate) fn new() -> Code {
        Code {
            open: vec![Vec::new()],
            subroutines: Vec::new(),
            count: 0,
            depth: 0,
            temporaries: 0,
            arrays: Vec::new(),
            immediates: Vec::new(),
            words: HashMap::new(),
            vectors: HashMap::new(),
            filling: [None; 2],
            span: Span::UNDEFINED,
            refusal: None,
        }
    }

    /// Returns a refusal at the present place in the source.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> Refusal {
        Refusal::new(message, self.span)
    }

    /// Keeps the first refusal, for [`check`](Code::check).
    fn keep(&mut self, message: String) {
        let span = self.span;
        self.refusal.get_or_insert_with(|| Refusal::new(message, span));
    }

    /// Returns the first limit that the program exceeded.
    pub(crate) fn check(&self) -> Result<()> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    /// Adds an instruction.
    pub(crate) fn push(&mut self, instruction: Instruction) {
        if self.count >= MAX_INSTRUCTIONS {
            self.keep(format!("the shader needs more than {MAX_INSTRUCTIONS} instructions"));
            return;
        }
        match instruction.opcode {
            Opcode::Uif | Opcode::Bgnloop | Opcode::Switch => self.depth += 1,
            Opcode::Endif | Opcode::Endloop | Opcode::Endswitch => {
                self.depth = self.depth.saturating_sub(1);
            }
            _ => {}
        }
        if self.depth >= MAX_NESTING {
            self.keep(format!("blocks are nested deeper than {MAX_NESTING} levels"));
            return;
        }
        self.count += 1;
        let span = self.span;
        if let Some(open) = self.open.last_mut() {
            open.push(Placed { instruction, span });
        }
    }

    /// Adds an instruction of an opcode with its operands.
    pub(crate) fn emit(&mut self, opcode: Opcode, dst: Option<DstRegister>, srcs: &[SrcRegister]) {
        self.push(instruction(opcode, dst, srcs));
    }

    /// Adds a load or store. `halves`: its components are halves in memory.
    pub(crate) fn access(
        &mut self,
        opcode: Opcode,
        dst: DstRegister,
        srcs: &[SrcRegister],
        halves: bool,
    ) {
        let mut access = instruction(opcode, Some(dst), srcs);
        access.memory =
            halves.then_some(MemoryInfo { format: ImageFormat::R16_FLOAT, ..MemoryInfo::NONE });
        self.push(access);
    }

    /// Returns the blocks that are open here.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Begins a list of instructions that [`close`](Code::close) returns.
    pub(crate) fn open(&mut self) {
        self.open.push(Vec::new());
    }

    /// Ends the list of instructions that [`open`](Code::open) began.
    pub(crate) fn close(&mut self) -> Vec<Placed> {
        self.open.pop().unwrap_or_default()
    }

    /// Adds instructions that [`close`](Code::close) returned. They are counted already.
    pub(crate) fn append(&mut self, instructions: Vec<Placed>) {
        if let Some(open) = self.open.last_mut() {
            open.extend(instructions);
        }
    }

    /// Begins a subroutine; returns the depth of blocks outside it.
    pub(crate) fn begin_subroutine(&mut self) -> usize {
        self.open();
        self.emit(Opcode::Bgnsub, None, &[]);
        std::mem::take(&mut self.depth)
    }

    /// Ends a subroutine; `depth` is what [`begin_subroutine`](Code::begin_subroutine) returned.
    pub(crate) fn end_subroutine(&mut self, depth: usize) -> Subroutine {
        self.emit(Opcode::Endsub, None, &[]);
        self.depth = depth;
        let body = self.close();
        self.subroutines.push(body);
        Subroutine(self.subroutines.len() as u32 - 1)
    }

    /// Adds a call.
    pub(crate) fn call(&mut self, subroutine: Subroutine) {
        let mut call = Instruction::new(Opcode::Cal);
        call.label = Some(subroutine.0);
        self.push(call);
    }

    /// Returns `count` new temporaries in a row.
    pub(crate) fn temporaries(&mut self, count: u32) -> u32 {
        let first = self.temporaries;
        match first.checked_add(count).filter(|&end| end <= MAX_TEMPORARIES) {
            Some(end) => {
                self.temporaries = end;
                first
            }
            None => {
                self.keep(format!("the shader needs more than {MAX_TEMPORARIES} registers"));
                0
            }
        }
    }

    /// Returns the id of the array that is these temporaries, indexed at run time.
    pub(crate) fn array(&mut self, first: u32, count: u32) -> u16 {
        let known = self.arrays.iter().position(|array| array.first == first);
        let at = known.unwrap_or_else(|| {
            self.arrays.push(Array { first, last: first + count.max(1) - 1 });
            self.arrays.len() - 1
        });
        if at >= MAX_ARRAYS {
            self.keep(format!("the shader indexes more than {MAX_ARRAYS} arrays"));
        }
        at as u16 + 1
    }

    /// Returns a word in every component. `float`: the notation it is printed in.
    pub(crate) fn word(&mut self, float: bool, bits: u32) -> SrcRegister {
        if let Some(&known) = self.words.get(&(float, bits)) {
            return known;
        }
        let filling = self.filling.get(usize::from(float)).copied().flatten();
        let (index, component) = filling.unwrap_or((self.immediates.len(), 0));
        if component == 0 {
            let zero = if float { Immediate::float([0.0; 4]) } else { Immediate::int([0; 4]) };
            self.immediates.push(zero);
        }
        let slot = self.immediates.get_mut(index).and_then(|it| it.bits.get_mut(component));
        if let Some(slot) = slot {
            *slot = bits;
        }
        if let Some(filling) = self.filling.get_mut(usize::from(float)) {
            *filling = (component < 3).then_some((index, component + 1));
        }
        let register = SrcRegister::new(File::Immediate, index as i32)
            .scalar(Swizzle::from_bits(component as u32));
        self.limit_immediates();
        self.words.insert((float, bits), register);
        register
    }

    /// Returns a vector. The last component fills the missing ones.
    pub(crate) fn vector(&mut self, float: bool, words: &[u32]) -> SrcRegister {
        let last = words.last().copied().unwrap_or(0);
        if words.iter().all(|&word| word == last) {
            return self.word(float, last);
        }
        let mut bits = [last; 4];
        bits.iter_mut().zip(words).for_each(|(slot, word)| *slot = *word);
        if let Some(&known) = self.vectors.get(&(float, bits)) {
            return known;
        }
        let mut immediate = Immediate::int([0; 4]);
        if float {
            immediate = Immediate::float([0.0; 4]);
        }
        immediate.bits = bits;
        let register = SrcRegister::new(File::Immediate, self.immediates.len() as i32);
        self.immediates.push(immediate);
        self.limit_immediates();
        self.vectors.insert((float, bits), register);
        register
    }

    /// Returns the first component of an immediate operand.
    pub(crate) fn immediate(&self, src: SrcRegister) -> Option<u32> {
        let immediate = self.immediates.get(usize::try_from(src.index).ok()?)?;
        let [first, ..] = src.swizzle;
        immediate.bits.get(first.index()).copied()
    }

    /// Returns true for an immediate in the notation of floats.
    pub(crate) fn is_float(&self, src: SrcRegister) -> bool {
        let at = usize::try_from(src.index).ok();
        at.and_then(|at| self.immediates.get(at))
            .is_some_and(|it| it.kind == ImmediateType::Float32)
    }

    fn limit_immediates(&mut self) {
        if self.immediates.len() > 0x7fff {
            self.keep("the shader has more than 32767 different constants".into());
        }
    }

    /// Returns the arrays, the immediates, the number of temporaries, and the instructions:
    /// the program, `END`, the subroutines.
    pub(crate) fn finish(mut self) -> (Vec<Array>, Vec<Immediate>, u32, Vec<Placed>) {
        let mut all = self.close();
        all.push(Placed { instruction: Instruction::new(Opcode::End), span: Span::UNDEFINED });
        let mut starts = Vec::new();
        for body in self.subroutines {
            starts.push(all.len() as u32);
            all.extend(body);
        }
        for Placed { instruction, .. } in &mut all {
            if instruction.opcode == Opcode::Cal {
                let at = instruction.label.and_then(|label| starts.get(label as usize));
                instruction.label = at.copied();
            }
        }
        let immediates = keep_used(self.immediates, &mut all);
        (self.arrays, immediates, self.temporaries, all)
    }
}

/// Drops the immediates that no instruction reads, such as parts of vectors, and gives the rest
/// their new numbers.
fn keep_used(immediates: Vec<Immediate>, instructions: &mut [Placed]) -> Vec<Immediate> {
    let mut numbers: Vec<Option<i32>> = vec![None; immediates.len()];
    let used = |index: i32, numbers: &mut Vec<Option<i32>>| {
        let at = usize::try_from(index).ok();
        if let Some(number) = at.and_then(|at| numbers.get_mut(at)) {
            *number = Some(0);
        }
    };
    for Placed { instruction, .. } in &*instructions {
        for src in instruction.src.iter().filter(|src| src.file == File::Immediate) {
            used(src.index, &mut numbers);
        }
        let offsets = instruction.texture.iter().flat_map(|texture| texture.offsets());
        for offset in offsets.filter(|offset| offset.file == File::Immediate) {
            used(offset.index.into(), &mut numbers);
        }
    }
    for (number, slot) in (0i32..).zip(numbers.iter_mut().flatten()) {
        *slot = number;
    }
    let number = |index: i32| {
        let at = usize::try_from(index).ok();
        at.and_then(|at| numbers.get(at).copied().flatten()).unwrap_or(index)
    };
    for Placed { instruction, .. } in instructions {
        for src in instruction.src.iter_mut().filter(|src| src.file == File::Immediate) {
            src.index = number(src.index);
        }
        let offsets = instruction.texture.iter_mut().flat_map(|texture| &mut texture.offsets);
        for offset in offsets.filter(|offset| offset.file == File::Immediate) {
            offset.index = number(offset.index.into()) as i16;
        }
    }
    let kept = immediates.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
    kept.map(|(immediate, _)| immediate).collect()
}

/// Returns an instruction of an opcode with its operands.
fn instruction(opcode: Opcode, dst: Option<DstRegister>, srcs: &[SrcRegister]) -> Instruction {
    let mut instruction = Instruction::new(opcode);
    if let (Some(slot), Some(dst)) = (instruction.dst.first_mut(), dst) {
        *slot = dst;
    }
    instruction.src.iter_mut().zip(srcs).for_each(|(slot, src)| *slot = *src);
    instruction
}

/// Returns the mask of the first `size` components.
pub(crate) fn mask(size: u8) -> WriteMask {
    WriteMask::from_bits_truncate((1u8 << size.min(4)).wrapping_sub(1))
}

/// Returns component `at` of a vector, in every component.
pub(crate) fn component(src: SrcRegister, at: usize) -> SrcRegister {
    src.scalar(Swizzle::from_bits(at as u32))
}

/// Returns a temporary as a destination.
pub(crate) fn temporary(index: u32) -> DstRegister {
    DstRegister::new(File::Temporary, index as i32)
}
