//! The least time until a packet reaches a host.

use super::Network;
use crate::endpoint::Contents;
use crate::packet::AT_HOST;
use ackclock_core::{NEVER, Nanos};

impl<P: Contents> Network<P> {
    /// Returns, for each source of the network's events, the least time from an event until a packet of the source reaches a
    /// host, in ns; 0 if that is not known.
    pub fn least_times(&self) -> Vec<Nanos> {
        let mut least = vec![NEVER; self.lanes.len()];
        let mut note = |source: u32, time: Nanos| least[source as usize] = time.min(least[source as usize]);
        for stage in &self.stages {
            let (mut after, mut next): (Nanos, _) = (0, stage.next);
            while next != AT_HOST {
                let stage = self.stages[next as usize];
                after = self.least_time(stage).saturating_add(after);
                next = stage.next;
            }
            let (first, last) = (self.hops[stage.first as usize].0, self.hops[stage.end as usize - 1].0);
            note(self.links[last as usize].lane, after);
            note(self.shared + last, after);
            // An event of a port is a departure, or, where the port may reorder packets, an arrival at the end of the stage.
            if let Some(port) = self.links[first as usize].port {
                let reorders = self.ports[port as usize].port.reorders();
                note(port, if reorders { after } else { self.least_time(*stage).saturating_add(after) });
            }
        }
        least
    }
}
