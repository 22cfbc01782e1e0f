//! Turning cubes on a floor, with the shadows of a lamp: a pass of depth alone, then one that compares with it.

use super::{Frame, buffer, clear, group, module, render, submit};
use crate::adapter::Gpu;

/// Cubes in a row; the floor is one more.
const ROW: u32 = 4;
const CUBES: u32 = ROW * ROW;

/// Texels per side of the lamp's picture.
const LAMP: u32 = 1024;

const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

const SHADER: &str = "
struct Scene { time: f32, row: f32 }

@group(0) @binding(0) var<uniform> scene: Scene;
@group(1) @binding(0) var lamp: texture_depth_2d;
@group(1) @binding(1) var compare: sampler_comparison;

const light = vec3f(-3.0, 9.0, 4.0);

/// Looks from `eye` to the middle of the floor.
fn look(eye: vec3f, place: vec3f, zoom: vec2f) -> vec4f {
    let back = normalize(eye);
    let right = normalize(cross(vec3f(0.0, 1.0, 0.0), back));
    let up = cross(back, right);
    let way = place - eye;
    let depth = -dot(way, back);
    let near = 1.0;
    let far = 30.0;
    let z = (depth - near) * far / (far - near);
    return vec4f(dot(way, right) * zoom.x, dot(way, up) * zoom.y, z, depth);
}

/// The normal and a corner of a face of a cube: vertices 6 n to 6 n + 5 are face n.
struct Face { place: vec3f, normal: vec3f }

fn face(vertex: u32) -> Face {
    let side = vertex / 6u;
    let corner = array(vec2f(-1.0, -1.0), vec2f(1.0, -1.0), vec2f(1.0, 1.0),
                       vec2f(-1.0, -1.0), vec2f(1.0, 1.0), vec2f(-1.0, 1.0))[vertex % 6u];
    let sign = select(-1.0, 1.0, side % 2u == 0u);
    let place = vec3f(corner.x * sign, corner.y, sign);
    let normal = vec3f(0.0, 0.0, sign);
    switch side / 2u {
        case 0u: { return Face(place, normal); }
        case 1u: { return Face(place.zxy, normal.zxy); }
        default: { return Face(place.yzx, normal.yzx); }
    }
}

fn solid(vertex: u32, index: u32) -> Face {
    var it = face(vertex);
    if index == 0u {
        return Face(it.place * vec3f(6.0, 0.1, 6.0) - vec3f(0.0, 1.2, 0.0), it.normal);
    }
    let i = f32(index - 1u);
    let turn = scene.time * (0.5 + i * 0.1) + i;
    let turned = mat3x3f(cos(turn), 0.0, sin(turn), 0.0, 1.0, 0.0, -sin(turn), 0.0, cos(turn));
    let tipped = mat3x3f(1.0, 0.0, 0.0, 0.0, cos(i), sin(i), 0.0, -sin(i), cos(i));
    let spot = vec3f(i % scene.row, 0.0, floor(i / scene.row)) - (scene.row - 1.0) / 2.0;
    let place = turned * tipped * it.place * 0.45 + vec3f(spot.x, 0.0, spot.z) * 2.2;
    return Face(place, turned * tipped * it.normal);
}

struct Corner {
    @builtin(position) place: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) index: u32,
}

@vertex
fn shade(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32)
    -> @builtin(position) vec4f {
    return look(light, solid(vertex, index).place, vec2f(1.3));
}

@vertex
fn vs(@builtin(vertex_index) vertex: u32, @builtin(instance_index) index: u32) -> Corner {
    let it = solid(vertex, index);
    return Corner(look(vec3f(5.0, 5.0, 8.0), it.place, vec2f(1.5, 2.0)), it.place, it.normal, index);
}

@fragment
fn fs(corner: Corner) -> @location(0) vec4f {
    let seen = look(light, corner.world, vec2f(1.3));
    let at = seen.xyz / seen.w;
    let texel = vec2f(at.x * 0.5 + 0.5, 0.5 - at.y * 0.5);
    var lit = 0.0;
    for (var i = 0; i < 4; i += 1) {
        let offset = (vec2f(f32(i % 2), f32(i / 2)) - 0.5) / 1024.0;
        lit += textureSampleCompareLevel(lamp, compare, texel + offset, at.z - 0.002) * 0.25;
    }
    let way = normalize(light - corner.world);
    let diffuse = max(dot(normalize(corner.normal), way), 0.0);
    let hue = f32(corner.index) * 1.7;
    let colour = vec3f(0.6) + 0.4 * cos(vec3f(hue, hue + 2.1, hue + 4.2));
    return vec4f(colour * (0.15 + 0.85 * lit * diffuse), 1.0);
}
";

fn depth_texture(gpu: &Gpu, width: u32, height: u32) -> wgpu::TextureView {
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: DEPTH,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}

fn cleared(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(1.0),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

/// Makes the program.
pub(super) fn make(gpu: &Gpu, texture: &wgpu::Texture) -> Frame {
    let module = module(gpu, SHADER);
    let state = wgpu::DepthStencilState {
        format: DEPTH,
        depth_write_enabled: Some(true),
        depth_compare: Some(wgpu::CompareFunction::Less),
        stencil: Default::default(),
        bias: Default::default(),
    };
    let shade = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("shade"),
            compilation_options: Default::default(),
            buffers: &[],
        },
        fragment: None,
        primitive: Default::default(),
        depth_stencil: Some(state.clone()),
        multisample: Default::default(),
        multiview_mask: None,
        cache: None,
    });
    let draw = render(gpu, &module, texture.format(), Some(state));
    let scene = buffer(gpu, &[0; 4], wgpu::BufferUsages::UNIFORM);
    let lamp = depth_texture(gpu, LAMP, LAMP);
    let depth = depth_texture(gpu, texture.width(), texture.height());
    let sampler = gpu.device.create_sampler(&wgpu::SamplerDescriptor {
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..Default::default()
    });
    let scenes = [&shade, &draw].map(|pipeline| {
        group(gpu, &pipeline.get_bind_group_layout(0), &[scene.as_entire_binding()])
    });
    let shadows = group(
        gpu,
        &draw.get_bind_group_layout(1),
        &[wgpu::BindingResource::TextureView(&lamp), wgpu::BindingResource::Sampler(&sampler)],
    );
    let (gpu, view) = (gpu.clone(), texture.create_view(&Default::default()));
    Box::new(move |frame| {
        let words = [frame as f32 * 0.05, ROW as f32].map(f32::to_bits);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        gpu.queue.write_buffer(&scene, 0, &bytes);
        submit(&gpu, |encoder| {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                depth_stencil_attachment: Some(cleared(&lamp)),
                ..Default::default()
            });
            pass.set_pipeline(&shade);
            pass.set_bind_group(0, &scenes[0], &[]);
            pass.draw(0..36, 0..CUBES + 1);
            drop(pass);
            let sky = wgpu::Color { r: 0.1, g: 0.15, b: 0.3, a: 1.0 };
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(clear(&view, sky))],
                depth_stencil_attachment: Some(cleared(&depth)),
                ..Default::default()
            });
            pass.set_pipeline(&draw);
            pass.set_bind_group(0, &scenes[1], &[]);
            pass.set_bind_group(1, &shadows, &[]);
            pass.draw(0..36, 0..CUBES + 1);
        });
    })
}
