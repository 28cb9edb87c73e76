//! Any sequence of a sender's events, under every window-based algorithm with any parameters: the window stays a window, and
//! moves as a window may.

use proptest::prelude::*;

use super::path::Path;
use super::{CATALOGUE, Entry};
use crate::context::Cause;
use crate::{Nanos, SECOND, Window};

#[derive(Clone, Debug)]
enum Op {
    Send,
    /// An ACK for so many thousandths of what is outstanding, with a round-trip sample or without.
    Ack(u64, Option<Nanos>),
    Duplicate(Option<Nanos>),
    Congestion(Cause, bool),
    Recovered,
    Timeout(bool),
    Undo,
    Idle(Nanos),
    Wait(Nanos),
    Supply(u64),
    Shrink(u64),
    /// Validation, or a restart after idle, moves the window.
    Moved(u64),
}

fn rtt() -> impl Strategy<Value = Option<Nanos>> {
    prop::option::weighted(0.8, prop_oneof![1..1000u64, 1..SECOND / 5, 1..100 * SECOND])
}

fn op() -> impl Strategy<Value = Op> {
    let cause = prop_oneof![Just(Cause::Loss), Just(Cause::Ecn)];
    prop_oneof![
        6 => Just(Op::Send),
        16 => (0..=1000u64, rtt()).prop_map(|(share, rtt)| Op::Ack(share, rtt)),
        2 => rtt().prop_map(Op::Duplicate),
        2 => (cause, any::<bool>()).prop_map(|(cause, abe)| Op::Congestion(cause, abe)),
        2 => Just(Op::Recovered),
        1 => any::<bool>().prop_map(Op::Timeout),
        1 => Just(Op::Undo),
        1 => (0..1000 * SECOND).prop_map(Op::Idle),
        6 => (0..SECOND / 5).prop_map(Op::Wait),
        1 => (0..100_000 * SECOND).prop_map(Op::Wait),
        1 => prop_oneof![Just(u64::MAX), 1..1000u64].prop_map(Op::Supply),
        1 => (1..20u64).prop_map(Op::Shrink),
        1 => (1..10_000u64).prop_map(Op::Moved),
    ]
}

/// A sender with each parameter at the least, the default or the most of its range.
fn sender(entry: &'static Entry, choices: u64) -> Path {
    let pick = |index: usize| {
        let parameter = &entry.parameters[index];
        [parameter.default, parameter.range.0, parameter.range.1][(choices >> (2 * index)) as usize % 4 % 3]
    };
    let parameters: Vec<(&str, f64)> =
        (0..entry.parameters.len()).map(|i| (entry.parameters[i].name, pick(i))).collect();
    Path::starting(entry, &parameters)
}

/// What an undo would restore: the window before the last reduction that nobody has undone.
type Before = Option<Window>;

fn play(s: &mut Path, op: &Op, before: &mut Before) {
    match *op {
        Op::Send => {
            // No sender has more than a million segments in flight.
            let supply = std::mem::replace(&mut s.supply, 1 << 20);
            s.supply = s.supply.min(supply);
            s.send();
            s.supply = supply;
        }
        Op::Ack(share, rtt) => {
            let outstanding = s.nxt - s.una;
            s.ack_bytes(outstanding * share / 1000, rtt);
        }
        Op::Duplicate(rtt) => s.ack_bytes(0, rtt),
        Op::Congestion(cause, abe) if !s.in_recovery => {
            *before = Some(s.window);
            s.congestion(cause, abe);
            s.in_recovery = true;
        }
        Op::Recovered if s.in_recovery => s.end_recovery(),
        Op::Congestion(..) | Op::Recovered => {}
        Op::Timeout(first) => {
            if first {
                *before = Some(s.window);
            }
            s.timeout(first);
            s.in_recovery = false;
        }
        Op::Undo => {
            if let Some(before) = before.take() {
                s.cc.on_undo(&mut s.window, &before);
                s.in_recovery = false;
            }
        }
        Op::Idle(time) => {
            s.una = s.nxt;
            s.now += time;
            let ctx = s.ctx();
            s.cc.on_idle_end(&mut s.window, &ctx, time);
        }
        Op::Wait(time) => s.now += time,
        Op::Supply(segments) => s.supply = segments,
        Op::Shrink(bytes) => s.mss = (s.mss - s.mss.min(bytes)).max(1),
        Op::Moved(segments) => s.window.cwnd = segments * s.mss,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_window_stays_a_window(ops in prop::collection::vec(op(), 1..200), choices in any::<u64>()) {
        for entry in CATALOGUE {
            let mut s = sender(entry, choices);
            if s.scope.window {
                continue;
            }
            let mut before = None;
            for op in &ops {
                let was = s.window;
                let una = s.una;
                play(&mut s, op, &mut before);
                let context = format!("{} {op:?}: {was:?} -> {:?}, SMSS {}", entry.name, s.window, s.mss);
                prop_assert!(s.window.cwnd >= s.mss, "{context}");
                // Arithmetic that overflowed, or a NaN taken for a volume, would be far out.
                prop_assert!(s.window.cwnd < 1 << 60, "{context}");
                prop_assert!(s.window.ssthresh >= 2 * s.mss, "{context}");
                // Growth is at most what was acknowledged, and what was earned before; but where it is to make up for RTTs.
                if matches!(op, Op::Ack(..)) && entry.name != "hybla" {
                    prop_assert!(s.window.cwnd <= was.cwnd + (s.una - una) + 2 * s.mss, "{context}");
                }
                // A response to congestion never opens the window, and the floor is two segments.
                if matches!(op, Op::Congestion(..)) {
                    prop_assert!(s.window.cwnd <= was.cwnd.max(2 * s.mss), "{context}");
                }
            }
        }
    }
}

#[test]
fn entries_are_sorted_unique_and_documented() {
    for pair in CATALOGUE.windows(2) {
        assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
    }
    for entry in CATALOGUE {
        assert!(!entry.summary.is_empty() && !entry.source.is_empty(), "{}", entry.name);
        for parameter in entry.parameters {
            let (least, most) = parameter.range;
            let what = format!("{} of {}", parameter.name, entry.name);
            assert!(least < most && (least..=most).contains(&parameter.default), "{what}");
            assert!(!parameter.summary.is_empty(), "{what}");
        }
    }
}
