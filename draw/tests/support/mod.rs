//! Shared by the tests: a sink that records, and shaders from text.
#![allow(dead_code, unreachable_pub)] // Compiled into every test file, none of which uses all.

use gallium_draw::{Origin, PrimitiveSink, SinkError, Triangle, VertexId, WindowVertex};
use os_shim::memory::Memory;
use tgsi::compile::{CompileOptions, Compiled, compile};

/// A vertex, as the sink received it.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertex {
    pub x: i32,
    pub y: i32,
    pub z: f32,
    pub rcp_w: f32,
    pub outputs: Vec<[f32; 4]>,
}

/// A primitive with copies of its vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub vertices: Vec<Vertex>,
    pub provoking: usize,
    /// `None` for points and lines, except `Some(false)` for strokes of a back face.
    pub front: Option<bool>,
}

impl Shape {
    /// Returns twice the signed area in 2^-16 pixels, y down.
    pub fn area(&self) -> i64 {
        area(&self.vertices)
    }
}

/// Returns twice the signed area of a triangle.
pub fn area(v: &[Vertex]) -> i64 {
    let d = |a: &Vertex, b: &Vertex| (i64::from(b.x - a.x), i64::from(b.y - a.y));
    let ((abx, aby), (acx, acy)) = (d(&v[0], &v[1]), d(&v[0], &v[2]));
    abx * acy - acx * aby
}

/// A sink that records everything. It may have little room, or fail.
#[derive(Default)]
pub struct Recorder {
    pub shapes: Vec<Shape>,
    /// The vertices taken since the last restart.
    pub vertices: Vec<Vertex>,
    /// All vertices ever taken.
    pub taken: usize,
    /// Restarts when it would hold more vertices than this.
    pub room: Option<usize>,
    pub restarts: usize,
    /// Fails at this primitive.
    pub fail_at: Option<usize>,
    /// The number of restarts. It is part of every id, so that ids from before a restart are
    /// detected.
    pub epoch: u32,
}

/// The recorder's error.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub struct Stop;

impl Recorder {
    /// Records a point or line. A provoking vertex that is not one of its ends comes last.
    fn stroke(
        &mut self,
        ids: &[VertexId],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Stop>> {
        let facing = (!front).then_some(false);
        match ids.iter().position(|id| *id == provoking) {
            Some(at) => self.shape(ids, at as u8, facing),
            None => self.shape(&[ids, &[provoking]].concat(), ids.len() as u8, facing),
        }
    }

    fn shape(
        &mut self,
        ids: &[VertexId],
        provoking: u8,
        front: Option<bool>,
    ) -> Result<(), SinkError<Stop>> {
        if self.fail_at == Some(self.shapes.len()) {
            return Err(SinkError::Failed(Stop));
        }
        let vertices = ids.iter().map(|id| {
            assert_eq!(id.0 >> 20, self.epoch, "an id from before a restart");
            self.vertices[(id.0 & 0xf_ffff) as usize].clone()
        });
        let shape = Shape { vertices: vertices.collect(), provoking: provoking.into(), front };
        assert!(shape.provoking < shape.vertices.len());
        self.shapes.push(shape);
        Ok(())
    }
}

impl PrimitiveSink for Recorder {
    type Error = Stop;
    /// The corners that `extent` was called with.
    type Extent = [[i32; 2]; 3];

    fn extent(&self, corners: [[i32; 2]; 3]) -> Option<Self::Extent> {
        Some(corners)
    }

    fn vertex(&mut self, v: &WindowVertex<'_>) -> Result<VertexId, SinkError<Stop>> {
        if self.room.is_some_and(|room| self.vertices.len() >= room) {
            self.vertices.clear();
            self.restarts += 1;
            self.epoch += 1;
            return Err(SinkError::Restart);
        }
        let (x, y, z, rcp_w) = (v.x, v.y, v.z, v.rcp_w);
        self.vertices.push(Vertex { x, y, z, rcp_w, outputs: v.outputs.to_vec() });
        self.taken += 1;
        Ok(VertexId(self.epoch << 20 | (self.vertices.len() - 1) as u32))
    }

    fn point(
        &mut self,
        vertex: VertexId,
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Stop>> {
        self.stroke(&[vertex], provoking, front)
    }

    fn line(
        &mut self,
        vertices: [VertexId; 2],
        provoking: VertexId,
        front: bool,
    ) -> Result<(), SinkError<Stop>> {
        self.stroke(&vertices, provoking, front)
    }

    fn triangle(
        &mut self,
        extent: [[i32; 2]; 3],
        triangle: Triangle,
    ) -> Result<(), SinkError<Stop>> {
        let Triangle { vertices, provoking, front, origin } = triangle;
        if origin == Origin::New {
            let next = self.epoch << 20 | self.vertices.len() as u32;
            assert_eq!(vertices, [next - 3, next - 2, next - 1].map(VertexId));
        }
        self.shape(&vertices, provoking, Some(front))?;
        let shape = self.shapes.last().expect("just pushed");
        let area = shape.area();
        assert!(
            shape.vertices.iter().map(|v| [v.x, v.y]).eq(extent),
            "the extent is of another triangle"
        );
        assert_ne!(area, 0, "a triangle without area");
        Ok(())
    }
}

/// Compiles TGSI text.
pub fn program(text: &str) -> Compiled<'static> {
    let memory = Memory::system();
    let shader = tgsi::text::parse(text, memory).expect("the shader's text is right");
    compile(&shader, &CompileOptions::default(), memory).expect("the shader compiles")
}

/// `OUT[0]` is the position, `OUT[1]` a generic: inputs 0 and 1.
pub const PASS: &str = "VERT
DCL IN[0]
DCL IN[1]
DCL OUT[0], POSITION
DCL OUT[1], GENERIC[0]
  0: MOV OUT[0], IN[0]
  1: MOV OUT[1], IN[1]
  2: END
";

/// Returns the little-endian bytes of floats.
pub fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|f| f.to_le_bytes()).collect()
}
