//! Programs as WGSL text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::ast::{
    Argument, COUNTERS, Expr, Kind, Place, Program, Scalar, Space, Stage, Step, Stmt, Type, scalar,
};

/// Returns the program as WGSL.
pub fn wgsl(program: &Program) -> String {
    print(program, false)
}

/// Returns the program as WGSL for naga's GLSL back end and Mesa, with functions that avoid:
///
/// * operations that GLSL leaves undefined and naga 30 does not guard: a division by 0, a remainder of negative numbers, a shift by
///   32, the conversion of a negative float to `u32`;
/// * `abs` of `u32`, which naga 30 writes as that of `i32`;
/// * `pack4xU8` as an operand, which naga 30 writes without brackets;
/// * `atomicSub` of a negative number, which naga 30 writes as `--5`;
/// * `pack2x16snorm` and `pack4x8snorm` of -0.5: WGSL rounds the half up, GLSL leaves its direction open;
/// * `frexp` of a constant -0, to which Mesa 22.3 gives the exponent -256.
pub fn guarded(program: &Program) -> String {
    print(program, true)
}

fn print(program: &Program, guards: bool) -> String {
    let (text, functions) = (String::new(), BTreeSet::new());
    let mut printer = Printer { program, text, functions, guards, indent: 1 };
    printer.module();
    printer.text
}

struct Printer<'p> {
    program: &'p Program,
    text: String,
    /// Functions for `norm`, divisions and remainders.
    functions: BTreeSet<String>,
    guards: bool,
    indent: usize,
}

/// Returns the name of a type.
fn name(ty: &Type) -> String {
    match ty {
        Type::Vector(1, Scalar::Bool) => "bool".into(),
        Type::Vector(1, kind) => format!("{}32", kind.letter()),
        Type::Vector(size, Scalar::Bool) => format!("vec{size}<bool>"),
        Type::Vector(size, kind) => format!("vec{size}{}", kind.letter()),
        Type::Matrix(columns, rows) => format!("mat{columns}x{rows}f"),
        Type::Array(element, count) => format!("array<{}, {count}>", name(element)),
        Type::Struct(number) => format!("S{number}"),
    }
}

