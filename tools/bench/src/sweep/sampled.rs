//! Textures: every sampled format by every filter and target, and the members of a sampler.

use formats::Format;
use pipe_core::{
    Bind, CompareFunc, ReductionMode, SamplerState, Screen, Swizzle, TexCompare, TexFilter,
    TexMipFilter, TexWrap, TextureTarget,
};

use super::setup::{EDGE, Mesh, Setup, Texture};
use super::{Group, LIMIT};

/// The maximum ratio for a compressed format.
const COMPRESSED_LIMIT: f64 = 3.0;

/// Texels from one pixel to the next, so that lookups of mipmaps mix two levels.
const DENSITY: f32 = 1.4;

/// The filters, by name.
const FILTERS: [(&str, TexFilter, TexMipFilter); 3] = [
    ("nearest", TexFilter::Nearest, TexMipFilter::None),
    ("linear", TexFilter::Linear, TexMipFilter::None),
    ("trilinear", TexFilter::Linear, TexMipFilter::Linear),
];

/// The targets, with their names in shaders, their sizes and layers.
const TARGETS: [(TextureTarget, &str, [u32; 3], u32); 8] = [
    (TextureTarget::Texture2D, "2D", [256, 256, 1], 1),
    (TextureTarget::Texture1D, "1D", [256, 1, 1], 1),
    (TextureTarget::Rect, "RECT", [256, 256, 1], 1),
    (TextureTarget::Texture3D, "3D", [64, 64, 16], 1),
    (TextureTarget::Cube, "CUBE", [256, 256, 1], 6),
    (TextureTarget::Texture1DArray, "1D_ARRAY", [256, 1, 1], 4),
    (TextureTarget::Texture2DArray, "2D_ARRAY", [256, 256, 1], 2),
    (TextureTarget::CubeArray, "CUBEARRAY", [64, 64, 1], 12),
];

/// Returns a program with one lookup, `op`; its operands after the coordinates are `rest`.
fn lookup(op: &str, rest: &str, name: &str, format: Format) -> String {
    let desc = format.desc();
    let (kind, convert) = match desc.channels[0].kind {
        _ if !format.is_pure_integer() => ("FLOAT", "MOV"),
        formats::ChannelKind::Signed => ("SINT", "I2F"),
        _ => ("UINT", "U2F"),
    };
    let shape = name.strip_prefix("SHADOW").unwrap_or(name);
    let rest = if rest.is_empty() { String::new() } else { format!("{rest}, ") };
    format!(
        "FRAG
DCL IN[0], GENERIC[0], PERSPECTIVE
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], {shape}, {kind}
DCL TEMP[0]
IMM[0] FLT32 {{ 0.004, 0.0, 0.0, 0.004 }}
IMM[1] INT32 {{ 1, 0, 0, 0 }}
{op} TEMP[0], IN[0], {rest}SAMP[0], {name}
{convert} OUT[0], TEMP[0]
END"
    )
}

/// Returns the texture coordinates over the target.
fn coordinates(target: TextureTarget, [width, height, _]: [u32; 3]) -> Mesh {
    let span = |size: u32| DENSITY * f32::from(EDGE) / size as f32;
    match target {
        TextureTarget::Cube | TextureTarget::CubeArray => {
            Mesh::rectangle([-1.1, -1.1, 1.0, 0.0], [1.1, 1.1, 1.0, 1.0])
        }
        TextureTarget::Rect => {
            let edge = DENSITY * f32::from(EDGE);
            Mesh::rectangle([0.0, 0.0, 0.5, 0.0], [edge, edge, 0.5, 0.0])
        }
        TextureTarget::Texture1DArray => {
            Mesh::rectangle([0.0, 0.0, 0.5, 0.0], [span(width), 3.0, 0.5, 0.0])
        }
        _ => Mesh::rectangle([0.0, 0.0, 0.0, 0.0], [span(width), span(height), 1.0, 1.0]),
    }
}

/// Returns a setup with one texture lookup.
fn setup(
    (target, name, size, layers): (TextureTarget, &str, [u32; 3], u32),
    format: Format,
    filter: TexFilter,
    mip: TexMipFilter,
) -> Setup {
    Setup {
        texture: Some(Texture {
            format,
            target,
            size,
            layers,
            mipmapped: mip != TexMipFilter::None,
            swizzle: Swizzle::IDENTITY,
            sampler: SamplerState {
                min_img_filter: filter,
                mag_img_filter: filter,
                min_mip_filter: mip,
                ..SamplerState::wrapping(match target {
                    TextureTarget::Rect => TexWrap::ClampToEdge,
                    _ => TexWrap::Repeat,
                })
            },
        }),
        mesh: coordinates(target, size),
        fragment: lookup("TEX", "", name, format),
        ..Setup::default()
    }
}

/// Returns a change of a texture's members.
fn texture(change: impl FnOnce(&mut Texture)) -> impl FnOnce(&mut Setup) {
    |setup| {
        if let Some(texture) = &mut setup.texture {
            change(texture);
        }
    }
}

/// Returns a change of a sampler's members.
fn sampler(change: impl FnOnce(&mut SamplerState)) -> impl FnOnce(&mut Setup) {
    texture(|texture| change(&mut texture.sampler))
}

