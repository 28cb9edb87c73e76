//! The connection: states, handshake, close, and the glue between sender and receiver.
use crate::{Config, Nanos, Observer, Segment};

/// Connection states of RFC 9293 section 3.3.2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
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

/// What a call changed that an application may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress(pub u8);
impl Progress {
    /// The connection is established.
    pub const CONNECTED: Progress = Progress(1);
    /// More in-order data can be read.
    pub const RECEIVED: Progress = Progress(2);
    /// More of our data was acknowledged.
    pub const ACKED: Progress = Progress(4);
    /// The peer's FIN arrived in order.
    pub const PEER_CLOSED: Progress = Progress(8);
    /// The connection is over (closed, reset or timed out).
    pub const CLOSED: Progress = Progress(16);
    /// Whether every part of `other` is set.
    pub fn has(self, other: Progress) -> bool {
        self.0 & other.0 == other.0
    }
    /// Whether nothing changed.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Counters of an endpoint since it was made.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    /// Segments sent, of any kind.
    pub segments_sent: u64,
    /// Segments with payload sent, retransmissions included.
    pub data_segments_sent: u64,
    /// Segments with payload sent again.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast recoveries entered.
    pub recoveries: u64,
    /// Segments received, of any kind.
    pub segments_received: u64,
}

/// One end of a TCP connection.
pub struct Endpoint {}

impl Endpoint {
    /// A closed endpoint with initial sequence number `isn`.
    pub fn new(_config: &Config, _isn: u32) -> Endpoint {
        todo!()
    }
    /// Active open: the SYN comes from the next [`Endpoint::poll_transmit`].
    pub fn connect(&mut self, _now: Nanos) {
        todo!()
    }
    /// Passive open.
    pub fn listen(&mut self) {
        todo!()
    }
    /// Appends `bytes` to the stream to send.
    pub fn write(&mut self, _now: Nanos, _bytes: u64) {
        todo!()
    }
    /// No more writes: a FIN follows the data.
    pub fn close(&mut self, _now: Nanos) {
        todo!()
    }
    /// The application consumed `bytes` of what was received.
    pub fn read(&mut self, _now: Nanos, _bytes: u64) {
        todo!()
    }
    /// Takes an arriving segment.
    pub fn on_segment<O: Observer>(&mut self, _now: Nanos, _segment: &Segment, _obs: &mut O) -> Progress {
        todo!()
    }
    /// To be called when [`Endpoint::next_timeout`] has come; harmless earlier.
    pub fn on_timeout<O: Observer>(&mut self, _now: Nanos, _obs: &mut O) -> Progress {
        todo!()
    }
    /// When [`Endpoint::on_timeout`] is next to be called; [`crate::NEVER`] where no timer runs. May move with every call.
    pub fn next_timeout(&self) -> Nanos {
        todo!()
    }
    /// The next segment to put on the wire now, if any. Call until `None` after every other call.
    pub fn poll_transmit<O: Observer>(&mut self, _now: Nanos, _obs: &mut O) -> Option<Segment> {
        todo!()
    }
    /// State.
    pub fn state(&self) -> State {
        todo!()
    }
    /// Stream bytes received in order so far.
    pub fn received(&self) -> u64 {
        todo!()
    }
    /// Stream bytes of ours acknowledged so far.
    pub fn acked(&self) -> u64 {
        todo!()
    }
    /// Counters.
    pub fn stats(&self) -> &Stats {
        todo!()
    }
    /// Smoothed RTT of the sender.
    pub fn srtt(&self) -> Option<Nanos> {
        todo!()
    }
    /// Smallest RTT sample of the sender.
    pub fn min_rtt(&self) -> Option<Nanos> {
        todo!()
    }
    /// Congestion window state.
    pub fn window(&self) -> &crate::Window {
        todo!()
    }
}
