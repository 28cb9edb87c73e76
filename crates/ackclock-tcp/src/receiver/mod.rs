//! The receiving half of an endpoint: it records received data, and decides when to acknowledge and what to report.

mod acks;
mod data;
mod freebsd;
mod linux;
mod memory;
mod reassembly;
mod tuning;
mod window;

use crate::config::AckRule;
use crate::segment::{MAX_SACK_BLOCKS, SackBlock, Segment};
use crate::sender::Rtt;
use crate::{Config, Info, Nanos};
use ackclock_core::prefetch::prefetch;
use acks::Acks;
use freebsd::Space;
use reassembly::Reassembly;
use tuning::Tuning;

pub(crate) use tuning::buffer_for;

/// The receiving half of an endpoint. Offsets are stream offsets; the peer's FIN occupies the offset after its last
/// byte.
// The order of the fields is their order in memory: fields used for the next segment in order come first (see
// `Sender`).
#[repr(C)]
pub(crate) struct Receiver {
    acks: Acks,
    /// Unit of the window of a SYN or SYN-ACK, bytes: Linux offers whole segments (tcp_select_initial_window).
    first_unit: u64,
    /// Offset of the peer's FIN, once a segment carried it.
    fin: Option<u64>,
    /// Stream bytes the application has consumed.
    read: u64,
    /// Stream bytes that waited to be read when the ACK became due that is due now: Linux sends it before the application
    /// reads.
    waiting: u64,
    buffer: u64,
    /// The advertised right edge, which never moves back (RFC 9293 section 3.8.6), unless the window may shrink.
    edge: u64,
    /// The window of the last segment, bytes.
    offered: u64,
    /// The largest window to offer, bytes.
    clamp: u64,
    /// The window field of the next segment, if nothing has changed since the last one: most segments of an end that sends
    /// data repeat the field.
    settled: Option<u16>,
    tuning: Option<Box<Tuning>>,
    /// State of FreeBSD's rule for the window, if that rule is used.
    space: Option<Box<Space>>,
    /// Window scale of our window field, bits.
    scale: u8,
    /// Whether the offered window may shrink, as Linux's may with a scale (tcp_shrink_window).
    shrinks: bool,
    sack: bool,
    /// Whether D-SACK reports duplicates.
    dsack: bool,
    /// Number of segments that arrived out of order.
    out_of_order: u32,
    /// The received part of the peer's sequence space, in which a FIN takes one place.
    sequence: Reassembly,
    /// The duplicate to report with the next ACK (RFC 2883).
    duplicate: Option<(u64, u64)>,
    /// The blocks that the next ACK reports where it is sent for segments before the last one (see [`Acks::release`]).
    earlier: Option<Box<[(u64, u64)]>>,
}

/// A segment with payload or FIN, and the sender's RTT estimate at the time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Payload<'a> {
    /// Stream offset of the first payload byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// Number of segments that brought it, and the payload of the largest of them, bytes.
    pub segments: u32,
    pub part: u32,
    /// Whether a FIN follows the payload.
    pub fin: bool,
    /// Whether the segment carries PSH.
    pub push: bool,
    /// Send time of the segment that this segment's timestamp echoes.
    pub echo: Option<Nanos>,
    /// RTT estimate of our sender.
    pub rtt: &'a Rtt,
}

/// The window scale that lets the window field hold `buffer` bytes (RFC 7323 section 2.3: at most 14).
pub(crate) fn window_scale(buffer: u64) -> u8 {
    let bits = u64::BITS - (buffer >> 16).leading_zeros();
    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
    //# the shift count MUST be limited to 14
    bits.min(14) as u8
}

/// Segments that Linux acknowledges at once after an event (include/net/tcp.h).
const TCP_MAX_QUICKACKS: u32 = 16;

impl Receiver {
    pub fn new(config: &Config) -> Receiver {
        let space = Space::new(config);
        let linux = config.ack_rule == AckRule::Linux;
        let tunes = (linux || config.receive_buffer_max > config.receive_buffer) && space.is_none();
        Receiver {
            sequence: Reassembly::default(),
            fin: None,
            read: 0,
            buffer: config.receive_buffer,
            edge: config.receive_buffer.min(u64::from(u16::MAX)),
            offered: 0,
            first_unit: if linux { u64::from(config.mss).max(1) } else { 1 },
            scale: 0,
            shrinks: false,
            sack: false,
            dsack: config.dsack,
            acks: Acks::new(config),
            waiting: 0,
            duplicate: None,
            earlier: None,
            tuning: tunes.then(|| Box::new(Tuning::new(config))),
            space,
            clamp: u64::MAX,
            settled: None,
            out_of_order: 0,
        }
    }

