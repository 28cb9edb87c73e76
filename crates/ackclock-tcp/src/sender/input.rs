//! The sender's response to an arriving acknowledgment.

mod calm;

use super::episode::{Detected, Phase};
use super::reduction::Step;
use super::scoreboard::{Delivered, Entry};
use super::{Rare, Sender};
use crate::context::{Ack, Cause, Delivery};
use crate::recovery::Recovery;
use crate::segment::MAX_SACK_BLOCKS;
use crate::slow_start::Sample;
use crate::validation::Growth;
use crate::{Event, Flags, MILLISECOND, Nanos, Observer, Segment};

/// The sender's view of an acceptable acknowledgment, in stream offsets.
pub(crate) struct Arrival<'a> {
    /// Everything below this offset is acknowledged. If the offset is below snd_una the acknowledgment is old, and only
    /// its SACK blocks can contain news.
    pub ack: u64,
    /// Offset up to which the peer now allows sending.
    pub window_edge: u64,
    /// SACK blocks above `ack`, as ranges of offsets.
    pub blocks: &'a [(u64, u64)],
    /// Whether the contents of the segment allow it to be a duplicate ACK of RFC 5681 section 2: no payload, no SYN or
    /// FIN, and no renewed window where the stack counts one as news.
    pub pure: bool,
    /// The range that a D-SACK block reports as received twice (RFC 2883).
    pub dsack: Option<(u64, u64)>,
    /// Send time, by the clock of our timestamps, of the segment that this segment echoes (TSecr of RFC 7323).
    pub echo: Option<Nanos>,
    /// One-way delay of the echoed segment on its path to the peer, up to a constant ([`crate::context::Delivery`]).
    pub forward_delay: Option<i64>,
    /// Whether the segment echoes congestion: ECE of RFC 3168, or newly marked packets of AccECN.
    pub congestion: bool,
    /// Packets newly reported as marked; `None` for an echo of RFC 3168, which counts for all that is acknowledged with it.
    pub marked_packets: Option<u32>,
    /// Bytes newly reported as received with a mark.
    pub marked: u64,
}

impl<'a> Arrival<'a> {
    /// The acknowledgment up to the offset `ack` of a segment, without its options. `renews` says that its window is news
    /// in itself, so that it is no duplicate.
    #[inline(always)]
    pub fn plain(segment: &Segment, ack: u64, window_edge: u64, renews: bool) -> Arrival<'a> {
        Arrival {
            ack,
            window_edge,
            blocks: &[],
            pure: segment.len == 0 && !segment.flags.has(Flags::FIN) && !renews,
            dsack: None,
            echo: None,
            forward_delay: None,
            congestion: false,
            marked_packets: Some(0),
            marked: 0,
        }
    }
}

/// Returns the deliveries of an acknowledgment, without the sample of the delivery rate.
#[inline(always)]
fn delivery_of(ack: Ack, delivered: &Delivered, arrival: &Arrival<'_>) -> Delivery {
    Delivery {
        ack,
        newly: delivered.newly,
        delivered: 0,
        lost: 0,
        sent_at: None,
        forward_delay: arrival.forward_delay,
        echo: arrival.echo,
        rate: None,
    }
}

/// The SACK blocks of the last acknowledgment; ranges that they cover need not be examined again.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SeenBlocks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: usize,
}

impl SeenBlocks {
    fn remember(&mut self, blocks: &[(u64, u64)]) {
        self.count = blocks.len().min(MAX_SACK_BLOCKS);
        self.blocks[..self.count].copy_from_slice(&blocks[..self.count]);
    }

    pub(super) fn forget(&mut self) {
        self.count = 0;
    }

    /// Calls `apply` for each part of `start..end` that the last acknowledgment did not cover.
    fn for_unseen(&self, mut start: u64, end: u64, apply: &mut impl FnMut(u64, u64)) {
        while start < end {
            let blocks = &self.blocks[..self.count];
            if let Some(block) = blocks.iter().find(|block| block.0 <= start && start < block.1) {
                start = block.1;
                continue;
            }
            let next = blocks.iter().map(|block| block.0).filter(|&next| next > start).min().unwrap_or(end).min(end);
            apply(start, next);
            start = next;
        }
    }
}

