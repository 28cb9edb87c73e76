//! The windows that congestion controls see because of window validation, and the sender's guarantee to a rule: every
//! episode of congestion that begins also ends. Numbers are segments.

mod common;

use std::sync::{Arc, Mutex};

use ackclock_tcp::cc::{self, CongestionControl};
use ackclock_tcp::config::EcnMode;
use ackclock_tcp::context::{Congestion, CongestionEnd};
use ackclock_tcp::info::CaState;
use ackclock_tcp::validation::{Growth, Report, WindowValidation};
use ackclock_tcp::{Ack, Config, MILLISECOND, NEVER, State, Window, recovery, validation};
use common::unused::{FORMS, MINUTE, OVER, RTT, burst, unused, with_rule};
use common::{MSS, Script, config, linux};
use proptest::prelude::*;

/// A congestion control that halves the window, and records each window at which it was called.
struct Noting(Arc<Mutex<Vec<u64>>>);

impl CongestionControl for Noting {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}
    fn on_congestion(&mut self, window: &mut Window, _event: &Congestion) {
        self.0.lock().unwrap().push(window.cwnd / MSS);
        window.cwnd /= 2;
        window.ssthresh = window.cwnd;
    }
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion, _first: bool) {
        self.on_congestion(window, event);
    }
}

#[test]
fn the_window_that_congestion_met_is_what_was_used_of_it() {
    for form in FORMS {
        let found = Arc::new(Mutex::new(Vec::new()));
        let shared = found.clone();
        let cc = cc::Algorithm::custom("noting", move || Box::new(Noting(shared.clone())));
        let mut s = unused(&with_rule(form, Config { cc, slow_start: &OVER, ..config() }), 60, 2);
        let from = s.end.sent() / MSS;
        s.write(10);
        s.sends();
        s.now += RTT;
        for top in 2..=4 {
            s.ack(from, &[(from + 1, from + top)]);
        }
        assert_eq!(*found.lock().unwrap(), [10], "{form}: ten of sixty");
    }
}

#[test]
fn cubic_returns_to_the_window_that_was_used() {
    for name in ["cubic", "cubic-linux", "cubic-rfc8312", "bic"] {
        let cc = cc::by_name(name).unwrap().into();
        let mut s = unused(&with_rule("newcwv", Config { cc, ..config() }), 200, 2);
        let from = s.end.sent() / MSS;
        s.write(20);
        s.sends();
        s.now += RTT;
        for top in 2..=20 {
            s.ack(from, &[(from + 1, from + top)]);
        }
        s.now += RTT;
        s.ack(from + 20, &[]);
        assert_eq!(s.cwnd(), 9, "{name}: (20 - 1)/2");
        // The transfer runs for thirty round trips: W_max of 200 would almost be reached.
        s.write(100_000);
        for _ in 0..30 {
            s.sends();
            s.now += RTT;
            for ack in s.end.acked() / MSS + 1..=s.end.sent() / MSS {
                s.take(ack, &[]);
            }
        }
        assert!((15..50).contains(&s.cwnd()), "{name}: {}", s.cwnd());
    }
}

/// A rule that reports the response to congestion as the non-validated phase.
struct Episodes {
    answering: bool,
    asked: bool,
}

impl WindowValidation for Episodes {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack) -> Growth {
        Growth::Allowed
    }
    fn validated(&mut self, window: &Window, _event: &Congestion) -> u64 {
        self.asked = true;
        window.cwnd
    }
    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {
        assert!(std::mem::take(&mut self.asked), "asked first");
        self.answering = true;
    }
    fn on_timeout(&mut self, window: &mut Window, event: &Congestion) {
        self.on_congestion(window, event);
    }
    fn on_congestion_end(&mut self, _window: &mut Window, _end: &CongestionEnd) {
        assert!(self.answering, "one end for each episode");
        self.answering = false;
    }
    fn report(&self, _window: &Window) -> Report {
        Report { pipe_ack: None, non_validated: self.answering }
    }
}

static EPISODES: validation::Entry = validation::Entry {
    name: "episodes",
    summary: "",
    source: "",
    replaces_restart: true,
    watches_sending: true,
    before_sending: true,
    make: || Box::new(Episodes { answering: false, asked: false }),
};

#[derive(Clone, Debug)]
enum Op {
    Write(u64),
    /// A number of further segments is acknowledged after a time since the last ACK.
    Ack(u64, u64),
    /// A range above snd_una is SACKed, in per cent of the outstanding data.
    Sack(u64, u64),
    /// The segment before snd_una arrived twice.
    Dsack,
    Duplicate,
    Mark(bool),
    Wait(u64),
    Expire,
    /// The next ACKs echo the timestamp of the n-th last segment sent.
    Echo(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (1..30u64).prop_map(Op::Write),
        6 => ((1..20u64), (0..100u64)).prop_map(|(segments, wait)| Op::Ack(segments, wait)),
        6 => ((0..90u64), (1..50u64)).prop_map(|(from, len)| Op::Sack(from, len)),
        1 => Just(Op::Dsack),
        3 => Just(Op::Duplicate),
        2 => any::<bool>().prop_map(Op::Mark),
        3 => (1..150u64).prop_map(Op::Wait),
        1 => (1000..100_000u64).prop_map(Op::Wait),
        2 => Just(Op::Expire),
        2 => (0..20usize).prop_map(Op::Echo),
    ]
}

