//! A flock: every bird looks at all others, and is drawn as a triangle.

use super::{Frame, buffer, clear, compute, group, module, render, submit};
use crate::adapter::Gpu;

const BIRDS: u32 = 1500;

const MOVE: &str = "
struct Bird { place: vec2f, speed: vec2f }

@group(0) @binding(0) var<storage> before: array<Bird>;
@group(0) @binding(1) var<storage, read_write> after: array<Bird>;

@compute @workgroup_size(64)
fn fly(@builtin(global_invocation_id) id: vec3u) {
    let count = arrayLength(&before);
    if id.x >= count {
        return;
    }
    var bird = before[id.x];
    var centre = vec2f(0.0);
    var away = vec2f(0.0);
    var together = vec2f(0.0);
    var near = 0.0;
    var along = 0.0;
    for (var i = 0u; i < count; i += 1u) {
        if i == id.x {
            continue;
        }
        let other = before[i];
        let far = distance(other.place, bird.place);
        if far < 0.1 {
            centre += other.place;
            near += 1.0;
        }
        if far < 0.025 {
            away -= other.place - bird.place;
            together += other.speed;
            along += 1.0;
        }
    }
    if near > 0.0 {
        bird.speed += (centre / near - bird.place) * 0.02;
    }
    if along > 0.0 {
        bird.speed += together / along * 0.005;
    }
    bird.speed += away * 0.05;
    bird.speed = normalize(bird.speed) * clamp(length(bird.speed), 0.0, 0.1);
    bird.place += bird.speed * 0.04;
    bird.place = select(bird.place, -sign(bird.place), abs(bird.place) > vec2f(1.0));
    after[id.x] = bird;
}
";

const DRAW: &str = "
struct Bird { place: vec2f, speed: vec2f }

@group(0) @binding(0) var<storage> birds: array<Bird>;

struct Corner { @builtin(position) place: vec4f, @location(0) colour: vec4f }

@vertex
fn vs(@builtin(vertex_index) corner: u32, @builtin(instance_index) index: u32) -> Corner {
    let bird = birds[index];
    let way = normalize(bird.speed);
    let at = array(vec2f(-0.02, -0.01), vec2f(-0.02, 0.01), vec2f(0.02, 0.0))[corner];
    let place = bird.place + vec2f(at.x * way.x - at.y * way.y, at.x * way.y + at.y * way.x);
    return Corner(vec4f(place, 0.0, 1.0), vec4f(way * 0.5 + 0.5, 1.0 - way.x, 1.0));
}

@fragment
fn fs(corner: Corner) -> @location(0) vec4f {
    return corner.colour;
}
";

/// Returns places and speeds that look random.
fn birds() -> Vec<u32> {
    let mut state = 1u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..BIRDS)
        .flat_map(|_| [next(), next(), next() * 0.1, next() * 0.1].map(f32::to_bits))
        .collect()
}

/// Makes the program.
pub(super) fn make(gpu: &Gpu, texture: &wgpu::Texture) -> Frame {
    let fly = compute(gpu, MOVE);
    let draw = render(gpu, &module(gpu, DRAW), texture.format(), None);
    let flocks = [0, 1].map(|_| buffer(gpu, &birds(), wgpu::BufferUsages::STORAGE));
    let [first, second] = &flocks;
    let layout = fly.get_bind_group_layout(0);
    let moves = [(first, second), (second, first)].map(|(before, after)| {
        group(gpu, &layout, &[before.as_entire_binding(), after.as_entire_binding()])
    });
    let layout = draw.get_bind_group_layout(0);
    let drawn = [second, first].map(|flock| group(gpu, &layout, &[flock.as_entire_binding()]));
    let (gpu, view) = (gpu.clone(), texture.create_view(&Default::default()));
    Box::new(move |frame| {
        let turn = frame as usize % 2;
        submit(&gpu, |encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&fly);
            pass.set_bind_group(0, &moves[turn], &[]);
            pass.dispatch_workgroups(BIRDS.div_ceil(64), 1, 1);
            drop(pass);
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(clear(&view, wgpu::Color::BLACK))],
                ..Default::default()
            });
            pass.set_pipeline(&draw);
            pass.set_bind_group(0, &drawn[turn], &[]);
            pass.draw(0..3, 0..BIRDS);
        });
    })
}
