//! Live video over streams, as far as Media over QUIC (draft-ietf-moq-transport-11) needs them for priorities and for the
//! drop of late groups.
//!
//! - **Source**: a video of a constant rate is a sequence of groups of pictures. A group begins with a key frame and needs
//!   no other group. A frame is an object of the draft, and a group is a subgroup of its own: one unidirectional stream,
//!   in which each frame is written as soon as it is made. The subscription begins with the group that begins next.
//! - **Priorities**: with the order `descending` a newer group has a higher priority (the draft's group order), so that
//!   an older group gets what newer groups leave. With `ascending` it is the other way round.
//! - **Drop**: the source resets the stream of a group whose delivery is not acknowledged `delivery_timeout` after its last
//!   frame, with the draft's code for that. The draft has a timeout for each object. A transport tells when a stream is
//!   delivered and not when a frame is, so that the timeout of the last object of a group stands for all.
//! - **Playback**: the sink begins to play a group `latency` after its begin. Frames are played in order. After the
//!   last frame before a gap playback stalls, until the frame arrives, or the sink learns that the group was dropped: then
//!   it goes on with the next group of which frames have arrived. A sink that is more than `max_drift` behind its
//!   target skips to a newer group. The playback rate follows the latency as in `live`.
//! - **One stream**: `streams = "one"` sends the same bytes in one stream in order, over TCP or any other transport.
//!   This is the baseline: a lost packet delays all frames after it.
//!
//! The latency is the time from an event to its playback, without the delays of a camera and a screen. There are no relays,
//! no audio and no choice of a rate.

mod fields;
mod group;
mod report;
#[cfg(test)]
mod tests;
mod viewer;

use ackclock_core::{Nanos, Stream};

use crate::abr::{SegmentSizes, segment_bytes};
use crate::live::TICK;
use crate::{AppContext, AppTables, Application, Conn, Side, StreamEvent};

pub use fields::Fields;
use group::{Clock, Group};
use viewer::{Viewer, Wish};

/// The streams that carry the groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Streams {
    /// A unidirectional stream for each group.
    Groups,
    /// One stream for all groups.
    One,
}

/// The order in which groups leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Newer groups have higher priorities.
    Descending,
    /// Older groups have higher priorities.
    Ascending,
}

/// Code of a reset after the delivery timeout (draft-ietf-moq-transport-11, section 9.4.3).
const DELIVERY_TIMEOUT: u64 = 2;

/// Tokens of timers.
mod token {
    /// The source has another frame.
    pub const FRAME: u64 = 0;
    pub const TICK: u64 = 1;
    pub const SAMPLE: u64 = 2;
    /// Playback may begin.
    pub const BEGIN: u64 = 3;
    /// The media before a gap runs out.
    pub const RUN_OUT: u64 = 4;
    /// The delivery timeout of the first group; those of the others follow.
    pub const TIMEOUTS: u64 = 5;
}

/// The connection and the source.
struct Session {
    conn: Conn,
    sizes: SegmentSizes,
    /// The clock, once the request has arrived.
    clock: Option<Clock>,
    /// Frames of the last group that were written.
    written: usize,
    /// The group that arrives in the single stream.
    arriving: usize,
}

/// A source of live video and its sink.
pub struct Moq {
    fields: Fields,
    session: Option<Session>,
    groups: Vec<Group>,
    viewer: Viewer,
}

impl Moq {
    /// Creates the source and the sink of a flow.
    pub fn new(fields: Fields) -> Moq {
        Moq { fields, session: None, groups: Vec::new(), viewer: Viewer::default() }
    }

    /// Begins the subscription with the group that begins next.
    fn subscribe(&mut self, ctx: &mut AppContext<'_>) {
        let Some(session) = &mut self.session else { return };
        let Fields { group, frame, encode, .. } = self.fields;
        let clock = Clock { group, frame, encode, first: ctx.now.div_ceil(group) };
        session.clock = Some(clock);
        ctx.timer(clock.made_at(0, 0), token::FRAME);
    }

    /// Writes the next frame.
    fn publish(&mut self, ctx: &mut AppContext<'_>) {
        let Some(Session { conn, sizes, clock: Some(clock), written, .. }) = &mut self.session else { return };
        let frames = self.fields.frames();
        if self.groups.is_empty() || *written == frames {
            *written = 0;
            let bytes = segment_bytes(self.fields.rate, self.fields.group, sizes.next_multiplier());
            let offset = self.groups.last().map_or(0, |group| group.offset + group.bytes());
            let number = clock.first + self.groups.len() as u64;
            self.groups.push(Group::new(number, bytes, frames, self.fields.key_frame, offset));
            if self.fields.streams == Streams::Groups {
                let place = self.groups.len() as i32;
                let priority = if self.fields.order == Order::Descending { place } else { -place };
                ctx.open_stream(*conn, Side::Source, priority);
            }
        }
        let last = self.groups.len() - 1;
        let bytes = self.groups[last].written(*written);
        *written += 1;
        let stream = last as u32;
        match self.fields.streams {
            Streams::One => ctx.write(*conn, Side::Source, bytes),
            Streams::Groups => ctx.write_stream(*conn, Side::Source, stream, bytes),
        }
        let next = if *written < frames { clock.made_at(last, *written) } else { clock.made_at(last + 1, 0) };
        ctx.timer(next, token::FRAME);
        if *written == frames && self.fields.streams == Streams::Groups {
            ctx.finish_stream(*conn, Side::Source, stream);
            if let Some(timeout) = self.fields.delivery_timeout {
                ctx.timer(ctx.now.saturating_add(timeout), token::TIMEOUTS + last as u64);
            }
        }
    }

