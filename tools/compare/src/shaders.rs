//! The shaders of scenes: a set of programs with variations.

use formats::Format;
use pipe_core::TextureTarget;

/// The interpolation of the colour and the texture coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Interpolation {
    /// The provoking vertex's value.
    Constant,
    /// Linear in the window.
    Linear,
    /// Linear in clip space.
    Perspective,
}

/// The instruction of a texture lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// `TEX`.
    Implicit,
    /// `TXB`.
    Bias,
    /// `TXL`.
    Lod,
    /// `TXD`, with the quad's derivatives.
    Gradient,
    /// `TXP`.
    Projected,
    /// `TG4`.
    Gather,
    /// `TXF`, at the pixel's coordinates.
    Fetch,
    /// `LODQ`.
    LodQuery,
}

/// The work of a fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The interpolated colour.
    Color,
    /// The colour of a constant buffer.
    Constant,
    /// A lookup in the texture.
    Texture(Lookup),
    /// A lookup in the texture, times the colour.
    Modulate(Lookup),
    /// A lookup in the texture, compared with a reference.
    Shadow(Lookup),
    /// The colour, if its red is at least a quarter.
    Kill,
    /// The colour, at a depth equal to its red.
    Depth,
    /// The position of the pixel.
    Position,
    /// One colour in front and one behind.
    Face,
    /// The derivatives of the texture coordinates.
    Derivatives,
    /// Arithmetic with a loop and a branch.
    Flow,
    /// The colour, in the samples that its red chooses.
    SampleMask,
    /// The colour times the number and position of the sample.
    SampleNumber,
    /// The mean of the colour and the buffer's colour.
    Fetch,
    /// The colour. Counts fragments in a buffer and marks each pixel in an image.
    Count,
    /// The numbers of the primitive, layer and viewport.
    Numbers,
    /// The number of samples that the primitive covers.
    Coverage,
    /// The colour at another place in the pixel.
    Elsewhere(Place),
}

/// The instruction that evaluates an input at another place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `INTERP_CENTROID`.
    Centroid,
    /// `INTERP_SAMPLE`.
    Sample,
    /// `INTERP_OFFSET`.
    Offset,
}

/// The position of inputs in a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// The pixel's centre.
    Center,
    /// Each sample.
    Sample,
}

/// A fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The work.
    pub work: Work,
    /// The interpolation of its inputs.
    pub interpolation: Interpolation,
    /// The position of its inputs.
    pub location: Location,
    /// True if depth and stencil are tested before the shader runs.
    pub early: bool,
    /// True if the coverage that it reads excludes samples that failed early tests.
    pub after_tests: bool,
}

impl Fragment {
    /// The interpolated colour, with perspective.
    pub const COLOR: Fragment = Fragment {
        work: Work::Color,
        interpolation: Interpolation::Perspective,
        location: Location::Center,
        early: false,
        after_tests: false,
    };

    /// Returns the texture lookup of the program, if there is one.
    pub fn lookup(self) -> Option<Lookup> {
        match self.work {
            Work::Texture(lookup) | Work::Modulate(lookup) | Work::Shadow(lookup) => Some(lookup),
            _ => None,
        }
    }

    /// Returns true if the program looks up a texture.
    pub fn samples(self) -> bool {
        self.lookup().is_some()
    }
}

/// Returns TGSI's name of a texture target.
fn target_name(target: TextureTarget, shadow: bool) -> &'static str {
    use TextureTarget::*;
    match (target, shadow) {
        (Buffer, _) => "BUFFER",
        (Texture1D, false) => "1D",
        (Texture1D, true) => "SHADOW1D",
        (Texture2D, false) => "2D",
        (Texture2D, true) => "SHADOW2D",
        (Texture3D, _) => "3D",
        (Cube, false) => "CUBE",
        (Cube, true) => "SHADOWCUBE",
        (Rect, false) => "RECT",
        (Rect, true) => "SHADOWRECT",
        (Texture1DArray, false) => "1D_ARRAY",
        (Texture1DArray, true) => "SHADOW1D_ARRAY",
        (Texture2DArray, false) => "2D_ARRAY",
        (Texture2DArray, true) => "SHADOW2D_ARRAY",
        (CubeArray, _) => "CUBEARRAY",
    }
}

/// The texture that a fragment shader looks up.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    /// Its shape.
    pub target: TextureTarget,
    /// Its format.
    pub format: Format,
    /// Width, height and depth or layers, in texels.
    pub size: [u32; 3],
}

