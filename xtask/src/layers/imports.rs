//! Finds imports from one room of a crate into another, by parsing its source with `syn`.
//!
//! A room is a top-level module. Paths that begin with `crate`, `self` or `super` are found in
//! `use` trees, in code, types and patterns, among the tokens of macro calls and `macro_rules!`,
//! and inside functions. Names that `lib.rs` re-exports count for the room they come from. A name
//! without such a beginning was imported by a `use`, which is found there.
//!
//! Not found are: methods and fields of types that are never named, items of `cfg(test)`, links in
//! documentation, macros called by their textual scope, code that macros or build scripts write,
//! and `use` trees in braces inside of a macro's tokens. Every `cfg` except `test` counts as
//! enabled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, Token, UseTree};

/// The name of the crate's root in imports. It stands above every room.
pub const ROOT: &str = "lib.rs";

/// A path in one room that names an item of another room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The file, relative to the crate's folder.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The room that imports.
    pub from: String,
    /// The room that it imports from, or [`ROOT`].
    pub to: String,
    /// The absolute path.
    pub path: String,
}

/// The rooms of a crate, and the imports between them by file and line.
pub struct Source {
    /// Top-level modules, by name.
    pub rooms: BTreeSet<String>,
    /// Imports from a room; the imports of `lib.rs` are its re-exports.
    pub imports: Vec<Import>,
}

/// Reads a crate. `read` returns the text of a file given relative to the crate's folder, or `None`
/// if there is no such file. The crate's root is `src/lib.rs`.
///
/// # Errors
/// A module has no file, or a file cannot be parsed.
pub fn read(read: &dyn Fn(&Path) -> Option<String>) -> Result<Source> {
    let mut reader = Reader { read, modules: BTreeMap::new(), mentions: Vec::new() };
    reader.file(Path::new("src/lib.rs"), Path::new("src"), Vec::new())?;
    Ok(reader.source())
}

/// The names in one module that re-exports need.
#[derive(Default)]
struct Module {
    items: BTreeSet<String>,
    modules: BTreeSet<String>,
    /// Names imported by `use` declarations, and their absolute paths; `None` if from another
    /// crate.
    uses: BTreeMap<String, Option<Vec<String>>>,
    globs: Vec<Vec<String>>,
}

/// A path of this crate somewhere in the source.
struct Mention {
    file: PathBuf,
    line: usize,
    module: Vec<String>,
    path: Vec<String>,
}

struct Reader<'r> {
    read: &'r dyn Fn(&Path) -> Option<String>,
    modules: BTreeMap<Vec<String>, Module>,
    mentions: Vec<Mention>,
}

impl Reader<'_> {
    /// Reads the file of a module; `folder` contains the files of its child modules.
    fn file(&mut self, file: &Path, folder: &Path, module: Vec<String>) -> Result<()> {
        let text = (self.read)(file).with_context(|| format!("cannot read {}", file.display()))?;
        let parsed = syn::parse_file(&text).map_err(|error| {
            anyhow!("{}:{}: {error}", file.display(), error.span().start().line)
        })?;
        self.items(&parsed.items, file, folder, module)
    }

    fn items(
        &mut self,
        items: &[Item],
        file: &Path,
        folder: &Path,
        module: Vec<String>,
    ) -> Result<()> {
        let items: Vec<&Item> = items.iter().filter(|item| !is_test(attributes(item))).collect();
        let mut names = Module::default();
        for item in &items {
            if let Item::Mod(child) = item {
                names.modules.insert(child.ident.to_string());
            } else if let Some(name) = item_name(item) {
                names.items.insert(name.to_string());
            }
        }
        let mut visitor = Visitor {
            module: &module,
            children: &names.modules,
            found: Vec::new(),
            uses: BTreeMap::new(),
            globs: Vec::new(),
        };
        for item in items.iter().filter(|item| !matches!(item, Item::Mod(_))) {
            visitor.visit_item(item);
        }
        let Visitor { found, uses, globs, .. } = visitor;
        self.mentions.extend(found.into_iter().map(|(line, path)| {
            let (file, module) = (file.to_owned(), module.clone());
            Mention { file, line, module, path }
        }));
        self.modules.insert(module.clone(), Module { uses, globs, ..names });
        for item in items {
            let Item::Mod(child) = item else { continue };
            let name = child.ident.to_string();
            let path = [&module[..], std::slice::from_ref(&name)].concat();
            let inner = folder.join(&name);
            if let Some((_, content)) = &child.content {
                self.items(content, file, &inner, path)?;
                continue;
            }
            let flat = folder.join(format!("{name}.rs"));
            let file = if (self.read)(&flat).is_some() { flat } else { inner.join("mod.rs") };
            self.file(&file, &inner, path)?;
        }
        Ok(())
    }

    fn source(self) -> Source {
        let mut imports = Vec::new();
        for mention in &self.mentions {
            let Some(from) = mention.module.first() else { continue };
            let Some(to) = self.room(&mention.path, 0).filter(|to| to != from) else { continue };
            imports.push(Import {
                file: mention.file.clone(),
                line: mention.line,
                from: from.clone(),
                to,
                path: format!("crate::{}", mention.path.join("::")),
            });
        }
        imports.sort();
        imports.dedup_by(|a, b| (&a.file, a.line, &a.to) == (&b.file, b.line, &b.to));
        Source { rooms: self.root().modules.clone(), imports }
    }

    fn root(&self) -> &Module {
        &self.modules[&Vec::new()]
    }

    /// Returns the room that an absolute path leads to, through the re-exports of `lib.rs`; `None`
    /// for names of other crates and unknown names.
    fn room(&self, path: &[String], depth: usize) -> Option<String> {
        /// Maximum depth of re-exports of re-exports, which also ends circles.
        const DEPTH: usize = 8;
        let Some(first) = path.first() else { return Some(ROOT.to_owned()) };
        let root = self.root();
        if depth > DEPTH {
            return None;
        }
        if root.modules.contains(first) {
            return Some(first.clone());
        }
        if let Some(target) = root.uses.get(first) {
            return self.room(target.as_deref()?, depth + 1);
        }
        if root.items.contains(first) {
            return Some(ROOT.to_owned());
        }
        let from = root.globs.iter().find(|glob| self.declares(glob, first, depth))?;
        self.room(from, depth + 1)
    }

    /// Returns true if a module declares or imports an item with this name.
    fn declares(&self, module: &[String], name: &str, depth: usize) -> bool {
        let Some(names) = self.modules.get(module) else { return false };
        names.items.contains(name)
            || names.modules.contains(name)
            || names.uses.contains_key(name)
            || depth < 8 && names.globs.iter().any(|glob| self.declares(glob, name, depth + 1))
    }
}

