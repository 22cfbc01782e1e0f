//! The values that a program gets: constants by name, vertex attributes, textures.

use kit::glam::Mat4;
use naga_frontend::{Interface, Member, MemberType, ResourceKind, Scalar};
use tgsi::scan::ShaderInfo;
use tgsi::shader::{Shader, TextureTarget};

use crate::Problem;
use crate::source::Unit;

/// The values of a picture that programs read by name.
pub(crate) struct Values {
    /// From the model to clip space.
    pub clip_from_model: Mat4,
    /// From the model to the world: the turn.
    pub world_from_model: Mat4,
    /// The direction to the light in the world.
    pub light: [f32; 3],
    /// The camera's place in the world.
    pub eye: [f32; 3],
    /// Width and height in pixels.
    pub size: [f32; 2],
    /// Seconds.
    pub time: f32,
}

/// A colour for members with such a name.
const TINT: [f32; 4] = [1.0, 0.55, 0.2, 1.0];

impl Values {
    /// Returns the registers of constant buffer 0 of TGSI programs.
    pub(crate) fn registers(&self) -> Vec<u8> {
        let ([width, height], [a, b, c], [x, y, z]) = (self.size, self.light, self.eye);
        let matrices = [self.clip_from_model, self.world_from_model];
        let columns = matrices.iter().flat_map(Mat4::to_cols_array);
        let rest = [self.time, width, height, 0.0, a, b, c, 0.0, x, y, z, 1.0];
        columns.chain(rest).flat_map(f32::to_le_bytes).collect()
    }

    /// Returns the floats of a vector or scalar of a name.
    fn floats(&self, name: &str) -> Option<Vec<f32>> {
        Some(match name {
            "time" => vec![self.time],
            "size" | "resolution" => self.size.to_vec(),
            "light" => self.light.to_vec(),
            "eye" | "camera" => self.eye.to_vec(),
            "color" | "tint" => TINT.to_vec(),
            _ => return None,
        })
    }

    /// Writes the members of a constant buffer. Names without a value are added to `unknown`.
    fn fill(
        &self,
        name: &str,
        ty: &MemberType,
        at: u32,
        bytes: &mut [u8],
        unknown: &mut Vec<String>,
    ) {
        let mut put = |at: u32, value: f32| {
            let place = bytes.get_mut(at as usize..).and_then(<[u8]>::first_chunk_mut);
            if let Some(place) = place {
                *place = value.to_le_bytes();
            }
        };
        match ty {
            MemberType::Struct { members, .. } => {
                for Member { name, offset, ty, .. } in members {
                    self.fill(name, ty, at + offset, bytes, unknown);
                }
            }
            MemberType::Matrix { columns, rows, scalar: Scalar::Float, stride } => {
                let is_world = ["world", "model", "normal"].iter().any(|it| name.starts_with(it));
                let matrix = if is_world { self.world_from_model } else { self.clip_from_model };
                for column in 0..*columns {
                    let values = matrix.col(usize::from(column).min(3)).to_array();
                    for (row, value) in (0..*rows).zip(values) {
                        let place = u32::from(column) * stride + u32::from(row) * 4;
                        put(at + place, value);
                    }
                }
            }
            MemberType::Scalar(Scalar::Float)
            | MemberType::Vector { scalar: Scalar::Float, .. } => {
                let Some(values) = self.floats(name) else { return unknown.push(name.into()) };
                let count = if let MemberType::Vector { size, .. } = ty { *size } else { 1 };
                for (place, value) in (0..u32::from(count)).zip(values) {
                    put(at + place * 4, value);
                }
            }
            MemberType::Scalar(_)
            | MemberType::Vector { .. }
            | MemberType::Matrix { .. }
            | MemberType::Atomic(_)
            | MemberType::Array { .. } => unknown.push(name.into()),
        }
    }
}

/// An attribute of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attribute {
    Position,
    Normal,
    Uv,
    /// A colour from the normal.
    Color,
}

/// Returns the attribute that a name stands for.
fn named(name: &str) -> Option<Attribute> {
    let name = name.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if has(&["uv", "tex", "coord"]) {
        Some(Attribute::Uv)
    } else if has(&["normal"]) || name == "n" {
        Some(Attribute::Normal)
    } else if has(&["color", "colour"]) {
        Some(Attribute::Color)
    } else if has(&["pos", "world"]) || name == "p" {
        Some(Attribute::Position)
    } else {
        None
    }
}

/// The slots of a stage with their values.
#[derive(Default)]
pub(crate) struct Bindings {
    /// Constant buffers by slot.
    pub constants: Vec<(usize, Vec<u8>)>,
    /// Slots of the texture.
    pub views: Vec<usize>,
    /// Slots of its sampler.
    pub samplers: Vec<usize>,
    /// Constants without a value.
    pub unknown: Vec<String>,
}

