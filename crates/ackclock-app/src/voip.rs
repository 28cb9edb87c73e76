//! One direction of a telephone call: frames of a codec over RTP, a play-out buffer, and the E-model's rating.

use super::completion::Path;
use super::demand::{Demand, repeated};
use super::emodel::{self, Conditions, Equipment};
use super::kind::{AppKind, Made};
use super::{AppContext, AppTables, Application, Datagram, Side};
use crate::fields::{OneOf, default, one_of, optional, real, record, time};
use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;
use ackclock_results::{Row, declared};

record! {
    /// One direction of a telephone call, from the source to the sink; the E-model rates its quality.
    pub struct Fields {
        /// Speech codec of the call.
        codec: Codec = default("g711", codec());
        /// Time that the first packet to arrive spends in the play-out buffer, whose delay is fixed.
        playout: Nanos = default("60ms", time());
        /// Duration of the speech.
        on: Option<Nanos> = optional("until the run ends", time().positive());
        /// Advantage factor of the E-model: the impairment that users accept, up to 20 for places reached by several
        /// satellite hops.
        advantage: f64 = default(0.0, real(0.0, 20.0));
    }
}

impl AppKind for Fields {
    fn demand(&self, time: f64, _path: Path) -> Demand {
        let time = self.on.map_or(time, |on| time.min(on as f64 / 1e9));
        let size = f64::from(self.codec.payload() + RTP_HEADER + UDP_IPV4);
        let datagrams = repeated(time, FRAME as f64 / 1e9);
        Demand { datagrams, datagram_size: size, rows: 1.0, ..Demand::default() }
    }

    fn make(&self, _path: Path, _flow: &str) -> Made {
        Ok(Box::new(Voip::new(self.clone())))
    }
}

/// Returns the codecs by name.
fn codec() -> OneOf<Codec> {
    let options = [
        ("g711", Codec::G711, "64 kbit/s, losses concealed"),
        ("g711-no-plc", Codec::G711WithoutConcealment, "64 kbit/s, silence for what is lost"),
        ("g729", Codec::G729, "8 kbit/s (Annex A)"),
    ];
    one_of("codec", options)
}

/// Size of an RTP header, in bytes (RFC 3550 section 5.1).
const RTP_HEADER: u32 = 12;
const MILLISECOND: Nanos = 1_000_000;
/// Time from one packet to the next, in ns, which is the duration of the speech in a packet.
const FRAME: Nanos = 20 * MILLISECOND;

/// A speech codec; each packet holds 20 ms of speech.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Codec {
    /// G.711, 64 kbit/s, with concealment of losses (G.711 Appendix I).
    G711,
    /// G.711 with silence in the place of lost speech.
    G711WithoutConcealment,
    /// G.729 Annex A, 8 kbit/s.
    G729,
}

impl Codec {
    /// Returns the bytes of speech in a packet.
    fn payload(self) -> u32 {
        match self {
            Codec::G711 | Codec::G711WithoutConcealment => 160,
            Codec::G729 => 20,
        }
    }

    /// Returns the look-ahead of the coder in ns: the time from the end of a packet's speech to the packet.
    fn look_ahead(self) -> Nanos {
        match self {
            Codec::G711 | Codec::G711WithoutConcealment => 0,
            Codec::G729 => 5 * MILLISECOND,
        }
    }

    /// Returns Ie and Bpl (ITU-T G.113 Appendix I).
    pub fn equipment(self) -> Equipment {
        let (impairment, robustness) = match self {
            Codec::G711 => (0.0, 25.1),
            Codec::G711WithoutConcealment => (0.0, 4.3),
            Codec::G729 => (11.0, 19.0),
        };
        Equipment { impairment, robustness }
    }
}

/// Fate of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Missing,
    Played,
    Late,
}

/// Speech from source to sink. The play-out buffer is fixed: the first packet to arrive is played `playout` after its
/// arrival, and every packet is played the same time after its transmission as the first. A packet that arrives after
/// its play-out time is lost to the listener.
#[derive(Debug)]
pub struct Voip {
    fields: Fields,
    start: Nanos,
    /// Fates by packet number; each takes one byte for 20 ms of speech.
    packets: Vec<Fate>,
    /// Time from the transmission of a packet to its play-out, in ns, once a packet has arrived.
    play_after: Option<Nanos>,
    received: u64,
    /// Sum of the delays of the received packets, in ns.
    delays: u128,
}

impl Voip {
    /// Creates a call that has not begun.
    pub fn new(fields: Fields) -> Voip {
        Voip { fields, start: 0, packets: Vec::new(), play_after: None, received: 0, delays: 0 }
    }

    fn sent(&self, number: u64) -> Nanos {
        self.start.saturating_add(number.saturating_mul(FRAME))
    }

    fn speak(&mut self, ctx: &mut AppContext<'_>) {
        ctx.send(Side::Source, self.packets.len() as u64, RTP_HEADER + self.fields.codec.payload());
        self.packets.push(Fate::Missing);
        let next = self.sent(self.packets.len() as u64);
        if self.fields.on.is_none_or(|on| next - self.start < on) {
            ctx.timer(next, 0);
        }
    }

