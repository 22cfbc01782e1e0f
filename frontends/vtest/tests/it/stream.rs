//! Command streams, written out.

/// A command stream being built.
#[derive(Clone, Debug, Default)]
pub struct Stream(pub Vec<u32>);

/// Objects and their names on the wire.
pub mod kind {
    pub const BLEND: u32 = 1;
    pub const RASTERIZER: u32 = 2;
    pub const DSA: u32 = 3;
    pub const SHADER: u32 = 4;
    pub const VERTEX_ELEMENTS: u32 = 5;
    pub const SAMPLER_VIEW: u32 = 6;
    pub const SAMPLER_STATE: u32 = 7;
    pub const SURFACE: u32 = 8;
}

/// Formats' numbers.
pub mod format {
    pub const R32G32B32A32_FLOAT: u32 = 31;
    pub const R8_UNORM: u32 = 64;
    pub const R8G8B8A8_UNORM: u32 = 67;
}

pub const PASS_THROUGH: &str =
    "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\n  0: MOV OUT[0], IN[0]\n  1: END\n";
pub const CONSTANT: &str = "FRAG\nPROPERTY FS_COLOR0_WRITES_ALL_CBUFS 1\nDCL OUT[0], COLOR\n\
                            DCL CONST[0]\n  0: MOV OUT[0], CONST[0]\n  1: END\n";

/// Width and height of targets in pixels.
pub const SIZE: u32 = 8;

/// The lower left half of a target, as clip space has it.
pub const TRIANGLE: [f32; 12] = [-1., -1., 0., 1., 1., -1., 0., 1., -1., 1., 0., 1.];

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];

/// Returns the bytes of words on the wire.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the words in these bytes.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

impl Stream {
    /// A command.
    pub fn command(&mut self, number: u32, object: u32, payload: &[u32]) -> &mut Self {
        self.0.push(number | object << 8 | (payload.len() as u32) << 16);
        self.0.extend(payload);
        self
    }

    /// Makes an object.
    pub fn create(&mut self, kind: u32, payload: &[u32]) -> &mut Self {
        self.command(1, kind, payload)
    }

    /// Makes a shader of `text`, in one piece.
    pub fn shader(&mut self, name: u32, stage: u32, text: &str) -> &mut Self {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let mut payload = vec![name, stage, bytes.len() as u32, 300, 0];
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        payload.extend(words(&bytes));
        self.create(kind::SHADER, &payload)
    }

    /// A context, made current.
    pub fn context(&mut self, number: u32) -> &mut Self {
        self.command(29, 0, &[number]).command(28, 0, &[number])
    }

    /// A surface of level 0 of a texture, the only attachment from now on.
    pub fn draw_to(&mut self, surface: u32, resource: u32, format: u32) -> &mut Self {
        self.create(kind::SURFACE, &[surface, resource, format, 0, 0]);
        self.command(5, 0, &[1, 0, surface])
    }

    /// Clears colour 0.
    pub fn clear(&mut self, color: [f32; 4]) -> &mut Self {
        let [r, g, b, a] = color.map(f32::to_bits);
        self.command(7, 0, &[4, r, g, b, a, 0, 0, 0])
    }

    /// Sets state that draws plain triangles: objects `first..first + 3`, and a viewport of
    /// `width`×`height` with its first row at y = -1.
    pub fn plain_state(&mut self, first: u32, width: f32, height: f32) -> &mut Self {
        let write_all = 0xf << 27;
        self.create(kind::BLEND, &[first, 0, 0, write_all, 0, 0, 0, 0, 0, 0, 0]);
        self.command(2, kind::BLEND, &[first]);
        self.create(kind::DSA, &[first + 1, 0, 0, 0, 0]);
        self.command(2, kind::DSA, &[first + 1]);
        let (one, clip_and_half_pixel) = (1f32.to_bits(), 0x2000_0002);
        let rasterizer = [first + 2, clip_and_half_pixel, one, 0, 0, one, 0, 0, 0];
        self.create(kind::RASTERIZER, &rasterizer);
        self.command(2, kind::RASTERIZER, &[first + 2]);
        let [x, y] = [width / 2.0, height / 2.0].map(f32::to_bits);
        let half = 0.5f32.to_bits();
        self.command(4, 0, &[0, x, y, half, x, y, half])
    }

    /// Adds all commands to clear resource 1 to blue and draw the [`TRIANGLE`] in buffer 2 to it,
    /// with `fill` as constant 0 of the fragment shader.
    pub fn triangle(&mut self, fragment: &str, fill: [f32; 4]) -> &mut Self {
        self.context(1).draw_to(1, 1, format::R8G8B8A8_UNORM).clear(BLUE);
        self.shader(2, 0, PASS_THROUGH).shader(3, 1, fragment);
        self.command(31, 0, &[2, 0]).command(31, 0, &[3, 1]);
        self.create(kind::VERTEX_ELEMENTS, &[4, 0, 0, 0, format::R32G32B32A32_FLOAT]);
        self.command(2, kind::VERTEX_ELEMENTS, &[4]);
        self.plain_state(5, SIZE as f32, SIZE as f32);
        self.command(6, 0, &[16, 0, 2]);
        let [r, g, b, a] = fill.map(f32::to_bits);
        self.command(12, 0, &[1, 0, r, g, b, a])
    }

    /// Draws vertices `0..count`.
    pub fn draw(&mut self, primitive: u32, count: u32) -> &mut Self {
        self.command(
            8,
            0,
            &[0, count, primitive, 0, 1, 0, 0, 0, u32::MAX, 0, count.saturating_sub(1), 0],
        )
    }

    /// Transfers a whole level from shared memory: resource, width, height, depth.
    pub fn upload(&mut self, resource: u32, [w, h, d]: [u32; 3]) -> &mut Self {
        self.command(43, 0, &[resource, 0, 2, 0, 0, 0, 0, 0, w, h, d, 0, 1])
    }
}
