mod several;
mod toy;

use super::*;
use several::{Several, Wrong};
use toy::{Fault, Toy};

fn failed(fault: Fault) -> (Vec<&'static str>, Report) {
    let report = check(&Toy::new(fault));
    (report.failed(), report)
}

#[test]
fn a_stack_that_obeys_the_rules_passes() {
    let report = check(&Toy::new(Fault::None));
    assert!(report.passed(), "{report}");
    let reason = |name| format!("{:?}", report.outcome(name).unwrap());
    assert_eq!(reason("several streams"), "NotApplicable(\"the stack has a single stream\")");
    let passed = report.cases.iter().filter(|case| case.outcome == Outcome::Pass).count();
    assert_eq!((passed, report.cases.len()), (15, 19), "{report}");
    let shown = report.to_string();
    assert!(shown.starts_with("conformance of toy: 19 cases, 0 failed\n  pass            clean path: Both"), "{shown}");
}

#[test]
fn a_report_is_the_same_each_time() {
    assert_eq!(check(&Toy::new(Fault::AcceptsGaps)), check(&Toy::new(Fault::AcceptsGaps)));
}

/// Each fault fails the cases whose rule it breaks and no others, and the message names the call and the time.
#[test]
fn a_planted_fault_fails_the_case_of_its_rule() {
    let lossy = &["impaired path", "damage", "both directions"][..];
    for (fault, cases, words) in [
        (
            Fault::NeverSends,
            &["clean path"][..],
            "Connected at both ends did not come by 31.500000000 s: the client is not",
        ),
        (Fault::SendsForEver, &["clean path"], "returned more than 20000 datagrams at one instant"),
        (
            Fault::TimerStorm,
            &["impaired path", "damage", "both directions", "flow control", "outage", "timeouts"],
            "timers were due after 1000 calls at one instant",
        ),
        (Fault::PastTimeout, &["timeouts"], "is 0.000000001 s after expire and transmit"),
        (Fault::AcceptsGaps, lossy, "byte 32213 of stream 0 is 129, and 161 was written"),
        (Fault::DropsWhatIsUnread, &["flow control"], "byte 200000 of stream 0 is"),
        (
            Fault::IgnoresSeed,
            &["same seeds"],
            "datagram 0 of two runs with the same seeds differs: 33 bytes of the client",
        ),
        (Fault::LargeDatagrams, &["datagram sizes"], "a datagram of 1473 bytes; accepted: at most 1472"),
        (
            Fault::PanicsAtDamage,
            &["damage", "close"],
            "receive of the client at 1.000000000 s panicked: a wrong checksum",
        ),
        (Fault::NoBackoff, &["outage"], "datagrams in the last 29 s of an outage of 30 s; accepted: at most 100"),
        (Fault::TakesAll, &["flow control"], "write took 83886080 bytes within 10 s while the peer did not read"),
        (Fault::Heartbeat, &["quiescence", "outage"], "in the 60 s after a transfer; accepted: 100 datagrams"),
        (Fault::SilentClose, &["close"], "Closed at the server after a close at the client did not come"),
        (Fault::HalfRtt, &["statistics"], "is 0.02"),
        (Fault::FallingCounts, &["statistics"], "lost fell from 1 to 0"),
        (
            Fault::PanicsInCreate,
            &["parameters"],
            "window = Number(100000.0): create of the client at 1.000000000 s panicked",
        ),
    ] {
        let (names, report) = failed(fault);
        assert_eq!(names, cases, "{fault:?}: {report}");
        assert!(report.to_string().contains(words), "{fault:?}: {report}");
    }
}

#[test]
fn parameters_reach_the_stack() {
    let mut parameters = Parameters::default();
    parameters.0.insert("window".to_owned(), crate::Value::Number(100_000.0));
    let report = check_with(&Toy::new(Fault::PanicsInCreate), &parameters);
    assert_eq!(report.failed(), ["clean path"]);
    assert!(check_with(&Toy::new(Fault::None), &parameters).passed());
}

#[test]
fn a_stack_with_streams_priorities_and_resets_passes_their_cases() {
    let report = check(&Several::new(Wrong::Nothing));
    assert!(report.passed(), "{report}");
    for case in ["several streams", "unidirectional streams", "priorities", "resets"] {
        assert_eq!(report.outcome(case), Some(&Outcome::Pass), "{case}");
    }
}

#[test]
fn a_planted_fault_of_streams_fails_the_case_of_its_rule() {
    let [streams, priorities] = ["unidirectional streams", "priorities"];
    for (wrong, cases, words) in [
        (Wrong::MixesStreams, &["several streams"][..], "byte 0 of stream 2 is"),
        (Wrong::ReportsAsTheyArrive, &[streams, priorities], "OpenedUnidirectional(10) as number 5, which is stream 9"),
        (Wrong::IgnoresPriorities, &[priorities], "streams of the client ended with the priorities"),
        (Wrong::SilentReset, &["resets"], "Reset of the first stream and PeerFinished of the second did not come"),
        (Wrong::OtherCode, &["resets"], "Reset(4, 4568) of a stream that was reset with the code 4567"),
        (Wrong::SendsAfterReset, &["resets"], "bytes were sent after the reset for 100000 bytes"),
        (Wrong::EndsAfterReset, &["resets"], "PeerFinished(4) after Reset"),
    ] {
        let report = check(&Several::new(wrong));
        assert_eq!(report.failed(), cases, "{wrong:?}: {report}");
        assert!(report.to_string().contains(words), "{wrong:?}: {report}");
    }
}
