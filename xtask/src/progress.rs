//! Shows the last line of a quiet program's standard error, so that users see that it works.
//!
//! On a terminal each line overwrites the previous one, and is erased at the end. Elsewhere, for
//! example in the log of a build machine, a line is printed every half minute.

use std::io::{BufRead, BufReader, IsTerminal, Read, Write, stderr};
use std::time::{Duration, Instant};

/// Time between two lines if there is no terminal.
const PERIOD: Duration = Duration::from_secs(30);

/// Maximum number of characters to print of a line.
const WIDTH: usize = 76;

/// Reads a program's standard error to its end and shows progress; returns all of it.
///
/// # Errors
/// The stream cannot be read.
pub fn follow(stream: impl Read) -> std::io::Result<Vec<u8>> {
    let terminal = stderr().is_terminal();
    let mut shown = Instant::now();
    let mut all = Vec::new();
    let mut lines = BufReader::new(stream);
    loop {
        let start = all.len();
        if lines.read_until(b'\n', &mut all)? == 0 {
            break;
        }
        let line = excerpt(&all[start..]);
        if terminal {
            // Moves back to column 0 and erases the line.
            let _ = write!(stderr(), "\r\x1b[K   {line}");
        } else if shown.elapsed() > PERIOD {
            let _ = writeln!(stderr(), "   … {line}");
            shown = Instant::now();
        }
    }
    if terminal {
        let _ = write!(stderr(), "\r\x1b[K");
    }
    Ok(all)
}

/// Returns the start of a line, without surrounding white space and control characters.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().filter(|letter| !letter.is_control()).take(WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_returned_and_little_is_shown() {
        let text = b"   Compiling a\n\xff\xfe\nlast";
        assert_eq!(follow(&text[..]).unwrap(), text);
        assert_eq!(excerpt(b"   Compiling a v1\r\n"), "Compiling a v1");
        assert_eq!(excerpt("é".repeat(200).as_bytes()).chars().count(), WIDTH);
        assert_eq!(excerpt(b"\x1b[31mred"), "[31mred");
    }
}
