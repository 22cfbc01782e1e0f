//! Counts the `cfg` inside functions, and all `cfg` attributes per 1,000 lines. A function reads as
//! one text if each feature is a constant and an `if`; a `cfg` attribute is for items that name
//! missing types.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use syn::visit::{self, Visit};
use syn::{Attribute, Block, FnArg, ImplItemFn, Item, ItemFn, ItemMod, Macro, TraitItemFn};

/// The crates with ceilings: the number of `cfg` inside functions, and of `cfg` attributes per 1,000
/// lines, rounded up.
const CEILINGS: &[(&str, usize, usize)] = &[("raster", 18, 9)];

/// This file, for messages.
const TABLE: &str = "xtask/src/layers/switches.rs";

/// Returns one line for each number of `cfg` of a crate that differs from its ceiling.
///
/// # Errors
/// The source cannot be read.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (folder, ceiling, share_ceiling) in CEILINGS {
        let mut found = Vec::new();
        let (mut attributes, mut lines) = (0, 0);
        for file in sources(&root.join(folder).join("src"))? {
            let text = std::fs::read_to_string(&file)?;
            let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            let inside = inside_functions(&text).with_context(|| name.clone())?;
            found.extend(inside.into_iter().map(|line| format!("{name}:{line}")));
            attributes += attributes_of(&text);
            lines += text.lines().count();
        }
        wrong.extend(compare(folder, *ceiling, &found));
        wrong.extend(compare_share(folder, *share_ceiling, attributes, lines));
    }
    Ok(wrong)
}

/// Returns a message if the number of places differs from the ceiling.
fn compare(folder: &str, ceiling: usize, found: &[String]) -> Option<String> {
    let count = found.len();
    if count > ceiling {
        return Some(format!(
            "{folder}: {count} `cfg` inside functions, above the ceiling of {ceiling}. Use a \
             constant of `features.rs` and `if`, or move the code to an item with a `cfg`. They \
             are in:\n  {}",
            found.join("\n  ")
        ));
    }
    (count < ceiling).then(|| {
        format!("{folder}: {count} `cfg` inside functions: lower the ceiling in {TABLE} to {count}")
    })
}

/// Returns a message if the number of attributes per 1,000 lines, rounded up, differs from the
/// ceiling.
fn compare_share(folder: &str, ceiling: usize, attributes: usize, lines: usize) -> Option<String> {
    let share = (attributes * 1000).div_ceil(lines.max(1));
    if share > ceiling {
        return Some(format!(
            "{folder}: {attributes} `cfg` attributes in {lines} lines, {share} per 1,000 lines, above the ceiling of \
             {ceiling}. Give fields a type that is zero-sized without the feature, and use constants of `features.rs`"
        ));
    }
    (share < ceiling).then(|| {
        format!("{folder}: {share} `cfg` attributes per 1,000 lines: lower the ceiling in {TABLE} to {share}")
    })
}

/// Counts the `cfg` and `cfg_attr` attributes of a file.
fn attributes_of(text: &str) -> usize {
    let starts = ["#[cfg(", "#![cfg(", "#[cfg_attr(", "#![cfg_attr("];
    let is_one = |line: &&str| starts.iter().any(|start| line.trim_start().starts_with(start));
    text.lines().filter(is_one).count()
}

/// Returns the Rust files in a folder, in alphabetical order.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(sources(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the lines of the `cfg` and `cfg_attr` attributes and `cfg!` calls inside functions and on
/// their parameters. Tests do not count.
fn inside_functions(text: &str) -> Result<Vec<usize>> {
    let file = syn::parse_file(text)
        .map_err(|error| anyhow!("line {}: {error}", error.span().start().line))?;
    let mut visitor = Switches { depth: 0, lines: Vec::new() };
    visitor.visit_file(&file);
    Ok(visitor.lines)
}

struct Switches {
    /// The number of functions around the visited code.
    depth: usize,
    lines: Vec<usize>,
}

