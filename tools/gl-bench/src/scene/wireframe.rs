//! A mesh with its edges: a geometry shader adds barycentric coordinates to the vertices of a
//! triangle.

use anyhow::Result;

use super::turned::{BEFORE_GEOMETRY, Shaders, Turned, passed};
use crate::mesh::Mesh;
use crate::surface::Surface;

const SHADERS: Shaders = Shaders {
    vertex: BEFORE_GEOMETRY,
    geometry: passed!(
        "out vec3 corner;",
        "n = n_in[i] + 0.0 * vec3(t_in[i], 0.0); corner = vec3(i == 0, i == 1, i == 2);"
    ),
    // Near an edge, within a pixel and a half, one of the coordinates is close to 0.
    fragment: "
in vec3 n;
in vec3 corner;
void main() {
    vec3 away = corner / fwidth(corner);
    float edge = 1.0 - smoothstep(0.5, 1.5, min(min(away.x, away.y), away.z));
    vec3 skin = vec3(0.2, 0.3, 0.4) + 0.4 * abs(n.z);
    gl_FragColor = vec4(mix(skin, vec3(1.0, 0.9, 0.3), edge), 1.0);
}",
};

/// Creates the scene.
///
/// # Errors
/// A shader that does not compile.
pub(super) fn scene(surface: &Surface) -> Result<Turned> {
    Turned::with_geometry(surface, &Mesh::torus(200, 50), &SHADERS)
}
