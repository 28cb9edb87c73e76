#![doc = include_str!("../README.md")]

pub use ackclock_core::{Ecn, MILLISECOND, NEVER, Nanos, Random, Rate, SECOND, Seed};

/// TCP without I/O: segments, application writes and the time go in; segments and the next timeout come out.
pub mod tcp {
    pub use ackclock_tcp::cc::{self, Algorithm, CongestionControl};
    pub use ackclock_tcp::{
        Ack, Config, Congestion, Context, Endpoint, Error, Event, Flags, Icmp, Info, Observer, Progress, Push,
        RecoveryEnd, Segment, State, Stats, Timestamps, Window, reset_for, stack,
    };
}

/// Links, queue disciplines and items in flight, for packets of any type.
pub mod net {
    pub use ackclock_net::{
        Action, Carried, Colour, DropCause, Dropped, Jitter, Lane, Limit, Link, Loss, Meter, Passage, Place, Policer,
        Port, Propagation, Refusal, Schedule, Sent, Server, Spread, netem, queue, server,
    };
}

/// Segments as IPv4 and IPv6 packets, ICMP errors, and pcapng files.
pub mod wire {
    pub use ackclock_wire::{
        Addresses, DecodeError, EncodeError, IcmpError, MAX_HEADERS, Packet, Sum, decode, encode, pcapng,
    };
}
