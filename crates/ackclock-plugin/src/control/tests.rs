//! Algorithms of this test through the table of a library, without a file.

use std::sync::{Mutex, PoisonError};

use ackclock_cc::{Situation, WindowRules, testing};
use ackclock_tcp::cc::by_name;
use ackclock_tcp::context::{Ack, Cause, Congestion, Context, Window};

use super::*;
use crate::failure::Failed;

ackclock_cc::parameters! {
    struct Parameters {
        /// share of the window
        /// that remains
        kept: 0.5, 0.1..=0.9;
        /// segments in a round trip
        step: 1, 1..=4;
    }
}

struct Shared(Parameters);

impl ackclock_cc::Algorithm for Shared {
    const NAME: &'static str = "shared";
    const SUMMARY: &'static str = "rules of a test";
    type Parameters = Parameters;

    fn new(parameters: Parameters) -> Shared {
        Shared(parameters)
    }
}

impl WindowRules for Shared {
    fn reduction(&mut self, flow: &Situation) -> f64 {
        assert!(flow.cwnd() < 50.0, "a window of {} segments", flow.cwnd());
        self.0.kept
    }

    fn increase(&mut self, flow: &Situation) -> f64 {
        if flow.cwnd() < 40.0 { self.0.step } else { f64::NAN }
    }
}

/// Reno by the defaults of the contract.
struct Plain {
    acked: u64,
}

impl ackclock_cc::Algorithm for Plain {
    const NAME: &'static str = "plain";
    const SUMMARY: &'static str = "callbacks of a test";
    type Parameters = ();

    fn new((): ()) -> Plain {
        Plain { acked: 0 }
    }
}

impl ackclock_cc::CongestionControl for Plain {
    fn on_ack(&mut self, window: &mut ackclock_cc::Window, ack: &ackclock_cc::Ack, acked: u64) {
        match ack.marked {
            0 => {}
            1 => window.cwnd = 0,
            2 => window.cwnd = u64::MAX,
            _ => window.pacing_rate = Some(0),
        }
        if ack.marked > 0 {
            return;
        }
        self.acked += acked.min(window.cwnd);
        if self.acked >= window.cwnd {
            self.acked -= window.cwnd;
            window.cwnd += ack.ctx.mss;
        }
    }
}

static TABLES: &[abi::Algorithm] = &[ackclock_cc::ruled::<Shared>(), ackclock_cc::controlled::<Plain>()];
static HEADER: Header = Header::of(TABLES);

#[derive(Default)]
struct Kept(Mutex<Option<Failed>>);

impl Failures for Kept {
    fn is_set(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn set(&self, failed: Failed) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failed);
    }
}