/// Returns the groups for textures.
pub(super) fn groups(screen: &dyn Screen<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    let formats = |target| {
        let all = Format::ALL.iter().copied();
        all.filter(move |format| {
            screen.is_format_supported(*format, target, 0, 0, Bind::SAMPLER_VIEW)
        })
    };
    for shape in TARGETS {
        let (target, name, ..) = shape;
        for (filter, image, mip) in FILTERS {
            if target == TextureTarget::Rect && mip != TexMipFilter::None {
                continue;
            }
            let baseline = setup(shape, Format::R8G8B8A8Unorm, image, mip);
            let mut group = Group::new(format!("sampled {name} {filter}"), baseline);
            for format in formats(target) {
                let block = format.block();
                let packed = (block.width, block.height) != (1, 1);
                let limit = if packed { COMPRESSED_LIMIT } else { LIMIT };
                group.vary_within(limit, format!("{format:?}"), |setup| {
                    setup.fragment = lookup("TEX", "", name, format);
                    texture(|texture| texture.format = format)(setup);
                });
            }
            groups.push(group);
        }
    }
    groups.push(comparisons(formats(TextureTarget::Texture2D)));
    groups.extend(members());
    groups.extend(lookups());
    groups
}

/// Returns the group of shadow comparisons with every depth format.
fn comparisons(formats: impl Iterator<Item = Format>) -> Group {
    let (filter, mip) = (TexFilter::Linear, TexMipFilter::None);
    let mut baseline = setup(TARGETS[0], Format::Z16Unorm, filter, mip);
    baseline.fragment = lookup("TEX", "", "SHADOW2D", Format::Z16Unorm);
    sampler(|sampler| {
        sampler.compare_mode = TexCompare::RToTexture;
        sampler.compare_func = CompareFunc::LessEqual;
    })(&mut baseline);
    let mut group = Group::new("sampled 2D comparison", baseline);
    for format in formats.filter(|format| format.has_depth()) {
        group.vary(format!("{format:?}"), texture(|texture| texture.format = format));
    }
    for func in CompareFunc::ALL {
        group.vary(format!("{func:?}"), sampler(|sampler| sampler.compare_func = *func));
    }
    group.vary("nearest", sampler(|sampler| sampler.mag_img_filter = TexFilter::Nearest));
    group
}

/// Returns the groups for the members of samplers and views.
fn members() -> Vec<Group> {
    let mut groups = Vec::new();
    for (name, filter, mip) in FILTERS {
        let baseline = setup(TARGETS[0], Format::R8G8B8A8Unorm, filter, mip);
        let mut group = Group::new(format!("sampler {name}"), baseline);
        for wrap in TexWrap::ALL {
            group.vary(
                format!("wrap {wrap:?}"),
                sampler(|sampler| {
                    (sampler.wrap_s, sampler.wrap_t) = (*wrap, *wrap);
                }),
            );
        }
        for size in [[255, 255, 1], [200, 100, 1], [1, 1, 1], [37, 1024, 1], [2048, 2048, 1]] {
            group.vary(format!("size {size:?}"), |setup| {
                setup.mesh = coordinates(TextureTarget::Texture2D, size);
                texture(|texture| texture.size = size)(setup);
            });
        }
        for mode in ReductionMode::ALL {
            group.vary(
                format!("reduction {mode:?}"),
                sampler(|sampler| sampler.reduction_mode = *mode),
            );
        }
        group.vary("lod_bias", sampler(|sampler| sampler.lod_bias = 0.3));
        group.vary("min_lod", sampler(|sampler| sampler.min_lod = 1.3));
        group.vary("max_lod", sampler(|sampler| sampler.max_lod = 0.2));
        group.vary(
            "magnification apart",
            sampler(|sampler| {
                sampler.mag_img_filter = TexFilter::Nearest;
            }),
        );
        let [x, y, z, w] = Swizzle::IDENTITY;
        for swizzle in [[x, y, z, Swizzle::One], [w, z, y, x], [x, x, x, x]] {
            group
                .vary(format!("swizzle {swizzle:?}"), texture(|texture| texture.swizzle = swizzle));
        }
        groups.push(group);
    }
    let cube = setup(TARGETS[4], Format::R8G8B8A8Unorm, TexFilter::Linear, TexMipFilter::None);
    let mut group = Group::new("sampler cube", cube);
    group.vary("seamless", sampler(|sampler| sampler.seamless_cube_map = true));
    group.vary("seamless, faces of 8 texels", |setup| {
        sampler(|sampler| sampler.seamless_cube_map = true)(setup);
        texture(|texture| texture.size = [8, 8, 1])(setup);
    });
    groups.push(group);
    groups
}

/// Returns the groups for the kinds of lookups.
fn lookups() -> Vec<Group> {
    let (filter, mip) = (TexFilter::Linear, TexMipFilter::Linear);
    [0, 3, 4, 6]
        .map(|index| {
            let shape = TARGETS[index];
            let (_, name, ..) = shape;
            let baseline = setup(shape, Format::R8G8B8A8Unorm, filter, mip);
            let mut group = Group::new(format!("lookups {name}"), baseline);
            let cube = shape.0 == TextureTarget::Cube;
            let ops: &[(&str, &str)] = &[
                ("TXB", ""),
                ("TXL", ""),
                ("TXP", ""),
                ("TXD", "IMM[0], IMM[0].wxyz"),
                ("TXF", ""),
                ("TG4", "IMM[1].yyyy"),
                ("LODQ", ""),
            ];
            for &(op, rest) in ops {
                let fits = match op {
                    "TXF" => !cube,
                    "TXP" => index == 0,
                    "TG4" => index != 3,
                    _ => true,
                };
                if fits {
                    group.vary(op, |setup| {
                        setup.fragment = lookup(op, rest, name, Format::R8G8B8A8Unorm);
                    });
                }
            }
            group
        })
        .into()
}
