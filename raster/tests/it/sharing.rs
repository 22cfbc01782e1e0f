//! Imported memory, and resource names (manual, caps `MEMOBJ` and `DMABUF`, "resource_changed",
//! "flush_resource").

use std::sync::{Arc, Mutex};

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::sharing::{Gone, SharedMemory};
use os_shim::{Box, Memory, Os, unsize_box};
use pipe_core::{
    Bind, FramebufferState, MapFlags, MemoryObjectHandle, PipeError, PrimType, Region,
    ResourceHandle, ResourceTemplate, Screen as _, SurfaceTemplate, WinsysHandle, WinsysHandleType,
};

in_all_profiles! {
    two_devices_share_memory
    memory_that_does_not_fit_or_is_gone
    a_name_is_another_handle
}

/// Memory shared by two devices.
#[derive(Clone)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn new(size: usize) -> Bytes {
        Bytes(Arc::new(Mutex::new(vec![7; size])))
    }
}

impl SharedMemory for Bytes {
    fn size(&self) -> u64 {
        self.0.lock().unwrap().len() as u64
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone> {
        let memory = self.0.lock().unwrap();
        let found = memory.get(offset as usize..offset as usize + bytes.len()).ok_or(Gone)?;
        bytes.copy_from_slice(found);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone> {
        let mut memory = self.0.lock().unwrap();
        let found = memory.get_mut(offset as usize..offset as usize + bytes.len()).ok_or(Gone)?;
        found.copy_from_slice(bytes);
        Ok(())
    }
}

fn import<'m, P: Profile>(
    screen: &gallium_raster::Screen<'m, P>,
    memory: impl SharedMemory + 'm,
) -> MemoryObjectHandle {
    let boxed: Box<'m, dyn SharedMemory + 'm> =
        unsize_box!(Box::try_new_in(memory, Memory::system()).unwrap());
    screen.memobj_create_from_handle(boxed).unwrap()
}

/// Returns the template of a picture of four by two pixels.
fn picture(bind: Bind) -> ResourceTemplate {
    ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 4, 2, bind)
}

fn texels(setup: &mut Setup<'_, '_>, resource: ResourceHandle) -> Vec<u8> {
    let region = Region::whole(4, 2, 1);
    let transfer = setup.context.transfer_map(resource, 0, MapFlags::READ, &region).unwrap();
    let bytes = setup.context.transfer_bytes(transfer.handle).unwrap().to_vec();
    setup.context.transfer_unmap(transfer.handle).unwrap();
    bytes
}

