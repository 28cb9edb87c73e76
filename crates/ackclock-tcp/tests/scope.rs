//! The calls that a congestion control gets, and the tasks that are left to it, according to its [`cc::Scope`]. Numbers
//! are segments.

mod common;

use std::sync::{Arc, Mutex};

use ackclock_tcp::cc::{self, CongestionControl, Scope};
use ackclock_tcp::config::Restart;
use ackclock_tcp::context::{Ack, Congestion, Context, Delivery, Lost, Window};
use ackclock_tcp::recovery::{self, Recovery};
use ackclock_tcp::{Config, Flags, MILLISECOND, Nanos, Rate, SECOND, State};
use common::path::{HEADERS, Path};
use common::peer::{Peer, syn};
use common::{MSS, RTT, Script, config, in_flight, linux};

/// Record of the calls to a congestion control.
#[derive(Default)]
struct Log {
    deliveries: Vec<Delivery>,
    losses: Vec<Lost>,
    sent: u64,
    congestion: u64,
    timeouts: u64,
    syns: Vec<Nanos>,
}

/// A congestion control with a constant window and rate that asks for everything.
struct Still {
    scope: Scope,
    window: u64,
    rate: Option<Rate>,
    log: Arc<Mutex<Log>>,
}

impl CongestionControl for Still {
    fn on_syn_acknowledged(&mut self, rtt: Nanos) {
        self.log.lock().unwrap().syns.push(rtt);
    }
    fn on_start(&mut self, window: &mut Window, _ctx: &Context) {
        (window.cwnd, window.pacing_rate) = (self.window * MSS, self.rate);
    }
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}
    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {
        self.log.lock().unwrap().congestion += 1;
    }
    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion, _first: bool) {
        self.log.lock().unwrap().timeouts += 1;
    }
    fn scope(&self) -> Scope {
        self.scope
    }
    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        self.log.lock().unwrap().deliveries.push(*delivery);
    }
    fn on_lost(&mut self, _window: &mut Window, lost: &Lost) {
        self.log.lock().unwrap().losses.push(*lost);
    }
    fn on_sent(&mut self, _window: &mut Window, _ctx: &Context) {
        self.log.lock().unwrap().sent += 1;
    }
}

const ALL: Scope = Scope {
    slow_start: true,
    window: true,
    deliveries: true,
    rates: true,
    losses: true,
    sends: true,
    paces: true,
    gap: false,
    routers: true,
    proportional: true,
    keeps_threshold: false,
    coupled: false,
    every_ack: true,
    reductions: true,
};

/// Returns `base` with a constant window of `window` segments, and the log of its congestion control.
fn asking(scope: Scope, base: Config, window: u64, rate: Option<Rate>) -> (Config, Arc<Mutex<Log>>) {
    let log = Arc::new(Mutex::new(Log::default()));
    let shared = log.clone();
    let make = move || -> Box<dyn CongestionControl> { Box::new(Still { scope, window, rate, log: shared.clone() }) };
    (Config { cc: cc::Algorithm::custom("still", make), ..base }, log)
}

fn still(base: Config, window: u64, rate: Option<Rate>) -> (Config, Arc<Mutex<Log>>) {
    asking(ALL, base, window, rate)
}

/// Reported losses, as (tx_in_flight, lost_since) in segments.
fn losses(log: &Arc<Mutex<Log>>) -> Vec<(u64, u64)> {
    log.lock().unwrap().losses.iter().map(|lost| (lost.tx_in_flight / MSS, lost.lost_since / MSS)).collect()
}

/// Linux tells its modules of the RTT of a SYN, which is in the queue of what waits for acknowledgment as data is; a SYN-ACK
/// is not.
#[test]
fn the_rtt_of_a_syn_is_reported_and_that_of_a_syn_ack_is_not() {
    let (config, log) = asking(Scope::default(), config(), 10, None);
    Peer::established(&config);
    assert_eq!(log.lock().unwrap().syns, [RTT]);
    let (config, log) = asking(Scope::default(), config, 10, None);
    let (mut peer, answer) = Peer::accepted(&config, &syn(Flags::default()));
    peer.now += RTT;
    let mut ack = peer.segment(0, 0, 0);
    ack.ack = answer.seq.wrapping_add(1);
    peer.give(&ack);
    assert_eq!((peer.end.state(), peer.end.info(peer.now).rtt), (State::Established, RTT));
    assert_eq!(log.lock().unwrap().syns, []);
}

mod rates {
    use super::*;

