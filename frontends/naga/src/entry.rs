//! Entry points: inputs, outputs, and the variables of the whole module.

use naga::{AddressSpace, BuiltIn, EarlyDepthTest, Handle, ShaderStage, Type, TypeInner};
use tgsi::declaration::{Interpolate, Interpolation, Location, Semantic, SemanticName};
use tgsi::opcode::Opcode;
use tgsi::property::Property;
use tgsi::register::{SrcRegister, WriteMask};
use tgsi::shader::Processor;

use crate::code::{component, mask};
use crate::error::Result;
use crate::translator::{Frame, Operand, Translator, Value};
use crate::types::{components, is_half, scalar_kind};

/// The most bytes of workgroup memory; drivers have less.
const MAX_SHARED: u32 = 1 << 20;

/// Returns the stage that TGSI has for an entry point's.
pub(crate) fn processor(stage: ShaderStage) -> Option<Processor> {
    match stage {
        ShaderStage::Vertex => Some(Processor::Vertex),
        ShaderStage::Fragment => Some(Processor::Fragment),
        ShaderStage::Compute => Some(Processor::Compute),
        _ => None,
    }
}

/// Returns how a varying is interpolated. Integers keep their bits.
pub(crate) fn interpolation(
    mode: Option<naga::Interpolation>,
    sampling: Option<naga::Sampling>,
    is_float: bool,
) -> Interpolation {
    let mode = match mode {
        _ if !is_float => Interpolate::Constant,
        Some(naga::Interpolation::Flat | naga::Interpolation::PerVertex) => Interpolate::Constant,
        Some(naga::Interpolation::Linear) => Interpolate::Linear,
        Some(naga::Interpolation::Perspective) | None => Interpolate::Perspective,
    };
    let location = match sampling {
        Some(naga::Sampling::Centroid) => Location::Centroid,
        Some(naga::Sampling::Sample) => Location::Sample,
        Some(naga::Sampling::Center | naga::Sampling::First | naga::Sampling::Either) | None => {
            Location::Center
        }
    };
    Interpolation { mode, location }
}

/// Returns the output that a location of an entry point's result is.
pub(crate) fn output_semantic(stage: Processor, location: u32, blend_src: Option<u32>) -> Semantic {
    match stage {
        Processor::Fragment => Semantic::color((location + blend_src.unwrap_or(0)) as u16),
        _ => Semantic::generic(location as u16),
    }
}

impl<'a> Translator<'a> {
    /// Translates an entry point.
    pub(crate) fn entry_point(&mut self, index: usize) -> Result<()> {
        let (module, info) = (self.module, self.info);
        let Some(entry) = module.entry_points.get(index) else {
            return Err(self.code.refuse("an entry point that is not there"));
        };
        let function_info = info.get_entry_point(index);
        self.properties(entry);
        self.globals(|global| !function_info[global].is_empty())?;
        self.frames.push(Frame::new(&entry.function, function_info, Vec::new(), None));
        let mut arguments = Vec::new();
        for argument in &entry.function.arguments {
            arguments.push(Operand::Value(self.input(argument.ty, argument.binding.as_ref())?));
        }
        self.frame_mut()?.arguments = arguments;
        self.private_values(|global| !function_info[global].is_empty())?;
        self.body(true)?;
        self.frames.pop();
        self.code.check()
    }

    fn properties(&mut self, entry: &naga::EntryPoint) {
        if entry.stage == ShaderStage::Compute {
            let [x, y, z] = entry.workgroup_size;
            self.block_size = entry.workgroup_size;
            self.declarations.property(Property::CsFixedBlockWidth, x);
            self.declarations.property(Property::CsFixedBlockHeight, y);
            self.declarations.property(Property::CsFixedBlockDepth, z);
        }
        match entry.early_depth_test {
            Some(EarlyDepthTest::Force) => {
                self.declarations.property(Property::FsEarlyDepthStencil, 1);
            }
            Some(EarlyDepthTest::Allow { conservative }) => {
                use naga::ConservativeDepth as Depth;
                let layout = match conservative {
                    Depth::GreaterEqual => 2,
                    Depth::LessEqual => 3,
                    Depth::Unchanged => 4,
                };
                self.declarations.property(Property::FsDepthLayout, layout);
            }
            None => {}
        }
    }

