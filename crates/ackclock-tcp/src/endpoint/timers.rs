//! Timers that are the connection's: handshake, TIME-WAIT, probes, and giving up.

use super::{Due, Endpoint, Progress, State, Watch};
use crate::config::{Config, Keepalive};
use crate::{Event, NEVER, Nanos, Observer};

/// The timers and what they count.
pub(super) struct Timers {
    /// The SYN or SYN-ACK is sent again.
    pub syn: Nanos,
    /// TIME-WAIT, or FIN-WAIT-2 of a connection nobody reads, is over.
    pub linger: Nanos,
    /// A shut window is probed (RFC 9293 section 3.8.6.1).
    pub persist: Nanos,
    /// An idle connection is probed (RFC 9293 section 3.8.4), or looked at anew.
    pub keepalive: Nanos,
    /// The user timeout is over (RFC 5482).
    pub user: Nanos,
    /// Probes of a shut window, or of an idle connection, without an answer; doublings of the interval between the former.
    pub probes: u32,
    pub backoff: u32,
    pub keeping: Option<Keepalive>,
    /// How long data may go unacknowledged; 0 where retries are counted instead (RFC 5482).
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

    /// The earliest.
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
    /// To be called when [`Endpoint::next_timeout`] has come; harmless earlier.
    pub fn on_timeout<O: Observer>(&mut self, now: Nanos, obs: &mut O) -> Progress {
        let mut progress = Progress::default();
        if self.timer <= now {
            self.on_own_timer(now, &mut progress, obs);
        }
        self.sender.on_timeout(now, obs);
        if self.sender.expiries() == 1 {
            self.start_user_timeout(now);
        }
        if self.sender.expiries() > self.cold.config.data_retries {
            self.give_up(now, self.cold.config.reset_on_give_up, &mut progress, obs);
        }
        self.receiver.on_timeout(now, self.sender.rtt().rto());
        progress
    }

    /// When [`Endpoint::on_timeout`] is next to be called; [`NEVER`] where no timer runs. May move with every call.
    #[inline]
    pub fn next_timeout(&self) -> Nanos {
        let sender = self.sender.rto_at().min(self.sender.paced_until());
        sender.min(self.receiver.delayed_at()).min(self.timer)
    }

    /// After a change of [`super::Cold::timers`].
    pub(super) fn retime(&mut self) {
        self.timer = self.cold.timers.next();
    }

    fn on_own_timer<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        if self.cold.timers.linger <= now {
            return self.end(now, progress, obs);
        }
        if self.cold.timers.user <= now {
            return self.give_up(now, self.cold.config.reset_on_give_up, progress, obs);
        }
        if self.cold.timers.syn <= now {
            self.cold.timers.syn = NEVER;
            self.cold.syn_retries += 1;
            // Linux net/ipv4/tcp_timer.c, tcp_write_timeout: those that leave at even intervals come on top.
            let linear = if self.state == State::SynSent { self.cold.config.syn_linear } else { 0 };
            if self.cold.syn_retries > self.cold.config.syn_retries + linear {
                return self.give_up(now, false, progress, obs);
            }
            //= https://www.rfc-editor.org/rfc/rfc6298#section-5
            //= type=exception
            //= reason=Linux sends the first four SYNs again at even intervals (tcp_syn_linear_timeouts).
            //# The host MUST set RTO <- RTO * 2 ("back off the timer")
            if self.cold.syn_retries > linear {
                self.sender.rtt_mut().on_timeout();
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

    /// Something was sent again for the first time, or a shut window probed for the first time: from here on the user timeout
    /// counts, as in Linux (net/ipv4/tcp_timer.c, retransmits_timed_out).
    fn start_user_timeout(&mut self, now: Nanos) {
        let timers = &mut self.cold.timers;
        if timers.user_timeout > 0 && timers.user == NEVER {
            timers.user = now.saturating_add(timers.user_timeout);
            self.watch.set(Watch::USER_TIMEOUT, true);
            self.retime();
        }
    }

    /// New data was acknowledged, or a window opened.
    pub(super) fn end_user_timeout(&mut self) {
        self.cold.timers.user = NEVER;
        self.watch.set(Watch::USER_TIMEOUT, false);
        self.retime();
    }

    /// Nothing is outstanding and what is to be sent must not leave: the window is shut or too small, or the application
    /// holds it back.
    pub(super) fn arm_persist(&mut self, now: Nanos) {
        let timers = &mut self.cold.timers;
        if timers.persist == NEVER {
            timers.persist = now.saturating_add(self.sender.rtt().backed_off(timers.backoff));
            self.watch.set(Watch::PERSIST, true);
            self.retime();
        }
    }

    /// What held back the data does so no longer.
    pub(super) fn end_persist(&mut self) {
        let timers = &mut self.cold.timers;
        timers.persist = NEVER;
        (timers.probes, timers.backoff) = (0, 0);
        self.watch.set(Watch::PERSIST, false);
        self.watch.set(Watch::PROBES, false);
        self.end_user_timeout();
    }

    /// The peer answers: it is there, and if its window stays shut the next probe is due one interval from now.
    pub(super) fn on_sign_of_life(&mut self) {
        self.cold.timers.probes = 0;
        self.cold.timers.persist = NEVER;
        self.watch.set(Watch::PROBES, false);
        self.retime();
    }

    fn on_persist<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        if !self.sender.is_stuck() {
            return self.end_persist();
        }
        if self.cold.timers.probes >= self.cold.config.data_retries {
            return self.give_up(now, self.cold.config.reset_on_give_up, progress, obs);
        }
        self.cold.timers.persist = NEVER;
        if self.sender.has_room() {
            // RFC 9293 section 3.8.6.2.1 (4): after a while less than a full segment goes as well.
            self.sender.override_wait();
            return;
        }
        self.due.set(Due::PROBE, true);
        self.start_user_timeout(now);
        let timers = &mut self.cold.timers;
        timers.probes += 1;
        timers.backoff += 1;
        timers.persist = now.saturating_add(self.sender.rtt().backed_off(timers.backoff));
        self.watch.set(Watch::PROBES, true);
    }

    /// RFC 9293 section 3.8.4, with the conditions of Linux (net/ipv4/tcp_timer.c, tcp_keepalive_timer).
    fn on_keepalive<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        let timers = &mut self.cold.timers;
        let Some(keeping) = timers.keeping.filter(|_| self.state != State::TimeWait) else {
            timers.keepalive = NEVER;
            return;
        };
        if !self.sender.is_idle() {
            timers.keepalive = now + keeping.idle;
            return;
        }
        let silent = now - self.last_ack;
        if silent < keeping.idle {
            timers.keepalive = self.last_ack + keeping.idle;
            return;
        }
        let over = match timers.user_timeout {
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
