//! The panics that drawing may reach on a board: `panics.toml` lists them and may only get shorter.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::Calls;
use crate::board::Board;
use crate::shell;

/// The calls of a context that draw.
const DRAWING: [&str; 3] = ["draw_vbo", "flush", "present"];

/// The call that firmware for panels need not make.
const FOR_MEMORY: &str = "flush";

/// The module of the driver's context.
const CONTEXT: &str = "gallium_raster::context::";

/// The first lines of each list.
const HEAD: &str = "\
# The functions that `draw_vbo`, `flush` and `present` may reach and that may panic, with the function
# of core that they panic by. `cargo xtask size` fails when one is added; with the board's name and
# `--accept` it takes those out that are gone.
";

/// The list of a board.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    panics: BTreeSet<String>,
}

/// Returns the path of a board's list. A board without this file is not checked.
fn path(board: &Board) -> PathBuf {
    shell::root().join("boards").join(&board.name).join("panics.toml")
}

impl List {
    /// Reads a board's list, if it has one.
    fn read(board: &Board) -> Result<Option<List>> {
        let path = path(board);
        if !path.is_file() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let list = toml::from_str(&text)
            .with_context(|| format!("{}: not a list of panics", path.display()))?;
        Ok(Some(list))
    }

    /// Finds the panics in an image; returns them and the number of functions reached.
    fn find(calls: &Calls) -> Result<(List, usize)> {
        let taken = calls.taken.as_ref();
        let taken = taken.context("which functions its pointers lead to is not known")?;
        let mut roots = Vec::new();
        for call in DRAWING {
            let suffix = format!("::{call}");
            let is_root = |name: &str| name.contains(CONTEXT) && name.ends_with(&suffix);
            let mut of_context = calls.named(&suffix);
            of_context.retain(|at| calls.functions[*at].name.split(" = ").any(is_root));
            let missing = of_context.is_empty() && call != FOR_MEMORY;
            ensure!(!missing, "no function of {CONTEXT} has the name `{call}`");
            roots.extend(of_context);
        }
        let reached = calls.reached_with(&roots, taken, &|_| false);
        let mut panics = BTreeSet::new();
        for function in reached.iter().map(|at| &calls.functions[*at]) {
            let kinds = function.calls.iter().filter_map(|to| calls.functions[*to].panic());
            if !function.panics() {
                panics.extend(kinds.map(|kind| format!("{}: {kind}", function.name)));
            }
        }
        Ok((List { panics }, reached.len()))
    }

    /// Writes the list of a board.
    fn write(&self, board: &Board) -> Result<()> {
        let path = path(board);
        let text = toml::to_string_pretty(self).context("cannot write a list of panics")?;
        std::fs::write(&path, [HEAD, &text].concat())
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Returns the panics of `found` that are missing in the list, one per line.
    fn added(&self, found: &List) -> String {
        let added = found.panics.difference(&self.panics);
        added.map(|panic| format!("\n  {panic}")).collect()
    }
}

/// Compares the panics of a board's image with its list; returns a line to print. With `accept`,
/// panics that are gone are removed from the list.
///
/// # Errors
/// The image has a panic that is not in the list, or no context; or the list cannot be read or
/// written.
pub fn check(board: &Board, calls: &Calls, accept: bool) -> Result<String> {
    let Some(listed) = List::read(board)? else { return Ok(String::new()) };
    let (found, reached) = List::find(calls).with_context(|| board.name.clone())?;
    let added = listed.added(&found);
    ensure!(
        added.is_empty(),
        "{}: {} may reach functions that may panic, and did not before:{added}",
        board.name,
        DRAWING.join(", ")
    );
    let gone = listed.panics.difference(&found.panics).count();
    if accept && gone > 0 {
        found.write(board)?;
    }
    let left = found.panics.len();
    let mut text = format!("  panics: {left} in {reached} functions reached from draws");
    if gone > 0 && !accept {
        text += &format!(", {gone} fewer than listed: `cargo xtask size {} --accept`", board.name);
    }
    Ok(text + "\n")
}

#[cfg(test)]
mod tests {
    use super::super::Function;
    use super::*;

    fn function(name: &str, calls: &[usize], by_pointer: bool) -> Function {
        Function { name: name.into(), address: 0, size: 2, calls: calls.to_vec(), by_pointer }
    }

    /// Returns a context that calls a panel through a pointer, and code that drawing does not
    /// reach.
    fn image() -> Calls {
        let context = |call: &str| format!("<gallium_raster::context::Context<P>>::{call}");
        let functions = vec![
            function(&context("draw_vbo"), &[5], false),
            function(&format!("b::same = {}", context("flush")), &[], false),
            function(&context("present"), &[], true),
            function("panel::tile", &[6], false),
            function("main", &[6, 0], false),
            function("draw::shade", &[], false),
            function("core::slice::index::slice_index_fail", &[7], false),
            function("core::panicking::panic_fmt", &[], false),
        ];
        Calls { functions, taken: Some([3].into()) }
    }

    #[test]
    fn panics_behind_pointers_are_found() {
        let (found, reached) = List::find(&image()).unwrap();
        assert_eq!(Vec::from_iter(found.panics), ["panel::tile: slice_index_fail"]);
        assert_eq!(reached, 6);
    }

    #[test]
    fn an_image_without_a_context_or_with_unknown_pointers_is_refused() {
        let mut calls = image();
        calls.functions[1].name = "gallium_raster::context::flush_resource".into();
        assert!(List::find(&calls).is_ok(), "surfaces in memory alone are flushed");
        calls.functions[2].name = "gallium_raster::context::present_rows".into();
        assert!(List::find(&calls).is_err_and(|error| error.to_string().contains("`present`")));
        assert!(List::find(&Calls { taken: None, ..image() }).is_err());
    }

    #[test]
    fn a_list_says_what_was_added() {
        let list = |panics: &[&str]| List { panics: panics.iter().map(|&p| p.into()).collect() };
        assert_eq!(list(&["a: x", "b: y"]).added(&list(&["b: y"])), "");
        assert_eq!(list(&["a: x"]).added(&list(&["a: x", "c: z"])), "\n  c: z");
    }
}
