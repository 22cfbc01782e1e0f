//! Programs of several calls that share memory: a particle simulation, drawn from the buffer it
//! computes, and order-independent transparency with lists of fragments. Both are checked against
//! Rust.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, ComputeState, GridInfo, ImageAccess, ImageRange, ImageView, MapFlags, PrimType,
    ResourceHandle, ResourceTemplate, Screen as _, ShaderBuffer, ShaderSource, ShaderType,
    VertexBuffer, VertexElement,
};

in_all_profiles! {
    particles_are_drawn_from_the_buffer_that_moves_them
    fragments_in_any_order_blend_by_depth
}

const PARTICLES: usize = 1000;

/// A simulation step: gravity changes the speed, the place moves, and walls reverse the speed.
const STEP: &str = invocation!(
    "DCL BUFFER[0]
DCL TEMP[0..4]
IMM[0] UINT32 {16, 0, 0, 0}
IMM[1] FLT32 {0.0625, 1.0, -1.0, 0.001}
UMAD TEMP[0].x, SV[1].xxxx, SV[2].xxxx, SV[0].xxxx
UMUL TEMP[0].x, TEMP[0].xxxx, IMM[0].xxxx
LOAD TEMP[1], BUFFER[0], TEMP[0].xxxx
ADD TEMP[1].w, TEMP[1].wwww, -IMM[1].wwww
MUL TEMP[2].xy, TEMP[1].zwzw, IMM[1].xxxx
ADD TEMP[1].xy, TEMP[1], TEMP[2]
FSLT TEMP[3].xy, IMM[1].yyyy, |TEMP[1]|
UCMP TEMP[4].xy, TEMP[3], IMM[1].zzzz, IMM[1].yyyy
MUL TEMP[1].zw, TEMP[1], TEMP[4].xyxy
STORE BUFFER[0], TEMP[0].xxxx, TEMP[1]
END"
);

/// Performs the step of [`STEP`] in Rust.
fn step([x, y, vx, vy]: [f32; 4]) -> [f32; 4] {
    let vy = vy - 0.001;
    let (x, y) = (x + vx * 0.0625, y + vy * 0.0625);
    let turn = |place: f32, speed: f32| if 1.0 < place.abs() { -speed } else { speed };
    [x, y, turn(x, vx), turn(y, vy)]
}

/// Returns a buffer's words.
fn read(setup: &mut Setup<'_, '_>, buffer: ResourceHandle, words: usize) -> Vec<u32> {
    let bytes = setup.bytes(buffer, 4 * words as u32);
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn particles_are_drawn_from_the_buffer_that_moves_them<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: 64, height: 64, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let mut random = Random(7);
    let mut particles: Vec<[f32; 4]> = (0..PARTICLES)
        .map(|_| {
            let [x, y] = [(); 2].map(|()| random.between(-0.9, 0.9));
            let [vx, vy] = [(); 2].map(|()| random.between(-0.3, 0.3));
            [x, y, vx, vy]
        })
        .collect();
    let size = (16 * PARTICLES) as u32;
    let template = ResourceTemplate::buffer(size, Bind::SHADER_BUFFER | Bind::VERTEX_BUFFER);
    let resource = screen.resource_create(&template).unwrap();
    let bytes = bytemuck::cast_slice(&particles);
    setup.context.buffer_subdata(resource, MapFlags::WRITE, 0, bytes).unwrap();
    let view = ShaderBuffer { resource, buffer_offset: 0, buffer_size: size };
    setup.context.set_shader_buffers(ShaderType::Compute, 0, &[Some(view)], 1).unwrap();
    let program = ComputeState {
        source: ShaderSource::Text(STEP),
        static_shared_mem: 0,
        req_private_mem: 0,
        req_input_mem: 0,
    };
    let program = setup.context.create_compute_state(&program).unwrap();
    setup.context.bind_compute_state(Some(program)).unwrap();
    let binding = VertexBuffer { resource, stride: 16, buffer_offset: 0 };
    setup.context.set_vertex_buffers(0, &[Some(binding)]).unwrap();
    let elements = [VertexElement::per_vertex(0, Format::R32G32Float)];
    let elements = setup.context.create_vertex_elements_state(&elements).unwrap();
    setup.context.bind_vertex_elements_state(Some(elements)).unwrap();
    let vertex = "VERT\nDCL IN[0]\nDCL OUT[0], POSITION\nMOV OUT[0], IN[0]\nEND";
    let fragment = "FRAG\nDCL OUT[0], COLOR\nIMM[0] FLT32 {1.0, 1.0, 1.0, 1.0}\n\
        MOV OUT[0], IMM[0]\nEND";
    setup.shaders(vertex, fragment).unwrap();
    for frame in 0..12 {
        // The last block has invocations beyond the buffer.
        let grid = [PARTICLES.div_ceil(64) as u32, 1, 1];
        let info = GridInfo { block: [64, 1, 1], grid, ..GridInfo::default() };
        for _ in 0..4 {
            setup.context.launch_grid(&info).unwrap();
            particles.iter_mut().for_each(|particle| *particle = step(*particle));
        }
        let words = read(&mut setup, resource, 4 * PARTICLES);
        let wanted: Vec<u32> = particles.iter().flatten().map(|value| value.to_bits()).collect();
        assert_eq!(words, wanted, "frame {frame}");
        setup.clear(BLACK, 1.0).unwrap();
        setup.draw(PrimType::Points, PARTICLES as u32).unwrap();
        assert_pixels(&setup.text(), &particles);
    }
}

