//! Columns of the tables that every run has: flows and links.

use super::{Float, Int, Text, tables};

tables! {
    /// One row a flow: goodput, segments, retransmissions, timeouts, round-trip times.
    Flows = "flows" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Stack; the name of another transport, and `udp` of an application that sends datagrams of its own.
        stack: Text,
        /// Congestion control; `none` of datagrams.
        cc: Text,
        /// Window validation; `none` of datagrams.
        validation: Text,
        /// `off`, `fq` or `after-idle`; `cc` if the congestion control sets the pacing rate, as BBR does.
        pacing: Text,
        /// Application.
        app: Text,
        /// When the flow starts, jitter included.
        start_s: Float "s",
        /// Bytes delivered over the time from the start to the end of the run.
        goodput_bps: Float "bit/s",
        /// Bytes that sinks received in order; of datagrams the payload.
        bytes_delivered: Int "bytes",
        /// Segments of any kind that sources sent.
        segments_sent: Int,
        /// Those with payload, retransmissions included.
        data_segments_sent: Int,
        /// Segments with payload sent again.
        retransmits: Int,
        /// Expiries of sources' retransmission timers.
        timeouts: Int,
        /// Those that the sources found spurious and undid; `timeouts` has the truth.
        spurious_timeouts: Int,
        /// Fast recoveries of sources.
        recoveries: Int,
        /// Smoothed round-trip time of the connection added last, at the end.
        srtt_ms: Float "ms",
        /// Smallest round-trip time measured by any source.
        min_rtt_ms: Float "ms",
    }

    /// One row a path of a flow with `paths`: what its subflows carried.
    Paths = "paths" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// The path: the names of its links from the source's side to the sink's, with `+` between them.
        path: Text (Key),
        /// Bytes that the path delivered over the time from the start of the flow to the end of the run.
        goodput_bps: Float "bit/s",
        /// Bytes that subflows delivered in their order; data that two paths have delivered counts for both.
        bytes_delivered: Int "bytes",
        /// Segments of any kind that sources sent.
        segments_sent: Int,
        /// Those with payload, retransmissions included.
        data_segments_sent: Int,
        /// Segments with payload sent again on the path.
        retransmits: Int,
        /// Expiries of sources' retransmission timers.
        timeouts: Int,
        /// Fast recoveries of sources.
        recoveries: Int,
        /// Smoothed round-trip time of the subflow added last, at the end.
        srtt_ms: Float "ms",
        /// Smallest round-trip time measured by any source.
        min_rtt_ms: Float "ms",
    }

    /// One row a link: utilisation, drops, queueing delay.
    Links = "links" {
        /// The link's name; `.reverse` is the way back.
        link: Text (Key),
        /// Rate; the mean where it varies.
        rate_bps: Int "bit/s",
        /// Bits carried over those that could have been.
        utilisation: Float (Fraction),
        /// Packets whose last bit has left.
        packets: Int,
        /// Their bytes, headers included.
        bytes: Int "bytes",
        /// Packets that never were on the wire: the sum of the four after it.
        drops: Int,
        /// Packets that found no room.
        queue_drops: Int,
        /// Packets that the queue discipline dropped for other reasons.
        aqm_drops: Int,
        /// Packets that the policer dropped.
        policer_drops: Int,
        /// Packets lost before the queue, by the link's loss.
        losses: Int,
        /// Packets sent that do not arrive: corrupted, or sent while the link was down.
        wire_losses: Int,
        /// Packets that came into being because others were duplicated.
        duplicates: Int,
        /// Packets that the policer or the queue discipline marked (CE), of those whose last bit has left.
        marks: Int,
        /// Drops over packets and drops.
        drop_rate: Float (Fraction),
        /// Mean time from arrival to the first bit on the wire, of the packets sent.
        queue_delay_mean_ms: Float "ms",
        /// Its median.
        queue_delay_p50_ms: Float "ms",
        /// Its 95th percentile.
        queue_delay_p95_ms: Float "ms",
        /// Its 99th percentile.
        queue_delay_p99_ms: Float "ms",
        /// Its largest.
        queue_delay_max_ms: Float "ms" (Elapsed),
    }
}
