//! Slow start and window validation in a whole endpoint: the calls from the sender, and delivery with every
//! combination.

mod common;

use ackclock_tcp::careful_resume::Saved;
use ackclock_tcp::config::{InitialWindow, ReductionBase};
use ackclock_tcp::pacing::Pacing;
use ackclock_tcp::slow_start::{self, Sample, SlowStart};
use ackclock_tcp::{Ack, Config, Congestion, MILLISECOND, Nanos, SECOND, Window, stack, validation};
use common::{MSS, Pair, Script, config};

const RTT: Nanos = 100 * MILLISECOND;

fn with_rule(name: &str) -> Config {
    Config { validation: validation::by_name(name).unwrap(), ..config() }
}

#[test]
fn every_slow_start_and_rule_delivers_over_a_lossy_path() {
    let saved = Some(Saved { cwnd: 400 * MSS, rtt: RTT, max_jump: u64::MAX });
    for slow_start in slow_start::CATALOGUE {
        for rule in validation::CATALOGUE {
            for (sack, careful_resume) in [(true, None), (true, saved), (false, saved)] {
                let client = Config { slow_start, validation: rule, sack, careful_resume, ..config() };
                // Every 97th segment is lost, and sometimes a whole flight.
                let lossy =
                    |number: u64, to_server: bool, _: &_| !to_server || number % 97 != 96 && number % 1500 < 1494;
                let mut pair = Pair::new(&client, &Config { sack, ..config() }, lossy);
                for burst in 0..4 {
                    pair.ends[0].write(pair.now, 500 * MSS);
                    pair.run((burst + 1) * 60 * SECOND);
                }
                let context = format!("{} {} sack {sack} resume {careful_resume:?}", slow_start.name, rule.name);
                assert_eq!(pair.ends[1].received(), 2000 * MSS, "{context}");
            }
        }
    }
}

/// Shows its calls in the window: a million bytes if pacing is on, ten million for each loss, a hundred million for
/// each timeout.
#[derive(Default)]
struct Probe {
    told: u64,
}

impl SlowStart for Probe {
    fn on_start(&mut self, paced: bool) {
        self.told += u64::from(paced) * 1_000_000;
    }

    fn on_ack(&mut self, window: &mut Window, _ack: &Ack, may_grow: bool) -> u64 {
        window.cwnd = 10 * MSS + self.told + 7 * u64::from(!may_grow);
        0
    }

    fn on_congestion(&mut self, _event: &Congestion) {
        self.told += 10_000_000;
    }

    fn on_timeout(&mut self, _event: &Congestion) {
        self.told += 100_000_000;
    }
}

static PROBE: slow_start::Entry =
    slow_start::Entry { name: "probe", summary: "", source: "", make: || Box::new(Probe::default()) };

#[test]
fn slow_start_learns_of_pacing_losses_timeouts_and_of_acks_that_may_not_grow() {
    let fq = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3000, initial: 0 };
    for (pacing, paced) in [(Pacing::Off, 0), (fq, 1_000_000)] {
        let mut s = Script::established(&Config { pacing, slow_start: &PROBE, ..with_rule("linux") }, RTT);
        s.write(2);
        s.sends();
        s.wait(RTT);
        s.ack(1, &[]);
        assert_eq!(s.end.window().cwnd, 10 * MSS + paced + 7, "two of ten are in use");
        s.write(100);
        for _ in 0..40 {
            s.sends();
            s.wait(10 * MILLISECOND);
        }
        // A loss, whose recovery ends at the recovery point, and a timeout are followed by slow start.
        s.ack(2, &[(3, 6)]);
        while s.ssthresh() > 1 << 40 {
            s.ack(2, &[(3, 7)]);
        }
        s.expire();
        s.sends();
        s.ack(3, &[]);
        assert_eq!(s.end.window().cwnd, 10 * MSS + paced + 110_000_000);
    }
}

/// A slow start that ends with the first ACK.
struct Over;

impl SlowStart for Over {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, _may_grow: bool) -> u64 {
        window.ssthresh = window.cwnd;
        ack.acked
    }
}

static OVER: slow_start::Entry = slow_start::Entry { name: "over", summary: "", source: "", make: || Box::new(Over) };

#[test]
fn what_validation_forbids_is_forbidden_in_congestion_avoidance_too() {
    for (rule, cwnd) in [("linux", 10), ("none", 12)] {
        let mut s = Script::established(&Config { slow_start: &OVER, ..with_rule(rule) }, RTT);
        for round in 0..12 {
            burst(&mut s, 2 * round, 2);
        }
        assert_eq!(s.cwnd(), cwnd, "{rule}: 24 segments acknowledged");
    }
}

#[test]
fn hystart_plus_plus_counts_whole_acks_where_segments_are_paced() {
    let fq = Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 30_000, initial: 0 };
    let slow_start = slow_start::by_name("hystart++").unwrap();
    for (pacing, cwnd) in [(Pacing::Off, 18), (fq, 20)] {
        let mut s = Script::established(&Config { slow_start, pacing, ..config() }, RTT);
        s.write(10);
        assert_eq!(s.sends().len(), 10);
        s.wait(RTT);
        s.ack(10, &[]);
        assert_eq!(s.cwnd(), cwnd);
    }
}

/// Writes and sends `segments` segments; returns the windows after each of their ACKs, one ACK per segment.
fn burst(s: &mut Script, from: u64, segments: u64) -> Vec<u64> {
    s.write(segments);
    assert_eq!(s.sends().len() as u64, segments);
    s.wait(RTT);
    (from + 1..=from + segments)
        .map(|ack| {
            s.ack(ack, &[]);
            s.cwnd()
        })
        .collect()
}

