//! Surfaces without memory: the panel shows the same picture for every path of the tiles to it.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use gallium_raster::{Profile, Small, Tiny};
use os_shim::Os;
use os_shim::threads::{Pool, SecondCore, Threads};
use pipe_core::{
    Area, ByteOrder, Cable, Format, InFlight, Overlay, PanelError, PipeError, PrimType, TilePanel,
};

use crate::common::*;

const WIDTH: u32 = 75;
const HEIGHT: u32 = 41;

fn options() -> Options {
    Options {
        width: WIDTH,
        height: HEIGHT,
        format: Format::B5G6R5Unorm,
        depth: Some(Format::Z16Unorm),
        streamed: true,
        ..Options::default()
    }
}

/// Returns overlapping triangles at different depths, all over the picture.
fn scene() -> Vec<Vertex> {
    let colors = [RED, [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]];
    let at = |i: u32| {
        let (x, y) = ((i * 7 % 23) as f32 / 11.5 - 1.0, (i * 5 % 17) as f32 / 8.5 - 1.0);
        vertex(x, y, (i * 3 % 13) as f32 / 13.0 - 0.5, colors[i as usize % 4])
    };
    (0..60).map(at).collect()
}

/// The picture on a display that takes packed pixels.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shown(Vec<u8>);

impl Shown {
    fn new() -> Shown {
        Shown(vec![0x55; (WIDTH * HEIGHT * 2) as usize])
    }

    fn put(&mut self, area: Area, pixels: &[u8]) {
        for (row, from) in (area.y..).zip(pixels.chunks_exact(area.width as usize * 2)) {
            let at = ((row * WIDTH + area.x) * 2) as usize;
            self.0[at..at + from.len()].copy_from_slice(from);
        }
    }
}

impl TilePanel for Shown {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        assert_eq!(format, Format::B5G6R5Unorm);
        let rows = pixels.chunks(stride_bytes).take(height as usize);
        let packed: Vec<u8> = rows.flat_map(|row| &row[..width as usize * 2]).copied().collect();
        self.put(Area { x, y, width, height }, &packed);
        Ok(())
    }
}

/// The slowest possible DMA: pixels arrive only when they are waited for.
struct Slow<'b> {
    shown: Shown,
    busy: Option<(Area, &'b mut [u8], usize)>,
    overlapped: usize,
}

impl<'b> Cable<'b> for Slow<'b> {
    fn start(
        &mut self,
        area: Area,
        buffer: &'b mut [u8],
        bytes: usize,
    ) -> Result<(), (PanelError, &'b mut [u8])> {
        assert!(self.busy.is_none());
        self.busy = Some((area, buffer, bytes));
        Ok(())
    }

    fn wait(&mut self) -> Result<Option<&'b mut [u8]>, PanelError> {
        let Some((area, buffer, bytes)) = self.busy.take() else { return Ok(None) };
        let pixels: Vec<u8> = buffer[..bytes].chunks(2).flat_map(|p| [p[1], p[0]]).collect();
        self.shown.put(area, &pixels);
        self.overlapped += 1;
        Ok(Some(buffer))
    }
}

fn draw<P: Profile>(os: Os<'_>, panel: &mut dyn TilePanel) -> Result<(), PipeError> {
    let screen = screen::<P>(os, 0);
    let mut setup = Setup::new(&screen, options())?;
    setup.depth_test(&pipe_core::state::DepthStencilAlphaState::depth(
        pipe_core::state::CompareFunc::Less,
    ))?;
    setup.upload(&screen, &scene())?;
    // Twice, because the second frame must start from the same state as the first.
    for _ in 0..2 {
        setup.clear([0.0, 0.0, 0.5, 1.0], 1.0)?;
        setup.draw(PrimType::Triangles, 60)?;
        setup.context.present(setup.color.into(), panel)?;
    }
    Ok(())
}

fn expected() -> Shown {
    let mut shown = Shown::new();
    draw::<Small>(Os::host(), &mut shown).unwrap();
    let colors: std::collections::HashSet<_> = shown.0.chunks(2).collect();
    assert!(colors.len() > 4, "{}", colors.len());
    shown
}

