//! The scoreboard against the same facts kept without any cleverness.

use super::*;
use proptest::prelude::*;

const MSS: u32 = 10;

/// The same facts, kept without any cleverness.
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

/// IsLost of RFC 6675 section 4, asked of each segment.
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
                    // Half of a segment at times: the peer may have been told another size.
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
