//! Timers of the connection: handshake, TIME-WAIT, probes, and giving up.

use super::refusal::RETRY;
use super::{Due, Endpoint, Progress, State, Watch};
use crate::config::{Config, Conformance, Keepalive};
use crate::{Event, NEVER, Nanos, Observer};

/// The timers and their counters. Each timer is the time at which it expires, [`NEVER`] where it does not run.
pub(super) struct Timers {
    /// Retransmission of the SYN or SYN-ACK.
    pub syn: Nanos,
    /// End of TIME-WAIT, or of FIN-WAIT-2 of a connection that no application reads.
    pub linger: Nanos,
    /// Probe of a closed window (RFC 9293 section 3.8.6.1).
    pub persist: Nanos,
    /// Probe of an idle connection (RFC 9293 section 3.8.4), or the next check for one.
    pub keepalive: Nanos,
    /// End of the user timeout (RFC 5482).
    pub user: Nanos,
    /// Unanswered probes of a closed window, or of an idle connection; doublings of the interval between the former.
    pub probes: u32,
    pub backoff: u32,
    pub keeping: Option<Keepalive>,
    /// Time for which data may go unacknowledged, ns; 0 where retries are counted instead (RFC 5482).
    pub user_timeout: Nanos,
}

impl Timers {
    pub fn new(config: &Config) -> Timers {
        Timers {
            syn: NEVER,
            linger: NEVER,
            persist: NEVER,
            keepalive: NEVER,
            user: NEVER,
            probes: 0,
            backoff: 0,
            keeping: config.keepalive,
            user_timeout: config.user_timeout,
        }
    }

    /// The earliest of the timers.
    fn next(&self) -> Nanos {
        self.syn.min(self.linger).min(self.persist).min(self.keepalive).min(self.user)
    }

    pub fn stop(&mut self) {
        (self.syn, self.linger, self.persist, self.keepalive, self.user) = (NEVER, NEVER, NEVER, NEVER, NEVER);
    }

    pub fn on_established(&mut self, now: Nanos) {
        self.keepalive = self.keeping.map_or(NEVER, |keeping| now + keeping.idle);
    }
}

impl Endpoint {
    /// Handles expired timers. Call at [`Endpoint::next_timeout`]; an earlier call is harmless.
    pub fn on_timeout<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Progress {
        let mut progress = Progress::default();
        if self.timer <= now {
            self.on_own_timer(now, &mut progress, obs);
        }
        let before = self.sender.expiries();
        self.sender.on_timeout(now, obs);
        let expired = self.sender.expiries() > before;
        if self.is_refused() && expired {
            self.retry_retransmission(now);
        } else if self.sender.expiries() == 1 {
            self.start_user_timeout(now);
        }
        if self.sender.expiries() > self.sender.config.data_retries && !self.is_refused() {
            self.give_up(now, self.sender.config.reset_on_give_up, &mut progress, obs);
        }
        self.receiver.on_timeout(now, self.sender.rtt().rto());
        progress
    }

    /// Time of the next call of [`Endpoint::on_timeout`]; [`NEVER`] where no timer runs. Every call may change it.
    #[inline]
    pub fn next_timeout(&self) -> Nanos {
        let sender = self.sender.rto_at().min(self.sender.paced_until());
        sender.min(self.receiver.delayed_at()).min(self.timer)
    }

    /// Updates the earliest expiry after a change of [`super::Cold::timers`].
    pub(super) fn retime(&mut self) {
        self.timer = self.cold.timers.next();
    }

