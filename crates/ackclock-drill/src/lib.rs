//! packetdrill scripts run against an [`ackclock_tcp::Endpoint`] in virtual time.
//!
//! [`run`] takes the text of a script and says whether the stack did what the script states. The Python in the script is
//! not run here: it comes back as [`Snippet`]s with the numbers that are in scope for each.

pub mod ast;
mod calls;
mod choices;
mod chrono;
mod expect;
mod host;
pub mod lexer;
pub mod parse;
mod run;
mod send_buffer;
mod settings;
mod shell;
mod show;
mod socket;
mod stack;
mod stamps;
mod symbols;
mod sysctl;
mod verdict;
mod wire;

pub use run::{Context, run};
pub use verdict::{Outcome, Snippet, Stop, Verdict};
