//! The cost of lookups in units of work (see [`tgsi::exec::Resources::stopped`]).
//!
//! The figures are measured: `cargo bench -p gallium-raster --bench questions`.

use formats::{Format, Layout};
use pipe_core::state::{TexFilter, TexMipFilter};
use tgsi::exec::SampleKind;

use super::Sampler;

/// Units per call, and per texel for all lanes of a batch together.
const PLAIN: u32 = 16;

impl Sampler<'_> {
    /// Returns the units of work of a lookup for `lanes` lanes.
    pub(crate) fn units(&self, kind: SampleKind, lanes: u32) -> u32 {
        let linear = TexFilter::Linear;
        let filters = self.rule.min == linear || self.rule.mag == linear;
        let texels = match kind {
            SampleKind::SizeQuery
            | SampleKind::LodQuery
            | SampleKind::SampleCount
            | SampleKind::SamplePosition => return PLAIN,
            SampleKind::Fetch => 1,
            SampleKind::Gather => 4,
            _ if !filters => 1,
            _ => 1 << self.shape.dims(),
        };
        let levels = 1 + u32::from(self.rule.mip == TexMipFilter::Linear && texels > 1);
        let ways = if self.is_anisotropic(kind) { u32::from(self.ratio()).clamp(1, 16) } else { 1 };
        let texels = texels * levels * ways;
        PLAIN + texels * (PLAIN + lanes * decoding(self.view.format))
    }
}

/// Returns the extra units to decode a texel of a format, compared with a plain texel, if no two
/// lanes share a block.
const fn decoding(format: Format) -> u32 {
    match format.layout() {
        Layout::Plain | Layout::Packed(_) => 0,
        Layout::Bptc | Layout::Etc => 5,
        Layout::Astc => {
            let block = format.block();
            block.width as u32 * block.height as u32 / 4
        }
        _ => 2,
    }
}
