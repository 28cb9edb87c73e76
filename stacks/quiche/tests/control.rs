//! Congestion control, its parameters, and what an end says of itself.

#[allow(dead_code, reason = "each test uses a part of it")]
#[path = "../../../crates/ackclock-transport/tests/quic/pipe.rs"]
mod pipe;

use ackclock_quiche::stack;
use ackclock_transport::{Parameters, Role, Setup, Stack};
use pipe::{MS, Path, World, download, download_watched, first_reduction, windows};

#[test]
fn each_congestion_control_has_its_own_windows() {
    let [cubic, reno, bbr] = ["cubic", "reno", "bbr2"].map(|cc| windows(Parameters::of(&[("cc", cc)], &[])));
    assert_eq!((cubic[0], reno[0], bbr[0]), (12_000, 12_000, 12_000));
    // The first reduction: to 70 % (RFC 9438, section 4.6) and to one half (RFC 9002, section 7.3.2).
    assert!((0.69..0.73).contains(&first_reduction(&cubic).unwrap()), "{cubic:?}");
    assert!((0.49..0.53).contains(&first_reduction(&reno).unwrap()), "{reno:?}");
    assert_ne!(cubic, bbr);
}

#[test]
fn the_initial_window_is_what_leaves_in_the_first_round_trip() {
    for packets in [10_u64, 20, 5] {
        let given = Parameters::of(&[], &[("initial_window_packets", packets as f64)]);
        let mut sent = 0;
        download_watched(Path { parameters: given, ..Path::default() }, 200_000, 1000 * MS, |world| {
            // The answer leaves at 30 ms, and its first ACK comes 20 ms later.
            if world.now < 50 * MS {
                sent = world.payload[1];
            }
        });
        assert!(sent > (packets - 2) * 1200 && sent <= packets * 1200, "{sent} of {packets} packets");
    }
}

#[test]
fn the_size_of_datagrams_is_the_given_one() {
    for mtu in [1200_u32, 1400, 1472] {
        let path = Path { parameters: Parameters::of(&[], &[("mtu", mtu.into())]), ..Path::default() };
        assert_eq!(download(path, 500_000, 10_000 * MS).0.largest[1], u64::from(mtu));
    }
    // Probes find out that the path carries less. Those that are lost do not count as losses.
    let given = Parameters::of(&[("mtu_discovery", "on")], &[("mtu", 1472.0)]);
    let (world, _) = download(Path { carried: 1350, parameters: given, ..Path::default() }, 2_000_000, 20_000 * MS);
    assert_eq!((world.largest[1], world.ends[1].statistics().lost), (1472, 0));
}

#[test]
fn pacing_spreads_the_datagrams_of_bbr2() {
    let most_at_once = |pacing| {
        let path = Path {
            rate: 20_000_000,
            parameters: Parameters::of(&[("cc", "bbr2"), ("pacing", pacing)], &[]),
            ..Path::default()
        };
        let (mut most, mut last) = (0, (0, 0));
        download_watched(path, 2_000_000, 20_000 * MS, |world| {
            if world.now > 500 * MS {
                if last.0 != world.now {
                    last = (world.now, world.sent[1]);
                }
                most = most.max(world.sent[1] - last.1);
            }
        });
        most
    };
    assert!(most_at_once("on") <= 4, "{}", most_at_once("on"));
}

#[test]
fn hystart_ends_slow_start_before_a_loss() {
    let ends = |hystart| {
        let given = Parameters::of(&[("cc", "reno"), ("hystart", hystart)], &[]);
        // A queue without a limit, in which the RTT grows and nothing is lost.
        let path = Path { rate: 10_000_000, queue: usize::MAX, parameters: given, ..Path::default() };
        let (world, _) = download(path, 5_000_000, 60_000 * MS);
        let statistics = world.ends[1].statistics();
        assert_eq!((statistics.lost, statistics.reductions), (0, 0));
        statistics.threshold.is_some()
    };
    assert_eq!([ends("on"), ends("off")], [true, false]);
}

/// RFC 9438, section 4.9, lets a sender take back a reduction when the losses were spurious. quiche takes it back when
/// fewer datagrams were lost than a fifth of the window, whether they have arrived or not. The page that compares the
/// stacks says so.
#[test]
fn cubic_takes_back_the_reduction_for_a_single_loss_and_reno_does_not() {
    let thresholds = |cc| {
        let path = Path { trouble: [3, 0, 0, 0], parameters: Parameters::of(&[("cc", cc)], &[]), ..Path::default() };
        let mut thresholds = Vec::new();
        download_watched(path, 4_000_000, 60_000 * MS, |world| {
            let statistics = world.ends[1].statistics();
            thresholds.extend(statistics.threshold);
        });
        thresholds.dedup();
        thresholds
    };
    let returns = |thresholds: &[u64]| thresholds.windows(3).filter(|three| three[0] == three[2]).count();
    let [cubic, reno] = ["cubic", "reno"].map(thresholds);
    assert!(cubic.len() > 4 && returns(&cubic) * 2 + 2 >= cubic.len() - 1, "{cubic:?}");
    assert!(reno.len() > 4 && returns(&reno) == 0, "{reno:?}");
}