/// Facts about the segments that a dubious acknowledgment reports as received.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    /// snd_una before this acknowledgment.
    pub una: u64,
    /// The echoed timestamp.
    pub echo: Option<Nanos>,
    /// Whether the acknowledgment newly reports data that was sent once, before the current phase began.
    pub original: bool,
    /// Whether the acknowledgment cumulatively acknowledges data that was sent more than once.
    pub resent: bool,
    /// Whether data was newly SACKed.
    pub sacked: bool,
    /// Whether the acknowledgment is a duplicate ACK and reports nothing new.
    pub duplicate: bool,
    /// Send times of the first and the last segment that were cumulatively acknowledged and had been sent once.
    acked_sent: Option<(Nanos, Nanos)>,
    /// Send times of the first and the last segment that were newly SACKed and had been sent once.
    sacked_sent: Option<(Nanos, Nanos)>,
    /// Lowest offset of the segments sent once that arrived after a segment with a higher offset.
    late: u64,
    /// Highest SACKed offset before this acknowledgment.
    high: u64,
    /// Stream offset at which the current phase ends.
    point: u64,
}

impl Arrived {
    #[inline]
    fn see(&mut self, entry: &Entry, cumulative: bool) {
        if entry.resent() {
            self.resent |= cumulative;
            return;
        }
        self.original |= entry.end() <= self.point;
        if entry.start < self.high {
            self.late = self.late.min(entry.start);
        }
        let range = if cumulative { &mut self.acked_sent } else { &mut self.sacked_sent };
        *range = Some((range.map_or(entry.sent_at, |range| range.0), entry.sent_at));
    }
}

impl Sender {
    /// Processes an acknowledgment. Returns whether it acknowledged new data.
    pub fn on_ack<O: Observer>(&mut self, now: Nanos, arrival: &Arrival<'_>, obs: &mut O) -> bool {
        let same_window = self.take_window(arrival.ack, arrival.window_edge);
        let quiet = arrival.blocks.is_empty() && arrival.dsack.is_none() && !arrival.congestion;
        if quiet && !self.awaits_ack() {
            return false;
        }
        self.on_awaited_ack(now, arrival, same_window, obs)
    }

    /// Takes the window of an acknowledgment up to the offset `ack`. Returns whether it is that of the last one.
    #[inline(always)]
    pub fn take_window(&mut self, ack: u64, window_edge: u64) -> bool {
        let same_window = window_edge == self.last_edge;
        self.last_edge = window_edge;
        self.window_edge = window_edge;
        let offered = window_edge.saturating_sub(ack);
        if offered > self.small.largest_window {
            self.on_larger_window(offered);
        }
        if self.small.more {
            self.small.end_more();
        }
        self.look_again();
        same_window
    }

    /// Whether there is anything to acknowledge. An endpoint that only receives data has nothing when a segment arrives.
    #[inline(always)]
    pub fn awaits_ack(&self) -> bool {
        self.flight_size() > 0 || self.probing
    }

    /// Processes an acknowledgment whose window was taken ([`Sender::take_window`]), as [`Sender::on_ack`] does.
    pub fn on_awaited_ack<O: Observer>(
        &mut self,
        now: Nanos,
        arrival: &Arrival<'_>,
        same_window: bool,
        obs: &mut O,
    ) -> bool {
        let quiet = arrival.blocks.is_empty() && arrival.dsack.is_none() && !arrival.congestion && !self.probing;
        if self.pacer.is_after_idle() {
            self.pacer.on_ack(arrival.ack, self.nxt);
        }
        if quiet && arrival.ack > self.una && self.phase == Phase::Open && self.board.is_clean() {
            if !self.watches {
                self.on_clean_ack(now, arrival, obs);
                return true;
            }
            if self.is_calm() {
                self.on_calm_ack(now, arrival, obs);
                return true;
            }
        }
        self.on_dubious_ack(now, arrival, same_window, obs)
    }