/// Collects the paths in one module.
struct Visitor<'m> {
    module: &'m [String],
    children: &'m BTreeSet<String>,
    /// Line numbers and absolute paths.
    found: Vec<(usize, Vec<String>)>,
    uses: BTreeMap<String, Option<Vec<String>>>,
    globs: Vec<Vec<String>>,
}

impl Visitor<'_> {
    /// Returns the absolute form of a path; `None` if it begins with a name that is not a child
    /// module.
    fn absolute(&self, segments: &[String]) -> Option<Vec<String>> {
        let mut base = self.module.to_vec();
        let mut rest = segments;
        match segments.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            name if self.children.contains(name) => {}
            _ => return None,
        }
        while rest.first().is_some_and(|segment| segment == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn mention(&mut self, line: usize, segments: &[String]) {
        // `self` alone is a value, and `super` alone a visibility.
        if segments.len() > 1
            && let Some(path) = self.absolute(segments)
        {
            self.found.push((line, path));
        }
    }

    fn use_tree(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.use_tree(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.use_tree(tree, prefix));
            }
            UseTree::Name(name) => self.use_leaf(&name.ident, &name.ident, prefix),
            UseTree::Rename(rename) => self.use_leaf(&rename.ident, &rename.rename, prefix),
            UseTree::Glob(glob) => {
                if let Some(path) = self.absolute(prefix) {
                    self.found.push((glob.star_token.span.start().line, path.clone()));
                    self.globs.push(path);
                }
            }
        }
    }

    fn use_leaf(&mut self, ident: &Ident, alias: &Ident, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        // `a::{self}` is `a`.
        if ident != "self" || prefix.is_empty() {
            segments.push(ident.to_string());
        }
        let alias =
            if alias == "self" { segments.last().cloned() } else { Some(alias.to_string()) };
        let path = self.absolute(&segments);
        if let Some(path) = &path {
            self.found.push((ident.span().start().line, path.clone()));
        }
        self.uses.insert(alias.unwrap_or_default(), path);
    }

    /// Finds paths among tokens: an identifier, `::`, an identifier and so on.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let colon =
            |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == ':');
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(first)
                    if first == "crate" || first == "self" || first == "super" =>
                {
                    let mut segments = vec![first.to_string()];
                    while colon(at)
                        && colon(at + 1)
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 2)
                    {
                        segments.push(next.to_string());
                        at += 3;
                    }
                    self.mention(first.span().start().line, &segments);
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        if let Some(first) = path.segments.first()
            && path.leading_colon.is_none()
            && (first.ident == "crate" || first.ident == "self" || first.ident == "super")
        {
            self.mention(first.ident.span().start().line, &segments);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }

    /// Ignores `pub(in crate::a)`: it grants access and imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn item_name(item: &Item) -> Option<&Ident> {
    match item {
        Item::Const(item) => Some(&item.ident),
        Item::Enum(item) => Some(&item.ident),
        Item::Fn(item) => Some(&item.sig.ident),
        Item::Static(item) => Some(&item.ident),
        Item::Struct(item) => Some(&item.ident),
        Item::Trait(item) => Some(&item.ident),
        Item::TraitAlias(item) => Some(&item.ident),
        Item::Type(item) => Some(&item.ident),
        Item::Union(item) => Some(&item.ident),
        _ => None,
    }
}

/// Returns true if attributes limit an item to tests: `#[test]`, or a `cfg` that needs `test`.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<Meta>().is_ok_and(|meta| needs_test(&meta))
        }
        _ => false,
    })
}

fn needs_test(meta: &Meta) -> bool {
    let Meta::List(list) = meta else { return meta.path().is_ident("test") };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let Ok(parts) = parts else { return false };
    if list.path.is_ident("all") {
        parts.iter().any(needs_test)
    } else {
        list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(needs_test)
    }
}
