//! Exports: the page, the engine and a recording in one file.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::listing::Listing;

/// The most bytes of a recording in a page. Browsers keep a page as one text.
pub const MAX_RECORDING: u64 = 128 << 20;

/// The place of the recording in a page with the engine.
const PLACE: &str = "<!-- recording -->";

/// Writes a file that shows a recording. `page` is a page with the engine inside, as `cargo xtask` builds it.
///
/// # Errors
/// A file cannot be read or written, `page` has no place for a recording, or the recording is too large or
/// none.
pub fn export(recording: &Path, page: &Path, output: &Path) -> Result<()> {
    let read = |path: &Path| {
        std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
    };
    let size = std::fs::metadata(recording).map_or(0, |of| of.len());
    check_size(size).with_context(|| format!("cannot export {}", recording.display()))?;
    let page = String::from_utf8(read(page)?).context("the page is no text")?;
    let name = recording.file_name().unwrap_or_default().to_string_lossy();
    let file = filled(&page, &name, read(recording)?)
        .with_context(|| format!("cannot export {}", recording.display()))?;
    std::fs::write(output, file).with_context(|| format!("cannot write {}", output.display()))
}

/// Puts a recording and its name into a page with the engine.
///
/// # Errors
/// The page has no place for a recording, or the recording is too large or none.
pub fn filled(page: &str, name: &str, recording: Vec<u8>) -> Result<String> {
    check_size(recording.len() as u64)?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&recording)?;
    let packed = STANDARD.encode(gzip.finish()?);
    // The listing reads every call, so that a page has no recording that no engine can open.
    Listing::new(recording.leak())?;
    let (before, after) = page
        .split_once(PLACE)
        .with_context(|| format!("the page has no {PLACE}: build it with cargo xtask"))?;
    let before = before.replacen("<title>", &format!("<title>{} · ", escaped(name)), 1);
    let inside = format!("<script type=\"gzip\" id=\"recording\">{packed}</script>");
    Ok([&before, &inside, after].concat())
}

fn check_size(bytes: u64) -> Result<()> {
    if bytes > MAX_RECORDING {
        bail!(
            "the recording has {bytes} bytes, and a page takes at most {MAX_RECORDING}: record fewer \
             frames, or hand over the recording itself and look at it with --serve"
        );
    }
    Ok(())
}

/// Returns text as a part of HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_the_title() {
        assert_eq!(escaped("a<b>&c"), "a&lt;b>&amp;c");
    }

    #[test]
    fn what_cannot_be_exported_is_refused() {
        let error = check_size(MAX_RECORDING + 1).unwrap_err().to_string();
        assert!(
            error.contains("134217729 bytes") && error.contains("at most 134217728"),
            "{error}"
        );
        assert!(check_size(MAX_RECORDING).is_ok());
        assert!(filled(PLACE, "name", b"no recording".to_vec()).is_err());
    }
}
