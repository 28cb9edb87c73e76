//! The tests of any QUIC stack over a path in virtual time.

#[path = "../../ackclock-transport/tests/quic/contract.rs"]
mod contract;
#[path = "../../ackclock-transport/tests/quic/determinism.rs"]
mod determinism;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../../ackclock-transport/tests/quic/pipe.rs"]
mod pipe;
#[path = "../../ackclock-transport/tests/quic/streams.rs"]
mod streams;
#[path = "../../ackclock-transport/tests/quic/transfer.rs"]
mod transfer;

use stack_under_test::stack;

/// The stack, and what it does in its own way.
mod stack_under_test {
    use std::ops::RangeInclusive;

    pub use ackclock_quinn::stack;
    use ackclock_transport::Parameters;

    /// The package that the stack is built with, and the lock file that has its version.
    pub const PACKAGE: &str = "quinn-proto";
    pub const LOCK: &str = include_str!("../../../Cargo.lock");
    /// Congestion controls, of which the last one measures the bandwidth.
    pub const CCS: [&str; 3] = ["cubic", "newreno", "bbr"];
    /// Lengths of connection ids: of the client's first destination, of the client, as the server repeats it, and of the
    /// server.
    pub const ID_LENGTHS: [usize; 4] = [20, 8, 8, 8];
    /// Bytes of a handshake by the client and by the server, which are fewer.
    pub const HANDSHAKE: [u64; 2] = [4000, 3600];
    /// A single last packet is acknowledged after the delay of 25 ms (RFC 9000, section 18.2).
    pub const LATEST_RTT: RangeInclusive<u64> = 20_000_000..=45_000_000;
    /// Bytes with a request of 100 bytes and an answer of a megabyte: all datagrams with stream bytes count, and they have
    /// little more than these.
    pub const PAYLOAD: [RangeInclusive<u64>; 2] = [100..=1200, 1_000_000..=1_100_000];
    /// The reason of an end after silence.
    pub const IDLE: &str = "timed out";
    /// Whether events are reported after the call that caused them.
    pub const REPORTS_LATE: bool = true;
    /// Number of small answers.
    pub const SEEDS: u8 = 40;

    /// Adds what a parameter needs of the others.
    pub fn together(_name: &str, _parameters: &mut Parameters) {}
}
