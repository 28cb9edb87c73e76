//! Applications: what opens connections and writes to them. One module each, one line in the list from
//! which [`App`] is made.
//!
//! An application drives both ends of its connections. The *source* is the end whose data crosses the bottleneck in the
//! forward direction (the server of a download, the sender of a bulk flow); the *sink* is the other.

use ackclock_core::Nanos;
use ackclock_core::Stream;
pub(crate) use ackclock_results::{rate_bps, seconds};

pub mod bulk;
pub mod bursts;
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
pub mod onoff;
pub mod rpc;
pub mod tmix;
pub mod transfer;
pub mod voip;
pub mod web;

pub use completion::Path;
pub use demand::Demand;
pub use kind::ParamProblem;

use kind::applications;

applications! {
    "bulk" => Bulk(bulk::Fields),
    "transfer" => Transfer(transfer::Fields),
    "dash" => Dash(dash::Fields),
    "bursts" => Bursts(bursts::Fields),
    "onoff" => OnOff(onoff::Fields),
    "list" => List(list::Fields),
    "web" => Web(web::Fields),
    "rpc" => Rpc(rpc::Fields),
    "cbr" => Cbr(cbr::Fields),
    "voip" => Voip(voip::Fields),
    "tmix" => Tmix(tmix::Fields),
}

/// An end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// The end on the left of the bottleneck.
    Source = 0,
    /// The end on the right of it.
    Sink = 1,
}

impl Side {
    /// The other end.
    pub fn peer(self) -> Side {
        match self {
            Side::Source => Side::Sink,
            Side::Sink => Side::Source,
        }
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Side::Source => "source",
            Side::Sink => "sink",
        }
    }
}

/// A connection of an application, counted from 0 in the order it opened them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Conn(pub u32);

/// What an application asks of the world; carried out in order when its callback returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// Open a connection, the SYN coming from `opener`.
    Open {
        /// Its number.
        conn: Conn,
        /// The end that sends the SYN.
        opener: Side,
    },
    /// Append bytes to a stream.
    Write {
        /// The connection.
        conn: Conn,
        /// The writing end.
        side: Side,
        /// How many.
        bytes: u64,
    },
    /// Close one direction.
    Close {
        /// The connection.
        conn: Conn,
        /// The closing end.
        side: Side,
    },
    /// Withdraw what was written and TCP has not sent.
    Withdraw {
        /// The connection.
        conn: Conn,
        /// The end that wrote it.
        side: Side,
    },
    /// Withdraw what was written and TCP has not sent, and close one direction.
    Stop {
        /// The connection.
        conn: Conn,
        /// The closing end.
        side: Side,
    },
    /// Send a UDP datagram to the other end.
    Send {
        /// The sending end.
        side: Side,
        /// Handed to the other end.
        number: u64,
        /// Bytes of payload, at most 65,507.
        len: u32,
    },
    /// Call [`Application::on_timer`] at a time.
    Timer {
        /// When.
        at: Nanos,
        /// Handed back.
        token: u64,
    },
}

/// A UDP datagram that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram {
    /// What its sender called it.
    pub number: u64,
    /// Bytes of payload.
    pub len: u32,
    /// When it was sent.
    pub sent: Nanos,
}

/// What an application sees and can do during a callback.
pub struct AppContext<'a> {
    /// The time.
    pub now: Nanos,
    /// The application's random stream.
    pub random: &'a mut Stream,
    commands: &'a mut Vec<Command>,
    next_conn: &'a mut u32,
}

impl<'a> AppContext<'a> {
    /// A context for a callback at `now`. `next_conn` is the number of the connection to be opened next.
    pub fn new(now: Nanos, random: &'a mut Stream, commands: &'a mut Vec<Command>, next_conn: &'a mut u32) -> Self {
        AppContext { now, random, commands, next_conn }
    }

    /// Opens a connection from `opener`.
    pub fn open(&mut self, opener: Side) -> Conn {
        let conn = Conn(*self.next_conn);
        *self.next_conn += 1;
        self.commands.push(Command::Open { conn, opener });
        conn
    }

    /// Writes `bytes` at `side`.
    pub fn write(&mut self, conn: Conn, side: Side, bytes: u64) {
        self.commands.push(Command::Write { conn, side, bytes });
    }

    /// Closes the direction from `side`, after all that was written.
    pub fn close(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Close { conn, side });
    }

    /// Withdraws what was written at `side` and TCP has not sent.
    pub fn withdraw(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Withdraw { conn, side });
    }

    /// Withdraws what was written at `side` and TCP has not sent, and closes the direction from there.
    pub fn stop(&mut self, conn: Conn, side: Side) {
        self.commands.push(Command::Stop { conn, side });
    }

    /// Sends a datagram of `len` bytes of payload from `side` to the other end, which gets its number.
    pub fn send(&mut self, side: Side, number: u64, len: u32) {
        self.commands.push(Command::Send { side, number, len });
    }

    /// Asks for [`Application::on_timer`] at the time `at`, never before now.
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

    /// `side` has received `total` stream bytes in order so far, and has read them.
    fn on_received(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side, _total: u64) {}

    /// The peer of `side` has closed its direction and everything before that was received.
    fn on_peer_closed(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn, _side: Side) {}

    /// The connection is over at both ends.
    fn on_closed(&mut self, _ctx: &mut AppContext<'_>, _conn: Conn) {}

    /// A datagram has reached `side`.
    fn on_datagram(&mut self, _ctx: &mut AppContext<'_>, _side: Side, _datagram: Datagram) {}

    /// A timer asked for has come.
    fn on_timer(&mut self, _ctx: &mut AppContext<'_>, _token: u64) {}

    /// Adds the application's rows at the end of the run, `flow` being its name and `now` the time.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables);
}
