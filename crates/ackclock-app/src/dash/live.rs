//! The clock of a live presentation.

use ackclock_core::Nanos;

/// The clock of a live presentation for a client that joins at a given time. The presentation began long before the
/// run. Its segments start at whole multiples of their duration, and a segment is available once it has been recorded
/// completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Live {
    joined: Nanos,
    segment: Nanos,
    /// Time from the start of the client's first segment to the joining, in ns.
    lag: Nanos,
}

impl Live {
    /// Creates the clock of a client that joins at `now` and begins with the segment that contains the moment `latency`
    /// before; both are in ns.
    pub fn new(now: Nanos, latency: Nanos, segment: Nanos) -> Live {
        // Part of the segment that lies before the moment.
        let before = (now % segment + segment - latency % segment) % segment;
        Live { joined: now, segment, lag: latency.saturating_add(before) }
    }

    /// Returns the time at which the client's segment `index` is available; zero if it was available before the run.
    pub fn available(&self, index: usize) -> Nanos {
        let end = self.segment.saturating_mul(index as u64 + 1);
        self.joined.saturating_add(end).saturating_sub(self.lag)
    }

    /// Returns the time from an event to its playback, in ns, if playback has stalled for `still` ns since the joining.
    pub fn latency(&self, still: Nanos) -> Nanos {
        self.lag.saturating_add(still)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{floats, network, one_level, player, request_times, table};
    use super::*;
    use crate::dash::DashParams;
    use crate::fake_network::{MILLISECOND, SECOND};

    #[test]
    fn the_first_segment_holds_the_moment_of_the_latency() {
        let lag = |now, latency| Live::new(now, latency, 4).latency(0);
        // At time 21, the moment 6 before is 15, which is in the segment that starts at 12.
        assert_eq!(lag(21, 6), 9);
        assert_eq!((lag(20, 4), lag(20, 5), lag(23, 4)), (4, 8, 7));
        // Segments exist before the run, too: 3 - 6 is in the segment that starts at -4.
        assert_eq!(lag(3, 6), 7);
        let live = Live::new(21, 6, 4);
        assert_eq!([0, 1, 2].map(|index| live.available(index)), [16, 20, 24]);
        assert_eq!(Live::new(3, 6, 4).available(0), 0);
    }

    /// A segment of 2 s takes 1 s at 1 Mbit/s. The client joins at 0, when the segments that started at -4 s and -2 s
    /// are available. It requests each further segment when the segment is available, although the buffer has room for
    /// more.
    #[test]
    fn a_client_asks_for_no_segment_before_it_has_happened() {
        let params = DashParams { live: Some(4 * SECOND), buffer: 20 * SECOND, ..one_level() };
        let mut network = network(1_000_000, params);
        network.run_until(9 * SECOND + SECOND / 2);
        assert_eq!(request_times(&network), [0, 1, 2, 4, 6, 8].map(|second| second * SECOND));
        assert_eq!(player(&network).stalls(), 0);
        let table = table(&network, "dash");
        assert_eq!(floats(&table, "latency_start_s"), [Some(5.0)], "a second to load the first");
        assert_eq!(floats(&table, "latency_end_s"), [Some(5.0)]);
    }

    #[test]
    fn a_stall_adds_to_the_latency() {
        let params = DashParams { live: Some(4 * SECOND), ..one_level() };
        let mut network = network(1_000_000, params).step(4 * SECOND, 250_000).step(8 * SECOND, 1_000_000);
        network.run_until(30 * SECOND);
        // Playback starts at 1 s; the segment of 4 s arrives at 8 s, when 6 s of media have been played.
        assert_eq!((player(&network).stalls(), player(&network).stalled()), (1, SECOND));
        let table = table(&network, "dash");
        assert_eq!(floats(&table, "latency_start_s"), [Some(5.0)]);
        assert_eq!(floats(&table, "latency_end_s"), [Some(6.0)]);
    }

    #[test]
    fn on_demand_has_no_latency_and_neither_has_a_client_that_does_not_play() {
        let mut on_demand = network(1_000_000, one_level());
        on_demand.run_until(5 * SECOND);
        assert_eq!(floats(&table(&on_demand, "dash"), "latency_end_s"), [None]);
        let mut waiting = network(1_000_000, DashParams { live: Some(4 * SECOND), ..one_level() });
        waiting.run_until(900 * MILLISECOND);
        assert_eq!(floats(&table(&waiting, "dash"), "latency_start_s"), [None]);
    }
}
