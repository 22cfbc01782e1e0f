//! Errors, with the place in the source.

use naga::{Span, WithSpan};

/// A translation, or the reason that there is none.
pub(crate) type Result<T> = std::result::Result<T, Refusal>;

/// Why the translator refuses a shader, and the place in the source.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    message: String,
    span: Span,
}

impl Refusal {
    pub(crate) fn new(message: impl Into<String>, span: Span) -> Refusal {
        Refusal { message: message.into(), span }
    }

    /// Returns the refusal with its cause.
    pub(crate) fn because(mut self, cause: impl std::fmt::Display) -> Refusal {
        self.message = format!("{}: {cause}", self.message);
        self
    }

    /// Returns the refusal at `span`, unless it has a place already.
    pub(crate) fn or_at(mut self, span: Span) -> Refusal {
        if !self.span.is_defined() {
            self.span = span;
        }
        self
    }
}

/// The step at which a shader was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The source is not in the language.
    Syntax,
    /// The module breaks a rule of the language, or needs a feature beyond WebGPU's core.
    Validation,
    /// The module has no entry point of the name, or several.
    EntryPoint,
    /// The pipeline constants do not fit the module's `override`s.
    Constants,
    /// TGSI, or this translator, cannot express the shader.
    Unsupported,
}

/// Why a shader was refused: naga's excerpt of the source with path, line and column.
///
/// # Examples
/// ```
/// let error = gallium_naga::Module::wgsl("fn f() {\n    let x = 1 +;\n}", "bad.wgsl").unwrap_err();
/// assert_eq!(error.location(), Some((2, 16)));
/// assert!(error.to_string().contains("bad.wgsl:2:16"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    text: String,
    location: Option<(u32, u32)>,
}

impl Error {
    /// Returns an error without a place.
    pub(crate) fn plain(kind: ErrorKind, message: String) -> Error {
        Error { kind, text: message.clone(), message, location: None }
    }

    /// Returns an error with an excerpt that a parser made.
    pub(crate) fn excerpt(
        kind: ErrorKind,
        message: String,
        text: String,
        location: Option<naga::SourceLocation>,
    ) -> Error {
        let location = location.map(|it| (it.line_number, it.line_position));
        Error { kind, message, text: text.trim_end().into(), location }
    }

    /// Returns an error with naga's excerpt of `source`. SPIR-V has no source to show.
    pub(crate) fn located<E: std::error::Error>(
        kind: ErrorKind,
        error: &WithSpan<E>,
        source: Option<(&str, &str)>,
    ) -> Error {
        let mut message = error.to_string();
        let mut cause: &dyn std::error::Error = error;
        while let Some(next) = cause.source() {
            message = format!("{message}: {next}");
            cause = next;
        }
        // A module that was edited since it was parsed may have places beyond the source.
        let inside = |source: &str| {
            error
                .spans()
                .all(|(span, _)| span.to_range().is_some_and(|range| source.get(range).is_some()))
        };
        match source {
            Some((source, path)) if inside(source) && error.spans().len() > 0 => {
                let text = error.emit_to_string_with_path(source, path);
                Error::excerpt(kind, message, text, error.location(source))
            }
            _ => Error::plain(kind, message),
        }
    }

    /// Returns the refusal as an error with an excerpt of `source`.
    pub(crate) fn refused(refusal: Refusal, source: Option<(&str, &str)>) -> Error {
        let span = refusal.span;
        let error = WithSpan::new(refusal).with_span(span, "here");
        Error::located(ErrorKind::Unsupported, &error, source)
    }

    /// Returns the step at which the shader was refused.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message without the excerpt.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns line and column (in bytes) of the first place, both from 1.
    pub fn location(&self) -> Option<(u32, u32)> {
        self.location
    }
}