    /// Returns the packets whose play-out time has come.
    fn due(&self, now: Nanos) -> &[Fate] {
        let Some(play_after) = self.play_after else { return &[] };
        let Some(time) = now.checked_sub(self.start.saturating_add(play_after)) else { return &[] };
        let due = time / FRAME + 1;
        &self.packets[..self.packets.len().min(due as usize)]
    }
}

/// Returns the mean length of the runs of packets that are not played, divided by the mean length with random loss, 1 /
/// (1 - loss). The ratio is at least 1, the minimum of the E-model (G.107 section 7.5).
fn burst_ratio(packets: &[Fate], loss: f64) -> f64 {
    let runs = packets.chunk_by(|a, b| (*a == Fate::Played) == (*b == Fate::Played));
    let (lost, runs) =
        runs.filter(|run| run[0] != Fate::Played).fold((0, 0), |(lost, runs), run| (lost + run.len(), runs + 1));
    if runs == 0 { 1.0 } else { (lost as f64 / runs as f64 * (1.0 - loss)).max(1.0) }
}

impl Application for Voip {
    fn on_start(&mut self, ctx: &mut AppContext<'_>) {
        self.start = ctx.now;
        self.speak(ctx);
    }

    fn on_timer(&mut self, ctx: &mut AppContext<'_>, _token: u64) {
        self.speak(ctx);
    }

    fn on_datagram(&mut self, ctx: &mut AppContext<'_>, _side: Side, datagram: Datagram) {
        let delay = ctx.now - datagram.sent;
        let play_after = *self.play_after.get_or_insert(delay.saturating_add(self.fields.playout));
        let fate = &mut self.packets[datagram.number as usize];
        // A duplicate has no effect.
        if *fate == Fate::Missing {
            *fate = if delay > play_after { Fate::Late } else { Fate::Played };
            self.received += 1;
            self.delays += u128::from(delay);
        }
    }

