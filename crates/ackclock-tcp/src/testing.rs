//! A sender as a congestion control sees it, for unit tests and fuzzing: it calls the methods of the trait in the order
//! that the trait promises, and does no more. Available to other crates with the feature `testing`.

use std::ops::Range;

use crate::cc::{CongestionControl, Scope};
use crate::context::{Ack, Cause, Congestion, Context, Delivery, Lost, RateSample, RecoveryEnd, Window};
use crate::{Nanos, SECOND};

/// SMSS of unit tests, bytes. A window in segments is a multiple of one thousand bytes.
pub const MSS: u64 = 1000;

/// Largest number of segments in flight.
const MOST_IN_FLIGHT: u64 = 1 << 20;

/// The state of a sender at `now` with the stream offsets `outstanding`, segments of [`MSS`], unlimited data to send, and
/// no RTT sample.
pub fn context(now: Nanos, outstanding: Range<u64>) -> Context {
    let flight_size = outstanding.end - outstanding.start;
    Context {
        now,
        mss: MSS,
        initial_window: 10 * MSS,
        snd_una: outstanding.start,
        snd_nxt: outstanding.end,
        flight_size,
        pipe: flight_size,
        unsent: u64::MAX,
        receive_window: u64::MAX,
        srtt: None,
        min_rtt: None,
        rto: SECOND,
        in_recovery: false,
        release: 0,
    }
}

/// An acknowledgment of `acked` bytes in order, without an RTT sample, of a sender that the window limits.
pub fn ack(ctx: Context, acked: u64) -> Ack {
    Ack { ctx, acked, sacked: 0, lost: 0, rtt: None, cwnd_limited: true, marked: 0 }
}

/// The deliveries that `ack` reports, without times or rates. `delivered` is the number of bytes delivered in total.
pub fn delivery(ack: Ack, delivered: u64) -> Delivery {
    let newly = ack.acked + ack.sacked;
    Delivery { ack, newly, delivered, lost: 0, sent_at: None, forward_delay: None, echo: None, rate: None }
}

/// Content of an acknowledgment. Volumes in bytes; they must not exceed the data outstanding.
#[derive(Clone, Copy, Default, Debug)]
pub struct Arrival {
    /// Bytes by which snd_una advances.
    pub acked: u64,
    /// Bytes newly SACKed.
    pub sacked: u64,
    /// Bytes newly deemed lost.
    pub lost: u64,
    /// Bytes newly reported as marked.
    pub marked: u64,
    /// RTT sample.
    pub rtt: Option<Nanos>,
    /// One-way delay, up to a constant.
    pub forward_delay: Option<i64>,
    /// Delivery rate: the bytes that had been delivered when the newest segment was sent, and the interval.
    pub rate: Option<(u64, Nanos)>,
}

/// A sender with a congestion control. It keeps the window and the sequence numbers; the caller decides what the
/// network does.
pub struct Sender {
    /// The congestion control.
    pub cc: Box<dyn CongestionControl>,
    /// Scope of the congestion control.
    pub scope: Scope,
    /// The window.
    pub window: Window,
    /// The time.
    pub now: Nanos,
    /// SMSS, bytes.
    pub mss: u64,
    /// Initial window, segments.
    pub initial_window: u64,
    /// SND.UNA.
    pub una: u64,
    /// SND.NXT.
    pub nxt: u64,
    /// Bytes outstanding that were SACKed.
    pub sacked: u64,
    /// Bytes delivered in total.
    pub delivered: u64,
    /// Bytes deemed lost in total.
    pub lost: u64,
    /// Largest flight that the application allows, segments; `u64::MAX` for no limit.
    pub supply: u64,
    /// Smoothed RTT.
    pub srtt: Option<Nanos>,
    /// Smallest RTT.
    pub min_rtt: Option<Nanos>,
    /// Whether a loss is being repaired.
    pub in_recovery: bool,
    /// Window before the last reduction, until it is undone.
    before: Option<Window>,
}

impl Sender {
    /// A sender at `now`, before its first segment, with an initial window of `initial_window` segments of `mss` bytes.
    pub fn new(cc: Box<dyn CongestionControl>, now: Nanos, mss: u64, initial_window: u64) -> Sender {
        let mut sender = Sender {
            scope: cc.scope().complete(),
            cc,
            window: Window { cwnd: initial_window * mss, ssthresh: u64::MAX, pacing_rate: None },
            now,
            mss,
            initial_window,
            una: 0,
            nxt: 0,
            sacked: 0,
            delivered: 0,
            lost: 0,
            supply: u64::MAX,
            srtt: None,
            min_rtt: None,
            in_recovery: false,
            before: None,
        };
        let ctx = sender.ctx();
        sender.cc.on_start(&mut sender.window, &ctx);
        sender
    }

    /// The sender's state.
    pub fn ctx(&self) -> Context {
        let ctx = context(self.now, self.una..self.nxt);
        Context {
            mss: self.mss,
            initial_window: self.initial_window * self.mss,
            pipe: ctx.flight_size - self.sacked,
            unsent: if self.is_limited_by_window() { u64::MAX } else { 0 },
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            rto: self.srtt.map_or(SECOND, |srtt| srtt.saturating_mul(2)),
            in_recovery: self.in_recovery,
            ..ctx
        }
    }

