//! The receive window and the buffer's auto-tuning of FreeBSD (sys/netinet: tcp_input.c, tcp_mss and tcp_autorcvbuf;
//! tcp_output.c, tcp_default_output).

use super::{Payload, Receiver};
use crate::config::{Config, WindowRule};
use crate::{Nanos, SECOND};

/// State of FreeBSD's rule for one receiver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    /// Payload of a full segment, bytes; 0 before both ends have stated theirs. The buffer is not used beyond the
    /// offered window before that.
    mss: u64,
    /// Largest buffer by auto-tuning, bytes; 0 if auto-tuning is off.
    pub most: u64,
    /// Start of the present round, and the bytes that arrived in it.
    round: Option<(Nanos, u64)>,
    rule: WindowRule,
}

/// Step by which FreeBSD 10 raises the buffer (net.inet.tcp.recvbuf_inc), bytes.
const STEP: u64 = 16 << 10;

impl Space {
    pub fn new(config: &Config) -> Option<Box<Space>> {
        let tunes = config.receive_buffer_max > config.receive_buffer;
        let most = if tunes { config.receive_buffer_max } else { 0 };
        let rule = config.window_rule;
        matches!(rule, WindowRule::FreeBsd | WindowRule::FreeBsd10)
            .then(|| Box::new(Space { mss: 0, most, round: None, rule }))
    }

    /// Processes `bytes` that arrived in order with `payload`. Returns the new buffer: it grows by half when more than
    /// three eighths of it arrived within half of the smoothed RTT.
    pub fn on_data(&mut self, now: Nanos, payload: &Payload<'_>, bytes: u64, buffer: u64) -> u64 {
        let Some((began, arrived)) = &mut self.round else {
            self.round = Some((now, bytes));
            return buffer;
        };
        let (over, enough, step) = match self.rule {
            WindowRule::FreeBsd10 => {
                let over = payload.echo.is_some_and(|echo| echo > *began && echo - *began < SECOND);
                (over, buffer / 8 * 7, STEP)
            }
            _ => (payload.rtt.srtt().is_some_and(|srtt| now - *began > srtt / 2), buffer / 2 / 4 * 3, buffer / 2),
        };
        if !over {
            *arrived += bytes;
            return buffer;
        }
        let grows = *arrived > enough && buffer < self.most;
        self.round = None;
        if grows { (buffer + step).min(self.most) } else { buffer }
    }
}

impl Receiver {
    /// Takes note of the size of full segments, once both ends have stated theirs. FreeBSD's rule rounds the buffer up
    /// to whole segments.
    pub fn open(&mut self, mss: u64) {
        if let Some(space) = &mut self.space
            && space.mss == 0
        {
            self.settled = None;
            space.mss = mss.max(1);
            self.buffer = self.buffer.next_multiple_of(space.mss.min(self.buffer.max(1)));
        }
    }

    /// Stream offset up to which data is accepted.
    #[inline]
    pub fn limit(&self) -> u64 {
        match &self.space {
            // A FIN takes no space.
            Some(space) if space.mss > 0 => self.edge.max(self.read + self.buffer + u64::from(self.finished())),
            _ => self.edge,
        }
    }

    /// The right edge that FreeBSD's rule offers: all free space, unless it is less than a segment and less than a
    /// quarter of the buffer.
    pub(super) fn free_edge(&self, space: &Space) -> u64 {
        let next = self.received();
        let free = (self.read + self.buffer.min(self.clamp)).saturating_sub(next);
        let silly = free < self.buffer / 4 && free < space.mss;
        if silly { self.edge.max(next) } else { self.edge.max(next + free) }
    }

    /// Whether a read has opened the window so far that the peer is told at once.
    pub(super) fn tells_of_read(&self, space: &Space) -> bool {
        let next = self.received();
        let most = u64::from(u16::MAX) << self.scale;
        let window = (self.free_edge(space) - next).min(most);
        let offered = self.edge.saturating_sub(next);
        let gain = window.saturating_sub(offered);
        if window >> self.scale <= offered >> self.scale {
            return false;
        }
        let quarter = gain >= self.buffer / 4 || window <= self.buffer / 8 || self.buffer <= 8 * space.mss;
        gain >= 2 * space.mss && quarter || 2 * gain >= self.buffer
    }

    /// The receive buffer, bytes.
    pub fn buffer(&self) -> u64 {
        self.buffer
    }
}
