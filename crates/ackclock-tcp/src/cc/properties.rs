//! Any sequence of what an algorithm may be told, likely or not, to every one of the catalogue: its window stays a window.

use proptest::prelude::*;

use super::{Algorithm, CATALOGUE};
use crate::Nanos;
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Lost, RateSample, RecoveryEnd, Window};

#[derive(Clone, Debug)]
enum Op {
    /// Bytes acknowledged, SACKed, lost and marked (per cent), RTT, queue of the way there, and whether the window was full.
    Ack {
        acked: u64,
        sacked: u64,
        lost: u64,
        marked: u64,
        rtt: Nanos,
        forward: Option<i64>,
        full: bool,
    },
    Loss,
    Mark,
    Timeout(bool),
    RecoveryEnd,
    Undo,
    Idle(Nanos),
    Mss(u64),
}

fn op() -> impl Strategy<Value = Op> {
    let volume = prop_oneof![3 => 1..4000u64, 1 => 1..5_000_000u64];
    let lost = prop_oneof![6 => Just(0u64), 1 => 1..100_000u64];
    let rtt = prop_oneof![6 => 1_000_000..300_000_000u64, 1 => 1..60_000_000_000u64];
    let forward = prop::option::of(-1_000_000_000..1_000_000_000i64);
    let ack = (volume, 0..5000u64, lost, 0..101u64, rtt, forward, any::<bool>());
    prop_oneof![
        20 => ack.prop_map(|(acked, sacked, lost, marked, rtt, forward, full)| {
            Op::Ack { acked, sacked, lost, marked, rtt, forward, full }
        }),
        2 => Just(Op::Loss),
        2 => Just(Op::Mark),
        1 => any::<bool>().prop_map(Op::Timeout),
        2 => Just(Op::RecoveryEnd),
        1 => Just(Op::Undo),
        1 => (0..4000 * crate::SECOND).prop_map(Op::Idle),
        1 => (100..9000u64).prop_map(Op::Mss),
    ]
}

/// What the algorithm is told, and its window.
struct State {
    window: Window,
    before: Window,
    now: Nanos,
    mss: u64,
    una: u64,
    delivered: u64,
    lost: u64,
    srtt: Nanos,
    recovering: bool,
}

impl State {
    fn ctx(&self) -> Context {
        let flight = self.window.cwnd.min(1 << 30);
        Context {
            now: self.now,
            mss: self.mss,
            initial_window: 10 * self.mss,
            snd_una: self.una,
            snd_nxt: self.una + flight,
            flight_size: flight,
            pipe: flight,
            unsent: 1 << 20,
            receive_window: u64::MAX,
            srtt: Some(self.srtt),
            min_rtt: Some(1_000_000.min(self.srtt)),
            rto: self.srtt * 2,
            in_recovery: self.recovering,
        }
    }

    fn event(&mut self, cause: Cause) -> Congestion {
        self.before = self.window;
        self.recovering = cause != Cause::Ecn;
        Congestion { cause, abe: false, ctx: self.ctx() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_window_stays_a_window(ops in prop::collection::vec(op(), 1..150), seed: u32) {
        for entry in CATALOGUE {
            let mut cc = Algorithm::from(entry).make();
            let window = Window { cwnd: 10_000, ssthresh: u64::MAX, pacing_rate: None };
            let mut s = State {
                window, before: window, now: crate::SECOND, mss: 1000, una: 0, delivered: 0, lost: 0,
                srtt: 50_000_000, recovering: false,
            };
            cc.seed(seed);
            let ctx = s.ctx();
            cc.on_start(&mut s.window, &ctx);
            for op in &ops {
                match *op {
                    Op::Ack { acked, sacked, lost, marked, rtt, forward, full } => {
                        s.now += rtt / 10;
                        (s.una, s.lost) = (s.una + acked, s.lost + lost);
                        s.srtt = (7 * s.srtt + rtt) / 8 + 1;
                        let newly = acked + sacked;
                        let sample = RateSample {
                            delivered: newly.min(s.delivered + newly),
                            prior_delivered: s.delivered / 2,
                            interval: if sacked % 7 == 0 { 0 } else { rtt },
                            tx_in_flight: s.window.cwnd.min(1 << 40),
                            lost,
                            app_limited: !full,
                        };
                        s.delivered += newly;
                        let marked = acked * marked / 100;
                        let ack = Ack { ctx: s.ctx(), acked, sacked, lost, rtt: Some(rtt), cwnd_limited: full, marked };
                        let delivery = Delivery {
                            ack,
                            newly,
                            delivered: s.delivered,
                            lost: s.lost,
                            sent_at: Some(s.now.saturating_sub(rtt)),
                            forward_delay: forward,
                            rate: Some(sample),
                        };
                        cc.on_delivery(&mut s.window, &delivery);
                        if lost > 0 {
                            let (tx_in_flight, len) = (sample.tx_in_flight, lost.min(s.mss));
                            let ctx = s.ctx();
                            let event = Lost { ctx, len, tx_in_flight, lost_since: lost, app_limited: false };
                            cc.on_lost(&mut s.window, &event);
                        }
                        if !s.recovering {
                            cc.on_ack(&mut s.window, &ack, acked);
                        }
                    }
                    Op::Loss => {
                        let event = s.event(Cause::Loss);
                        cc.on_congestion(&mut s.window, &event);
                    }
                    Op::Mark => {
                        let event = s.event(Cause::Ecn);
                        cc.on_congestion(&mut s.window, &event);
                    }
                    Op::Timeout(first) => {
                        let event = s.event(Cause::Timeout);
                        cc.on_timeout(&mut s.window, &event, first);
                        if !cc.scope().window {
                            s.window.cwnd = s.mss;
                        }
                    }
                    Op::RecoveryEnd => {
                        s.recovering = false;
                        let end = RecoveryEnd { ctx: s.ctx(), retransmitted: 0 };
                        cc.on_recovery_end(&mut s.window, &end);
                    }
                    Op::Undo => {
                        s.recovering = false;
                        let before = s.before;
                        cc.on_undo(&mut s.window, &before);
                    }
                    Op::Idle(time) => {
                        s.now += time;
                        let ctx = s.ctx();
                        cc.on_idle_end(&mut s.window, &ctx, time);
                    }
                    // A path that takes only smaller packets leaves the window.
                    Op::Mss(mss) => s.mss = mss.min(s.mss),
                }
                let context = format!("{} after {op:?}: {:?}", entry.name, s.window);
                prop_assert!(s.window.cwnd >= s.mss, "{context}");
                prop_assert!(s.window.cwnd <= 1 << 50, "{context}");
                prop_assert!(s.window.pacing_rate != Some(0), "{context}");
            }
        }
    }
}
