//! The receiving half of an endpoint: it records received data, and decides when to acknowledge and what to report.

mod acks;
mod freebsd;
mod linux;
mod memory;
mod reassembly;
mod tuning;

use crate::config::AckRule;
use crate::segment::{MAX_SACK_BLOCKS, SackBlock, Segment};
use crate::sender::Rtt;
use crate::{Config, Info, Nanos};
use ackclock_core::prefetch::prefetch;
use acks::{Acks, Arrived};
use freebsd::Space;
use memory::Packet;
use reassembly::Reassembly;
use tuning::{InOrder, Tuning, in_units};

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
/// Blocks whose changes one compressed ACK can report (TCP_SACK_BLOCKS_EXPECTED).
const EXPECTED_BLOCKS: usize = 2;

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

    /// Processes payload and a FIN.
    #[inline]
    pub fn on_data(&mut self, now: Nanos, payload: &Payload<'_>) {
        self.settled = None;
        let whole = payload.start + u64::from(payload.len);
        let before = self.sequence.next();
        if payload.start == before
            && whole <= self.edge
            && !payload.fin
            && self.fin.is_none()
            && self.sequence.append(whole)
        {
            // The payload is in order, and no special case applies.
            return self.on_progress::<false>(now, payload, before, false);
        }
        self.on_dubious_data(now, payload, whole);
    }

    /// Processes any other payload, or a FIN.
    #[inline(never)]
    fn on_dubious_data(&mut self, now: Nanos, payload: &Payload<'_>, whole: u64) {
        let limit = if self.takes_whole(payload.start) { whole } else { self.limit() };
        // No data follows a FIN. Linux knows of a FIN when all before it has arrived, and of several takes the first one
        // (net/ipv4/tcp_input.c, tcp_ofo_queue).
        let unread = self.acks.is_linux() && !self.finished();
        let end = whole.min(limit).min(self.fin.filter(|_| !unread).unwrap_or(u64::MAX));
        let mut had_gap = self.sequence.has_gap();
        let before = self.sequence.next();
        if payload.fin && end == whole && self.fin.is_none_or(|fin| unread && end < fin) && end >= before {
            self.fin = Some(end);
        }
        if unread && payload.start <= before && self.fin.is_some_and(|fin| fin < end) {
            // The data covers a FIN that came before it, which is dropped.
            self.fin = None;
        }
        let end = end + u64::from(payload.fin && end == whole && self.fin == Some(end) && self.counts_fin());
        if (had_gap || payload.start < before)
            && let Some((start, end)) = self.sequence.duplicate(payload.start, end)
        {
            self.report_duplicate(start, end);
        }
        // Linux reports what waits for a compressed ACK before a segment changes a block that is not among the first two
        // (net/ipv4/tcp_input.c, tcp_sack_new_ofo_skb).
        if payload.start > before
            && self.acks.waits_compressed()
            && self.sequence.rank(payload.start, end) >= EXPECTED_BLOCKS
        {
            self.earlier = Some(self.sequence.recent().take(MAX_SACK_BLOCKS).collect());
            self.acks.release();
        }
        let mut fresh = self.sequence.insert(payload.start, end);
        if self.fin == Some(self.sequence.next()) {
            fresh |= self.sequence.insert(self.sequence.next(), self.sequence.next() + 1);
        }
        if unread && self.finished() {
            // net/ipv4/tcp_input.c, tcp_fin, which leaves no gap that the FIN could have filled. What joins the FIN has been
            // joined to it (tcp_ooo_try_coalesce).
            self.sequence.forget_ranges();
            had_gap &= !payload.fin;
        }
        if !fresh {
            return self.on_duplicate(now, payload, end <= before);
        }
        let has_gap = self.sequence.has_gap();
        if payload.start > before {
            self.out_of_order += payload.segments;
        }
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# A TCP receiver SHOULD send an immediate duplicate ACK when an out-of-order segment arrives
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# a TCP receiver SHOULD send an immediate ACK when the incoming segment fills in all or part of a gap in the
        //# sequence space
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# the receiver SHOULD send an immediate duplicate ACK when it receives a data segment above a gap in the
        //# sequence space
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# the receiver SHOULD send an immediate ACK when it receives a data segment that fills in all or part of a
        //# gap in the sequence space
        //= https://www.rfc-editor.org/rfc/rfc6582#section-5
        //# our recommendation is that the data receiver send an immediate acknowledgment for an out-of-order segment,
        //# even when that out-of-order segment fills a hole in the buffer
        // FreeBSD reports the part of a segment that had arrived before at once (sys/netinet/tcp_input.c).
        let again = payload.start < before && self.space.is_some();
        let full = payload.len == 0 && self.has_no_memory();
        self.on_progress::<true>(now, payload, before, had_gap || has_gap || again || full);
        if self.finished() && self.acks.is_linux() {
            // Linux forgets what it would have reported (net/ipv4/tcp_input.c, tcp_fin).
            self.duplicate = None;
        }
    }

    /// Processes payload that had arrived before; `acknowledged` is whether all of it lies below RCV.NXT.
    fn on_duplicate(&mut self, now: Nanos, payload: &Payload<'_>, acknowledged: bool) {
        if !self.acks.is_linux() {
            self.acks.last_arrival = now;
        } else if acknowledged {
            // net/ipv4/tcp_input.c, tcp_data_queue and tcp_send_dupack.
            self.enter_quick(TCP_MAX_QUICKACKS);
        } else {
            return self.acks.on_arrival(&self.arrived(now, payload, self.sequence.next(), true));
        }
        // A duplicate is acknowledged at once (RFC 9293 section 3.10.7.4).
        self.acks.due = true;
    }

    /// An arriving segment as the rule of acknowledgments needs it; `before` was the next offset, and `urgent` is whether the
    /// segment is out of order or fills a gap. The window did not grow, and is as large as at the last ACK.
    #[inline]
    fn arrived<'a>(&self, now: Nanos, payload: &Payload<'a>, before: u64, urgent: bool) -> Arrived<'a> {
        Arrived {
            now,
            segments: payload.segments,
            part: payload.part,
            in_order: self.sequence.next() - before,
            push: payload.push,
            fin: payload.fin,
            finished: self.finished(),
            urgent,
            gap: urgent && self.sack && self.sequence.has_gap(),
            rtt: payload.rtt,
            window: self.edge.saturating_sub(before),
            grew: false,
            keeps_window: true,
            crowded: false,
            receiver_rtt: self.tuning.as_ref().and_then(|tuning| tuning.rtt),
        }
    }

    /// Processes new data, or a FIN; `before` was the next offset, and `urgent` is whether an ACK is due at once. The
    /// segment may end beyond the window only if it is `DUBIOUS`.
    #[inline]
    fn on_progress<const DUBIOUS: bool>(&mut self, now: Nanos, payload: &Payload<'_>, before: u64, urgent: bool) {
        let next = self.sequence.next();
        let beyond = DUBIOUS && self.received() > self.edge && self.acks.is_linux();
        let ends = DUBIOUS && payload.fin && self.finished() && self.acks.is_linux();
        let used = if beyond || ends { self.used() } else { 0 };
        let keeps_window = !(beyond || ends) || self.keeps_window(used, before);
        let crowded = beyond && self.is_crowded(used);
        if beyond {
            self.edge = self.received();
        }
        let mut grew = false;
        let offered = self.offered;
        if let Some(tuning) = &mut self.tuning {
            tuning.measure_echo(now, payload.echo, payload.len >= self.acks.largest);
            let larger = payload.part > self.acks.largest;
            let large = payload.part > self.acks.most || payload.segments > 1 && tuning.whole_packets;
            let packet = large.then(|| Packet::new(payload.len.into(), payload.segments));
            if next > before {
                tuning.on_data(&InOrder { now, next, edge: self.edge, len: payload.part, larger, packet, offered });
                if let Some(packet) = packet {
                    tuning.hold_large(before, next, packet, before > self.read);
                }
            } else if larger && tuning.measures {
                // net/ipv4/tcp_input.c, tcp_data_queue_ofo.
                tuning.measure(payload.part.into(), packet, offered);
                self.acks.largest = payload.part.min(self.acks.most);
            }
            if larger {
                self.buffer = tuning.window();
            }
            // Without SACK, another window would keep the ACK of a segment beyond a gap from counting as a duplicate.
            if next > before || self.sack {
                let unread = next.saturating_sub(self.read);
                grew = tuning.grow(payload.len, packet, self.sequence.held() + unread, next > before);
            }
            if let Some(packet) = packet.filter(|_| next == before) {
                tuning.hold_large(payload.start, payload.start + u64::from(payload.len), packet, false);
            }
        }
        let arrived = self.arrived(now, payload, before, urgent);
        self.acks.on_arrival(&Arrived { grew, keeps_window, crowded, ..arrived });
        if self.acks.is_linux() && self.acks.is_due() {
            self.waiting = self.unread();
        }
        if let Some(space) = &mut self.space
            && !urgent
        {
            self.buffer = space.on_data(now, payload, next - before, self.buffer);
        }
    }

    /// Whether the FIN counts in SACK and D-SACK blocks, as sequence numbers do (RFC 2018 section 3). FreeBSD reports
    /// payload alone (sys/netinet/tcp_input.c, tcp_do_segment).
    fn counts_fin(&self) -> bool {
        self.space.is_none()
    }

    /// Records that the `len` bytes at offset `start` and the FIN behind them arrived again, as far as they lie below
    /// RCV.NXT. Linux acknowledges the next segments at once then (net/ipv4/tcp_input.c, tcp_send_dupack).
    pub fn note_duplicate(&mut self, start: u64, len: u32, fin: bool) {
        let end = start + u64::from(len) + u64::from(fin && self.counts_fin());
        let end = end.min(self.sequence.next());
        if start < end {
            self.enter_quick(TCP_MAX_QUICKACKS);
            self.report_duplicate(start, end);
        }
    }

    /// Reports a duplicate with the next acknowledgment. A second one before that extends the first if they touch.
    fn report_duplicate(&mut self, start: u64, end: u64) {
        if !self.dsack {
            return;
        }
        match &mut self.duplicate {
            Some(earlier) if start <= earlier.1 && earlier.0 <= end => {
                *earlier = (earlier.0.min(start), earlier.1.max(end));
            }
            Some(_) => {}
            none => *none = Some((start, end)),
        }
    }

    /// Goes on at the offset `start`, as if everything below had arrived and been read. Returns the number of bytes passed
    /// over.
    pub fn pass_over(&mut self, start: u64) -> u64 {
        let next = self.sequence.next();
        if start <= next || start > self.limit() {
            return 0;
        }
        self.settled = None;
        self.sequence.insert(next, start);
        self.read += start - next;
        start - next
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

    /// Records that the application consumed `bytes`. If this opens a window that was nearly closed, an ACK is due at
    /// once.
    pub fn read(&mut self, now: Nanos, bytes: u64) {
        self.settled = None;
        let before = self.read;
        self.read = (self.read + bytes).min(self.received());
        if let Some(tuning) = &mut self.tuning {
            let looked = tuning.first_look(before, self.read);
            if tuning.on_read(now, looked, self.sequence.next() - looked) {
                self.buffer = tuning.window();
            }
        }
        if let Some(space) = &self.space {
            self.acks.due |= self.tells_of_read(space);
            return;
        }
        self.acks.on_read(self.read == self.received());
        let open = self.edge - self.received().min(self.edge);
        if self.acks.is_linux() {
            self.acks.due |= self.opens_by_read(open);
            return;
        }
        if open < 2 * u64::from(self.acks.largest).max(1) && self.wanted_edge::<false>(0) > self.edge {
            self.acks.due = true;
        }
    }

    /// The right edge that the buffer allows, and at least the edge already offered: the edge moves in steps
    /// (silly-window avoidance, RFC 9293 section 3.8.6.2.2).
    #[inline]
    fn wanted_edge<const LINUX: bool>(&self, used: u64) -> u64 {
        if let Some(space) = &self.space {
            return self.free_edge(space);
        }
        if LINUX && (self.scale == 0 || self.waiting > 0 || self.read < self.received()) {
            let free = self.free_window(used);
            let window = if self.scale == 0 { self.whole_segments(free) } else { free };
            return self.edge.max(self.sequence.next() + window);
        }
        let fin = u64::from(LINUX && self.finished());
        let mut target = self.read + fin + self.buffer.min(self.clamp);
        if let Some(tuning) = &self.tuning {
            // Data beyond a gap takes memory, too (net/ipv4/tcp_output.c, __tcp_select_window).
            let held = tuning.taken(self.sequence.held());
            target = target.saturating_sub(held).min(self.received() + fin + tuning.limit);
        }
        if LINUX {
            // net/ipv4/tcp_output.c, __tcp_select_window: only a window without a scale moves in steps.
            return self.edge.max(target);
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# The receiver MUST honor, as in window, any segment that would have been in window for any <ACK> sent by
        //# the receiver
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.4
        //# the receiver SHOULD track the actual maximum window sequence number
        if target >= self.edge + self.step() { target } else { self.edge }
    }

    /// The smallest advance of the edge: a full segment or half of the window.
    #[inline]
    fn step(&self) -> u64 {
        let limit = self.tuning.as_ref().map_or(u64::MAX, |tuning| tuning.limit);
        u64::from(self.acks.largest).min(self.buffer.min(self.clamp).min(limit) / 2).max(1)
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

    #[inline]
    fn window_field(&mut self) -> u16 {
        let Some(field) = self.settled else { return self.new_window_field() };
        debug_assert!(self.repeats(field), "the window changed unnoticed");
        field
    }

    /// Whether the window field would be `field` again, without a change of anything else.
    fn repeats(&mut self, field: u16) -> bool {
        let before = (self.edge, self.waiting, self.acks);
        self.new_window_field() == field && before == (self.edge, self.waiting, self.acks)
    }

    #[inline(never)]
    fn new_window_field(&mut self) -> u16 {
        let before = (self.edge, self.waiting);
        let field = if self.acks.is_linux() { self.window_field_of::<true>() } else { self.window_field_of::<false>() };
        // The same state gives the same field again.
        if before == (self.edge, 0) {
            self.settled = Some(field);
        }
        field
    }

    /// The window field, where it is known whether the rules are those of Linux.
    #[inline]
    fn window_field_of<const LINUX: bool>(&mut self) -> u16 {
        // With Linux, the peer's FIN takes its place in the window.
        let next = if LINUX { self.sequence.next() } else { self.received() };
        let used = if LINUX { self.used() } else { 0 };
        if LINUX && self.shrinks && self.scale > 0 {
            return self.shrunk_field(next, used);
        }
        let offer = self.wanted_edge::<LINUX>(used) - next;
        if LINUX && self.is_crowded(used) {
            self.acks.end_quick();
        }
        //= https://www.rfc-editor.org/rfc/rfc7323#section-2.3
        //# MUST be right-shifted by Rcv.Wind.Shift bits
        let field = (if LINUX { self.rounded(offer, used) } else { offer }) >> self.scale;
        // A buffer smaller than the unit of the window field must not look closed forever.
        let least = || u64::from(offer > 0 && offer >= self.step());
        let field = if field == 0 { least() } else { field.min(u64::from(u16::MAX)) };
        self.offered = field << self.scale;
        self.edge = self.edge.max(next + self.offered);
        if std::mem::take(&mut self.waiting) > self.unread() {
            // The application has read since, which may open the window.
            self.acks.due |= self.opens_by_read(self.edge.saturating_sub(next));
        }
        field as u16
    }

    /// The window field of a SYN, which is never scaled (RFC 7323 section 2.2).
    //= https://www.rfc-editor.org/rfc/rfc7323#section-2.2
    //# (i.e., a <SYN> or <SYN,ACK>) MUST NOT be scaled
    pub fn syn_window(&self) -> u16 {
        in_units(self.buffer.min(self.clamp), self.first_unit).min(u64::from(u16::MAX)) as u16
    }

    /// Sets the receive buffer, bytes, and turns auto-tuning off.
    pub fn set_buffer(&mut self, bytes: u64) {
        self.settled = None;
        self.buffer = bytes;
        if let Some(tuning) = &mut self.tuning {
            tuning.fix(bytes);
            self.buffer = tuning.window();
        }
        if let Some(space) = &mut self.space {
            space.most = 0;
        }
    }

    /// Raises the receive buffer to a window of `bytes`, if it is smaller.
    pub fn widen(&mut self, bytes: u64) {
        self.settled = None;
        match &mut self.tuning {
            Some(tuning) => {
                tuning.widen(bytes);
                self.buffer = tuning.window();
            }
            None => self.buffer = self.buffer.max(bytes),
        }
    }

    /// Sets that a packet of several segments lies in one buffer, as a virtual device hands it over.
    pub fn count_packets(&mut self) {
        if let Some(tuning) = &mut self.tuning {
            tuning.whole_packets = true;
        }
    }

    /// Sets whether the offered window may shrink.
    pub fn set_shrinking(&mut self, on: bool) {
        self.settled = None;
        self.shrinks = on;
    }

    /// Sets the largest window to offer, bytes.
    pub fn set_clamp(&mut self, bytes: u64) {
        self.settled = None;
        self.clamp = bytes;
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
