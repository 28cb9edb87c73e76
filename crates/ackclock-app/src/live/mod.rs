//! Live video at low latency: DASH with chunked transfer (CMAF), over one persistent HTTP connection.
//!
//! - **Encoder**: a segment is cut into chunks of equal duration and size. The server has a chunk `encode` after its last
//!   moment was recorded. Chunks as long as segments are a live presentation without chunked transfer.
//! - **Requests**: the client (the sink) requests one segment at a time, in the level that its rate adaptation chooses. A
//!   request goes out when the segment before has arrived and the first chunk of the segment is there (the
//!   `availabilityTimeOffset` of a manifest). The server (the source) answers with the chunks that it has, and sends
//!   each further chunk when it has it.
//! - **Playback**: the client joins `latency` behind the live edge, and does not move this position while it waits for
//!   media. A chunk can be played when its last byte has arrived.
//! - **Catch-up**: every 100 ms, and with each chunk, the playback rate follows the latency, as in the modes of dash.js.
//!   A client that is more than `max_drift` behind its target skips to the target with its next request; the request
//!   under way is not aborted.
//! - **Rate adaptation**: the rules of `dash`. A download from the live edge takes as long as the media does, however
//!   fast the network is. So the rules hear of a download as if all bytes had come at the rate at which chunks came
//!   (`measure`). Rules that hold a large buffer, such as BOLA, were not made for a few seconds.
//!
//! The latency is the time from an event to its playback, without the delays of a camera and a screen (presentation
//! latency of DASH-IF's guidelines). It grows in stalls.

pub(crate) mod catchup;
mod encoder;
mod fields;
pub(crate) mod latency;
mod meter;
pub(crate) mod player;
pub(crate) mod report;
#[cfg(test)]
mod tests;

use ackclock_core::{Nanos, Stream};

use crate::abr::{Abr, Decision, Download, SegmentSizes, Setup, State, Upcoming};
use crate::{AppContext, AppTables, Application, Conn, Side};

pub use catchup::CatchUp;
use encoder::{Cut, Encoder};
pub use fields::Fields;
pub(crate) use fields::catchup as catchup_by_name;
use latency::Latencies;
pub use meter::Measure;
use meter::Meter;
use player::{Phase, Player};

/// Interval at which the client looks at its latency: `wallclockTimeUpdateInterval` of dash.js.
pub(crate) const TICK: Nanos = 100_000_000;

/// Tokens of timers.
mod token {
    /// The client checks again whether to request a segment.
    pub const LOOK: u64 = 0;
    /// The server's think time ends.
    pub const RESPOND: u64 = 1;
    /// The server has another chunk.
    pub const CHUNK: u64 = 2;
    pub const TICK: u64 = 3;
    pub const SAMPLE: u64 = 4;
}

/// A segment that was requested.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Number in the presentation.
    number: u64,
    /// Index in the ladder.
    level: usize,
    cut: Cut,
    requested: Nanos,
    buffer_at_request: Nanos,
    /// Chunks that the server has sent.
    sent: u64,
    /// Chunks that have arrived.
    received: u64,
    /// Time at which the first byte of the response arrived.
    first_byte: Option<Nanos>,
    meter: Meter,
    arrival: Option<Arrival>,
}

impl Segment {
    /// Returns the time that the segment's bytes took, as `measure` says, up to the arrival `done`.
    fn transfer(&self, measure: Measure, first_byte: Nanos, done: Nanos) -> Nanos {
        let whole = done.saturating_sub(first_byte);
        match measure {
            Measure::Segments => whole,
            Measure::Chunks => self.meter.time_of(self.cut.bytes()).unwrap_or(whole),
        }
    }
}

/// The end of a segment's download.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Nanos,
    /// Time that the segment's bytes took, as the rule heard it.
    transfer: Nanos,
    /// Buffer with the segment.
    buffer: Nanos,
    /// Time from an event to its playback.
    latency: Nanos,
    /// Time spent stalled since the arrival of the previous segment.
    stalled: Nanos,
}

/// The connection and both its ends, from the start of the flow.
struct Session {
    conn: Conn,
    encoder: Encoder,
    player: Player,
    sizes: SegmentSizes,
    /// Number of the segment to request next.
    next: u64,
    /// Stream bytes of all requests, and whether the last request has reached the server.
    request_bytes: u64,
    request_seen: bool,
    /// Stream bytes of all responses before the last response, and including it.
    response_start: u64,
    response_end: u64,
    /// Number of stalls up to the last look, and whether the buffer has not recovered since.
    seen: u32,
    recovering: bool,
    /// Number of stalls, and the time spent in them, up to the last arrival.
    stalls: u32,
    stalled: Nanos,
    skips: u32,
    skipped: Nanos,
}

impl Session {
    /// Returns the time from an event to its playback.
    fn latency(&self, now: Nanos) -> Nanos {
        self.encoder.edge(now).saturating_sub(self.player.position())
    }
}

