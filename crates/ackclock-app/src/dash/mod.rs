//! DASH: a client that streams a presentation segment by segment over one persistent HTTP connection, and its server.
//!
//! The client (the sink) opens the connection, then requests one segment at a time in the level that its rate
//! adaptation chooses. The server (the source) answers after its think time. Once the buffer has no room for another
//! segment, the client pauses until there is room. From then on it is ON during a download and OFF for the rest of each
//! segment's duration; the server's TCP is idle in the OFF periods.
//!
//! The client of a live presentation requests a segment only when the segment is available. The client does not catch
//! up: each stall adds to its latency.

use super::{AppContext, AppTables, Application, Conn, ParamProblem, Side};
use ackclock_core::Nanos;
use ackclock_core::Stream;

mod fields;
mod live;
mod params;
pub mod player;
mod report;
#[cfg(test)]
mod tests;

pub(crate) use fields::estimator;
pub use fields::{Fields, LiveFields};
pub use params::DashParams;

use crate::abr::{Abr, Decision, Download, SegmentSizes, Setup, State, Upcoming, segment_bytes};
use live::Live;
use player::{Phase, Player};

/// Token of the timer after which the client checks again whether to request a segment.
const LOOK: u64 = 0;
/// Token of the timer that ends the server's think time.
const RESPOND: u64 = 1;

/// A segment that was requested.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Index in the ladder.
    level: usize,
    /// Media bytes, without the response header.
    bytes: u64,
    requested: Nanos,
    buffer_at_request: Nanos,
    /// Time at which the first byte of the response arrived.
    first_byte: Option<Nanos>,
    arrival: Option<Arrival>,
}

/// The end of a segment's download.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    /// Time at which the last byte arrived.
    at: Nanos,
    /// Buffer level with the segment.
    buffer: Nanos,
    /// Time spent stalled since the arrival of the previous segment.
    stalled: Nanos,
}

/// The connection and both its ends, from the start of the flow.
struct Session {
    conn: Conn,
    /// The presentation's clock; `None` for video on demand.
    live: Option<Live>,
    player: Player,
    sizes: SegmentSizes,
    think: Stream,
    /// Stream bytes of all requests (`request_bytes`), and whether the last request has reached the server
    /// (`request_seen`).
    request_bytes: u64,
    request_seen: bool,
    /// Stream bytes of all responses before the last response, and including it.
    response_start: u64,
    response_end: u64,
    /// Number of stalls, and the time spent in them, up to the last arrival.
    stalls: u32,
    stalled: Nanos,
}

/// One client and its server.
pub struct Dash {
    params: DashParams,
    abr: Box<dyn Abr>,
    session: Option<Session>,
    /// Segments in order; all but the last have arrived.
    segments: Vec<Segment>,
}

impl Dash {
    /// Creates the client and the server of a flow with these parameters.
    ///
    /// # Errors
    /// [`DashParams::problems`], if there are any.
    pub fn new(params: DashParams, flow: &str) -> Result<Dash, Vec<ParamProblem>> {
        let problems = params.problems();
        if !problems.is_empty() {
            return Err(problems);
        }
        let setup = Setup {
            ladder: &params.ladder,
            segment: params.segment,
            capacity: params.buffer,
            safety: params.safety,
            estimator: params.estimator,
        };
        let abr = params.abr.make(&setup, flow);
        Ok(Dash { params, abr, session: None, segments: Vec::new() })
    }

    /// Requests the next segment if there is room for it and the rule wants it now; otherwise sets a timer to check
    /// again.
    fn look(&mut self, ctx: &mut AppContext<'_>) {
        let Some(session) = &mut self.session else { return };
        session.player.advance(ctx.now);
        let room_at = session.player.drained_to(self.params.buffer - self.params.segment);
        let there_at = session.live.map_or(0, |live| live.available(self.segments.len()));
        if room_at.max(there_at) > ctx.now {
            ctx.timer(room_at.max(there_at), LOOK);
            return;
        }
        let buffer = session.player.buffer();
        let previous = self.segments.last().map(|segment| segment.level);
        let playing = session.player.phase() == Phase::Playing;
        let upcoming = Upcoming {
            ladder: &self.params.ladder,
            segment: self.params.segment,
            given: &self.params.sizes,
            multipliers: Some(&session.sizes),
            index: self.segments.len(),
            count: self.params.segments,
        };
        let latency = session.live.map(|live| live.latency(session.player.still()));
        let state = State { now: ctx.now, buffer, previous, playing, latency, upcoming };
        let Decision { level, wait } = self.abr.choose(&state);
        // Waiting for the buffer to drain makes sense only while it drains.
        if wait > 0 && playing {
            ctx.timer(ctx.now.saturating_add(wait), LOOK);
            return;
        }

        let multiplier = session.sizes.next_multiplier();
        let bytes = match self.params.sizes.get(level) {
            Some(sizes) => sizes[self.segments.len() % sizes.len()],
            None => segment_bytes(self.params.ladder[level], self.params.segment, multiplier),
        };
        self.segments.push(Segment {
            level,
            bytes,
            requested: ctx.now,
            buffer_at_request: buffer,
            first_byte: None,
            arrival: None,
        });
        session.request_bytes = session.request_bytes.saturating_add(self.params.request_size);
        session.request_seen = false;
        session.response_start = session.response_end;
        session.response_end = session.response_start.saturating_add(self.params.header_size).saturating_add(bytes);
        ctx.write(session.conn, Side::Sink, self.params.request_size);
    }