    /// 1,040,000 bytes per second on the wire: a thousand full segments per second.
    const RATE: u64 = 1000 * (MSS + HEADERS);

    #[test]
    fn samples_are_the_rate_of_the_link() {
        // The window is twice the bandwidth-delay product: the link is never idle and the queue never empty.
        let (config, log) = still(config(), 200, None);
        let mut path = Path::new(&config, RATE, 50 * MILLISECOND, 1000);
        path.client.write(0, 1 << 30);
        path.run(5 * SECOND);
        let log = log.lock().unwrap();
        let late: Vec<&Delivery> = log.deliveries.iter().filter(|d| d.ack.ctx.now > SECOND).collect();
        assert!(late.len() > 1000);
        for delivery in late {
            let sample = delivery.rate.expect("every ACK delivers");
            let rate = sample.rate().expect("of a whole round trip").bytes();
            // There is an ACK for each two segments: the delivered volume is known to that precision.
            assert!(rate.abs_diff(1000 * MSS) <= 11 * MSS, "{rate} {sample:?}");
            assert!(!sample.app_limited);
            assert_eq!((sample.lost, sample.tx_in_flight), (0, 200 * MSS));
        }
    }

    #[test]
    fn the_window_is_the_rate_where_the_path_is_not_full() {
        let (config, log) = still(config(), 50, None);
        let mut path = Path::new(&config, RATE, 50 * MILLISECOND, 1000);
        path.client.write(0, 1 << 30);
        path.run(5 * SECOND);
        let log = log.lock().unwrap();
        let mut rates = log.deliveries.iter().skip(100).filter_map(|d| d.rate?.rate().map(Rate::bytes));
        let most = 50 * MSS * SECOND / RTT;
        assert!(rates.all(|rate| rate <= most + 11 * MSS), "bursts leave and arrive faster, but not in all");
    }

    #[test]
    fn a_pacing_rate_is_kept() {
        // The pacing rate is half of the link's rate, with a window that would allow all of it.
        let (config, log) = still(config(), 200, Some(Rate::of_bytes(RATE / 2)));
        let mut path = Path::new(&config, RATE, 50 * MILLISECOND, 1000);
        path.client.write(0, 1 << 30);
        path.run(5 * SECOND);
        let gaps: Vec<Nanos> = path.arrivals.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
        assert!(gaps.len() > 2000);
        assert!(gaps.iter().all(|&gap| gap == 2 * MILLISECOND), "{:?}", gaps.iter().min());
        assert_eq!(path.arrivals.iter().map(|arrival| arrival.2).max(), Some(0));
        let log = log.lock().unwrap();
        let rate = log.deliveries.last().unwrap().rate.unwrap().rate().unwrap().bytes();
        assert!(rate.abs_diff(500 * MSS) <= 11 * MSS, "{rate}");
        assert!(
            log.deliveries.iter().skip(60).all(|d| !d.rate.unwrap().app_limited),
            "paced is not application-limited"
        );
    }

    #[test]
    fn what_the_application_limits_is_flagged_until_it_has_gone() {
        let (config, log) = still(config(), 200, None);
        let mut path = Path::new(&config, RATE, 50 * MILLISECOND, 1000);
        // Two segments are sent every 10 ms: the pipe is never full and never empty.
        for step in 0..100 {
            path.run(step * 10 * MILLISECOND);
            path.client.write(path.now, 2 * MSS);
        }
        let before = log.lock().unwrap().deliveries.len();
        let sent = path.client.sent();
        assert!(log.lock().unwrap().deliveries.iter().all(|d| d.rate.unwrap().app_limited));
        // Now there is enough to send. Segments sent earlier, and segments sent until those are delivered, still count
        // as limited.
        path.client.write(path.now, 1 << 30);
        path.run(3 * SECOND);
        let log = log.lock().unwrap();
        let samples: Vec<_> = log.deliveries[before..].iter().map(|d| d.rate.unwrap()).collect();
        let first = samples.iter().position(|sample| !sample.app_limited).expect("it ends");
        assert!(first > 0 && samples[first..].iter().all(|sample| !sample.app_limited));
        assert!(samples[first - 1].prior_delivered <= sent && samples[first].prior_delivered > sent);
    }

