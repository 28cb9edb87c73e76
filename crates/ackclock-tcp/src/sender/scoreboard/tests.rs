//! Tests of the scoreboard against a naive model of the same facts.

use super::*;
use proptest::prelude::*;

const MSS: u32 = 10;

/// The same facts, kept in the simplest way.
#[derive(Clone, Copy, Debug)]
struct Naive {
    start: u64,
    len: u32,
    sacked: bool,
    lost: bool,
    retransmitted: bool,
}

fn end(segment: &Naive) -> u64 {
    segment.start + u64::from(segment.len)
}

fn pipe(model: &[Naive]) -> u64 {
    let bytes = |segment: &Naive| u64::from(segment.len);
    let in_network = |segment: &Naive| match segment {
        Naive { sacked: true, .. } => 0,
        Naive { lost, retransmitted, .. } => u64::from(!*lost) + u64::from(*retransmitted),
    };
    model.iter().map(|segment| bytes(segment) * in_network(segment)).sum()
}

/// IsLost of RFC 6675 section 4, evaluated for each segment.
fn is_lost(model: &[Naive], index: usize) -> bool {
    let above = &model[index + 1..];
    let bytes: u64 = above.iter().filter(|segment| segment.sacked).map(|segment| u64::from(segment.len)).sum();
    let ranges = (0..above.len()).filter(|&i| above[i].sacked && (i == 0 || !above[i - 1].sacked)).count();
    bytes > 2 * u64::from(MSS) || ranges >= 3
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Send(u32),
    Sack(u64, u64),
    Ack(u64),
    Retransmit,
    Timeout,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (1..=MSS).prop_map(Operation::Send),
        2 => Just(Operation::Send(MSS)),
        6 => (0u64..30, 1u64..6).prop_map(|(from, count)| Operation::Sack(from, count)),
        2 => (0u64..8).prop_map(Operation::Ack),
        3 => Just(Operation::Retransmit),
        1 => Just(Operation::Timeout),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //= type=test
    //# the scoreboard SHOULD implement the following functions
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //= type=test
    //# SACKed data MUST NOT be removed from the TCP's retransmission buffer until the data is cumulatively
    //# acknowledged
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //= type=test
    //# The routine returns true when either DupThresh discontiguous SACKed sequences have arrived above 'SeqNum' or
    //# more than (DupThresh - 1) * SMSS bytes
    //= https://www.rfc-editor.org/rfc/rfc6675#section-4
    //= type=test
    //# MUST set the "pipe" variable to an estimate of the number of octets that are currently in transit
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# connections with SACK enabled and using [RFC6675] loss detection MAY use the "pipe" algorithm as specified in
    //# [RFC6675]
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# MUST calculate inflight by starting with SND.NXT - SND.UNA, subtracting out bytes SACKed in the scoreboard,
    //# subtracting out bytes marked lost in the scoreboard, and adding bytes in the scoreboard that have been
    //# retransmitted since they were last marked lost
    #[test]
    fn agrees_with_a_naive_model(operations in prop::collection::vec(operation(), 1..120)) {
        let (mut board, mut model) = (Scoreboard::default(), Vec::<Naive>::new());
        let (mut una, mut nxt) = (0u64, 0u64);
        for operation in operations {
            match operation {
                Operation::Send(len) => {
                    board.push(nxt, len, 0);
                    model.push(Naive { start: nxt, len, sacked: false, lost: false, retransmitted: false });
                    nxt += u64::from(len);
                }
                Operation::Sack(from, count) => {
                    let Some(first) = model.get(from as usize + 1) else { continue };
                    let (start, last) = (first.start, model.len().min((from + 1 + count) as usize));
                    let stop = end(&model[last - 1]);
                    let mut delivered = Delivered::default();
                    board.sack(start, stop, &mut delivered, |_| {});
                    let mut fresh = 0;
                    for segment in model.iter_mut().filter(|segment| segment.start >= start && end(segment) <= stop) {
                        fresh += u64::from(segment.len) * u64::from(!segment.sacked);
                        *segment = Naive { sacked: true, lost: false, retransmitted: false, ..*segment };
                    }
                    prop_assert_eq!(delivered.sacked, fresh);
                    board.mark_lost(3, u64::from(MSS));
                    for index in 0..model.len() {
                        model[index].lost |= !model[index].sacked && is_lost(&model, index);
                    }
                }
                Operation::Ack(count) => {
                    let Some(segment) = model.get(count as usize) else { continue };
                    // Sometimes half of a segment: the peer may have been told another size.
                    una = if count % 2 == 0 { segment.start } else { segment.start + u64::from(segment.len) / 2 };
                    board.ack(una, |_| {});
                    model.retain(|segment| end(segment) > una);
                    if let Some(first) = model.first_mut() {
                        first.len = (end(first) - una.max(first.start)) as u32;
                        first.start = first.start.max(una);
                    }
                }
                Operation::Retransmit => {
                    let expected = model.iter().find(|segment| segment.lost && !segment.retransmitted);
                    let expected = expected.map(|segment| (segment.start, segment.len));
                    prop_assert_eq!(board.next_lost(), expected);
                    if let Some((start, _)) = expected {
                        board.on_retransmit(start, 0);
                        model.iter_mut().find(|segment| segment.start == start).unwrap().retransmitted = true;
                    }
                }
                Operation::Timeout => {
                    board.mark_all_lost();
                    for segment in model.iter_mut() {
                        segment.lost = !segment.sacked;
                        segment.retransmitted = false;
                    }
                }
            }
            prop_assert_eq!(board.pipe(nxt - una), pipe(&model));
            prop_assert_eq!(board.first_is_lost(), model.first().is_some_and(|segment| segment.lost));
        }
    }
}

