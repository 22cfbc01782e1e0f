//! Checks whether a shader is well formed.
//!
//! The rules are the reference checker's, plus rules for executors with untrusted input: structure,
//! the file of each operand, units within limits. A shader without errors has a defined meaning;
//! warnings are for its author.
//!
//! Differences from the reference, all in favour of shaders that clients really send:
//! * Warnings, not errors: a geometry shader's `PRIM_ID` read with one bracket; `MEMORY[0]`
//!   although `MEMORY[1]` is declared; an input or output declared again with the same semantic (a
//!   split varying; the register has the components of both declarations); a tessellation control
//!   shader's per-vertex output written with one bracket (meaning its own vertex); 64-bit
//!   immediates, which helper shaders have.
//! * Operands indexed at run time, including destinations, need at least one register of their
//!   file.
//! * `CONST[i]` and `CONST[0][i]` are one register.
//! * The IR cannot express unknown opcodes and wrong operand counts; the token reader refuses them.

mod finding;
mod flow;
mod limits;
mod operands;
mod registers;

pub use finding::{Finding, Registers, Rule, Severity};
pub use limits::{MAX_NESTING, MAX_SLOTS};

use crate::declaration::{Declaration, DeclarationKind};
use crate::opcode::{Flags, Opcode};
use crate::register::{Dimension, DstRegister, File, Indirect, SrcRegister};
use crate::shader::{Instruction, Item, ItemKind, Position, Processor, Shader};
use os_shim::memory::OutOfMemory;
use os_shim::options::{Options, bool_option};
use registers::{Declared, Lookup, Repeated};

/// The option that makes [`check_logged`] write its findings to the log.
pub const PRINT_OPTION: &str = "TGSI_PRINT_SANITY";

/// The number of findings of each severity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Findings that make a shader invalid.
    pub errors: u32,
    /// Findings for the shader's author.
    pub warnings: u32,
    /// The first error.
    pub first_error: Option<Finding>,
}

impl Summary {
    /// Returns true if there is no error.
    pub fn passed(&self) -> bool {
        self.errors == 0
    }
}

/// Checks `shader` and passes each finding to `report`, in the shader's order where possible.
///
/// # Errors
/// [`OutOfMemory`]: the check records each declared register, in the shader's memory.
///
/// # Examples
/// ```
/// # use gallium_tgsi::{sanity, text};
/// # use os_shim::Memory;
/// let text = "VERT\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND\n";
/// let shader = text::parse(text, Memory::system()).unwrap();
/// let mut shown = String::new();
/// let summary = sanity::check(&shader, &mut |finding| shown = finding.to_string()).unwrap();
/// assert_eq!(summary.errors, 1);
/// assert_eq!(shown, "line 3, column 1: error: IN[0] is not declared");
/// ```
pub fn check(
    shader: &Shader<'_>,
    report: &mut dyn FnMut(&Finding),
) -> Result<Summary, OutOfMemory> {
    let declared = Declared::new(shader)?;
    let mut checker = Checker {
        shader,
        declared,
        flow: flow::Flow::new(),
        summary: Summary::default(),
        report,
        begun: false,
        ends: 0,
        indirect_files: 0,
        position: Position::NONE,
    };
    checker.run();
    Ok(checker.summary)
}

/// Returns true if [`check_logged`] writes its findings. Callers can skip the check otherwise.
pub fn is_printed(options: &dyn Options) -> bool {
    bool_option(options, PRINT_OPTION, false)
}

/// Checks `shader`, and logs the findings if [`PRINT_OPTION`] is set.
///
/// # Errors
/// As for [`check`].
pub fn check_logged(shader: &Shader<'_>, options: &dyn Options) -> Result<Summary, OutOfMemory> {
    let print = is_printed(options);
    check(shader, &mut |finding| {
        if print {
            os_shim::warn!("{}", finding);
        }
    })
}

struct Checker<'c, 'm> {
    shader: &'c Shader<'m>,
    declared: Declared<'m>,
    flow: flow::Flow,
    summary: Summary,
    report: &'c mut dyn FnMut(&Finding),
    /// Set after the first instruction.
    begun: bool,
    ends: u32,
    /// Files indexed at run time, one bit per file: any of their registers may be used.
    indirect_files: u32,
    /// The position of the item being checked.
    position: Position,
}

