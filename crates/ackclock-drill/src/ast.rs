//! What a script says. Times are nanoseconds, volumes bytes, sequence numbers as the script counts them.

pub use crate::lexer::Position;
use ackclock_tcp::Nanos;

/// A script.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// `--name=value` lines at its head.
    pub options: Vec<(String, Option<String>)>,
    /// A command before the first event.
    pub init: Option<(Position, String)>,
    /// The events, in order.
    pub events: Vec<Event>,
    /// A command after the last event, which runs whatever happened.
    pub cleanup: Option<(Position, String)>,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Where it stands.
    pub at: Position,
    /// When it happens.
    pub when: When,
    /// What happens.
    pub action: Action,
}

/// The time of an event, counted from the start of the script or from the event before.
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

/// What happens at an event.
#[derive(Clone, Debug)]
pub enum Action {
    /// A packet arrives or is to leave.
    Packet(Packet),
    /// The application calls the system.
    Call(Call),
    /// A shell command.
    Command(String),
    /// Python to be run with the connection's `tcp_info` in scope.
    Code(String),
}

/// A packet.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Whether it arrives (`<`) rather than leaves (`>`).
    pub inbound: bool,
    /// What is said of its IP header.
    pub ip: Ip,
    /// Source and destination port where given.
    pub ports: Option<(u16, u16)>,
    /// What it carries.
    pub body: Body,
    /// A tunnel or a mutation that this interpreter does not play.
    pub beyond: Option<&'static str>,
}

/// What a script says of an IP header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Ip {
    /// The ECN field.
    pub ecn: Option<EcnField>,
    /// The whole type-of-service byte.
    pub tos: Option<u8>,
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

/// What a packet carries.
#[derive(Clone, Debug)]
pub enum Body {
    /// A TCP segment.
    Tcp(Tcp),
    /// A UDP datagram of so many bytes of payload.
    Udp(u32),
    /// An ICMP message.
    Icmp(Icmp),
}

/// A TCP segment in a script's numbers.
#[derive(Clone, Debug)]
pub struct Tcp {
    /// Header flags as in [`ackclock_tcp::Flags`].
    pub flags: u16,
    /// The ACE field where it is given as a digit.
    pub ace: Option<u8>,
    /// Sequence number.
    pub seq: u32,
    /// Payload.
    pub len: u32,
    /// Acknowledgment number, 0 where not given.
    pub ack: u32,
    /// Window field where given.
    pub window: Option<u16>,
    /// Urgent pointer.
    pub urgent: u16,
    /// Options in their order; `None` for `<...>`, anything.
    pub options: Option<Vec<TcpOption>>,
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
        /// TSval.
        val: u32,
        /// TSecr.
        ecr: u32,
    },
    /// Accurate ECN: its counters in the order written.
    AccEcn(Vec<(AccEcnField, u32)>),
    /// A signature of RFC 2385.
    Md5,
    /// One that this interpreter does not play; its name.
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
    /// Its type as written, such as `unreachable`.
    pub kind: String,
    /// Its code as written, such as `frag_needed`.
    pub code: Option<String>,
    /// The next hop's MTU.
    pub mtu: Option<u32>,
    /// Sequence number and payload of the TCP segment that it echoes.
    pub echoed: Option<(u32, u32)>,
    /// Whether it echoes something other than TCP.
    pub foreign: bool,
}

/// A system call and what it is to return.
#[derive(Clone, Debug)]
pub struct Call {
    /// When a blocking call returns, counted as its start is.
    pub end: Option<Nanos>,
    /// Its name.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Expr>,
    /// What it returns; [`Expr::Ellipsis`] for anything.
    pub result: Expr,
    /// The name of the error it sets.
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
