//! Run-time options: environment variables on a host, a table on a board.
//!
//! Options are read when a screen or context is created, not while it draws. Names, types and
//! defaults follow Gallium's debug variables (manual, chapter "Debugging"). [`names`] lists the
//! ones that this workspace reads.

pub mod names;

use crate::log::{say, warn};

/// A source of options.
pub trait Options: Sync {
    /// Calls `read` with the value of `name`; does not call it if `name` is not set.
    fn with(&self, name: &str, read: &mut dyn FnMut(&str));
}

/// The process's environment.
#[cfg(any(feature = "std", test))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment;

#[cfg(any(feature = "std", test))]
impl Options for Environment {
    fn with(&self, name: &str, read: &mut dyn FnMut(&str)) {
        // All values of our options are UTF-8, so any other value is ignored.
        if let Ok(value) = std::env::var(name) {
            read(&value);
        }
    }
}

/// Names and values fixed when the firmware is built; if a name appears twice, its first value
/// counts.
#[derive(Clone, Copy, Debug)]
pub struct Table(pub &'static [(&'static str, &'static str)]);

impl Options for Table {
    fn with(&self, name: &str, read: &mut dyn FnMut(&str)) {
        if let Some((_, value)) = self.0.iter().find(|(key, _)| *key == name) {
            read(value);
        }
    }
}

/// A source without options.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOptions;

impl Options for NoOptions {
    fn with(&self, _name: &str, _read: &mut dyn FnMut(&str)) {}
}

/// A name that a flags option accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The word that users write, in lower case.
    pub name: &'static str,
    /// The bits it sets.
    pub value: u64,
    /// A line of explanation for `help`.
    pub help: &'static str,
}

/// Returns a boolean option. True is `1`, `t`, `true`, `y`, `yes` or `on`; false is `0`, `f`,
/// `false`, `n`, `no` or `off`; in any case. Any other value is logged as a warning and counts as
/// not set.
pub fn bool_option(options: &dyn Options, name: &str, default: bool) -> bool {
    let mut result = default;
    options.with(name, &mut |value| match parse_bool(value.trim()) {
        Some(parsed) => result = parsed,
        None => not_understood(name, value),
    });
    if prints_options(options) {
        say!("{}: bool = {}", name, result);
    }
    result
}

/// Returns a whole number, possibly negative: decimal, or hexadecimal with `0x`. Any other value is
/// logged as a warning and counts as not set.
pub fn number_option(options: &dyn Options, name: &str, default: i64) -> i64 {
    let mut result = default;
    options.with(name, &mut |value| match parse_number(value.trim()) {
        Some(parsed) => result = parsed,
        None => not_understood(name, value),
    });
    if prints_options(options) {
        say!("{}: number = {}", name, result);
    }
    result
}

/// Returns a set of flags from a list of names in `flags` and hexadecimal numbers, separated by
/// commas. `all` sets every flag, and `help` prints the list of flags. An unknown name is logged
/// and sets no flag. An empty value sets no flag.
///
/// ```
/// use gallium_os_shim::options::{Flag, Table, flags_option};
///
/// const FLAGS: &[Flag] = &[
///     Flag { name: "tiles", value: 1, help: "outline tiles" },
///     Flag { name: "no_bin", value: 2, help: "draw at once" },
/// ];
/// let options = Table(&[("RASTER_DEBUG", "tiles,0x10")]);
/// assert_eq!(flags_option(&options, "RASTER_DEBUG", FLAGS, 0), 0x11);
/// assert_eq!(flags_option(&options, "OTHER_DEBUG", FLAGS, 2), 2);
/// ```
pub fn flags_option(options: &dyn Options, name: &str, flags: &[Flag], default: u64) -> u64 {
    let mut result = default;
    options.with(name, &mut |value| {
        result = value
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .fold(0, |set, word| set | parse_flag(name, flags, word));
    });
    if prints_options(options) {
        say!("{}: flags = {:#x}", name, result);
    }
    result
}

/// Calls `read` with the value of a text option, if it is set.
pub fn string_option(options: &dyn Options, name: &str, read: &mut dyn FnMut(&str)) {
    let print = prints_options(options);
    let mut is_set = false;
    options.with(name, &mut |value| {
        is_set = true;
        if print {
            say!("{}: string = {}", name, value);
        }
        read(value);
    });
    if print && !is_set {
        say!("{}: string, not set", name);
    }
}

/// Returns the number of workers that rasterize: [`names::GALLIUM_NUM_THREADS`], otherwise
/// [`names::LP_NUM_THREADS`], otherwise `available`, the number of CPUs. The result is from 1 to
/// 64. 0 asks for the caller's thread alone, which is one worker.
pub fn thread_count(options: &dyn Options, available: usize) -> usize {
    let available = i64::try_from(available).unwrap_or(i64::MAX);
    let wanted = number_option(options, names::LP_NUM_THREADS, available);
    let wanted = number_option(options, names::GALLIUM_NUM_THREADS, wanted);
    wanted.clamp(1, 64) as usize
}

/// Returns true if the user wants to see each option that is read.
fn prints_options(options: &dyn Options) -> bool {
    let mut result = false;
    let read = &mut |value: &str| result = parse_bool(value.trim()).unwrap_or(false);
    options.with(names::GALLIUM_PRINT_OPTIONS, read);
    result
}

fn not_understood(name: &str, value: &str) {
    warn!("{}: cannot understand \"{}\", using the default", name, value);
}

