//! Textures: lookups, fetches, queries.

use naga::{
    Expression, Handle, ImageClass, ImageDimension, ImageQuery, SampleLevel, ScalarKind,
    SwizzleComponent, TypeInner,
};
use tgsi::declaration::{DeclarationKind, ReturnType};
use tgsi::opcode::Opcode;
use tgsi::register::{Dimension, File, SrcRegister, WriteMask};
use tgsi::shader::{Instruction, TextureInfo, TextureOffset, TextureTarget};

use crate::code::{component, mask};
use crate::error::Result;
use crate::translator::{Operand, Translator};
use crate::types::scalar_kind;

/// A texture or storage texture.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    pub(crate) slot: u8,
    pub(crate) dim: ImageDimension,
    pub(crate) arrayed: bool,
    pub(crate) class: ImageClass,
    pub(crate) target: TextureTarget,
}

impl Image {
    /// Returns the number of coordinates, the layer not counted.
    pub(crate) fn coordinates(&self) -> u8 {
        match self.dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 => 2,
            ImageDimension::D3 | ImageDimension::Cube => 3,
        }
    }
}

/// Returns the shape of a texture.
pub(crate) fn target(
    dim: ImageDimension,
    arrayed: bool,
    class: ImageClass,
) -> Option<TextureTarget> {
    let multi = matches!(
        class,
        ImageClass::Sampled { multi: true, .. } | ImageClass::Depth { multi: true }
    );
    Some(match (dim, arrayed, multi) {
        (ImageDimension::D1, false, false) => TextureTarget::Texture1D,
        (ImageDimension::D1, true, false) => TextureTarget::Array1D,
        (ImageDimension::D2, false, false) => TextureTarget::Texture2D,
        (ImageDimension::D2, true, false) => TextureTarget::Array2D,
        (ImageDimension::D2, false, true) => TextureTarget::Msaa2D,
        (ImageDimension::D2, true, true) => TextureTarget::MsaaArray2D,
        (ImageDimension::D3, false, false) => TextureTarget::Texture3D,
        (ImageDimension::Cube, false, false) => TextureTarget::Cube,
        (ImageDimension::Cube, true, false) => TextureTarget::CubeArray,
        _ => return None,
    })
}

/// Returns the shape of lookups that compare.
fn compared(target: TextureTarget) -> TextureTarget {
    match target {
        TextureTarget::Texture1D => TextureTarget::Shadow1D,
        TextureTarget::Array1D => TextureTarget::ShadowArray1D,
        TextureTarget::Texture2D => TextureTarget::Shadow2D,
        TextureTarget::Array2D => TextureTarget::ShadowArray2D,
        TextureTarget::Cube => TextureTarget::ShadowCube,
        TextureTarget::CubeArray => TextureTarget::ShadowCubeArray,
        other => other,
    }
}

/// Returns the type that a texture's components have.
pub(crate) fn returns(class: ImageClass) -> ReturnType {
    match class {
        ImageClass::Sampled { kind: ScalarKind::Sint, .. } => ReturnType::Sint,
        ImageClass::Sampled { kind: ScalarKind::Uint, .. } => ReturnType::Uint,
        _ => ReturnType::Float,
    }
}

/// A lookup in the making: the operands of its instruction.
struct Lookup {
    coordinate: SrcRegister,
    view: SrcRegister,
    sampler: SrcRegister,
    offset: Option<TextureOffset>,
}

