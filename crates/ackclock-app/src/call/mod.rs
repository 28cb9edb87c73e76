//! One direction of a video call: an encoder whose rate follows a congestion control for media, RTP packets behind a
//! pacer, reports of the receiver, retransmissions, a jitter buffer with play-out, and audio beside it.
//!
//! - **Encoder**: the statistical model of RFC 8593 section 5, or recorded frame sizes (section 6). A change of the rate by
//!   more than `abrupt` is a burst of `burst_frames` frames, of which the first is `burst_size` times the mean; a key frame
//!   is one as well. The rates of the call have all headers, and the encoder gets what headers leave of them.
//! - **Pacer**: packets leave at the pacing rate of the control, retransmissions first. While the oldest packet waits for
//!   longer than `skip_after`, the encoder skips frames.
//! - **Feedback**: the receiver reports each packet's arrival (RFC 8888, or transport-wide feedback), and each report repeats
//!   what the one before had. Reports have their size on the reverse path.
//! - **Repair**: a gap is requested at once and again after each round-trip time (NACK). A frame that is not complete `wait`
//!   after its capture is given up, and the receiver asks for a key frame until one comes. Without `nack` it asks at once.
//! - **Forward error correction** (`fec`): repair packets with the parity of rows or columns of packets, as FlexFEC has it
//!   (RFC 8627), follow the packets that they protect and take their part of the rate. Rows alone end with their frame;
//!   other blocks go on over frames. A gap is requested at once, whether or not a repair packet follows.
//! - **Play-out**: a frame is shown when it is decoded, or later so that frames play at even intervals: the largest delay of a
//!   frame in the last 2 s counts. WebRTC has a Kalman filter in this place. Nothing is concealed.
//! - **Audio**: packets of 20 ms, sent as they come, without congestion control and without reports.
//! - **Circuit breaker**: RFC 8083 sections 4.1 to 4.3; the media then stops for the rest of the run. Each report counts as
//!   a reporting interval.
//!
//! The controls have [pages of their own](../media/index.md). On sockets of a real kernel datagrams have no ECN.

mod control;
mod encoder;
mod fec;
mod fields;
mod pacer;
mod playout;
mod receiver;
mod repair;
mod report;
mod rtp;
mod sender;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;
use ackclock_media::Report;

use crate::{AppContext, AppTables, Application, Datagram, Side};

pub use fec::Parity;
pub use fields::Fields;
use receiver::Receiver;
use sender::Sender;

const MILLISECOND: Nanos = 1_000_000;

/// Bit of the number of a datagram that carries audio. The other numbers from the source are transport-wide sequence
/// numbers.
const AUDIO: u64 = 1 << 63;

/// Tokens of timers.
mod token {
    pub const FRAME: u64 = 0;
    pub const PACE: u64 = 1;
    pub const CONTROL: u64 = 2;
    pub const REPORT: u64 = 3;
    pub const REPAIR: u64 = 4;
    pub const AUDIO: u64 = 5;
    pub const SAMPLE: u64 = 6;
    pub const BREAKER: u64 = 7;
}

/// A message of the receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Message {
    /// A congestion control feedback packet.
    Report(Report),
    /// A request for the retransmission of packets, by their RTP sequence numbers (generic NACK, RFC 4585 section
    /// 6.2.1).
    Nack(Vec<u64>),
    /// A request for a key frame (picture loss indication, RFC 4585 section 6.3.1).
    Pli,
}

impl Message {
    /// Returns the size of the message's IP packet.
    fn size(&self) -> u32 {
        match self {
            Message::Report(report) => report.size,
            Message::Nack(numbers) => UDP_IPV4 + 12 + 4 * repair::blocks(numbers),
            Message::Pli => UDP_IPV4 + 12,
        }
    }
}

/// Messages on their way to the sender, by number. A message that has not arrived when many later ones were sent is
/// forgotten.
#[derive(Default, Debug)]
struct Messages {
    next: u64,
    on_way: BTreeMap<u64, Message>,
    count: u64,
    bytes: u64,
}

/// Number of later messages after which a message is forgotten.
const FORGOTTEN: u64 = 4_096;

impl Messages {
    fn send(&mut self, ctx: &mut AppContext<'_>, message: Message) {
        let size = message.size();
        ctx.send(Side::Sink, self.next, size - UDP_IPV4);
        self.on_way.insert(self.next, message);
        self.on_way.remove(&self.next.wrapping_sub(FORGOTTEN));
        self.next += 1;
        self.count += 1;
        self.bytes += u64::from(size);
    }
}

/// A call from source to sink. Both ends are here, and what they know of each other has crossed the network: datagrams
/// carry numbers, under which their contents are kept.
#[derive(Debug)]
pub struct Call {
    fields: Fields,
    start: Nanos,
    sender: Sender,
    receiver: Receiver,
    messages: Messages,
    samples: report::Samples,
    /// Whether the timer of requests is set.
    repairs: bool,
}

