//! Wires: when they take packets and how long these take. Each kind of wire has a file; the [`Transmitter`] is the wire
//! of fixed rate.

mod cellular;
mod interrupted;
mod meter;
mod opportunities;
mod series;
mod steps;
mod trace;

use crate::Rate;

use crate::{Nanos, Transmitter};

pub use cellular::{Cellular, CellularModel};
pub use interrupted::Interrupted;
pub use meter::{Meter, PARTS_OF_A_BIT};
pub use opportunities::{OPPORTUNITY, Opportunities, Source};
pub use series::{Cells, Form, Layout, Series, SeriesError};
pub use steps::Steps;
pub use trace::{Playback, Trace, TraceError};

/// A wire whose rate may vary.
///
/// Calls are in the order of their times.
pub trait Server: Send {
    /// Earliest start of a packet that is ready at `at`, after all packets before it, or [`NEVER`](crate::NEVER) if the
    /// packet cannot start. A time later than `at` is a lower bound: the caller calls again at that time.
    fn start(&mut self, at: Nanos) -> Nanos;

    /// Sends a packet of `size` bytes that starts at `at`, a time that [`Server::start`] returned, and returns when its
    /// last bit has left. `follows` is true if the packet waited for the one before. The packet then starts at the
    /// exact end of the one before, not at that end rounded up.
    fn transmit(&mut self, at: Nanos, size: u32, follows: bool) -> Nanos;

    /// Capacity of the wire from the start on, independent of the packets sent.
    fn meter(&self) -> Meter<'_>;

    /// Mean rate, bits per second.
    fn mean_rate(&self) -> Rate;

    /// Rate in bits per second if it is constant.
    fn fixed_rate(&self) -> Option<Rate> {
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

    fn mean_rate(&self) -> Rate {
        self.rate()
    }

    fn fixed_rate(&self) -> Option<Rate> {
        Some(self.mean_rate())
    }
}
