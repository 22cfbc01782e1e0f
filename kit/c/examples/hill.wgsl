struct Hill {
    // From model to clip space.
    clip_from_model: mat4x4f,
    // The summit: its height is y.
    summit: vec3f,
    // The colours at the foot and at the summit.
    green: vec3f,
    white: vec3f,
}
@group(0) @binding(0) var<uniform> hill: Hill;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) color: vec3f,
}

// Lifts a corner of a plane, the more the nearer to the summit.
@vertex fn vs(@location(0) position: vec3f) -> Corner {
    let away = position.xz - hill.summit.xz;
    let share = 1.0 / (1.0 + 8.0 * dot(away, away));
    let place = vec3f(position.x, hill.summit.y * share, position.z);
    return Corner(hill.clip_from_model * vec4f(place, 1.0), mix(hill.green, hill.white, share));
}

@fragment fn fs(@location(0) color: vec3f) -> @location(0) vec4f {
    return vec4f(color, 1.0);
}
