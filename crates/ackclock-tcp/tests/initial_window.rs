//! The initial window of a connection, on every stack, and its reduction after lost SYNs.

use ackclock_tcp::config::InitialWindow;
use ackclock_tcp::{Config, Endpoint, Flags, MILLISECOND, Nanos, SECOND, Segment, State, Timestamps, stack};

fn of(name: &str) -> Config {
    (stack::by_name(name).expect("a stack").config)()
}

/// A client that sends its SYN `1 + lost` times and is then answered after `rtt`. With timestamps the reply echoes the
/// timestamp of SYN number `echoes`.
fn connect(config: &Config, lost: usize, rtt: Nanos, echoes: usize) -> (Endpoint, Nanos) {
    let mut end = Endpoint::new(config, 100);
    let mut now = 0;
    let mut sent = Vec::new();
    end.connect(now);
    loop {
        let syn = end.poll_transmit(now, &mut ()).expect("a SYN");
        assert!(syn.flags.has(Flags::SYN));
        sent.push(syn);
        if sent.len() > lost {
            break;
        }
        now = end.next_timeout();
        end.on_timeout(now, &mut ());
    }
    now += rtt;
    let mut reply = Segment::new(Flags::SYN.with(Flags::ACK));
    (reply.seq, reply.ack, reply.window) = (5000, sent[0].seq.wrapping_add(1), u16::MAX);
    reply.mss = config.mss.min(u32::from(u16::MAX)) as u16;
    reply.timestamps = sent[echoes].timestamps.map(|stamps| Timestamps { val: 1, ecr: stamps.val });
    end.on_segment(now, &reply, &mut ());
    assert_eq!(end.state(), State::Established);
    (end, now)
}

/// The initial window in bytes with segments of `mss` bytes, after `lost` SYNs.
fn window(config: &Config, mss: u32, lost: usize) -> u64 {
    let config = Config { mss, timestamps: false, ..config.clone() };
    connect(&config, lost, 100 * MILLISECOND, lost).0.window().cwnd
}

//= https://www.rfc-editor.org/rfc/rfc6928#section-2
//= type=test
//# the upper bound for the initial window will be min (10*MSS, max (2*MSS, 14600))
#[test]
fn the_rfc_bounds_ten_segments_by_14600_bytes_and_no_less_than_two_segments() {
    // RFC 6928 section 2, equation 1: min(10 MSS, max(2 MSS, 14600)).
    let expected =
        [(536, 5360), (1000, 10_000), (1460, 14_600), (1461, 14_600), (7300, 14_600), (7301, 14_602), (8960, 17_920)];
    for (mss, bytes) in expected {
        for name in ["rfc", "freebsd", "freebsd-2014"] {
            assert_eq!(window(&of(name), mss, 0), bytes, "{name}, {mss}");
        }
    }
}

#[test]
fn other_stacks_count_segments() {
    for mss in [536, 1460, 8960] {
        for (name, segments) in [("linux", 10), ("linux-3.12", 10)] {
            assert_eq!(window(&of(name), mss, 0), segments * u64::from(mss), "{name}, {mss}");
        }
        for name in ["ns2-newreno", "ns2-sack", "ns2-linux"] {
            let mut end = Endpoint::new(&Config { mss, ..of(name) }, 100);
            end.connect(0);
            assert_eq!((end.state(), end.window().cwnd), (State::Established, 2 * u64::from(mss)), "{name}, {mss}");
        }
    }
}

#[test]
fn a_window_that_is_given_stands() {
    for name in ["rfc", "linux", "freebsd"] {
        let given = Config { initial_window: InitialWindow::Segments(30), ..of(name) };
        assert_eq!(window(&given, 8960, 0), 30 * 8960, "{name}");
    }
}

//= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
//= type=test
//# if the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted SYN MUST be one
//# segment
//= https://www.rfc-editor.org/rfc/rfc6928#section-2
//= type=test
//# the initial window used by a sender after a correctly transmitted SYN MUST be one segment consisting of MSS bytes
//= https://www.rfc-editor.org/rfc/rfc6928#section-2
//= type=test
//# it is RECOMMENDED that implementations refrain from resetting the initial window to 1 segment, unless there have
//# been more than one SYN or SYN/ACK retransmissions
#[test]
fn lost_syns_leave_one_segment_as_each_stack_counts_them() {
    // RFC 6928 section 2: not "unless there have been more than one SYN or SYN/ACK retransmissions". Linux does the
    // same; FreeBSD counts from the first retransmission on.
    let counts = [("rfc", 2), ("linux", 2), ("linux-3.12", 2), ("freebsd", 1), ("freebsd-2014", 1)];
    for (name, count) in counts {
        let full = window(&of(name), 1000, 0);
        for lost in 0..4 {
            let expected = if lost >= count { 1000 } else { full };
            assert_eq!(window(&of(name), 1000, lost), expected, "{name}, {lost} lost");
        }
    }
}

#[test]
fn linux_forgives_syns_that_timestamps_show_to_have_been_late() {
    // There are two timeouts, and the reply answers the first SYN: the path is slow and nothing was lost.
    for (name, echoes, segments) in
        [("linux", 0, 10), ("linux", 1, 1), ("linux", 2, 1), ("linux-3.12", 0, 1), ("rfc", 0, 1)]
    {
        let config = Config { timestamps: true, ..of(name) };
        let (end, _) = connect(&config, 2, 100 * MILLISECOND, echoes);
        assert_eq!(end.window().cwnd / u64::from(config.mss - 12), segments, "{name}, {echoes}");
    }
}

#[test]
fn after_a_lost_syn_the_timeout_is_three_seconds_and_in_linux_what_a_timestamp_says() {
    // RFC 6298 section 5.7: "the RTO MUST be re-initialized to 3 seconds when data transmission begins". Linux takes a
    // sample if a timestamp shows which SYN was answered: three times 200 ms.
    let cases = [("rfc", false, 3000), ("rfc", true, 3000), ("linux", false, 3000), ("linux", true, 600)];
    for (name, timestamps, expected) in cases {
        let config = Config { timestamps, tlp: false, ..of(name) };
        let (mut end, now) = connect(&config, 1, 200 * MILLISECOND, 1);
        assert_eq!(end.info(now).rto / MILLISECOND, expected, "{name}, timestamps {timestamps}");
        end.write(now, 1000);
        while end.poll_transmit(now, &mut ()).is_some() {}
        assert_eq!((end.next_timeout() - now) / MILLISECOND, expected, "{name}, timestamps {timestamps}");
        assert!(expected < 3000 || end.next_timeout() - now == 3 * SECOND);
    }
}