    /// Drops a group that is not delivered.
    fn on_timeout(&mut self, ctx: &mut AppContext<'_>, group: usize) {
        let (Some(session), Some(late)) = (&self.session, self.groups.get_mut(group)) else { return };
        if !late.delivered {
            late.reset = Some(ctx.now);
            ctx.reset_stream(session.conn, Side::Source, group as u32, DELIVERY_TIMEOUT);
        }
    }

    /// Handles the arrival of all bytes of a group up to `total`.
    fn arrive(&mut self, ctx: &mut AppContext<'_>, group: usize, total: u64) {
        let Some(clock) = self.session.as_ref().and_then(|session| session.clock) else { return };
        if self.groups.get_mut(group).is_some_and(|group| group.arrive(ctx.now, total)) {
            let wish = self.viewer.on_frames(ctx.now, clock, group, &self.fields);
            call_for(ctx, wish);
            self.follow(ctx);
        }
    }

    /// Handles the arrival of `total` bytes of the single stream.
    fn arrive_in_order(&mut self, ctx: &mut AppContext<'_>, total: u64) {
        while let Some(session) = &self.session
            && let place = session.arriving
            && let Some(group) = self.groups.get(place)
            && total > group.offset
        {
            let (bytes, end) = (total - group.offset, group.offset + group.bytes());
            self.arrive(ctx, place, bytes);
            if total < end {
                return;
            }
            self.session.iter_mut().for_each(|session| session.arriving += 1);
        }
    }

    fn follow(&mut self, ctx: &mut AppContext<'_>) {
        let wish = self.viewer.follow(ctx.now, &self.groups, &self.fields);
        call_for(ctx, wish);
    }
}

/// Sets the timer for what the sink wants to be called for.
fn call_for(ctx: &mut AppContext<'_>, wish: Option<Wish>) {
    match wish {
        Some(Wish::Begin(at)) => ctx.timer(at, token::BEGIN),
        Some(Wish::RunOut(at)) => ctx.timer(at, token::RUN_OUT),
        None => {}
    }
}

impl Application for Moq {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        let seed = u64::from(ctx.random.bits32()) << 32 | u64::from(ctx.random.bits32());
        self.viewer = Viewer::new(ctx.now);
        self.session = Some(Session {
            conn: ctx.open(Side::Sink),
            sizes: SegmentSizes::new(Stream::new(seed, "group sizes"), self.fields.size_cv),
            clock: None,
            written: 0,
            arriving: 0,
        });
        ctx.timer(ctx.now.saturating_add(TICK), token::TICK);
        if let Some(interval) = self.fields.sample {
            ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
        }
    }

    fn on_connected(&mut self, ctx: &mut AppContext<'_>, conn: Conn, side: Side) {
        if side == Side::Sink {
            ctx.write(conn, Side::Sink, self.fields.request_size);
        }
    }

    fn on_received(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side, total: u64) {
        match side {
            Side::Source => {
                let waits = self.session.as_ref().is_some_and(|session| session.clock.is_none());
                if waits && total >= self.fields.request_size {
                    self.subscribe(ctx);
                }
            }
            Side::Sink => self.arrive_in_order(ctx, total),
        }
    }

    fn on_stream(&mut self, ctx: &mut AppContext<'_>, _conn: Conn, side: Side, stream: u32, event: StreamEvent) {
        let place = stream as usize;
        let Some(group) = self.groups.get_mut(place) else { return };
        match (side, event) {
            (Side::Source, StreamEvent::Delivered) => group.delivered = true,
            (Side::Sink, StreamEvent::Received(total)) => self.arrive(ctx, place, total),
            (Side::Sink, StreamEvent::Reset(_)) => {
                group.is_gone = true;
                self.follow(ctx);
            }
            _ => {}
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        match token {
            token::FRAME => self.publish(ctx),
            token::TICK => {
                self.follow(ctx);
                self.viewer.record(ctx.now);
                ctx.timer(ctx.now.saturating_add(TICK), token::TICK);
            }
            token::SAMPLE => {
                self.follow(ctx);
                self.viewer.sample(ctx.now);
                let interval = self.fields.sample.unwrap_or(Nanos::MAX);
                ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
            }
            token::BEGIN => {
                self.viewer.begin();
                self.follow(ctx);
            }
            token::RUN_OUT => self.follow(ctx),
            timeout => self.on_timeout(ctx, (timeout - token::TIMEOUTS) as usize),
        }
    }

    /// Adds a row of `moq`, a row of `moq_groups` for each group, and rows of `moq_samples` if they were asked for.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        report::session(self, flow, now, tables);
        report::groups(self, flow, now, tables);
        report::samples(&self.viewer.samples, flow, tables);
    }
}
