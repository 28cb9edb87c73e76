//! The timers of a sender lie ahead: none is due at once after everything was sent.

mod common;

use ackclock_tcp::{Config, SECOND, cc, stack};
use common::Pair;

#[test]
fn no_timer_of_a_sender_is_due_at_once_after_everything_was_sent() {
    let mut found = Vec::new();
    for name in ["rfc", "linux", "freebsd"] {
        let stack = (stack::by_name(name).unwrap().config)();
        for entry in cc::CATALOGUE {
            let config = Config { cc: entry.into(), ..stack.clone() };
            let mut pair = Pair::new(&config, &stack, |number, _, _| number % 97 != 96);
            pair.ends[0].write(0, 2_000_000);
            pair.run(10 * SECOND);
            if !pair.due.is_empty() {
                found.push((name, entry.name, pair.due.len(), pair.due[0]));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
