//! Our TCP obeys the contract of transports.

use ackclock_core::Ecn;
use ackclock_transport::conformance::{Outcome, Report, check, check_with};
use ackclock_transport::{Parameters, Range, Role, Setup, Stack, Value};
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
    assert_eq!((passed, report.cases.len()), (15, 19), "{report}");
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

/// The conformance path marks 1 % of the datagrams of senders that use ECN.
#[test]
fn each_use_of_ecn_passes() {
    for name in ["off", "classic", "accurate", "dctcp", "l4s"] {
        let report = with("ecn", name);
        assert!(report.passed(), "{name}: {report}");
    }
}

/// A mark on the datagram counts, although the packet in it is unmarked.
#[test]
fn a_mark_reduces_the_window() {
    let mut parameters = Parameters::default();
    parameters.0.insert("ecn".to_owned(), Value::Name("classic".to_owned()));
    let reductions = |mark: Ecn| {
        let end = |role| {
            let setup = Setup { role, seed: [7; 32], datagram: 1_500, parameters: &parameters, log: false };
            TcpStack::default().create(0, &setup).unwrap()
        };
        let mut ends = [end(Role::Client), end(Role::Server)];
        ends[0].connect(0);
        // Each round takes 10 ms and carries all datagrams of both ends.
        for now in (0..20).map(|round| round * 10_000_000) {
            for from in [0, 1] {
                let mut datagram = Vec::new();
                while let Some(transmit) = ends[from].transmit(now, &mut datagram) {
                    let ecn = if transmit.ecn.is_capable() { mark } else { transmit.ecn };
                    ends[1 - from].receive(now + 5_000_000, ecn, &datagram);
                    datagram.clear();
                }
            }
            ends[0].write(now, 0, &[0; 20_000]);
            ends.iter_mut().for_each(|end| end.expire(now + 6_000_000));
        }
        ends[0].statistics().reductions
    };
    assert_eq!(reductions(Ecn::Ect0), 0);
    assert!(reductions(Ecn::Ce) > 0);
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
