//! Data between the application and the network: the buffers that hold it, and the application that waits for room.

use ackclock_core::Ring;
use ackclock_core::prefetch::prefetch;

use super::Sender;
use crate::config::Config;
use crate::pacing::LARGEST;
use crate::send_buffer::{Counts, OVERHEAD, SendBuffer};

/// Stream offsets at which buffers end, in order. They are in two queues, between which the offset lies that was looked for last:
/// hundreds of buffers may be in flight and wait to be sent, but the offset where data is to be sent next moves on by one of
/// them, and new buffers end near it.
#[derive(Clone, Debug, Default)]
struct Ends {
    before: Ring<u64>,
    beyond: Ring<u64>,
}

impl Ends {
    fn len(&self) -> usize {
        self.before.len() + self.beyond.len()
    }

    fn first(&self) -> Option<u64> {
        self.before.front().or(self.beyond.front()).copied()
    }

    fn remove_first(&mut self) {
        if self.before.pop_front().is_none() {
            self.beyond.pop_front();
        }
    }

    /// The end before the last one.
    fn last_but_one(&self) -> Option<u64> {
        match self.beyond.len() {
            0 => self.before.len().checked_sub(2).map(|number| self.before[number]),
            1 => self.before.back().copied(),
            len => Some(self.beyond[len - 2]),
        }
    }

    fn remove_last(&mut self) {
        if self.beyond.pop_back().is_none() {
            self.before.pop_back();
        }
    }

    /// The ends after `offset`.
    #[inline]
    fn after(&mut self, offset: u64) -> &mut Ring<u64> {
        while let Some(&end) = self.beyond.front()
            && end <= offset
        {
            self.beyond.pop_front();
            self.before.push_back(end);
        }
        while let Some(&end) = self.before.back()
            && end > offset
        {
            self.before.pop_back();
            self.beyond.push_front(end);
        }
        &mut self.beyond
    }
}

/// The send queue of a connection whose send buffer has a limit.
#[derive(Clone, Debug)]
pub(super) struct SendQueue {
    limit: SendBuffer,
    /// Unsent bytes from which a writer waits (TCP_NOTSENT_LOWAT).
    low: Option<u64>,
    /// Stream offsets at which the buffers end, in order; the last one is the end of the written data. Empty where payload
    /// alone counts.
    ends: Ends,
    /// The congestion window and the segment size for which the limit grew last, bytes.
    grown: (u64, u64),
    /// Whether the application found no room and waits for it (SOCK_NOSPACE).
    waits: bool,
    /// Whether the limit was looked at since the last acknowledgment.
    checked: bool,
    /// Whether the next data is that of a new call of the application.
    begins: bool,
    /// Bytes that are left of the present write.
    of_write: u64,
    /// Packets that may leave before more is written.
    packets: u32,
    /// Stream offset at which the data was last pushed (pushed_seq).
    pushed: u64,
}

impl SendQueue {
    pub fn new(config: &Config) -> Option<Box<SendQueue>> {
        let limit = SendBuffer::of(config)?;
        Some(Box::new(SendQueue {
            limit,
            low: (config.notsent_lowat > 0).then_some(config.notsent_lowat),
            ends: Ends::default(),
            grown: (0, 0),
            waits: false,
            checked: true,
            begins: false,
            of_write: 0,
            packets: u32::MAX,
            pushed: 0,
        }))
    }

    /// Brings all of it ([`crate::Endpoint::prefetch_boxes`]).
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.limit);
        prefetch(&self.ends.beyond);
        prefetch(&self.waits);
    }

    /// The memory or payload that counts, with `queued` bytes that are not acknowledged.
    fn used(&self, queued: u64) -> u64 {
        queued + OVERHEAD * self.ends.len() as u64
    }

    /// Decides what leaves before the application goes on, now that data up to `written` is there, sent up to `nxt`. While
    /// buffers are filled one packet leaves of each that is the first to be sent, so that its rest is filled up again; everything
    /// that may leave does so at the end of a write, when there is no room, and after half of the largest window
    /// (net/ipv4/tcp.c, tcp_sendmsg_locked and forced_push).
    fn push(&mut self, nxt: u64, written: u64, is_full: bool, largest_window: u64) {
        let goes_on = is_full && self.of_write > 0;
        if goes_on && written <= self.pushed + largest_window / 2 {
            self.packets = u32::from(self.ends.after(nxt).len() == 1);
            return;
        }
        self.packets = u32::MAX;
        if nxt < written {
            self.pushed = written;
        }
    }

    /// Lets a buffer end at `end`, and none between `start` and there.
    fn cut(&mut self, start: u64, end: u64) {
        let later = self.ends.after(start);
        while later.front().is_some_and(|&old| old <= end) {
            later.pop_front();
        }
        self.ends.before.push_back(end);
    }
}

