//! Applications, which open connections and write to them. Each application has one module and one line in the list
//! from which [`App`] is made.
//!
//! An application drives both ends of its connections. The *source* is the end whose data crosses the bottleneck in the
//! forward direction (the server of a download, the sender of a bulk flow); the *sink* is the other.

use ackclock_core::{Ecn, Nanos, Stream};
pub(crate) use ackclock_results::{rate_bps, seconds};

pub mod abr;
pub mod bulk;
pub mod bursts;
pub mod call;
pub mod cbr;
mod completion;
pub mod dash;
mod delivery;
mod demand;
pub mod emodel;
#[cfg(test)]
mod fake_network;
mod fields;
mod kind;
pub mod list;
pub mod live;
pub mod moq;
pub mod onoff;
pub mod rpc;
pub mod tmix;
pub mod transfer;
pub mod voip;
pub mod web;

pub use ackclock_media as media;
pub use completion::Path;
pub use demand::Demand;
pub use kind::ParamProblem;

use kind::applications;

applications! {
    "bulk" => Bulk(bulk::Fields),
    "transfer" => Transfer(transfer::Fields),
    "dash" => Dash(dash::Fields),
    "live" => Live(live::Fields),
    "moq" => Moq(moq::Fields),
    "bursts" => Bursts(bursts::Fields),
    "onoff" => OnOff(onoff::Fields),
    "list" => List(list::Fields),
    "web" => Web(web::Fields),
    "rpc" => Rpc(rpc::Fields),
    "cbr" => Cbr(cbr::Fields),
    "voip" => Voip(voip::Fields),
    "call" => Call(call::Fields),
    "tmix" => Tmix(tmix::Fields),
}

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end on the left of the bottleneck.
    Source = 0,
    /// The end on the right of the bottleneck.
    Sink = 1,
}

impl Side {
    /// Returns the other end.
    pub fn peer(self) -> Side {
        match self {
            Side::Source => Side::Sink,
            Side::Sink => Side::Source,
        }
    }

    /// Returns the name of the end in tables.
    pub fn name(self) -> &'static str {
        match self {
            Side::Source => "source",
            Side::Sink => "sink",
        }
    }
}

/// A connection of an application, counted from 0 in the order of opening.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Conn(pub u32);

/// A request of an application to the simulation. Commands are carried out in order when the application's callback
/// returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Opens a connection; `opener` sends the SYN.
    Open {
        /// Number of the connection.
        conn: Conn,
        /// The end that sends the SYN.
        opener: Side,
        /// Number of the pair of hosts that the connection joins: host `pair % hosts` of each end ([`App::hosts`]).
        pair: u32,
    },
    /// Appends bytes to a stream.
    Write {
        /// The connection.
        conn: Conn,
        /// The writing end.
        side: Side,
        /// Number of bytes.
        bytes: u64,
    },
    /// Closes one direction.
    Close {
        /// The connection.
        conn: Conn,
        /// The closing end.
        side: Side,
    },
    /// Withdraws data that was written and that TCP has not sent.
    Withdraw {
        /// The connection.
        conn: Conn,
        /// The end that wrote the data.
        side: Side,
    },
    /// Withdraws data that was written and that TCP has not sent, and closes one direction.
    Stop {
        /// The connection.
        conn: Conn,
        /// The closing end.
        side: Side,
    },
    /// Opens the next unidirectional stream of an end. The streams of an end are numbered from 0 in the order of opening.
    OpenStream {
        /// The connection.
        conn: Conn,
        /// The end that writes to the stream.
        side: Side,
        /// Bytes of streams with higher numbers leave first.
        priority: i32,
    },
    /// Appends bytes to a unidirectional stream of an end.
    WriteStream {
        /// The connection.
        conn: Conn,
        /// The writing end.
        side: Side,
        /// Number of the stream.
        stream: u32,
        /// Number of bytes.
        bytes: u64,
    },
    /// Ends a unidirectional stream after all bytes that were written.
    FinishStream {
        /// The connection.
        conn: Conn,
        /// The writing end.
        side: Side,
        /// Number of the stream.
        stream: u32,
    },
    /// Abandons a unidirectional stream: bytes that have not been delivered are not sent any more.
    ResetStream {
        /// The connection.
        conn: Conn,
        /// The writing end.
        side: Side,
        /// Number of the stream.
        stream: u32,
        /// Code for the other end.
        code: u64,
    },
    /// Sends a UDP datagram to the other end.
    Send {
        /// The sending end.
        side: Side,
        /// Number that is handed to the other end.
        number: u64,
        /// Bytes of payload, at most 65,507.
        len: u32,
        /// ECN field of the packet.
        ecn: Ecn,
    },
    /// Calls [`Application::on_timer`] at a time.
    Timer {
        /// Time of the call.
        at: Nanos,
        /// Token that is handed back.
        token: u64,
    },
}

/// The abilities of a transport that an application needs beyond one stream in order for each direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Needs {
    /// Unidirectional streams, several of which are open at once.
    pub streams: bool,
    /// Priorities of streams.
    pub priorities: bool,
    /// Resets of streams by their sender.
    pub resets: bool,
}