impl Translator<'_> {
    /// Returns the texture that an expression names, declared.
    pub(crate) fn image(&mut self, handle: Handle<Expression>) -> Result<Image> {
        let Operand::Resource(global) = self.operand(handle)? else {
            return Err(self.code.refuse("a value is used as a texture"));
        };
        let inner = &self.module.types[self.module.global_variables[global].ty].inner;
        let TypeInner::Image { dim, arrayed, class } = *inner else {
            return Err(self.code.refuse("something else is used as a texture"));
        };
        if class == ImageClass::External {
            return Err(self.code.refuse("external textures are not supported"));
        }
        let slot = self.slots.of(self.module, global)?;
        let target = target(dim, arrayed, class)
            .ok_or_else(|| self.code.refuse("a texture of a shape that TGSI does not have"))?;
        let (file, kind) = match class {
            ImageClass::Storage { format, access } => {
                let format = crate::format::format(format);
                let format = format.ok_or_else(|| {
                    self.code.refuse("64-bit storage texture formats are not supported")
                })?;
                let writable = access.contains(naga::StorageAccess::STORE)
                    || access.contains(naga::StorageAccess::ATOMIC);
                (File::Image, DeclarationKind::Image { target, format, writable, raw: false })
            }
            _ => {
                let returns = [returns(class); 4];
                (File::SamplerView, DeclarationKind::SamplerView { target, returns })
            }
        };
        self.declarations.unit(file, slot, Some(kind));
        Ok(Image { slot, dim, arrayed, class, target })
    }

    fn sampler(&mut self, handle: Handle<Expression>) -> Result<u8> {
        let Operand::Resource(global) = self.operand(handle)? else {
            return Err(self.code.refuse("a value is used as a sampler"));
        };
        let slot = self.slots.of(self.module, global)?;
        self.declarations.unit(File::Sampler, slot, None);
        Ok(slot)
    }

    pub(crate) fn image_sample(&mut self, expression: &Expression) -> Result<SrcRegister> {
        let Expression::ImageSample {
            image,
            sampler,
            gather,
            coordinate,
            array_index,
            offset,
            level,
            depth_ref,
            clamp_to_edge,
        } = *expression
        else {
            return Err(self.code.refuse("a lookup that is none"));
        };
        let image = self.image(image)?;
        let sampler = self.sampler(sampler)?;
        let mut coordinate = self.single(coordinate)?;
        if clamp_to_edge {
            coordinate = self.clamp_to_edge(image, coordinate);
        }
        let offset = match offset {
            Some(offset) => Some(self.offset(offset)?),
            None => None,
        };
        let lookup = Lookup {
            coordinate,
            view: SrcRegister::new(File::SamplerView, image.slot.into()),
            sampler: SrcRegister::new(File::Sampler, sampler.into()),
            offset,
        };
        let reference = match depth_ref {
            Some(reference) => Some(self.single(reference)?),
            None => None,
        };
        let result = match (gather, reference, level) {
            (Some(channel), ..) => self.gather4(image, lookup, array_index, channel, reference)?,
            (None, Some(reference), SampleLevel::Auto | SampleLevel::Zero) => {
                let coordinate = self.with_layer(image, lookup.coordinate, array_index)?;
                let opcode = match level {
                    SampleLevel::Auto => Opcode::SampleC,
                    _ => Opcode::SampleCLz,
                };
                self.sample(opcode, Lookup { coordinate, ..lookup }, &[reference])
            }
            (None, Some(reference), _) => {
                self.compare_at_level(image, lookup, array_index, level, reference)?
            }
            (None, None, _) => {
                let coordinate = self.with_layer(image, lookup.coordinate, array_index)?;
                let lookup = Lookup { coordinate, ..lookup };
                self.sample_at_level(lookup, level)?
            }
        };
        let scalar = matches!(image.class, ImageClass::Depth { .. }) && gather.is_none();
        Ok(if scalar { result.x() } else { result })
    }

    /// Adds a lookup without comparison.
    fn sample_at_level(&mut self, lookup: Lookup, level: SampleLevel) -> Result<SrcRegister> {
        Ok(match level {
            SampleLevel::Auto => self.sample(Opcode::Sample, lookup, &[]),
            SampleLevel::Zero => {
                let zero = self.float(0.0);
                self.sample(Opcode::SampleL, lookup, &[zero])
            }
            SampleLevel::Exact(level) => {
                let level = self.as_float(level)?;
                self.sample(Opcode::SampleL, lookup, &[level])
            }
            SampleLevel::Bias(bias) => {
                let bias = self.bias(bias)?;
                self.sample(Opcode::SampleB, lookup, &[bias])
            }
            SampleLevel::Gradient { x, y } => {
                let (x, y) = (self.single(x)?, self.single(y)?);
                self.sample(Opcode::SampleD, lookup, &[x, y])
            }
        })
    }

    /// Adds an instruction of the SAMPLE family.
    fn sample(&mut self, opcode: Opcode, lookup: Lookup, others: &[SrcRegister]) -> SrcRegister {
        let mut srcs = vec![lookup.coordinate, lookup.view, lookup.sampler];
        srcs.extend(others);
        let texture = lookup.offset.map(|offset| with_offset(TextureTarget::Unknown, offset));
        self.lookup(opcode, &srcs, texture)
    }

    fn lookup(
        &mut self,
        opcode: Opcode,
        srcs: &[SrcRegister],
        texture: Option<TextureInfo>,
    ) -> SrcRegister {
        let dst = self.temporary();
        let mut instruction = Instruction::new(opcode);
        if let Some(slot) = instruction.dst.first_mut() {
            *slot = dst;
        }
        instruction.src.iter_mut().zip(srcs).for_each(|(slot, src)| *slot = *src);
        instruction.texture = texture;
        self.code.push(instruction);
        dst.as_src()
    }

    /// Returns a bias, clamped to WGSL's range.
    fn bias(&mut self, handle: Handle<Expression>) -> Result<SrcRegister> {
        const LEAST: f32 = -16.0;
        const GREATEST: f32 = 15.99;
        let bias = self.single(handle)?;
        if let Some(bits) = self.constant(bias) {
            let value = f32::from_bits(bits);
            let limited = value.clamp(LEAST, GREATEST);
            return Ok(if limited == value { bias } else { self.float(limited) });
        }
        let least = self.float(LEAST);
        let greatest = self.float(GREATEST);
        let raised = self.op(Opcode::Max, 1, &[bias, least]);
        Ok(self.op(Opcode::Min, 1, &[raised, greatest]))
    }

    /// Returns a number as a float.
    fn as_float(&mut self, handle: Handle<Expression>) -> Result<SrcRegister> {
        let kind = scalar_kind(self.type_of(handle)?);
        let value = self.single(handle)?;
        Ok(match kind {
            Some(ScalarKind::Sint) => self.op(Opcode::I2f, 1, &[value]),
            Some(ScalarKind::Uint) => self.op(Opcode::U2f, 1, &[value]),
            _ => value,
        })
    }

    /// Returns a coordinate with the layer of arrays, as a float, behind it.
    fn with_layer(
        &mut self,
        image: Image,
        coordinate: SrcRegister,
        layer: Option<Handle<Expression>>,
    ) -> Result<SrcRegister> {
        let Some(layer) = layer else { return Ok(coordinate) };
        let layer = self.as_float(layer)?;
        Ok(self.append(coordinate, image.coordinates(), layer))
    }

    /// Returns a vector with another component behind its first `size`.
    pub(crate) fn append(
        &mut self,
        vector: SrcRegister,
        size: u8,
        next: SrcRegister,
    ) -> SrcRegister {
        let mut parts: Vec<SrcRegister> =
            (0..usize::from(size)).map(|at| component(vector, at)).collect();
        parts.push(next);
        self.gather(&parts)
    }

    /// Returns the operand that names a texel offset.
    fn offset(&mut self, handle: Handle<Expression>) -> Result<TextureOffset> {
        let offset = self.single(handle)?;
        let [x, y, z, _] = offset.swizzle;
        let index = i16::try_from(offset.index).unwrap_or(0);
        Ok(TextureOffset { file: offset.file, swizzle: [x, y, z], index })
    }

    /// Limits a coordinate to the centres of the texels at the edges.
    fn clamp_to_edge(&mut self, image: Image, coordinate: SrcRegister) -> SrcRegister {
        let size = self.size(image, None);
        let size = self.op(Opcode::U2f, 2, &[size]);
        let (half, one) = (self.float(0.5), self.float(1.0));
        let low = self.op(Opcode::Div, 2, &[half, size]);
        let high = self.sub(2, one, low);
        let raised = self.op(Opcode::Max, 2, &[coordinate, low]);
        self.op(Opcode::Min, 2, &[raised, high])
    }

    /// Returns the unit of the TEX family that names view and sampler apart.
    fn unit(&self, lookup: &Lookup) -> SrcRegister {
        lookup.sampler.in_dimension(Dimension::literal(lookup.view.index as i16))
    }

    /// Adds a gather, of a component or of comparisons.
    fn gather4(
        &mut self,
        image: Image,
        lookup: Lookup,
        layer: Option<Handle<Expression>>,
        channel: SwizzleComponent,
        reference: Option<SrcRegister>,
    ) -> Result<SrcRegister> {
        let mut target = image.target;
        let mut coordinate = self.with_layer(image, lookup.coordinate, layer)?;
        let mut second = self.int(channel as u32);
        if let Some(reference) = reference {
            target = compared(target);
            (coordinate, second) = self.with_reference(image, target, coordinate, reference);
        }
        let texture = match lookup.offset {
            Some(offset) => with_offset(target, offset),
            None => TextureInfo::new(target),
        };
        let unit = self.unit(&lookup);
        Ok(self.lookup(Opcode::Tg4, &[coordinate, second, unit], Some(texture)))
    }

    /// Puts the reference value where the TEX family has it: behind the coordinate, or in the
    /// second operand.
    fn with_reference(
        &mut self,
        image: Image,
        target: TextureTarget,
        coordinate: SrcRegister,
        reference: SrcRegister,
    ) -> (SrcRegister, SrcRegister) {
        if target == TextureTarget::ShadowCubeArray {
            return (coordinate, reference);
        }
        let used = image.coordinates() + u8::from(image.arrayed);
        // One coordinate leaves a gap: the reference is never in y.
        let coordinate = match used {
            1 => self.append(coordinate, 1, reference),
            _ => coordinate,
        };
        (self.append(coordinate, used.max(2), reference), reference)
    }

    /// Adds a lookup that compares at a level, with a bias or with derivatives. GLSL and SPIR-V
    /// have these.
    fn compare_at_level(
        &mut self,
        image: Image,
        lookup: Lookup,
        layer: Option<Handle<Expression>>,
        level: SampleLevel,
        reference: SrcRegister,
    ) -> Result<SrcRegister> {
        let target = compared(image.target);
        let coordinate = self.with_layer(image, lookup.coordinate, layer)?;
        let (coordinate, second) = self.with_reference(image, target, coordinate, reference);
        let texture = match lookup.offset {
            Some(offset) => with_offset(target, offset),
            None => TextureInfo::new(target),
        };
        let unit = self.unit(&lookup);
        let (opcode, amount) = match level {
            SampleLevel::Gradient { x, y } => {
                if target == TextureTarget::ShadowCubeArray {
                    let message =
                        "comparing lookups of cube arrays with derivatives are not supported";
                    return Err(self.code.refuse(message));
                }
                let (x, y) = (self.single(x)?, self.single(y)?);
                let srcs = [coordinate, x, y, unit];
                return Ok(self.lookup(Opcode::Txd, &srcs, Some(texture)));
            }
            SampleLevel::Bias(bias) => (Opcode::Txb2, self.bias(bias)?),
            SampleLevel::Exact(level) => (Opcode::Txl2, self.as_float(level)?),
            SampleLevel::Auto | SampleLevel::Zero => (Opcode::Txl2, self.float(0.0)),
        };
        let second = match target {
            TextureTarget::ShadowCubeArray => self.gather(&[second.x(), amount.x()]),
            _ => amount,
        };
        Ok(self.lookup(opcode, &[coordinate, second, unit], Some(texture)))
    }

    pub(crate) fn image_load(&mut self, expression: &Expression) -> Result<SrcRegister> {
        let Expression::ImageLoad { image, coordinate, array_index, sample, level } = *expression
        else {
            return Err(self.code.refuse("a fetch that is none"));
        };
        let image = self.image(image)?;
        let mut coordinate = self.single(coordinate)?;
        let mut used = image.coordinates();
        if let Some(layer) = array_index {
            let layer = self.single(layer)?;
            coordinate = self.append(coordinate, used, layer);
            used += 1;
        }
        if let ImageClass::Storage { .. } = image.class {
            return Ok(self.storage_load(image, coordinate));
        }
        let view = SrcRegister::new(File::SamplerView, image.slot.into());
        let result = match (sample, level) {
            (Some(sample), _) => {
                let sample = self.single(sample)?;
                self.lookup(Opcode::SampleIMs, &[coordinate, view, sample], None)
            }
            (None, level) => {
                let level = match level {
                    Some(level) => self.single(level)?,
                    None => self.int(0),
                };
                let dst = self.temporary();
                self.code.emit(Opcode::Mov, Some(dst.masked(mask(used))), &[coordinate]);
                self.code.emit(Opcode::Mov, Some(dst.masked(WriteMask::W)), &[level]);
                self.lookup(Opcode::SampleI, &[dst.as_src(), view], None)
            }
        };
        let scalar = matches!(image.class, ImageClass::Depth { .. });
        Ok(if scalar { result.x() } else { result })
    }

    /// Returns the size of a level, with the layers of arrays behind it and the number of levels
    /// in w.
    fn size(&mut self, image: Image, level: Option<SrcRegister>) -> SrcRegister {
        let dst = self.temporary();
        let (opcode, srcs) = match image.class {
            ImageClass::Storage { .. } => {
                (Opcode::Resq, vec![SrcRegister::new(File::Image, image.slot.into())])
            }
            _ => {
                let level = level.unwrap_or_else(|| self.int(0));
                let view = SrcRegister::new(File::SamplerView, image.slot.into());
                (Opcode::Sviewinfo, vec![level, view])
            }
        };
        self.code.emit(opcode, Some(dst), &srcs);
        dst.as_src()
    }

    pub(crate) fn image_query(
        &mut self,
        image: Handle<Expression>,
        query: ImageQuery,
    ) -> Result<SrcRegister> {
        let image = self.image(image)?;
        Ok(match query {
            ImageQuery::Size { level } => {
                let level = match level {
                    Some(level) => Some(self.single(level)?),
                    None => None,
                };
                let size = self.size(image, level);
                match image.dim {
                    ImageDimension::D1 => size.x(),
                    _ => size,
                }
            }
            ImageQuery::NumLevels => component(self.size(image, None), 3),
            ImageQuery::NumLayers => {
                let at = match image.dim {
                    ImageDimension::D1 => 1,
                    _ => 2,
                };
                component(self.size(image, None), at)
            }
            ImageQuery::NumSamples => {
                let zero = self.int(0);
                let view = SrcRegister::new(File::SamplerView, image.slot.into());
                self.op(Opcode::SampleInfo, 1, &[view, zero])
            }
        })
    }
}

/// Returns a target with one texel offset.
fn with_offset(target: TextureTarget, offset: TextureOffset) -> TextureInfo {
    let mut texture = TextureInfo::new(target);
    texture.offset_count = 1;
    if let Some(slot) = texture.offsets.first_mut() {
        *slot = offset;
    }
    texture
}