/// One client and its server.
pub struct Live {
    fields: Fields,
    abr: Box<dyn Abr>,
    session: Option<Session>,
    /// Segments in order; all but the last have arrived.
    segments: Vec<Segment>,
    latencies: Latencies,
    samples: Vec<report::Sample>,
}

impl Live {
    /// Creates the client and the server of a flow.
    pub fn new(fields: Fields, flow: &str) -> Live {
        let setup = Setup {
            ladder: &fields.ladder,
            segment: fields.segment,
            capacity: fields.latency.max(fields.segment),
            safety: fields.safety,
            estimator: fields.estimator,
        };
        let abr = fields.abr.make(&setup, flow);
        Live { fields, abr, session: None, segments: Vec::new(), latencies: Latencies::default(), samples: Vec::new() }
    }

    /// Requests the next segment if its first chunk is there and the rule wants it now; otherwise sets a timer to check
    /// again.
    fn look(&mut self, ctx: &mut AppContext<'_>) {
        let Some(session) = &mut self.session else { return };
        if self.segments.last().is_some_and(|segment| segment.arrival.is_none()) {
            return;
        }
        session.player.advance(ctx.now);
        skip(session, &self.fields, ctx.now);
        let there_at = session.encoder.there_at(session.next, 0);
        if there_at > ctx.now {
            return ctx.timer(there_at, token::LOOK);
        }
        let buffer = session.player.buffer();
        let playing = session.player.phase() == Phase::Playing;
        let state = State {
            now: ctx.now,
            buffer,
            previous: self.segments.last().map(|segment| segment.level),
            playing,
            latency: Some(session.latency(ctx.now)),
            upcoming: Upcoming {
                ladder: &self.fields.ladder,
                segment: self.fields.segment,
                given: &[],
                multipliers: Some(&session.sizes),
                index: self.segments.len(),
                count: None,
            },
        };
        let Decision { level, wait } = self.abr.choose(&state);
        // Waiting for the buffer to drain makes sense only while it drains.
        if wait > 0 && playing {
            return ctx.timer(ctx.now.saturating_add(wait), token::LOOK);
        }
        let cut =
            Cut::next(&mut session.sizes, self.fields.ladder[level], self.fields.segment, session.encoder.chunks());
        self.segments.push(Segment {
            number: session.next,
            level,
            cut,
            requested: ctx.now,
            buffer_at_request: buffer,
            sent: 0,
            received: 0,
            first_byte: None,
            meter: Meter::default(),
            arrival: None,
        });
        session.next += 1;
        session.request_bytes = session.request_bytes.saturating_add(self.fields.request_size);
        session.request_seen = false;
        session.response_start = session.response_end;
        session.response_end += self.fields.header_size + cut.bytes();
        ctx.write(session.conn, Side::Sink, self.fields.request_size);
    }

    /// Handles the state in which the server has received `total` bytes of requests.
    fn at_server(&mut self, ctx: &mut AppContext<'_>, total: u64) {
        let Some(session) = &mut self.session else { return };
        if session.request_seen || total < session.request_bytes {
            return;
        }
        session.request_seen = true;
        match self.fields.think {
            0 => self.serve(ctx, self.fields.header_size),
            think => ctx.timer(ctx.now.saturating_add(think), token::RESPOND),
        }
    }

    /// Sends a header, and the chunks that the server has and has not sent.
    fn serve(&mut self, ctx: &mut AppContext<'_>, header: u64) {
        let (Some(session), Some(segment)) = (&self.session, self.segments.last_mut()) else { return };
        let sent = segment.cut.upto(segment.sent);
        let chunks = session.encoder.chunks();
        while segment.sent < chunks && session.encoder.there_at(segment.number, segment.sent) <= ctx.now {
            segment.sent += 1;
        }
        let bytes = header + segment.cut.upto(segment.sent) - sent;
        if bytes > 0 {
            ctx.write(session.conn, Side::Source, bytes);
        }
        if segment.sent < chunks {
            ctx.timer(session.encoder.there_at(segment.number, segment.sent), token::CHUNK);
        }
    }

