//! Fast path for nearly all segments: the next segment in order, without options or with timestamps alone, in an
//! established connection. The steps of [`super::input`] that it omits cannot apply to such a segment (header prediction,
//! Van Jacobson 1990; RFC 7323 appendix A has it with timestamps).

use super::{Endpoint, Progress, State, Uses};
use crate::receiver::Payload;
use crate::sender::Arrival;
use crate::{Flags, Nanos, Observer, Segment};

impl Endpoint {
    /// Processes a plain segment. Returns whether the segment was plain; if not, nothing has changed.
    // Inlined with all that nearly every segment needs, so that the segment stays in registers.
    #[inline(always)]
    pub(super) fn take_plain<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) -> bool {
        #[cfg(test)]
        if self.sender.on_long_path {
            return false;
        }
        let uses_others = self.uses.without(Uses::TIMESTAMPS).any();
        let quiet = self.state == State::Established && !uses_others && !self.watch.any() && !self.orphan;
        if !quiet || segment.sack_count > 0 || segment.flags.without(Flags::PSH) != Flags::ACK {
            return false;
        }
        let (una, next) = (self.sender.una(), self.receiver.next());
        let news = u64::from(segment.ack.wrapping_sub(self.wire(una)));
        let fits = !self.receiver.refuses_end(next + u64::from(segment.len));
        if segment.seq != self.receive_next() || news > self.sender.nxt() - una || !fits {
            return false;
        }
        // The checks of RFC 7323 section 5.3 (R1) come before anything changes.
        let stamps = if self.uses.has(Uses::TIMESTAMPS) {
            match segment.timestamps {
                Some(stamps) if !self.stamps.is_old(now, stamps.val) => Some(stamps),
                _ => return false,
            }
        } else {
            None
        };
        self.last_ack = now;
        let echo = self.echo(now, segment);
        let ack = una + news;
        let renews = news == 0 && self.renews_window(segment);
        let window_edge = self.window_edge(segment, ack);
        let same_window = self.sender.take_window(ack, window_edge);
        if self.sender.awaits_ack() {
            let forward_delay = self.forward_delay(segment);
            let arrival = Arrival { echo, forward_delay, ..Arrival::plain(segment, ack, window_edge, renews) };
            if self.sender.on_awaited_ack(now, &arrival, same_window, obs) {
                progress.add(Progress::ACKED);
            }
        }
        if let Some(stamps) = stamps
            && self.stamps.covers(segment)
        {
            self.stamps.set(now, stamps.val);
        }
        if segment.len > 0 {
            self.sender.stats_mut().data_segments_received += u64::from(segment.segments());
            self.receiver.on_data(
                now,
                &Payload {
                    start: next,
                    len: segment.len,
                    segments: segment.segments(),
                    part: segment.largest_part(),
                    fin: false,
                    push: segment.flags.has(Flags::PSH),
                    echo,
                    rtt: self.sender.rtt(),
                },
            );
            if self.receiver.received() > next {
                progress.add(Progress::RECEIVED);
            }
            if self.receiver.finished() {
                // The peer's FIN had arrived earlier, out of order.
                self.on_fin(now, progress, obs);
            }
        }
        true
    }
}
