//! Connections driven by tmix connection vectors: the exchanges of measured applications, repeated over the TCP and the
//! network of the scenario.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::completion::{Completions, Path};
use super::{AppContext, AppTables, Application, Conn, Side};
use ackclock_core::Nanos;

mod fields;
mod report;
#[cfg(test)]
mod tests;
mod vectors;

pub use fields::{Fields, VectorFile, VectorFormat};
pub use vectors::{Connection, Epoch, Party, Step, VectorError, Vectors};

use report::{ConnectionRow, EpochRow};

/// A party of a connection that is open.
#[derive(Debug, Default)]
struct End {
    connected: bool,
    /// Number of steps taken.
    next: usize,
    /// Whether a timer for the next step is running.
    waiting: bool,
    /// Time of its last write, or of its connection's establishment.
    sent_at: Nanos,
    sent: u64,
    received: u64,
    /// Units written that the other end has not received: the stream bytes up to their end, and their epoch.
    outstanding: VecDeque<(u64, u32)>,
    /// Whether the other end has closed.
    peer_closed: bool,
}

/// An epoch of a connection that is open.
#[derive(Clone, Copy, Debug)]
struct OpenEpoch {
    start: Option<Nanos>,
    /// Time before the epoch in which no data was in flight, in ns.
    idle: Nanos,
    /// Number of units not yet delivered.
    left: u32,
}

/// A connection that is open.
#[derive(Debug)]
struct Live {
    /// Index of the connection in the vectors.
    number: u32,
    start: Nanos,
    /// The two parties, by [`Party`].
    ends: [End; 2],
    epochs: Vec<OpenEpoch>,
    epochs_left: u32,
    /// Time of the last delivery of a unit, or of the opening of the connection.
    active_at: Nanos,
}

/// Counts of the run so far.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    connections: u64,
    done: u64,
    /// Connections that TCP gave up before all data was delivered.
    failed: u64,
    epochs_open: usize,
    /// Maximum number of connections that were open at once.
    connections_max: usize,
}

/// All connections of a file. Closed connections are forgotten: the memory grows with the number that are open at once.
#[derive(Debug)]
pub struct Tmix {
    vectors: Arc<Vectors>,
    /// The end that is the initiator of all connections.
    initiator: Side,
    records: bool,
    begun: Nanos,
    next: usize,
    live: BTreeMap<Conn, Live>,
    counts: Counts,
    path: Path,
    connections: Completions,
    epochs: Completions,
    connection_rows: Vec<ConnectionRow>,
    epoch_rows: Vec<EpochRow>,
}

/// Token of the timer for the next connection. Other tokens carry a party and a connection.
const ARRIVE: u64 = u64::MAX;

fn token(party: Party, conn: Conn) -> u64 {
    (party as u64) << 32 | u64::from(conn.0)
}

/// Returns the ideal time of epochs of one connection, in ns: a round trip if both parties send in one of them,
/// otherwise the way of the party that sends.
fn ideal_of(path: Path, epochs: &[Epoch], source: Party) -> Nanos {
    let bytes = epochs.iter().map(|epoch| epoch.bytes[source as usize]).sum();
    if epochs.iter().any(|epoch| epoch.bytes.iter().all(|bytes| *bytes > 0)) {
        path.ideal_answer(bytes)
    } else if bytes > 0 {
        path.ideal(bytes)
    } else {
        path.rtt - path.delay
    }
}

impl Tmix {
    /// Creates the connections of `vectors`; `initiator` is the end of the path that opens them. With `records` every
    /// connection and epoch is kept.
    pub fn new(vectors: Arc<Vectors>, initiator: Side, records: bool, path: Path) -> Tmix {
        Tmix {
            vectors,
            initiator,
            records,
            begun: 0,
            next: 0,
            live: BTreeMap::new(),
            counts: Counts::default(),
            path,
            connections: Completions::default(),
            epochs: Completions::default(),
            connection_rows: Vec::new(),
            epoch_rows: Vec::new(),
        }
    }

    fn party(&self, side: Side) -> Party {
        if side == self.initiator { Party::Initiator } else { Party::Acceptor }
    }

    fn side(&self, party: Party) -> Side {
        if party == Party::Initiator { self.initiator } else { self.initiator.peer() }
    }

    /// Sets the timer for the next connection.
    fn await_next(&self, ctx: &mut AppContext<'_>) {
        if let Some(connection) = self.vectors.connections().get(self.next) {
            ctx.timer(self.begun.saturating_add(connection.start), ARRIVE);
        }
    }

    fn open(&mut self, ctx: &mut AppContext<'_>) {
        let vectors = self.vectors.clone();
        let connection = &vectors.connections()[self.next];
        let epochs: Vec<_> =
            connection.epochs.iter().map(|epoch| OpenEpoch { start: None, idle: 0, left: epoch.units }).collect();
        let live = Live {
            number: self.next as u32,
            start: ctx.now,
            ends: Default::default(),
            epochs_left: epochs.len() as u32,
            epochs,
            active_at: ctx.now,
        };
        self.live.insert(ctx.open(self.initiator), live);
        self.next += 1;
        self.counts.connections += 1;
        self.counts.connections_max = self.counts.connections_max.max(self.live.len());
        self.await_next(ctx);
    }

