//! Names the engine by what it is made of, so that results of one build are never taken for those of another.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates whose code decides results.
const CRATES: [&str; 4] = ["ackclock-tcp", "ackclock-net", "ackclock-sim", "ackclock-python"];

fn main() -> io::Result<()> {
    let crates = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is")).join("..");
    let mut files = Vec::new();
    for name in CRATES {
        let folder = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
    }
    let mut named: Vec<(String, PathBuf)> = files.into_iter().map(|file| (name_of(&crates, &file), file)).collect();
    named.sort();
    let mut digest = Digest::new();
    for (name, file) in named {
        digest.take(name.as_bytes());
        // A checkout on another system may end lines in another way.
        digest.take(fs::read_to_string(file)?.replace('\r', "").as_bytes());
    }
    println!("cargo::rustc-env=ACKCLOCK_ENGINE={}", digest.hex());
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The path below the folder of the crates, the same on every system.
fn name_of(crates: &Path, file: &Path) -> String {
    let below = file.strip_prefix(crates).expect("every file is below the crates");
    below.components().fold(String::new(), |mut name, part| {
        let _ = write!(name, "/{}", part.as_os_str().to_string_lossy());
        name
    })
}

/// FNV-1a of 64 bits over byte strings, each with its length: it tells builds apart, and need not withstand anybody.
struct Digest(u64);

impl Digest {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn take(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}
