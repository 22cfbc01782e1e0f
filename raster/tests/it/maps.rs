//! Maps that do not wait, and maps that persist while the resource is used (manual, "PIPE_MAP").

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
    a_direct_map_is_the_resource
    maps_of_parts_of_one_buffer
    other_contexts_do_not_wait_for_a_cpu
    a_context_gives_back_what_its_cpu_had
    what_cannot_be_mapped_directly_is_refused
}

const COHERENT: MapFlags = MapFlags::PERSISTENT.union(MapFlags::COHERENT);

/// Makes a buffer that may be mapped while it is used.
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
    // One map, two frames: each draw has the vertices of its time.
    for (color, letter) in [(RED, "r"), (GREEN, "g")] {
        let corners = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)];
        let corners = corners.map(|(x, y)| vertex(x, y, 0.0, color));
        let bytes = setup.context.transfer_bytes(map.handle).unwrap();
        bytes.copy_from_slice(bytemuck::cast_slice(&corners));
        setup.draw(PrimType::Triangles, 3).unwrap();
        assert_picture!(setup.text(), vec![letter.repeat(16); 16]);
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
    // The map and a command write the same byte in turn. The last write wins, even if it repeats an
    // earlier value.
    setup.context.transfer_bytes(map.handle).unwrap()[1] = 5;
    setup.context.clear_buffer(buffer, 0, 2, &[0]).unwrap();
    setup.context.transfer_bytes(map.handle).unwrap()[1] = 5;
    assert_eq!(setup.bytes(buffer, 8), [0, 5, 3, 3, 3, 3, 3, 3]);
    // Without COHERENT, a barrier makes the bytes visible.
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

/// Two contexts share a buffer. Bytes that one context does not write keep the other's value.
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
    // Only resources with the flags for it may be mapped so.
    let plain = screen.resource_create(&ResourceTemplate::buffer(4, Bind::VERTEX_BUFFER)).unwrap();
    let whole = Region::bytes(0, 4);
    let refused = setup.context.transfer_map(plain, 0, usage, &whole);
    assert!(matches!(refused, Err(PipeError::Invalid(_))), "{refused:?}");
}

/// A draw that samples a texture waits in the scene. A map of the texture that must not block
/// returns an error, unless it does not synchronize.
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
        // The texture's draw is still pending, also after the other map.
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
    assert_picture!(setup.text(), vec!["w".repeat(16); 16]);
}

fn a_direct_map_is_the_resource<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let texels: Vec<u8> = (0..=255).collect();
    let template = ResourceTemplate::texture_2d(Format::R8Unorm, 16, 16, Bind::SAMPLER_VIEW);
    let image = setup.image(&screen, &template, &texels).unwrap();
    let usage = MapFlags::READ | MapFlags::WRITE | MapFlags::DIRECTLY;
    let place = Region::rect(3, 2, 5, 4);
    let map = setup.context.transfer_map(image, 0, usage, &place).unwrap();
    // Rows of the resource, from the box's first texel to its last.
    assert_eq!(map.stride, 16);
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    assert_eq!(bytes.len(), 3 * 16 + 5);
    assert_eq!((bytes[0], bytes[16 + 4], bytes[3 * 16 + 4]), (35, 55, 87));
    bytes[16] = 1;
    // Another call of the context reads the map's writes, and the map shows that call's writes.
    let row = Region::rect(3, 4, 2, 1);
    setup.context.texture_subdata(image, 0, MapFlags::WRITE, &row, &[2, 3], 2, 2).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    assert_eq!([bytes[16], bytes[32], bytes[33]], [1, 2, 3]);
    setup.context.transfer_unmap(map.handle).unwrap();
    let mut wanted = texels;
    (wanted[3 * 16 + 3], wanted[4 * 16 + 3], wanted[4 * 16 + 4]) = (1, 2, 3);
    assert_eq!(setup.read(image).unwrap(), wanted);
    // Mapping a resource first finishes the draws to it.
    setup.clear(GREEN, 1.0).unwrap();
    let (color, usage) = (setup.color, MapFlags::READ | MapFlags::DIRECTLY);
    let whole = Region::whole(16, 16, 1);
    let map = setup.context.transfer_map(color, 0, usage, &whole).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    assert!(bytes.chunks(4).all(|pixel| pixel == [0, 255, 0, 255]));
    // A draw during the map takes the memory back.
    setup.clear(RED, 1.0).unwrap();
    let bytes = setup.context.transfer_bytes(map.handle).unwrap();
    assert!(bytes.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
    setup.context.transfer_unmap(map.handle).unwrap();
}

fn maps_of_parts_of_one_buffer<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::buffer(64, Bind::VERTEX_BUFFER);
    for (first, second) in [
        (MapFlags::empty(), MapFlags::empty()),
        (MapFlags::DIRECTLY, MapFlags::FLUSH_EXPLICIT),
        (MapFlags::DISCARD_RANGE, MapFlags::DIRECTLY | MapFlags::UNSYNCHRONIZED),
    ] {
        let buffer = screen.resource_create(&template).unwrap();
        let write = MapFlags::WRITE;
        let one = Region::bytes(8, 16);
        let one = setup.context.transfer_map(buffer, 0, write | first, &one).unwrap();
        let two = Region::bytes(30, 4);
        let two = setup.context.transfer_map(buffer, 0, write | second, &two).unwrap();
        setup.context.transfer_bytes(one.handle).unwrap().fill(1);
        setup.context.transfer_bytes(two.handle).unwrap().fill(2);
        if second.contains(MapFlags::FLUSH_EXPLICIT) {
            let all = Region::bytes(0, 4);
            setup.context.transfer_flush_region(two.handle, &all).unwrap();
        }
        setup.context.transfer_bytes(one.handle).unwrap()[15] = 3;
        setup.context.transfer_unmap(one.handle).unwrap();
        setup.context.transfer_unmap(two.handle).unwrap();
        let mut wanted = vec![0; 64];
        wanted[8..23].fill(1);
        wanted[23] = 3;
        wanted[30..34].fill(2);
        assert_eq!(setup.bytes(buffer, 64), wanted);
    }
}

