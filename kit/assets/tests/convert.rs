//! Conversions, against bytes computed by hand.

use std::path::{Path, PathBuf};

use base64::Engine;
use gallium_assets::{
    Builder, ColorFormat, Format, IndexSize, Keep, Kind, MeshBytes, MeshOptions, Names,
    NormalFormat, Normals, Placement, PositionFormat, Projection, TextureOptions, UvFormat, mesh,
    texture,
};
use image::{ExtendedColorType, ImageEncoder};

fn obj(text: &str, options: &MeshOptions) -> Result<MeshBytes, String> {
    mesh::convert(Path::new("a.obj"), text.as_bytes(), options).map_err(|error| error.to_string())
}

/// Returns the floats at a vertex's attribute.
fn floats<const N: usize>(mesh: &MeshBytes, vertex: usize, kind: Kind) -> [f32; N] {
    let (_, offset, _) = mesh.attributes.iter().find(|it| it.0 == kind).expect("the attribute");
    let bytes = &mesh.vertices[vertex * mesh.stride + offset..];
    std::array::from_fn(|at| f32::from_le_bytes(bytes.as_chunks().0[at]))
}

/// A square in the plane y = 2, seen from above.
const SQUARE: &str = "v 5 2 0\nv 7 2 0\nv 7 2 -2\nv 5 2 -2\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.25\n\
                      f 1/1 2/2 3/3 4/4\n";

#[test]
fn a_mesh_keeps_its_place_and_gets_normals() {
    let options = MeshOptions {
        normal: Keep::As(NormalFormat::Float),
        optimise: false,
        ..MeshOptions::default()
    };
    let mesh = obj(SQUARE, &options).unwrap();
    assert_eq!((mesh.vertex_count, mesh.index_count, mesh.index_bytes), (4, 6, 2));
    let attributes = [
        (Kind::Position, 0, Format::R32G32B32Float),
        (Kind::Normal, 12, Format::R32G32B32Float),
        (Kind::TexCoord, 24, Format::R32G32Float),
    ];
    assert_eq!((mesh.stride, &mesh.attributes[..]), (32, &attributes[..]));
    assert_eq!(floats(&mesh, 2, Kind::Position), [7.0, 2.0, -2.0]);
    assert_eq!(floats(&mesh, 2, Kind::Normal), [0.0, 1.0, 0.0]);
    // v counts from the top.
    assert_eq!(floats(&mesh, 3, Kind::TexCoord), [0.0, 0.75]);
    let unit = obj(SQUARE, &MeshOptions { placement: Placement::Unit, ..options }).unwrap();
    let corner = 0.5f32.sqrt();
    let [x, y, z] = floats(&unit, 2, Kind::Position);
    assert!((x - corner).abs() < 1e-6 && y == 0.0 && (z + corner).abs() < 1e-6, "{x} {y} {z}");
}

#[test]
fn quantised_vertices_are_within_half_a_step() {
    let options = MeshOptions {
        position: PositionFormat::Snorm16,
        normal: Keep::Always(NormalFormat::Snorm8),
        uv: Keep::As(UvFormat::Unorm16),
        index: IndexSize::Bits8,
        optimise: false,
        ..MeshOptions::default()
    };
    let mesh = obj(SQUARE, &options).unwrap();
    // 8 + 4 + 4 bytes.
    assert_eq!((mesh.stride, mesh.index_bytes), (16, 1));
    assert_eq!(mesh.quantised, Some((1.0, [6.0, 2.0, -1.0])));
    let expected = [
        [0x01, 0x80, 0, 0, 0xff, 0x7f, 0, 0, 0, 127, 0, 0, 0, 0, 0xff, 0xff],
        [0xff, 0x7f, 0, 0, 0xff, 0x7f, 0, 0, 0, 127, 0, 0, 0xff, 0xff, 0xff, 0xff],
    ];
    assert_eq!(mesh.vertices[..32], *expected.as_flattened());
    // 0.75 of 65535, rounded.
    assert_eq!(mesh.vertices[62..64], 49151u16.to_le_bytes());
    assert_eq!(mesh.indices, [0, 1, 2, 0, 2, 3]);
    let error = obj(&SQUARE.replace("vt 0 0.25", "vt 0 -1"), &options).unwrap_err();
    assert_eq!(error, "a.obj: the texture coordinate (0, 2) is outside of 0 to 1; store floats");
}

