//! A histogram of a million words, counted by atomics in shared memory, and then in a buffer.

use anyhow::Result;

use super::Scene;
use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// Number of words to count: 256 blocks of 256 invocations, 16 words per invocation.
const WORDS: u32 = 1 << 20;

/// Sets the bins to zero.
const CLEAR: &str = "
layout(local_size_x = 256) in;
layout(std430, binding = 1) buffer Bins { uint bins[256]; };
void main() { bins[gl_LocalInvocationID.x] = 0u; }";

/// Counts the lowest bytes of the words; each block counts in shared memory first.
const COUNT: &str = "
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer Words { uint words[]; };
layout(std430, binding = 1) buffer Bins { uint bins[256]; };
shared uint counts[256];
void main() {
    uint lane = gl_LocalInvocationID.x;
    counts[lane] = 0u;
    barrier();
    uint first = gl_WorkGroupID.x * 4096u + lane;
    for (uint i = 0u; i < 16u; i++) atomicAdd(counts[words[first + 256u * i] & 255u], 1u);
    barrier();
    atomicAdd(bins[lane], counts[lane]);
}";

/// Shows one bar per bin, as high as its count.
const SHOW: &str = "
layout(std430, binding = 1) readonly buffer Bins { uint bins[256]; };
layout(location = 0) out vec4 color;
void main() {
    uint bin = uint(gl_FragCoord.x * 0.4);
    float height = float(bins[bin]) / 20.0;
    color = gl_FragCoord.y < height ? vec4(float(bin) / 255.0, 0.6, 0.9, 1.0) : vec4(0.1);
}";

/// The scene.
pub(super) struct Histogram {
    clear: Program,
    count: Program,
    show: Program,
    buffers: [glow::Buffer; 2],
}

impl Histogram {
    /// Creates the objects of the scene. The bytes of the words are sums of two bytes, so that
    /// middle values are the most frequent.
    pub(super) fn new(surface: &Surface) -> Result<Histogram> {
        let words: Vec<u32> = (0..WORDS)
            .map(|index| {
                let random = index.wrapping_mul(2_654_435_761) ^ (index >> 7);
                let [a, b, ..] = random.wrapping_mul(0x9e37_79b9).to_be_bytes();
                (u32::from(a) + u32::from(b)) / 2
            })
            .collect();
        Ok(Histogram {
            clear: storage::grid_program(surface, CLEAR)?,
            count: storage::grid_program(surface, COUNT)?,
            show: storage::whole_program(surface, SHOW)?,
            buffers: [storage::buffer(surface, &words)?, storage::zeros(surface, 256)?],
        })
    }
}

impl Scene for Histogram {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        storage::bind(surface, &self.buffers);
        storage::launch(surface, &self.clear, [1, 1]);
        storage::launch(surface, &self.count, [WORDS / 4096, 1]);
        storage::draw_whole(surface, &self.show);
        Ok(())
    }
}
