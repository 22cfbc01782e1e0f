#version 450
layout(set = 0, binding = 0) uniform Fog { vec4 color; float density; } fog;
layout(location = 0) in vec3 color;
layout(location = 1) in float depth;
layout(location = 0) out vec4 result;

void main() {
    float clear = 1.0 / (1.0 + fog.density * depth * depth);
    result = vec4(mix(fog.color.rgb, color, clear), 1.0);
}
