//! The web: sessions of pages, pages of objects, objects over parallel connections.
//!
//! The structure is that of the usual generators (Barford and Crovella's SURGE, SIGMETRICS 1998; ns-2's PackMime and webtraf):
//! sessions arrive as a Poisson process, or a number of users never leave; a page is a main object and, once that is there,
//! others that it embeds, fetched over up to so many connections at once; between pages the user thinks. The client is
//! the sink, which opens the connections and asks; the server is the source. Distributions are the scenario's: none is
//! built in.
//!
//! What a session asks for is drawn from a stream of its own in the order of its requests, so sessions are alike whatever
//! the network makes of them. Finished sessions and connections are forgotten: memory grows with what is open at once.

use std::collections::BTreeMap;

use super::completion::{Completions, Path};
use super::{AppContext, AppTables, Application, Conn, Side};
use ackclock_core::Distribution;
use ackclock_core::Nanos;
use ackclock_core::Stream;

mod fields;
mod report;
#[cfg(test)]
mod tests;

pub use fields::Fields;

use report::{ObjectRow, PageRow};

/// What a connection is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reuse {
    /// One object, after which the server closes it.
    Object,
    /// The objects of one page.
    Page,
    /// All pages of a session.
    Session,
}

/// Who asks for pages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Visitors {
    /// Sessions that arrive as a Poisson process, so many per second.
    Sessions(f64),
    /// So many users who never leave.
    Users(u32),
}

/// What sessions are like. Times in nanoseconds, sizes in bytes; counts and sizes of zero are taken as one.
#[derive(Clone, Debug)]
pub struct WebParams {
    /// Who asks.
    pub visitors: Visitors,
    /// Pages of a session.
    pub pages: Distribution,
    /// Thinking before a user's page, and before each but the first of a session.
    pub think: Distribution,
    /// Objects of a page.
    pub objects: Distribution,
    /// Size of an object other than a main one.
    pub object_size: Distribution,
    /// Size of a main object.
    pub main_size: Distribution,
    /// Size of a request.
    pub request_size: Distribution,
    /// From a request's arrival to the answer.
    pub server_think: Distribution,
    /// The most connections that carry objects of a page at once.
    pub parallel: u32,
    /// What connections are used for.
    pub reuse: Reuse,
    /// Whether every page and object is remembered.
    pub records: bool,
}

/// A session, or a user.
#[derive(Debug)]
struct Visit {
    /// Counts sessions in the order of their arrival, and users.
    number: u64,
    random: Stream,
    /// Pages still to come; none for a user.
    pages_left: Option<u64>,
    /// Pages asked for.
    pages: u64,
    page: Page,
    /// Connections that carry nothing at the moment.
    idle: Vec<Conn>,
}

/// The page that a visit fetches, or has fetched last.
#[derive(Clone, Copy, Default, Debug)]
struct Page {
    start: Nanos,
    /// Objects of the page, those not asked for, and those on their way.
    objects: u64,
    left: u64,
    active: u32,
    /// Whether the main object is there, and the bytes of all that are.
    main: bool,
    bytes: u64,
}

/// An object on its way.
#[derive(Clone, Copy, Debug)]
struct Object {
    /// The visit's place.
    visit: u32,
    index: u64,
    request: u64,
    think: Nanos,
    size: u64,
    start: Nanos,
}

/// A connection that is not over.
#[derive(Clone, Copy, Debug)]
struct Channel {
    connected: bool,
    object: Option<Object>,
    /// Whether the request has reached the server.
    seen: bool,
    /// The visit whose connection it is as long as that keeps it.
    visit: u32,
    /// Stream bytes of all requests and of all answers, those under way included.
    requests: u64,
    responses: u64,
}

/// All sessions of a client host and the server that they ask.
#[derive(Debug)]
pub struct Web {
    params: WebParams,
    channels: BTreeMap<Conn, Channel>,
    /// Visits, and the places free among them.
    visits: Vec<Option<Visit>>,
    free: Vec<u32>,
    counts: Counts,
    objects: Completions,
    pages: Completions,
    object_rows: Vec<ObjectRow>,
    page_rows: Vec<PageRow>,
}