/// Red 1, green 3/7, blue 2/3 in the formats of displays with 8 bits and with three bytes per pixel.
#[test]
fn displays_of_one_and_three_bytes_per_pixel_show_their_channels() {
    let color = [1.0, 3.0 / 7.0, 2.0 / 3.0, 1.0];
    for (format, pixel) in [
        // 3, 3 and 2 bits, red on top: 7 · 32 + 3 · 4 + 2.
        (Format::B2G3R3Unorm, &[0xee][..]),
        // Blue on top: 2 · 64 + 3 · 8 + 7.
        (Format::R3G3B2Unorm, &[0x9f]),
        // 255 · 3/7 = 109.3, 255 · 2/3 = 170.
        (Format::R8G8B8Unorm, &[255, 109, 170]),
        (Format::B8G8R8Unorm, &[170, 109, 255]),
    ] {
        let screen = screen::<Tiny>(Os::host(), 0);
        let options = Options { format, ..options() };
        let mut setup = Setup::new(&screen, options).unwrap();
        setup.clear(BLACK, 1.0).unwrap();
        let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
        setup.upload(&screen, &corners.map(|[x, y]| vertex(x, y, 0.0, color))).unwrap();
        setup.draw(PrimType::Triangles, 3).unwrap();
        let pixels = setup.pixels().unwrap();
        assert_eq!(pixels.len(), (WIDTH * HEIGHT) as usize * pixel.len(), "{format:?}");
        assert!(pixels.chunks(pixel.len()).all(|it| it == pixel), "{format:?}: {:?}", &pixels[..6]);
    }
}

#[test]
fn several_workers_show_tiles_in_order_and_alike() {
    struct InOrder(Shown, Vec<(u32, u32)>);
    impl TilePanel for InOrder {
        fn tile(
            &mut self,
            x: u32,
            y: u32,
            width: u32,
            height: u32,
            format: Format,
            pixels: &[u8],
            stride_bytes: usize,
        ) -> Result<(), PanelError> {
            self.1.push((y, x));
            self.0.tile(x, y, width, height, format, pixels, stride_bytes)
        }
    }
    let expected = expected();
    for count in [2, 3, 8] {
        let threads = Pool::new(count);
        let os = Os { threads: &threads, ..Os::host() };
        let mut panel = InOrder(Shown::new(), Vec::new());
        draw::<Tiny>(os, &mut panel).unwrap();
        assert_eq!(panel.0, expected, "{count} workers");
        let (first, second) = panel.1.split_at(panel.1.len() / 2);
        assert!(first.is_sorted() && first == second, "{count} workers");
    }
}

/// A second core that takes exactly its share: of two tasks each core runs one.
struct Shared {
    cores: SecondCore,
    both: Barrier,
    second: AtomicUsize,
}

impl Threads for Shared {
    fn count(&self) -> usize {
        self.cores.count()
    }

    fn parallel(&self, tasks: usize, run: &(dyn Fn(usize, usize) + Sync)) {
        self.cores.parallel(tasks, &|worker, task| {
            if tasks == 2 {
                self.both.wait();
            }
            self.second.fetch_add(worker, SeqCst);
            run(worker, task);
        });
    }
}

#[test]
fn a_second_core_draws_its_tiles_alike() {
    /// Stops the second core, also if a test fails.
    struct Ended<'s>(&'s AtomicBool);
    impl Drop for Ended<'_> {
        fn drop(&mut self) {
            self.0.store(true, SeqCst);
        }
    }
    let expected = expected();
    let (both, second) = (Barrier::new(2), AtomicUsize::new(0));
    let shared = Shared { cores: SecondCore::new(), both, second };
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(SeqCst) {
                if !shared.cores.poll() {
                    std::thread::yield_now();
                }
            }
        });
        let _ended = Ended(&over);
        let os = Os { threads: &shared, ..Os::bare(os_shim::Memory::system()) };
        let mut shown = Shown::new();
        draw::<Tiny>(os, &mut shown).unwrap();
        assert_eq!(shown, expected);
        let (mut a, mut b) = (vec![0; 512], vec![0; 512]);
        let cable = Slow { shown: Shown::new(), busy: None, overlapped: 0 };
        let mut panel = InFlight::new(cable, ByteOrder::Big, [&mut a[..], &mut b[..]]);
        draw::<Tiny>(os, &mut panel).unwrap();
        assert_eq!(panel.cable().shown, expected);
    });
    // Rows of five tiles: in each of two pairs the second core draws one tile, in two frames,
    // twice.
    let rows = HEIGHT.div_ceil(Tiny::TILE_HEIGHT) as usize;
    assert_eq!(shared.second.into_inner(), 2 * rows * 2 * 2);
}

#[test]
fn two_buffers_in_flight_show_the_same() {
    let expected = expected();
    let tile = (Tiny::TILE_PIXELS * 2) as usize;
    let two = Pool::new(2);
    // One worker draws in the panel's buffers, several workers copy to them.
    for os in [Os::bare(os_shim::Memory::system()), Os { threads: &two, ..Os::host() }] {
        let (mut a, mut b) = (vec![0; tile], vec![0; tile]);
        let cable = Slow { shown: Shown::new(), busy: None, overlapped: 0 };
        let mut panel = InFlight::new(cable, ByteOrder::Big, [&mut a[..], &mut b[..]]);
        draw::<Tiny>(os, &mut panel).unwrap();
        assert_eq!(panel.cable().shown, expected);
        let tiles = WIDTH.div_ceil(Tiny::TILE_WIDTH) * HEIGHT.div_ceil(Tiny::TILE_HEIGHT) * 2;
        assert_eq!(panel.cable().overlapped, tiles as usize);
    }
}

