//! The effect of the buffer on a single Reno flow.

use ackclock_sim::run::Output;

use super::score::{Answer, Chapter, Error, numbers, run, texts};

const THEORY: &str = "One Reno flow has P packets on the path and a queue with room for B <= P packets. The window grows by one packet per round trip from (P + B)/2 to \
    P + B. While the window is below P, a round takes P packet times, and the link is idle for a part of the round. Above P, a round takes as many \
    packet times as the window has packets. The utilisation is therefore ((P - B)(3P + B)/8 + B(2P + B)/2) / (P(P - B)/2 + B(2P + B)/2): 3/4 without a \
    buffer, and 1 from B = P on (the rule of thumb of C. Villamizar, C. Song, \"High performance TCP in ANSNET\", CCR 24(5), 1994; G. Appenzeller, I. \
    Keslassy, N. McKeown, \"Sizing router buffers\", SIGCOMM 2004, section 2). Every segment is acknowledged. The link has 10 Mbit/s and the round \
    trip 200 ms, so P = 167.9 including the serialisation on the path. The measurement covers whole cycles after the first minute. The theory leaves \
    out one round for each recovery, which is 0.006.";

fn utilisation(p: f64, b: f64) -> f64 {
    let above = b * (2.0 * p + b) / 2.0;
    ((p - b) * (3.0 * p + b) / 8.0 + above) / (p * (p - b) / 2.0 + above)
}

/// Returns the utilisation of the link between the first recovery and the last.
fn over_whole_cycles(output: &Output) -> f64 {
    let events = numbers(output, "events", "time_s").into_iter().zip(texts(output, "events", "event"));
    let starts: Vec<f64> = events.filter(|(_, event)| event == "recovery_started").map(|(time, _)| time).collect();
    let cycles = starts[0]..starts[starts.len() - 1];
    let rates = numbers(output, "rates", "time_s").into_iter().zip(numbers(output, "rates", "bytes_delivered"));
    let (count, bytes) =
        rates.filter(|(time, _)| cycles.contains(time)).fold((0.0, 0.0), |(n, sum), (_, bytes)| (n + 1.0, sum + bytes));
    bytes * 1500.0 / 1460.0 * 8.0 / (count * 0.1) / 1e7
}

pub fn chapter() -> Chapter {
    // The sum of the propagation delay, a packet's time on the bottleneck and on two access links, and the
    // acknowledgment's time.
    let packet = 1500.0 * 8.0 / 1e7;
    let path = (0.2 + packet * 1.2 + packet * 1.2 * 40.0 / 1500.0) / packet;
    let answer = |packets: u32| {
        let text = format!(
            "duration = \"300s\"\n[bottleneck]\nrate = \"10Mbps\"\ndelay = \"100ms\"\nqueue = \"{packets} packets\"\n\
             [[flows]]\nstack = 'rfc'\nname = \"f\"\napp = \"bulk\"\ndelayed_ack = \"0s\"\nreceive_buffer = \"16MiB\"\n\
             slow_start = \"hystart++\"\n\
             [probes]\nwindow = true\nrates = true\ninterval = \"100ms\"\nfrom = \"60s\"\n"
        );
        let ours = over_whole_cycles(&run(&text, 1));
        // The packet on the wire is not in the queue and adds one packet.
        let theory = utilisation(path, f64::from(packets).min(path));
        Answer {
            of: format!("utilisation with {packets} packets of buffer"),
            unit: "",
            theory,
            ours,
            error: Error::LeftOut(0.006),
        }
    };
    Chapter {
        title: "Reno over a small buffer",
        theory: THEORY,
        answers: [10, 20, 40, 80, 120, 168].map(answer).to_vec(),
    }
}

#[test]
fn theory_at_the_ends() {
    assert_eq!((utilisation(100.0, 0.0), utilisation(100.0, 100.0)), (0.75, 1.0));
}
