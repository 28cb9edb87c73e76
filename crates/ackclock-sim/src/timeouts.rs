//! Decides which timeouts were spurious, from the fate of the packets and not from the sender's view.
//!
//! A retransmission timeout is spurious if a copy of the first unacknowledged segment, sent before the timeout, was not
//! dropped: the copy had arrived or was in flight, and its acknowledgment would have arrived (RFC 3522 section 1). A
//! link behind other links is evaluated later than the packets are sent. The fate of a copy is therefore often known
//! only after the timeout, and the row is completed then.

use std::collections::BTreeMap;

use ackclock_tcp::{Flags, Segment};

use crate::ids::FlowId;
use crate::observe::Who;
use ackclock_app::{Conn, Side};
use ackclock_core::Nanos;
use ackclock_results::{Table, declared};

/// A position in the data that an end sends: the stream offset; the SYN is before offset 0.
type Position = i64;
const SYN: Position = -1;

/// The copies of a segment that were sent.
#[derive(Clone, Copy, Debug)]
struct Copies {
    end: Position,
    sent: u32,
    /// Number of copies that were dropped before one passed. The packets of an end reach the links that drop packets in
    /// the order of sending, so these are the copies that were sent first.
    dropped_first: u32,
    passed: bool,
}

/// The segments that an end has sent and that are not acknowledged.
#[derive(Debug)]
struct Outgoing {
    /// Sequence number of offset 0.
    base: u32,
    una: Position,
    segments: BTreeMap<Position, Copies>,
    /// Rows of timeouts of segments that are not yet acknowledged.
    open: Vec<usize>,
}

#[derive(Debug)]
struct Row {
    at: Nanos,
    who: Who,
    count: u32,
    /// The first unacknowledged segment, and the number of its copies that had been sent.
    segment: Position,
    copies: u32,
    spurious: bool,
}

/// All retransmission timeouts of a run.
#[derive(Default, Debug)]
pub(crate) struct Timeouts {
    ends: BTreeMap<(FlowId, Conn, bool), Outgoing>,
    rows: Vec<Row>,
}

fn key(who: Who) -> (FlowId, Conn, bool) {
    (who.flow, who.conn, who.side == Side::Source)
}

impl Outgoing {
    fn position(&self, seq: u32) -> Position {
        let known = self.base.wrapping_add(self.una as u32);
        self.una + Position::from(seq.wrapping_sub(known) as i32)
    }

    /// Returns the segment that contains a position.
    fn at(&mut self, position: Position) -> Option<(Position, &mut Copies)> {
        let (start, copies) = self.segments.range_mut(..=position).next_back()?;
        (position < copies.end).then_some((*start, copies))
    }

    /// Sets whether the timeout of a row was spurious, from the number of copies that had been sent.
    fn judge(&self, row: &mut Row) {
        if let Some(copies) = self.segments.get(&row.segment) {
            row.spurious = copies.dropped_first < row.copies;
        }
    }
}

impl Timeouts {
    /// Handles a segment that `who` sends.
    pub fn sent(&mut self, who: Who, segment: &Segment) {
        if segment.seq_len() == 0 {
            return;
        }
        let new = || {
            // A connection without a handshake begins with its data.
            let (base, una) =
                if segment.flags.has(Flags::SYN) { (segment.seq.wrapping_add(1), SYN) } else { (segment.seq, 0) };
            Outgoing { base, una, segments: BTreeMap::new(), open: Vec::new() }
        };
        let end = self.ends.entry(key(who)).or_insert_with(new);
        let start = end.position(segment.seq);
        let new = Copies { end: start, sent: 0, dropped_first: 0, passed: false };
        let copies = end.segments.entry(start).or_insert(new);
        copies.end = copies.end.max(start + Position::from(segment.seq_len()));
        copies.sent += 1;
    }

    /// Handles a packet of `who` that passed the link that may drop it, or that was dropped.
    pub fn fate(&mut self, who: Who, segment: &Segment, dropped: bool) {
        let Some(end) = self.ends.get_mut(&key(who)) else { return };
        let position = end.position(segment.seq);
        if segment.seq_len() > 0
            && let Some((_, copies)) = end.at(position)
            && !copies.passed
        {
            copies.passed = !dropped;
            copies.dropped_first += u32::from(dropped);
        }
    }

    /// Handles an acknowledgment that `who` accepts: all that was before the stream offset `una`, and the SYN, arrived.
    pub fn acknowledged(&mut self, who: Who, una: u64) {
        let Some(end) = self.ends.get_mut(&key(who)) else { return };
        let ack = una as Position;
        if ack <= end.una {
            return;
        }
        end.una = ack;
        // A copy has passed, so later events do not change the verdict.
        for row in std::mem::take(&mut end.open) {
            let row_of = &mut self.rows[row];
            end.judge(row_of);
            if row_of.segment >= ack {
                end.open.push(row);
            }
        }
        while let Some(first) = end.segments.first_entry()
            && first.get().end <= ack
        {
            first.remove();
        }
    }

    /// Handles an expiry of the retransmission timer of `who`; it is the `count`th in a row.
    pub fn expired(&mut self, at: Nanos, who: Who, count: u32) {
        let Some(end) = self.ends.get_mut(&key(who)) else { return };
        let una = end.una;
        if let Some((segment, copies)) = end.at(una) {
            self.rows.push(Row { at, who, count, segment, copies: copies.sent, spurious: false });
            end.open.push(self.rows.len() - 1);
        }
    }

