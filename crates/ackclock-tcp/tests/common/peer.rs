//! A peer that the test plays, segment by segment, with every field in its hands.

use ackclock_tcp::segment::SackBlock;
use ackclock_tcp::{Config, Endpoint, Flags, NEVER, Nanos, Segment, State, Timestamps};

use super::MSS;

/// The peer's initial sequence number, and the endpoint's: both close to the wrap.
pub const PEER_ISS: u32 = u32::MAX - 1500;
pub const ISS: u32 = u32::MAX - 700;

pub struct Peer {
    pub now: Nanos,
    pub end: Endpoint,
    /// The peer's timestamp clock, where it offers timestamps.
    pub clock: Option<u32>,
}

/// A SYN with every option.
pub fn syn(flags: Flags) -> Segment {
    let mut segment = Segment::new(Flags::SYN.with(flags));
    (segment.seq, segment.window, segment.mss, segment.window_scale) = (PEER_ISS, 60_000, MSS as u16, 0);
    segment.sack_permitted = true;
    segment
}

impl Peer {
    /// The endpoint as a client that has sent its SYN, which comes with it.
    pub fn called(config: &Config) -> (Peer, Segment) {
        let mut peer = Peer { now: 0, end: Endpoint::new(config, ISS), clock: None };
        peer.end.connect(0);
        let syn = peer.next();
        (peer, syn)
    }

    /// The endpoint as a client, established at 100 ms; `answer` may change the SYN-ACK.
    pub fn established_with(config: &Config, answer: impl FnOnce(&mut Segment)) -> Peer {
        let (mut peer, mine) = Peer::called(config);
        peer.now = 100_000_000;
        let mut reply = syn(Flags::ACK);
        reply.ack = ISS.wrapping_add(1);
        answer(&mut reply);
        peer.clock = reply.timestamps.map(|stamps| stamps.val);
        assert!(mine.flags.has(Flags::SYN));
        peer.give(&reply);
        assert_eq!(peer.end.state(), State::Established);
        peer
    }

    /// The same, past the third segment of the handshake.
    pub fn established(config: &Config) -> Peer {
        let mut peer = Peer::established_with(config, |_| {});
        assert_eq!(peer.all().len(), 1);
        peer
    }

    /// The endpoint as a server, established by `syn` and the ACK of its answer, which comes with it.
    pub fn accepted(config: &Config, syn: &Segment) -> (Peer, Segment) {
        let mut peer = Peer { now: 100_000_000, end: Endpoint::new(config, ISS), clock: None };
        peer.end.listen();
        peer.give(syn);
        let answer = peer.next();
        (peer, answer)
    }

    pub fn give(&mut self, segment: &Segment) {
        self.end.on_segment(self.now, segment, &mut ());
    }

    /// A segment of the peer at stream offset `seq` that acknowledges up to `ack`.
    pub fn segment(&self, seq: u64, len: u32, ack: u64) -> Segment {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.seq(seq);
        segment.ack = ISS.wrapping_add(1).wrapping_add(ack as u32);
        (segment.len, segment.window) = (len, 60_000);
        segment.timestamps = self.clock.map(|val| Timestamps { val, ecr: 0 });
        segment
    }

    /// The sequence number of a stream offset of the peer.
    pub fn seq(&self, offset: u64) -> u32 {
        PEER_ISS.wrapping_add(1).wrapping_add(offset as u32)
    }

    /// Payload from the peer.
    pub fn data(&mut self, seq: u64, len: u32) {
        let segment = self.segment(seq, len, 0);
        self.give(&segment);
    }

    /// Offsets of the SACK blocks of a segment of the endpoint.
    pub fn blocks(&self, segment: &Segment) -> Vec<(u64, u64)> {
        let offset = |seq: u32| u64::from(seq.wrapping_sub(self.seq(0)));
        segment.sack_blocks().iter().map(|block: &SackBlock| (offset(block.start), offset(block.end))).collect()
    }

    /// Everything that leaves now.
    pub fn all(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.end.poll_transmit(self.now, &mut ())).collect()
    }

    /// The one segment that leaves now.
    pub fn next(&mut self) -> Segment {
        let all = self.all();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0]
    }

    /// The next timer.
    pub fn expire(&mut self) {
        self.now = self.end.next_timeout();
        assert_ne!(self.now, NEVER, "a timer runs");
        self.end.on_timeout(self.now, &mut ());
    }
}
