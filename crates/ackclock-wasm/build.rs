//! Names the engine as the Python extension does, so that a page and a command line can say that they are one build.

use std::path::PathBuf;
use std::{env, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is"));
    let engine = ackclock_digest::engine(&own.join(".."), &own.join("../../Cargo.lock"))?;
    for source in &engine.sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    println!("cargo::rustc-env=ACKCLOCK_ENGINE={}", engine.digest);
    Ok(())
}
