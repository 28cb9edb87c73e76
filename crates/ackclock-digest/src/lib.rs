//! The digest of an engine. It prevents results of one build from being taken for those of another; a build that cannot
//! give other results keeps its digest.
//!
//! Code counts as its tokens, without comments, documentation and tests, so a reworded comment changes nothing. Linked
//! dependencies count with their versions in `Cargo.lock`, because another version of `libm` may give other bits. The
//! order and the names of files do not count.

mod locked;
mod tokens;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates whose code affects results.
const ENGINE: [&str; 14] = [
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

/// The name of the engine in a build, and the files that the name follows from.
pub struct Engine {
    /// 16 hexadecimal digits.
    pub digest: String,
    /// The folders of the sources and the lock file, for build scripts.
    pub sources: Vec<PathBuf>,
}

/// Returns the name of the engine, whose crates are in the folder `crates`. The Python extension and the module for
/// browsers state the same name.
///
/// # Errors
/// If a file cannot be read, is not Rust, or if the lock file lacks a dependency.
pub fn engine(crates: &Path, lock: &Path) -> io::Result<Engine> {
    let folders: Vec<PathBuf> = ENGINE.iter().map(|name| crates.join(format!("ackclock-{name}"))).collect();
    let sources = folders.iter().map(|folder| folder.join("src")).chain([lock.to_owned()]).collect();
    Ok(Engine { digest: of(&folders, lock)?, sources })
}

/// Names the engine in a build script of a crate of this workspace: its code reads the digest with
/// `env!("ACKCLOCK_ENGINE")`, and cargo runs the script again after a change of the sources.
///
/// # Errors
/// As of [`engine`], or if this is not a build script.
pub fn name_build() -> io::Result<()> {
    let own = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let crates = PathBuf::from(own).join("..");
    let engine = engine(&crates, &crates.join("../Cargo.lock"))?;
    for source in &engine.sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    println!("cargo::rustc-env=ACKCLOCK_ENGINE={}", engine.digest);
    Ok(())
}

/// Returns the digest of the crates in `folders`, as 16 hexadecimal digits. Each folder has a `Cargo.toml` and a folder
/// `src`. The lock file at `lock` determines the versions of the dependencies.
///
/// # Errors
/// If a file cannot be read, is not Rust, or if the lock file lacks a dependency.
pub fn of(folders: &[PathBuf], lock: &Path) -> io::Result<String> {
    let mut parts = Vec::new();
    let mut dependencies = Vec::new();
    for folder in folders {
        tokens::collect(&folder.join("src"), &mut parts)?;
        dependencies.extend(locked::named(&fs::read_to_string(folder.join("Cargo.toml"))?));
    }
    parts.sort_unstable();
    parts.extend(locked::closure(&fs::read_to_string(lock)?, dependencies)?);
    let mut digest = Fnv::default();
    parts.iter().for_each(|part| digest.take(part.as_bytes()));
    Ok(format!("{:016x}", digest.0))
}

/// FNV-1a of 64 bits over byte strings, each with its length. It tells builds apart; it is not secure against attacks.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn take(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests;