    /// The window, segments.
    pub fn segments(&self) -> f64 {
        self.window.cwnd as f64 / self.mss as f64
    }

    /// Whether the application always has data to send.
    fn is_limited_by_window(&self) -> bool {
        self.supply == u64::MAX
    }

    /// End of the data that the window and the application allow to be sent now, in whole segments.
    pub fn limit(&self) -> u64 {
        self.una + (self.window.cwnd / self.mss).min(self.supply).min(MOST_IN_FLIGHT) * self.mss
    }

    /// Sends as much as the window and the application allow.
    pub fn send(&mut self) {
        self.nxt = self.nxt.max(self.limit());
        if self.scope.sends {
            let ctx = self.ctx();
            self.cc.on_sent(&mut self.window, &ctx);
        }
    }

    /// Receives an acknowledgment: deliveries, losses, slow start (RFC 5681, at most two segments for each
    /// acknowledgment), and congestion avoidance with the bytes that slow start has not used.
    pub fn receive(&mut self, arrival: &Arrival) {
        let Arrival { acked, sacked, lost, marked, rtt, .. } = *arrival;
        let flight = self.nxt - self.una;
        self.una += acked;
        self.sacked = self.sacked.min(self.nxt - self.una) + sacked;
        (self.delivered, self.lost) = (self.delivered + acked + sacked, self.lost + lost);
        if let Some(rtt) = rtt {
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| (7 * srtt + rtt) / 8).max(1));
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        let cwnd_limited = self.is_limited_by_window();
        let ack = Ack { ctx: self.ctx(), acked, sacked, lost, rtt, cwnd_limited, marked };
        if self.scope.deliveries {
            self.report(arrival, ack, flight);
        }
        if acked == 0 || self.in_recovery {
            return;
        }
        let mut left = acked;
        if self.window.in_slow_start() && !self.scope.slow_start {
            let room = self.window.ssthresh - self.window.cwnd;
            let grown = acked.min(2 * self.mss).min(room);
            self.window.cwnd += grown;
            left = if grown == room { acked - grown } else { 0 };
        }
        if left > 0 && (cwnd_limited || self.scope.every_ack) {
            self.cc.on_ack(&mut self.window, &ack, left);
        }
        if self.scope.reductions && self.cc.requests_reduction() {
            self.congestion(Cause::Delay, false);
        }
    }

    /// Reports deliveries and losses; `flight` is FlightSize before the acknowledgment.
    fn report(&mut self, arrival: &Arrival, ack: Ack, flight: u64) {
        let newly = ack.acked + ack.sacked;
        let rate = arrival.rate.filter(|_| newly > 0).map(|(prior_delivered, interval)| RateSample {
            delivered: self.delivered - prior_delivered,
            prior_delivered,
            interval,
            tx_in_flight: flight,
            lost: ack.lost,
            app_limited: !ack.cwnd_limited,
        });
        let delivery = Delivery {
            lost: self.lost,
            sent_at: ack.rtt.map(|rtt| self.now.saturating_sub(rtt)),
            forward_delay: arrival.forward_delay,
            rate,
            ..delivery(ack, self.delivered)
        };
        self.cc.on_delivery(&mut self.window, &delivery);
        if ack.lost > 0 && self.scope.losses {
            let (ctx, len) = (self.ctx(), ack.lost.min(self.mss));
            let lost = Lost { ctx, len, tx_in_flight: flight, lost_since: ack.lost, app_limited: !ack.cwnd_limited };
            self.cc.on_lost(&mut self.window, &lost);
        }
    }

    /// Detects congestion other than a timeout.
    pub fn congestion(&mut self, cause: Cause, abe: bool) {
        self.before = Some(self.window);
        let event = Congestion { cause, abe, ctx: self.ctx() };
        self.cc.on_congestion(&mut self.window, &event);
    }

    /// Ends fast recovery.
    pub fn end_recovery(&mut self) {
        self.in_recovery = false;
        let end = RecoveryEnd { ctx: self.ctx(), retransmitted: self.mss };
        self.cc.on_recovery_end(&mut self.window, &end);
    }

    /// The retransmission timer expires.
    pub fn timeout(&mut self, first: bool) {
        if first {
            self.before = Some(self.window);
        }
        let event = Congestion::timeout(self.ctx());
        self.cc.on_timeout(&mut self.window, &event, first);
        if !self.scope.window {
            self.window.cwnd = self.mss;
        }
        self.in_recovery = false;
    }

    /// The last reduction proves spurious, unless it was undone before.
    pub fn undo(&mut self) {
        if let Some(before) = self.before.take() {
            self.cc.on_undo(&mut self.window, &before);
            self.in_recovery = false;
        }
    }

    /// All data are acknowledged, and sending resumes after `idle`.
    pub fn idle(&mut self, idle: Nanos) {
        (self.una, self.sacked) = (self.nxt, 0);
        self.now += idle;
        let ctx = self.ctx();
        self.cc.on_idle_end(&mut self.window, &ctx, idle);
    }
}