    fn on_own_timer<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        if self.cold.timers.linger <= now {
            return self.end(now, progress, obs);
        }
        if self.cold.timers.user <= now {
            return self.give_up(now, self.sender.config.reset_on_give_up, progress, obs);
        }
        if self.cold.timers.syn <= now && self.cold.fast.waits {
            self.cold.timers.syn = NEVER;
            self.due.set(Due::SYN, true);
        }
        if self.cold.timers.syn <= now {
            self.cold.timers.syn = NEVER;
            self.cold.syn_retries += 1;
            if self.passes_over_timeout(now) {
                return self.retime();
            }
            // Linux net/ipv4/tcp_timer.c, tcp_write_timeout: retransmissions at even intervals are allowed in addition.
            let linear = if self.state == State::SynSent { self.sender.config.syn_linear } else { 0 };
            if self.cold.syn_retries > self.most_syns() {
                if self.is_in_syn_cache() {
                    return self.relisten(now, obs);
                }
                return self.give_up(now, false, progress, obs);
            }
            //= https://www.rfc-editor.org/rfc/rfc6298#section-5
            //= type=exception
            //= reason=Linux sends the first four SYNs again at even intervals (tcp_syn_linear_timeouts).
            //# The host MUST set RTO <- RTO * 2 ("back off the timer")
            if self.cold.syn_retries > linear {
                self.sender.rtt_mut().on_timeout();
            }
            let plain_after = self.sender.config.plain_syn_after;
            if plain_after > 0 && self.cold.syn_retries >= plain_after && self.state == State::SynSent {
                self.sender.config_mut().offer_no_features();
            }
            self.due.set(Due::SYN, true);
            obs.event(now, Event::Timeout { count: self.cold.syn_retries });
            self.start_user_timeout(now);
        }
        if self.cold.timers.persist <= now {
            self.on_persist(now, progress, obs);
        }
        if self.cold.timers.keepalive <= now {
            self.on_keepalive(now, progress, obs);
        }
        self.retime();
    }

    /// Number of retransmissions of our SYN or SYN-ACK before the attempt is given up.
    fn most_syns(&self) -> u32 {
        let config = &self.sender.config;
        match self.state {
            State::SynSent => config.syn_retries + config.syn_linear,
            // A connection that Fast Open has accepted has one more in Linux (net/ipv4/tcp_timer.c,
            // tcp_fastopen_synack_timer), and those of a SYN in FreeBSD, where it has left the SYN cache.
            _ if self.cold.passive && self.cold.fast.accepted => match config.conformance {
                Conformance::FreeBsd => config.syn_retries,
                Conformance::Linux => config.syn_ack_retries + 1,
                Conformance::Rfc => config.syn_ack_retries,
            },
            _ if self.cold.passive => config.syn_ack_retries,
            _ => config.syn_retries,
        }
    }

    /// Starts the user timeout, at the first retransmission or the first probe of a closed window, as in Linux
    /// (net/ipv4/tcp_timer.c, retransmits_timed_out).
    fn start_user_timeout(&mut self, now: Nanos) {
        let timers = &mut self.cold.timers;
        if timers.user_timeout > 0 && timers.user == NEVER {
            timers.user = now.saturating_add(timers.user_timeout);
            self.watch.set(Watch::USER_TIMEOUT, true);
            self.retime();
        }
    }

    /// Stops the user timeout, after new data was acknowledged or a window opened.
    pub(super) fn end_user_timeout(&mut self) {
        self.cold.timers.user = NEVER;
        self.watch.set(Watch::USER_TIMEOUT, false);
        self.retime();
    }

    /// Starts the persist timer. Nothing is outstanding and the data to send must wait: the window is closed or too
    /// small, or the application holds the data back.
    pub(super) fn arm_persist(&mut self, now: Nanos) {
        if self.cold.timers.persist == NEVER {
            self.cold.timers.persist = now.saturating_add(self.persist_interval());
            self.watch.set(Watch::PERSIST, true);
            self.retime();
        }
    }

    /// Time until the next probe of a closed window, ns.
    fn persist_interval(&self) -> Nanos {
        let (config, rtt, backoff) = (&self.sender.config, self.sender.rtt(), self.cold.timers.backoff);
        if config.persist_min == 0 {
            return rtt.backed_off(backoff);
        }
        rtt.persist(backoff).clamp(config.persist_min, config.persist_max.max(config.persist_min))
    }

    /// Stops the persist timer, because the data need not wait any longer.
    pub(super) fn end_persist(&mut self) {
        let timers = &mut self.cold.timers;
        timers.persist = NEVER;
        (timers.probes, timers.backoff) = (0, 0);
        self.watch.set(Watch::PERSIST, false);
        self.watch.set(Watch::PROBES, false);
        self.end_user_timeout();
    }

    /// Handles an answer of the peer: the peer is reachable, and if its window stays closed the next probe is due one
    /// interval from now. FreeBSD's timer runs on.
    pub(super) fn on_sign_of_life(&mut self) {
        self.cold.timers.probes = 0;
        if self.sender.config.persist_min == 0 {
            self.cold.timers.persist = NEVER;
        }
        self.watch.set(Watch::PROBES, false);
        self.retime();
    }

    fn on_persist<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        if !self.sender.is_stuck() {
            return self.end_persist();
        }
        if self.has_probed_enough(now) {
            return self.give_up(now, self.sender.config.reset_on_give_up, progress, obs);
        }
        self.cold.timers.persist = NEVER;
        if self.is_refused() {
            return self.retry_probe(now);
        }
        if self.sender.has_room() {
            // RFC 9293 section 3.8.6.2.1 (4): after a while a segment that is not full is sent, too.
            self.sender.override_wait();
            return;
        }
        self.due.set(Due::PROBE, true);
        self.start_user_timeout(now);
        let timers = &mut self.cold.timers;
        timers.probes += 1;
        timers.backoff += 1;
        self.cold.timers.persist = now.saturating_add(self.persist_interval());
        self.watch.set(Watch::PROBES, true);
    }

    /// Whether the connection is given up instead of one more probe of its peer's closed window.
    fn has_probed_enough(&self, now: Nanos) -> bool {
        let (config, timers) = (&self.sender.config, &self.cold.timers);
        if config.conformance == Conformance::FreeBsd {
            return self.gives_up_window(now, timers.backoff >= config.data_retries);
        }
        timers.probes >= config.data_retries
    }

    /// Waits for the next retransmission, because the device refused one. The user timeout is looked at only then.
    fn retry_retransmission(&mut self, now: Nanos) {
        self.sender.retry_at(now + RETRY);
        let timeout = self.cold.timers.user_timeout;
        if self.cold.timers.user == NEVER {
            self.start_user_timeout(now + timeout.next_multiple_of(RETRY) - timeout);
        }
    }

    /// Counts a probe that the device refused, and waits for the next one.
    fn retry_probe(&mut self, now: Nanos) {
        self.start_user_timeout(now);
        self.cold.timers.probes += 1;
        self.cold.timers.persist = now + RETRY;
        self.watch.set(Watch::PROBES, true);
    }

    /// Handles an idle connection (RFC 9293 section 3.8.4), with the conditions of Linux (net/ipv4/tcp_timer.c,
    /// tcp_keepalive_timer) or FreeBSD (sys/netinet/tcp_timer.c, tcp_timer_keep).
    fn on_keepalive<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        let freebsd = self.sender.config.conformance == Conformance::FreeBsd;
        let sends = self.sender.is_idle() || freebsd;
        let timers = &mut self.cold.timers;
        let Some(keeping) = timers.keeping.filter(|_| self.state != State::TimeWait) else {
            timers.keepalive = NEVER;
            return;
        };
        let silent = now - self.last_ack;
        if sends && silent < keeping.idle {
            timers.keepalive = self.last_ack + keeping.idle;
            return;
        }
        if !sends || freebsd && matches!(self.state, State::FinWait2 | State::LastAck) {
            timers.keepalive = now + keeping.idle;
            return;
        }
        let over = match timers.user_timeout {
            _ if freebsd => silent >= keeping.idle + u64::from(keeping.probes) * keeping.interval,
            0 => timers.probes >= keeping.probes,
            timeout => timers.probes > 0 && silent >= timeout,
        };
        if over {
            return self.give_up(now, true, progress, obs);
        }
        timers.probes += 1;
        timers.keepalive = now + keeping.interval;
        self.due.set(Due::PROBE, true);
        self.watch.set(Watch::PROBES, true);
    }
}
