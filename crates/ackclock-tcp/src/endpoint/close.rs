//! The end of a connection: close, half-close, abort, reset, TIME-WAIT.

use super::{Due, Endpoint, Progress, State, Uses};
use crate::config::Conformance;
use crate::{Error, Flags, NEVER, Nanos, Observer, Segment};

impl Endpoint {
    /// Closes the sending direction: a FIN follows the data, and data is still received (the half-close of RFC 9293
    /// section 3.6). Before the connection is established the FIN, like a write, waits until it is.
    pub fn shutdown_write(&mut self, _now: Nanos) {
        self.sender.close();
    }

    /// Declares that the application will read no more (SHUT_RD). On Linux, data that arrives after a FIN was sent then
    /// resets the connection (net/ipv4/tcp_input.c, tcp_rcv_state_process).
    pub fn shutdown_read(&mut self) {
        self.cold.reads_shut = self.sender.config.conformance == Conformance::Linux;
    }

    /// Closes both directions: a FIN follows the data. If received data was not read, or more data arrives later, the
    /// connection is reset, so that the peer knows (RFC 9293 section 3.6.1); on FreeBSD only later data resets it. Before a
    /// SYN has arrived there is nothing to close, and the attempt ends (RFC 9293 section 3.10.4).
    pub fn close(&mut self, now: Nanos) {
        if matches!(self.state, State::Listen | State::SynSent) {
            return self.forget();
        }
        if self.receiver.unread() > 0 && self.is_synchronised() {
            if self.sender.config.conformance != Conformance::FreeBsd {
                return self.reset(now);
            }
            // FreeBSD discards what was not read and closes as always (sys/netinet/tcp_usrreq.c, tcp_disconnect).
            self.receiver.read(now, self.receiver.unread());
        }
        self.orphan = true;
        self.shutdown_write(now);
        if self.state == State::FinWait2 {
            self.linger(now, self.sender.config.fin_timeout);
        }
    }

    /// Ends the connection at once; if the peer may know of the connection, a RST is sent (ABORT of RFC 9293 section
    /// 3.10.5).
    pub fn abort(&mut self, now: Nanos) {
        if self.state == State::Closed {
            return;
        }
        self.cold.error.get_or_insert(Error::Aborted);
        match self.state {
            State::Listen | State::SynSent | State::TimeWait => self.forget(),
            _ => self.reset(now),
        }
    }

    /// Whether the connection was established, or a SYN has arrived.
    fn is_synchronised(&self) -> bool {
        !matches!(self.state, State::Closed | State::Listen | State::SynSent)
    }

    /// Sends a RST and ends the connection.
    pub(super) fn reset(&mut self, now: Nanos) {
        let mut segment = Segment::new(Flags::RST.with(Flags::ACK));
        let linux = self.sender.config.conformance == Conformance::Linux;
        segment.seq = self.wire(if linux { self.bare_offset() } else { self.sender.sent_edge() });
        segment.ack = self.receive_next();
        if linux {
            // No standard asks for a window (net/ipv4/tcp_output.c, tcp_send_active_reset).
            segment.window = self.receiver.pay();
        }
        if self.uses.has(Uses::TIMESTAMPS) {
            //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
            //# and SHOULD be sent in an <RST> segment
            //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
            //# because of a user abort, and Snd.TS.OK is set, then a Timestamps option SHOULD be included in the
            //# <RST>
            segment.timestamps = Some(self.stamps.option(now));
        }
        self.reply(segment);
        self.forget();
    }

    /// Makes `segment` the next segment to send.
    pub(super) fn reply(&mut self, segment: Segment) {
        self.cold.reply = Segment { ecn: self.control_field(), ..segment };
        self.due.set(Due::REPLY, true);
    }