    /// Handles the state in which the server has received `total` bytes of requests.
    fn at_server(&mut self, ctx: &mut AppContext<'_>, total: u64) {
        let Some(session) = &mut self.session else { return };
        if session.request_seen || total < session.request_bytes {
            return;
        }
        session.request_seen = true;
        let jitter = session.think.below(self.params.think_jitter.saturating_add(1));
        match self.params.think.saturating_add(jitter) {
            0 => self.respond(ctx),
            think => ctx.timer(ctx.now.saturating_add(think), RESPOND),
        }
    }

    fn respond(&mut self, ctx: &mut AppContext<'_>) {
        if let Some(session) = &self.session {
            ctx.write(session.conn, Side::Source, session.response_end - session.response_start);
        }
    }

    /// Handles the state in which the client has received `total` bytes of responses.
    fn at_client(&mut self, ctx: &mut AppContext<'_>, total: u64) {
        let (Some(session), Some(segment)) = (&mut self.session, self.segments.last_mut()) else { return };
        if segment.arrival.is_some() || total <= session.response_start {
            return;
        }
        let first_byte = *segment.first_byte.get_or_insert(ctx.now);
        if total < session.response_end {
            return;
        }

        let player = &mut session.player;
        player.advance(ctx.now);
        let buffer_before = player.buffer();
        if player.stalls() > session.stalls {
            self.abr.on_stall();
        }
        player.append(ctx.now, self.params.segment);
        segment.arrival =
            Some(Arrival { at: ctx.now, buffer: player.buffer(), stalled: player.stalled() - session.stalled });
        session.stalls = player.stalls();
        session.stalled = player.stalled();
        self.abr.on_segment(&Download {
            level: segment.level,
            bytes: segment.bytes,
            requested: segment.requested,
            first_byte,
            done: ctx.now,
            buffer_at_request: segment.buffer_at_request,
            buffer_before,
            buffer_after: player.buffer(),
        });

        if self.params.segments.is_some_and(|count| self.segments.len() >= count as usize) {
            player.complete(ctx.now);
            ctx.close(session.conn, Side::Sink);
        } else {
            self.look(ctx);
        }
    }
}

impl Application for Dash {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        // Sizes and think times have separate random streams, so neither depends on how often the other is drawn.
        let seed = u64::from(ctx.random.bits32()) << 32 | u64::from(ctx.random.bits32());
        self.session = Some(Session {
            conn: ctx.open(Side::Sink),
            live: self.params.live.map(|latency| Live::new(ctx.now, latency, self.params.segment)),
            player: Player::new(ctx.now, self.params.startup, self.params.resume),
            sizes: SegmentSizes::new(Stream::new(seed, "segment sizes"), self.params.size_cv),
            think: Stream::new(seed, "think times"),
            request_bytes: 0,
            request_seen: true,
            response_start: 0,
            response_end: 0,
            stalls: 0,
            stalled: 0,
        });
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side) {
        if side == Side::Sink {
            self.look(ctx);
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side, total: u64) {
        match side {
            Side::Source => self.at_server(ctx, total),
            Side::Sink => self.at_client(ctx, total),
        }
    }

    fn on_peer_closed(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Source {
            ctx.close(conn, Side::Source);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        match token {
            RESPOND => self.respond(ctx),
            _ => self.look(ctx),
        }
    }

    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        let player = self.session.as_ref().map(|session| {
            let mut player = session.player.clone();
            player.advance(now);
            player
        });
        let live = self.session.as_ref().and_then(|session| session.live);
        report::session(flow, &self.params.ladder, &self.segments, player.as_ref(), live, tables);
        report::segments(flow, &self.params.ladder, &self.segments, tables);
    }
}