    /// Ends the handshake: sets whether SACK is in use, the scale of our window field, and the payload of a full segment.
    pub fn establish(&mut self, now: Nanos, sack: bool, scale: u8, mss: u64) {
        self.settled = None;
        self.sack = sack;
        self.scale = scale;
        self.edge = u64::from(self.syn_window());
        self.offered = self.edge;
        self.acks.last_arrival = now;
        if let Some(tuning) = &mut self.tuning {
            tuning.establish(now, mss, self.first_unit);
            // A packet without segments in it may be larger than any segment (tcp_measure_rcv_mss).
            self.acks.most = u32::try_from(mss).unwrap_or(u32::MAX).max(1);
        }
    }

    /// Guesses the size of the peer's segments by that of ours, `mss`, and by the window (net/ipv4/tcp_input.c,
    /// tcp_initialize_rcv_mss).
    pub fn guess_segments(&mut self, mss: u32) {
        self.acks.guess_segments(mss, self.edge / 2);
    }

    /// Counts the window of our SYN-ACK in segments of `mss` bytes, where windows of SYNs are counted in segments.
    pub fn answer_syn(&mut self, mss: u64) {
        if self.acks.is_linux() {
            self.first_unit = mss.max(1);
        }
    }

    /// Brings the cache lines that the next segment in order needs ([`crate::Endpoint::prefetch`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.fin);
        prefetch(&self.edge);
        prefetch(&self.scale);
        prefetch(&self.duplicate);
    }

    /// Prefetches the fields that lie in boxes.
    #[inline]
    pub fn prefetch_boxes(&self) {
        if let Some(tuning) = &self.tuning {
            tuning.prefetch();
        }
    }

    /// The next offset expected, a received FIN included.
    #[inline]
    pub fn next(&self) -> u64 {
        self.sequence.next()
    }

    /// Stream bytes received in order.
    #[inline]
    pub fn received(&self) -> u64 {
        self.sequence.next() - u64::from(self.finished())
    }

    /// Whether the peer's FIN and all data before the FIN have arrived.
    #[inline]
    pub fn finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.sequence.next() > fin)
    }

    /// Stream bytes that the application has not consumed.
    pub fn unread(&self) -> u64 {
        self.received() - self.read
    }

    /// Window scale of our window field, bits.
    pub fn scale(&self) -> u8 {
        self.scale
    }

    /// Requests an ACK at once, for an unacceptable segment.
    pub fn owe_ack(&mut self) {
        self.acks.due = true;
    }

    /// Acknowledges segments at once for a while (see [`Acks::enter_quick`]).
    pub fn enter_quick(&mut self, most: u32) {
        self.settled = None;
        self.acks.enter_quick(most, self.edge - self.received());
    }

    /// Records that data of ours is about to answer a SYN-ACK.
    pub fn expect_data(&mut self, now: Nanos) {
        self.enter_quick(TCP_MAX_QUICKACKS);
        self.acks.last_arrival = now;
    }

    /// Lets an acknowledgment wait until `at`, unless one is sent before.
    pub fn delay_ack(&mut self, at: Nanos) {
        self.acks.delayed_at = self.acks.delayed_at.min(at);
    }

    /// Whether acknowledgments wait for data of ours, because the application has asked for it (TCP_QUICKACK = 0).
    pub fn is_interactive(&self) -> bool {
        self.acks.is_interactive()
    }

    /// Time at which a delayed acknowledgment is due.
    #[inline]
    pub fn delayed_at(&self) -> Nanos {
        self.acks.delayed_at
    }

    /// Handles a possible expiry of the delayed-ACK timer.
    pub fn on_timeout(&mut self, now: Nanos, rto: Nanos) {
        self.acks.on_timeout(now, rto);
    }

    /// Records that we send payload.
    #[inline]
    pub fn on_data_sent(&mut self, now: Nanos) {
        self.acks.on_data_sent(now);
    }

    /// Ends the connection: no more ACKs are due.
    pub fn stop(&mut self) {
        self.acks.stop();
    }

    /// Whether an ACK is due now.
    #[inline]
    pub fn owes_ack(&self) -> bool {
        self.acks.is_due()
    }

    /// Whether the next segment would report SACK blocks.
    #[inline]
    pub fn reports(&self) -> bool {
        self.sack && (self.sequence.has_gap() || self.duplicate.is_some())
    }

    /// The duplicate that the next segment would report.
    pub fn duplicate(&self) -> Option<(u64, u64)> {
        self.duplicate
    }

    /// SACK blocks that the next segment would report, at most `most`.
    pub fn blocks_due(&self, most: usize) -> usize {
        if !self.reports() {
            return 0;
        }
        if let Some(earlier) = &self.earlier {
            return earlier.len().min(most);
        }
        let duplicate = usize::from(self.duplicate.is_some());
        (duplicate + self.sequence.recent().take(MAX_SACK_BLOCKS).count()).min(most)
    }

    /// Sequence numbers that arrived in order and were not yet acknowledged.
    pub fn unacked(&self) -> u64 {
        self.acks.pending
    }

    /// The right edge of what SACK blocks report, if there is something to report.
    pub fn highest_block(&self) -> Option<u64> {
        self.sequence.highest().filter(|_| self.sack)
    }

    /// Whether payload waits for its acknowledgment.
    pub fn has_unacked(&self) -> bool {
        self.acks.pending > 0
    }

    /// Records that a SYN-ACK acknowledges the data of a SYN and offers its window above that data. The data says nothing
    /// about the times of later acknowledgments (Linux, tcp_fastopen_add_skb).
    pub fn acknowledge_with_syn(&mut self, config: &Config) {
        self.settled = None;
        self.acks = Acks::new(config);
        self.edge = self.edge.max(self.received() + u64::from(self.syn_window()));
    }

    /// The window field of an outgoing segment without SACK blocks; the segment carries any ACK that was due.
    #[inline]
    pub fn pay(&mut self) -> u16 {
        self.acks.on_ack_sent();
        self.window_field()
    }

    /// Writes the receiver's fields into an outgoing segment: window and up to `most` SACK blocks. The segment carries
    /// any ACK that was due. `wire` converts a stream offset of the peer into its sequence number.
    pub fn fill(&mut self, segment: &mut Segment, most: usize, wire: impl Fn(u64) -> u32) {
        segment.window = self.pay();
        if self.reports() {
            let mut count = 0;
            let mut report = |blocks: &mut dyn Iterator<Item = (u64, u64)>| {
                for (start, end) in blocks.take(most) {
                    segment.sack[count] = SackBlock { start: wire(start), end: wire(end) };
                    count += 1;
                }
            };
            match self.earlier.take() {
                Some(earlier) => report(&mut earlier.iter().copied()),
                // A duplicate comes first and is reported once (RFC 2883 section 4).
                None => report(&mut self.duplicate.take().into_iter().chain(self.sequence.recent())),
            }
            segment.sack_count = count as u8;
        }
    }

    /// Sets that a packet of several segments lies in one buffer, as a virtual device hands it over.
    pub fn count_packets(&mut self) {
        if let Some(tuning) = &mut self.tuning {
            tuning.whole_packets = true;
        }
    }

    /// Turns immediate acknowledgment on or off.
    pub fn set_quick_ack(&mut self, on: bool) {
        self.acks.set_quick(on);
    }

    /// Fills in the receiver's part of `info`.
    pub fn report(&self, now: Nanos, info: &mut Info) {
        info.last_data_recv = now.saturating_sub(self.acks.last_arrival);
        info.rcv_wscale = self.scale;
        info.ato = self.acks.delay();
        info.rcv_mss = self.acks.largest;
        info.bytes_received = self.sequence.next();
        info.rcv_wnd = self.edge.saturating_sub(self.received());
        info.rcv_ooopack = self.out_of_order;
        let limit = self.tuning.as_ref().map_or(self.buffer, |tuning| tuning.limit);
        info.rcv_ssthresh = u32::try_from(limit).unwrap_or(u32::MAX);
        if let Some(tuning) = &self.tuning {
            info.rcv_rtt = tuning.rtt.unwrap_or(0);
            info.rcv_space = u32::try_from(tuning.space).unwrap_or(u32::MAX);
        }
    }
}
