//! Names the engine by a digest of its source, so that results of one build are never taken for those of another.

use std::path::PathBuf;
use std::{env, io};

fn main() -> io::Result<()> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo says where the manifest is"));
    let engine = ackclock_digest::engine(&own.join(".."), &own.join("../../Cargo.lock"))?;
    for source in &engine.sources {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    println!("cargo::rerun-if-env-changed=ACKCLOCK_REVISION");
    println!("cargo::rustc-env=ACKCLOCK_ENGINE={}", engine.digest);
    Ok(())
}
