//! Patterns that select tests by name.

/// Returns true if `text` matches `pattern`; `*` in `pattern` stands for any characters.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    (0..=text.len()).any(|at| text.get(at..).is_some_and(|tail| matches(rest, tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match() {
        for (pattern, text, expected) in [
            ("fbo", "fbo", true),
            ("fbo", "fbo2", false),
            ("tex-*", "tex-formats", true),
            ("*-formats", "tex-formats", true),
            ("t*x*s", "tex-formats", true),
            ("t*q", "tex-formats", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
