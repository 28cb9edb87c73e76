//! No validation: the window grows with every acknowledgment, whether it was used or not (RFC 5681).

use super::{Entry, Growth, WindowValidation};
use crate::context::{Ack, Window};

pub(super) const ENTRY: Entry = Entry {
    name: "none",
    summary: "the window grows with every acknowledgment, used or not",
    source: "RFC 5681",
    replaces_restart: false,
    watches_sending: false,
    before_sending: false,
    make: || Box::new(None),
};

struct None;

impl WindowValidation for None {
    fn on_ack(&mut self, _window: &mut Window, _ack: &Ack) -> Growth {
        Growth::Allowed
    }
}
