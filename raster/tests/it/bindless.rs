//! Textures and images that shaders access by handles: a different handle in each lane, and invalid
//! handles.

use crate::common::*;
use formats::Format;
use gallium_raster::{Host, Profile, Screen, Small, Tiny};
use os_shim::Os;
use pipe_core::{
    Bind, Cap, ImageAccess, ImageRange, ImageView, PipeError, PrimType, ResourceHandle,
    ResourceTemplate, SamplerViewTemplate, Screen as _, ShaderType,
};

in_all_profiles! {
    each_column_samples_its_own_texture
    handles_outlive_what_they_were_made_of
    later_draws_see_a_handle_deleted
    vertices_sample_by_handle
    each_column_counts_in_its_own_image
    images_are_written_where_residency_allows
    slots_have_handles
    calls_refuse_what_is_no_handle
}

const FRAGMENT: ShaderType = ShaderType::Fragment;
const RGBA: Format = Format::R8G8B8A8Unorm;

/// Puts the handle of the pixel's column in TEMP[1].
macro_rules! of_column {
    ($text:literal) => {
        concat!(
            "FRAG
DCL IN[0], POSITION, LINEAR
DCL OUT[0], COLOR
DCL CONST[0..15]
DCL ADDR[0]
DCL TEMP[0..3]
IMM[0] FLT32 {0.5, 0.0, 1.0, 0.00392156862}
IMM[1] UINT32 {0, 1, 2, 0}
F2U TEMP[0].xy, IN[0]
UARL ADDR[0].x, TEMP[0].xxxx
MOV TEMP[1].xy, CONST[ADDR[0].x]
",
            $text
        )
    };
}

/// Covers the target.
fn cover<P: Profile>(screen: &Screen<'static, P>, setup: &mut Setup<'_, 'static>) {
    let corner = |x, y| vertex(x, y, 0.0, WHITE);
    setup.upload(screen, &[corner(-1.0, -1.0), corner(3.0, -1.0), corner(-1.0, 3.0)]).unwrap();
    setup.clear([0.5; 4], 1.0).unwrap();
    setup.draw(PrimType::Triangles, 3).unwrap();
}

/// Gives each column a handle, as 64 bits in x and y of a constant.
fn columns(setup: &mut Setup<'_, '_>, stage: ShaderType, handles: [u64; 16]) {
    let words = handles.map(|handle| [handle as u32, (handle >> 32) as u32, 0, 0]);
    let values: Vec<f32> = words.iter().flatten().map(|word| f32::from_bits(*word)).collect();
    setup.constants(stage, &values).unwrap();
}

/// Makes a texture of one texel, and a resident handle of it.
fn texture<P: Profile>(
    screen: &Screen<'static, P>,
    setup: &mut Setup<'_, 'static>,
    texel: [u8; 4],
) -> u64 {
    let template = ResourceTemplate::texture_2d(RGBA, 1, 1, Bind::SAMPLER_VIEW);
    let resource = setup.image(screen, &template, &texel).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    let view = setup.context.create_sampler_view(resource, &view).unwrap();
    let sampler = setup.context.create_sampler_state(&nearest()).unwrap();
    let handle = setup.context.create_texture_handle(view, sampler).unwrap();
    setup.context.make_texture_handle_resident(handle, true).unwrap();
    handle
}

/// Returns the first row of the picture; all rows are alike.
fn row(setup: &mut Setup<'_, '_>) -> Vec<[u8; 4]> {
    let pixels = setup.pixels().unwrap();
    let rows: Vec<&[u8]> = pixels.chunks(16 * 4).collect();
    assert!(rows.iter().all(|row| *row == rows[0]), "each column is of one colour");
    rows[0].as_chunks().0.to_vec()
}

const SAMPLE: &str = of_column!("TEX OUT[0], IMM[0].xxxx, TEMP[1], 2D\nEND");

