//! XCP's congestion header at the ends of a connection (Katabi, Handley, Rohrs, SIGCOMM 2002). Its use is agreed on in
//! the handshake. The header tells routers about the sender and returns their answers, summed over the segments that an
//! ACK covers.

use super::Endpoint;
use crate::{CongestionHeader, Nanos, Segment};

/// Answers of routers to requests.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Answers {
    /// Sum of the granted changes, bytes per second.
    sum: i64,
    /// Whether a request arrived that no router had seen.
    unseen: bool,
}

impl Answers {
    fn add(&mut self, change: i32) {
        self.unseen |= change == CongestionHeader::UNLIMITED;
        self.sum += i64::from(change);
    }

    /// Returns the sum in the form of a header field, and restarts the sum from zero.
    fn take(&mut self) -> i32 {
        let Answers { sum, unseen } = std::mem::take(self);
        let least_and_most = (i64::from(i32::MIN), i64::from(CongestionHeader::UNLIMITED) - 1);
        if unseen { CongestionHeader::UNLIMITED } else { sum.clamp(least_and_most.0, least_and_most.1) as i32 }
    }
}

impl Endpoint {
    /// The congestion header of a segment with `len` bytes of payload that is sent now.
    pub(super) fn congestion_header(&mut self, len: u32) -> CongestionHeader {
        let answer = CongestionHeader::answer(self.cold.answers.take());
        match self.sender.request(len) {
            Some((rtt, interval, change)) => answer.with_request(rtt, interval, change),
            None => answer,
        }
    }

    /// Records the routers' answer to the peer's request in `segment`, to be returned to the peer.
    pub(super) fn note_answer(&mut self, segment: &Segment) {
        if let Some(header) = segment.xcp().filter(|header| header.rtt() > 0) {
            self.cold.answers.add(header.change());
        }
    }

    /// Processes the answers of routers to our requests.
    pub(super) fn take_answers(&mut self, now: Nanos, segment: &Segment) {
        if let Some(header) = segment.xcp() {
            self.sender.on_answers(now, header.reverse());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_summed_and_one_that_no_router_gave_is_not_lost_in_the_sum() {
        let told = |changes: &[i32]| {
            let mut answers = Answers::default();
            changes.iter().for_each(|&change| answers.add(change));
            let told = answers.take();
            assert_eq!(answers.take(), 0, "each is told once");
            told
        };
        assert_eq!(told(&[]), 0);
        assert_eq!(told(&[500, -200]), 300);
        assert_eq!(told(&[CongestionHeader::UNLIMITED, -200]), CongestionHeader::UNLIMITED);
        assert_eq!(told(&[2_000_000_000; 3]), CongestionHeader::UNLIMITED - 1, "a large sum is none of those");
        assert_eq!(told(&[-2_000_000_000; 3]), i32::MIN);
    }
}