    /// Processes an acknowledgment of new data, in order, without losses, marks or other special cases.
    #[inline]
    fn on_clean_ack<O: Observer>(&mut self, now: Nanos, arrival: &Arrival<'_>, obs: &mut O) {
        let cwnd_limited = self.una < self.limited_until;
        if O::ACTIVE && self.tells_sent && !self.rtt.is_linux() {
            self.check_application_limited();
        }
        let delivered = match &mut self.rare.rate {
            Some(rate) if O::ACTIVE => self.board.ack(arrival.ack, |entry| rate.on_arrival(entry)),
            _ => self.board.ack(arrival.ack, |_| {}),
        };
        self.una = arrival.ack;
        if self.queue.is_some() {
            self.free_acked();
        }
        self.last_acked = now;
        obs.event(now, Event::Acknowledged { una: self.una });
        self.expiries = 0;
        self.dup_acks = 0;
        self.delivered += u64::from(delivered.segments);
        let rtt = delivered.sent_at.map(|sent_at| now - sent_at);
        //= https://www.rfc-editor.org/rfc/rfc6298#section-3
        //# A TCP implementation MUST take at least one RTT measurement per RTT
        if let Some(rtt) = rtt {
            self.rtt.on_ack(now, rtt, rtt, self.una, self.nxt);
            self.tell_sample(now, rtt);
        }
        if O::ACTIVE
            && let Some(rate) = &mut self.rare.rate
        {
            rate.observe(now, self.una, delivered.newly, self.rtt.min());
        }
        let mut ack = self.ack_of(now, arrival, &delivered, rtt, cwnd_limited);
        let growth = self.validation.on_ack(&mut self.window, &ack);
        ack.acked = self.counted(&delivered);
        self.grow(&mut ack, growth);
        self.restart_timer(now);
        self.observe_window(now, obs);
    }

