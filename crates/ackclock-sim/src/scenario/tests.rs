//! The scenario as its readers meet it: what is accepted, what is refused and in which words.

use proptest::prelude::*;

use super::*;
use ackclock_tcp::config::Restart;

const BULK: &str = include_str!("../../../../scenarios/bulk.toml");
const TRANSFER: &str = include_str!("../../../../scenarios/transfer.toml");
const DASH: &str = include_str!("../../../../scenarios/dash-newcwv.toml");

/// A scenario with every kind of application, for overrides to break.
const BASE: &str = r#"
duration = "60s"
[bottleneck]
rate = "1Mbps"
delay = "200ms"
[[flows]]
name = "video"
app = { kind = "dash", ladder = ["200kbps", "400kbps", "700kbps"], segment = "2s" }
[[flows]]
name = "file"
app = { kind = "transfer", size = "1MB" }
[[flows]]
app = "bulk"
"#;

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

fn with(pairs: &[(&str, &str)]) -> Scenario {
    Scenario::from_toml(BASE, &set(pairs)).unwrap_or_else(|error| panic!("{pairs:?}: {error}"))
}

fn problems(text: &str, pairs: &[(&str, &str)]) -> Vec<Problem> {
    Scenario::from_toml(text, &set(pairs)).err().map_or(Vec::new(), |error| error.problems)
}

/// Asserts that overrides of [`BASE`] give one problem at `path`, whose message has all of `words`.
fn refused(pairs: &[(&str, &str)], path: &str, words: &[&str]) {
    let found = problems(BASE, pairs);
    let [problem] = &found[..] else { panic!("{pairs:?}: one problem expected, not {found:#?}") };
    assert_eq!(problem.path, path, "{pairs:?}: {problem}");
    for word in words {
        assert!(problem.message.contains(word), "{pairs:?}: {word:?} is not in {problem}");
    }
    assert!(!problem.to_string().contains('\n'), "{problem}");
}

#[test]
fn the_examples_are_scenarios_of_less_than_a_page() {
    for text in [BULK, TRANSFER, DASH] {
        let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Scenario::from_json(&scenario.to_json().to_string(), &[]), Ok(scenario));
        assert!(text.lines().count() <= 50);
    }
}

#[test]
fn a_scenario_has_the_values_of_its_text_and_the_defaults() {
    let scenario = with(&[]);
    assert_eq!(scenario.duration, 60_000_000_000);
    assert_eq!((scenario.seed, scenario.packet_size), (1, 1_500));
    assert_eq!((scenario.bottleneck.rate, scenario.bottleneck.delay), (1_000_000, 200_000_000));
    assert_eq!(scenario.bottleneck.queue, Queue::DropTail(DropTail { limit: QueueLimit::Bdp(1.0) }));
    assert_eq!(scenario.access, Access { rate: AccessRate::Times(10.0), source_delay: 0, sink_delay: 0 });
    let names: Vec<_> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["video", "file", "flow2"]);
    assert_eq!(scenario.flows[1].app, App::Transfer(Transfer { size: 1_000_000, count: 1, gap: 0 }));
    assert_eq!(scenario.flows[2].app, App::Bulk);
    let App::Dash(dash) = &scenario.flows[0].app else { panic!("{:?}", scenario.flows[0].app) };
    assert_eq!(dash.ladder, [200_000, 400_000, 700_000]);
    assert_eq!((dash.startup, dash.resume, dash.buffer), (2_000_000_000, 2_000_000_000, 12_000_000_000));
    assert_eq!((dash.abr.as_str(), dash.segments, dash.estimator), ("throughput", None, Estimator::Last));
    assert_eq!(scenario.probes.interval, 10_000_000);
}

#[test]
fn every_mistake_of_a_file_is_reported_with_its_line() {
    let text = r#"durration = "60s"
packet_size = 1500
[bottleneck]
rate = "-1Mbps"
delay = 200
queue = "100B"

[[flows]]
name = "a"
app = { kind = "dash", segment = "2s", ladder = [
  "200kbps",
  "100kbps",
] }

[[flows]]
name = "a"
cc = "cubik"
"#;
    let found: Vec<_> = problems(text, &[]).iter().map(|problem| (problem.path.clone(), problem.line)).collect();
    let expected = [
        ("duration", None),
        ("packet_size", Some(2)),
        ("bottleneck.rate", Some(4)),
        ("bottleneck.delay", Some(5)),
        ("flows[0].app.ladder[1]", Some(12)),
        ("flows[1].app", Some(15)),
        ("flows[1].cc", Some(17)),
        ("durration", Some(1)),
        ("flows[1].name", Some(16)),
    ];
    assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
}

#[test]
fn a_problem_is_one_line_of_text() {
    let text = "duration = \"60s\"\nbottleneck = { rate = \"-1Mbps\", delay = \"1ms\" }\n[[flows]]\napp = \"bulk\"\ncc = \"cubik\"\n";
    let error = Scenario::from_toml(text, &[]).expect_err("two mistakes");
    assert_eq!(
        error.to_string(),
        "line 2: bottleneck.rate: \"-1Mbps\" is negative; accepted: a rate above zero such as \"1.5Mbps\" \
         (units: bps, kbps, Mbps, Gbps, Tbps)\n\
         line 5: flows[0].cc: \"cubik\" is not a known congestion control; accepted: reno, cubic; did you mean \"cubic\"?"
    );
}

