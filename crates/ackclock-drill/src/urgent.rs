//! Urgent data that arrives, as Linux tells of it (net/ipv4/tcp_input.c, tcp_check_urg and tcp_urg; tcp.c, tcp_recv_urg and
//! tcp_recvmsg_locked). The byte before the urgent pointer is a mark, at which reads end.

use crate::socket::Connection;
use ackclock_tcp::Nanos;

/// The mark in a connection's stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Urgent {
    /// Offset of the urgent byte.
    at: u64,
    /// Whether the byte has arrived, and whether MSG_OOB has read it.
    arrived: bool,
    taken: bool,
}

/// Why MSG_OOB reads nothing.
pub enum Refused {
    /// There is no urgent byte, it was read, or it is part of the stream.
    Invalid,
    /// It has not arrived.
    NotYet,
}

impl Connection {
    /// Takes note of the mark before a segment is processed. Its payload of `len` bytes begins at offset `start`, and
    /// `pointer` is its urgent pointer, if it has one. Returns whether an urgent byte has arrived.
    pub fn note_urgent(&mut self, now: Nanos, start: u64, len: u64, pointer: Option<u16>, inline: bool) -> bool {
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
        match self.urgent {
            Some(urgent) if urgent.at >= self.read => available.min(urgent.at - self.read),
            _ => available,
        }
    }

    /// Whether reading stands at the mark (SIOCATMARK).
    pub fn is_at_mark(&self) -> bool {
        self.urgent.is_some_and(|urgent| urgent.at == self.read)
    }

    /// Whether `poll` reports urgent data.
    pub fn has_urgent(&self) -> bool {
        self.urgent.is_some_and(|urgent| urgent.arrived && !urgent.taken)
    }

    /// Passes the mark at which reading stands: the urgent byte is left out unless it is part of the stream.
    pub fn pass_mark(&mut self, now: Nanos, inline: bool) {
        if !inline {
            self.consume(now, 1);
        }
        self.urgent = None;
    }

    /// Reads `bytes` of the stream.
    pub fn consume(&mut self, now: Nanos, bytes: u64) {
        self.read += bytes;
        self.endpoint.read(now, bytes);
        if self.urgent.is_some_and(|urgent| urgent.at < self.read) {
            self.urgent = None;
        }
    }

    /// Reads the urgent byte (MSG_OOB), or looks at it.
    pub fn take_urgent(&mut self, inline: bool, peeks: bool) -> Result<(), Refused> {
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
}
