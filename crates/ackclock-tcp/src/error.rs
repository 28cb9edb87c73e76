//! Errors that end a connection, and ICMP messages.

use std::fmt;

/// Reason for the end of a connection that was not closed by both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The peer answered the SYN with a RST, or no process listens on that port (ECONNREFUSED).
    Refused,
    /// The peer reset the connection (ECONNRESET).
    Reset,
    /// The peer did not answer for too long (ETIMEDOUT).
    TimedOut,
    /// No route to the peer's network (ENETUNREACH).
    NetUnreachable,
    /// No route to the peer, or communication is prohibited (EHOSTUNREACH).
    HostUnreachable,
    /// The peer does not support TCP (ENOPROTOOPT).
    ProtocolUnreachable,
    /// A router did not understand a header of our packets (EPROTO).
    ParameterProblem,
    /// The route that the packets state failed (EOPNOTSUPP).
    RouteFailed,
    /// The peer is unknown (EHOSTDOWN).
    HostDown,
    /// The source host is isolated (ENONET).
    HostIsolated,
    /// Communication is prohibited by administration (EACCES).
    Prohibited,
    /// This end called [`crate::Endpoint::abort`] (ECONNABORTED).
    Aborted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Error::Refused => "connection refused",
            Error::Reset => "connection reset by peer",
            Error::TimedOut => "connection timed out",
            Error::NetUnreachable => "network unreachable",
            Error::HostUnreachable => "host unreachable",
            Error::ProtocolUnreachable => "protocol not available",
            Error::ParameterProblem => "protocol error",
            Error::RouteFailed => "source route failed",
            Error::HostDown => "host unknown",
            Error::HostIsolated => "source host isolated",
            Error::Prohibited => "communication prohibited",
            Error::Aborted => "connection aborted",
        })
    }
}

impl std::error::Error for Error {}

/// An ICMP or ICMPv6 message about a segment that we sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Icmp {
    /// The packet is larger than a link's MTU and must not be fragmented (RFC 1191), or is too big (RFC 8201).
    FragmentationNeeded {
        /// The largest packet that fits, IP header included, bytes; 0 from a router older than RFC 1191.
        mtu: u32,
        /// Sequence number of the quoted segment.
        seq: u32,
    },
    /// Network unreachable.
    NetUnreachable,
    /// Host unreachable, or administratively prohibited.
    HostUnreachable,
    /// The time to live, or the hop limit, was exceeded in transit.
    TimeExceeded,
    /// A header has a problem that no other kind describes.
    ParameterProblem,
    /// Protocol unreachable.
    ProtocolUnreachable,
    /// Port unreachable.
    PortUnreachable,
    /// A source route failed.
    RouteFailed,
    /// The destination host is unknown.
    HostUnknown,
    /// The source host is isolated.
    HostIsolated,
    /// Prohibited by administration or by a policy (ICMPv6).
    Prohibited,
}

impl Icmp {
    /// The error of the connection, if the message makes the connection fail.
    pub(crate) fn error(self) -> Option<Error> {
        match self {
            Icmp::FragmentationNeeded { .. } => None,
            Icmp::NetUnreachable => Some(Error::NetUnreachable),
            Icmp::HostUnreachable | Icmp::TimeExceeded => Some(Error::HostUnreachable),
            Icmp::ProtocolUnreachable => Some(Error::ProtocolUnreachable),
            Icmp::ParameterProblem => Some(Error::ParameterProblem),
            Icmp::PortUnreachable => Some(Error::Refused),
            Icmp::RouteFailed => Some(Error::RouteFailed),
            Icmp::HostUnknown => Some(Error::HostDown),
            Icmp::HostIsolated => Some(Error::HostIsolated),
            Icmp::Prohibited => Some(Error::Prohibited),
        }
    }
}
