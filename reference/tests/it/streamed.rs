//! Streamed surfaces: a picture is presented, and then its contents are gone.

use pipe_core::Screen as _;
use pipe_core::*;

use crate::bench::{Bench, SIZE, WHITE, screen, vertex};

/// A panel that assembles the picture from its tiles.
#[derive(Default)]
struct Picture {
    size: (u32, u32),
    bytes: Vec<u8>,
    finished: bool,
}

impl TilePanel for Picture {
    fn begin(&mut self, width: u32, height: u32) -> Result<(), PanelError> {
        *self = Picture { size: (width, height), bytes: vec![9; 16], finished: false };
        Ok(())
    }

    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride: usize,
    ) -> Result<(), PanelError> {
        assert_eq!(format, Format::R8Unorm);
        for row in 0..height {
            let (to, from) = (((y + row) * self.size.0 + x) as usize, row as usize * stride);
            let width = width as usize;
            self.bytes[to..to + width].copy_from_slice(&pixels[from..from + width]);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), PanelError> {
        self.finished = true;
        Ok(())
    }
}

#[test]
fn a_streamed_picture_is_shown_once() {
    let screen = screen();
    let mut bench = Bench::new(&screen, Format::R8Unorm, Format::Z16Unorm);
    let template = ResourceTemplate::streamed(Format::R8Unorm, SIZE, SIZE);
    let streamed = screen.resource_create(&template).unwrap();
    let whole = Region::whole(SIZE, SIZE, 1);
    let map = bench.context.transfer_map(streamed, 0, MapFlags::READ, &whole);
    assert!(matches!(map, Err(PipeError::Unsupported(_))), "{map:?}");
    let mut panel = Picture::default();
    let unbound = bench.context.present(streamed.into(), &mut panel);
    assert_eq!(unbound, Err(PipeError::Unbound("the streamed surface")));
    let surface = SurfaceTemplate::of(Format::R8Unorm);
    let surface = bench.context.create_surface(streamed, &surface).unwrap();
    let framebuffer = FramebufferState::single(4, 4, surface, None);
    bench.context.set_framebuffer_state(&framebuffer).unwrap();
    let color = ColorUnion::float([0.2; 4]);
    bench.context.clear(ClearFlags::COLOR, None, &color, 0.0, 0).unwrap();
    bench.draw(PrimType::Points, &[vertex(1.5, 2.5, 0.5, WHITE)]);
    bench.context.present(streamed.into(), &mut panel).unwrap();
    let mut wanted = [51; 16];
    wanted[9] = 255;
    assert_eq!((panel.size, panel.finished, &panel.bytes[..]), ((4, 4), true, &wanted[..]));
    bench.context.present(streamed.into(), &mut panel).unwrap();
    assert_eq!(panel.bytes, [0; 16], "the frame is gone");
    // Tile by tile; in this driver a tile is a row.
    bench.context.clear(ClearFlags::COLOR, None, &color, 0.0, 0).unwrap();
    let (mut tiles, mut memory, mut rows) = (Tiles::new(streamed), [0; 4], 0);
    while let Some(area) = tiles.next_tile(&mut *bench.context, &mut memory).unwrap() {
        assert_eq!((area.y, memory), (rows, [51; 4]));
        rows += area.height;
    }
    assert_eq!(rows, SIZE);
}