/// Returns the instructions of a lookup; they leave the result in `TEMP[0]`, as floats.
fn lookup(lookup: Lookup, shadow: bool, sampled: &Sampled) -> String {
    let target = target_name(sampled.target, shadow);
    let mut text = match lookup {
        Lookup::Implicit => format!("TEX TEMP[0], IN[1], SAMP[0], {target}\n"),
        Lookup::Bias => format!("TXB TEMP[0], IN[1], SAMP[0], {target}\n"),
        Lookup::Lod => format!("TXL TEMP[0], IN[1], SAMP[0], {target}\n"),
        Lookup::Projected => format!("TXP TEMP[0], IN[1], SAMP[0], {target}\n"),
        Lookup::Gradient => format!(
            "DDX TEMP[1], IN[1]\nDDY TEMP[2], IN[1]\n\
             TXD TEMP[0], IN[1], TEMP[1], TEMP[2], SAMP[0], {target}\n"
        ),
        Lookup::Gather => format!("TG4 TEMP[0], IN[1], IMM[1].xxxx, SAMP[0], {target}\n"),
        Lookup::Fetch => format!(
            "F2I TEMP[1], IN[2]\nIMIN TEMP[1].xyz, TEMP[1].xyyy, IMM[2].xyzz\n\
             MOV TEMP[1].w, IMM[1].xxxx\nTXF TEMP[0], TEMP[1], SAMP[0], {target}\n"
        ),
        Lookup::LodQuery => format!("LODQ TEMP[0].xy, IN[1], SAMP[0], {target}\n"),
    };
    let integers = !shadow && lookup != Lookup::LodQuery;
    if integers && sampled.format.is_pure_integer() {
        let convert = if sampled.format.is_pure_sint() { "I2F" } else { "U2F" };
        text += &format!("{convert} TEMP[0], TEMP[0]\nMUL TEMP[0], TEMP[0], IMM[0].wwww\n");
    }
    if lookup == Lookup::LodQuery {
        // The logarithm of 0 may be any very small number.
        text += "MAX TEMP[0].xy, TEMP[0], IMM[3].yyyy\nMUL TEMP[0].xy, TEMP[0], IMM[0].zzzz\n\
                 MOV TEMP[0].zw, IMM[0].yyyy\n";
    }
    text
}

impl Fragment {
    /// Returns the program, which writes to `outputs` colour buffers of a format like `color`.
    pub fn text(self, sampled: Option<&Sampled>, outputs: usize, color: Format) -> String {
        let mode = match self.interpolation {
            Interpolation::Constant => "CONSTANT",
            Interpolation::Linear => "LINEAR",
            Interpolation::Perspective => "PERSPECTIVE",
        };
        // COLOR is constant if the rasterizer state says so, otherwise with perspective.
        let color_mode =
            if self.interpolation == Interpolation::Perspective { "COLOR" } else { mode };
        let place = match (self.location, self.interpolation) {
            (Location::Sample, Interpolation::Linear | Interpolation::Perspective) => ", SAMPLE",
            _ => "",
        };
        let early = if self.early { "PROPERTY FS_EARLY_DEPTH_STENCIL 1\n" } else { "" };
        let after =
            if self.after_tests && self.early { "PROPERTY FS_POST_DEPTH_COVERAGE 1\n" } else { "" };
        let mut text = format!(
            "FRAG\n{early}{after}DCL IN[0], COLOR, {color_mode}{place}\n\
             DCL IN[1], TEXCOORD[0], {mode}{place}\nDCL IN[2], POSITION, LINEAR\n\
             DCL IN[3], FACE, CONSTANT\nDCL CONST[0]\n"
        );
        text += match self.work {
            Work::Numbers => {
                "DCL IN[4], PRIM_ID, CONSTANT\nDCL IN[5], LAYER, CONSTANT\n\
                 DCL IN[6], VIEWPORT_INDEX, CONSTANT\n"
            }
            Work::Coverage => "DCL SV[0], SAMPLEMASK\n",
            Work::Count => "DCL BUFFER[0]\nDCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR\n",
            _ => "",
        };
        for output in 0..outputs {
            text += &format!("DCL OUT[{output}], COLOR[{output}]\n");
        }
        let depth = self.work == Work::Depth;
        if depth {
            text += &format!("DCL OUT[{outputs}], POSITION\n");
        }
        if self.work == Work::SampleMask {
            text += &format!("DCL OUT[{outputs}], SAMPLEMASK\n");
        }
        if self.work == Work::SampleNumber {
            text += "DCL SV[0], SAMPLEID\nDCL SV[1], SAMPLEPOS\n";
        }
        let size = sampled.map_or([1; 3], |sampled| sampled.size);
        let [x, y, z] = size.map(|size| size - 1);
        if let Some(sampled) = sampled.filter(|_| self.samples()) {
            let kind = match sampled.format {
                format if format.is_pure_sint() => "SINT",
                format if format.is_pure_uint() => "UINT",
                _ => "FLOAT",
            };
            let target = target_name(sampled.target, false);
            text += &format!("DCL SAMP[0]\nDCL SVIEW[0], {target}, {kind}\n");
        }
        text += "DCL TEMP[0..4]\nIMM[0] FLT32 { 0.25, 1.0, 0.125, 0.0078125 }\n\
                 IMM[1] UINT32 { 0, 1, 2, 3 }\n";
        text += &format!("IMM[2] UINT32 {{ {x}, {y}, {z}, 0 }}\n");
        text += "IMM[3] FLT32 { 100.0, -8.0, 65535.0, 0.0 }\n";
        text += "IMM[4] FLT32 { 0.5, 0.0625, 0.25, -0.375 }\n";
        text += &self.body(sampled, outputs);
        for output in 0..outputs {
            let swizzle = ["xyzw", "yzxw", "zxyw"][output % 3];
            text += &store(output, swizzle, color);
        }
        text + "END\n"
    }

