//! Materials: ready shaders with their constants.
//!
//! Each constructor names its shaders, so the flash holds only the shaders of the materials that a
//! program makes.

use glam::{Mat4, Vec4};
use pipe_core::context::ResourceBinding;
use pipe_core::{ConstantBuffer, PipeError, ShaderType, VertexElement};
use tgsi::program::Program;

use crate::camera::Camera;
use crate::device::Device;
use crate::light::{Axes, Fog, Light};
use crate::mesh::{Layout, Mesh};
use crate::pipeline::{Pipeline, PipelineState, Surface};
use crate::shaders;
use crate::texture::Texture;

/// The camera, light and fog of a picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct View {
    /// The camera.
    pub camera: Camera,
    /// The light.
    pub light: Light,
    /// The fog.
    pub fog: Fog,
}

impl From<Camera> for View {
    fn from(camera: Camera) -> Self {
        View { camera, light: Light::default(), fog: Fog::NONE }
    }
}

/// The number of constants of a vertex shader, which tells the parts of a [`View`] that it reads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Constants {
    /// The map to clip space.
    Clip = 4,
    /// And the light and the material's colour.
    Light = 6,
    /// And the fog.
    Fog = 8,
    /// And the lamp.
    Lamp = 10,
}

/// A pipeline with ready shaders, and the values that they need.
///
/// Its fields can be changed between draws. For own shaders use [`Pipeline`] and
/// [`Mesh::draw`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Material {
    /// The shaders and state objects.
    pub pipeline: Pipeline,
    /// The colour: red, green, blue, alpha.
    pub color: Vec4,
    /// The texture; `None` for materials without one.
    pub texture: Option<Texture>,
    constants: Constants,
}

/// The white material colour.
const WHITE: Vec4 = Vec4::ONE;

/// Returns an attribute that a material needs.
fn needed(
    attribute: Option<VertexElement>,
    what: &'static str,
) -> Result<VertexElement, PipeError> {
    attribute.ok_or(PipeError::Unbound(what))
}

const NORMALS: &str = "the normals of the mesh, which this material needs,";
const UVS: &str = "the texture coordinates of the mesh, which this material needs,";
const COLORS: &str = "the colours of the mesh, which this material needs,";