fn each_column_samples_its_own_texture<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    assert_eq!(screen.get_param(Cap::BindlessTexture), 1);
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let red = texture(&screen, &mut setup, [255, 0, 0, 255]);
    let others = texture(&screen, &mut other, [9, 9, 9, 9]);
    let green = texture(&screen, &mut setup, [0, 255, 0, 7]);
    let away = texture(&screen, &mut setup, [1, 2, 3, 4]);
    setup.context.make_texture_handle_resident(away, false).unwrap();
    let deleted = texture(&screen, &mut setup, [5, 6, 7, 8]);
    setup.context.delete_texture_handle(deleted).unwrap();
    // A handle's number is not used twice.
    let later = texture(&screen, &mut setup, [0, 0, 255, 255]);
    setup.shaders(PASS, SAMPLE).unwrap();
    let handles = [
        red,
        green,
        red,
        later,
        others,
        away,
        deleted,
        0,
        1,
        u64::MAX,
        0xFFFF,
        0x8000_0000,
        green,
        later + 1,
        red,
        green,
    ];
    columns(&mut setup, FRAGMENT, handles);
    cover(&screen, &mut setup);
    let shown = handles.map(|handle| match handle {
        _ if handle == red => [255, 0, 0, 255],
        _ if handle == green => [0, 255, 0, 7],
        _ if handle == later => [0, 0, 255, 255],
        // The handle of a unit without a view: opaque black, as from the unit itself.
        0x8000_0000 => [0, 0, 0, 255],
        _ => [0; 4],
    });
    assert_eq!(row(&mut setup), shown);
    // A change of residency takes effect with the next draw.
    setup.context.make_texture_handle_resident(red, false).unwrap();
    setup.context.make_texture_handle_resident(away, true).unwrap();
    cover(&screen, &mut setup);
    let row = row(&mut setup);
    assert_eq!((row[0], row[5]), ([0; 4], [1, 2, 3, 4]));
}

fn handles_outlive_what_they_were_made_of<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let template = ResourceTemplate::texture_2d(RGBA, 1, 1, Bind::SAMPLER_VIEW);
    let resource = setup.image(&screen, &template, &[1, 2, 3, 4]).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    let view = setup.context.create_sampler_view(resource, &view).unwrap();
    let sampler = setup.context.create_sampler_state(&nearest()).unwrap();
    let handle = setup.context.create_texture_handle(view, sampler).unwrap();
    setup.context.sampler_view_destroy(view).unwrap();
    setup.context.delete_sampler_state(sampler).unwrap();
    screen.resource_destroy(resource).unwrap();
    setup.context.make_texture_handle_resident(handle, true).unwrap();
    setup.shaders(PASS, SAMPLE).unwrap();
    columns(&mut setup, FRAGMENT, [handle; 16]);
    cover(&screen, &mut setup);
    assert_eq!(row(&mut setup), [[1, 2, 3, 4]; 16]);
}

fn later_draws_see_a_handle_deleted<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let handle = texture(&screen, &mut setup, [1, 2, 3, 4]);
    setup.shaders(PASS, SAMPLE).unwrap();
    columns(&mut setup, FRAGMENT, [handle; 16]);
    cover(&screen, &mut setup);
    // The draw before the deletion keeps its pixels.
    setup.context.delete_texture_handle(handle).unwrap();
    assert_eq!(row(&mut setup), [[1, 2, 3, 4]; 16]);
    cover(&screen, &mut setup);
    assert_eq!(row(&mut setup), [[0; 4]; 16]);
}

fn vertices_sample_by_handle<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let vertex = "VERT
DCL IN[0]
DCL OUT[0], POSITION
DCL OUT[1], COLOR
DCL CONST[0..1]
IMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}
MOV OUT[0], IN[0]
TXL OUT[1], IMM[0].xxyy, CONST[0], 2D
END";
    setup.shaders(vertex, COLOR).unwrap();
    let green = texture(&screen, &mut setup, [0, 255, 0, 255]);
    columns(&mut setup, ShaderType::Vertex, [green; 16]);
    cover(&screen, &mut setup);
    assert_picture!(setup.text(), vec!["g".repeat(16); 16]);
    setup.context.make_texture_handle_resident(green, false).unwrap();
    cover(&screen, &mut setup);
    assert_eq!(row(&mut setup), [[0; 4]; 16]);
}

