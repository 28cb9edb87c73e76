//! Samples of TCP_INFO as the table `window`.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard};

use ackclock_app::Side;
use ackclock_core::Nanos;
use ackclock_emu::Witness;
use ackclock_results::{Column, Table};
use ackclock_sim::series::Instants;

use crate::flow::Flow;
use crate::kernel::{Info, bbr_state};
use crate::news::News;

/// Slow-start thresholds from here on mean that there was no congestion yet, in segments.
const INFINITE: u32 = 0x7fff_ffff;
/// Name of the congestion control whose state a sample has.
const BBR: &str = "bbr";
/// The kernel's sender without any sign of losses, and the states in which it repairs a loss: recovery, and loss after a
/// timeout.
const OPEN: u8 = 0;
const REPAIRING: [u8; 2] = [3, 4];

/// A source's socket that is watched.
struct Watched {
    flow: usize,
    socket: OwnedFd,
    /// Time at which its next row is due, and whether it repaired a loss at the row before.
    due: Nanos,
    repairing: bool,
    /// Whether the kernel may be in another state of loss recovery than it was when it was asked last.
    doubtful: bool,
    form: Form,
}

/// The values that a connection's samples have.
#[derive(Clone, Copy)]
struct Form {
    /// Whether its segments are paced. The kernel computes a pacing rate for every connection.
    paced: bool,
    /// Whether its congestion control is BBR, which says its state.
    bbr: bool,
}

/// A sample of a connection of a flow.
struct Sample {
    at: Nanos,
    flow: usize,
    info: Info,
    paced: bool,
    cc_state: Option<&'static str>,
}

impl Sample {
    fn of(at: Nanos, flow: usize, info: Info, form: Form, socket: &OwnedFd) -> io::Result<Sample> {
        let cc_state = if form.bbr { bbr_state(socket)? } else { None };
        Ok(Sample { at, flow, info, paced: form.paced, cc_state })
    }
}

/// The witness of packets who takes samples, if there are any.
pub struct Sampler(pub Option<Arc<Mutex<Samples>>>);

impl Witness for Sampler {
    fn enters(&mut self, flow: usize, from: Side, bytes: &[u8]) {
        if let (Some(samples), Side::Source) = (&self.0, from) {
            locked(samples).read(flow, Side::Sink, bytes);
        }
    }

    fn left(&mut self, at: Nanos, flow: usize, to: Side, bytes: &[u8]) {
        if let (Some(samples), Side::Source) = (&self.0, to) {
            let mut samples = locked(samples);
            samples.read(flow, Side::Source, bytes);
            samples.acknowledged(at, flow);
        }
    }
}

/// Locks the samples.
///
/// # Panics
/// If the other thread panicked with them.
pub fn locked(samples: &Mutex<Samples>) -> MutexGuard<'_, Samples> {
    samples.lock().expect("the other thread does not panic")
}

/// The samples of all flows, which are taken after each ACK. Rows of a connection are at least an interval apart, but the
/// beginning and the end of a recovery always have one, as in the simulator.
pub struct Samples {
    instants: Instants,
    watched: BTreeMap<usize, Watched>,
    news: News,
    rows: Vec<Sample>,
    failure: Option<io::Error>,
}

impl Samples {
    /// Creates an empty table. The interval is at least 1 ns.
    pub fn new(instants: Instants) -> Samples {
        Samples { instants, watched: BTreeMap::new(), news: News::default(), rows: Vec::new(), failure: None }
    }

    /// Begins to watch the source's socket of the connection in a place, which is established at `at`; `flow` is the
    /// number of its flow, and `about` the flow.
    pub fn watch(&mut self, at: Nanos, place: usize, flow: usize, about: &Flow, socket: &OwnedFd) -> io::Result<()> {
        let form = Form { paced: about.labels.pacing != "off", bbr: about.wanted.cc == BBR };
        let mut watched = Watched { flow, socket: socket.try_clone()?, due: 0, repairing: false, doubtful: true, form };
        if (self.instants.from..=self.instants.to).contains(&at) {
            watched.due = at.saturating_add(self.instants.interval);
            // No state: Linux asks BBR about the ACK of the SYN before it initializes BBR, and the initialization keeps the
            // gains of that ACK until data are acknowledged.
            self.rows.push(Sample { at, flow, info: Info::of(socket)?, paced: form.paced, cc_state: None });
        }
        self.watched.insert(place, watched);
        Ok(())
    }