    #[test]
    fn a_write_after_a_pause_is_limited_though_data_is_outstanding() {
        let (config, log) = still(config(), 20, None);
        let mut script = Script::established(&config, RTT);
        script.write(25);
        assert_eq!(script.sends().len(), 20);
        script.now += RTT;
        assert_eq!(script.ack(10, &[]).len(), 5);
        // No ACK reports the 20 ms in which no data could be sent.
        script.now += 20 * MILLISECOND;
        script.write(5);
        assert_eq!(script.sends().len(), 5);
        script.now += 80 * MILLISECOND;
        script.ack(25, &[]);
        script.now += 20 * MILLISECOND;
        script.ack(30, &[]);
        let limited: Vec<bool> = log.lock().unwrap().deliveries.iter().map(|d| d.rate.unwrap().app_limited).collect();
        assert_eq!(limited, [true, false, true], "the first flight is, since nothing waited when it was written");
    }

    #[test]
    fn a_retransmission_after_the_last_data_is_limited_but_not_in_linux() {
        for (base, expected) in [(config(), true), (linux(), false)] {
            let (config, log) = still(base, 20, None);
            let mut script = Script::established(&config, RTT);
            script.write(25);
            assert_eq!(script.sends().len(), 20);
            script.now += RTT;
            assert_eq!(script.ack(10, &[]).len(), 5);
            script.now += MILLISECOND;
            assert_eq!(script.ack(10, &[(11, 20)]), [10]);
            script.now += RTT;
            script.ack(25, &[]);
            let log = log.lock().unwrap();
            let last = log.deliveries.last().unwrap().rate.unwrap();
            assert_eq!(last.app_limited, expected);
        }
    }

    #[test]
    fn what_waits_for_the_pacer_is_not_limited_by_the_application() {
        let (config, log) = still(config(), 20, Some(Rate::of_bytes(10 * MSS)));
        let mut script = Script::established(&config, RTT);
        script.write(1);
        script.end.write(script.now, 500);
        assert_eq!(script.sends(), [0]);
        script.now += 50 * MILLISECOND;
        assert_eq!(script.ack(1, &[]), []);
        script.now = script.end.next_timeout();
        assert_eq!(script.sends(), [1]);
        script.now += RTT;
        script.write(1);
        script.now += RTT;
        script.sends();
        script.ack(2, &[]);
        let limited: Vec<bool> = log.lock().unwrap().deliveries.iter().map(|d| d.rate.unwrap().app_limited).collect();
        assert_eq!(limited, [true, false]);
    }

    #[test]
    fn what_sent_again_is_a_probe_does_not_begin_a_flight() {
        let (config, log) = still(linux(), 10, None);
        let mut script = Script::established(&config, RTT);
        script.write(1);
        script.sends();
        let sent = script.now;
        script.expire();
        assert_eq!(script.sends(), [0], "a tail loss probe");
        script.now += 50 * MILLISECOND;
        script.ack(1, &[]);
        let log = log.lock().unwrap();
        let sample = log.deliveries.last().unwrap().rate.unwrap();
        assert_eq!(sample.interval, script.now - sent);
    }
}

mod delays {
    use super::*;

    #[test]
    fn the_forward_delay_follows_the_queue() {
        for queue in [0, 100] {
            let window = 100 + queue;
            let (config, log) = still(Config { timestamps: true, delayed_ack: 0, ..config() }, window, None);
            let rate = 1000 * (MSS - 12 + HEADERS);
            let mut path = Path::new(&config, rate, 50 * MILLISECOND, 1000);
            path.client.write(0, 1 << 30);
            path.run(3 * SECOND);
            let log = log.lock().unwrap();
            let delays: Vec<i64> = log.deliveries.iter().map(|d| d.forward_delay.unwrap() / 1_000_000).collect();
            let (first, last) = (delays[0], *delays.last().unwrap());
            // The clocks have a resolution of a millisecond: each of the two readings may be off by one.
            let waits = last - first;
            assert!((waits - queue as i64).abs() <= 2, "{queue} segments wait a millisecond each: {waits}");
        }
    }

    #[test]
    fn without_timestamps_there_is_none() {
        let (config, log) = still(config(), 10, None);
        let mut script = Script::established(&config, RTT);
        script.write(2);
        script.sends();
        script.ack(2, &[]);
        assert_eq!(log.lock().unwrap().deliveries[0].forward_delay, None);
    }

    #[test]
    fn the_time_of_sending_is_that_of_the_newest_segment_if_it_was_sent_once() {
        let (config, log) = still(config(), 10, None);
        let mut script = Script::established(&config, RTT);
        script.write(4);
        script.sends();
        script.now += 10 * MILLISECOND;
        script.write(4);
        let second = script.now;
        script.sends();
        script.now += RTT;
        script.ack(0, &[(3, 6)]);
        script.now += RTT;
        script.ack(3, &[(3, 6)]);
        let sent: Vec<_> = log.lock().unwrap().deliveries.iter().map(|d| d.sent_at).collect();
        assert_eq!(sent, [Some(second), None], "what was sent again may be what arrived, or not");
    }
}