    /// Gives the variables of the module that the entry point uses their places.
    fn globals(&mut self, is_used: impl Fn(Handle<naga::GlobalVariable>) -> bool) -> Result<()> {
        let mut shared = 0u32;
        for (handle, global) in self.module.global_variables.iter() {
            if !is_used(handle) {
                continue;
            }
            self.code.span = self.module.global_variables.get_span(handle);
            match global.space {
                AddressSpace::Private => {
                    let place = self.variable(global.ty);
                    self.privates.insert(handle, place);
                }
                AddressSpace::WorkGroup => {
                    self.shared.insert(handle, shared);
                    let bytes = self.types.words(global.ty).saturating_mul(4);
                    shared = shared.saturating_add(bytes);
                    self.declarations.shared_memory();
                }
                AddressSpace::Uniform | AddressSpace::Immediate => {
                    let slot = self.slots.of(self.module, handle)?;
                    let bytes = self.module.types[global.ty].inner.size(self.module.to_ctx());
                    if bytes > 1 << 16 {
                        let message = format!("a uniform of {bytes} bytes, more than 65536");
                        return Err(self.code.refuse(message));
                    }
                    self.declarations.constants(slot, bytes.div_ceil(16) as u16);
                }
                AddressSpace::Storage { .. } => {
                    let slot = self.slots.of(self.module, handle)?;
                    self.declarations.unit(tgsi::register::File::Buffer, slot, None);
                }
                _ => {}
            }
            self.code.check()?;
        }
        if shared > MAX_SHARED {
            let message = format!("{shared} bytes of workgroup memory, more than {MAX_SHARED}");
            return Err(self.code.refuse(message));
        }
        self.shared_bytes = shared.next_multiple_of(16);
        Ok(())
    }

    /// Initialises the private variables.
    fn private_values(
        &mut self,
        is_used: impl Fn(Handle<naga::GlobalVariable>) -> bool,
    ) -> Result<()> {
        for (handle, global) in self.module.global_variables.iter() {
            let (Some(init), true) = (global.init, is_used(handle)) else { continue };
            self.code.span = self.module.global_variables.get_span(handle);
            let value = self.global_value(init)?;
            if let Some(place) = self.privates.get(&handle).cloned() {
                self.store(&place, &value)?;
            }
            self.code.check()?;
        }
        Ok(())
    }

    /// Returns an argument of the entry point: one input, or a struct of them.
    fn input(&mut self, ty: Handle<Type>, binding: Option<&naga::Binding>) -> Result<Value> {
        let module = self.module;
        self.code.span = module.types.get_span(ty);
        match (binding, &module.types[ty].inner) {
            (Some(binding), inner) => self.bound_input(inner, binding),
            (None, TypeInner::Struct { members, .. }) => {
                let mut value = Value::new();
                for member in members {
                    value.extend(self.input(member.ty, member.binding.as_ref())?);
                }
                Ok(value)
            }
            (None, _) => Err(self.code.refuse("an argument of an entry point without a binding")),
        }
    }

    fn bound_input(&mut self, inner: &TypeInner, binding: &naga::Binding) -> Result<Value> {
        match *binding {
            naga::Binding::BuiltIn(builtin) => self.builtin_input(builtin),
            naga::Binding::Location { location, interpolation: mode, sampling, .. } => {
                let size = components(inner);
                if size == 0 || location > 127 {
                    return Err(self.code.refuse("an input that does not fit a location"));
                }
                let is_float = scalar_kind(inner) == Some(naga::ScalarKind::Float);
                let how = interpolation(mode, sampling, is_float);
                let (src, is_exact) = match self.declarations.stage() {
                    Processor::Vertex => (self.declarations.vertex_input(location as u16), false),
                    _ => {
                        let semantic = Semantic::generic(location as u16);
                        let is_flat = how.mode == Interpolate::Constant;
                        (self.declarations.input(semantic, how), is_flat)
                    }
                };
                let src = if size == 1 { src.x() } else { src };
                // Formats and interpolation give any float.
                let rounds = !is_exact && inner.scalar().is_some_and(is_half);
                Ok(vec![if rounds { self.round_half(size, src) } else { src }])
            }
        }
    }

    fn builtin_input(&mut self, builtin: BuiltIn) -> Result<Value> {
        use SemanticName as S;
        let linear = Interpolation { mode: Interpolate::Linear, location: Location::Center };
        let constant = Interpolation { mode: Interpolate::Constant, location: Location::Center };
        let value = match builtin {
            BuiltIn::Position { .. } => {
                let position = self.declarations.input(Semantic::POSITION, linear);
                self.unmapped(position)
            }
            BuiltIn::FrontFacing => {
                let face = self.declarations.input(Semantic::new(S::Face, 0), constant);
                let zero = self.float(0.0);
                self.op(Opcode::Fslt, 1, &[zero, face.x()])
            }
            BuiltIn::PointCoord => self.declarations.input(Semantic::new(S::PointCoord, 0), linear),
            BuiltIn::PrimitiveIndex => {
                self.declarations.input(Semantic::new(S::PrimitiveId, 0), constant).x()
            }
            BuiltIn::InstanceIndex => {
                let number = self.declarations.system_value(S::InstanceId).x();
                let base = self.declarations.system_value(S::BaseInstance).x();
                self.op(Opcode::Uadd, 1, &[number, base])
            }
            BuiltIn::GlobalInvocationId => {
                let block = self.declarations.system_value(S::BlockId);
                let thread = self.declarations.system_value(S::ThreadId);
                let size = self.workgroup_size();
                self.op(Opcode::Umad, 3, &[block, size, thread])
            }
            BuiltIn::LocalInvocationIndex => {
                let thread = self.declarations.system_value(S::ThreadId);
                let [width, height, _] = self.block_size;
                let (row, layer) = (self.int(width), self.int(width.wrapping_mul(height)));
                let (x, y, z) = (thread.x(), component(thread, 1), component(thread, 2));
                let in_layer = self.op(Opcode::Umad, 1, &[y, row, x]);
                self.op(Opcode::Umad, 1, &[z, layer, in_layer])
            }
            BuiltIn::WorkGroupSize => self.workgroup_size(),
            BuiltIn::LocalInvocationId => self.declarations.system_value(S::ThreadId),
            BuiltIn::WorkGroupId => self.declarations.system_value(S::BlockId),
            BuiltIn::NumWorkGroups => self.declarations.system_value(S::GridSize),
            BuiltIn::VertexIndex => self.declarations.system_value(S::VertexId).x(),
            BuiltIn::BaseInstance => self.declarations.system_value(S::BaseInstance).x(),
            BuiltIn::BaseVertex => self.declarations.system_value(S::BaseVertex).x(),
            BuiltIn::DrawIndex => self.declarations.system_value(S::DrawId).x(),
            BuiltIn::SampleIndex => self.declarations.system_value(S::SampleId).x(),
            BuiltIn::SampleMask => self.declarations.system_value(S::SampleMask).x(),
            _ => {
                let message = format!("the built-in {builtin:?} is not supported");
                return Err(self.code.refuse(message));
            }
        };
        Ok(vec![value])
    }