fn parse_bool(value: &str) -> Option<bool> {
    let is = |word: &&str| value.eq_ignore_ascii_case(word);
    if ["1", "t", "true", "y", "yes", "on"].iter().any(is) {
        Some(true)
    } else if ["0", "f", "false", "n", "no", "off"].iter().any(is) {
        Some(false)
    } else {
        None
    }
}

fn parse_number(value: &str) -> Option<i64> {
    let (negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let magnitude = match parse_hex(digits) {
        Some(magnitude) => magnitude,
        None if digits.starts_with('+') => return None,
        None => digits.parse().ok()?,
    };
    if negative { 0i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Parses `0x` followed by hexadecimal digits.
fn parse_hex(value: &str) -> Option<u64> {
    let digits = value.strip_prefix("0x").or_else(|| value.strip_prefix("0X"))?;
    if digits.starts_with('+') { None } else { u64::from_str_radix(digits, 16).ok() }
}

fn parse_flag(name: &str, flags: &[Flag], word: &str) -> u64 {
    if let Some(number) = parse_hex(word) {
        return number;
    }
    if word.eq_ignore_ascii_case("all") {
        return flags.iter().fold(0, |set, flag| set | flag.value);
    }
    if word.eq_ignore_ascii_case("help") {
        say!("{}: flags are", name);
        for flag in flags {
            say!("  {} ({:#x}): {}", flag.name, flag.value, flag.help);
        }
        return 0;
    }
    match flags.iter().find(|flag| flag.name.eq_ignore_ascii_case(word)) {
        Some(flag) => flag.value,
        None => {
            warn!("{}: no flag \"{}\"; \"help\" lists them", name, word);
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag { name: "tiles", value: 0b001, help: "outline tiles" },
        Flag { name: "wire", value: 0b010, help: "lines only" },
        Flag { name: "both", value: 0b110, help: "lines and more" },
    ];

    const OPTIONS: Table = Table(&[
        ("YES", "Yes"),
        ("ON", " on "),
        ("NO", "n"),
        ("MAYBE", "maybe"),
        ("TEN", "10"),
        ("MINUS", "-0x10"),
        ("MIN", "-9223372036854775808"),
        ("HUGE", "9223372036854775808"),
        ("WORDS", "ten"),
        ("SIGNS", "-+1"),
        ("HEXSIGN", "0x+1"),
        ("EMPTY", ""),
        ("TWO", "wire, TILES"),
        ("MIXED", "0x100,tiles,,nonsense"),
        ("ALL", "all"),
        ("HELP", "help,tiles"),
        ("TWICE", "1"),
        ("TWICE", "2"),
    ]);

    #[test]
    fn bools() {
        let read = |name| (bool_option(&OPTIONS, name, false), bool_option(&OPTIONS, name, true));
        assert_eq!(read("YES"), (true, true));
        assert_eq!(read("ON"), (true, true));
        assert_eq!(read("NO"), (false, false));
        for not_set in ["MAYBE", "TEN", "EMPTY", "ABSENT"] {
            assert_eq!(read(not_set), (false, true), "{not_set}");
        }
    }

    #[test]
    fn numbers() {
        let read = |name| number_option(&OPTIONS, name, 77);
        assert_eq!((read("TEN"), read("MINUS"), read("MIN")), (10, -16, i64::MIN));
        assert_eq!(read("TWICE"), 1);
        for not_set in ["HUGE", "WORDS", "SIGNS", "HEXSIGN", "EMPTY", "ABSENT"] {
            assert_eq!(read(not_set), 77, "{not_set}");
        }
    }

    #[test]
    fn flags() {
        let read = |name| flags_option(&OPTIONS, name, FLAGS, 0x8000);
        assert_eq!(read("TWO"), 0b011);
        assert_eq!(read("MIXED"), 0x101);
        assert_eq!(read("ALL"), 0b111);
        assert_eq!(read("HELP"), 0b001);
        assert_eq!(read("EMPTY"), 0);
        assert_eq!(read("ABSENT"), 0x8000);
    }

    #[test]
    fn strings() {
        let read = |name| {
            let mut text = None;
            string_option(&OPTIONS, name, &mut |value| {
                text = Some(std::string::String::from(value))
            });
            text
        };
        assert_eq!(read("TWO").as_deref(), Some("wire, TILES"));
        assert_eq!(read("EMPTY").as_deref(), Some(""));
        assert_eq!(read("ABSENT"), None);
    }

    #[test]
    fn thread_counts() {
        let count = |table, available| thread_count(&Table(table), available);
        assert_eq!(count(&[], 6), 6);
        assert_eq!(count(&[], 1000), 64);
        assert_eq!(count(&[("LP_NUM_THREADS", "3")], 6), 3);
        assert_eq!(count(&[("LP_NUM_THREADS", "0")], 6), 1);
        assert_eq!(count(&[("LP_NUM_THREADS", "-5")], 6), 1);
        assert_eq!(count(&[("LP_NUM_THREADS", "3"), ("GALLIUM_NUM_THREADS", "2")], 6), 2);
        assert_eq!(count(&[("GALLIUM_NUM_THREADS", "many")], 6), 6);
    }

    #[test]
    fn the_environment() {
        let mut path = false;
        Environment.with("PATH", &mut |value| path = !value.is_empty());
        assert!(path);
        Environment.with("GALLIUM_NO_SUCH_VARIABLE", &mut |_| panic!("is set"));
        Environment.with("", &mut |_| panic!("is set"));
    }
}