/// What happened so far.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    sessions: u64,
    sessions_done: u64,
    pages: u64,
    objects: u64,
    /// Objects whose connection TCP gave up.
    failed: u64,
    connections: u64,
    /// The most connections that were open at once.
    connections_max: usize,
}

/// Timers: the next session arrives. Others carry one of these and a number.
const ARRIVE: u64 = u64::MAX;
/// The visit at that place has thought.
const THOUGHT: u64 = 1 << 32;
/// The server has thought about what came over that connection.
const RESPOND: u64 = 2 << 32;

impl Web {
    /// Sessions with these parameters over a path.
    pub fn new(params: WebParams, path: Path) -> Web {
        Web {
            params,
            channels: BTreeMap::new(),
            visits: Vec::new(),
            free: Vec::new(),
            counts: Counts::default(),
            objects: Completions::new(path),
            pages: Completions::new(path),
            object_rows: Vec::new(),
            page_rows: Vec::new(),
        }
    }

    /// A visit that has not begun, in a place.
    fn visit(&mut self, ctx: &mut AppContext<'_>, sessions: bool) -> u32 {
        let seed = u64::from(ctx.random.bits32()) << 32 | u64::from(ctx.random.bits32());
        let mut random = Stream::new(seed, "session");
        let pages_left = sessions.then(|| self.params.pages.draw(&mut random).max(1));
        let number = self.counts.sessions;
        self.counts.sessions += 1;
        let visit = Visit { number, random, pages_left, pages: 0, page: Page::default(), idle: Vec::new() };
        let place = self.free.pop().unwrap_or_else(|| {
            self.visits.push(None);
            self.visits.len() as u32 - 1
        });
        self.visits[place as usize] = Some(visit);
        place
    }

    fn next_arrival(&mut self, ctx: &mut AppContext<'_>, rate: f64) {
        let gap = Distribution::Exponential(libm::round(1e9 / rate) as u64).draw(ctx.random);
        ctx.timer(ctx.now.saturating_add(gap), ARRIVE);
    }

    fn think(&mut self, ctx: &mut AppContext<'_>, place: u32) {
        let Some(visit) = &mut self.visits[place as usize] else { return };
        let think = self.params.think.draw(&mut visit.random);
        ctx.timer(ctx.now.saturating_add(think), THOUGHT | u64::from(place));
    }

    fn begin_page(&mut self, ctx: &mut AppContext<'_>, place: u32) {
        let Some(visit) = &mut self.visits[place as usize] else { return };
        let objects = self.params.objects.draw(&mut visit.random).max(1);
        visit.page = Page { start: ctx.now, objects, left: objects, ..Page::default() };
        visit.pages += 1;
        visit.pages_left = visit.pages_left.map(|left| left - 1);
        self.counts.pages += 1;
        self.fetch(ctx, place);
    }

    /// Asks for as much of the page as may be on its way at once; the main object comes alone.
    fn fetch(&mut self, ctx: &mut AppContext<'_>, place: u32) {
        while let Some(visit) = &mut self.visits[place as usize] {
            let page = &mut visit.page;
            let most = if page.main { self.params.parallel } else { 1 };
            if page.left == 0 || page.active >= most {
                return;
            }
            let index = page.objects - page.left;
            page.left -= 1;
            page.active += 1;
            let size = if index == 0 { &self.params.main_size } else { &self.params.object_size };
            let object = Object {
                visit: place,
                index,
                request: self.params.request_size.draw(&mut visit.random).max(1),
                think: self.params.server_think.draw(&mut visit.random),
                size: size.draw(&mut visit.random).max(1),
                start: ctx.now,
            };
            let kept = visit.idle.pop();
            self.ask(ctx, kept, object);
        }
    }

    fn ask(&mut self, ctx: &mut AppContext<'_>, kept: Option<Conn>, object: Object) {
        let conn = kept.unwrap_or_else(|| {
            let conn = ctx.open(Side::Sink);
            let visit = object.visit;
            let new = Channel { connected: false, object: None, seen: false, visit, requests: 0, responses: 0 };
            self.channels.insert(conn, new);
            self.counts.connections += 1;
            self.counts.connections_max = self.counts.connections_max.max(self.channels.len());
            conn
        });
        let Some(channel) = self.channels.get_mut(&conn) else { return };
        channel.object = Some(object);
        channel.seen = false;
        channel.requests += object.request;
        channel.responses += object.size;
        if channel.connected {
            ctx.write(conn, Side::Sink, object.request);
        }
    }

