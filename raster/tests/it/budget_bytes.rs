//! Budgets of copies, blits and clears: they are asked at least once per megabyte.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use formats::Format;
use gallium_raster::{Config, Host, Screen};
use os_shim::Os;
use os_shim::budget::{Budget, Stopped};
use pipe_core::{
    Bind, BlitInfo, BlitMask, BlitSurface, ColorUnion, Context, ContextFlags, MapFlags, PipeError,
    Region, ResourceHandle, ResourceTemplate, Screen as _, SurfaceTemplate, TexFilter,
};

/// A budget that allows a number of checks, and then refuses.
#[derive(Default)]
struct Asked {
    times: AtomicU64,
    most: AtomicU64,
}

impl Budget for Asked {
    fn spend(&self, _units: u64) -> Result<(), Stopped> {
        let before = self.times.fetch_add(1, Relaxed);
        if before < self.most.load(Relaxed) { Ok(()) } else { Err(Stopped::Cancelled) }
    }
}

/// A level of 4 MiB, in rows of 16 KiB.
const SIZE: [u32; 2] = [4096, 256];
const MIB: u32 = 1 << 20;

fn texture<'m>(screen: &Screen<'m, Host>) -> ResourceHandle {
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let template = ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, SIZE[0], SIZE[1], bind);
    screen.resource_create(&template).unwrap()
}

fn end(resource: ResourceHandle, region: Region) -> BlitSurface {
    BlitSurface { resource, level: 0, region, format: Format::R8G8B8A8Unorm }
}

#[test]
fn copies_blits_and_clears_ask_at_every_megabyte_and_stop() {
    let budget = Asked::default();
    let screen = Screen::<Host>::with_budget(Os::host(), Config::default(), &budget);
    budget.most.store(u64::MAX, Relaxed);
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let (one, other) = (texture(&screen), texture(&screen));
    let [buffer, second] = [0, 1].map(|_| {
        let template = ResourceTemplate::buffer(8 * MIB, Bind::VERTEX_BUFFER);
        screen.resource_create(&template).unwrap()
    });
    let surface = SurfaceTemplate::of(Format::R8G8B8A8Unorm);
    let surface = context.create_surface(one, &surface).unwrap();
    let whole = Region::rect(0, 0, SIZE[0], SIZE[1]);
    let half = Region::rect(0, 0, SIZE[0] / 2, SIZE[1]);
    let bytes = Region::bytes(0, 4 * MIB);
    let all = ColorUnion { bits: [0x3f80_0000; 4] };
    let red = BlitMask::R;
    type Call<'c> = Box<dyn Fn(&mut dyn Context<'_>) -> Result<(), PipeError> + 'c>;
    let calls: [(&str, Call<'_>); 8] = [
        (
            "copy",
            Box::new(|context| context.resource_copy_region(one, 0, 0, 0, 0, other, 0, &whole)),
        ),
        (
            "copy of one row",
            Box::new(|context| context.resource_copy_region(buffer, 0, 0, 0, 0, second, 0, &bytes)),
        ),
        (
            "copy within a row",
            Box::new(|context| {
                context.resource_copy_region(buffer, 0, 100, 0, 0, buffer, 0, &bytes)
            }),
        ),
        (
            "scaled blit within a level",
            Box::new(|context| {
                context.blit(&BlitInfo::new(end(one, whole), end(one, half), TexFilter::Nearest))
            }),
        ),
        (
            "blit of one channel",
            Box::new(|context| {
                let ends = (end(one, whole), end(other, whole));
                context.blit(&BlitInfo {
                    mask: red,
                    ..BlitInfo::new(ends.0, ends.1, TexFilter::Nearest)
                })
            }),
        ),
        (
            "clear of a surface",
            Box::new(|context| context.clear_render_target(surface, &all, &whole, false)),
        ),
        ("clear of texels", Box::new(|context| context.clear_texture(one, 0, &whole, &[7; 4]))),
        ("clear of bytes", Box::new(|context| context.clear_buffer(buffer, 0, 4 * MIB, &[1, 2]))),
    ];
    for (name, call) in &calls {
        budget.times.store(0, Relaxed);
        budget.most.store(u64::MAX, Relaxed);
        assert_eq!(call(&mut *context), Ok(()), "{name}");
        let asked = budget.times.load(Relaxed);
        assert!(asked >= 4, "{name} asks {asked} times in 4 MiB");
        for most in (0..asked).step_by(1 + asked as usize / 8) {
            budget.times.store(0, Relaxed);
            budget.most.store(most, Relaxed);
            let stopped = Err(PipeError::Stopped(Stopped::Cancelled));
            assert_eq!(call(&mut *context), stopped, "{name}, after {most} of {asked} times");
            // Each worker of a blit may ask once more.
            let times = budget.times.load(Relaxed);
            assert!(times <= most + 8, "{name} asks {times} times, refused after {most}");
        }
    }
}

/// Rows longer than a piece move within their level as `slice::copy_within` moves bytes.
#[test]
fn pieces_of_a_row_that_overlap_keep_their_bytes() {
    let screen = Screen::<Host>::new(Os::host(), Config::default());
    let mut context = screen.context_create(ContextFlags::empty()).unwrap();
    let size = 3 * MIB + 12_345;
    let template = ResourceTemplate::buffer(size + 5000, Bind::VERTEX_BUFFER);
    let mut expected: Vec<u8> = (0..size + 5000).map(|at| (at * 31 + at / 251) as u8).collect();
    for (from, to) in [(0, 4321), (5000, 17), (8, 9), (2500, 2500)] {
        let buffer = screen.resource_create(&template).unwrap();
        context.buffer_subdata(buffer, MapFlags::WRITE, 0, &expected).unwrap();
        let region = Region::bytes(from, size);
        context.resource_copy_region(buffer, 0, to, 0, 0, buffer, 0, &region).unwrap();
        expected.copy_within(from as usize..(from + size) as usize, to as usize);
        let whole = Region::bytes(0, size + 5000);
        let map = context.transfer_map(buffer, 0, MapFlags::READ, &whole).unwrap();
        assert!(context.transfer_bytes(map.handle).unwrap() == expected, "{from} to {to}");
        context.transfer_unmap(map.handle).unwrap();
    }
}