impl Sender {
    /// Ends the handshake: Linux's limit then provides for the initial window (net/ipv4/tcp_input.c,
    /// tcp_init_buffer_space).
    pub(super) fn establish_queue(&mut self) {
        self.expand_queue();
        if let Some(queue) = &mut self.queue {
            queue.limit.round(self.mss);
        }
    }

    fn expand_queue(&mut self) {
        let Some(queue) = &mut self.queue else { return };
        let (cwnd, mss) = queue.grown;
        if mss == self.mss && self.window.cwnd <= cwnd {
            return;
        }
        queue.grown = (self.window.cwnd, self.mss);
        // In Linux only BBR owns the window.
        let factor = if self.scope.window { 3 } else { 2 };
        queue.limit.grow(self.window.cwnd / self.mss, self.mss, factor);
    }

    /// Bytes of the written data that are not acknowledged.
    fn queued(&self) -> u64 {
        self.written - self.una.min(self.written)
    }

    /// Payload of a full buffer (net/ipv4/tcp.c, tcp_xmit_size_goal).
    pub(super) fn size_goal(&self) -> u64 {
        let bounded = LARGEST.min((self.small.largest_window / 2).max(self.mss));
        // A buffer takes at least one segment, however large the segments are.
        (bounded / self.mss).max(1) * self.mss
    }

    /// Takes as much from the application as the present buffer takes, or a new one where the limit permits it; if neither
    /// does, the application waits for room. Returns whether a segment may now be due.
    pub(super) fn fill(&mut self) -> bool {
        let goal = self.size_goal();
        let (queued, unsent) = (self.queued(), self.unsent());
        let (ends_record, has_packets) = (self.ends_record(self.written), self.has_packets());
        let Some(queue) = &mut self.queue else { return false };
        let used = queue.used(queued);
        let room = match queue.limit.counts() {
            Counts::Payload if queue.waits && !queue.limit.is_writable(used, unsent, queue.low) => 0,
            Counts::Payload => {
                let left = queue.low.map_or(u64::MAX, |low| low.saturating_sub(unsent));
                queue.limit.limit().saturating_sub(used).min(left)
            }
            Counts::Memory => {
                // Buffers that were sent take no more data.
                let last = queue.ends.last_but_one().unwrap_or(self.una);
                let filled = self.written - last.max(self.nxt.min(self.written)).max(self.una.min(self.written));
                let open = filled > 0 && filled < goal && !ends_record;
                match open {
                    true => goal - filled,
                    false if queue.limit.has_room(used, unsent, queue.low) => goal,
                    false => 0,
                }
            }
        };
        if queue.of_write == 0 {
            let size = self.writes.size();
            queue.of_write = if size == 0 { self.writes.left() } else { self.writes.left().min(size) };
        }
        let bytes = room.min(queue.of_write);
        if bytes == 0 {
            queue.waits = queue.of_write > 0;
            queue.begins = queue.waits;
            let held = queue.packets < u32::MAX;
            queue.push(self.nxt, self.written, false, 0);
            if held {
                self.look_again();
            }
            return held;
        }
        queue.waits = false;
        queue.of_write -= bytes;
        if queue.limit.counts() == Counts::Memory {
            if room < goal {
                queue.ends.remove_last();
            }
            queue.ends.beyond.push_back(self.written + bytes);
            if has_packets {
                queue.push(self.nxt, self.written + bytes, bytes == room, self.small.largest_window);
            }
        }
        self.writes.take(bytes);
        self.written += bytes;
        self.look_again();
        self.note_writing();
        true
    }

    /// Frees the buffers of acknowledged data.
    #[inline(never)]
    pub(super) fn free_acked(&mut self) {
        let (una, has_packets) = (self.una, self.has_packets());
        let Some(queue) = &mut self.queue else { return };
        queue.checked = false;
        while queue.ends.first().is_some_and(|end| end <= una) {
            queue.ends.remove_first();
        }
        if !has_packets && self.nxt < self.written && queue.limit.counts() == Counts::Memory {
            // The segments that left together had a buffer of their own.
            queue.ends.after(self.nxt);
            if self.nxt > una && queue.ends.before.back() != Some(&self.nxt) {
                queue.ends.before.push_back(self.nxt);
            }
        }
    }

