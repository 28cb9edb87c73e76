//! Congestion control, its parameters, and what an end says of itself.

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "../../ackclock-transport/tests/quic/pipe.rs"]
mod pipe;

use ackclock_quinn::stack;
use ackclock_transport::{Event, Parameters, Role, Setup, Stack};
use pipe::{MS, Path, World, download, download_watched, first_reduction, narrow, windows};

#[test]
fn each_congestion_control_has_its_own_windows() {
    let [cubic, newreno, bbr] = ["cubic", "newreno", "bbr"].map(|cc| windows(Parameters::of(&[("cc", cc)], &[])));
    assert_eq!((cubic[0], newreno[0], bbr[0]), (12_000, 12_000, 240_000));
    // The first reduction: to 70 % (RFC 9438, section 4.6) and to one half (RFC 9002, section 7.3.2).
    assert!((0.70..0.73).contains(&first_reduction(&cubic).unwrap()), "{cubic:?}");
    assert!((0.50..0.53).contains(&first_reduction(&newreno).unwrap()), "{newreno:?}");
    assert_ne!(cubic, bbr);
}

#[test]
fn the_initial_window_is_what_leaves_in_the_first_round_trip() {
    for (given, packets) in [(0.0, 10), (24_000.0, 20), (6000.0, 5)] {
        let path = Path { parameters: Parameters::of(&[], &[("initial_window", given)]), ..Path::default() };
        let mut world = None;
        download_watched(path, 200_000, 1000 * MS, |now| {
            // The answer leaves at 30 ms, and its first ACK comes 20 ms later.
            if now.now < 50 * MS {
                world = Some(now.payload[1]);
            }
        });
        let sent = world.unwrap();
        assert!(sent > (packets - 2) * 1200 && sent <= packets * 1200, "{sent} of {packets} packets");
    }
}

#[test]
fn the_size_of_datagrams_is_the_given_one() {
    for mtu in [1200_u32, 1400, 1472] {
        let path = Path { parameters: Parameters::of(&[], &[("mtu", mtu.into())]), ..Path::default() };
        let (world, _) = download(path, 500_000, 10_000 * MS);
        let largest = world.largest[1];
        assert_eq!(largest, u64::from(mtu));
    }
    // Discovery tries at most 1452 bytes, and no more than the path carries.
    for (datagram, found) in [(1472, 1452), (1400, 1400)] {
        let path = Path { datagram, parameters: Parameters::of(&[("mtu_discovery", "on")], &[]), ..Path::default() };
        let (world, _) = download(path, 500_000, 10_000 * MS);
        assert_eq!(world.largest[1], found);
    }
}

#[test]
fn a_mark_reduces_the_window_and_nothing_is_lost() {
    let (mut clean, _) = download(Path::default(), 300_000, 10_000 * MS);
    assert_eq!(clean.ends[1].statistics().reductions, 0);
    clean.run(10_000 * MS);
    let (mut world, _) = download(Path { marked: vec![60], ..Path::default() }, 300_000, 10_000 * MS);
    world.run(10_000 * MS);
    let statistics = world.ends[1].statistics();
    assert_eq!((statistics.lost, statistics.reductions), (0, 1));
    assert!(statistics.window < clean.ends[1].statistics().window);
    assert!(statistics.threshold.is_some());
    // Without ECN nothing can be marked.
    let parameters = Parameters::of(&[("ecn", "off")], &[]);
    let (world, _) = download(Path { marked: vec![60], parameters, ..Path::default() }, 300_000, 10_000 * MS);
    assert_eq!(world.ends[1].statistics().reductions, 0);
    assert_eq!(world.capable, [0, 0]);
}

/// The state of an end as the events of its own log tell it.
#[derive(Default)]
struct Logged {
    probes: u64,
    count: u64,
    window: Option<u64>,
    flight: Option<u64>,
    srtt: Option<f64>,
    latest: Option<f64>,
}

