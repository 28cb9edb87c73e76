//! Any sequence of the events of a congestion control, likely or not, for every algorithm of the catalogue with any
//! parameters. The congestion window must stay valid and must change only as allowed.

use ackclock_tcp::cc::{Algorithm, CATALOGUE, CongestionControl, Entry, Scope, Values};
use ackclock_tcp::context::{Ack, Cause, Congestion, Context, Delivery, Lost, RateSample, RecoveryEnd, Window};
use ackclock_tcp::{MILLISECOND, Nanos, SECOND};
use arbitrary::{Arbitrary, Result, Unstructured};

/// SMSS at the start, in bytes.
const MSS: u64 = 9000;
/// Maximum number of segments in flight of any sender.
const MOST_IN_FLIGHT: u64 = 1 << 20;
/// A value below this has not overflowed and is not a NaN that was converted to a volume.
const MOST: u64 = 1 << 60;

/// Runs one input.
///
/// # Panics
/// If an invariant does not hold.
pub fn run(data: &[u8]) {
    for entry in CATALOGUE {
        // An input that ends early is a short input.
        let _ = drive(entry, &mut Unstructured::new(data));
    }
}

#[derive(Debug)]
enum Op {
    Ack(Arrival),
    Send,
    /// Maximum number of segments that the application supplies for each flight; `None` means no limit.
    Supply(Option<u16>),
    /// Wait in milliseconds.
    Wait(u16),
    Mark {
        abe: bool,
    },
    Loss,
    Recovered,
    Timeout {
        first: bool,
    },
    Undo,
    /// Seconds in which no data is outstanding.
    Idle(u16),
    /// Number of bytes by which the segment size shrinks: the path accepts only smaller packets.
    Shrink(u16),
    /// Validation, or a restart after idle, sets the window to this number of segments.
    Moved(u16),
    /// Answer of the routers, in bytes per second.
    Answer(Option<i32>),
}

impl Op {
    /// Chooses any operation; ACKs and the segments that they release are more frequent than operations that end a
    /// phase of the sender. An algorithm that asks routers receives their answers and no marks.
    fn choose(u: &mut Unstructured<'_>, scope: Scope) -> Result<Op> {
        Ok(match u.int_in_range(0..=63_u8)? {
            14..=27 | 50..=51 if scope.routers => Op::Answer(u.arbitrary()?),
            0..=27 => Op::Ack(u.arbitrary()?),
            28..=43 => Op::Send,
            44..=49 => Op::Wait(u.arbitrary()?),
            50..=51 => Op::Mark { abe: u.arbitrary()? },
            52..=53 => Op::Loss,
            54..=56 => Op::Recovered,
            57 => Op::Timeout { first: u.arbitrary()? },
            58 => Op::Undo,
            59 => Op::Idle(u.arbitrary()?),
            60..=61 => Op::Supply(u.arbitrary()?),
            62 => Op::Shrink(u.arbitrary()?),
            _ => Op::Moved(u.arbitrary()?),
        })
    }
}

/// Shares in 255ths: of the outstanding data, of the data delivered already, and of the data that this ACK
/// acknowledges.
#[derive(Debug)]
struct Arrival {
    acked: u8,
    sacked: u8,
    lost: u8,
    marked: u8,
    rtt: Option<Nanos>,
    /// Milliseconds.
    forward: Option<i16>,
    prior: u8,
    interval: Nanos,
}

impl<'a> Arbitrary<'a> for Arrival {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Arrival> {
        let [acked, sacked, lost, marked, prior, times] = u.arbitrary()?;
        // Most ACKs have an RTT sample and a rate sample, and few report losses.
        Ok(Arrival {
            acked,
            sacked: if times & 8 == 0 { 0 } else { sacked },
            lost: if times & 48 == 0 { lost } else { 0 },
            marked,
            rtt: if times & 3 == 0 { None } else { Some(time(u)?) },
            forward: u.arbitrary()?,
            prior,
            interval: if times & 4 == 0 { time(u)? } else { 0 },
        })
    }
}

/// Returns a time from a nanosecond to a minute; most are typical of networks.
fn time(u: &mut Unstructured<'_>) -> Result<Nanos> {
    let time: u16 = u.arbitrary()?;
    let unit = *u.choose(&[1, 1000, MILLISECOND / 10, MILLISECOND / 100, MILLISECOND / 100, MILLISECOND])?;
    Ok((u64::from(time) * unit).max(1))
}

fn share(whole: u64, of_255: u8) -> u64 {
    (u128::from(whole) * u128::from(of_255) / 255) as u64
}

