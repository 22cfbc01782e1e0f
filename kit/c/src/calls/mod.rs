//! The functions of the header: the one place of `unsafe`.
//!
//! Rust reads memory that C names. Each function turns its pointers into references or errors by
//! the functions below; the rest of it is safe code.
//!
//! # Safety
//! For every function, the rules in front of the header hold: a pointer is null or leads to a value
//! of its type, memory for pictures stays as long as the objects over it, and one thread at a time
//! calls functions with one `gallium`.

#![allow(clippy::missing_safety_doc, reason = "the header begins with the rules")]

use core::ffi::c_void;
use core::mem::MaybeUninit;

use gallium::kit;

use crate::data::{Format, MeshData, Shader, TextureData};
use crate::error::Code;
use crate::object::{Device, Gallium, Opaque, Tagged};

pub mod device;
pub mod errors;
pub mod material;
pub mod matrix;
pub mod mesh;
mod panel;
pub mod pipeline;
pub mod sprites;
pub mod target;
pub mod texture;

/// Fails for null, and for an address between those of an alignment.
///
/// Not generic, as the functions of each type would take flash.
#[inline(never)]
fn check_address(pointer: *const (), align: usize) -> Result<(), Code> {
    if pointer.is_null() {
        return Err(Code::NullPointer);
    }
    if pointer.addr() & align.wrapping_sub(1) == 0 { Ok(()) } else { Err(Code::WrongObject) }
}

/// Returns a value that C names for reading.
///
/// # Safety
/// The pointer is null or leads to a value that nothing changes during `'a`.
unsafe fn reference<'a, T>(pointer: *const T) -> Result<&'a T, Code> {
    check_address(pointer.cast(), align_of::<T>())?;
    // SAFETY: neither null nor misaligned; the rest is the caller's promise.
    Ok(unsafe { &*pointer })
}

/// Returns a place that C names for a result.
///
/// # Safety
/// The pointer is null or leads to memory for a `T` that nothing else uses during `'a`.
unsafe fn place<'a, T>(pointer: *mut T) -> Result<&'a mut MaybeUninit<T>, Code> {
    check_address(pointer.cast(), align_of::<T>())?;
    // SAFETY: neither null nor misaligned; the rest is the caller's promise.
    Ok(unsafe { &mut *pointer.cast() })
}

/// Returns bytes that C names.
///
/// # Safety
/// The pointer is null, or leads to so many bytes that nothing ever changes.
unsafe fn bytes(pointer: *const c_void, count: usize) -> Result<&'static [u8], Code> {
    if count == 0 {
        return Ok(&[]);
    }
    check_span(pointer, count)?;
    // SAFETY: not null, and within the address space; the rest is the caller's promise.
    Ok(unsafe { core::slice::from_raw_parts(pointer.cast(), count) })
}

/// Returns values that C names for reading.
///
/// # Safety
/// The pointer is null, or leads to so many values that nothing changes during `'a`.
unsafe fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Code> {
    if count == 0 {
        return Ok(&[]);
    }
    check_address(pointer.cast(), align_of::<T>())?;
    check_span(pointer.cast(), count.checked_mul(size_of::<T>()).ok_or(Code::OutOfRange)?)?;
    // SAFETY: neither null nor misaligned, and within the address space; the rest is the caller's
    // promise.
    Ok(unsafe { core::slice::from_raw_parts(pointer, count) })
}

/// Fails for null, and for bytes that leave the address space.
fn check_span(pointer: *const c_void, count: usize) -> Result<(), Code> {
    if pointer.is_null() {
        return Err(Code::NullPointer);
    }
    let fits = isize::try_from(count).is_ok() && pointer.addr().checked_add(count).is_some();
    if fits { Ok(()) } else { Err(Code::OutOfRange) }
}

