//! Small worlds for the tests of the engine, and an observer that checks the events.

use ackclock_core::Rate;

use ackclock_app::{AppContext, AppTables, Application, Conn, Side};
use ackclock_core::Nanos;
use ackclock_net::Limit;
use ackclock_results::{Column, Table};
use ackclock_sim::dumbbell::{Access, Dumbbell};
use ackclock_sim::endpoint::Event;
use ackclock_sim::ids::{EndpointId, LinkId};
use ackclock_sim::link::LinkSpec;
use ackclock_sim::measures::FlowLabels;
use ackclock_sim::observe::{NetworkEvent, Observer, Who};
use ackclock_sim::world::{FlowSpec, World};
use ackclock_tcp::{Config, Segment, stack};

pub const MBPS: u64 = 1_000_000;
pub const MS: Nanos = 1_000_000;
pub const SECOND: Nanos = 1_000_000_000;

pub fn rate(bps: u64) -> Rate {
    Rate::new(bps).unwrap()
}

/// An application that sends until the run ends.
pub struct Endless;

impl Application for Endless {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        let conn = ctx.open(Side::Source);
        ctx.write(conn, Side::Source, 1 << 40);
    }

    fn report(&self, _flow: &str, _now: Nanos, _tables: &mut AppTables) {}
}

/// An application with one connection after the other. The sink asks, the source answers and closes, both ends close,
/// and the next connection begins after a random pause.
pub struct OneAfterTheOther {
    pub left: u32,
    pub bytes: u64,
    pub done: u32,
}

impl Application for OneAfterTheOther {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.left -= 1;
        let conn = ctx.open(Side::Sink);
        ctx.write(conn, Side::Sink, 100);
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        if side == Side::Source && total == 100 {
            ctx.write(conn, side, self.bytes);
            ctx.close(conn, side);
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        ctx.close(conn, side);
    }

    fn on_closed(&mut self, ctx: &mut AppContext<'_>, _conn: Conn) {
        self.done += 1;
        if self.left > 0 {
            let pause = ctx.random.below(10 * MS);
            ctx.timer(ctx.now + pause, 0);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, _token: u64) {
        self.on_start(ctx);
    }

    fn report(&self, _flow: &str, _now: Nanos, tables: &mut AppTables) {
        let done = Column::Int(vec![Some(self.done.into())]);
        tables.insert("done", Table { columns: vec![("done", done)] });
    }
}

/// Returns a world of `flows` by name with the stack `rfc`, otherwise as [`world_of`].
pub fn world<O: Observer>(
    flows: Vec<(&str, Box<dyn Application>)>,
    bottleneck: u64,
    limit: Limit,
    jitter: Nanos,
    seed: u64,
    duration: Nanos,
    observer: O,
) -> World<O> {
    let config = (stack::by_name("rfc").unwrap().config)();
    let flows = flows.into_iter().map(|(name, app)| (name, app, config.clone())).collect();
    world_of(flows, bottleneck, limit, jitter, seed, duration, observer)
}

/// Returns a world of `flows` by name on a dumbbell of `bottleneck` bit/s, with 20 ms in each direction and access
/// links ten times as fast.
pub fn world_of<O: Observer>(
    flows: Vec<(&str, Box<dyn Application>, Config)>,
    bottleneck: u64,
    limit: Limit,
    jitter: Nanos,
    seed: u64,
    duration: Nanos,
    observer: O,
) -> World<O> {
    let way = LinkSpec::drop_tail(rate(bottleneck), 16 * MS, limit);
    let mut dumbbell = Dumbbell::new(way.clone(), way);
    let access = Access { rate: rate(10 * bottleneck), source_delay: 2 * MS, sink_delay: 2 * MS };
    let flows = flows
        .into_iter()
        .map(|(name, app, config)| FlowSpec {
            labels: FlowLabels {
                name: name.to_owned(),
                stack: "test".into(),
                cc: "reno".into(),
                validation: "none",
                pacing: "off",
                app: "test",
            },
            config: config.into(),
            app,
            start: 0,
            start_jitter: jitter,
            hosts: [1; 2],
            routes: vec![dumbbell.flow(access)],
            route_changes: Vec::new(),
            paths: None,
            offload: Default::default(),
            class: 0,
            headers: ackclock_net::queue::Headers::default(),
            delays: false,
            readers: [None, None],
        })
        .collect();
    World::new(dumbbell.topology, flows, seed, duration, observer)
}

pub const FORWARD: LinkId = LinkId(0);
pub const REVERSE: LinkId = LinkId(1);

/// An observer that replays a link's events against its rate, delay and limit in packets, and counts packets.
#[derive(Default)]
pub struct Verifier {
    /// Rate, delay and limit of the links to be checked.
    pub links: Vec<(u64, Nanos, usize)>,
    /// Starts of the packets in the queue and last departure, for each link.
    pub state: Vec<(Vec<Nanos>, Nanos)>,
    pub sent: u64,
    pub dropped: u64,
    pub delivered: u64,
    pub longest_queue: usize,
    /// Time and first sequence number of the first segment from the source, for each connection.
    pub opened: Vec<(u32, Conn, Nanos, u32)>,
    /// Times at which sources sent anything.
    pub source_sent: Vec<Nanos>,
    /// Number of endpoints in use so far.
    pub endpoints: u32,
}

impl Observer for Verifier {
    fn opened(&mut self, endpoint: EndpointId, _generation: u16, _who: Who, _pair: u32) {
        self.endpoints = self.endpoints.max(endpoint.number() + 1);
    }

    fn endpoint(&mut self, now: Nanos, who: Who, event: Event<'_, Segment>) {
        if let Event::Sent { contents: segment, .. } = event {
            self.sent += 1;
            if who.side == Side::Source {
                self.source_sent.push(now);
            }
            if who.side == Side::Source && segment.flags.has(ackclock_tcp::Flags::SYN) {
                self.opened.push((who.flow.0, who.conn, now, segment.seq));
            }
        }
    }

    fn network(&mut self, at: Nanos, _segment: Option<&Segment>, event: NetworkEvent) {
        match event {
            NetworkEvent::Delivered { .. } => self.delivered += 1,
            NetworkEvent::Datagram { .. }
            | NetworkEvent::Arrived { .. }
            | NetworkEvent::Copied { .. }
            | NetworkEvent::Sent { .. } => {
                unreachable!("drop-tail links and TCP only")
            }
            NetworkEvent::Dropped { link, .. } => {
                self.dropped += 1;
                let (waiting, _) = &mut self.state[link.0 as usize];
                waiting.retain(|start| *start > at);
                assert_eq!(waiting.len(), self.links[link.0 as usize].2, "a drop at a full queue only");
            }
            NetworkEvent::Enqueued { link, packet, passage } => {
                let Some(&(rate, delay, limit)) = self.links.get(link.0 as usize) else { return };
                let (waiting, last) = &mut self.state[link.0 as usize];
                assert!(passage.start == at.max(*last), "a link is never idle while a packet waits");
                let exact = u64::from(packet.size()) * 8 * SECOND / rate;
                let took = passage.departure - passage.start;
                assert!(took.abs_diff(exact) <= 1, "{took} ns for {} bytes", packet.size());
                assert_eq!(passage.arrival, passage.departure + delay);
                *last = passage.departure;
                waiting.retain(|start| *start > at);
                if passage.start > at {
                    waiting.push(passage.start);
                }
                assert!(waiting.len() <= limit, "a queue keeps its limit");
                self.longest_queue = self.longest_queue.max(waiting.len());
            }
        }
    }
}
