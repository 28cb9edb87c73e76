//! Scenarios from the reader's side: which are accepted, which are refused, and with which message.

mod files;
mod format;
mod forms;
mod fuzz;
mod graph;
mod links;
mod numbers;
mod policers;
mod random;
mod refusals;
mod registered;

use super::*;
use crate::testing::{BASE, CHANGES, change};
use ackclock_app::abr::Estimator;
use ackclock_app::{bulk, transfer};
use ackclock_tcp::config::{InitialWindow, Restart};

const BULK: &str = include_str!("../../../../scenarios/bulk.toml");
const TRANSFER: &str = include_str!("../../../../scenarios/transfer.toml");
const DASH: &str = include_str!("../../../../scenarios/dash-newcwv.toml");

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect()
}

fn with(pairs: &[(&str, &str)]) -> Scenario {
    Scenario::from_toml(BASE, &set(pairs)).unwrap_or_else(|error| panic!("{pairs:?}: {error}"))
}

fn fixed(value: u64) -> Random<Delay> {
    Random::Constant(ackclock_schema::random::Constant { value: Delay(value) })
}

fn problems(text: &str, pairs: &[(&str, &str)]) -> Vec<Problem> {
    Scenario::from_toml(text, &set(pairs)).err().map_or(Vec::new(), |error| error.problems)
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
    assert_eq!((scenario.rate().bits(), scenario.bottleneck.delay.first()), (1_000_000, 200_000_000));
    assert_eq!(
        scenario.bottleneck.queue,
        Queue { kind: "drop-tail", limit: QueueLimit::Bdp(1.0), parameters: Vec::new() }
    );
    assert_eq!(scenario.access.rate, AccessRate::Times(10.0));
    assert_eq!((&scenario.access.source_delay, &scenario.access.sink_delay), (&fixed(0), &fixed(0)));
    assert_eq!(scenario.access.policers(), [None; 4]);
    assert_eq!((scenario.access.gso, scenario.access.gro), (None, None));
    let names: Vec<_> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["video", "file", "flow2"]);
    assert_eq!(scenario.flows[1].app, App::Transfer(transfer::Fields { size: 1_000_000, count: 1, gap: 0 }.into()));
    assert_eq!(scenario.flows[2].app, App::Bulk(bulk::Fields {}.into()));
    let App::Dash(dash) = &scenario.flows[0].app else { panic!("{:?}", scenario.flows[0].app) };
    assert_eq!(dash.ladder, [200_000, 400_000, 700_000]);
    assert_eq!((dash.startup, dash.resume, dash.buffer), (2_000_000_000, 2_000_000_000, 12_000_000_000));
    assert_eq!((dash.abr.name(), dash.segments, dash.estimator), ("throughput", None, Estimator::Mean));
    assert_eq!(scenario.probes.interval, 10_000_000);
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
        (scenario.duration, scenario.rate().bits(), scenario.access.source_delay.clone()),
        (300_000_000_000, 2_000_000, fixed(5_000_000))
    );
    let cc: Vec<_> = scenario.flows.iter().map(|flow| flow.cc.as_ref().map(|cc| cc.name)).collect();
    assert_eq!(cc, [Some("cubic-rfc9438"), Some("reno-rfc5681"), None]);
    assert!(scenario.flows.iter().all(|flow| flow.validation.as_deref() == Some("newcwv")));
    assert_eq!(scenario.flows[2].initial_window, Some(4));
    let App::Dash(dash) = &scenario.flows[0].app else { panic!("{:?}", scenario.flows[0].app) };
    assert_eq!(dash.ladder[2], 1_000_000);
    let fq = Fq { slow_start_percent: 200, avoidance_percent: 120, quantum: Amount::Bytes(9_000) };
    assert_eq!(scenario.flows[1].pacing, Some(Pacing::Fq(fq)));
}

#[test]
fn json_reads_as_toml_does() {
    let json = r#"{ "flows": [ { "app": { "segment": "2s", "ladder": ["200kbit/s", "0.4Mbps", "700kbps"], "kind": "dash" },
        "name": "video", "stack": "rfc", "cc": null }, { "name": "file", "stack": "rfc", "app": { "kind": "transfer", "size": "1000kB" } }, { "stack": "rfc", "app": "bulk" } ],
        "bottleneck": { "delay": "0.2 s", "rate": "1000kbps", "queue": { "kind": "drop-tail", "limit": "1.0bdp" } },
        "duration": "1min", "seed": 7, "name": "other" }"#;
    let scenario = Scenario::from_json(json, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.hash(), with(&[]).hash());
    assert_eq!(scenario.flows, with(&[]).flows);
    let error = Scenario::from_json("[1, 2]", &[]).expect_err("no table");
    assert_eq!(error.problems[0].path, "");
    assert!(error.problems[0].message.contains("a list is not a table"), "{error}");
}

