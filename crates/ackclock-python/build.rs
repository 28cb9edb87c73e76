//! Names the engine by a digest of its source, so that results of one build are never taken for those of another.

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-env-changed=ACKCLOCK_REVISION");
    ackclock_digest::name_build()
}
