//! Any text as a packetdrill script: it is refused in words or played, and neither panics nor goes on for ever.

use ackclock_drill::{Context, run as play};
use ackclock_tcp::stack;

/// Runs one input.
///
/// # Panics
/// Where the interpreter does.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let stack = stack::by_name("linux").expect("in the catalogue");
    let _ = play(&text, &Context { stack, defines: &[], files: &|_| None });
}
