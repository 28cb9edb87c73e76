//! Requests to several servers at once, in rounds: the partition and aggregation pattern, whose simultaneous answers
//! cause incast (Phanishayee et al., FAST 2008; Alizadeh et al., SIGCOMM 2010).
//!
//! The client is the sink. It sends a request to every server at the same instant, over one connection each. A round is
//! over when the client has received all answers; after its think time the client starts the next round. Each
//! server is a host with an access link of its own, unless the scenario places several servers on one host, whose access
//! link they share.

use std::collections::BTreeMap;

use super::completion::Path;
use super::delivery::{self, Delivery};
use super::demand::{self, Demand, repeated, rows_of, typical_s};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Conn, Side};
use crate::fields::{Delay, Flag, Random, Volume, count, default, drawn, optional, record, required};
use ackclock_core::Distribution;
use ackclock_core::Nanos;
use ackclock_results::declared;

record! {
    /// The sink sends requests to several servers at once, waits for all answers, and starts again.
    pub struct Fields {
        /// Number of servers that receive a request at once, over one connection each.
        servers: u32 = default(1, count("servers", 1, 100_000));
        /// Number of hosts on which the servers run, in turn; each host has an access link of its own.
        server_hosts: Option<u32> = optional("a host for each server", count("hosts", 1, 100_000));
        /// Number of rounds.
        rounds: Option<u32> = optional("rounds until the run ends", count("rounds", 1, 10_000_000));
        /// Size of a request.
        request_size: Random<Volume> = default("300B", drawn());
        /// Size of a server's answer.
        response_size: Random<Volume> = required(drawn());
        /// Think time of a server before it answers.
        server_think: Random<Delay> = default("0s", drawn());
        /// Think time of the client between the last answer of a round and the next round.
        think: Random<Delay> = default("0s", drawn());
        /// Whether connections stay open from round to round.
        persistent: bool = default(true, Flag);
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, path: Path) -> Demand {
        let [think, server_think] = [&self.think, &self.server_think].map(|time| typical_s(&time.distribution()));
        let (servers, response) = (f64::from(self.servers), self.response_size.distribution());
        let handshake = if self.persistent { 0.0 } else { path.handshake_s() };
        let each = think + server_think + handshake + path.least_answer_s(servers * response.median());
        let most = self.rounds.map_or(f64::INFINITY, f64::from);
        let rounds = demand::drawn(repeated(time, each)).min(most);
        let calls = rounds * servers;
        Demand {
            bytes: calls * response.mean(),
            messages: calls,
            reverse_bytes: calls * self.request_size.distribution().mean(),
            reverse_messages: calls,
            connections: if self.persistent { servers } else { calls },
            open: if self.persistent { servers } else { servers * demand::IN_TURN },
            rows: rows_of(rounds),
            ..Demand::default()
        }
    }

    fn hosts(&self) -> [u32; 2] {
        [self.server_hosts.map_or(self.servers, |hosts| hosts.min(self.servers)), 1]
    }

    fn make(&self, path: Path, _flow: &str) -> Made {
        let params = RpcParams {
            servers: self.servers,
            rounds: self.rounds,
            request: self.request_size.distribution(),
            response: self.response_size.distribution(),
            server_think: self.server_think.distribution(),
            think: self.think.distribution(),
            persistent: self.persistent,
        };
        Ok(Box::new(Rpc::new(params, path)))
    }
}

/// The parameters of the requests and answers.
#[derive(Clone, Debug)]
pub struct RpcParams {
    /// Number of servers that receive a request at once.
    pub servers: u32,
    /// Number of rounds; `None` for rounds until the run ends.
    pub rounds: Option<u32>,
    /// Bytes of a request, at least one.
    pub request: Distribution,
    /// Bytes of an answer, at least one.
    pub response: Distribution,
    /// Time from a request's arrival to the answer, in ns.
    pub server_think: Distribution,
    /// Time from the last answer of a round to the next round, in ns.
    pub think: Distribution,
    /// Whether connections stay open between rounds; otherwise each answer ends with the server's FIN.
    pub persistent: bool,
}

/// A request in progress and its answer.
#[derive(Clone, Copy, Debug)]
struct Call {
    request: u64,
    response: u64,
    think: Nanos,
}

/// A connection to a server.
#[derive(Clone, Copy, Debug)]
struct Channel {
    server: usize,
    connected: bool,
    /// The call in progress (`call`), and whether its request has reached the server (`seen`).
    call: Option<Call>,
    seen: bool,
    /// Stream bytes of all requests and of all answers, including those in progress.
    requests: u64,
    responses: u64,
}

