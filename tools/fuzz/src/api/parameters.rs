//! State set by value, barriers, flushes, fences, presenting.

use pipe_core::context::PresentSource;
use pipe_core::*;

use super::Call;
use super::states;
use super::world::World;
use crate::Input;

pub(super) const CALLS: &[Call] = &[
    references,
    viewports,
    scissors,
    clip_planes,
    framebuffer,
    framebuffer,
    flush,
    fence,
    present,
    barriers,
];

fn references(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let context = world.context();
    context.set_stencil_ref(StencilRef { ref_value: input.array(Input::byte) });
    context.set_blend_color(&BlendColor { color: input.array(Input::float) });
    context.set_sample_mask(if input.once_in(4) { input.word() } else { u32::MAX });
    context.set_polygon_stipple(&PolyStipple { stipple: [input.word(); 32] });
    if input.once_in(8) {
        context.set_min_samples(input.byte());
        context.set_tess_state(&states::levels(input));
        let _ = context.set_patch_vertices(input.byte());
        let _ = context.set_sample_locations(&[input.byte()]);
        let _ = context.get_sample_position(input.byte(), input.byte());
    }
}

fn viewports(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let viewports = if input.once_in(4) {
        input.list(17, states::viewport)
    } else {
        vec![states::viewport(input)]
    };
    let start = if input.once_in(8) { input.up_to(16) as usize } else { 0 };
    let _ = world.context().set_viewport_states(start, &viewports);
}

fn scissors(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let start = if input.once_in(8) { input.up_to(16) as usize } else { 0 };
    let scissor = states::scissor(input);
    let _ = world.context().set_scissor_states(start, &[scissor]);
    if input.once_in(4) {
        let state = WindowRectangles {
            include: input.flag(),
            count: input.up_to(2) as u8,
            rectangles: input.array(states::scissor),
        };
        let _ = world.context().set_window_rectangles(&state);
    }
}

fn clip_planes(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let ucp = input.array(|input| input.array(Input::float));
    world.context().set_clip_state(&ClipState { ucp });
}

/// Attaches surfaces: none, one or several, also of different sizes.
fn framebuffer(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let mut state = FramebufferState {
        width: input.up_to(40) as u16,
        height: input.up_to(40) as u16,
        layers: if input.once_in(8) { input.up_to(6) as u16 } else { 0 },
        samples: if input.once_in(24) { input.byte() } else { 0 },
        ..FramebufferState::default()
    };
    let count = if input.once_in(4) { input.below(9) } else { 1 };
    for slot in state.cbufs.iter_mut().take(count) {
        *slot = world.surfaces.or_none(input);
    }
    if input.flag() {
        state.zsbuf = world.surfaces.any(input);
    }
    let _ = world.context().set_framebuffer_state(&state);
}

fn flush(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let flags = match input.below(3) {
        0 => FlushFlags::empty(),
        1 => FlushFlags::ASYNC,
        _ => FlushFlags::from_bits_retain(input.word()),
    };
    let flushed = world.context().flush(flags);
    if let Ok(Some(fence)) = flushed {
        world.fences.add(Ok(fence));
    }
}

fn fence(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(fence) = world.fences.any(input) else { return };
    let screen = world.screen;
    match input.below(4) {
        0 => {
            let _ =
                screen.fence_finish(Some(world.context()), fence, u64::from(input.word() & 0xffff));
        }
        1 => {
            let _ = screen.fence_destroy(fence);
        }
        2 => {
            let _ = world.context().fence_server_sync(fence);
        }
        _ => {
            let _ = world.context().fence_server_signal(fence);
        }
    }
}

/// A display that fails after some tiles.
struct Panel(usize);

impl TilePanel for Panel {
    fn tile(
        &mut self,
        _: u32,
        _: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        let rows = height.div_ceil(format.block().height.into()) as usize;
        let (row, last) = (format.row_bytes(width as usize), rows.saturating_sub(1) * stride_bytes);
        assert!(pixels.len() >= last + row, "a tile has all its rows");
        self.0 = self.0.checked_sub(1).ok_or(PanelError(7))?;
        Ok(())
    }
}

fn present(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let source = if input.flag() {
        world.resources.any(input).map(PresentSource::Resource)
    } else {
        world.surfaces.any(input).map(PresentSource::Surface)
    };
    let Some(source) = source else { return };
    let mut panel = Panel(if input.once_in(4) { input.below(4) } else { usize::MAX });
    if input.once_in(3) {
        let rows = input.up_to(40)..input.up_to(40);
        let _ = world.context().present_rows(source, rows, &mut panel);
    } else {
        let _ = world.context().present(source, &mut panel);
    }
}

fn barriers(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let resource = world.resources.any(input);
    let context = world.context();
    match input.below(6) {
        0 => context.texture_barrier(TextureBarrierFlags::from_bits_retain(input.word())),
        1 => context.memory_barrier(BarrierFlags::from_bits_retain(input.word())),
        2 => context.evaluate_depth_buffer(),
        3 => context.emit_string_marker("marker"),
        4 => {
            let _ = resource.map(|resource| context.flush_resource(resource));
        }
        _ => {
            let _ = resource.map(|resource| context.invalidate_resource(resource));
        }
    }
    let _ = world.context().get_device_reset_status();
}
