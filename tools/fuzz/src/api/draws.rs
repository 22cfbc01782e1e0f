//! Draws and their inputs: vertices, indices, constants, stream output targets.

use pipe_core::*;

use super::shaders::{CHAINS, PASS};
use super::world::World;
use super::{Call, states};
use crate::Input;

pub(super) const CALLS: &[Call] = &[
    draw,
    draw,
    draw,
    draw_indexed,
    draw_indexed,
    draw_indirect,
    draw_chain,
    draw_chain,
    vertex_buffers,
    constants,
    stream_targets,
    stream_targets,
    shader_resources,
    bindless,
    grid,
];

/// Returns the number of vertices or indices of a draw.
fn count(input: &mut Input<'_>) -> u32 {
    if input.once_in(16) { input.up_to(4096) } else { input.below(64) as u32 }
}

fn draw_info<'i>(input: &mut Input<'_>, index: Option<IndexBuffer<'i>>) -> DrawInfo<'i> {
    let [min_index, max_index] = input.array(|input| input.up_to(64));
    DrawInfo {
        mode: input.pick(PrimType::ALL),
        index,
        start_instance: if input.once_in(4) { input.up_to(4) } else { 0 },
        instance_count: if input.once_in(4) { input.up_to(4) } else { 1 },
        min_index,
        max_index,
        index_bounds_valid: input.once_in(4),
        primitive_restart: input.once_in(3),
        restart_index: if input.flag() { 0xffff } else { input.up_to(8) },
        drawid_offset: input.up_to(3),
        increment_draw_id: input.flag(),
        view_mask: if input.once_in(24) { input.word() } else { 0 },
    }
}

fn parts(input: &mut Input<'_>) -> Vec<DrawStartCount> {
    let part = |input: &mut Input<'_>| DrawStartCount {
        start: input.up_to(8),
        count: count(input),
        index_bias: if input.once_in(4) { input.word() as i32 } else { 0 },
    };
    if input.once_in(4) { input.list(4, part) } else { vec![part(input)] }
}

fn draw(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let info = draw_info(input, None);
    let _ = world.context().draw_vbo(&info, None, &parts(input));
}

fn draw_indexed(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let size = if input.once_in(16) { input.byte() } else { input.pick(&[1, 2, 4]) };
    let bytes: Vec<u8> = (0..128)
        .map(|at| {
            if input.once_in(16) {
                0xff
            } else if at % size.max(1) == 0 {
                input.byte() & 63
            } else {
                0
            }
        })
        .collect();
    let index = match world.resources.any(input) {
        Some(resource) if input.flag() => IndexBuffer::resource(resource, size),
        _ => IndexBuffer::user(&bytes, size),
    };
    let info = draw_info(input, Some(index));
    let _ = world.context().draw_vbo(&info, None, &parts(input));
}

/// Draws with counts from a buffer, or with the number of vertices written to a stream output
/// target.
fn draw_indirect(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let indirect = if input.flag() {
        world.targets.any(input).map(DrawIndirect::StreamOutput)
    } else {
        let Some(buffer) = world.resources.any(input) else { return };
        let counter = if input.once_in(4) { world.resources.any(input) } else { None };
        Some(DrawIndirect::Buffer {
            buffer,
            offset: input.up_to(64),
            stride: input.up_to(32),
            draw_count: input.up_to(3),
            indirect_draw_count: counter.map(|counter| (counter, input.up_to(64))),
        })
    };
    let info = draw_info(input, None);
    let _ = world.context().draw_vbo(&info, indirect.as_ref(), &[]);
}

/// The stages of a pipeline after the vertex shader.
type Stages = &'static [(ShaderType, &'static str)];

/// Binds stages that read the vertex shader's outputs, and draws primitives that the first stage
/// reads. In most cases it then unbinds the stages.
fn draw_chain(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let (mode, stages) = input.pick(&CHAINS);
    let _ = bind_chain(world, stages);
    let vertices = if input.once_in(8) { input.byte() } else { 4 };
    let _ = world.context().set_patch_vertices(vertices);
    world.context().set_tess_state(&states::levels(input));
    let info = DrawInfo { mode, ..draw_info(input, None) };
    let _ = world.context().draw_vbo(&info, None, &parts(input));
    if !input.once_in(4) {
        for (stage, _) in stages {
            let _ = world.context().bind_shader_state(*stage, None);
        }
    }
}

/// Creates and binds a vertex shader and the stages that read its outputs.
fn bind_chain(world: &mut World<'_, '_>, stages: Stages) -> Result<(), PipeError> {
    for (stage, text) in [(ShaderType::Vertex, PASS)].iter().chain(stages) {
        let made = world.context().create_shader_state(*stage, &ShaderState::text(text));
        world.shaders.add(made);
        world.context().bind_shader_state(*stage, Some(made?))?;
    }
    Ok(())
}

/// Binds vertex buffers. Buffers that stream output writes may be among them.
fn vertex_buffers(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let start = if input.once_in(4) { input.up_to(4) as usize } else { 0 };
    let buffers = input.list(3, |input| {
        let resource = world.resources.or_none(input)?;
        let stride = input.pick(&[32, 16, 0, 4, 7, 2048]);
        let stride = if input.once_in(16) { input.word() } else { stride };
        Some(VertexBuffer { resource, stride, buffer_offset: input.up_to(64) })
    });
    let _ = world.context().set_vertex_buffers(start, &buffers);
}

