//! Congestion controls that do what they should not, as their parameter says.

use ackclock_cc::{
    Ack, Algorithm, Congestion, CongestionControl, Context, Delivery, Lost, RecoveryEnd, Scope, Situation, Window,
    WindowRules,
};

ackclock_cc::parameters! {
    /// The trouble to make.
    pub struct Trouble {
        /// number of the trouble
        trouble: 0, 0..=20;
    }
}

struct Rules(f64);

impl Algorithm for Rules {
    const NAME: &'static str = "zoo-rules";
    const SUMMARY: &'static str = "rules that make trouble";
    type Parameters = Trouble;

    fn new(parameters: Trouble) -> Rules {
        assert!(parameters.trouble != 1.0, "no object today");
        Rules(parameters.trouble)
    }
}

impl WindowRules for Rules {
    fn increase(&mut self, flow: &Situation) -> f64 {
        match self.0 {
            2.0 => f64::NAN,
            3.0 => f64::INFINITY,
            4.0 if flow.now() > 2.0 => [1.0][flow.cwnd() as usize],
            5.0 => std::panic::panic_any(5),
            _ => 1.0,
        }
    }

    fn reduction(&mut self, _flow: &Situation) -> f64 {
        if self.0 == 6.0 { 1.5 } else { 0.5 }
    }

    fn start(&mut self, flow: &Situation) -> f64 {
        if self.0 == 7.0 { 0.5 } else { flow.cwnd() }
    }

    fn timeout(&mut self, flow: &Situation) -> f64 {
        if self.0 == 16.0 { 0.25 } else { self.reduction(flow) }
    }

    fn idle(&mut self, flow: &Situation) -> f64 {
        if self.0 == 16.0 { 1.0 / (1.0 + flow.idle()) } else { 1.0 }
    }
}

struct Full {
    trouble: f64,
    seed: u32,
    seen: u32,
}

impl Drop for Full {
    fn drop(&mut self) {
        assert!(self.trouble != 15.0, "not without a fight");
    }
}

impl Algorithm for Full {
    const NAME: &'static str = "zoo-full";
    const SUMMARY: &'static str = "callbacks that make trouble";
    type Parameters = Trouble;

    fn new(parameters: Trouble) -> Full {
        Full { trouble: parameters.trouble, seed: 0, seen: 0 }
    }
}

impl CongestionControl for Full {
    fn seed(&mut self, seed: u32) {
        self.seed = seed;
    }

    fn scope(&self) -> Scope {
        let all = self.trouble == 14.0;
        Scope { slow_start: self.trouble == 17.0, deliveries: all, losses: all, sends: all, ..Scope::default() }
    }

    fn on_start(&mut self, window: &mut Window, ctx: &Context) {
        assert!(self.trouble != 8.0, "{} bytes at the start", window.cwnd);
        assert!(ctx.initial_window == window.cwnd && window.ssthresh == u64::MAX);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack, acked: u64) {
        match self.trouble {
            9.0 => window.cwnd = 0,
            10.0 => window.cwnd = ack.ctx.mss - 1,
            11.0 => window.cwnd -= window.cwnd + 1,
            12.0 => window.cwnd = u64::MAX,
            13.0 => window.pacing_rate = Some(0),
            17.0 => {
                window.cwnd += acked / 2;
                window.pacing_rate = ack.ctx.srtt.map(|srtt| 2_000_000_000 * window.cwnd / srtt);
            }
            _ => window.cwnd += acked * ack.ctx.mss / window.cwnd,
        }
    }

    fn on_recovery_end(&mut self, _window: &mut Window, end: &RecoveryEnd) {
        assert!(end.ctx.now > 0 && self.seed != 0);
    }

    fn on_congestion(&mut self, window: &mut Window, event: &Congestion) {
        // All three kinds of events come before the first loss is answered.
        assert!(self.trouble != 14.0 || self.seen == 7, "seen {}", self.seen);
        window.ssthresh = self.ssthresh(window, event);
        window.cwnd = window.ssthresh;
    }

    fn on_delivery(&mut self, _window: &mut Window, delivery: &Delivery) {
        assert!(delivery.delivered >= delivery.newly);
        if let Some(rate) = delivery.rate.and_then(|sample| sample.rate()) {
            assert!((1..=2_500_000).contains(&rate), "{rate} bytes per second");
        }
        self.seen |= 1;
    }

    fn on_lost(&mut self, _window: &mut Window, lost: &Lost) {
        assert!(lost.len > 0 && lost.lost_since >= lost.len);
        self.seen |= 2;
    }

    fn on_sent(&mut self, _window: &mut Window, ctx: &Context) {
        assert!(ctx.flight_size > 0);
        self.seen |= 4;
    }
}

ackclock_cc::export!(WindowRules: Rules; CongestionControl: Full);