    /// Returns the table of the timeouts within a time. `segment` is empty for a SYN. Segments in flight count as not
    /// lost.
    pub fn report(mut self, flows: &[String], from: Nanos, to: Nanos) -> Table {
        // The columns are present even if there was no timeout.
        let mut table = Table::of::<declared::Timeouts>();
        for end in self.ends.values() {
            for &row in &end.open {
                end.judge(&mut self.rows[row]);
            }
        }
        for row in self.rows.iter().filter(|row| (from..=to).contains(&row.at)) {
            table.push(declared::Timeouts {
                time_s: (row.at as f64 / 1e9).into(),
                flow: flows[row.who.flow.index()].as_str().into(),
                side: row.who.side.name().into(),
                segment: (row.segment != SYN).then_some(row.segment).into(),
                count: row.count.into(),
                spurious: row.spurious.into(),
            });
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use ackclock_results::Column;

    use super::*;

    const WHO: Who = Who { flow: FlowId(0), conn: Conn(0), side: Side::Source };

    /// An end whose initial sequence number is 2^32 - 1, so that its data begins at sequence number 0.
    struct Sender(Timeouts);

    impl Sender {
        fn new() -> Sender {
            let mut sender = Sender(Timeouts::default());
            sender.0.sent(WHO, &Segment { seq: u32::MAX, ..Segment::new(Flags::SYN) });
            sender
        }

        fn data(offset: u32) -> Segment {
            Segment { seq: offset, len: 100, ..Segment::new(Flags::ACK) }
        }

        fn sends(mut self, offset: u32) -> Sender {
            self.0.sent(WHO, &Self::data(offset));
            self
        }

        fn passes(mut self, offset: u32) -> Sender {
            self.0.fate(WHO, &Self::data(offset), false);
            self
        }

        fn drops(mut self, offset: u32) -> Sender {
            self.0.fate(WHO, &Self::data(offset), true);
            self
        }

        fn acked(mut self, offset: u32) -> Sender {
            self.0.acknowledged(WHO, offset.into());
            self
        }

        fn expires(mut self) -> Sender {
            self.0.expired(0, WHO, 1);
            self
        }

        /// Returns the segment and the verdict of each timeout.
        fn verdicts(self) -> Vec<(Option<i64>, bool)> {
            let table = self.0.report(&["f".to_owned()], 0, u64::MAX);
            let (Some(Column::Int(segments)), Some(Column::Bool(spurious))) =
                (table.column("segment"), table.column("spurious"))
            else {
                panic!("{table:?}")
            };
            segments.iter().copied().zip(spurious.iter().map(|one| one.unwrap())).collect()
        }
    }

    #[test]
    fn what_arrived_was_not_lost_and_what_was_dropped_was() {
        let open = || Sender::new().acked(0).sends(0).sends(100);
        assert_eq!(open().passes(0).drops(100).expires().verdicts(), [(Some(0), true)]);
        assert_eq!(open().drops(0).passes(100).expires().verdicts(), [(Some(0), false)]);
        assert_eq!(open().passes(0).acked(100).drops(100).expires().verdicts(), [(Some(100), false)]);
    }

    #[test]
    fn a_fate_may_be_decided_after_the_timeout() {
        let waiting = || Sender::new().acked(0).sends(0).expires();
        assert_eq!(waiting().verdicts(), [(Some(0), true)], "still on its way");
        assert_eq!(waiting().drops(0).sends(0).passes(0).acked(100).verdicts(), [(Some(0), false)]);
        // The first copy passes, and the retransmission is dropped.
        assert_eq!(waiting().sends(0).passes(0).drops(0).acked(100).verdicts(), [(Some(0), true)]);
    }

    #[test]
    fn each_timeout_is_judged_by_the_copies_before_it() {
        // The original is dropped, so the first timeout was not spurious. Its retransmission was in flight at the
        // second timeout.
        let sender = Sender::new().acked(0).sends(0).drops(0).expires().sends(0).expires().passes(0).acked(100);
        assert_eq!(sender.verdicts(), [(Some(0), false), (Some(0), true)]);
    }

    #[test]
    fn a_syn_is_a_segment_before_the_first_byte() {
        let syn = Segment { seq: u32::MAX, ..Segment::new(Flags::SYN) };
        for (dropped, spurious) in [(true, false), (false, true)] {
            let mut sender = Sender::new().expires();
            sender.0.fate(WHO, &syn, dropped);
            assert_eq!(sender.acked(0).sends(0).verdicts(), [(None, spurious)]);
        }
    }

    #[test]
    fn without_a_handshake_the_first_byte_is_the_first_segment() {
        let open = || Sender(Timeouts::default()).sends(0).sends(100);
        assert_eq!(open().drops(0).expires().verdicts(), [(Some(0), false)]);
        assert_eq!(open().passes(0).acked(100).drops(100).expires().verdicts(), [(Some(100), false)]);
    }

    #[test]
    fn what_is_acknowledged_is_forgotten() {
        let sender = (0..1000).fold(Sender::new().acked(0), |sender, n| sender.sends(100 * n).acked(100 * n + 100));
        assert!(sender.0.ends[&key(WHO)].segments.is_empty());
        assert!(sender.verdicts().is_empty());
    }
}