#[test]
fn text_that_is_not_toml_is_refused_with_line_and_column() {
    for (text, line, words) in [
        ("duration = \n", 1, "column 12: not TOML"),
        ("duration = \"60s\nseed = 1\n", 1, "not TOML"),
        ("seed = 1\nseed = 2\n", 2, "duplicate key"),
        ("[bottleneck\nrate = 1\n", 1, "not TOML"),
        ("seed = 1\n= 2\n", 2, "column 1: not TOML"),
        ("seed = 1 2\n", 1, "column 10: not TOML"),
    ] {
        let found = problems(text, &[]);
        let first = found.first().unwrap_or_else(|| panic!("{text:?} is refused"));
        assert_eq!((first.path.as_str(), first.line), ("", Some(line)), "{text:?} {found:?}");
        assert!(first.message.contains(words), "{text:?} {first}");
        assert!(found.iter().all(|problem| !problem.to_string().contains('\n')));
    }
    let error = Scenario::from_json("{\n \"seed\": }", &[]).expect_err("not JSON");
    assert_eq!(error.problems[0].line, Some(2));
    assert!(error.to_string().contains("not JSON"), "{error}");
}

#[test]
fn what_a_field_does_not_accept_is_refused() {
    for (path, value, words) in [
        ("duration", "0s", &["\"0s\" is zero", "a time above zero"][..]),
        ("duration", "60", &["60 has no unit", "ms"]),
        ("duration", "-5", &["-5 is negative"]),
        ("duration", "nan", &["nan is not a finite number"]),
        ("duration", "2026-01-01", &["2026-01-01 is not a quantity"]),
        ("duration", "true", &["true is not a quantity"]),
        ("duration", "[1]", &["a list is not a quantity"]),
        ("duration", "90000h", &["is more than 87600h"]),
        ("seed", "-1", &["-1 is negative", "from 0 to 18446744073709551615"]),
        ("seed", "1.5", &["1.5 is not a whole number"]),
        ("seed", "18446744073709551616", &["is more than 18446744073709551615"]),
        ("seed", "one", &["\"one\" is not a number"]),
        ("name", "''", &["\"\" is empty"]),
        ("name", "a.b", &["has the character '.'"]),
        ("packet_size", "103B", &["is less than 104B", "from \"104B\" to \"65535B\""]),
        ("packet_size", "64KiB", &["is more than 65535B"]),
        ("bottleneck", "fast", &["\"fast\" is not a table", "rate, delay, queue"]),
        ("bottleneck.rate", "0bps", &["\"0bps\" is zero"]),
        ("bottleneck.rate", "-1Mbps", &["\"-1Mbps\" is negative", "Mbps"]),
        ("bottleneck.rate", "1MB", &["unknown unit \"MB\"", "kbps"]),
        ("bottleneck.delay", "-1ms", &["is negative"]),
        ("bottleneck.queue", "0 packets", &["is zero"]),
        ("bottleneck.queue", "50", &["50 has no unit", "50 packets"]),
        ("bottleneck.queue", "codel", &["\"codel\" does not start with a number", "1bdp", "drop-tail"]),
        ("bottleneck.queue", "[]", &["an empty list is not a table", "drop-tail", "1bdp"]),
        ("bottleneck.bdp_rtt", "0s", &["is zero"]),
        ("access.rate", "0x", &["is not from"]),
        ("flows", "[]", &["there is no flow"]),
        ("flows", "{ app = 'bulk' }", &["a table is not a list"]),
        ("flows[2].name", "a[0]", &["has the character '['"]),
        ("flows[2].count", "0", &["0 is less than 1", "copies"]),
        ("flows[2].app", "nowhere", &["\"nowhere\" is not a known kind", "bulk, transfer, dash"]),
        ("flows[2].app", "3", &["3 is not a name"]),
        ("flows[2].app", "[]", &["an empty list is not a table"]),
        ("flows[2].stack", "windows", &["is not a known stack", "rfc, linux"]),
        ("flows[2].cc", "renno", &["reno, cubic", "did you mean \"reno\"?"]),
        ("flows[2].validation", "new-cwv", &["none, rfc2861, newcwv", "did you mean \"newcwv\"?"]),
        ("flows[2].slow_start", "slow", &["is not a known slow start", "standard"]),
        ("flows[2].pacing", "fast", &["is not a known kind", "off, fq"]),
        ("flows[2].restart_after_idle", "yes", &["off, rfc5681, lowers-ssthresh, raises-ssthresh"]),
        ("flows[2].initial_window", "0", &["0 is less than 1", "segments"]),
        ("flows[2].min_rto", "0s", &["is zero"]),
        ("flows[2].mss", "0B", &["is zero", "from \"64B\""]),
        ("flows[2].mss", "63B", &["is less than 64B"]),
        ("flows[2].mss", "1460", &["1460 has no unit"]),
        ("flows[2].receive_buffer", "2GiB", &["is more than 1GiB"]),
        ("flows[2].sack", "1", &["1 is not a truth value", "true or false"]),
        ("flows[0].app.abr", "bolla", &["throughput, bba, bola, hybrid", "did you mean \"bola\"?"]),
        ("flows[0].app.ladder", "[]", &["there is no bitrate"]),
        ("flows[0].app.ladder", "1Mbps", &["\"1Mbps\" is not a list"]),
        ("flows[0].app.segment", "0s", &["is zero"]),
        ("flows[0].app.segments", "0", &["0 is less than 1"]),
        ("flows[0].app.size_cv", "-0.1", &["-0.1 is less than 0"]),
        ("flows[0].app.size_cv", "nan", &["nan is not a finite number"]),
        ("flows[0].app.safety", "0", &["0 is less than 0.01"]),
        ("flows[1].app.size", "0B", &["is zero"]),
        ("flows[1].app.count", "0", &["0 is less than 1"]),
        ("probes.window", "'yes'", &["\"yes\" is not a truth value"]),
    ] {
        refused(&[(path, value)], path, words);
    }
}

