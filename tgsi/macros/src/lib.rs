#![doc = include_str!("../README.md")]
//!
//! # Map
//!
//! * `source`: the text that was written, from tokens or a file
//!
//! The code of a program is made by `gallium-tgsi-emit`.

#![forbid(unsafe_code)]

mod source;

use emit::Modes;
use os_shim::Memory;
use proc_macro::{
    Delimiter, Group, Ident, LexError, Literal, Punct, Spacing, Span, TokenStream, TokenTree,
};
use source::Source;
use tgsi::compile::{CompileOptions, compile};
use tgsi::shader::Position;
use tgsi::{sanity, text};

/// A TGSI shader, compiled while Rust compiles.
///
/// As an item, `tgsi! { pub static NAME: FRAG … END }` declares a static [`Program`]; attributes
/// and visibility go before `static`. As an expression, `tgsi!(FRAG … END)` is a
/// `&'static Program<'static>`. The shader is written as in a file, Rust comments included; or a
/// string in its place names a file, below the folder of the crate's manifest.
/// An error in the shader is a compile error at its place, and so is each fault that
/// `cargo xtask tgsi check` reports:
///
/// ```
/// gallium_tgsi_macros::tgsi! {
///     static WHITE: FRAG
///     DCL OUT[0], COLOR
///     IMM[0] FLT32 { 1.0, 1.0, 1.0, 1.0 }
///     MOV OUT[0], IMM[0]
///     END
/// }
/// ```
///
/// ```compile_fail
/// gallium_tgsi_macros::tgsi! {
///     static UNDECLARED: FRAG
///     IMM[0] FLT32 { 1.0, 1.0, 1.0, 1.0 }
///     MOV OUT[0], IMM[0]
///     END
/// }
/// ```
///
/// Options come first:
/// * `crate = ::gallium_tgsi;`: the crate's name, if that is not `tgsi`.
/// * `native;`: the body becomes machine code too, which the executor then runs instead of
///   interpreting. The results are the same; it is faster and takes more flash. `native(4);`,
///   `native(16, 64);`: only for these numbers of lanes.
/// * `pixel;`: the body of a fragment shader becomes a function of one pixel, which drivers may
///   call in place of lane code. It is the fastest choice without vector instructions, as on
///   microcontrollers. The shader may read at most four inputs, must write one colour, and may
///   contain only arithmetic.
///
/// [`Program`]: https://docs.rs/gallium-tgsi
#[proc_macro]
pub fn tgsi(input: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let expanded = options(&tokens).and_then(|(options, rest)| {
        let (item, shader) = item_head(rest);
        Ok(wrap(item, &options.path, program(shader, &options)?))
    });
    expanded.unwrap_or_else(|(message, span)| compile_error(&message, span))
}

/// The options before the shader.
struct Options {
    /// The path of the crate gallium-tgsi.
    path: TokenStream,
    modes: Modes,
}

/// A message and its place.
type Error = (String, Span);

/// Parses the options at the beginning; returns them and the tokens after them.
fn options(mut tokens: &[TokenTree]) -> Result<(Options, &[TokenTree]), Error> {
    let colon = |spacing| TokenTree::Punct(Punct::new(':', spacing));
    let name = TokenTree::Ident(Ident::new("tgsi", Span::call_site()));
    let path = [colon(Spacing::Joint), colon(Spacing::Alone), name].into_iter().collect();
    let mut options = Options { path, modes: Modes::default() };
    while let [TokenTree::Ident(word), ..] = tokens
        && let word = word.to_string()
        && ["crate", "native", "pixel"].contains(&word.as_str())
    {
        let end = tokens.iter().position(|token| is_punct(token, ';')).unwrap_or(tokens.len());
        let (option, rest) = tokens.split_at(end);
        match option {
            [_, equals, path @ ..] if word == "crate" && is_punct(equals, '=') => {
                options.path = path.iter().cloned().collect();
            }
            [_] if word == "native" => options.modes.native = emit::WIDTHS.to_vec(),
            [_] if word == "pixel" => options.modes.pixel = true,
            [_, TokenTree::Group(group)] if word == "native" => {
                options.modes.native = lane_widths(group)?;
            }
            _ => {
                let expected = "expected `crate = path;`, `native;`, `native(lanes);` or `pixel;`";
                return Err((expected.into(), tokens[0].span()));
            }
        }
        tokens = rest.get(1..).unwrap_or(&[]);
    }
    Ok((options, tokens))
}

/// Parses `(4, 16)`: some of the supported numbers of lanes.
fn lane_widths(group: &Group) -> Result<Vec<usize>, Error> {
    let numbers = group.stream().into_iter().filter(|token| !is_punct(token, ','));
    let width = |token: TokenTree| {
        let known = token.to_string().parse().ok().filter(|lanes| emit::WIDTHS.contains(lanes));
        known.ok_or_else(|| (String::from("expected 4, 16 or 64 lanes"), token.span()))
    };
    numbers.map(width).collect()
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Splits `pub static NAME:` off the beginning; returns the part up to the name, and the tokens
/// after the colon.
fn item_head(tokens: &[TokenTree]) -> (Option<&[TokenTree]>, &[TokenTree]) {
    let is_static = |token: &TokenTree| token.to_string() == "static";
    let Some(at) = tokens.iter().position(is_static) else { return (None, tokens) };
    match tokens.get(at + 2) {
        Some(colon) if is_punct(colon, ':') => (Some(&tokens[..at + 2]), &tokens[at + 3..]),
        _ => (None, tokens),
    }
}

/// Compiles the shader to an expression of type `Program<'static>`.
fn program(tokens: &[TokenTree], options: &Options) -> Result<TokenStream, Error> {
    let source = Source::new(tokens)?;
    let at = |position: Option<Position>, message: String| {
        source.error(position.unwrap_or_default(), &message)
    };
    let shader = text::parse(source.text(), Memory::system())
        .map_err(|error| at(error.position(), error.to_string()))?;
    let checked = sanity::check(&shader, &mut |_| {});
    let summary = checked.map_err(|error| at(None, error.to_string()))?;
    if let Some(finding) = summary.first_error {
        let message = finding.rule.to_string();
        let operand = source::operand(source.text(), finding.position, &message);
        return Err(source.error(operand, &message));
    }
    let compiled = compile(&shader, &CompileOptions::DEFAULT, Memory::system())
        .map_err(|error| at(error.position(), error.to_string()))?;
    let (program, path) = (compiled.program(), options.path.to_string());
    let mut code =
        emit::program(&program, source.text(), &path, &options.modes).map_err(|refusal| {
            let instruction = refusal.op.and_then(|op| compiled.instruction(op));
            let instruction = instruction.and_then(|at| shader.instructions().get(at as usize));
            at(instruction.map(|it| it.position), refusal.reason)
        })?;
    if let Some(file) = source.file() {
        // Cargo compiles again when the file changes.
        code = format!("{{ const _: &[u8] = ::core::include_bytes!({file:?}); {code} }}");
    }
    code.parse().map_err(|error: LexError| at(None, error.to_string()))
}

/// Returns `pub static NAME: Program<'static> = program;`, or `{ static …; &PROGRAM }`.
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
