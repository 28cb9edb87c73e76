//! Refusals: which input is refused, at which path, and with which message.

use super::*;
use ackclock_tcp::cc;

/// Asserts that overrides of [`BASE`] give one problem at `path`, whose message contains all of `words`.
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
fn every_mistake_of_a_file_is_reported_with_its_line() {
    let text = r#"durration = "60s"
seed = "one"
packet_size = "1500B"
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
        ("durration", Some(1)),
        ("seed", Some(2)),
        ("bottleneck.rate", Some(5)),
        ("bottleneck.delay", Some(6)),
        ("bottleneck.queue", Some(7)),
        ("flows[0].app.ladder[1]", Some(13)),
        ("flows[1].app", Some(16)),
        ("flows[1].name", Some(17)),
        ("flows[1].cc", Some(18)),
    ];
    assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
}

#[test]
fn a_problem_is_one_line_of_text() {
    let text = "duration = \"60s\"\nbottleneck = { rate = \"-1Mbps\", delay = \"1ms\" }\n[[flows]]\napp = \"bulk\"\ncc = \"cubik\"\n";
    let error = Scenario::from_toml(text, &[]).expect_err("two mistakes");
    let families = cc::FAMILIES.iter().map(|family| family.name);
    let mut accepted: Vec<_> = families
        .chain(cc::CATALOGUE.iter().map(|entry| entry.name))
        .chain(["remycc", "remycc-ns2", "remycc-ns2-us"])
        .collect();
    accepted.sort_unstable();
    let expected = format!(
        "line 2: bottleneck.rate: \"-1Mbps\" is negative; accepted: a rate above zero such as \"1.5Mbps\" \
         (units: bps, kbps, Mbps, Gbps, Tbps)\n\
         line 5: flows[0].cc: \"cubik\" is not a known congestion control; accepted: {}; did you mean \"cubic\"?",
        accepted.join(", ")
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn text_that_is_not_toml_is_refused_with_line_and_column() {
    for (text, line, words) in [
        ("duration = \n", 1, "column 12: not TOML"),
        ("duration = \"60s\nseed = 1\n", 1, "not TOML"),
        ("seed = 1\nseed = 2\n", 2, "duplicate key"),
        ("[bottleneck\nrate = 1\n", 1, "not TOML"),
        ("seed = 1\n= 2\n", 2, "column 1: not TOML"),
        ("seed = 1 2\n", 1, "column 8: not TOML"),
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
        ("bottleneck.queue", "wfq", &["\"wfq\" does not start with a number", "1bdp", "drop-tail"]),
        ("bottleneck.queue", "[]", &["an empty list is not a table", "drop-tail", "1bdp"]),
        ("bottleneck.bdp_rtt", "0s", &["is zero"]),
        ("access.rate", "'0x'", &["is not from"]),
        ("flows", "[]", &["there is no flow"]),
        ("flows", "{ app = 'bulk' }", &["a table is not a list"]),
        ("flows[2].name", "a[0]", &["has the character '['"]),
        ("flows[2].count", "0", &["0 is less than 1", "copies"]),
        ("flows[2].app", "nowhere", &["\"nowhere\" is not a known kind", "bulk, transfer, dash"]),
        ("flows[2].app", "3", &["3 is not a name"]),
        ("flows[2].app", "[]", &["an empty list is not a table"]),
        ("flows[2].stack", "windows", &["is not a known stack", "rfc, linux"]),
        ("flows[2].cc", "renno", &["accepted: ", "reno", "did you mean \"reno\"?"]),
        (
            "flows[2].validation",
            "new-cwv",
            &[
                "none, rfc2861, rfc2861-linux, newcwv, newcwv-00, newcwv-2013, newcwv-2014, linux, linux-kept, \
                 ratelimited-increase",
                "did you mean \"newcwv\"?",
            ],
        ),
        ("flows[2].slow_start", "slow", &["is not a known slow start", "standard"]),
        ("flows[2].pacing", "fast", &["is not a known kind", "off, fq"]),
        (
            "flows[2].restart_after_idle",
            "yes",
            &["off, rfc5681, lowers-ssthresh, one-segment, raises-ssthresh, freebsd, freebsd-10"],
        ),
        ("flows[2].initial_window", "0", &["0 is less than 1", "segments"]),
        ("flows[2].min_rto", "0s", &["is zero"]),
        ("flows[2].mss", "0B", &["is zero", "from \"64B\""]),
        ("flows[2].mss", "63B", &["is less than 64B"]),
        ("flows[2].mss", "1460", &["1460 has no unit"]),
        ("flows[2].receive_buffer", "2GiB", &["is more than 1GiB"]),
        ("flows[2].sack", "1", &["1 is not a truth value", "true or false"]),
        ("flows[0].app.abr", "bolla", &["throughput, bba, bola, hybrid, mpc", "did you mean \"bola\"?"]),
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
        ("bottleneck.rat", &["accepted: preset, rate, delay, queue", "did you mean \"rate\"?"]),
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
        (
            &[("flows[2].start", "30s"), ("flows[2].group_jitter", "29s"), ("flows[2].start_jitter", "1s")],
            "flows[2].group_jitter",
            &["\"29s\" lets the flow start after the end", "start + start_jitter + group_jitter"],
        ),
        (&[("bottleneck.loss", "101%")], "bottleneck.loss", &["is more than 100%", "such as \"1%\""]),
        (&[("bottleneck.loss", "0.01")], "bottleneck.loss", &["has no unit"]),
        (&[("bottleneck.loss", "{ kind = 'periodic' }")], "bottleneck.loss.every", &["missing"]),
        (&[("bottleneck.loss", "{ kind = 'periodic', every = 0 }")], "bottleneck.loss.every", &["is less than 1"]),
        (&[("bottleneck.loss", "{ every = 10 }")], "bottleneck.loss.every", &["periodic"]),
        (&[("flows[2].name", "video")], "flows[2].name", &["also the name of flows[0]"]),
        (&[("flows[0].name", "flow2")], "flows[2].name", &["the default, \"flow2\", is also the name of flows[0]"]),
        (&[("flows[2].mss", "1461B")], "flows[2].mss", &["from 64B to 1460B", "packet_size is 1500B"]),
        (&[("packet_size", "1000B"), ("flows[2].mss", "1460B")], "flows[2].mss", &["from 64B to 960B"]),
        (&[("flows[2].receive_buffer", "1000B")], "flows[2].receive_buffer", &["less than one segment", "1460B"]),
        (&[("flows[2].send_buffer", "2GiB")], "flows[2].send_buffer", &["more than a socket may have", "1GiB"]),
        (
            &[("flows[2].send_buffer", "64KiB"), ("flows[2].send_buffer_max", "2000GB")],
            "flows[2].send_buffer_max",
            &["more than a socket may have", "1GiB"],
        ),
        (&[("flows[2].send_buffer", "1000B")], "flows[2].send_buffer", &["less than one segment", "1460B"]),
        (
            &[("flows[2].send_buffer", "64KiB"), ("flows[2].send_buffer_max", "32KiB")],
            "flows[2].send_buffer_max",
            &["less than the send_buffer", "64KiB"],
        ),
        (
            &[("flows[2].stack", "rfc"), ("flows[2].send_buffer_max", "32KiB")],
            "flows[2].send_buffer_max",
            &["no limit on this stack"],
        ),
        (
            &[("flows[2].delayed_ack", "500ms")],
            "flows[2].delayed_ack",
            &["less than \"500ms\" (RFC 9293 section 3.8.6.3)"],
        ),
        (
            &[("flows[2].stack", "linux"), ("flows[2].delayed_ack", "40ms")],
            "flows[2].delayed_ack",
            &["\"40ms\" has no effect with the acknowledgment rule of Linux", "no delayed_ack, or another stack"],
        ),
        (
            &[("flows[2].stack", "linux"), ("flows[2].ack_every", "1")],
            "flows[2].ack_every",
            &["1 has no effect with the acknowledgment rule of Linux"],
        ),
        (&[("flows[2].min_rto", "61s")], "flows[2].min_rto", &["\"61s\" is more than max_rto", "at most \"1min\""]),
        (&[("flows[2].max_rto", "500ms")], "flows[2].max_rto", &["less than min_rto", "at least \"1s\""]),
        (&[("flows[2].min_rto", "2s"), ("flows[2].max_rto", "1s")], "flows[2].min_rto", &["more than max_rto"]),
        (&[("flows[2].initial_rto", "61s")], "flows[2].initial_rto", &["more than max_rto"]),
        (
            &[("flows[2].cc", "xcp"), ("flows[2].ecn", "accurate")],
            "flows[2].ecn",
            &["\"accurate\" with a congestion control whose", "accepted: \"off\", \"passive\""],
        ),
        (
            &[("flows[2].cc", "xcp"), ("flows[2].ecn", "l4s")],
            "flows[2].ecn",
            &["\"l4s\" with a congestion control whose", "accepted: \"off\", \"passive\""],
        ),
        (
            &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "rfc5681")],
            "flows[2].restart_after_idle",
            &["\"rfc5681\" with validation \"newcwv\"", "RFC 7661", "accepted: \"off\""],
        ),
        (
            &[("flows[2].validation", "rfc2861"), ("flows[2].restart_after_idle", "rfc5681")],
            "flows[2].restart_after_idle",
            &["\"rfc5681\" with validation \"rfc2861\"", "accepted: \"off\""],
        ),
        (
            &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "lowers-ssthresh")],
            "flows[2].restart_after_idle",
            &["\"lowers-ssthresh\""],
        ),
        (&[("flows[0].app.buffer", "1s")], "flows[0].app.buffer", &["\"1s\" does not hold one segment", "\"2s\""]),
        (&[("flows[0].app.segment", "15s")], "flows[0].app.buffer", &["the default, \"12s\", does not hold"]),
        (&[("flows[0].app.startup", "13s")], "flows[0].app.startup", &["more than the buffer holds", "\"12s\""]),
        (
            &[("flows[0].app.buffer", "5s"), ("flows[0].app.startup", "4001ms")],
            "flows[0].app.startup",
            &["\"4001ms\" is more than the buffer holds in whole segments", "at most \"4s\""],
        ),
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
        (
            &[("flows[0].count", "400000"), ("flows[1].count", "600000")],
            "flows",
            &["are 1000001 with all copies; accepted: at most 1000000"],
        ),
        (
            &[("bottleneck.queue", "{ kind = \"red\", maxthresh = 4 }")],
            "bottleneck.queue.maxthresh",
            &["4 does not go with the other parameters; accepted: more than the minimum threshold of 5 packets"],
        ),
        (&[("probes.from", "5s"), ("probes.to", "5s")], "probes.to", &["not after the start of recording"]),
        (&[("probes.window", "true"), ("probes.from", "60s")], "probes.from", &["not before the end of the run"]),
        (
            &[("probes.queues", "true"), ("probes.interval", "0s")],
            "probes.interval",
            &["\"0s\" beside queues or rates", "more than"],
        ),
        (&[("probes.rates", "true"), ("probes.from", "60s")], "probes.from", &["not before the end of the run"]),
    ] {
        refused(pairs, path, words);
    }
}

