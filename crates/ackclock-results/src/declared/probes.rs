//! Columns of the tables for which a scenario asks in `probes`.

use super::{Bool, Float, Int, Text, tables};

tables! {
    /// The congestion window over time; needs `probes.window`.
    Window = "window" asked "probes.window = true" {
        /// When.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Congestion window, bytes.
        cwnd: Int "bytes",
        /// Slow-start threshold, bytes; empty before it is first set.
        ssthresh: Int "bytes",
        /// Bytes sent and not cumulatively acknowledged.
        flight_size: Int "bytes",
        /// Bytes estimated to be in the network (RFC 6675).
        pipe: Int "bytes",
        /// Smoothed round-trip time.
        srtt_ms: Float "ms",
        /// Latest sample of the round-trip time; empty before the first.
        latest_rtt_ms: Float "ms",
        /// Smallest sample of the round-trip time; empty before the first.
        min_rtt_ms: Float "ms",
        /// Rate at which the sender's pacing releases packets; empty while nothing paces. Rates that a congestion
        /// control sets, and those of `pacing = "fq"`, count headers.
        pacing_bps: Float "bit/s",
        /// Delivery rate of payload, as Linux reports it: the latest sample that the application did not limit, or that
        /// was not smaller; empty before the first.
        delivery_bps: Float "bit/s",
        /// Whether loss recovery is under way.
        in_recovery: Bool,
        /// Whether window validation holds the window to be not validated (RFC 7661).
        non_validated: Bool,
        /// PipeACK of RFC 7661, bytes.
        pipe_ack: Int "bytes",
        /// State of the congestion control, such as `startup` or `probe_rtt` of BBR; empty for algorithms whose states
        /// have no names.
        cc_state: Text,
    }

    /// Losses, timeouts, reductions of the window and outages over time; needs `probes.window`.
    ///
    /// `recovery_started` marks a detected loss, with which fast retransmit and fast recovery begin. `ecn_reduction` marks
    /// the start of a reduction of the window because of a mark, and `delay_reduction` the start of one that the congestion
    /// control asked for. `recovery_ended` marks the end of a recovery or reduction. `timeout` marks an expiry of the
    /// retransmission timer, and `undone` a timeout or recovery that proved spurious, so that the window is restored.
    /// `probe_sent` marks a tail loss probe, and `reordering_timeout` an expiry of RACK's reordering timer (RFC 8985).
    /// `outage_started` and `outage_ended` mark the outages of links.
    Events = "events" asked "probes.window = true" {
        /// When.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number. Empty for outages.
        flow: Text,
        /// What happened: one of the names above.
        event: Text,
        /// Name of the link that has an outage; `.reverse` is the way back. Empty for events of a flow.
        link: Text,
    }

    /// Every segment and datagram sent, dropped and delivered; needs `probes.packets`.
    Packets = "packets" asked "probes.packets = true" {
        /// When. A packet that is lost on the wire (`corruption`, `outage`) is dropped when its last bit has left.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// The end that sent it, whatever happened to it; empty where its connection is gone.
        side: Text,
        /// `sent`, `dropped` or `delivered`.
        event: Text,
        /// Stream offset of its first byte.
        seq: Int,
        /// Bytes of payload.
        len: Int "bytes",
        /// Stream offset of the peer's bytes that it acknowledges; empty without ACK.
        ack: Int,
        /// Of a packet sent: whether it was sent before.
        retransmission: Bool,
        /// Of a packet dropped: where.
        link: Text,
        /// And why: `queue`, `aqm`, `loss`, `corruption` or `outage`.
        cause: Text,
    }

    /// One row a SACK block of the segments in `packets`; needs `probes.packets`.
    ///
    /// `left` and `right` are the offsets of its first byte and of the one after its last, in the stream that the end
    /// `side` receives and acknowledges. A D-SACK block, which tells of what came twice (RFC 2883), is marked as
    /// `duplicate`.
    SackBlocks = "sack_blocks" asked "probes.packets = true" {
        /// When.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// The end that sent the acknowledgment.
        side: Text,
        /// What happened to it: `sent`, `dropped` or `delivered`.
        event: Text,
        /// Stream offset of the block's first byte, in what that end receives.
        left: Int,
        /// Stream offset of the byte after its last.
        right: Int,
        /// Whether it is a D-SACK (RFC 2883).
        duplicate: Bool,
    }

    /// Every expiry of a retransmission timer, and whether it was spurious; needs `probes.timeouts`.
    Timeouts = "timeouts" asked "probes.timeouts = true" {
        /// When.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// The end whose timer expired.
        side: Text,
        /// Stream offset of the first segment that was not acknowledged; empty for a SYN.
        segment: Int,
        /// Expiries without an acknowledgment of new data, this one included.
        count: Int,
        /// Whether a copy of that segment, sent before, was not dropped.
        spurious: Bool,
    }

    /// Packets and bytes that wait before each link, at the probes' interval; needs `probes.queues`.
    ///
    /// Of the packets that have left for the wire since the row before, and were not lost there, `sent` is the
    /// number, `sojourn_ms` the mean and `sojourn_max_ms` the longest time from arrival at the queue to the first bit
    /// on the wire; empty where there are none. Weighted by `sent`, the means are that of `links`.
    ///
    /// `capacity_bps` is the mean rate at which the link could have sent since the row before, and empty in a link's
    /// first row: its rate, where that is fixed; what the server had to offer where it varies, or where outages hold
    /// the packets back. A link that loses them in an outage sends all the while.
    Queues = "queues" asked "probes.queues = true" {
        /// When.
        time_s: Float "s" (Moment),
        /// The link's name; `.reverse` is the way back.
        link: Text,
        /// Packets that wait, the one on the wire aside. A large packet of segmentation offload counts as one.
        packets: Int,
        /// Their bytes.
        bytes: Int "bytes",
        /// Packets that left for the wire since the row before.
        sent: Int,
        /// Mean time that they had waited, from arrival to the first bit on the wire.
        sojourn_ms: Float "ms",
        /// The longest.
        sojourn_max_ms: Float "ms" (Elapsed),
        /// Rate at which the link could have sent since the row before; also while it loses what it sends.
        capacity_bps: Float "bit/s",
    }

    /// Bytes that each flow's sink receives in each interval of the probes; needs `probes.rates`.
    Rates = "rates" asked "probes.rates = true" {
        /// End of the interval.
        time_s: Float "s" (Moment),
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Bytes that the flow's sinks received in it, in order.
        bytes_delivered: Int "bytes",
        /// Their rate.
        goodput_bps: Float "bit/s",
    }

    /// One row a flow: for how long its senders were limited, and by what; needs `probes.limits`.
    ///
    /// At each moment one limit counts. The times are summed over the flow's connections, from the end of the handshake.
    /// `busy_s`, `rwnd_limited_s` and `sndbuf_limited_s` have the meaning that `ss -i` gives them; a kernel knows only
    /// these.
    Limits = "limits" asked "probes.limits = true" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Time in which data was to be sent or was not acknowledged.
        busy_s: Float "s",
        /// Time in which the congestion window allowed no further segment, recoveries included.
        cwnd_limited_s: Float "s",
        /// Time in which the peer's receive window allowed no further segment.
        rwnd_limited_s: Float "s",
        /// Time in which everything was sent and the application waited for room in the send buffer.
        sndbuf_limited_s: Float "s",
        /// Time in which the pacer held the next segment.
        pacing_limited_s: Float "s",
        /// Time in which data was outstanding and the application gave no more, or too little for a segment.
        app_limited_s: Float "s",
        /// Time in which everything was acknowledged and the application gave nothing.
        idle_s: Float "s",
    }

    /// One row a flow: one-way delays of the packets that its sinks received; needs `probes.delays`.
    Delays = "delays" asked "probes.delays = true" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Packets with payload that the flow's sinks received.
        packets: Int,
        /// Mean time from the sending of a packet to its arrival.
        mean_ms: Float "ms",
        /// Its median.
        p50_ms: Float "ms",
        /// Its 95th percentile.
        p95_ms: Float "ms",
        /// Its 99th percentile.
        p99_ms: Float "ms",
        /// Its largest.
        max_ms: Float "ms" (Elapsed),
    }

    /// Quantiles of one-way delays by flow; needs `probes.delays`.
    DelayCdf = "delay_cdf" asked "probes.delays = true" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Part of the packets, from 0 to 1.
        quantile: Float (Fraction),
        /// The delay that this part does not exceed.
        delay_ms: Float "ms",
    }
}