/// Draws the right half of a picture red.
fn draw_half<'m, P: Profile>(
    screen: &gallium_raster::Screen<'m, P>,
    setup: &mut Setup<'_, 'm>,
    target: ResourceHandle,
) {
    let surface = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
    let surface = setup.context.create_surface(target, &surface).unwrap();
    let state = FramebufferState::single(4, 2, surface, None);
    setup.context.set_framebuffer_state(&state).unwrap();
    let view = pipe_core::ViewportState::y_down(4, 2);
    setup.context.set_viewport_states(0, &[view]).unwrap();
    let corners = [(0.0, -1.0), (1.0, -1.0), (0.0, 1.0), (1.0, 1.0)];
    setup.upload(screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw_indexed(PrimType::Triangles, &[0, 1, 2, 2, 1, 3]).unwrap();
}

const RED_TEXEL: [u8; 4] = [255, 0, 0, 255];

fn two_devices_share_memory<P: Profile>() {
    let memory = Bytes::new(16 + 32 + 16);
    let (ours, theirs) = (screen::<P>(Os::host(), 0), screen::<Small>(Os::host(), 0));
    let mut setup = Setup::new(&ours, Options::default()).unwrap();
    let mut other = Setup::new(&theirs, Options::default()).unwrap();
    let object = import(&ours, memory.clone());
    let target = ours.resource_from_memobj(&picture(Bind::RENDER_TARGET), object, 16).unwrap();
    // The resource keeps the memory alive.
    ours.memobj_destroy(object).unwrap();
    assert_eq!(ours.memobj_destroy(object), Err(PipeError::stale(object)));
    let object = import(&theirs, memory.clone());
    let seen = theirs.resource_from_memobj(&picture(Bind::SAMPLER_VIEW), object, 16).unwrap();
    assert_eq!(texels(&mut setup, target), [7; 32], "what was there");
    assert_eq!(texels(&mut other, seen), [7; 32], "what was there");

    draw_half(&ours, &mut setup, target);
    assert_eq!(memory.0.lock().unwrap()[..], [7; 64], "nobody flushed");
    setup.context.flush_resource(target).unwrap();
    let row = [[7; 4], [7; 4], RED_TEXEL, RED_TEXEL].concat();
    let mut wanted = vec![7; 16];
    wanted.extend([row.clone(), row.clone(), vec![7; 16]].concat());
    assert_eq!(memory.0.lock().unwrap()[..], wanted, "the resource's bytes alone");

    assert_eq!(texels(&mut other, seen), [7; 32], "nobody said that it changed");
    theirs.resource_changed(seen).unwrap();
    assert_eq!(texels(&mut other, seen), [row.clone(), row].concat());
}

fn memory_that_does_not_fit_or_is_gone<P: Profile>() {
    let memory = Bytes::new(40);
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let object = import(&screen, memory.clone());
    let template = picture(Bind::SAMPLER_VIEW);
    for (offset, end) in [(9, 41), (u64::MAX, u64::MAX)] {
        let beyond = screen.resource_from_memobj(&template, object, offset);
        let what = "the resource's end in the memory";
        assert_eq!(beyond, Err(PipeError::OutOfRange { what, value: end, limit: 40 }));
    }
    let streamed = ResourceTemplate::streamed(Format::B5G6R5Unorm, 4, 2);
    let streamed = screen.resource_from_memobj(&streamed, object, 0);
    assert!(matches!(streamed, Err(PipeError::Unsupported(_))), "{streamed:?}");
    let fits = screen.resource_from_memobj(&template, object, 8).unwrap();

    memory.0.lock().unwrap().truncate(20);
    let changed = screen.resource_changed(fits);
    assert!(matches!(changed, Err(PipeError::Invalid(_))), "{changed:?}");
    let flushed = setup.context.flush_resource(fits);
    assert!(matches!(flushed, Err(PipeError::Invalid(_))), "{flushed:?}");
    assert_eq!(texels(&mut setup, fits), [7; 32], "the copy is as it was");
    screen.memobj_destroy(object).unwrap();
    let gone = screen.resource_from_memobj(&template, object, 0);
    assert_eq!(gone, Err(PipeError::stale(object)));
}

fn a_name_is_another_handle<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let template = picture(Bind::RENDER_TARGET | Bind::SAMPLER_VIEW);
    let target = screen.resource_create(&template).unwrap();
    draw_half(&screen, &mut setup, target);
    let kind = WinsysHandleType::Shared;
    let name = screen.resource_get_handle(Some(&mut *setup.context), target, kind).unwrap();
    assert_eq!((name.stride, name.offset, name.modifier), (16, 0, WinsysHandle::LINEAR));

    // The importer sees everything drawn before the export, and may ask for fewer bindings.
    let part = picture(Bind::SAMPLER_VIEW);
    let found = screen.resource_from_handle(&part, &name).unwrap();
    let row = [[0; 4], [0; 4], RED_TEXEL, RED_TEXEL].concat();
    assert_eq!(texels(&mut other, found), [row.clone(), row].concat());
    for wrong in [
        ResourceTemplate { width0: 5, ..part },
        ResourceTemplate { format: Format::B8G8R8A8Unorm, ..part },
        picture(Bind::DISPLAY_TARGET),
    ] {
        let refused = screen.resource_from_handle(&wrong, &name);
        assert!(matches!(refused, Err(PipeError::Invalid(_))), "{refused:?}");
    }

    // Each handle is destroyed, then the resource.
    screen.resource_destroy(target).unwrap();
    assert_eq!(texels(&mut other, found).len(), 32);
    screen.resource_destroy(found).unwrap();
    assert_eq!(screen.resource_destroy(found), Err(PipeError::stale(found)));
    let unknown = screen.resource_from_handle(&part, &name);
    assert!(matches!(unknown, Err(PipeError::Invalid(_))), "{unknown:?}");
    for handle in [0, u64::MAX] {
        let unknown = screen.resource_from_handle(&part, &WinsysHandle { handle, ..name });
        assert!(matches!(unknown, Err(PipeError::Invalid(_))), "{unknown:?}");
    }
}

#[test]
fn descriptors_are_refused_by_name() {
    let screen = screen::<Small>(Os::host(), 0);
    let texture = screen.resource_create(&picture(Bind::SAMPLER_VIEW)).unwrap();
    let refused = screen.resource_get_handle(None, texture, WinsysHandleType::Fd);
    assert!(matches!(refused, Err(PipeError::Unsupported(_))), "{refused:?}");
}

/// Another process writes a texel, and reads what was drawn.
#[cfg(unix)]
#[test]
fn a_process_shares_a_file() {
    use std::process::Command;
    let path = std::env::temp_dir().join(format!("gallium-shared-{}", std::process::id()));
    std::fs::write(&path, [0; 32]).unwrap();
    let run = |script: &str| {
        let ran = Command::new("sh").args(["-c", script, "sh"]).arg(&path).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        ran.stdout
    };
    let screen = screen::<Host>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    let object = import(&screen, file);
    let target = screen.resource_from_memobj(&picture(Bind::RENDER_TARGET), object, 0).unwrap();
    run("printf '\\1\\2\\3\\4' | dd of=\"$1\" bs=1 seek=4 conv=notrunc");
    screen.resource_changed(target).unwrap();
    draw_half(&screen, &mut setup, target);
    setup.context.flush_resource(target).unwrap();
    let row = |second: [u8; 4]| [[0; 4], second, RED_TEXEL, RED_TEXEL].concat();
    assert_eq!(run("cat \"$1\""), [row([1, 2, 3, 4]), row([0; 4])].concat());
    std::fs::remove_file(&path).unwrap();
}