    /// Handles the state in which the client has received `total` bytes of responses.
    fn at_client(&mut self, ctx: &mut AppContext<'_>, total: u64) {
        let (Some(session), Some(segment)) = (&mut self.session, self.segments.last_mut()) else { return };
        if segment.arrival.is_some() || total <= session.response_start {
            return;
        }
        let first_byte = *segment.first_byte.get_or_insert(ctx.now);
        session.player.advance(ctx.now);
        let before = session.player.buffer();
        let media = session.response_start + self.fields.header_size;
        let (chunks, already) = (session.encoder.chunks(), segment.received);
        while segment.received < chunks {
            let end = media + segment.cut.upto(segment.received + 1);
            if total > media + segment.cut.upto(segment.received) {
                segment.meter.read(ctx.now, total);
            }
            if total < end {
                break;
            }
            segment.meter.complete(ctx.now, end);
            session.player.append(ctx.now, session.encoder.end(segment.number, segment.received));
            segment.received += 1;
        }
        if segment.received == chunks {
            let player = &session.player;
            if player.stalls() > session.stalls {
                self.abr.on_stall();
            }
            let transfer = segment.transfer(self.fields.measure, first_byte, ctx.now);
            let stalled = player.stalled() - session.stalled;
            let latency = session.latency(ctx.now);
            segment.arrival = Some(Arrival { at: ctx.now, transfer, buffer: player.buffer(), latency, stalled });
            (session.stalls, session.stalled) = (player.stalls(), player.stalled());
            // The rule hears of a transfer that ended now. A measured transfer may be longer than the time of the run.
            let begun = ctx.now.saturating_sub(transfer);
            self.abr.on_segment(&Download {
                level: segment.level,
                bytes: segment.cut.bytes(),
                requested: begun.saturating_sub(first_byte - segment.requested),
                first_byte: begun,
                done: ctx.now,
                buffer_at_request: segment.buffer_at_request,
                buffer_before: before,
                buffer_after: player.buffer(),
            });
        }
        if segment.received > already {
            self.control(ctx.now);
            self.look(ctx);
        }
    }

    /// Lets the playback rate follow the latency.
    fn control(&mut self, now: Nanos) {
        let Some(session) = &mut self.session else { return };
        session.player.advance(now);
        if session.player.stalls() > session.seen {
            session.seen = session.player.stalls();
            session.recovering = true;
        } else if session.player.buffer() > self.fields.latency / 2 {
            session.recovering = false;
        }
        let seconds = |time: Nanos| time as f64 / 1e9;
        let inputs = catchup::Inputs {
            latency: seconds(session.latency(now)),
            target: seconds(self.fields.latency),
            buffer: seconds(session.player.buffer()),
            recovering: session.recovering,
        };
        let rate = self.fields.control().next(session.player.rate(), inputs);
        session.player.set_rate(rate);
    }

    fn on_tick(&mut self, ctx: &mut AppContext<'_>) {
        self.control(ctx.now);
        if let Some(session) = &self.session
            && session.player.startup_time().is_some()
        {
            self.latencies.record(session.latency(ctx.now));
        }
        ctx.timer(ctx.now.saturating_add(TICK), token::TICK);
    }

    fn on_sample(&mut self, ctx: &mut AppContext<'_>) {
        let (Some(session), Some(interval)) = (&mut self.session, self.fields.sample) else { return };
        session.player.advance(ctx.now);
        let level = self.segments.last().map(|segment| self.fields.ladder[segment.level]);
        self.samples.push(report::Sample::new(ctx.now, session, level));
        ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
    }
}

/// Moves a client that is too far behind its target to the target, if that is in a later segment than the next.
fn skip(session: &mut Session, fields: &Fields, now: Nanos) {
    let Some(most) = fields.max_drift else { return };
    if session.latency(now) <= fields.latency.saturating_add(most) {
        return;
    }
    let target = session.encoder.edge(now) - fields.latency;
    let number = session.encoder.segment_at(target);
    if number <= session.next {
        return;
    }
    // Each segment has its own draw, whether or not it is requested.
    (session.next..number).for_each(|_| {
        session.sizes.next_multiplier();
    });
    session.next = number;
    session.skips += 1;
    session.skipped += target - session.player.position();
    session.player.seek(now, target);
}

impl Application for Live {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        let seed = u64::from(ctx.random.bits32()) << 32 | u64::from(ctx.random.bits32());
        let fields = &self.fields;
        let encoder = Encoder::new(fields.segment, fields.chunk, fields.encode, fields.latency);
        let position = encoder.edge(ctx.now) - fields.latency;
        self.session = Some(Session {
            conn: ctx.open(Side::Sink),
            encoder,
            player: Player::new(ctx.now, position, fields.startup, fields.resume),
            sizes: SegmentSizes::new(Stream::new(seed, "segment sizes"), fields.size_cv),
            next: encoder.segment_at(position),
            request_bytes: 0,
            request_seen: true,
            response_start: 0,
            response_end: 0,
            seen: 0,
            recovering: false,
            stalls: 0,
            stalled: 0,
            skips: 0,
            skipped: 0,
        });
        ctx.timer(ctx.now.saturating_add(TICK), token::TICK);
        if let Some(interval) = fields.sample {
            ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
        }
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

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        match token {
            token::RESPOND => self.serve(ctx, self.fields.header_size),
            token::CHUNK => self.serve(ctx, 0),
            token::TICK => self.on_tick(ctx),
            token::SAMPLE => self.on_sample(ctx),
            _ => self.look(ctx),
        }
    }

    /// Adds a row of `live`, a row of `live_segments` for each segment, and rows of `live_samples` if they were asked
    /// for.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        report::session(self, flow, now, tables);
        report::segments(self, flow, tables);
        report::samples(&self.samples, flow, tables);
    }
}
