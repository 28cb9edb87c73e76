//! The stack against the contract of transports.

use ackclock_quiche::stack;
use ackclock_transport::conformance::check_with;
use ackclock_transport::{Parameters, Value};

#[test]
fn all_cases_pass() {
    for cc in ["cubic", "reno", "bbr2"] {
        let parameters = Parameters([("cc".to_owned(), Value::Name(cc.to_owned()))].into());
        let report = check_with(&stack(), &parameters);
        assert!(report.passed(), "{cc}: {report}");
    }
}
