//! An application that does not read at once what has arrived.

use ackclock_core::Nanos;
use ackclock_schema::Rules;
use ackclock_schema::kinds::{rate, time, volume};
use ackclock_schema::lists::list;
use ackclock_schema::quantity::TIME;
use ackclock_schema::record;
use ackclock_schema::record::{default, optional, required, table};

record! {
    /// Reading pattern of the application at one end of a flow. The application reads as soon as data has arrived,
    /// unless a field says otherwise.
    pub struct Reading {
        /// Mean rate at which the application reads; after each read it waits for as long as the bytes take at this rate.
        rate: Option<u64> = optional("no limit", rate().positive());
        /// Maximum volume of one read.
        step: u64 = default("64KiB", volume().positive());
        /// Times in which the application reads nothing.
        pauses: Option<Vec<Pause>> = optional("none", list("pause", table()));
    }
}

record! {
    /// A time in which an application reads nothing.
    pub struct Pause {
        /// Start of the pause.
        from: Nanos = required(time());
        /// End of the pause.
        to: Nanos = required(time());
    }
}

/// Refuses pauses that are not in order.
pub(super) fn check(reading: &Reading, rules: &mut Rules<'_, '_>) {
    let mut last = 0;
    for (index, pause) in reading.pauses.iter().flatten().enumerate() {
        let mut rules = rules.at_index("pauses", index);
        let message = format!("is not after its beginning; accepted: more than \"{}\"", TIME.write(pause.from));
        rules.refuse(pause.to <= pause.from, "to", &[], "", message);
        let message = format!("is before the end of the pause before it; accepted: at least \"{}\"", TIME.write(last));
        rules.refuse(pause.from < last, "from", &[], "", message);
        last = pause.to;
    }
}
