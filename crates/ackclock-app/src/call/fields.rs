//! The fields that a scenario gives a call.

use ackclock_core::headers::UDP_IPV4;
use ackclock_core::{Ecn, Nanos};
use ackclock_media::Format;

use super::control::{Chosen, rate_control};
use super::fec::Code;
use super::rtp;
use super::{Call, Parity};
use crate::completion::Path;
use crate::demand::{Demand, repeated};
use crate::fields::{
    Flag, OneOf, RATE, Rules, TIME, count, default, list, one_of, optional, quoted, rate, real, record, required,
    table, time, volume,
};
use crate::kind::{AppKind, Made};

record! {
    /// One direction of a video call: frames of an encoder, whose rate follows a congestion control for media, go from
    /// the source to the sink in RTP packets.
    pub struct Fields {
        /// Congestion control of the media.
        control: Chosen = default("gcc", rate_control());
        /// Least rate of the video, with all headers.
        min_rate: u64 = default("150kbps", rate().positive());
        /// Largest rate of the video, with all headers.
        max_rate: u64 = default("1500kbps", rate().positive());
        /// Rate of the video at the start, with all headers.
        start_rate: Option<u64> = optional("min_rate", rate().positive());
        /// Frames per second.
        fps: u32 = default(30, count("frames per second", 1, 240));
        /// Time for which the media is sent.
        on: Option<Nanos> = optional("until the run ends", time().positive());
        /// Times in which neither video nor audio is sent.
        pauses: Option<Vec<Pause>> = optional("none", list("pause", table()));
        /// Least time between two changes of the encoder's rate (tau_v of RFC 8593 section 5.1).
        reaction: Nanos = default("200ms", time());
        /// Scale of the Laplace distribution of frame sizes about their mean (SCALE_B of RFC 8593 section 5.3).
        size_scale: f64 = default(0.15, real(0.0, 1.0));
        /// Scale of the Laplace distribution of the times between frames about their mean (SCALE_t of RFC 8593 section
        /// 5.3).
        interval_scale: f64 = default(0.15, real(0.0, 1.0));
        /// Frames over which an abrupt change of the rate, or a key frame, is visible in frame sizes (K_d of RFC 8593
        /// section 5.2).
        burst_frames: u32 = default(8, count("frames", 2, 1_000));
        /// Size of the first of these frames over the mean frame size (K_B of RFC 8593 over B0: 13.5 kB over 4.17 kB).
        burst_size: f64 = default(3.24, real(1.0, 100.0));
        /// Relative change of the rate from which on it is abrupt.
        abrupt: f64 = default(0.2, real(0.0, 100.0));
        /// Time between key frames. The first frame is a key frame, and the receiver asks for more if it needs them.
        key_interval: Option<Nanos> = optional("key frames on request alone", time().positive());
        /// Recorded frame sizes of an encoder, one list for each of several rates (RFC 8593 section 6). Sizes between two
        /// rates are interpolated.
        trace: Option<Vec<Trace>> = optional("the statistical model of RFC 8593 section 5", list("recorded rate", table()));
        /// Largest RTP payload.
        payload: u32 = default("1200B", volume().within(100, 65_000));
        /// Waiting time in the pacer from which on the encoder skips frames.
        skip_after: Nanos = default("500ms", time().positive());
        /// Rate of the audio's payload, whose packets hold 20 ms each and pass the congestion control by.
        audio: Option<u64> = optional("no audio", rate().positive());
        /// Whether the receiver asks for lost packets (NACK).
        nack: bool = default(true, Flag);
        /// Requests for the same packet at most.
        nack_retries: u32 = default(10, count("requests", 1, 1_000));
        /// Forward error correction beside the requests.
        fec: Option<Fec> = optional("none", table());
        /// Time after its capture for which a frame with missing packets is waited for; then the receiver asks for a key
        /// frame.
        wait: Nanos = default("1s", time().positive());
        /// Least delay from the capture of a frame to its play-out.
        playout: Nanos = default("0s", time());
        /// Largest delay that the jitter buffer adds so that frames play at even intervals.
        playout_max: Nanos = default("1s", time());
        /// Format of the receiver's reports.
        feedback: Option<Format> = optional("that of the control: twcc for gcc, ccfb for the others", format());
        /// Time between the receiver's reports.
        feedback_interval: Option<Nanos> = optional("that of the control", time().within(1_000_000, 10_000_000_000));
        /// ECN field of the video's packets.
        ecn: Ecn = default("off", ecn());
        /// Whether a circuit breaker (RFC 8083) stops the media.
        breaker: bool = default(false, Flag);
        /// Whether each frame is a row of `call_frames`.
        frames: bool = default(false, Flag);
        /// Interval of the rows of `call_rates`.
        sample: Option<Nanos> = optional("no rows", time().positive());
    }
}

record! {
    /// Forward error correction of the video's packets by XOR parity (FlexFEC, RFC 8627).
    pub struct Fec {
        /// Packets that have a parity.
        parity: Parity = default("rows", parity());
        /// Packets in a row (L of RFC 8627).
        columns: u32 = required(count("packets", 1, 255));
        /// Rows of a block, where columns have a parity (D of RFC 8627).
        rows: Option<u32> = optional("rows alone have a parity", count("rows", 2, 255));
    }
}

record! {
    /// A pause of the media.
    pub struct Pause {
        /// Beginning, from the start of the flow.
        at: Nanos = required(time());
        /// End, from the start of the flow.
        until: Nanos = required(time());
    }
}

record! {
    /// Frame sizes of an encoder at one rate.
    pub struct Trace {
        /// Target rate of the encoder.
        rate: u64 = required(rate().positive());
        /// Sizes of the frames in their order; after the last one they start again behind the first 20.
        sizes: Vec<u64> = required(list("frame size", volume().positive()));
    }
}

