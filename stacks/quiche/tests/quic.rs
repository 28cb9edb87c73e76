//! The tests of any QUIC stack over a path in virtual time.

#[path = "../../../crates/ackclock-transport/tests/quic/contract.rs"]
mod contract;
#[path = "../../../crates/ackclock-transport/tests/quic/determinism.rs"]
mod determinism;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../../crates/ackclock-transport/tests/quic/pipe.rs"]
mod pipe;
#[path = "../../../crates/ackclock-transport/tests/quic/transfer.rs"]
mod transfer;

use stack_under_test::stack;

/// The stack, and what it does in its own way.
mod stack_under_test {
    use std::ops::RangeInclusive;

    pub use ackclock_quiche::stack;
    use ackclock_transport::{Parameters, Value};

    /// The package that the stack is built with, and the lock file that has its version.
    pub const PACKAGE: &str = "quiche";
    pub const LOCK: &str = include_str!("../Cargo.lock");
    /// Congestion controls, of which the last one measures the bandwidth.
    pub const CCS: [&str; 3] = ["cubic", "reno", "bbr2"];
    /// Lengths of connection ids: of the client's first destination, of the client, as the server repeats it, and of the
    /// server.
    pub const ID_LENGTHS: [usize; 4] = [16, 20, 20, 20];
    /// Bytes of a handshake by the client and by the server, which are fewer.
    pub const HANDSHAKE: [u64; 2] = [4000, 4000];
    /// The last sample of the RTT of 20 ms.
    pub const LATEST_RTT: RangeInclusive<u64> = 20_000_000..=20_000_000;
    /// Bytes with a request of 100 bytes and an answer of a megabyte: each stream byte is counted once.
    pub const PAYLOAD: [RangeInclusive<u64>; 2] = [100..=100, 1_000_000..=1_000_000];
    /// The reason of an end after silence.
    pub const IDLE: &str = "the connection was idle for too long";
    /// Whether events are reported after the call that caused them.
    pub const REPORTS_LATE: bool = false;
    /// Number of small answers.
    pub const SEEDS: u8 = 30;

    /// Adds what a parameter needs of the others: a first window may not exceed the bound of its growth.
    pub fn together(given: &str, parameters: &mut Parameters) {
        for name in ["stream_receive_window", "receive_window"] {
            if given == name {
                parameters.0.insert(format!("largest_{name}"), Value::Number(1e12));
            } else if given.ends_with(name) && given.starts_with("largest") {
                parameters.0.insert(name.to_owned(), Value::Number(1.0));
            }
        }
    }
}
