//! Loss detection by forward acknowledgment, as in ns-2's TCP/Linux (tcp/scoreboard1.cc): a segment is lost if segments far
//! enough above it are SACKed, and a retransmission if data after it, or a much later retransmission, has arrived.

use std::collections::BTreeMap;

use super::{Scoreboard, flag};

/// A retransmission that may still arrive.
#[derive(Clone, Copy, Debug)]
struct Sent {
    /// Its number, in the order of transmission, and SND.NXT at that time.
    number: u64,
    nxt: u64,
}

/// The retransmissions.
#[derive(Clone, Default, Debug)]
pub struct Forward {
    /// By stream offset.
    sent: BTreeMap<u64, Sent>,
    next: u64,
    /// Number of a retransmission that has arrived, usually of the last one.
    arrived: Option<u64>,
}

impl Forward {
    /// Records a retransmission of the segment at `start`.
    pub fn on_retransmit(&mut self, start: u64, nxt: u64) {
        self.sent.insert(start, Sent { number: self.next, nxt });
        self.next += 1;
    }
}

impl Scoreboard {
    /// Marks as lost what is more than `beyond` segments of `mss` bytes below the highest SACKed segment, and the
    /// retransmissions that are followed by data or by more than `beyond` retransmissions that have arrived. Returns the
    /// bytes newly marked.
    pub fn mark_lost_forward(&mut self, forward: &mut Forward, beyond: u64, mss: u64) -> u64 {
        let una = self.entries.front().map_or(u64::MAX, |entry| entry.start);
        let above = forward.sent.split_off(&una);
        for acknowledged in std::mem::replace(&mut forward.sent, above).into_values() {
            forward.arrived = forward.arrived.max(Some(acknowledged.number));
        }
        let above = self.entries.partition_point(|entry| entry.start < self.high_sacked);
        let Some(highest) = above.checked_sub(1).map(|index| self.entries[index].start) else { return 0 };
        let from = self.entries.partition_point(|entry| entry.start < self.examined);
        let to = self.entries.partition_point(|entry| entry.start + beyond * mss <= highest);
        let mut lost = 0;
        if from < to {
            self.examined = self.entries[to - 1].end();
            lost += self.mark(from, to);
        }
        let arrived = &mut forward.arrived;
        forward.sent.retain(|&start, sent| {
            let index = self.entries.partition_point(|entry| entry.end() <= start);
            let entry = self.entries[index];
            if entry.is(flag::SACKED) {
                // A segment below has been examined already, so that it is lost with the next acknowledgment only.
                *arrived = Some(sent.number);
                return false;
            }
            let overtaken = arrived.is_some_and(|arrived| sent.number + beyond < arrived);
            if sent.nxt <= highest || overtaken {
                lost += self.lose_retransmission(index);
                return false;
            }
            true
        });
        lost
    }
}