/// Returns the slots and the values of a stage.
pub(crate) fn bindings(unit: &Unit, values: &Values) -> Result<Bindings, Problem> {
    let mut bound = Bindings::default();
    let flat = "the page has a 2D texture only";
    let Some(interface) = &unit.interface else {
        bound.constants.push((0, values.registers()));
        let info = info(&unit.shader)?;
        for (slot, target) in info.targets.iter().enumerate() {
            let Some(target) = target else { continue };
            if !matches!(target, TextureTarget::Texture2D | TextureTarget::Unknown) {
                return Err(unit.problem(None, format!("SAMP[{slot}] is {target}: {flat}")));
            }
            bound.views.push(slot);
            bound.samplers.push(slot);
        }
        return Ok(bound);
    };
    for resource in &interface.resources {
        let (name, slot) = (&resource.name, usize::from(resource.slot));
        match &resource.kind {
            ResourceKind::Uniform { ty, size } => {
                let mut bytes = vec![0; *size as usize];
                values.fill(name, ty, 0, &mut bytes, &mut bound.unknown);
                bound.constants.push((slot, bytes));
            }
            ResourceKind::Texture { target: TextureTarget::Texture2D, depth: false, .. } => {
                bound.views.push(slot);
            }
            ResourceKind::Texture { target, .. } => {
                return Err(unit.problem(None, format!("`{name}` is {target}: {flat}")));
            }
            ResourceKind::Sampler { comparison: false } => bound.samplers.push(slot),
            ResourceKind::Sampler { comparison: true } => {
                let why = "the page has no depth texture to compare with";
                return Err(unit.problem(None, format!("`{name}`: {why}")));
            }
            ResourceKind::Storage { .. } | ResourceKind::Image { .. } => {
                let why = "the page binds no storage buffers and no storage textures";
                return Err(unit.problem(None, format!("`{name}`: {why}")));
            }
        }
    }
    Ok(bound)
}

fn info(shader: &Shader<'static>) -> Result<ShaderInfo<'static>, Problem> {
    ShaderInfo::new(shader).map_err(Problem::whole)
}

/// Returns the attributes of a vertex shader's inputs, in the order of the vertex elements.
pub(crate) fn attributes(unit: &Unit) -> Result<Vec<Attribute>, Problem> {
    let in_order = [Attribute::Position, Attribute::Normal, Attribute::Uv];
    let mut found = in_order.to_vec();
    let Some(interface) = &unit.interface else { return Ok(found) };
    for input in &interface.vertex_inputs {
        let place = input.location as usize;
        if place >= 16 || !input.format.to_string().contains("FLOAT") {
            let name = &input.name;
            let why = "the mesh has floats at locations 0 to 15";
            return Err(unit.problem(None, format!("input `{name}`: {why}")));
        }
        while found.len() <= place {
            found.push(Attribute::Position);
        }
        if let (Some(attribute), Some(at)) = (named(&input.name), found.get_mut(place)) {
            *at = attribute;
        }
    }
    Ok(found)
}

/// Returns the text of a vertex shader that writes the inputs of a fragment shader.
pub(crate) fn vertex_shader(fragment: &Unit) -> Result<String, Problem> {
    // Semantic and attribute of each input.
    let mut inputs: Vec<(String, Attribute)> = Vec::new();
    match &fragment.interface {
        Some(Interface { inputs: all, .. }) => {
            for input in all {
                let name = &input.name;
                if input.scalar != Scalar::Float {
                    let why = "the page's vertex shader writes floats: write an own one";
                    return Err(fragment.problem(None, format!("input `{name}`: {why}")));
                }
                let by_size = if input.size == 2 { Attribute::Uv } else { Attribute::Normal };
                let attribute = named(name).unwrap_or(by_size);
                inputs.push((input.semantic.to_string(), attribute));
            }
        }
        None => {
            for slot in info(&fragment.shader)?.inputs.iter() {
                let semantic = slot.semantic.to_string();
                let attribute = match semantic.trim() {
                    "GENERIC" | "GENERIC[0]" => Attribute::Uv,
                    "GENERIC[1]" => Attribute::Normal,
                    "GENERIC[2]" => Attribute::Position,
                    it if it.starts_with("GENERIC") || it.starts_with("COLOR") => Attribute::Color,
                    it if it.starts_with("TEXCOORD") => Attribute::Uv,
                    // The rasterizer makes further inputs.
                    _ => continue,
                };
                inputs.push((semantic, attribute));
            }
        }
    }
    let mut text = String::from(
        "VERT\nDCL IN[0]\nDCL IN[1]\nDCL IN[2]\nDCL OUT[0], POSITION\nDCL CONST[0..7]\n\
         DCL TEMP[0..1]\nIMM[0] FLT32 { 0.5, 0.0, 1.0, 0.0 }\n",
    );
    for (at, (semantic, _)) in (1..).zip(&inputs) {
        text += &format!("DCL OUT[{at}], {semantic}\n");
    }
    // Columns times components.
    let product = |to: &str, first: u32, from: &str, moved: bool| {
        let [second, third, fourth] = [first + 1, first + 2, first + 3];
        let mut text = format!(
            "MUL TEMP[0], CONST[{first}], {from}.xxxx\n\
             MAD TEMP[0], CONST[{second}], {from}.yyyy, TEMP[0]\n"
        );
        if moved {
            text += &format!(
                "MAD TEMP[0], CONST[{third}], {from}.zzzz, TEMP[0]\nADD {to}, CONST[{fourth}], TEMP[0]\n"
            );
        } else {
            text += &format!("MAD {to}, CONST[{third}], {from}.zzzz, TEMP[0]\n");
        }
        text
    };
    text += &product("OUT[0]", 0, "IN[0]", true);
    for (at, (_, attribute)) in (1..).zip(&inputs) {
        let to = format!("OUT[{at}]");
        text += &match attribute {
            Attribute::Position => product(&to, 4, "IN[0]", true),
            Attribute::Normal => product(&to, 4, "IN[1]", false),
            Attribute::Uv => format!("MOV {to}, IN[2]\n"),
            Attribute::Color => format!("MAD {to}, IN[1], IMM[0].xxxx, IMM[0].xxxx\n"),
        };
    }
    text += "END\n";
    Ok(text)
}
