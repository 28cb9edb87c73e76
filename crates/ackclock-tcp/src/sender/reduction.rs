//! Reduction of the window from its size at congestion to its target: in one step, by rate halving, or by proportional
//! rate reduction (RFC 6937, RFC 9937). The rules apply both in loss recovery and after a mark.

use crate::config::WindowUnit;
use crate::context::Window;
use crate::recovery::Recovery;

/// Facts from one acknowledgment about the progress of a reduction, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// DeliveredData: bytes newly known to have arrived.
    pub delivered: u64,
    /// The volume estimated to be in the network after the acknowledgment.
    pub in_flight: u64,
    /// SafeACK of RFC 9937 section 6.2: snd_una advanced and the ACK does not indicate further losses. Without SACK a
    /// partial ACK does indicate a further loss, that of the next segment (RFC 6582 section 3.2; Linux counts it in
    /// newly_lost).
    pub safe: bool,
    /// SMSS.
    pub mss: u64,
    /// Bytes newly acknowledged cumulatively.
    pub acked: u64,
    /// Bytes sent in this recovery that may be in the network: retransmissions of data that is still missing, and new
    /// data.
    pub sent: u64,
}

/// One reduction.
#[derive(Clone, Debug)]
pub(super) struct Reduction {
    rule: Recovery,
    /// ssthresh: the window at the end of the reduction.
    target: u64,
    /// RecoverFS: volume that may be delivered during the reduction.
    recover_fs: u64,
    /// Volume that the deliveries of the whole reduction are compared with: RecoverFS, or the window before the
    /// reduction where windows are counted in segments (prior_cwnd in Linux net/ipv4/tcp_input.c, tcp_cwnd_reduction).
    base: u64,
    unit: WindowUnit,
    /// prr_delivered.
    delivered: u64,
    /// prr_out.
    out: u64,
    /// Rate halving: whether the next ACK takes a segment off the window.
    second_ack: bool,
    /// Without SACK: volume that duplicate ACKs report as having left the network, not yet covered by an
    /// acknowledgment.
    duplicates: u64,
    /// FreeBSD: the window of what is sent in the recovery; 0 before the first step. ns-2's TCP/Linux: the volume up to
    /// which it sends (next_pkts_in_flight_).
    own: u64,
    /// ns-2's TCP/Linux: the volume in the network, and the divisor of ssthresh that gives the smallest window.
    in_flight: u64,
    floor: u64,
}

impl Reduction {
    pub fn new(rule: Recovery, unit: WindowUnit) -> Reduction {
        Reduction {
            rule,
            target: 0,
            recover_fs: 1,
            base: 1,
            unit,
            delivered: 0,
            out: 0,
            second_ack: false,
            duplicates: 0,
            own: 0,
            in_flight: 0,
            floor: 1,
        }
    }

    /// The same, with the divisor of ssthresh down to which ns-2's TCP/Linux reduces (min_cwnd of Linux 2.6.22).
    pub fn with_floor(self, floor: u64) -> Reduction {
        Reduction { floor, ..self }
    }

    pub fn rule(&self) -> Recovery {
        self.rule
    }

    /// Whether each ACK sets the window, rather than only the first.
    pub fn is_gradual(&self) -> bool {
        self.is_proportional() || matches!(self.rule, Recovery::RateHalving | Recovery::FreeBsd | Recovery::Ns2Linux)
    }

    /// Whether the rule is a form of PRR.
    pub fn is_proportional(&self) -> bool {
        matches!(self.rule, Recovery::PrrCrb | Recovery::PrrSsrb | Recovery::Prr)
    }

    /// Begins a reduction: the congestion control has replaced the window `before` by `window`. Of `flight_size`
    /// (FlightSize), `sacked_before` was SACKed before this acknowledgment; `acked` more was outstanding until this
    /// acknowledgment.
    pub fn begin(&mut self, window: &mut Window, before: &Window, flight_size: u64, sacked_before: u64, acked: u64) {
        self.target = window.cwnd;
        // RFC 6937 section 3 starts from FlightSize; RFC 9937 section 6.1 leaves out data that cannot be delivered any
        // more.
        self.recover_fs = match self.rule {
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.1
            //# RecoverFS = SND.NXT - SND.UNA
            Recovery::Prr => flight_size + acked - sacked_before.min(flight_size),
            //= https://www.rfc-editor.org/rfc/rfc6937#section-3
            //# RecoverFS = snd.nxt-snd.una // FlightSize at the start of recovery
            _ => flight_size,
        };
        self.recover_fs = self.recover_fs.max(1);
        self.base = if self.unit == WindowUnit::Segments { before.cwnd } else { self.recover_fs };
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.1
        //# a data sender using PRR MUST initialize the PRR state
        self.delivered = 0;
        self.out = 0;
        self.second_ack = false;
        self.duplicates = 0;
        self.own = if self.rule == Recovery::Ns2Linux { before.cwnd } else { 0 };
        if self.is_gradual() {
            window.cwnd = before.cwnd;
        }
    }