/// Fails if no tag of this value is at an address.
///
/// # Safety
/// The pointer is null, or a tag can be read there.
#[inline(never)]
unsafe fn check_tag(pointer: *const (), align: usize, tag: u32) -> Result<(), Code> {
    check_address(pointer, align)?;
    // SAFETY: not null, and aligned, as every object has at least the alignment of its tag; readable as the caller
    // promises.
    let found = unsafe { pointer.cast::<u32>().read() };
    if found == tag { Ok(()) } else { Err(Code::WrongObject) }
}

/// Returns the tagged object at a pointer.
///
/// # Safety
/// The pointer is null, or memory for the object can be read there.
unsafe fn tagged<'a, O: Opaque>(pointer: *const O) -> Result<&'a O::Value, Code> {
    let pointer: *const Tagged<O::Value> = pointer.cast();
    // SAFETY: the tag is in front of the object; only `hand_over` writes it, in front of such an object.
    unsafe {
        check_tag(pointer.cast(), align_of::<Tagged<O::Value>>(), O::TAG)?;
        Ok(&(*pointer).value)
    }
}

/// Returns the device at a pointer.
///
/// # Safety
/// See the module.
unsafe fn device<'a>(pointer: *const Gallium) -> Result<&'a Device, Code> {
    // SAFETY: null or a pointer of `gallium_create`, as the header demands.
    unsafe { tagged(pointer) }
}

/// Fails if an address is not null and so many bytes from there on are not in the device's memory.
#[inline(never)]
fn check_owner(device: Result<&Device, Code>, begin: usize, bytes: usize) -> Result<(), Code> {
    let memory = &device?.memory;
    let end = begin.checked_add(bytes);
    let inside = begin >= memory.start && end.is_some_and(|end| end <= memory.end);
    if begin == 0 || inside { Ok(()) } else { Err(Code::WrongObject) }
}

/// Returns the object at a pointer, which must be in the device's memory.
///
/// # Safety
/// See the module.
unsafe fn object<'a, O: Opaque>(
    device: Result<&Device, Code>,
    pointer: *const O,
) -> Result<&'a O::Value, Code> {
    check_owner(device, pointer.addr(), size_of::<Tagged<O::Value>>())?;
    // SAFETY: null, or in the memory that C handed over, which can be read.
    unsafe { tagged(pointer) }
}

/// Returns the mesh that C describes.
///
/// # Safety
/// See [`bytes`] for its vertices and indices.
unsafe fn mesh_data(data: &MeshData) -> Result<kit::MeshData<'static>, Code> {
    let index_count = if data.indices.is_null() { 0 } else { data.index_bytes };
    // SAFETY: the caller's promise.
    let (vertices, indices) =
        unsafe { (bytes(data.vertices, data.vertex_bytes)?, bytes(data.indices, index_count)?) };
    let index_bytes = match (index_count, data.index_size) {
        (0, _) => 1,
        (_, size) => u8::try_from(size).map_err(|_| Code::Invalid)?,
    };
    Ok(kit::MeshData { vertices, layout: data.layout.checked()?, indices, index_bytes })
}

/// Returns the texture that C describes.
///
/// # Safety
/// See [`bytes`] for its texels.
unsafe fn texture_data(data: &TextureData) -> Result<kit::TextureData<'static>, Code> {
    let &TextureData { texels, bytes: count, format, width, height, levels, palette } = data;
    if levels == 0 {
        return Err(Code::Invalid);
    }
    let format = Format::of(format)?;
    let palette = if palette == 0 { None } else { Some(Format::of(palette)?) };
    // SAFETY: the caller's promise.
    let texels = unsafe { bytes(texels, count)? };
    Ok(kit::TextureData { texels, format, width, height, levels, palette })
}

/// Returns the words of a shader.
///
/// # Safety
/// See [`slice`] for them.
unsafe fn shader_words<'a>(shader: &Shader) -> Result<&'a [u16], Code> {
    // SAFETY: the caller's promise.
    unsafe { slice(shader.words, shader.count) }
}
