//! The interface between the world and a transport: [`Endpoint`], the packets of a transport ([`Contents`]), and the
//! events that an endpoint reports ([`Events`]).
//!
//! The world owns time, links, queues and applications. A transport decides when to send which packet. A world is
//! generic over its endpoints and has the TCP of `ackclock-tcp` unless another type is named, so a transport costs no
//! virtual calls. This interface may still change in any version.
//!
//! Links and queues know only a packet's size, its ECN field, its flow and its traffic class. The rest of its contents
//! is opaque to them.
//!
//! # Example
//!
//! A transport without a handshake, acknowledgments or retransmissions: each packet carries up to 1,000 bytes, and the
//! receiver counts the bytes that arrive.
//!
//! ```
//! use ackclock_core::{Ecn, Nanos, Stream};
//! use ackclock_sim::endpoint::{Contents, Counts, Endpoint, Event, Events, NEVER, Progress};
//!
//! #[derive(Clone, PartialEq, Debug)]
//! struct Chunk {
//!     bytes: u32,
//!     last: bool,
//!     ecn: Ecn,
//! }
//!
//! impl Contents for Chunk {
//!     fn size(&self) -> u32 {
//!         20 + 4 + self.bytes
//!     }
//!     fn payload(&self) -> u32 {
//!         self.bytes
//!     }
//!     fn ecn(&self) -> Ecn {
//!         self.ecn
//!     }
//!     fn set_ecn(&mut self, ecn: Ecn) {
//!         self.ecn = ecn;
//!     }
//! }
//!
//! #[derive(Default)]
//! struct Blast {
//!     written: u64,
//!     sent: u64,
//!     received: u64,
//!     closed: bool,
//!     over: bool,
//!     counts: Counts,
//! }
//!
//! impl Endpoint for Blast {
//!     type Config = ();
//!     type Packet = Chunk;
//!
//!     fn new(_config: &(), _random: &mut Stream) -> Blast {
//!         Blast::default()
//!     }
//!     fn connect(&mut self, _now: Nanos) {}
//!     fn listen(&mut self) {}
//!     fn write(&mut self, _now: Nanos, bytes: u64) {
//!         self.written += bytes;
//!     }
//!     fn withdraw(&mut self) {
//!         self.written = self.sent;
//!     }
//!     fn close(&mut self, _now: Nanos) {
//!         self.closed = true;
//!     }
//!     fn deliver<V: Events<Chunk>>(&mut self, now: Nanos, chunk: &Chunk, events: &mut V) -> Progress {
//!         events.event(now, Event::Received { contents: chunk });
//!         self.received += u64::from(chunk.bytes);
//!         self.over |= chunk.last;
//!         if chunk.last { Progress::RECEIVED.with(Progress::PEER_CLOSED) } else { Progress::RECEIVED }
//!     }
//!     fn transmit<V: Events<Chunk>>(&mut self, now: Nanos, events: &mut V) -> Option<Chunk> {
//!         let bytes = (self.written - self.sent).min(1000) as u32;
//!         if bytes == 0 {
//!             return None;
//!         }
//!         let offset = self.sent;
//!         self.sent += u64::from(bytes);
//!         self.over = self.closed && self.sent == self.written;
//!         self.counts.packets_sent += 1;
//!         self.counts.data_packets_sent += 1;
//!         let chunk = Chunk { bytes, last: self.over, ecn: Ecn::NotEct };
//!         events.event(now, Event::Sent { contents: &chunk, offset, retransmission: false });
//!         Some(chunk)
//!     }
//!     fn deadline(&self) -> Nanos {
//!         NEVER
//!     }
//!     fn expire<V: Events<Chunk>>(&mut self, _now: Nanos, _events: &mut V) -> Progress {
//!         Progress::default()
//!     }
//!     fn received(&self) -> u64 {
//!         self.received
//!     }
//!     fn is_over(&self) -> bool {
//!         self.over
//!     }
//!     fn counts(&self) -> Counts {
//!         self.counts
//!     }
//! }
//!
//! let mut sender = Blast::new(&(), &mut Stream::new(1, "sender"));
//! let mut receiver = Blast::new(&(), &mut Stream::new(1, "receiver"));
//! sender.write(0, 2_500);
//! sender.close(0);
//! let mut sizes = Vec::new();
//! while let Some(chunk) = sender.transmit(0, &mut ()) {
//!     sizes.push(chunk.size());
//!     receiver.deliver(10, &chunk, &mut ());
//! }
//! assert_eq!(sizes, [1024, 1024, 524]);
//! assert_eq!(receiver.received(), 2_500);
//! assert!(sender.is_over() && receiver.is_over());
//! ```
//!
//! A [`World`](crate::world::World) runs such a transport if its flows are `FlowSpec<Blast>`.

mod contents;
pub mod foreign;
pub mod mixed;
mod tcp;

use ackclock_app::StreamEvent;
use ackclock_core::{Nanos, Stream};

use crate::ids::EndpointId;

pub use ackclock_tcp::limits::Limits;
pub use ackclock_tcp::{Event as TcpEvent, NEVER, Progress};
pub use contents::{Contents, Packed, Sending};