    /// Processes an acknowledgment, other than the one that ends the reduction.
    pub fn on_ack(&mut self, window: &mut Window, step: &Step) {
        if step.delivered == 0 {
            return;
        }
        match self.rule {
            Recovery::RateHalving => self.halve(window, step),
            Recovery::FreeBsd => self.open(window, step),
            Recovery::Ns2Linux => self.follow(window, step),
            _ if self.is_proportional() => self.proportion(window, step),
            _ => {}
        }
    }

    /// Linux before 3.2 (net/ipv4/tcp_input.c, tcp_cwnd_down): every second ACK reduces the window by one segment, and
    /// an ACK releases at most one segment.
    fn halve(&mut self, window: &mut Window, step: &Step) {
        if self.second_ack && window.cwnd > self.target {
            window.cwnd = window.cwnd.saturating_sub(step.mss).max(self.target);
        }
        self.second_ack = !self.second_ack;
        window.cwnd = window.cwnd.min(step.in_flight + step.mss);
    }

    /// ns-2's TCP/Linux (tcp/tcp-linux.cc, send_much): an ACK releases a segment if as many are in the network as after the
    /// last transmission, less one, and releases all that the smallest window allows.
    fn follow(&mut self, window: &mut Window, step: &Step) {
        self.in_flight = step.in_flight;
        self.own = self.own.min(step.in_flight + step.mss);
        window.cwnd = self.own.max(self.target / step.mss / self.floor * step.mss);
    }

    /// FreeBSD before PRR (sys/netinet: tcp_input.c, tcp_do_segment; tcp_sack.c, tcp_sack_partialack): what is sent in
    /// the recovery has a window of its own. The window begins with one segment, grows by one for each duplicate ACK
    /// while less than ssthresh is in the network, and after a partial ACK lets at most two segments go.
    fn open(&mut self, window: &mut Window, step: &Step) {
        let Step { in_flight, mss, acked, sent, .. } = *step;
        if self.own == 0 {
            self.own = mss;
        } else if acked > 0 {
            let segments = if acked >= 2 * mss { 2 } else { 1 };
            self.own = (sent + segments * mss).min(self.target);
        } else if in_flight < self.target {
            self.own = (self.own + mss).min(self.target);
        }
        window.cwnd = (in_flight + self.own.saturating_sub(sent)).max(mss);
    }

    /// RFC 6937 section 3 and RFC 9937 section 6.2, in whole segments as in their examples: a part of a segment cannot
    /// be sent, and the bytes that round it up to a segment must not wait for the next ACK.
    fn proportion(&mut self, window: &mut Window, step: &Step) {
        let Step { delivered, in_flight, safe, mss, .. } = *step;
        let target = (self.target / mss).max(1) * mss;
        self.delivered += delivered;
        let send = if in_flight > target {
            //= https://www.rfc-editor.org/rfc/rfc6937#section-3
            //# sndcnt = CEIL(prr_delivered * ssthresh / RecoverFS) - prr_out
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# out = DIV_ROUND_UP(prr_delivered * ssthresh, RecoverFS)
            let due = u128::from(self.delivered) * u128::from(target);
            let due = due.div_ceil(u128::from(self.base)).div_ceil(u128::from(mss)) * u128::from(mss);
            u64::try_from(due).unwrap_or(u64::MAX).saturating_sub(self.out)
        } else {
            let banked = self.delivered.saturating_sub(self.out);
            let limit = match self.rule {
                //= https://www.rfc-editor.org/rfc/rfc6937#section-3
                //# limit = prr_delivered - prr_out
                Recovery::PrrCrb => banked,
                //= https://www.rfc-editor.org/rfc/rfc6937#section-3
                //# limit = MAX(prr_delivered - prr_out, DeliveredData) + MSS
                Recovery::PrrSsrb => banked.max(delivered) + mss,
                //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
                //# SndCnt = MAX(prr_delivered - prr_out, DeliveredData)
                _ => banked.max(delivered) + if safe { mss } else { 0 },
            };
            //= https://www.rfc-editor.org/rfc/rfc6937#section-3
            //# sndcnt = MIN(ssthresh - pipe, limit)
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# SndCnt = MIN(ssthresh - inflight, SndCnt)
            limit.min(target - in_flight)
        };
        // RFC 9937 section 6.2: the first retransmission is sent regardless of the other terms.
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# Force a fast retransmit upon entering recovery
        let send = if self.rule == Recovery::Prr && self.out == 0 { send.max(mss) } else { send };
        // With nothing in flight and a window of zero, no ACK would ever open the window.
        window.cwnd = (in_flight + send).max(mss);
    }

