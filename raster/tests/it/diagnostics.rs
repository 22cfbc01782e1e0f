//! Messages of the driver to developers.

use core::mem::MaybeUninit;
use std::sync::Mutex;

use crate::common::*;
use gallium_raster::{Host, Small, Tiny};
use os_shim::{Memory, Os, Region};
use pipe_core::diagnostics::{DebugCallback, DebugType};
use pipe_core::{Bind, Cap, PipeError, PrimType, ResourceTemplate, Screen as _};

static TOLD: Mutex<Vec<(usize, DebugType, String)>> = Mutex::new(Vec::new());

#[test]
fn errors_shaders_and_markers_reach_the_callback() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let call = |data: usize, kind: DebugType, message: core::fmt::Arguments<'_>| {
        TOLD.lock().unwrap().push((data, kind, message.to_string()));
    };
    setup.context.set_debug_callback(Some(DebugCallback { call, data: 7 }));
    setup.shaders(PASS, COLOR).unwrap();
    setup.context.emit_string_marker("the sky");
    setup.context.bind_vs_state(None).unwrap();
    assert!(matches!(setup.draw(PrimType::Triangles, 3), Err(PipeError::Unbound(_))));
    setup.context.set_debug_callback(None);
    setup.context.emit_string_marker("unheard");
    let told = core::mem::take(&mut *TOLD.lock().unwrap());
    assert!(told.iter().all(|(data, ..)| *data == 7));
    let kinds: Vec<_> = told.iter().map(|(_, kind, _)| *kind).collect();
    use DebugType::*;
    assert_eq!(kinds, [ShaderInfo, ShaderInfo, Info, Error]);
    assert!(told[0].2.starts_with("Vertex shader: "), "{told:?}");
    assert!(told[1].2.starts_with("Fragment shader: "), "{told:?}");
    assert_eq!(told[2].2, "marker: the sky");
    assert_eq!(told[3].2, "not bound: vertex shader");
}

#[test]
fn a_dump_names_what_is_bound_and_waits() {
    let screen = screen::<Small>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::StringMarker), 1);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    setup.context.emit_string_marker(&"long ".repeat(40));
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let mut text = String::new();
    setup.context.dump_debug_state(&mut text).unwrap();
    for wanted in [
        "device: gallium raster (small)",
        "framebuffer: 16x16, 1 samples",
        "attachment 0: R8G8B8A8_UNORM",
        "Vertex program: ",
        "Fragment program: ",
        "scene: 1 states",
        "markers: 1, the last \"long ",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in\n{text}");
    }
    assert!(text.lines().all(|line| line.len() < 100), "{text}");
}

#[test]
fn memory_that_has_a_bound_is_told() {
    let unbounded = screen::<Small>(Os::host(), 0);
    assert_eq!(unbounded.query_memory_info(), None);
    let mut bytes = vec![MaybeUninit::uninit(); 256 * 1024];
    let region = Region::new(&mut bytes);
    let screen = screen::<Small>(Os::bare(Memory::new(&region)), 0);
    let before = screen.query_memory_info().unwrap();
    assert_eq!(before.total_device_memory, 256);
    let template = ResourceTemplate::buffer(64 * 1024, Bind::VERTEX_BUFFER);
    screen.resource_create(&template).unwrap();
    let after = screen.query_memory_info().unwrap();
    let taken = before.avail_device_memory - after.avail_device_memory;
    assert!((64..70).contains(&taken), "{taken} KiB");
}

#[test]
fn devices_that_draw_alike_have_one_uuid() {
    let small = [(); 2].map(|()| screen::<Small>(Os::host(), 0).get_device_uuid());
    assert_eq!(small[0], small[1]);
    let (tiny, host) = (screen::<Tiny>(Os::host(), 0), screen::<Host>(Os::host(), 0));
    assert_ne!(small[0], tiny.get_device_uuid());
    assert_ne!(small[0], tiny.get_driver_uuid());
    assert_eq!(tiny.get_driver_uuid(), host.get_driver_uuid());
}
