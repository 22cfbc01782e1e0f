//! Sessions of well-formed messages and commands, with fields from an input. The client stays
//! connected, and its commands reach the driver.

use formats::Format;
use gallium_vtest::error::ClientError;

use super::grammar::{COMMANDS, Command};
use crate::Input;
use crate::api::{CHAINS, SHADERS};

/// Maximum number of commands in a session.
const MOST_COMMANDS: usize = 96;

/// Object names are below this number.
const NAMES: usize = 24;

/// Returns the payloads of the resources of each session: name, target, format, bindings,
/// width, height, depth, layers, last level, samples.
fn resources() -> [[u32; 10]; 9] {
    let number = |format: Format| format.number().map_or(0, u32::from);
    let rgba = number(Format::R8G8B8A8Unorm);
    let r8 = number(Format::R8Unorm);
    [
        [1, 2, rgba, 0xa, 16, 16, 1, 1, 0, 0],
        [2, 0, r8, 0x10, 1024, 1, 1, 1, 0, 0],
        [3, 2, rgba, 0xa, 16, 16, 1, 1, 2, 0],
        [4, 2, number(Format::Z24UnormS8Uint), 0x9, 16, 16, 1, 1, 0, 0],
        [5, 0, r8, 0x20, 128, 1, 1, 1, 0, 0],
        [6, 0, r8, 0x2_0000, 64, 1, 1, 1, 0, 0],
        [7, 0, r8, 0x810, 1024, 1, 1, 1, 0, 0],
        [8, 4, rgba, 8, 8, 8, 1, 6, 1, 0],
        [9, 3, rgba, 0xa, 8, 8, 4, 1, 0, 0],
    ]
}

/// Serves the session that an input describes.
pub fn run(bytes: &[u8]) {
    // The tests count the sessions that end early.
    let _ = played(bytes);
}

/// Serves the session that an input describes, and returns how its connection ended.
///
/// # Errors
/// The server disconnected the client.
pub fn played(bytes: &[u8]) -> Result<(), ClientError> {
    let mut input = Input::new(bytes);
    let mut session = Session::default();
    session.message(11, &[0]);
    for resource in resources() {
        session.message(2, &resource);
    }
    session.prepare();
    for _ in 0..MOST_COMMANDS {
        if input.is_empty() {
            break;
        }
        match input.below(16) {
            0 => session.shader(&mut input),
            1 => session.read(&mut input),
            2 => session.write(&mut input),
            3 => session.resource(&mut input),
            4 => session.chain(&mut input),
            _ => session.command(&COMMANDS[input.below(COMMANDS.len())], &mut input),
        }
    }
    session.submit();
    let bytes: Vec<u8> = session.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    super::serve(&bytes)
}

/// The words sent in a session.
#[derive(Default)]
struct Session {
    words: Vec<u32>,
    /// The command stream that has not been submitted yet.
    stream: Vec<u32>,
}

impl Session {
    fn message(&mut self, number: u32, words: &[u32]) {
        self.submit();
        self.words.extend([words.len() as u32, number]);
        self.words.extend(words);
    }

    /// Ends the command stream.
    fn submit(&mut self) {
        let stream = std::mem::take(&mut self.stream);
        if !stream.is_empty() {
            self.words.extend([stream.len() as u32, 6]);
            self.words.extend(stream);
        }
    }

    fn push(&mut self, number: u8, object: u8, payload: &[u32]) {
        self.stream.push(u32::from(number) | u32::from(object) << 8 | (payload.len() as u32) << 16);
        self.stream.extend(payload);
    }

    /// Creates and binds objects 1 to 9, which a draw needs.
    fn prepare(&mut self) {
        let one = 1f32.to_bits();
        let number = |format: Format| format.number().map_or(0, u32::from);
        let rgba = number(Format::R8G8B8A8Unorm);
        self.push(1, 8, &[1, 1, rgba, 0, 0]);
        self.push(1, 8, &[2, 4, number(Format::Z24UnormS8Uint), 0, 0]);
        self.push(5, 0, &[1, 2, 1]);
        self.push(1, 1, &[3, 0, 0, 0xf << 27, 0, 0, 0, 0, 0, 0, 0]);
        self.push(1, 3, &[4, 0b1_1011, 0, 0, 0]);
        self.push(1, 2, &[5, 0x2000_0002, one, 0, 0, one, 0, 0, 0]);
        let float4 = number(Format::R32G32B32A32Float);
        self.push(1, 5, &[6, 0, 0, 0, float4, 16, 0, 0, float4]);
        for (object, name) in [(1, 3), (3, 4), (2, 5), (5, 6)] {
            self.push(2, object, &[name]);
        }
        self.push(1, 6, &[9, 3, rgba, 0, 2 << 8, 1 << 3 | 2 << 6 | 3 << 9]);
        self.push(10, 0, &[1, 0, 9]);
        self.text(7, 0, SHADERS[0].1);
        self.text(8, 1, SHADERS[1].1);
        self.push(31, 0, &[7, 0]);
        self.push(31, 0, &[8, 1]);
        let eight = 8f32.to_bits();
        self.push(4, 0, &[0, eight, eight, one, eight, eight, 0]);
        self.push(15, 0, &[0, 0, 16 | 16 << 16]);
        self.push(6, 0, &[32, 0, 2]);
    }