impl Material {
    /// Creates a material that shows the colours of the vertices.
    ///
    /// # Errors
    /// The vertices have no colours; see [`Pipeline::new`].
    pub fn colored<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
    ) -> Result<Self, PipeError> {
        let elements = [layout.position, needed(layout.color, COLORS)?];
        Self::new(device, [&shaders::COLORED, &shaders::COLOR], &elements, surface, Constants::Clip)
    }

    /// Creates a material of one colour without light.
    ///
    /// # Errors
    /// See [`Pipeline::new`].
    pub fn plain<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        let programs = [&shaders::PLAIN, &shaders::COLOR];
        let plain = Self::new(device, programs, &[layout.position], surface, Constants::Light)?;
        Ok(Material { color, ..plain })
    }

    /// Creates a material of one colour, lit by the sun per vertex.
    ///
    /// # Errors
    /// The vertices have no normals; see [`Pipeline::new`].
    pub fn lit<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        Self::lit_by(&shaders::LIT, Constants::Light, device, layout, surface, color)
    }

    /// Creates a material that shows the colours of the vertices, lit by the sun per vertex.
    ///
    /// # Errors
    /// The vertices have no normals or no colours; see [`Pipeline::new`].
    pub fn colored_lit<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
    ) -> Result<Self, PipeError> {
        let normal = needed(layout.normal, NORMALS)?;
        let elements = [layout.position, normal, needed(layout.color, COLORS)?];
        let programs = [&shaders::COLORED_LIT, &shaders::COLOR];
        Self::new(device, programs, &elements, surface, Constants::Light)
    }

    /// Creates a material of one colour, lit by the sun per vertex, in fog.
    ///
    /// # Errors
    /// The vertices have no normals; see [`Pipeline::new`].
    pub fn lit_fogged<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        Self::lit_by(&shaders::LIT_FOGGED, Constants::Fog, device, layout, surface, color)
    }

    /// Creates a material of one colour, lit by the sun and the lamp per vertex, in fog.
    ///
    /// # Errors
    /// The vertices have no normals; see [`Pipeline::new`].
    pub fn lamplit<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        Self::lit_by(&shaders::LAMPLIT, Constants::Lamp, device, layout, surface, color)
    }

    /// Creates a material that shows a texture.
    ///
    /// # Errors
    /// The vertices have no texture coordinates; see [`Pipeline::new`].
    pub fn textured<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        texture: Texture,
    ) -> Result<Self, PipeError> {
        let elements = [layout.position, needed(layout.uv, UVS)?];
        let programs = [&shaders::TEXTURED, &shaders::TEXEL];
        let textured = Self::new(device, programs, &elements, surface, Constants::Clip)?;
        Ok(Material { texture: Some(texture), ..textured })
    }

    /// Creates a material that shows a texture times a colour.
    ///
    /// # Errors
    /// The vertices have no texture coordinates; see [`Pipeline::new`].
    pub fn textured_tinted<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        texture: Texture,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        let elements = [layout.position, needed(layout.uv, UVS)?];
        let programs = [&shaders::TEXTURED_TINTED, &shaders::TEXEL_TIMES_COLOR];
        let tinted = Self::new(device, programs, &elements, surface, Constants::Light)?;
        Ok(Material { texture: Some(texture), color, ..tinted })
    }

    /// Creates a material that shows a texture times a colour, lit by the sun per vertex.
    ///
    /// # Errors
    /// The vertices have no normals or texture coordinates; see [`Pipeline::new`].
    pub fn textured_lit<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        texture: Texture,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        let elements = Self::lit_and_textured(layout)?;
        let programs = [&shaders::TEXTURED_LIT, &shaders::TEXEL_TIMES_COLOR];
        let lit = Self::new(device, programs, &elements, surface, Constants::Light)?;
        Ok(Material { texture: Some(texture), color, ..lit })
    }

    /// Creates a material that shows a texture in light without a product per pixel: the texture has
    /// sixteen brightnesses, one below the other, and each vertex selects one by the light of the
    /// sun. Give the corners of a face one normal.
    ///
    /// Texture coordinates from 0 to 1 are within one brightness. The RGB565 kernel alone draws it.
    ///
    /// # Errors
    /// The vertices have no normals or texture coordinates; see [`Pipeline::new`].
    pub fn shaded<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        texture: Texture,
    ) -> Result<Self, PipeError> {
        let elements = Self::lit_and_textured(layout)?;
        let programs = [&shaders::SHADED, &shaders::TEXEL];
        let shaded = Self::new(device, programs, &elements, surface, Constants::Light)?;
        Ok(Material { texture: Some(texture), ..shaded })
    }

    /// Returns the material with another colour.
    #[must_use]
    pub fn with_color(self, color: Vec4) -> Self {
        Material { color, ..self }
    }

    /// Creates a material of one colour, lit per vertex by a shader that reads these constants.
    fn lit_by<'m>(
        shader: &'static Program<'static>,
        constants: Constants,
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
        color: Vec4,
    ) -> Result<Self, PipeError> {
        let elements = [layout.position, needed(layout.normal, NORMALS)?];
        let lit = Self::new(device, [shader, &shaders::COLOR], &elements, surface, constants)?;
        Ok(Material { color, ..lit })
    }

    fn lit_and_textured(layout: &Layout) -> Result<[VertexElement; 3], PipeError> {
        Ok([layout.position, needed(layout.normal, NORMALS)?, needed(layout.uv, UVS)?])
    }

    fn new<'m>(
        device: &mut impl Device<'m>,
        [vertex, fragment]: [&'static Program<'static>; 2],
        elements: &[VertexElement],
        surface: &Surface,
        constants: Constants,
    ) -> Result<Self, PipeError> {
        let state = PipelineState { vertex, fragment, elements, surface };
        let pipeline = Pipeline::new(device, &state)?;
        Ok(Material { pipeline, color: WHITE, texture: None, constants })
    }

    /// Draws a mesh at the place `model`, the map from the mesh to the world.
    ///
    /// For lights, the model may be turned, moved, and scaled by one factor in all axes. The mesh
    /// must have the layout that the material was made for.
    ///
    /// # Errors
    /// The errors of the driver's calls.
    pub fn draw<'m>(
        &self,
        device: &mut impl Device<'m>,
        mesh: &Mesh<'m>,
        view: &View,
        model: &Mat4,
    ) -> Result<(), PipeError> {
        self.pipeline.bind(device)?;
        if let Some(texture) = &self.texture {
            texture.bind(device, 0)?;
        }
        set_constants(device, self.constants(view, model).get(..self.constants as usize))?;
        mesh.draw(device)
    }

    /// Returns the constants of a draw; constants that the shader does not read are 0.
    fn constants(&self, view: &View, model: &Mat4) -> [Vec4; 10] {
        let View { camera, light, fog } = view;
        let clip = camera.clip_from_model(model);
        let mut all = [Vec4::ZERO; 10];
        let [x, y, z, w, sun, color, fog_color, scales, lamp, lamp_color] = &mut all;
        (*x, *y, *z, *w) = (clip.x_axis, clip.y_axis, clip.z_axis, clip.w_axis);
        if self.constants == Constants::Clip {
            return all;
        }
        let axes = Axes::of(model);
        *sun = axes.direction(light.sun).extend(light.ambient);
        *color = self.color;
        *fog_color = fog.color.extend(1.0);
        *scales = Vec4::new(fog.scale, fog.offset, 0.0, 0.0);
        if self.constants == Constants::Lamp {
            scales.z = axes.per_square(light.lamp.reach);
            *lamp = axes.place(light.lamp.position).extend(1.0);
            *lamp_color = (light.lamp.color * self.color.truncate()).extend(1.0);
        }
        all
    }
}

/// Sets the constants of vertex shaders.
pub(crate) fn set_constants<'m>(
    device: &mut impl Device<'m>,
    constants: Option<&[Vec4]>,
) -> Result<(), PipeError> {
    let bytes = bytemuck::cast_slice(constants.unwrap_or(&[]));
    let constants = ConstantBuffer::User(bytes);
    device.context().set_constant_buffer(ShaderType::Vertex, 0, Some(constants))
}
