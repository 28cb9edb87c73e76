//! The state that the subflows of one transfer share: how a coupled congestion control sees its siblings.
//!
//! The owner of the subflows tells each of them of all subflows before every acknowledgment
//! ([`crate::Endpoint::couple`]). A connection of its own has no siblings, and a coupled algorithm then is Reno.

use crate::Nanos;
use crate::context::{Context, Window};

/// A subflow of a transfer over several paths, as a coupled congestion control sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sibling {
    /// Congestion window, bytes: in a recovery the window at its end, and what is in flight if the application limits the
    /// subflow.
    pub cwnd: u64,
    /// Smoothed round-trip time.
    pub srtt: Nanos,
}

impl Sibling {
    /// Rate in bytes per nanosecond.
    pub(super) fn rate(&self) -> f64 {
        self.cwnd as f64 / self.srtt.max(1) as f64
    }
}

/// The subflows of a transfer at one subflow: itself and the others.
#[derive(Clone, Default, Debug)]
pub(super) struct Coupled {
    others: Vec<Sibling>,
}

impl Coupled {
    /// Takes note of the other subflows.
    pub fn tell(&mut self, others: &[Sibling]) {
        self.others.clear();
        self.others.extend_from_slice(others);
    }

    /// Returns all subflows, this one first; only this one has the state of `ctx`. A subflow without an RTT sample is not
    /// counted.
    pub fn all(&self, window: &Window, ctx: &Context) -> impl Iterator<Item = Sibling> + Clone {
        let own = ctx.srtt.map(|srtt| Sibling { cwnd: window.cwnd, srtt });
        own.into_iter().chain(self.others.iter().copied())
    }

    /// Whether there are other subflows.
    pub fn is_coupled(&self) -> bool {
        !self.others.is_empty()
    }
}

/// Growth that has been earned and not yet used, in whole segments and by bytes.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Growth {
    increase: super::increase::Increase,
    credit: u64,
}

impl Growth {
    /// Adds what `acked` bytes earn if a window of cwnd bytes earns `per_window`, and grows the window by whole segments.
    ///
    /// RFC 6356 section 4.2 counts likewise: it keeps what is acknowledged until a segment has been earned.
    pub fn grow(&mut self, window: &mut Window, mss: u64, acked: u64, per_window: u64) {
        self.credit += self.increase.bytes(window.cwnd, acked, per_window);
        if self.credit >= mss {
            self.credit -= mss;
            window.cwnd += mss;
        }
    }

    /// Forgets what has been earned.
    pub fn reset(&mut self) {
        *self = Growth::default();
    }
}