/// Checks that exactly the pixels of particles are white. A particle within 1/256 (the raster's
/// step) of a pixel's edge may light either pixel.
fn assert_pixels(text: &[String], particles: &[[f32; 4]]) {
    let mut may = vec![[false; 64]; 64];
    for &[x, y, ..] in particles {
        let ends = |place: f32| {
            let window = (place + 1.0) * 32.0;
            [window - 1.0 / 256.0, window + 1.0 / 256.0].map(|at| at.floor() as i64)
        };
        let (columns, rows) = (ends(x), ends(y));
        let inside = |at: i64| (0..64).contains(&at);
        for (column, row) in columns.into_iter().flat_map(|x| rows.map(|y| (x, y))) {
            if inside(column) && inside(row) {
                may[row as usize][column as usize] = true;
            }
        }
        let certain = columns[0] == columns[1] && rows[0] == rows[1] && x.abs() < 1.0;
        if certain && y.abs() < 1.0 {
            let letter = text[rows[0] as usize].as_bytes()[columns[0] as usize];
            assert_eq!(letter, b'w', "a particle at {x}, {y}");
        }
    }
    for (row, letters) in text.iter().enumerate() {
        for (column, letter) in letters.bytes().enumerate() {
            assert!(letter == b'.' || may[row][column], "no particle is at {column}, {row}");
        }
    }
}

/// Appends a node to the list of its pixel: colour, depth, the previous node. Word 0 counts nodes.
const APPEND: &str = "FRAG
DCL IN[0], COLOR, COLOR
DCL IN[1], POSITION, LINEAR
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL BUFFER[0]
DCL TEMP[0..3]
IMM[0] UINT32 {0, 1, 32, 16}
F2U TEMP[0].xy, IN[1]
ATOMUADD TEMP[1].x, BUFFER[0], IMM[0].xxxx, IMM[0].yyyy
UADD TEMP[1].x, TEMP[1].xxxx, IMM[0].yyyy
ATOMXCHG TEMP[2].y, IMAGE[0], TEMP[0], TEMP[1].xxxx, 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[2].x, IN[1].zzzz
UMUL TEMP[3].x, TEMP[1].xxxx, IMM[0].zzzz
STORE BUFFER[0], TEMP[3].xxxx, IN[0]
UADD TEMP[3].x, TEMP[3].xxxx, IMM[0].wwww
STORE BUFFER[0].xy, TEMP[3].xxxx, TEMP[2]
END";

/// Blends the nodes of a pixel over black, the farthest first. TEMP[1] is (farthest so far, its
/// address, depth of the last one), TEMP[2] the colour, TEMP[3] a node.
const RESOLVE: &str = "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL IMAGE[0], 2D, PIPE_FORMAT_R32_UINT, WR
DCL BUFFER[0]
DCL TEMP[0..7]
IMM[0] UINT32 {0, 1, 32, 16}
IMM[1] FLT32 {-1.0, 2.0, 0.0, 1.0}
F2U TEMP[0].xy, IN[0]
LOAD TEMP[4].x, IMAGE[0], TEMP[0], 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[2], IMM[1].zzzw
MOV TEMP[1].z, IMM[1].yyyy
BGNLOOP :0
  MOV TEMP[1].x, IMM[1].xxxx
  MOV TEMP[1].y, IMM[0].xxxx
  MOV TEMP[5].x, TEMP[4].xxxx
  BGNLOOP :0
    USEQ TEMP[6].x, TEMP[5].xxxx, IMM[0].xxxx
    UIF TEMP[6].xxxx
      BRK
    ENDIF
    UMUL TEMP[6].x, TEMP[5].xxxx, IMM[0].zzzz
    UADD TEMP[6].y, TEMP[6].xxxx, IMM[0].wwww
    LOAD TEMP[3].xy, BUFFER[0], TEMP[6].yyyy
    FSLT TEMP[7].x, TEMP[3].xxxx, TEMP[1].zzzz
    FSLT TEMP[7].y, TEMP[1].xxxx, TEMP[3].xxxx
    AND TEMP[7].x, TEMP[7].xxxx, TEMP[7].yyyy
    UCMP TEMP[1].x, TEMP[7].xxxx, TEMP[3].xxxx, TEMP[1].xxxx
    UCMP TEMP[1].y, TEMP[7].xxxx, TEMP[6].xxxx, TEMP[1].yyyy
    MOV TEMP[5].x, TEMP[3].yyyy
  ENDLOOP :0
  USEQ TEMP[6].x, TEMP[1].yyyy, IMM[0].xxxx
  UIF TEMP[6].xxxx
    BRK
  ENDIF
  LOAD TEMP[3], BUFFER[0], TEMP[1].yyyy
  LRP TEMP[2].xyz, TEMP[3].wwww, TEMP[3], TEMP[2]
  MOV TEMP[1].z, TEMP[1].xxxx
