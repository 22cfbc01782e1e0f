//! Calls: a subroutine for each function and each set of pointers and resources that it gets.

use naga::{Expression, Function, Handle, LocalVariable};
use tgsi::opcode::Opcode;

use crate::code::temporary;
use crate::error::Result;
use crate::statement::After;
use crate::translator::{Frame, Instance, InstanceKey, Operand, Translator, Value};

/// The most calls within each other, as the compiler to lane code has it.
const MAX_CALLS: usize = 32;

impl Translator<'_> {
    pub(crate) fn call(
        &mut self,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
        result: Option<Handle<Expression>>,
    ) -> Result<()> {
        let operands: Vec<Operand> =
            arguments.iter().map(|&argument| self.operand(argument)).collect::<Result<_>>()?;
        let same = operands.iter().map(|operand| match operand {
            Operand::Value(_) => None,
            Operand::Place(_) | Operand::Resource(_) => Some(operand.clone()),
        });
        let key: InstanceKey = (function, same.collect());
        self.forget([], arguments)?;
        let span = self.code.span;
        let instance = match self.instances.get(&key) {
            Some(instance) => instance.clone(),
            None => {
                let instance = self.instance(function, &operands)?;
                self.instances.insert(key, instance.clone());
                instance
            }
        };
        self.code.span = span;
        let values = operands.into_iter().filter_map(|operand| match operand {
            Operand::Value(value) => Some(value),
            Operand::Place(_) | Operand::Resource(_) => None,
        });
        for (value, &first) in values.zip(&instance.arguments) {
            self.move_to(first, &value);
        }
        self.code.call(instance.subroutine);
        let Some(result) = result else { return Ok(()) };
        let ty = self.module.functions[function].result.as_ref().map(|result| result.ty);
        let count = ty.map_or(0, |ty| self.types.registers(ty));
        // The next call overwrites the result.
        let value: Value =
            (0..count).map(|at| self.copy(4, temporary(instance.result + at).as_src())).collect();
        let size = ty.map_or(0, |ty| crate::types::components(&self.module.types[ty].inner));
        let value = if size == 1 { value.into_iter().map(|it| it.x()).collect() } else { value };
        self.set(result, Operand::Value(value))
    }

    /// Copies a value to temporaries in a row.
    pub(crate) fn move_to(&mut self, first: u32, value: &Value) {
        for (at, &src) in (0u32..).zip(value) {
            self.code.emit(Opcode::Mov, Some(temporary(first + at)), &[src]);
        }
    }

    /// Returns the registers from `first` on as a value of type `ty`.
    fn registers(&self, first: u32, ty: Handle<naga::Type>) -> Value {
        let mut leaves = Vec::new();
        let inner = &self.module.types[ty].inner;
        self.types.leaves(self.module, inner, crate::types::Layout::Host, 0, &mut leaves);
        (0u32..).zip(leaves).map(|(at, leaf)| self.read(temporary(first + at), leaf.size)).collect()
    }

    /// Translates a function for these arguments; only pointers and resources count.
    fn instance(&mut self, handle: Handle<Function>, operands: &[Operand]) -> Result<Instance> {
        if self.frames.len() >= MAX_CALLS {
            let message = format!("calls are nested deeper than {MAX_CALLS} levels");
            return Err(self.code.refuse(message));
        }
        let function = &self.module.functions[handle];
        let mut own = Vec::new();
        let mut arguments = Vec::new();
        for (argument, operand) in function.arguments.iter().zip(operands) {
            arguments.push(match operand {
                Operand::Value(_) => {
                    self.check_size(argument.ty)?;
                    let first = self.code.temporaries(self.types.registers(argument.ty));
                    own.push(first);
                    Operand::Value(self.registers(first, argument.ty))
                }
                other => other.clone(),
            });
        }
        let result = match &function.result {
            Some(result) => {
                self.check_size(result.ty)?;
                self.code.temporaries(self.types.registers(result.ty))
            }
            None => 0,
        };
        let depth = self.code.begin_subroutine();
        self.frames.push(Frame::new(function, &self.info[handle], arguments, Some(result)));
        let translated = self.body(false);
        self.frames.pop();
        let subroutine = self.code.end_subroutine(depth);
        translated?;
        Ok(Instance { subroutine, arguments: own, result })
    }

    /// Translates the body of the present function. `fresh`: its variables are 0 already.
    pub(crate) fn body(&mut self, fresh: bool) -> Result<()> {
        let function = self.frame()?.function;
        for (handle, variable) in function.local_variables.iter() {
            self.code.span = function.local_variables.get_span(handle);
            self.local(handle, variable, fresh)?;
            self.code.check()?;
        }
        self.block(&function.body, After::End)
    }

    fn local(
        &mut self,
        handle: Handle<LocalVariable>,
        variable: &LocalVariable,
        fresh: bool,
    ) -> Result<()> {
        let place = self.variable(variable.ty);
        self.code.check()?;
        match variable.init {
            Some(init) => {
                let value = self.value(init)?;
                self.store(&place, &value)?;
                self.note_variable(handle, self.known(init))?;
            }
            None if fresh => {}
            None => self.clear(&place),
        }
        if let Some(slot) = self.frame_mut()?.locals.get_mut(handle.index()) {
            *slot = Some(place);
        }
        Ok(())
    }

    /// Writes 0 to every register of a variable.
    fn clear(&mut self, place: &crate::place::Place) {
        let crate::place::Root::Registers(root) = place.root else { return };
        let zero = self.int(0);
        for at in 0..root.count {
            self.code.emit(Opcode::Mov, Some(temporary(root.first + at)), &[zero]);
        }
    }
}