    /// Processes any other acknowledgment.
    #[inline(never)]
    fn on_dubious_ack<O: Observer>(
        &mut self,
        now: Nanos,
        arrival: &Arrival<'_>,
        same_window: bool,
        obs: &mut O,
    ) -> bool {
        if self.tells_sent && !self.rtt.is_linux() {
            self.check_application_limited();
        }
        let cwnd_limited = self.una < self.limited_until;
        let advanced = arrival.ack > self.una;
        let bare = !advanced && arrival.pure && same_window && arrival.ack == self.una && arrival.dsack.is_none();
        // Linux looks for losses if an acknowledgment is dubious: it brings no news, it reports something beyond its number,
        // or there was something to report before (net/ipv4/tcp_input.c, tcp_ack_is_dubious).
        let calm = self.rtt.is_linux()
            && advanced
            && self.phase == Phase::Open
            && !self.rare.disordered
            && arrival.dsack.is_none()
            && !arrival.congestion;
        let duplicated_probe = self.on_dsack(arrival);
        let mut arrived = self.expect(arrival);
        let mut delivered = self.take_off(now, arrival, advanced, &mut arrived);
        self.free_acked();
        if advanced {
            obs.event(now, Event::Acknowledged { una: self.una });
        }
        arrived.duplicate = bare && delivered.sacked == 0;
        let duplicates = if self.sack { 0 } else { u64::from(self.dup_acks) };
        let duplicate = self.count_duplicate(bare, advanced, &mut delivered);
        let repaired = self.probing && self.on_probe_ack(arrival.ack, duplicated_probe, arrived.duplicate);
        let answers_timeout = bare && self.phase == Phase::Loss;
        if !(advanced || duplicate || answers_timeout || repaired || arrival.congestion || arrival.dsack.is_some()) {
            return false;
        }
        self.delivered += u64::from(delivered.segments);
        let rtt = self.sample_rtt(now, &arrived, &delivered, advanced);
        self.note_reordering(&arrived);
        if arrival.congestion {
            let marked = arrival.marked_packets.unwrap_or(delivered.segments);
            self.rare.counts.delivered_marked += u64::from(marked);
            self.rare.undo.forbid();
        }

        // The window grows for data acknowledged outside fast recovery; the ACK that ends a recovery does not grow the
        // window. Where the threshold adapts to reordering, newly delivered data counts: data acknowledged in order or,
        // once the threshold was raised, out of order too (Linux net/ipv4/tcp_input.c, tcp_may_raise_cwnd and
        // tcp_cong_control). The state is that before the acknowledgment, unless the stack takes that after it.
        let adapts = self.rare.reordering.adapts();
        let progress = advanced || adapts && self.rare.reordering.is_raised() && delivered.newly > 0;
        let mut may_grow = progress && matches!(self.phase, Phase::Open | Phase::Loss) && !arrival.congestion;
        let recovering = self.phase == Phase::Fast;
        let mut newly_lost = self.advance_phase(now, advanced, &delivered, &arrived, obs);
        // In ns-2's NewReno the acknowledgment that ends a recovery grows the window.
        may_grow |= recovering && self.phase == Phase::Open && self.rare.reduction.rule() == Recovery::Ns2NewReno;
        if repaired {
            // RFC 8985 section 7.4.2: the probe has repaired a loss, and that loss indicates congestion like any other.
            //= https://www.rfc-editor.org/rfc/rfc8985#section-7.4.2
            //# The sender then SHOULD invoke a congestion control response equivalent to a fast recovery
            self.reduce(now, Cause::Loss, &delivered, Phase::Open);
            self.rare.counts.losses_repaired_by_probes += 1;
            may_grow = false;
        }
        let Detected { lost, waits } =
            if calm && delivered.sacked == 0 { Detected::default() } else { self.detect_losses(now, &delivered) };
        newly_lost += lost;
        let mut growth_left = None;
        if advanced || duplicate {
            let ack = Ack { lost, ..self.ack_of(now, arrival, &delivered, rtt, cwnd_limited) };
            if self.samples {
                self.tell_delivered(now, &mut delivery_of(ack, &delivered, arrival));
                // Without SACK a partial acknowledgment alone indicates that the next segment is lost.
                if lost > 0 || !self.sack && self.board.is_waiting() {
                    self.tell_lost(now, self.evidence(), obs);
                }
            }
            let growth = self.validation.on_ack(&mut self.window, &ack);
            if self.careful.as_ref().is_none_or(|careful| careful.may_grow()) {
                // Without SACK, duplicate ACKs have already reported the rest (tcp_remove_reno_sacks).
                let newly = self.counted(&delivered);
                let told = (duplicates * self.mss).min(newly.saturating_sub(self.mss));
                let acked = if adapts { newly - told } else { self.counted_length(delivered.acked) };
                let mut ack = Ack { acked, ..ack };
                if self.config.growth_after_state {
                    growth_left = progress.then_some((ack, growth));
                } else if may_grow {
                    self.grow(&mut ack, growth);
                }
            }
            if advanced && self.phase == Phase::Open {
                self.with_careful(|careful, window, delivered| careful.on_ack(window, &ack, delivered));
            }
        }
        if self.loss_is_evident() && self.may_enter() {
            newly_lost += self.enter_fast_recovery(now, &delivered, obs);
        } else if arrival.congestion && self.phase == Phase::Open {
            self.enter_cwr(now, Cause::Ecn, &delivered, obs);
        }
        if let Some((mut ack, growth)) = growth_left
            && matches!(self.phase, Phase::Open | Phase::Loss)
        {
            self.grow(&mut ack, growth);
        }
        self.after_losses(now, &delivered, obs);
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
        //# SafeACK is true only when the ACK has cumulatively acknowledged new data and the ACK does not indicate
        //# further losses
        self.step_reduction(&delivered, advanced && newly_lost == 0);
        if self.scope.reductions && self.cc.requests_reduction() && self.phase == Phase::Open {
            self.enter_cwr(now, Cause::Delay, &delivered, obs);
        }
        if !waits {
            self.restart_timer_after(now, advanced, rtt.is_some(), &arrived);
        }
        if !calm {
            self.rare.disordered = !self.board.is_clean() || self.board.first_is_resent();
        }
        self.observe_window(now, obs);
        advanced
    }