impl Switches {
    fn inside(&mut self, visit: impl FnOnce(&mut Self)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }

    fn body(&mut self, inputs: &syn::punctuated::Punctuated<FnArg, syn::Token![,]>, body: &Block) {
        self.inside(|inner| {
            inputs.iter().for_each(|input| inner.visit_fn_arg(input));
            inner.visit_block(body);
        });
    }
}

impl<'ast> Visit<'ast> for Switches {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let path = attribute.path();
        if self.depth > 0 && (path.is_ident("cfg") || path.is_ident("cfg_attr")) {
            self.lines.push(attribute.pound_token.span.start().line);
        }
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        if self.depth > 0 && mac.path.is_ident("cfg") {
            self.lines.push(mac.bang_token.span.start().line);
        }
        visit::visit_macro(self, mac);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !super::imports::is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item(&mut self, item: &'ast Item) {
        // Attributes of an item inside a function belong to the item.
        match item {
            Item::Fn(item) => self.visit_item_fn(item),
            item => visit::visit_item(self, item),
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !super::imports::is_test(&item.attrs) {
            self.body(&item.sig.inputs, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        if !super::imports::is_test(&item.attrs) {
            self.body(&item.sig.inputs, &item.block);
        }
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.body(&item.sig.inputs, body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_macros_inside_functions_are_found() {
        let text = "#[cfg(a)]\nfn f(#[cfg(a)] x: u8) {\n #[cfg(a)]\n let y = 1;\n if cfg!(b) {}\n}";
        assert_eq!(inside_functions(text).unwrap(), [2, 3, 5]);
        let text = "impl X {\n #[cfg(a)]\n fn f() -> S {\n S {\n #[cfg(a)]\n x: 1 } } }";
        assert_eq!(inside_functions(text).unwrap(), [5]);
        let text = "trait T { fn f() { #[cfg_attr(a, expect(x))]\n let y; } }";
        assert_eq!(inside_functions(text).unwrap(), [1]);
    }

    #[test]
    fn items_and_tests_do_not_count() {
        let text =
            "#[cfg(a)] mod m { #[cfg(a)] const X: bool = cfg!(b); struct S { #[cfg(a)] x: u8 } }";
        assert_eq!(inside_functions(text).unwrap(), [0; 0]);
        let text = "#[cfg(test)] mod tests { fn f() { #[cfg(a)] let x = 1; } }";
        assert_eq!(inside_functions(text).unwrap(), [0; 0]);
        assert_eq!(inside_functions("fn f() { /* cfg!(a) */ \"#[cfg(a)]\"; }").unwrap(), [0; 0]);
    }

    #[test]
    fn a_ceiling_may_only_fall() {
        let found = ["a.rs:1".to_owned(), "a.rs:2".to_owned()];
        assert_eq!(compare("x", 2, &found), None);
        let above = compare("x", 1, &found).unwrap();
        assert!(above.contains("2 `cfg`") && above.contains("a.rs:2"), "{above}");
        assert!(compare("x", 3, &found).unwrap().contains("lower the ceiling"));
    }

    #[test]
    fn attributes_are_counted_per_thousand_lines() {
        let text =
            "#![cfg_attr(a, b)]\n// #[cfg(a)]\nstruct S {\n  #[cfg(a)]\n x: u8 }\n#[cfg(a)] mod m;";
        assert_eq!(attributes_of(text), 3);
        // 3 in 400 lines are 7.5 per 1,000.
        assert_eq!(compare_share("x", 8, 3, 400), None);
        assert!(compare_share("x", 7, 3, 400).unwrap().contains("above the ceiling of 7"));
        assert!(compare_share("x", 9, 3, 400).unwrap().contains("to 8"));
    }

    #[test]
    fn source_that_does_not_parse_is_an_error() {
        assert!(inside_functions("fn f( {").is_err());
    }
}
