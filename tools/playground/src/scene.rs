//! The scene of a program: a mesh and a texture on a panel.

use formats::Format;
use kit::glam::{Mat4, Vec3};
use kit::solids::{self, LAYOUT, SolidVertex};
use kit::{Camera, Mesh, MeshData, Target, Texture, TextureData};
use os_shim::budget::WorkBudget;
use os_shim::memory::Quota;
use os_shim::{Memory, Os};
use pipe_core::*;
use raster::{AnyProfile, Config};
use serde::Deserialize;
use tgsi::shader::Processor;
use tgsi::token;

use crate::bind::{self, Attribute, Bindings, Values};
use crate::source::Unit;
use crate::textures::{LEVELS, SIDE};
use crate::{Drawing, MAX_SIDE, Problem, Program};

/// The memory of the driver for a picture, in bytes.
const MEMORY: usize = 64 << 20;
/// The work for a picture; see [`os_shim::budget`].
const WORK: u64 = 1 << 26;
/// The scene buffer, in bytes: the most that the profiles for firmware address.
const SCENE: usize = 1 << 18;
/// The colour of the background.
const BACKGROUND: [f32; 4] = [0.09, 0.11, 0.15, 1.0];

/// A mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A rectangle that fills the picture.
    Square,
    /// A cube.
    Cube,
    /// A sphere.
    Sphere,
    /// A ring.
    Torus,
    /// A floor.
    Plane,
}

/// The filter of a texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// The nearest texel of the first level.
    Nearest,
    /// The mean of four texels of the first level.
    Bilinear,
    /// The mean of four texels of two levels.
    Trilinear,
}

/// The pixels of a display.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Output {
    /// 5, 6 and 5 bits.
    Rgb565,
    /// 8 bits.
    Rgba8,
}

/// A profile of the driver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 4 lanes, tiles of 16×16 pixels.
    Tiny,
    /// 16 lanes, tiles of 64×16 pixels.
    Small,
    /// 64 lanes, tiles of 64×64 pixels.
    Host,
}

impl Shape {
    /// Returns vertices and indices.
    fn mesh(self) -> Result<(Vec<SolidVertex>, Vec<u16>), PipeError> {
        let [columns, rows] = match self {
            Self::Plane => [16, 16],
            _ => [32, 16],
        };
        let [vertex_count, index_count] = solids::grid_size(columns, rows);
        let (mut vertices, mut indices) = (vec![[0.0; 8]; vertex_count], vec![0; index_count]);
        let (of, to) = (&mut vertices, &mut indices);
        match self {
            Self::Sphere => solids::sphere(of, to, columns, rows)?,
            Self::Torus => solids::torus(of, to, columns, rows, 0.45)?,
            Self::Plane => solids::plane(of, to, columns, rows)?,
            Self::Square | Self::Cube => {
                let MeshData { vertices, indices, .. } =
                    if self == Self::Cube { solids::cube() } else { solids::square() };
                let float = |word: &[u8; 4]| f32::from_le_bytes(*word);
                let floats: Vec<f32> = vertices.as_chunks().0.iter().map(float).collect();
                let index = |bytes: &[u8; 2]| u16::from_le_bytes(*bytes);
                let indices = indices.as_chunks().0.iter().map(index).collect();
                return Ok((floats.as_chunks().0.to_vec(), indices));
            }
        };
        Ok((vertices, indices))
    }

    /// Returns the values of a picture of the mesh.
    fn values(self, program: &Program) -> Values {
        let (width, height) = (program.width as f32, program.height as f32);
        let light = Vec3::new(0.4, 0.7, 0.6).normalize();
        let (eye, center, turned) = match self {
            Self::Square => (Vec3::Z, Vec3::ZERO, Mat4::IDENTITY),
            Self::Plane => {
                (Vec3::new(0.0, 0.9, 1.7), Vec3::new(0.0, -0.1, 0.0), turn(program, 0.0))
            }
            Self::Cube => (Vec3::new(0.0, 0.0, 4.6), Vec3::ZERO, turn(program, 0.09)),
            Self::Sphere => (Vec3::new(0.0, 0.0, 2.9), Vec3::ZERO, turn(program, 0.06)),
            Self::Torus => (Vec3::new(0.0, 0.0, 3.9), Vec3::ZERO, turn(program, 0.13)),
        };
        let projection = kit::perspective(0.9, width / height, 0.5, 12.0);
        let clip_from_model = match self {
            Self::Square => Mat4::IDENTITY,
            _ => Camera::look_at(projection, eye, center).clip_from_world * turned,
        };
        Values {
            clip_from_model,
            world_from_model: turned,
            light: light.to_array(),
            eye: eye.to_array(),
            size: [width, height],
            time: program.time,
        }
    }
}

