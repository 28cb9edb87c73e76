//! What may leave now.

use super::frto::Frto;
use super::recovery::Phase;
use super::{Sender, Transmission};
use crate::config::Restart;
use crate::recovery::Recovery;
use crate::{NEVER, Nanos, Observer};

impl Sender {
    /// The next segment that may leave at `now`, which then counts as sent. `overhead` is what the headers add on the wire,
    /// for the pacer.
    pub fn poll<O: Observer>(&mut self, now: Nanos, overhead: u64, obs: &mut O) -> Option<Transmission> {
        self.pacing = false;
        if self.nxt >= self.end() && self.phase == Phase::Open && !self.probe_due {
            return None;
        }
        if now < self.pacer.release_time() {
            self.pacing = true;
            return None;
        }
        let sent = if self.phase == Phase::Open && !self.probe_due {
            self.new_data(now, self.open_allowance(), obs)
        } else {
            self.poll_rarely(now, obs)
        }?;
        let rate = self.pacer.rate(&self.window, self.rtt.srtt());
        self.pacer.on_sent(now, u64::from(sent.len) + overhead, rate);
        self.last_sent = now;
        let bytes = u64::from(sent.len) + u64::from(sent.fin);
        if matches!(self.phase, Phase::Fast | Phase::Cwr) {
            self.rare.reduction.on_sent(bytes);
        }
        if self.tells_sent {
            self.tell_sent(now, &sent);
        }
        Some(sent)
    }

