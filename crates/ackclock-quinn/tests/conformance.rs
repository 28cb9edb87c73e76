//! The stack obeys the contract of transports.

use ackclock_quinn::stack;
use ackclock_transport::conformance::{Outcome, check_with};
use ackclock_transport::{Parameters, Value};

#[test]
fn every_congestion_control_passes_all_cases() {
    for cc in ["cubic", "newreno", "bbr"] {
        let parameters = Parameters([("cc".to_owned(), Value::Name(cc.to_owned()))].into());
        let report = check_with(&stack(), &parameters);
        assert!(report.passed(), "{report}");
        let skipped = report.cases.iter().filter(|case| matches!(case.outcome, Outcome::NotApplicable(_)));
        assert_eq!(skipped.count(), 0, "{report}");
    }
}