/// Returns the name of the function that limits a type's floats.
fn norm_name(ty: &Type) -> String {
    format!("norm_{}", name(ty))
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:width$}{text}", "", width = 4 * self.indent);
    }

    fn module(&mut self) {
        let program = self.program;
        for (number, members) in program.structs.iter().enumerate() {
            let _ = writeln!(self.text, "struct S{number} {{");
            for (at, member) in members.iter().enumerate() {
                let _ = writeln!(self.text, "    m{at}: {},", name(member));
            }
            self.text += "}\n";
        }
        let mut binding = 0;
        for var in &program.vars {
            let (space, ty) = (var.space, name(&var.ty));
            let words = match space {
                Space::Uniform => "uniform",
                Space::Storage => "storage, read",
                Space::Workgroup => {
                    let _ = writeln!(self.text, "var<workgroup> {}: {ty};", var.name);
                    continue;
                }
                _ => continue,
            };
            let _ = writeln!(
                self.text,
                "@group(0) @binding({binding}) var<{words}> {}: {ty};",
                var.name
            );
            binding += 1;
        }
        if program.stage == Stage::Compute {
            let _ = write!(
                self.text,
                "struct Counters {{ {} }}\n\
                 @group(0) @binding(2) var<storage, read_write> results: array<u32>;\n\
                 @group(0) @binding(3) var<storage, read_write> counters: Counters;\n",
                (0..COUNTERS)
                    .map(|at| format!(
                        "c{at}: atomic<{}32>",
                        if at.is_multiple_of(2) { 'u' } else { 'i' }
                    ))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
        for (var, value) in &program.constants {
            let (var, value) = (&program.vars[*var], self.expr(value));
            let _ = writeln!(self.text, "const {}: {} = {value};", var.name, name(&var.ty));
        }
        for (var, value) in &program.privates {
            let var = &program.vars[*var];
            let value =
                value.as_ref().map(|value| format!(" = {}", self.expr(value))).unwrap_or_default();
            let _ = writeln!(self.text, "var<private> {}: {}{value};", var.name, name(&var.ty));
        }
        for function in &program.functions {
            let parameters = function.parameters.iter().map(|&parameter| {
                let var = &program.vars[parameter];
                match var.space {
                    Space::Pointer => format!("{}: ptr<function, {}>", var.name, name(&var.ty)),
                    _ => format!("{}: {}", var.name, name(&var.ty)),
                }
            });
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            let result = function.result.as_ref().map(|ty| format!(" -> {}", name(ty)));
            let result = result.unwrap_or_default();
            let _ = writeln!(self.text, "fn {}({parameters}){result} {{", function.name);
            self.statements(&function.body);
            self.text += "}\n";
        }
        self.entry();
        for function in std::mem::take(&mut self.functions) {
            self.text += &function;
        }
    }

    /// Adds the entry point.
    fn entry(&mut self) {
        let program = self.program;
        let registers = program.slots.len().div_ceil(4);
        let index = &program.vars[program.index].name;
        if program.stage == Stage::Compute {
            let _ = writeln!(
                self.text,
                "@compute @workgroup_size(64)\n\
                 fn main(@builtin(local_invocation_index) {index}: u32) {{"
            );
            self.statements(&program.main);
            self.text += "}\n";
            return;
        }
        // The body is a function, so that `return` leaves it and not the entry point.
        let _ = writeln!(
            self.text,
            "var<private> results: array<u32, {}>;\nfn body({index}: u32) {{",
            4 * registers.max(1)
        );
        self.statements(&program.main);
        self.text += "}\nstruct Results {\n";
        if program.stage == Stage::Vertex {
            self.text += "    @builtin(position) position: vec4f,\n";
        }
        for at in 0..registers.max(1) {
            let flat = match program.stage {
                Stage::Vertex => "@interpolate(flat) ",
                _ => "",
            };
            let _ = writeln!(self.text, "    @location({at}) {flat}r{at}: vec4u,");
        }
        let (attribute, flat) = match program.stage {
            Stage::Vertex => ("vertex", ""),
            _ => ("fragment", "@interpolate(flat) "),
        };
        let _ = writeln!(
            self.text,
            "}}\n@{attribute} fn main(@location(0) {flat}number: u32) -> Results {{"
        );
        let _ = writeln!(self.text, "    for (var k = 0u; k < {}u; k++) {{", 4 * registers.max(1));
        let _ = writeln!(self.text, "        results[k] = {}u;\n    }}", crate::ast::UNWRITTEN);
        self.text += "    body(number);\n    var outputs: Results;\n";
        for at in 0..registers.max(1) {
            let first = 4 * at;
            let _ = writeln!(
                self.text,
                "    outputs.r{at} = vec4u(results[{first}], results[{}], results[{}], results[{}]);",
                first + 1,
                first + 2,
                first + 3
            );
        }
        self.text += "    return outputs;\n}\n";
    }

    fn block(&mut self, head: &str, body: &[Stmt]) {
        self.line(&format!("{head}{{"));
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
    }

    fn statements(&mut self, statements: &[Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Declare(var, value) => {
                let var = &self.program.vars[*var];
                let value = value.as_ref().map(|value| format!(" = {}", self.expr(value)));
                let value = value.unwrap_or_default();
                let word = if var.space == Space::Function { "var" } else { "let" };
                self.line(&format!("{word} {}: {}{value};", var.name, name(&var.ty)));
            }
            Stmt::Assign(place, value) => {
                let (place, value) = (self.place(place), self.expr(value));
                self.line(&format!("{place} = {value};"));
            }
            Stmt::Update(place, operator, value) => {
                let (place, text) = (self.place(place), self.expr(value));
                // The operands have one type, except the counts of shifts.
                let shown =
                    self.guarded(operator, &value.ty, (&place, &value.ty), (&text, &value.ty));
                self.line(&match shown {
                    Some(shown) => format!("{place} = {shown};"),
                    None => format!("{place} {operator}= {text};"),
                });
            }
            Stmt::Step(place, operator) => {
                let place = self.place(place);
                self.line(&format!("{place}{operator};"));
            }
            Stmt::Call(function, arguments) => {
                let call = self.call(*function, arguments);
                let discards = self.program.functions[*function].result.is_some();
                self.line(&format!("{}{call};", if discards { "_ = " } else { "" }));
            }
            Stmt::Out(slot, value) => {
                let text = self.expr(value);
                let text = match value.ty {
                    Type::Vector(1, Scalar::Bool) => format!("select(0u, 1u, {text})"),
                    Type::Vector(1, Scalar::U32) => text,
                    _ => format!("bitcast<u32>({text})"),
                };
                let target = self.result(*slot);
                self.line(&format!("{target} = {text};"));
            }
            Stmt::Approximate(slot, function, arguments, component) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|argument| self.expr(argument)).collect();
                let component = match component {
                    Some(at) => format!(".{}", ["x", "y", "z", "w"][usize::from(*at)]),
                    None => String::new(),
                };
                let value = match *function {
                    "/" => format!("({} / {})", arguments[0], arguments[1]),
                    function => format!("{function}({})", arguments.join(", ")),
                };
                let target = self.result(*slot);
                self.line(&format!("{target} = bitcast<u32>({value}{component});"));
            }
            Stmt::Atomic(function, counter, value) => {
                let mut value = self.expr(value);
                if self.guards && *function == "atomicSub" {
                    let index = &self.program.vars[self.program.index].name;
                    value = format!("select({value}, {value}, {index} == 0u)");
                }
                self.line(&format!("{function}(&counters.c{counter}, {value});"));
            }
            Stmt::If(condition, accept, reject) => {
                let condition = self.expr(condition);
                self.block(&format!("if {condition} "), accept);
                if !reject.is_empty() {
                    self.block("} else ", reject);
                }
                self.line("}");
            }
            Stmt::For(counter, turns, body) => {
                let counter = self.program.vars[*counter].name.clone();
                let head =
                    format!("for (var {counter} = 0u; {counter} < {turns}u; {counter} += 1u) ");
                self.block(&head, body);
                self.line("}");
            }
            Stmt::While(counter, turns, body) => {
                let counter = self.program.vars[*counter].name.clone();
                self.line(&format!("var {counter} = 0u;"));
                self.block(&format!("while {counter} < {turns}u "), &[]);
                self.indent += 1;
                self.line(&format!("{counter} += 1u;"));
                self.statements(body);
                self.indent -= 1;
                self.line("}");
            }
            Stmt::Loop(counter, turns, body, continuing, condition) => {
                let counter = self.program.vars[*counter].name.clone();
                self.line(&format!("var {counter} = 0u;"));
                self.line("loop {");
                self.indent += 1;
                self.line(&format!("if {counter} >= {turns}u {{ break; }}"));
                self.statements(body);
                self.block("continuing ", continuing);
                self.indent += 1;
                self.line(&format!("{counter} += 1u;"));
                if let Some(condition) = condition {
                    let condition = self.expr(condition);
                    self.line(&format!("break if {condition};"));
                }
                self.indent -= 1;
                self.line("}");
                self.indent -= 1;
                self.line("}");
            }
            Stmt::Switch(selector, cases) => {
                let (signed, text) = (selector.ty == scalar(Scalar::I32), self.expr(selector));
                self.line(&format!("switch {text} {{"));
                self.indent += 1;
                for (selectors, body) in cases {
                    let selectors: Vec<String> = selectors
                        .iter()
                        .map(|&bits| literal(if signed { Scalar::I32 } else { Scalar::U32 }, bits))
                        .collect();
                    let head = match selectors.is_empty() {
                        true => "default: ".into(),
                        false => format!("case {}: ", selectors.join(", ")),
                    };
                    self.block(&head, body);
                    self.line("}");
                }
                self.indent -= 1;
                self.line("}");
            }
            Stmt::Block(body) => {
                self.block("", body);
                self.line("}");
            }
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Return(None) => self.line("return;"),
            Stmt::Return(Some(value)) => {
                let value = self.expr(value);
                self.line(&format!("return {value};"));
            }
            Stmt::Barrier => self.line("workgroupBarrier();"),
        }
    }

    /// Returns the place of a word of the results.
    fn result(&self, slot: usize) -> String {
        match self.program.stage {
            Stage::Compute => {
                let index = &self.program.vars[self.program.index].name;
                format!("results[{index} * {}u + {slot}u]", self.program.slots.len())
            }
            Stage::Fragment | Stage::Vertex => format!("results[{slot}]"),
        }
    }

    /// Returns an operator of integers that GLSL leaves undefined for some operands, with guards.
    fn guarded(
        &mut self,
        operator: &str,
        ty: &Type,
        (left, left_type): (&str, &Type),
        (right, right_type): (&str, &Type),
    ) -> Option<String> {
        let Type::Vector(size, kind) = ty else { return None };
        if !self.guards || !kind.is_integer() {
            return None;
        }
        let (vector, bools) = (name(ty), name(&Type::Vector(*size, Scalar::Bool)));
        let function = match operator {
            "<<" | ">>" => {
                let counts = name(right_type);
                return Some(format!("({left} {operator} ({right} & {counts}(31u)))"));
            }
            "/" => "div",
            "%" => "rem",
            _ => return None,
        };
        let least = match kind {
            Scalar::I32 => format!(
                "let e = select(d, {vector}(1), select({bools}(false), d == {vector}(i32(-1)), \
                 a == {vector}(i32(-2147483648))));"
            ),
            _ => "let e = d;".into(),
        };
        let result = if function == "div" { "a / e" } else { "a - a / e * e" };
        self.functions.insert(format!(
            "fn {function}_{}{size}(a: {vector}, b: {vector}) -> {vector} {{ \
             let d = select(b, {vector}(1), b == {vector}(0)); {least} return {result}; }}\n",
            kind.letter()
        ));
        let whole = |text: &str, from: &Type| match from == ty {
            true => text.to_owned(),
            false => format!("{vector}({text})"),
        };
        let (left, right) = (whole(left, left_type), whole(right, right_type));
        Some(format!("{function}_{}{size}({left}, {right})", kind.letter()))
    }

    fn call(&mut self, function: usize, arguments: &[Argument]) -> String {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Pointer(place)
                    if self.program.vars[place.var].space == Space::Pointer =>
                {
                    match place.path.is_empty() {
                        true => self.program.vars[place.var].name.clone(),
                        false => format!("&{}", self.place(place)),
                    }
                }
                Argument::Pointer(place) => format!("&{}", self.place(place)),
            })
            .collect();
        format!("{}({})", self.program.functions[function].name, arguments.join(", "))
    }

    fn place(&mut self, place: &Place) -> String {
        let var = &self.program.vars[place.var];
        let mut text = match var.space {
            Space::Pointer => format!("(*{})", var.name),
            _ => var.name.clone(),
        };
        for step in &place.path {
            match step {
                Step::Member(at) => {
                    let _ = write!(text, ".m{at}");
                }
                Step::Index(index, _) => {
                    let index = self.expr(index);
                    let _ = write!(text, "[{index}]");
                }
            }
        }
        text
    }

    fn expr(&mut self, expr: &Expr) -> String {
        match &expr.kind {
            Kind::Literal(bits) => match expr.ty {
                Type::Vector(_, kind) => literal(kind, *bits),
                _ => unreachable!("only scalars have literals"),
            },
            Kind::Load(place) => self.place(place),
            Kind::Element(value, index, _) => format!("{}[{}]", self.expr(value), self.expr(index)),
            Kind::Member(value, at) => format!("{}.m{at}", self.expr(value)),
            Kind::Swizzle(value, components) => {
                let letters: String =
                    components.iter().map(|&at| ['x', 'y', 'z', 'w'][usize::from(at)]).collect();
                format!("{}.{letters}", self.expr(value))
            }
            Kind::Unary(operator, value) => format!("({operator}{})", self.expr(value)),
            Kind::Binary(operator, a, b) => {
                let (left, right) = (self.expr(a), self.expr(b));
                self.guarded(operator, &expr.ty, (&left, &a.ty), (&right, &b.ty))
                    .unwrap_or_else(|| format!("({left} {operator} {right})"))
            }
            Kind::Builtin("norm", arguments) => {
                let value = self.expr(&arguments[0]);
                let function = norm(&expr.ty, &mut self.functions);
                format!("{function}({value})")
            }
            Kind::Builtin("abs", arguments)
                if self.guards && matches!(expr.ty, Type::Vector(_, Scalar::U32)) =>
            {
                self.expr(&arguments[0])
            }
            Kind::Builtin(function @ ("pack4xU8" | "pack4xU8Clamp"), arguments) if self.guards => {
                format!("max({function}({}), 0u)", self.expr(&arguments[0]))
            }
            Kind::Builtin(function @ ("pack2x16snorm" | "pack4x8snorm"), arguments)
                if self.guards =>
            {
                // 2⁻²⁰ moves a half up, and no multiple of 1/8 to another result.
                let (value, ty) = (self.expr(&arguments[0]), name(&arguments[0].ty));
                format!("{function}({value} + {ty}(0.00000095367431640625))")
            }
            Kind::Builtin(function @ ("frexp.fract" | "frexp.exp"), arguments) if self.guards => {
                let (value, ty) = (self.expr(&arguments[0]), name(&arguments[0].ty));
                let member = function.trim_start_matches("frexp");
                format!("frexp(select({value}, {ty}(), {value} == {ty}())){member}")
            }
            Kind::Builtin(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|it| self.expr(it)).collect();
                match function.split_once('.') {
                    Some((function, member)) => {
                        format!("{function}({}).{member}", arguments.join(", "))
                    }
                    None => format!("{function}({})", arguments.join(", ")),
                }
            }
            Kind::Construct(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.expr(it)).collect();
                format!("{}({})", name(&expr.ty), parts.join(", "))
            }
            Kind::Convert(value) => {
                let text = self.expr(value);
                match (&value.ty, &expr.ty) {
                    (Type::Vector(_, Scalar::F32), Type::Vector(_, Scalar::U32)) if self.guards => {
                        let floats = name(&value.ty);
                        format!("{}(max({text}, {floats}(0.0)))", name(&expr.ty))
                    }
                    _ => format!("{}({text})", name(&expr.ty)),
                }
            }
            Kind::Bitcast(value) => format!("bitcast<{}>({})", name(&expr.ty), self.expr(value)),
            Kind::Call(function, arguments) => self.call(*function, arguments),
        }
    }
}

