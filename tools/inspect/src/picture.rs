//! The contents of resources: bytes, texels as numbers, and pictures.

use std::io::BufWriter;

use anyhow::{Context as _, Result, bail};
use formats::depth::DepthLayout;
use formats::{Format, Rect};
use pipe_core::*;
use serde::Serialize;

use crate::bytes::read;
use crate::samples;
use crate::session::Session;

/// The place of a pixel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The resource.
    pub resource: ResourceHandle,
    /// The level.
    pub level: u32,
    /// The layer.
    pub layer: u32,
    /// Column, from the left.
    pub x: u32,
    /// Row, from the top.
    pub y: u32,
    /// The sample, from 0. `None` is the mean of all; only single samples have fragments.
    pub sample: Option<u32>,
}

/// One layer of a level of a resource.
#[derive(Clone, Debug)]
pub struct Picture {
    /// The format of the texels.
    pub format: Format,
    /// Width in texels.
    pub width: usize,
    /// Height in texels.
    pub height: usize,
    bytes: Vec<u8>,
}

/// The channels of a texel.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Texel {
    /// Red, green, blue, alpha.
    Float([f32; 4]),
    /// Unsigned red, green, blue, alpha.
    Uint([u32; 4]),
    /// Signed red, green, blue, alpha.
    Sint([i32; 4]),
    /// Depth and stencil; missing parts are `None`.
    Depth {
        /// The depth.
        depth: Option<f32>,
        /// The stencil value.
        stencil: Option<u8>,
    },
}

impl std::fmt::Display for Texel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |f: &mut std::fmt::Formatter<'_>, values: [String; 4]| {
            write!(f, "({})", values.join(", "))
        };
        match self {
            Self::Float(values) => list(f, values.map(|value| format!("{value}"))),
            Self::Uint(values) => list(f, values.map(|value| format!("{value}"))),
            Self::Sint(values) => list(f, values.map(|value| format!("{value}"))),
            Self::Depth { depth, stencil } => {
                if let Some(depth) = depth {
                    write!(f, "depth {depth}")?;
                }
                if let Some(stencil) = stencil {
                    let space = if depth.is_some() { ", " } else { "" };
                    write!(f, "{space}stencil {stencil}")?;
                }
                Ok(())
            }
        }
    }
}

/// Returns the value of a texel's bytes.
pub fn texel(format: Format, bytes: &[u8]) -> Texel {
    if let Some(layout) = DepthLayout::new(format) {
        let depth = layout.depth.map(|_| layout.z_f32(bytes));
        let stencil = layout.stencil.map(|_| layout.stencil(bytes));
        return Texel::Depth { depth, stencil };
    }
    if format.is_pure_integer() {
        let bits = format.fetch_rgba_bits(bytes);
        return match format.is_pure_sint() {
            true => Texel::Sint(bits.map(u32::cast_signed)),
            false => Texel::Uint(bits),
        };
    }
    Texel::Float(format.fetch_rgba_f32(bytes))
}

impl Picture {
    /// Returns the picture with the size of a region and these rows.
    pub fn of(format: Format, region: &Region, bytes: Vec<u8>) -> Self {
        let size = |side: i32| usize::try_from(side).unwrap_or(0);
        Self { format, width: size(region.width), height: size(region.height), bytes }
    }

    /// Reads a layer of a level. Samples are averaged.
    ///
    /// # Errors
    /// The resource is a buffer, or has no such level or layer, or as for maps.
    pub fn read(
        session: &mut Session<'_>,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
    ) -> Result<Self> {
        Self::of_sample(session, resource, level, layer, None)
    }

