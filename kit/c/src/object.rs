//! The device and its objects in the memory that C handed over.
//!
//! C holds pointers to types without content; the memory has a tag and the object there.

use core::cell::{Cell, RefCell};
use core::mem::MaybeUninit;
use core::ops::Range;

use gallium::kit;
use gallium::os_shim::{Box, Memory};
use gallium::pipe_core::PipeError;

use crate::error::{Code, Fault};

/// The lanes and tile of the driver.
/// cbindgen:ignore
#[cfg(any(feature = "lanes-16", not(feature = "lanes-4")))]
type Profile = gallium::raster::Small;
/// The lanes and tile of the driver.
/// cbindgen:ignore
#[cfg(all(feature = "lanes-4", not(feature = "lanes-16")))]
type Profile = gallium::raster::Tiny;

/// The driver.
/// cbindgen:ignore
pub(crate) type Raster = kit::Raster<Profile>;

/// A type that C knows by name only.
pub(crate) trait Opaque {
    /// The object.
    type Value: 'static;
    /// A number that no other type has.
    const TAG: u32;
}

/// An object in memory, with the number of its type in front.
#[repr(C)]
pub(crate) struct Tagged<V> {
    pub(crate) tag: u32,
    pub(crate) value: V,
}

/// A driver in memory that C handed over.
pub struct Gallium {
    _private: [u8; 0],
}

impl Opaque for Gallium {
    type Value = Device;
    const TAG: u32 = 0x4761_3031;
}

/// A picture that draws go to.
pub struct Target {
    _private: [u8; 0],
}

impl Opaque for Target {
    type Value = kit::Target;
    const TAG: u32 = 0x4761_3032;
}

/// A mesh.
pub struct Mesh {
    _private: [u8; 0],
}

impl Opaque for Mesh {
    type Value = kit::Mesh<'static>;
    const TAG: u32 = 0x4761_3033;
}

/// A texture.
pub struct Texture {
    _private: [u8; 0],
}

impl Opaque for Texture {
    type Value = kit::Texture;
    const TAG: u32 = 0x4761_3034;
}

/// Shaders with the state and the values of draws.
pub struct Material {
    _private: [u8; 0],
}

impl Opaque for Material {
    type Value = Painted;
    const TAG: u32 = 0x4761_3035;
}

/// A program's shaders with the state of draws.
pub struct Pipeline {
    _private: [u8; 0],
}

impl Opaque for Pipeline {
    type Value = Shaded;
    const TAG: u32 = 0x4761_3036;
}

/// A pipeline that draws sprites.
pub struct Sprites {
    _private: [u8; 0],
}

impl Opaque for Sprites {
    type Value = kit::Sprites<'static>;
    const TAG: u32 = 0x4761_3037;
}

/// A pipeline, and what its draws need.
pub(crate) struct Shaded {
    pub(crate) pipeline: kit::Pipeline,
    /// The layout of the meshes that it draws.
    pub(crate) layout: kit::Layout,
    /// The bytes of constants that the vertex and the fragment shader read.
    pub(crate) constants: [usize; 2],
    /// True if the fragment shader samples a texture.
    pub(crate) samples: bool,
}

/// A material, and the layout of the meshes that it draws.
pub(crate) struct Painted {
    pub(crate) material: Cell<kit::Material>,
    pub(crate) layout: kit::Layout,
}

/// A driver, its memory and its last error.
pub(crate) struct Device {
    /// The addresses of the memory; every object is there.
    pub(crate) memory: Range<usize>,
    /// Borrowed while a call runs.
    pub(crate) raster: RefCell<Raster>,
    /// The error of the last call that failed.
    pub(crate) last: Cell<Option<Fault>>,
}

impl Device {
    /// Keeps the error of a call for `gallium_error_details`, and returns its code.
    #[inline(never)]
    fn note(&self, result: Result<(), Fault>) -> Code {
        match result {
            Ok(()) => Code::None,
            Err(fault) => {
                self.last.set(Some(fault));
                fault.code
            }
        }
    }
}

/// Runs a call with the driver, and returns the code for C.
#[inline(always)]
pub(crate) fn answer(
    device: Result<&Device, Code>,
    call: impl FnOnce(&mut Raster) -> Result<(), Fault>,
) -> Code {
    let device = match device {
        Ok(device) => device,
        Err(code) => return code,
    };
    device.note(match device.raster.try_borrow_mut() {
        Ok(mut raster) => call(&mut raster),
        Err(_) => Err(Code::Busy.into()),
    })
}

/// Moves an object to the driver's memory, and writes its pointer for C.
pub(crate) fn hand_over<O: Opaque>(
    memory: Memory<'static>,
    value: O::Value,
    place: &mut MaybeUninit<*mut O>,
) -> Result<(), PipeError> {
    let tagged = Box::try_new_in(Tagged { tag: O::TAG, value }, memory)?;
    place.write(core::ptr::from_mut(Box::leak(tagged)).cast());
    Ok(())
}
