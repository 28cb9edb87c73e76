//! The least time until a packet reaches a host.

use super::Network;
use crate::endpoint::Contents;
use crate::packet::AT_HOST;
use ackclock_core::{NEVER, Nanos};

impl<P: Contents> Network<P> {
    /// Returns, for each source of the network's events, the least time from an event until a packet of the source reaches a
    /// host, in ns; 0 if that is not known. The events of a port are known to be departures or arrivals only when they happen.
    pub fn least_times(&self) -> Vec<Nanos> {
        let mut least = vec![NEVER; self.lanes.len()];
        least[..self.ports.len()].fill(0);
        for stage in &self.stages {
            let (mut after, mut next) = (0, stage.next);
            while next != AT_HOST {
                let stage = self.stages[next as usize];
                after = self.least_time(stage).saturating_add(after);
                next = stage.next;
            }
            let last = self.hops[stage.end as usize - 1].0;
            for lane in [self.links[last as usize].lane, self.shared + last] {
                let least = &mut least[lane as usize];
                *least = after.min(*least);
            }
        }
        least
    }
}