fn parity() -> OneOf<Parity> {
    let options = [
        ("rows", Parity::Rows, "a repair packet for each row, which repairs one loss of the row"),
        (
            "columns",
            Parity::Columns,
            "a repair packet for each column of a block, which repairs bursts as long as a row",
        ),
        ("both", Parity::Both, "both"),
    ];
    one_of("parity", options)
}

fn format() -> OneOf<Format> {
    let options = [
        ("ccfb", Format::Ccfb, "RTP congestion control feedback (RFC 8888)"),
        ("twcc", Format::Twcc, "transport-wide feedback, as WebRTC has it"),
    ];
    one_of("format", options)
}

fn ecn() -> OneOf<Ecn> {
    let options = [
        ("off", Ecn::NotEct, "packets are dropped and never marked"),
        ("ect0", Ecn::Ect0, "ECN-capable (RFC 3168)"),
        ("ect1", Ecn::Ect1, "ECN-capable, for L4S (RFC 9331)"),
    ];
    one_of("ECN field", options)
}

impl Fields {
    /// Returns the rate of the video at the start.
    pub(super) fn first_rate(&self) -> u64 {
        self.start_rate.unwrap_or(self.min_rate)
    }

    /// Returns the code of the forward error correction.
    pub(super) fn code(&self) -> Option<Code> {
        let fec = self.fec.as_ref()?;
        Some(Code { parity: fec.parity, columns: fec.columns.into(), rows: fec.rows.unwrap_or(1).into() })
    }

    /// Returns the most bytes of a packet.
    pub(super) fn packet_size(&self) -> u32 {
        UDP_IPV4 + rtp::HEADER + self.payload
    }
}

impl AppKind for Fields {
    fn check(&self, rules: &mut Rules<'_, '_>) {
        let [least, most, start] = [self.min_rate, self.max_rate, self.first_rate()].map(|rate| RATE.write(rate));
        let needs = [rules.at.key("min_rate")];
        let message = format!("is less than min_rate; accepted: at least {least}");
        let inverted = self.max_rate < self.min_rate;
        rules.refuse(inverted, "max_rate", &needs, &most, message);
        let needs = [rules.at.key("min_rate"), rules.at.key("max_rate")];
        let message = format!("is not between min_rate and max_rate; accepted: from {least} to {most}");
        let outside = !(self.min_rate..=self.max_rate).contains(&self.first_rate());
        rules.refuse(outside && !inverted, "start_rate", &needs, &start, message);
        let message = format!("is more than playout_max; accepted: at most {}", quoted(&TIME.write(self.playout_max)));
        let needs = [rules.at.key("playout_max")];
        rules.refuse(self.playout > self.playout_max, "playout", &needs, &TIME.write(self.playout), message);
        let empty = self.pauses.iter().flatten().position(|pause| pause.until <= pause.at);
        let message =
            format!("has pause {} that does not end after it begins; accepted: until after at", empty.unwrap_or(0));
        rules.refuse(empty.is_some(), "pauses", &[], "", message);
        let traces = self.trace.as_deref().unwrap_or_default();
        let ascending = traces.windows(2).all(|pair| pair[0].rate < pair[1].rate);
        let message = "has rates that do not ascend; accepted: each rate once, in ascending order".to_owned();
        rules.refuse(!ascending, "trace", &[], "", message);
        if let Some(fec) = &self.fec {
            let mut rules = rules.of("fec");
            let columns = fec.parity != Parity::Rows;
            let parity = rules.at.key("parity");
            let message = "needs the number of rows; accepted: rows, or parity = \"rows\"";
            rules.refuse(columns && fec.rows.is_none(), "parity", &[], "rows", message);
            let message = "has no effect, because rows alone have a parity; accepted: no rows, or another parity";
            rules.refuse(!columns && fec.rows.is_some(), "rows", &[parity], "", message);
        }
        let alike = traces.windows(2).all(|pair| pair[0].sizes.len() == pair[1].sizes.len());
        let message = "has lists of different lengths; accepted: as many sizes for each rate".to_owned();
        rules.refuse(!alike, "trace", &[], "", message);
    }

    fn demand(&self, time: f64, _path: Path) -> Demand {
        let time = self.on.map_or(time, |on| time.min(on as f64 / 1e9));
        let frames = repeated(time, 1.0 / f64::from(self.fps));
        let size = f64::from(self.packet_size());
        // Each frame ends in a packet that is not full, and its loss may be repaired once.
        let ends = if self.fec.is_some() { 3.0 * frames } else { frames };
        let video = time * self.max_rate as f64 / 8.0 / size + ends;
        let audio = if self.audio.is_some() { repeated(time, rtp::AUDIO_FRAME as f64 / 1e9) } else { 0.0 };
        // Reports come every 20 ms at most, if no interval is given.
        let interval = self.feedback_interval.map_or(0.02, |interval| interval as f64 / 1e9);
        let samples = self.sample.map_or(0.0, |sample| repeated(time, sample as f64 / 1e9));
        let datagrams = video + audio + repeated(time, interval);
        let bytes = time * self.max_rate as f64 / 8.0 + frames * 400.0 + audio * 200.0;
        Demand {
            datagrams,
            datagram_size: (bytes / datagrams).max(f64::from(UDP_IPV4)),
            rows: 1.0 + samples + if self.frames { frames } else { 0.0 },
            ..Demand::default()
        }
    }

    fn make(&self, _path: Path, _flow: &str) -> Made {
        Ok(Box::new(Call::new(self.clone())))
    }
}
