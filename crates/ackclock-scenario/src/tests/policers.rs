//! Policers of links and of access links, and shapers that cannot work.

use super::*;
use ackclock_schema::kinds::Spelling;

/// A policer of each kind, with a field and another value for it.
const KINDS: &[(&str, &str, &str)] = &[
    (BUCKET, "rate", "2Mbps"),
    (BUCKET, "burst", "16kB"),
    (BUCKET, "peak_rate", "5Mbps"),
    ("{ rate = '1Mbps', burst = '15kB', peak_rate = '9Mbps' }", "mtu", "3kB"),
    (BUCKET, "exceed", "mark"),
    (SINGLE, "rate", "2Mbps"),
    (SINGLE, "burst", "16kB"),
    (SINGLE, "excess_burst", "0B"),
    (SINGLE, "yellow", "class 3"),
    (SINGLE, "red", "pass"),
    (TWO, "rate", "2Mbps"),
    (TWO, "burst", "16kB"),
    (TWO, "peak_rate", "3Mbps"),
    (TWO, "peak_burst", "3kB"),
    (TWO, "yellow", "drop"),
    (TWO, "red", "mark"),
];
const BUCKET: &str = "{ rate = '1Mbps', burst = '15kB' }";
const SINGLE: &str = "{ kind = 'single-rate', rate = '1Mbps', burst = '15kB' }";
const TWO: &str = "{ kind = 'two-rate', rate = '1Mbps', burst = '15kB', peak_rate = '2Mbps' }";

/// The places of policers; a flow's own access links need a table.
const PLACES: &[&str] = &[
    "bottleneck.policer",
    "bottleneck.reverse_policer",
    "access.source_policer",
    "access.sink_policer",
    "access.reverse_sink_policer",
    "access.reverse_source_policer",
    "flows[2].access.source_policer",
    "flows[2].access.sink_policer",
    "flows[2].access.reverse_sink_policer",
    "flows[2].access.reverse_source_policer",
];

/// Whether the tests of this file cover a field.
pub(super) fn is_of_a_policer(path: &str) -> bool {
    let path = path.replace("flows[]", "flows[2]");
    let Some(rest) = PLACES.iter().find_map(|place| path.strip_prefix(place)) else {
        return false;
    };
    let field = rest.rsplit_once('.').map_or("", |(_, field)| field);
    let in_kinds = |(table, key, _): &(&str, &str, &str)| {
        let kind = table.split('\'').nth(1).filter(|_| table.contains("kind")).unwrap_or("token-bucket");
        field == *key && rest.starts_with(&format!("<{kind}>"))
    };
    rest.is_empty() || field == "kind" || KINDS.iter().any(in_kinds)
}

#[test]
fn every_field_of_every_policer_moves_the_hash_and_reads_back() {
    for place in PLACES {
        for (table, key, value) in KINDS {
            let field = format!("{place}.{key}");
            let [base, other] = [with(&[(place, table)]), with(&[(place, table), (&field, value)])];
            assert_ne!(base.hash(), with(&[]).hash(), "{place} {table}");
            assert_ne!(base.hash(), other.hash(), "{field} of {table}");
            assert_eq!(Scenario::from_json(&other.to_json().to_string(), &[]), Ok(other), "{field}");
        }
    }
    let Some(Policer::TokenBucket(bucket)) = &with(&[("bottleneck.policer", BUCKET)]).bottleneck.policer else {
        panic!("the kind of a table without kind")
    };
    assert_eq!((bucket.rate, bucket.burst, bucket.exceed), (1_000_000, 15_000, Treatment::parse("drop").unwrap()));
}

#[test]
fn a_flow_has_its_own_policers_or_those_of_all() {
    let own = "{ rate = '3Mbps', burst = '15kB' }";
    let scenario = with(&[("access.sink_policer", BUCKET), ("flows[2].access.source_policer", own)]);
    let given = |index: usize| scenario.access_of(&scenario.flows[index]).policers().map(|policer| policer.is_some());
    assert_eq!((given(0), given(2)), ([false, false, true, false], [true, false, true, false]));
}