    /// Records that `bytes` were sent.
    pub fn on_sent(&mut self, bytes: u64, mss: u64) {
        self.out += bytes;
        if self.rule == Recovery::Ns2Linux {
            self.in_flight += bytes;
            self.own = self.own.min(self.in_flight.saturating_sub(mss).max(mss));
        }
    }

    /// Ends a reduction that was not undone, with `flight_size` outstanding.
    pub fn end(&self, window: &mut Window, flight_size: u64, mss: u64) {
        match self.rule {
            // tcp_complete_cwr: if losses have reduced the window further, it stays at the lower value.
            Recovery::RateHalving => window.cwnd = window.cwnd.min(self.target),
            // tcp_moderate_cwnd: the window rises to ssthresh, but a burst has three segments at most.
            Recovery::Ns2Linux if self.floor > 1 => window.cwnd = self.target.min(flight_size + 3 * mss),
            Recovery::Ns2Linux => window.cwnd = self.target,
            // RFC 9937 section 6.4.
            //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
            //# cwnd MUST be set to no more than ssthresh and congestion avoidance MUST be used to further increase
            //# cwnd
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
            //# cwnd = ssthresh
            _ if self.is_proportional() => window.cwnd = self.target,
            _ => {}
        }
    }

    /// Without SACK: accounts for the duplicate ACKs that began the recovery, each of which reports an arrived segment.
    pub fn start_from_duplicates(&mut self, bytes: u64) {
        self.duplicates = bytes.min(self.recover_fs);
    }

    /// Without SACK: accounts for one more duplicate ACK. Returns DeliveredData, whose sum RFC 9937 section 6.2 bounds
    /// by RecoverFS, so that forged duplicates do not open the window.
    pub fn on_duplicate(&mut self, mss: u64) -> u64 {
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //# A TCP MAY therefore limit the number of times cwnd is artificially inflated during loss recovery
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# PRR disallows incrementing DeliveredData when the total bytes delivered in a PRR episode would exceed the
        //# estimated data outstanding upon entering recovery (RecoverFS)
        let counted = mss.min(self.recover_fs.saturating_sub(self.delivered));
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# senders MUST subtract out: min(RecoverFS, 1 SMSS for each preceding duplicate ACK in the fast recovery
        //# episode)
        self.duplicates = (self.duplicates + mss).min(self.recover_fs);
        counted
    }

    /// Without SACK: accounts for an advance of snd_una by `acked`. Returns DeliveredData. Data that duplicate ACKs
    /// have already reported is not counted twice; the retransmission that filled the hole always counts.
    pub fn on_partial(&mut self, acked: u64, mss: u64) -> u64 {
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# When SND.UNA advances (i.e., a full or partial ACK), DeliveredData is the change in SND.UNA, minus 1 SMSS
        //# for each preceding duplicate ACK
        let told = self.duplicates.min(acked.saturating_sub(mss));
        self.duplicates -= told;
        (acked - told).min(self.recover_fs.saturating_sub(self.delivered))
    }

