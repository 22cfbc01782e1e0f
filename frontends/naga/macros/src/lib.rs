#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! * `parse`: the items and options of a call
//! * `shader`: a source to a program
//! * `interface`: slots, structs and vertex elements as Rust code

#![forbid(unsafe_code)]

mod interface;
mod parse;
mod shader;

use parse::{Error, Item, Options};
use proc_macro::{
    Delimiter, Group, Ident, LexError, Literal, Punct, Spacing, Span, TokenStream, TokenTree,
};
use shader::{Language, Shader};

/// WGSL, GLSL or SPIR-V shaders, compiled while Rust compiles.
///
/// As items, `wgsl! { pub static NAME: "file or source" => entry; … }` declares statics of type
/// `Program<'static>`. As an expression, `wgsl!("file or source" => entry)` is a
/// `&'static Program<'static>`. See the crate's documentation for the options.
///
/// ```compile_fail
/// gallium_wgsl::wgsl! {
///     static VS: "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(0); }" => vs;
///     static FS: "@fragment fn fs(@location(0) x: f32) -> @location(0) vec4f { return vec4f(x); }" => fs;
/// }
/// ```
#[proc_macro]
pub fn wgsl(input: TokenStream) -> TokenStream {
    expand_or_fail(input, Language::Wgsl)
}

/// [`wgsl!`] for strings in GLSL.
///
/// The stage of a string, or of a file that ends in `.glsl`, is an option (`vertex;`, `fragment;`,
/// `compute;`) or a line `#pragma shader_stage(fragment)` of the source. The entry point is `main`.
///
/// ```
/// # use gallium_wgsl::glsl;
/// glsl! {
///     fragment; pixel;
///     static HALF: r"#version 450
///         layout(location = 0) in vec4 color;
///         layout(location = 0) out vec4 result;
///         void main() { result = 0.5 * color; }";
/// }
/// assert!(HALF.native.pixel.is_some());
/// ```
#[proc_macro]
pub fn glsl(input: TokenStream) -> TokenStream {
    expand_or_fail(input, Language::Glsl)
}

fn expand_or_fail(input: TokenStream, language: Language) -> TokenStream {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    expand(&tokens, language).unwrap_or_else(|(message, span)| compile_error(&message, span))
}

fn expand(tokens: &[TokenTree], language: Language) -> Result<TokenStream, Error> {
    let items = parse::items(tokens)?;
    let mut all = TokenStream::new();
    let mut vertex: Option<Shader> = None;
    for item in &items {
        let shader = Shader::new(item, language)?;
        if let (true, Some(vertex)) = (shader.is_fragment(), &vertex) {
            shader.check_link(vertex).map_err(|message| (message, item.span))?;
        }
        all.extend(declare(item, &shader)?);
        if shader.is_vertex() {
            vertex = Some(shader);
        }
    }
    Ok(all)
}

/// Declares the static of an item, or makes an expression of it.
fn declare(item: &Item, shader: &Shader) -> Result<TokenStream, Error> {
    let Options { path, .. } = &item.options;
    let program = parsed(&shader.program(item)?, item.span)?;
    let kind = parsed(&format!(": {path}::program::Program<'static> ="), item.span)?;
    let mut declared = match &item.head {
        Some(head) => head.clone(),
        None => parsed("static PROGRAM", item.span)?,
    };
    declared.extend([kind, program, parsed(";", item.span)?]);
    if let Some(file) = &shader.file {
        // Cargo compiles again when the file changes.
        declared.extend(parsed(&format!("const _: &[u8] = include_bytes!({file:?});"), item.span)?);
    }
    if item.options.interface {
        let Some(code) = interface::module(item, shader.interface()) else {
            let message = "`interface;` needs an item, `static NAME: …`";
            return Err((message.into(), item.span));
        };
        declared.extend(parsed(&code, item.span)?);
    }
    if item.head.is_some() {
        return Ok(declared);
    }
    declared.extend(parsed("&PROGRAM", item.span)?);
    Ok(TokenTree::Group(Group::new(Delimiter::Brace, declared)).into())
}

fn parsed(code: &str, span: Span) -> Result<TokenStream, Error> {
    code.parse().map_err(|error: LexError| (error.to_string(), span))
}

/// Returns `compile_error! { "message" }` at a place.
fn compile_error(message: &str, span: Span) -> TokenStream {
    let mut text = TokenTree::Literal(Literal::string(message));
    text.set_span(span);
    let mut group = TokenTree::Group(Group::new(Delimiter::Brace, text.into()));
    group.set_span(span);
    let name = TokenTree::Ident(Ident::new("compile_error", span));
    let mut bang = TokenTree::Punct(Punct::new('!', Spacing::Alone));
    bang.set_span(span);
    [name, bang, group].into_iter().collect()
}
