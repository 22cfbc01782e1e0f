#version 450
#pragma shader_stage(vertex)
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 color;
layout(location = 1) out float depth;

void main() {
    color = position;
    depth = position.z;
    gl_Position = vec4(position, 1.0);
}