    /// Lets a packet of `len` bytes leave in a buffer of its own: what is beyond it moves to another buffer, and what is
    /// missing comes from the next one (net/ipv4/tcp_output.c, tso_fragment and tcp_grow_skb).
    #[inline]
    pub(super) fn cut_packet(&mut self, len: u64) {
        let (start, end) = (self.nxt, (self.nxt + len).min(self.written));
        if let Some(queue) = &mut self.queue
            && queue.limit.counts() == Counts::Memory
            && start < end
        {
            queue.cut(start, end);
        }
    }

    /// Payload of the buffer that holds the next unsent byte, where the buffers are known; it takes what `wanted` bytes
    /// lack from the next one.
    #[inline]
    pub(super) fn in_first_buffer(&mut self, wanted: u64) -> Option<u64> {
        let ends = self.queue.as_mut()?.ends.after(self.nxt);
        let end = *ends.front()?;
        let grown = ends.get(1).map_or(end, |&next| next.min(self.nxt + wanted));
        Some(end.max(grown) - self.nxt)
    }

    /// Looks at the limit after an acknowledgment, or after a packet was sent: a buffer for which the application waits
    /// grows with the congestion window unless the window is full (net/ipv4/tcp_input.c, tcp_new_space and
    /// tcp_should_expand_sndbuf), and the application is woken if there is room.
    #[inline(never)]
    pub(super) fn check_space(&mut self) {
        if !self.queue.as_ref().is_some_and(|queue| queue.waits) {
            return;
        }
        if self.pipe() + self.mss <= self.window.cwnd {
            self.expand_queue();
        }
        self.autoscale();
        let (queued, unsent) = (self.queued(), self.unsent());
        let Some(queue) = &mut self.queue else { return };
        queue.waits = !queue.limit.is_writable(queue.used(queued), unsent, queue.low);
    }

    /// Raises FreeBSD's limit, whenever its TCP looks for data to send.
    fn autoscale(&mut self) {
        if self.queue.as_ref().is_some_and(|queue| queue.limit.counts() != Counts::Payload) {
            return;
        }
        let queued = self.queued();
        let offered = self.window_edge.saturating_sub(self.una);
        let (window, in_flight) = (offered.min(self.window.cwnd), self.flight_size());
        if let Some(queue) = &mut self.queue {
            queue.limit.autoscale(queued, window, in_flight, offered);
        }
    }

    /// Lets the application write, where it has data and does not wait for room. Returns whether it wrote.
    pub(super) fn write_into_queue(&mut self) -> bool {
        let Some(queue) = &mut self.queue else { return false };
        if queue.waits {
            if std::mem::replace(&mut queue.checked, true) {
                return false;
            }
            self.check_space();
        }
        self.autoscale();
        let Some(queue) = self.queue.as_mut().filter(|queue| !queue.waits) else { return false };
        if std::mem::take(&mut queue.begins) && self.tells_sent {
            self.check_application_limited();
        }
        self.fill()
    }

    /// Whether the application goes on writing before another packet leaves.
    #[inline]
    pub(super) fn holds_packets(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.packets == 0)
    }

    /// Whether a single packet leaves, which does not wait to grow, before the application goes on writing. It counts as
    /// leaving.
    #[inline]
    pub(super) fn pushes_one(&mut self) -> bool {
        let one = self.queue.as_mut().filter(|queue| queue.packets == 1);
        one.map(|queue| queue.packets = 0).is_some()
    }

    /// Whether the application waits for room in the send buffer.
    pub(super) fn waits_for_room(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.waits)
    }

    /// Forgets the rest of the present write.
    pub(super) fn forget_write(&mut self) {
        if let Some(queue) = &mut self.queue {
            (queue.of_write, queue.waits, queue.packets) = (0, false, u32::MAX);
        }
    }

    /// The limit of the send buffer, bytes of memory or of payload; `None` if there is none.
    pub fn send_buffer(&self) -> Option<u64> {
        self.queue.as_ref().map(|queue| queue.limit.limit())
    }
}
