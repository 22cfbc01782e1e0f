#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! * `source`: tokens back to the text that was written
//! * `emit`: a program as Rust code

#![forbid(unsafe_code)]

mod emit;
mod source;

use os_shim::Memory;
use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use source::Source;
use tgsi::compile::{CompileOptions, compile};
use tgsi::shader::Position;
use tgsi::text;

/// A TGSI shader, compiled while Rust compiles.
///
/// As an item, `tgsi! { pub static NAME: FRAG … END }` declares a static [`Program`]; attributes
/// and visibility go before `static`. As an expression, `tgsi!(FRAG … END)` is a
/// `&'static Program<'static>`. The shader is written as in a file, Rust comments included.
/// What is wrong with it is an error at the place.
///
/// The code names the crate `tgsi`; where it has another name, say so first:
/// `tgsi! { crate = ::gallium_tgsi; … }`.
///
/// [`Program`]: https://docs.rs/gallium-tgsi
#[proc_macro]
pub fn tgsi(input: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let (path, rest) = crate_path(&tokens);
    let (item, shader) = item_head(rest);
    match program(shader, &path) {
        Ok(program) => wrap(item, &path, program),
        Err((message, span)) => compile_error(&message, span),
    }
}

/// `crate = path;` at the beginning: the path, and the tokens after it.
fn crate_path(tokens: &[TokenTree]) -> (TokenStream, &[TokenTree]) {
    if let [TokenTree::Ident(word), TokenTree::Punct(equals), rest @ ..] = tokens
        && word.to_string() == "crate"
        && equals.as_char() == '='
    {
        let end = rest.iter().position(|token| is_punct(token, ';'));
        let (path, after) = rest.split_at(end.unwrap_or(rest.len()));
        return (path.iter().cloned().collect(), after.get(1..).unwrap_or(&[]));
    }
    let colon = |spacing| TokenTree::Punct(Punct::new(':', spacing));
    let name = TokenTree::Ident(Ident::new("tgsi", Span::call_site()));
    ([colon(Spacing::Joint), colon(Spacing::Alone), name].into_iter().collect(), tokens)
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// `pub static NAME:` at the beginning, up to the name, and the tokens after the colon.
fn item_head(tokens: &[TokenTree]) -> (Option<&[TokenTree]>, &[TokenTree]) {
    let is_static = |token: &TokenTree| token.to_string() == "static";
    let Some(at) = tokens.iter().position(is_static) else { return (None, tokens) };
    match tokens.get(at + 2) {
        Some(colon) if is_punct(colon, ':') => (Some(&tokens[..at + 2]), &tokens[at + 3..]),
        _ => (None, tokens),
    }
}

/// The shader as an expression of type `Program<'static>`; or what is wrong, and where.
fn program(tokens: &[TokenTree], path: &TokenStream) -> Result<TokenStream, (String, Span)> {
    let source = Source::new(tokens);
    let at = |position: Option<Position>, message: String| {
        // The place is shown by rustc; the parser's counts from the macro.
        let message = match message.split_once(": ") {
            Some((place, rest)) if place.starts_with("line ") => rest.to_owned(),
            _ => message,
        };
        (message, source.span_at(position.unwrap_or_default()))
    };
    let shader = text::parse(source.text(), Memory::system())
        .map_err(|error| at(error.position(), error.to_string()))?;
    let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system())
        .map_err(|error| at(error.position(), error.to_string()))?;
    emit::program(&compiled.program(), &path.to_string())
        .map_err(|error| (error.to_string(), Span::call_site()))
}

/// `pub static NAME: Program<'static> = program;`, or `{ static …; &PROGRAM }`.
fn wrap(item: Option<&[TokenTree]>, path: &TokenStream, program: TokenStream) -> TokenStream {
    let kind = format!(": {path}::program::Program<'static> =");
    let kind: TokenStream = kind.parse().unwrap_or_default();
    let end: TokenStream = ";".parse().unwrap_or_default();
    let declare = |head: TokenStream| -> TokenStream {
        [head, kind.clone(), program.clone(), end.clone()].into_iter().collect()
    };
    match item {
        Some(head) => declare(head.iter().cloned().collect()),
        None => {
            let item = declare("static PROGRAM".parse().unwrap_or_default());
            let value: TokenStream = "&PROGRAM".parse().unwrap_or_default();
            let block = Group::new(Delimiter::Brace, [item, value].into_iter().collect());
            TokenTree::Group(block).into()
        }
    }
}

/// `compile_error! { "message" }` at a place.
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
