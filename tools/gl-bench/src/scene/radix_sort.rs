//! A radix sort of a million keys: four bits per pass, eight passes of three grids each.

use anyhow::Result;
use glow::HasContext;

use super::Scene;
use crate::program::Program;
use crate::storage;
use crate::surface::Surface;

/// Number of keys: 256 blocks of 256 invocations, a run of 16 keys per invocation.
const KEYS: u32 = 1 << 20;
const BLOCKS: u32 = 256;

/// Counts the digits of each block. The table has one row of blocks per digit.
const COUNT: &str = "
layout(local_size_x = 256) in;
layout(location = 0) uniform uint shift;
layout(std430, binding = 0) readonly buffer Keys { uint keys[]; };
layout(std430, binding = 2) writeonly buffer Table { uint table[]; };
shared uint counts[16];
void main() {
    uint lane = gl_LocalInvocationID.x, block = gl_WorkGroupID.x;
    if (lane < 16u) counts[lane] = 0u;
    barrier();
    for (uint i = 0u; i < 16u; i++) {
        uint key = keys[block * 4096u + i * 256u + lane];
        atomicAdd(counts[(key >> shift) & 15u], 1u);
    }
    barrier();
    if (lane < 16u) table[lane * 256u + block] = counts[lane];
}";

/// Replaces each of the 4096 words of the table by the sum of the words before it: one block, 16
/// words per invocation.
const SCAN: &str = "
layout(local_size_x = 256) in;
layout(std430, binding = 2) buffer Table { uint table[]; };
shared uint sums[256];
void main() {
    uint lane = gl_LocalInvocationID.x, first = 16u * lane, sum = 0u;
    for (uint i = 0u; i < 16u; i++) sum += table[first + i];
    sums[lane] = sum;
    for (uint step = 1u; step < 256u; step *= 2u) {
        barrier();
        uint before = lane < step ? 0u : sums[lane - step];
        barrier();
        sums[lane] += before;
    }
    uint place = sums[lane] - sum;
    for (uint i = 0u; i < 16u; i++) {
        uint count = table[first + i];
        table[first + i] = place;
        place += count;
    }
}";

/// Stores each key at its place: after the keys with the same digit in earlier blocks and earlier
/// runs. Shared memory has the counters of the runs, one row of runs per digit.
const SCATTER: &str = "
layout(local_size_x = 256) in;
layout(location = 0) uniform uint shift;
layout(std430, binding = 0) readonly buffer Keys { uint keys[]; };
layout(std430, binding = 1) writeonly buffer Sorted { uint sorted[]; };
layout(std430, binding = 2) readonly buffer Table { uint table[]; };
shared uint counts[16 * 256];
void main() {
    uint lane = gl_LocalInvocationID.x, block = gl_WorkGroupID.x;
    uint first = block * 4096u + 16u * lane;
    for (uint digit = 0u; digit < 16u; digit++) counts[digit * 256u + lane] = 0u;
    for (uint i = 0u; i < 16u; i++) counts[((keys[first + i] >> shift) & 15u) * 256u + lane]++;
    barrier();
    if (lane < 16u) {
        uint place = table[lane * 256u + block];
        for (uint run = 0u; run < 256u; run++) {
            uint count = counts[lane * 256u + run];
            counts[lane * 256u + run] = place;
            place += count;
        }
    }
    barrier();
    for (uint i = 0u; i < 16u; i++) {
        uint key = keys[first + i];
        sorted[counts[((key >> shift) & 15u) * 256u + lane]++] = key;
    }
}";

/// Shows the sorted keys row by row; greater keys are brighter.
const SHOW: &str = "
layout(std430, binding = 0) readonly buffer Keys { uint keys[]; };
layout(location = 0) out vec4 color;
void main() {
    uint at = uint(gl_FragCoord.y) * 640u + uint(gl_FragCoord.x);
    uint key = keys[at * 3u];
    color = vec4(vec3(uvec3(key >> 24, key >> 23, key >> 22) & 255u) / 255.0, 1.0);
}";

/// The scene.
pub(super) struct RadixSort {
    count: Program,
    scan: Program,
    scatter: Program,
    show: Program,
    /// The keys of the first pass, which frames do not change.
    keys: glow::Buffer,
    /// The keys before and after a pass, alternately.
    sorted: [glow::Buffer; 2],
    table: glow::Buffer,
}

impl RadixSort {
    /// Creates the objects of the scene.
    pub(super) fn new(surface: &Surface) -> Result<RadixSort> {
        let mut random = 1u64;
        let keys: Vec<u32> = (0..KEYS)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 32) as u32
            })
            .collect();
        Ok(RadixSort {
            count: storage::grid_program(surface, COUNT)?,
            scan: storage::grid_program(surface, SCAN)?,
            scatter: storage::grid_program(surface, SCATTER)?,
            show: storage::whole_program(surface, SHOW)?,
            keys: storage::buffer(surface, &keys)?,
            sorted: [storage::buffer(surface, &keys)?, storage::buffer(surface, &keys)?],
            table: storage::zeros(surface, 16 * BLOCKS as usize)?,
        })
    }

    /// Sets the bit position of a program's digit.
    fn shift(&self, surface: &Surface, program: &Program, shift: u32) {
        program.bind(surface);
        let location = glow::NativeUniformLocation(0);
        // SAFETY: the context is current; the program is in use and has the uniform at location 0.
        unsafe { surface.gl.uniform_1_u32(Some(&location), shift) }
    }
}

impl Scene for RadixSort {
    fn draw(&self, surface: &Surface, _frame: u32) -> Result<()> {
        let mut from = self.keys;
        for pass in 0..8 {
            let to = self.sorted[pass as usize % 2];
            storage::bind(surface, &[from, to, self.table]);
            self.shift(surface, &self.count, 4 * pass);
            storage::launch(surface, &self.count, [BLOCKS, 1]);
            storage::launch(surface, &self.scan, [1, 1]);
            self.shift(surface, &self.scatter, 4 * pass);
            storage::launch(surface, &self.scatter, [BLOCKS, 1]);
            from = to;
        }
        storage::bind(surface, &[from]);
        storage::draw_whole(surface, &self.show);
        Ok(())
    }
}