/// Makes an image of words, and a view of the whole image.
fn image<P: Profile>(screen: &Screen<'static, P>, width: u32) -> (ResourceHandle, ImageView) {
    let format = Format::R32Uint;
    let template = ResourceTemplate::texture_2d(format, width, 1, Bind::SHADER_IMAGE);
    let resource = screen.resource_create(&template).unwrap();
    let range =
        ImageRange::Texture { level: 0, first_layer: 0, last_layer: 0, single_layer_view: false };
    (resource, ImageView { resource, format, access: ImageAccess::READ_WRITE, range })
}

/// Returns the first two words of an image.
fn words(setup: &mut Setup<'_, '_>, image: ResourceHandle) -> [u32; 2] {
    let region = pipe_core::Region::whole(2, 1, 1);
    let usage = pipe_core::MapFlags::READ;
    let transfer = setup.context.transfer_map(image, 0, usage, &region).unwrap();
    let bytes = setup.context.transfer_bytes(transfer.handle).unwrap();
    let words =
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect::<Vec<_>>();
    setup.context.transfer_unmap(transfer.handle).unwrap();
    [words[0], words[1]]
}

/// Counts fragments in texel 0, stores 2 in texel 1, shows the width in red and texel 1 in green.
const COUNT: &str = of_column!(
    "ATOMUADD TEMP[0].x, TEMP[1], IMM[1].xxxx, IMM[1].yyyy, 2D, PIPE_FORMAT_R32_UINT
STORE TEMP[1], IMM[1].yxxx, IMM[1].zzzz, 2D, PIPE_FORMAT_R32_UINT
RESQ TEMP[2].xy, TEMP[1], 2D, PIPE_FORMAT_R32_UINT
LOAD TEMP[3].x, TEMP[1], IMM[1].yxxx, 2D, PIPE_FORMAT_R32_UINT
MOV TEMP[2].y, TEMP[3].xxxx
U2F TEMP[2].xy, TEMP[2]
MUL OUT[0].xy, TEMP[2], IMM[0].wwww
MOV OUT[0].zw, IMM[0].yyyy
END"
);

fn each_column_counts_in_its_own_image<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    setup.shaders(PASS, COUNT).unwrap();
    let all: [_; 5] = core::array::from_fn(|number| image(&screen, 2 + number as u32));
    let [first, second, away, deleted, others] = all.map(|(_, view)| view);
    let context = &mut setup.context;
    let mut handle = |view: &ImageView| {
        let handle = context.create_image_handle(view).unwrap();
        context.make_image_handle_resident(handle, ImageAccess::READ_WRITE, true).unwrap();
        handle
    };
    let [first, second, away, deleted] = [first, second, away, deleted].map(|view| handle(&view));
    context.make_image_handle_resident(away, ImageAccess::READ_WRITE, false).unwrap();
    context.delete_image_handle(deleted).unwrap();
    let others = other.context.create_image_handle(&others).unwrap();
    other.context.make_image_handle_resident(others, ImageAccess::READ_WRITE, true).unwrap();
    let mut handles = [away; 16];
    handles[..9].copy_from_slice(&[
        first,
        second,
        first,
        0,
        deleted,
        others,
        second,
        first,
        0x8000_0000,
    ]);
    columns(&mut setup, FRAGMENT, handles);
    cover(&screen, &mut setup);
    let shown = handles.map(|handle| match handle {
        _ if handle == first => [2, 2, 0, 0],
        _ if handle == second => [3, 2, 0, 0],
        _ => [0; 4],
    });
    assert_eq!(row(&mut setup), shown);
    // Three columns and two columns of sixteen pixels; nothing in the other images.
    let counts = all.map(|(resource, _)| words(&mut setup, resource));
    assert_eq!(counts, [[48, 2], [32, 2], [0, 0], [0, 0], [0, 0]]);
}