mod told {
    use super::*;

    #[test]
    fn a_segment_lost_is_told_once() {
        for base in [config(), linux()] {
            let (config, log) = still(base, 20, None);
            let mut script = in_flight(&config, 20, 100);
            script.ack(2, &[(3, 4)]);
            script.ack(2, &[(3, 5)]);
            script.ack(2, &[(3, 6)]);
            // For each of the two segments acknowledged in order, one more segment is in flight.
            assert_eq!(losses(&log), [(3, 1)], "2 was the third segment in flight");
            script.ack(2, &[(3, 8)]);
            script.ack(2, &[(3, 10)]);
            assert_eq!(losses(&log).len(), 1);
        }
    }

    #[test]
    fn deliveries_and_losses_add_up() {
        let (config, log) = still(linux(), 20, None);
        let mut script = in_flight(&config, 20, 100);
        script.ack(0, &[(4, 20)]);
        script.now += RTT;
        script.ack(20, &[]);
        let log = log.lock().unwrap();
        let last = log.deliveries.last().unwrap();
        assert_eq!((last.delivered / MSS, last.lost / MSS), (20, 4));
        assert_eq!(log.deliveries.iter().map(|d| d.newly).sum::<u64>(), 20 * MSS);
        assert_eq!(log.losses.iter().map(|l| l.lost_since / MSS).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(log.losses.iter().map(|l| l.tx_in_flight / MSS).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn a_retransmission_that_is_lost_is_told_again() {
        let (config, log) = still(linux(), 20, None);
        let mut script = in_flight(&config, 20, 100);
        assert!(script.ack(0, &[(1, 5)]).contains(&0));
        assert_eq!(losses(&log).len(), 1);
        // A segment sent after the retransmission arrives, and the time for reordering has passed.
        script.now += RTT;
        script.ack(0, &[(1, 19)]);
        script.now += RTT;
        script.ack(0, &[(1, 24)]);
        script.wait(RTT);
        let told = losses(&log);
        let of_zero = told.iter().filter(|lost| lost.0 < 20).count();
        assert!(of_zero >= 2, "{told:?}");
        script.wait(0);
        assert_eq!(losses(&log).len(), told.len());
    }

    #[test]
    fn a_timeout_tells_of_everything_that_is_lost() {
        let sacked: &[(u64, u64)] = &[(5, 6)];
        let without_sack = Config { sack: false, ..config() };
        let trials = [(config(), sacked, 19), (Config { rack: true, ..config() }, &[], 20), (without_sack, &[], 20)];
        for (base, blocks, expected) in trials {
            let (config, log) = still(base, 20, None);
            let mut script = in_flight(&config, 20, 20);
            script.ack(0, blocks);
            script.expire();
            assert_eq!(losses(&log).len(), expected);
            // The segment is retransmitted and lost again.
            assert!(!script.sends().is_empty());
            script.expire();
            assert!(losses(&log).len() > expected);
            assert_eq!(log.lock().unwrap().timeouts, 2);
        }
    }

    #[test]
    fn what_duplicate_and_partial_acknowledgments_reveal_is_told_without_sack() {
        let (config, log) = still(Config { sack: false, ..config() }, 20, None);
        let mut script = in_flight(&config, 20, 100);
        for _ in 0..3 {
            script.ack(0, &[]);
        }
        assert_eq!(losses(&log), [(1, 1)]);
        script.now += RTT;
        script.ack(5, &[]);
        assert_eq!(losses(&log), [(1, 1), (6, 2)], "the next hole");
    }

    #[test]
    fn tahoe_gives_up_the_flight() {
        let scope = Scope { losses: true, ..Scope::default() };
        let (config, log) = asking(scope, Config { recovery: Recovery::Tahoe, ..config() }, 20, None);
        let mut script = in_flight(&config, 20, 100);
        script.ack(0, &[(1, 4)]);
        assert_eq!(losses(&log).len(), 17, "of what is outstanding only what was SACKed is spared");
    }

    #[test]
    fn every_segment_sent_is_told() {
        let (config, log) = still(linux(), 20, None);
        let mut script = in_flight(&config, 20, 100);
        assert_eq!(log.lock().unwrap().sent, 20);
        let more = script.ack(0, &[(1, 5)]).len() as u64;
        assert!(more > 1);
        assert_eq!(log.lock().unwrap().sent, 20 + more);
    }

    #[test]
    fn who_asks_for_losses_alone_is_told() {
        let (config, log) = asking(Scope { losses: true, ..Scope::default() }, config(), 20, None);
        let mut script = in_flight(&config, 20, 100);
        script.ack(0, &[(1, 5)]);
        assert_eq!(losses(&log).len(), 1);
    }
}

mod window {
    use super::*;

    /// Runs `script` through a fast recovery, a timeout and idle time; `check` is called after each step.
    fn trials(base: &Config) {
        let (config, log) = still(base.clone(), 20, None);
        let mut script = Script::established(&config, RTT);
        let unmoved = |script: &Script, step: &str| {
            assert_eq!(script.end.window().cwnd, 20 * MSS, "{step}, {:?}", config.recovery);
        };
        script.write(40);
        assert_eq!(script.sends().len(), 20);
        script.now += RTT;
        unmoved(&script, "start");
        for end in 3..=19 {
            script.ack(0, &[(1, end)]);
            unmoved(&script, "fast recovery");
        }
        assert_eq!(log.lock().unwrap().congestion, 1);
        script.now += RTT;
        script.ack(20, &[]);
        unmoved(&script, "a partial acknowledgment");
        script.ack(script.end.sent() / MSS, &[]);
        unmoved(&script, "the end of fast recovery");
        script.write(20);
        script.sends();
        while log.lock().unwrap().timeouts == 0 {
            script.expire();
            script.sends();
            unmoved(&script, "a timeout");
        }
        script.now += RTT;
        script.ack(script.end.sent() / MSS, &[]);
        unmoved(&script, "the end of a timeout's recovery");
        script.wait(100 * SECOND);
        script.write(40);
        assert_eq!(script.sends().len(), 20);
        unmoved(&script, "a restart after idle");
    }

    #[test]
    fn it_stays_through_every_recovery_of_every_rule() {
        for entry in recovery::CATALOGUE {
            let recovery = entry.recovery;
            trials(&Config { recovery, restart: Restart::Rfc5681, ..config() });
            trials(&Config { recovery, ..linux() });
        }
    }

    #[test]
    fn it_stays_when_a_probe_repairs_a_loss() {
        let (config, log) = still(linux(), 10, None);
        let mut script = Script::established(&config, RTT);
        script.write(5);
        script.sends();
        script.expire();
        assert_eq!(script.sends(), [4]);
        script.write(5);
        script.sends();
        script.now += RTT;
        // The ACK is beyond the probe. The loss must not count twice: the probe's segment was lost before.
        script.ack(6, &[]);
        assert_eq!(log.lock().unwrap().congestion, 1, "it is told of the loss");
        assert_eq!(script.cwnd(), 10);
    }

    #[test]
    fn it_stays_when_a_timeout_proves_to_be_real() {
        let (config, _) = still(Config { frto: true, ..config() }, 10, None);
        let mut script = Script::established(&config, RTT);
        script.write(20);
        script.sends();
        script.expire();
        assert_eq!(script.sends()[0], 0);
        script.ack(1, &[]);
        script.ack(1, &[(3, 4)]);
        assert_eq!(script.cwnd(), 10);
    }

    #[test]
    fn all_that_is_lost_at_a_timeout_may_be_sent_again_at_once() {
        // The timeout reports the volume that is left in the network, so that an algorithm can leave room for one
        // segment.
        let left = Arc::new(Mutex::new(None));
        struct Timeout(Arc<Mutex<Option<u64>>>);
        impl CongestionControl for Timeout {
            fn on_ack(&mut self, _: &mut Window, _: &Ack, _: u64) {}
            fn on_congestion(&mut self, _: &mut Window, _: &Congestion) {}
            fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _: bool) {
                *self.0.lock().unwrap() = Some(event.ctx.pipe);
                window.cwnd = event.ctx.pipe + event.ctx.mss;
            }
            fn scope(&self) -> Scope {
                Scope { window: true, ..Scope::default() }
            }
        }
        let shared = left.clone();
        let make = move || -> Box<dyn CongestionControl> { Box::new(Timeout(shared.clone())) };
        let config = Config { cc: cc::Algorithm::custom("timeout", make), ..config() };
        let mut script = Script::established(&config, RTT);
        script.write(10);
        script.sends();
        script.expire();
        assert_eq!(*left.lock().unwrap(), Some(0));
        assert_eq!(script.sends(), [0]);
    }
}
