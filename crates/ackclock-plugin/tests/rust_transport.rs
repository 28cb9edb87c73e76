//! A library of transports in Rust, which the example `rust_transport` is.

use std::path::PathBuf;
use std::sync::Arc;

use ackclock_core::Ecn;
use ackclock_plugin::transports;
use ackclock_transport::conformance::check;
use ackclock_transport::{Event, NEVER, Parameters, Role, Setup, Stack, Statistics, Transmit, Transport, Value};

/// Returns the stacks of the library, which cargo builds beside the tests.
fn stacks() -> Vec<Arc<dyn Stack>> {
    let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples");
    let (start, end) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let file: PathBuf = folder.join(format!("{start}rust_transport{end}"));
    transports(&file).unwrap_or_else(|message| panic!("{message}; `cargo test -p ackclock-plugin` builds the library"))
}

/// An end of the stack that panics.
fn panicking(place: &str, length: f64, datagram: u32) -> Result<Box<dyn Transport>, String> {
    let mut parameters = Parameters::default();
    parameters.0.insert("panics".to_owned(), Value::Name(place.to_owned()));
    parameters.0.insert("length".to_owned(), Value::Number(length));
    let setup = Setup { role: Role::Client, seed: [3; 32], datagram, parameters: &parameters, log: false };
    stacks()[1].create(0, &setup)
}

#[test]
fn a_stack_is_the_same_behind_the_tables() {
    let (own, library) = (ackclock_quinn::stack(), &stacks()[0]);
    let about = |stack: &dyn Stack| {
        let texts = [stack.name(), stack.summary(), stack.source()].map(str::to_owned);
        (texts, stack.overhead(), stack.parameters().to_vec())
    };
    assert_eq!(about(&**library), about(&own));
    let (report, direct) = (check(&**library), check(&own));
    assert_eq!(report, direct);
    assert!(report.cases.len() > 10 && report.failed().len() < 2, "{report}");
}

/// The first datagrams of a client, which hold what its seed and its parameters decide.
#[test]
fn the_seed_and_the_parameters_reach_a_stack() {
    let first = |stack: &dyn Stack, seed: u8, mtu: f64| {
        let mut parameters = Parameters::default();
        parameters.0.insert("mtu".to_owned(), Value::Number(mtu));
        parameters.0.insert("cc".to_owned(), Value::Name("bbr".to_owned()));
        let setup = Setup { role: Role::Client, seed: [seed; 32], datagram: 1_472, parameters: &parameters, log: true };
        let mut end = stack.create(7, &setup).unwrap();
        end.connect(7);
        let mut datagram = Vec::new();
        let sent = end.transmit(7, &mut datagram).unwrap();
        (sent, datagram, end.timeout(), end.statistics(), end.take_log())
    };
    let (own, library) = (ackclock_quinn::stack(), &stacks()[0]);
    assert_eq!(first(&**library, 1, 1_200.0), first(&own, 1, 1_200.0));
    assert_eq!(first(&**library, 2, 1_400.0), first(&own, 2, 1_400.0));
    assert_ne!(first(&own, 1, 1_200.0).1, first(&own, 2, 1_200.0).1);
    assert!(!first(&own, 1, 1_200.0).4.is_empty());
}

#[test]
fn results_pass_the_tables() {
    let mut end = panicking("none", 3.0, 1_000).unwrap();
    let mut datagram = Vec::new();
    let sent = Some(Transmit { ecn: Ecn::Ect1, payload: 2, retransmission: true });
    assert_eq!((end.transmit(1, &mut datagram), &datagram[..]), (sent, &[7, 7, 7][..]));
    assert_eq!((end.timeout(), end.open(1), end.write(1, 0, &[1, 2]), end.take_log()), (NEVER, None, 2, Vec::new()));
    let statistics = Statistics { srtt: Some(5), lost: 4, state: Some("slow start"), ..Statistics::default() };
    assert_eq!(end.statistics(), statistics);
    assert_eq!(end.poll(), Some(Event::Closed(Some("closed in none".to_owned()))));
}

#[test]
fn a_mistake_ends_the_connection_with_its_text() {
    let reason = |place: &str, length: f64| {
        let mut end = panicking(place, length, 1_000).unwrap();
        end.receive(1, Ecn::NotEct, &[1]);
        end.transmit(1, &mut Vec::new());
        if end.timeout() < NEVER {
            assert_eq!(end.timeout(), 0);
            end.expire(1);
        }
        end.poll()
    };
    let closed = |text: &str| Some(Event::Closed(Some(text.to_owned())));
    let long = "transmit wrote a datagram of 1001 bytes; accepted: at most 1000";
    assert_eq!(reason("none", 1_001.0), closed(long));
    for (place, words) in [("receive", "this datagram"), ("transmit", "no datagram")] {
        let Some(Event::Closed(Some(told))) = reason(place, 3.0) else { panic!("{place}") };
        assert!(told.starts_with("the transport panicked: ") && told.contains(words), "{told}");
    }
    let told = panicking("create", 3.0, 1_000).map(|_| ()).unwrap_err();
    assert!(told.starts_with("panicking: the transport panicked: ") && told.contains("there is no memory"), "{told}");
    let told = panicking("none", 3.0, 9).map(|_| ()).unwrap_err();
    assert_eq!(told, "panicking: has too small datagrams; accepted: 10 bytes");
}