    /// Reads the level and layer of a place: the chosen sample, or the mean of all.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn at(session: &mut Session<'_>, place: &Place) -> Result<Self> {
        let Place { resource, level, layer, sample, .. } = *place;
        Self::of_sample(session, resource, level, layer, sample)
    }

    /// Reads a sample of a layer of a level; `None` is the mean of all samples.
    ///
    /// # Errors
    /// As for [`read`](Self::read); there is no such sample.
    pub fn of_sample(
        session: &mut Session<'_>,
        resource: ResourceHandle,
        level: u32,
        layer: u32,
        sample: Option<u32>,
    ) -> Result<Self> {
        let number = session.any_context()?;
        session.with_context(number, |screen, context| {
            let template = screen.resource_template(resource)?;
            if template.is_buffer() {
                bail!("{resource:?} is a buffer of {} bytes, not a picture", template.width0);
            }
            let whole = template
                .level_region(level)
                .with_context(|| format!("{resource:?} has levels 0 to {}", template.last_level))?;
            let layers = whole.depth;
            let z = i32::try_from(layer).unwrap_or(i32::MAX);
            if z >= layers {
                bail!("level {level} of {resource:?} has {layers} layers");
            }
            let region = Region { z, depth: 1, ..whole };
            let bytes = match (template.samples() > 1, sample) {
                (false, _) => read(screen, context, resource, level, &region)?,
                (true, None) => resolved(screen, context, resource, &template, level, &region)?,
                (true, Some(sample)) => {
                    let of = (resource, &template);
                    samples::read(screen, context, of, level, &region, sample)?
                }
            };
            Ok(Self::of(template.format, &whole, bytes))
        })
    }

    /// Returns the value of a texel.
    pub fn value(&self, x: usize, y: usize) -> Option<Texel> {
        if self.format.is_texel() {
            let texel_bytes = self.format.block_bytes();
            let at = y.checked_mul(self.width)?.checked_add(x)?.checked_mul(texel_bytes)?;
            let inside = x < self.width && y < self.height;
            let bytes = self.bytes.get(at..)?.get(..texel_bytes)?;
            return inside.then(|| texel(self.format, bytes));
        }
        let colors = self.colors().ok()?;
        (x < self.width).then(|| colors.get(y * self.width + x).copied().map(Texel::Float))?
    }

    /// Returns the texels as floats.
    fn colors(&self) -> Result<Vec<[f32; 4]>> {
        let (width, height) = (self.width, self.height);
        let mut pixels = vec![[0.0; 4]; width * height];
        let stride = self.format.row_bytes(width);
        formats::unpack_rgba_f32(
            self.format,
            Rect::new(&mut pixels, width),
            Rect::new(&self.bytes, stride),
            [width, height],
        )
        .map_err(|error| anyhow::anyhow!("{}: {error:?}", self.format))?;
        Ok(pixels)
    }

    /// Returns the picture as bytes of red, green, blue and alpha, from the top. Depths are shown
    /// from black at the least to white at the greatest depth; integers are scaled the same way.
    ///
    /// # Errors
    /// The format has no colours.
    pub fn rgba(&self) -> Result<Vec<[u8; 4]>> {
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        if !self.format.is_depth_or_stencil() && !self.format.is_pure_integer() {
            let encode = |value: f32| {
                if self.format.is_srgb() { formats::srgb::encode(value) } else { byte(value) }
            };
            let colors = self.colors()?;
            return Ok(colors
                .into_iter()
                .map(|[r, g, b, a]| [encode(r), encode(g), encode(b), byte(a)])
                .collect());
        }
        let count = self.width * self.height;
        let mut values = Vec::with_capacity(count);
        for y in 0..self.height {
            for x in 0..self.width {
                values.push(match self.value(x, y).context("a texel is missing")? {
                    Texel::Depth { depth: Some(depth), .. } => [depth; 3],
                    Texel::Depth { stencil, .. } => [f32::from(stencil.unwrap_or(0)); 3],
                    Texel::Uint([r, g, b, _]) => [r, g, b].map(|value| value as f32),
                    Texel::Sint([r, g, b, _]) => [r, g, b].map(|value| value as f32),
                    Texel::Float([r, g, b, _]) => [r, g, b],
                });
            }
        }
        let finite = || values.iter().flatten().copied().filter(|value| value.is_finite());
        let (low, high) =
            (finite().fold(f32::INFINITY, f32::min), finite().fold(f32::NEG_INFINITY, f32::max));
        let span = if high > low { high - low } else { 1.0 };
        let scaled = |value: f32| byte((value - low) / span);
        Ok(values.into_iter().map(|[r, g, b]| [scaled(r), scaled(g), scaled(b), 255]).collect())
    }

    /// Returns the picture as a PNG file. With `opaque`, alpha is 1.
    ///
    /// # Errors
    /// The format has no colours.
    pub fn png(&self, opaque: bool) -> Result<Vec<u8>> {
        let mut pixels = self.rgba()?;
        if opaque {
            for pixel in &mut pixels {
                pixel[3] = 255;
            }
        }
        encoded(self.width, self.height, &pixels)
    }
}

/// Encodes pixels as a PNG file.
pub(crate) fn encoded(width: usize, height: usize, pixels: &[[u8; 4]]) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    let (width, height) = (u32::try_from(width)?, u32::try_from(height)?);
    let mut encoder = png::Encoder::new(BufWriter::new(&mut file), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header()?.write_image_data(pixels.as_flattened())?;
    Ok(file)
}

/// Reads the mean of the samples of a box of a layer; of depth, stencil and integers, the first sample.
pub(crate) fn resolved(
    screen: &(dyn Screen<'static> + '_),
    context: &mut (dyn Context<'static> + '_),
    resource: ResourceHandle,
    template: &ResourceTemplate,
    level: u32,
    region: &Region,
) -> Result<Vec<u8>> {
    let plain = ResourceTemplate {
        target: TextureTarget::Texture2D,
        width0: u32::try_from(region.width)?,
        height0: u32::try_from(region.height)?,
        last_level: 0,
        array_size: 1,
        depth0: 1,
        nr_samples: 0,
        nr_storage_samples: 0,
        bind: match template.format.is_depth_or_stencil() {
            true => Bind::DEPTH_STENCIL,
            false => Bind::RENDER_TARGET,
        },
        ..*template
    };
    let target = screen.resource_create(&plain)?;
    let to = Region { x: 0, y: 0, z: 0, ..*region };
    let format = template.format;
    let mask = match (format.is_depth_or_stencil(), format.has_depth(), format.has_stencil()) {
        (false, ..) => BlitMask::RGBA,
        (_, true, true) => BlitMask::ZS,
        (_, true, false) => BlitMask::Z,
        _ => BlitMask::S,
    };
    let dst = BlitSurface { resource: target, level: 0, region: to, format };
    let src = BlitSurface { resource, level, region: *region, format };
    let blit = BlitInfo { mask, ..BlitInfo::new(dst, src, TexFilter::Nearest) };
    let bytes = context
        .blit(&blit)
        .map_err(anyhow::Error::from)
        .and_then(|()| read(screen, context, target, 0, &to));
    screen.resource_destroy(target)?;
    bytes
}
