// Particles that attract each other, a tile of them at a time in workgroup memory.
struct Particle { position: vec3f, mass: f32, speed: vec3f }
struct World { count: u32, time: f32, softening: f32 }
@group(0) @binding(0) var<uniform> world: World;
@group(0) @binding(1) var<storage, read> before: array<Particle>;
@group(0) @binding(2) var<storage, read_write> after: array<Particle>;

var<workgroup> tile: array<vec4f, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    let own = before[min(id.x, world.count - 1u)];
    var force = vec3f(0);
    for (var first = 0u; first < world.count; first += 64u) {
        let other = before[min(first + local, world.count - 1u)];
        tile[local] = vec4f(other.position, select(0.0, other.mass, first + local < world.count));
        workgroupBarrier();
        for (var k = 0u; k < 64u; k++) {
            let between = tile[k].xyz - own.position;
            let squared = dot(between, between) + world.softening;
            force += between * tile[k].w * inverseSqrt(squared * squared * squared);
        }
        workgroupBarrier();
    }
    if id.x < world.count {
        let speed = own.speed + force * world.time;
        after[id.x] = Particle(own.position + speed * world.time, own.mass, speed);
    }
}
