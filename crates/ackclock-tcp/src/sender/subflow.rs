//! The sender of a subflow of a transfer over several paths.

use super::Sender;
use super::episode::Phase;
use crate::cc::Sibling;

impl Sender {
    /// Whether the congestion control asks for the other subflows.
    pub fn is_coupled(&self) -> bool {
        self.scope.coupled
    }

    /// Tells the congestion control of the other subflows.
    pub fn couple(&mut self, others: &[Sibling]) {
        if self.scope.coupled {
            self.cc.on_siblings(others);
        }
    }

    /// Returns what the congestion controls of other subflows see of this one.
    //= https://www.rfc-editor.org/rfc/rfc6356#section-3
    //# The correct behavior is to use the ssthresh (slow start threshold) value for flows in fast retransmit when
    //# computing cwnd_total
    //= https://www.rfc-editor.org/rfc/rfc6356#section-3
    //# To cater to connections that are app limited, the computation should consider the minimum between
    //# flight_size_i and cwnd_i
    pub fn as_sibling(&self) -> Option<Sibling> {
        let window = match self.phase {
            Phase::Fast => self.window.ssthresh,
            _ => self.window.cwnd,
        };
        let limited = self.una < self.limited_until;
        let cwnd = if limited { window } else { window.min(self.flight_size()) };
        self.rtt.srtt().map(|srtt| Sibling { cwnd: cwnd.max(self.mss), srtt })
    }
}