#[test]
fn what_is_just_inside_the_bounds_is_accepted() {
    for pairs in [
        &[("flows[2].start", "59999ms")][..],
        &[("flows[0].count", "400000"), ("flows[1].count", "599999")],
        &[("flows[2].start", "30s"), ("flows[2].start_jitter", "29s")],
        &[("packet_size", "104B"), ("flows[2].mss", "64B")],
        &[("flows[2].mss", "1460B"), ("flows[2].receive_buffer", "1460B")],
        &[("flows[2].delayed_ack", "499ms")],
        &[("flows[2].delayed_ack", "0s")],
        &[("flows[2].min_rto", "60s")],
        &[("flows[2].validation", "newcwv"), ("flows[2].restart_after_idle", "off")],
        &[("flows[2].validation", "none"), ("flows[2].restart_after_idle", "rfc5681")],
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
    let deep = ["a"; 10_000].join(".");
    assert!(problems(BASE, &[(&deep, "1")])[0].message.contains("the path is too long"));
    // A value from an override has no line in the file.
    assert_eq!(problems(BASE, &[("bottleneck.rate", "x")])[0].line, None);
    assert_eq!(problems(BASE, &[("bottleneck.queue", "1B")])[0].line, None);
}

#[test]
fn a_table_of_a_congestion_control_or_a_path_is_refused_by_its_parts() {
    let cases: &[(&str, &str, &str, &[&str])] = &[
        ("cc", "3", "cc", &["3 is not a name", "reno"]),
        ("cc", "{ kind = 'vega' }", "cc.kind", &["\"vega\" is not a known", "did you mean \"vegas\"?"]),
        ("cc", "{ alpha = 3 }", "cc.kind", &["missing", "vegas"]),
        ("cc", "{ kind = 'vegas-linux', alpha = 3 }", "cc.alpha", &["accepted: kind; vegas-paper has \"alpha\""]),
        ("cc", "{ kind = 'vegas', alfa = 3 }", "cc.alfa", &["unknown key of vegas", "did you mean \"alpha\"?"]),
        ("cc", "{ kind = 'vegas', alpha = -1 }", "cc.alpha", &["-1 is not accepted", "a number from"]),
        ("cc", "{ kind = 'vegas', alpha = '3' }", "cc.alpha", &["\"3\" is not accepted", "a number from"]),
        ("careful_resume", "{ cwnd = '1MB' }", "careful_resume.rtt", &["missing"]),
        ("careful_resume", "{ cwnd = '0B', rtt = '1s' }", "careful_resume.cwnd", &["is zero"]),
    ];
    for (key, value, path, words) in cases {
        refused(&[(&format!("flows[2].{key}"), value)], &format!("flows[2].{path}"), words);
    }
}

#[test]
fn an_on_period_has_a_time_or_a_volume() {
    let one = |app: &str| {
        let found = problems(BASE, &[("flows[2].app", app)]);
        let [problem] = &found[..] else { panic!("{app}: {found:?}") };
        problem.to_string()
    };
    let accepted = "accepted: on, the time, or size, the volume of an on period";
    assert_eq!(one("{ kind = 'onoff', off = '1s' }"), format!("flows[2].app.on: missing; {accepted}"));
    let both = one("{ kind = 'onoff', on = '1s', size = '1kB', off = '1s' }");
    assert_eq!(both, format!("flows[2].app.size: \"1kB\" beside on; {accepted}, not both"));
    let wrong = one("{ kind = 'onoff', on = { kind = 'gauss' }, off = '1s' }");
    let kinds = "constant, exponential, uniform, pareto, shifted-pareto, log-normal, empirical";
    assert_eq!(wrong, format!("flows[2].app.on.kind: \"gauss\" is not a known kind; accepted: {kinds}"));
    assert!(one("{ kind = 'onoff', on = '0s', off = '1s' }").contains("\"0s\" is zero; accepted: a time above zero"));
    assert!(problems(BASE, &[("flows[2].app", "{ kind = 'onoff', size = '1kB', off = '1s' }")]).is_empty());
}