#[test]
fn a_ladder_ascends() {
    for (ladder, at, words) in [
        ("['1Mbps', '500kbps']", "[1]", "\"500kbps\" is below \"1Mbps\""),
        ("['1Mbps', '2Mbps', '2000kbps']", "[2]", "\"2000kbps\" repeats \"2Mbps\""),
        ("['0bps', '1Mbps']", "[0]", "\"0bps\" is zero"),
        ("['1Mbps', 2, '3Mbps']", "[1]", "2 has no unit"),
    ] {
        refused(&[("flows[0].app.ladder", ladder)], &format!("flows[0].app.ladder{at}"), &[words]);
    }
}

#[test]
fn keys_that_are_not_known_are_refused() {
    for (path, words) in [
        ("durations", &["unknown key", "did you mean \"duration\"?"][..]),
        ("bottleneck.rat", &["accepted: rate, delay, queue", "did you mean \"rate\"?"]),
        ("bottleneck.queue.limit", &[]),
        ("flows[2].to", &["unknown key", "accepted: name, count, app"]),
        ("flows[0].app.size", &["unknown key", "size belongs to kind = \"transfer\""]),
        (
            "flows[1].app.ladder",
            &["unknown key", "accepted: size, count, gap, kind", "ladder belongs to kind = \"dash\""],
        ),
        ("access.delay", &["unknown key"]),
        ("probes.windows", &["did you mean \"window\"?"]),
    ] {
        if words.is_empty() {
            assert_eq!(problems(BASE, &[(path, "2bdp")]), []);
        } else {
            refused(&[(path, "nowhere")], path, words);
        }
    }
    let quoted = problems(&format!("\"a b\\n.c\" = 1\n{BASE}"), &[]);
    assert_eq!(quoted[0].path, "\"a b\\n.c\"");
}

#[test]
fn what_has_to_be_given_is_asked_for() {
    let all: Vec<_> = problems("", &[]).into_iter().map(|problem| problem.path).collect();
    assert_eq!(all, ["duration", "bottleneck", "flows"]);
    let flow = "duration = '1s'\nbottleneck = { rate = '1Mbps', delay = '1s' }\n[[flows]]\nname = 'a'\n";
    let [problem] = &problems(flow, &[])[..] else { panic!("one problem") };
    assert_eq!((problem.path.as_str(), problem.line), ("flows[0].app", Some(3)));
    assert!(
        problem.message.contains("missing; accepted: a table with kind = one of bulk, transfer, dash"),
        "{problem}"
    );
    for (app, paths) in [
        ("{}", &["flows[0].app.kind"][..]),
        ("{ size = '1MB' }", &["flows[0].app.kind"]),
        ("{ kind = 'dahs' }", &["flows[0].app.kind"]),
        ("{ kind = 1 }", &["flows[0].app.kind"]),
        ("'transfer'", &["flows[0].app.size"]),
        ("'dash'", &["flows[0].app.ladder", "flows[0].app.segment"]),
    ] {
        let found: Vec<_> = problems(flow, &[("flows[0].app", app)]).into_iter().map(|problem| problem.path).collect();
        assert_eq!(found, paths, "{app}");
    }
}

