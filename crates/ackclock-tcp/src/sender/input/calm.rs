//! The short path of the acknowledgments that nearly all are with a stack of Linux.

use super::{Arrival, Rare, Sender, delivery_of};
use crate::{Event, Nanos, Observer};

impl Sender {
    /// Whether an acknowledgment of new data, without SACK blocks, marks and probes, is handled by
    /// [`Sender::on_calm_ack`]: nothing is lost, SACKed or retransmitted, the last acknowledgment was not dubious (Linux
    /// net/ipv4/tcp_input.c, tcp_ack_is_dubious), and no other rule awaits an acknowledgment.
    #[inline]
    pub(super) fn is_calm(&self) -> bool {
        #[cfg(test)]
        if self.on_long_path {
            return false;
        }
        let rare = &*self.rare;
        self.rtt.is_linux()
            && self.sack
            && self.config.rack
            && !rare.disordered
            && !rare.lost_retransmission
            && !rare.undo.proven_by_dsack()
            && !self.scope.reductions
            && self.careful.is_none()
    }

    /// Processes such an acknowledgment as [`Sender::on_dubious_ack`] does, without the steps that have nothing to do.
    #[inline(never)]
    pub(super) fn on_calm_ack<O: Observer>(&mut self, now: Nanos, arrival: &Arrival<'_>, obs: &mut O) {
        let cwnd_limited = self.una < self.limited_until;
        let mut arrived = self.expect(arrival);
        let min_rtt = self.rtt.min();
        let Rare { rack, rate, .. } = &mut *self.rare;
        let delivered = self.board.ack(arrival.ack, |entry| {
            arrived.see(entry, true);
            if let Some(rate) = rate {
                rate.on_arrival(entry);
            }
            rack.on_arrival(now, entry, arrival.echo, min_rtt);
        });
        self.una = arrival.ack;
        self.last_acked = now;
        self.expiries = 0;
        self.dup_acks = 0;
        self.free_acked();
        obs.event(now, Event::Acknowledged { una: self.una });
        self.delivered += u64::from(delivered.segments);
        let rtt = self.sample_rtt(now, &arrived, &delivered, true);
        self.rare.episode.held = false;
        // The acknowledgment is made within the delivery, of which it is the largest part, so that it is not copied.
        let mut delivery = delivery_of(self.ack_of(now, arrival, &delivered, rtt, cwnd_limited), &delivered, arrival);
        if self.samples {
            self.tell_delivered(now, &mut delivery);
        }
        let ack = &mut delivery.ack;
        let growth = self.validation.on_ack(&mut self.window, ack);
        let adapts = self.rare.reordering.adapts();
        ack.acked = if adapts { self.counted(&delivered) } else { self.counted_length(delivered.acked) };
        self.grow(ack, growth);
        if self.may_restart_timer() {
            self.restart_timer(now);
        }
        self.observe_window(now, obs);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use ackclock_core::Stream;

    use crate::{Endpoint, MILLISECOND, NEVER, Nanos, SECOND, Segment, cc, stack};

    /// All segments of a transfer in both directions, with their times, through a network that loses or delays
    /// some of them.
    fn segments(stack: &str, cc: &str, seed: u64, on_long_path: bool) -> Vec<(Nanos, usize, Segment)> {
        let mut config = (stack::by_name(stack).unwrap().config)();
        config.cc = cc::by_name(cc).unwrap().into();
        let mut ends = [1, 2].map(|isn| Endpoint::new(&config, isn));
        for end in &mut ends {
            end.sender_mut().on_long_path = on_long_path;
        }
        let mut random = Stream::new(seed, "network");
        let (mut sent, mut flight) = (Vec::new(), BTreeMap::new());
        let (mut now, mut writes, mut read) = (0, 0, [0; 2]);
        ends[1].listen();
        ends[0].connect(0);
        loop {
            for from in [0, 1] {
                while let Some(segment) = ends[from].poll_transmit(now, &mut ()) {
                    sent.push((now, from, segment));
                    if random.bits32() % 100 < 3 {
                        continue;
                    }
                    let late = if random.bits32().is_multiple_of(50) { 15 } else { 0 };
                    let at = now + (10 + late) * MILLISECOND + u64::from(random.bits32() % 1000);
                    flight.insert((at, sent.len()), (1 - from, segment));
                }
            }
            let next_write = writes * 700 * MILLISECOND;
            let arrival = flight.first_key_value().map_or(NEVER, |(&(at, _), _)| at);
            let timeout = ends.iter().map(Endpoint::next_timeout).min().unwrap();
            now = arrival.min(timeout).min(next_write).max(now);
            if now > 30 * SECOND {
                return sent;
            }
            if next_write <= now {
                writes += 1;
                ends[0].write(now, 1_000 + u64::from(random.bits32() % 300_000));
            }
            if arrival <= now {
                let (_, (to, segment)) = flight.pop_first().unwrap();
                ends[to].on_segment(now, &segment, &mut ());
                let news = ends[to].received() - read[to];
                ends[to].read(now, news);
                read[to] += news;
            }
            for end in &mut ends {
                if end.next_timeout() <= now {
                    end.on_timeout(now, &mut ());
                }
            }
        }
    }

    #[test]
    fn the_short_path_sends_what_the_long_one_sends() {
        for (stack, cc) in [
            ("linux", "cubic-linux"),
            ("linux", "reno"),
            ("linux", "bbr1"),
            ("linux", "vegas-linux"),
            ("linux-3.12", "cubic-linux"),
            ("rfc", "reno"),
            ("freebsd", "cubic"),
        ] {
            for seed in 1..=5 {
                let (short, long) = (segments(stack, cc, seed, false), segments(stack, cc, seed, true));
                assert!(short.len() > 1_000, "{stack}, {cc}: {}", short.len());
                for (ours, theirs) in short.iter().zip(&long) {
                    assert_eq!(ours, theirs, "{stack}, {cc}, seed {seed}");
                }
                assert_eq!(short.len(), long.len());
            }
        }
    }
}