fn other_contexts_do_not_wait_for_a_cpu<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut one = Setup::new(&screen, Options::default()).unwrap();
    let mut two = Setup::new(&screen, Options::default()).unwrap();
    let buffer =
        screen.resource_create(&ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER)).unwrap();
    let all = Region::bytes(0, 16);
    let usage = MapFlags::WRITE | MapFlags::DIRECTLY;
    let map = one.context.transfer_map(buffer, 0, usage, &all).unwrap();
    one.context.transfer_bytes(map.handle).unwrap().fill(7);
    let written = two.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &[1]);
    assert!(matches!(written, Err(PipeError::Busy(_))), "{written:?}");
    let cleared = two.context.clear_buffer(buffer, 0, 4, &[1]);
    assert!(matches!(cleared, Err(PipeError::Busy(_))), "{cleared:?}");
    let read = two.context.transfer_map(buffer, 0, MapFlags::READ, &all);
    assert!(matches!(read, Err(PipeError::Busy(_))), "{read:?}");
    let binding = VertexBuffer { resource: buffer, stride: 32, buffer_offset: 0 };
    two.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
    let drawn = two.draw(PrimType::Triangles, 3);
    assert!(matches!(drawn, Err(PipeError::Busy(_))), "{drawn:?}");
    // The context's next call takes the memory back; the map stays.
    one.context.flush(FlushFlags::empty()).unwrap();
    two.context.buffer_subdata(buffer, MapFlags::WRITE, 0, &[1]).unwrap();
    one.context.transfer_bytes(map.handle).unwrap()[1] = 2;
    one.context.transfer_unmap(map.handle).unwrap();
    let mut wanted = [7; 16];
    (wanted[0], wanted[1]) = (1, 2);
    assert_eq!(two.bytes(buffer, 16), wanted);
}

fn a_context_gives_back_what_its_cpu_had<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut one = Setup::new(&screen, Options::default()).unwrap();
    let mut two = Setup::new(&screen, Options::default()).unwrap();
    let buffer =
        screen.resource_create(&ResourceTemplate::buffer(16, Bind::VERTEX_BUFFER)).unwrap();
    let usage = MapFlags::WRITE | MapFlags::DIRECTLY;
    let map = one.context.transfer_map(buffer, 0, usage, &Region::bytes(4, 4)).unwrap();
    one.context.transfer_bytes(map.handle).unwrap().fill(7);
    drop(one);
    assert_eq!(two.bytes(buffer, 16), [0, 0, 0, 0, 7, 7, 7, 7, 0, 0, 0, 0, 0, 0, 0, 0]);
}

fn what_cannot_be_mapped_directly_is_refused<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let whole = Region::whole(4, 4, 1);
    let template = ResourceTemplate::texture_2d(Format::R8Unorm, 4, 4, Bind::SAMPLER_VIEW);
    let mut refused = |resource, usage| {
        let map = setup.context.transfer_map(resource, 0, usage | MapFlags::DIRECTLY, &whole);
        assert!(matches!(map, Err(PipeError::Unsupported(_))), "{map:?}");
    };
    let flash = screen.resource_from_user_memory(&template, &[5; 16]).unwrap();
    refused(flash, MapFlags::READ);
    #[cfg(feature = "samples")]
    {
        let several = ResourceTemplate { nr_samples: 4, ..template };
        refused(screen.resource_create(&several).unwrap(), MapFlags::READ);
    }
    let flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
    let shared = screen.resource_create(&ResourceTemplate { flags, ..template }).unwrap();
    refused(shared, MapFlags::READ | MapFlags::PERSISTENT);
    let streamed = ResourceTemplate::streamed(Format::R8G8B8A8Unorm, 4, 4);
    refused(screen.resource_create(&streamed).unwrap(), MapFlags::READ);
    let map = setup.context.transfer_map(flash, 0, MapFlags::READ, &whole).unwrap();
    assert_eq!(setup.context.transfer_bytes(map.handle).unwrap(), [5; 16]);
    setup.context.transfer_unmap(map.handle).unwrap();
}

/// A map of an unused resource allocates no copy of it.
#[test]
fn maps_of_linear_memory_allocate_no_copy() {
    let counting = os_shim::memory::FailAt::never(os_shim::Memory::system());
    let memory = os_shim::Memory::new(&counting);
    let screen = screen::<Small>(Os { memory, ..Os::host() }, 4096);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::buffer(1 << 22, Bind::VERTEX_BUFFER);
    let buffer = screen.resource_create(&template).unwrap();
    let all = Region::bytes(0, 1 << 22);
    let mut round = |value| {
        let map = setup.context.transfer_map(buffer, 0, MapFlags::WRITE, &all).unwrap();
        setup.context.transfer_bytes(map.handle).unwrap()[1 << 21] = value;
        setup.context.transfer_unmap(map.handle).unwrap();
    };
    // The table of transfers grows only once.
    round(1);
    let before = counting.requests();
    round(2);
    assert_eq!(counting.requests(), before);
    assert_eq!(setup.bytes(buffer, 1 << 22)[1 << 21], 2);
}