fn made(name: &str, given: &[(&'static str, f64)]) -> (Box<dyn CongestionControl>, Arc<Kept>) {
    let failures = Arc::new(Kept::default());
    let own = of(&HEADER).unwrap().into_iter().find(|own| own.name == name).unwrap();
    (own.algorithm(given, "flow", failures.clone()).make(), failures)
}

fn window(segments: u64) -> Window {
    Window { cwnd: segments * 1000, ssthresh: segments * 1000, pacing_rate: None }
}

fn context(window: &Window) -> Context {
    let like = testing::context(&testing::window(window.cwnd as f64 / 1000.0));
    Context {
        now: like.now,
        mss: like.mss,
        initial_window: like.initial_window,
        snd_una: like.snd_una,
        snd_nxt: like.snd_nxt,
        flight_size: like.flight_size,
        pipe: like.pipe,
        unsent: like.unsent,
        receive_window: like.receive_window,
        srtt: like.srtt,
        min_rtt: like.min_rtt,
        rto: like.rto,
        in_recovery: like.in_recovery,
        release: like.release,
    }
}

fn ack(window: &Window, marked: u64) -> Ack {
    Ack { ctx: context(window), acked: 1000, sacked: 0, lost: 0, rtt: None, cwnd_limited: true, marked }
}

fn loss(window: &Window, cause: Cause, abe: bool) -> Congestion {
    Congestion { cause, abe, ctx: context(window) }
}

#[test]
fn a_table_tells_names_and_parameters() {
    let [shared, plain] = of(&HEADER).unwrap().try_into().unwrap();
    assert_eq!((shared.name, &*shared.summary), ("shared", "rules of a test"));
    assert_eq!((plain.name, plain.parameters.len()), ("plain", 0));
    let told: Vec<_> = shared.parameters.iter().map(|one| (one.name, one.default, one.least, one.most)).collect();
    assert_eq!(told, [("kept", 0.5, 0.1, 0.9), ("step", 1.0, 1.0, 4.0)]);
    assert_eq!(shared.parameters[0].summary, "share of the window that remains");
}

#[test]
fn rules_have_the_parameters_that_are_given_and_defaults_for_the_others() {
    let (mut own, failures) = made("shared", &[("step", 2.0)]);
    let mut now = window(10);
    for _ in 0..10 {
        let event = ack(&now, 0);
        own.on_ack(&mut now, &event, 1000);
    }
    // Two segments in a round trip of ten, of which the first comes after half.
    assert_eq!(now.cwnd, 11_000);
    own.on_congestion(&mut now, &loss(&window(11), Cause::Loss, false));
    assert_eq!((now.cwnd, now.ssthresh, failures.is_set()), (5500, 5500, false));
}

#[test]
fn callbacks_with_the_defaults_of_the_contract_are_those_of_reno() {
    let (mut own, failures) = made("plain", &[]);
    let mut reno = Algorithm::from(by_name("reno-rfc5681").unwrap()).make();
    let (mut ours, mut theirs) = (window(20), window(20));
    for step in 0..2000u64 {
        let before = ours;
        match step % 97 {
            90 => [(&mut own, &mut ours), (&mut reno, &mut theirs)].map(|(one, at)| {
                one.on_congestion(at, &loss(&before, Cause::Ecn, step % 2 == 0));
            }),
            95 => [(&mut own, &mut ours), (&mut reno, &mut theirs)].map(|(one, at)| {
                one.on_timeout(at, &loss(&before, Cause::Timeout, false), step % 3 == 0);
                at.cwnd = at.cwnd.max(4000);
            }),
            96 => [(&mut own, &mut ours), (&mut reno, &mut theirs)].map(|(one, at)| one.on_undo(at, &window(12))),
            _ => [(&mut own, &mut ours), (&mut reno, &mut theirs)]
                .map(|(one, at)| one.on_ack(at, &ack(&before, 0), before.cwnd)),
        };
        assert_eq!(ours, theirs, "step {step}");
    }
    assert!(!failures.is_set());
}

/// Returns the failure of an algorithm that is told of an acknowledgment and of a loss.
fn failed(name: &str, segments: u64, marked: u64) -> (Failed, Window) {
    let (mut own, failures) = made(name, &[]);
    let mut now = window(segments);
    own.on_ack(&mut now, &ack(&window(segments), marked), 1000);
    own.on_congestion(&mut now, &loss(&window(segments), Cause::Loss, false));
    drop(own);
    let found = failures.0.lock().unwrap().clone().unwrap();
    (found, now)
}

#[test]
fn values_that_are_not_accepted_are_failures() {
    for (name, segments, marked, callback, what) in [
        ("shared", 45, 0, "increase", "it returns NaN: accepted: a finite number"),
        ("plain", 10, 1, "on_ack", "it leaves cwnd = 0: accepted: at least a segment, 1000 bytes"),
        ("plain", 10, 2, "on_ack", "cwnd = 18446744073709551615: accepted: a number from 0 to 1125899906842624"),
        ("plain", 10, 3, "on_ack", "pacing_rate = 0: accepted: 1 or more bytes per second, or None"),
    ] {
        let (found, _) = failed(name, segments, marked);
        assert_eq!((found.algorithm, &*found.flow, found.callback), (name, "flow", callback), "{what}");
        assert_eq!(found.what, what);
        assert_eq!(found.now, Some(20 * testing::RTT));
    }
}

#[test]
fn a_panic_is_a_failure_and_the_algorithm_is_not_called_again() {
    let (mut own, failures) = made("shared", &[]);
    let mut now = window(60);
    own.on_congestion(&mut now, &loss(&window(60), Cause::Loss, false));
    let first = failures.0.lock().unwrap().clone().unwrap();
    assert_eq!(first.callback, "reduction");
    // A table without a library has not been asked to keep places.
    assert_eq!(first.what, "panic: a window of 60 segments");
    // A call would be a second panic; Reno's rule takes its place.
    assert_eq!(now.cwnd, 30_000);
    own.on_congestion(&mut now, &loss(&window(80), Cause::Loss, false));
    assert_eq!(failures.0.lock().unwrap().clone().unwrap(), first);
}
