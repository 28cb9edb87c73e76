//! Fast path for nearly all segments: the next segment in order, without options, in an established connection. The
//! steps of [`super::input`] that it omits cannot apply to such a segment (header prediction, Van Jacobson 1990).

use super::{Endpoint, Progress, State};
use crate::receiver::Payload;
use crate::{Flags, Nanos, Observer, Segment};

impl Endpoint {
    /// Processes a plain segment. Returns whether the segment was plain; if not, nothing has changed.
    #[inline]
    pub(super) fn take_plain<O: Observer>(
        &mut self,
        now: Nanos,
        segment: &Segment,
        progress: &mut Progress,
        obs: &mut O,
    ) -> bool {
        let quiet = self.state == State::Established && !self.uses.any() && !self.watch.any() && !self.orphan;
        if !quiet || segment.sack_count > 0 || segment.flags.without(Flags::PSH) != Flags::ACK {
            return false;
        }
        let (una, next) = (self.sender.una(), self.receiver.next());
        let news = u64::from(segment.ack.wrapping_sub(self.wire(una)));
        if segment.seq != self.receive_next() || news > self.sender.nxt() - una {
            return false;
        }
        self.last_ack = now;
        let arrival = self.arrival(segment, una + news, &[]);
        if self.sender.on_ack(now, &arrival, obs) {
            progress.add(Progress::ACKED);
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
                    echo: None,
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
