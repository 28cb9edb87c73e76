//! The average loss interval of TFRC (RFC 5348 section 5), from which NADA knows how old its last loss is.

use ackclock_core::Nanos;

use crate::Packet;

/// Weights of the last eight loss intervals, the newest first (RFC 5348 section 5.4).
const WEIGHTS: [f64; 8] = [1.0, 1.0, 1.0, 1.0, 0.8, 0.6, 0.4, 0.2];

/// Loss intervals in packets.
#[derive(Clone, Default, Debug)]
pub(super) struct LossIntervals {
    /// Closed intervals, the newest first, at most eight.
    closed: Vec<u64>,
    /// Packets since the last loss event, or since the start.
    open: u64,
    /// Time of sending of the packet with which the last loss event began.
    event: Option<Nanos>,
}

impl LossIntervals {
    /// Takes note of the next packet. Losses within one round-trip time are one event (RFC 5348 section 5.2).
    pub fn packet(&mut self, packet: &Packet, lost: bool, rtt: Nanos) {
        let is_event = lost && self.event.is_none_or(|event| packet.sent >= event.saturating_add(rtt));
        if is_event {
            self.closed.insert(0, self.open.max(1));
            self.closed.truncate(WEIGHTS.len());
            self.event = Some(packet.sent);
            self.open = 0;
        }
        self.open += 1;
    }

    /// Returns the average loss interval (RFC 5348 section 5.4); `None` before a loss. The open interval counts if that
    /// makes the average larger.
    pub fn average(&self) -> Option<f64> {
        let mean = |intervals: &mut dyn Iterator<Item = u64>| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for (interval, weight) in intervals.zip(WEIGHTS) {
                sum += interval as f64 * weight;
                weights += weight;
            }
            sum / weights
        };
        let closed = mean(&mut self.closed.iter().copied());
        let open = mean(&mut std::iter::once(self.open).chain(self.closed.iter().copied()));
        (!self.closed.is_empty()).then(|| closed.max(open))
    }

    /// Returns the weight of the warped delay: 1 up to `multiple` average intervals after the last loss, 0 one average
    /// interval later, and linear between (RFC 8698 section 4.2). The average is that of the closed intervals, because
    /// with the open one a first loss would never expire.
    pub fn weight(&self, multiple: f64) -> f64 {
        let Some(average) = self.settled() else { return 0.0 };
        (1.0 - (self.open as f64 - multiple * average) / average).clamp(0.0, 1.0)
    }

    fn settled(&self) -> Option<f64> {
        let closed = LossIntervals { open: 0, ..self.clone() };
        closed.average()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(intervals: &mut LossIntervals, count: u64, lost_at_end: bool, now: &mut Nanos) {
        for index in 1..=count {
            *now += 1_000_000;
            let packet = Packet { number: 0, size: 1, sent: *now };
            intervals.packet(&packet, lost_at_end && index == count, 20_000_000);
        }
    }

    #[test]
    fn the_average_has_the_weights_of_tfrc() {
        let (mut intervals, mut now) = (LossIntervals::default(), 0);
        feed(&mut intervals, 1000, false, &mut now);
        assert_eq!((intervals.average(), intervals.weight(7.0)), (None, 0.0));
        for interval in [80, 70, 60, 50, 40, 30, 200, 100] {
            feed(&mut intervals, interval, true, &mut now);
        }
        let sum = 100.0 + 200.0 + 30.0 + 40.0 + 0.8 * 50.0 + 0.6 * 60.0 + 0.4 * 70.0 + 0.2 * 1079.0;
        assert!((intervals.average().unwrap() - sum / 6.0).abs() < 1e-9, "{:?}", intervals);
        // A long open interval counts: 500 packets take the place of the newest, and the oldest falls out.
        feed(&mut intervals, 499, false, &mut now);
        let sum = 500.0 + 100.0 + 200.0 + 30.0 + 0.8 * 40.0 + 0.6 * 50.0 + 0.4 * 60.0 + 0.2 * 70.0;
        assert!((intervals.average().unwrap() - sum / 6.0).abs() < 1e-9);
    }

    #[test]
    fn losses_of_one_round_trip_are_one_event() {
        let (mut intervals, mut now) = (LossIntervals::default(), 0);
        feed(&mut intervals, 100, true, &mut now);
        feed(&mut intervals, 19, true, &mut now);
        assert_eq!(intervals.closed, [99]);
        feed(&mut intervals, 1, true, &mut now);
        assert_eq!(intervals.closed, [20, 99]);
    }
}