/// One end of a connection of a transport, without I/O: the world passes time, packets and the requests of the
/// application in, and takes packets and the next deadline out.
///
/// The world calls [`transmit`](Endpoint::transmit) until there is no packet and then reads
/// [`deadline`](Endpoint::deadline), after every call that passes a time, and after `listen` and `withdraw`. Time never
/// goes back. Bytes of the stream have no content; they are counted.
pub trait Endpoint: Sized {
    /// Configuration of the two ends of a flow's connections.
    type Config;
    /// Contents of the packets between the two ends.
    type Packet: Contents;

    /// Creates a closed endpoint. `random` belongs to the connection; the source draws from it before the sink.
    fn new(config: &Self::Config, random: &mut Stream) -> Self;

    /// Brings what the next packet will need of the endpoint itself into the processor's caches
    /// ([`ackclock_core::prefetch`]).
    fn prefetch(&self) {}

    /// Brings what the next packet will need beside the endpoint, for which the endpoint has to be in the caches.
    fn prefetch_boxes(&self) {}

    /// Tells a new endpoint which endpoint it is: one of this number, in the generation of its slot.
    #[inline]
    fn identify(&mut self, own: EndpointId, generation: u16) {
        let _ = (own, generation);
    }

    /// Whether both ends are established as soon as they [`connect`](Endpoint::connect), before any packet arrives. The
    /// world then connects both, and [`listen`](Endpoint::listen) is not called.
    #[inline]
    fn opens_at_once(config: &Self::Config) -> bool {
        let _ = config;
        false
    }

    /// Opens the connection actively.
    fn connect(&mut self, now: Nanos);

    /// Opens the connection passively; the call precedes the peer's [`connect`](Endpoint::connect).
    fn listen(&mut self);

    /// Appends `bytes` to the stream to send.
    fn write(&mut self, now: Nanos, bytes: u64);

    /// Discards bytes that were written and never sent.
    fn withdraw(&mut self);

    /// Closes the direction from this end, after all bytes that were written.
    fn close(&mut self, now: Nanos);

    /// Opens the next unidirectional stream from this end, with a priority: bytes of streams with higher numbers leave
    /// first. The streams of an end are numbered from 0 in the order of opening. A scenario whose application needs streams
    /// is refused for a transport without them.
    fn open_stream(&mut self, now: Nanos, priority: i32) {
        let _ = (now, priority);
    }

    /// Appends `bytes` to a unidirectional stream of this end.
    fn write_stream(&mut self, now: Nanos, stream: u32, bytes: u64) {
        let _ = (now, stream, bytes);
    }

    /// Ends a unidirectional stream of this end, after all bytes that were written to it.
    fn finish_stream(&mut self, now: Nanos, stream: u32) {
        let _ = (now, stream);
    }

    /// Abandons a unidirectional stream of this end, with a code for the peer.
    fn reset_stream(&mut self, now: Nanos, stream: u32, code: u64) {
        let _ = (now, stream, code);
    }

    /// Returns the next event of a unidirectional stream that was not returned yet. The endpoint tells of new events with
    /// [`Progress::STREAMS`].
    fn stream_event(&mut self) -> Option<(u32, StreamEvent)> {
        None
    }

    /// Processes a packet that arrives from the peer. Packets can be lost, duplicated, reordered and marked on the way.
    fn deliver<V: Events<Self::Packet>>(&mut self, now: Nanos, packet: &Self::Packet, events: &mut V) -> Progress;

    /// Returns the next packet to be sent at `now`; `None` if none can be sent now. The endpoint reports
    /// [`Event::Sent`] for each packet: the verifier refuses a packet that was not reported.
    fn transmit<V: Events<Self::Packet>>(&mut self, now: Nanos, events: &mut V) -> Option<Self::Packet>;

    /// Whether [`transmit_plain`](Endpoint::transmit_plain) returns what [`transmit`](Endpoint::transmit) would, rather than
    /// [`transmit_other`](Endpoint::transmit_other). The two let the compiler treat a transport's most frequent packets apart.
    #[inline]
    fn sends_plainly(&self) -> bool {
        false
    }

    /// Whether the endpoint certainly has no packet to send, so that it need not be asked: that is so with most data that
    /// arrives and is acknowledged later.
    #[inline]
    fn is_silent(&self) -> bool {
        false
    }

    /// Returns the next packet if the endpoint [`sends_plainly`](Endpoint::sends_plainly).
    #[inline]
    fn transmit_plain<V: Events<Self::Packet>>(&mut self, now: Nanos, events: &mut V) -> Option<Self::Packet> {
        self.transmit(now, events)
    }

    /// Returns the next packet if it does not.
    #[inline]
    fn transmit_other<V: Events<Self::Packet>>(&mut self, now: Nanos, events: &mut V) -> Option<Self::Packet> {
        self.transmit(now, events)
    }

    /// Returns the time of the next call of [`expire`](Endpoint::expire), in ns; [`NEVER`] if there is none.
    fn deadline(&self) -> Nanos;

    /// Handles the expiry of all timers that are due at `now`. Afterwards no timer may be due at `now`, once all
    /// packets are sent.
    fn expire<V: Events<Self::Packet>>(&mut self, now: Nanos, events: &mut V) -> Progress;

