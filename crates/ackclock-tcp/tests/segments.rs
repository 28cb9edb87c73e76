//! Windows in whole segments, as in Linux (`window_unit`). Segments have 1,000 bytes.

mod common;

use ackclock_tcp::cc::{Algorithm, CongestionControl, Scope};
use ackclock_tcp::config::{InitialWindow, ReductionBase, WindowUnit};
use ackclock_tcp::recovery::Recovery;
use ackclock_tcp::{Ack, Config, Context, Icmp, MILLISECOND, SECOND, Window, slow_start, stack, validation};
use common::peer::{ISS, Peer};
use common::{MSS, Script, config};

const RTT: u64 = 100 * MILLISECOND;

fn counting(window_unit: WindowUnit, initial_window: u32) -> Config {
    Config {
        window_unit,
        initial_window: InitialWindow::Segments(initial_window),
        slow_start: slow_start::by_name("linux").unwrap(),
        ..config()
    }
}

#[test]
fn linux_counts_segments_and_the_standards_count_bytes() {
    let unit = |name: &str| (stack::by_name(name).unwrap().config)().window_unit;
    assert_eq!(
        ["rfc", "linux", "linux-3.12"].map(unit),
        [WindowUnit::Bytes, WindowUnit::Segments, WindowUnit::Segments]
    );
}

#[test]
fn a_reduction_rounds_down_to_whole_segments() {
    for (unit, ssthresh) in [(WindowUnit::Segments, 5_000), (WindowUnit::Bytes, 5_500)] {
        let mut script = Script::established(&counting(unit, 11), RTT);
        script.write(11);
        script.sends();
        script.now += RTT;
        for top in 2..=4 {
            script.ack(0, &[(1, top)]);
        }
        assert_eq!(script.end.window().ssthresh, ssthresh, "{unit:?}");
    }
}

#[test]
fn an_initial_window_has_whole_segments() {
    // RFC 6928 gives 14,600 bytes for segments of 4,000.
    for (unit, cwnd) in [(WindowUnit::Segments, 12_000), (WindowUnit::Bytes, 14_600)] {
        let config = Config { mss: 4000, window_unit: unit, ..config() };
        assert_eq!(Script::established(&config, RTT).end.window().cwnd, cwnd, "{unit:?}");
    }
}

#[test]
fn a_small_segment_counts_as_a_full_one_when_it_is_acknowledged() {
    for (unit, grown) in [(WindowUnit::Segments, 10), (WindowUnit::Bytes, 1)] {
        let mut script = Script::established(&counting(unit, 10), RTT);
        for _ in 0..10 {
            script.end.write(script.now, MSS / 10);
            script.sends();
        }
        script.now += RTT;
        script.take(1, &[]);
        assert_eq!(script.cwnd(), 10 + grown, "{unit:?}");
    }
}

#[test]
fn proportional_rate_reduction_compares_with_the_window_before_the_reduction() {
    // The window has twenty segments, sixteen are in flight, and ten are the target. Linux sends a segment for every
    // two delivered, RFC 9937 ten for the fourteen that were in flight.
    for (unit, sent) in [(WindowUnit::Segments, [1, 0, 1, 0]), (WindowUnit::Bytes, [1, 1, 1, 0])] {
        let config = Config { recovery: Recovery::Prr, reduction_base: ReductionBase::Window, ..counting(unit, 20) };
        let mut script = Script::established(&config, RTT);
        script.write(16);
        script.sends();
        script.now += RTT;
        script.ack(0, &[(1, 2)]);
        script.ack(0, &[(1, 3)]);
        script.write(100);
        let counts = [4, 5, 6, 7].map(|top| script.ack(0, &[(1, top)]).len());
        assert_eq!(counts, sent, "{unit:?}");
    }
}

#[test]
fn a_smaller_path_mtu_keeps_the_number_of_segments() {
    for (unit, cwnd) in [(WindowUnit::Segments, 6_000), (WindowUnit::Bytes, 10_000)] {
        let mut peer = Peer::established(&counting(unit, 10));
        peer.end.write(peer.now, 4 * MSS);
        peer.all();
        let message = Icmp::FragmentationNeeded { mtu: 640, seq: ISS.wrapping_add(1) };
        peer.end.on_icmp(peer.now, message, &mut ());
        assert_eq!(peer.end.window().cwnd, cwnd, "{unit:?}");
    }
}

/// A congestion control with a window of forty segments.
struct Forty {
    owns: bool,
}

impl CongestionControl for Forty {
    fn on_start(&mut self, window: &mut Window, _ctx: &Context) {
        window.cwnd = 40 * MSS;
    }

    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}

    fn scope(&self) -> Scope {
        Scope { window: self.owns, slow_start: true, ..Scope::default() }
    }
}

#[test]
fn linux_does_not_restart_after_idle_where_the_congestion_control_owns_the_window() {
    for (owns, cwnd) in [(true, 40), (false, 10)] {
        let cc = Algorithm::custom("forty", move || Box::new(Forty { owns }));
        let validation = validation::by_name("linux").unwrap();
        let mut script = Script::established(&Config { validation, cc, ..counting(WindowUnit::Segments, 10) }, RTT);
        script.write(40);
        assert_eq!(script.sends().len(), 40);
        script.now += RTT;
        script.ack(40, &[]);
        script.now += 60 * SECOND;
        script.write(1);
        script.sends();
        assert_eq!(script.cwnd(), cwnd, "owns: {owns}");
    }
}
