//! Behaviour that a simulated path does not show: bounds from loss, growth of the long-term bound, random numbers.

use super::*;
use crate::testing::{self, MSS};

fn context(now: Nanos, pipe: u64) -> Context {
    let rtt = Some(40 * MILLISECOND);
    Context { srtt: rtt, min_rtt: rtt, ..testing::context(now, 0..pipe) }
}

fn lost(tx_in_flight: u64, lost_since: u64, now: Nanos) -> Lost {
    let (tx_in_flight, lost_since) = (tx_in_flight * MSS, lost_since * MSS);
    Lost { ctx: context(now, 50 * MSS), len: MSS, tx_in_flight, lost_since, app_limited: false }
}

/// A flow that cruises at 1 MB/s with a BDP of 40 segments, and its window.
fn cruising() -> (Bbr, Window) {
    let mut bbr = Bbr::default();
    let mut window = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
    bbr.on_start(&mut window, &context(SECOND, 0));
    bbr.full.reached = true;
    bbr.rate.max = 1_000_000;
    bbr.bounds.bandwidth = 1_000_000;
    bbr.start_down(SECOND);
    bbr.start_cruise();
    window.cwnd = 80 * MSS;
    (bbr, window)
}

/// Delivers an acknowledgment of a segment that ends a round, with `latest` segments delivered in it.
fn end_round(bbr: &mut Bbr, window: &mut Window, latest: u64) {
    let ctx = context(2 * SECOND, 40 * MSS);
    let ack = testing::ack(ctx, MSS);
    let rate = crate::context::RateSample {
        delivered: latest * MSS,
        prior_delivered: bbr.delivered,
        interval: 40 * MILLISECOND,
        tx_in_flight: 40 * MSS,
        lost: 0,
        app_limited: false,
    };
    let delivery = Delivery { rate: Some(rate), ..testing::delivery(ack, bbr.delivered + MSS) };
    bbr.on_delivery(window, &delivery);
}

#[test]
fn a_round_with_loss_lowers_the_short_term_bounds_to_what_was_delivered() {
    let (mut bbr, mut window) = cruising();
    end_round(&mut bbr, &mut window, 40);
    bbr.on_lost(&mut window, &lost(40, 1, 2 * SECOND));
    assert_eq!(bbr.bounds.shortterm, UNBOUNDED, "the bound changes only at the end of the round");
    end_round(&mut bbr, &mut window, 39);
    // At most 40 segments were delivered in a round trip of 40 ms.
    assert_eq!((bbr.bounds.shortterm_rate, bbr.bounds.shortterm), (1_000_000, 56_700));
    end_round(&mut bbr, &mut window, 10);
    assert_eq!(bbr.bounds.shortterm, 56_700, "no loss, no change");
    bbr.on_lost(&mut window, &lost(40, 1, 2 * SECOND));
    end_round(&mut bbr, &mut window, 10);
    end_round(&mut bbr, &mut window, 10);
    assert!(bbr.bounds.shortterm <= 56_700 * 7 / 10 + 1, "{:?}", bbr.bounds);
    assert!(bbr.bounds.bandwidth == 700_000, "the factor is at least 0.7: {:?}", bbr.bounds);
    assert!(window.cwnd <= bbr.bounds.shortterm);
}

#[test]
fn much_loss_while_probing_sets_the_long_term_bound_and_ends_the_probe() {
    let (mut bbr, mut window) = cruising();
    bbr.state = State::Up;
    bbr.cycle.samples_probe = true;
    // A loss of 1 or 2 % is tolerated.
    bbr.on_lost(&mut window, &lost(100, 1, 2 * SECOND));
    bbr.on_lost(&mut window, &lost(100, 2, 2 * SECOND));
    assert_eq!((bbr.state, bbr.bounds.longterm), (State::Up, UNBOUNDED));
    bbr.on_lost(&mut window, &lost(100, 3, 2 * SECOND));
    assert_eq!((bbr.state, bbr.bounds.longterm), (State::Down, 99_000));
    assert_eq!(bbr.inflight_with_headroom(MSS), 84_150);
    // If the loss proves spurious, the probe continues.
    let (before, cycle) = (window, bbr.cycle);
    bbr.on_undo(&mut window, &before);
    assert_eq!((bbr.state, bbr.bounds.longterm), (State::Refill, UNBOUNDED));
    // Losses are answered once per probe.
    (bbr.state, bbr.bounds.longterm, bbr.cycle) = (State::Down, 99_000, cycle);
    bbr.on_lost(&mut window, &lost(50, 10, 2 * SECOND));
    assert_eq!(bbr.bounds.longterm, 99_000);
}

#[test]
fn the_bound_is_the_flight_at_which_losses_reach_the_threshold() {
    // No segment was lost in the 100 before, so 2 % may be lost: 2 segments of 98 more.
    assert_eq!(model::inflight_at_loss(&lost(101, 1, 0)), 100_000 + 2000 * 100 / 98);
    assert_eq!(model::inflight_at_loss(&lost(101, 4, 0)), 100_000);
}

