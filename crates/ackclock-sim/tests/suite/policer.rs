//! Policers at links and access links, in whole runs with the verifier and the checks of tables.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::Output;

fn verified(text: &str) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"));
    let output = ackclock_sim::Run::verified(&scenario, None).unwrap();
    assert_eq!((&output.violations[..], &output.findings[..]), (&[][..], &[][..]), "{text}");
    output
}

/// The value of a column of `links` for a link.
fn link(output: &Output, name: &str, column: &str) -> i64 {
    let Some(Column::Text(names)) = output.tables["links"].column("link") else { panic!("links have names") };
    let row = names.iter().position(|one| one.as_deref() == Some(name)).unwrap_or_else(|| panic!("{name}: {names:?}"));
    let Some(Column::Int(cells)) = output.tables["links"].column(column) else { panic!("{column} has counts") };
    cells[row].unwrap()
}

/// UDP of 10 Mbit/s with packets of 1,500 bytes for 4 s, over links of 100 Mbit/s.
fn udp(link: &str, access: &str, flow: &str) -> String {
    format!(
        "duration = '4s'\n[bottleneck]\nrate = '100Mbps'\ndelay = '0s'\nqueue = '1000 packets'\n{link}\n[access]\nrate = '1Gbps'\n{access}\n\
         [[flows]]\nname = 'f'\nstack = 'rfc'\napp = {{ kind = 'cbr', rate = '10Mbps', packet_size = '1500B' }}\n{flow}\n\
         [probes]\npackets = true\nqueues = true\n"
    )
}

/// At most b + r t can pass by the time t, and exactly this passes because more arrives (RFC 2697 section 3): 15,000 bytes
/// and 4 s of 1 Mbit/s are 343 packets.
#[test]
fn a_policer_lets_through_burst_and_rate_wherever_it_is() {
    let policer = "{ rate = '1Mbps', burst = '15kB' }";
    let passed = (15_000 + 4 * 125_000) / 1500;
    let places = [
        ("bottleneck", format!("policer = {policer}"), String::new(), ""),
        ("bottleneck.reverse", format!("reverse_policer = {policer}"), String::new(), "route = ['right', 'left']"),
        ("f.source.up", String::new(), format!("source_policer = {policer}"), ""),
        ("f.sink.down", String::new(), format!("sink_policer = {policer}"), ""),
    ];
    for (place, at_link, at_access, flow) in places {
        let output = verified(&udp(&at_link, &at_access, flow));
        // The packet that the last tokens pass may be on its way at the end.
        let found = link(&output, place, "packets");
        assert!(found == passed || found + 1 == passed, "{place}: {found}, and not {passed}");
        // 10 Mbit/s are 833 packets a second.
        let dropped = link(&output, place, "policer_drops");
        assert!((dropped + passed - 3333).abs() <= 2, "{place}: {dropped}");
        assert_eq!(link(&output, place, "drops"), dropped, "{place}");
    }
    // Acknowledgments are policed on the reverse links of the hosts.
    for (place, field) in [("f.sink.up", "reverse_sink_policer"), ("f.source.down", "reverse_source_policer")] {
        let bulk = udp("", &format!("{field} = {{ rate = '20kbps', burst = '1500B' }}"), "");
        let bulk = bulk.replace("{ kind = 'cbr', rate = '10Mbps', packet_size = '1500B' }", "'bulk'");
        assert!(link(&verified(&bulk), place, "policer_drops") > 50, "{place}");
    }
    let plain = verified(&udp("", "", ""));
    assert_eq!(plain.tables["links"].len(), 2, "access links without a policer have no rows");
}

/// A policer that marks slows an ECN flow to its rate without a loss; packets of other classes are left alone.
#[test]
fn marks_and_classes_of_a_policer_reach_their_readers() {
    let text = |link: &str, flows: &str| {
        format!("duration = '20s'\n[bottleneck]\nrate = '20Mbps'\ndelay = '10ms'\n{link}\n{flows}")
    };
    let marking = "policer = { rate = '5Mbps', burst = '30kB', exceed = 'mark' }";
    let ecn = text(marking, "[[flows]]\nname = 'f'\nstack = 'rfc'\napp = 'bulk'\necn = 'classic'\n");
    let output = verified(&ecn);
    let (marks, drops) = (link(&output, "bottleneck", "marks"), link(&output, "bottleneck", "policer_drops"));
    assert!(marks > 10, "{marks}");
    // Only the SYN and retransmissions are not ECN-capable.
    assert!(drops <= 2, "{drops}");

    // What exceeds is sent in a less urgent class, and waits for what conforms.
    let queue = "queue = { kind = 'priority', limit = '50 packets' }";
    let cbr = |name: &str, class: u8, rate: &str, size: &str| {
        let app = format!("{{ kind = 'cbr', rate = '{rate}', packet_size = '{size}' }}");
        format!("[[flows]]\nname = '{name}'\nstack = 'rfc'\nclass = {class}\napp = {app}\n")
    };
    let two = format!("{}{}", cbr("a", 1, "15Mbps", "1500B"), cbr("b", 2, "13.7Mbps", "1400B"));
    let delivered = |link: &str| {
        let output = verified(&text(link, &two));
        let Some(Column::Int(cells)) = output.tables["flows"].column("bytes_delivered") else { panic!("bytes") };
        cells.iter().map(|cell| cell.unwrap() as f64).collect::<Vec<_>>()
    };
    let [urgent, other] = delivered(queue)[..] else { panic!("two flows") };
    assert!(urgent > 2.5 * other, "15 Mbit/s of 20 for the urgent class: {urgent} {other}");
    // With 2 Mbit/s for the urgent classes of both flows, most packets of both are in class 3.
    let colours = format!("{queue}\npolicer = {{ rate = '2Mbps', burst = '15kB', exceed = 'class 3' }}");
    let [urgent, other] = delivered(&colours)[..] else { panic!("two flows") };
    assert!((urgent / other - 1.0).abs() < 0.25, "{urgent} {other}");
}

/// A paced Reno flow over a policer without a queue: the rate rises by a segment in each RTT, and halves when the bucket is
/// empty. Above the token rate r the bucket pays for the excess, so that the rate reaches r + sqrt(2 b a) where a is its
/// slope, and its mean is 3/4 of that: (3/4) (BDP + sqrt(2 b)) segments per RTT with b in segments and one
/// acknowledgment for each segment.
#[test]
fn reno_over_a_policer_has_the_rate_of_its_sawtooth() {
    let text = "duration = '300s'\n[bottleneck]\nrate = '1Gbps'\ndelay = '50ms'\n\
                policer = { rate = '5Mbps', burst = '12kB' }\n[[flows]]\nname = 'f'\nstack = 'rfc'\ncc = 'reno'\n\
                app = 'bulk'\npacing = { kind = 'fq', avoidance_percent = 100, quantum = '1 packets' }\nack_every = 1\n";
    let output = verified(text);
    let bytes = link(&output, "bottleneck", "bytes") as f64;
    let share = bytes * 8.0 / 300.0 / 5e6;
    let (bdp, burst) = (5e6 * 0.1 / 12_000.0, 8.0_f64);
    let theory = 0.75 * (bdp + (2.0 * burst).sqrt()) / bdp;
    assert!((share / theory - 1.0).abs() < 0.05, "{share}, and not {theory}");
}
