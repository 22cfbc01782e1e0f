//! The items and options of a call.

use emit::Modes;
use naga_frontend::naga::ShaderStage;
use proc_macro::{Group, Span, TokenStream, TokenTree};

/// A message and its place.
pub(crate) type Error = (String, Span);

/// The options before an item.
#[derive(Clone)]
pub(crate) struct Options {
    /// The paths of gallium-tgsi, gallium-pipe-core, gallium-formats and bytemuck.
    pub(crate) path: String,
    pub(crate) pipe: String,
    pub(crate) formats: String,
    pub(crate) bytemuck: String,
    pub(crate) modes: Modes,
    pub(crate) interface: bool,
    /// The stage of GLSL that no ending names.
    pub(crate) stage: Option<ShaderStage>,
}

/// A shader of the call.
pub(crate) struct Item {
    pub(crate) options: Options,
    /// `pub static NAME` with its attributes; `None` for an expression.
    pub(crate) head: Option<TokenStream>,
    pub(crate) name: Option<String>,
    /// `pub`, `pub(crate)`, or nothing.
    pub(crate) visibility: String,
    /// The source, or the path of a file.
    pub(crate) source: String,
    pub(crate) entry: Option<String>,
    pub(crate) span: Span,
}

const WORDS: [&str; 10] = [
    "crate",
    "pipe",
    "formats",
    "bytemuck",
    "native",
    "pixel",
    "interface",
    "vertex",
    "fragment",
    "compute",
];

/// Reads the items of a call.
pub(crate) fn items(mut tokens: &[TokenTree]) -> Result<Vec<Item>, Error> {
    let mut paths = Options {
        path: "::tgsi".into(),
        pipe: "::pipe_core".into(),
        formats: "::formats".into(),
        bytemuck: "::bytemuck".into(),
        modes: Modes::default(),
        interface: false,
        stage: None,
    };
    let mut items = Vec::new();
    while !tokens.is_empty() {
        let (modes, stage) = (Modes::default(), None);
        let mut options = Options { modes, interface: false, stage, ..paths.clone() };
        tokens = read_options(tokens, &mut options)?;
        paths = options.clone();
        let end = tokens.iter().position(|token| is_punct(token, ';')).unwrap_or(tokens.len());
        let (item, rest) = tokens.split_at(end);
        if !item.is_empty() {
            items.push(read_item(item, options)?);
        }
        tokens = rest.get(1..).unwrap_or(&[]);
    }
    match items.as_slice() {
        [] => Err(("expected a shader".into(), Span::call_site())),
        [_] => Ok(items),
        _ => match items.iter().find(|item| item.head.is_none()) {
            None => Ok(items),
            Some(item) => Err(("expected `static NAME: \"…\" => entry;`".into(), item.span)),
        },
    }
}

fn read_options<'t>(
    mut tokens: &'t [TokenTree],
    options: &mut Options,
) -> Result<&'t [TokenTree], Error> {
    while let [TokenTree::Ident(word), ..] = tokens
        && let word = word.to_string()
        && WORDS.contains(&word.as_str())
    {
        let end = tokens.iter().position(|token| is_punct(token, ';')).unwrap_or(tokens.len());
        let (option, rest) = tokens.split_at(end);
        match (word.as_str(), option) {
            ("native", [_]) => options.modes.native = emit::WIDTHS.to_vec(),
            ("native", [_, TokenTree::Group(group)]) => options.modes.native = widths(group)?,
            ("pixel", [_]) => options.modes.pixel = true,
            ("interface", [_]) => options.interface = true,
            ("vertex", [_]) => options.stage = Some(ShaderStage::Vertex),
            ("fragment", [_]) => options.stage = Some(ShaderStage::Fragment),
            ("compute", [_]) => options.stage = Some(ShaderStage::Compute),
            (_, [_, equals, path @ ..]) if is_punct(equals, '=') => {
                let path = path.iter().cloned().collect::<TokenStream>().to_string();
                match word.as_str() {
                    "crate" => options.path = path,
                    "pipe" => options.pipe = path,
                    "formats" => options.formats = path,
                    "bytemuck" => options.bytemuck = path,
                    _ => return Err((format!("`{word}` takes no path"), equals.span())),
                }
            }
            _ => {
                let expected = "expected `native;`, `native(lanes);`, `pixel;`, `interface;`, a stage or \
                                `crate = path;`";
                return Err((expected.into(), span_of(tokens)));
            }
        }
        tokens = rest.get(1..).unwrap_or(&[]);
    }
    Ok(tokens)
}