#[test]
fn a_panel_s_small_buffers_are_an_error() {
    let (mut a, mut b) = ([0; 100], [0; 100]);
    let cable = Slow { shown: Shown::new(), busy: None, overlapped: 0 };
    let mut panel = InFlight::new(cable, ByteOrder::Little, [&mut a[..], &mut b[..]]);
    let error = draw::<Tiny>(Os::bare(os_shim::Memory::system()), &mut panel);
    assert!(matches!(error, Err(PipeError::Panel(_))), "{error:?}");
}

#[test]
fn an_overlay_goes_over_every_way() {
    // A white frame of one pixel around the picture.
    let edge = |area: Area, _: Format, pixels: &mut [u8], stride: usize| {
        for (y, row) in (area.y..area.y + area.height).zip(pixels.chunks_mut(stride)) {
            for (x, pixel) in (area.x..area.x + area.width).zip(row.chunks_exact_mut(2)) {
                if x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1 {
                    pixel.fill(0xff);
                }
            }
        }
    };
    let mut wanted = expected();
    let whole = Area { x: 0, y: 0, width: WIDTH, height: HEIGHT };
    edge(whole, Format::B5G6R5Unorm, &mut wanted.0, WIDTH as usize * 2);

    let bare = Os::bare(os_shim::Memory::system());
    let mut panel = Overlay::new(Shown::new(), edge);
    draw::<Small>(bare, &mut panel).unwrap();
    assert_eq!(panel.panel, wanted);
    let two = Pool::new(2);
    let mut panel = Overlay::new(Shown::new(), edge);
    draw::<Tiny>(Os { threads: &two, ..Os::host() }, &mut panel).unwrap();
    assert_eq!(panel.panel, wanted);
    let (mut a, mut b) = (vec![0; 2048], vec![0; 2048]);
    let cable = Slow { shown: Shown::new(), busy: None, overlapped: 0 };
    let in_flight = InFlight::new(cable, ByteOrder::Big, [&mut a[..], &mut b[..]]);
    let mut panel = Overlay::new(in_flight, edge);
    draw::<Small>(bare, &mut panel).unwrap();
    assert_eq!(panel.panel.cable().shown, wanted);
}

fn many_triangles() -> Vec<Vertex> {
    let triangle =
        [vertex(-1.0, -1.0, 0.0, RED), vertex(3.0, -1.0, 0.0, RED), vertex(-1.0, 3.0, 0.0, RED)];
    (0..100).flat_map(|_| triangle).collect()
}

#[test]
fn a_frame_that_does_not_fit_says_what_it_needs() {
    let small = screen::<Small>(Os::host(), 1024);
    let mut setup = Setup::new(&small, Options { streamed: true, ..Options::default() }).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&small, &many_triangles()).unwrap();
    let needed_of = |result: Result<(), PipeError>| match result {
        Err(PipeError::SceneFull { capacity: 1024, needed }) => needed,
        other => panic!("{other:?}"),
    };
    let first = needed_of(setup.draw(PrimType::Triangles, 150));
    let second = needed_of(setup.draw(PrimType::Triangles, 300));
    let whole = needed_of(setup.context.present(setup.color.into(), &mut NoPanel));
    assert!(1024 < first && first < second && second == whole, "{first} {second} {whole}");
    // A vertex is at least three words, an entry one: at least 450 vertices and 150 entries.
    assert!((6000..60000).contains(&whole), "{whole}");
    // The failed frame was dropped; the next frame is whole.
    setup.clear(BLACK, 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
    assert!(setup.pixels().unwrap().chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));

    let enough = screen::<Small>(Os::host(), whole);
    let mut setup = Setup::new(&enough, Options { streamed: true, ..Options::default() }).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    setup.upload(&enough, &many_triangles()).unwrap();
    setup.draw(PrimType::Triangles, 150).unwrap();
    setup.draw(PrimType::Triangles, 300).unwrap();
    assert!(setup.pixels().unwrap().chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
}

#[test]
fn a_frame_that_waits_to_be_shown_keeps_its_surface() {
    let screen = screen::<Small>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options { streamed: true, ..Options::default() }).unwrap();
    setup.clear(BLACK, 1.0).unwrap();
    let busy = setup.context.set_framebuffer_state(&Default::default());
    assert!(matches!(busy, Err(PipeError::Busy(_))), "{busy:?}");
    setup.context.invalidate_resource(setup.color).unwrap();
    setup.context.set_framebuffer_state(&Default::default()).unwrap();
}

struct NoPanel;

impl TilePanel for NoPanel {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        _: u32,
        _: u32,
        _: Format,
        _: &[u8],
        _: usize,
    ) -> Result<(), PanelError> {
        Ok(())
    }
}
