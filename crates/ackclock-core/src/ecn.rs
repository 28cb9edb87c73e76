//! The ECN field of the IP header.

/// The ECN field of the IP header (RFC 3168 section 5, RFC 9331), with its value on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[repr(u8)]
pub enum Ecn {
    /// Not-ECT: the transport is not ECN-capable.
    #[default]
    NotEct = 0,
    /// ECT(1): the transport is ECN-capable; an L4S sender (RFC 9331).
    Ect1 = 1,
    /// ECT(0): the transport is ECN-capable.
    Ect0 = 2,
    /// CE: congestion experienced.
    Ce = 3,
}

impl Ecn {
    /// Returns the codepoint of the two low bits.
    #[inline]
    pub const fn from_bits(bits: u8) -> Ecn {
        match bits & 3 {
            0 => Ecn::NotEct,
            1 => Ecn::Ect1,
            2 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Whether the packet can be marked instead of dropped.
    #[inline]
    pub fn is_capable(self) -> bool {
        self != Ecn::NotEct
    }
}
