// Conway's game of life. A cell is a word that is also a vertex: column, row, 255 if it is alive, 0.

const COLUMNS = 32u;
const ROWS = 24u;
const ALIVE = 0xff0000u;

@group(0) @binding(0) var<storage, read> now: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

// The first generation: three bits of a product of the cell's number decide.
@compute @workgroup_size(COLUMNS)
fn seed(@builtin(local_invocation_id) thread: vec3u, @builtin(workgroup_id) block: vec3u) {
    let number = block.y * COLUMNS + thread.x;
    let alive = ((number * 2654435761u) >> 29) < 3;
    next[number] = select(0, ALIVE, alive) | (block.y * 256 + thread.x);
}

// 1 if a cell is alive.
fn alive(column: u32, row: u32) -> u32 {
    return now[row * COLUMNS + column] >> 23;
}

// The next generation.
@compute @workgroup_size(COLUMNS)
fn step(@builtin(local_invocation_id) thread: vec3u, @builtin(workgroup_id) block: vec3u) {
    // The columns left, here and right; the rows above, here and below.
    let x = (thread.x + vec3u(COLUMNS - 1, 0, 1)) & vec3u(COLUMNS - 1);
    let y = (block.y + vec3u(ROWS - 1, 0, 1)) % ROWS;
    let neighbours = alive(x.x, y.x) + alive(x.y, y.x) + alive(x.z, y.x)
        + alive(x.x, y.y) + alive(x.z, y.y)
        + alive(x.x, y.z) + alive(x.y, y.z) + alive(x.z, y.z);
    let at = y.y * COLUMNS + x.y;
    let cell = now[at];
    // Alive with three neighbours, or with two if it is alive now.
    let lives = (neighbours | (cell >> 23)) == 3;
    next[at] = select(0, ALIVE, lives) | (cell & 0xffff);
}

struct Colored { @builtin(position) position: vec4f, @location(0) color: vec3f }

// The centre of a cell; beyond the far plane if it is dead. Row and column determine the colour.
@vertex fn cell_vertex(@location(0) cell: vec4f) -> Colored {
    let place = cell.xy * vec2f(15.9375, -21.25) + vec2f(-0.96875, 0.9583333);
    let color = cell.xy * vec2f(4.0, 8.0) + 0.3;
    return Colored(vec4f(place, cell.z * -2.0 + 2.0, 1.0), vec3f(color, 0.9));
}