/// An event of a unidirectional stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamEvent {
    /// The receiving end has read so many bytes of the stream in order so far.
    Received(u64),
    /// The receiving end has read all bytes of the stream.
    Finished,
    /// The sending end has abandoned the stream with this code; no more bytes arrive.
    Reset(u64),
    /// The sending end knows that all bytes of the finished stream have arrived.
    Delivered,
}

/// A UDP datagram that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram {
    /// Number that its sender gave it.
    pub number: u64,
    /// Bytes of payload.
    pub len: u32,
    /// Time at which it was sent.
    pub sent: Nanos,
    /// ECN field with which it has arrived.
    pub ecn: Ecn,
}

/// The view and the commands that an application has during a callback.
pub struct AppContext<'a> {
    /// Current time.
    pub now: Nanos,
    /// The application's random stream.
    pub random: &'a mut Stream,
    commands: &'a mut Vec<Command>,
    next_conn: &'a mut u32,
}

impl<'a> AppContext<'a> {
    /// Creates a context for a callback at `now`. `next_conn` is the number of the connection to be opened next.
    pub fn new(now: Nanos, random: &'a mut Stream, commands: &'a mut Vec<Command>, next_conn: &'a mut u32) -> Self {
        AppContext { now, random, commands, next_conn }
    }

    /// Opens a connection from `opener` between the first hosts of the flow.
    pub fn open(&mut self, opener: Side) -> Conn {
        self.open_between(0, opener)
    }

    /// Opens a connection from `opener` between the hosts of a pair ([`Command::Open`]).
    pub fn open_between(&mut self, pair: u32, opener: Side) -> Conn {
        let conn = Conn(*self.next_conn);
        *self.next_conn += 1;
        self.commands.push(Command::Open { conn, opener, pair });
        conn
    }

    /// Writes `bytes` at `side`.
    pub fn write(&mut self, conn: Conn, side: Side, bytes: u64) {
        self.commands.push(Command::Write { conn, side, bytes });
    }

    /// Closes the direction from `side`, after all data that was written.
    pub fn close(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Close { conn, side });
    }

    /// Withdraws data that was written at `side` and that TCP has not sent.
    pub fn withdraw(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Withdraw { conn, side });
    }

    /// Withdraws data that was written at `side` and that TCP has not sent, and closes the direction from `side`.
    pub fn stop(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Stop { conn, side });
    }

    /// Opens the next unidirectional stream from `side`, with a priority ([`Command::OpenStream`]).
    pub fn open_stream(&mut self, conn: Conn, side: Side, priority: i32) {
        self.commands.push(Command::OpenStream { conn, side, priority });
    }

    /// Writes `bytes` to a unidirectional stream from `side`.
    pub fn write_stream(&mut self, conn: Conn, side: Side, stream: u32, bytes: u64) {
        self.commands.push(Command::WriteStream { conn, side, stream, bytes });
    }

    /// Ends a unidirectional stream from `side`, after all data that was written to it.
    pub fn finish_stream(&mut self, conn: Conn, side: Side, stream: u32) {
        self.commands.push(Command::FinishStream { conn, side, stream });
    }

    /// Abandons a unidirectional stream from `side`, with a code for the other end.
    pub fn reset_stream(&mut self, conn: Conn, side: Side, stream: u32, code: u64) {
        self.commands.push(Command::ResetStream { conn, side, stream, code });
    }

    /// Sends a datagram with `len` bytes of payload from `side` to the other end, which receives its number.
    pub fn send(&mut self, side: Side, number: u64, len: u32) {
        self.send_marked(side, number, len, Ecn::NotEct);
    }

    /// Sends a datagram like [`AppContext::send`], with an ECN field.
    pub fn send_marked(&mut self, side: Side, number: u64, len: u32, ecn: Ecn) {
        self.commands.push(Command::Send { side, number, len, ecn });
    }

    /// Requests a call of [`Application::on_timer`] at the time `at`; a time in the past becomes the current time.
    pub fn timer(&mut self, at: Nanos, token: u64) {
        self.commands.push(Command::Timer { at: at.max(self.now), token });
    }
}

/// The tables that applications fill, by name.
pub use ackclock_results::Tables as AppTables;

/// An application.
pub trait Application: Send {
    /// The flow starts.
    fn on_start(&mut self, ctx: &mut AppContext<'_>);

    /// A connection is established at `side`.
    fn on_connected(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side) {}

    /// Whether [`Application::on_received`] is to be called. It is the most frequent call, and finding an application that does
    /// not listen takes longer than the rest of the work on a packet when thousands of them are far apart in memory.
    fn listens(&self) -> bool {
        true
    }

    /// `side` has received and read `total` bytes of the stream in order so far.
    fn on_received(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side, _total: u64) {}

    /// Something has happened at `side` to a unidirectional stream: one of the peer, or one of its own that is delivered.
    fn on_stream(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side, _stream: u32, _event: StreamEvent) {}

    /// The peer of `side` has closed its direction, and all data before the close was received.
    fn on_peer_closed(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side) {}

    /// The connection is closed at both ends.
    fn on_closed(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn) {}

    /// A datagram has reached `side`.
    fn on_datagram(&mut self, _ctx: &mut AppContext<'_>, _side: Side, _datagram: Datagram) {}

    /// A timer that the application requested has expired.
    fn on_timer(&mut self, _ctx: &mut AppContext<'_>, _token: u64) {}

    /// Adds the application's rows at the end of the run; `flow` is the flow's name and `now` the time.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables);
}
