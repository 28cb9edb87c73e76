//! A sender for tests of window validation by arithmetic. It calls the methods of a window validation, a slow start and a
//! congestion control in the order that the traits promise.

use super::WindowValidation;
use crate::cc::{CongestionControl, Scope};
use crate::context::{Ack, Cause, Congestion, CongestionEnd, Context, RecoveryEnd, Window};
use crate::slow_start::{self, SlowStart};
use crate::{MILLISECOND, Nanos, SECOND, cc, testing};

pub(crate) use crate::testing::MSS;

/// A slow start and a congestion control that never change the window.
struct Still;

impl SlowStart for Still {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _may_grow: bool) -> u64 {
        0
    }
}

impl CongestionControl for Still {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack, _acked: u64) {}
    fn on_congestion(&mut self, _window: &mut Window, _event: &Congestion) {}
    fn on_timeout(&mut self, _window: &mut Window, _event: &Congestion, _first: bool) {}
}

/// The simplified sender.
pub(crate) struct Sender {
    pub now: Nanos,
    pub window: Window,
    pub rule: Box<dyn WindowValidation>,
    pub rule_name: &'static str,
    /// Whether the rule receives every segment that is sent, according to its entry.
    watches_sending: bool,
    before_sending: bool,
    pub cc: Box<dyn CongestionControl>,
    pub scope: Scope,
    pub slow_start: Box<dyn SlowStart>,
    pub una: u64,
    pub nxt: u64,
    pub srtt: Option<Nanos>,
    pub rto: Nanos,
    pub initial_window: u64,
    pub receive_window: u64,
    pub unsent: u64,
    pub in_recovery: bool,
    /// Whether a response to congestion is in progress; the next fields say whether by slow start from one segment, or
    /// for a mark.
    pub answering: bool,
    in_slow_start: bool,
    reducing: bool,
    /// The window that an undo restores.
    restorable: Option<Window>,
    /// Stream offset at which the recovery ends.
    pub recovery_point: u64,
    /// The largest FlightSize so far.
    pub most_outstanding: u64,
    /// Acknowledgments up to this offset cover a flight in which the window was full.
    limited_until: u64,
    last_sent: Nanos,
}

