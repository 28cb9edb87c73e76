//! The code of a crate as tokens, without comments, documentation and tests.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Adds the tokens of every file below `folder`, except for modules that only tests use.
pub(crate) fn collect(folder: &Path, parts: &mut Vec<String>) -> io::Result<()> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    let mut read = Vec::new();
    let mut tests = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        let stream: TokenStream = text.parse().map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidData, format!("{}: not Rust: {error}", file.display()))
        })?;
        let mut code = Code { text: String::new(), test_modules: Vec::new() };
        code.take(stream);
        let home = home(&file);
        tests.extend(code.test_modules.iter().map(|module| home.join(module)));
        read.push((file, code.text));
    }
    // A module `tests` is `tests.rs` or all files in the folder `tests`.
    let of_tests =
        |file: &Path| tests.iter().any(|module| file.starts_with(module) || file.with_extension("") == *module);
    parts.extend(read.into_iter().filter(|(file, _)| !of_tests(file)).map(|(_, text)| text));
    Ok(())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns the folder of the modules that a file declares.
fn home(file: &Path) -> PathBuf {
    let folder = file.parent().expect("a file is in a folder");
    match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod") | None => folder.to_owned(),
        Some(stem) => folder.join(stem),
    }
}

struct Code {
    text: String,
    /// Modules in separate files that only tests use.
    test_modules: Vec<String>,
}

impl Code {
    fn take(&mut self, stream: TokenStream) {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match attribute(&tokens, at) {
                Some((group, after)) if is_doc(&group) => at = after,
                Some((group, after)) if is_test(&group) => at = self.skip_item(&tokens, after),
                _ => {
                    self.token(&tokens[at]);
                    at += 1;
                }
            }
        }
    }

    fn token(&mut self, token: &TokenTree) {
        if let TokenTree::Group(group) = token {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ('(', ')'),
                Delimiter::Brace => ('{', '}'),
                Delimiter::Bracket => ('[', ']'),
                Delimiter::None => (' ', ' '),
            };
            self.text.push(open);
            self.take(group.stream());
            self.text.push(close);
        } else {
            let _ = write!(self.text, "{token} ");
        }
    }

    /// Returns the place after the item at `at`: after its braces or its semicolon, whichever comes first.
    fn skip_item(&mut self, tokens: &[TokenTree], mut at: usize) -> usize {
        let mut module = None;
        while let Some(token) = tokens.get(at) {
            at += 1;
            match token {
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return at,
                TokenTree::Punct(mark) if mark.as_char() == ';' => {
                    self.test_modules.extend(module);
                    return at;
                }
                TokenTree::Ident(word) if *word == "mod" => module = tokens.get(at).map(ToString::to_string),
                _ => {}
            }
        }
        at
    }
}

/// Returns the attribute at `at`, outer or inner, and the place after it.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(Group, usize)> {
    let is = |at: usize, mark| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == mark);
    let group = if is(at, '#') && is(at + 1, '!') { at + 2 } else { at + 1 };
    match tokens.get(group) {
        Some(TokenTree::Group(inner)) if is(at, '#') && inner.delimiter() == Delimiter::Bracket => {
            Some((inner.clone(), group + 1))
        }
        _ => None,
    }
}

fn is_doc(attribute: &Group) -> bool {
    matches!(attribute.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "doc")
}

fn is_test(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    text == "test" || text == "cfg(test)"
}
