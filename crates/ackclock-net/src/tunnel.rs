//! The ECN field at the ends of a tunnel, whose packets have an outer header (RFC 6040, and the rules before it).

use ackclock_core::Ecn;

/// Rules for the ECN field at both ends of a tunnel. The inner header keeps its field inside the tunnel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tunnelling {
    /// The ingress copies the field to the outer header, and the egress combines both (RFC 6040, normal mode).
    Normal,
    /// The ingress clears the field of the outer header, so that queues drop instead of marking (RFC 6040, compatibility
    /// mode).
    Compatibility,
    /// The ingress copies the field, but resets CE to ECT(0) (RFC 3168 section 9.1, full functionality).
    Rfc3168Full,
    /// The ingress clears the field of the outer header (RFC 3168 section 9.1, limited functionality).
    Rfc3168Limited,
    /// The ingress copies the field, and the egress drops nothing (RFC 4301 section 5.1.2, IPsec).
    Rfc4301,
}

impl Tunnelling {
    /// Returns the field of the outer header that the ingress adds to a packet with the field `inner` (RFC 6040, figures 1
    /// and 3).
    pub fn encapsulate(self, inner: Ecn) -> Ecn {
        match (self, inner) {
            (Tunnelling::Compatibility | Tunnelling::Rfc3168Limited, _) => Ecn::NotEct,
            (Tunnelling::Rfc3168Full, Ecn::Ce) => Ecn::Ect0,
            (_, copied) => copied,
        }
    }

    /// Returns the field of a packet that leaves the egress, or `None` if the egress drops the packet (RFC 6040, figures 2
    /// and 4).
    pub fn decapsulate(self, inner: Ecn, outer: Ecn) -> Option<Ecn> {
        let is_new = matches!(self, Tunnelling::Normal | Tunnelling::Compatibility);
        match (inner, outer) {
            // The transport relies on drops, and would not understand a mark.
            (Ecn::NotEct, Ecn::Ce) if self == Tunnelling::Rfc4301 => Some(Ecn::NotEct),
            (Ecn::NotEct, Ecn::Ce) => None,
            (Ecn::NotEct, _) => Some(Ecn::NotEct),
            (_, Ecn::Ce) => Some(Ecn::Ce),
            // The more severe of both: CE, ECT(1), ECT(0), Not-ECT.
            (Ecn::Ect0, Ecn::Ect1) if is_new => Some(Ecn::Ect1),
            (inner, _) => Some(inner),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of the rows and columns of the figures.
    const FIELDS: [Ecn; 4] = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce];
    const DROP: Option<Ecn> = None;

    #[test]
    fn every_cell_of_figure_1_and_figure_3() {
        let not = [Ecn::NotEct; 4];
        for (mode, outer) in [
            (Tunnelling::Rfc3168Limited, not),
            (Tunnelling::Rfc3168Full, [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ect0]),
            (Tunnelling::Rfc4301, FIELDS),
            (Tunnelling::Compatibility, not),
            (Tunnelling::Normal, FIELDS),
        ] {
            assert_eq!(FIELDS.map(|inner| mode.encapsulate(inner)), outer, "{mode:?}");
        }
    }

    fn table(mode: Tunnelling) -> [[Option<Ecn>; 4]; 4] {
        FIELDS.map(|inner| FIELDS.map(|outer| mode.decapsulate(inner, outer)))
    }

    #[test]
    fn every_cell_of_figure_2() {
        let [not, zero, one, ce] = FIELDS.map(Some);
        let below = [[zero, zero, zero, ce], [one, one, one, ce], [ce, ce, ce, ce]];
        for mode in [Tunnelling::Rfc3168Full, Tunnelling::Rfc3168Limited] {
            assert_eq!(table(mode), [[not, not, not, DROP], below[0], below[1], below[2]], "{mode:?}");
        }
        assert_eq!(table(Tunnelling::Rfc4301), [[not, not, not, not], below[0], below[1], below[2]]);
    }

    #[test]
    fn every_cell_of_figure_4() {
        let [not, zero, one, ce] = FIELDS.map(Some);
        let figure = [[not, not, not, DROP], [zero, zero, one, ce], [one, one, one, ce], [ce, ce, ce, ce]];
        assert_eq!(table(Tunnelling::Normal), figure);
        assert_eq!(table(Tunnelling::Compatibility), figure, "the egress has one mode");
    }
}