impl Checker<'_, '_> {
    fn run(&mut self) {
        let shader = self.shader;
        let mut declarations = 0;
        for item in shader.items() {
            match item {
                Item::Property(..) => {}
                Item::Declaration(declaration) => {
                    self.declaration(declarations, declaration);
                    declarations += 1;
                }
                Item::Immediate(_, immediate) => {
                    self.position = Position::NONE;
                    if self.begun {
                        self.find(Rule::Late { kind: ItemKind::Immediate });
                    }
                    if immediate.kind.is_64bit() {
                        self.find(Rule::WideImmediate);
                    }
                }
                Item::Instruction(_, instruction) => self.instruction(instruction),
            }
        }
        self.position = Position::NONE;
        if self.ends == 0 {
            self.find(Rule::MissingEnd);
        }
        if let Err(rule) = self.flow.finish() {
            self.find(rule);
        }
        if shader.unknown_properties() > 0 {
            self.find(Rule::UnknownProperties { count: shader.unknown_properties() });
        }
        self.unused();
    }

    fn find(&mut self, rule: Rule) {
        let finding = Finding { rule, position: self.position };
        match finding.severity() {
            Severity::Error => {
                self.summary.errors = self.summary.errors.saturating_add(1);
                self.summary.first_error.get_or_insert(finding);
            }
            Severity::Warning => {
                self.summary.warnings = self.summary.warnings.saturating_add(1);
            }
        }
        (self.report)(&finding);
    }

    fn declaration(&mut self, number: usize, declaration: &Declaration) {
        self.position = declaration.position;
        if self.begun {
            self.find(Rule::Late { kind: ItemKind::Declaration });
        }
        if matches!(declaration.file, File::Null | File::Immediate) {
            self.find(Rule::InvalidFile { file: declaration.file });
            return;
        }
        let registers = Registers::of(declaration);
        match self.declared.repeated(number) {
            Repeated::No => {}
            Repeated::Alike => self.find(Rule::RedeclaredAlike { registers }),
            Repeated::Differently => self.find(Rule::Redeclared { registers }),
        }
        if let Some(limit) = limits::exceeded(declaration) {
            self.find(Rule::Limit { registers, limit });
        }
        let targetless = matches!(declaration.file, File::Image | File::SamplerView)
            && declaration.kind == DeclarationKind::Plain;
        if targetless {
            self.find(Rule::NoTarget { registers });
        }
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.position = instruction.position;
        self.begun = true;
        if instruction.opcode == Opcode::End {
            self.ends = self.ends.saturating_add(1);
            if self.ends > 1 {
                self.find(Rule::SecondEnd);
            }
        }
        if let Err(rule) = self.flow.step(instruction.opcode) {
            self.find(rule);
        }
        if let Some(rule) = flow::call(self.shader, instruction) {
            self.find(rule);
        }
        if !operands::stage_allows(self.shader.processor(), instruction.opcode) {
            let (opcode, processor) = (instruction.opcode, self.shader.processor());
            self.find(Rule::Stage { opcode, processor });
        }
        for (at, dst) in instruction.dsts().iter().enumerate() {
            self.destination(instruction, at, dst);
        }
        for (at, src) in instruction.srcs().iter().enumerate() {
            self.source(instruction, at, src);
        }
        if let Some(texture) = &instruction.texture {
            for offset in texture.offsets() {
                let src = SrcRegister::new(offset.file, offset.index.into());
                self.operand(src.file, src.index, &None, &None);
                if !operands::is_value(offset.file) {
                    self.find(Rule::SourceFile { opcode: instruction.opcode, file: offset.file });
                }
            }
        }
    }

    fn destination(&mut self, instruction: &Instruction, at: usize, dst: &DstRegister) {
        let opcode = instruction.opcode;
        self.operand(dst.file, dst.index, &dst.indirect, &dst.dimension);
        if dst.mask.is_empty() {
            self.find(Rule::EmptyMask { opcode });
        }
        if dst.file != File::Null && !operands::may_write(opcode, at, dst.file) {
            self.find(Rule::DestinationFile { opcode, file: dst.file });
        }
    }

