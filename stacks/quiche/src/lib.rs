//! [quiche](https://github.com/cloudflare/quiche), Cloudflare's QUIC stack, as a transport in virtual time.
//!
//! The code that decides what is sent is quiche's own: packets, streams, flow control, loss detection, congestion
//! control, and TLS 1.3 by BoringSSL. This crate gives it time, random numbers and datagrams.
//!
//! # How quiche gets the time
//!
//! quiche reads the system's clock in most calls, and has no parameter for the time. `build.rs` passes
//! `--wrap=clock_gettime`, `--wrap=gettimeofday`, `--wrap=time` and `--wrap=RAND_bytes` to the linker. All calls of
//! these functions in this library, those of Rust's standard library, quiche and BoringSSL among them, then go to
//! `src/system.rs`. There they get the simulated time and the random numbers of the end at work. Outside a call of an
//! end, and in the rest of the process, the system answers as usual. quiche's sources are not changed.
//!
//! This needs Linux, and a linker that has `--wrap`: GNU ld, gold or lld.
//!
//! # The same bytes
//!
//! The same calls with the same seeds give the same datagrams, byte for byte, in any process and on any thread:
//!
//! - All random numbers come from the seed of an end: connection ids, packet numbers that are skipped, and those of
//!   TLS. X25519 is the only group, and Ed25519 the only signature, which needs no random number.
//! - The date of simulated time 0 is fixed. The server has a fixed certificate; its private key is in this
//!   repository, and is no secret.
//! - Rust's hash tables take their keys from the system. quiche iterates over such a table only to retire several
//!   connection ids at once, which does not happen here: an end has one.
//!
//! # Statistics
//!
//! quiche's interface has no bytes in flight, slow start threshold, latest RTT sample or stream bytes of a datagram, and
//! does not say when the end of a stream has been acknowledged. All of this is read from quiche's own log (qlog), which
//! is therefore always written. An RTT in the log is a 32-bit float in ms. Under bbr2 there is no `state`, and
//! `reductions` stays 0: its window follows the estimated bandwidth and falls without congestion as well.
//!
//! # Pacing
//!
//! quiche leaves pacing to its caller. An end asks quiche for the next datagram when quiche's pacer releases it, and
//! not before. Only bbr2 paces; quiche's cubic and reno release all datagrams at once. While bbr2 waits, an ACK waits
//! with it.
//!
//! # Priorities
//!
//! quiche has 256 urgencies, of which the lowest leaves first. The streams of an end have them in the order of their
//! priorities. Of more than 256 different priorities at once, the lowest share the last urgency.
//!
//! # Limits
//!
//! An end has one connection. There is no 0-RTT, no resumption, no migration and no Retry. quiche neither sets nor
//! reports ECN, so all datagrams leave as not ECN-capable.
//!
//! The library contains quiche (BSD 2-clause) and BoringSSL. It is built where somebody asks for it with `make quiche`,
//! and is part of no wheel of ackclock.

mod connection;
mod log;
mod parameters;
mod pieces;
mod stack;
mod streams;
mod system;
mod tls;

pub use stack::stack;

ackclock_transport::export!(stack());
