//! Recorded sessions of a real client: it must read the same answers as from the reference server.
//!
//! The recordings are not in this repository: `GALLIUM_SHARED` names the folder that has them in
//! `captures/`. Without it, these tests pass without a check.

use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use formats::{Format, Rect};
use gallium_vtest::caps::GlVersion;
use os_shim::Os;

use crate::connection::{Connection, INLINE, serve_by, with_service};
use crate::stream::words;

/// A recorded session.
struct Capture {
    name: &'static str,
    /// The version of OpenGL that its client was offered.
    gl: u32,
}

const CAPTURES: [Capture; 14] = [
    Capture { name: "00-wflinfo", gl: 21 },
    Capture { name: "01-clear", gl: 21 },
    Capture { name: "02-triangle", gl: 21 },
    Capture { name: "03-textured-quad", gl: 21 },
    Capture { name: "04-depth", gl: 21 },
    Capture { name: "05-blendminmax", gl: 21 },
    Capture { name: "06-loop-discard", gl: 21 },
    Capture { name: "07-fbo-copyteximage", gl: 21 },
    Capture { name: "08-occlusion-query", gl: 21 },
    Capture { name: "09-fbo-blit", gl: 21 },
    Capture { name: "10-ubo-instanced", gl: 33 },
    Capture { name: "11-pbuffer-yflip", gl: 21 },
    Capture { name: "12-clear-varray-fullcaps", gl: 43 },
    Capture { name: "13-tf-draw-auto-fullcaps", gl: 43 },
];

/// Counts of the compared texels, and of the texels that differ by more than 1/255.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    texels: usize,
    wrong: usize,
    pictures: usize,
}

impl Tally {
    fn compare(&mut self, format: Option<Format>, ours: &[u8], expected: &[u8]) {
        assert_eq!(ours.len(), expected.len());
        let texel = format.map_or(ours.len(), Format::block_bytes).max(1);
        // Formats of 8-bit channels may differ by rounding, everything else not at all.
        let bytes_are_channels = format.is_some_and(|format| {
            matches!(format, Format::R8G8B8A8Unorm | Format::B8G8R8A8Unorm | Format::B8G8R8X8Unorm)
        });
        let tolerance = u8::from(bytes_are_channels);
        for (ours, expected) in ours.chunks(texel).zip(expected.chunks(texel)) {
            self.texels += 1;
            let differs = ours.iter().zip(expected).any(|(a, b)| a.abs_diff(*b) > tolerance);
            self.wrong += usize::from(differs);
        }
    }
}

fn folder() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("GALLIUM_SHARED")?).join("captures");
    assert!(folder.is_dir(), "{} is no folder", folder.display());
    Some(folder)
}

/// Splits a recording into messages: length, command, payload.
fn messages(bytes: &[u8]) -> Vec<(u32, u32, &[u8])> {
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let (mut rest, mut messages) = (bytes, Vec::new());
    while !rest.is_empty() {
        let (length, command) = (word(rest, 0), word(rest, 4));
        let size = match command {
            8 => length as usize,
            5 => 44 + word(rest, 8 + 40) as usize,
            13 | 14 => 40,
            _ => length as usize * 4,
        };
        messages.push((length, command, &rest[8..8 + size]));
        rest = &rest[8 + size..];
    }
    messages
}

/// Plays a recording of protocol 2.
fn replay2(connection: &mut Connection, recording: &[u8], folder: &Path, name: &str) -> Tally {
    let mut tally = Tally::default();
    let mut created: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut pictures: HashMap<u32, Vec<u8>> = HashMap::new();
    for (length, command, payload) in messages(recording) {
        let words = words(payload);
        if command < 0x8000_0000 {
            let header = [length.to_le_bytes(), command.to_le_bytes()];
            assert!(connection.send(header.as_flattened()) && connection.send(payload));
        }
        match command {
            10 => assert_eq!(connection.words(), [0, 10]),
            7 => assert_eq!(connection.words(), [1, 7, 0]),
            11 => assert_eq!(connection.words(), [1, 11, 2]),
            9 => {
                assert_eq!(connection.words(), [1377, 2]);
                connection.receive(1376);
            }
            1 => {
                assert_eq!(connection.words(), [309, 1]);
                connection.receive(308);
            }
            12 => {
                created.insert(words[0], words.clone());
                if words[10] != 0 {
                    connection.receive_file(words[0]);
                }
            }
            0x8000_0001 => {
                let data = &payload[12..12 + words[2] as usize];
                let memory = &connection.memories[&words[0]];
                memory.write_all_at(data, words[1].into()).expect("within the memory");
            }
            0x8000_0002 => {
                let [handle, _, offset, stride, layer_stride, row_bytes, rows, layers, _] =
                    words[..9]
                else {
                    panic!("a short record");
                };
                let mut ours = Vec::new();
                for (layer, row) in (0..layers).flat_map(|l| (0..rows).map(move |row| (l, row))) {
                    let mut bytes = vec![0; row_bytes as usize];
                    let at = offset + layer * layer_stride + row * stride;
                    let memory = &connection.memories[&handle];
                    memory.read_exact_at(&mut bytes, at.into()).expect("within the memory");
                    ours.extend(bytes);
                }
                let is_buffer = created[&handle][1] == 0;
                let format = Format::from_number(created[&handle][2] as u16);
                let format = format.filter(|_| !is_buffer);
                tally.compare(format, &ours, &payload[36..36 + ours.len()]);
                if !is_buffer {
                    pictures.insert(handle, level0(connection, &created[&handle]));
                }
            }
            _ => {}
        }
    }
    for (handle, bytes) in pictures {
        let template = &created[&handle];
        let path =
            folder.join(format!("{name}.res{handle}_L0_{}x{}.png", template[4], template[5]));
        if path.exists() {
            compare_picture(&mut tally, template, &bytes, &path);
        }
    }
    tally
}

