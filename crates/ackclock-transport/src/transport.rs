//! Stacks and the ends of their connections.

use ackclock_core::{Ecn, Nanos};

use crate::{Parameter, Parameters, Statistics};

/// The time of a timeout that never comes.
pub const NEVER: Nanos = Nanos::MAX;

/// Number of a stream, which both ends know it by.
pub type StreamId = u64;

/// The end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The end that opens the connection.
    Client,
    /// The end that waits for the client.
    Server,
}

/// The values from which one end of a connection is created.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// The end.
    pub role: Role,
    /// Seed of all randomness of this end.
    pub seed: [u8; 32],
    /// Largest datagram that the path carries, in bytes, without the headers of [`Stack::overhead`].
    pub datagram: u32,
    /// The parameters that the user gave; all are accepted by [`Stack::parameters`].
    pub parameters: &'a Parameters,
    /// Whether the transport is to write a log ([`Transport::take_log`]).
    pub log: bool,
}

/// The abilities of a stack beyond bidirectional streams, as media over QUIC (draft-ietf-moq-transport) needs them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// Unidirectional streams, several of which may be open at once ([`Transport::open_unidirectional`]).
    pub unidirectional: bool,
    /// Priorities of streams ([`Transport::prioritize`]).
    pub priorities: bool,
    /// Resets of streams by their sender ([`Transport::reset`]).
    pub resets: bool,
}

/// A kind of transport.
pub trait Stack: Send + Sync {
    /// Name in scenarios, such as `quinn`.
    fn name(&self) -> &str;

    /// Short description.
    fn summary(&self) -> &str;

    /// Text that identifies the source code among others with the same name, such as a version or a digest.
    fn source(&self) -> &str;

    /// The parameters that users may set.
    fn parameters(&self) -> &[Parameter];

    /// Bytes of the headers below a datagram: 28 for IPv4 and UDP, 0 for a stack whose datagrams are IP packets.
    fn overhead(&self) -> u32;

    /// Returns the abilities of its transports. A scenario that needs others is refused.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Checks parameters, each of which is accepted alone, for datagrams of at most `datagram` bytes.
    ///
    /// # Errors
    /// The mistake, as a predicate about the value and what would be accepted: `is too small for datagrams of 1,000
    /// bytes; accepted: at least 1,200`.
    fn check(&self, datagram: u32, parameters: &Parameters) -> Result<(), String> {
        let _ = (datagram, parameters);
        Ok(())
    }

    /// Creates one end of a connection at time `now`.
    ///
    /// # Errors
    /// A message that says which parameters do not go together.
    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String>;
}

/// One end of a connection.
///
/// All times are in ns. The bytes of each stream arrive in order. Streams are bidirectional, except those of
/// [`open_unidirectional`](Transport::open_unidirectional). The methods for which [`Features`] has a field are optional;
/// they are called only if [`Stack::features`] promises them.
pub trait Transport: Send {
    /// Opens the connection. Only the client's end is asked to, and once.
    fn connect(&mut self, now: Nanos);

    /// Takes a datagram that arrives. Datagrams may be lost, duplicated, reordered, damaged and marked on the way.
    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]);

    /// Writes the next datagram that is to leave now into the empty `datagram`; `None` if none is.
    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit>;

    /// Returns the time of the next call of [`expire`](Transport::expire), or [`NEVER`].
    fn timeout(&self) -> Nanos;

    /// Handles all timers that are due. Afterwards, and once all datagrams are sent, no timer may be due at `now`.
    fn expire(&mut self, now: Nanos);

    /// Opens a stream, or returns `None` if that is not possible yet. A transport with a single stream returns the
    /// number of that stream at both ends.
    fn open(&mut self, now: Nanos) -> Option<StreamId>;

    /// Opens a stream that carries bytes from this end alone, or returns `None` if that is not possible yet. The peer
    /// reports such streams in the order in which they were opened.
    fn open_unidirectional(&mut self, now: Nanos) -> Option<StreamId> {
        let _ = now;
        None
    }

    /// Sets the priority of a stream in the direction from this end. A stream has the priority 0 until it is set.
    ///
    /// Bytes of the stream with the highest number leave first, retransmissions included, as far as congestion control
    /// and flow control allow to send. Streams with equal numbers share what they may send.
    fn prioritize(&mut self, now: Nanos, stream: StreamId, priority: i32) {
        let _ = (now, stream, priority);
    }

    /// Abandons a stream in the direction from this end, with a code of the application for the peer (RESET_STREAM of
    /// RFC 9000, sections 3.1 and 19.4). Bytes that have not been delivered are neither sent nor retransmitted. A stream
    /// whose bytes and end have been acknowledged stays delivered.
    fn reset(&mut self, now: Nanos, stream: StreamId, code: u64) {
        let _ = (now, stream, code);
    }

    /// Appends bytes to a stream, and returns how many of them were taken. [`Event::Writable`] follows once more can
    /// be taken.
    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize;

    /// Ends a stream in the direction from this end, after the bytes that were written.
    fn finish(&mut self, now: Nanos, stream: StreamId);

    /// Moves bytes that have arrived in order into `buffer`, and returns how many.
    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize;

    /// Closes the connection at once, with a code for the peer. What has not been delivered is lost.
    fn close(&mut self, now: Nanos, code: u64);

    /// Returns the next event that the caller has not taken yet.
    fn poll(&mut self) -> Option<Event>;

    /// Returns the state and the counts of this end as a sender.
    fn statistics(&self) -> Statistics;

    /// Removes and returns the log that was written since the last call, in the stack's own format. QUIC stacks write
    /// qlog.
    fn take_log(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

/// A datagram that a transport sends.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Transmit {
    /// ECN field of its IP header.
    pub ecn: Ecn,
    /// Bytes of streams in it. A stack that cannot tell gives the length of a datagram with stream data, and 0 for one
    /// without.
    pub payload: u32,
    /// Whether all its stream bytes were sent before; `false` if the stack cannot tell.
    pub retransmission: bool,
}

/// An event of a connection for its application.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The connection is established.
    Connected,
    /// The peer has opened a stream.
    Opened(StreamId),
    /// Bytes of a stream have arrived; [`Transport::read`] is to be called until it returns 0.
    Readable(StreamId),
    /// A stream that could not take all bytes can take some.
    Writable(StreamId),
    /// The peer has ended the stream, and all its bytes have been read.
    PeerFinished(StreamId),
    /// The peer has acknowledged all bytes of a stream that this end has finished, and its end.
    Delivered(StreamId),
    /// The peer has opened a unidirectional stream. These events come in the order in which the peer opened the streams:
    /// a stream of which nothing has arrived is reported before a later one (RFC 9000, section 2.1).
    OpenedUnidirectional(StreamId),
    /// The peer has abandoned the stream with this code. [`Event::PeerFinished`] does not follow, and bytes that have not
    /// been read are lost.
    Reset(StreamId, u64),
    /// The connection has ended. The text is the reason if it is an error.
    Closed(Option<String>),
}
