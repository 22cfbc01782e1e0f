//! State objects, shaders, surfaces, views, queries: created, bound and destroyed in any order.

use pipe_core::query::{QueryValueType, RenderConditionMode};
use pipe_core::*;

use super::shaders::SHADERS;
use super::world::World;
use super::{Call, states};
use crate::Input;

pub(super) const CALLS: &[Call] = &[
    blend,
    depth_stencil_alpha,
    rasterizer,
    sampler,
    vertex_elements,
    shader,
    shader,
    surface,
    surface,
    sampler_view,
    sampler_view,
    query,
    query_step,
    query_step,
    condition,
    destroy,
];

fn blend(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let made = world.context().create_blend_state(&states::blend(input));
    world.blends.add(made);
    let handle = made.ok().or_else(|| world.blends.or_none(input));
    let _ = world.context().bind_blend_state(handle);
}

fn depth_stencil_alpha(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let state = states::depth_stencil_alpha(input);
    let made = world.context().create_depth_stencil_alpha_state(&state);
    world.depths.add(made);
    let handle = made.ok().or_else(|| world.depths.or_none(input));
    let _ = world.context().bind_depth_stencil_alpha_state(handle);
}

fn rasterizer(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let made = world.context().create_rasterizer_state(&states::rasterizer(input));
    world.rasterizers.add(made);
    let handle = made.ok().or_else(|| world.rasterizers.or_none(input));
    let _ = world.context().bind_rasterizer_state(handle);
}

/// Returns a stage, mostly the fragment shader.
fn stage(input: &mut Input<'_>) -> ShaderType {
    if input.once_in(3) { input.pick(ShaderType::ALL) } else { ShaderType::Fragment }
}

/// Returns a first slot, mostly 0.
fn slot(input: &mut Input<'_>) -> usize {
    if input.once_in(4) { input.up_to(16) as usize } else { 0 }
}

fn sampler(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let made = world.context().create_sampler_state(&states::sampler(input));
    world.samplers.add(made);
    let (stage, start) = (stage(input), slot(input));
    let samplers = input.list(3, |input| world.samplers.or_none(input));
    let _ = world.context().bind_sampler_states(stage, start, &samplers);
}

fn vertex_elements(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let most = if input.once_in(8) { 34 } else { 4 };
    let elements = input.list(most, states::vertex_element);
    let made = world.context().create_vertex_elements_state(&elements);
    world.elements.add(made);
    let handle = made.ok().or_else(|| world.elements.or_none(input));
    let _ = world.context().bind_vertex_elements_state(handle);
}

/// Creates and binds a shader, sometimes with stream output.
fn shader(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let (made_for, text) = input.pick(&SHADERS);
    let stage = if input.once_in(16) { input.pick(ShaderType::ALL) } else { made_for };
    let outputs = if input.once_in(3) {
        let most = if input.once_in(8) { 70 } else { 3 };
        input.list(most, |input| StreamOutput {
            register_index: input.up_to(4) as u8,
            start_component: input.up_to(3) as u8,
            num_components: input.up_to(4) as u8,
            output_buffer: input.up_to(3) as u8,
            dst_offset: input.up_to(8) as u16,
            stream: if input.once_in(8) { input.byte() } else { 0 },
        })
    } else {
        Vec::new()
    };
    let stride = input.array(|input| input.up_to(12) as u16);
    let state = ShaderState {
        source: ShaderSource::Text(text),
        stream_output: StreamOutputInfo { stride, outputs: &outputs },
    };
    let made = world.context().create_shader_state(stage, &state);
    world.shaders.add(made);
    let handle = made.ok().or_else(|| world.shaders.or_none(input));
    let _ = world.context().bind_shader_state(stage, handle);
    let _ = world.context().link_shader(&[handle; ShaderType::COUNT]);
}

fn surface(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let template = world.screen.resource_template(resource).unwrap_or_default();
    let first_layer = if input.once_in(3) { input.up_to(6) } else { 0 };
    let layers = if input.once_in(6) { input.up_to(6) } else { 0 };
    let range = if template.is_buffer() {
        SurfaceRange::Buffer { first_element: input.up_to(16), last_element: input.up_to(64) }
    } else {
        let level = if input.once_in(3) { input.up_to(4) } else { 0 };
        SurfaceRange::Texture { level, first_layer, last_layer: first_layer.wrapping_add(layers) }
    };
    let template = SurfaceTemplate {
        format: if input.once_in(4) { states::format(input) } else { template.format },
        nr_samples: if input.once_in(24) { input.byte() } else { 0 },
        range,
    };
    let made = world.context().create_surface(resource, &template);
    world.surfaces.add(made);
}

