//! The programs before the fragment shader: vertex, tessellation and geometry shaders, and their
//! stream output.

use pipe_core::{PrimType, StreamOutput};

/// Numbers of primitives in TGSI's properties.
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;
const QUADS: u32 = 7;

/// The domain of tessellation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    /// A triangle between three vertices.
    Triangles,
    /// A rectangle between four vertices.
    Quads,
    /// Lines between two vertices.
    Lines,
}

impl Domain {
    /// Returns the number of vertices per patch.
    pub fn vertices(self) -> u8 {
        match self {
            Domain::Triangles => 3,
            Domain::Quads => 4,
            Domain::Lines => 2,
        }
    }
}

/// Tessellation shaders.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tessellation {
    /// The domain.
    pub domain: Domain,
    /// The spacing: fractional odd 0, fractional even 1, equal 2.
    pub spacing: u8,
    /// The winding.
    pub clockwise: bool,
    /// True for point mode.
    pub points: bool,
    /// Adds a control shader that sets the levels.
    pub control: bool,
    /// The draw state's outer levels, then the inner ones.
    pub levels: [f32; 6],
}

/// A geometry shader with two invocations; each writes to a different viewport.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Geometry {
    /// Passes each primitive on.
    Pass,
    /// Turns vertices into points.
    Points,
    /// Turns vertices into points, and writes further points to a second vertex stream.
    Streams,
}

/// The stages between the vertices and the rasterizer.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stages {
    /// Tessellation shaders.
    pub tessellation: Option<Tessellation>,
    /// The geometry shader.
    pub geometry: Option<Geometry>,
    /// True if outputs of the last stage go to stream output.
    pub streams: bool,
    /// True if the vertex shader selects layer and viewport by the instance.
    pub by_instance: bool,
}

/// The registers that all stages pass on.
const PASSED: [&str; 5] = ["POSITION", "COLOR", "TEXCOORD[0]", "BCOLOR", "PSIZE"];

/// The register of the second vertex stream.
const STREAMED: usize = 8;

fn declarations(file: &str) -> String {
    let lines = PASSED.iter().enumerate();
    lines.map(|(register, name)| format!("DCL {file}[{register}], {name}\n")).collect()
}

impl Stages {
    /// Returns the vertex shader. It passes its inputs and derives a back colour from the colour.
    pub fn vertex(&self, layers: u8) -> String {
        let mut text = String::from("VERT\nDCL IN[0]\nDCL IN[1]\nDCL IN[2]\nDCL IN[3]\n");
        text += &declarations("OUT");
        let chooses = self.by_instance && self.tessellation.is_none() && self.geometry.is_none();
        if chooses {
            text += "DCL OUT[5].x, LAYER\nDCL OUT[6].x, VIEWPORT_INDEX\nDCL SV[0], INSTANCEID\n\
                     DCL TEMP[0]\n";
            text += &format!("IMM[0] UINT32 {{ {}, 1, 0, 0 }}\n", u32::from(layers) - 1);
            text += "UMIN TEMP[0].x, SV[0].xxxx, IMM[0].xxxx\nMOV OUT[5].x, TEMP[0].xxxx\n\
                     AND TEMP[0].x, SV[0].xxxx, IMM[0].yyyy\nMOV OUT[6].x, TEMP[0].xxxx\n";
        }
        text + "MOV OUT[0], IN[0]\nMOV OUT[1], IN[1]\nMOV OUT[2], IN[2]\nMOV OUT[3], IN[1].yzxw\n\
                MOV OUT[4].x, IN[3].xxxx\nEND\n"
    }

    /// Returns the tessellation control shader, if there is one.
    pub fn control(&self) -> Option<String> {
        let tessellation = self.tessellation.filter(|tessellation| tessellation.control)?;
        let count = tessellation.domain.vertices();
        let mut text = format!("TESS_CTRL\nPROPERTY TCS_VERTICES_OUT {count}\n");
        text += &declarations("IN[]");
        text += &declarations("OUT[]");
        text += "DCL SV[0], INVOCATIONID\nDCL OUT[5], TESSOUTER\nDCL OUT[6].xy, TESSINNER\n\
                 DCL TEMP[0]\nDCL ADDR[0]\nIMM[0] FLT32 { 2.5, 1.0, 3.0, 2.0 }\n\
                 UARL ADDR[0].x, SV[0].xxxx\n";
        for register in 0..PASSED.len() {
            text += &format!(
                "MOV TEMP[0], IN[ADDR[0].x][{register}]\nMOV OUT[ADDR[0].x][{register}], TEMP[0]\n"
            );
        }
        Some(text + "MOV OUT[5], IMM[0].wxyz\nMOV OUT[6].xy, IMM[0].zxxx\nEND\n")
    }