    /// An acknowledgment without losses as validation, slow start and congestion control see it.
    #[inline(always)]
    fn ack_of(
        &self,
        now: Nanos,
        arrival: &Arrival<'_>,
        delivered: &Delivered,
        rtt: Option<Nanos>,
        cwnd_limited: bool,
    ) -> Ack {
        let Delivered { acked, sacked, .. } = *delivered;
        Ack { ctx: self.context_of_common(now), acked, sacked, lost: 0, rtt, cwnd_limited, marked: arrival.marked }
    }

    /// Prepares the facts to be collected from the segments that `arrival` reports as received.
    #[inline]
    fn expect(&self, arrival: &Arrival<'_>) -> Arrived {
        Arrived {
            una: self.una,
            echo: arrival.echo,
            original: false,
            resent: false,
            sacked: false,
            duplicate: false,
            acked_sent: None,
            sacked_sent: None,
            late: u64::MAX,
            high: if self.board.sacked() > 0 { self.board.high_sacked() } else { 0 },
            point: self.rare.episode.point,
        }
    }

    /// Removes acknowledged segments from the scoreboard and marks the SACKed ones.
    fn take_off(&mut self, now: Nanos, arrival: &Arrival<'_>, advanced: bool, arrived: &mut Arrived) -> Delivered {
        let min_rtt = self.rtt.min();
        // A receiver echoes an old timestamp with data that arrives out of order (RFC 7323 section 4.3), so that the
        // echo of a SACKed probe is never recent. Of SACKed segments, Linux considers the RTT alone
        // (net/ipv4/tcp_input.c, tcp_sacktag_one; in contrast to tcp_clean_rtx_queue).
        let of_sacked = arrival.echo.filter(|_| !self.rtt.is_linux());
        let Rare { rack, rate, .. } = &mut *self.rare;
        let uses_rack = self.config.rack;
        let mut see = |entry: &Entry, cumulative: bool| {
            arrived.see(entry, cumulative);
            if let Some(rate) = rate {
                rate.on_arrival(entry);
            }
            if uses_rack {
                rack.on_arrival(now, entry, if cumulative { arrival.echo } else { of_sacked }, min_rtt);
            }
        };
        let mut delivered = Delivered::default();
        if advanced {
            delivered = self.board.ack(arrival.ack, |entry| see(entry, true));
            self.una = arrival.ack;
            self.last_acked = now;
            self.expiries = 0;
        }
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5
        //# Upon the receipt of any ACK containing SACK information, the scoreboard MUST be updated via the Update ()
        //# routine
        //= https://www.rfc-editor.org/rfc/rfc6675#section-5.1
        //# Update () SHOULD continue to be used appropriately upon receipt of ACKs
        if !arrival.blocks.is_empty() && self.sack {
            for &(start, end) in arrival.blocks {
                let board = &mut self.board;
                self.seen.for_unseen(start, end, &mut |start, end| {
                    board.sack(start, end, &mut delivered, |entry| see(entry, false));
                });
            }
            self.seen.remember(arrival.blocks);
        }
        if self.board.sacked() == 0 {
            self.seen.forget();
        }
        arrived.sacked = delivered.sacked > 0;
        delivered
    }

    /// Counts duplicate ACKs. With SACK a duplicate ACK is a segment that reports data not known to have arrived, "even
    /// if it [...] moves the cumulative acknowledgment point" (RFC 6675 section 2). Without SACK the five conditions of
    /// RFC 5681 section 2 hold.
    fn count_duplicate(&mut self, bare: bool, advanced: bool, delivered: &mut Delivered) -> bool {
        // RFC 6675 section 5: a cumulative ACK resets DupAcks to zero, and a duplicate ACK then adds one "regardless of
        // its status as a cumulative acknowledgment".
        if advanced {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# If the incoming ACK is a cumulative acknowledgment, the TCP MUST reset DupAcks to zero
            self.dup_acks = 0;
        }
        if self.sack {
            //= https://www.rfc-editor.org/rfc/rfc6675#section-5
            //# the TCP MUST increase DupAcks by one and take the following steps
            let duplicate = delivered.sacked > 0;
            self.dup_acks += u32::from(duplicate);
            return duplicate;
        }
        let duplicate = bare && !self.board.is_empty();
        if duplicate {
            self.dup_acks += 1;
            let outstanding = self.board.segments() as u32;
            if self.rare.reordering.adapts() && self.dup_acks >= outstanding {
                // At least one segment is missing; duplicates beyond the others do not indicate a loss.
                self.dup_acks = outstanding - 1;
                self.rare.reordering.on_excess_duplicates(outstanding);
            }
            // Each duplicate ACK indicates that a segment has left the network.
            delivered.sacked = self.mss;
            if self.phase == Phase::Fast {
                //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
                //# For each additional duplicate ACK received (after the third), cwnd MUST be incremented by SMSS
                self.rare.episode.inflation += self.mss as i64;
            }
        }
        duplicate
    }

