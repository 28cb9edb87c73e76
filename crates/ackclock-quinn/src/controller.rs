//! Quinn's congestion control, observed.
//!
//! quinn-proto has no public access to the bytes in flight, the latest RTT sample and the reductions of the window.
//! The controller here forwards every call to one of quinn's and notes them. It also plants the faults of the
//! parameter `fault`.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

/// A fault that is planted around a controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// None.
    None,
    /// Each reduction of the window happens twice.
    DoubleReduction,
    /// The controller does not learn of congestion.
    NoReduction,
    /// The controller learns of every second packet that is acknowledged.
    SlowGrowth,
}

/// Observations of a controller.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// Bytes in flight. When the keys of the handshake are discarded, their packets leave with the next ACK only.
    pub(crate) in_flight: u64,
    /// Latest RTT sample.
    pub(crate) latest_rtt: Option<Duration>,
    /// Reductions of the window.
    pub(crate) reductions: u64,
    /// The time of the last reduction, until a packet that was sent later is acknowledged (RFC 9002, section 7.3.2).
    pub(crate) recovery: Option<Instant>,
    /// Numbers and send times of packets, without those below the largest that was acknowledged.
    sent: VecDeque<(u64, Instant)>,
    /// Whether the ACK at hand acknowledges a packet that elicited it.
    elicited: bool,
}

impl Tally {
    /// Notes a packet.
    fn send(&mut self, now: Instant, number: u64) {
        // Each packet number space begins anew (RFC 9000, section 12.3); a later space is the one that counts.
        if self.sent.back().is_some_and(|(last, _)| *last >= number) {
            self.sent.clear();
        }
        self.sent.push_back((number, now));
    }

    /// Takes an RTT sample at the end of an ACK. RFC 9002, section 5.1: a sample is generated if "the largest
    /// acknowledged packet number is newly acknowledged, and at least one of the newly acknowledged packets was
    /// ack-eliciting".
    fn sample(&mut self, now: Instant, largest: Option<u64>) {
        let mut newest = None;
        while let Some(packet) = self.sent.front()
            && Some(packet.0) <= largest
        {
            newest = self.sent.pop_front();
        }
        if let Some((number, sent)) = newest
            && self.elicited
            && Some(number) == largest
        {
            self.latest_rtt = Some(now.saturating_duration_since(sent));
        }
        self.elicited = false;
    }
}

/// Returns the tally. A panic of another holder leaves it as it was, so that it can be read all the same.
pub(crate) fn lock(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Creates observed controllers.
pub(crate) struct Factory {
    /// Creates quinn's.
    pub(crate) inner: Arc<dyn ControllerFactory + Send + Sync>,
    /// The fault to plant.
    pub(crate) fault: Fault,
    /// Whether the pacing rate is shown in the log. That of bbr is not: it depends on a random number that quinn-proto
    /// draws from the system, and affects nothing else.
    pub(crate) shows_rate: bool,
    /// Destination of the observations.
    pub(crate) tally: Arc<Mutex<Tally>>,
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Observed {
            inner: self.inner.clone().build(now, current_mtu),
            fault: self.fault,
            shows_rate: self.shows_rate,
            tally: self.tally.clone(),
            skip: false,
        })
    }
}

/// A controller of quinn's whose calls are observed.
struct Observed {
    inner: Box<dyn Controller>,
    fault: Fault,
    shows_rate: bool,
    tally: Arc<Mutex<Tally>>,
    /// Whether the next acknowledged packet is withheld, for [`Fault::SlowGrowth`].
    skip: bool,
}

impl Controller for Observed {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        lock(&self.tally).send(now, last_packet_number);
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, app_limited: bool, rtt: &RttEstimator) {
        {
            let mut tally = lock(&self.tally);
            tally.elicited = true;
            if tally.recovery.is_some_and(|start| sent > start) {
                tally.recovery = None;
            }
        }
        if self.fault == Fault::SlowGrowth {
            self.skip = !self.skip;
            if self.skip {
                return;
            }
        }
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, largest_packet_num_acked: Option<u64>) {
        {
            let mut tally = lock(&self.tally);
            tally.in_flight = in_flight;
            tally.sample(now, largest_packet_num_acked);
        }
        self.inner.on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, is_persistent_congestion: bool, lost_bytes: u64) {
        let before = self.inner.window();
        if self.fault != Fault::NoReduction {
            self.inner.on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
            if self.fault == Fault::DoubleReduction && self.inner.window() < before {
                // A packet that was sent after the first reduction counts as a new loss event.
                let later = now + Duration::from_nanos(1);
                self.inner.on_congestion_event(now, later, false, lost_bytes);
            }
        }
        let mut tally = lock(&self.tally);
        tally.in_flight = tally.in_flight.saturating_sub(lost_bytes);
        if self.inner.window() < before {
            tally.reductions += 1;
            tally.recovery = Some(now);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = self.inner.metrics();
        if !self.shows_rate {
            metrics.pacing_rate = None;
        }
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Observed {
            inner: self.inner.clone_box(),
            fault: self.fault,
            shows_rate: self.shows_rate,
            tally: self.tally.clone(),
            skip: self.skip,
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::instant;

    const MS: u64 = 1_000_000;

    fn acknowledge(tally: &mut Tally, now: u64, largest: u64) -> Option<Duration> {
        tally.elicited = true;
        tally.sample(instant(now * MS), Some(largest));
        tally.latest_rtt.take()
    }

    #[test]
    fn only_an_ack_whose_largest_packet_is_new_gives_a_sample() {
        let mut tally = Tally::default();
        for number in [0, 1, 2, 4] {
            tally.send(instant(number * MS), number);
        }
        assert_eq!(acknowledge(&mut tally, 20, 1), Some(Duration::from_millis(19)));
        assert_eq!(acknowledge(&mut tally, 21, 1), None, "the same again");
        assert_eq!(acknowledge(&mut tally, 22, 3), None, "packet 3 is unknown: a probe of path MTU discovery");
        tally.sample(instant(23 * MS), Some(4));
        assert_eq!(tally.latest_rtt, None, "no packet elicited the ACK");
    }

    #[test]
    fn the_numbers_of_a_later_space_begin_anew() {
        let mut tally = Tally::default();
        for (time, number) in [(0, 0), (5, 1), (9, 0), (10, 1)] {
            tally.send(instant(time * MS), number);
        }
        assert_eq!(acknowledge(&mut tally, 20, 0), Some(Duration::from_millis(11)));
        assert_eq!(acknowledge(&mut tally, 21, 1), Some(Duration::from_millis(11)));
    }
}