/// Creates an algorithm with each parameter at the minimum, the default or the maximum of its range.
fn algorithm(entry: &'static Entry, choices: u64) -> Box<dyn CongestionControl> {
    let choose = |index: usize| {
        let parameter = &entry.parameters[index];
        let values = [parameter.default, parameter.default, parameter.range.0, parameter.range.1];
        (parameter.name, values[(choices >> (2 * index)) as usize % 4])
    };
    let given: Vec<(&str, f64)> = (0..entry.parameters.len()).map(choose).collect();
    Algorithm::with(entry, Values::given(entry, &given).expect("within their ranges")).make()
}

fn drive(entry: &'static Entry, u: &mut Unstructured<'_>) -> Result<()> {
    let mut s = Sender::new(algorithm(entry, u.arbitrary()?), u.arbitrary()?, u.int_in_range(1..=100)?);
    while !u.is_empty() {
        let op = Op::choose(u, s.scope)?;
        let (was, una) = (s.window, s.una);
        s.play(&op);
        let (now, mss) = (s.window, s.mss);
        let context = || format!("{} {op:?}: {was:?} -> {now:?}, SMSS {mss}", entry.name);
        assert!(now.cwnd >= mss, "a segment at least: {}", context());
        assert!(now.cwnd < MOST, "a window: {}", context());
        assert!(now.pacing_rate != Some(0), "a rate: {}", context());
        if s.scope.window {
            continue;
        }
        // There is no slow start where routers grant the window, however small it is.
        let least = if s.scope.routers { mss } else { 2 * mss };
        assert!(now.ssthresh >= least, "segments at least: {}", context());
        match op {
            // The window grows by at most the acknowledged data and the credit of earlier ACKs, except for hybla, which
            // compensates for long RTTs.
            Op::Ack(_) if entry.name != "hybla" => {
                assert!(now.cwnd <= was.cwnd + (s.una - una) + 2 * mss, "as acknowledged: {}", context());
            }
            // A response to congestion never opens the window, and its minimum is two segments.
            Op::Loss | Op::Mark { .. } => assert!(now.cwnd <= was.cwnd.max(2 * mss), "a response: {}", context()),
            _ => {}
        }
    }
    Ok(())
}

/// The part of a sender that a congestion control sees.
struct Sender {
    cc: Box<dyn CongestionControl>,
    scope: Scope,
    window: Window,
    /// The window that an undo would restore: the window before the last reduction that was not undone.
    before: Option<Window>,
    initial_window: u64,
    now: Nanos,
    mss: u64,
    una: u64,
    nxt: u64,
    /// Bytes of the outstanding data that are SACKed, and that are lost.
    sacked: u64,
    delivered: u64,
    lost: u64,
    supply: Option<u64>,
    srtt: Option<Nanos>,
    min_rtt: Option<Nanos>,
    in_recovery: bool,
}

impl Sender {
    fn new(mut cc: Box<dyn CongestionControl>, seed: u32, initial_window: u64) -> Sender {
        cc.seed(seed);
        let mut s = Sender {
            scope: cc.scope(),
            cc,
            window: Window { cwnd: initial_window * MSS, ssthresh: u64::MAX, pacing_rate: None },
            before: None,
            initial_window,
            now: SECOND,
            mss: MSS,
            una: 0,
            nxt: 0,
            sacked: 0,
            delivered: 0,
            lost: 0,
            supply: None,
            srtt: None,
            min_rtt: None,
            in_recovery: false,
        };
        let ctx = s.ctx();
        s.cc.on_start(&mut s.window, &ctx);
        s
    }

    fn ctx(&self) -> Context {
        let flight = self.nxt - self.una;
        Context {
            now: self.now,
            mss: self.mss,
            initial_window: self.initial_window * self.mss,
            snd_una: self.una,
            snd_nxt: self.nxt,
            flight_size: flight,
            pipe: flight - self.sacked,
            unsent: if self.supply.is_some() { 0 } else { u64::MAX },
            receive_window: u64::MAX,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            rto: self.srtt.map_or(SECOND, |srtt| srtt.saturating_mul(2)),
            in_recovery: self.in_recovery,
        }
    }