#[test]
fn smoothing_groups_and_angles_separate_normals() {
    // Two squares that meet at a right angle.
    let roof = |between: &str| {
        format!(
            "v 0 0 0\nv 1 0 0\nv 1 0 -1\nv 0 0 -1\nv 1 -1 0\nv 1 -1 -1\n\
             s 1\nf 1 2 3 4\n{between}\nf 2 5 6 3\n"
        )
    };
    let count = |text: &str, normals| {
        obj(text, &MeshOptions { normals, ..MeshOptions::default() }).unwrap().vertex_count
    };
    let file = Normals::File(180.0);
    assert_eq!(count(&roof(""), file), 6, "one group is smooth");
    assert_eq!(count(&roof("s 2"), file), 8, "two groups share no normal");
    assert_eq!(count(&roof("s off"), file), 8);
    assert_eq!(count(&roof(""), Normals::File(60.0)), 8, "the edge is sharper than 60 degrees");
    assert_eq!(count(&roof(""), Normals::Flat), 8);
    assert_eq!(count(&roof(""), Normals::FileOnly), 6);
}

#[test]
fn colours_are_kept_and_formats_are_chosen() {
    let text = "v 0 0 0 1 0 0.5\nv 1 0 0 0 0 1\nv 0 1 0 1 1 1\nf 1 2 3\n";
    let options = MeshOptions { normal: Keep::Never, optimise: false, ..MeshOptions::default() };
    let mesh = obj(text, &options).unwrap();
    assert_eq!(mesh.stride, 16);
    assert_eq!(mesh.vertices[12..16], [255, 0, 128, 255]);
    let color = Keep::Always(ColorFormat::Float);
    let mesh = obj(text, &MeshOptions { color, ..options.clone() }).unwrap();
    assert_eq!(floats(&mesh, 0, Kind::Color), [1.0, 0.0, 0.5, 1.0]);
    let plain = text.replace(" 1 1 1\n", "\n");
    assert!(obj(&plain, &options).unwrap().attributes.len() == 1, "one corner has no colour");
    let error = obj(&plain, &MeshOptions { color, ..options }).unwrap_err();
    assert_eq!(error, "a.obj: not every corner has a colour, and the options ask for it");
}