    /// Returns the instructions that leave the colour in `TEMP[0]`.
    fn body(self, sampled: Option<&Sampled>, outputs: usize) -> String {
        let texture = |kind: Lookup, shadow: bool| {
            sampled.map_or(String::from("MOV TEMP[0], IN[0]\n"), |sampled| {
                lookup(kind, shadow, sampled)
            })
        };
        match self.work {
            Work::Color => "MOV TEMP[0], IN[0]\n".into(),
            Work::Constant => "MOV TEMP[0], CONST[0]\n".into(),
            Work::Texture(kind) => texture(kind, false),
            Work::Modulate(kind) => texture(kind, false) + "MUL TEMP[0], TEMP[0], IN[0]\n",
            Work::Shadow(kind) => texture(kind, true),
            Work::Kill => {
                "ADD TEMP[1].x, IN[0].xxxx, -IMM[0].xxxx\nKILL_IF TEMP[1].xxxx\n\
                 MOV TEMP[0], IN[0]\n"
                    .into()
            }
            Work::Depth => format!("MOV TEMP[0], IN[0]\nMOV OUT[{outputs}].z, IN[0].xxxx\n"),
            // At most 16 samples have bits. A negative red selects none.
            Work::SampleMask => format!(
                "MUL TEMP[1].x, IN[0].xxxx, IMM[3].zzzz\nF2U TEMP[2].x, TEMP[1].xxxx\n\
                 MOV TEMP[0], IN[0]\nMOV OUT[{outputs}].x, TEMP[2].xxxx\n"
            ),
            Work::SampleNumber => {
                "U2F TEMP[1].x, SV[0].xxxx\nMUL TEMP[1].x, TEMP[1].xxxx, IMM[0].zzzz\n\
                 MOV TEMP[1].yz, SV[1].xxyy\nMOV TEMP[1].w, IMM[0].yyyy\n\
                 MUL TEMP[0], IN[0], TEMP[1]\n"
                    .into()
            }
            Work::Position => {
                "MUL TEMP[0], IN[2], IMM[0].wwyy\nMOV TEMP[0].w, IMM[0].yyyy\n".into()
            }
            Work::Face => {
                "FSGE TEMP[1].x, IN[3].xxxx, IMM[1].xxxx\nUIF TEMP[1].xxxx\n\
                 MOV TEMP[0], IN[0]\nELSE\nMOV TEMP[0], IN[0].zyxw\nENDIF\n"
                    .into()
            }
            Work::Derivatives => {
                "DDX TEMP[0], IN[1]\nDDY TEMP[1], IN[1]\nADD TEMP[0], |TEMP[0]|, |TEMP[1]|\n".into()
            }
            Work::Fetch => {
                "FBFETCH TEMP[0], OUT[0]\nADD TEMP[0], TEMP[0], IN[0]\n\
                 MUL TEMP[0], TEMP[0], IMM[4].xxxx\n"
                    .into()
            }
            Work::Count => {
                "ATOMUADD TEMP[1].x, BUFFER[0], IMM[1].xxxx, IMM[1].yyyy\nF2U TEMP[1].xy, IN[2]\n\
                 ATOMUADD TEMP[2].x, IMAGE[0], TEMP[1], IMM[1].yyyy, 2D, PIPE_FORMAT_R32_UINT\n\
                 MOV TEMP[0], IN[0]\n"
                    .into()
            }
            Work::Numbers => {
                "AND TEMP[1].x, IN[4].xxxx, IMM[1].wwww\nMOV TEMP[1].y, IN[5].xxxx\n\
                 MOV TEMP[1].z, IN[6].xxxx\nU2F TEMP[0].xyz, TEMP[1].xyzz\n\
                 MUL TEMP[0].xyz, TEMP[0], IMM[0].xxxx\nMOV TEMP[0].w, IMM[0].yyyy\n"
                    .into()
            }
            Work::Coverage => {
                "POPC TEMP[1].x, SV[0].xxxx\nU2F TEMP[1].x, TEMP[1].xxxx\n\
                 MUL TEMP[0], TEMP[1].xxxx, IMM[4].yyyy\nMOV TEMP[0].w, IMM[0].yyyy\n"
                    .into()
            }
            Work::Elsewhere(Place::Centroid) => "INTERP_CENTROID TEMP[0], IN[0]\n".into(),
            Work::Elsewhere(Place::Sample) => {
                "INTERP_SAMPLE TEMP[0], IN[0], IMM[1].yyyy\n".into()
            }
            Work::Elsewhere(Place::Offset) => {
                "INTERP_OFFSET TEMP[0], IN[0], IMM[4].zwzw\n".into()
            }
            Work::Flow => {
                "MOV TEMP[0], IN[0]\nMOV TEMP[1].x, IMM[1].xxxx\nBGNLOOP\n\
                 USGE TEMP[1].y, TEMP[1].xxxx, IMM[1].wwww\nUIF TEMP[1].yyyy\nBRK\nENDIF\n\
                 MAD TEMP[0], TEMP[0], IMM[0].xxxx, IN[1]\nUADD TEMP[1].x, TEMP[1].xxxx, IMM[1].yyyy\n\
                 ENDLOOP\n"
                    .into()
            }
        }
    }
}

