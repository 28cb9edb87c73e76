//! Behaviour that a simulated path does not show: the filter of RTprop, the random phase, the window in recovery.

use super::*;
use crate::testing::{self, MSS};

fn context(now: Nanos, pipe: u64) -> Context {
    let rtt = Some(40 * MILLISECOND);
    Context { srtt: rtt, min_rtt: rtt, ..testing::context(now, 0..pipe) }
}

/// Delivers an acknowledgment of one segment after `rtt`, at a delivery rate of 1 MB/s.
fn deliver(bbr: &mut Bbr1, window: &mut Window, now: Nanos, rtt: Nanos, pipe: u64) {
    deliver_in(bbr, window, context(now, pipe), rtt);
}

/// The same in a state of the sender.
fn deliver_in(bbr: &mut Bbr1, window: &mut Window, ctx: Context, rtt: Nanos) {
    let Context { now, pipe, .. } = ctx;
    let ack = testing::ack(ctx, MSS);
    let sample = RateSample {
        delivered: 40_000,
        prior_delivered: bbr.delivered.saturating_sub(39_000),
        interval: 40 * MILLISECOND,
        tx_in_flight: pipe,
        lost: 0,
        app_limited: false,
    };
    let delivery =
        Delivery { sent_at: Some(now - rtt), rate: Some(sample), ..testing::delivery(ack, bbr.delivered + MSS) };
    bbr.on_delivery(window, &delivery);
}

/// A flow in ProbeBW with a BDP of 40 segments.
fn probing(seed: u32) -> (Bbr1, Window, Nanos) {
    let mut bbr = Bbr1::default();
    bbr.seed(seed);
    let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    let mut now = SECOND;
    bbr.on_start(&mut window, &context(now, 0));
    while !matches!(bbr.state, State::ProbeBw { .. }) {
        now += MILLISECOND;
        deliver(&mut bbr, &mut window, now, 40 * MILLISECOND, 40 * MSS);
    }
    (bbr, window, now)
}

#[test]
fn connections_begin_in_any_phase_except_the_slow_one() {
    let mut seen = [0; CYCLE.len()];
    for seed in 0..200 {
        let (bbr, ..) = probing(seed);
        let State::ProbeBw { phase, .. } = bbr.state else { unreachable!() };
        seen[phase] += 1;
    }
    assert_eq!(seen[1], 0, "{seen:?}");
    assert!(seen.iter().enumerate().all(|(phase, &count)| phase == 1 || count > 10), "{seen:?}");
}

/// Linux net/ipv4/tcp_bbr.c: the ACK that ends Startup counts the quantum that may leave next, as the gain is that of Startup
/// (bbr_packets_in_net_at_edt), and later ones do not.
#[test]
fn the_ack_that_ends_startup_counts_the_next_quantum() {
    let acks_in_drain = |pipe: u64| {
        let mut bbr = Bbr1::default();
        bbr.seed(1);
        let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
        let mut now = SECOND;
        bbr.on_start(&mut window, &context(now, 0));
        let mut drained = 0;
        while !matches!(bbr.state, State::ProbeBw { .. }) {
            now += MILLISECOND;
            deliver(&mut bbr, &mut window, now, 40 * MILLISECOND, pipe);
            drained += u32::from(bbr.state == State::Drain);
        }
        drained
    };
    // A BDP and three quanta of two are 46 segments.
    assert_eq!([44, 45, 46].map(|segments| acks_in_drain(segments * MSS)), [0, 1, 1]);
}

/// Two BDP, the segment that each ACK delivers at once, and three quanta of two, rounded up to an even number.
const WINDOW: u64 = (2 * 40 + 1 + 3 * 2 + 1) * MSS;

#[test]
fn the_window_is_two_bdp_with_aggregated_acks_and_three_quanta() {
    let (_, window, _) = probing(1);
    assert_eq!(window.cwnd, WINDOW);
}