/// Losses by time (RFC 8985 section 6.2 step 5), evaluated for each segment.
mod by_time {
    use super::*;

    /// Time for which a segment may be missing before it is lost, ns.
    const ALLOWANCE: Nanos = 50;

    #[derive(Clone, Copy, Debug)]
    struct Timed {
        start: u64,
        len: u32,
        /// Segment.xmit_ts; `None` once the segment is lost.
        sent_at: Option<Nanos>,
        last_sent: Nanos,
        resent: bool,
        sacked: bool,
        lost: bool,
        retransmitted: bool,
    }

    impl Timed {
        fn end(&self) -> u64 {
            self.start + u64::from(self.len)
        }

        fn lose(&mut self) -> u64 {
            (self.lost, self.retransmitted, self.sent_at) = (true, false, None);
            u64::from(self.len)
        }
    }

    fn pipe(model: &[Timed]) -> u64 {
        let in_network = |segment: &Timed| match segment {
            Timed { sacked: true, .. } => 0,
            Timed { lost, retransmitted, .. } => u64::from(!*lost) + u64::from(*retransmitted),
        };
        model.iter().map(|segment| u64::from(segment.len) * in_network(segment)).sum()
    }

    #[derive(Clone, Copy, Debug)]
    enum Operation {
        Wait(Nanos),
        Send(u32),
        Sack(u64, u64),
        Ack(u64),
        Retransmit,
        Probe,
        Detect,
        Timeout(Nanos),
        Unmark,
        Split(u64),
    }

