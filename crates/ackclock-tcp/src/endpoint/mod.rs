//! The connection: its states, handshake and close, and the code that connects sender and receiver.
//!
//! Urgent data is not supported: the URG flag and pointer are ignored, and the bytes are part of the stream, as RFC
//! 6093 advises applications to see them.

mod accecn;
mod close;
mod defer;
mod ecn;
mod fast_open;
mod freebsd;
mod handshake;
mod icmp;
mod input;
mod inspect;
mod misbehaviour;
mod options;
mod output;
mod path;
mod plain;
mod refusal;
mod subflow;
mod timers;
mod timestamps;
mod xcp;

use std::sync::Arc;

use crate::config::{Conformance, EcnMode, Handshake};
use crate::receiver::Receiver;
use crate::segment::HEADERS;
use crate::sender::Sender;
use crate::{Config, Error, Event, Flags, NEVER, Nanos, Observer, Segment};
use accecn::AccEcn;
use ackclock_core::prefetch::prefetch;
pub use close::reset_for;
use defer::Defer;
use ecn::Marks;
use fast_open::Fast;
use misbehaviour::Misbehaviour;
use timers::Timers;
use timestamps::Stamps;

/// Connection states of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the RFC's own names")]
pub enum State {
    Closed,
    Listen,
    SynSent,
    SynReceived,
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait,
}

/// Changes made by a call that an application may want to know about.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress(u8);

impl Progress {
    /// The connection is established.
    pub const CONNECTED: Progress = Progress(1);
    /// More in-order data can be read.
    pub const RECEIVED: Progress = Progress(2);
    /// More of the data we sent was acknowledged.
    pub const ACKED: Progress = Progress(4);
    /// The peer's FIN and all data before the FIN have arrived.
    pub const PEER_CLOSED: Progress = Progress(8);
    /// The connection has ended: closed by both ends, reset, or given up ([`Endpoint::error`] gives the reason).
    pub const CLOSED: Progress = Progress(16);
    /// Something has happened to unidirectional streams, which a TCP does not have.
    pub const STREAMS: Progress = Progress(32);

    /// Whether every part of `other` is set.
    #[inline]
    pub fn has(self, other: Progress) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether nothing changed.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns these changes together with those of `other`.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Progress) -> Progress {
        Progress(self.0 | other.0)
    }

    #[inline]
    fn add(&mut self, other: Progress) {
        self.0 |= other.0;
    }
}

/// Time for which written data may wait for further data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Push {
    /// The data is sent as soon as possible, and its last segment carries PSH.
    #[default]
    Now,
    /// More data follows at once: a last segment that is not full waits for that data (MSG_MORE).
    More,
    /// The data ends a record: no segment holds bytes from both sides of the record's end (MSG_EOR).
    EndOfRecord,
}