    /// Takes the steps of a party that are due, and sets a timer for the first step that is not. `due` says that the
    /// timer for the next step has expired.
    fn advance(&mut self, ctx: &mut AppContext<'_>, conn: Conn, party: Party, mut due: bool) {
        let vectors = self.vectors.clone();
        let side = self.side(party);
        let Some(live) = self.live.get_mut(&conn) else { return };
        let steps = &vectors.connections()[live.number as usize].steps[party as usize];
        let idle = live.ends.iter().all(|end| end.outstanding.is_empty());
        let end = &mut live.ends[party as usize];
        if !end.connected || (end.waiting && !due) {
            return;
        }
        end.waiting = false;
        let mut idle = idle.then(|| ctx.now - live.active_at);
        while let Some(step) = steps.get(end.next) {
            if step.after.is_some_and(|bytes| end.received < bytes) {
                return;
            }
            let waited = step.after.map_or(0, |_| ctx.now + step.since_received);
            let at = waited.max(end.sent_at + step.since_sent);
            if at > ctx.now && !due {
                end.waiting = true;
                return ctx.timer(at, token(party, conn));
            }
            due = false;
            end.next += 1;
            if step.size == 0 {
                return ctx.close(conn, side);
            }
            let epoch = &mut live.epochs[step.epoch as usize];
            if epoch.start.is_none() {
                *epoch = OpenEpoch { start: Some(ctx.now), idle: idle.unwrap_or(0), ..*epoch };
                self.counts.epochs_open += 1;
            }
            idle = None;
            end.sent_at = ctx.now;
            end.sent += step.size;
            end.outstanding.push_back((end.sent, step.epoch));
            ctx.write(conn, side, step.size);
        }
        // A party for which the vector has no close closes after the other party.
        if end.peer_closed && steps.last().is_none_or(|step| step.size > 0) {
            ctx.close(conn, side);
        }
    }

    /// Handles the receipt of `total` bytes by `party`: units of the other party are delivered.
    fn deliver(&mut self, now: Nanos, conn: Conn, party: Party, total: u64) {
        let vectors = self.vectors.clone();
        let source = self.party(Side::Source);
        let Some(live) = self.live.get_mut(&conn) else { return };
        let connection = &vectors.connections()[live.number as usize];
        live.ends[party as usize].received = total;
        let sender = &mut live.ends[1 - party as usize];
        while let Some(&(upto, index)) = sender.outstanding.front()
            && upto <= total
        {
            sender.outstanding.pop_front();
            live.active_at = now;
            let progress = &mut live.epochs[index as usize];
            progress.left -= 1;
            if progress.left > 0 {
                continue;
            }
            let epoch = connection.epochs[index as usize];
            let start = progress.start.unwrap_or(now);
            self.counts.epochs_open -= 1;
            let ideal = ideal_of(self.path, &[epoch], source);
            self.epochs.record(epoch.bytes[source as usize], now - start, ideal);
            if self.records {
                let (connection, idle) = (live.number, progress.idle);
                self.epoch_rows.push(EpochRow { connection, index, epoch, idle, start, end: now });
            }
            live.epochs_left -= 1;
            if live.epochs_left == 0 {
                self.counts.done += 1;
                let ideal = ideal_of(self.path, &connection.epochs, source);
                self.connections.record(connection.bytes(source), now - live.start, ideal);
                if self.records {
                    self.connection_rows.push(ConnectionRow { number: live.number, start: live.start, end: now });
                }
            }
        }
    }
}

impl Application for Tmix {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.begun = ctx.now;
        self.await_next(ctx);
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        if token == ARRIVE {
            return self.open(ctx);
        }
        let party = if token >> 32 == 0 { Party::Initiator } else { Party::Acceptor };
        self.advance(ctx, Conn(token as u32), party, true);
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        let party = self.party(side);
        if let Some(live) = self.live.get_mut(&conn) {
            let end = &mut live.ends[party as usize];
            end.connected = true;
            end.sent_at = ctx.now;
        }
        self.advance(ctx, conn, party, false);
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        let party = self.party(side);
        self.deliver(ctx.now, conn, party, total);
        self.advance(ctx, conn, party, false);
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        let party = self.party(side);
        if let Some(live) = self.live.get_mut(&conn) {
            live.ends[party as usize].peer_closed = true;
        }
        self.advance(ctx, conn, party, false);
    }

    fn on_closed(&mut self, _ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(live) = self.live.remove(&conn) else { return };
        if live.epochs_left > 0 {
            self.counts.failed += 1;
            self.counts.epochs_open -=
                live.epochs.iter().filter(|epoch| epoch.start.is_some() && epoch.left > 0).count();
        }
    }

    /// Adds one row of `tmix` for the flow, and its connections and epochs to `completions` and `completion_bins`. With
    /// records, adds a row for each of them to `tmix_connections` and `tmix_epochs`.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        self.report_tmix(flow, tables);
    }
}