    fn operation() -> impl Strategy<Value = Operation> {
        prop_oneof![
            4 => (1..40u64).prop_map(Operation::Wait),
            6 => (1..=MSS).prop_map(Operation::Send),
            4 => (0u64..20, 1u64..4).prop_map(|(from, count)| Operation::Sack(from, count)),
            1 => (0u64..6).prop_map(Operation::Ack),
            4 => Just(Operation::Retransmit),
            1 => Just(Operation::Probe),
            6 => Just(Operation::Detect),
            1 => (0..200u64).prop_map(Operation::Timeout),
            1 => Just(Operation::Unmark),
            1 => (0..20u64).prop_map(Operation::Split),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn agrees_with_a_naive_model(operations in prop::collection::vec(operation(), 1..150)) {
            let (mut board, mut resent) = (Scoreboard::default(), Resent::default());
            let mut model = Vec::<Timed>::new();
            let (mut now, mut una, mut nxt) = (0u64, 0u64, 0u64);
            let mut newest = (0, 0);
            for operation in operations {
                match operation {
                    Operation::Wait(time) => now += time,
                    Operation::Send(len) => {
                        board.push(nxt, len, now);
                        model.push(Timed {
                            start: nxt, len, sent_at: Some(now), last_sent: now,
                            resent: false, sacked: false, lost: false, retransmitted: false,
                        });
                        nxt += u64::from(len);
                    }
                    Operation::Sack(from, count) => {
                        let Some(first) = model.get(from as usize + 1) else { continue };
                        let (start, last) = (first.start, model.len().min((from + 1 + count) as usize));
                        let stop = model[last - 1].end();
                        board.sack(start, stop, &mut Delivered::default(), |entry| {
                            newest = newest.max((entry.sent_at, entry.end()));
                        });
                        for segment in model.iter_mut().filter(|segment| segment.start >= start && segment.end() <= stop) {
                            *segment = Timed { sacked: true, lost: false, retransmitted: false, ..*segment };
                        }
                    }
                    Operation::Ack(count) => {
                        let Some(segment) = model.get(count as usize) else { continue };
                        una = if count % 2 == 0 { segment.start } else { segment.start + u64::from(segment.len) / 2 };
                        board.ack(una, |entry| newest = newest.max((entry.sent_at, entry.end())));
                        model.retain(|segment| segment.end() > una);
                        if let Some(first) = model.first_mut() {
                            first.len = (first.end() - una.max(first.start)) as u32;
                            first.start = first.start.max(una);
                        }
                    }
                    Operation::Retransmit => {
                        let expected = model.iter_mut().find(|segment| segment.lost && !segment.retransmitted);
                        prop_assert_eq!(board.next_lost(), expected.as_ref().map(|segment| (segment.start, segment.len)));
                        if let Some(segment) = expected {
                            board.on_retransmit(segment.start, now);
                            resent.push(segment.start, now);
                            segment.last_sent = now;
                            (segment.sent_at, segment.resent, segment.retransmitted) = (Some(now), true, true);
                        }
                    }
                    Operation::Probe => {
                        let Some(last) = model.last_mut().filter(|last| !last.sacked && !last.lost) else { continue };
                        board.on_extra_copy(last.start, now);
                        resent.push(last.start, now);
                        (last.sent_at, last.last_sent, last.resent) = (Some(now), now, true);
                    }
                    Operation::Detect => {
                        let found = board.mark_lost_by_time(&mut resent, now, newest, ALLOWANCE);
                        let mut expected = Found::default();
                        for segment in model.iter_mut().filter(|segment| !segment.sacked) {
                            let Some(sent_at) = segment.sent_at else { continue };
                            if newest <= (sent_at, segment.end()) {
                                continue;
                            }
                            if sent_at + ALLOWANCE > now {
                                expected.wait_until = expected.wait_until.max(Some(sent_at + ALLOWANCE));
                                continue;
                            }
                            expected.retransmission |= segment.resent;
                            expected.lost += segment.lose();
                        }
                        prop_assert_eq!(found, expected);
                    }
                    Operation::Timeout(ago) => {
                        let sent_by = now.saturating_sub(ago);
                        board.mark_timed_out(sent_by);
                        for (index, segment) in model.iter_mut().enumerate().filter(|(_, segment)| !segment.sacked) {
                            if index == 0 || segment.last_sent <= sent_by {
                                segment.lose();
                            }
                        }
                    }
                    Operation::Split(index) => {
                        let index = index as usize;
                        let Some(first) = model.get_mut(index).filter(|first| first.len > 1) else { continue };
                        let len = first.len / 2;
                        if let Some(sent_at) = board.split(first.start, len) {
                            resent.split(sent_at, first.start + u64::from(len));
                        }
                        let rest = Timed { start: first.start + u64::from(len), len: first.len - len, ..*first };
                        first.len = len;
                        model.insert(index + 1, rest);
                    }
                    Operation::Unmark => {
                        // The test does not decide whether a retransmission that was lost as well is examined again.
                        if model.iter().any(|segment| segment.lost && segment.resent && !segment.retransmitted) {
                            continue;
                        }
                        board.unmark_lost();
                        resent.unsettle();
                        for segment in model.iter_mut().filter(|segment| segment.lost) {
                            segment.lost = false;
                            segment.sent_at = Some(segment.last_sent);
                        }
                    }
                }
                prop_assert_eq!(board.check(una, nxt), Ok(()));
                prop_assert_eq!(board.pipe(nxt - una), pipe(&model));
                let lost: u64 = model.iter().filter(|s| s.lost && !s.sacked).map(|s| u64::from(s.len)).sum();
                prop_assert_eq!(board.lost(), lost);
            }
        }
    }
}
