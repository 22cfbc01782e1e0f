//! Lets each memory request fail in turn: the call returns an error, nothing is lost, and the frame
//! draws afterwards.

use crate::common::*;
use formats::Format;
use gallium_raster::{Profile, Small, Tiny};
use os_shim::Os;
use os_shim::memory::{FailAt, Memory, Region};
use pipe_core::auxiliary::ResourcePool;
use pipe_core::{
    Bind, CompareFunc, DepthStencilAlphaState, MapFlags, PipeError, PrimType, ResourceTemplate,
    VertexBuffer,
};

fn frame<P: Profile>(os: Os<'_>) -> Result<Vec<u8>, PipeError> {
    let screen = screen::<P>(os, 4096);
    let mut setup = Setup::new(
        &screen,
        Options { width: 40, height: 33, depth: Some(Format::Z16Unorm), ..Options::default() },
    )?;
    setup.depth_test(&DepthStencilAlphaState {
        depth_enabled: true,
        depth_writemask: true,
        depth_func: CompareFunc::Less,
        ..DepthStencilAlphaState::default()
    })?;
    let scale = "FRAG
DCL IN[0], COLOR, PERSPECTIVE
DCL OUT[0], COLOR
DCL CONST[0]
MUL OUT[0], IN[0], CONST[0]
END";
    setup.shaders(PASS, scale)?;
    setup.constants(pipe_core::ShaderType::Fragment, &[1.0, 0.5, 0.25, 1.0])?;
    setup.clear(BLUE, 1.0)?;
    let vertices: Vec<Vertex> = (0..90)
        .map(|i| {
            let t = i as f32;
            vertex((t * 0.7).sin(), (t * 1.3).cos(), (t * 0.1).sin(), WHITE)
        })
        .collect();
    setup.upload(&screen, &vertices)?;
    setup.draw(PrimType::Triangles, 90)?;
    setup.pixels()
}

fn every_request_may_fail<P: Profile>() {
    let wanted = frame::<P>(Os::host()).unwrap();
    let counting = FailAt::never(Memory::system());
    frame::<P>(Os { memory: Memory::new(&counting), ..Os::host() }).unwrap();
    let requests = counting.requests();
    assert!(requests > 20, "{requests}");
    let mut bytes = vec![core::mem::MaybeUninit::uninit(); 1 << 20];
    let region = Region::new(&mut bytes);
    for nth in 0..requests {
        let failing = FailAt::new(Memory::new(&region), nth);
        let result = frame::<P>(Os { memory: Memory::new(&failing), ..Os::host() });
        assert!(
            matches!(result, Err(PipeError::OutOfMemory { .. })),
            "request {nth}: {:?}",
            result.map(|_| ())
        );
        assert_eq!(Memory::new(&region).usage().used, 0, "leak after request {nth}");
    }
    let again = frame::<P>(Os { memory: Memory::new(&region), ..Os::host() }).unwrap();
    assert_eq!(again, wanted);
}

#[test]
fn every_request_may_fail_small() {
    every_request_may_fail::<Small>();
}

#[test]
fn every_request_may_fail_tiny() {
    every_request_may_fail::<Tiny>();
}

/// A context that met an error in the middle of a frame draws the same frame afterwards.
#[test]
fn a_frame_after_an_error() {
    let vertices =
        [vertex(-1.0, -1.0, 0.0, RED), vertex(3.0, -1.0, 0.0, RED), vertex(-1.0, 3.0, 0.0, RED)];
    let draw = |setup: &mut Setup<'_, '_>| {
        setup.clear(BLACK, 1.0)?;
        setup.draw(PrimType::Triangles, 3)?;
        setup.pixels()
    };
    let mut recovered = 0;
    for nth in 0.. {
        let failing = FailAt::new(Memory::system(), nth);
        let screen = screen::<Small>(Os { memory: Memory::new(&failing), ..Os::host() }, 4096);
        let Ok(mut setup) = Setup::new(&screen, Options::default()) else { continue };
        if setup.upload(&screen, &vertices).is_err() {
            continue;
        }
        let first = draw(&mut setup);
        let pixels = match first {
            Ok(pixels) => pixels,
            Err(error) => {
                assert!(matches!(error, PipeError::OutOfMemory { .. }), "{error:?}");
                recovered += 1;
                draw(&mut setup).unwrap()
            }
        };
        assert!(pixels.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]), "{nth}");
        if !failing.failed() {
            break;
        }
    }
    assert!(recovered > 3, "{recovered}");
}

/// A frame like the last one requests no memory while it draws.
#[test]
fn drawing_again_allocates_nothing() {
    let counting = FailAt::never(Memory::system());
    let screen = screen::<Small>(Os { memory: Memory::new(&counting), ..Os::host() }, 4096);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let vertices =
        [vertex(-1.0, -1.0, 0.0, RED), vertex(3.0, -1.0, 0.0, RED), vertex(-1.0, 3.0, 0.0, RED)];
    setup.upload(&screen, &vertices).unwrap();
    let mut drawn = Vec::new();
    for _ in 0..3 {
        setup.clear(BLACK, 1.0).unwrap();
        let before = counting.requests();
        setup.draw(PrimType::Triangles, 3).unwrap();
        drawn.push(counting.requests() - before);
        setup.context.flush(Default::default()).unwrap();
    }
    assert_eq!(drawn[1..], [0, 0]);
}

/// A frontend that makes one buffer per frame requests nothing from the heap, once its pool has
/// one.
#[test]
fn a_pool_of_buffers_serves_frames_without_the_heap() {
    let counting = FailAt::never(Memory::system());
    let screen = screen::<Small>(Os { memory: Memory::new(&counting), ..Os::host() }, 4096);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut pool = ResourcePool::new(1 << 16, Memory::new(&counting));
    let mut asked = Vec::new();
    for frame in 0..1_000 {
        let before = counting.requests();
        let color = if frame % 2 == 0 { RED } else { BLUE };
        let vertices =
            [(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| vertex(x, y, 0.0, color));
        let bytes: &[u8] = bytemuck::cast_slice(&vertices);
        let template = ResourceTemplate::buffer(bytes.len() as u32, Bind::VERTEX_BUFFER);
        let resource = pool.acquire(&screen, &template).unwrap();
        let flags = MapFlags::WRITE | MapFlags::DISCARD_WHOLE_RESOURCE;
        setup.context.buffer_subdata(resource, flags, 0, bytes).unwrap();
        let stride = size_of::<Vertex>() as u32;
        let buffer = VertexBuffer { resource, stride, buffer_offset: 0 };
        setup.context.set_vertex_buffers(0, &[Some(buffer)]).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        setup.context.flush(Default::default()).unwrap();
        pool.release(&screen, resource, None).unwrap();
        asked.push(counting.requests() - before);
    }
    assert!(asked[0] > 0);
    assert!(asked[2..].iter().all(|requests| *requests == 0), "{:?}", &asked[..8]);
    assert!(setup.pixels().unwrap().chunks(4).all(|pixel| pixel == [0, 0, 255, 255]));
    pool.clear(&screen).unwrap();
}
