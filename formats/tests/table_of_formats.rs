//! Checks the table of formats in `docs/formats.md`, which `cargo xtask formats --write` writes.

use std::fmt::Write;
use std::path::Path;

use gallium_formats::{Format, Layout};

const BEGIN: &str = "<!-- formats: begin, written by `cargo xtask formats --write` -->\n";
const END: &str = "<!-- formats: end -->\n";

/// The cargo feature that a format's texels need.
fn feature(format: Format) -> &'static str {
    match format.layout() {
        Layout::Subsampled | Layout::PackedYuv | Layout::Planar => "video",
        Layout::S3tc => "s3tc",
        Layout::Rgtc | Layout::Latc => "rgtc",
        Layout::Bptc => "bptc",
        Layout::Etc => "etc",
        Layout::Astc => "astc",
        Layout::Atc => "atc",
        Layout::Fxt1 => "fxt1",
        Layout::Empty | Layout::Plain | Layout::Packed(_) => "",
    }
}

/// The kind of the format's texels.
fn kind(format: Format) -> &'static str {
    match format {
        _ if format.is_depth_and_stencil() => "depth, stencil",
        _ if format.has_depth() => "depth",
        _ if format.has_stencil() => "stencil",
        _ if format.is_pure_uint() => "u32",
        _ if format.is_pure_sint() => "i32",
        _ if format.is_yuv() => "YUV",
        _ if format.is_srgb() => "sRGB",
        _ if format.is_float() => "float",
        _ if format == Format::None => "nothing",
        _ => "colour",
    }
}

fn block(format: Format) -> String {
    let block = format.block();
    let mut text = format!("{}", block.bytes);
    if block.width > 1 || block.height > 1 {
        let _ = write!(text, " for {}×{}", block.width, block.height);
    }
    if block.depth > 1 {
        let _ = write!(text, "×{}", block.depth);
    }
    text
}

fn table() -> String {
    let mut text = String::from(
        "| format | virgl | bytes | texels | read | written | feature |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for &format in Format::ALL {
        let number = format.number().map_or(String::new(), |number| number.to_string());
        let read = match (format.can_unpack(), format.planes().is_empty()) {
            (true, _) => "yes",
            (false, false) => "by planes",
            (false, true) => "",
        };
        let written = if format.can_pack() { "yes" } else { "" };
        let (kind, block, feature) = (kind(format), block(format), feature(format));
        let _ = writeln!(
            text,
            "| {format} | {number} | {block} | {kind} | {read} | {written} | {feature} |"
        );
    }
    text
}

#[test]
fn the_table_of_formats_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/formats.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let begin = page.find(BEGIN).expect("the page marks where the table begins") + BEGIN.len();
    let end = page.find(END).expect("the page marks where the table ends");
    let table = format!("\n{}\n", table());
    if std::env::var_os("GALLIUM_WRITE").is_some() {
        let renewed = format!("{}{table}{}", &page[..begin], &page[end..]);
        std::fs::write(&path, renewed).unwrap();
    } else {
        assert!(page[begin..end] == table, "run `cargo xtask formats --write`");
    }
}