/// Returns the instructions that write `TEMP[0]` to a colour buffer, as floats or as integers (100
/// for 1.0).
fn store(output: usize, swizzle: &str, color: Format) -> String {
    if !color.is_pure_integer() {
        return format!("MOV OUT[{output}], TEMP[0].{swizzle}\n");
    }
    let convert = if color.is_pure_sint() { "F2I" } else { "F2U" };
    format!("MUL TEMP[3], TEMP[0].{swizzle}, IMM[3].xxxx\n{convert} OUT[{output}], TEMP[3]\n")
}

#[cfg(test)]
mod tests {
    use os_shim::Memory;

    use super::*;

    #[test]
    fn every_program_is_sound() {
        use Lookup::*;
        let lookups = [Implicit, Bias, Lod, Gradient, Projected, Gather, Fetch, LodQuery];
        let plain = [
            Work::Color,
            Work::Constant,
            Work::Kill,
            Work::Depth,
            Work::Position,
            Work::Face,
            Work::Derivatives,
            Work::Flow,
            Work::SampleMask,
            Work::SampleNumber,
            Work::Fetch,
            Work::Count,
            Work::Numbers,
            Work::Coverage,
            Work::Elsewhere(Place::Centroid),
            Work::Elsewhere(Place::Sample),
            Work::Elsewhere(Place::Offset),
        ];
        let works =
            plain.into_iter().chain(lookups.map(Work::Texture)).chain(lookups.map(Work::Modulate));
        let works: Vec<Work> = works.chain([Work::Shadow(Implicit)]).collect();
        let memory = Memory::system();
        for texture in [Format::R8G8B8A8Unorm, Format::R8G8B8A8Uint, Format::R16Sint] {
            let (target, size) = (TextureTarget::Texture2D, [4, 4, 1]);
            let sampled = Sampled { target, format: texture, size };
            for (work, color) in works.iter().flat_map(|work| {
                [Format::R8G8B8A8Unorm, Format::R8Sint, Format::R32Uint].map(|color| (*work, color))
            }) {
                let fragment = Fragment { work, ..Fragment::COLOR };
                let text = fragment.text(Some(&sampled), 2, color);
                let shader = tgsi::text::parse(&text, memory).expect(&text);
                let summary = tgsi::sanity::check(&shader, &mut |_| {}).expect("memory is there");
                assert_eq!(summary.errors, 0, "{text}");
            }
        }
    }
}