    fn respond(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        if let Some(object) = self.channels.get(&conn).and_then(|channel| channel.object) {
            ctx.write(conn, Side::Source, object.size);
            if self.params.reuse == Reuse::Object {
                ctx.close(conn, Side::Source);
            }
        }
    }

    /// The client has all of an object.
    fn arrived(&mut self, ctx: &mut AppContext<'_>, conn: Conn, object: Object) {
        let Some(visit) = &mut self.visits[object.visit as usize] else { return };
        if self.params.reuse != Reuse::Object {
            visit.idle.push(conn);
        }
        visit.page.bytes += object.size;
        self.counts.objects += 1;
        self.objects.record(object.size, ctx.now - object.start);
        if self.params.records {
            let (session, page) = (visit.number, visit.pages - 1);
            self.object_rows.push(ObjectRow { session, page, object, end: ctx.now });
        }
        self.over(ctx, object);
    }

    /// An object is no longer on its way: others are, or the page is complete.
    fn over(&mut self, ctx: &mut AppContext<'_>, object: Object) {
        let place = object.visit;
        let Some(visit) = &mut self.visits[place as usize] else { return };
        visit.page.main = true;
        visit.page.active -= 1;
        if visit.page.active > 0 || visit.page.left > 0 {
            return self.fetch(ctx, place);
        }
        let page = visit.page;
        self.pages.record(page.bytes, ctx.now - page.start);
        if self.params.records {
            let (session, index) = (visit.number, visit.pages - 1);
            self.page_rows.push(PageRow { session, index, page, end: ctx.now });
        }
        let leaves = visit.pages_left == Some(0);
        if leaves || self.params.reuse == Reuse::Page {
            for conn in std::mem::take(&mut visit.idle) {
                ctx.close(conn, Side::Sink);
            }
        }
        if leaves {
            self.visits[place as usize] = None;
            self.free.push(place);
            self.counts.sessions_done += 1;
        } else {
            self.think(ctx, place);
        }
    }
}

impl Application for Web {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        match self.params.visitors {
            Visitors::Sessions(rate) => self.next_arrival(ctx, rate),
            Visitors::Users(users) => {
                for _ in 0..users {
                    let user = self.visit(ctx, false);
                    self.think(ctx, user);
                }
            }
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        let number = token as u32;
        if token != ARRIVE {
            return if token & RESPOND != 0 { self.respond(ctx, Conn(number)) } else { self.begin_page(ctx, number) };
        }
        if let Visitors::Sessions(rate) = self.params.visitors {
            self.next_arrival(ctx, rate);
            let session = self.visit(ctx, true);
            self.begin_page(ctx, session);
        }
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink
            && let Some(channel) = self.channels.get_mut(&conn)
        {
            channel.connected = true;
            if let Some(object) = channel.object {
                ctx.write(conn, Side::Sink, object.request);
            }
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side, total: u64) {
        let Some(channel) = self.channels.get_mut(&conn) else { return };
        let Some(object) = channel.object else { return };
        match side {
            Side::Source if !channel.seen && total >= channel.requests => {
                channel.seen = true;
                match object.think {
                    0 => self.respond(ctx, conn),
                    think => ctx.timer(ctx.now.saturating_add(think), RESPOND | u64::from(conn.0)),
                }
            }
            Side::Sink if total >= channel.responses => {
                channel.object = None;
                self.arrived(ctx, conn, object);
            }
            _ => {}
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        ctx.close(conn, side);
    }

    /// An object whose connection TCP has given up is left out of the page.
    fn on_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(channel) = self.channels.remove(&conn) else { return };
        if let Some(object) = channel.object {
            self.counts.failed += 1;
            self.over(ctx, object);
        } else if let Some(visit) = &mut self.visits[channel.visit as usize] {
            visit.idle.retain(|kept| *kept != conn);
        }
    }

    /// One row of `web` for the flow, and its objects and pages in `completions` and `completion_bins`; with records, a row
    /// for each of `web_objects` and `web_pages`.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        self.report_web(flow, tables);
    }
}
