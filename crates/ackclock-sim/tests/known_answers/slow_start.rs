//! The duration of a transfer in slow start: handshake, round trips, and the packets of the last round trip.

use super::score::{Answer, Chapter, Error, numbers, run};

const THEORY: &str = "One transfer runs over 1 Gbit/s and a round-trip time R of 100 ms, without loss. Its time includes the handshake. In each round trip, the window \
    grows by the acknowledged bytes (RFC 5681 section 3.1 with byte counting, RFC 3465 with L = 2). With initial window IW and every segment \
    acknowledged, n rounds carry IW (2^n - 1) segments. The transfer then takes R + (n - 1) R + R/2, plus the time of the last round's packets on the \
    bottleneck. With delayed acknowledgments, every second segment is acknowledged, and a single segment after 200 ms. These rounds are counted by \
    hand, segment by segment (N. Cardwell, S. Savage, T. Anderson, \"Modeling TCP Latency\", INFOCOM 2000, section 2). The theory leaves out the rest \
    of the serialisation, which is less than 1 ms.";

/// Round-trip time, and delay of an acknowledgment, in seconds.
const RTT: f64 = 0.1;
const DELAYED: f64 = 0.2;
/// Time of a full packet on the bottleneck, in seconds.
const PACKET: f64 = 1500.0 * 8.0 / 1e9;

/// Computes the time by rounds: the segments that are sent, those that are acknowledged, and those that wait at the
/// receiver for a second segment.
fn rounds(segments: u64, initial_window: u64, every: u64) -> f64 {
    let (mut window, mut left, mut waiting, mut time) = (initial_window, segments, 0, RTT);
    loop {
        // A segment that waits for its acknowledgment is still in flight.
        let sent = (window - waiting).min(left);
        left -= sent;
        if left == 0 {
            return time + RTT / 2.0 + sent as f64 * PACKET;
        }
        let arrived = waiting + sent;
        let mut acknowledged = arrived / every * every;
        if acknowledged == 0 {
            (acknowledged, time) = (arrived, time + DELAYED);
        }
        waiting = arrived - acknowledged;
        window += acknowledged;
        time += RTT;
    }
}

fn answer(segments: u64, initial_window: u64, every: u64) -> Answer {
    let delayed = if every == 1 { "0s" } else { "200ms" };
    let text = format!(
        "duration = \"20s\"\n[bottleneck]\nrate = \"1Gbps\"\ndelay = \"50ms\"\nqueue = \"unlimited\"\n\
         [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = {{ kind = \"transfer\", size = \"{}B\" }}\ninitial_window = {initial_window}\n\
         receive_buffer = \"16MiB\"\ndelayed_ack = \"{delayed}\"\n",
        segments * 1460
    );
    let ours = numbers(&run(&text, 1), "transfers", "duration_s")[0];
    let acks = if every == 1 { "every segment acknowledged" } else { "delayed acknowledgments" };
    Answer {
        of: format!("{segments} segments from IW {initial_window}, {acks}"),
        unit: "s",
        theory: rounds(segments, initial_window, every),
        ours,
        error: Error::LeftOut(1e-3),
    }
}

pub fn chapter() -> Chapter {
    let mut answers = Vec::new();
    for every in [1, 2] {
        for initial_window in [1, 2, 3, 4, 10] {
            for segments in [1, 15, 100, 1000] {
                answers.push(answer(segments, initial_window, every));
            }
        }
    }
    Chapter { title: "Slow start", theory: THEORY, answers }
}

#[test]
fn rounds_counted_by_hand() {
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-3, "{a} {b}");
    // The handshake takes 100 ms, the one-way delay is 50 ms.
    close(rounds(10, 10, 1), 0.15);
    // The rounds have 10 + 20 + 40 + 30 segments.
    close(rounds(100, 10, 1), 0.45);
    // The first round has 1 segment, whose acknowledgment is delayed by 200 ms; then 2 and 4.
    close(rounds(7, 1, 2), 0.1 + 0.3 + 0.1 + 0.05);
    // The first round has 3 segments, of which 2 are acknowledged. The next 4 make 5 with the remaining one, and 4 of
    // these are acknowledged.
    close(rounds(7, 3, 2), 0.1 + 0.1 + 0.05);
    close(rounds(8, 3, 2), 0.1 + 0.2 + 0.05);
}