fn play(s: &mut Script, op: &Op) {
    let (una, nxt) = (s.end.acked() / MSS, s.end.sent() / MSS);
    match *op {
        Op::Write(segments) => s.write(segments),
        Op::Ack(segments, wait) => {
            s.wait(wait * MILLISECOND);
            s.take((una + segments).min(nxt), &[]);
        }
        Op::Sack(from, len) => {
            let start = una + 1 + (nxt - una) * from / 100;
            let end = (start + 1 + (nxt - una) * len / 100).min(nxt);
            if start < end {
                s.take(una, &[(start, end)]);
            }
        }
        Op::Dsack if una > 0 => s.take(una, &[(una - 1, una)]),
        Op::Dsack => {}
        Op::Duplicate => s.take(una, &[]),
        Op::Mark(on) => s.ece = on,
        Op::Wait(time) => s.wait(time * MILLISECOND),
        Op::Expire if (s.now..NEVER).contains(&s.end.next_timeout()) => s.expire(),
        Op::Expire => {}
        Op::Echo(back) => s.echo = s.stamps.iter().rev().nth(back).copied().unwrap_or(s.echo),
    }
    s.sends();
}

/// A stack for its loss detection, a rule of recovery, and a congestion control.
#[derive(Clone, Debug)]
struct Combination {
    stack: usize,
    recovery: usize,
    cc: &'static str,
}

impl Combination {
    fn config(&self) -> Config {
        let stacks = [
            config(),
            Config { sack: false, ..config() },
            Config { rack: true, ..config() },
            Config { tlp: true, rack: true, dsack_undo: true, ..config() },
            Config { eifel: true, timestamps: true, frto: true, ..config() },
            Config { timestamps: true, ..linux() },
        ];
        Config {
            cc: cc::by_name(self.cc).unwrap().into(),
            recovery: recovery::CATALOGUE[self.recovery].recovery,
            ecn: EcnMode::Classic,
            ..stacks[self.stack].clone()
        }
    }
}

fn choice() -> impl Strategy<Value = Combination> {
    let cc = prop_oneof![Just("reno"), Just("cubic"), Just("dctcp"), Just("vegas")];
    let all = (0..6usize, 0..recovery::CATALOGUE.len(), cc);
    all.prop_map(|(stack, recovery, cc)| Combination { stack, recovery, cc })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// In every sequence of the sender's phases, a rule is told of congestion and of its end; between both calls the
    /// sender is in recovery or reduces its window.
    #[test]
    fn every_episode_ends(choice in choice(), ops in prop::collection::vec(op(), 1..150)) {
        let mut s = Script::established(&Config { validation: &EPISODES, ..choice.config() }, RTT);
        for op in &ops {
            play(&mut s, op);
            let state = s.end.loss_recovery().state;
            let open = matches!(state, CaState::Open | CaState::Disorder);
            prop_assert_eq!(s.end.validation().non_validated, !open, "{:?} after {:?}", state, op);
            s.end.check().map_err(TestCaseError::fail)?;
        }
    }

    /// After any sequence of events, once everything is acknowledged the window is checked again, and not kept forever.
    #[test]
    fn no_path_leaves_the_rule_inhibited(
        form in prop::sample::select(vec!["newcwv", "newcwv-00", "newcwv-2013", "newcwv-2014"]),
        choice in choice(),
        ops in prop::collection::vec(op(), 1..150),
    ) {
        let mut s = Script::established(&with_rule(form, choice.config()), RTT);
        for op in &ops {
            play(&mut s, op);
        }
        if s.end.state() != State::Established {
            // There were too many timeouts.
            return Ok(());
        }
        s.ece = false;
        let written: u64 = ops.iter().map(|op| if let Op::Write(segments) = op { *segments } else { 0 }).sum();
        for _ in 0..5000 {
            if s.end.acked() == written * MSS {
                break;
            }
            burst(&mut s, 0);
        }
        prop_assert_eq!(s.end.acked(), written * MSS);
        // One segment is sent per round trip, until RTTs of minutes and their samples have expired.
        for _ in 0..150 {
            burst(&mut s, 1);
        }
        prop_assert_eq!(s.end.loss_recovery().state, CaState::Open);
        let (window, seen) = (s.end.window().cwnd, s.end.validation());
        // One segment is less than half of the window, or less than two thirds of its whole segments.
        let (pipe_ack, used) = if form == "newcwv-00" { (None, 2 * MSS - 1) } else { (Some(MSS), 2 * MSS) };
        prop_assert_eq!(seen.pipe_ack, pipe_ack);
        prop_assert_eq!(seen.non_validated, window > used, "{} {:?}", window, seen);
        s.now += 24 * 60 * MINUTE;
        s.write(1);
        s.sends();
        // The authors' module halves the window once, however long the sender was idle.
        let module = matches!(form, "newcwv-2013" | "newcwv-2014");
        let most = if module { (window / 2).max(10 * MSS) } else { 10 * MSS };
        prop_assert!(s.end.window().cwnd <= most, "{} {}", form, window);
    }
}