    /// Returns the tessellation evaluation shader, if there is one.
    pub fn evaluation(&self) -> Option<String> {
        let Tessellation { domain, spacing, clockwise, points, .. } = self.tessellation?;
        let number = match domain {
            Domain::Triangles => TRIANGLES,
            Domain::Quads => QUADS,
            Domain::Lines => LINES,
        };
        let (clockwise, points) = (u8::from(clockwise), u8::from(points));
        let mut text = format!(
            "TESS_EVAL\nPROPERTY TES_PRIM_MODE {number}\nPROPERTY TES_SPACING {spacing}\n\
             PROPERTY TES_VERTEX_ORDER_CW {clockwise}\nPROPERTY TES_POINT_MODE {points}\n"
        );
        text += &declarations("IN[]");
        text += &declarations("OUT");
        text += "DCL SV[0], TESSCOORD\nDCL TEMP[0..1]\nIMM[0] FLT32 { 0.0, 0.5, 0.0, 0.0 }\n";
        for register in 0..PASSED.len() {
            text += &match domain {
                Domain::Triangles => format!(
                    "MUL TEMP[0], SV[0].xxxx, IN[0][{register}]\n\
                     MAD TEMP[0], SV[0].yyyy, IN[1][{register}], TEMP[0]\n\
                     MAD OUT[{register}], SV[0].zzzz, IN[2][{register}], TEMP[0]\n"
                ),
                Domain::Quads => format!(
                    "LRP TEMP[0], SV[0].xxxx, IN[1][{register}], IN[0][{register}]\n\
                     LRP TEMP[1], SV[0].xxxx, IN[3][{register}], IN[2][{register}]\n\
                     LRP OUT[{register}], SV[0].yyyy, TEMP[1], TEMP[0]\n"
                ),
                // The lines of a patch lie on top of each other.
                Domain::Lines => format!(
                    "LRP TEMP[0], SV[0].xxxx, IN[1][{register}], IN[0][{register}]\n\
                     MAD OUT[{register}], SV[0].yyyy, IMM[0].{}, TEMP[0]\n",
                    if register == 0 { "xyxx" } else { "xxxx" }
                ),
            };
        }
        Some(text + "END\n")
    }

    /// Returns the number of vertices per primitive that a geometry shader reads, and TGSI's name
    /// of the primitive.
    fn input(&self, mode: PrimType) -> (usize, &'static str) {
        if let Some(Tessellation { domain, points, .. }) = self.tessellation {
            return match domain {
                _ if points => (1, "POINTS"),
                Domain::Lines => (2, "LINES"),
                Domain::Triangles | Domain::Quads => (3, "TRIANGLES"),
            };
        }
        match mode {
            PrimType::Points => (1, "POINTS"),
            PrimType::Lines | PrimType::LineStrip | PrimType::LineLoop => (2, "LINES"),
            PrimType::LinesAdjacency => (4, "LINES_ADJACENCY"),
            PrimType::TrianglesAdjacency => (6, "TRIANGLES_ADJACENCY"),
            _ => (3, "TRIANGLES"),
        }
    }

