//! Round-trip time estimation and the retransmission timeout (RFC 6298), and the forms of Linux and ns-2.

use super::ticks::Ticks;
use crate::config::{Config, Conformance, RtoRule};
use crate::{MILLISECOND, Nanos};

/// G of RFC 6298: the minimum of the variance term, ns.
//= https://www.rfc-editor.org/rfc/rfc6298#section-4
//# if the K*RTTVAR term in the RTO calculation equals zero, the variance term MUST be rounded to G seconds
const GRANULARITY: Nanos = MILLISECOND;
/// FreeBSD multiplies its timeout by at most 512 (sys/netinet/tcp_timer.c, tcp_backoff).
const FREEBSD_DOUBLINGS: u32 = 9;

/// The RTT estimator of one sender.
#[derive(Clone, Debug)]
pub struct Rtt {
    /// SRTT, ns; 0 before the first sample.
    srtt: Nanos,
    /// RTTVAR, ns.
    rttvar: Nanos,
    min: Nanos,
    /// The latest sample, ns.
    latest: Option<Nanos>,
    min_rto: Nanos,
    max_rto: Nanos,
    /// Addition to every timeout that comes from a sample or was doubled, ns.
    slop: Nanos,
    /// Largest number of doublings of the timeout.
    most_doublings: u32,
    /// The timeout without backoff, ns; it includes `slop` after the first sample.
    base: Nanos,
    rule: Rule,
    /// Doublings since the last sample (RFC 6298 5.5).
    backoff: u32,
}

/// The rule of the estimate, and its state besides SRTT and RTTVAR. Linux's state is not boxed, because every
/// acknowledgment changes it.
#[derive(Clone, Debug)]
enum Rule {
    Rfc6298,
    Linux(Deviation),
    Ns2(Box<Ticks>),
}

/// State of Linux's rule in addition to SRTT and RTTVAR (net/ipv4/tcp_input.c, tcp_rtt_estimator).
#[derive(Clone, Default, Debug)]
struct Deviation {
    /// Four times the mean deviation, ns.
    mdev: Nanos,
    /// The largest `mdev` of this round trip, and at least min_rto, ns.
    mdev_max: Nanos,
    /// Stream offset that ends this round trip.
    round: u64,
}

impl Rtt {
    /// Makes an estimator without a sample.
    pub fn new(config: &Config) -> Rtt {
        Rtt {
            srtt: 0,
            rttvar: 0,
            min: Nanos::MAX,
            latest: None,
            min_rto: config.min_rto,
            max_rto: config.max_rto,
            slop: config.rto_slop,
            most_doublings: if config.conformance == Conformance::FreeBsd { FREEBSD_DOUBLINGS } else { 32 },
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# A TCP implementation MAY still use this value (or any other value > 1 second)
            base: config.initial_rto,
            rule: match config.rto_rule {
                RtoRule::Rfc6298 => Rule::Rfc6298,
                RtoRule::Linux => Rule::Linux(Deviation::default()),
                RtoRule::Ns2 => Rule::Ns2(Box::new(Ticks::new())),
                RtoRule::Ns2Fine => Rule::Ns2(Box::new(Ticks::of_timestamps(MILLISECOND / 10))),
                RtoRule::Ns2Linux => Rule::Ns2(Box::new(Ticks::of_linux())),
            },
            backoff: 0,
        }
    }

    /// Takes the sample of the handshake, at `now`.
    pub fn on_sample(&mut self, now: Nanos, rtt: Nanos) {
        self.on_ack(now, rtt, rtt, 0, 0);
    }

