//! Texture lookups: the executor asks, whoever holds the textures answers.

use super::lanes::{Lanes, Mask};
use crate::program::{Row, Sample};
use crate::shader::TextureTarget;

/// How a texture is looked up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleKind {
    /// The level of detail comes from the quad's coordinates.
    Implicit,
    /// As `Implicit`, plus `lod`.
    Bias,
    /// At level of detail `lod`; 0 if there is none.
    Lod,
    /// The level of detail comes from `ddx` and `ddy`.
    Gradient,
    /// One texel: integer coordinates, layer and level (`lod`; the sample's index in multisampled
    /// targets), no sampler.
    Fetch,
    /// Component `component` of the four texels that bilinear filtering would weigh; for shadow
    /// targets four comparisons. In order (i0, j1), (i1, j1), (i1, j0), (i0, j0).
    Gather,
    /// x: the level that would be read; y: the level of detail before it is limited.
    LodQuery,
    /// x, y, z: size, layers of arrays last; w: number of levels. Of level `lod`, an integer.
    SizeQuery,
}

/// One lookup for every lane of a batch.
#[derive(Clone, Copy)]
pub struct SampleRequest<'a, R> {
    /// The view's slot. May be any number if the shader computes it.
    pub view: u16,
    /// The sampler's slot. May be any number if the shader computes it.
    pub sampler: u16,
    /// The shape the shader expects.
    pub target: TextureTarget,
    /// How.
    pub kind: SampleKind,
    /// s, t and r, zero where the target has fewer: floats, already divided by the projector;
    /// integers for `Fetch`. Cubes have a direction.
    pub coord: [&'a R; 3],
    /// The layer of arrays (the cube of cube arrays): a float to be rounded (`floor(l + 0.5)`) and
    /// limited; an integer for `Fetch`.
    pub layer: Option<&'a R>,
    /// The reference value of shadow targets, a float.
    pub compare: Option<&'a R>,
    /// Bias or level of detail (float), or level (integer), as the kind says.
    pub lod: Option<&'a R>,
    /// Derivatives of the coordinates along x, zero where there are none.
    pub ddx: [&'a R; 3],
    /// Derivatives of the coordinates along y, zero where there are none.
    pub ddy: [&'a R; 3],
    /// In texels, added before wrapping.
    pub offset: [i8; 3],
    /// What `Gather` gathers, 0 to 3.
    pub component: u8,
    /// The lanes that run, helpers of quads included; what others receive does not matter.
    pub live: Mask,
}

/// What a shader reaches beyond its registers.
pub trait Resources<R: Lanes> {
    /// Looks up a texture: fills x, y, z and w of every lane of `request.live`. `out` comes
    /// zeroed; leave it so where a slot holds nothing.
    fn sample(&mut self, request: &SampleRequest<'_, R>, out: &mut [R; 4]);
}

/// Nothing: lookups give 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResources;

impl<R: Lanes> Resources<R> for NoResources {
    fn sample(&mut self, _: &SampleRequest<'_, R>, _: &mut [R; 4]) {}
}

/// Does the lookup of an op. `None`: the table names rows that are not there.
pub(super) fn sample<R: Lanes>(
    sample: &Sample,
    rows: &mut [R],
    live: Mask,
    resources: &mut dyn Resources<R>,
) -> Option<()> {
    let zero = R::ZERO;
    let mut out = [R::ZERO; 4];
    let first = live.trailing_zeros() as usize;
    let row = |row: Row| match row.index() {
        None => Some(&zero),
        Some(index) => rows.get(index),
    };
    let optional = |row: Row| match row.index() {
        None => Some(None),
        Some(index) => rows.get(index).map(Some),
    };
    // Units, offsets and components are one a batch: those of the first lane that runs.
    let uniform = |at: Row| row(at).map(|row| row.as_slice().get(first).copied().unwrap_or(0));
    let three = |rows: [Row; 3]| Some([row(rows[0])?, row(rows[1])?, row(rows[2])?]);
    let unit = uniform(sample.unit_row)?;
    let mut offset = sample.offset;
    for (offset, row) in offset.iter_mut().zip(sample.offset_rows) {
        *offset = offset.wrapping_add(uniform(row)? as i8);
    }
    let request = SampleRequest {
        view: unit_number(sample.view, unit),
        sampler: unit_number(sample.sampler, unit),
        target: sample.target,
        kind: sample.kind,
        coord: three(sample.coord)?,
        layer: optional(sample.layer)?,
        compare: optional(sample.compare)?,
        lod: optional(sample.lod)?,
        ddx: three(sample.ddx)?,
        ddy: three(sample.ddy)?,
        offset,
        component: sample.component.wrapping_add(uniform(sample.component_row)? as u8) & 3,
        live,
    };
    resources.sample(&request, &mut out);
    for (row, value) in sample.dst.into_iter().zip(out) {
        if let Some(index) = row.index() {
            *rows.get_mut(index)? = value;
        }
    }
    Some(())
}

/// `base` + `offset`, or a number no slot has.
fn unit_number(base: u16, offset: u32) -> u16 {
    u16::try_from(u32::from(base).wrapping_add(offset)).unwrap_or(u16::MAX)
}
