//! Expressions of any type.

use super::Generator;
use crate::ast::{Argument, Expr, Kind, Place, Scalar, Space, Step, Type, scalar};

pub(super) fn literal(kind: Scalar, bits: u32) -> Expr {
    Expr { ty: scalar(kind), kind: Kind::Literal(bits) }
}

pub(super) fn float(value: f32) -> Expr {
    literal(Scalar::F32, value.to_bits())
}

pub(super) fn builtin(ty: Type, name: &'static str, arguments: Vec<Expr>) -> Expr {
    Expr { ty, kind: Kind::Builtin(name, arguments) }
}

pub(super) fn binary(ty: Type, operator: &'static str, a: Expr, b: Expr) -> Expr {
    Expr { ty, kind: Kind::Binary(operator, Box::new(a), Box::new(b)) }
}

/// Returns a scalar in every component of a vector.
pub(super) fn splat(size: u8, value: Expr) -> Expr {
    let Type::Vector(_, kind) = value.ty else { unreachable!("scalars are spread") };
    match size {
        1 => value,
        _ => Expr { ty: Type::Vector(size, kind), kind: Kind::Construct(vec![value]) },
    }
}

impl Generator<'_, '_> {
    /// Returns true if naga evaluates an expression while it reads the text.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            Kind::Literal(_) => true,
            Kind::Load(place) => {
                (self.program.vars[place.var].space == Space::Constant
                    || self.known.contains(&place.var))
                    && place.path.iter().all(|step| match step {
                        Step::Member(_) => true,
                        Step::Index(index, _) => self.is_constant(index),
                    })
            }
            Kind::Call(..) => false,
            Kind::Element(a, b, _) | Kind::Binary(_, a, b) => {
                self.is_constant(a) && self.is_constant(b)
            }
            Kind::Member(a, _)
            | Kind::Swizzle(a, _)
            | Kind::Unary(_, a)
            | Kind::Convert(a)
            | Kind::Bitcast(a) => self.is_constant(a),
            Kind::Builtin(_, all) | Kind::Construct(all) => {
                all.iter().all(|it| self.is_constant(it))
            }
        }
    }

    /// Returns an expression of a type; floats are multiples of 1/8 from -64 to 64.
    pub(super) fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        match ty {
            Type::Vector(size, Scalar::Bool) => self.boolean(*size, depth),
            Type::Vector(size, Scalar::F32) => self.limited(*size, depth),
            Type::Vector(size, kind) => self.integer(*size, *kind, depth),
            Type::Matrix(columns, rows) => self.matrix(*columns, *rows, depth),
            Type::Array(..) | Type::Struct(_) => self.composite(ty, depth),
        }
    }

    /// Returns a value that is loaded, or is an element or member of a value, or a call's result.
    pub(super) fn common(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        if self.constant {
            return None;
        }
        match self.choices.below(8) {
            0 if depth > 0 => self.function_call(ty, depth),
            1 if depth > 0 => self.element(ty, depth),
            2 if depth > 0 && matches!(ty, Type::Vector(..)) => {
                let Type::Vector(size, _) = ty else { return None };
                // The condition of `select` is of the vector's size or a scalar.
                let size = self.choices.pick(&[1, *size]);
                let arguments = vec![
                    self.expr(ty, depth - 1),
                    self.expr(ty, depth - 1),
                    self.boolean(size, depth - 1),
                ];
                Some(builtin(ty.clone(), "select", self.unfold(arguments)))
            }
            _ => self.load(ty),
        }
    }

    /// Returns the value of a variable or a part of one.
    pub(super) fn load(&mut self, ty: &Type) -> Option<Expr> {
        if self.constant {
            return None;
        }
        let place = self.place(ty, &|_| true)?;
        Some(Expr { ty: ty.clone(), kind: Kind::Load(place) })
    }

    /// Replaces the first argument if all are constant: naga evaluates such calls, and refuses what
    /// overflows.
    pub(super) fn unfold(&mut self, mut arguments: Vec<Expr>) -> Vec<Expr> {
        if !self.constant
            && arguments.iter().all(|it| self.is_constant(it))
            && let Some(first) = arguments.first_mut()
            && matches!(first.ty, Type::Vector(..))
        {
            *first = self.reads(&first.ty.clone());
        }
        arguments
    }

    /// Returns an expression that naga cannot evaluate.
    pub(super) fn dynamic(&mut self, ty: &Type, depth: u32) -> Expr {
        let value = self.expr(ty, depth);
        if self.is_constant(&value) && !self.constant { self.reads(ty) } else { value }
    }

    /// Returns an element of an array, a column of a matrix or a member of a struct, all values.
    fn element(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let (composite, count) = match (ty, self.choices.below(3)) {
            (Type::Vector(1, kind), 0) => {
                let size = 2 + self.choices.below(3) as u8;
                (Type::Vector(size, *kind), u32::from(size))
            }
            (Type::Vector(rows @ 2.., Scalar::F32), 0 | 1) => {
                let columns = 2 + self.choices.below(3) as u8;
                (Type::Matrix(columns, *rows), u32::from(columns))
            }
            _ => {
                let count = 1 + self.choices.below(3);
                (Type::Array(Box::new(ty.clone()), count), count)
            }
        };
        let value = self.expr(&composite, depth - 1);
        let index = self.index(count);
        Some(Expr { ty: ty.clone(), kind: Kind::Element(Box::new(value), Box::new(index), count) })
    }

    /// Returns a call of a function of the program with this result.
    fn function_call(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let functions: Vec<usize> = (0..self.program.functions.len())
            .filter(|&at| self.program.functions[at].result.as_ref() == Some(ty))
            .collect();
        if functions.is_empty() || self.inside.turns > 16 {
            return None;
        }
        let function = self.choices.pick(&functions);
        let arguments = self.arguments(function, depth - 1)?;
        Some(Expr { ty: ty.clone(), kind: Kind::Call(function, arguments) })
    }

    /// Returns arguments for a function; nothing if there is no variable for a pointer.
    pub(super) fn arguments(&mut self, function: usize, depth: u32) -> Option<Vec<Argument>> {
        let parameters = self.program.functions[function].parameters.clone();
        let mut arguments = Vec::new();
        for parameter in parameters {
            let (ty, space) = {
                let var = &self.program.vars[parameter];
                (var.ty.clone(), var.space)
            };
            arguments.push(match space {
                Space::Pointer => Argument::Pointer(self.pointee(&ty)?),
                _ => Argument::Value(self.expr(&ty, depth)),
            });
        }
        Some(arguments)
    }

    /// Returns a variable of a function, or a part of one, that a pointer may point to.
    fn pointee(&mut self, ty: &Type) -> Option<Place> {
        let place = self.place(ty, &|var| {
            var.writable && matches!(var.space, Space::Function | Space::Pointer)
        })?;
        // Not components of vectors or columns of matrices.
        let mut part = self.program.vars[place.var].ty.clone();
        for step in &place.path {
            if matches!(part, Type::Vector(..) | Type::Matrix(..)) {
                return None;
            }
            let at = if let Step::Member(at) = step { *at } else { 0 };
            part = self.program.element(&part, at).0;
        }
        Some(place)
    }

    /// Returns an array or a struct.
    fn composite(&mut self, ty: &Type, depth: u32) -> Expr {
        let loaded = match depth {
            0 => self.load(ty),
            _ => self.common(ty, depth),
        };
        loaded.unwrap_or_else(|| {
            if self.choices.one_in(4) {
                return Expr { ty: ty.clone(), kind: Kind::Construct(Vec::new()) };
            }
            self.parts_of(ty, depth)
        })
    }

    /// Returns a constant of a type.
    pub(super) fn constant_value(&mut self, ty: &Type) -> Expr {
        match ty {
            Type::Vector(..) => self.expr(ty, 1),
            _ => self.parts_of(ty, 0),
        }
    }

    /// Returns a composite put together from its parts.
    fn parts_of(&mut self, ty: &Type, depth: u32) -> Expr {
        let parts: Vec<Type> = match ty {
            Type::Array(element, count) => vec![(**element).clone(); *count as usize],
            Type::Struct(number) => self.program.structs[*number].clone(),
            Type::Matrix(columns, rows) => {
                vec![Type::Vector(*rows, Scalar::F32); usize::from(*columns)]
            }
            Type::Vector(..) => unreachable!("vectors are no composites here"),
        };
        let depth = depth.saturating_sub(1);
        let parts = parts
            .iter()
            .map(
                |part| {
                    if self.constant { self.constant_value(part) } else { self.expr(part, depth) }
                },
            )
            .collect();
        Expr { ty: ty.clone(), kind: Kind::Construct(parts) }
    }

    /// Returns a matrix of limited floats.
    fn matrix(&mut self, columns: u8, rows: u8, depth: u32) -> Expr {
        let ty = Type::Matrix(columns, rows);
        if self.constant {
            return self.parts_of(&ty, 0);
        }
        if depth == 0 {
            return self.load(&ty).unwrap_or_else(|| self.parts_of(&ty, 0));
        }
        let depth = depth - 1;
        let value = match self.choices.below(8) {
            0 => {
                let operator = self.choices.pick(&["+", "-"]);
                let (a, b) = (self.matrix(columns, rows, depth), self.matrix(columns, rows, depth));
                binary(ty.clone(), operator, a, b)
            }
            1 => {
                let inner = 2 + self.choices.below(3) as u8;
                let mut a = self.matrix(inner, rows, depth);
                let b = self.matrix(columns, inner, depth);
                // naga 30 counts the components of constant products wrong.
                if self.is_constant(&a) && self.is_constant(&b) {
                    let column = self.reads(&Type::Vector(rows, Scalar::F32));
                    let columns = vec![column; usize::from(inner)];
                    a = Expr { ty: a.ty, kind: Kind::Construct(columns) };
                }
                binary(ty.clone(), "*", a, b)
            }
            2 => {
                let (a, b) = (self.matrix(columns, rows, depth), self.limited(1, depth));
                match self.choices.one_in(2) {
                    true => binary(ty.clone(), "*", a, b),
                    false => binary(ty.clone(), "*", b, a),
                }
            }
            3 => {
                let a = self.matrix(rows, columns, depth);
                return builtin(ty, "transpose", vec![a]);
            }
            4 => return self.parts_of(&ty, depth + 1),
            _ => {
                return self.common(&ty, depth).unwrap_or_else(|| self.parts_of(&ty, depth));
            }
        };
        builtin(ty, "norm", vec![value])
    }

    /// Returns a bool or a vector of them.
    pub(super) fn boolean(&mut self, size: u8, depth: u32) -> Expr {
        let ty = Type::Vector(size, Scalar::Bool);
        let literals = |it: &mut Self| {
            let bit = it.choices.below(2);
            splat(size, literal(Scalar::Bool, bit))
        };
        if depth == 0 || self.constant {
            let loaded = if self.choices.one_in(3) { None } else { self.load(&ty) };
            return loaded.unwrap_or_else(|| literals(self));
        }
        let depth = depth - 1;
        match self.choices.below(12) {
            0..=3 => {
                let operator = self.choices.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let kind = self.numbers();
                let (a, b) = match kind {
                    // Not limited: the comparison is exact anyway.
                    Scalar::F32 => (self.float(size, depth).0, self.float(size, depth).0),
                    _ => (self.integer(size, kind, depth), self.integer(size, kind, depth)),
                };
                let [a, b] = self.unfold(vec![a, b]).try_into().expect("there are two");
                binary(ty, operator, a, b)
            }
            4 => {
                let operator = self.choices.pick(&["&", "|", "==", "!="]);
                let (a, b) = (self.boolean(size, depth), self.boolean(size, depth));
                let [a, b] = self.unfold(vec![a, b]).try_into().expect("there are two");
                binary(ty, operator, a, b)
            }
            5 if size == 1 => {
                let operator = self.choices.pick(&["&&", "||"]);
                let (a, b) = (self.dynamic(&ty, depth), self.boolean(1, depth));
                binary(ty, operator, a, b)
            }
            6 => {
                let value = self.dynamic(&ty, depth);
                Expr { ty, kind: Kind::Unary("!", Box::new(value)) }
            }
            7 if size == 1 => {
                let function = self.choices.pick(&["all", "any"]);
                let size = 2 + self.choices.below(3) as u8;
                let value = self.dynamic(&Type::Vector(size, Scalar::Bool), depth);
                builtin(ty, function, vec![value])
            }
            8 => {
                let kind = self.numbers();
                let value = self.dynamic(&Type::Vector(size, kind), depth);
                Expr { ty, kind: Kind::Convert(Box::new(value)) }
            }
            9 if size > 1 => self.assembled(size, Scalar::Bool, depth),
            _ => self.common(&ty, depth).unwrap_or_else(|| literals(self)),
        }
    }

    /// Returns a vector put together from smaller ones, or a swizzle.
    pub(super) fn assembled(&mut self, size: u8, kind: Scalar, depth: u32) -> Expr {
        let ty = Type::Vector(size, kind);
        if size > 1 && self.choices.one_in(2) {
            let mut parts = Vec::new();
            let mut left = size;
            while left > 0 {
                // One part alone would be a conversion.
                let most = if parts.is_empty() { left - 1 } else { left };
                let part = 1 + self.choices.below(most.into()) as u8;
                parts.push(self.expr(&Type::Vector(part, kind), depth));
                left -= part;
            }
            return Expr { ty, kind: Kind::Construct(parts) };
        }
        let from = 2 + self.choices.below(3) as u8;
        let value = self.expr(&Type::Vector(from, kind), depth);
        let components = (0..size).map(|_| self.choices.below(from.into()) as u8).collect();
        Expr { ty, kind: Kind::Swizzle(Box::new(value), components) }
    }
}