/// Bits that a hot path tests together.
macro_rules! bits {
    ($(#[$meta:meta])* $name:ident { $($(#[$bit_meta:meta])* $bit:ident = $value:expr;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        struct $name(u8);

        impl $name {
            $($(#[$bit_meta])* const $bit: $name = $name($value);)*

            #[inline]
            fn has(self, other: $name) -> bool {
                self.0 & other.0 != 0
            }

            #[inline]
            fn any(self) -> bool {
                self.0 != 0
            }

            #[inline]
            #[allow(dead_code, reason = "not all of these sets need it")]
            fn without(self, other: $name) -> $name {
                $name(self.0 & !other.0)
            }

            #[inline]
            fn set(&mut self, other: $name, on: bool) {
                self.0 = if on { self.0 | other.0 } else { self.0 & !other.0 };
            }
        }
    };
}

bits! {
    /// Segments, other than data and ACKs, that are due.
    Due {
        /// A SYN or SYN-ACK.
        SYN = 1;
        /// The segment in [`Cold::reply`]: a RST.
        REPLY = 2;
        /// A probe of a closed window or of an idle connection.
        PROBE = 4;
        /// A challenge ACK that neither data nor a FIN carries.
        CHALLENGE = 8;
        /// The ACK that completes the handshake, by itself.
        HANDSHAKE = 16;
        /// Nothing: the device refuses every packet.
        REFUSED = 32;
        /// Perhaps a probe of the path's MTU.
        PATH = 64;
        /// Further ACKs of a receiver that misbehaves.
        ACKS = 128;
    }
}

bits! {
    /// Rare conditions that the processing of an acknowledgment or a transmission must check.
    Watch {
        /// Probes were sent and not answered.
        PROBES = 1;
        /// The persist timer runs.
        PERSIST = 2;
        /// The user timeout runs.
        USER_TIMEOUT = 4;
    }
}

bits! {
    /// Features that the two ends have agreed to use, and what else changes segments.
    Uses {
        /// Timestamps.
        TIMESTAMPS = 1;
        /// ECN of RFC 3168.
        CLASSIC_ECN = 2;
        /// Accurate ECN of RFC 9768.
        ACCECN = 4;
        /// XCP.
        XCP = 8;
        /// Misbehaviour as a receiver, on which nobody has agreed.
        MISBEHAVIOUR = 16;
    }
}

/// One end of a TCP connection.
// The order of the fields is their order in memory: first the fields used for every segment, then those used only in
// the handshake (see `Sender`).
#[repr(C, align(64))]
pub struct Endpoint {
    state: State,
    due: Due,
    watch: Watch,
    uses: Uses,
    /// The shift of the peer's window field.
    peer_scale: u8,
    /// Whether the application has closed both directions and takes no more data.
    orphan: bool,
    /// Our initial sequence number, and the peer's.
    iss: u32,
    irs: u32,
    /// Sequence and acknowledgment number of the segment that last set the window (SND.WL1, SND.WL2 of RFC 9293).
    wl1: u32,
    wl2: u32,
    /// The earliest time in [`Cold::timers`].
    timer: Nanos,
    last_ack: Nanos,
    receiver: Receiver,
    sender: Sender,
    stamps: Stamps,
    cold: Box<Cold>,
}

/// State that only the handshake, the close, timers and errors use.
struct Cold {
    error: Option<Error>,
    /// An error that is reported only if the connection is given up (RFC 9293 section 3.9.2.2).
    soft_error: Option<Error>,
    /// The segment that is due for [`Due::REPLY`].
    reply: Segment,
    /// Bytes of each header that [`Endpoint::leave_room`] keeps free.
    room: u32,
    /// Offers of the peer's SYN.
    peer_mss: u32,
    peer_sack: bool,
    peer_scales: bool,
    peer_stamps: bool,
    peer_xcp: bool,
    /// Earliest time at which an unacceptable segment may be answered again.
    next_answer: Nanos,
    /// Whether the connection was opened passively.
    passive: bool,
    /// Whether the application reads no more.
    reads_shut: bool,
    syn_retries: u32,
    syn_sent_at: Nanos,
    /// SYNs and SYN-ACKs sent, both those that a timeout sends again and those that answer a repeated SYN.
    syns_sent: u32,
    /// TSval of the first SYN or SYN-ACK.
    syn_stamp: u32,
    timers: Timers,
    marks: Marks,
    acc: AccEcn,
    misbehaviour: Misbehaviour,
    fast: Fast,
    defer: Defer,
    /// Answers of routers to the peer's requests since the last segment we sent.
    answers: xcp::Answers,
    /// Path MTU, bytes of an IPv4 packet, and how to look for it.
    pmtu: u32,
    search: Option<crate::PathSearch>,
    /// Payload of a SYN that did not acknowledge ours, bytes, and whether a FIN followed: to be processed once the
    /// connection is established.
    early: u32,
    early_fin: bool,
}

impl Endpoint {
    /// Makes a closed endpoint with initial sequence number `isn`.
    pub fn new(config: &Config, isn: u32) -> Endpoint {
        Endpoint::sharing(Arc::new(config.clone()), isn)
    }

    /// Makes the same endpoint with a configuration that it shares with others until a setting is changed on it.
    pub fn sharing(mut config: Arc<Config>, isn: u32) -> Endpoint {
        if !config.syn_options {
            Arc::make_mut(&mut config).offer_no_features();
        }
        let mut sender = Sender::new(config, isn);
        if sender.asks_routers() {
            // XCP's feedback replaces marks.
            sender.config_mut().ecn = EcnMode::Off;
        }
        let config = &sender.config;
        let (receiver, timers, acc) = (Receiver::new(config), Timers::new(config), AccEcn::new(config));
        let pmtu = config.mss + HEADERS as u32;
        let mut endpoint = Endpoint {
            state: State::Closed,
            due: Due::default(),
            watch: Watch::default(),
            uses: Uses::default(),
            peer_scale: 0,
            orphan: false,
            iss: isn,
            irs: 0,
            wl1: 0,
            wl2: 0,
            timer: NEVER,
            last_ack: 0,
            receiver,
            sender,
            stamps: Stamps::new(isn),
            cold: Box::new(Cold {
                error: None,
                soft_error: None,
                reply: Segment::new(Flags::RST),
                room: 0,
                peer_mss: 536,
                peer_sack: false,
                peer_scales: false,
                peer_stamps: false,
                peer_xcp: false,
                next_answer: 0,
                passive: false,
                reads_shut: false,
                syn_retries: 0,
                syn_sent_at: 0,
                syns_sent: 0,
                syn_stamp: 0,
                timers,
                marks: Marks::new(),
                acc,
                misbehaviour: Misbehaviour::new(),
                fast: Fast::default(),
                defer: Defer::default(),
                answers: xcp::Answers::default(),
                pmtu,
                search: None,
                early: 0,
                early_fin: false,
            }),
        };
        endpoint.prepare_misbehaviour();
        endpoint
    }

    /// Active open: the next [`Endpoint::poll_transmit`] returns the SYN. Without a handshake the endpoint is established
    /// at once, and its peer must call this, too, rather than [`Endpoint::listen`].
    pub fn connect(&mut self, now: Nanos) {
        if self.sender.config.handshake == Handshake::None {
            return self.begin_established(now);
        }
        self.state = State::SynSent;
        self.due.set(Due::SYN, true);
        if self.sender.config.connect_timeout > 0 {
            self.cold.timers.user = now.saturating_add(self.sender.config.connect_timeout);
            self.watch.set(Watch::USER_TIMEOUT, true);
            self.retime();
        }
    }

    /// Passive open.
    pub fn listen(&mut self) {
        self.state = State::Listen;
        self.cold.passive = true;
    }

    /// Appends `bytes` to the stream to send.
    pub fn write(&mut self, now: Nanos, bytes: u64) {
        self.write_with(now, bytes, Push::Now);
    }

    /// Appends `bytes` to the stream to send. After a close the bytes are dropped.
    pub fn write_with(&mut self, _now: Nanos, bytes: u64, push: Push) {
        self.sender.note_arrival(self.last_ack);
        if self.due.has(Due::PATH) {
            self.sender.take_path();
        }
        self.sender.write(bytes, push);
    }

    /// Discards data that was written and never sent.
    pub fn withdraw(&mut self) {
        self.sender.withdraw();
    }

    /// Records that the application consumed `bytes` of the received data.
    #[inline]
    pub fn read(&mut self, now: Nanos, bytes: u64) {
        self.receiver.read(now, bytes);
    }

    /// Brings the fields of the endpoint itself that the next segment needs into the processor's caches
    /// ([`ackclock_core::prefetch`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.last_ack);
        prefetch(&self.stamps);
        self.receiver.prefetch();
        self.sender.prefetch();
    }

    /// Prefetches the data outside the endpoint that the next segment needs. The endpoint has to be in the caches.
    #[inline]
    pub fn prefetch_boxes(&self) {
        self.receiver.prefetch_boxes();
        self.sender.prefetch_boxes();
    }

    /// Processes an arriving segment.
    #[inline(always)]
    pub fn on_segment<O: Observer>(&mut self, now: Nanos, segment: &Segment, obs: &mut O) -> Progress {
        self.sender.stats_mut().segments_received += 1;
        obs.event(now, Event::Received { segment });
        let mut progress = Progress::default();
        if self.due.has(Due::PATH) {
            self.take_path_ack(&{ *segment });
        }
        if !self.take_plain(now, segment, &mut progress, obs) {
            // A copy, so that a plain segment stays in registers.
            self.take_any(now, &{ *segment }, &mut progress, obs);
        }
        progress
    }

    #[inline(never)]
    fn take_any<O: Observer>(&mut self, now: Nanos, segment: &Segment, progress: &mut Progress, obs: &mut O) {
        if self.drops_synfin(segment) {
            return;
        }
        match self.state {
            // RFC 9293 section 3.10.7.1
            State::Closed => self.refuse(segment),
            State::Listen => self.on_listen(now, segment, progress, obs),
            State::SynSent => self.on_syn_sent(now, segment, progress, obs),
            _ if self.sender.config.conformance == Conformance::FreeBsd => {
                self.on_synchronised_freebsd(now, segment, progress, obs);
            }
            _ => self.on_synchronised(now, segment, progress, obs),
        }
    }

    /// Whether a segment with SYN and FIN is dropped. FreeBSD does so in LISTEN and where a segment reaches the connection,
    /// which is not the case in TIME-WAIT (sys/netinet/tcp_input.c, tcp_input_with_port and tcp_do_segment).
    fn drops_synfin(&self, segment: &Segment) -> bool {
        let both = self.sender.config.drop_synfin && segment.flags.has(Flags::SYN.with(Flags::FIN));
        both && !(self.state == State::TimeWait && self.sender.config.conformance == Conformance::FreeBsd)
    }

    #[inline]
    fn wire(&self, offset: u64) -> u32 {
        self.iss.wrapping_add(1).wrapping_add(offset as u32)
    }

    fn enter<O: Observer>(&mut self, now: Nanos, state: State, obs: &mut O) {
        self.state = state;
        obs.event(now, Event::StateChanged(state));
    }
}

/// The 64-bit offset nearest to `near` whose low 32 bits are `low`; `None` where the offset would be negative.
#[inline]
fn unwrap(low: u32, near: u64) -> Option<u64> {
    near.checked_add_signed(i64::from(low.wrapping_sub(near as u32) as i32))
}
