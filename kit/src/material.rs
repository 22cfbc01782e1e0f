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

/// The constants of a vertex shader. A material names the function that it needs, so the flash holds
/// no other.
#[derive(Clone, Copy, Debug)]
struct Constants {
    /// Their number.
    count: usize,
    /// Computes them.
    fill: fn(&Material, &View, &Mat4, &mut [Vec4; 10]),
}

impl PartialEq for Constants {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

/// No constants.
const NONE: Constants = Constants { count: 0, fill: |_, _, _, _| () };
/// The map to clip space.
const CLIP: Constants = Constants { count: 4, fill: Material::clip };
/// And the light and the material's colour.
const LIGHT: Constants = Constants { count: 6, fill: Material::light };
/// And the fog.
const FOG: Constants = Constants { count: 8, fill: Material::light_and_fog };
/// And the lamp.
const LAMP: Constants = Constants { count: 10, fill: Material::all_lights };

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
        Self::new(device, [&shaders::COLORED, &shaders::COLOR], &elements, surface, CLIP)
    }

    /// Creates a material that shows the colours of vertices in clip space: a sky, or another
    /// background. Draws ignore the view and the model.
    ///
    /// # Errors
    /// The vertices have no colours; see [`Pipeline::new`].
    pub fn backdrop<'m>(
        device: &mut impl Device<'m>,
        layout: &Layout,
        surface: &Surface,
    ) -> Result<Self, PipeError> {
        let elements = [layout.position, needed(layout.color, COLORS)?];
        Self::new(device, [&shaders::BACKDROP, &shaders::COLOR], &elements, surface, NONE)
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
        let plain = Self::new(device, programs, &[layout.position], surface, LIGHT)?;
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
        Self::lit_by(&shaders::LIT, LIGHT, device, layout, surface, color)
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
        Self::new(device, programs, &elements, surface, LIGHT)
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
        Self::lit_by(&shaders::LIT_FOGGED, FOG, device, layout, surface, color)
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
        Self::lit_by(&shaders::LAMPLIT, LAMP, device, layout, surface, color)
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
        let textured = Self::new(device, programs, &elements, surface, CLIP)?;
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
        let tinted = Self::new(device, programs, &elements, surface, LIGHT)?;
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
        let lit = Self::new(device, programs, &elements, surface, LIGHT)?;
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
        let shaded = Self::new(device, programs, &elements, surface, LIGHT)?;
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
        let mut all = [Vec4::ZERO; 10];
        (self.constants.fill)(self, view, model, &mut all);
        set_constants(device, all.get(..self.constants.count))?;
        mesh.draw(device)
    }

    /// Computes the map to clip space.
    fn clip(&self, view: &View, model: &Mat4, all: &mut [Vec4; 10]) {
        let [x, y, z, w, ..] = all;
        let clip = view.camera.clip_from_model(model);
        (*x, *y, *z, *w) = (clip.x_axis, clip.y_axis, clip.z_axis, clip.w_axis);
    }

    /// Computes the constants of the sun and the material's colour.
    fn light(&self, view: &View, model: &Mat4, all: &mut [Vec4; 10]) {
        self.clip(view, model, all);
        let [.., sun, color, _, _, _, _] = all;
        *sun = Axes::of(model).direction(view.light.sun).extend(view.light.ambient);
        *color = self.color;
    }

    /// Computes the constants of the sun and the fog.
    fn light_and_fog(&self, view: &View, model: &Mat4, all: &mut [Vec4; 10]) {
        self.light(view, model, all);
        let [.., fog_color, scales, _, _] = all;
        let Fog { color, scale, offset } = view.fog;
        *fog_color = color.extend(1.0);
        *scales = Vec4::new(scale, offset, 0.0, 0.0);
    }

    /// Computes the constants of the sun, the fog and the lamp.
    fn all_lights(&self, view: &View, model: &Mat4, all: &mut [Vec4; 10]) {
        self.light_and_fog(view, model, all);
        let [.., scales, lamp, lamp_color] = all;
        let (axes, light) = (Axes::of(model), &view.light.lamp);
        scales.z = axes.per_square(light.reach);
        *lamp = axes.place(light.position).extend(1.0);
        *lamp_color = (light.color * self.color.truncate()).extend(1.0);
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