fn constants(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let stage = input.pick(ShaderType::ALL);
    let index = if input.once_in(4) { input.up_to(16) as usize } else { 0 };
    let bytes = input.bytes(96);
    let resource = world.resources.any(input);
    let buffer = match (input.below(3), resource) {
        (0, Some(resource)) => Some(ConstantBuffer::Resource {
            resource,
            buffer_offset: input.up_to(64),
            buffer_size: input.up_to(256),
        }),
        (1, _) => Some(ConstantBuffer::User(bytes)),
        _ => None,
    };
    let _ = world.context().set_constant_buffer(stage, index, buffer);
    if input.once_in(16) {
        let _ = world.context().set_inlinable_constants(stage, &[input.word()]);
    }
}

fn stream_targets(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if let Some(resource) = world.resources.any(input) {
        let (offset, size) = (input.up_to(64), input.up_to(1024));
        let made = world.context().create_stream_output_target(resource, offset, size);
        world.targets.add(made);
    }
    let targets = input.list(5, |input| world.targets.or_none(input));
    let offsets = input.list(5, |input| if input.flag() { None } else { Some(input.up_to(64)) });
    let _ = world.context().set_stream_output_targets(&targets, &offsets);
    if let Some(target) = world.targets.any(input) {
        let _ = world.context().stream_output_target_offset(target);
    }
}

/// Binds buffers and images that shaders write. The driver may refuse them.
fn shader_resources(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let (buffer_offset, buffer_size) = (input.up_to(64), input.up_to(256));
    let buffer = [Some(ShaderBuffer { resource, buffer_offset, buffer_size })];
    let image = ImageView {
        resource,
        format: Format::R8G8B8A8Unorm,
        access: ImageAccess::READ_WRITE,
        range: ImageRange::Texture {
            level: input.up_to(2),
            first_layer: 0,
            last_layer: input.up_to(6),
            single_layer_view: input.flag(),
        },
    };
    let (stage, slot) = (input.pick(ShaderType::ALL), input.up_to(8) as usize);
    let context = world.context();
    let _ = context.set_shader_buffers(stage, slot, &buffer, input.word());
    let _ = context.set_shader_images(stage, slot, &[Some(image)]);
    let _ = context.set_hw_atomic_buffers(slot, &buffer);
    let made = context.create_image_handle(&image);
    world.bindless.extend(made);
}

/// Creates, uses and deletes bindless handles. They include handles of other contexts and arbitrary
/// numbers. Binds constants with a handle, so that shaders can use it.
fn bindless(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    if let (Some(view), Some(sampler)) = (world.views.any(input), world.samplers.any(input)) {
        let made = world.context().create_texture_handle(view, sampler);
        world.bindless.extend(made);
    }
    if let Some(resource) = world.resources.any(input) {
        let range = ImageRange::Texture {
            level: 0,
            first_layer: 0,
            last_layer: 0,
            single_layer_view: true,
        };
        let (format, access) = (Format::R8G8B8A8Unorm, ImageAccess::READ_WRITE);
        let image = ImageView { resource, format, access, range };
        let made = world.context().create_image_handle(&image);
        world.bindless.extend(made);
    }
    let handle = match world.bindless.is_empty() || input.once_in(8) {
        true => input.word().into(),
        false => input.pick(&world.bindless),
    };
    let (kind, resident, stage) = (input.below(8), input.flag(), input.pick(ShaderType::ALL));
    let access = if input.flag() { ImageAccess::READ_WRITE } else { ImageAccess::READ };
    // Fragments of several workers change the same texels of an image in any order.
    let resident = resident && !(world.compares && kind >= 5);
    let context = world.context();
    let (what, made) = match kind {
        0 => ("the end of a texture handle", context.delete_texture_handle(handle)),
        1 => ("the end of an image handle", context.delete_image_handle(handle)),
        2..5 => ("a texture handle", context.make_texture_handle_resident(handle, resident)),
        _ => ("an image handle", context.make_image_handle_resident(handle, access, resident)),
    };
    world.reach(what, made.is_ok());
    let bytes: Vec<u8> = [handle, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let constants = Some(ConstantBuffer::User(&bytes));
    let _ = world.context().set_constant_buffer(stage, 0, constants);
}

fn grid(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let text = "COMP\nEND";
    let state = ComputeState {
        source: ShaderSource::Text(text),
        static_shared_mem: input.up_to(64),
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let made = world.context().create_compute_state(&state);
    world.shaders.add(made);
    let indirect = world.resources.or_none(input).map(|resource| (resource, input.up_to(64)));
    let info = GridInfo {
        block: input.array(|input| input.up_to(8)),
        grid: input.array(|input| input.up_to(8)),
        indirect: if input.flag() { indirect } else { None },
        ..GridInfo::default()
    };
    let handle = made.ok().or_else(|| world.shaders.any(input));
    let _ = world.context().bind_compute_state(handle);
    let _ = world.context().launch_grid(&info);
}

#[cfg(test)]
mod tests {
    use super::*;
    use os_shim::Os;
    use pipe_core::query::QueryResult;

    #[test]
    fn every_chain_draws() {
        for (number, (mode, stages)) in CHAINS.iter().enumerate() {
            let screen = raster::AnyProfile::Small.screen(Os::host(), raster::Config::default());
            let input = &mut Input::new(&[0x41; 256]);
            let mut world = World::new(&*screen, input).expect("a context whose state draws");
            assert_eq!(bind_chain(&mut world, stages), Ok(()), "chain {number}");
            let context = world.context();
            context.set_patch_vertices(4).expect("patches of four vertices");
            let query = context.create_query(QueryType::PrimitivesGenerated, 0).expect("a query");
            context.begin_query(query).expect("a query that is not active");
            let info = DrawInfo::new(*mode);
            assert_eq!(context.draw_vbo(&info, None, &[DrawStartCount::count(8)]), Ok(()));
            context.end_query(query).expect("an active query");
            let made = context.get_query_result(query, true).expect("a result");
            assert!(matches!(made, Some(QueryResult::U64(1..))), "chain {number}: {made:?}");
            world.end();
        }
    }
}
