//! The web: sessions of pages, pages of objects, objects over parallel connections.
//!
//! The structure is that of the usual generators (Barford and Crovella's SURGE, SIGMETRICS 1998; ns-2's PackMime and
//! webtraf). Sessions arrive as a Poisson process, or a number of users never leave. A page is a main object and, once
//! the main object has arrived, the objects that it embeds, fetched over a limited number of parallel connections.
//! Between pages the user thinks. The client is the sink, which opens the connections and sends requests; the server is
//! the source. The sessions share one client host and one server host, or the hosts that the scenario gives them. All
//! distributions are those of the scenario; none is built in.
//!
//! The requests of a session are drawn from a separate stream in the order of its requests, so sessions do not depend
//! on the network. Finished sessions and connections are forgotten: the memory grows with the number that are open at
//! once.

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

/// Use of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reuse {
    /// One object; the server closes the connection after it.
    Object,
    /// The objects of one page.
    Page,
    /// All pages of a session.
    Session,
}

/// The source of page requests.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Visitors {
    /// Sessions that arrive as a Poisson process, with the mean number per second.
    Sessions(f64),
    /// A number of users who never leave.
    Users(u32),
}

/// The parameters of sessions. Times are in nanoseconds and sizes in bytes; counts and sizes of zero are taken as one.
#[derive(Clone, Debug)]
pub struct WebParams {
    /// Source of the page requests.
    pub visitors: Visitors,
    /// Pages of a session.
    pub pages: Distribution,
    /// Think time before each page of a user, and before each page but the first of a session.
    pub think: Distribution,
    /// Objects of a page.
    pub objects: Distribution,
    /// Size of an object other than a main one.
    pub object_size: Distribution,
    /// Size of a main object.
    pub main_size: Distribution,
    /// Size of a request.
    pub request_size: Distribution,
    /// Time from a request's arrival to the answer.
    pub server_think: Distribution,
    /// Maximum number of connections that carry objects of a page at once.
    pub parallel: u32,
    /// Use of a connection.
    pub reuse: Reuse,
    /// Whether every page and object is recorded.
    pub records: bool,
}

/// A session, or a user.
#[derive(Debug)]
struct Visit {
    /// Number of the session in the order of arrival, or number of the user.
    number: u64,
    random: Stream,
    /// Remaining pages; `None` for a user.
    pages_left: Option<u64>,
    /// Number of pages requested.
    pages: u64,
    page: Page,
    /// Connections that carry no object at the moment.
    idle: Vec<Conn>,
}

/// The page that a visit is fetching, or has fetched last.
#[derive(Clone, Copy, Default, Debug)]
struct Page {
    start: Nanos,
    /// Number of objects of the page, of objects not yet requested, and of objects in progress.
    objects: u64,
    left: u64,
    active: u32,
    /// Whether the main object has arrived, and the bytes of all objects that have arrived.
    main: bool,
    bytes: u64,
}

/// An object in progress.
#[derive(Clone, Copy, Debug)]
struct Object {
    /// Index of the visit.
    visit: u32,
    index: u64,
    request: u64,
    think: Nanos,
    size: u64,
    start: Nanos,
}

/// A connection that is open.
#[derive(Clone, Copy, Debug)]
struct Channel {
    connected: bool,
    object: Option<Object>,
    /// Whether the request has reached the server.
    seen: bool,
    /// Index of the visit to which the connection belongs.
    visit: u32,
    /// Stream bytes of all requests and of all answers, including those in progress.
    requests: u64,
    responses: u64,
}

/// All sessions of a client host, and their server.
#[derive(Debug)]
pub struct Web {
    params: WebParams,
    channels: BTreeMap<Conn, Channel>,
    /// Visits (`visits`), and the free indices among them (`free`).
    visits: Vec<Option<Visit>>,
    free: Vec<u32>,
    counts: Counts,
    path: Path,
    objects: Completions,
    pages: Completions,
    object_rows: Vec<ObjectRow>,
    page_rows: Vec<PageRow>,
}

/// Counts of the run so far.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    sessions: u64,
    sessions_done: u64,
    pages: u64,
    objects: u64,
    /// Objects whose connection TCP gave up.
    failed: u64,
    connections: u64,
    /// Maximum number of connections that were open at once.
    connections_max: usize,
}

/// Token of the timer for the next session. Other tokens carry one of the following marks and a number.
const ARRIVE: u64 = u64::MAX;
/// The think time of the visit with that index is over.
const THOUGHT: u64 = 1 << 32;
/// The server's think time for the request on that connection is over.
const RESPOND: u64 = 2 << 32;

impl Web {
    /// Creates sessions with these parameters over a path.
    pub fn new(params: WebParams, path: Path) -> Web {
        Web {
            params,
            channels: BTreeMap::new(),
            visits: Vec::new(),
            free: Vec::new(),
            counts: Counts::default(),
            path,
            objects: Completions::default(),
            pages: Completions::default(),
            object_rows: Vec::new(),
            page_rows: Vec::new(),
        }
    }

    /// Creates a visit that has not begun, and returns its index.
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

    /// Requests as many objects of the page as may be in progress at once; the main object is requested alone.
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
            let visit = object.visit;
            let number = self.visits[visit as usize].as_ref().map_or(0, |visit| visit.number);
            let conn = ctx.open_between(number as u32, Side::Sink);
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

    /// Handles the arrival of all bytes of an object.
    fn arrived(&mut self, ctx: &mut AppContext<'_>, conn: Conn, object: Object) {
        let Some(visit) = &mut self.visits[object.visit as usize] else { return };
        if self.params.reuse != Reuse::Object {
            visit.idle.push(conn);
        }
        visit.page.bytes += object.size;
        self.counts.objects += 1;
        self.objects.record(object.size, ctx.now - object.start, self.path.ideal_answer(object.size));
        if self.params.records {
            let (session, page) = (visit.number, visit.pages - 1);
            self.object_rows.push(ObjectRow { session, page, object, end: ctx.now });
        }
        self.over(ctx, object);
    }

    /// Handles the end of an object: requests further objects, or completes the page.
    fn over(&mut self, ctx: &mut AppContext<'_>, object: Object) {
        let place = object.visit;
        let Some(visit) = &mut self.visits[place as usize] else { return };
        visit.page.main = true;
        visit.page.active -= 1;
        if visit.page.active > 0 || visit.page.left > 0 {
            return self.fetch(ctx, place);
        }
        let page = visit.page;
        self.pages.record(page.bytes, ctx.now - page.start, self.path.ideal_answer(page.bytes));
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

    /// Leaves out of the page an object whose connection TCP has given up.
    fn on_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn) {
        let Some(channel) = self.channels.remove(&conn) else { return };
        if let Some(object) = channel.object {
            self.counts.failed += 1;
            self.over(ctx, object);
        } else if let Some(visit) = &mut self.visits[channel.visit as usize] {
            visit.idle.retain(|kept| *kept != conn);
        }
    }

    /// Adds one row of `web` for the flow, and its objects and pages to `completions` and `completion_bins`. With
    /// records, adds a row for each of them to `web_objects` and `web_pages`.
    fn report(&self, flow: &str, _now: Nanos, tables: &mut AppTables) {
        self.report_web(flow, tables);
    }
}
