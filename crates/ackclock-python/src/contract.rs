//! The sources of the crate `ackclock-cc` that this build was compiled with, for crates of users.

use pyo3::prelude::*;

/// The files of the crate, by their paths in it. A test compares the list with the folder.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("../../ackclock-cc/Cargo.toml")),
    ("README.md", include_str!("../../ackclock-cc/README.md")),
    ("src/abi.rs", include_str!("../../ackclock-cc/src/abi.rs")),
    ("src/algorithm.rs", include_str!("../../ackclock-cc/src/algorithm.rs")),
    ("src/context.rs", include_str!("../../ackclock-cc/src/context.rs")),
    ("src/export.rs", include_str!("../../ackclock-cc/src/export.rs")),
    ("src/failure.rs", include_str!("../../ackclock-cc/src/failure.rs")),
    ("src/lib.rs", include_str!("../../ackclock-cc/src/lib.rs")),
    ("src/parameters.rs", include_str!("../../ackclock-cc/src/parameters.rs")),
    ("src/testing.rs", include_str!("../../ackclock-cc/src/testing.rs")),
    ("src/value.rs", include_str!("../../ackclock-cc/src/value.rs")),
];

/// The fields of a manifest that a workspace supplies, which a crate outside of it has to state.
const FIELDS: [(&str, &str); 3] =
    [("version", env!("CARGO_PKG_VERSION")), ("edition", "2024"), ("license", "MIT OR Apache-2.0")];

/// Returns the sources of the crate `ackclock-cc`: paths and texts. The manifest needs no workspace.
#[pyfunction]
pub fn contract() -> Vec<(&'static str, String)> {
    let alone = |text: &str| {
        FIELDS.iter().fold(text.to_owned(), |text, (field, value)| {
            text.replace(&format!("{field}.workspace = true"), &format!("{field} = \"{value}\""))
        })
    };
    FILES.iter().map(|&(path, text)| (path, if path == "Cargo.toml" { alone(text) } else { text.to_owned() })).collect()
}