/// Reads all of level 0 as clients do.
fn level0(connection: &mut Connection, created: &[u32]) -> Vec<u8> {
    let (handle, width, height) = (created[0], created[4], created[5]);
    let format = Format::from_number(created[2] as u16).expect("a format");
    let size = format.row_bytes(width as usize) * height as usize;
    connection.message(13, &[handle, 0, 0, 0, 0, width, height, 1, size as u32, 0]);
    connection.wait();
    let mut bytes = vec![0; size];
    connection.memories[&handle].read_exact_at(&mut bytes, 0).expect("within the memory");
    bytes
}

fn compare_picture(tally: &mut Tally, created: &[u32], bytes: &[u8], path: &Path) {
    let format = Format::from_number(created[2] as u16).expect("a format");
    let (width, height) = (created[4] as usize, created[5] as usize);
    let mut pixels = vec![[0; 4]; width * height];
    let stride = format.row_bytes(width);
    formats::unpack_rgba_u8(
        format,
        Rect::new(&mut pixels, width),
        Rect::new(bytes, stride),
        [width, height],
    )
    .expect("a format of colours");
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a picture");
    let mut expected = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut expected).expect("a picture");
    tally.compare(Some(Format::R8G8B8A8Unorm), pixels.as_flattened(), &expected);
    tally.pictures += 1;
}

/// Plays a recording of protocol 0, where the size of each answer is known.
fn replay0(connection: &mut Connection, recording: &[u8], replies: &[u8]) -> Tally {
    let mut tally = Tally::default();
    let mut created: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut rest = replies;
    for (length, command, payload) in messages(recording) {
        let words = words(payload);
        let header = [length.to_le_bytes(), command.to_le_bytes()];
        assert!(connection.send(header.as_flattened()) && connection.send(payload));
        let size = match command {
            10 => 8,
            7 | 11 => 12,
            9 => 1384,
            1 => 316,
            4 => words[10] as usize,
            2 => {
                created.insert(words[0], words.clone());
                0
            }
            _ => 0,
        };
        let ours = connection.receive(size);
        let (expected, left) = rest.split_at(size);
        rest = left;
        match command {
            // Capabilities differ between drivers; the answer's header does not.
            9 | 1 => assert_eq!(ours[..8], expected[..8]),
            4 => {
                let format = Format::from_number(created[&words[0]][2] as u16);
                let is_buffer = created[&words[0]][1] == 0;
                tally.compare(format.filter(|_| !is_buffer), &ours, expected);
            }
            _ => assert_eq!(ours, expected, "the answer to message {command}"),
        }
    }
    assert!(rest.is_empty(), "{} bytes were never sent", rest.len());
    tally
}

/// Plays one recording in both protocols.
fn check(capture: &Capture) {
    let Some(folder) = folder() else { return };
    let read = |kind: &str| {
        let path = folder.join(format!("{}.{kind}", capture.name));
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let (v2, v0, replies) = (read("v2.vtest"), read("v0.vtest"), read("v0.replies"));
    with_service(Os::host().memory, |mut service| {
        service.caps = gallium_vtest::client::caps(&INLINE, GlVersion(capture.gl));
        let (tally, ended) =
            serve_by(&service, |connection| replay2(connection, &v2, &folder, capture.name));
        judge(capture, "2", tally, &ended);
        service.version = 0;
        let (tally, ended) = serve_by(&service, |connection| replay0(connection, &v0, &replies));
        judge(capture, "0", tally, &ended);
    });
}

fn judge(capture: &Capture, protocol: &str, tally: Tally, ended: &crate::connection::Ended) {
    let name = capture.name;
    println!("{name}, protocol {protocol}: {tally:?}, {} kinds of refusals", ended.refusals);
    assert!(ended.result.is_ok(), "{name}: {:?}", ended.result);
    assert!(tally.wrong * 1000 <= tally.texels, "{name}, protocol {protocol}: {tally:?}");
}

macro_rules! captures {
    ($($test:ident = $index:literal;)+) => { $(
        #[test]
        fn $test() {
            check(&CAPTURES[$index]);
        }
    )+ };
}

captures! {
    wflinfo = 0;
    clear = 1;
    triangle = 2;
    textured_quad = 3;
    depth = 4;
    blend_min_max = 5;
    loop_and_discard = 6;
    copy_tex_image = 7;
    occlusion_query = 8;
    fbo_blit = 9;
    uniform_buffer_instanced = 10;
    pbuffer = 11;
    full_caps = 12;
    transform_feedback = 13;
}