    /// Returns the geometry shader, if there is one, for draws of `mode` to this many layers.
    pub fn geometry(&self, mode: PrimType, layers: u8) -> Option<String> {
        let geometry = self.geometry?;
        let (size, input) = self.input(mode);
        let (output, vertices): (_, &[usize]) = match (geometry, size) {
            (Geometry::Points | Geometry::Streams, 1) => ("POINTS", &[0]),
            (Geometry::Points | Geometry::Streams, _) => ("POINTS", &[0, 1]),
            (Geometry::Pass, 1) => ("POINTS", &[0]),
            (Geometry::Pass, 2) => ("LINE_STRIP", &[0, 1]),
            // Adjacent vertices are dropped.
            (Geometry::Pass, 4) => ("LINE_STRIP", &[1, 2]),
            (Geometry::Pass, 6) => ("TRIANGLE_STRIP", &[0, 2, 4]),
            (Geometry::Pass, _) => ("TRIANGLE_STRIP", &[0, 1, 2]),
        };
        let streams = geometry == Geometry::Streams;
        let most = vertices.len() * if streams { 2 } else { 1 };
        let mut text = format!(
            "GEOM\nPROPERTY GS_INPUT_PRIMITIVE {input}\nPROPERTY GS_OUTPUT_PRIMITIVE {output}\n\
             PROPERTY GS_MAX_OUTPUT_VERTICES {most}\nPROPERTY GS_INVOCATIONS 2\n"
        );
        text += &declarations("IN[]");
        text += &declarations("OUT");
        text += "DCL OUT[5].x, LAYER\nDCL OUT[6].x, VIEWPORT_INDEX\nDCL OUT[7].x, PRIM_ID\n";
        if streams {
            text += &format!("DCL OUT[{STREAMED}], GENERIC[7]\n");
        }
        text += "DCL SV[0], INVOCATIONID\nDCL SV[1], PRIM_ID\nDCL TEMP[0..2]\n";
        text += &format!("IMM[0] UINT32 {{ 0, 1, {}, 3 }}\n", u32::from(layers) - 1);
        text += "IMM[1] FLT32 { 0.25, -0.125, 0.0, 0.0 }\nU2F TEMP[0].x, SV[0].xxxx\n\
                 MUL TEMP[1], TEMP[0].xxxx, IMM[1]\nUMIN TEMP[2].x, SV[0].xxxx, IMM[0].zzzz\n";
        for vertex in vertices {
            text += &format!("ADD OUT[0], IN[{vertex}][0], TEMP[1]\n");
            for register in 1..PASSED.len() {
                text += &format!("MOV OUT[{register}], IN[{vertex}][{register}]\n");
            }
            text += "MOV OUT[5].x, TEMP[2].xxxx\nMOV OUT[6].x, SV[0].xxxx\n\
                     MOV OUT[7].x, SV[1].xxxx\nEMIT IMM[0].xxxx\n";
            if streams {
                text += &format!("MOV OUT[{STREAMED}], IN[{vertex}][1].wzyx\nEMIT IMM[0].yyyy\n");
            }
        }
        Some(text + "END\n")
    }

    /// Returns the streamed outputs of the last stage, and the words per vertex in each buffer.
    pub fn streamed(&self) -> (Vec<StreamOutput>, [u16; 4]) {
        let output =
            |register_index, start_component, num_components, output_buffer, dst_offset| {
                let stream = 0;
                StreamOutput {
                    register_index,
                    start_component,
                    num_components,
                    output_buffer,
                    dst_offset,
                    stream,
                }
            };
        let mut outputs = vec![output(0, 0, 4, 0, 0), output(1, 1, 2, 0, 5), output(2, 0, 4, 1, 0)];
        if self.geometry == Some(Geometry::Streams) {
            outputs.push(StreamOutput { stream: 1, ..output(STREAMED as u8, 0, 3, 2, 1) });
        }
        (outputs, [7, 4, 4, 0])
    }
}

#[cfg(test)]
mod tests {
    use os_shim::Memory;

    use super::*;

    #[test]
    fn every_program_compiles() {
        let memory = Memory::system();
        let compiles = |text: &str| {
            let shader = tgsi::text::parse(text, memory).expect(text);
            let summary = tgsi::sanity::check(&shader, &mut |_| {}).expect("memory is there");
            assert_eq!(summary.errors, 0, "{text}");
            let options = tgsi::compile::CompileOptions::default();
            tgsi::compile::compile(&shader, &options, memory).expect(text);
        };
        for domain in [Domain::Triangles, Domain::Quads, Domain::Lines] {
            for geometry in [Geometry::Pass, Geometry::Points, Geometry::Streams] {
                for points in [false, true] {
                    let tessellation = Tessellation {
                        domain,
                        spacing: 2,
                        clockwise: true,
                        points,
                        control: true,
                        levels: [1.0; 6],
                    };
                    let stages = Stages {
                        tessellation: Some(tessellation),
                        geometry: Some(geometry),
                        ..Stages::default()
                    };
                    compiles(&stages.control().expect("it is on"));
                    compiles(&stages.evaluation().expect("it is on"));
                    compiles(&stages.geometry(PrimType::Patches, 2).expect("it is on"));
                    let alone = Stages { tessellation: None, ..stages };
                    for mode in [PrimType::Points, PrimType::Lines, PrimType::Triangles] {
                        compiles(&alone.geometry(mode, 1).expect("it is on"));
                    }
                    compiles(&alone.geometry(PrimType::LinesAdjacency, 3).expect("it is on"));
                    compiles(&alone.geometry(PrimType::TrianglesAdjacency, 3).expect("it is on"));
                }
            }
        }
        compiles(&Stages::default().vertex(1));
        compiles(&Stages { by_instance: true, ..Stages::default() }.vertex(3));
    }
}