    fn play(&mut self, op: &Op) {
        match *op {
            Op::Ack(ref arrival) => self.ack(arrival),
            Op::Send => self.send(),
            Op::Supply(segments) => self.supply = segments.map(u64::from),
            Op::Wait(milliseconds) => self.now += u64::from(milliseconds) * MILLISECOND,
            Op::Mark { abe } if !self.in_recovery => self.congestion(Cause::Ecn, abe),
            Op::Loss if !self.in_recovery => {
                self.congestion(Cause::Loss, false);
                self.in_recovery = true;
            }
            Op::Mark { .. } | Op::Loss => {}
            Op::Recovered if self.in_recovery => {
                self.in_recovery = false;
                let end = RecoveryEnd { ctx: self.ctx(), retransmitted: self.mss };
                self.cc.on_recovery_end(&mut self.window, &end);
            }
            Op::Recovered => {}
            Op::Timeout { first } => {
                if first {
                    self.before = Some(self.window);
                }
                let event = Congestion::timeout(self.ctx());
                self.cc.on_timeout(&mut self.window, &event, first);
                if !self.scope.window {
                    self.window.cwnd = self.mss;
                }
                self.in_recovery = false;
            }
            Op::Undo => {
                if let Some(before) = self.before.take() {
                    self.cc.on_undo(&mut self.window, &before);
                    self.in_recovery = false;
                }
            }
            Op::Idle(seconds) => {
                (self.una, self.sacked) = (self.nxt, 0);
                let idle = u64::from(seconds) * SECOND;
                self.now += idle;
                let ctx = self.ctx();
                self.cc.on_idle_end(&mut self.window, &ctx, idle);
            }
            // RFC 9293 section 3.7.1 has no smaller segment size.
            Op::Shrink(bytes) => self.mss = self.mss.saturating_sub(u64::from(bytes)).max(64),
            Op::Moved(segments) if !self.scope.window => self.window.cwnd = u64::from(segments.max(1)) * self.mss,
            Op::Moved(_) => {}
            Op::Answer(change) => {
                let ctx = self.ctx();
                self.cc.on_router_feedback(&mut self.window, &ctx, change);
            }
        }
    }

    /// Sends as much as the window and the application allow.
    fn send(&mut self) {
        let segments = (self.window.cwnd / self.mss).min(MOST_IN_FLIGHT).min(self.supply.unwrap_or(u64::MAX));
        self.nxt = self.nxt.max(self.una + segments * self.mss);
        if self.scope.sends {
            let ctx = self.ctx();
            self.cc.on_sent(&mut self.window, &ctx);
        }
    }

    fn congestion(&mut self, cause: Cause, abe: bool) {
        self.before = Some(self.window);
        let event = Congestion { cause, abe, ctx: self.ctx() };
        self.cc.on_congestion(&mut self.window, &event);
    }

    fn ack(&mut self, arrival: &Arrival) {
        let acked = share(self.nxt - self.una, arrival.acked);
        self.una += acked;
        self.sacked = self.sacked.min(self.nxt - self.una);
        let sacked = share(self.nxt - self.una - self.sacked, arrival.sacked);
        self.sacked += sacked;
        let lost = share(self.nxt - self.una - self.sacked, arrival.lost);
        let newly = acked + sacked;
        (self.delivered, self.lost) = (self.delivered + newly, self.lost + lost);
        let rtt = arrival.rtt;
        if let Some(rtt) = rtt {
            self.srtt = Some(self.srtt.map_or(rtt, |srtt| (7 * srtt + rtt) / 8).max(1));
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        let cwnd_limited = self.supply.is_none();
        let ack = Ack { ctx: self.ctx(), acked, sacked, lost, rtt, cwnd_limited, marked: share(acked, arrival.marked) };
        if self.scope.deliveries || self.scope.losses {
            self.tell(arrival, &ack);
        }
        if acked == 0 || self.in_recovery {
            return;
        }
        // Slow start of RFC 5681; one ACK may end slow start.
        let mut left = acked;
        if self.window.in_slow_start() && !self.scope.slow_start {
            let room = self.window.ssthresh - self.window.cwnd;
            let grown = acked.min(2 * self.mss).min(room);
            self.window.cwnd += grown;
            left = if grown == room { acked - grown } else { 0 };
        }
        if left > 0 && cwnd_limited {
            self.cc.on_ack(&mut self.window, &ack, left);
        }
    }

    /// Reports the deliveries and losses of an acknowledgment.
    fn tell(&mut self, arrival: &Arrival, ack: &Ack) {
        let newly = ack.acked + ack.sacked;
        let flight = ack.ctx.flight_size + ack.acked;
        let prior = share(self.delivered, arrival.prior);
        let rate = (newly > 0).then(|| RateSample {
            delivered: self.delivered - prior,
            prior_delivered: prior,
            interval: arrival.interval,
            tx_in_flight: flight,
            lost: ack.lost,
            app_limited: !ack.cwnd_limited,
        });
        let delivery = Delivery {
            ack: *ack,
            newly,
            delivered: self.delivered,
            lost: self.lost,
            sent_at: ack.rtt.map(|rtt| self.now.saturating_sub(rtt)),
            forward_delay: arrival.forward.map(i64::from).map(|ms| ms * MILLISECOND as i64),
            rate,
        };
        self.cc.on_delivery(&mut self.window, &delivery);
        if ack.lost > 0 && self.scope.losses {
            let ctx = self.ctx();
            let len = ack.lost.min(self.mss);
            let lost = Lost { ctx, len, tx_in_flight: flight, lost_since: ack.lost, app_limited: !ack.cwnd_limited };
            self.cc.on_lost(&mut self.window, &lost);
        }
    }
}