impl Call {
    /// Creates a call that has not begun.
    pub fn new(fields: Fields) -> Call {
        Call {
            sender: Sender::new(&fields),
            receiver: Receiver::new(&fields),
            messages: Messages::default(),
            samples: report::Samples::default(),
            start: 0,
            repairs: false,
            fields,
        }
    }

    /// Whether the media is on at a time.
    fn is_on(&self, now: Nanos) -> bool {
        let since = now.saturating_sub(self.start);
        self.fields.on.is_none_or(|on| since < on) && !self.sender.is_stopped()
    }

    /// Whether the media pauses at a time, and until when.
    fn pause_until(&self, now: Nanos) -> Option<Nanos> {
        let since = now.saturating_sub(self.start);
        let pauses = self.fields.pauses.iter().flatten();
        let pause = pauses.filter(|pause| (pause.at..pause.until).contains(&since)).map(|pause| pause.until).max();
        pause.map(|until| self.start.saturating_add(until))
    }

    fn on_frame(&mut self, ctx: &mut AppContext<'_>) {
        if !self.is_on(ctx.now) {
            return;
        }
        if let Some(until) = self.pause_until(ctx.now) {
            return ctx.timer(until, token::FRAME);
        }
        let interval = self.sender.capture(ctx);
        ctx.timer(ctx.now.saturating_add(interval), token::FRAME);
    }

    fn on_audio(&mut self, ctx: &mut AppContext<'_>) {
        if !self.is_on(ctx.now) {
            return;
        }
        if self.pause_until(ctx.now).is_none() {
            self.sender.speak(ctx);
        }
        ctx.timer(ctx.now.saturating_add(rtp::AUDIO_FRAME), token::AUDIO);
    }

    fn on_report_due(&mut self, ctx: &mut AppContext<'_>) {
        if let Some(report) = self.receiver.report(ctx.now) {
            self.messages.send(ctx, Message::Report(report));
        }
        ctx.timer(ctx.now.saturating_add(self.receiver.interval(ctx.now)), token::REPORT);
    }

    /// Sends the requests that are due, and sets the timer of the next.
    fn request(&mut self, ctx: &mut AppContext<'_>) {
        let rtt = self.sender.rtt();
        for message in self.receiver.requests(ctx.now, rtt) {
            self.messages.send(ctx, message);
        }
        if !self.repairs
            && let Some(at) = self.receiver.repair_due(ctx.now)
        {
            self.repairs = true;
            ctx.timer(at, token::REPAIR);
        }
    }
}

impl Application for Call {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.start = ctx.now;
        self.sender.start(ctx.now);
        self.on_frame(ctx);
        if self.fields.audio.is_some() {
            self.on_audio(ctx);
        }
        ctx.timer(ctx.now.saturating_add(self.receiver.interval(ctx.now)), token::REPORT);
        if let Some(interval) = self.fields.sample {
            ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
        }
        if self.fields.breaker {
            ctx.timer(self.sender.breaker_due(), token::BREAKER);
        }
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, token: u64) {
        match token {
            token::FRAME => self.on_frame(ctx),
            token::AUDIO => self.on_audio(ctx),
            token::REPORT => self.on_report_due(ctx),
            token::REPAIR => {
                self.repairs = false;
                self.request(ctx);
            }
            token::SAMPLE => {
                self.samples.take(ctx.now, &mut self.sender, &mut self.receiver);
                if let Some(interval) = self.fields.sample {
                    ctx.timer(ctx.now.saturating_add(interval), token::SAMPLE);
                }
            }
            token::BREAKER => {
                if let Some(at) = self.sender.expire_breaker(ctx.now) {
                    ctx.timer(at, token::BREAKER);
                }
            }
            _ => self.sender.on_timer(ctx, token),
        }
    }

    fn on_datagram(&mut self, ctx: &mut AppContext<'_>, side: Side, datagram: Datagram) {
        if side == Side::Source {
            let message = self.messages.on_way.remove(&datagram.number);
            if let Some(message) = message {
                self.sender.on_message(ctx, &message);
            }
            return;
        }
        if datagram.number & AUDIO != 0 {
            return self.receiver.on_audio(ctx.now, datagram);
        }
        let Some(packet) = self.sender.packet(datagram.number) else { return };
        self.receiver.on_packet(ctx.now, datagram, packet, self.sender.frames(), self.sender.protected());
        self.request(ctx);
    }

    /// Adds a row of `call`, and rows of `call_frames` and `call_rates` if they were asked for.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        report::summary(self, flow, now, tables);
        if self.fields.frames {
            report::frames(self.sender.frames(), self.receiver.played(), flow, tables);
        }
        self.samples.report(flow, tables);
    }
}