/// The client and its servers.
#[derive(Debug)]
pub struct Rpc {
    params: RpcParams,
    path: Path,
    /// All connections that are not closed.
    channels: BTreeMap<Conn, Channel>,
    /// Connections that are idle until the next round, by server.
    idle: BTreeMap<usize, Conn>,
    /// Number of answers that are missing in the current round.
    missing: u32,
    rounds: Vec<Delivery>,
}

/// Token of the timer for the next round. Any other token is the connection whose server's think time is over.
const ROUND: u64 = u64::MAX;

impl Rpc {
    /// Creates a client and its servers on a path.
    pub fn new(params: RpcParams, path: Path) -> Rpc {
        Rpc { params, path, channels: BTreeMap::new(), idle: BTreeMap::new(), missing: 0, rounds: Vec::new() }
    }

    fn round(&mut self, ctx: &mut AppContext<'_>) {
        self.missing = self.params.servers;
        let mut bytes = 0;
        for server in 0..self.params.servers as usize {
            // Values are drawn in the order of rounds and servers, so rounds do not depend on the network.
            let call = Call {
                request: self.params.request.draw(ctx.random).max(1),
                response: self.params.response.draw(ctx.random).max(1),
                think: self.params.server_think.draw(ctx.random),
            };
            bytes += call.response;
            self.ask(ctx, server, call);
        }
        self.rounds.push(Delivery { bytes, start: ctx.now, end: None });
    }

    /// Sends a request to a server over the server's open connection, or over a new one.
    fn ask(&mut self, ctx: &mut AppContext<'_>, server: usize, call: Call) {
        let conn = self.idle.remove(&server).unwrap_or_else(|| {
            let conn = ctx.open_between(server as u32, Side::Sink);
            let channel = Channel { server, connected: false, call: None, seen: false, requests: 0, responses: 0 };
            self.channels.insert(conn, channel);
            conn
        });
        let Some(channel) = self.channels.get_mut(&conn) else { return };
        channel.call = Some(call);
        channel.seen = false;
        channel.requests += call.request;
        channel.responses += call.response;
        if channel.connected {
            ctx.write(conn, Side::Sink, call.request);
        }
    }

    fn respond(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        if let Some(call) = self.channels.get(&conn).and_then(|channel| channel.call) {
            ctx.write(conn, Side::Source, call.response);
            if !self.params.persistent {
                ctx.close(conn, Side::Source);
            }
        }
    }

    /// Handles a complete answer.
    fn answered(&mut self, ctx: &mut AppContext<'_>, conn: Conn, server: usize) {
        if self.params.persistent {
            self.idle.insert(server, conn);
        }
        self.missing -= 1;
        if self.missing > 0 {
            return;
        }
        if let Some(round) = self.rounds.last_mut() {
            round.end = Some(ctx.now);
        }
        if self.params.rounds.is_none_or(|rounds| self.rounds.len() < rounds as usize) {
            let think = self.params.think.draw(ctx.random);
            ctx.timer(ctx.now.saturating_add(think), ROUND);
        } else {
            for (_, conn) in std::mem::take(&mut self.idle) {
                ctx.close(conn, Side::Sink);
            }
        }
    }
}

impl Application for Rpc {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.round(ctx);
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        match token {
            ROUND => self.round(ctx),
            conn => self.respond(ctx, Conn(conn as u32)),
        }
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink
            && let Some(channel) = self.channels.get_mut(&conn)
        {
            channel.connected = true;
            if let Some(call) = channel.call {
                ctx.write(conn, Side::Sink, call.request);
            }
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        let Some(channel) = self.channels.get_mut(&conn) else { return };
        let Some(call) = channel.call else { return };
        match side {
            Side::Source if !channel.seen && total >= channel.requests => {
                channel.seen = true;
                match call.think {
                    0 => self.respond(ctx, conn),
                    think => ctx.timer(ctx.now.saturating_add(think), conn.0.into()),
                }
            }
            Side::Sink if total >= channel.responses => {
                channel.call = None;
                let server = channel.server;
                self.answered(ctx, conn, server);
            }
            _ => {}
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        ctx.close(conn, side);
    }

    /// Repeats the unanswered request of a connection that TCP has given up.
    fn on_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(channel) = self.channels.remove(&conn) else { return };
        if self.idle.get(&channel.server) == Some(&conn) {
            self.idle.remove(&channel.server);
        }
        if let Some(call) = channel.call {
            self.ask(ctx, channel.server, call);
        }
    }

