//! Calls over a network that loses what a test says.

use std::collections::BTreeMap;

use ackclock_core::{Ecn, Stream};
use ackclock_results::{Column, Table};

use super::control::Chosen;
use super::*;
use crate::Command;

const SECOND: Nanos = 1_000 * MILLISECOND;

/// The fields of a call with default values and no randomness of sizes and intervals.
pub(super) fn fields(control: &str) -> Fields {
    Fields {
        control: Chosen::listed(control, &[]).unwrap(),
        min_rate: 150_000,
        max_rate: 1_500_000,
        start_rate: None,
        fps: 30,
        on: None,
        pauses: None,
        reaction: 200 * MILLISECOND,
        size_scale: 0.0,
        interval_scale: 0.0,
        burst_frames: 8,
        burst_size: 3.24,
        abrupt: 0.2,
        key_interval: None,
        trace: None,
        payload: 1_200,
        skip_after: 500 * MILLISECOND,
        audio: None,
        nack: true,
        nack_retries: 10,
        fec: None,
        wait: SECOND,
        playout: 0,
        playout_max: SECOND,
        feedback: None,
        feedback_interval: None,
        ecn: Ecn::NotEct,
        breaker: false,
        frames: true,
        sample: None,
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Timer(u64),
    Datagram(Side, Datagram),
}

/// A link of a constant rate from source to sink with a queue of 300 ms, and a delay of 50 ms in both directions.
struct Link {
    call: Call,
    rate: f64,
    now: Nanos,
    events: BTreeMap<(Nanos, u64), Event>,
    count: u64,
    free: Nanos,
    random: Stream,
    /// Whether a datagram of a side is lost, by the count of those before it.
    loses: Box<dyn Fn(Side, u64, Nanos) -> bool>,
    sent: [u64; 2],
    dropped: u64,
    marks: bool,
}

impl Link {
    fn new(fields: Fields, rate: f64, loses: impl Fn(Side, u64, Nanos) -> bool + 'static) -> Link {
        let mut link = Link {
            call: Call::new(fields),
            rate,
            now: 0,
            events: BTreeMap::new(),
            count: 0,
            free: 0,
            random: Stream::new(1, "call"),
            loses: Box::new(loses),
            sent: [0; 2],
            dropped: 0,
            marks: false,
        };
        link.act(|call, ctx| call.on_start(ctx));
        link
    }

    fn at(&mut self, time: Nanos, event: Event) {
        self.events.insert((time, self.count), event);
        self.count += 1;
    }

    fn act(&mut self, callback: impl FnOnce(&mut Call, &mut AppContext<'_>)) {
        let (mut commands, mut next) = (Vec::new(), 0);
        callback(&mut self.call, &mut AppContext::new(self.now, &mut self.random, &mut commands, &mut next));
        for command in commands {
            match command {
                Command::Timer { at, token } => self.at(at, Event::Timer(token)),
                Command::Send { side, number, len, mut ecn } => {
                    let count = self.sent[side as usize];
                    self.sent[side as usize] += 1;
                    let mut arrival = self.now + 50 * MILLISECOND;
                    if side == Side::Source {
                        let start = self.free.max(self.now);
                        if start - self.now > 300 * MILLISECOND {
                            self.dropped += 1;
                            continue;
                        }
                        if self.marks && start > self.now + 5 * MILLISECOND && ecn.is_capable() {
                            ecn = Ecn::Ce;
                        }
                        self.free = start + (f64::from(len + 28) * 8e9 / self.rate) as Nanos;
                        arrival = self.free + 50 * MILLISECOND;
                    }
                    if (self.loses)(side, count, self.now) {
                        continue;
                    }
                    let datagram = Datagram { number, len, sent: self.now, ecn };
                    self.at(arrival, Event::Datagram(side.peer(), datagram));
                }
                other => panic!("a call sends datagrams alone: {other:?}"),
            }
        }
    }

    fn run(mut self, seconds: u64) -> AppTables {
        let end = seconds * SECOND;
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= end) {
            let ((time, _), event) = entry.remove_entry();
            self.now = time;
            match event {
                Event::Timer(token) => self.act(|call, ctx| call.on_timer(ctx, token)),
                Event::Datagram(side, datagram) => self.act(|call, ctx| call.on_datagram(ctx, side, datagram)),
            }
        }
        let mut tables = AppTables::new();
        self.call.report("call", end, &mut tables);
        tables
    }
}

fn run(fields: Fields, rate: f64, seconds: u64) -> AppTables {
    Link::new(fields, rate, |_, _, _| false).run(seconds)
}

fn int(table: &Table, name: &str) -> i64 {
    let Some(Column::Int(cells)) = table.column(name) else { panic!("{name}") };
    cells[0].unwrap()
}

fn float(table: &Table, name: &str) -> f64 {
    let Some(Column::Float(cells)) = table.column(name) else { panic!("{name}") };
    cells[0].unwrap()
}

/// At 500 kbit/s over a link of 2 Mbit/s nothing waits: each frame has 2,083 bytes on the wire in two packets.
#[test]
fn a_fixed_rate_over_a_wide_link() {
    let tables = run(Fields { start_rate: Some(500_000), ..fields("fixed") }, 2e6, 20);
    let call = &tables["call"];
    assert_eq!(["frames", "skipped", "key_frames", "lost", "freezes"].map(|name| int(call, name)), [601, 0, 1, 0, 0]);
    let on_way = int(call, "packets") - int(call, "received");
    assert!((1..=4).contains(&on_way), "the last frames are on their way: {on_way}");
    assert!((float(call, "sent_bps") / 500e3 - 1.0).abs() < 0.01, "{}", float(call, "sent_bps"));
    assert_eq!(float(call, "target_bps"), 500e3);
    // The packets of a frame leave at 2.5 times the rate.
    assert!((50.0..70.0).contains(&float(call, "frame_delay_p50_ms")), "{}", float(call, "frame_delay_p50_ms"));
    // A report of 6 or 7 packets, and those of the report before, each 100 ms.
    assert!((4_000.0..8_000.0).contains(&float(call, "feedback_bps")), "{}", float(call, "feedback_bps"));
    let Some(Column::Float(captured)) = tables["call_frames"].column("captured_s") else { panic!() };
    assert_eq!(captured.len(), 601);
}

/// Each control keeps a link of 1 Mbit/s busy, without loss once it has found the rate.
#[test]
fn controls_fill_a_link() {
    for (control, least, delay) in
        [("nada", 0.8, 130.0), ("scream", 0.7, 200.0), ("gcc", 0.7, 150.0), ("gcc-draft", 0.5, 350.0)]
    {
        let tables = run(Fields { size_scale: 0.15, sample: Some(SECOND), ..fields(control) }, 1e6, 100);
        let Some(Column::Float(received)) = tables["call_rates"].column("received_bps") else { panic!() };
        let Some(Column::Float(delays)) = tables["call_rates"].column("delay_ms") else { panic!() };
        let mean = |cells: &[Option<f64>]| cells.iter().flatten().sum::<f64>() / cells.len() as f64;
        let (rate, waited) = (mean(&received[50..]), mean(&delays[50..]));
        assert!((least * 1e6..1.01e6).contains(&rate), "{control}: {rate}");
        assert!(waited < delay, "{control}: {waited} ms");
    }
}

#[test]
fn lost_packets_are_sent_again() {
    // One of 20 packets is lost from the second second on, retransmissions as well.
    let loses = |side, count, now| side == Side::Source && count % 20 == 7 && now > SECOND;
    let with = |nack| {
        let fields = Fields { start_rate: Some(500_000), nack, ..fields("fixed") };
        Link::new(fields, 2e6, loses).run(20)["call"].clone()
    };
    let (repaired, bare) = (with(true), with(false));
    let lost = int(&repaired, "lost");
    assert!(lost > 50 && (float(&repaired, "loss") - 0.05).abs() < 0.003);
    assert!(int(&repaired, "retransmitted") >= lost - 2 && int(&repaired, "key_requests") == 0);
    assert!(int(&repaired, "played") >= 595, "{repaired:?}");
    // A request and a retransmission take a round trip of 100 ms, and the wait for the next packet.
    let delay = float(&repaired, "frame_delay_max_ms");
    assert!((150.0..320.0).contains(&delay), "{delay}");
    assert!(int(&bare, "key_requests") > 10 && int(&bare, "key_frames") > 10);
    assert!(int(&bare, "played") < 560 && int(&bare, "retransmitted") == 0);
}

#[test]
fn a_frame_that_does_not_come_is_given_up_for_a_key_frame() {
    // All packets of one second are lost.
    let loses = |side, _, now| side == Side::Source && (5 * SECOND..6 * SECOND).contains(&now);
    let fields = Fields { start_rate: Some(500_000), wait: 300 * MILLISECOND, ..fields("fixed") };
    let call = Link::new(fields, 2e6, loses).run(20)["call"].clone();
    assert!(int(&call, "key_requests") >= 1 && int(&call, "key_frames") >= 2);
    assert_eq!(int(&call, "freezes"), 1);
    assert!((1.0..1.6).contains(&float(&call, "freeze_s")), "{}", float(&call, "freeze_s"));
    assert!((550..575).contains(&int(&call, "played")), "{}", int(&call, "played"));
}

#[test]
fn a_slow_link_makes_the_encoder_skip() {
    // SCReAM's window holds what 50 kbit/s does not carry, and the least rate is 150 kbit/s.
    let call = run(fields("scream"), 50e3, 20)["call"].clone();
    assert!(int(&call, "skipped") > 100, "{}", int(&call, "skipped"));
}

#[test]
fn reports_that_are_lost_do_not_stop_a_sender() {
    let loses = |side, count: u64, now| {
        side == Side::Sink && (count.is_multiple_of(2) || (5 * SECOND..8 * SECOND).contains(&now))
    };
    for control in ["nada", "scream", "gcc"] {
        let fields = Fields { sample: Some(SECOND), ..fields(control) };
        let tables = Link::new(fields, 1e6, loses).run(30);
        let Some(Column::Float(sent)) = tables["call_rates"].column("sent_bps") else { panic!() };
        assert!(sent[12..].iter().all(|rate| rate.unwrap() > 100e3), "{control}: {sent:?}");
    }
}

#[test]
fn a_pause_is_silence_and_no_freeze() {
    let pauses = Some(vec![fields::Pause { at: 5 * SECOND, until: 12 * SECOND }]);
    let fields =
        Fields { start_rate: Some(300_000), pauses, audio: Some(20_000), on: Some(15 * SECOND), ..fields("fixed") };
    let tables = run(fields, 2e6, 20);
    let call = &tables["call"];
    assert_eq!(int(call, "freezes"), 0);
    let Some(Column::Float(captured)) = tables["call_frames"].column("captured_s") else { panic!() };
    assert!(captured.iter().flatten().all(|at| *at < 5.0 || (12.0..15.0).contains(at)));
    assert_eq!((int(call, "audio_sent"), int(call, "audio_lost")), (400, 0));
    // A packet of audio may wait for one of video.
    assert!((50.0..56.0).contains(&float(call, "audio_delay_p95_ms")));
}

#[test]
fn marks_reach_the_control() {
    let fields = Fields { ecn: Ecn::Ect0, ..fields("scream") };
    let mut link = Link::new(fields, 1e6, |_, _, _| false);
    link.marks = true;
    let call = link.run(60)["call"].clone();
    assert!(int(&call, "marked") > 20 && int(&call, "lost") == 0);
    assert!(float(&call, "delay_p95_ms") < 130.0, "{}", float(&call, "delay_p95_ms"));
}

#[test]
fn the_breaker_stops_a_call_that_congests() {
    let breaker = |rate, every| {
        let fields = Fields { start_rate: Some(1_500_000), breaker: true, ..fields("fixed") };
        let loses = move |side, count: u64, _| side == Side::Source && count % every == every - 1;
        Link::new(fields, rate, loses).run(40)["call"].clone()
    };
    // 1.5 Mbit/s over 150 kbit/s lose nine of ten packets. A TCP that loses one of 200 with an RTT of 100 ms has 1.5
    // Mbit/s as well; one that loses a fifth with 400 ms has 55 kbit/s, less than a tenth of 1.2 Mbit/s.
    let call = breaker(150e3, u64::MAX);
    assert_eq!(call.column("stopped_by"), Some(&Column::Text(vec![Some("congestion".into())])));
    assert!(float(&call, "stopped_s") < 5.0);
    assert_eq!(breaker(2e6, 200).column("stopped_by"), Some(&Column::Text(vec![None])));
    assert_eq!(breaker(1.2e6, u64::MAX).column("stopped_by"), call.column("stopped_by"));
    // Without reports it stops after 15 s.
    let fields = Fields { breaker: true, ..fields("fixed") };
    let call = Link::new(fields, 2e6, |side, _, _| side == Side::Sink).run(40)["call"].clone();
    assert_eq!(call.column("stopped_by"), Some(&Column::Text(vec![Some("rtcp-timeout".into())])));
    assert_eq!(float(&call, "stopped_s"), 15.0);
}

/// A call of 500 kbit/s with a code and without requests: a frame has two packets, or three with the parity of a row.
fn protected(parity: Parity, columns: u32, rows: Option<u32>, loses: fn(Side, u64, Nanos) -> bool) -> Table {
    let fec = Some(fields::Fec { parity, columns, rows });
    let fields = Fields { start_rate: Some(500_000), nack: false, fec, ..fields("fixed") };
    Link::new(fields, 2e6, loses).run(20)["call"].clone()
}

/// One of 20 datagrams is lost, so that no frame loses two of its three.
#[test]
fn the_parity_of_a_row_repairs_one_loss_of_a_frame() {
    let call = protected(Parity::Rows, 4, None, |side, count, _| side == Side::Source && count % 20 == 7);
    assert_eq!((int(&call, "key_requests"), int(&call, "retransmitted"), int(&call, "freezes")), (0, 0, 0));
    assert!(int(&call, "played") >= 599, "{}", int(&call, "played"));
    let (packets, parities) = (int(&call, "packets"), int(&call, "parity_packets"));
    assert!((packets - 3 * parities).abs() <= 6, "{packets} {parities}");
    // The datagrams 7, 27 and 47 of each 60 are the second, the first and the third of their frames: two of three losses
    // are of frames' packets.
    let (lost, repaired) = (int(&call, "lost"), int(&call, "parity_repaired"));
    assert!((3 * repaired - 2 * lost).abs() <= 4, "{lost} {repaired}");
    // The repair packet is 24 bytes longer than a packet of 700 bytes, and the rate has all three.
    let overhead = float(&call, "parity_overhead");
    assert!((0.5..0.53).contains(&overhead), "{overhead}");
    assert!((float(&call, "sent_bps") / 500e3 - 1.0).abs() < 0.02, "{}", float(&call, "sent_bps"));
}

/// Three datagrams in a row are lost of every 60. A frame has three, so that some frame loses both packets, or
/// a packet and its parity. A block of four columns has twenty, and no column loses two.
#[test]
fn columns_repair_a_burst_that_rows_do_not() {
    let burst = |side, count: u64, _| side == Side::Source && (6..9).contains(&(count % 60));
    let rows = protected(Parity::Rows, 4, None, burst);
    assert!(int(&rows, "key_requests") > 10, "{}", int(&rows, "key_requests"));
    let columns = protected(Parity::Columns, 4, Some(4), burst);
    assert_eq!((int(&columns, "key_requests"), int(&columns, "freezes")), (0, 0));
    assert!(int(&columns, "played") >= 590 && int(&columns, "parity_repaired") > 20, "{columns:?}");
    // A block has 16 packets of eight frames, so that a repair takes up to eight intervals of 33 ms longer.
    let delay = float(&columns, "frame_delay_max_ms");
    assert!((200.0..400.0).contains(&delay), "{delay}");
    let overhead = float(&columns, "parity_overhead");
    assert!((0.25..0.29).contains(&overhead), "{overhead}");
}

/// With a parity the requests are few, as most losses are repaired before the retransmission comes.
#[test]
fn a_parity_repairs_sooner_than_a_request() {
    let loses = |side, count: u64, _| side == Side::Source && count % 20 == 7;
    let with = |fec| {
        let fields = Fields { start_rate: Some(500_000), fec, ..fields("fixed") };
        Link::new(fields, 2e6, loses).run(20)["call"].clone()
    };
    let fec = with(Some(fields::Fec { parity: Parity::Rows, columns: 4, rows: None }));
    let requests = with(None);
    let [sooner, later] = [&fec, &requests].map(|call| float(call, "frame_delay_p99_ms"));
    assert!(sooner < 90.0 && later > 150.0, "{sooner} {later}");
    assert_eq!(int(&fec, "key_requests"), 0);
}
