//! The stack against the contract of transports.

use ackclock_quinn::stack;
use ackclock_transport::conformance::{Outcome, check_with};
use ackclock_transport::{Parameters, Value};

/// quinn-proto 0.11.19 applies congestion control to CONNECTION_CLOSE, which RFC 9002 section 3 excludes, if data waits
/// to be sent. A closed connection processes no ACKs, so a window that is full stays full, and the peer never learns of
/// the close. In this case the window is full under bbr.
#[test]
fn all_cases_pass_but_a_close_with_a_full_window() {
    for (cc, failing) in [("cubic", &[][..]), ("newreno", &[]), ("bbr", &["close"])] {
        let parameters = Parameters([("cc".to_owned(), Value::Name(cc.to_owned()))].into());
        let report = check_with(&stack(), &parameters);
        let failed: Vec<_> = report.cases.iter().filter(|case| case.outcome != Outcome::Pass).collect();
        assert_eq!(failed.iter().map(|case| case.name).collect::<Vec<_>>(), failing, "{cc}: {report}");
        for case in failed {
            let told = format!("{:?}", case.outcome);
            assert!(told.contains("Closed at the server after a close at the client did not come"), "{cc}: {told}");
        }
    }
}
