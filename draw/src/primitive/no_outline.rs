//! Stands in for polygons and lines of draws with effects, in builds without the feature
//! `primitive-effects`. It never draws, because no draw has effects.

use super::effects::VertexVariant;
use super::polygon::ClippedPolygon;
use super::processor::PrimitiveProcessor;
use crate::error::DrawError;
use crate::sink::PrimitiveSink;

impl<S: PrimitiveSink> PrimitiveProcessor<'_, S> {
    #[inline(always)]
    pub(super) fn polygon(
        &mut self,
        _: &mut ClippedPolygon,
        _: bool,
    ) -> Result<(), DrawError<S::Error>> {
        Ok(())
    }

    #[inline(always)]
    pub(super) fn line(
        &mut self,
        _: &mut ClippedPolygon,
        _: [usize; 2],
        _: bool,
        _: VertexVariant,
    ) -> Result<(), DrawError<S::Error>> {
        Ok(())
    }
}