#[test]
fn probe_rtt_begins_when_the_rtt_was_not_measured_for_ten_seconds() {
    let (mut bbr, mut window, begin) = probing(1);
    // There is a standing queue.
    let mut now = begin;
    while !matches!(bbr.state, State::ProbeRtt { .. }) {
        now += MILLISECOND;
        deliver(&mut bbr, &mut window, now, 50 * MILLISECOND, 60 * MSS);
        assert!(now < begin + 11 * SECOND);
    }
    assert_eq!(now, 11 * SECOND + MILLISECOND, "the same RTT as that of the handshake does not count");
    assert_eq!(window.cwnd, MIN_PIPE * MSS);
    assert_eq!(bbr.rtprop, 50 * MILLISECOND, "the present RTT replaces the expired one");
    // ProbeRTT lasts 200 ms from the time at which the flight is small, and a round.
    let small = now;
    while matches!(bbr.state, State::ProbeRtt { .. }) {
        now += 10 * MILLISECOND;
        deliver(&mut bbr, &mut window, now, 40 * MILLISECOND, 4 * MSS);
        assert!(now < small + SECOND);
    }
    assert!((200..600).contains(&((now - small) / MILLISECOND)), "{}", (now - small) / MILLISECOND);
    assert_eq!(window.cwnd, WINDOW, "the window is restored");
    assert_eq!(bbr.rtprop, 40 * MILLISECOND);
}

#[test]
fn a_recovery_conserves_packets_for_a_round_and_restores_the_window() {
    let (mut bbr, mut window, now) = probing(1);
    bbr.on_congestion(&mut window, &Congestion::loss(context(now, 50 * MSS)));
    assert_eq!(window.cwnd, 51 * MSS);
    let mut lossy = |lost: u64, in_recovery: bool, window: &mut Window| {
        let ctx = Context { in_recovery, ..context(now + MILLISECOND, 48 * MSS) };
        let ack = Ack { sacked: MSS, lost, ..testing::ack(ctx, 0) };
        let sample = RateSample {
            delivered: MSS,
            prior_delivered: 0,
            interval: 0,
            tx_in_flight: 50 * MSS,
            lost,
            app_limited: false,
        };
        let delivery = Delivery { lost, rate: Some(sample), ..testing::delivery(ack, bbr.delivered + MSS) };
        bbr.on_delivery(window, &delivery);
    };
    lossy(2 * MSS, true, &mut window);
    assert_eq!(window.cwnd, 49 * MSS, "lost data reduce the window, and delivered data may be replaced");
    lossy(0, true, &mut window);
    assert_eq!(window.cwnd, 49 * MSS, "no growth");
    lossy(0, false, &mut window);
    assert_eq!(window.cwnd, WINDOW, "the window is restored");
}

/// Linux leaves one recovery and enters the next before it calls the module, which therefore sees one recovery.
#[test]
fn an_ack_that_ends_a_recovery_and_starts_the_next_continues_it() {
    let (mut bbr, mut window, mut now) = probing(1);
    bbr.on_congestion(&mut window, &Congestion::loss(context(now, 50 * MSS)));
    while bbr.recovery.conserves() {
        now += MILLISECOND;
        let ctx = Context { in_recovery: true, ..context(now, 48 * MSS) };
        deliver_in(&mut bbr, &mut window, ctx, 40 * MILLISECOND);
    }
    let before = window.cwnd;
    now += MILLISECOND;
    deliver(&mut bbr, &mut window, now, 40 * MILLISECOND, 30 * MSS);
    assert_eq!(window.cwnd, WINDOW, "the window is restored");
    bbr.on_congestion(&mut window, &Congestion::loss(context(now, 30 * MSS)));
    assert_eq!(window.cwnd, before + MSS, "and is not, once it is known that the recovery goes on");
    assert!(!bbr.recovery.conserves(), "packets are conserved in the first round alone");
    now += MILLISECOND;
    deliver(&mut bbr, &mut window, now, 40 * MILLISECOND, 30 * MSS);
    assert_eq!(window.cwnd, WINDOW, "the window before the first loss");
    // A loss that a later ACK shows starts a recovery of its own.
    bbr.on_congestion(&mut window, &Congestion::loss(context(now + MILLISECOND, 30 * MSS)));
    assert_eq!((window.cwnd, bbr.recovery.conserves()), (31 * MSS, true));
}

#[test]
fn the_loss_of_a_retransmission_starts_no_recovery_but_after_a_timeout() {
    let (mut bbr, mut window, now) = probing(1);
    bbr.on_congestion(&mut window, &Congestion::loss(context(now, 50 * MSS)));
    (bbr.recovery, window.cwnd) = (Recovery::Fast { conserving: false }, 70 * MSS);
    bbr.on_congestion(&mut window, &Congestion::loss(context(now + MILLISECOND, 40 * MSS)));
    assert_eq!((window.cwnd, bbr.recovery.conserves()), (70 * MSS, false));
    bbr.on_timeout(&mut window, &Congestion::timeout(context(now + SECOND, 2 * MSS)), true);
    assert_eq!((window.cwnd, bbr.recovery.conserves()), (3 * MSS, false));
    window.cwnd = 20 * MSS;
    bbr.on_congestion(&mut window, &Congestion::loss(context(now + 2 * SECOND, 10 * MSS)));
    assert_eq!((window.cwnd, bbr.recovery.conserves()), (11 * MSS, true));
}