    /// Adds a row of `voip`. It counts the packets whose play-out time has come: `lost` of them had not arrived by the
    /// end of the run, and `late` arrived too late. R and MOS are empty where no play-out time has come.
    fn report(&self, flow: &str, now: Nanos, tables: &mut AppTables) {
        let due = self.due(now);
        let count = |fate| due.iter().filter(|of| **of == fate).count();
        let (lost, late) = (count(Fate::Missing), count(Fate::Late));
        let ms = |time: f64| time / MILLISECOND as f64;
        let delay = self.play_after.map(|time| ms((time + FRAME + self.fields.codec.look_ahead()) as f64));
        let conditions = delay.filter(|_| !due.is_empty()).map(|delay_ms| {
            let loss = (lost + late) as f64 / due.len() as f64;
            Conditions { delay_ms, loss, burst_ratio: burst_ratio(due, loss), advantage: self.fields.advantage }
        });
        let rating = conditions.map(|conditions| emodel::rating(self.fields.codec.equipment(), conditions));
        declared::Voip {
            flow: flow.into(),
            sent: self.packets.len().into(),
            packets: due.len().into(),
            lost: lost.into(),
            late: late.into(),
            loss: conditions.map(|conditions| conditions.loss).into(),
            burst_ratio: conditions.map(|conditions| conditions.burst_ratio).into(),
            delay_mean_ms: (self.received > 0).then(|| ms(self.delays as f64 / self.received as f64)).into(),
            mouth_to_ear_ms: delay.into(),
            r: rating.into(),
            mos: rating.map(emodel::mean_opinion_score).into(),
        }
        .add_to(tables);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Command;
    use crate::fake_network::{FakeNetwork, SECOND};
    use ackclock_core::{Ecn, Stream};
    use ackclock_results::{Column, Table};

    const FIELDS: Fields = Fields { codec: Codec::G711, playout: 60 * MILLISECOND, on: Some(SECOND), advantage: 0.0 };

    fn table(app: &Voip, now: Nanos) -> Table {
        let mut tables = AppTables::new();
        app.report("call", now, &mut tables);
        tables["voip"].clone()
    }

    fn ints(table: &Table) -> [i64; 4] {
        ["sent", "packets", "lost", "late"].map(|name| match table.column(name) {
            Some(Column::Int(cells)) => cells[0].unwrap(),
            other => panic!("{name} is {other:?}"),
        })
    }

    fn float(table: &Table, name: &str) -> Option<f64> {
        match table.column(name) {
            Some(Column::Float(cells)) => cells[0],
            other => panic!("{name} is {other:?}"),
        }
    }

    /// A call whose packets have the given delays in ms; `None` for a lost packet.
    fn call(fields: Fields, delays: &[Option<u64>]) -> Voip {
        let (mut voip, mut random) = (Voip::new(fields), Stream::new(1, "call"));
        let (mut commands, mut next) = (Vec::new(), 0);
        voip.on_start(&mut AppContext::new(0, &mut random, &mut commands, &mut next));
        for number in 1..delays.len() as u64 {
            voip.on_timer(&mut AppContext::new(number * FRAME, &mut random, &mut commands, &mut next), 0);
        }
        for (number, delay) in delays.iter().enumerate() {
            let (number, sent) = (number as u64, number as u64 * FRAME);
            if let Some(delay) = delay {
                let now = sent + delay * MILLISECOND;
                let mut ctx = AppContext::new(now, &mut random, &mut commands, &mut next);
                voip.on_datagram(&mut ctx, Side::Sink, Datagram { number, len: 172, sent, ecn: Ecn::NotEct });
            }
        }
        voip
    }

    #[test]
    fn a_packet_every_20_ms_and_the_rating_of_its_delay() {
        for (codec, len, ear) in [(Codec::G711, 172, 110.0), (Codec::G729, 32, 115.0)] {
            let mut network = FakeNetwork::new(1_000_000, Voip::new(Fields { codec, ..FIELDS }));
            network.delay = 30 * MILLISECOND;
            network.run_until(2 * SECOND);
            let sends: Vec<_> = network
                .log
                .iter()
                .filter_map(|(at, command)| match command {
                    Command::Send { side: Side::Source, number, len, .. } => Some((*at, *number, *len)),
                    _ => None,
                })
                .collect();
            assert_eq!(sends, (0..50).map(|number| (number * FRAME, number, len)).collect::<Vec<_>>());
            let table = table(&network.app, network.now);
            assert_eq!(ints(&table), [50, 50, 0, 0]);
            assert_eq!(float(&table, "delay_mean_ms"), Some(30.0));
            assert_eq!(float(&table, "mouth_to_ear_ms"), Some(ear));
            let clean = Conditions { delay_ms: ear, loss: 0.0, burst_ratio: 1.0, advantage: 0.0 };
            assert_eq!(float(&table, "r"), Some(emodel::rating(codec.equipment(), clean)));
        }
    }

    /// The play-out delay is the first packet's 30 ms plus 60 ms: a delay of 90 ms is in time, a delay of 91 ms is
    /// late.
    #[test]
    fn what_comes_after_its_time_is_late_and_what_never_comes_is_lost() {
        let voip = call(FIELDS, &[Some(30), Some(90), Some(91), None, Some(10), None, Some(30), Some(30)]);
        let all = table(&voip, SECOND);
        assert_eq!(ints(&all), [8, 8, 2, 1]);
        assert_eq!(float(&all, "loss"), Some(0.375));
        // The runs have two packets and one: 1.5 on average, and 1 / (1 - 0.375) with random loss.
        assert_eq!(float(&all, "burst_ratio"), Some(1.5 * 0.625_f64).map(|ratio| ratio.max(1.0)));
        let expected = (30.0 + 90.0 + 91.0 + 10.0 + 30.0 + 30.0) / 6.0;
        assert!((float(&all, "delay_mean_ms").unwrap() - expected).abs() < 1e-9);
        // The packet that is sent at 60 ms is due at 150 ms.
        assert_eq!(ints(&table(&voip, 150 * MILLISECOND)), [8, 4, 1, 1]);
        assert_eq!(ints(&table(&voip, 149 * MILLISECOND)), [8, 3, 0, 1]);
    }

    #[test]
    fn bursts_count() {
        let delays: Vec<_> = (0..100).map(|number| (!(50..60).contains(&number)).then_some(30)).collect();
        let bursty = table(&call(FIELDS, &delays), 10 * SECOND);
        assert_eq!(float(&bursty, "burst_ratio"), Some(10.0 * 0.9));
        let delays: Vec<_> = (0..100).map(|number| (number % 10 != 5).then_some(30)).collect();
        let spread = table(&call(FIELDS, &delays), 10 * SECOND);
        assert_eq!((float(&spread, "loss"), float(&bursty, "loss")), (Some(0.1), Some(0.1)));
        assert!(float(&bursty, "r") < float(&spread, "r"));
        let forgiven = table(&call(Fields { advantage: 20.0, ..FIELDS }, &delays), 10 * SECOND);
        assert!((float(&forgiven, "r").unwrap() - float(&spread, "r").unwrap() - 20.0).abs() < 1e-9);
    }

    #[test]
    fn a_duplicate_changes_nothing_and_silence_has_no_rating() {
        let mut voip = call(FIELDS, &[Some(30), Some(30)]);
        let before = table(&voip, SECOND);
        let (mut random, mut commands, mut next) = (Stream::new(1, "call"), Vec::new(), 0);
        let mut ctx = AppContext::new(SECOND, &mut random, &mut commands, &mut next);
        voip.on_datagram(&mut ctx, Side::Sink, Datagram { number: 1, len: 172, sent: FRAME, ecn: Ecn::NotEct });
        assert_eq!(table(&voip, SECOND), before);
        let silent = table(&call(FIELDS, &[None, None]), SECOND);
        assert_eq!((ints(&silent), float(&silent, "r"), float(&silent, "mos")), ([2, 0, 0, 0], None, None));
    }
}