#[test]
fn the_vectors_of_rate_limited_increase_hold_in_an_endpoint() {
    let mut s = Script::established(&with_rule("ratelimited-increase"), RTT);
    assert_eq!(burst(&mut s, 0, 4), [11, 12, 13, 14]);
    assert_eq!(burst(&mut s, 4, 8), [15, 16, 17, 18, 19, 20, 20, 20]);
    assert_eq!(burst(&mut s, 12, 4), [20; 4]);
    assert_eq!(burst(&mut s, 16, 20), (21..=40).collect::<Vec<_>>());
}

#[test]
fn linux_grows_to_twice_what_was_outstanding() {
    let mut s = Script::established(&with_rule("linux"), RTT);
    for round in 0..4 {
        burst(&mut s, 8 * round, 8);
    }
    assert_eq!(s.cwnd(), 16);
}

#[test]
fn newcwv_00_freezes_a_window_of_which_less_than_two_thirds_are_used() {
    let mut s = Script::established(&with_rule("newcwv-00"), RTT);
    burst(&mut s, 0, 6);
    assert_eq!(s.cwnd(), 10);
    // First ten segments are used, then nine of eleven and eight of twelve; seven of thirteen are too few.
    burst(&mut s, 6, 10);
    assert_eq!(s.cwnd(), 13);
}

#[test]
fn newcwv_reduces_from_what_was_in_flight_whatever_the_stack_reduces_from() {
    for reduction_base in [ReductionBase::FlightSize, ReductionBase::Window] {
        let mut s = Script::established(&Config { reduction_base, ..with_rule("newcwv") }, RTT);
        burst(&mut s, 0, 10);
        for round in 0..12 {
            burst(&mut s, 10 + 2 * round, 2);
        }
        assert!(s.cwnd() >= 20, "kept though a tenth of it is used");
        s.write(6);
        s.sends();
        s.wait(RTT);
        for last in 36..=40 {
            s.ack(34, &[(35, last)]);
        }
        // RFC 7661 section 4.4.1: (max(pipeACK, LossFlightSize) - R)/2 = (6 - 1)/2.
        s.ack(40, &[]);
        assert_eq!(s.cwnd(), 2, "{reduction_base:?}");
    }
}

/// Twenty segments in flight; the first is lost, and the others and those of limited transmit are SACKed.
fn lossy(growth_after_state: bool) -> Script {
    let (initial_window, reduction_base) = (InitialWindow::Segments(20), ReductionBase::Window);
    let config = Config { growth_after_state, initial_window, reduction_base, ..with_rule("none") };
    let mut s = Script::established(&config, RTT);
    s.write(1000);
    s.sends();
    s.wait(RTT);
    s
}

/// Linux 6.12 net/ipv4/tcp_input.c, tcp_cong_control: tcp_fastretrans_alert has ended the recovery before.
#[test]
fn an_acknowledgment_that_ends_a_recovery_grows_the_window_by_the_state_after_it() {
    for (growth_after_state, more) in [(false, 0), (true, 1)] {
        let mut s = lossy(growth_after_state);
        for top in 2..=20 {
            s.ack(0, &[(1, top)]);
        }
        s.wait(RTT);
        let una = s.end.sent() / MSS;
        let before = s.ssthresh();
        s.ack(una, &[]);
        // Congestion avoidance counts a window of acknowledged segments for each segment of growth.
        assert_eq!(s.cwnd(), before + more, "{growth_after_state}");
    }
}

#[test]
fn an_acknowledgment_that_begins_a_recovery_does_not_grow_the_window_by_the_state_after_it() {
    for (growth_after_state, ssthresh) in [(false, 11), (true, 10)] {
        let mut s = lossy(growth_after_state);
        // Two segments arrive with those that show the loss of the third one: slow start would grow the window to 22.
        s.ack(2, &[(3, 9)]);
        assert_eq!(s.ssthresh(), ssthresh, "{growth_after_state}");
    }
}

/// Takes the samples of each ACK, in milliseconds, into ssthresh.
#[derive(Default)]
struct Samples;

impl SlowStart for Samples {
    fn takes_samples(&self) -> bool {
        true
    }

    fn on_sample(&mut self, window: &mut Window, sample: &Sample) {
        window.ssthresh = 1_000_000_000 + sample.rtt / MILLISECOND;
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _may_grow: bool) -> u64 {
        0
    }
}

static SAMPLES: slow_start::Entry =
    slow_start::Entry { name: "samples", summary: "", source: "", make: || Box::new(Samples) };

/// Linux net/ipv4/tcp_input.c, tcp_clean_rtx_queue: ca_rtt_us is of the last segment, seq_rtt_us of the first one.
#[test]
fn slow_start_has_the_rtt_of_the_newest_segment_while_srtt_has_that_of_the_oldest() {
    let mut linux = (stack::by_name("linux").unwrap().config)();
    linux.slow_start = &SAMPLES;
    let mut s = Script::established(&linux, RTT);
    let sample = |s: &Script| s.end.window().ssthresh - 1_000_000_000;
    s.write(1);
    s.sends();
    s.wait(30 * MILLISECOND);
    s.write(3);
    s.sends();
    s.wait(70 * MILLISECOND);
    s.ack(3, &[]);
    assert_eq!(sample(&s), 70, "two segments that were sent 100 and 70 ms ago");
    s.wait(10 * MILLISECOND);
    s.ack(3, &[]);
    assert_eq!(sample(&s), 70, "no news");
}