#[test]
fn no_datagram_is_ecn_capable() {
    let (world, _) = download(Path::default(), 100_000, 10_000 * MS);
    assert_eq!(world.capable, [0, 0]);
}

/// The window and the RTTs are in quiche's interface and in its log; what only the log has must agree with them.
#[test]
fn the_statistics_of_the_log_agree_with_the_interface() {
    for (seed, cc) in [(1, "cubic"), (2, "reno"), (3, "bbr2")] {
        let path = Path {
            trouble: [30, 10, 10, 0],
            seed,
            log: true,
            parameters: Parameters::of(&[("cc", cc)], &[]),
            ..Path::default()
        };
        let mut logged = [[None; 3]; 2];
        let mut checked = 0;
        download_watched(path, 600_000, 60_000 * MS, |world| {
            for (end, logged) in logged.iter_mut().enumerate() {
                let log = world.ends[end].take_log();
                for record in log.split(|byte| *byte == 0x1e).filter(|record| !record.is_empty()) {
                    let data = &serde_json::from_slice::<serde_json::Value>(record).unwrap()["data"];
                    for (value, name) in logged.iter_mut().zip(["congestion_window", "bytes_in_flight", "ssthresh"]) {
                        *value = data[name].as_u64().or(*value);
                    }
                }
                let statistics = world.ends[end].statistics();
                let [window, in_flight, threshold] = *logged;
                if window.is_some() {
                    assert_eq!((statistics.window, statistics.in_flight), (window, in_flight), "{cc} at {}", world.now);
                    assert_eq!(statistics.threshold, threshold.filter(|threshold| *threshold < u64::MAX));
                    checked += 1;
                }
            }
        });
        assert!(checked > 100, "{checked} checks of {cc}");
    }
}

#[test]
fn impossible_parameters_are_all_named() {
    let error = |datagram, parameters: Parameters| {
        let setup = Setup { role: Role::Client, seed: [1; 32], datagram, parameters: &parameters, log: false };
        stack().create(0, &setup).err().expect("an error")
    };
    let many = Parameters::of(&[], &[("mtu", 1500.0), ("streams", 1.5), ("receive_window", 1e9)]);
    let text = error(1400, many);
    for part in [
        "`mtu` is 1500",
        "at most 1400 bytes",
        "`streams` must be a whole number, not 1.5",
        "`largest_receive_window` is 25165824",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(error(1199, Parameters::default()).contains("at least 1200"));
}

#[test]
fn flow_control_holds_the_sender_back() {
    let small =
        Parameters::of(&[], &[("stream_receive_window", 20_000.0), ("largest_stream_receive_window", 20_000.0)]);
    let (_, slow) = download(Path { parameters: small, ..Path::default() }, 200_000, 10_000 * MS);
    let (_, fast) = download(Path::default(), 200_000, 10_000 * MS);
    // At most 20000 bytes, and the half of the window that is renewed at once, in each RTT of 20 ms.
    assert!(slow > 40 * MS + 20 * MS * 200_000 / 40_000 && slow > fast, "{slow} {fast}");
}

#[test]
fn streams_are_as_many_as_the_peer_allows() {
    let mut world = World::new(Path { parameters: Parameters::of(&[], &[("streams", 3.0)]), ..Path::default() });
    world.run(100 * MS);
    for (end, first) in [(0, 0), (1, 1)] {
        let opened: Vec<_> = (0..5).map(|_| world.ends[end].open(100 * MS)).collect();
        assert_eq!(opened, [Some(first), Some(first + 4), Some(first + 8), None, None]);
    }
}

/// The log has simulated times and the fixed date, and nothing of the system's.
#[test]
fn the_log_has_simulated_times() {
    let path = Path { log: true, ..Path::default() };
    let (mut world, time) = download(path, 10_000, 1000 * MS);
    for end in [0, 1] {
        let log = String::from_utf8(world.ends[end].take_log()).unwrap();
        let mut records = log.split('\x1e').filter(|record| !record.is_empty());
        assert!(records.next().unwrap().contains("2026-01-01T00:00:00"));
        let times: Vec<f64> = records
            .map(|record| serde_json::from_str::<serde_json::Value>(record).unwrap()["time"].as_f64().unwrap())
            .collect();
        assert!(times.len() > 20 && times.is_sorted(), "{times:?}");
        let [first, last] = [times[0], times[times.len() - 1]];
        // The answer leaves at 30 ms.
        assert!(first < 20.0 && (30.0..=(time / MS) as f64).contains(&last), "{times:?}");
    }
}
