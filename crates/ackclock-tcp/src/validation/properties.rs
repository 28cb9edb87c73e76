//! Tests with random sequences of events, under every congestion control and every rule: the window stays valid.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::harness::{MSS, Sender};
use crate::{Nanos, SECOND, Window, cc, validation};

#[derive(Clone, Debug)]
enum Op {
    Send(u64),
    Ack(u64),
    BulkRound,
    Lose,
    Mark,
    ProbeRepairs(u64),
    Recover(u64),
    Timeout,
    Undo,
    Wait(Nanos),
    Srtt(Nanos),
    ReceiveWindow(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1..2000u64).prop_map(Op::Send),
        6 => (1..4_000_000u64).prop_map(Op::Ack),
        3 => Just(Op::BulkRound),
        2 => Just(Op::Lose),
        1 => Just(Op::Mark),
        1 => (1..3u64).prop_map(Op::ProbeRepairs),
        1 => Just(Op::Undo),
        2 => (0..4000u64).prop_map(Op::Recover),
        1 => Just(Op::Timeout),
        2 => (0..2 * SECOND).prop_map(Op::Wait),
        1 => (0..4000 * SECOND).prop_map(Op::Wait),
        1 => (1..5 * SECOND).prop_map(Op::Srtt),
        1 => (MSS..1000 * MSS).prop_map(Op::ReceiveWindow),
    ]
}

fn play(s: &mut Sender, op: &Op) {
    match *op {
        Op::Send(segments) => s.send(segments),
        Op::Ack(bytes) => s.ack_bytes(bytes),
        // Without loss, slow start alone would never end. The bound keeps the test short; it does not affect the rules.
        Op::BulkRound if !s.answering && s.window.cwnd < 5_000 * MSS && s.receive_window > s.window.cwnd => {
            s.bulk_round();
        }
        Op::BulkRound => {}
        // A loss within the response to a mark, and a loss of a retransmission, cause a second reduction.
        Op::Lose if !s.in_slow_start() && s.flight() > 0 => s.lose(),
        Op::Mark if !s.answering && s.flight() > 0 => s.mark(),
        Op::ProbeRepairs(segments) if !s.answering && s.flight() > 0 => s.probe_repairs(segments),
        Op::Lose | Op::Mark | Op::ProbeRepairs(_) => {}
        Op::Recover(retransmitted) if s.answering => s.recover(retransmitted),
        Op::Recover(_) => {}
        Op::Undo => s.undo(),
        Op::Timeout => s.timeout(!s.in_recovery),
        Op::Wait(time) => s.wait(time),
        Op::Srtt(srtt) => s.srtt = Some(srtt),
        Op::ReceiveWindow(bytes) => s.receive_window = bytes,
    }
}

