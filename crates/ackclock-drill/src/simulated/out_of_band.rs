//! Urgent data that arrives, as FreeBSD tells of it (sys/netinet: tcp_input.c, tcp_do_segment and tcp_pulloutofband;
//! tcp_usrreq.c, tcp_usr_rcvoob; sys/kern/uipc_socket.c, soreceive_generic). The urgent byte leaves the stream when it
//! arrives, unless SO_OOBINLINE is set.

use std::collections::BTreeSet;

/// Reason for which MSG_OOB reads nothing.
pub enum Refused {
    /// There is no urgent byte, it was read, or it is part of the stream.
    Invalid,
    /// The urgent byte has not arrived.
    NotYet,
}

/// A segment that may point to urgent data.
#[derive(Clone, Copy, Debug)]
pub struct Pointed {
    /// Stream offset and number of its bytes.
    pub start: u64,
    /// Number of bytes of payload.
    pub len: u64,
    /// Its urgent pointer, if it has one.
    pub pointer: Option<u16>,
}

/// State of a connection's urgent data.
#[derive(Clone, Debug, Default)]
pub struct OutOfBand {
    /// Offset after the urgent byte that was announced last, or of the next byte expected (rcv_up).
    up: u64,
    /// Number of bytes to be read before the mark (so_oobmark); 0 without a mark ahead.
    ahead: u64,
    /// Whether reading stands at the mark (SBS_RCVATMARK).
    at_mark: bool,
    /// Whether the urgent byte is held, and whether it was read (TCPOOB_HAVEDATA, TCPOOB_HADDATA).
    held: bool,
    taken: bool,
    /// Offsets of bytes that have left the stream: those beyond a gap, and those that reading has yet to pass.
    beyond: BTreeSet<u64>,
    out: BTreeSet<u64>,
}

impl OutOfBand {
    /// Number of bytes that have left the stream and that reading has yet to pass.
    pub fn missing(&self) -> u64 {
        self.out.len() as u64
    }

    /// Bytes that a read may take of `available` ones.
    pub fn up_to_mark(&self, available: u64) -> u64 {
        if self.ahead > 0 { available.min(self.ahead) } else { available }
    }

    /// Whether reading stands at the mark.
    pub fn is_at_mark(&self) -> bool {
        self.at_mark
    }

    /// Whether `poll` reports urgent data (sopoll_generic).
    pub fn is_pending(&self) -> bool {
        self.ahead > 0 || self.at_mark
    }

    /// Leaves the mark, as any read of data does.
    pub fn leave_mark(&mut self) {
        self.at_mark = false;
    }

    /// Reads the urgent byte, or looks at it.
    pub fn take(&mut self, inline: bool, peeks: bool) -> Result<(), Refused> {
        if !self.is_pending() || inline || self.taken {
            return Err(Refused::Invalid);
        }
        if !self.held {
            return Err(Refused::NotYet);
        }
        if !peeks {
            (self.held, self.taken) = (false, true);
        }
        Ok(())
    }

    /// Takes note of the urgent pointer of an acceptable segment before the segment is processed. `next` is the next offset
    /// expected, and `available` bytes can be read.
    pub fn note(&mut self, segment: &Pointed, next: u64, available: u64, inline: bool) {
        // What was received before is removed, and the pointer moves along.
        let below = next.saturating_sub(segment.start).min(segment.len);
        let (start, len) = (segment.start + below, segment.len - below);
        let pointer = segment.pointer.map_or(0, u64::from).saturating_sub(below);
        if pointer == 0 {
            self.up = self.up.max(next);
            return;
        }
        if start < next {
            return;
        }
        if start + pointer > self.up {
            self.up = start + pointer;
            self.ahead = available + (self.up - next) - 1;
            self.at_mark |= self.ahead == 0;
            (self.held, self.taken) = (false, false);
        }
        if pointer <= len && !inline {
            self.held = true;
            self.beyond.insert(start + pointer - 1);
        }
    }

    /// Takes the bytes that have left the stream out of the receive buffer, as far as they arrived below `received`. Returns
    /// their number.
    pub fn settle(&mut self, received: u64) -> u64 {
        let before = self.out.len();
        while let Some(&at) = self.beyond.first().filter(|&&at| at < received) {
            self.beyond.remove(&at);
            self.out.insert(at);
        }
        (self.out.len() - before) as u64
    }

    /// The offset after a read of `bytes` from offset `read`, around the bytes that have left the stream.
    pub fn pass(&mut self, read: u64, bytes: u64) -> u64 {
        let mut end = read + bytes;
        while let Some(&at) = self.out.first().filter(|&&at| at <= end) {
            self.out.remove(&at);
            end += 1;
        }
        if self.ahead > 0 {
            self.ahead -= bytes;
            self.at_mark = self.ahead == 0;
        }
        end
    }
}
