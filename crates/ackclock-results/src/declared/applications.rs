//! Columns of the tables of applications.

use super::{Bool, Float, Int, Text, tables};

tables! {
    /// One row a DASH client: mean level, switches, stalls.
    Dash = "dash" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Segments that have arrived.
        segments: Int,
        /// Mean of their levels' rates.
        mean_level_bps: Float "bit/s",
        /// Mean of their download rates.
        mean_download_bps: Float "bit/s",
        /// Media played.
        played_s: Float "s" (Elapsed),
        /// Changes of level from one segment to the next.
        switches: Int,
        /// Times that playback stopped for want of media.
        stalls: Int,
        /// Time that it stood, a stall that is not over included.
        stall_s: Float "s" (Elapsed),
        /// From the start of the flow to the start of playback.
        startup_s: Float "s" (Elapsed),
        /// Of a live presentation, how far behind the live edge playback began.
        latency_start_s: Float "s",
        /// And how far behind it is at the end.
        latency_end_s: Float "s",
    }

    /// One row a client of live video at low latency: latency, stalls, levels, playback rate.
    ///
    /// The latency is the time from an event to its playback. It is taken every 100 ms from the start of playback, and in
    /// stalls as well, in which it grows.
    Live = "live" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Segments that have arrived.
        segments: Int,
        /// Mean of their levels' rates.
        mean_level_bps: Float "bit/s",
        /// Changes of level from one segment to the next.
        switches: Int,
        /// Media played, which is longer than the time of playing at a playback rate above 1.
        played_s: Float "s",
        /// Times that playback stopped for want of media.
        stalls: Int,
        /// Time that playback stood, a stall that is not over included.
        stall_s: Float "s" (Elapsed),
        /// From the start of the flow to the start of playback.
        startup_s: Float "s" (Elapsed),
        /// Latency at the start of playback.
        latency_start_s: Float "s",
        /// Mean latency.
        latency_mean_s: Float "s",
        /// Its 95th percentile.
        latency_p95_s: Float "s",
        /// Its largest.
        latency_max_s: Float "s",
        /// Latency at the end.
        latency_end_s: Float "s",
        /// Media played over the time of playing.
        rate_mean: Float,
        /// Times that the client skipped media.
        skips: Int,
        /// Media skipped.
        skipped_s: Float "s",
    }

    /// One row a sink of live video over streams: latency, stalls, groups and frames that were dropped or skipped.
    ///
    /// The latency is the time from an event to its playback. It is taken every 100 ms from the start of playback, and in
    /// stalls as well, in which it grows.
    Moq = "moq" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Groups of pictures that the source has begun.
        groups: Int,
        /// Groups that have arrived whole.
        groups_complete: Int,
        /// Groups whose stream was reset before all of it had arrived.
        groups_dropped: Int,
        /// Frames that the source has made.
        frames: Int,
        /// Frames that were shown.
        frames_shown: Int,
        /// Frames that playback passed over.
        frames_skipped: Int,
        /// Media played, which is longer than the time of playing at a playback rate above 1.
        played_s: Float "s",
        /// Times that playback stopped for want of media.
        stalls: Int,
        /// Time that playback stood, a stall that is not over included.
        stall_s: Float "s" (Elapsed),
        /// From the start of the flow to the start of playback.
        startup_s: Float "s" (Elapsed),
        /// Latency at the start of playback.
        latency_start_s: Float "s",
        /// Mean latency.
        latency_mean_s: Float "s",
        /// Its 95th percentile.
        latency_p95_s: Float "s",
        /// Its largest.
        latency_max_s: Float "s",
        /// Latency at the end.
        latency_end_s: Float "s",
        /// Media played over the time of playing.
        rate_mean: Float,
        /// Times that the sink skipped media.
        skips: Int,
        /// Media skipped.
        skipped_s: Float "s",
    }

    /// One row a flow of web sessions: sessions, pages, objects, connections.
    Web = "web" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Sessions that have begun.
        sessions: Int,
        /// Those that are over.
        sessions_done: Int,
        /// Pages that are complete.
        pages: Int,
        /// Objects that have arrived.
        objects: Int,
        /// Objects whose connection was given up.
        objects_failed: Int,
        /// Connections opened.
        connections: Int,
        /// The most that were open at once.
        connections_max: Int,
    }

    /// One row a flow of datagrams at a constant rate: loss, reordering, delay, jitter.
    Cbr = "cbr" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Datagrams sent.
        sent: Int,
        /// Datagrams received, duplicates aside.
        received: Int,
        /// Datagrams below the largest number received that did not arrive (RFC 3550 section 6.4.1).
        lost: Int,
        /// The part of them.
        loss: Float (Fraction),
        /// Datagrams that arrived again.
        duplicates: Int,
        /// Datagrams that arrived after one of a larger number.
        reordered: Int,
        /// Bits received, headers included, over the time of sending.
        received_bps: Float "bit/s",
        /// Mean one-way delay.
        delay_mean_ms: Float "ms" (Elapsed),
        /// Its median.
        delay_p50_ms: Float "ms",
        /// Its 95th percentile.
        delay_p95_ms: Float "ms",
        /// Its 99th percentile.
        delay_p99_ms: Float "ms",
        /// Its largest.
        delay_max_ms: Float "ms" (Elapsed),
        /// Interarrival jitter at the end (RFC 3550 section 6.4.1).
        jitter_ms: Float "ms",
    }

    /// One row a flow of datagrams with a circuit breaker (RFC 8084): whether and when it has ended the flow.
    Breakers = "breakers" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// From the start of the flow to its end by the breaker.
        tripped_s: Float "s" (Elapsed),
        /// loss, or no-report.
        reason: Text,
        /// Intervals that were measured.
        measurements: Int,
        /// Those whose loss was above the threshold.
        exceeded: Int,
        /// Largest loss of an interval.
        loss_max: Float (Fraction),
    }

    /// One row a direction of a call: what was lost or late, the delay, and the E-model's R and MOS.
    Voip = "voip" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Packets sent.
        sent: Int,
        /// Packets whose time to be played has come.
        packets: Int,
        /// Those that had not arrived by the end of the run.
        lost: Int,
        /// Those that came too late to be played.
        late: Int,
        /// The part lost or late.
        loss: Float (Fraction),
        /// How much longer than by chance what is missing comes together (G.107).
        burst_ratio: Float,
        /// Mean one-way delay in the network.
        delay_mean_ms: Float "ms" (Elapsed),
        /// Delay from mouth to ear: play-out, frame and look-ahead of the codec.
        mouth_to_ear_ms: Float "ms",
        /// Rating R of the E-model (G.107).
        r: Float (Signed),
        /// Mean opinion score that R stands for.
        mos: Float (Score),
    }

    /// One row a direction of a video call: frames, freezes, delays, losses, rates and feedback.
    ///
    /// A freeze is an interval between frames of at least max(3 * mean, mean + 150 ms), where the mean is that of the last
    /// 30 intervals (freezeCount of WebRTC's statistics). Rates have all headers, and are over the time of sending.
    Call = "call" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// Congestion control of the media.
        control: Text,
        /// Frames encoded.
        frames: Int,
        /// Frames that the encoder skipped, because packets waited for too long.
        skipped: Int,
        /// Key frames among the encoded frames.
        key_frames: Int,
        /// Frames decoded and played.
        played: Int,
        /// Freezes.
        freezes: Int,
        /// Time of the freezes together.
        freeze_s: Float "s",
        /// Mean delay of a frame from its capture to its play-out.
        frame_delay_mean_ms: Float "ms",
        /// Its median.
        frame_delay_p50_ms: Float "ms",
        /// Its 95th percentile.
        frame_delay_p95_ms: Float "ms",
        /// Its 99th percentile.
        frame_delay_p99_ms: Float "ms",
        /// Its largest.
        frame_delay_max_ms: Float "ms",
        /// Packets of video sent, retransmissions included.
        packets: Int,
        /// Packets of video received, duplicates aside.
        received: Int,
        /// Packets below the largest number received that did not arrive, before any repair.
        lost: Int,
        /// The part of them.
        loss: Float (Fraction),
        /// Packets received with a mark (ECN CE).
        marked: Int,
        /// Packets that the receiver asked for again, each request counted.
        requested: Int,
        /// Packets retransmitted.
        retransmitted: Int,
        /// Repair packets of the forward error correction sent.
        parity_packets: Int,
        /// Lost packets that they repaired.
        parity_repaired: Int,
        /// Their bytes over the bytes of the frames' packets (RFC 8627 section 1.1.6).
        parity_overhead: Float,
        /// Requests for a key frame.
        key_requests: Int,
        /// Mean one-way delay of the video's packets, from the pacer to the receiver.
        delay_mean_ms: Float "ms" (Elapsed),
        /// Its 95th percentile.
        delay_p95_ms: Float "ms",
        /// Its largest.
        delay_max_ms: Float "ms" (Elapsed),
        /// Mean target rate of the congestion control.
        target_bps: Float "bit/s",
        /// Rate of the video's packets sent.
        sent_bps: Float "bit/s",
        /// Rate of the video's packets received.
        received_bps: Float "bit/s",
        /// Messages of the receiver: reports and requests.
        feedback: Int,
        /// Their rate on the reverse path.
        feedback_bps: Float "bit/s",
        /// Packets of audio sent.
        audio_sent: Int,
        /// Packets of audio below the largest number received that did not arrive.
        audio_lost: Int,
        /// 95th percentile of the one-way delay of audio.
        audio_delay_p95_ms: Float "ms",
        /// When a circuit breaker stopped the media.
        stopped_s: Float "s" (Moment),
        /// Which condition it was: `rtcp-timeout`, `media-timeout` or `congestion`.
        stopped_by: Text,
    }

    /// One row a flow of on periods: the time on, and the throughput over it.
    TimeOn = "time_on" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// On periods that have begun.
        periods: Int,
        /// Their time together, the one under way included.
        time_on_s: Float "s",
        /// Bytes delivered in them.
        bytes: Int "bytes",
        /// Those bytes over that time.
        throughput_bps: Float "bit/s",
    }

    /// One row a flow and what it delivers: quantiles of completion times and slowdowns.
    ///
    /// A slowdown is the completion time over the least time that the path allows: the bytes at the rate of the slowest
    /// link, and the propagation delay from source to sink, or the base round-trip time for an answer to a request. A
    /// handshake is no part of it.
    Completions = "completions" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text (Key),
        /// What is counted: `transfer`, `burst`, `page`, ....
        what: Text (Key),
        /// How many were completed.
        count: Int,
        /// How many had begun and were not complete at the end.
        open: Int,
        /// Bytes of those that were completed.
        bytes: Int "bytes",
        /// All their bytes over all the time spent on them.
        goodput_bps: Float "bit/s",
        /// Mean completion time.
        mean_s: Float "s" (Elapsed),
        /// Its median, to one part in a thousand as all quantiles.
        p50_s: Float "s",
        /// Its 95th percentile.
        p95_s: Float "s",
        /// Its 99th percentile.
        p99_s: Float "s",
        /// Its largest.
        max_s: Float "s" (Elapsed),
        /// Mean of completion time over the time that the bytes would take alone.
        slowdown_mean: Float,
        /// Its median.
        slowdown_p50: Float,
        /// Its 95th percentile.
        slowdown_p95: Float,
        /// Its 99th percentile.
        slowdown_p99: Float,
        /// Its largest.
        slowdown_max: Float,
    }

    /// Completion times in bins that add up over flows and runs; see `ackclock.stats.quantile_of_bins`.
    CompletionBins = "completion_bins" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// What was completed, as in `completions`.
        what: Text,
        /// Upper end of the bin.
        upto_s: Float "s",
        /// How many took up to that, and longer than the bin before says.
        count: Int,
    }

    /// One row a transfer of a fixed size; the end is empty when the run ended first.
    Transfers = "transfers" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Size of the transfer.
        bytes: Int "bytes",
        /// When the connection was opened.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
        /// Its bytes over its duration.
        goodput_bps: Float "bit/s",
    }

    /// One row a burst over a connection that stays open; the end is empty when the run ended first.
    Bursts = "bursts" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Size of the burst.
        bytes: Int "bytes",
        /// When the application wrote it.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
        /// Its bytes over its duration.
        goodput_bps: Float "bit/s",
    }

    /// One row an item of a list whose time has come; the end is empty when the run ended first.
    Items = "items" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Size of the item.
        bytes: Int "bytes",
        /// Its time: when the application wrote it.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
        /// Its bytes over its duration.
        goodput_bps: Float "bit/s",
    }

    /// One row a round of requests to several servers; the end is empty when the run ended first.
    Rounds = "rounds" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Bytes of all responses of the round.
        bytes: Int "bytes",
        /// When the requests were sent.
        start_s: Float "s" (Moment),
        /// When the last response was complete.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
        /// Its bytes over its duration.
        goodput_bps: Float "bit/s",
    }

    /// One row an on period: its bytes, start and end; the end is empty when the run ended first.
    Onoff = "onoff" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Bytes delivered in the period.
        bytes: Int "bytes",
        /// When it began.
        start_s: Float "s" (Moment),
        /// When its connection was established.
        connected_s: Float "s" (Moment),
        /// When it was over: its time was up, or its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
        /// Its bytes over its duration.
        goodput_bps: Float "bit/s",
    }

    /// One row a DASH segment: level, size, download time, buffer, stall.
    DashSegments = "dash_segments" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Rate of the level chosen.
        level_bps: Int "bit/s",
        /// Size of the segment.
        bytes: Int "bytes",
        /// When it was asked for.
        request_s: Float "s" (Moment),
        /// When its first byte arrived.
        first_byte_s: Float "s" (Moment),
        /// When its last byte arrived.
        done_s: Float "s" (Moment),
        /// From the request to the last byte.
        download_s: Float "s" (Elapsed),
        /// Its bits over that time.
        download_bps: Float "bit/s",
        /// Media in the buffer with it.
        buffer_s: Float "s",
        /// Time that playback stood since the segment before it arrived.
        stall_s: Float "s" (Elapsed),
    }

    /// One row a segment of live video: level, size, what the rate adaptation heard, buffer, latency, stall.
    LiveSegments = "live_segments" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Rate of the level chosen.
        level_bps: Int "bit/s",
        /// Size of the segment.
        bytes: Int "bytes",
        /// When it was asked for.
        request_s: Float "s" (Moment),
        /// When its first byte arrived.
        first_byte_s: Float "s" (Moment),
        /// When its last byte arrived.
        done_s: Float "s" (Moment),
        /// Throughput of its download, by the measurement of the application.
        measured_bps: Float "bit/s",
        /// Media in the buffer with it.
        buffer_s: Float "s",
        /// Latency when it had arrived.
        latency_s: Float "s",
        /// Time that playback stood since the segment before it arrived.
        stall_s: Float "s" (Elapsed),
    }

    /// One row an interval of a client of live video; needs `sample` in the application.
    LiveSamples = "live_samples" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// End of the interval.
        at_s: Float "s" (Moment),
        /// Latency at that time; empty before playback begins.
        latency_s: Float "s",
        /// Media in the buffer at that time.
        buffer_s: Float "s",
        /// Playback rate at that time.
        rate: Float,
        /// Level of the last segment that was asked for.
        level_bps: Int "bit/s",
        /// Stalls so far.
        stalls: Int,
    }

    /// One row a group of live video over streams: size, frames that arrived, were shown and were skipped, reset.
    MoqGroups = "moq_groups" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Bytes of its frames, with the headers of its stream.
        bytes: Int "bytes",
        /// When its first frame began.
        start_s: Float "s" (Moment),
        /// Frames that have arrived.
        frames_arrived: Int,
        /// Frames that were shown.
        frames_shown: Int,
        /// Frames that playback passed over.
        frames_skipped: Int,
        /// When its last frame arrived.
        done_s: Float "s" (Moment),
        /// When the source reset its stream.
        reset_s: Float "s" (Moment),
    }

    /// One row an interval of a sink of live video over streams; needs `sample` in the application.
    MoqSamples = "moq_samples" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// End of the interval.
        at_s: Float "s" (Moment),
        /// Latency at that time; empty before playback begins.
        latency_s: Float "s",
        /// Media in the buffer at that time.
        buffer_s: Float "s",
        /// Playback rate at that time.
        rate: Float,
        /// Stalls so far.
        stalls: Int,
        /// Media skipped so far.
        skipped_s: Float "s",
    }

    /// One row a frame of a call; needs `frames = true` in the application.
    CallFrames = "call_frames" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Its number within the flow, from 0.
        index: Int,
        /// Size of the encoded frame.
        bytes: Int "bytes",
        /// Packets of the frame.
        packets: Int,
        /// Whether it is a key frame.
        key: Bool,
        /// When it was captured.
        captured_s: Float "s" (Moment),
        /// When it was played; empty if it was not.
        played_s: Float "s",
        /// From its capture to its play-out.
        delay_ms: Float "ms",
    }

    /// One row an interval of a call; needs `sample` in the application.
    CallRates = "call_rates" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// End of the interval.
        at_s: Float "s" (Moment),
        /// Target rate of the congestion control at that time.
        target_bps: Float "bit/s",
        /// Rate that the encoder has taken over, without headers.
        encoder_bps: Float "bit/s",
        /// Rate of the video's packets sent in the interval.
        sent_bps: Float "bit/s",
        /// Rate of the video's packets received in the interval.
        received_bps: Float "bit/s",
        /// Mean one-way delay of the packets received in the interval; empty without any.
        delay_ms: Float "ms" (Elapsed),
        /// Packets found missing in the interval.
        lost: Int,
        /// Freezes that ended in the interval.
        freezes: Int,
    }

    /// One row an object of a page that has arrived; needs `records = true` in the application.
    WebObjects = "web_objects" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// The session's number, from 0.
        session: Int,
        /// The page's number within the session, from 0.
        page: Int,
        /// Its number within the page, from 0.
        index: Int,
        /// Size of the object.
        bytes: Int "bytes",
        /// When it was asked for, the opening of a connection included.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
    }

    /// One row a page that is complete; needs `records = true` in the application.
    WebPages = "web_pages" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// The session's number, from 0.
        session: Int,
        /// Its number within the session, from 0.
        index: Int,
        /// Objects on the page.
        objects: Int,
        /// Their bytes.
        bytes: Int "bytes",
        /// When its first object was asked for.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end.
        duration_s: Float "s" (Elapsed),
    }

    /// One row a flow of connection vectors: its connections.
    Tmix = "tmix" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Connections opened.
        connections: Int,
        /// Connections whose data has all arrived.
        connections_done: Int,
        /// Connections that were given up.
        connections_failed: Int,
        /// The most that were open at once.
        connections_max: Int,
    }

    /// One row a connection whose data has arrived; needs `records = true` in the application.
    TmixConnections = "tmix_connections" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Number of the connection vector, from 0.
        connection: Int,
        /// Exchanges in it.
        epochs: Int,
        /// Bytes from the end that opens the connection.
        initiator_bytes: Int "bytes",
        /// Bytes from the other end.
        acceptor_bytes: Int "bytes",
        /// When its SYN was sent.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end, think times included.
        duration_s: Float "s" (Elapsed),
    }

    /// One row an exchange that is complete; needs `records = true` in the application.
    TmixEpochs = "tmix_epochs" {
        /// The flow's name; of several copies with the copy's number.
        flow: Text,
        /// Number of the connection vector, from 0.
        connection: Int,
        /// Its number within the connection, from 0.
        index: Int,
        /// Bytes from the end that opens the connection.
        initiator_bytes: Int "bytes",
        /// Bytes from the other end.
        acceptor_bytes: Int "bytes",
        /// Think time before it.
        idle_s: Float "s",
        /// When its first byte was written.
        start_s: Float "s" (Moment),
        /// When its last byte arrived.
        end_s: Float "s" (Moment),
        /// From start to end, the acceptor's thinking included.
        duration_s: Float "s" (Elapsed),
    }
}
