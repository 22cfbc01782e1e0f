//! Formats are listed twice, because this crate does not depend on the formats crate. This test
//! compares the two lists.

use formats::Format;
use gallium_tgsi::declaration::ImageFormat;

/// Returns every name of an image format, in order of its number.
fn names() -> impl Iterator<Item = &'static str> {
    (0..).map_while(ImageFormat::from_code).map(ImageFormat::name)
}

#[test]
fn every_name_is_a_format() {
    let unknown: Vec<&str> = names().filter(|name| Format::from_name(name).is_none()).collect();
    assert_eq!(unknown, [""; 0]);
    assert!(names().count() > 400);
}

/// Panel formats that Gallium lacks, so that no shader can name them.
const OURS: [&str; 3] = ["L1_UNORM", "L2_UNORM", "L4_UNORM"];

#[test]
fn every_format_has_a_name() {
    let missing: Vec<&str> = Format::ALL
        .iter()
        .map(|format| format.name())
        .filter(|name| ImageFormat::from_name(name).is_none() && !OURS.contains(name))
        .collect();
    assert_eq!(missing, [""; 0]);
}
