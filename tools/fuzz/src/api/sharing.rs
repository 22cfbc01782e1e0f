//! Calls that only the API reaches: imported memory and fences, resource handles, global memory, persistent
//! maps, sparse textures, vertex states.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use os_shim::sharing::{ExternalFence, Gone, SharedMemory};
use os_shim::{Box, Memory, unsize_box};
use pipe_core::*;

use super::world::World;
use super::{Call, states};
use crate::Input;

pub(super) const CALLS: &[Call] = &[
    memory_object,
    resource_of_memory,
    change_outside,
    name,
    external_fence,
    hand_on_fence,
    global_memory,
    global_grid,
    memory_grid,
    persistent,
    persistent,
    sparse,
    commit_pages,
    commit_pages,
    vertex_state,
    draw_vertex_state,
];

/// Imported memory, which may shrink.
#[derive(Clone)]
pub(super) struct Outside(Arc<Mutex<Vec<u8>>>);

impl Outside {
    fn with<R>(&self, run: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns the range of `size` bytes from `offset` on.
fn range(offset: u64, size: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(size)?)
}

impl SharedMemory for Outside {
    fn size(&self) -> u64 {
        self.with(|memory| memory.len() as u64)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> Result<(), Gone> {
        let range = range(offset, bytes.len()).ok_or(Gone)?;
        self.with(|memory| {
            bytes.copy_from_slice(memory.get(range).ok_or(Gone)?);
            Ok(())
        })
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<(), Gone> {
        let range = range(offset, bytes.len()).ok_or(Gone)?;
        self.with(|memory| {
            memory.get_mut(range).ok_or(Gone)?.copy_from_slice(bytes);
            Ok(())
        })
    }
}

/// An imported fence that is signalled as soon as one waits for it.
#[derive(Clone, Default)]
struct Bell(Arc<AtomicBool>);

impl ExternalFence for Bell {
    fn signal(&self) {
        self.0.store(true, SeqCst);
    }

    fn wait(&self, timeout_ns: u64) -> bool {
        self.0.fetch_or(timeout_ns > 0, SeqCst) || timeout_ns > 0
    }

    fn reset(&self) {
        self.0.store(false, SeqCst);
    }
}

fn memory_object(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.once_in(4) {
        let Some(memory) = world.memories.take(input) else { return };
        let _ = world.screen.memobj_destroy(memory);
        return;
    }
    let outside =
        Outside(Arc::new(Mutex::new(vec![input.byte(); input.up_to(8192) as usize & 0xffff])));
    let Ok(memory) = Box::try_new_in(outside.clone(), Memory::system()) else { return };
    let memory: Box<'_, dyn SharedMemory> = unsize_box!(memory);
    let made = world.screen.memobj_create_from_handle(memory);
    if made.is_ok() {
        world.outside.push(outside);
    }
    world.reach("memory object", made.is_ok());
    world.memories.add(made);
}

fn resource_of_memory(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.flag() {
        memory_object(world, input);
    }
    let Some(memory) = world.memories.any(input) else { return };
    let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
    let template = match input.flag() {
        true => states::template(input),
        false => ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, 16, 16, bind),
    };
    let offset = match input.below(8) {
        0 => u64::MAX - 3,
        1 => input.up_to(512).into(),
        _ => 64 * input.below(4) as u64,
    };
    let made = world.screen.resource_from_memobj(&template, memory, offset);
    world.reach("resource of a memory object", made.is_ok());
    world.keep(made);
}

/// Changes imported memory, or takes a part of it away, and has resources read and written.
fn change_outside(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if !world.outside.is_empty() {
        let outside = &world.outside[input.below(world.outside.len())];
        let (byte, shrinks) = (input.byte(), input.once_in(8));
        outside.with(|memory| match shrinks {
            true => memory.truncate(memory.len() / 2),
            false => memory.fill(byte),
        });
    }
    let Some(resource) = world.resources.any(input) else { return };
    let _ = match input.flag() {
        true => world.screen.resource_changed(resource),
        false => world.context().flush_resource(resource),
    };
}

/// Names a resource, and finds it again by that name or a wrong one.
fn name(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let kind = input.pick(WinsysHandleType::ALL);
    let screen = world.screen;
    let named = match input.flag() {
        true => screen.resource_get_handle(Some(world.context()), resource, kind),
        false => screen.resource_get_handle(None, resource, kind),
    };
    let mut template = screen.resource_template(resource).unwrap_or_default();
    let Ok(mut name) = named else { return };
    match input.below(8) {
        0 => name.handle = input.word().into(),
        1 => name.stride = input.up_to(4096) as usize,
        2 => name.offset = input.word().into(),
        3 => template = states::template(input),
        _ => {}
    }
    let found = screen.resource_from_handle(&template, &name);
    world.reach("resource of a name", found.is_ok());
    world.keep(found);
}

fn external_fence(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Ok(bell) = Box::try_new_in(Bell::default(), Memory::system()) else { return };
    let bell: Box<'_, dyn ExternalFence> = unsize_box!(bell);
    let made = world.screen.create_fence_fd(bell, input.pick(FenceFdType::ALL));
    world.reach("fence from outside", made.is_ok());
    world.fences.add(made);
}

fn hand_on_fence(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.flag() {
        let flushed = world.context().flush(FlushFlags::DEFERRED | FlushFlags::FENCE_FD);
        if let Ok(Some(fence)) = flushed {
            world.fences.add(Ok(fence));
        }
    }
    let Some(fence) = world.fences.any(input) else { return };
    let Ok(bell) = Box::try_new_in(Bell::default(), Memory::system()) else { return };
    let bell: Box<'_, dyn ExternalFence> = unsize_box!(bell);
    let handed_on = world.screen.fence_get_fd(fence, bell);
    world.reach("fence for others", handed_on.is_ok());
}

/// Binds buffers to global memory, and keeps addresses within and beyond them.
fn global_memory(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let first = if input.once_in(8) { input.up_to(40) as usize } else { input.below(4) };
    let buffers = input.list(4, |input| world.resources.or_none(input));
    let mut addresses = input.list(4, |input| u64::from(input.up_to(64)) * 4);
    if !input.once_in(8) {
        addresses.resize(buffers.len(), 0);
    }
    let bound = world.context().set_global_binding(first, &buffers, &mut addresses);
    world.reach("global memory", bound.is_ok() && buffers.iter().any(Option::is_some));
    world.addresses.extend(addresses);
}

/// Loads, stores and counts at addresses that are the program's arguments.
const GLOBAL: &str = "COMP
DCL SV[0], THREAD_ID
DCL MEMORY[0], GLOBAL
DCL MEMORY[1], INPUT
DCL TEMP[0..3]
IMM[0] UINT32 {4, 1, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, MEMORY[1], TEMP[0].xxxx
LOAD TEMP[2].xy, MEMORY[0], TEMP[1].xxxx
ATOMUADD TEMP[3].x, MEMORY[0], TEMP[1].xxxx, IMM[0].yyyy
UADD TEMP[2].x, TEMP[2].xxxx, TEMP[3].xxxx
STORE MEMORY[0].xy, TEMP[1].xxxx, TEMP[2]
STORE MEMORY[0].x, TEMP[2].xxxx, TEMP[0].xxxx
END";

/// Loads, stores and counts in shared memory, a buffer and an image, at places that the buffer holds.
const MEMORIES: &str = "COMP
DCL SV[0], THREAD_ID
DCL MEMORY[0], SHARED
DCL BUFFER[0]
DCL IMAGE[0], 2D, PIPE_FORMAT_R8G8B8A8_UNORM, WR
DCL TEMP[0..3]
IMM[0] UINT32 {4, 1, 0, 0}
UMUL TEMP[0].x, SV[0].xxxx, IMM[0].xxxx
LOAD TEMP[1].x, BUFFER[0], TEMP[0].xxxx
ATOMUADD TEMP[2].x, MEMORY[0], TEMP[1].xxxx, IMM[0].yyyy
STORE MEMORY[0].x, TEMP[2].xxxx, TEMP[1].xxxx
BARRIER
LOAD TEMP[3].x, MEMORY[0], TEMP[0].xxxx
STORE BUFFER[0].x, TEMP[1].xxxx, TEMP[3].xxxx
LOAD TEMP[2], IMAGE[0], TEMP[1].xxxx, 2D, PIPE_FORMAT_R8G8B8A8_UNORM
STORE IMAGE[0], SV[0], TEMP[2], 2D, PIPE_FORMAT_R8G8B8A8_UNORM
END";

/// Runs a program over a small grid with arguments; returns true if it ran. Its blocks and batches change
/// the same words in any order, so that there is nothing to compare.
fn grid(world: &mut World<'_, '_>, input: &mut Input<'_>, text: &str, arguments: &[u32]) -> bool {
    if world.compares {
        return false;
    }
    let bytes: Vec<u8> = arguments.iter().flat_map(|word| word.to_le_bytes()).collect();
    let state = ComputeState {
        source: ShaderSource::Text(text),
        static_shared_mem: input.up_to(256),
        req_private_mem: 0,
        req_input_mem: if input.once_in(8) { input.up_to(256) } else { bytes.len() as u32 },
    };
    let info = GridInfo {
        block: [input.up_to(70), 1, 1],
        grid: [input.up_to(3), 1, 1],
        input: &bytes,
        ..GridInfo::default()
    };
    let made = world.context().create_compute_state(&state);
    world.shaders.add(made);
    let Ok(program) = made else { return false };
    let _ = world.context().bind_compute_state(Some(program));
    world.context().launch_grid(&info).is_ok()
}

fn global_grid(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.flag() {
        global_memory(world, input);
    }
    let arguments = input.list(16, |input| match world.addresses.is_empty() || input.once_in(8) {
        true => input.word(),
        false => {
            (input.pick(&world.addresses) as u32).wrapping_add(input.up_to(16).wrapping_mul(4))
        }
    });
    let ran = grid(world, input, GLOBAL, &arguments);
    let is_known = arguments.iter().any(|it| world.addresses.contains(&u64::from(*it)));
    world.reach("a grid on global memory", ran && is_known);
}

fn memory_grid(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if let Some(resource) = world.resources.any(input) {
        let (buffer_offset, buffer_size) = (input.up_to(64), input.up_to(1024));
        let buffer = [Some(ShaderBuffer { resource, buffer_offset, buffer_size })];
        let _ = world.context().set_shader_buffers(ShaderType::Compute, 0, &buffer, 1);
    }
    let ran = grid(world, input, MEMORIES, &[]);
    world.reach("a grid on shared memory", ran);
}

/// Maps a buffer for good, and lets draws read and write it meanwhile, at any time: there is nothing to
/// compare.
fn persistent(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if world.compares {
        return;
    }
    let bind = Bind::VERTEX_BUFFER
        | Bind::INDEX_BUFFER
        | Bind::CONSTANT_BUFFER
        | Bind::STREAM_OUTPUT
        | Bind::SHADER_BUFFER;
    let size = 64 + input.below(1024) as u32;
    let mut template = ResourceTemplate::buffer(size, bind);
    template.flags = ResourceFlags::MAP_PERSISTENT | ResourceFlags::MAP_COHERENT;
    let Ok(resource) = world.resource(&template) else { return };
    let coherent = if input.flag() { MapFlags::COHERENT } else { MapFlags::FLUSH_EXPLICIT };
    let usage = MapFlags::PERSISTENT | MapFlags::READ | MapFlags::WRITE | coherent;
    let region = Region::bytes(input.up_to(16), input.up_to(size));
    let mapped = world.context().transfer_map(resource, 0, usage, &region);
    world.reach("a persistent map", mapped.is_ok());
    let Ok(transfer) = mapped else { return };
    world.transfers.add(Ok(transfer.handle));
    if let Ok(bytes) = world.context().transfer_bytes(transfer.handle) {
        bytes.fill(input.byte());
    }
    let _ = match input.below(3) {
        0 => {
            let buffer_offset = input.up_to(16);
            let buffer = VertexBuffer { resource, stride: 32, buffer_offset };
            world.context().set_vertex_buffers(0, &[Some(buffer)])
        }
        1 => {
            let buffer = ShaderBuffer { resource, buffer_offset: 0, buffer_size: size };
            world.context().set_shader_buffers(ShaderType::Compute, 0, &[Some(buffer)], 1)
        }
        _ => {
            let made = world.context().create_stream_output_target(resource, 0, size);
            world.targets.add(made);
            world.context().set_stream_output_targets(&[made.ok()], &[Some(0)])
        }
    };
}

/// Makes a sparse texture or buffer of a few pages.
fn sparse(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let bind = Bind::SAMPLER_VIEW | Bind::RENDER_TARGET;
    let [width, height] = input.array(|input| 1 + input.below(360) as u32);
    let mut template = match input.below(3) {
        0 => states::template(input),
        1 => ResourceTemplate::buffer(width << 9, Bind::VERTEX_BUFFER | Bind::SHADER_BUFFER),
        _ => ResourceTemplate::texture_2d(Format::R8G8B8A8Unorm, width, height, bind),
    };
    template.flags = ResourceFlags::SPARSE;
    let made = world.resource(&template);
    world.sparse.extend(made);
    world.reach("a sparse texture", made.is_ok() && !template.is_buffer());
}

/// Gives memory to pages of a resource, or takes it away.
fn commit_pages(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.flag() {
        sparse(world, input);
    }
    let resource = match world.sparse.is_empty() || input.once_in(8) {
        true => world.resources.any(input),
        false => Some(input.pick(&world.sparse)),
    };
    let Some(resource) = resource else { return };
    let template = world.screen.resource_template(resource).unwrap_or_default();
    let level = if input.once_in(3) { input.up_to(3) } else { 0 };
    let side = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
    let whole = [side(template.width0), side(template.height0), side(template.depth0)];
    let multi_sample = template.nr_samples > 1;
    let (target, format) = (template.target, template.format);
    let page = world.screen.get_sparse_texture_virtual_page_size(target, multi_sample, format);
    let page = page.filter(|_| input.flag()).unwrap_or(whole);
    let begin: [u32; 3] =
        std::array::from_fn(|axis| page[axis].saturating_mul(input.up_to(1)).min(whole[axis]));
    let size: [u32; 3] = std::array::from_fn(|axis| page[axis].min(whole[axis] - begin[axis]));
    let layered = target.is_layered() || target.is_cube();
    let (z, depth) = if layered { (input.up_to(2), 1) } else { (begin[2], size[2]) };
    let region = Region {
        x: begin[0] as i32,
        y: begin[1] as i32,
        z: z as i32,
        width: size[0] as i32,
        height: size[1] as i32,
        depth: depth as i32,
    };
    let committed = world.context().resource_commit(resource, level, &region, !input.once_in(4));
    world.reach("pages of a sparse texture", committed.is_ok() && !template.is_buffer());
    world.reach("pages of a sparse buffer", committed.is_ok() && template.is_buffer());
}

fn vertex_state(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let made = match input.flag() {
        true => world.resources.any(input),
        false => world.resource(&ResourceTemplate::buffer(2048, Bind::VERTEX_BUFFER)).ok(),
    };
    let Some(resource) = made else { return };
    let elements = match input.flag() {
        true => input.list(3, states::vertex_element),
        false => [0, 16].map(|at| VertexElement::per_vertex(at, Format::R32G32B32A32Float)).into(),
    };
    let template = VertexStateTemplate {
        buffer: VertexBuffer {
            resource,
            stride: if input.flag() { 32 } else { input.up_to(64) },
            buffer_offset: if input.flag() { 0 } else { input.up_to(64) },
        },
        elements: &elements,
        indices: if input.once_in(4) { world.resources.any(input) } else { None },
        full_velem_mask: match input.once_in(8) {
            true => input.word(),
            false => (1 << elements.len()) - 1,
        },
    };
    let made = world.screen.create_vertex_state(&template);
    world.vertex_states.add(made);
}

fn draw_vertex_state(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if input.flag() {
        vertex_state(world, input);
    }
    let Some(state) = world.vertex_states.any(input) else { return };
    if input.once_in(8) {
        let _ = world.screen.vertex_state_destroy(state);
    }
    let info = DrawVertexStateInfo {
        mode: if input.flag() { PrimType::Triangles } else { input.pick(PrimType::ALL) },
        partial_velem_mask: if input.once_in(4) { input.word() } else { 3 },
    };
    let draw = DrawStartCount { start: input.up_to(8), count: input.up_to(24), index_bias: 0 };
    let drawn = world.context().draw_vertex_state(state, &info, &[draw]);
    world.reach("a vertex state", drawn.is_ok());
}