    /// Adds one row of `rounds` for each round that has begun, with the bytes of its answers.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        delivery::report::<declared::Rounds>(
            "round",
            flow,
            |bytes| self.path.ideal_answer(bytes),
            &self.rounds,
            tables,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, MILLISECOND, PATH, SECOND};
    use ackclock_results::Column;

    /// Four answers of 12.5 kB, each of which takes 100 ms at 1 Mbit/s.
    fn params() -> RpcParams {
        RpcParams {
            servers: 4,
            rounds: Some(3),
            request: Distribution::Constant(100),
            response: Distribution::Constant(12_500),
            server_think: Distribution::Constant(30 * MILLISECOND),
            think: Distribution::Constant(SECOND),
            persistent: true,
        }
    }

    fn run(change: impl FnOnce(&mut RpcParams)) -> FakeNetwork<Rpc> {
        let mut params = params();
        change(&mut params);
        let mut network = FakeNetwork::new(1_000_000, Rpc::new(params, PATH));
        network.delay = 20 * MILLISECOND;
        network.run_until(10 * SECOND);
        network
    }

    fn durations(network: &FakeNetwork<Rpc>) -> Vec<Option<f64>> {
        let mut tables = AppTables::new();
        network.app.report("r", network.now, &mut tables);
        let Some(Column::Float(cells)) = tables["rounds"].column("duration_s") else { panic!("no durations") };
        cells.clone()
    }

    fn opens(network: &FakeNetwork<Rpc>) -> Vec<Nanos> {
        let open =
            |(at, command): &(Nanos, Command)| matches!(command, Command::Open { .. }).then_some(at / MILLISECOND);
        network.log.iter().filter_map(open).collect()
    }

    /// The handshake takes 40 ms, the request 20, the think time 30, the four answers 400, and the one-way delay 20 ms.
    #[test]
    fn rounds_are_synchronised_and_wait_for_the_last_answer() {
        let network = run(|_| {});
        assert_eq!(durations(&network), [Some(0.51), Some(0.47), Some(0.47)], "a handshake less");
        assert_eq!(opens(&network), [0; 4]);
        let asked: Vec<_> = network.writes(Side::Sink).iter().map(|(at, _)| at / MILLISECOND).collect();
        assert_eq!(asked, [[40; 4], [1_510; 4], [2_980; 4]].concat());
        let answered: Vec<_> = network.writes(Side::Source).iter().map(|(at, _)| at / MILLISECOND).collect();
        assert_eq!(answered, [[90; 4], [1_560; 4], [3_030; 4]].concat(), "all at once");
        assert!(network.app.channels.is_empty(), "closed after the last round");
    }

    #[test]
    fn the_connection_to_a_server_leads_to_its_host() {
        let network = run(|params| (params.persistent, params.rounds) = (false, Some(2)));
        let pair = |(_, command): &(Nanos, Command)| match command {
            Command::Open { pair, .. } => Some(*pair),
            _ => None,
        };
        assert_eq!(network.log.iter().filter_map(pair).collect::<Vec<_>>(), [0, 1, 2, 3, 0, 1, 2, 3]);
    }

    #[test]
    fn a_fresh_connection_for_each_answer() {
        let network = run(|params| params.persistent = false);
        assert_eq!(durations(&network), [Some(0.51); 3]);
        assert_eq!(opens(&network), [[0; 4], [1_510; 4], [3_020; 4]].concat());
        assert!(network.app.channels.is_empty());
    }

    #[test]
    fn without_end_and_without_pause() {
        let network = run(|params| {
            params.rounds = None;
            params.think = Distribution::Constant(0);
            params.server_think = Distribution::Constant(0);
        });
        // The first round takes 480 ms, the further rounds 440 ms each, in 10 s.
        assert_eq!(durations(&network).len(), 1 + 22);
        assert_eq!(durations(&network).last(), Some(&None));
    }

    #[test]
    fn what_a_connection_that_died_owed_is_asked_for_anew() {
        let mut network = FakeNetwork::new(1_000_000, Rpc::new(RpcParams { rounds: Some(1), ..params() }, PATH));
        network.run_until(MILLISECOND);
        network.reset(Conn(2));
        network.run_until(10 * SECOND);
        assert_eq!(opens(&network), [0, 0, 0, 0, 1]);
        assert!(durations(&network)[0].is_some() && network.app.channels.is_empty());
    }
}