#[test]
fn the_name_of_a_family_means_the_form_of_the_flows_stack() {
    let form = |pairs: &[(&str, &str)]| with(pairs).flows[2].cc.as_ref().map(|cc| cc.name);
    assert_eq!(form(&[("flows[2].cc", "cubic")]), Some("cubic-rfc9438"));
    assert_eq!(form(&[("flows[2].cc", "cubic"), ("flows[2].stack", "linux")]), Some("cubic-linux"));
    assert_eq!(form(&[("flows[2].cc", "bbr"), ("flows[2].stack", "linux")]), Some("bbr1"));
    assert_eq!(form(&[("flows[2].cc", "bbr"), ("flows[2].stack", "rfc")]), Some("bbr3"));
    assert_eq!(form(&[("flows[2].cc", "cubic-rfc9438"), ("flows[2].stack", "linux")]), Some("cubic-rfc9438"));
    assert_eq!(form(&[("flows[2].cc", "{ kind = 'cubic' }"), ("flows[2].stack", "linux")]), Some("cubic-linux"));
    assert_eq!(with(&[("flows[2].cc", "cubic")]).hash(), with(&[("flows[2].cc", "cubic-rfc9438")]).hash());
    assert_eq!(form(&[("flows[2].stack", "linux")]), None, "the stack's own algorithm");
}

#[test]
fn a_flow_that_names_no_stack_has_todays_linux() {
    let text = BASE.replace("stack = \"rfc\"", "");
    let scenario = Scenario::from_toml(&text, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.flows.iter().all(|flow| flow.stack == "linux"));
    assert_eq!(&**scenario.flows[2].tcp_config(scenario.packet_size).cc.name(), "cubic-linux");
    let named = BASE.replace("stack = \"rfc\"", "stack = 'linux'");
    assert_eq!(Scenario::from_toml(&named, &[]).map(|scenario| scenario.hash()), Ok(scenario.hash()));
}

#[test]
fn tcp_is_the_stack_with_what_the_flow_overrides() {
    let tcp = |pairs: &[(&str, &str)]| {
        let scenario = with(pairs);
        scenario.flows[2].tcp_config(scenario.packet_size)
    };
    let rfc = tcp(&[]);
    assert_eq!(
        (rfc.mss, &**rfc.cc.name(), rfc.validation.name, rfc.restart),
        (1_460, "reno-rfc5681", "none", Restart::Rfc5681)
    );
    assert_eq!(tcp(&[("packet_size", "1400B")]).mss, 1_360);
    let linux = tcp(&[("flows[2].stack", "linux"), ("flows[2].validation", "newcwv")]);
    assert_eq!((&**linux.cc.name(), linux.min_rto, linux.quick_acks), ("cubic-linux", 200_000_000, 16));
    assert_eq!((linux.validation.name, linux.restart), ("newcwv", Restart::Off));
    let off = ("flows[2].restart_after_idle", "off");
    let validation = |pairs: &[(&str, &str)]| tcp(&[pairs, &[("flows[2].stack", "linux")]].concat()).validation.name;
    assert_eq!((validation(&[]), validation(&[off])), ("linux", "none"), "Linux has one setting for both");
    assert_eq!(validation(&[off, ("flows[2].validation", "newcwv")]), "newcwv");
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
    assert_eq!(
        (&**own.cc.name(), own.initial_window, own.mss, own.sack),
        ("cubic-rfc9438", InitialWindow::Segments(3), 1_000, false)
    );
    assert_eq!((own.initial_rto, own.min_rto, own.max_rto), (3_000_000_000, 300_000_000, 90_000_000_000));
    assert_eq!((own.receive_buffer, own.delayed_ack, own.ack_every, own.quick_acks), (65_536, 0, 1, 4));
    assert_eq!(own.restart, Restart::RaisesSsthresh);
    let fq = ackclock_tcp::pacing::Pacing::Fq {
        slow_start_percent: 200,
        avoidance_percent: 120,
        quantum: 3_000,
        initial: 0,
    };
    assert_eq!(own.pacing, fq);
}

#[test]
fn a_congestion_control_takes_parameters_and_a_flow_what_is_known_of_the_path() {
    let scenario = with(&[
        ("flows[2].cc", "{ kind = 'vegas', beta = 6, alpha = 3 }"),
        ("flows[2].careful_resume", "{ cwnd = '2MB', rtt = '600ms' }"),
    ]);
    let flow = &scenario.flows[2];
    let cc = flow.cc.as_ref().unwrap();
    assert_eq!((cc.name, &cc.parameters[..]), ("vegas-paper", &[("alpha", 3.0), ("beta", 6.0)][..]));
    assert_eq!(Scenario::from_json(&scenario.to_json().to_string(), &[]).unwrap().flows, scenario.flows);
    assert_ne!(scenario.hash(), with(&[("flows[2].cc", "vegas")]).hash());
    let config = flow.tcp_config(scenario.packet_size);
    assert_eq!(&**config.cc.name(), "vegas-paper");
    let saved = ackclock_tcp::careful_resume::Saved { cwnd: 2_000_000, rtt: 600_000_000, max_jump: 2_000_000 };
    assert_eq!(config.careful_resume, Some(saved));
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
    assert_eq!(scenario.reverse_rate().bits(), 500_000);
}