fn images_are_written_where_residency_allows<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    setup.shaders(PASS, COUNT).unwrap();
    let (resource, view) = image(&screen, 4);
    let handle = setup.context.create_image_handle(&view).unwrap();
    setup.context.make_image_handle_resident(handle, ImageAccess::READ, true).unwrap();
    columns(&mut setup, FRAGMENT, [handle; 16]);
    cover(&screen, &mut setup);
    assert_eq!(row(&mut setup), [[4, 0, 0, 0]; 16]);
    assert_eq!(words(&mut setup, resource), [0, 0]);
    // User memory cannot be written.
    let template = ResourceTemplate::texture_2d(Format::R32Uint, 2, 1, Bind::SHADER_IMAGE);
    let resource = screen.resource_from_user_memory(&template, &[7; 8]).unwrap();
    let handle = setup.context.create_image_handle(&ImageView { resource, ..view }).unwrap();
    let refused = setup.context.make_image_handle_resident(handle, ImageAccess::READ_WRITE, true);
    assert_eq!(refused, Err(PipeError::Unsupported("writing to user memory")));
    setup.context.make_image_handle_resident(handle, ImageAccess::READ, true).unwrap();
    columns(&mut setup, FRAGMENT, [handle; 16]);
    cover(&screen, &mut setup);
    assert_eq!(words(&mut setup, resource), [0x0707_0707; 2]);
}

/// `SAMP2HND` makes a handle of a bound slot.
fn slots_have_handles<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let program = "FRAG
DCL OUT[0], COLOR
DCL SAMP[0]
DCL SVIEW[0], 2D, FLOAT
DCL TEMP[0]
IMM[0] FLT32 {0.5, 0.0, 0.0, 0.0}
SAMP2HND TEMP[0].xy, SAMP[0]
TEX OUT[0], IMM[0].xxxx, TEMP[0], 2D
END";
    setup.shaders(PASS, program).unwrap();
    let template = ResourceTemplate::texture_2d(RGBA, 1, 1, Bind::SAMPLER_VIEW);
    let resource = setup.image(&screen, &template, &[255, 0, 0, 255]).unwrap();
    let view = SamplerViewTemplate::whole(&template);
    setup.texture(FRAGMENT, resource, &view, &nearest()).unwrap();
    cover(&screen, &mut setup);
    assert_picture!(setup.text(), vec!["r".repeat(16); 16]);
}

fn calls_refuse_what_is_no_handle<P: Profile>() {
    let screen = screen::<P>(Os::host(), 0);
    let mut setup = Setup::new(&screen, Options::default()).unwrap();
    let mut other = Setup::new(&screen, Options::default()).unwrap();
    let refused = Err(PipeError::Invalid("the value is not a bindless handle of this context"));
    let texture = texture(&screen, &mut setup, [1; 4]);
    let (_, view) = image(&screen, 2);
    let image = setup.context.create_image_handle(&view).unwrap();
    let access = ImageAccess::READ;
    assert_eq!(other.context.make_texture_handle_resident(texture, true), refused);
    assert_eq!(other.context.delete_texture_handle(texture), refused);
    assert_eq!(other.context.make_image_handle_resident(image, access, true), refused);
    assert_eq!(other.context.delete_image_handle(image), refused);
    // A texture is no image, and the high word counts.
    for handle in [texture, image + (1 << 32), 0, u64::MAX] {
        assert_eq!(setup.context.make_image_handle_resident(handle, access, true), refused);
    }
    assert_eq!(setup.context.delete_texture_handle(image), refused);
    for _ in 0..2 {
        let texture = setup.context.delete_texture_handle(texture);
        let image = setup.context.delete_image_handle(image);
        assert_eq!(texture, image);
    }
    assert_eq!(setup.context.delete_texture_handle(texture), refused);
    let depth = ImageView { format: Format::Z16Unorm, ..view };
    let result = setup.context.create_image_handle(&depth);
    assert!(matches!(result, Err(PipeError::UnsupportedFormat { .. })), "{result:?}");
}