/// Reads `(4, 16)`: some of the numbers of lanes there are.
fn widths(group: &Group) -> Result<Vec<usize>, Error> {
    let numbers = group.stream().into_iter().filter(|token| !is_punct(token, ','));
    let width = |token: TokenTree| {
        let known = token.to_string().parse().ok().filter(|lanes| emit::WIDTHS.contains(lanes));
        known.ok_or_else(|| (String::from("expected 4, 16 or 64 lanes"), token.span()))
    };
    numbers.map(width).collect()
}

/// Reads `attributes pub static NAME: "…" => entry`, or `"…" => entry`.
fn read_item(tokens: &[TokenTree], options: Options) -> Result<Item, Error> {
    let is_static = |token: &TokenTree| token.to_string() == "static";
    let (mut head, mut name, mut visibility, mut rest) = (None, None, String::new(), tokens);
    if let Some(at) = tokens.iter().position(is_static) {
        match tokens.get(at + 1..at + 3) {
            Some([TokenTree::Ident(ident), colon]) if is_punct(colon, ':') => {
                head = Some(tokens.iter().take(at + 2).cloned().collect());
                name = Some(ident.to_string());
                let after = tokens.iter().take(at).skip_while(|token| token.to_string() != "pub");
                visibility = after.cloned().collect::<TokenStream>().to_string();
                rest = tokens.get(at + 3..).unwrap_or(&[]);
            }
            _ => return Err(("expected `static NAME: \"…\"`".into(), span_of(tokens))),
        }
    }
    let span = span_of(rest);
    let (source, entry) = match rest {
        [TokenTree::Literal(source)] => (source, None),
        [TokenTree::Literal(source), equals, greater, TokenTree::Ident(entry)]
            if is_punct(equals, '=') && is_punct(greater, '>') =>
        {
            (source, Some(entry.to_string()))
        }
        _ => return Err(("expected a string, and `=> entry`".into(), span)),
    };
    let source = string(&source.to_string()).ok_or((String::from("expected a string"), span))?;
    Ok(Item { options, head, name, visibility, source, entry, span })
}

/// Returns the text of a string literal.
fn string(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let hashes = raw.chars().take_while(|&it| it == '#').count();
        let inner = raw.get(hashes + 1..raw.len().checked_sub(hashes + 1)?)?;
        return raw.get(hashes..)?.starts_with('"').then(|| inner.to_owned());
    }
    let inner = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            text.push(letter);
            continue;
        }
        match letters.next()? {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            '0' => text.push('\0'),
            // The end of a line and the blanks after it are left out.
            '\n' => {
                let rest = letters.as_str().trim_start();
                letters = rest.chars();
            }
            'x' => {
                let code: String = letters.by_ref().take(2).collect();
                text.push(char::from(u8::from_str_radix(&code, 16).ok()?));
            }
            'u' => {
                let code: String = letters.by_ref().skip(1).take_while(|&it| it != '}').collect();
                text.push(char::from_u32(u32::from_str_radix(&code.replace('_', ""), 16).ok()?)?);
            }
            other => text.push(other),
        }
    }
    Some(text)
}

pub(crate) fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn span_of(tokens: &[TokenTree]) -> Span {
    tokens.first().map_or_else(Span::call_site, TokenTree::span)
}
