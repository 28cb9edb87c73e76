//! Lines `#ifdef NAME`, `#ifndef NAME`, `#else` and `#endif`, with which FreeBSD's scripts select what a kernel does.

use crate::lexer::{Position, SyntaxError};

/// A region between `#ifdef` and `#endif`.
struct Region {
    line: u32,
    /// Whether the enclosing text is kept.
    outer: bool,
    /// Whether the present branch is kept.
    kept: bool,
    /// Whether `#else` has come.
    other: bool,
}

/// Blanks the lines of branches that are not taken, so that all other lines keep their numbers. `defined` tells whether
/// a symbol is defined. Outside a region, `#else` and `#endif` are comments.
pub fn preprocess(text: &str, defined: impl Fn(&str) -> bool) -> Result<String, SyntaxError> {
    let mut regions: Vec<Region> = Vec::new();
    let mut out = String::with_capacity(text.len());
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let mut words = line.split_whitespace();
        let at = Position { line: number, column: 1 };
        let keeps = regions.last().is_none_or(|region| region.kept);
        match (words.next(), words.next()) {
            (Some(directive @ ("#ifdef" | "#ifndef")), name) => {
                let Some(name) = name else {
                    return Err(SyntaxError::new(at, format!("{directive} has no symbol: expected {directive} NAME")));
                };
                let kept = keeps && (defined(name) == (directive == "#ifdef"));
                regions.push(Region { line: number, outer: keeps, kept, other: false });
                out.push('\n');
            }
            (Some("#else"), _) if !regions.is_empty() => {
                let region = regions.last_mut().expect("there is one");
                if std::mem::replace(&mut region.other, true) {
                    return Err(SyntaxError::new(at, "a second #else: expected #endif"));
                }
                region.kept = region.outer && !region.kept;
                out.push('\n');
            }
            (Some("#endif"), _) if regions.pop().is_some() => out.push('\n'),
            _ if keeps => out.push_str(line),
            _ => out.push('\n'),
        }
    }
    match regions.pop() {
        Some(region) => {
            let at = Position { line: region.line, column: 1 };
            Err(SyntaxError::new(at, "a region that is not closed: expected #endif"))
        }
        None => Ok(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(text: &str) -> String {
        preprocess(text, |name| name == "FreeBSD").unwrap_or_else(|error| panic!("{error:?}"))
    }

    #[test]
    fn a_branch_that_is_not_taken_leaves_empty_lines() {
        assert_eq!(kept("1\n#ifdef STANDARD\n2\n#endif\n3\n"), "1\n\n\n\n3\n");
        assert_eq!(kept("#ifdef FreeBSD\n2\n#else\n3\n#endif\n4"), "\n2\n\n\n\n4");
        assert_eq!(kept("#ifndef FreeBSD\n2\n#else\n3\n#endif\n"), "\n\n\n3\n\n");
    }

    #[test]
    fn regions_nest() {
        let text = "#ifdef A\n#ifdef FreeBSD\n1\n#else\n2\n#endif\n#else\n3\n#endif\n";
        assert_eq!(kept(text), "\n\n\n\n\n\n\n3\n\n");
    }

    #[test]
    fn errors_have_the_line_of_their_directive() {
        let error = |text: &str| preprocess(text, |_| true).unwrap_err();
        assert_eq!(error("1\n#ifdef A\n2\n").at.line, 2);
        assert!(error("#ifdef\n#endif\n").message.contains("expected #ifdef NAME"));
        assert!(error("#ifdef A\n#else\n#else\n#endif\n").message.contains("a second #else"));
        assert_eq!(kept("1 # x\n#endif of nothing\n"), "1 # x\n#endif of nothing\n");
    }
}