#[test]
fn the_first_phase_lasts_until_the_next_segment_would_exceed_its_target() {
    // 5/4 BDP, three quanta of two, and the two segments of this phase: 58, of which the next packet has two.
    for (pipe, wait, phase) in
        [(54, 0, 0), (55, 0, 1), (55, MILLISECOND - 1, 1), (55, MILLISECOND, 0), (56, MILLISECOND, 1)]
    {
        let first = |bbr: &Bbr1| matches!(bbr.state, State::ProbeBw { phase: 0, .. });
        let (mut bbr, _, now) = (0..).map(probing).find(|(bbr, ..)| first(bbr)).expect("a seed");
        let now = now + 41 * MILLISECOND;
        let ctx = Context { release: now + wait, ..context(now, pipe * MSS) };
        bbr.check_phases(&testing::ack(ctx, MSS));
        let State::ProbeBw { phase: reached, .. } = bbr.state else { unreachable!() };
        assert_eq!(reached, phase, "{pipe} segments, {wait} ns before the next");
    }
}

#[test]
fn the_quantum_is_a_millisecond_of_the_pacing_rate() {
    for (pacing, segments) in [(149_999, 1), (150_000, 2), (3_071_999, 2), (3_072_000, 3), (1_000_000_000, 65)] {
        assert_eq!(Bbr1 { pacing, ..Bbr1::default() }.quantum(MSS), segments, "{pacing} bytes/s");
    }
    assert_eq!(Bbr1 { pacing: 1_000_000_000, ..Bbr1::default() }.quantum(100), 127, "at most");
}

#[test]
fn rtprop_begins_with_the_handshake() {
    let mut bbr = Bbr1::default();
    let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    bbr.on_start(&mut window, &context(SECOND, 0));
    deliver(&mut bbr, &mut window, SECOND + 41 * MILLISECOND, 41 * MILLISECOND, 9 * MSS);
    assert_eq!(bbr.rtprop, 40 * MILLISECOND, "RTTs of data are longer");
}

#[test]
fn a_timeout_leaves_a_segment_and_the_next_ack_four() {
    let (mut bbr, mut window, now) = probing(1);
    bbr.on_timeout(&mut window, &Congestion::timeout(context(now, 0)), true);
    assert_eq!(window.cwnd, MSS);
    let recovering = Context { in_recovery: true, ..context(now + MILLISECOND, 0) };
    let ack = testing::ack(recovering, MSS);
    let sample = RateSample {
        delivered: MSS,
        prior_delivered: bbr.delivered,
        interval: 0,
        tx_in_flight: MSS,
        lost: 0,
        app_limited: false,
    };
    let delivery = Delivery { rate: Some(sample), ..testing::delivery(ack, bbr.delivered + MSS) };
    bbr.on_delivery(&mut window, &delivery);
    assert_eq!(window.cwnd, MIN_PIPE * MSS);
}

#[test]
fn rates_of_probe_rtt_do_not_end_startup() {
    let mut bbr = Bbr1::default();
    let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    let mut now = SECOND;
    bbr.on_start(&mut window, &context(now, 0));
    let mut step = |bbr: &mut Bbr1, app_limited: bool, pipe: u64| {
        now += 10 * MILLISECOND;
        let ctx = context(now, pipe);
        let sample = RateSample {
            delivered: 4 * MSS,
            prior_delivered: bbr.delivered.saturating_sub(3 * MSS),
            interval: 40 * MILLISECOND,
            tx_in_flight: pipe,
            lost: 0,
            app_limited,
        };
        let ack = testing::ack(ctx, MSS);
        let rtt = Some(now - 50 * MILLISECOND);
        let delivery = Delivery { sent_at: rtt, rate: Some(sample), ..testing::delivery(ack, bbr.delivered + MSS) };
        bbr.on_delivery(&mut window, &delivery);
    };
    while !matches!(bbr.state, State::ProbeRtt { .. }) {
        step(&mut bbr, true, 4 * MSS);
    }
    while matches!(bbr.state, State::ProbeRtt { .. }) {
        step(&mut bbr, false, 4 * MSS);
    }
    assert_eq!((bbr.state, bbr.filled), (State::Startup, false));
    // Three rounds that ProbeRTT does not limit end it.
    for _ in 0..60 {
        step(&mut bbr, false, 4 * MSS);
    }
    assert!(bbr.filled);
}
