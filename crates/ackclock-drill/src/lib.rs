//! Runs packetdrill scripts against an [`ackclock_tcp::Endpoint`] in virtual time.
//!
//! [`run`] takes the text of a script and returns whether the stack behaved as the script states. The Python code of
//! the script is not run here: it is returned as [`Snippet`]s with the values in scope for each.

pub mod ast;
pub mod calls;
mod expect;
pub mod icmp;
pub mod lexer;
pub mod machine;
pub mod parse;
mod preprocess;
mod run;
pub mod settings;
mod show;
mod simulated;
pub mod symbols;
mod verdict;
pub mod wire;

pub use run::run_on;
pub use simulated::{Context, run};
pub use verdict::{Outcome, Snippet, Stop, Verdict};