ENDLOOP :0
MOV OUT[0], TEMP[2]
END";

/// A rectangle: first and end pixel, depth, colour.
struct Layer([u32; 4], f32, [f32; 4]);

fn fragments_in_any_order_blend_by_depth<P: Profile>() {
    const SIZE: u32 = 32;
    let mut random = Random(3);
    let layers: Vec<Layer> = (0..8)
        .map(|at| {
            let [x, y] = [(); 2].map(|()| random.between(0.0, 16.0) as u32);
            let [w, h] = [(); 2].map(|()| random.between(4.0, 16.0) as u32);
            let color = core::array::from_fn(|_| random.between(0.2, 0.9));
            // In an order other than by depth.
            Layer([x, y, x + w, y + h], (at * 5 % 8) as f32 / 10.0 + 0.1, color)
        })
        .collect();
    let screen = screen::<P>(Os::host(), 0);
    let options = Options { width: SIZE, height: SIZE, ..Options::default() };
    let mut setup = Setup::new(&screen, options).unwrap();
    let template = ResourceTemplate::buffer(32 * 4096, Bind::SHADER_BUFFER);
    let resource = screen.resource_create(&template).unwrap();
    let nodes = ShaderBuffer { resource, buffer_offset: 0, buffer_size: 32 * 4096 };
    setup.context.set_shader_buffers(ShaderType::Fragment, 0, &[Some(nodes)], 1).unwrap();
    let format = Format::R32Uint;
    let template = ResourceTemplate::texture_2d(format, SIZE, SIZE, Bind::SHADER_IMAGE);
    let heads = screen.resource_create(&template).unwrap();
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view: false };
    let view = ImageView { resource: heads, format, access: ImageAccess::READ_WRITE, range };
    setup.context.set_shader_images(ShaderType::Fragment, 0, &[Some(view)]).unwrap();

    let corners = |&Layer([x0, y0, x1, y1], z, color): &Layer| {
        let place = |at: u32| at as f32 * 2.0 / SIZE as f32 - 1.0;
        // Window depths from 0 to 1 are z from -1 to 1.
        let corner = |x, y| vertex(place(x), place(y), 2.0 * z - 1.0, color);
        let [a, b, c, d] = [corner(x0, y0), corner(x1, y0), corner(x0, y1), corner(x1, y1)];
        [a, b, c, c, b, d]
    };
    let triangles: Vec<Vertex> = layers.iter().flat_map(corners).collect();
    setup.clear(BLACK, 1.0).unwrap();
    setup.shaders(PASS, APPEND).unwrap();
    setup.upload(&screen, &triangles).unwrap();
    setup.draw(PrimType::Triangles, triangles.len() as u32).unwrap();
    setup.shaders(PASS, RESOLVE).unwrap();
    let cover = corners(&Layer([0, 0, SIZE, SIZE], 0.5, WHITE));
    setup.upload(&screen, &cover).unwrap();
    setup.draw(PrimType::Triangles, 6).unwrap();

    let area = |Layer([x0, y0, x1, y1], ..): &Layer| (x1 - x0) * (y1 - y0);
    assert_eq!(read(&mut setup, resource, 1), [layers.iter().map(area).sum::<u32>()]);
    let mut sorted: Vec<&Layer> = layers.iter().collect();
    sorted.sort_by(|Layer(_, a, _), Layer(_, b, _)| b.total_cmp(a));
    let pixels = setup.pixels().unwrap();
    for (at, pixel) in (0..).zip(pixels.chunks(4)) {
        let (x, y) = (at % SIZE, at / SIZE);
        let mut wanted = [0.0f32; 3];
        for Layer([x0, y0, x1, y1], _, [r, g, b, alpha]) in &sorted {
            if (*x0..*x1).contains(&x) && (*y0..*y1).contains(&y) {
                for (below, above) in wanted.iter_mut().zip([r, g, b]) {
                    *below = above * alpha + *below * (1.0 - alpha);
                }
            }
        }
        for (channel, wanted) in pixel.iter().zip(wanted) {
            let distance = (f32::from(*channel) - 255.0 * wanted).abs();
            assert!(distance <= 1.0, "{x}, {y}: {pixel:?}, not {wanted}");
        }
    }
}