    /// Answers `segment` with a RST that the peer will accept.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if let Some(reset) = reset_for(segment) {
            self.reply(reset);
        }
    }

    /// Ends the connection without an event, because calls of an application have no observer.
    fn forget(&mut self) {
        self.stop();
        self.state = State::Closed;
    }

    fn stop(&mut self) {
        self.due.set(Due::SYN, false);
        self.due.set(Due::PROBE, false);
        self.due.set(Due::CHALLENGE, false);
        self.timer = NEVER;
        self.cold.timers.stop();
        self.sender.stop();
        self.receiver.stop();
    }

    /// Ends the connection.
    pub(super) fn end<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        self.stop();
        progress.add(Progress::CLOSED);
        self.enter(now, State::Closed, obs);
    }

    /// Returns to LISTEN after a peer's attempt failed (RFC 9293 section 3.10.7.4, second step).
    pub(super) fn relisten<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        let config = &self.sender.config;
        let mut fresh = Endpoint::new(config, self.iss);
        fresh.cold.passive = true;
        *fresh.sender.stats_mut() = *self.sender.stats();
        *self = fresh;
        self.enter(now, State::Listen, obs);
    }

    /// Ends the connection with an error.
    pub(super) fn fail<O: Observer>(&mut self, now: Nanos, error: Error, progress: &mut Progress, obs: &mut O) {
        self.cold.error.get_or_insert(error);
        self.end(now, progress, obs);
    }

    /// Gives up the connection because the peer does not answer; the reason is the one that ICMP gave, if any.
    pub(super) fn give_up<O: Observer>(&mut self, now: Nanos, tell: bool, progress: &mut Progress, obs: &mut O) {
        let error = self.cold.soft_error.unwrap_or(Error::TimedOut);
        if tell && self.is_synchronised() {
            self.reset(now);
        }
        self.fail(now, error, progress, obs);
    }

    pub(super) fn enter_time_wait<O: Observer>(&mut self, now: Nanos, obs: &mut O) {
        self.linger(now, self.sender.config.time_wait);
        self.enter(now, State::TimeWait, obs);
    }

    /// Whether TIME-WAIT ends at the arrival of `segment`, a SYN beyond the last sequence number of the connection: the
    /// code that demultiplexes segments forgets the connection and passes the segment to the listener of its port, or
    /// answers it with [`super::reset_for`] (RFC 9293 section 3.6.1; Linux net/ipv4/tcp_minisocks.c,
    /// tcp_timewait_state_process; FreeBSD sys/netinet/tcp_timewait.c, tcp_twcheck). With [`Conformance::Rfc`], no
    /// connection gives way.
    pub fn gives_way_to(&self, segment: &Segment) -> bool {
        let flags = segment.flags;
        let syn = flags.has(Flags::SYN) && !flags.has(Flags::ACK) && !flags.has(Flags::RST);
        if self.state != State::TimeWait || !syn {
            return false;
        }
        let beyond = (segment.seq.wrapping_sub(self.receive_next()) as i32) > 0;
        match self.sender.config.conformance {
            Conformance::Rfc => false,
            Conformance::FreeBsd => beyond,
            Conformance::Linux => {
                let newer = |val: u32| (val.wrapping_sub(self.stamps.recent) as i32) > 0;
                match segment.timestamps.filter(|_| self.uses.has(Uses::TIMESTAMPS)) {
                    Some(stamps) => newer(stamps.val) || beyond && stamps.val == self.stamps.recent,
                    None => beyond,
                }
            }
        }
    }

    /// Ends TIME-WAIT, or FIN-WAIT-2 of a connection that no application reads, after `wait`.
    pub(super) fn linger(&mut self, now: Nanos, wait: Nanos) {
        self.cold.timers.linger = now + wait;
        self.retime();
    }

    /// Processes the acknowledgment of our FIN.
    pub(super) fn on_fin_acked<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        // No data waits for the pacer any more, and no further poll would clear its release time.
        self.sender.stop();
        match self.state {
            State::FinWait1 => {
                self.enter(now, State::FinWait2, obs);
                if self.orphan {
                    self.linger(now, self.sender.config.fin_timeout);
                }
            }
            State::Closing => self.enter_time_wait(now, obs),
            State::LastAck => self.end(now, progress, obs),
            _ => {}
        }
    }

    /// Processes the peer's FIN after all data before the FIN has arrived.
    pub(super) fn on_fin<O: Observer>(&mut self, now: Nanos, progress: &mut Progress, obs: &mut O) {
        progress.add(Progress::PEER_CLOSED);
        match self.state {
            State::Established => self.enter(now, State::CloseWait, obs),
            State::FinWait1 => {
                self.receiver.owe_ack();
                self.enter(now, State::Closing, obs);
            }
            State::FinWait2 => {
                self.receiver.owe_ack();
                self.enter_time_wait(now, obs);
            }
            _ => {}
        }
    }
}

/// The RST that answers a segment for which there is no connection (RFC 9293 section 3.10.7.1); `None` for a RST. The
/// code that demultiplexes segments calls this function if it finds no endpoint.
pub fn reset_for(segment: &Segment) -> Option<Segment> {
    if segment.flags.has(Flags::RST) {
        return None;
    }
    //= https://www.rfc-editor.org/rfc/rfc7323#section-3.2
    //= type=exception
    //= reason=A RST that answers a segment belongs to no connection and carries no options.
    //# and SHOULD be sent in an <RST> segment
    //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
    //= type=exception
    //= reason=A RST that answers a segment carries no options, as in Linux.
    //# it is now RECOMMENDED that when generating an <RST>, if the segment causing the <RST> to be generated contains
    //# a Timestamps option, the <RST> should also contain a Timestamps option
    //= https://www.rfc-editor.org/rfc/rfc7323#section-5.2
    //= type=exception
    //= reason=A RST that answers a segment carries no options, as in Linux.
    //# In the <RST> segment, SEG.TSecr SHOULD be set to SEG.TSval from the incoming segment and SEG.TSval SHOULD be
    //# set to zero
    let mut reset = Segment::new(Flags::RST);
    if segment.flags.has(Flags::ACK) {
        reset.seq = segment.ack;
    } else {
        reset.flags = Flags::RST.with(Flags::ACK);
        reset.ack = segment.seq.wrapping_add(segment.seq_len());
    }
    Some(reset)
}