    /// Without SACK: volume that duplicate ACKs report as having left the network.
    pub fn told_by_duplicates(&self) -> u64 {
        self.duplicates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    /// A reduction from ten segments in flight to five, begun by three duplicate ACKs.
    fn without_sack() -> (Reduction, Window) {
        let before = Window { cwnd: 10 * MSS, ssthresh: u64::MAX, pacing_rate: None };
        let mut window = Window { cwnd: 5 * MSS, ssthresh: 5 * MSS, ..before };
        let mut reduction = Reduction::new(Recovery::Prr, WindowUnit::Bytes);
        reduction.begin(&mut window, &before, 10 * MSS, 0, 0);
        reduction.start_from_duplicates(2 * MSS);
        (reduction, window)
    }

    //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
    //= type=test
    //# A TCP MAY therefore limit the number of times cwnd is artificially inflated during loss recovery
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# PRR disallows incrementing DeliveredData when the total bytes delivered in a PRR episode would exceed the
    //# estimated data outstanding upon entering recovery (RecoverFS)
    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# senders MUST subtract out: min(RecoverFS, 1 SMSS for each preceding duplicate ACK in the fast recovery
    //# episode)
    #[test]
    fn duplicates_deliver_no_more_than_was_in_flight() {
        // RFC 9937 section 6.2: both DeliveredData and the reduction of the volume in flight end at RecoverFS.
        let (mut reduction, mut window) = without_sack();
        let mut delivered = 0;
        for _ in 0..30 {
            let news = reduction.on_duplicate(MSS);
            let in_flight = (10 * MSS).saturating_sub(reduction.told_by_duplicates());
            reduction
                .on_ack(&mut window, &Step { delivered: news, in_flight, safe: false, mss: MSS, acked: 0, sent: 0 });
            delivered += news;
        }
        assert_eq!((delivered, reduction.told_by_duplicates()), (10 * MSS, 10 * MSS));
    }

    //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
    //= type=test
    //# When SND.UNA advances (i.e., a full or partial ACK), DeliveredData is the change in SND.UNA, minus 1 SMSS for
    //# each preceding duplicate ACK
    #[test]
    fn a_partial_acknowledgment_delivers_what_duplicates_have_not_told_of() {
        let (mut reduction, _) = without_sack();
        reduction.on_duplicate(MSS);
        // Three duplicates reported three of the five segments; the hole itself and one more are new.
        assert_eq!(reduction.on_partial(5 * MSS, MSS), 2 * MSS);
        assert_eq!(reduction.told_by_duplicates(), 0);
        // No duplicates reported data before: except for the retransmission, all of it is new.
        assert_eq!(reduction.on_partial(2 * MSS, MSS), 2 * MSS);
    }

    #[test]
    fn tcp_linux_sends_for_every_second_ack_down_to_its_floor_and_then_for_every_ack() {
        // 20 segments; ssthresh is 10, and the window may fall to half of that.
        let mut reduction = Reduction::new(Recovery::Ns2Linux, WindowUnit::Segments).with_floor(2);
        let before = Window { cwnd: 20 * MSS, ssthresh: u64::MAX, pacing_rate: None };
        let mut window = Window { cwnd: 10 * MSS, ssthresh: 10 * MSS, pacing_rate: None };
        reduction.begin(&mut window, &before, 20 * MSS, 0, 0);
        let mut in_flight = 20;
        let mut sent = Vec::new();
        for _ in 0..40 {
            in_flight -= 1;
            let step = Step { delivered: MSS, in_flight: in_flight * MSS, safe: true, mss: MSS, acked: MSS, sent: 0 };
            reduction.on_ack(&mut window, &step);
            let room = (window.cwnd / MSS).saturating_sub(in_flight);
            for _ in 0..room {
                in_flight += 1;
                reduction.on_sent(MSS, MSS);
            }
            sent.push(room);
        }
        assert_eq!(sent[..6], [1, 0, 1, 0, 1, 0]);
        assert_eq!((in_flight, &sent[36..]), (5, &[1, 1, 1, 1][..]));
        reduction.end(&mut window, 4 * MSS, MSS);
        assert_eq!(window.cwnd, 7 * MSS, "ssthresh, but three segments at once at most");
        reduction.end(&mut window, 20 * MSS, MSS);
        assert_eq!(window.cwnd, 10 * MSS);
    }

    #[test]
    fn tcp_linux_sends_at_once_what_ssthresh_allows_a_module_without_a_smaller_window() {
        let mut reduction = Reduction::new(Recovery::Ns2Linux, WindowUnit::Segments).with_floor(1);
        let before = Window { cwnd: 20 * MSS, ssthresh: u64::MAX, pacing_rate: None };
        let mut window = Window { cwnd: 16 * MSS, ssthresh: 16 * MSS, pacing_rate: None };
        reduction.begin(&mut window, &before, 20 * MSS, 0, 0);
        let step = Step { delivered: MSS, in_flight: 9 * MSS, safe: true, mss: MSS, acked: 0, sent: 0 };
        reduction.on_ack(&mut window, &step);
        assert_eq!(window.cwnd, 16 * MSS);
    }

    #[test]
    fn with_nothing_in_flight_a_segment_may_leave() {
        // More was sent than delivered, and all of it was lost.
        let (mut reduction, mut window) = without_sack();
        reduction.on_sent(20 * MSS, MSS);
        reduction.rule = Recovery::PrrCrb;
        reduction.on_ack(&mut window, &Step { delivered: MSS, in_flight: 0, safe: false, mss: MSS, acked: 0, sent: 0 });
        assert_eq!(window.cwnd, MSS);
    }
}
