//! Maps that do not wait, and maps that stay while the resource is used (manual, "PIPE_MAP").

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    BarrierFlags, Bind, Cap, FlushFlags, MapFlags, PipeError, PrimType, Region, ResourceFlags,
    ResourceHandle, ResourceTemplate, SamplerViewTemplate, Screen as _, ShaderType, VertexBuffer,
};

in_all_profiles! {
    draws_see_what_the_cpu_wrote_to_a_coherent_map
    the_cpu_sees_what_commands_wrote
    bytes_that_the_cpu_left_alone_stay
    persistent_maps_flush_what_they_are_told_to
    an_unsynchronized_map_waits_for_nothing
}

const COHERENT: MapFlags = MapFlags::PERSISTENT.union(MapFlags::COHERENT);

/// A buffer that may be mapped while it is used.
fn shared<P: Profile>(screen: &gallium_raster::Screen<'_, P>, size: u32) -> ResourceHandle {
    assert_eq!(screen.get_param(Cap::BufferMapPersistentCoherent), 1);
    let flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
    let template =
        ResourceTemplate { flags, ..ResourceTemplate::buffer(size, Bind::VERTEX_BUFFER) };
    screen.resource_create(&template).unwrap()
}

fn draws_see_what_the_cpu_wrote_to_a_coherent_map<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = shared(&screen, 96);
    let binding = VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 };
    setup.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
    let usage = MapFlags::WRITE | COHERENT;
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(0, 96)).unwrap();
    // One map, two frames: each draw has the vertices that were there when it came.
    for (color, letter) in [(RED, "r"), (GREEN, "g")] {
        let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let corners = corners.map(|(x, y)| vertex(x, y, 0.0, color));
        let bytes = setup.context.transfer_bytes(map.handle).unwrap();
        bytes.copy_from_slice(bytemuck::cast_slice(&corners));
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_eq!(setup.text(), vec![letter.repeat(16); 16]);
    }
    setup.context.transfer_unmap(map.handle).unwrap();
}

fn the_cpu_sees_what_commands_wrote<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = shared(&screen, 8);
    let usage = MapFlags::READ | MapFlags::WRITE | COHERENT;
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(0, 8)).unwrap();
    setup.context.clear_buffer(buffer, 0, 8, &[3]).unwrap();
    assert_eq!(setup.context.transfer_bytes(map.handle).unwrap(), [3; 8]);
    // Each writes the same byte in turn; the last wins, also with the value that was there before.
    setup.context.transfer_bytes(map.handle).unwrap()[1] = 5;
    setup.context.clear_buffer(buffer, 0, 2, &[0]).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap()[1] = 5;
    assert_eq!(setup.bytes(buffer, 8), [0, 5, 3, 3, 3, 3, 3, 3]);
    // Without COHERENT, a barrier hands the bytes over.
    setup.context.transfer_unmap(map.handle).unwrap();
    let usage = MapFlags::WRITE | MapFlags::PERSISTENT;
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(4, 4)).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(9);
    setup.context.memory_barrier(BarrierFlags::MAPPED_BUFFER);
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    assert_eq!(other.bytes(buffer, 8), [0, 5, 3, 3, 9, 9, 9, 9]);
    setup.context.transfer_bytes(map.handle).unwrap().fill(1);
    setup.context.transfer_unmap(map.handle).unwrap();
    assert_eq!(other.bytes(buffer, 8), [0, 5, 3, 3, 1, 1, 1, 1]);
}

/// Two contexts share a buffer: what one does not write stays as the other wrote it.
fn bytes_that_the_cpu_left_alone_stay<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let buffer = shared(&screen, 4);
    let usage = MapFlags::WRITE | COHERENT;
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(0, 4)).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap()[0] = 1;
    other.context.buffer_subdata(buffer, MapFlags::WRITE, 2, &[2]).unwrap();
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert_eq!(other.bytes(buffer, 4), [1, 0, 2, 0]);
    setup.context.transfer_unmap(map.handle).unwrap();
}

fn persistent_maps_flush_what_they_are_told_to<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let buffer = shared(&screen, 4);
    let usage = MapFlags::WRITE | MapFlags::PERSISTENT | MapFlags::FLUSH_EXPLICIT;
    let map = setup.context.transfer_map(buffer, 0, usage, &Region::bytes(0, 4)).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap().fill(7);
    setup.context.flush(FlushFlags::empty()).unwrap();
    assert_eq!(setup.bytes(buffer, 4), [0; 4]);
    setup.context.transfer_flush_region(map.handle, &Region::bytes(1, 2)).unwrap();
    assert_eq!(setup.bytes(buffer, 4), [0, 7, 7, 0]);
    setup.context.transfer_unmap(map.handle).unwrap();
    assert_eq!(setup.bytes(buffer, 4), [0, 7, 7, 0]);
    // The resource's flags must allow such maps.
    let plain = screen.resource_create(&ResourceTemplate::buffer(4, Bind::VERTEX_BUFFER)).unwrap();
    let whole = Region::bytes(0, 4);
    let refused = setup.context.transfer_map(plain, 0, usage, &whole);
    assert!(matches!(refused, Err(PipeError::Invalid(_))), "{refused:?}");
}

/// A draw that samples a texture waits in the scene; a map of the texture that must not block says so,
/// unless it does not synchronize.
fn an_unsynchronized_map_waits_for_nothing<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let format = Format::R8G8B8A8Unorm;
    let template = ResourceTemplate::texture_2d(format, 2, 2, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &[255; 16]).unwrap();
    setup.shaders(PASS, TEXEL).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(ShaderType::Fragment, image, &view, &nearest()).unwrap();
    let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
    setup.upload(&screen, &corners.map(|(x, y)| vertex(x, y, 0.0, RED))).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    let place = Region::whole(2, 2, 1);
    let write = MapFlags::WRITE | MapFlags::DISCARD_RANGE | MapFlags::DONTBLOCK;
    for _ in 0..2 {
        // It is not drawn yet, and still is not after the other map.
        let blocked = setup.context.transfer_map(image, 0, write, &place);
        assert_eq!(blocked, Err(PipeError::NotReady));
        let usage = write | MapFlags::UNSYNCHRONIZED;
        let map = setup.context.transfer_map(image, 0, usage, &place).unwrap();
        setup.context.transfer_bytes(map.handle).unwrap().fill(255);
        setup.context.transfer_unmap(map.handle).unwrap();
        setup.context.texture_subdata(image, 0, usage, &place, &[255; 16], 8, 16).unwrap();
    }
    setup.context.flush(FlushFlags::empty()).unwrap();
    let map = setup.context.transfer_map(image, 0, write, &place).expect("all is drawn");
    setup.context.transfer_unmap(map.handle).unwrap();
    assert_eq!(setup.text(), vec!["w".repeat(16); 16]);
}
