//! Our TCP obeys the contract of transports.

use ackclock_transport::conformance::{Outcome, Report, check, check_with};
use ackclock_transport::{Parameters, Range, Stack, Value};
use ackclock_tun::TcpStack;

fn with(name: &str, value: &str) -> Report {
    let mut parameters = Parameters::default();
    parameters.0.insert(name.to_owned(), Value::Name(value.to_owned()));
    check_with(&TcpStack::default(), &parameters)
}

#[test]
fn our_tcp_passes_all_cases_that_apply_to_a_single_stream() {
    let report = check(&TcpStack::default());
    let passed = report.cases.iter().filter(|case| case.outcome == Outcome::Pass).count();
    assert_eq!((passed, report.cases.len()), (15, 16), "{report}");
}

#[test]
fn each_stack_passes() {
    let stack = TcpStack::default();
    let Range::Names(names) = &stack.parameters()[0].range else { unreachable!("names of stacks") };
    assert!(names.len() > 3, "{names:?}");
    for (name, _) in names {
        let report = with("stack", name);
        assert!(report.passed(), "{name}: {report}");
    }
}

/// Paced and unpaced controls, and the one that sends at its rate whatever happens.
#[test]
fn congestion_controls_pass_unless_they_ignore_congestion() {
    for name in ["bbr3", "copa", "cubic-linux", "hybla-linux", "prague", "reno-rfc5681"] {
        let report = with("cc", name);
        assert!(report.passed(), "{name}: {report}");
    }
    assert_eq!(with("cc", "fixed-rate").failed(), ["outage"]);
}

#[test]
fn parameters_that_are_not_accepted_are_told() {
    let report = with("stack", "ns2-sack");
    assert!(report.to_string().contains("stack = Name(\"ns2-sack\") is not accepted"), "{report}");
}