#[test]
fn sizes_beyond_the_index_are_errors() {
    let mut text: String = (0..=256).map(|at| format!("v {at} {} 0\n", at * at)).collect();
    text += &(1..=255).map(|at| format!("f {at} {} {}\n", at + 1, at + 2)).collect::<String>();
    let options = MeshOptions { index: IndexSize::Bits8, ..MeshOptions::exact() };
    let error = obj(&text, &options).unwrap_err();
    assert!(
        error.starts_with("a.obj: 257 vertices, expected at most 256 for 8-bit indices"),
        "{error}"
    );
    let long = obj(&text, &MeshOptions { index: IndexSize::Bits32, ..options }).unwrap();
    assert_eq!(long.indices[..12], [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    let kind = mesh::convert(Path::new("a.stl"), b"", &MeshOptions::default()).unwrap_err();
    assert_eq!(kind.to_string(), "a.stl: a mesh of kind `stl`, expected obj, gltf or glb");
    let text = mesh::convert(Path::new("a.obj"), b"v 0 0 0\n\xff", &MeshOptions::default());
    assert_eq!(text.unwrap_err().to_string(), "a.obj: line 2: not text, expected UTF-8");
    let decimated = MeshOptions { triangles: Some(1), ..MeshOptions::default() };
    assert!(obj(SQUARE, &decimated).unwrap().index_count <= 6);
    let spun =
        MeshOptions { project: Some((Projection::Cylindrical, 1.0)), ..MeshOptions::default() };
    assert!(obj(SQUARE, &spun).unwrap().attributes.iter().any(|it| it.0 == Kind::TexCoord));
}

/// Returns a glTF file of a triangle in the plane of x and y under a node with these members.
fn gltf(node: &str, mode: u32, indices: &[u16]) -> String {
    let positions = [[0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let normals = [[0f32, 0.0, 1.0]; 4];
    let uvs = [[0f32, 0.25], [1.0, 0.25], [0.0, 1.0], [1.0, 1.0]];
    let mut bytes: Vec<u8> = Vec::new();
    for value in
        positions.as_flattened().iter().chain(normals.as_flattened()).chain(uvs.as_flattened())
    {
        bytes.extend(value.to_le_bytes());
    }
    indices.iter().for_each(|index| bytes.extend(index.to_le_bytes()));
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let (total, index_bytes, index_count) = (bytes.len(), indices.len() * 2, indices.len());
    format!(
        r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
        "nodes": [{{"children": [1], "translation": [10, 0, 0]}}, {{"mesh": 0 {node}}}],
        "meshes": [{{"name": "part", "primitives": [{{"mode": {mode}, "indices": 3,
            "attributes": {{"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}}}}]}}],
        "buffers": [{{"byteLength": {total}, "uri": "data:application/octet-stream;base64,{data}"}}],
        "bufferViews": [{{"buffer": 0, "byteLength": 48}}, {{"buffer": 0, "byteOffset": 48, "byteLength": 48}},
            {{"buffer": 0, "byteOffset": 96, "byteLength": 32}},
            {{"buffer": 0, "byteOffset": 128, "byteLength": {index_bytes}}}],
        "accessors": [
            {{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}},
            {{"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC3"}},
            {{"bufferView": 2, "componentType": 5126, "count": 4, "type": "VEC2"}},
            {{"bufferView": 3, "componentType": 5123, "count": {index_count}, "type": "SCALAR"}}]}}"#
    )
}

fn convert_gltf(text: &str) -> Result<MeshBytes, String> {
    let options = MeshOptions {
        normal: Keep::As(NormalFormat::Float),
        optimise: false,
        ..MeshOptions::default()
    };
    mesh::convert(Path::new("a.gltf"), text.as_bytes(), &options).map_err(|it| it.to_string())
}

#[test]
fn gltf_nodes_place_their_meshes() {
    // A quarter turn about x, twice the size, 5 up: (x, y, z) goes to (2x, -2z + 5, 2y).
    let turn = r#", "rotation": [0.70710678, 0, 0, 0.70710678], "scale": [2, 2, 2], "translation": [0, 5, 0]"#;
    let mesh = convert_gltf(&gltf(turn, 4, &[0, 1, 2, 2, 1, 3])).unwrap();
    assert_eq!((mesh.vertex_count, mesh.index_count), (4, 6));
    let close = |got: [f32; 3], expected: [f32; 3]| {
        assert!(
            got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5),
            "{got:?}, {expected:?}"
        );
    };
    close(floats(&mesh, 3, Kind::Position), [12.0, 5.0, 2.0]);
    close(floats(&mesh, 3, Kind::Normal), [0.0, -1.0, 0.0]);
    // v counts from the top already.
    assert_eq!(floats(&mesh, 0, Kind::TexCoord), [0.0, 0.25]);
    assert_eq!(mesh.indices, [0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 3, 0]);
}

#[test]
fn mirrored_gltf_nodes_keep_their_faces_outside() {
    let mirror = r#", "scale": [-1, 1, 1]"#;
    let mesh = convert_gltf(&gltf(mirror, 4, &[0, 1, 2])).unwrap();
    let indices: Vec<usize> =
        mesh.indices.as_chunks().0.iter().map(|it| u16::from_le_bytes(*it).into()).collect();
    let [a, b, c]: [[f32; 3]; 3] =
        std::array::from_fn(|at| floats(&mesh, indices[at], Kind::Position));
    let cross_z = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    assert_eq!((cross_z, floats(&mesh, 0, Kind::Normal)), (1.0, [0.0, 0.0, 1.0]));
}

#[test]
fn gltf_strips_and_fans_are_triangles() {
    let of = |mode, indices: &[u16]| convert_gltf(&gltf("", mode, indices)).unwrap().index_count;
    assert_eq!((of(5, &[0, 1, 2, 3]), of(6, &[0, 1, 3, 2]), of(4, &[0, 1, 2])), (6, 6, 3));
    // Each triangle of the strip faces z.
    let strip = convert_gltf(&gltf("", 5, &[0, 1, 2, 3])).unwrap();
    assert_eq!(strip.indices, [0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 3, 0]);
}

#[test]
fn damaged_gltf_is_an_error() {
    let good = gltf("", 4, &[0, 1, 2]);
    for (from, to, expected) in [
        ("\"2.0\"", "\"1.0\"", "a.gltf: not glTF 2.0"),
        (
            "\"byteLength\": 134",
            "\"byteLength\": 9999",
            "a.gltf: a buffer has 134 bytes, expected 9999",
        ),
        ("\"byteLength\": 48}", "\"byteLength\": 47}", "leave their view of 47 bytes"),
        ("octet-stream;base64", "octet-stream", "not base64"),
        (
            "\"scenes\": [{\"nodes\": [0]}]",
            "\"scenes\": [{\"nodes\": []}]",
            "no triangle in the scene",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let error = convert_gltf(&good.replace(from, to)).unwrap_err();
        assert!(error.contains(expected), "{error}, expected {expected}");
    }
    let error = convert_gltf(&gltf("", 4, &[0, 1, 9])).unwrap_err();
    assert_eq!(error, "a.gltf: mesh `part`: index 9 of 4 vertices");
    let outside = good.split("\"uri\": \"").next().unwrap().to_owned()
        + "\"uri\": \"../secret.bin\"}], "
        + good.split("\"}],\n        \"bufferViews\"").nth(1).map(|_| "\"bufferViews\"").unwrap()
        + good.split("\"bufferViews\"").nth(1).unwrap();
    let error = convert_gltf(&outside).unwrap_err();
    assert!(error.ends_with("the buffer `../secret.bin` is not in the file's folder"), "{error}");
}

/// Returns a PNG of 2×2 pixels: red, half transparent green; blue, white.
fn png() -> Vec<u8> {
    let pixels = [255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 255, 255, 255, 255, 255];
    let mut bytes = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut bytes);
    encoder.write_image(&pixels, 2, 2, ExtendedColorType::Rgba8).expect("it is written");
    bytes
}

fn texels(options: &TextureOptions) -> Vec<u8> {
    texture::convert(Path::new("a.png"), &png(), options).unwrap().texels
}

#[test]
fn a_picture_becomes_texels_of_any_format() {
    let words = |words: &[u16]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let of = |format| texels(&TextureOptions::of(format));
    assert_eq!(of(Format::B5G6R5Unorm), words(&[0xf800, 0x07e0, 0x001f, 0xffff]));
    // 128 of 255 is 7.53 of 15.
    assert_eq!(of(Format::B4G4R4A4Unorm), words(&[0xff00, 0x80f0, 0xf00f, 0xffff]));
    // The lumas of BT.709: 0.2126, 0.7152, 0.0722 of 255.
    assert_eq!(of(Format::L8Unorm), [54, 182, 18, 255]);
    assert_eq!(of(Format::L8A8Unorm), [54, 255, 182, 128, 18, 255, 255, 255]);
    assert_eq!(of(Format::R8G8B8A8Srgb)[..8], [255, 0, 0, 255, 0, 255, 0, 128]);
    let premultiplied =
        TextureOptions { premultiply: true, ..TextureOptions::of(Format::R8G8B8A8Unorm) };
    assert_eq!(texels(&premultiplied)[4..8], [0, 128, 0, 128]);
    let error = texture::convert(Path::new("a.png"), &png(), &TextureOptions::of(Format::Z16Unorm));
    let error = error.unwrap_err().to_string();
    assert_eq!(error, "a.png: Z16_UNORM holds no colours, expected a format that does");
    let etc = TextureOptions::of(Format::Etc2Rgb8);
    let error = texture::convert(Path::new("a.png"), &png(), &etc).unwrap_err().to_string();
    assert!(error.starts_with("a.png: ETC2_RGB8 cannot be written"), "{error}");
}

#[test]
fn levels_sizes_shades_and_palettes() {
    let rgba = TextureOptions::of(Format::R8G8B8A8Unorm);
    let mips = TextureOptions { mips: true, size: Some([4, 2]), ..rgba };
    let texture = texture::convert(Path::new("a.png"), &png(), &mips).unwrap();
    assert_eq!((texture.width, texture.height, texture.levels), (4, 2, 3));
    assert_eq!(texture.texels.len(), (8 + 2 + 1) * 4);
    // Each column is there twice.
    assert_eq!(texture.texels[..8], [255, 0, 0, 255, 255, 0, 0, 255]);
    let shades = TextureOptions { shades: Some(4), ..rgba };
    let texture = texture::convert(Path::new("a.png"), &png(), &shades).unwrap();
    assert_eq!((texture.width, texture.height, texture.levels), (2, 8, 1));
    let reds: Vec<u8> = texture.texels.chunks(16).map(|shade| shade[0]).collect();
    // Quarters of 255.
    assert_eq!(reds, [64, 128, 191, 255]);
    let palette = TextureOptions { palette: Some(16), ..TextureOptions::of(Format::B5G6R5Unorm) };
    let texture = texture::convert(Path::new("a.png"), &png(), &palette).unwrap();
    // Four colours: indices of two bits, two texels in a row of one byte, and colours of two bytes.
    assert_eq!((texture.format, texture.palette), (Format::L2Unorm, Some(Format::B5G6R5Unorm)));
    assert_eq!(texture.texels.len(), 2 + 4 * 2);
    let (rows, colors) = texture.texels.split_at(2);
    let color = |row: usize, x: usize| &colors[usize::from(rows[row] >> (2 * x) & 3) * 2..][..2];
    let shown = [color(0, 0), color(0, 1), color(1, 0), color(1, 1)].concat();
    assert_eq!(shown, texels(&TextureOptions::of(Format::B5G6R5Unorm)));
    let mask = TextureOptions { mask: true, ..TextureOptions::of(Format::B4G4R4A4Unorm) };
    let texture = texture::convert(Path::new("a.png"), &png(), &mask).unwrap();
    assert_eq!((texture.format, texture.texels.len()), (Format::L1Unorm, 2 + 2 * 2));
    assert_eq!(texture.texels[2..4], [0, 0], "transparent black");
    for wrong in [
        TextureOptions { size: Some([0, 4]), ..rgba },
        TextureOptions { size: Some([4, 9000]), ..rgba },
        TextureOptions { palette: Some(257), ..rgba },
        TextureOptions { shades: Some(2), mips: true, ..rgba },
        TextureOptions { shades: Some(2), mask: true, ..rgba },
        TextureOptions { palette: Some(2), mask: true, ..rgba },
    ] {
        assert!(texture::convert(Path::new("a.png"), &png(), &wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn bmp_and_jpeg_are_pictures_too() {
    let rgba = TextureOptions::of(Format::R8G8B8A8Unorm);
    let mut bmp = Vec::new();
    let grey = [10, 10, 10, 250, 250, 250];
    let encoder = image::codecs::bmp::BmpEncoder::new(&mut bmp);
    encoder.write_image(&grey, 2, 1, ExtendedColorType::Rgb8).expect("it is written");
    let texture = texture::convert(Path::new("a.bmp"), &bmp, &rgba).unwrap();
    assert_eq!(texture.texels, [10, 10, 10, 255, 250, 250, 250, 255]);
    let mut jpeg = Vec::new();
    let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, 100);
    let flat = [120; 8 * 8 * 3];
    encoder.write_image(&flat, 8, 8, ExtendedColorType::Rgb8).expect("it is written");
    let texture = texture::convert(Path::new("a.jpg"), &jpeg, &rgba).unwrap();
    assert!(texture.texels.chunks(4).all(|it| it[..3].iter().all(|x| x.abs_diff(120) <= 1)));
    let error = texture::convert(Path::new("a.png"), b"no picture", &rgba).unwrap_err();
    assert_eq!(error.to_string(), "a.png: neither a PNG nor a JPEG nor a BMP");
    let cut = texture::convert(Path::new("a.png"), &png()[..40], &rgba).unwrap_err().to_string();
    assert!(cut.starts_with("a.png: not a usable picture"), "{cut}");
}

#[test]
fn a_builder_writes_files_and_their_rust() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("builder");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("square.obj"), SQUARE).unwrap();
    std::fs::write(folder.join("four.png"), png()).unwrap();
    for names in [Names::gallium(), Names::Plain] {
        let builder_names = names.clone();
        let mut builder = Builder::new(names);
        let options = MeshOptions { position: PositionFormat::Snorm16, ..MeshOptions::default() };
        builder.mesh("square", folder.join("square.obj"), &options).unwrap();
        let palette =
            TextureOptions { palette: Some(4), ..TextureOptions::of(Format::B5G6R5Unorm) };
        builder.texture("four", folder.join("four.png"), &palette).unwrap();
        let missing = builder.mesh("none", "none.obj", &MeshOptions::default());
        assert!(missing.err().unwrap().to_string().starts_with("none.obj: cannot read it"));
        let bad = builder.mesh("no name", folder.join("square.obj"), &options);
        assert!(bad.err().unwrap().to_string().contains("the name `no name`"));
        assert_eq!(builder.report().len(), 2);
        builder.write(folder.join("out")).unwrap();
        let rust = std::fs::read_to_string(folder.join("out/assets.rs")).unwrap();
        let palette = match builder_names {
            Names::Plain => "FOUR_PALETTE: Option<&str> = Some(\"B5G6R5_UNORM\")",
            Names::Kit(..) => "palette: Some(::gallium::formats::Format::B5G6R5Unorm)",
        };
        for item in ["SQUARE_FROM_STORED", "FOUR", palette, "include_bytes!(\"four.texels\")"] {
            assert!(rust.contains(item), "{item}:\n{rust}");
        }
        // 4 vertices of 8 + 8 + 8 bytes.
        assert_eq!(std::fs::read(folder.join("out/square.vertices")).unwrap().len(), 96);
    }
}
