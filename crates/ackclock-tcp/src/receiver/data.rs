//! Arriving payload and FINs: their places in the stream, duplicates, and the acknowledgments that they ask for.

use super::acks::Arrived;
use super::memory::Packet;
use super::tuning::InOrder;
use super::{Payload, Receiver, TCP_MAX_QUICKACKS};
use crate::Nanos;
use crate::segment::MAX_SACK_BLOCKS;

/// Blocks whose changes one compressed ACK can report (TCP_SACK_BLOCKS_EXPECTED).
const EXPECTED_BLOCKS: usize = 2;

impl Receiver {
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
}