#[test]
fn fields_that_contradict_each_other_are_refused() {
    for (pairs, path, words) in [
        (&[("flows[2].start", "60s")][..], "flows[2].start", &["\"60s\" is not before the end", "60s"][..]),
        (&[("duration", "10s"), ("flows[1].start", "20s")], "flows[1].start", &["less than duration, 10s"]),
        (
            &[("flows[2].start", "30s"), ("flows[2].start_jitter", "30s")],
            "flows[2].start_jitter",
            &["start + start_jitter"],
        ),
        (&[("flows[2].name", "video")], "flows[2].name", &["also the name of flows[0]"]),
        (&[("flows[0].name", "flow2")], "flows[2].name", &["the default, \"flow2\", is also the name of flows[0]"]),
        (&[("flows[2].mss", "1461B")], "flows[2].mss", &["from 64B to 1460B", "packet_size is 1500B"]),
        (&[("packet_size", "1000B"), ("flows[2].mss", "1460B")], "flows[2].mss", &["from 64B to 960B"]),
        (&[("flows[2].receive_buffer", "1000B")], "flows[2].receive_buffer", &["less than one segment", "1460B"]),
        (
            &[("flows[2].delayed_ack", "500ms")],
            "flows[2].delayed_ack",
            &["less than \"500ms\" (RFC 9293 section 3.8.6.3)"],
        ),
        (&[("flows[2].min_rto", "61s")], "flows[2].min_rto", &["\"61s\" is more than max_rto", "at most \"1min\""]),
        (&[("flows[2].max_rto", "500ms")], "flows[2].max_rto", &["less than min_rto", "at least \"1s\""]),
        (&[("flows[2].min_rto", "2s"), ("flows[2].max_rto", "1s")], "flows[2].min_rto", &["more than max_rto"]),
        (&[("flows[2].initial_rto", "61s")], "flows[2].initial_rto", &["more than max_rto"]),
        (
            &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "rfc5681")],
            "flows[2].restart_after_idle",
            &["\"rfc5681\" with validation \"newcwv\"", "RFC 7661", "accepted: \"off\""],
        ),
        (
            &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "lowers-ssthresh")],
            "flows[2].restart_after_idle",
            &["\"lowers-ssthresh\""],
        ),
        (&[("flows[0].app.buffer", "1s")], "flows[0].app.buffer", &["\"1s\" does not hold one segment", "\"2s\""]),
        (&[("flows[0].app.segment", "15s")], "flows[0].app.buffer", &["the default, \"12s\", does not hold"]),
        (&[("flows[0].app.startup", "13s")], "flows[0].app.startup", &["more than the buffer holds", "\"12s\""]),
        (&[("flows[0].app.resume", "13s")], "flows[0].app.resume", &["more than the buffer holds"]),
        (&[("bottleneck.queue", "1499B")], "bottleneck.queue", &["\"1499B\" is less than one packet", "\"1500B\""]),
        (&[("bottleneck.queue", "0.01bdp")], "bottleneck.queue", &["\"0.01bdp\" is 500B, less than one packet"]),
        (&[("bottleneck.queue.limit", "0.01bdp")], "bottleneck.queue.limit", &["\"0.01bdp\" is 500B"]),
        (&[("bottleneck.delay", "0s")], "bottleneck.queue", &["the default, \"1bdp\", is 0B, less than one packet"]),
        (&[("bottleneck.reverse_queue", "1kB")], "bottleneck.reverse_queue", &["less than one packet"]),
        (
            &[("bottleneck.reverse_rate", "10kbps"), ("bottleneck.reverse_queue", "1bdp")],
            "bottleneck.reverse_queue",
            &["\"1bdp\" is 500B"],
        ),
        (&[("probes.from", "5s"), ("probes.to", "5s")], "probes.to", &["not after the start of recording"]),
        (&[("probes.window", "true"), ("probes.from", "60s")], "probes.from", &["not before the end of the run"]),
    ] {
        refused(pairs, path, words);
    }
}

#[test]
fn what_is_just_inside_the_bounds_is_accepted() {
    for pairs in [
        &[("flows[2].start", "59999ms")][..],
        &[("flows[2].start", "30s"), ("flows[2].start_jitter", "29s")],
        &[("packet_size", "104B"), ("flows[2].mss", "64B")],
        &[("flows[2].mss", "1460B"), ("flows[2].receive_buffer", "1460B")],
        &[("flows[2].delayed_ack", "499ms")],
        &[("flows[2].delayed_ack", "0s")],
        &[("flows[2].min_rto", "60s")],
        &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "off")],
        &[("flows[2].validation", "rfc2861"), ("flows[2].restart_after_idle", "rfc5681")],
        &[("flows[0].app.segment", "12s")],
        &[("bottleneck.queue", "1500B")],
        &[("bottleneck.queue", "1 packet")],
        &[("bottleneck.queue", "0.03bdp")],
        &[("bottleneck.queue", "unlimited"), ("bottleneck.delay", "0s")],
        &[("bottleneck.reverse_rate", "10kbps")],
        &[("probes.from", "5s"), ("probes.to", "5001ms")],
    ] {
        assert_eq!(problems(BASE, pairs), [], "{pairs:?}");
    }
}

#[test]
fn a_field_that_could_not_be_read_causes_no_second_problem() {
    for (path, value) in [
        ("bottleneck.rate", "-1Mbps"),
        ("bottleneck.delay", "5"),
        ("packet_size", "0B"),
        ("duration", "0s"),
        ("flows[0].app.segment", "1 parsec"),
        ("flows[0].app.buffer", "soon"),
        ("flows[0].app", "{ kind = 'dash', ladder = ['1Mbps'], segment = '0s', startup = '1s' }"),
        ("flows[2].min_rto", "0s"),
        ("flows[1]", "3"),
        ("flows[0].access", "{ source_delay = 4 }"),
        ("access.source_delay", "4"),
        ("flows[2].stack", "x"),
    ] {
        let found = problems(BASE, &[(path, value)]);
        assert_eq!(found.len(), 1, "{path}={value}: {found:?}");
    }
}