    /// Returns the position of a fragment with the depth from before the map of depths.
    fn unmapped(&mut self, position: SrcRegister) -> SrcRegister {
        let Some((scale, offset)) = self.depth_map else { return position };
        let (inverse, offset) = (self.float(1.0 / scale), self.float(offset));
        let depth = self.sub(1, component(position, 2), offset);
        let depth = self.mul(1, depth, inverse);
        let [x, y, w] = [0, 1, 3].map(|at| component(position, at));
        self.gather(&[x, y, depth, w])
    }

    /// Returns a depth that the shader writes, mapped.
    fn mapped(&mut self, depth: SrcRegister) -> SrcRegister {
        let Some((scale, offset)) = self.depth_map else { return depth };
        let (scale, offset) = (self.float(scale), self.float(offset));
        self.mad(1, depth, scale, offset)
    }

    fn workgroup_size(&mut self) -> SrcRegister {
        let size = self.block_size;
        self.code.vector(false, &size)
    }

    /// Writes the result of the entry point to the outputs.
    pub(crate) fn write_outputs(&mut self, value: &Value) -> Result<()> {
        let Some(result) = &self.frame()?.function.result else { return Ok(()) };
        let module = self.module;
        match (&result.binding, &module.types[result.ty].inner) {
            (Some(binding), _) => self.write_output(result.ty, binding, value),
            (None, TypeInner::Struct { members, .. }) => {
                let mut first = 0;
                for member in members {
                    let count = self.types.registers(member.ty) as usize;
                    let part = value.get(first..first + count).unwrap_or_default().to_vec();
                    first += count;
                    if let Some(binding) = &member.binding {
                        self.write_output(member.ty, binding, &part)?;
                    }
                }
                Ok(())
            }
            (None, _) => Err(self.code.refuse("a result of an entry point without a binding")),
        }
    }

    fn write_output(
        &mut self,
        ty: Handle<Type>,
        binding: &naga::Binding,
        value: &Value,
    ) -> Result<()> {
        let size = components(&self.module.types[ty].inner);
        let Some(&first) = value.first() else { return Ok(()) };
        let is_depth = matches!(binding, naga::Binding::BuiltIn(BuiltIn::FragDepth));
        let first = if is_depth { self.mapped(first) } else { first };
        let stage = self.declarations.stage();
        let (semantic, written) = match *binding {
            naga::Binding::Location { location, blend_src, .. } => {
                (output_semantic(stage, location, blend_src), mask(size))
            }
            naga::Binding::BuiltIn(builtin) => match builtin {
                BuiltIn::Position { .. } => (Semantic::POSITION, WriteMask::XYZW),
                BuiltIn::PointSize => (Semantic::new(SemanticName::PointSize, 0), WriteMask::X),
                BuiltIn::FragDepth => (Semantic::POSITION, WriteMask::Z),
                BuiltIn::SampleMask => (Semantic::new(SemanticName::SampleMask, 0), WriteMask::X),
                BuiltIn::ClipDistances => {
                    self.write_clip_distances(value);
                    return Ok(());
                }
                _ => {
                    let message = format!("the built-in {builtin:?} is not supported");
                    return Err(self.code.refuse(message));
                }
            },
        };
        let dst = self.declarations.output(semantic).masked(written);
        self.code.emit(Opcode::Mov, Some(dst), &[first]);
        Ok(())
    }

    /// Writes the array of clip distances, four a register.
    fn write_clip_distances(&mut self, value: &Value) {
        if !self.clips {
            self.clips = true;
            self.declarations.property(Property::NumClipdistEnabled, value.len() as u32);
        }
        for (at, &distance) in value.iter().enumerate() {
            let semantic = Semantic::new(SemanticName::ClipDistance, (at / 4) as u16);
            let written = WriteMask::from_bits_truncate(1 << (at % 4));
            let dst = self.declarations.output(semantic).masked(written);
            self.code.emit(Opcode::Mov, Some(dst), &[distance]);
        }
    }
}
