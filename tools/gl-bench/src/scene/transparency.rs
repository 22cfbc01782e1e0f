//! Order-independent transparency: lists of fragments, linked by image atomics and sorted by depth.

use anyhow::{Result, anyhow};
use glow::HasContext;

use super::Scene;
use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// Number of layers over the surface, drawn as instances of a turned square.
const LAYERS: i32 = 8;

const VERTEX: &str = "
flat out vec4 tint;
out float depth;
void main() {
    float layer = float(gl_InstanceID);
    float angle = 0.7 * layer;
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 1.6 - 0.8;
    mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    // The order of depth is not the order of drawing.
    depth = fract(0.618 * layer) + 0.05 * corner.x;
    tint = vec4(0.5 + 0.5 * cos(layer + vec3(0.0, 2.0, 4.0)), 0.4);
    gl_Position = vec4(turn * corner, 0.0, 1.0);
}";

/// Inserts a fragment at the front of its pixel's list; number 0 ends a list.
const COLLECT: &str = "
layout(early_fragment_tests) in;
layout(r32ui, binding = 0) uniform uimage2D heads;
layout(std430, binding = 0) buffer Count { uint count; };
layout(std430, binding = 1) writeonly buffer Fragments { uvec4 fragments[]; };
flat in vec4 tint;
in float depth;
void main() {
    uint number = atomicAdd(count, 1u) + 1u;
    if (number < fragments.length()) {
        uint next = imageAtomicExchange(heads, ivec2(gl_FragCoord.xy), number);
        fragments[number] = uvec4(next, packUnorm4x8(tint), floatBitsToUint(depth), 0u);
    }
}";

/// Blends a pixel's fragments, the farthest first, and clears its list.
const BLEND: &str = "
layout(r32ui, binding = 0) uniform uimage2D heads;
layout(std430, binding = 1) readonly buffer Fragments { uvec4 fragments[]; };
layout(location = 0) out vec4 color;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    uint next = imageLoad(heads, at).x;
    imageStore(heads, at, uvec4(0));
    uvec2 list[8];
    int count = 0;
    while (next != 0u && count < 8) {
        uvec4 fragment = fragments[next];
        int place = count++;
        while (place > 0 && uintBitsToFloat(list[place - 1].y) < uintBitsToFloat(fragment.z)) {
            list[place] = list[place - 1];
            place--;
        }
        list[place] = fragment.yz;
        next = fragment.x;
    }
    vec3 sum = vec3(0.1, 0.15, 0.25);
    for (int i = 0; i < count; i++) {
        vec4 tint = unpackUnorm4x8(list[i].x);
        sum = mix(sum, tint.rgb, tint.a);
    }
    color = vec4(sum, 1.0);
}";

/// The scene.
pub(super) struct Transparency {
    collect: Program,
    blend: Program,
    /// The number of fragments, and the fragments of all lists.
    buffers: [glow::Buffer; 2],
}

impl Transparency {
    /// Creates the objects of the scene, and binds the image with the heads of the lists.
    pub(super) fn new(surface: &Surface) -> Result<Transparency> {
        // Fragments are numbered from 1, and a pixel has at most one fragment per layer.
        let fragments = 1 + (surface.width * surface.height * LAYERS) as usize;
        let stages = [(glow::VERTEX_SHADER, VERTEX), (glow::FRAGMENT_SHADER, COLLECT)];
        let gl = &surface.gl;
        // SAFETY: the context is current.
        unsafe {
            let heads = gl.create_texture().map_err(|error| anyhow!(error))?;
            gl.bind_texture(glow::TEXTURE_2D, Some(heads));
            let (width, height) = (surface.width, surface.height);
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::R32UI, width, height);
            let zeros = vec![0; 4 * (width * height) as usize];
            gl.tex_sub_image_2d(
                glow::TEXTURE_2D,
                0,
                0,
                0,
                width,
                height,
                glow::RED_INTEGER,
                glow::UNSIGNED_INT,
                glow::PixelUnpackData::Slice(Some(&zeros)),
            );
            gl.bind_image_texture(0, Some(heads), 0, false, 0, glow::READ_WRITE, glow::R32UI);
        }
        Ok(Transparency {
            collect: Program::of_memory(surface, &stages)?,
            blend: storage::whole_program(surface, BLEND)?,
            buffers: [storage::zeros(surface, 1)?, storage::zeros(surface, 4 * fragments)?],
        })
    }
}

impl Scene for Transparency {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        let gl = &surface.gl;
        storage::bind(surface, &self.buffers);
        self.collect.bind(surface);
        // SAFETY: the context is current; the program reads no vertex.
        unsafe {
            gl.bind_buffer(glow::SHADER_STORAGE_BUFFER, Some(self.buffers[0]));
            gl.buffer_sub_data_u8_slice(glow::SHADER_STORAGE_BUFFER, 0, &[0; 4]);
            gl.color_mask(false, false, false, false);
            gl.draw_arrays_instanced(glow::TRIANGLE_STRIP, 0, 4, LAYERS);
            gl.color_mask(true, true, true, true);
        }
        storage::written(surface);
        storage::draw_whole(surface, &self.blend);
        storage::written(surface);
        Ok(())
    }
}
