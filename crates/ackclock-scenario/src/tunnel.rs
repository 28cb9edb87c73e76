//! The rules for ECN at the ends of a tunnel, by name.

use ackclock_net::Tunnelling;
use ackclock_schema::kinds::{OneOf, one_of};

/// Returns the kind of fields that hold a [`Tunnelling`].
pub(super) fn tunnelling() -> OneOf<Tunnelling> {
    let options = [
        (
            "normal",
            Tunnelling::Normal,
            "the field is copied to the outer header, and both are combined at the end (RFC 6040)",
        ),
        (
            "compatibility",
            Tunnelling::Compatibility,
            "the outer header is Not-ECT, so that queues in the tunnel drop instead of marking (RFC 6040)",
        ),
        (
            "rfc3168-full",
            Tunnelling::Rfc3168Full,
            "full functionality of RFC 3168: copied, but CE becomes ECT(0) in the outer header",
        ),
        (
            "rfc3168-limited",
            Tunnelling::Rfc3168Limited,
            "limited functionality of RFC 3168: the outer header is Not-ECT",
        ),
        ("rfc4301", Tunnelling::Rfc4301, "IPsec: copied, and the end drops nothing"),
    ];
    one_of("treatment of ECN in a tunnel", options)
}