#[test]
fn the_long_term_bound_grows_by_doubling_steps_while_it_is_the_limit() {
    let (mut bbr, mut window) = cruising();
    bbr.bounds.longterm = 50 * MSS;
    window.cwnd = 50 * MSS;
    bbr.start_refill();
    end_round(&mut bbr, &mut window, 40);
    assert_eq!(bbr.state, State::Up);
    let mut bounds = Vec::new();
    for _ in 0..4 {
        window.cwnd = window.cwnd.max(bbr.bounds.longterm);
        for _ in 0..window.cwnd / MSS {
            let ctx = context(2 * SECOND, 40 * MSS);
            let ack = Ack { ctx, acked: MSS, sacked: 0, lost: 0, rtt: None, cwnd_limited: true, marked: 0 };
            let rate = crate::context::RateSample {
                delivered: 40 * MSS,
                prior_delivered: bbr.delivered.saturating_sub(49 * MSS),
                interval: 40 * MILLISECOND,
                tx_in_flight: 40 * MSS,
                lost: 0,
                app_limited: false,
            };
            let delivery = Delivery { rate: Some(rate), ..testing::delivery(ack, bbr.delivered + MSS) };
            bbr.on_delivery(&mut window, &delivery);
            window.cwnd = window.cwnd.max(bbr.bounds.longterm);
        }
        bounds.push(bbr.bounds.longterm / MSS);
    }
    let steps: Vec<u64> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.windows(2).all(|pair| pair[1] >= 3 * pair[0] / 2), "{bounds:?}");
    assert_eq!(bbr.state, State::Up, "a flow limited by the bound has no plateau");
}

#[test]
fn probes_are_two_to_three_seconds_apart_and_differ_between_seeds() {
    let wait = |seed| {
        let mut bbr = Bbr::default();
        bbr.seed(seed);
        bbr.start_down(0);
        bbr.cycle
    };
    let waits: Vec<Nanos> = (0..50).map(|seed| wait(seed).wait).collect();
    assert!(waits.iter().all(|wait| (2 * SECOND..=3 * SECOND).contains(wait)));
    let mut distinct = waits.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), waits.len());
    assert!(distinct[0] < 2200 * MILLISECOND && distinct[49] > 2800 * MILLISECOND);
}

/// A flow that probes for bandwidth with 100 segments in flight, and its window.
fn probing() -> (Bbr, Window) {
    let (mut bbr, window) = cruising();
    bbr.state = State::Up;
    bbr.cycle.samples_probe = true;
    (bbr, window)
}

/// A loss at 2 s, and its recovery.
fn episode(cause: Cause) -> Congestion {
    Congestion { cause, abe: false, ctx: context(2 * SECOND, 50 * MSS) }
}

/// Checks that an undo restores the window, lifts the bound and resumes the probe.
fn assert_resumed(bbr: &mut Bbr, window: &mut Window) {
    assert_eq!(bbr.state, State::Down);
    assert!(bbr.bounds.longterm < UNBOUNDED);
    window.cwnd = 10 * MSS;
    let before = *window;
    bbr.on_undo(window, &before);
    assert_eq!((bbr.state, bbr.bounds.longterm, window.cwnd), (State::Refill, UNBOUNDED, 80 * MSS));
}

#[test]
fn a_spurious_recovery_of_several_losses_resumes_the_probe() {
    let (mut bbr, mut window) = probing();
    // The sender reports losses before it enters fast recovery.
    for lost_since in 1..=5 {
        bbr.on_lost(&mut window, &lost(100, lost_since, 2 * SECOND));
    }
    bbr.on_congestion(&mut window, &episode(Cause::Loss));
    assert_resumed(&mut bbr, &mut window);
}

#[test]
fn a_spurious_timeout_of_several_losses_resumes_the_probe() {
    let (mut bbr, mut window) = probing();
    bbr.on_timeout(&mut window, &episode(Cause::Timeout), true);
    for lost_since in 1..=5 {
        bbr.on_lost(&mut window, &lost(100, lost_since, 2 * SECOND));
    }
    assert_resumed(&mut bbr, &mut window);
}

#[test]
fn a_loss_of_a_later_episode_is_saved_anew() {
    let (mut bbr, mut window) = probing();
    for lost_since in 1..=5 {
        bbr.on_lost(&mut window, &lost(100, lost_since, 2 * SECOND));
    }
    bbr.on_congestion(&mut window, &episode(Cause::Loss));
    // The first recovery ends, and a second one begins.
    end_round(&mut bbr, &mut window, 40);
    assert!(!bbr.recovering);
    let bounds = bbr.bounds.longterm;
    bbr.on_lost(&mut window, &lost(40, 1, 3 * SECOND));
    bbr.on_congestion(&mut window, &Congestion { ctx: context(3 * SECOND, 40 * MSS), ..episode(Cause::Loss) });
    let before = window;
    bbr.on_undo(&mut window, &before);
    assert!(!matches!(bbr.state, State::Refill | State::Up), "{:?}: the first recovery was not spurious", bbr.state);
    assert_eq!(bbr.bounds.longterm, bounds);
}
