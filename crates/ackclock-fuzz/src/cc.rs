//! Arbitrary sequences of events, likely or not, for each congestion control of the catalogue with arbitrary
//! parameters. The window must stay within its bounds, and move only as the RFCs allow.

use ackclock_tcp::cc::{Algorithm, CATALOGUE, CongestionControl, Entry, Scope};
use ackclock_tcp::context::Cause;
use ackclock_tcp::testing::{Arrival, Sender};
use ackclock_tcp::{MILLISECOND, Nanos, SECOND};
use arbitrary::{Arbitrary, Result, Unstructured};

/// SMSS at the start, in bytes.
const MSS: u64 = 9000;
/// Bound of windows, bytes. A larger window is an overflow, or a NaN that was converted to bytes.
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
    Ack(Shares),
    Send,
    /// Largest flight that the application allows, segments; `None` for no limit.
    Supply(Option<u16>),
    /// Time passes, milliseconds.
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
    /// All data are acknowledged, and time passes without sending, seconds.
    Idle(u16),
    /// SMSS shrinks by this number of bytes, as on a path that accepts only smaller packets.
    Shrink(u16),
    /// Window validation, or a restart after idle, sets the window to this number of segments.
    Moved(u16),
    /// Change of throughput that routers grant, bytes per second.
    Answer(Option<i32>),
}

impl Op {
    /// An operation. ACKs and sending are frequent, and operations that end the sender's state are rare. An algorithm that
    /// asks routers receives their answers, but no marks.
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

/// Content of an acknowledgment. Shares are in 255ths: of the data outstanding, of the data delivered before, and of the
/// data that this acknowledgment covers.
#[derive(Debug)]
struct Shares {
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

impl<'a> Arbitrary<'a> for Shares {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Shares> {
        let [acked, sacked, lost, marked, prior, times] = u.arbitrary()?;
        // Most ACKs have an RTT sample and a rate, and few show losses.
        Ok(Shares {
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

impl Shares {
    /// The acknowledgment of data that the sender has outstanding.
    fn of(&self, s: &Sender) -> Arrival {
        let acked = share(s.nxt - s.una, self.acked);
        let outstanding = s.nxt - s.una - acked;
        let before = s.sacked.min(outstanding);
        let sacked = share(outstanding - before, self.sacked);
        let lost = share(outstanding - before - sacked, self.lost);
        let prior = share(s.delivered + acked + sacked, self.prior);
        Arrival {
            acked,
            sacked,
            lost,
            marked: share(acked, self.marked),
            rtt: self.rtt,
            forward_delay: self.forward.map(|ms| i64::from(ms) * MILLISECOND as i64),
            rate: Some((prior, self.interval)),
        }
    }
}

/// A time from a nanosecond to a minute; most are those of networks.
fn time(u: &mut Unstructured<'_>) -> Result<Nanos> {
    let time: u16 = u.arbitrary()?;
    let unit = *u.choose(&[1, 1000, MILLISECOND / 10, MILLISECOND / 100, MILLISECOND / 100, MILLISECOND])?;
    Ok((u64::from(time) * unit).max(1))
}

fn share(whole: u64, of_255: u8) -> u64 {
    (u128::from(whole) * u128::from(of_255) / 255) as u64
}

/// An algorithm, each of whose parameters is at its default or at an end of its range.
fn algorithm(entry: &'static Entry, choices: u64) -> Box<dyn CongestionControl> {
    let choose = |index: usize| {
        let parameter = &entry.parameters[index];
        let (least, most) = parameter.range;
        let default = parameter.default_value().unwrap_or(least);
        let values = [default, default, least, most];
        (parameter.name, values[(choices >> (2 * index)) as usize % 4])
    };
    let given: Vec<(&str, f64)> = (0..entry.parameters.len()).map(choose).collect();
    Algorithm::given(entry, &given).expect("within their ranges").make()
}

/// Algorithms whose window grows by more than what is acknowledged: Hybla on long paths; Linux's Illinois, which applies a
/// larger alpha to segments that were counted before; Linux's Westwood, which sets the estimate after a recovery.
const GROWS_FASTER: [&str; 4] = ["hybla-paper", "hybla-linux", "illinois-linux", "westwood-linux"];

fn drive(entry: &'static Entry, u: &mut Unstructured<'_>) -> Result<()> {
    let mut cc = algorithm(entry, u.arbitrary()?);
    cc.seed(u.arbitrary()?);
    let mut s = Sender::new(cc, SECOND, MSS, u.int_in_range(1..=100)?);
    while !u.is_empty() {
        let op = Op::choose(u, s.scope)?;
        let (was, una) = (s.window, s.una);
        play(&mut s, &op);
        let (now, mss) = (s.window, s.mss);
        let context = || format!("{} {op:?}: {was:?} -> {now:?}, SMSS {mss}", entry.name);
        assert!(now.cwnd >= mss, "a segment at least: {}", context());
        assert!(now.cwnd < MOST, "a window: {}", context());
        if s.scope.window {
            continue;
        }
        // Routers may grant a smaller window, and XCP has no slow start. Linux's Vegas reduces ssthresh with the window, and
        // the bound of two segments is that of the window.
        let least = if s.scope.routers || entry.name == "vegas-linux" { mss } else { 2 * mss };
        assert!(now.ssthresh >= least, "segments at least: {}", context());
        match op {
            // Growth is at most the bytes acknowledged and growth kept from before.
            Op::Ack(_) if !GROWS_FASTER.contains(&entry.name) => {
                assert!(now.cwnd <= was.cwnd + (s.una - una) + 2 * mss, "as acknowledged: {}", context());
            }
            // A response to congestion does not increase the window, except to two segments.
            Op::Loss | Op::Mark { .. } => assert!(now.cwnd <= was.cwnd.max(2 * mss), "a response: {}", context()),
            _ => {}
        }
    }
    Ok(())
}

/// Applies an operation to the sender. Operations that are impossible in its state are skipped.
fn play(s: &mut Sender, op: &Op) {
    match *op {
        Op::Ack(ref share) => {
            let arrival = share.of(s);
            s.receive(&arrival);
        }
        Op::Send => s.send(),
        Op::Supply(segments) => s.supply = segments.map_or(u64::MAX, u64::from),
        Op::Wait(milliseconds) => s.now += u64::from(milliseconds) * MILLISECOND,
        Op::Mark { abe } if !s.in_recovery => s.congestion(Cause::Ecn, abe),
        Op::Loss if !s.in_recovery => {
            s.congestion(Cause::Loss, false);
            s.in_recovery = true;
        }
        Op::Recovered if s.in_recovery => s.end_recovery(),
        Op::Mark { .. } | Op::Loss | Op::Recovered => {}
        Op::Timeout { first } => s.timeout(first),
        Op::Undo => s.undo(),
        Op::Idle(seconds) => s.idle(u64::from(seconds) * SECOND),
        // Scenarios accept no smaller MSS.
        Op::Shrink(bytes) => s.mss = s.mss.saturating_sub(u64::from(bytes)).max(64),
        Op::Moved(segments) if !s.scope.window => s.window.cwnd = u64::from(segments.max(1)) * s.mss,
        Op::Moved(_) => {}
        Op::Answer(change) => {
            let ctx = s.ctx();
            s.cc.on_router_feedback(&mut s.window, &ctx, change);
        }
    }
}