#[test]
fn overrides_reach_every_value() {
    let scenario = with(&[
        ("duration", "5 min"),
        ("bottleneck.rate", "2Mbps"),
        ("flows[0].cc", "cubic"),
        ("flows[*].validation", "newcwv"),
        ("flows.file.cc", "\"reno\""),
        ("flows.flow2.initial_window", "3"),
        ("flows.flow2.initial_window", "4"),
        ("flows[0].app.ladder[2]", "1Mbps"),
        ("access.source_delay", "5ms"),
        ("flows[1].pacing", "{ kind = 'fq', quantum = '9kB' }"),
    ]);
    assert_eq!(
        (scenario.duration, scenario.bottleneck.rate, scenario.access.source_delay),
        (300_000_000_000, 2_000_000, 5_000_000)
    );
    let cc: Vec<_> = scenario.flows.iter().map(|flow| flow.cc.as_deref()).collect();
    assert_eq!(cc, [Some("cubic"), Some("reno"), None]);
    assert!(scenario.flows.iter().all(|flow| flow.validation.as_deref() == Some("newcwv")));
    assert_eq!(scenario.flows[2].initial_window, Some(4));
    let App::Dash(dash) = &scenario.flows[0].app else { panic!("{:?}", scenario.flows[0].app) };
    assert_eq!(dash.ladder[2], 1_000_000);
    let fq = Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: Amount::Bytes(9_000) };
    assert_eq!(scenario.flows[1].pacing, Some(Pacing::Fq(fq)));
}

#[test]
fn overrides_that_lead_nowhere_are_refused() {
    for (path, words) in [
        ("flows[3].cc", "flows[3] does not exist; accepted: index 0 to 2"),
        ("flows.vidoe.cc", "accepted: video, file, flow2; did you mean \"video\"?"),
        ("duration.seconds", "duration is \"60s\", not a table"),
        ("duration[0]", "duration is \"60s\", not a list"),
        ("links[0].rate", "there is no links"),
        ("flows[x].cc", "\"x\" is no index"),
        ("flows[0.cc", "brackets"),
        ("flows[0]x.cc", "brackets"),
        ("", "a key is missing"),
        ("a..b", "a key is missing"),
    ] {
        refused(&[(path, "1")], path, &["override", words]);
    }
    // An override stands on no line of the file.
    assert_eq!(problems(BASE, &[("bottleneck.rate", "x")])[0].line, None);
    assert_eq!(problems(BASE, &[("bottleneck.queue", "1B")])[0].line, None);
}

#[test]
fn json_reads_as_toml_does() {
    let json = r#"{ "flows": [ { "app": { "segment": "2s", "ladder": ["200kbit/s", "0.4Mbps", "700kbps"], "kind": "dash" },
        "name": "video", "cc": null }, { "name": "file", "app": { "kind": "transfer", "size": "1000kB" } }, { "app": "bulk" } ],
        "bottleneck": { "delay": "0.2 s", "rate": "1000kbps", "queue": { "kind": "drop-tail", "limit": "1.0bdp" } },
        "duration": "1min", "seed": 7, "name": "other" }"#;
    let scenario = Scenario::from_json(json, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.hash(), with(&[]).hash());
    assert_eq!(scenario.flows, with(&[]).flows);
    let error = Scenario::from_json("[1, 2]", &[]).expect_err("no table");
    assert_eq!(error.problems[0].path, "");
    assert!(error.problems[0].message.contains("a list is not a table"), "{error}");
}

/// Acceptable changes of every field of [`BASE`] but `name` and `seed`, one at a time.
const CHANGES: &[(&str, &str)] = &[
    ("duration", "61s"),
    ("packet_size", "1400B"),
    ("bottleneck.rate", "2Mbps"),
    ("bottleneck.delay", "100ms"),
    ("bottleneck.queue", "50 packets"),
    ("bottleneck.queue.limit", "64KiB"),
    ("bottleneck.reverse_rate", "500kbps"),
    ("bottleneck.reverse_queue", "2bdp"),
    ("bottleneck.reverse_queue.limit", "unlimited"),
    ("bottleneck.bdp_rtt", "1s"),
    ("access", "{ rate = '7x' }"),
    ("access.rate", "100Mbps"),
    ("access.source_delay", "1ms"),
    ("access.sink_delay", "2ms"),
    ("flows[2].name", "third"),
    ("flows[2].count", "2"),
    ("flows[2].app", "{ kind = 'transfer', size = '2MB' }"),
    ("flows[2].start", "1s"),
    ("flows[2].start_jitter", "2s"),
    ("flows[2].access", "{}"),
    ("flows[2].access.rate", "3x"),
    ("flows[2].access.source_delay", "3ms"),
    ("flows[2].access.sink_delay", "4ms"),
    ("flows[2].stack", "linux"),
    ("flows[2].cc", "cubic"),
    ("flows[2].validation", "newcwv"),
    ("flows[2].slow_start", "standard"),
    ("flows[2].pacing", "fq"),
    ("flows[2].pacing.slow_start_percent", "150"),
    ("flows[2].pacing.avoidance_percent", "150"),
    ("flows[2].pacing.quantum", "5 packets"),
    ("flows[2].initial_window", "4"),
    ("flows[2].initial_rto", "3s"),
    ("flows[2].min_rto", "200ms"),
    ("flows[2].max_rto", "2min"),
    ("flows[2].sack", "false"),
    ("flows[2].receive_buffer", "64KiB"),
    ("flows[2].delayed_ack", "40ms"),
    ("flows[2].ack_every", "1"),
    ("flows[2].quick_acks", "16"),
    ("flows[2].restart_after_idle", "off"),
    ("flows[2].mss", "1000B"),
    ("flows[1].app.size", "3MB"),
    ("flows[1].app.count", "3"),
    ("flows[1].app.gap", "1s"),
    ("flows[0].app.ladder", "['300kbps']"),
    ("flows[0].app.segment", "3s"),
    ("flows[0].app.segments", "20"),
    ("flows[0].app.abr", "bola"),
    ("flows[0].app.buffer", "30s"),
    ("flows[0].app.startup", "4s"),
    ("flows[0].app.resume", "5s"),
    ("flows[0].app.think", "10ms"),
    ("flows[0].app.think_jitter", "20ms"),
    ("flows[0].app.request_size", "400B"),
    ("flows[0].app.header_size", "0B"),
    ("flows[0].app.size_cv", "0.25"),
    ("flows[0].app.safety", "0.9"),
    ("flows[0].app.estimator", "ewma"),
    ("probes", "{ packets = true }"),
    ("probes.window", "true"),
    ("probes.packets", "true"),
    ("probes.interval", "0s"),
    ("probes.from", "1s"),
    ("probes.to", "50s"),
];

