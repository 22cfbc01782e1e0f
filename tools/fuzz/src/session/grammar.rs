//! The commands of a stream, and the kinds of the words in their payloads.

/// A command with a complete payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    /// The command's number.
    pub number: u8,
    /// The object type, for commands about one type of object.
    pub object: u8,
    /// One letter per word of the payload; see [`Words`](super::commands).
    pub words: &'static str,
    /// Letters of words that may follow any number of times.
    pub repeated: &'static str,
}

const fn command(number: u8, words: &'static str, repeated: &'static str) -> Command {
    Command { number, object: 0, words, repeated }
}

const fn create(object: u8, words: &'static str, repeated: &'static str) -> Command {
    Command { number: 1, object, words, repeated }
}

const fn bind(object: u8) -> Command {
    Command { number: 2, object, words: "n", repeated: "" }
}

/// All commands, except shaders and the commands about contexts, which need a whole session.
///
/// | letter | word |
/// |---|---|
/// | `n`, `r` | the name of an object, of a resource |
/// | `s` | a shader stage |
/// | `e` | a number of an enum |
/// | `F` | a format |
/// | `z` | a small number |
/// | `f` | a float |
/// | `w` | any word |
/// | `0`, `1` | 0, 1 |
pub(super) const COMMANDS: [Command; 63] = [
    create(1, "nwewwwwwwww", ""),
    create(2, "nwfwwffff", ""),
    create(3, "nwwwf", ""),
    create(5, "n", "zz0F"),
    create(6, "nrF0zw", ""),
    create(7, "nwfffffff", ""),
    create(8, "nrF00", ""),
    create(8, "nrFzz", ""),
    create(9, "nezr", ""),
    create(10, "nrzz", ""),
    create(11, "nrF001", ""),
    bind(1),
    bind(2),
    bind(3),
    bind(5),
    command(3, "n", ""),
    command(4, "0ffffff", ""),
    command(4, "z", "ffffff"),
    command(5, "1nn", ""),
    command(5, "10n", ""),
    command(6, "", "zzr"),
    command(7, "wffff0ff", ""),
    command(7, "ewwwwwwe", ""),
    command(8, "0ze010000000", ""),
    command(8, "zzezzwz0wzwz", ""),
    command(8, "zze1zwz1wzw0", ""),
    command(8, "zzezzwz0wzw0zz", ""),
    command(8, "zzezzwz0wzw0zzrzzzz0", ""),
    command(8, "0ze010000001", ""),
    command(9, "r00zz000zz1", "ww"),
    command(9, "rzzzzzzzzzz", "wwww"),
    command(10, "sz", "n"),
    command(11, "rez", ""),
    command(12, "s0", "ffff"),
    command(13, "w", ""),
    command(14, "ffff", ""),
    command(15, "zww", ""),
    command(16, "wwwrzFzzzzzzrzFzzzzzz", ""),
    command(17, "rzzzzrzzzzzzz", ""),
    command(18, "sz", "n"),
    command(19, "n", ""),
    command(20, "n", ""),
    command(21, "ne", ""),
    command(22, "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", ""),
    command(23, "ffffffffffffffffffffffffffffffff", ""),
    command(24, "w", ""),
    command(25, "z", "n"),
    command(26, "nee", ""),
    command(27, "szzzr", ""),
    command(31, "ns", ""),
    command(32, "ffffff", ""),
    command(33, "z", ""),
    command(34, "sz", "zzr"),
    command(35, "sz", "Fezzr"),
    command(36, "w", ""),
    command(37, "zzzzzzrz", ""),
    command(38, "ww", ""),
    command(39, "w", ""),
    command(42, "nreezz", ""),
    command(43, "rzezzzzzzzzze", ""),
    command(45, "rzezzzzzzzzrze", ""),
    command(47, "rzzzzzzzwwww", ""),
    command(51, "zw", "w"),
];