    /// Forgets the connection in a place.
    pub fn forget(&mut self, place: usize) {
        self.watched.remove(&place);
    }

    /// Samples the connections of a flow, whose source has received a packet. The kernel is not asked where no row is due
    /// and its state of loss recovery is known: a question is a system call, which takes long in a kernel in user mode.
    fn acknowledged(&mut self, at: Nanos, flow: usize) {
        let Instants { from, interval, to } = self.instants;
        if !(from..=to).contains(&at) {
            return;
        }
        for watched in self.watched.values_mut().filter(|watched| watched.flow == flow) {
            if at < watched.due && !watched.doubtful {
                continue;
            }
            let sample = Info::of(&watched.socket).and_then(|info| {
                watched.doubtful = info.ca_state != OPEN || info.sacked + info.lost + info.retrans > 0;
                let repairing = REPAIRING.contains(&info.ca_state);
                if at < watched.due && repairing == watched.repairing {
                    return Ok(None);
                }
                watched.due = at.saturating_add(interval);
                watched.repairing = repairing;
                Sample::of(at, flow, info, watched.form, &watched.socket).map(Some)
            });
            match sample {
                Ok(sample) => self.rows.extend(sample),
                Err(error) => self.failure = Some(error),
            }
        }
    }

    /// Reads a packet of a flow on its way to a side.
    fn read(&mut self, flow: usize, to: Side, packet: &[u8]) {
        if self.news.read(flow, to, packet) {
            for watched in self.watched.values_mut().filter(|watched| watched.flow == flow) {
                watched.doubtful = true;
            }
        }
    }

    /// Returns the table. TCP_INFO has neither the latest RTT sample nor what window validation says.
    ///
    /// # Errors
    /// The system's error if a sample failed.
    pub fn table(self, names: &[String]) -> io::Result<Table> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        let mut rows = self.rows;
        // Two threads add rows.
        rows.sort_by_key(|row| row.at);
        let float =
            |cell: &dyn Fn(&Info) -> Option<f64>| Column::Float(rows.iter().map(|row| cell(&row.info)).collect());
        let bytes = |cell: &dyn Fn(&Info) -> Option<u32>| {
            let cell = |info: &Info| cell(info).map(|count| i64::from(count) * i64::from(info.mss));
            Column::Int(rows.iter().map(|row| cell(&row.info)).collect())
        };
        let ms = |us: u32| f64::from(us) / 1e3;
        let bits = |bytes: u64| bytes as f64 * 8.0;
        let pacing = |row: &Sample| (row.paced && row.info.pacing_rate < u64::MAX).then(|| bits(row.info.pacing_rate));
        let columns = vec![
            ("time_s", Column::Float(rows.iter().map(|row| Some(row.at as f64 / 1e9)).collect())),
            ("flow", Column::Text(rows.iter().map(|row| Some(names[row.flow].clone())).collect())),
            ("cwnd", bytes(&|info| Some(info.cwnd))),
            ("ssthresh", bytes(&|info| (info.ssthresh < INFINITE).then_some(info.ssthresh))),
            ("flight_size", bytes(&|info| Some(info.unacked))),
            // What the kernel calls packets in flight (tcp_packets_in_flight).
            ("pipe", bytes(&|info| Some((info.unacked + info.retrans).saturating_sub(info.sacked + info.lost)))),
            ("srtt_ms", float(&|info| (info.rtt > 0).then_some(ms(info.rtt)))),
            (
                "in_recovery",
                Column::Bool(rows.iter().map(|row| Some(REPAIRING.contains(&row.info.ca_state))).collect()),
            ),
            ("latest_rtt_ms", Column::Float(vec![None; rows.len()])),
            ("min_rtt_ms", float(&|info| info.smallest_rtt().map(|time| time as f64 / 1e6))),
            ("pacing_bps", Column::Float(rows.iter().map(pacing).collect())),
            ("delivery_bps", float(&|info| (info.delivery_rate > 0).then(|| bits(info.delivery_rate)))),
            ("cc_state", Column::Text(rows.iter().map(|row| row.cc_state.map(str::to_owned)).collect())),
        ];
        Ok(Table { columns })
    }
}
