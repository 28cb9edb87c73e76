//! Our TCP obeys the contract of transports.

use ackclock_transport::conformance::{Outcome, check, check_with};
use ackclock_transport::{Parameters, Range, Stack, Value};
use ackclock_tun::TcpStack;

#[test]
fn our_tcp_passes_all_cases_that_apply_to_a_single_stream() {
    let report = check(&TcpStack::default());
    println!("{report}");
    let passed = report.cases.iter().filter(|case| case.outcome == Outcome::Pass).count();
    assert_eq!((passed, report.cases.len()), (15, 16), "{report}");
}

/// Every stack with its own congestion control, and every congestion control on the default stack.
#[test]
fn each_stack_and_each_congestion_control_passes() {
    let stack = TcpStack::default();
    for parameter in stack.parameters() {
        let Range::Names(names) = &parameter.range else { unreachable!("{}", parameter.name) };
        assert!(names.len() > 3, "{names:?}");
        for (name, _) in names {
            let mut parameters = Parameters::default();
            parameters.0.insert(parameter.name.clone(), Value::Name(name.clone()));
            let report = check_with(&stack, &parameters);
            assert!(report.passed(), "{} = {name}: {report}", parameter.name);
        }
    }
}
