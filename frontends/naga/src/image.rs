//! Storage textures: loads, stores, atomics.

use naga::{AtomicFunction, Expression, Handle, ImageClass, StorageFormat};
use tgsi::opcode::Opcode;
use tgsi::register::{DstRegister, File, SrcRegister};

use crate::error::Result;
use crate::texture::Image;
use crate::translator::Translator;

impl Translator<'_> {
    /// Reads a texel of a storage texture.
    pub(crate) fn storage_load(&mut self, image: Image, coordinate: SrcRegister) -> SrcRegister {
        let register = SrcRegister::new(File::Image, image.slot.into());
        self.op(Opcode::Load, 4, &[register, coordinate])
    }

    /// Returns the coordinate with the layer of arrays behind it.
    fn texel(
        &mut self,
        image: Image,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
    ) -> Result<SrcRegister> {
        let coordinate = self.single(coordinate)?;
        let Some(layer) = layer else { return Ok(coordinate) };
        let layer = self.single(layer)?;
        Ok(self.append(coordinate, image.coordinates(), layer))
    }

    pub(crate) fn image_store(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        value: Handle<Expression>,
    ) -> Result<()> {
        let image = self.image(image)?;
        let coordinate = self.texel(image, coordinate, layer)?;
        let value = self.single(value)?;
        let register = DstRegister::new(File::Image, image.slot.into());
        self.code.emit(Opcode::Store, Some(register), &[coordinate, value]);
        Ok(())
    }

    pub(crate) fn image_atomic(
        &mut self,
        image: Handle<Expression>,
        coordinate: Handle<Expression>,
        layer: Option<Handle<Expression>>,
        fun: AtomicFunction,
        value: Handle<Expression>,
    ) -> Result<()> {
        let image = self.image(image)?;
        let coordinate = self.texel(image, coordinate, layer)?;
        let value = self.single(value)?;
        let ImageClass::Storage { format, .. } = image.class else {
            return Err(self.code.refuse("an atomic on a sampled texture"));
        };
        let signed = format == StorageFormat::R32Sint;
        let register = SrcRegister::new(File::Image, image.slot.into());
        self.atomic_operation(register, coordinate, fun, value, signed, false)?;
        Ok(())
    }
}
