//! Syntax tree of a script. Times are in nanoseconds, volumes in bytes, and sequence numbers as in the script.

pub use crate::lexer::Position;
use ackclock_tcp::Nanos;

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Lines `--name=value` at the head of the script.
    pub options: Vec<(String, Option<String>)>,
    /// Command before the first event.
    pub init: Option<(Position, String)>,
    /// Events, in order.
    pub events: Vec<Event>,
    /// Command after the last event, which runs whatever the outcome.
    pub cleanup: Option<(Position, String)>,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Place in the script.
    pub at: Position,
    /// Time of the event.
    pub when: When,
    /// Action of the event.
    pub action: Action,
}

/// Time of an event, from the start of the script or from the previous event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// `0.5`
    At(Nanos),
    /// `+0.5`
    After(Nanos),
    /// `*`
    Any,
    /// `0.5~0.7`
    Between(Nanos, Nanos),
    /// `+0.5~+0.7`
    AfterBetween(Nanos, Nanos),
}

/// Action of an event.
#[derive(Clone, Debug)]
pub enum Action {
    /// A packet arrives or is expected to leave.
    Packet(Packet),
    /// The application makes a system call.
    Call(Call),
    /// The shell runs a command.
    Command(String),
    /// Python runs code with the connection's `tcp_info` in scope.
    Code(String),
}

/// A packet.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Whether it arrives (`<`) rather than leaves (`>`).
    pub inbound: bool,
    /// Specified fields of the IP header.
    pub ip: Ip,
    /// Source and destination port, if given.
    pub ports: Option<(u16, u16)>,
    /// Source and destination port of the UDP datagram around a TCP packet (`/udp(1 > 9899)`), if given.
    pub udp: Option<(u16, u16)>,
    /// Content of the packet.
    pub body: Body,
    /// A tunnel or a mutation that this interpreter does not support.
    pub beyond: Option<&'static str>,
}

/// Fields of an IP header that a script specifies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ip {
    /// The ECN field.
    pub ecn: Option<EcnField>,
    /// The whole type-of-service byte.
    pub tos: Option<u8>,
    /// The DSCP of RFC 2474, the high six bits of that byte.
    pub dscp: Option<u8>,
    /// Time to live or hop limit.
    pub ttl: Option<u8>,
    /// IPv6 flow label.
    pub flow_label: Option<u32>,
}

/// The ECN field of an IP header, as a script names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcnField {
    /// The code point of RFC 3168 section 5: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
    Is(u8),
    /// `ect01`: either of ECT(0) and ECT(1).
    Capable,
}

/// Content of a packet.
#[derive(Clone, Debug)]
pub enum Body {
    /// A TCP segment.
    Tcp(Tcp),
    /// A UDP datagram with this number of payload bytes.
    Udp(u32),
    /// An ICMP message.
    Icmp(Icmp),
}

/// A TCP segment, with the numbers of the script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tcp {
    /// Header flags as in [`ackclock_tcp::Flags`].
    pub flags: u16,
    /// ACE field, if it is given as a digit.
    pub ace: Option<u8>,
    /// Sequence number.
    pub seq: u32,
    /// Whether the sequence number is the one on the wire (`0:0(0)!`) rather than relative to the initial one.
    pub absolute: bool,
    /// Whether a packet that leaves may have any sequence number (`...(0)`).
    pub any_seq: bool,
    /// Payload length, bytes.
    pub len: u32,
    /// Acknowledgment number; 0 if not given.
    pub ack: u32,
    /// Window field, if given.
    pub window: Option<u16>,
    /// Urgent pointer.
    pub urgent: u16,
    /// Options in their order; `None` for `<...>`, which matches any options.
    pub options: Option<Vec<TcpOption>>,
}

impl Tcp {
    /// TSval, if the options include timestamps.
    pub fn timestamp(&self) -> Option<u32> {
        self.options.iter().flatten().find_map(|option| match option {
            TcpOption::Timestamps { val, .. } => *val,
            _ => None,
        })
    }
}

/// A TCP option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TcpOption {
    /// Padding.
    Nop,
    /// End of the list.
    Eol,
    /// Maximum segment size.
    Mss(u16),
    /// Window scale.
    WindowScale(u8),
    /// SACK permitted.
    SackPermitted,
    /// SACK blocks.
    Sack(Vec<(u32, u32)>),
    /// Timestamps.
    Timestamps {
        /// TSval; `None` for any value, in a packet that leaves.
        val: Option<u32>,
        /// TSecr.
        ecr: u32,
    },
    /// Accurate ECN: its counters in the order in which they are written.
    AccEcn(Vec<(AccEcnField, u32)>),
    /// A signature (RFC 2385).
    Md5,
    /// Fast Open: the cookie, empty for a request; and whether the option has the number for experiments (RFC 7413
    /// section 4.1.1).
    FastOpen {
        /// Bytes of the cookie.
        cookie: Vec<u8>,
        /// Whether the option has the number for experiments.
        experimental: bool,
    },
    /// Name of an option that this interpreter does not support.
    Other(&'static str),
}

/// A counter of the Accurate ECN option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccEcnField {
    /// ECT(0) bytes.
    E0b,
    /// CE bytes.
    Ceb,
    /// ECT(1) bytes.
    E1b,
}

/// An ICMP message about a packet of the connection.
#[derive(Clone, Debug)]
pub struct Icmp {
    /// Type as written, such as `unreachable`.
    pub kind: String,
    /// Code as written, such as `frag_needed`.
    pub code: Option<String>,
    /// MTU of the next hop.
    pub mtu: Option<u32>,
    /// Sequence number and payload length of the quoted TCP segment.
    pub echoed: Option<(u32, u32)>,
    /// Whether the message quotes a packet other than TCP.
    pub foreign: bool,
}

/// A system call with its expected result.
#[derive(Clone, Debug)]
pub struct Call {
    /// Time at which a blocking call returns, counted like its start.
    pub end: Option<Nanos>,
    /// Name of the call.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Vec<Expr>,
    /// Expected result; [`Expr::Ellipsis`] for any result.
    pub result: Expr,
    /// Name of the expected error.
    pub errno: Option<String>,
}

/// A value in the arguments or the result of a call.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// `...`
    Ellipsis,
    /// A number.
    Int(i64),
    /// A name.
    Word(String),
    /// A text.
    Text(String),
    /// `a|b`
    Or(Box<Expr>, Box<Expr>),
    /// `name = value`, `name(count) = value`
    Field(String, Option<Box<Expr>>, Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{a, b}`
    Struct(Vec<Expr>),
    /// `name(a, b)`
    Call(String, Vec<Expr>),
}