    /// Creates a shader and sends its text in one piece.
    fn text(&mut self, name: u32, stage: u32, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let mut payload = vec![name, stage, bytes.len() as u32, 300, 0];
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words = bytes.as_chunks::<4>().0.iter();
        payload.extend(words.map(|word| u32::from_le_bytes(*word)));
        self.push(1, 4, &payload);
    }

    /// Creates and binds a shader, sometimes with one letter changed.
    fn shader(&mut self, input: &mut Input<'_>) {
        let (stage, text) = input.pick(&SHADERS);
        let mut text = text.as_bytes().to_vec();
        if input.once_in(4) {
            let at = input.below(text.len());
            text[at] = b' ' + input.below(95) as u8;
        }
        let text = String::from_utf8(text).unwrap_or_default();
        let name = input.below(NAMES) as u32;
        self.text(name, stage.number(), &text);
        self.push(31, 0, &[name, stage.number()]);
    }

    /// Creates stages after the vertex shader as objects 10 and up, binds them, and draws. In most
    /// cases it then unbinds them.
    fn chain(&mut self, input: &mut Input<'_>) {
        let (mode, stages) = input.pick(&CHAINS);
        for (name, (stage, text)) in (10..).zip(stages) {
            self.text(name, stage.number(), text);
            self.push(31, 0, &[name, stage.number()]);
        }
        self.push(31, 0, &[7, 0]);
        let levels: [u32; 6] = input.array(|input| match input.once_in(24) {
            true => word('f', input),
            false => (input.below(8) as f32).to_bits(),
        });
        self.push(32, 0, &levels);
        let count = input.below(17) as u32;
        let vertices = if input.flag() { 4 } else { input.up_to(32) };
        let draw = [0, count, mode.number(), 0, 1, 0, 0, 0, 0, 0, u32::MAX, 0, vertices, 0];
        self.push(8, 0, &draw);
        if !input.once_in(4) {
            for (stage, _) in stages {
                self.push(31, 0, &[0, stage.number()]);
            }
        }
    }

    fn command(&mut self, command: &Command, input: &mut Input<'_>) {
        let mut payload: Vec<u32> =
            command.words.chars().map(|letter| word(letter, input)).collect();
        if !command.repeated.is_empty() {
            for _ in 0..input.below(4) {
                payload.extend(command.repeated.chars().map(|letter| word(letter, input)));
            }
        }
        self.push(command.number, command.object, &payload);
    }

    /// Transfers data to the client.
    fn read(&mut self, input: &mut Input<'_>) {
        let name = input.below(9) as u32 + 1;
        let [level, stride, layer_stride] = input.array(|input| word('z', input));
        let place: [u32; 6] = input.array(|input| word('z', input));
        let size = input.below(4096) as u32;
        let [x, y, z, w, h, d] = place;
        self.message(4, &[name, level, stride, layer_stride, x, y, z, w, h, d, size]);
    }

    /// Transfers data from the client.
    fn write(&mut self, input: &mut Input<'_>) {
        let name = input.below(9) as u32 + 1;
        let [level, stride, layer_stride] = input.array(|input| word('z', input));
        let [x, y, z, w, h, d]: [u32; 6] = input.array(|input| word('z', input));
        let data: Vec<u32> =
            input.list(32, |input| if input.flag() { word('z', input) } else { word('f', input) });
        let size = data.len() as u32 * 4;
        self.message(5, &[name, level, stride, layer_stride, x, y, z, w, h, d, size]);
        self.words.extend(data);
    }

    /// Creates a resource of any shape, mostly small.
    fn resource(&mut self, input: &mut Input<'_>) {
        let name = input.below(NAMES).max(10) as u32;
        let bind = input.pick(&[0x8, 0xa, 0x9, 0x10, 0x20, 0x810, 0x4_000a]);
        let [width, height, depth, layers] = input.array(|input| input.below(34) as u32);
        let (target, level) = (input.below(10) as u32, input.below(4) as u32);
        let samples = if input.once_in(16) { input.word() } else { 0 };
        let format = word('F', input);
        let shape = [width, height, depth, layers, level, samples];
        // A name in use must be released before it is used again.
        self.message(3, &[name]);
        self.message(2, &[&[name, target, format, bind][..], &shape[..]].concat());
    }
}

/// Returns a word of the kind that a letter of [`COMMANDS`] denotes.
fn word(letter: char, input: &mut Input<'_>) -> u32 {
    match letter {
        '0' => 0,
        '1' => 1,
        'n' => input.below(NAMES) as u32,
        'r' => input.below(14) as u32,
        's' => {
            if input.once_in(8) {
                input.up_to(5)
            } else {
                input.below(2) as u32
            }
        }
        'e' => input.up_to(15),
        'F' => {
            let any = if input.flag() { Format::R8G8B8A8Unorm } else { input.pick(Format::ALL) };
            any.number().map_or(0, u32::from)
        }
        'z' => input.up_to(32),
        'f' => input.float().to_bits(),
        _ => input.word(),
    }
}
