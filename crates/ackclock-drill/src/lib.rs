//! Runs packetdrill scripts against an [`ackclock_tcp::Endpoint`] in virtual time.
//!
//! [`run`] takes the text of a script and returns whether the stack behaved as the script states. The Python code of
//! the script is not run here: it is returned as [`Snippet`]s with the values in scope for each.

mod arrivals;
pub mod ast;
pub mod calls;
mod choices;
mod chrono;
mod cookies;
mod expect;
mod fast_open;
mod host;
pub mod icmp;
pub mod lexer;
pub mod machine;
pub mod parse;
mod path;
mod preprocess;
mod run;
mod send_buffer;
pub mod settings;
mod shell;
mod show;
mod simulated;
mod socket;
mod sockstat;
mod stack;
mod stamps;
pub mod symbols;
mod sysctl;
mod urgent;
mod verdict;
pub mod wire;

pub use cookies::bytes_of_text;
pub use run::{Context, run, run_on};
pub use verdict::{Outcome, Snippet, Stop, Verdict};
