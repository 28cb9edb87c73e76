//! Samples of TCP_INFO as the table `window`.

use ackclock_core::Nanos;
use ackclock_results::{Column, Table};

use crate::kernel::Info;

/// Slow-start thresholds from here on mean that there was no congestion yet, in segments.
const INFINITE: u32 = 0x7fff_ffff;
/// States of the kernel's sender in which it repairs a loss: recovery, and loss after a timeout.
const REPAIRING: [u8; 2] = [3, 4];

/// The samples of all flows.
#[derive(Default)]
pub struct Samples {
    rows: Vec<(Nanos, usize, Info)>,
}

impl Samples {
    /// Adds a sample of a connection of the flow with an index.
    pub fn push(&mut self, at: Nanos, flow: usize, info: Info) {
        self.rows.push((at, flow, info));
    }

    /// Returns the table. It has three columns that only a kernel gives.
    pub fn table(self, names: &[String]) -> Table {
        let rows = self.rows;
        let float =
            |cell: &dyn Fn(&Info) -> Option<f64>| Column::Float(rows.iter().map(|(.., info)| cell(info)).collect());
        let bytes = |cell: &dyn Fn(&Info) -> Option<u32>| {
            let cell = |info: &Info| cell(info).map(|count| i64::from(count) * i64::from(info.mss));
            Column::Int(rows.iter().map(|(.., info)| cell(info)).collect())
        };
        let ms = |us: u32| f64::from(us) / 1e3;
        let columns = vec![
            ("time_s", Column::Float(rows.iter().map(|(at, ..)| Some(*at as f64 / 1e9)).collect())),
            ("flow", Column::Text(rows.iter().map(|(_, flow, _)| Some(names[*flow].clone())).collect())),
            ("cwnd", bytes(&|info| Some(info.cwnd))),
            ("ssthresh", bytes(&|info| (info.ssthresh < INFINITE).then_some(info.ssthresh))),
            ("flight_size", bytes(&|info| Some(info.unacked))),
            // What the kernel calls packets in flight (tcp_packets_in_flight).
            ("pipe", bytes(&|info| Some((info.unacked + info.retrans).saturating_sub(info.sacked + info.lost)))),
            ("srtt_ms", float(&|info| (info.rtt > 0).then(|| ms(info.rtt)))),
            (
                "in_recovery",
                Column::Bool(rows.iter().map(|(.., info)| Some(REPAIRING.contains(&info.ca_state))).collect()),
            ),
            ("min_rtt_ms", float(&|info| info.smallest_rtt().map(|time| time as f64 / 1e6))),
            ("pacing_rate_bps", float(&|info| (info.pacing_rate < u64::MAX).then_some(info.pacing_rate as f64 * 8.0))),
            ("delivery_rate_bps", float(&|info| Some(info.delivery_rate as f64 * 8.0))),
        ];
        Table { columns }
    }
}
