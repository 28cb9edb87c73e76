//! Arbitrary segments into one endpoint: whatever a peer sends, the endpoint does not panic and its state satisfies the
//! invariants.

use ackclock_tcp::segment::{MAX_SACK_BLOCKS, SackBlock};
use ackclock_tcp::{AccEcnOption, Ecn, Endpoint, Flags, MILLISECOND, NEVER, Nanos, SECOND, Segment, State, Timestamps};
use arbitrary::{Result, Unstructured};

use crate::choose;

/// Initial sequence number of the endpoint, close to the wrap.
const ISS: u32 = u32::MAX - 3000;
/// Initial sequence number of the peer, near the middle, where the signed comparison changes its sign.
const IRS: u32 = (1 << 31) - 2000;

/// Runs one input.
///
/// # Panics
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    // An input that ends early is a short input.
    let _ = drive(&mut Unstructured::new(data));
}

fn drive(u: &mut Unstructured<'_>) -> Result<()> {
    let config = choose::config(u)?;
    let mut peer =
        Peer { end: Endpoint::new(&config, ISS), now: 0, nxt: IRS, una: ISS, sent: 0, ts: 1, ranges: Vec::new() };
    if u.arbitrary()? {
        peer.end.connect(0);
    } else {
        peer.end.listen();
    }
    peer.poll();
    if u.arbitrary()? {
        peer.handshake();
    }
    while !u.is_empty() {
        match u.int_in_range(0..=9)? {
            0 => peer.end.write(peer.now, u64::from(u.arbitrary::<u16>()?)),
            1 => peer.wait(u64::from(u.arbitrary::<u8>()?) * MILLISECOND),
            2 => peer.wait(SECOND << u.int_in_range(0..=8)?),
            3 => peer.end.read(peer.now, u64::from(u.arbitrary::<u16>()?)),
            4 => match u.int_in_range(0..=7)? {
                0 => peer.end.close(peer.now),
                _ => peer.in_order(u)?,
            },
            5 => peer.in_order(u)?,
            _ => peer.any(u)?,
        }
        peer.poll();
    }
    Ok(())
}

/// The other side, as far as it is simulated: what the endpoint sent, and what was sent to it.
struct Peer {
    end: Endpoint,
    now: Nanos,
    /// Next sequence number of data that is sent in order.
    nxt: u32,
    /// End of the highest segment that the endpoint sent.
    una: u32,
    /// Number of segments taken from the endpoint.
    sent: u64,
    /// Timestamp clock of the peer.
    ts: u32,
    /// Payload ranges sent to the endpoint, as offsets from `IRS + 1`.
    ranges: Vec<(u64, u64)>,
}

impl Peer {
    fn handshake(&mut self) {
        let client = self.end.state() == State::SynSent;
        let mut syn = Segment::new(if client { Flags::SYN.with(Flags::ACK) } else { Flags::SYN });
        syn.seq = IRS;
        syn.ack = ISS.wrapping_add(1);
        syn.mss = 1460;
        syn.window = u16::MAX;
        syn.window_scale = 7;
        syn.sack_permitted = true;
        syn.timestamps = Some(Timestamps { val: self.ts, ecr: 0 });
        self.deliver(&syn);
        self.nxt = IRS.wrapping_add(1);
        self.poll();
        let mut ack = Segment::new(Flags::ACK);
        (ack.seq, ack.ack, ack.window) = (self.nxt, ISS.wrapping_add(1), 5000);
        ack.timestamps = Some(Timestamps { val: self.ts, ecr: 0 });
        self.deliver(&ack);
    }

    /// Sends a segment that continues the stream and acknowledges plausible data.
    fn in_order(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let mut segment = Segment::new(Flags::ACK);
        segment.seq = self.nxt;
        segment.ack = self.una.wrapping_sub(u32::from(u.arbitrary::<u16>()?) >> u.int_in_range(0..=15)?);
        segment.window = u.arbitrary()?;
        segment.len = u32::from(u.arbitrary::<u16>()?) >> u.int_in_range(0..=15)?;
        if u.arbitrary()? {
            segment.sack_count = u.int_in_range(0..=MAX_SACK_BLOCKS as u8)?;
            for block in &mut segment.sack {
                *block = self.block(u)?;
            }
        }
        if u.arbitrary()? {
            self.ts = self.ts.wrapping_add(1);
            segment.timestamps = Some(Timestamps { val: self.ts, ecr: u.arbitrary()? });
        }
        segment.ecn = Ecn::from_bits(u.arbitrary()?);
        self.nxt = self.nxt.wrapping_add(segment.len);
        self.deliver(&segment);
        Ok(())
    }

