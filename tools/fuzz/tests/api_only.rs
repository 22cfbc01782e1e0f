//! Attacks by what only the API has: sparse resources, bindless handles, global memory, persistent maps,
//! memory objects, fences. Each is refused within the quota, or ends when the budget does; the control
//! picture stays, and nothing is left behind.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use gallium_fuzz::api;
use os_shim::budget::{Stopped, WorkBudget};
use os_shim::memory::Quota;
use os_shim::sharing::{Event, ExternalFence, Gone, SharedMemory};
use os_shim::{Memory, Os, System, unsize_box};
use pipe_core::context::Context;
use pipe_core::wrap::CheckScreen;
use pipe_core::*;
use raster::{Config, Host};

const QUOTA: usize = 32 << 20;
const MANY: usize = 20_000;

type Attack = fn(&dyn Screen<'_>, &mut dyn Context<'_>, &WorkBudget);

/// Runs an attack on a driver, and on the same driver behind `CheckScreen`.
fn survives(attack: Attack) {
    for is_checked in [false, true] {
        let system = System::new();
        let quota = Quota::new(Memory::new(&system), QUOTA);
        let work = WorkBudget::new();
        work.grant(u64::MAX);
        let os = Os { memory: Memory::new(&quota), ..Os::host() };
        {
            let bare = raster::Screen::<Host>::with_budget(os, Config::default(), &work);
            let check = CheckScreen::new(&bare, os.memory);
            let screen: &dyn Screen<'_> = if is_checked { &check } else { &bare };
            let before = api::control_picture(screen, 24).expect("a picture");
            let mut context = screen.context_create(ContextFlags::empty()).expect("a context");
            attack(screen, &mut *context, &work);
            drop(context);
            work.renew();
            work.grant(u64::MAX);
            assert!(api::control_picture(screen, 24).expect("a picture") == before);
        }
        assert_eq!(system.usage().used, 0, "memory is left behind");
        assert!(system.usage().peak <= QUOTA);
    }
}

fn picture(side: u32, bind: Bind) -> ResourceTemplate {
    ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, side, side, bind)
}

/// Makes objects until one is refused; returns how many there were.
fn until_refused<T>(mut make: impl FnMut() -> Result<T, PipeError>) -> (Vec<T>, PipeError) {
    let mut made = Vec::new();
    loop {
        match make() {
            Ok(one) => made.push(one),
            Err(error) => return (made, error),
        }
        assert!(made.len() < 1 << 24, "without an end");
    }
}

#[test]
fn pages_of_sparse_resources_end_at_the_quota() {
    survives(|screen, context, _| {
        let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
        let sparse = |template| ResourceTemplate { flags: ResourceFlags::SPARSE, ..template };
        let texture = screen.resource_create(&sparse(picture(4096, bind)));
        let buffer =
            screen.resource_create(&sparse(ResourceTemplate::buffer(1 << 30, Bind::SHADER_BUFFER)));
        let made = [texture, buffer].into_iter().filter_map(Result::ok);
        for resource in made {
            let template = screen.resource_template(resource).expect("it lives");
            let page = if template.is_buffer() { [1 << 16, 1] } else { [128, 128] };
            let mut place = 0;
            let (_, error) = until_refused(|| {
                place += 1;
                let across = (template.width0 / page[0]).max(1);
                let (x, y) = ((place % across) * page[0], place / across * page[1]);
                let region = Region::rect(x, y, page[0], page[1]);
                context.resource_commit(resource, 0, &region, true)
            });
            assert!(!matches!(error, PipeError::Stopped(_)), "{error}");
            // Boxes of no page, beyond the end, and turned round.
            for region in [
                Region::rect(1, 0, page[0], page[1]),
                Region::rect(u32::MAX, 0, page[0], page[1]),
                Region { width: i32::MIN, ..Region::rect(0, 0, page[0], page[1]) },
                Region { x: i32::MAX, width: i32::MAX, ..Region::rect(0, 0, 1, 1) },
            ] {
                assert!(context.resource_commit(resource, 0, &region, true).is_err(), "{region:?}");
            }
            assert!(
                context
                    .resource_commit(resource, u32::MAX, &Region::rect(0, 0, 1, 1), true)
                    .is_err()
            );
            screen.resource_destroy(resource).expect("it lives");
            let region = Region::rect(0, 0, page[0], page[1]);
            assert!(context.resource_commit(resource, 0, &region, true).is_err(), "it is gone");
        }
    });
}

#[test]
fn bindless_handles_end_at_the_quota_and_name_nothing_when_they_are_deleted() {
    survives(|screen, context, _| {
        let bind = Bind::SAMPLER_VIEW | Bind::SHADER_IMAGE;
        let texture = screen.resource_create(&picture(16, bind)).expect("a texture");
        let template = SamplerViewTemplate::whole(&picture(16, bind));
        let view = context.create_sampler_view(texture, &template).expect("a view");
        let sampler = context.create_sampler_state(&SamplerState::default()).expect("a sampler");
        let mut left = MANY;
        let (handles, _) = until_refused(|| {
            left = left.checked_sub(1).ok_or(PipeError::Invalid("enough"))?;
            context.create_texture_handle(view, sampler)
        });
        for handle in &handles {
            context.make_texture_handle_resident(*handle, true).expect("a handle");
        }
        screen.resource_destroy(texture).expect("it lives");
        for handle in handles {
            let _ = context.delete_texture_handle(handle);
            assert!(context.make_texture_handle_resident(handle, true).is_err(), "it is deleted");
        }
        for handle in [0, 1, u64::from(u32::MAX), u64::MAX, 1 << 63] {
            assert!(context.make_texture_handle_resident(handle, true).is_err());
            assert!(context.make_image_handle_resident(handle, ImageAccess::READ, true).is_err());
        }
    });
}