/// Creates a view, possibly of a render target, and binds some views.
fn sampler_view(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(resource) = world.resources.any(input) else { return };
    let template = world.screen.resource_template(resource).unwrap_or_default();
    let mut view = SamplerViewTemplate::whole(&template);
    if input.once_in(3) {
        view.format = states::format(input);
        view.target = input.pick(TextureTarget::ALL);
        view.swizzle = input.array(|input| input.pick(Swizzle::ALL));
        view.range = if template.is_buffer() != input.once_in(16) {
            SamplerViewRange::Buffer { offset: input.up_to(64), size: input.up_to(1024) }
        } else {
            let [first_level, last_level] = input.array(|input| input.up_to(3));
            let [first_layer, last_layer] = input.array(|input| input.up_to(6));
            SamplerViewRange::Texture { first_level, last_level, first_layer, last_layer }
        };
    }
    let made = world.context().create_sampler_view(resource, &view);
    world.views.add(made);
    let (stage, start) = (stage(input), slot(input));
    let views = input.list(3, |input| world.views.or_none(input));
    let _ = world.context().set_sampler_views(stage, start, &views);
}

fn query(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let kind = input.pick(QueryType::ALL);
    let index = input.up_to(3);
    let made = world.context().create_query(kind, index);
    world.queries.add(made);
    if let Ok(query) = made {
        let _ = world.context().begin_query(query);
    }
}

fn query_step(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let Some(query) = world.queries.any(input) else { return };
    let buffer = world.resources.any(input);
    let context = world.context();
    match input.below(5) {
        0 => {
            let _ = context.begin_query(query);
        }
        1 => {
            let _ = context.end_query(query);
        }
        2 => {
            let _ = context.get_query_result(query, input.flag());
        }
        3 => {
            let kind = input.pick(QueryValueType::ALL);
            let index = if input.flag() { Some(input.up_to(11)) } else { None };
            let _ = buffer.map(|buffer| {
                let (wait, offset) = (input.flag(), input.up_to(64));
                context.get_query_result_resource(query, wait, kind, index, buffer, offset)
            });
        }
        _ => context.set_active_query_state(input.flag()),
    }
}

fn condition(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    let query = if input.flag() { world.queries.any(input) } else { None };
    let buffer = world.resources.any(input);
    let (condition, mode) = (input.flag(), input.pick(RenderConditionMode::ALL));
    let _ = world.context().render_condition(query, condition, mode);
    if let (Some(buffer), true) = (buffer, input.once_in(8)) {
        let _ = world.context().render_condition_mem(buffer, input.up_to(64), condition);
    }
}

/// Destroys one object of any kind, bound or not.
fn destroy(world: &mut World<'_, '_>, input: &mut Input<'_>) {
    match input.below(12) {
        0 => drop(world.blends.take(input).map(|it| world.context().delete_blend_state(it))),
        1 => drop(
            world.depths.take(input).map(|it| world.context().delete_depth_stencil_alpha_state(it)),
        ),
        2 => drop(
            world.rasterizers.take(input).map(|it| world.context().delete_rasterizer_state(it)),
        ),
        3 => drop(world.samplers.take(input).map(|it| world.context().delete_sampler_state(it))),
        4 => drop(
            world.elements.take(input).map(|it| world.context().delete_vertex_elements_state(it)),
        ),
        5 => drop(world.shaders.take(input).map(|it| world.context().delete_shader_state(it))),
        6 => drop(world.surfaces.take(input).map(|it| world.context().surface_destroy(it))),
        7 => drop(world.views.take(input).map(|it| world.context().sampler_view_destroy(it))),
        8 => drop(world.queries.take(input).map(|it| world.context().destroy_query(it))),
        9 => drop(
            world.targets.take(input).map(|it| world.context().stream_output_target_destroy(it)),
        ),
        10 => drop(world.transfers.take(input).map(|it| world.context().transfer_unmap(it))),
        _ => {
            if let Some(resource) = world.resources.take(input) {
                world.destroy(resource);
            }
        }
    }
}
