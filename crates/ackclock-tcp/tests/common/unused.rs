//! Senders whose window is not used, as window validation finds them. Numbers are segments.

use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::slow_start::{self, SlowStart};
use ackclock_tcp::{Ack, Config, MILLISECOND, Nanos, SECOND, Window, validation};

use super::{MSS, Script};

pub const RTT: Nanos = 100 * MILLISECOND;
pub const MINUTE: Nanos = 60 * SECOND;
/// newCWV as RFC 7661 has it, and as its first draft.
pub const FORMS: [&str; 2] = ["newcwv", "newcwv-00"];

/// `base` with the rule `name`.
pub fn with_rule(name: &str, base: Config) -> Config {
    Config { validation: validation::by_name(name).unwrap(), ..base }
}

/// Writes `segments` segments and has them acknowledged, one ACK for each, a round trip after they left; what the window holds
/// back leaves a round trip later. Returns the window left.
pub fn burst(s: &mut Script, segments: u64) -> u64 {
    let end = s.end.sent() + segments * MSS;
    s.write(segments);
    for _ in 0..1000 {
        s.sends();
        if s.end.acked() >= end {
            return s.cwnd();
        }
        s.now += RTT;
        for ack in s.end.acked() / MSS + 1..=s.end.sent() / MSS {
            s.ack(ack, &[]);
        }
    }
    panic!("the sender does not get {segments} segments to its peer: {:?}", s.end.loss_recovery());
}

/// A sender whose window of `window` or a little more was not used for longer than the pipeACK Sampling Period, but for
/// `used` segments each round trip: it is in the non-validated phase.
pub fn unused(config: &Config, window: u64, used: u64) -> Script {
    let mut s =
        Script::established(&Config { initial_window: InitialWindow::Segments(window as u32), ..config.clone() }, RTT);
    for _ in 0..15 {
        burst(&mut s, used);
    }
    assert!(s.end.validation().non_validated);
    assert!(s.cwnd() >= window);
    s
}

/// Slow start that is over with the first ACK.
struct Over;

impl SlowStart for Over {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack, _may_grow: bool) -> u64 {
        window.ssthresh = window.cwnd;
        ack.acked
    }
}

pub static OVER: slow_start::Entry =
    slow_start::Entry { name: "over", summary: "", source: "", make: || Box::new(Over) };