#[test]
fn bindings_to_global_memory_are_bounded() {
    survives(|screen, context, _| {
        let buffer = |_| screen.resource_create(&ResourceTemplate::buffer(64, Bind::SHADER_BUFFER));
        let buffers: Vec<_> = (0..64).filter_map(|index| buffer(index).ok()).map(Some).collect();
        for first in [0, 1, 31, 63, 1 << 31, usize::MAX] {
            for offset in [0, 3, 1 << 32, u64::MAX] {
                let mut addresses = vec![offset; buffers.len()];
                let _ = context.set_global_binding(first, &buffers, &mut addresses);
            }
        }
        for buffer in buffers.into_iter().flatten() {
            screen.resource_destroy(buffer).expect("it lives");
        }
        let _ = context.set_global_binding(0, &[None; 32], &mut [0; 32]);
    });
}

#[test]
fn a_persistent_map_of_a_buffer_that_is_destroyed_is_memory_still() {
    survives(|screen, context, _| {
        let mut template = ResourceTemplate::buffer(4096, Bind::VERTEX_BUFFER);
        template.flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
        let usage = MapFlags::PERSISTENT | MapFlags::COHERENT | MapFlags::WRITE;
        let buffer = screen.resource_create(&template).expect("a buffer");
        let region = Region::bytes(0, 4096);
        let mut left = 5_000;
        let (maps, _) = until_refused(|| {
            left -= 1;
            if left == 0 {
                Err(PipeError::Invalid("enough"))
            } else {
                context.transfer_map(buffer, 0, usage, &region)
            }
        });
        screen.resource_destroy(buffer).expect("it lives");
        for map in maps {
            if let Ok(bytes) = context.transfer_bytes(map.handle) {
                bytes.fill(0xaa);
            }
            let _ = context.transfer_unmap(map.handle);
            assert!(context.transfer_bytes(map.handle).is_err(), "it is unmapped");
        }
    });
}

/// Imported memory that is smaller than it says, and goes.
struct Liar(AtomicBool);

impl SharedMemory for Liar {
    fn size(&self) -> u64 {
        u64::MAX
    }

    fn read_at(&self, _: u64, bytes: &mut [u8]) -> Result<(), Gone> {
        bytes.fill(7);
        if self.0.swap(true, SeqCst) { Err(Gone) } else { Ok(()) }
    }

    fn write_at(&self, _: u64, _: &[u8]) -> Result<(), Gone> {
        Err(Gone)
    }
}

#[test]
fn memory_of_others_may_lie_and_go() {
    survives(|screen, context, _| {
        let mut objects = Vec::new();
        for _ in 0..100 {
            let liar = os_shim::Box::try_new_in(Liar(AtomicBool::new(false)), Memory::system());
            let liar: os_shim::Box<'_, dyn SharedMemory> = unsize_box!(liar.expect("memory"));
            objects.push(screen.memobj_create_from_handle(liar).expect("an object"));
        }
        for (memory, offset) in
            objects.iter().zip([0, 64, 1 << 40, u64::MAX - 63, u64::MAX].into_iter().cycle())
        {
            let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
            let Ok(resource) = screen.resource_from_memobj(&picture(16, bind), *memory, offset)
            else {
                continue;
            };
            assert!(screen.resource_changed(resource).is_err(), "the memory is gone");
            let _ = context.flush_resource(resource);
            screen.resource_destroy(resource).expect("it lives");
        }
        for memory in objects {
            screen.memobj_destroy(memory).expect("it lives");
            assert!(screen.memobj_destroy(memory).is_err());
        }
    });
}

#[test]
fn fences_end_at_the_quota_and_waits_at_the_budget() {
    survives(|screen, context, work| {
        let mut left = MANY;
        let (fences, _) = until_refused(|| {
            left = left.checked_sub(1).ok_or(PipeError::Invalid("enough"))?;
            context.flush(FlushFlags::DEFERRED)
        });
        for fence in fences.into_iter().flatten() {
            let _ = screen.fence_destroy(fence);
        }
        // Nothing signals this fence.
        let event = os_shim::Box::try_new_in(Event::new(), Memory::system()).expect("memory");
        let event: os_shim::Box<'_, dyn ExternalFence> = unsize_box!(event);
        let fence = screen.create_fence_fd(event, FenceFdType::Syncobj).expect("a fence");
        assert_eq!(screen.fence_finish(None, fence, 1_000_000), Ok(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                work.cancel();
            });
            let start = Instant::now();
            let waited = context.fence_server_sync(fence);
            assert_eq!(waited, Err(PipeError::Stopped(Stopped::Cancelled)));
            assert!(start.elapsed() < Duration::from_secs(20));
        });
        let _ = screen.fence_destroy(fence);
    });
}
