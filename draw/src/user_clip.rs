//! User clip planes, clip distances and cull distances.
//!
//! If the shader writes clip distances, they replace the planes. In both cases `clip_plane_enable`
//! selects the half-spaces that clip.

use crate::features::USER_CLIP_PLANES;
use crate::outcode;
use pipe_core::{ClipState, RasterizerState};
use tgsi::declaration::SemanticName;
use tgsi::program::{Program, Row};
use tgsi::shader::Property;

/// The place of a distance: component `.1` of `OUT[.0]`.
type Component = (u16, usize);

/// The user's half-spaces, and the outputs that their distances come from.
#[derive(Debug)]
pub(crate) struct UserClip {
    /// Bit k is set if half-space k clips.
    clips: u8,
    /// Bit k is set if cull distance k culls. Number 0 follows the last clip distance.
    culls: u8,
    planes: [[f32; 4]; 8],
    /// The register that the planes are applied to.
    vertex: u16,
    /// The places of clip distances, if the shader writes any.
    clip_distances: Option<[Component; 8]>,
    cull_distances: [Component; 8],
}

/// Returns the registers and components of the clip and cull distances that a program writes.
#[inline(always)]
fn written_distances(program: &Program<'_>) -> [Option<(u16, usize)>; 8] {
    let mut distances = [None; 8];
    for output in program.outputs.iter() {
        if output.semantic.name != SemanticName::ClipDistance || output.semantic.index > 1 {
            continue;
        }
        let four = distances.iter_mut().skip(usize::from(output.semantic.index) * 4);
        for (component, (distance, row)) in four.zip(output.rows).enumerate() {
            if row != Row::NONE {
                *distance = Some((output.register, component));
            }
        }
    }
    distances
}

impl UserClip {
    /// No half-spaces.
    pub(crate) const NONE: UserClip = UserClip {
        clips: 0,
        culls: 0,
        planes: [[0.0; 4]; 8],
        vertex: 0,
        clip_distances: None,
        cull_distances: [(0, 0); 8],
    };

    /// Derives the half-spaces of a draw from the program of the last vertex stage. `OUT[position]`
    /// is its position.
    pub(crate) fn new(
        program: &Program<'_>,
        rasterizer: &RasterizerState,
        clip: &ClipState,
        position: u16,
    ) -> UserClip {
        if !USER_CLIP_PLANES {
            return UserClip::NONE;
        }
        let properties = program.properties;
        let distances = written_distances(program);
        // Both kinds share the eight components, clip distances first. If there are cull distances
        // but no count of clip distances, all components are cull distances.
        let count = |property| properties.get(property).map(|n| n.min(8) as usize);
        let culling = count(Property::NumCulldistEnabled).unwrap_or(0);
        let clipping = count(Property::NumClipdistEnabled);
        let clipping = clipping.unwrap_or(if culling > 0 { 0 } else { 8 });
        let mut user = UserClip {
            clips: 0,
            culls: 0,
            planes: clip.ucp,
            vertex: position,
            clip_distances: None,
            cull_distances: [(0, 0); 8],
        };
        let mut clip_distances = [(0, 0); 8];
        for (i, component) in distances.iter().enumerate() {
            let Some(component) = *component else { continue };
            if i < clipping {
                if let Some(distance) = clip_distances.get_mut(i) {
                    *distance = component;
                }
                user.clips |= 1 << i;
                user.clip_distances = Some(clip_distances);
            } else if let Some(distance) = user.cull_distances.get_mut(i - clipping)
                && i - clipping < culling
            {
                *distance = component;
                user.culls |= 1 << (i - clipping);
            }
        }
        if user.clip_distances.is_none() && !properties.is_set(Property::VsProhibitUcps) {
            user.clips = u8::MAX;
            let vertex =
                program.outputs.iter().find(|o| o.semantic.name == SemanticName::ClipVertex);
            user.vertex = vertex.map_or(position, |output| output.register);
        }
        user.clips &= rasterizer.clip_plane_enable;
        if properties.window_space_position() {
            (user.clips, user.culls) = (0, 0);
        }
        user
    }

    /// Returns true if any half-space clips or culls.
    pub(crate) fn is_active(&self) -> bool {
        USER_CLIP_PLANES && self.clips | self.culls != 0
    }

    /// Returns the bits to add to a vertex's outcode.
    pub(crate) fn code(&self, outputs: &[[f32; 4]]) -> u32 {
        let mut bits = 0;
        // A distance that is not a number counts as outside.
        for (k, cull) in self.cull_distances.iter().enumerate() {
            if self.clips >> k & 1 != 0 && !(self.distance(k, outputs) >= 0.0) {
                bits |= outcode::USER << k;
            }
            if self.culls >> k & 1 != 0 && !(read(outputs, *cull) >= 0.0) {
                bits |= outcode::CULL << k;
            }
        }
        bits
    }

    /// Returns the distance of a vertex from the border of half-space `k` (0 to 7); negative
    /// outside.
    #[expect(clippy::indexing_slicing, reason = "the mask keeps the number below 8")]
    pub(crate) fn distance(&self, k: usize, outputs: &[[f32; 4]]) -> f32 {
        if let Some(components) = &self.clip_distances {
            return read(outputs, components[k & 7]);
        }
        let [a, b, c, d] = self.planes[k & 7];
        let [x, y, z, w] = outputs.get(usize::from(self.vertex)).copied().unwrap_or_default();
        a * x + b * y + c * z + d * w
    }
}

/// Reads a distance; 0 if the vertex has no such output.
#[expect(clippy::indexing_slicing, reason = "the mask keeps the component below 4")]
fn read(outputs: &[[f32; 4]], (register, component): Component) -> f32 {
    outputs.get(usize::from(register)).map_or(0.0, |output| output[component & 3])
}
