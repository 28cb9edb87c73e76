use std::path::PathBuf;
use std::{env, fs, process};

const LOCK: &str = r#"version = 4

[[package]]
name = "ackclock-one"
version = "0.1.0"
dependencies = [
 "libm",
 "proptest",
]

[[package]]
name = "libm"
version = "0.2.16"
dependencies = [
 "deep 1.0.0",
]

[[package]]
name = "deep"
version = "1.0.0"

[[package]]
name = "proptest"
version = "1.0.0"
"#;

const MANIFEST: &str = "[package]\nname = \"ackclock-one\"\n\n[dependencies]\nlibm.workspace = true\n\n[dev-dependencies]\nproptest = \"1\"\n";

const CODE: &str =
    "//! A crate.\n\nmod other;\n#[cfg(test)]\nmod tests;\n\n/// One.\npub fn one() -> u32 { 1 } // the least\n";

/// Returns the digest of a crate in a folder of its own, with changes: names of files with their new content.
fn digest(name: &str, changes: &[(&str, &str)]) -> String {
    let folder = env::temp_dir().join(format!("ackclock-digest-{}-{name}", process::id()));
    let files = [
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", CODE),
        ("src/other.rs", "pub const TWO: u32 = 2;\n#[cfg(test)]\nmod tests { const THREE: u32 = 3; }\n"),
        ("src/tests.rs", "const FOUR: u32 = 4;\n"),
    ];
    fs::create_dir_all(folder.join("src")).unwrap();
    for (path, text) in files.iter().chain(changes) {
        fs::write(folder.join(path), text).unwrap();
    }
    let digest = super::of(&[PathBuf::from(&folder)], &folder.join("Cargo.lock")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    digest
}

#[test]
fn comments_documentation_layout_and_tests_do_not_count() {
    let plain = digest("plain", &[]);
    assert_eq!(plain.len(), 16);
    for (name, file, text) in [
        (
            "comment",
            "src/lib.rs",
            CODE.replace("the least", "the first").replace("/// One.", "/// The one.\n///\n/// Indeed."),
        ),
        ("layout", "src/lib.rs", CODE.replace("{ 1 }", "{\n    1\n}")),
        ("tests", "src/tests.rs", "const FOUR: u32 = 5;\n".to_owned()),
        ("inside", "src/other.rs", "pub const TWO: u32 = 2;\n#[cfg(test)]\nmod tests {}\n".to_owned()),
        (
            "dev",
            "Cargo.lock",
            LOCK.replace("name = \"proptest\"\nversion = \"1.0.0\"", "name = \"proptest\"\nversion = \"1.1.0\""),
        ),
    ] {
        assert_eq!(digest(name, &[(file, &text)]), plain, "{name}");
    }
}

#[test]
fn code_and_linked_dependencies_count() {
    let plain = digest("before", &[]);
    for (name, file, text) in [
        ("code", "src/lib.rs", CODE.replace("{ 1 }", "{ 2 }")),
        ("module", "src/other.rs", "pub const TWO: u32 = 3;\n".to_owned()),
        ("attribute", "src/lib.rs", CODE.replace("pub fn", "#[inline]\npub fn")),
        ("libm", "Cargo.lock", LOCK.replace("0.2.16", "0.2.17")),
        (
            "deep",
            "Cargo.lock",
            LOCK.replace("name = \"deep\"\nversion = \"1.0.0\"", "name = \"deep\"\nversion = \"1.0.1\""),
        ),
    ] {
        assert_ne!(digest(name, &[(file, &text)]), plain, "{name}");
    }
}
