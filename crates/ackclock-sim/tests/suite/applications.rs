//! Applications over TCP, in whole runs.

use std::collections::BTreeMap;

use ackclock_results::{Column, Table};
use ackclock_scenario::{Outside, Scenario};
use ackclock_sim::Run;

struct Done {
    tables: BTreeMap<&'static str, Table>,
    slots: usize,
}

fn run(text: &str, overrides: &[(&str, &str)], seed: u64) -> Done {
    let overrides: Vec<_> = overrides.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::from_toml(text, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(&scenario, Some(seed)).unwrap();
    while run.step(10_000) {}
    Done { slots: run.slots(), tables: run.finish().tables }
}

impl Done {
    fn ints(&self, table: &str, column: &str) -> Vec<i64> {
        match self.tables[table].column(column) {
            Some(Column::Int(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
            other => panic!("{column} is {other:?}"),
        }
    }

    fn floats(&self, table: &str, column: &str) -> Vec<f64> {
        match self.tables[table].column(column) {
            Some(Column::Float(cells)) => cells.iter().map(|cell| cell.unwrap()).collect(),
            other => panic!("{column} is {other:?}"),
        }
    }

    fn rows(&self) -> usize {
        self.tables.values().map(Table::len).sum()
    }
}

/// A geostationary satellite of 40 Mbit/s. A session is a page with one object of 3 kB. Its connection lasts three and
/// a half round trips of 600 ms: handshake, request and answer, two FINs and the last acknowledgment.
const SATELLITE: &str = include_str!("../../../../scenarios/satellite-web.toml");

/// With a thousand sessions per second, the number of open sessions does not grow with the run, and closed sessions
/// leave nothing behind.
#[test]
fn a_thousand_web_sessions_a_second_take_the_memory_of_those_open() {
    let [short, long] = ["10s", "100s"].map(|duration| run(SATELLITE, &[("duration", duration)], 1));
    for (done, seconds) in [(&short, 10), (&long, 100)] {
        let sessions = done.ints("web", "sessions")[0];
        // The number is Poisson; the bound is 4.5 standard deviations.
        assert!((sessions as f64 - 1000.0 * f64::from(seconds)).abs() < 4.5 * (1000.0 * f64::from(seconds)).sqrt());
        assert_eq!(done.ints("web", "connections"), [sessions]);
        assert_eq!(done.ints("web", "objects_failed"), [0]);
        // All sessions are done except those of slightly more than the last two round trips.
        assert!(done.ints("web", "sessions_done")[0] > sessions - 1_500);
        assert_eq!(done.slots as i64, done.ints("web", "connections_max")[0]);
        assert!((2_000..2_400).contains(&done.slots), "{} at once", done.slots);
        assert!(done.rows() < 1_000, "{} rows", done.rows());
    }
    assert!(long.slots < short.slots + 200, "{} in 10 s, {} in 100 s", short.slots, long.slots);
}

#[test]
fn response_times_are_those_of_the_path() {
    let done = run(SATELLITE, &[("flows[0].app.sessions_per_second", "10"), ("duration", "20s")], 1);
    // The time is two round trips of 600 ms, and the object's time on the link and on two access links at ten times its
    // rate.
    let (p50, mean) = (done.floats("completions", "p50_s"), done.floats("completions", "mean_s"));
    assert!((1.2..1.205).contains(&p50[0]) && (1.2..1.205).contains(&mean[0]), "{p50:?} {mean:?}");
    let slowdown = done.floats("completions", "slowdown_p50");
    assert!((slowdown[0] - 2.0).abs() < 0.01, "{slowdown:?}: a handshake more than the ideal");
    let bins: i64 = done.ints("completion_bins", "count").iter().sum();
    assert_eq!(bins, done.ints("completions", "count").iter().sum::<i64>());
}

/// The least time is 10 ms for what the source sends on its own and 20 ms for an answer, and 0.8 ms at the bottleneck
/// for the 1,000 bytes. Headers and access links add less than a tenth, and a handshake a round trip.
#[test]
fn the_ideal_time_has_no_handshake() {
    let text = "duration = '3s'\nbottleneck = { rate = '10Mbps', delay = '10ms' }\n[[flows]]\napp = 'bulk'\n";
    let apps = [
        ("{ kind = 'transfer', size = '1kB' }", 20.0 / 10.8),
        ("{ kind = 'list', items = [{ at = '0s', size = '1kB' }] }", 20.0 / 10.8),
        ("{ kind = 'list', items = [{ at = '0s', size = '1kB' }], persistent = true }", 20.0 / 10.8),
        ("{ kind = 'onoff', off = '1s', size = '1kB' }", 20.0 / 10.8),
        ("{ kind = 'bursts', size = '1kB', interval = '1s' }", 0.0),
        ("{ kind = 'rpc', response_size = '1kB', request_size = '1B', rounds = 1 }", 20.0 / 20.8),
        ("{ kind = 'web', users = 1, object_size = '1kB', request_size = '1B' }", 20.0 / 20.8),
    ];
    for (app, round_trip) in apps {
        for (handshake, more) in [("none", 0.0), ("three-way", round_trip)] {
            let done = run(text, &[("flows[0].app", app), ("flows[0].handshake", handshake)], 1);
            let slowdown = done.floats("completions", "slowdown_p50")[0];
            assert!((1.0 + more..1.1 + more).contains(&slowdown), "{app}, handshake {handshake}: {slowdown}");
        }
    }
}

const COPIES: &str = r#"
duration = "60s"
bottleneck = { rate = "100Mbps", delay = "10ms" }
access = { source_delay = { kind = "uniform", min = "5ms", max = "15ms" }, sink_delay = "10ms" }
[[flows]]
stack = 'rfc'
name = "file"
count = 40
app = { kind = "transfer", size = "10kB" }
arrival = { kind = "poisson", rate = 2.0 }
"#;

#[test]
fn copies_arrive_as_a_poisson_process_and_the_late_ones_never() {
    let starts: Vec<f64> = (1..=20)
        .flat_map(|seed| {
            let done = run(COPIES, &[], seed);
            let starts = done.floats("flows", "start_s");
            assert_eq!(starts.len(), 40);
            assert!(starts.is_sorted() && starts[0] > 0.0);
            starts.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
        })
        .collect();
    let n = starts.len() as f64;
    let mean = starts.iter().sum::<f64>() / n;
    assert!((mean - 0.5).abs() < 4.5 * 0.5 / n.sqrt(), "{mean}");
    let above = starts.iter().filter(|gap| **gap > 1.0).count() as f64 / n;
    let expected = libm::exp(-2.0);
    assert!((above - expected).abs() < 4.5 * (expected * (1.0 - expected) / n).sqrt(), "{above}");
    let short = run(COPIES, &[("duration", "5s")], 1);
    let transfers = short.tables["transfers"].len();
    assert!(transfers < 30 && transfers > 0, "{transfers}");
    assert_eq!(short.tables["flows"].len(), 40);
}

#[test]
fn copies_start_at_an_interval() {
    let staggered = [("flows[0].arrival", "{ kind = 'staggered', interval = '1s' }"), ("flows[0].start", "2s")];
    let starts = run(COPIES, &staggered, 1).floats("flows", "start_s");
    assert_eq!(starts, (2..42).map(f64::from).collect::<Vec<_>>());
    let together = run(COPIES, &[("flows[0].arrival", "together")], 1).floats("flows", "start_s");
    assert_eq!(together, [0.0; 40]);
}

/// The smallest RTT is twice the three delays plus the packets' times on the links.
#[test]
fn every_copy_has_delays_of_its_own() {
    let rtt = |seed, overrides: &[(&str, &str)]| {
        run(COPIES, &[&[("flows[0].arrival", "{ kind = 'staggered', interval = '1s' }")], overrides].concat(), seed)
            .floats("flows", "min_rtt_ms")
    };
    let (first, again, other) = (rtt(1, &[]), rtt(1, &[]), rtt(2, &[]));
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert!(first.iter().all(|rtt| (50.0..70.5).contains(rtt)), "{first:?}");
    let mean = first.iter().sum::<f64>() / 40.0;
    // The standard deviation of twice a uniform time from 5 to 15 ms is 5.8 ms.
    assert!((mean - 60.2).abs() < 4.5 * 5.8 / 40f64.sqrt(), "{mean}");
    let mut ascending = first.clone();
    ascending.sort_by(f64::total_cmp);
    ascending.dedup();
    assert!(ascending.len() > 35, "they differ");
    // A copy does not depend on the other copies.
    assert_eq!(rtt(1, &[("flows[0].count", "20")])[..], first[..20]);
}

const INCAST: &str = r#"
duration = "2s"
bottleneck = { rate = "1Gbps", delay = "20us", queue = "64 packets" }
[[flows]]
stack = 'rfc'
name = "rpc"
min_rto = "200ms"
app = { kind = "rpc", servers = 2, response_size = "32kB", rounds = 20 }
"#;

/// Few servers fill the queue and lose nothing; many lose whole windows and wait for the retransmission timer
/// (Phanishayee et al. 2008).
#[test]
fn many_servers_at_once_collapse() {
    let few = run(INCAST, &[], 1);
    let many = run(INCAST, &[("flows[0].app.servers", "64")], 1);
    assert_eq!((few.ints("flows", "timeouts")[0], few.tables["rounds"].len()), (0, 20));
    assert!(many.ints("flows", "timeouts")[0] > 0);
    let slowdown = |done: &Done| done.floats("completions", "slowdown_p50")[0];
    assert!(slowdown(&few) < 3.0, "{}", slowdown(&few));
    assert!(slowdown(&many) > 5.0, "{}", slowdown(&many));
}

/// Thirty-two servers with access links as fast as the client's answer with ten segments each, the initial window. Of
/// these 320 packets, 64 wait and some twelve leave while the others arrive. Servers on one host are serialised by its
/// access link, so that no packet waits at the bottleneck.
#[test]
fn each_server_has_an_access_link_of_its_own() {
    let text = format!("access = {{ rate = '1Gbps' }}\n{}", INCAST.trim());
    let drops = |hosts: &[(&str, &str)]| {
        let servers = [("flows[0].app.servers", "32"), ("flows[0].app.response_size", "14600B"), ("duration", "1ms")];
        run(&text, &[&servers, hosts].concat(), 1).ints("links", "drops")[0]
    };
    let own = drops(&[]);
    assert!((230..=256).contains(&own), "{own}");
    assert_eq!(drops(&[("flows[0].app.server_hosts", "1")]), 0);
    let shared = drops(&[("flows[0].app.server_hosts", "4")]);
    assert!((1..own).contains(&shared), "{shared}");
}

/// Twenty users, each on a line of 2 Mbit/s, load a link of 100 Mbit/s with more than 2 Mbit/s.
#[test]
fn each_host_of_the_web_has_an_access_link_of_its_own() {
    let text = "
duration = '20s'
bottleneck = { rate = '100Mbps', delay = '5ms' }
access = { rate = '2Mbps' }
[[flows]]
name = 'web'
app = { kind = 'web', users = 20, object_size = '200kB', think = '100ms' }
";
    let goodput = |hosts: &str| run(text, &[("flows[0].app.hosts", hosts)], 1).floats("flows", "goodput_bps")[0];
    let (one, four, many) = (goodput("1"), goodput("4"), goodput("20"));
    assert!(one < 2e6 && (6e6..8e6).contains(&four) && many > 15e6, "{one} {four} {many}");
}

/// A burst of other flows puts 12 s of queue before a flow whose RTT is 50 ms. The flow's timer expires although
/// nothing is lost, and its timestamps show this.
#[test]
fn timeouts_that_the_sender_undoes_are_counted() {
    let text = r#"
duration = "40s"
bottleneck = { rate = "100kbps", delay = "20ms", queue = "unlimited" }
[[flows]]
stack = 'rfc'
app = "bulk"
receive_buffer = "6kB"
timestamps = true
[[flows]]
stack = 'rfc'
app = { kind = "transfer", size = "146kB" }
start = "5s"
initial_window = 100
"#;
    let run = |eifel| {
        let done = run(text, &[("flows[0].eifel", eifel)], 1);
        (done.ints("flows", "timeouts")[0], done.ints("flows", "spurious_timeouts")[0])
    };
    let (timeouts, undone) = run("true");
    assert!(undone > 0 && undone <= timeouts, "{undone} of {timeouts}");
    let (timeouts, undone) = run("false");
    assert!(timeouts > 0 && undone == 0, "{undone} of {timeouts}");
}

/// 100 kB and a second of silence, repeated: a handshake of 40 ms and slow start, each time or only once.
#[test]
fn on_periods_over_one_connection_have_one_handshake_and_keep_the_window() {
    let text = "duration = '10s'\n[bottleneck]\nrate = '100Mbps'\ndelay = '20ms'\n\
                [[flows]]\nstack = 'rfc'\napp = { kind = 'onoff', size = '100kB', off = '1s' }\n";
    let durations = |overrides: &[(&str, &str)]| {
        let done = run(text, overrides, 1);
        let table = &done.tables["onoff"];
        let Some(Column::Float(durations)) = table.column("duration_s") else { panic!("{table:?}") };
        (durations[..5].iter().map(|cell| cell.unwrap()).collect::<Vec<_>>(), done)
    };
    let persistent = ("flows[0].app.persistent", "true");
    let (fresh, done) = durations(&[]);
    assert!(fresh.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 1e-9), "{fresh:?}");
    // The window restarts after each second of idleness (RFC 5681), so only the handshake is saved.
    let (restarted, _) = durations(&[persistent]);
    assert!((restarted[0] - fresh[0]).abs() < 1e-9, "{restarted:?}");
    assert!(restarted[1..].iter().all(|took| (fresh[0] - took - 0.040).abs() < 0.002), "{fresh:?} {restarted:?}");
    // Without a restart all segments are sent at once: the time is half a round trip plus 8.2 ms on the link.
    let (kept, one) = durations(&[persistent, ("flows[0].restart_after_idle", "off")]);
    assert!(kept[3..].iter().all(|took| (took - 0.029).abs() < 0.002), "{kept:?}");
    assert_eq!(one.ints("flows", "timeouts"), [0]);
    let connected = |done: &Done| done.ints("flows", "segments_sent")[0] - done.ints("flows", "data_segments_sent")[0];
    assert!(connected(&done) > 2 * connected(&one), "a SYN and a FIN each time");
}

/// A request of 300 B is answered by 12.5 kB after 10 ms of think time; 200 ms later both are repeated. Then follow
/// one-way data at 2 s, and data in both directions.
const VECTORS: &str = "SEQ 100000 2 4 4\n> 300\nt 10000\n< 12500\nt 200000\n> 300\nt 10000\n< 12500\n\
                       SEQ 2000000 1 4 4\n< 50000\nCONC 3000000 2 1 4 4\nc> 1000\nt> 50000\nc> 1000\nc< 2000\n";

#[test]
fn connection_vectors_take_over_a_path_what_the_path_adds() {
    let text = "duration = '10s'\n[bottleneck]\nrate = '10Mbps'\ndelay = '20ms'\n\
                [[flows]]\nstack = 'rfc'\napp = { kind = 'tmix', vectors = { file = 'web.cvec' }, records = true }\n";
    let files = |_: &str| Ok(VECTORS.as_bytes().to_vec());
    let scenario = Scenario::from_toml_with(text, &[], Outside { files: &files, ..Outside::NOTHING }).unwrap();
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!(output.violations, []);
    let done = Done { tables: output.tables, slots: 0 };
    let count = |column| done.ints("tmix", column)[0];
    assert_eq!((count("connections"), count("connections_done"), count("connections_failed")), (3, 3, 0));
    assert_eq!(count("connections_max"), 1);
    // The flow counts the bytes from the acceptors to the initiators, which are on the right.
    assert_eq!(done.ints("flows", "bytes_delivered"), [12_500 + 12_500 + 50_000 + 2_000]);
    assert_eq!(done.ints("tmix_connections", "initiator_bytes"), [600, 0, 2_000]);
    assert_eq!(done.ints("tmix_connections", "acceptor_bytes"), [25_000, 50_000, 2_000]);
    let (starts, durations) = (done.floats("tmix_epochs", "start_s"), done.floats("tmix_epochs", "duration_s"));
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 0.001, "{value} for {expected}");
    // The handshake before the first request takes 40 ms. The request takes half of this time, and the answer the other
    // half plus 10.4 ms on the link.
    near(starts[0], 0.140);
    near(durations[0], 0.020 + 0.010 + 0.020 + 0.0108);
    near(starts[1], starts[0] + durations[0] + 0.200);
    near(durations[1], durations[0]);
    let idle = done.floats("tmix_epochs", "idle_s");
    near(idle[0], 0.040);
    near(idle[1], 0.200);
    // The acceptor is connected when the initiator's ACK arrives. 50 kB take ten segments, twenty a round trip later,
    // and five.
    near(starts[2], 2.060);
    assert!((0.100..0.120).contains(&durations[2]), "{durations:?}");
    // In the concurrent connection each unit is an epoch.
    assert_eq!(durations.len(), 6);
    assert_eq!(done.ints("completions", "count"), [3, 6]);
}
