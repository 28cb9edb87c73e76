//! The endpoint as one end of a subflow of a transfer over several paths. The owner of the subflows deals the data, and
//! tells each subflow of the others.

use super::{Endpoint, State};
use crate::cc::Sibling;

impl Endpoint {
    /// Whether the congestion control asks for the other subflows of its transfer ([`Endpoint::couple`]).
    pub fn is_coupled(&self) -> bool {
        self.sender.is_coupled()
    }

    /// Tells the congestion control of the other subflows of its transfer, before a segment that arrives.
    pub fn couple(&mut self, others: &[Sibling]) {
        self.sender.couple(others);
    }

    /// Returns what the congestion controls of other subflows see of this one; `None` before the first RTT sample.
    pub fn as_sibling(&self) -> Option<Sibling> {
        self.sends_data().then(|| self.sender.as_sibling()).flatten()
    }

    /// Whether data that is written now may leave, as far as the windows allow it.
    pub fn sends_data(&self) -> bool {
        matches!(self.state, State::Established | State::CloseWait)
    }

    /// Stream bytes that the application has written and not withdrawn.
    pub fn written(&self) -> u64 {
        self.sender.written()
    }
}