impl Logged {
    fn take(&mut self, log: &[u8]) {
        // RFC 7464: each record begins with the record separator.
        for line in log.split(|byte| *byte == 0x1e).filter(|line| !line.is_empty()) {
            let event: serde_json::Value = serde_json::from_slice(line).unwrap();
            let data = &event["data"];
            if let Some(now) = data["pto_count"].as_u64() {
                self.probes += u64::from(now > self.count);
                self.count = now;
            }
            self.flight = data["bytes_in_flight"].as_u64().or(self.flight);
            self.window = data["congestion_window"].as_u64().or(self.window);
            self.srtt = data["smoothed_rtt"].as_f64().or(self.srtt);
            self.latest = data["latest_rtt"].as_f64().or(self.latest);
        }
    }
}

/// The bytes in flight, the latest RTT sample and the probe timeouts are not public in quinn-proto, but its own log has
/// them.
#[test]
fn the_statistics_are_those_of_the_log() {
    let mut timeouts = 0;
    for (seed, cc, window, loss, discovery) in [
        (1, "cubic", 0.0, 30, "off"),
        (2, "newreno", 0.0, 30, "off"),
        (3, "bbr", 0.0, 30, "off"),
        (4, "cubic", 2400.0, 150, "off"),
        (5, "cubic", 0.0, 30, "on"),
        (6, "cubic", 0.0, 150, "off"),
        (7, "cubic", 0.0, 250, "off"),
        (8, "cubic", 0.0, 0, "off"),
        (9, "cubic", 0.0, 0, "on"),
    ] {
        let path = Path {
            trouble: [loss, 10, 10, 0],
            // Larger probes of path MTU discovery are lost, which is no probe timeout.
            carried: 1300,
            seed,
            log: true,
            parameters: Parameters::of(&[("cc", cc), ("mtu_discovery", discovery)], &[("initial_window", window)]),
            ..Path::default()
        };
        let mut ends = [Logged::default(), Logged::default()];
        let mut checked = [0; 2];
        let (world, _) = download_watched(path, 600_000, 60_000 * MS, |world| {
            for (end, logged) in ends.iter_mut().enumerate() {
                logged.take(&world.ends[end].take_log());
                let statistics = world.ends[end].statistics();
                let now = world.now;
                assert_eq!(statistics.timeouts, logged.probes, "probe timeouts of {end} at {now}");
                // When the keys of the handshake are discarded, its packets are in flight no more for quinn-proto, and for
                // us after the next ACK, which a client may wait for.
                if !world.events.iter().all(|events| events.iter().any(|(time, _)| *time + 40 * MS < now)) {
                    continue;
                }
                assert_eq!(statistics.window, logged.window, "window of {end} at {now}");
                // The log does not tell of probes of path MTU discovery at once.
                if (end == 1 || loss == 0) && discovery == "off" {
                    assert_eq!(statistics.in_flight, logged.flight, "bytes in flight at {now}");
                }
                // The log has f32 values in ms.
                let near = |ns: Option<u64>, logged: Option<f64>| {
                    let (own, logged) = (ns.unwrap() as f64 / 1e6, logged.unwrap());
                    assert!((own - logged).abs() < 1e-3, "{own} {logged} of {end} at {now}");
                };
                near(statistics.srtt, logged.srtt);
                near(statistics.latest_rtt, logged.latest);
                checked[end] += 1;
            }
        });
        assert!(checked.iter().all(|checked| *checked > 50), "{checked:?} checks");
        timeouts += world.ends[1].statistics().timeouts;
    }
    assert!(timeouts > 5, "{timeouts} probe timeouts");
}

#[test]
fn a_planted_fault_shows() {
    let fault = |cc, fault| windows(Parameters::of(&[("cc", cc), ("fault", fault)], &[]));
    let first = |cc, name| first_reduction(&fault(cc, name));
    assert!((0.49..0.52).contains(&first("cubic", "double_reduction").unwrap()));
    assert!((0.25..0.28).contains(&first("newreno", "double_reduction").unwrap()));
    assert_eq!(first("cubic", "no_reduction"), None);
    let time = |fault| {
        download(
            Path { parameters: Parameters::of(&[("fault", fault)], &[]), ..Path::default() },
            1_000_000,
            10_000 * MS,
        )
        .1
    };
    assert!(time("slow_growth") >= time("none") + 40 * MS, "{} {}", time("slow_growth"), time("none"));
}