impl Sender {
    /// A sender established at 10 s with an initial window of ten segments and an RTT of 100 ms.
    pub fn new(rule: &str, cc: Box<dyn CongestionControl>) -> Sender {
        let entry = super::by_name(rule).expect("a rule");
        let mut sender = Sender {
            now: 10 * SECOND,
            window: Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None },
            rule: (entry.make)(),
            rule_name: entry.name,
            watches_sending: entry.watches_sending,
            before_sending: entry.before_sending,
            scope: cc.scope().complete(),
            cc,
            slow_start: (slow_start::by_name("standard").expect("a slow start").make)(),
            una: 0,
            nxt: 0,
            srtt: Some(100 * MILLISECOND),
            rto: SECOND,
            initial_window: 10 * MSS,
            receive_window: u64::MAX,
            unsent: 0,
            in_recovery: false,
            answering: false,
            in_slow_start: false,
            reducing: false,
            restorable: None,
            recovery_point: 0,
            most_outstanding: 0,
            limited_until: 0,
            last_sent: 10 * SECOND,
        };
        let ctx = sender.ctx();
        sender.rule.on_start(&ctx);
        sender.cc.on_start(&mut sender.window, &ctx);
        sender
    }

    /// A sender with a slow start and a congestion control that never change the window.
    pub fn still(rule: &str, cwnd: u64) -> Sender {
        let mut sender = Sender::new(rule, Box::new(Still));
        sender.slow_start = Box::new(Still);
        (sender.window.cwnd, sender.window.ssthresh) = (cwnd * MSS, MSS);
        sender
    }

    pub fn with_cc(rule: &str, cc: &str) -> Sender {
        Sender::new(rule, cc::Algorithm::from(cc::by_name(cc).expect("a congestion control")).make())
    }

    pub fn flight(&self) -> u64 {
        self.nxt - self.una
    }

    pub fn ctx(&self) -> Context {
        Context {
            initial_window: self.initial_window,
            unsent: self.unsent,
            receive_window: self.receive_window,
            srtt: self.srtt,
            min_rtt: self.srtt,
            rto: self.rto,
            in_recovery: self.in_recovery,
            ..testing::context(self.now, self.una..self.nxt)
        }
    }

    pub fn wait(&mut self, time: Nanos) {
        self.now += time;
    }

    /// Sends up to `segments` segments, as far as the window allows. The rest is discarded.
    pub fn send(&mut self, segments: u64) {
        self.unsent = segments * MSS;
        while self.unsent > 0 {
            let idle = if self.flight() == 0 { self.now - self.last_sent } else { 0 };
            let ctx = self.ctx();
            if self.before_sending || self.flight() == 0 {
                self.rule.before_send(&mut self.window, &ctx, idle);
            }
            if self.flight() + MSS > self.window.cwnd.min(self.receive_window) {
                self.limited_until = self.nxt;
                break;
            }
            self.nxt += MSS;
            self.most_outstanding = self.most_outstanding.max(self.flight());
            self.unsent -= MSS;
            self.last_sent = self.now;
            let limited = self.unsent > 0 && self.flight() + MSS > self.window.cwnd;
            if self.watches_sending {
                let ctx = self.ctx();
                self.rule.on_sent(&mut self.window, &ctx, limited);
            }
        }
        self.unsent = 0;
    }

    /// Delivers an ACK for `segments` segments.
    pub fn ack(&mut self, segments: u64) {
        self.ack_bytes(segments * MSS);
    }

    pub fn ack_bytes(&mut self, bytes: u64) {
        let acked = bytes.min(self.flight());
        self.una += acked;
        let ack = self.last_ack(acked);
        if self.scope.deliveries {
            self.cc.on_delivery(&mut self.window, &testing::delivery(ack, self.una));
        }
        let growth = self.rule.on_ack(&mut self.window, &ack);
        if self.in_recovery || self.reducing || acked == 0 {
            return;
        }
        let (before, may_grow) = (self.window.cwnd, growth != super::Growth::Forbidden);
        let mut left = acked;
        if self.window.in_slow_start() && !self.scope.slow_start {
            left = self.slow_start.on_ack(&mut self.window, &ack, may_grow);
        }
        if left > 0 && (may_grow || self.scope.every_ack) {
            let cwnd_limited = if self.scope.every_ack { may_grow } else { ack.cwnd_limited };
            self.cc.on_ack(&mut self.window, &Ack { cwnd_limited, ..ack }, left);
        }
        self.window.cwnd = growth.bound(before, self.window.cwnd);
    }

    pub fn last_ack(&self, acked: u64) -> Ack {
        let cwnd_limited = self.una <= self.limited_until;
        Ack { rtt: self.srtt, cwnd_limited, ..testing::ack(self.ctx(), acked) }
    }

    /// Sends a burst, and delivers its ACKs after an RTT, one for each two segments.
    pub fn burst(&mut self, segments: u64) {
        self.send(segments);
        self.wait(self.srtt.expect("an RTT"));
        while self.flight() > 0 {
            self.ack(2);
        }
    }

    /// Runs a round trip of a bulk transfer: each ACK for two segments is followed by new segments.
    pub fn bulk_round(&mut self) {
        let rtt = self.srtt.expect("an RTT");
        let end = self.now + rtt;
        self.send(1 << 13);
        let target = self.nxt;
        let step = rtt / (self.flight() / MSS + 1);
        while self.una < target {
            self.wait(step);
            self.ack(2);
            self.send(1 << 13);
        }
        self.now = self.now.max(end);
    }

    /// Replaces the window by the validated window, on which the reduction is based, and returns the window before.
    fn take_validated(&mut self, event: &Congestion) -> Window {
        let before = self.window;
        self.window.cwnd = self.rule.validated(&before, event);
        before
    }

    fn congestion(&mut self, cause: Cause) {
        let event = Congestion { cause, ..Congestion::loss(self.ctx()) };
        let before = self.take_validated(&event);
        if !self.answering {
            self.restorable = Some(before);
        }
        self.cc.on_congestion(&mut self.window, &event);
        self.rule.on_congestion(&mut self.window, &event);
        self.answering = true;
        self.recovery_point = self.nxt;
    }

    /// Whether losses are repaired in slow start from one segment.
    pub fn in_slow_start(&self) -> bool {
        self.in_slow_start
    }

    /// Plays a loss that duplicate ACKs reveal.
    pub fn lose(&mut self) {
        self.congestion(Cause::Loss);
        self.in_recovery = true;
    }

    /// Plays an echoed mark.
    pub fn mark(&mut self) {
        self.congestion(Cause::Ecn);
        self.restorable = None;
        self.reducing = true;
    }

    /// Plays an acknowledgment of all data after a probe has repaired a loss of `segments`.
    pub fn probe_repairs(&mut self, segments: u64) {
        let acked = self.flight();
        self.una = self.nxt;
        self.congestion(Cause::Loss);
        self.restorable = None;
        self.end(segments);
        let ack = self.last_ack(acked);
        self.rule.on_ack(&mut self.window, &ack);
    }

    /// Delivers the ACK that covers the recovery point, after `retransmitted` retransmissions.
    pub fn recover(&mut self, retransmitted: u64) {
        self.wait(self.srtt.unwrap_or(SECOND));
        let acked = self.recovery_point.max(self.una) - self.una;
        self.una += acked;
        let in_fast_recovery = self.in_recovery && !self.in_slow_start;
        self.in_recovery = false;
        if in_fast_recovery {
            let end = RecoveryEnd { ctx: self.ctx(), retransmitted: retransmitted * MSS };
            self.cc.on_recovery_end(&mut self.window, &end);
        }
        self.end(retransmitted);
        let ack = self.last_ack(acked);
        self.rule.on_ack(&mut self.window, &ack);
    }

    fn end(&mut self, retransmitted: u64) {
        let end = CongestionEnd { ctx: self.ctx(), retransmitted: retransmitted * MSS, slow_start: self.in_slow_start };
        (self.answering, self.in_slow_start, self.reducing) = (false, false, false);
        self.rule.on_congestion_end(&mut self.window, &end);
    }

    /// Plays an expiry of the retransmission timer.
    pub fn timeout(&mut self, first: bool) {
        let event = Congestion::timeout(self.ctx());
        let before = self.take_validated(&event);
        if first {
            self.restorable = Some(before);
        }
        self.cc.on_timeout(&mut self.window, &event, first);
        self.window.cwnd = MSS;
        self.rule.on_timeout(&mut self.window, &event);
        (self.answering, self.in_recovery, self.in_slow_start) = (true, true, true);
        self.reducing = false;
        self.recovery_point = self.nxt;
    }

    /// The last loss or timeout proves spurious, during the recovery or after it.
    pub fn undo(&mut self) {
        let Some(before) = self.restorable.take() else { return };
        self.cc.on_undo(&mut self.window, &before);
        self.rule.on_undo();
        if self.answering {
            self.in_recovery = false;
            self.end(0);
        }
    }

    /// cwnd, ssthresh and pipeACK, in segments; an infinite ssthresh and an undefined pipeACK are -1.
    pub fn state(&self) -> (u64, i64, i64) {
        let segments = |bytes: u64| (bytes / MSS) as i64;
        let ssthresh = if self.window.ssthresh == u64::MAX { -1 } else { segments(self.window.ssthresh) };
        let pipe_ack = self.rule.report(&self.window).pipe_ack.map_or(-1, segments);
        (self.window.cwnd / MSS, ssthresh, pipe_ack)
    }

    pub fn pipe_ack(&self) -> Option<u64> {
        self.rule.report(&self.window).pipe_ack.map(|bytes| bytes / MSS)
    }

    pub fn non_validated(&self) -> bool {
        self.rule.report(&self.window).non_validated
    }
}