/// A change with what it needs to be acceptable: a table to put the key into.
fn change(index: usize) -> Vec<(String, String)> {
    let (path, value) = CHANGES[index];
    let mut pairs = Vec::new();
    for table in ["flows[2].pacing", "bottleneck.queue", "bottleneck.reverse_queue"] {
        if path.starts_with(&format!("{table}.")) {
            let kind = if table.ends_with("pacing") { "fq" } else { "drop-tail" };
            pairs.push((table, format!("{{ kind = '{kind}' }}")));
        }
    }
    pairs.push((path, value.to_owned()));
    pairs.into_iter().map(|(path, value)| (path.to_owned(), value)).collect()
}

#[test]
fn every_field_moves_the_hash() {
    let base = with(&[]).hash();
    let mut hashes = vec![base.clone()];
    for index in 0..CHANGES.len() {
        let scenario = Scenario::from_toml(BASE, &change(index)).unwrap_or_else(|error| panic!("{error}"));
        hashes.push(scenario.hash());
    }
    assert!(hashes.iter().all(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())));
    // Some changes come to the same: a queue of its default kind, an FQ table of defaults.
    let moved = hashes[1..].iter().filter(|hash| **hash != base).count();
    assert_eq!(moved, CHANGES.len());
    assert_eq!(with(&[("name", "other"), ("seed", "9")]).hash(), base);

    // The list above knows every field of the reference.
    let strip = |path: &str| {
        let mut plain = String::new();
        let mut inside = false;
        for c in path.chars() {
            match c {
                '[' | '<' => inside = true,
                ']' | '>' => inside = false,
                c if !inside => plain.push(c),
                _ => {}
            }
        }
        plain
    };
    let changed: Vec<_> = CHANGES.iter().map(|(path, _)| strip(path)).collect();
    let reference = reference();
    for row in reference.as_array().expect("a list") {
        let path = strip(row["path"].as_str().expect("a path"));
        let apart = ["name", "seed", "bottleneck", "flows"].contains(&path.as_str()) || path.ends_with(".kind");
        assert!(apart || changed.contains(&path), "{path} is in no change");
    }
}

#[test]
fn spelling_does_not_move_the_hash() {
    let toml = r#"
# The same as BASE in other words.
[[flows]]
app.ladder = ["0.2Mbps", "400 kbit/s", "700000bps"]
app.segment = "2000ms"
app.kind = "dash"
name = "video"
[[flows]]
app = { size = "1000kB", kind = "transfer", gap = "0ms" }
name = "file"
[[flows]]
app.kind = "bulk"
[bottleneck]
delay = "0.2s"
rate = "1000kbps"
"#;
    let other =
        Scenario::from_toml(&format!("duration = '1min'\n{toml}"), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(other, with(&[]));
    assert_eq!(other.hash(), with(&[]).hash());
}

#[test]
fn tcp_is_the_stack_with_what_the_flow_overrides() {
    let tcp = |pairs: &[(&str, &str)]| {
        let scenario = with(pairs);
        scenario.flows[2].tcp_config(scenario.packet_size)
    };
    let rfc = tcp(&[]);
    assert_eq!((rfc.mss, rfc.cc.name, rfc.validation.name, rfc.restart), (1_460, "reno", "none", Restart::Rfc5681));
    assert_eq!(tcp(&[("packet_size", "1400B")]).mss, 1_360);
    let linux = tcp(&[("flows[2].stack", "linux"), ("flows[2].validation", "newcwv")]);
    assert_eq!((linux.cc.name, linux.min_rto, linux.quick_acks), ("cubic", 200_000_000, 16));
    assert_eq!((linux.validation.name, linux.restart), ("newcwv", Restart::Off));
    let own = tcp(&[
        ("flows[2].cc", "cubic"),
        ("flows[2].pacing", "fq"),
        ("flows[2].initial_window", "3"),
        ("flows[2].initial_rto", "3s"),
        ("flows[2].min_rto", "300ms"),
        ("flows[2].max_rto", "90s"),
        ("flows[2].sack", "false"),
        ("flows[2].receive_buffer", "64KiB"),
        ("flows[2].delayed_ack", "0s"),
        ("flows[2].ack_every", "1"),
        ("flows[2].quick_acks", "4"),
        ("flows[2].restart_after_idle", "raises-ssthresh"),
        ("flows[2].mss", "1000B"),
    ]);
    assert_eq!((own.cc.name, own.initial_window, own.mss, own.sack), ("cubic", 3, 1_000, false));
    assert_eq!((own.initial_rto, own.min_rto, own.max_rto), (3_000_000_000, 300_000_000, 90_000_000_000));
    assert_eq!((own.receive_buffer, own.delayed_ack, own.ack_every, own.quick_acks), (65_536, 0, 1, 4));
    assert_eq!(own.restart, Restart::RaisesSsthresh);
    let fq = ackclock_tcp::pacing::Pacing::Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: 3_000 };
    assert_eq!(own.pacing, fq);
}

