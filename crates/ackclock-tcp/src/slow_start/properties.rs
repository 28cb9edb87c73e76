//! Property tests of all variants with any sequence of acknowledgments: growth is bounded, and the window remains
//! valid.

use proptest::prelude::*;

use super::CATALOGUE;
use super::harness::{Flat, MSS};
use crate::{Nanos, SECOND};

#[derive(Clone, Debug)]
enum Op {
    Send(u64),
    Ack(u64),
    Rtt(Option<Nanos>),
    Wait(Nanos),
    MayGrow(bool),
    Congestion,
    Timeout,
    Ssthresh(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1..200 * MSS).prop_map(Op::Send),
        12 => (1..40 * MSS).prop_map(Op::Ack),
        2 => prop::option::of(1..3 * SECOND).prop_map(Op::Rtt),
        4 => (0..SECOND / 10).prop_map(Op::Wait),
        1 => (0..100 * SECOND).prop_map(Op::Wait),
        1 => any::<bool>().prop_map(Op::MayGrow),
        1 => Just(Op::Congestion),
        1 => Just(Op::Timeout),
        1 => (2..1000u64).prop_map(|segments| Op::Ssthresh(segments * MSS)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn growth_is_bounded_and_windows_remain_valid(ops in prop::collection::vec(op(), 1..200), paced in any::<bool>()) {
        for entry in CATALOGUE {
            let mut s = Flat::new(entry.name, 10);
            s.slow_start.on_start(paced);
            for op in &ops {
                match *op {
                    Op::Send(bytes) => s.nxt += bytes,
                    Op::Ack(bytes) => {
                        let before = s.window;
                        let left = s.ack(bytes);
                        let context = format!("{} {op:?}: {before:?} -> {:?}, {left} left", entry.name, s.window);
                        // Growth and unused bytes together are at most the acknowledged bytes; RFC 2581 counts ACKs.
                        let most = if entry.name == "per-ack" { bytes.max(MSS) } else { bytes };
                        prop_assert!(s.window.cwnd.saturating_sub(before.cwnd) + left <= most, "{context}");
                        prop_assert!(s.window.cwnd >= MSS && s.window.ssthresh >= 2 * MSS, "{context}");
                        // Growth ends at ssthresh, and the end of slow start sets ssthresh no lower than the window.
                        prop_assert!(s.window.cwnd <= s.window.ssthresh.max(before.cwnd), "{context}");
                        prop_assert!(s.window.ssthresh <= before.ssthresh, "{context}");
                        if !s.may_grow {
                            prop_assert!(s.window.cwnd <= before.cwnd, "{context}");
                        }
                    }
                    Op::Rtt(rtt) => (s.rtt, s.srtt) = (rtt, rtt.or(s.srtt)),
                    Op::Wait(time) => s.now += time,
                    Op::MayGrow(may_grow) => s.may_grow = may_grow,
                    Op::Congestion => s.congestion(),
                    Op::Timeout => {
                        s.timeout();
                        s.window.cwnd = MSS;
                    }
                    Op::Ssthresh(bytes) => s.window.ssthresh = bytes.max(s.window.cwnd),
                }
            }
        }
    }
}