    /// Returns a block within the data that the endpoint may have outstanding, or near it.
    fn block(&self, u: &mut Unstructured<'_>) -> Result<SackBlock> {
        let start = self.una.wrapping_sub(u32::from(u.arbitrary::<u16>()?));
        Ok(SackBlock { start, end: start.wrapping_add(u32::from(u.arbitrary::<u16>()?)) })
    }

    /// Sends any segment.
    fn any(&mut self, u: &mut Unstructured<'_>) -> Result<()> {
        let flags: u16 = u.arbitrary()?;
        let mut segment = Segment::new(Flags(flags & 0x1ff));
        let near: bool = u.arbitrary()?;
        segment.seq = self.nxt.wrapping_add_signed(if near { i32::from(u.arbitrary::<i8>()?) } else { u.arbitrary()? });
        segment.ack =
            self.una.wrapping_add_signed(if near { i32::from(u.arbitrary::<i16>()?) } else { u.arbitrary()? });
        if matches!(self.end.state(), State::Listen | State::SynSent) {
            // The offsets of the stream count from this number.
            segment.seq = IRS;
        }
        segment.window = u.arbitrary()?;
        segment.len = u.int_in_range(0..=65_000)?;
        segment.ecn = Ecn::from_bits(u.arbitrary()?);
        segment.mss = u.arbitrary()?;
        segment.window_scale = u.arbitrary()?;
        segment.sack_permitted = u.arbitrary()?;
        segment.sack_count = u.int_in_range(0..=MAX_SACK_BLOCKS as u8)?;
        for block in &mut segment.sack {
            *block = if near { self.block(u)? } else { SackBlock { start: u.arbitrary()?, end: u.arbitrary()? } };
        }
        if u.arbitrary()? {
            segment.timestamps = Some(Timestamps { val: u.arbitrary()?, ecr: u.arbitrary()? });
        }
        if u.arbitrary()? {
            let count = u.int_in_range(0..=3)?;
            let counters: [u32; 3] = u.arbitrary()?;
            let counters = counters.map(|counter| counter & 0xff_ffff);
            segment.set_accecn(Some(AccEcnOption { order1: u.arbitrary()?, count, counters }));
        }
        self.deliver(&segment);
        Ok(())
    }

    fn deliver(&mut self, segment: &Segment) {
        // The stream is so short that it stays far from the wrap, so data that is not below its start is above it.
        let start = i64::from(segment.seq.wrapping_sub(IRS).wrapping_sub(1) as i32);
        let end = start + i64::from(segment.len);
        if segment.len > 0 && end > 0 {
            self.ranges.push((start.max(0) as u64, end as u64));
        }
        let before = self.end.received();
        self.end.on_segment(self.now, segment, &mut ());
        assert!(self.end.received() >= before, "what was received stays received");
        self.check();
    }

    fn wait(&mut self, by: Nanos) {
        let until = self.now + by;
        for _ in 0..1000 {
            let next = self.end.next_timeout();
            if next > until {
                break;
            }
            self.now = self.now.max(next);
            self.end.on_timeout(self.now, &mut ());
            self.poll();
            self.check();
        }
        self.now = until;
    }

    /// Takes the segments that the endpoint sends.
    fn poll(&mut self) {
        for count in 0.. {
            let Some(segment) = self.end.poll_transmit(self.now, &mut ()) else { break };
            assert!(count < 100_000, "an endpoint stops sending");
            self.sent += 1;
            let end = segment.seq.wrapping_add(segment.seq_len());
            if (end.wrapping_sub(self.una) as i32) > 0 {
                self.una = end;
            }
            assert!(segment.header_len() <= 60, "options fit into a header: {segment:?}");
        }
        let next = self.end.next_timeout();
        assert!(
            next > self.now || next == NEVER || self.end.state() != State::Closed,
            "a closed endpoint has no timer"
        );
        self.check();
    }

    fn check(&self) {
        if let Err(broken) = self.end.check() {
            panic!("{broken}");
        }
        // Only data that was sent is received: the data in order is covered by the ranges that were sent.
        let mut covered = 0;
        let received = self.end.received();
        while covered < received {
            let reach = self.ranges.iter().filter(|range| range.0 <= covered).map(|range| range.1).max();
            let reach = reach.filter(|&reach| reach > covered);
            covered = reach.unwrap_or_else(|| panic!("{received} bytes received, but only {covered} were sent"));
        }
    }
}
