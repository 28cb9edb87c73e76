//! Any text as a packetdrill script. The script is refused with a message or played; it never panics and always ends.

use ackclock_drill::{Context, run as play};
use ackclock_tcp::stack;

/// Runs one input.
///
/// # Panics
/// If the interpreter panics.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let stack = stack::by_name("linux").expect("in the catalogue");
    let _ = play(&text, &Context { stack, defines: &[], files: &|_| None });
}