/// Returns the rotation of a mesh: about y, then tilted towards the viewer by `tilt` turns.
fn turn(program: &Program, tilt: f32) -> Mat4 {
    let angle = core::f32::consts::TAU;
    Mat4::from_rotation_x(tilt * angle) * Mat4::from_rotation_y(program.turn * angle)
}

/// A panel that keeps the picture and the order of its tiles.
struct Shown<'d>(&'d mut Drawing);

/// Expands five or six bits to eight by repeating the top bits, as display controllers do.
fn expanded(texel: [u8; 2]) -> [u8; 4] {
    let texel = u16::from_le_bytes(texel);
    let (r, g, b) = (texel >> 11, texel >> 5 & 0x3f, texel & 0x1f);
    [(r << 3 | r >> 2) as u8, (g << 2 | g >> 4) as u8, (b << 3 | b >> 2) as u8, 255]
}

impl TilePanel for Shown<'_> {
    fn tile(
        &mut self,
        x: u32,
        y: u32,
        width: u32,
        height: u32,
        format: Format,
        pixels: &[u8],
        stride_bytes: usize,
    ) -> Result<(), PanelError> {
        self.0.tiles.push([x, y, width, height]);
        for (row, bytes) in (0..height as usize).zip(pixels.chunks(stride_bytes.max(1))) {
            let start = (y as usize + row) * self.0.width as usize + x as usize;
            let texels: Vec<[u8; 4]> = match format {
                Format::B5G6R5Unorm => {
                    bytes.as_chunks::<2>().0.iter().map(|texel| expanded(*texel)).collect()
                }
                Format::R8G8B8A8Unorm => {
                    let opaque = |[r, g, b, _]: &[u8; 4]| [*r, *g, *b, 255];
                    bytes.as_chunks::<4>().0.iter().map(opaque).collect()
                }
                _ => return Err(PanelError::FORMAT),
            };
            let place = self.0.pixels.get_mut(start * 4..).unwrap_or_default();
            let texels = texels.get(..width as usize).unwrap_or(&texels);
            for (to, from) in place.as_chunks_mut::<4>().0.iter_mut().zip(texels) {
                *to = *from;
            }
        }
        Ok(())
    }
}

/// Draws the first vertex and the first fragment shader.
pub(crate) fn draw(
    program: &Program,
    units: &[Unit],
    drawing: &mut Drawing,
) -> Result<(), Problem> {
    let sides = 1..=MAX_SIDE;
    if !sides.contains(&program.width) || !sides.contains(&program.height) {
        return Err(Problem::whole(format!("the sides of a picture are 1 to {MAX_SIDE} pixels")));
    }
    let of_stage = |stage| units.iter().find(move |unit: &&Unit| unit.shader.processor() == stage);
    let Some(fragment) = of_stage(Processor::Fragment) else {
        drawing.notes.push("There is no fragment shader, so there is no picture.".into());
        return Ok(());
    };
    let made;
    let vertex = match of_stage(Processor::Vertex) {
        Some(unit) => unit,
        None => {
            let text = bind::vertex_shader(fragment)?;
            let whole = |problems: Vec<Problem>| {
                problems.into_iter().next().unwrap_or_else(|| Problem::whole("no vertex shader"))
            };
            made = crate::source::read(crate::Language::Tgsi, &text).map_err(whole)?;
            made.first().ok_or_else(|| Problem::whole("no vertex shader"))?
        }
    };
    if let (Some(of_fragment), Some(of_vertex)) = (&fragment.interface, &vertex.interface) {
        of_fragment.check_link(of_vertex).map_err(Problem::whole)?;
    }
    let values = program.mesh.values(program);
    let stages = [(ShaderType::Vertex, vertex), (ShaderType::Fragment, fragment)];
    let mut bound = Vec::new();
    for (stage, unit) in stages {
        let bindings = bind::bindings(unit, &values)?;
        for name in &bindings.unknown {
            drawing.notes.push(format!("`{name}` has no value here, so it is 0."));
        }
        bound.push((stage, unit, bindings));
    }
    let attributes = bind::attributes(vertex)?;
    drawing.width = program.width;
    drawing.height = program.height;
    drawing.pixels = vec![0; (program.width * program.height * 4) as usize];
    let drawn = picture(program, &bound, &attributes, drawing);
    drawn.map_err(|error| {
        (drawing.width, drawing.height) = (0, 0);
        drawing.pixels.clear();
        Problem::whole(error)
    })
}

