//! The search for a congestion control: the method of Winstein and Balakrishnan, "TCP ex Machina: Computer-Generated
//! Congestion Control", SIGCOMM 2013, section 4.3, over the simulator's own TCP.
//!
//! A [`Design`] is a scenario with ranges in place of numbers, from which networks are drawn. A [`Search`] improves a
//! table of rules on these networks. Each call of [`Search::step`] makes one decision, and the decisions alone rebuild
//! the table: a search is stopped at any time and goes on from the list of its decisions.
//!
//! An [`Environment`] is a run whose senders are steered from outside, for other methods of learning.
//!
//! No decision depends on a clock, on the number of threads or on the order in which runs end.

mod candidates;
mod decision;
mod design;
mod environment;
mod evaluate;
mod objective;
mod ranges;
mod runner;
mod search;
mod settings;
mod tree;

pub use decision::Decision;
pub use design::{Design, Drawn, Specimen};
pub use environment::{Counts, Environment, Target};
pub use evaluate::{Score, Stopped};
pub use objective::Objective;
pub use ranges::Range;
pub use runner::{Memories, Networks, Runner, Threads, Trial};
pub use search::{Search, Status};
pub use settings::{Method, Settings};
pub use tree::ranges as rule_ranges;