    /// What leaves while losses are repaired or the window is reduced. Apart, as is what it has in common with what mostly
    /// leaves, so that the latter is small.
    #[inline(never)]
    fn poll_rarely<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        match self.phase {
            _ if self.probe_due => self.send_probe(now, obs),
            Phase::Open | Phase::Cwr => self.new_data_rarely(now, self.window.cwnd, obs),
            Phase::Fast => self.poll_fast(now, obs),
            Phase::Loss => self.poll_loss(now, obs),
        }
    }

    #[inline(never)]
    pub(super) fn new_data_rarely<O: Observer>(
        &mut self,
        now: Nanos,
        allowance: u64,
        obs: &mut O,
    ) -> Option<Transmission> {
        self.new_data(now, allowance, obs)
    }

    /// Options take `bytes` from the payload of the next new segment.
    #[inline]
    pub fn reserve(&mut self, bytes: u32) {
        self.reserved = u64::from(bytes).min(self.mss - 1);
    }

    /// When the pacer lets the next segment go, if it is what held back the last [`Sender::poll`].
    #[inline]
    pub fn paced_until(&self) -> Nanos {
        if self.pacing { self.pacer.release_time() } else { NEVER }
    }

    /// What counts against the window: pipe or, where duplicate ACKs inflate the window for what has left the network, or new
    /// data is not to go out on the first of them (RFC 3042), FlightSize.
    pub(super) fn network_load(&self) -> u64 {
        match self.phase {
            Phase::Open if !self.limited_transmit => self.flight_size(),
            Phase::Fast if !self.sack && self.rare.reduction.is_gradual() => {
                self.pipe().saturating_sub(self.rare.reduction.told_by_duplicates())
            }
            Phase::Fast if !self.sack => self.flight_size(),
            _ => self.pipe(),
        }
    }

    /// The window outside recovery. Without SACK the first two duplicate ACKs let a segment each go (limited transmit,
    /// RFC 3042); with SACK, pipe shrinks by itself (RFC 6675 section 5 step 3).
    fn open_allowance(&self) -> u64 {
        let limited_transmit =
            if self.sack || !self.limited_transmit { 0 } else { u64::from(self.dup_acks.min(2)) * self.mss };
        self.window.cwnd + limited_transmit
    }

    fn fast_allowance(&self) -> u64 {
        let inflates = !self.sack && !self.rare.reduction.is_gradual();
        let inflation = if inflates { self.rare.episode.inflation } else { 0 };
        self.window.cwnd.saturating_add_signed(inflation)
    }

    /// Fast recovery: lost segments first, then new data, then what else may help (NextSeg, RFC 6675 section 4).
    fn poll_fast<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        let allowance = self.fast_allowance();
        let room = self.network_load() + self.mss <= allowance;
        let owed = self.rare.episode.owed;
        if !owed && !room {
            return None;
        }
        // Rule 1. Without SACK it is the hole that a partial acknowledgment shows, which is owed.
        if !self.rare.episode.held
            && let Some(segment) = self.board.next_lost()
        {
            return Some(self.retransmit(now, segment));
        }
        if !room {
            return None;
        }
        // Rule 2.
        if let Some(sent) = self.new_data_rarely(now, allowance, obs) {
            return Some(sent);
        }
        // With RACK, time says what is lost: RFC 6675 is not to be used beside it (RFC 8985 section 9.2).
        if !self.sack || self.rack || self.rare.reduction.rule() == Recovery::RateHalving {
            return None;
        }
        // Rule 3.
        if let Some(segment) = self.board.next_unsacked(self.rare.episode.high_rxt) {
            return Some(self.retransmit(now, segment));
        }
        // Rule 4: one rescue retransmission a recovery, which leaves HighRxt alone.
        if !self.rare.episode.rescued
            && self.una < self.rare.episode.point
            && let Some(segment) = self.board.rescue()
        {
            let high_rxt = self.rare.episode.high_rxt;
            let sent = self.retransmit(now, segment);
            self.rare.episode.high_rxt = high_rxt;
            self.rare.episode.rescued = true;
            return Some(sent);
        }
        None
    }

    /// After a timeout: what was outstanding again, in order, as slow start allows, then new data.
    fn poll_loss<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Option<Transmission> {
        if self.pipe() + self.mss > self.window.cwnd && self.pipe() > 0 {
            self.limited_until = self.nxt;
            return None;
        }
        if self.rare.episode.frto == Frto::SecondAck {
            let sent = self.new_data_rarely(now, self.window.cwnd, obs);
            if sent.is_some() || self.nxt > self.rare.episode.point {
                return sent;
            }
            self.rare.episode.frto = Frto::Off;
        }
        match self.board.next_lost() {
            Some(segment) => Some(self.retransmit(now, segment)),
            None => self.new_data_rarely(now, self.window.cwnd, obs),
        }
    }

    fn retransmit(&mut self, now: Nanos, (start, len): (u64, u32)) -> Transmission {
        self.board.on_retransmit(start, now);
        let rare = &mut *self.rare;
        rare.episode.owed = false;
        rare.episode.high_rxt = rare.episode.high_rxt.max(start + u64::from(len));
        rare.undo.on_retransmit(now);
        if self.rack {
            rare.rack.on_retransmit(start, now);
        }
        self.stats.retransmits += 1;
        self.on_retransmission_sent(now, start == self.una);
        self.transmission(start, len, true)
    }

    pub(super) fn transmission(&self, offset: u64, len: u32, retransmission: bool) -> Transmission {
        let fin = offset + u64::from(len) > self.written;
        Transmission { offset, len: len - u32::from(fin), fin, retransmission, cwr: false }
    }

    /// The next new segment, if the application, the peer's window and `allowance` let it go.
    // Inline, so that the answer stays in registers: written to memory field by field and read back as a whole it stalls
    // the processor.
    #[inline(always)]
    fn new_data<O: Observer>(&mut self, now: Nanos, allowance: u64, obs: &mut O) -> Option<Transmission> {
        let end = self.end();
        if self.nxt >= end {
            return None;
        }
        let idle = self.board.is_empty();
        let mss = self.mss - self.reserved;
        let unsent = self.written - self.nxt.min(self.written);
        let mut len = self.within_record(self.nxt, unsent.min(mss));
        let open = self.window_edge.saturating_sub(self.nxt);
        if len > open {
            len = self.through_window(open);
            if len == 0 {
                return None;
            }
        } else if len < mss && self.waits_to_fill(len == unsent) {
            return None;
        }
        let allowance = if idle {
            self.resume(now, obs);
            self.open_allowance()
        } else {
            allowance
        };
        let load = self.network_load();
        if load + len > allowance && load > 0 {
            self.limited_until = self.nxt;
            return None;
        }
        if !idle && self.watches_sending {
            let ctx = self.context(now);
            self.validation.before_send(&mut self.window, &ctx, 0);
        }
        let fin = self.closed && self.nxt + len == self.written;
        let offset = self.nxt;
        let seq_len = len as u32 + u32::from(fin);
        self.board.push(offset, seq_len, now);
        self.nxt += u64::from(seq_len);
        if len < mss {
            self.small.last = offset + len;
            self.small.overridden = false;
        }
        let limited = self.nxt < end && load + len + self.mss > allowance;
        if limited {
            self.limited_until = self.nxt;
        }
        if self.watches_sending {
            let ctx = self.context(now);
            self.validation.on_sent(&mut self.window, &ctx, limited);
        }
        if self.careful.is_some() {
            let ctx = self.context(now);
            self.with_careful(|careful, window, delivered| careful.on_sent(window, &ctx, delivered));
        }
        self.on_new_data_sent(now);
        // RFC 3168 section 6.1.2: the first new data after a reduction says that it was made.
        let cwr = std::mem::take(&mut self.cwr_due);
        Some(Transmission { offset, len: len as u32, fin, retransmission: false, cwr })
    }

    /// Sending resumes with nothing outstanding: restart after idle and window validation.
    #[inline(never)]
    fn resume<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        let idle = now - self.last_sent;
        let ctx = self.context(now);
        self.cc.on_idle_end(&mut self.window, &ctx, idle);
        self.validation.before_send(&mut self.window, &ctx, idle);
        // RFC 5681 section 4.1: nothing was sent for longer than the retransmission timeout.
        if idle > self.rtt.rto() && self.nxt > 0 {
            let restart_window = self.initial_window.min(self.window.cwnd);
            match self.restart {
                Restart::Off => {}
                Restart::Rfc5681 => self.window.cwnd = restart_window,
                Restart::LowersSsthresh => {
                    self.window.cwnd = restart_window;
                    self.window.ssthresh = restart_window;
                }
                Restart::RaisesSsthresh => {
                    self.window.cwnd = restart_window;
                    self.window.ssthresh = u64::MAX;
                }
            }
        }
        self.observe_window(now, obs);
    }
}