#[test]
fn what_follows_from_several_fields_is_resolved() {
    let scenario = with(&[
        ("flows[0].access.source_delay", "50ms"),
        ("access.sink_delay", "10ms"),
        ("bottleneck.reverse_rate", "500kbps"),
        ("flows[1].count", "2"),
    ]);
    assert_eq!(scenario.base_rtt(&scenario.flows[0]), 520_000_000);
    assert_eq!(scenario.base_rtt(&scenario.flows[1]), 420_000_000);
    assert_eq!(scenario.bdp_rtt(), 520_000_000);
    assert_eq!(scenario.queue_limit(), QueueLimit::Bytes(65_000));
    assert_eq!(scenario.reverse_queue_limit(), QueueLimit::Bytes(65_000));
    assert_eq!(scenario.flows[0].copies().collect::<Vec<_>>(), ["video"]);
    assert_eq!(scenario.flows[1].copies().collect::<Vec<_>>(), ["file.0", "file.1"]);
    let scenario = with(&[
        ("bottleneck.reverse_rate", "500kbps"),
        ("bottleneck.reverse_queue", "2bdp"),
        ("bottleneck.bdp_rtt", "800ms"),
    ]);
    assert_eq!(scenario.queue_limit(), QueueLimit::Bytes(100_000));
    assert_eq!(scenario.reverse_queue_limit(), QueueLimit::Bytes(100_000));
    assert_eq!(scenario.bottleneck.reverse_rate(), 500_000);
}

/// The keys of JSON Schema 2020-12 that the schema may use, each with what its value has to be.
fn check_schema(schema: &Json, at: &str) {
    let object = schema.as_object().unwrap_or_else(|| panic!("{at} is a schema"));
    for (key, value) in object {
        let at = format!("{at}/{key}");
        match key.as_str() {
            "$schema" | "title" | "description" | "pattern" => assert!(value.is_string(), "{at}"),
            "type" => {
                let types = ["object", "array", "string", "integer", "number", "boolean"];
                assert!(value.as_str().is_some_and(|name| types.contains(&name)), "{at}");
            }
            "minimum" | "maximum" | "minItems" => assert!(value.is_number(), "{at}"),
            "uniqueItems" => assert!(value.is_boolean(), "{at}"),
            "additionalProperties" => assert_eq!(value, &Json::from(false), "{at}"),
            "const" | "default" => {}
            "enum" => assert!(value.as_array().is_some_and(|values| !values.is_empty()), "{at}"),
            "required" => {
                for name in value.as_array().expect("a list") {
                    assert!(object["properties"].get(name.as_str().expect("a name")).is_some(), "{at} {name}");
                }
            }
            "oneOf" => {
                let options = value.as_array().expect("a list");
                options.iter().enumerate().for_each(|(index, option)| check_schema(option, &format!("{at}/{index}")));
            }
            "items" => check_schema(value, &at),
            "properties" => {
                for (name, property) in value.as_object().expect("an object") {
                    check_schema(property, &format!("{at}/{name}"));
                    assert!(property["description"].as_str().is_some_and(|doc| !doc.is_empty()), "{at}/{name}");
                }
            }
            _ => panic!("{at} is no key of a schema"),
        }
    }
}

#[test]
fn the_schema_is_well_formed_and_has_every_field() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    check_schema(&schema, "");
    let rate = &schema["properties"]["bottleneck"]["properties"]["rate"];
    assert_eq!(rate["type"], "string");
    assert!(rate["description"].as_str().is_some_and(|doc| doc.contains("Mbps")));
    assert_eq!(schema["properties"]["bottleneck"]["required"], json!(["rate", "delay"]));
    assert_eq!(schema["properties"]["packet_size"]["default"], "1500B");
    let cc = &schema["properties"]["flows"]["items"]["properties"]["cc"]["oneOf"];
    let names: Vec<_> = cc.as_array().expect("a list").iter().map(|option| option["const"].clone()).collect();
    assert_eq!(names, ["reno", "cubic"]);
}

