//! Names the engine by a digest of its source, so that results of one build are never taken for those of another.

use std::path::PathBuf;
use std::{env, io};

/// The crates whose code affects results.
const CRATES: [&str; 14] = [
    "core",
    "results",
    "schema",
    "app",
    "scenario",
    "tcp",
    "net",
    "wire",
    "sim",
    "cc",
    "plugin",
    "transport",
    "quinn",
    "python",
];

fn main() -> io::Result<()> {
    let crates = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is")).join("..");
    let folders: Vec<PathBuf> = CRATES.iter().map(|name| crates.join(format!("ackclock-{name}"))).collect();
    let lock = crates.join("../Cargo.lock");
    for folder in &folders {
        println!("cargo::rerun-if-changed={}", folder.join("src").display());
    }
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-env-changed=ACKCLOCK_REVISION");
    println!("cargo::rustc-env=ACKCLOCK_ENGINE={}", ackclock_digest::of(&folders, &lock)?);
    Ok(())
}