/// Plays `ops` over every rule with a congestion control. `check` receives the sender after each operation, the
/// operation, the window before it, and a text for the failure message.
fn over_all(
    cc: usize,
    ops: &[Op],
    check: impl Fn(&Sender, &Op, &Window, &str) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    for rule in validation::CATALOGUE {
        let cc = &cc::CATALOGUE[cc];
        let mut s = Sender::with_cc(rule.name, cc.name);
        for op in ops {
            let before = s.window;
            play(&mut s, op);
            let context = format!("{} {} {op:?}: {before:?} -> {:?}", rule.name, cc.name, s.window);
            check(&s, op, &before, &context)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_window_stays_a_window(cc in 0..cc::CATALOGUE.len(), ops in prop::collection::vec(op(), 1..120)) {
        let name = cc::CATALOGUE[cc].name;
        over_all(cc, &ops, |s, op, before, context| {
            prop_assert!(s.window.cwnd >= MSS, "{context}");
            // Linux's Vegas reduces ssthresh with the window, and the bound of two segments is that of the window. The
            // authors' module of newCWV sets ssthresh to the window at the end of a recovery.
            let module = matches!(s.rule_name, "newcwv-2013" | "newcwv-2014");
            let least = if name == "vegas-linux" || module { MSS } else { 2 * MSS };
            prop_assert!(s.window.ssthresh >= least, "{context}");
            // An ACK adds at most two segments in slow start, and at most half the window after it, provided the
            // congestion control has no slow start of its own. Linux's forms add at most a segment for each segment that
            // the ACK covers, and a segment that was counted before; but Westwood's sets its estimate after a recovery.
            let estimates = name == "westwood-linux";
            // The module's own reduction comes with an ACK of the recovery, and may exceed the congestion control's.
            if let Op::Ack(bytes) = *op
                && !s.scope.slow_start
                && !estimates
                && !(module && s.answering)
            {
                let counted = if name.ends_with("-linux") { bytes + MSS } else { 0 };
                // After five minutes without validation the module raises a window below ten segments.
                let raised = if module { 10 * MSS } else { 0 };
                let most = (3 * (before.cwnd.max(raised) + 2 * MSS) / 2).max(before.cwnd + counted);
                prop_assert!(s.window.cwnd <= most, "{context}");
            }
            // pipeACK never exceeds the largest volume that was ever outstanding.
            if let Some(pipe_ack) = s.rule.report(&s.window).pipe_ack {
                prop_assert!(pipe_ack <= s.most_outstanding, "{context}: pipeACK {pipe_ack}");
            }
            if s.rule.report(&s.window).non_validated && s.rule_name == "newcwv" {
                prop_assert!(s.rule.report(&s.window).pipe_ack.is_some(), "{context}");
            }
            // The rule justifies no window above twice the largest outstanding volume.
            let most = 2 * s.most_outstanding.max(s.initial_window);
            if matches!(op, Op::Ack(_)) && s.rule_name == "ratelimited-increase" && !estimates {
                prop_assert!(s.window.cwnd <= before.cwnd.max(most), "{context}");
            }
            Ok(())
        })?;
    }

    /// A loss never raises the window, and the end of recovery never raises the window of the recovery.
    #[test]
    fn congestion_never_raises_the_window(cc in 0..cc::CATALOGUE.len(), ops in prop::collection::vec(op(), 1..80)) {
        over_all(cc, &ops, |s, op, before, context| {
            // The volume in flight may exceed a window that has since been reduced; ssthresh follows the flight. The end
            // of the module's response may exceed the window of its recovery, since it counts pipeACK.
            let module = matches!(s.rule_name, "newcwv-2013" | "newcwv-2014");
            let answers = matches!(op, Op::Lose | Op::Mark | Op::ProbeRepairs(_))
                || matches!(op, Op::Recover(_)) && !module;
            if answers && s.flight() <= before.cwnd {
                prop_assert!(s.window.cwnd <= before.cwnd.max(2 * MSS), "{context}");
            }
            Ok(())
        })?;
    }

    /// After any response to congestion, bursts of two segments are measured and do not validate a larger window.
    #[test]
    fn no_answer_lasts(cc in 0..cc::CATALOGUE.len(), ops in prop::collection::vec(op(), 1..80)) {
        for rule in ["newcwv", "newcwv-00"] {
            let mut s = Sender::with_cc(rule, cc::CATALOGUE[cc].name);
            if s.scope.window {
                continue;
            }
            for op in &ops {
                play(&mut s, op);
            }
            if s.answering {
                s.recover(0);
            }
            (s.srtt, s.receive_window) = (Some(SECOND / 10), u64::MAX);
            s.ack_bytes(s.flight());
            // After a timeout NV needs twenty RTT samples before the window grows to two segments.
            for _ in 0..30 {
                s.burst(2);
            }
            let context = format!("{rule} {}: {:?}", cc::CATALOGUE[cc].name, s.window);
            if rule == "newcwv" && s.window.cwnd >= 2 * MSS {
                prop_assert_eq!(s.pipe_ack(), Some(2), "{}", context);
            }
            // Two segments validate a window of four segments, or of three whole segments with the draft's rule.
            let validated = if rule == "newcwv" { 4 * MSS } else { 4 * MSS - 1 };
            let window = s.window.cwnd;
            s.burst(2);
            // FAST may lower a window that is not validated.
            match s.window.cwnd.cmp(&window) {
                Ordering::Equal => prop_assert_eq!(s.non_validated(), window > validated, "{}", context),
                Ordering::Greater => prop_assert!(window <= validated, "{} -> {}", context, s.window.cwnd),
                Ordering::Less => {}
            }
        }
    }
}