    /// Returns the stream bytes that have been received in order so far, over all streams.
    fn received(&self) -> u64;

    /// Returns how many of the received bytes are of unidirectional streams.
    #[inline]
    fn received_in_streams(&self) -> u64 {
        0
    }

    /// Records that the application has consumed `bytes` of the received bytes. Endpoints without flow control need
    /// not do anything.
    #[inline]
    fn read(&mut self, now: Nanos, bytes: u64) {
        let _ = (now, bytes);
    }

    /// Whether this end needs nothing more from its peer. After [`Progress::PEER_CLOSED`] or [`Progress::CLOSED`] at
    /// any end, the world ends the connection as soon as both ends are over; packets that arrive later are discarded.
    fn is_over(&self) -> bool;

    /// Tells this end that the queue of its own host holds what it sends, and that [`left_host`](Endpoint::left_host) will
    /// tell of each packet that leaves that queue.
    fn watch_host_queue(&mut self) {}

    /// Takes note of a packet of this end with `payload` bytes that has left the queue of its own host, over the wire or
    /// because the queue has dropped it.
    fn left_host(&mut self, payload: u32) {
        let _ = payload;
    }

    /// Tells this end the MTU of a new path, in bytes of an IPv4 packet. An end that does not know the sizes of its packets
    /// need not do anything.
    fn change_path_mtu(&mut self, mtu: u32) {
        let _ = mtu;
    }

    /// Tells a new end the MTU of its path that a router has told before, in bytes of an IPv4 packet.
    fn know_path_mtu(&mut self, mtu: u32) {
        let _ = mtu;
    }

    /// Handles the message of a router that a packet was too large for a link: the largest packet there in bytes, and the
    /// packet's number in the transport.
    fn on_too_large<V: Events<Self::Packet>>(&mut self, now: Nanos, message: (u32, u32), events: &mut V) {
        let _ = (now, message, events);
    }

    /// Returns the TCP of this end, if it is one: only TCP can be a subflow of a transfer over several paths.
    fn as_tcp(&self) -> Option<&ackclock_tcp::Endpoint> {
        None
    }

    /// Returns the TCP of this end, if it is one, so that it can be changed.
    fn as_tcp_mut(&mut self) -> Option<&mut ackclock_tcp::Endpoint> {
        None
    }

    /// Returns the counts of this end since its creation, for the table `flows`.
    fn counts(&self) -> Counts;

    /// Returns what limited this end as a sender, if its configuration asks for that and it knows.
    fn limits(&self) -> Option<&Limits> {
        None
    }
}

/// Counts of an endpoint as a sender. Counts of things that a transport does not have stay zero.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Packets of any kind that were sent.
    pub packets_sent: u64,
    /// Sent packets with payload, including retransmissions.
    pub data_packets_sent: u64,
    /// Retransmitted packets with payload.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Timeouts that the endpoint found spurious.
    pub spurious_timeouts: u64,
    /// Fast recoveries.
    pub recoveries: u64,
    /// Smoothed RTT, in ns; `None` before a sample.
    pub srtt: Option<Nanos>,
    /// Smallest RTT sample, in ns; `None` before a sample.
    pub min_rtt: Option<Nanos>,
}

/// An event of an endpoint with packets `P`. The variants other than [`Event::Tcp`] are common to all transports.
#[derive(Debug)]
pub enum Event<'a, P> {
    /// A packet was sent.
    Sent {
        /// The packet.
        contents: &'a P,
        /// Stream offset of its first payload byte.
        offset: u64,
        /// Whether any of its payload was sent before.
        retransmission: bool,
    },
    /// A packet arrived.
    Received {
        /// The packet.
        contents: &'a P,
    },
    /// Data was acknowledged that had not been acknowledged before.
    Acknowledged {
        /// Stream offset of the first byte that is not acknowledged; one more after the end of the stream is
        /// acknowledged.
        una: u64,
    },
    /// The retransmission timer expired.
    Timeout {
        /// Consecutive expiries without an acknowledgment of new data, including this one.
        count: u32,
    },
    /// An event of the state that a TCP has: window, recovery, connection state. The common events are never in here.
    /// Another transport may report these events if they apply to it, for example its window.
    Tcp(TcpEvent<'a>),
    /// The transport has written a part of a log of its own.
    Log {
        /// The part.
        bytes: &'a [u8],
    },
}

impl<P> Clone for Event<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

// The contents are borrowed, so they need not be `Copy`, as a derived implementation would require.
impl<P> Copy for Event<'_, P> {}

/// Receives the events of an endpoint whose packets are `P`. With the unit `()` events cost nothing.
pub trait Events<P> {
    /// Whether the events are used; an endpoint need not prepare costly events otherwise.
    const ACTIVE: bool;

    /// Receives an event at `now`.
    fn event(&mut self, now: Nanos, event: Event<'_, P>);
}

impl<P> Events<P> for () {
    const ACTIVE: bool = false;

    #[inline(always)]
    fn event(&mut self, _now: Nanos, _event: Event<'_, P>) {}
}
