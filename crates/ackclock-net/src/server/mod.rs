//! How fast a wire takes packets. One kind of wire a file; the one of fixed rate is the [`Transmitter`].

mod cellular;
mod interrupted;
mod meter;
mod opportunities;
mod steps;
mod trace;

use std::num::NonZeroU64;

use crate::{Nanos, Transmitter};

pub use cellular::{Cellular, CellularModel};
pub use interrupted::Interrupted;
pub use meter::{Meter, PARTS_OF_A_BIT};
pub use opportunities::{OPPORTUNITY, Opportunities, Source};
pub use steps::Steps;
pub use trace::{Playback, Trace, TraceError};

/// The end of time: what never happens happens then.
pub const NEVER: Nanos = Nanos::MAX;

/// A wire whose rate may vary: at which times it takes packets, and how long they take.
///
/// Calls come in the order of their times.
pub trait Server: Send {
    /// When a packet that is ready at `at` can start, all packets before it being served; [`NEVER`] where it cannot.
    fn start(&mut self, at: Nanos) -> Nanos;

    /// Sends a packet of `size` bytes that starts at `at`, a time of [`Server::start`]: when its last bit has left. `follows`
    /// tells whether it has waited for the packet before it, so that no time passes between the two, not even what the time
    /// told of that packet's end was rounded up by.
    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos;

    /// What could have been sent from the start on, whatever has been.
    fn meter(&self) -> Meter<'_>;

    /// Bits per second on average.
    fn mean_rate(&self) -> NonZeroU64;

    /// Bits per second where it does not vary.
    fn fixed_rate(&self) -> Option<NonZeroU64> {
        None
    }
}

impl Server for Transmitter {
    fn start(&mut self, at: Nanos) -> Nanos {
        at.max(self.free_at())
    }

    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos {
        let ready = if follows { at.saturating_sub(1) } else { at };
        Transmitter::transmit(self, ready, size).end
    }

    fn meter(&self) -> Meter<'_> {
        Meter::of_rate(self.rate())
    }

    fn mean_rate(&self) -> NonZeroU64 {
        NonZeroU64::new(self.rate()).expect("a transmitter has a rate")
    }

    fn fixed_rate(&self) -> Option<NonZeroU64> {
        Some(self.mean_rate())
    }
}