#[test]
fn impossible_parameters_are_all_named() {
    let error = |datagram, parameters: Parameters| {
        let setup = Setup { role: Role::Client, seed: [1; 32], datagram, parameters: &parameters, log: false };
        stack().create(0, &setup).err().expect("an error")
    };
    let many = Parameters::of(&[("cc", "bbr"), ("fault", "no_reduction")], &[("mtu", 1500.0), ("streams", 1.5)]);
    let text = error(1400, many);
    for part in
        ["`mtu` is 1500", "at most 1400 bytes", "`streams` must be a whole number, not 1.5", "`fault` needs `cc`"]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(error(1199, Parameters::default()).contains("at least 1200"));
}

#[test]
fn flow_control_holds_the_sender_back() {
    let parameters = Parameters::of(&[], &[("stream_receive_window", 20_000.0)]);
    let (_, slow) = download(Path { parameters, ..Path::default() }, 200_000, 10_000 * MS);
    let (_, fast) = download(Path::default(), 200_000, 10_000 * MS);
    // At most 20000 bytes, and the share of the window that is renewed at once, in each RTT of 20 ms.
    assert!(slow > 40 * MS + 20 * MS * 200_000 / 40_000 && slow > fast, "{slow} {fast}");
}

#[test]
fn a_sender_says_in_which_state_it_is() {
    let mut states = Vec::new();
    download_watched(narrow(Parameters::default()), 2_000_000, 60_000 * MS, |world| {
        let statistics = world.ends[1].statistics();
        let Some(state) = statistics.state else { return };
        states.push(state);
        let below = statistics.threshold.is_none_or(|threshold| statistics.window.unwrap() < threshold);
        assert!(state == "recovery" || below == (state == "slow start"), "{statistics:?}");
    });
    states.dedup();
    assert_eq!(states[..4], ["slow start", "recovery", "congestion avoidance", "recovery"]);
}

#[test]
fn thresholds_decide_what_is_lost() {
    // Datagrams that are 3 ms late are overtaken by many, and arrive later than 9/8 of the RTT of 20 ms.
    let lost = |packets, time| {
        let parameters = Parameters::of(&[], &[("packet_threshold", packets), ("time_threshold", time)]);
        let path = Path { trouble: [0, 100, 0, 0], parameters, ..Path::default() };
        download(path, 500_000, 10_000 * MS).0.ends[1].statistics().lost
    };
    assert!(lost(3.0, 2.0) > 0 && lost(1000.0, 1.0) > 0);
    assert_eq!(lost(1000.0, 2.0), 0);
}

#[test]
fn fewer_acks_are_sent_if_they_are_asked_for() {
    let acks = |given| download(Path { parameters: given, ..Path::default() }, 1_000_000, 10_000 * MS).0.sent[0];
    let (all, few) =
        (acks(Parameters::default()), acks(Parameters::of(&[("ack_frequency", "on")], &[("ack_threshold", 20.0)])));
    assert!(few * 3 < all, "{few} of {all}");
}

#[test]
fn a_write_takes_what_the_windows_allow() {
    let given = Parameters::of(&[], &[("send_window", 5000.0), ("streams", 2.0)]);
    let mut world = World::new(Path { parameters: given, ..Path::default() });
    assert!(world.until(0, 1000 * MS, |event| *event == Event::Connected));
    let now = world.now;
    let stream = world.ends[0].open(now).unwrap();
    assert!(world.ends[0].open(now).is_some());
    assert_eq!(world.ends[0].open(now), None, "a third stream");
    assert_eq!(world.ends[0].write(now, stream, &[1; 6000]), 5000);
    world.settle(0);
    assert!(world.until(0, 1000 * MS, |event| *event == Event::Writable(stream)));
    let now = world.now;
    assert!(world.ends[0].write(now, stream, &[1; 1000]) > 0);
}
