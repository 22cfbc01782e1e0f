//! The driver in memory of C.

use core::cell::{Cell, RefCell};
use core::ffi::c_void;
use core::mem::MaybeUninit;

use super::{check_span, device, place};
use crate::error::{Code, Fault};
use crate::object::{Device, Gallium, Raster, hand_over};

/// Creates a driver in `bytes` bytes of memory, of any alignment; `scene_bytes` of them are the
/// buffer for the triangles of one picture. Nothing else may use the memory as long as the driver
/// is used.
///
/// Call it with the same memory again to begin from the start: then the older objects are gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_create(
    memory: *mut c_void,
    bytes: usize,
    scene_bytes: usize,
    gallium: *mut *mut Gallium,
) -> Code {
    let create = || -> Result<(), Fault> {
        // SAFETY: null or a place for the result.
        let place = unsafe { place(gallium)? };
        check_span(memory, bytes)?;
        let range = memory.addr()..memory.addr().saturating_add(bytes);
        // SAFETY: not null and within the address space; C hands over the memory for good, or until
        // it no longer uses what this call makes.
        let heap =
            unsafe { core::slice::from_raw_parts_mut(memory.cast::<MaybeUninit<u8>>(), bytes) };
        let raster = Raster::new(heap, scene_bytes)?;
        let memory = raster.memory;
        let device = Device { memory: range, raster: RefCell::new(raster), last: Cell::new(None) };
        Ok(hand_over(memory, device, place)?)
    };
    match create() {
        Ok(()) => Code::None,
        Err(fault) => fault.code,
    }
}

/// Writes the largest number of bytes of the memory that were in use at one time: the number that
/// `gallium_create` needs for this program, with a few hundred bytes for gaps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_memory_peak(gallium: *const Gallium, peak: *mut usize) -> Code {
    // SAFETY: null or valid, as the header demands.
    let (device, peak) = unsafe { (device(gallium), place(peak)) };
    crate::object::answer(device, |raster| {
        peak?.write(raster.memory.usage().peak);
        Ok(())
    })
}