    /// Takes a sample of a segment that was sent once (Karn's rule), which also ends any backoff. `newest` is the
    /// sample of the latest such segment and updates the minimum RTT. `now` is the present; `una` and `nxt` are snd_una
    /// and snd_nxt after the acknowledgment.
    #[inline]
    pub fn on_ack(&mut self, now: Nanos, rtt: Nanos, newest: Nanos, una: u64, nxt: u64) {
        //= https://www.rfc-editor.org/rfc/rfc8985#section-6.2
        //= type=exception
        //= reason=The least RTT is that of the whole connection. Where a path becomes much longer, RACK's reordering
        //= window stays a quarter of the old RTT.
        //# The sender SHOULD track a windowed min-filtered estimate of recent RTT measurements
        self.min = self.min.min(newest);
        self.latest = Some(newest);
        match &mut self.rule {
            Rule::Ns2(ticks) => {
                let Some((srtt, rttvar, rto)) = ticks.on_sample(now, rtt, una, nxt) else { return };
                (self.srtt, self.rttvar, self.backoff) = (srtt, rttvar, 0);
                self.base = rto.clamp(self.min_rto, self.max_rto);
                return;
            }
            Rule::Linux(deviation) => {
                self.backoff = 0;
                (self.srtt, self.rttvar) = deviation.on_sample(self.srtt, self.rttvar, rtt, self.min_rto, una, nxt);
                self.base = (self.srtt + self.rttvar).min(self.max_rto);
                return;
            }
            Rule::Rfc6298 => self.backoff = 0,
        }
        if self.srtt == 0 {
            // 2.2
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# When the first RTT measurement R is made, the host MUST set
            (self.srtt, self.rttvar) = (rtt.max(1), rtt / 2);
        } else {
            // 2.3: beta 1/4 with the old SRTT, then alpha 1/8.
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# When a subsequent RTT measurement R' is made, a host MUST set
            self.rttvar = self.rttvar - self.rttvar / 4 + self.srtt.abs_diff(rtt) / 4;
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# updating RTTVAR and SRTT MUST be computed in the above order
            //= https://www.rfc-editor.org/rfc/rfc6298#section-2
            //# The above SHOULD be computed using alpha=1/8 and beta=1/4
            //= https://www.rfc-editor.org/rfc/rfc7323#section-4.2
            //= type=exception
            //= reason=Every sample weighs an eighth, however many a round trip has, as in Linux. The weights of appendix G
            //= are not used.
            //# an implementation SHOULD try to adhere to the spirit of the history specified in [RFC6298]
            self.srtt = (self.srtt - self.srtt / 8 + rtt / 8).max(1);
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-1
        //# a TCP MUST NOT be more aggressive than the following algorithms allow
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //# a host MUST update RTO <- SRTT + max (G, K*RTTVAR)
        let base = (self.srtt + GRANULARITY.max(4 * self.rttvar)).clamp(self.min_rto, self.max_rto);
        self.base = (base + self.slop).min(self.max_rto);
    }

    /// Backs off after an expiry of the timer (5.5).
    pub fn on_timeout(&mut self) {
        //= https://www.rfc-editor.org/rfc/rfc6298#section-5
        //# The host MUST set RTO <- RTO * 2 ("back off the timer")
        self.backoff = (self.backoff + 1).min(32);
    }

    /// Takes back a doubling, because the device refused the retransmission.
    pub fn on_refusal(&mut self) {
        self.backoff = self.backoff.saturating_sub(1);
    }

    /// Handles a retransmission of the SYN: without a sample yet, data starts with a timeout of at least 3 s (5.7).
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //# the RTO MUST be re-initialized to 3 seconds when data transmission begins
    pub fn on_handshake_timeout(&mut self) {
        self.backoff = 0;
        if self.srtt == 0 {
            self.base = self.base.max(3 * crate::SECOND);
        }
    }

    /// The retransmission timeout, backoff included, ns.
    #[inline]
    pub fn rto(&self) -> Nanos {
        if self.backoff == 0 {
            return self.base;
        }
        self.backed_off(self.backoff)
    }

    /// The timeout after `doublings`, ns: also the interval between probes of a closed window (RFC 9293 section
    /// 3.8.6.1).
    pub fn backed_off(&self, doublings: u32) -> Nanos {
        let included = if self.srtt == 0 { 0 } else { self.slop.min(self.base) };
        let doubled = u128::from(self.base - included) << doublings.min(self.most_doublings);
        let added = if doublings == 0 { included } else { self.slop };
        (doubled + u128::from(added)).min(u128::from(self.max_rto.max(self.base))) as Nanos
    }

    /// The timeout without backoff and without what FreeBSD adds to it, ns.
    pub fn without_slop(&self) -> Nanos {
        self.base - if self.srtt == 0 { 0 } else { self.slop.min(self.base) }
    }

    /// The time between probes of a closed window after `doublings`, before its limits, as FreeBSD computes it
    /// (sys/netinet/tcp_output.c, tcp_setpersist), ns.
    pub fn persist(&self, doublings: u32) -> Nanos {
        let time = u128::from(4 * self.srtt + 8 * self.rttvar) << doublings.min(self.most_doublings);
        (time + u128::from(self.slop)).min(u128::from(Nanos::MAX)) as Nanos
    }

    /// Smoothed RTT, ns, once there was a sample.
    #[inline]
    pub fn srtt(&self) -> Option<Nanos> {
        (self.srtt != 0).then_some(self.srtt)
    }

    /// Mean deviation, ns, once there was a sample: RTTVAR of RFC 6298.
    pub fn rttvar(&self) -> Option<Nanos> {
        let mean = if let Rule::Linux(deviation) = &self.rule { deviation.mdev / 4 } else { self.rttvar };
        (self.srtt != 0).then_some(mean)
    }

    /// The latest sample, ns.
    pub fn latest(&self) -> Option<Nanos> {
        self.latest
    }

    /// Smallest sample, ns.
    #[inline]
    pub fn min(&self) -> Option<Nanos> {
        (self.min != Nanos::MAX).then_some(self.min)
    }

    /// Doublings of the timeout since the last sample.
    pub fn backoff(&self) -> u32 {
        self.backoff
    }

    /// Whether Linux's rules determine the estimate and the timers that follow from it.
    #[inline]
    pub fn is_linux(&self) -> bool {
        matches!(self.rule, Rule::Linux(_))
    }

    /// Whether the timer is that of ns-2, which runs on after the last acknowledgment.
    pub fn is_ns2(&self) -> bool {
        matches!(self.rule, Rule::Ns2(_))
    }

    /// The minimum timeout, ns, which Linux also allows for delayed acknowledgments.
    pub fn min_rto(&self) -> Nanos {
        self.min_rto
    }
}

impl Deviation {
    /// Updates SRTT and RTTVAR with a sample.
    ///
    /// RTTVAR follows an increase of the deviation at once, and a decrease by a quarter each round trip; RTTVAR is
    /// never below min_rto. A sample below SRTT counts for an eighth of a sample above SRTT, so that a shrinking RTT
    /// does not raise the timeout.
    #[inline]
    fn on_sample(
        &mut self,
        srtt: Nanos,
        rttvar: Nanos,
        rtt: Nanos,
        floor: Nanos,
        una: u64,
        nxt: u64,
    ) -> (Nanos, Nanos) {
        if srtt == 0 {
            // The timeout is three times the sample.
            self.mdev = 2 * rtt;
            self.mdev_max = self.mdev.max(floor);
            self.round = nxt;
            return (rtt.max(1), self.mdev_max);
        }
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //= type=exception
        //= reason=The rule `linux` is that of tcp_rtt_estimator, which follows increases at once and decays slowly.
        //# When a subsequent RTT measurement R' is made, a host MUST set
        let error = srtt.abs_diff(rtt);
        let quarter = self.mdev / 4;
        if error < quarter {
            self.mdev -= quarter - error;
        } else {
            let excess = error - quarter;
            self.mdev += if rtt < srtt { excess / 8 } else { excess };
        }
        let mut rttvar = rttvar;
        if self.mdev > self.mdev_max {
            self.mdev_max = self.mdev;
            rttvar = rttvar.max(self.mdev_max);
        }
        if una > self.round {
            rttvar -= rttvar.saturating_sub(self.mdev_max) / 4;
            self.round = nxt;
            self.mdev_max = floor;
        }
        ((srtt - srtt / 8 + rtt / 8).max(1), rttvar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SECOND;

    fn with(rto_rule: RtoRule) -> Rtt {
        let rfc = (crate::stack::by_name("rfc").expect("in the catalogue").config)();
        let config = Config { min_rto: 200 * MILLISECOND, rto_rule, ..rfc };
        Rtt::new(&config)
    }

    fn rtt() -> Rtt {
        with(RtoRule::Rfc6298)
    }

    /// FreeBSD sys/netinet: tcp_timer.c, tcp_backoff; tcp_output.c, tcp_setpersist.
    #[test]
    fn freebsd_multiplies_by_512_at_most_and_probes_windows_by_rtt_and_deviation() {
        let mut rtt = Rtt::new(&(crate::stack::by_name("freebsd").expect("in the catalogue").config)());
        rtt.on_sample(0, 10 * MILLISECOND);
        assert_eq!((rtt.rto(), rtt.without_slop()), (230 * MILLISECOND, 30 * MILLISECOND));
        assert_eq!(rtt.backed_off(1), 260 * MILLISECOND);
        let most = 512 * 30 * MILLISECOND + 200 * MILLISECOND;
        assert_eq!([9, 10, 12].map(|doublings| rtt.backed_off(doublings)), [most; 3]);
        // Four times 10 ms and eight times 5 ms.
        assert_eq!([0, 1, 3].map(|doublings| rtt.persist(doublings) / MILLISECOND), [280, 360, 840]);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# the sender SHOULD set RTO <- 1 second, though the "backing off" on repeated retransmission discussed in (5.5)
    //# still applies
    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# When the first RTT measurement R is made, the host MUST set
    #[test]
    fn first_sample_sets_rto_to_three_times_itself() {
        let mut rtt = rtt();
        assert_eq!(rtt.rto(), SECOND);
        rtt.on_sample(0, 100 * MILLISECOND);
        assert_eq!(rtt.srtt(), Some(100 * MILLISECOND));
        assert_eq!(rtt.rto(), 300 * MILLISECOND);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-1
    //= type=test
    //# a TCP MUST NOT be more aggressive than the following algorithms allow
    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# When a subsequent RTT measurement R' is made, a host MUST set
    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# updating RTTVAR and SRTT MUST be computed in the above order
    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# The above SHOULD be computed using alpha=1/8 and beta=1/4
    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# a host MUST update RTO <- SRTT + max (G, K*RTTVAR)
    #[test]
    fn second_sample_follows_the_worked_arithmetic() {
        let mut rtt = rtt();
        rtt.on_sample(0, 100 * MILLISECOND);
        rtt.on_sample(0, 180 * MILLISECOND);
        // RTTVAR = 3/4*50 + 1/4*80 = 57.5 ms; SRTT = 7/8*100 + 1/8*180 = 110 ms.
        assert_eq!(rtt.srtt(), Some(110 * MILLISECOND));
        assert_eq!(rtt.rto(), 340 * MILLISECOND);
    }

    #[test]
    fn a_steady_rtt_is_bounded_by_the_least_timeout() {
        let mut rtt = rtt();
        for _ in 0..100 {
            rtt.on_sample(0, 50 * MILLISECOND);
        }
        assert_eq!(rtt.rto(), 200 * MILLISECOND);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-4
    //= type=test
    //# if the K*RTTVAR term in the RTO calculation equals zero, the variance term MUST be rounded to G seconds
    #[test]
    fn without_any_variance_the_timeout_is_a_granule_above_the_rtt() {
        let rfc = (crate::stack::by_name("rfc").expect("in the catalogue").config)();
        let mut rtt = Rtt::new(&Config { min_rto: 0, ..rfc });
        for _ in 0..200 {
            rtt.on_sample(0, 50 * MILLISECOND);
        }
        assert_eq!(rtt.rto(), 51 * MILLISECOND);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-2
    //= type=test
    //# A maximum value MAY be placed on RTO provided it is at least 60 seconds
    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=test
    //# The host MUST set RTO <- RTO * 2 ("back off the timer")
    #[test]
    fn backoff_doubles_until_the_bound_and_a_sample_ends_it() {
        let mut rtt = rtt();
        rtt.on_sample(0, 100 * MILLISECOND);
        let rtos: Vec<Nanos> = (0..10)
            .map(|_| {
                rtt.on_timeout();
                rtt.rto() / MILLISECOND
            })
            .collect();
        assert_eq!(rtos, [600, 1200, 2400, 4800, 9600, 19_200, 38_400, 60_000, 60_000, 60_000]);
        rtt.on_sample(0, 100 * MILLISECOND);
        assert!(rtt.rto() < 300 * MILLISECOND);
    }

    //= https://www.rfc-editor.org/rfc/rfc6298#section-5
    //= type=test
    //# the RTO MUST be re-initialized to 3 seconds when data transmission begins
    #[test]
    fn a_lost_syn_raises_the_timeout_for_data_to_three_seconds() {
        let mut rtt = rtt();
        rtt.on_timeout();
        rtt.on_handshake_timeout();
        assert_eq!(rtt.rto(), 3 * SECOND);
    }

    mod linux {
        use super::*;

        /// SRTT, RTTVAR and RTO in microseconds after each sample in milliseconds. Each sample is a separate round
        /// trip.
        fn after(samples: &[u64]) -> Vec<(u64, u64, u64)> {
            let mut rtt = with(RtoRule::Linux);
            let samples = samples.iter().zip(1..);
            samples
                .map(|(&ms, una)| {
                    rtt.on_ack(0, ms * MILLISECOND, ms * MILLISECOND, una, una);
                    (rtt.srtt / 1000, rtt.rttvar / 1000, rtt.rto() / 1000)
                })
                .collect()
        }

        #[test]
        fn the_first_timeout_is_three_times_the_sample_and_the_variance_no_less_than_the_least_timeout() {
            assert_eq!(after(&[300]), [(300_000, 600_000, 900_000)]);
            assert_eq!(after(&[20]), [(20_000, 200_000, 220_000)]);
        }

        #[test]
        fn a_steady_rtt_keeps_the_least_timeout_on_top_of_it() {
            assert_eq!(after(&[50; 100])[99], (50_000, 200_000, 250_000), "RFC 6298 would have 200 ms in all");
        }

        #[test]
        fn an_increase_counts_at_once_and_is_forgotten_by_a_quarter_each_round_trip() {
            // mdev: 200; |error| 300 over its quarter 50 adds 250. Then it decays: 450 - 112.5 + ..., with SRTT 137.5.
            let seen = after(&[100, 400, 138, 138, 138]);
            assert_eq!(seen[1], (137_500, 450_000, 587_500));
            assert_eq!(seen[2].1, 450_000 - (450_000 - 338_000) / 4);
            assert!(seen[3].1 < seen[2].1 && seen[4].1 < seen[3].1);
        }

        #[test]
        fn a_decrease_of_the_rtt_counts_an_eighth() {
            let mut rtt = with(RtoRule::Linux);
            for _ in 0..2 {
                rtt.on_sample(0, 400 * MILLISECOND);
            }
            let mdev = |rtt: &Rtt| if let Rule::Linux(deviation) = &rtt.rule { deviation.mdev } else { 0 };
            let before = mdev(&rtt);
            rtt.on_sample(0, 10 * MILLISECOND);
            let excess = 390 * MILLISECOND - before / 4;
            assert_eq!(mdev(&rtt), before + excess / 8);
        }
    }
}