    fn source(&mut self, instruction: &Instruction, at: usize, src: &SrcRegister) {
        let opcode = instruction.opcode;
        let names_view = src.file == File::Sampler && opcode.info().flags.contains(Flags::TEXTURE);
        let dimension = src.dimension.filter(|_| !names_view);
        self.operand(src.file, src.index, &src.indirect, &dimension);
        if names_view {
            // The TEX family takes the view of the sampler's number, or of the first bracket.
            match (src.indirect, src.dimension) {
                (Some(_), _) => self.indirect_files |= 1 << File::SamplerView.code(),
                (None, Some(view)) => {
                    self.operand(File::SamplerView, view.index.into(), &view.indirect, &None);
                }
                (None, None) => {
                    self.declared.use_register(File::SamplerView, None, src.index, false);
                }
            }
        }
        if src.file != File::Null && !operands::may_read(opcode, at, src.file) {
            self.find(Rule::SourceFile { opcode, file: src.file });
        }
    }

    /// Checks that an operand names declared registers, and records their use.
    fn operand(
        &mut self,
        file: File,
        index: i32,
        indirect: &Option<Indirect>,
        dimension: &Option<Dimension>,
    ) {
        let outer = dimension.as_ref().and_then(|dimension| dimension.indirect);
        for by in [indirect.as_ref(), outer.as_ref()].into_iter().flatten() {
            self.indirect(by);
        }
        let vertex_or_buffer = dimension.as_ref().map(|dimension| i32::from(dimension.index));
        let registers = Registers { file, dimension: vertex_or_buffer, first: index, last: index };
        if file == File::Null {
            self.find(Rule::InvalidFile { file });
        } else if file == File::ConstantBuffer {
            // Declared register by register, as `CONST`; `LOAD` names the whole buffer.
        } else if indirect.is_some() {
            self.indirect_files |= 1 << file.code();
            if !self.declared.has_file(file) {
                self.find(Rule::UndeclaredFile { file });
            }
        } else {
            let any_dimension = outer.is_some();
            match self.declared.use_register(file, vertex_or_buffer, index, any_dimension) {
                Lookup::Declared => {}
                Lookup::Missing => self.find(Rule::Undeclared { registers }),
                Lookup::PrimitiveId => self.find(Rule::PrimitiveIdPerVertex),
                Lookup::OwnVertex => self.find(Rule::OwnVertex { registers }),
                Lookup::Memory => self.find(Rule::MemoryIndex),
            }
        }
    }

    fn indirect(&mut self, by: &Indirect) {
        let index = i32::from(by.index);
        if !matches!(by.file, File::Address | File::Temporary) {
            self.find(Rule::IndirectFile { file: by.file });
        } else if self.declared.use_register(by.file, None, index, false) == Lookup::Missing {
            self.find(Rule::UndeclaredIndirect { file: by.file, index });
        }
    }

    fn unused(&mut self) {
        let shader = self.shader;
        for (number, declaration) in shader.declarations().iter().enumerate() {
            if self.indirect_files >> declaration.file.code() & 1 != 0 {
                continue;
            }
            let mut next = i32::from(declaration.first);
            while let Some((first, last)) = self.declared.unused(number, next) {
                self.position = declaration.position;
                let registers = Registers { first, last, ..Registers::of(declaration) };
                self.find(Rule::Unused { registers });
                next = last.saturating_add(1);
            }
        }
    }
}

/// Returns true if a file's operands have a vertex bracket that its declarations lack.
fn is_per_vertex(processor: Processor, declaration: &Declaration) -> bool {
    let per_patch = declaration.semantic.is_some_and(|semantic| semantic.name.is_per_patch());
    match (processor, declaration.file) {
        (Processor::Geometry, File::Input) => true,
        (Processor::TessControl, File::Input | File::Output)
        | (Processor::TessEval, File::Input) => !per_patch,
        _ => false,
    }
}
