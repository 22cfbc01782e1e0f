//! Pipelines of the shaders that a program brings.

use core::ffi::c_void;

use gallium::kit;
use gallium::pipe_core::context::ResourceBinding;
use gallium::pipe_core::{ConstantBuffer, ShaderType, VertexElement};
use gallium::tgsi::program::Program;

use super::{bytes, device, object, place, reference, shader_words};
use crate::data::{Shader, Surface};
use crate::error::{Code, Fault};
use crate::object::{Gallium, Mesh, Pipeline, Shaded, Texture, answer, hand_over};
use crate::shader;

/// True if the archive draws with shaders of headers. Other archives drop these functions' code: as
/// a second caller of the kit it would make the code of materials larger.
/// cbindgen:ignore
const SHADERS: bool = cfg!(feature = "shaders");

/// Creates a pipeline of two shaders, for meshes with the layout of `mesh`. `cargo xtask wgsl --c`
/// and `cargo xtask tgsi --c` write shaders into headers.
///
/// The vertex shader reads the position at location 0, the normal at 1, the texture coordinate at 2
/// and the colour at 3; in TGSI these are `IN[0]` to `IN[3]`. `surface` is a constant of
/// `gallium_surface`.
///
/// Needs an archive with the feature `shaders`, and what the fragment shader needs: `mesh` for
/// interpolated colours or one texture, `textured` for products of these, `any` for any other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_pipeline_create(
    gallium: *mut Gallium,
    mesh: *const Mesh,
    surface: u32,
    vertex: *const Shader,
    fragment: *const Shader,
    pipeline: *mut *mut Pipeline,
) -> Code {
    // SAFETY: null or valid, as the header demands; so are the words.
    let (device, mesh, vertex, fragment, pipeline) = unsafe {
        let device = device(gallium);
        let words = |shader| reference(shader).and_then(|shader| shader_words(shader));
        (device, object(device, mesh), words(vertex), words(fragment), place(pipeline))
    };
    answer(device, |raster| {
        if !SHADERS {
            return Err(Code::Unsupported.into());
        }
        let (layout, pipeline) = (mesh?.layout, pipeline?);
        let surface = Surface::of(surface)?;
        let vertex = shader::program(vertex?, raster.memory)?;
        let fragment = shader::program(fragment?, raster.memory)?;
        let (elements, count) = elements(&layout, vertex)?;
        let elements = elements.get(..count).unwrap_or(&elements);
        let state = kit::PipelineState { vertex, fragment, elements, surface: &surface };
        let made = Shaded {
            pipeline: kit::Pipeline::new(raster, &state)?,
            layout,
            constants: [vertex, fragment].map(shader::constant_bytes),
            samples: !fragment.samplers.is_empty(),
        };
        Ok(hand_over(raster.memory, made, pipeline)?)
    })
}

/// Returns the vertex elements at the locations 0 to 3, and the number of them that a shader reads.
fn elements(
    layout: &kit::Layout,
    vertex: &Program<'_>,
) -> Result<([VertexElement; 4], usize), Fault> {
    let all = [Some(layout.position), layout.normal, layout.uv, layout.color];
    let mut count = 0;
    for input in vertex.inputs {
        let at = usize::from(input.register);
        if all.get(at).copied().flatten().is_none() {
            return Err(Code::WrongLayout.into());
        }
        count = count.max(at.saturating_add(1));
    }
    // A location that the shader does not read needs an element, too, if a later location is read.
    Ok((all.map(|element| element.unwrap_or(layout.position)), count))
}

/// Draws a mesh, which has the layout that the pipeline was made for.
///
/// `constants` are the uniform buffer of both shaders, in TGSI `CONST[0]` and on; the headers of
/// shaders have structs for them. They are copied. Null, with 0 bytes, for shaders without one.
/// `texture` may be null for a fragment shader that samples none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gallium_pipeline_draw(
    gallium: *mut Gallium,
    pipeline: *const Pipeline,
    mesh: *const Mesh,
    texture: *const Texture,
    constants: *const c_void,
    constant_bytes: usize,
) -> Code {
    // SAFETY: null or valid, as the header demands. The driver copies the constants in this call.
    let (device, pipeline, mesh, texture, constants) = unsafe {
        let device = device(gallium);
        let texture = (!texture.is_null()).then(|| object(device, texture)).transpose();
        let constants = bytes(constants, constant_bytes);
        (device, object(device, pipeline), object(device, mesh), texture, constants)
    };
    answer(device, |raster| {
        if !SHADERS {
            return Err(Code::Unsupported.into());
        }
        let (shaded, mesh, texture, constants) = (pipeline?, mesh?, texture?, constants?);
        if shaded.layout != mesh.layout {
            return Err(Code::WrongLayout.into());
        }
        if shaded.samples && texture.is_none() {
            return Err(Code::NullPointer.into());
        }
        if shaded.constants.iter().any(|needed| *needed > constants.len()) {
            return Err(Code::Invalid.into());
        }
        shaded.pipeline.bind(raster)?;
        if let Some(texture) = texture {
            texture.bind(raster, 0)?;
        }
        for (needed, stage) in
            shaded.constants.iter().zip([ShaderType::Vertex, ShaderType::Fragment])
        {
            if *needed > 0 || !constants.is_empty() {
                let constants = Some(ConstantBuffer::User(constants));
                raster.context.set_constant_buffer(stage, 0, constants)?;
            }
        }
        Ok(mesh.draw(raster)?)
    })
}
