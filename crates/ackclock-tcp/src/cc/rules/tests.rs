//! The default rules are Reno's, and the window grows as a rule returns. Windows are in segments of 1,000 bytes.

use proptest::prelude::*;

use super::*;
use crate::cc::Reno;
use crate::context::Cause;
use crate::testing::{self, MSS, context};

struct Defaults;

impl WindowRules for Defaults {}

/// Rules with this increase, which keep 0.7 of the window on a loss.
struct Grows(f64);

impl WindowRules for Grows {
    fn increase(&mut self, _: &Situation) -> f64 {
        self.0
    }

    fn reduction(&mut self, situation: &Situation) -> f64 {
        assert_eq!(situation.cwnd(), 10.0);
        0.7
    }

    fn idle(&mut self, situation: &Situation) -> f64 {
        assert_eq!(situation.idle, 2 * SECOND);
        0.25
    }
}

fn ctx(flight: u64) -> Context {
    context(SECOND, 0..flight)
}

fn ack(cc: &mut dyn CongestionControl, window: &mut Window, acked: u64) {
    let ack = Ack { rtt: Some(SECOND / 10), ..testing::ack(ctx(window.cwnd), acked) };
    cc.on_ack(window, &ack, acked);
}

fn window(segments: u64) -> Window {
    Window { cwnd: segments * MSS, ssthresh: 2 * MSS, pacing_rate: None }
}

/// The window after `windows` windows of segments have been acknowledged, one by one.
fn grown(increase: f64, segments: u64, windows: u64) -> u64 {
    let (mut cc, mut window) = (Ruled::new(Grows(increase)), window(segments));
    for _ in 0..windows {
        for _ in 0..window.cwnd / MSS {
            ack(&mut cc, &mut window, MSS);
        }
    }
    window.cwnd
}

#[test]
fn a_window_grows_or_shrinks_by_what_the_rule_says_for_each_window_acknowledged() {
    assert_eq!(grown(0.0, 10, 5), 10_000);
    assert_eq!(grown(1.0, 10, 4), 14_000);
    assert_eq!(grown(0.25, 100, 4), 101_000, "a quarter of a segment a window");
    // Because the window grows meanwhile, a window acknowledged adds a little less than the increase.
    assert!((26_000..=29_000).contains(&grown(5.0, 10, 4)), "{}", grown(5.0, 10, 4));
    assert!((15_000..=17_000).contains(&grown(-1.0, 20, 4)), "{}", grown(-1.0, 20, 4));
    assert_eq!(grown(-5.0, 20, 50), 2000, "two segments at least");
    assert!(grown(1e9, 10, 1) <= 20_000, "no faster than slow start");
    assert_eq!(grown(f64::NAN, 10, 5), 10_000);
}

#[test]
fn reductions_and_restarts_keep_the_part_that_the_rule_says() {
    let (mut cc, mut window) = (Ruled::new(Grows(1.0)), window(10));
    cc.on_congestion(&mut window, &Congestion::loss(ctx(10_000)));
    assert_eq!((window.cwnd, window.ssthresh), (7000, 7000));
    window.cwnd = 10_000;
    cc.on_timeout(&mut window, &Congestion::timeout(ctx(8000)), true);
    assert_eq!((window.cwnd, window.ssthresh), (10_000, 5600));
    cc.on_timeout(&mut window, &Congestion::timeout(ctx(1000)), false);
    assert_eq!(window.ssthresh, 5600, "held while the same segment times out");
    // The timeout is a second.
    for (sent, idle, left) in [(0, 2 * SECOND, 10_000), (9000, SECOND, 10_000), (9000, 2 * SECOND, 2500)] {
        cc.on_idle_end(&mut window, &Context { snd_nxt: sent, ..ctx(0) }, idle);
        assert_eq!(window.cwnd, left);
    }
}

#[test]
fn a_rule_may_choose_the_first_window() {
    struct Three;
    impl WindowRules for Three {
        fn start(&mut self, situation: &Situation) -> f64 {
            assert_eq!((situation.cwnd(), situation.ssthresh()), (10.0, f64::INFINITY));
            3.0
        }
    }
    let mut first = Window { ssthresh: u64::MAX, ..window(10) };
    Ruled::new(Defaults).on_start(&mut first, &ctx(0));
    assert_eq!(first.cwnd, 10_000);
    Ruled::new(Three).on_start(&mut first, &ctx(0));
    assert_eq!(first.cwnd, 3000);
}

#[derive(Clone, Debug)]
enum Op {
    Ack(u64),
    Loss(u64),
    Mark(u64),
    Timeout(u64, bool),
    /// The window is set outside congestion avoidance.
    Moved(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        20 => (1..5000u64).prop_map(Op::Ack),
        2 => (0..200_000u64).prop_map(Op::Ack),
        2 => (1..100_000u64).prop_map(Op::Loss),
        1 => (1..100_000u64).prop_map(Op::Mark),
        1 => (1..100_000u64, any::<bool>()).prop_map(|(flight, first)| Op::Timeout(flight, first)),
        1 => (MSS..100_000u64).prop_map(Op::Moved),
    ]
}

fn play(cc: &mut dyn CongestionControl, window: &mut Window, op: &Op) {
    match *op {
        Op::Ack(acked) => ack(cc, window, acked),
        Op::Loss(flight) => cc.on_congestion(window, &Congestion::loss(ctx(flight))),
        Op::Mark(flight) => {
            cc.on_congestion(window, &Congestion { cause: Cause::Ecn, abe: false, ctx: ctx(flight) });
        }
        Op::Timeout(flight, first) => {
            cc.on_timeout(window, &Congestion::timeout(ctx(flight)), first);
            window.cwnd = MSS;
        }
        Op::Moved(cwnd) => window.cwnd = cwnd,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_default_rules_are_reno_to_the_byte(ops in prop::collection::vec(op(), 1..200)) {
        let (mut reno, mut ruled) = (Reno::default(), Ruled::new(Defaults));
        let (mut one, mut other) = (window(10), window(10));
        for op in &ops {
            play(&mut reno, &mut one, op);
            play(&mut ruled, &mut other, op);
            prop_assert_eq!(one, other, "after {:?}", op);
        }
    }
}