#[test]
fn every_default_of_the_reference_is_what_an_absent_key_means() {
    let canonical = with(&[("flows[2].pacing", "fq"), ("flows[2].access", "{}")]).to_json();
    let mut defaults = 0;
    for row in reference().as_array().expect("a list") {
        let path = row["path"].as_str().expect("a path");
        assert!(row["doc"].as_str().is_some_and(|doc| doc.ends_with('.')), "{path}");
        let Some(default) = row.get("default") else { continue };
        if !default.is_string() && !default.is_number() && !default.is_boolean() {
            continue;
        }
        let flow = match path {
            path if path.contains("<dash>") => "0",
            path if path.contains("<transfer>") => "1",
            _ => "2",
        };
        let pointer = path.replace("[]", &format!("/{flow}")).replace(['.', '<'], "/").replace('>', "");
        let pointer = ["dash", "transfer", "fq", "drop-tail"]
            .iter()
            .fold(format!("/{pointer}"), |path, kind| path.replace(&format!("/{kind}"), ""));
        let Some(value) = canonical.pointer(&pointer) else {
            assert!(path.contains("reverse_queue"), "{path} is not at {pointer}");
            continue;
        };
        // Defaults are text as one would write it, the canonical form has the largest unit.
        let same = [("0s", "0ns"), ("2 packets", "2 packets")]
            .iter()
            .any(|(text, canonical)| default == text && value == canonical);
        let queue = path == "bottleneck.queue" && value["limit"] == *default;
        assert!(same || queue || value == default, "{path}: {value} {default}");
        defaults += 1;
    }
    assert!(defaults > 25, "{defaults}");
}

#[test]
fn the_catalogue_has_what_scenarios_alone_define() {
    let names: Vec<_> = catalogue().into_iter().map(|(family, entries)| (family, entries.len())).collect();
    assert_eq!(names, [("app", 3), ("queue", 1), ("pacing", 2), ("abr", 4)]);
    assert!(catalogue().iter().flat_map(|(_, entries)| entries).all(|(_, doc)| !doc.is_empty()));
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "\\PC{0,12}".prop_map(Json::from),
        "-?[0-9]{1,25}(\\.[0-9]{1,25})? ?(s|ms|h|bps|Gbps|B|GiB|bdp|packets|x)".prop_map(Json::from),
        prop::sample::select(vec!["dash", "bulk", "fq", "newcwv", "drop-tail", "unlimited", "linux"])
            .prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        let keys = vec![
            "name",
            "duration",
            "seed",
            "packet_size",
            "bottleneck",
            "rate",
            "delay",
            "queue",
            "limit",
            "kind",
            "access",
            "flows",
            "app",
            "ladder",
            "segment",
            "size",
            "start",
            "start_jitter",
            "count",
            "mss",
            "probes",
            "from",
            "to",
            "stack",
            "pacing",
            "x",
        ];
        let entry = (prop::sample::select(keys), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Json::from),
            prop::collection::vec(entry, 0..10)
                .prop_map(|entries| entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Whatever is refused is refused in whole lines.
fn refused_in_lines(read: Result<Scenario, ScenarioError>) {
    if let Err(error) = read {
        assert!(!error.problems.is_empty());
        assert_eq!(error.to_string().lines().count(), error.problems.len(), "{error:?}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*", lines in "([a-z\\[\\]\\.=\"'{}0-9#, \\n]|\\PC){0,200}") {
        for text in [text, lines] {
            refused_in_lines(Scenario::from_toml(&text, &[]));
            refused_in_lines(Scenario::from_json(&text, &[]));
            refused_in_lines(Scenario::from_toml(BASE, &[(text.clone(), "1".to_owned())]));
            refused_in_lines(Scenario::from_toml(BASE, &[("name".to_owned(), text.clone())]));
        }
    }

    #[test]
    fn no_json_panics(json in any_json(), index in 0..CHANGES.len()) {
        refused_in_lines(Scenario::from_json(&json.to_string(), &[]));
        refused_in_lines(Scenario::from_toml(BASE, &[(CHANGES[index].0.to_owned(), json.to_string())]));
        let mut whole = with(&[]).to_json();
        for key in ["bottleneck", "access", "flows", "probes"] {
            whole[key] = json.clone();
            refused_in_lines(Scenario::from_json(&whole.to_string(), &[]));
        }
    }

    #[test]
    fn the_canonical_form_reads_back(chosen in prop::collection::btree_set(0..CHANGES.len(), 0..12)) {
        let pairs: Vec<_> = chosen.into_iter().flat_map(change).collect();
        // Some changes exclude each other.
        if let Ok(scenario) = Scenario::from_toml(BASE, &pairs) {
            let canonical = scenario.to_json();
            let again = Scenario::from_json(&canonical.to_string(), &[]).unwrap_or_else(|error| panic!("{error}"));
            prop_assert_eq!(&again, &scenario);
            prop_assert_eq!(again.to_json(), canonical);
            prop_assert_eq!(again.hash(), scenario.hash());
        }
    }
}