/// Notes the function that limits floats of a type; returns its name.
fn norm(ty: &Type, functions: &mut BTreeSet<String>) -> String {
    let (function, ty_name) = (norm_name(ty), name(ty));
    let value = match ty {
        Type::Matrix(columns, rows) => {
            let column = norm(&Type::Vector(*rows, Scalar::F32), functions);
            let columns: Vec<String> =
                (0..*columns).map(|at| format!("{column}(x[{at}])")).collect();
            format!("{ty_name}({})", columns.join(", "))
        }
        _ => format!("clamp(floor(x * 8.0) * 0.125, {ty_name}(-64.0), {ty_name}(64.0))"),
    };
    functions.insert(format!("fn {function}(x: {ty_name}) -> {ty_name} {{ return {value}; }}\n"));
    function
}

/// Returns a literal.
fn literal(kind: Scalar, bits: u32) -> String {
    match kind {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::U32 => format!("{bits}u"),
        // The literal 2147483648i would be too large.
        Scalar::I32 if bits == 1 << 31 => "i32(-2147483648)".into(),
        Scalar::I32 if (bits as i32) < 0 => format!("i32({})", bits as i32),
        Scalar::I32 => format!("{bits}i"),
        Scalar::F32 => format!("f32({:?})", f32::from_bits(bits)),
    }
}
