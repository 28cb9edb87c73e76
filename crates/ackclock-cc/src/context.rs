//! The arguments of rules and callbacks, and the window that callbacks set.

use crate::value::{Value, values};

/// A time in nanoseconds.
pub type Nanos = u64;

/// A second, in nanoseconds.
pub const SECOND: Nanos = 1_000_000_000;

values! {
    /// The state that a congestion control sets. It gets all other information from the arguments of its callbacks.
    Window as CWindow {
        /// Congestion window, bytes.
        cwnd: u64,
        /// Slow-start threshold, bytes; `u64::MAX` until the first congestion.
        ssthresh: u64,
        /// Pacing rate, bytes per second; `None` leaves the rate to the pacer.
        pacing_rate: Option<u64>,
    }

    /// The sender's state after an event. Volumes are in bytes, times in nanoseconds.
    Context as CContext {
        /// The time of the event.
        now: Nanos,
        /// Sender maximum segment size (SMSS).
        mss: u64,
        /// Initial window, also the restart window (RFC 5681 section 3.1).
        initial_window: u64,
        /// Stream offset of the first unacknowledged byte. SYN and FIN do not count.
        snd_una: u64,
        /// Stream offset of the next new byte to send.
        snd_nxt: u64,
        /// FlightSize: bytes sent and not cumulatively acknowledged (RFC 5681 section 2).
        flight_size: u64,
        /// Estimate of the bytes in the network: "pipe" of RFC 6675, or FlightSize without SACK.
        pipe: u64,
        /// Bytes that the application has written and that were never sent.
        unsent: u64,
        /// The window that the peer advertised last (SND.WND of RFC 9293 section 3.3.1).
        receive_window: u64,
        /// Smoothed round-trip time; `None` before the first sample.
        srtt: Option<Nanos>,
        /// Smallest RTT sample; `None` before the first sample.
        min_rtt: Option<Nanos>,
        /// Current retransmission timeout, backoff included.
        rto: Nanos,
        /// Whether loss recovery (fast recovery or after a timeout) is in progress.
        in_recovery: bool,
        /// The time from which the pacer lets the next segment leave; not after `now` if it does not wait.
        release: Nanos,
    }

    /// An acknowledgment that advanced snd_una or SACKed new data. Volumes are in bytes.
    Ack as CAck {
        /// State after the acknowledgment.
        ctx: Context,
        /// Bytes by which snd_una advanced.
        acked: u64,
        /// Bytes newly SACKed; one segment for each duplicate ACK without SACK.
        sacked: u64,
        /// Bytes newly deemed lost.
        lost: u64,
        /// RTT sample of this acknowledgment, ns, if Karn's rule allows a sample.
        rtt: Option<Nanos>,
        /// Whether the window was full within the flight that this acknowledgment covers.
        cwnd_limited: bool,
        /// Bytes newly reported as received with a mark: exact with AccECN; with RFC 3168, `acked` while ECN echo is set.
        marked: u64,
    }

    /// A sample of the delivery rate, over the flight of the newest segment that an acknowledgment reports as received
    /// (draft-ietf-ccwg-bbr section 4.1). Volumes are in bytes, times in nanoseconds.
    RateSample as CRateSample {
        /// Bytes delivered over the interval (RS.delivered).
        delivered: u64,
        /// Bytes known to be delivered when the segment was sent (RS.prior_delivered).
        prior_delivered: u64,
        /// The longer of the two times over which the flight was sent and acknowledged (RS.interval). Zero if the
        /// interval is shorter than the smallest RTT, so that the sample gives no rate.
        interval: Nanos,
        /// Bytes in the network just after the segment was sent, the segment included (RS.tx_in_flight).
        tx_in_flight: u64,
        /// Bytes deemed lost since the segment was sent (RS.lost).
        lost: u64,
        /// Whether the application had nothing to send at some time in the interval (RS.is_app_limited).
        app_limited: bool,
    }

    /// Delivery information of an acknowledgment, in every phase of the sender. Volumes are in bytes, times in
    /// nanoseconds.
    Delivery as CDelivery {
        /// The acknowledgment.
        ack: Ack,
        /// Bytes newly known to have arrived, in order or not.
        newly: u64,
        /// Total of bytes known to have arrived.
        delivered: u64,
        /// Total of bytes ever deemed lost.
        lost: u64,
        /// Send time of the newest segment that this acknowledgment reports as received, if it was sent once.
        sent_at: Option<Nanos>,
        /// One-way delay from the sender to the receiver, correct up to a constant, with the resolution of the
        /// timestamps of one millisecond. `None` without timestamps (RFC 7323).
        forward_delay: Option<i64>,
        /// Send time of the segment whose timestamp the acknowledgment echoes, in whole milliseconds; `None` without
        /// timestamps.
        echo: Option<Nanos>,
        /// The delivery rate; `None` if no segment is newly known to have arrived.
        rate: Option<RateSample>,
    }

    /// A segment that is deemed lost. Volumes are in bytes.
    Lost as CLost {
        /// State after the segment was deemed lost.
        ctx: Context,
        /// Length of the segment.
        len: u64,
        /// Bytes in the network just after the segment was sent, the segment included (P.tx_in_flight).
        tx_in_flight: u64,
        /// Bytes deemed lost since the segment was sent, the segment included.
        lost_since: u64,
        /// Whether the application had no more data to send when the segment was sent.
        app_limited: bool,
    }

    /// Congestion: loss, a mark, or a retransmission timeout.
    Congestion as CCongestion {
        /// Evidence of the congestion.
        cause: Cause,
        /// Whether ABE (RFC 8511) applies to the response to a mark.
        abe: bool,
        /// State at detection, before the response.
        ctx: Context,
    }

    /// The end of fast recovery: the acknowledgment that covers the recovery point.
    RecoveryEnd as CRecoveryEnd {
        /// State at the end.
        ctx: Context,
        /// Bytes that were deemed lost, retransmitted in this recovery and delivered; each byte counts once.
        retransmitted: u64,
    }

    /// The event and the state for which a rule of [`crate::WindowRules`] is evaluated. The methods are in segments and
    /// seconds, as in Python.
    Situation as CSituation {
        /// The window, bytes.
        window: Window,
        /// The sender's state, bytes and nanoseconds.
        ctx: Context,
        /// Bytes newly acknowledged; 0 if the event is not an acknowledgment.
        acked_bytes: u64,
        /// Round-trip sample of the acknowledgment, nanoseconds.
        rtt_ns: Option<Nanos>,
        /// The evidence of congestion, if the event is congestion.
        cause: Option<Cause>,
        /// Whether ABE (RFC 8511) applies to the response to a mark.
        abe: bool,
        /// Time since the last segment was sent, if the event is the end of an idle period, nanoseconds.
        idle_ns: Nanos,
    }
}