    /// Processes a D-SACK block, which reports data received twice. Returns whether the data is the outstanding probe.
    #[cold]
    fn on_dsack(&mut self, arrival: &Arrival<'_>) -> bool {
        let Some((start, end)) = arrival.dsack else { return false };
        if start >= end {
            return false;
        }
        let segments = (end - start).div_ceil(self.mss).max(1);
        let rare = &mut *self.rare;
        rare.counts.dsacks += segments;
        if rare.counts.dsacks > self.stats.retransmits {
            // The block reports more than was ever retransmitted: the network duplicates packets, or the peer's report
            // is wrong.
            return false;
        }
        let probe = segments == 1 && rare.tlp.end == Some(end);
        let resent = if end <= self.una { segments as u32 } else { self.board.resent_within(start, end) };
        rare.undo.on_dsack(end, resent);
        if self.config.rack && !probe {
            rare.rack.on_dsack(self.una, self.nxt);
        }
        probe
    }

    /// Takes an RTT sample, where Karn's rule allows a sample.
    ///
    /// RFC 7323 section 4 would take a sample from the timestamp of every ACK. Here the send times of segments are
    /// known to the nanosecond and give samples as often. Timestamps are used only where send times are ambiguous: when
    /// a retransmission is acknowledged. Linux does the same (tcp_ack_update_rtt). It also takes samples from newly
    /// SACKed data, and uses the oldest segment of each group for SRTT.
    #[inline]
    fn sample_rtt(&mut self, now: Nanos, arrived: &Arrived, delivered: &Delivered, advanced: bool) -> Option<Nanos> {
        let unambiguous = if self.rtt.is_linux() {
            let acked = arrived.acked_sent.filter(|_| !arrived.resent);
            let newest = arrived.sacked_sent.or(acked);
            match (acked.or(arrived.sacked_sent), newest) {
                (Some(oldest), Some(newest)) => Some((oldest.0, newest.1)),
                _ => None,
            }
        } else {
            delivered.sent_at.map(|sent_at| (sent_at, sent_at))
        };
        //= https://www.rfc-editor.org/rfc/rfc7323#section-4.1
        //# MAY be used to update the averaged RTT measurement only if the segment advances the left edge of the send
        //# window
        let echoed = || {
            let echo = arrived.echo.filter(|_| advanced)?;
            // Linux subtracts the echo from its clock of timestamps, so that this sample has whole milliseconds, at least
            // one (tcp_rtt_tsopt_us).
            let ticks = (now / MILLISECOND).saturating_sub(echo / MILLISECOND).max(1);
            let sent_at = if self.rtt.is_linux() { now.saturating_sub(ticks * MILLISECOND) } else { echo };
            Some((sent_at, sent_at))
        };
        //= https://www.rfc-editor.org/rfc/rfc6298#section-3
        //# TCP MUST use Karn's algorithm [KP87] for taking RTT samples
        let (first, last) = unambiguous.or_else(echoed)?;
        let (rtt, newest) = (now.saturating_sub(first), now.saturating_sub(last));
        self.rtt.on_ack(now, rtt, newest, self.una, self.nxt);
        self.rare.tlp.sampled = true;
        self.tell_sample(now, newest);
        Some(rtt)
    }