fn refusal(pairs: &[(&str, &str)]) -> String {
    let found = problems(BASE, pairs);
    let [problem] = &found[..] else { panic!("{pairs:?}: {found:?}") };
    format!("{}: {}", problem.path, problem.message)
}

#[test]
fn buckets_that_no_packet_passes_are_refused() {
    let refused = |policer: &str| refusal(&[("bottleneck.policer", policer)]);
    let packet =
        "is less than one packet, so that no full packet ever conforms; accepted: at least the packet_size, \"1500B\"";
    assert_eq!(refused("{ rate = '1Mbps', burst = '1kB' }"), format!("bottleneck.policer.burst: \"1kB\" {packet}"));
    assert_eq!(
        refused("{ rate = '1Mbps', burst = '9kB', peak_rate = '2Mbps', mtu = '1499B' }"),
        format!("bottleneck.policer.mtu: \"1499B\" {packet}")
    );
    assert_eq!(
        refused("{ kind = 'two-rate', rate = '1Mbps', burst = '9kB', peak_rate = '2Mbps', peak_burst = '1B' }"),
        format!("bottleneck.policer.peak_burst: \"1B\" {packet}")
    );
    assert_eq!(
        refused("{ rate = '1Mbps', burst = '9kB', peak_rate = '1Mbps' }"),
        "bottleneck.policer.peak_rate: \"1Mbps\" does not go with the rate; accepted: more than the rate, \"1Mbps\""
    );
    assert_eq!(
        refused("{ kind = 'two-rate', rate = '1Mbps', burst = '9kB', peak_rate = '999kbps' }"),
        "bottleneck.policer.peak_rate: \"999kbps\" does not go with the rate; accepted: at least the rate, \"1Mbps\""
    );
    assert!(refused("{ rate = '1Mbps', burst = '9kB', mtu = '3kB' }").contains("has no effect without a peak rate"));
    assert!(refused("{ rate = '1Mbps' }").starts_with("bottleneck.policer.burst: missing"));
    assert!(refused("{ rate = '1Mbps', burst = '9kB', exceed = 'shape' }").contains("is not a known action"));
    let access = refusal(&[("flows[2].access.reverse_sink_policer", "{ rate = '1Mbps', burst = '1kB' }")]);
    assert!(access.starts_with("flows[2].access.reverse_sink_policer.burst: "), "{access}");
}

#[test]
fn a_shaper_of_one_packet_is_refused_where_packets_come_faster_than_they_leave() {
    let queue = |limit: &str| format!("{{ kind = 'token-bucket', rate = '500kbps', limit = '{limit}' }}");
    let refused = |limit: &str| refusal(&[("bottleneck.queue", &queue(limit))]);
    let single = refused("1 packets");
    assert!(single.starts_with("bottleneck.queue.limit: \"1 packets\" holds a single packet"), "{single}");
    assert!(single.contains("at 10Mbps, than the link's 1Mbps") && single.contains("a policer"), "{single}");
    assert!(refused("2999B").starts_with("bottleneck.queue.limit: \"2999B\" holds a single packet"));
    // 1 Mbit/s * 0.4 s / 8 = 50,000 bytes.
    assert!(refused("0.05bdp").starts_with("bottleneck.queue.limit: \"0.05bdp\" holds a single packet"));
    for limit in ["2 packets", "3000B", "unlimited"] {
        with(&[("bottleneck.queue", &queue(limit))]);
    }
    // Packets that come at the rate of the link find it free.
    with(&[("bottleneck.queue", &queue("1 packets")), ("access.rate", "1x")]);
    // The link before the queue is slower.
    let second = format!(
        "[{{ ends = ['right', 'far'], rate = '2Mbps', delay = '1ms', reverse_queue = '9 packets', queue = {} }}]",
        queue("1 packets")
    );
    let over = [("links", second.as_str()), ("flows[2].route", "['left', 'right', 'far']")];
    with(&over);
    let slower = second.replace("2Mbps", "900kbps");
    let found = refusal(&[("links", &slower), over[1]]);
    assert!(
        found.starts_with("links[0].queue.limit: ") && found.contains("at 1Mbps, than the link's 900kbps"),
        "{found}"
    );
}