/// The evidence of congestion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// Loss, found by duplicate ACKs, SACK, RACK or a probe.
    Loss,
    /// An ECN mark, without a loss.
    Ecn,
    /// An expiry of the retransmission timer.
    Timeout,
}

impl Value for Cause {
    type C = u32;

    #[inline]
    fn to_c(self) -> u32 {
        self as u32
    }

    #[inline]
    fn of_c(form: u32) -> Cause {
        match form {
            0 => Cause::Loss,
            1 => Cause::Ecn,
            2 => Cause::Timeout,
            _ => panic!("{form} is no cause of congestion"),
        }
    }
}

impl Window {
    /// Whether cwnd is below ssthresh (RFC 5681 section 3.1).
    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}

impl Congestion {
    /// FlightSize, bounded by cwnd, in bytes: limited transmit and fast recovery send more than the window, and RFC 5681
    /// section 3.2 excludes these data.
    #[inline]
    pub fn flight(&self, window: &Window) -> u64 {
        self.ctx.flight_size.min(window.cwnd)
    }

    /// Whether the response follows ABE, which reduces less for a mark than for a loss (RFC 8511 section 3).
    #[inline]
    pub fn is_gentle(&self) -> bool {
        self.abe && self.cause == Cause::Ecn
    }
}

impl RateSample {
    /// Delivery rate (RS.delivery_rate), in whole bytes per second; `None` if the interval gives no rate.
    pub fn rate(&self) -> Option<u64> {
        let bytes = u128::from(self.delivered) * u128::from(SECOND);
        (self.interval > 0).then(|| u64::try_from(bytes / u128::from(self.interval)).unwrap_or(u64::MAX))
    }
}

/// A time in seconds.
fn seconds(time: Nanos) -> f64 {
    time as f64 / SECOND as f64
}

impl Situation {
    /// A volume in segments.
    #[inline]
    pub fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / self.ctx.mss.max(1) as f64
    }

    /// The window, segments.
    #[inline]
    pub fn cwnd(&self) -> f64 {
        self.segments(self.window.cwnd)
    }

    /// The slow-start threshold, segments; infinite until the first congestion.
    #[inline]
    pub fn ssthresh(&self) -> f64 {
        if self.window.ssthresh == u64::MAX { f64::INFINITY } else { self.segments(self.window.ssthresh) }
    }

    /// Initial window, segments.
    #[inline]
    pub fn initial_window(&self) -> f64 {
        self.segments(self.ctx.initial_window)
    }

    /// Segments newly acknowledged; 0 if the event is not an acknowledgment.
    #[inline]
    pub fn acked(&self) -> f64 {
        self.segments(self.acked_bytes)
    }

    /// FlightSize, segments.
    #[inline]
    pub fn flight_size(&self) -> f64 {
        self.segments(self.ctx.flight_size)
    }

    /// Estimate of the data in the network, segments.
    #[inline]
    pub fn pipe(&self) -> f64 {
        self.segments(self.ctx.pipe)
    }

    /// Sender maximum segment size, bytes.
    #[inline]
    pub fn mss(&self) -> u64 {
        self.ctx.mss
    }

    /// The time of the event, seconds.
    #[inline]
    pub fn now(&self) -> f64 {
        seconds(self.ctx.now)
    }

    /// Round-trip sample of the acknowledgment, seconds.
    #[inline]
    pub fn rtt(&self) -> Option<f64> {
        self.rtt_ns.map(seconds)
    }

    /// Smoothed round-trip time, seconds; `None` before the first sample.
    #[inline]
    pub fn srtt(&self) -> Option<f64> {
        self.ctx.srtt.map(seconds)
    }

    /// Smallest RTT sample, seconds; `None` before the first sample.
    #[inline]
    pub fn min_rtt(&self) -> Option<f64> {
        self.ctx.min_rtt.map(seconds)
    }

    /// Time since the last segment was sent, if the event is the end of an idle period, seconds.
    #[inline]
    pub fn idle(&self) -> f64 {
        seconds(self.idle_ns)
    }
}