    /// Gives slow start the RTT of the newest segment that an acknowledgment reports as received.
    #[inline]
    fn tell_sample(&mut self, now: Nanos, newest: Nanos) {
        if self.slow_start_samples {
            let (snd_una, snd_nxt, mss) = (self.una, self.nxt, self.mss);
            let sample = Sample { now, rtt: newest, srtt: self.rtt.srtt(), snd_una, snd_nxt, mss };
            self.slow_start.on_sample(&mut self.window, &sample);
        }
    }

    fn note_reordering(&mut self, arrived: &Arrived) {
        if arrived.late < arrived.high {
            let high = if self.board.sacked() > 0 { self.board.high_sacked() } else { self.una };
            self.rare.reordering.on_late(arrived.late, high.max(arrived.high), self.mss);
        }
    }

    /// Lets the reduction in progress, if any, set the volume that may be sent after this acknowledgment. `safe` is
    /// SafeACK.
    //= https://www.rfc-editor.org/rfc/rfc9937#section-5
    //# PRR MAY be used in conjunction with the loss detection algorithms specified or described in the following
    //# documents
    fn step_reduction(&mut self, delivered: &Delivered, safe: bool) {
        if !matches!(self.phase, Phase::Fast | Phase::Cwr) || !self.rare.reduction.is_gradual() {
            return;
        }
        if self.phase == Phase::Cwr && self.rare.reduction.rule() == Recovery::FreeBsd {
            return;
        }
        let counted = self.counted(delivered);
        let reduction = &mut self.rare.reduction;
        let news = if self.sack {
            counted
        } else if delivered.acked > 0 {
            reduction.on_partial(delivered.acked, self.mss)
        } else if delivered.sacked > 0 {
            //= https://www.rfc-editor.org/rfc/rfc9937#section-6.2
            //# In recovery without SACK, DeliveredData is estimated to be 1 SMSS on each received duplicate ACK
            reduction.on_duplicate(self.mss)
        } else {
            0
        };
        let in_flight = self.network_load();
        let step = Step {
            delivered: news,
            in_flight,
            safe,
            mss: self.mss,
            acked: delivered.acked,
            sent: self.board.retransmitted() + self.nxt.saturating_sub(self.rare.episode.point),
        };
        self.rare.reduction.on_ack(&mut self.window, &step);
    }

    /// Restarts the retransmission or probe timer if the acknowledgment requires it.
    fn restart_timer_after(&mut self, now: Nanos, advanced: bool, sampled: bool, arrived: &Arrived) {
        // Linux net/ipv4/tcp_input.c, tcp_clean_rtx_queue: news of data sent before the last transmission of the first
        // segment.
        let first = self.board.first_sent_at();
        let late_news = arrived.sacked_sent.zip(first).is_some_and(|(sent, first)| sent.0 < first);
        let restarts = if advanced { self.may_restart_timer() } else { self.rtt.is_linux() && sampled && late_news };
        if restarts {
            self.restart_timer(now);
        }
    }

    /// Grows the window, as far as validation allows, for new data acknowledged outside fast recovery. The acknowledgment
    /// serves nothing else afterwards: it is changed rather than copied.
    #[inline]
    fn grow(&mut self, ack: &mut Ack, growth: Growth) {
        let (before, may_grow) = (self.window.cwnd, growth != Growth::Forbidden);
        ack.acked = self.credited(ack.acked);
        if may_grow && self.grows_at_threshold() {
            return;
        }
        let mut acked = ack.acked;
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //# The slow start and congestion avoidance algorithms MUST be used by a TCP sender
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.10
        //# When _cwnd_ is no more than _ssthresh_, CUBIC MUST employ a slow start algorithm
        if self.window.in_slow_start() && !self.scope.slow_start {
            acked = self.slow_start.on_ack(&mut self.window, ack, may_grow);
        }
        if self.scope.every_ack {
            ack.cwnd_limited = may_grow;
        }
        if (may_grow || self.scope.every_ack) && acked > 0 {
            self.cc.on_ack(&mut self.window, ack, acked);
        }
        self.window.cwnd = growth.bound(before, self.window.cwnd);
    }
}
