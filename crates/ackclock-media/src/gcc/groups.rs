//! Groups of packets (draft-ietf-rmcat-gcc-02 sections 5.1 and 5.2): packets sent within a burst of 5 ms, and packets
//! that arrive in a burst although they were sent apart.

use ackclock_core::Nanos;

/// Interval of a burst in ns: burst_time.
const BURST: Nanos = 5_000_000;

/// Longest time of a group at the receiver in ns, as in WebRTC.
const LONGEST: Nanos = 100_000_000;

/// The difference between two groups.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Delta {
    /// Time between the departures of the last packets, in ms.
    pub sent: f64,
    /// Time between the arrivals of the last packets, in ms.
    pub arrived: f64,
    /// Arrival of the newer group.
    pub at: Nanos,
}

impl Delta {
    /// Returns the delay variation d in ms.
    pub fn variation(&self) -> f64 {
        self.arrived - self.sent
    }
}

#[derive(Clone, Copy, Debug)]
struct Group {
    first_sent: Nanos,
    last_sent: Nanos,
    first_arrival: Nanos,
    last_arrival: Nanos,
}

/// The group that grows and the one before it.
#[derive(Default, Debug)]
pub(super) struct Groups {
    current: Option<Group>,
    previous: Option<Group>,
}

impl Groups {
    /// Adds a packet by its times of departure and arrival. Returns the difference between the two groups before it if
    /// the packet begins a new one.
    pub fn packet(&mut self, sent: Nanos, arrival: Nanos) -> Option<Delta> {
        let begun = Group { first_sent: sent, last_sent: sent, first_arrival: arrival, last_arrival: arrival };
        let Some(current) = &mut self.current else {
            self.current = Some(begun);
            return None;
        };
        // A packet of an earlier group that arrives late has no group.
        if sent < current.first_sent {
            return None;
        }
        let apart = arrival as i128 - current.last_arrival as i128;
        let slower = apart - (sent as i128 - current.last_sent as i128);
        let in_burst =
            slower < 0 && apart <= i128::from(BURST) && arrival.saturating_sub(current.first_arrival) < LONGEST;
        if sent - current.first_sent <= BURST || in_burst {
            current.last_sent = current.last_sent.max(sent);
            current.last_arrival = current.last_arrival.max(arrival);
            return None;
        }
        let complete = *current;
        let delta = self.previous.map(|previous| Delta {
            sent: (complete.last_sent - previous.last_sent) as f64 / 1e6,
            arrived: (complete.last_arrival as f64 - previous.last_arrival as f64) / 1e6,
            at: complete.last_arrival,
        });
        (self.previous, self.current) = (Some(complete), Some(begun));
        delta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn packets_of_a_burst_are_a_group() {
        let mut groups = Groups::default();
        for (sent, arrival) in [(0, 50), (2, 60), (5, 70), (33, 84), (34, 86)] {
            assert_eq!(groups.packet(sent * MS, arrival * MS), None);
        }
        let delta = groups.packet(70 * MS, 130 * MS).unwrap();
        assert_eq!(delta, Delta { sent: 29.0, arrived: 16.0, at: 86 * MS });
        assert_eq!(delta.variation(), -13.0);
    }

    #[test]
    fn packets_that_arrive_together_after_an_outage_are_one_group() {
        let mut groups = Groups::default();
        assert_eq!(groups.packet(0, 50 * MS), None);
        assert_eq!(groups.packet(20 * MS, 300 * MS), None);
        // The next two were sent 20 ms apart, and arrive within 1 ms of the one before.
        assert_eq!(groups.packet(40 * MS, 301 * MS), None);
        assert_eq!(groups.packet(60 * MS, 302 * MS), None);
        let delta = groups.packet(320 * MS, 370 * MS).unwrap();
        assert_eq!((delta.sent, delta.arrived), (60.0, 252.0));
    }
}
