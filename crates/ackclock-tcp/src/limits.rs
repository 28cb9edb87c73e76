//! Limits of a sender, and the time for which each of them applies: the congestion window, the receive window, the send
//! buffer, pacing, and the application. `ss -i` shows such times on Linux (`busy_time`, `rwnd_limited` and
//! `sndbuf_limited` of TCP_INFO).

use crate::Nanos;

/// Limit that keeps a sender from sending at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Limit {
    /// Everything is acknowledged, and the application gives nothing more.
    Idle = 0,
    /// Everything is sent, and the application gives nothing more; or a small segment waits for more data.
    Application = 1,
    /// Everything is sent, and the application waits for room in the send buffer.
    SendBuffer = 2,
    /// The peer's window allows no further segment.
    ReceiveWindow = 3,
    /// The congestion window allows no further segment.
    CongestionWindow = 4,
    /// The pacer holds the next segment.
    Pacing = 5,
}

/// The time that a sender spent with each limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    spent: [Nanos; 6],
    now: Limit,
    since: Nanos,
}

impl Limits {
    /// No time spent, from `now` on.
    pub fn new(now: Nanos) -> Limits {
        Limits { spent: [0; 6], now: Limit::Idle, since: now }
    }

    /// Takes note of the limit from `now` on.
    #[inline]
    pub fn note(&mut self, now: Nanos, limit: Limit) {
        self.spent[self.now as usize] += now - self.since;
        (self.now, self.since) = (limit, now);
    }

    /// Time spent with a limit until `now`, ns.
    pub fn spent(&self, now: Nanos, limit: Limit) -> Nanos {
        let present = if limit == self.now { now - self.since } else { 0 };
        self.spent[limit as usize] + present
    }
}
