//! pipeACK in four bins, as the authors' module of newCWV keeps it.
//!
//! A sample is the volume acknowledged from one snd_nxt to the next, so that there is one sample in a round trip. A sample
//! that begins with nothing outstanding covers what was sent by its first ACK.
//!
//! A sample updates the bins: the oldest bin is removed if it is older than the sampling period. A new bin begins if a
//! quarter of the sampling period has passed since the last bin began; else the last bin keeps the larger sample. An
//! update removes one bin at most, and nothing is removed without a sample. Bins from before an idle period therefore
//! count for up to four samples after it.

use crate::context::Context;
use crate::{Nanos, SECOND};

/// Number of bins.
const BINS: usize = 4;

#[derive(Clone, Copy, Default, Debug)]
struct Bin {
    /// Time of the first sample of the bin.
    begun: Nanos,
    /// Largest sample of the bin, bytes.
    largest: u64,
}

/// The pipeACK variable.
#[derive(Default, Debug)]
pub(super) struct Bins {
    /// The bins, the oldest first; `kept` of them are in use.
    bins: [Bin; BINS],
    kept: usize,
    /// snd_una when the sample began.
    base: u64,
    /// The snd_nxt that ends the sample.
    mark: u64,
}

impl Bins {
    /// Begins a sample with the data that is sent from now on.
    pub fn begin(&mut self, ctx: &Context) {
        (self.base, self.mark) = (ctx.snd_una, ctx.snd_nxt);
    }

    /// pipeACK in bytes; `None` where undefined, before the first sample.
    #[inline]
    pub fn value(&self) -> Option<u64> {
        self.bins[..self.kept].iter().map(|bin| bin.largest).max()
    }

    /// Processes an acknowledgment outside loss recovery.
    #[inline]
    pub fn on_ack(&mut self, ctx: &Context) {
        if ctx.snd_una == self.base {
            return;
        }
        if self.mark == self.base {
            self.mark = ctx.snd_nxt;
        }
        if ctx.snd_una >= self.mark {
            self.update(ctx, self.mark - self.base);
            self.begin(ctx);
        }
    }

    fn update(&mut self, ctx: &Context, sample: u64) {
        let period = ctx.srtt.unwrap_or(0).saturating_mul(3).max(SECOND);
        if self.kept > 0 && ctx.now.saturating_sub(self.bins[0].begun) > period {
            self.remove_oldest();
        }
        match self.bins[..self.kept].last_mut() {
            Some(last) if ctx.now.saturating_sub(last.begun) < period / BINS as u64 => {
                last.largest = last.largest.max(sample);
            }
            _ => {
                if self.kept == BINS {
                    self.remove_oldest();
                }
                self.bins[self.kept] = Bin { begun: ctx.now, largest: sample };
                self.kept += 1;
            }
        }
    }

    fn remove_oldest(&mut self) {
        self.bins.copy_within(1..self.kept, 0);
        self.kept -= 1;
    }
}
