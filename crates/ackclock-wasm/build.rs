//! Names the engine as the Python extension does, so that a page and a command line can say that they are one build.

fn main() -> std::io::Result<()> {
    ackclock_digest::name_build()
}