fn picture(
    program: &Program,
    bound: &[(ShaderType, &Unit, Bindings)],
    attributes: &[Attribute],
    drawing: &mut Drawing,
) -> Result<(), PipeError> {
    let (vertices, indices) = program.mesh.mesh()?;
    let texels = program.texture.texels();
    let quota = Quota::new(Memory::system(), MEMORY);
    let budget = WorkBudget::new();
    budget.grant(WORK);
    let profile = match program.profile {
        Profile::Tiny => AnyProfile::Tiny,
        Profile::Small => AnyProfile::Small,
        Profile::Host => AnyProfile::Host,
    };
    let os = Os::bare(Memory::new(&quota));
    let config = Config { scene_bytes: SCENE };
    let screen = profile.screen_with_budget(os, config, &budget);
    let mut context = screen.context_create(ContextFlags::empty())?;
    let device = &mut (&*screen, &mut *context);
    let format = match program.output {
        Output::Rgb565 => Format::B5G6R5Unorm,
        Output::Rgba8 => Format::R8G8B8A8Unorm,
    };
    let size = [program.width, program.height];
    let target = Target::panel(device, format, Some(Format::Z16Unorm), size)?;
    let data = TextureData {
        levels: LEVELS,
        ..TextureData::of(&texels, Format::R8G8B8A8Unorm, [SIDE as u32; 2])
    };
    let sampler = match program.filter {
        Filter::Nearest => kit::nearest(TexWrap::Repeat),
        Filter::Bilinear => kit::bilinear(TexWrap::Repeat),
        Filter::Trilinear => kit::trilinear(TexWrap::Repeat),
    };
    let texture = Texture::new(device, &data, &sampler)?;
    let mesh = Mesh::new(device, &MeshData::of(&vertices, LAYOUT, &indices))?;
    target.begin(device, BACKGROUND)?;

    let context = &mut *device.1;
    for (stage, unit, bindings) in bound {
        let tokens = token::encode(&unit.shader, Memory::system())
            .map_err(|_| PipeError::Unsupported("a shader that has no tokens"))?;
        let state = ShaderState::tokens(&tokens);
        if *stage == ShaderType::Vertex {
            let shader = context.create_vs_state(&state)?;
            context.bind_vs_state(Some(shader))?;
        } else {
            let shader = context.create_fs_state(&state)?;
            context.bind_fs_state(Some(shader))?;
        }
        for (slot, bytes) in &bindings.constants {
            context.set_constant_buffer(*stage, *slot, Some(ConstantBuffer::User(bytes)))?;
        }
        for slot in &bindings.views {
            context.set_sampler_views(*stage, *slot, &[Some(texture.view)])?;
        }
        for slot in &bindings.samplers {
            context.bind_sampler_states(*stage, *slot, &[Some(texture.sampler)])?;
        }
    }
    let element = |attribute: &Attribute| match attribute {
        Attribute::Position => LAYOUT.position,
        Attribute::Normal | Attribute::Color => LAYOUT.normal.unwrap_or(LAYOUT.position),
        Attribute::Uv => LAYOUT.uv.unwrap_or(LAYOUT.position),
    };
    let elements: Vec<VertexElement> = attributes.iter().map(element).collect();
    let elements = context.create_vertex_elements_state(&elements)?;
    context.bind_vertex_elements_state(Some(elements))?;
    let depth = DepthStencilAlphaState::depth(CompareFunc::Less);
    let depth = context.create_depth_stencil_alpha_state(&depth)?;
    context.bind_depth_stencil_alpha_state(Some(depth))?;
    mesh.draw(device)?;
    target.present(device, &mut Shown(drawing))
}
