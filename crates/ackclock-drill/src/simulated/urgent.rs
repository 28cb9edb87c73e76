//! Urgent data. The writer's last byte is urgent, and segments point to the byte after it (RFC 6093 section 3.1). What
//! arrives is told as FreeBSD tells of it (`out_of_band`) or as Linux does (net/ipv4/tcp_input.c, tcp_check_urg and tcp_urg; tcp.c, tcp_recv_urg and
//! tcp_recvmsg_locked). The byte before the urgent pointer is a mark, at which reads end.

use crate::ast::Tcp;
use crate::simulated::out_of_band::{Pointed, Refused};
use crate::simulated::socket::{Connection, Urgent};
use ackclock_tcp::{Flags, Nanos};

impl Connection {
    /// Makes the last byte that was written urgent. Until it is acknowledged, no segment waits to become full
    /// (net/ipv4/tcp_output.c, tcp_nagle_test).
    pub fn urge(&mut self) {
        self.urgent_end = Some(self.written);
        self.endpoint.set_nagle(false);
    }

    /// Ends the urgent mode where the urgent byte was acknowledged. `nagle` is whether small segments wait otherwise.
    pub fn calm(&mut self, nagle: bool) {
        if self.urgent_end.is_some_and(|end| end <= self.endpoint.acked()) {
            self.urgent_end = None;
            self.endpoint.set_nagle(nagle);
        }
    }

    /// Writes the urgent pointer into a segment that begins before the end of urgent data (__tcp_transmit_skb).
    pub fn point(&self, tcp: &mut Tcp) {
        let Some(end) = self.urgent_end.filter(|_| tcp.flags & (Flags::SYN.0 | Flags::RST.0) == 0) else { return };
        let ahead = self.numbers.sent_at(end).wrapping_sub(tcp.seq).cast_signed();
        if ahead > 0 {
            tcp.flags |= Flags::URG.0;
            tcp.urgent = u16::try_from(ahead).unwrap_or(u16::MAX);
        }
    }

    /// Takes note of the mark before a segment is processed. Returns whether an urgent byte has arrived.
    pub fn note_urgent(&mut self, now: Nanos, segment: &Pointed, inline: bool) -> bool {
        let (next, available) = (self.endpoint.received(), self.available());
        if let Some(band) = self.band.as_mut() {
            if !self.peer_closed {
                band.note(segment, next, available, inline);
            }
            return false;
        }
        let &Pointed { start, len, pointer } = segment;
        if let Some(pointer) = pointer {
            let at = start + u64::from(pointer.saturating_sub(1));
            let known = self.urgent.is_some_and(|urgent| at <= urgent.at);
            if self.read <= at && at >= self.endpoint.received() && !known {
                // A mark at which reading stands gives way to the new one.
                let stands = self.urgent.is_some_and(|urgent| urgent.at == self.read);
                if stands && !inline && self.available() > 0 {
                    self.consume(now, 1);
                }
                self.urgent = Some(Urgent { at, arrived: false, taken: false });
            }
        }
        match &mut self.urgent {
            Some(urgent) if !urgent.arrived && start <= urgent.at && urgent.at < start + len => {
                urgent.arrived = true;
                true
            }
            _ => false,
        }
    }

    /// Number of bytes up to the mark, or without one ahead all bytes that can be read.
    pub fn up_to_mark(&self) -> u64 {
        let available = self.available();
        if let Some(band) = &self.band {
            return band.up_to_mark(available);
        }
        match self.urgent {
            Some(urgent) if urgent.at >= self.read => available.min(urgent.at - self.read),
            _ => available,
        }
    }

    /// Whether reading stands at the mark (SIOCATMARK).
    pub fn is_at_mark(&self) -> bool {
        match &self.band {
            Some(band) => band.is_at_mark(),
            None => self.urgent.is_some_and(|urgent| urgent.at == self.read),
        }
    }

    /// Whether `poll` reports urgent data.
    pub fn has_urgent(&self) -> bool {
        match &self.band {
            Some(band) => band.is_pending(),
            None => self.urgent.is_some_and(|urgent| urgent.arrived && !urgent.taken),
        }
    }

    /// Passes the mark at which reading stands: the urgent byte is left out unless it is part of the stream.
    pub fn pass_mark(&mut self, now: Nanos, inline: bool) {
        if let Some(band) = &mut self.band {
            return band.leave_mark();
        }
        if !inline {
            self.consume(now, 1);
        }
        self.urgent = None;
    }

    /// Reads `bytes` of the stream.
    pub fn consume(&mut self, now: Nanos, bytes: u64) {
        if let Some(band) = &mut self.band {
            self.read = band.pass(self.read, bytes);
            return self.endpoint.read(now, bytes);
        }
        self.read += bytes;
        self.endpoint.read(now, bytes);
        if self.urgent.is_some_and(|urgent| urgent.at < self.read) {
            self.urgent = None;
        }
    }

    /// Reads the urgent byte (MSG_OOB), or looks at it.
    pub fn take_urgent(&mut self, inline: bool, peeks: bool) -> Result<(), Refused> {
        if let Some(band) = &mut self.band {
            return band.take(inline, peeks);
        }
        match &mut self.urgent {
            Some(urgent) if !inline && !urgent.taken => {
                if !urgent.arrived {
                    return Err(Refused::NotYet);
                }
                urgent.taken = !peeks;
                Ok(())
            }
            _ => Err(Refused::Invalid),
        }
    }

    /// Takes the urgent bytes that have left the stream out of the receive buffer (FreeBSD).
    pub fn settle_out_of_band(&mut self, now: Nanos) {
        let received = self.endpoint.received();
        if let Some(band) = &mut self.band {
            let bytes = band.settle(received);
            if bytes > 0 {
                self.endpoint.read(now, bytes);
            }
        }
    }
}
