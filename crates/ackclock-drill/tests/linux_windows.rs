//! Windows of Linux after packets larger than a segment, as the kernels of two versions have them.

use ackclock_drill::{Context, Verdict, run};
use ackclock_tcp::stack;

fn play_on(stack: &str, text: &str) -> Verdict {
    run(text, &Context { stack: stack::by_name(stack).unwrap(), defines: &[], files: &|_| None }).verdict
}

/// Windows after packets of which the second ends beyond the window, without a scale (Linux 6.17 net/ipv4/tcp_input.c,
/// tcp_sequence), as Linux 6.18.44 has them: it accepts such a packet only while nothing waits to be read.
#[test]
fn what_ends_beyond_the_window_needs_an_empty_queue_since_6_17() {
    let text = "`sysctl -q net.ipv4.tcp_timestamps=0`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_RCVBUF, [10000], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 win 8760 <mss 1460,nop,nop,sackOK,nop,wscale 0>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+.3 < P. 1:4001(4000) ack 1 win 257
+0 > . 1:1(0) ack 4001 win 4760
";
    let refused = "+.3 < P. 4001:54001(50000) ack 1 win 257
+0 > . 1:1(0) ack 4001 win 4760
+.3 < . 4001:4101(100) ack 1 win 257
+0 > . 1:1(0) ack 4101 win 4760
+.3 read(4, ..., 4100) = 4100
+.3 < P. 4101:54101(50000) ack 1 win 257
+.04 > . 1:1(0) ack 54101 win 0
";
    let accepted = "+.3 < P. 4001:54001(50000) ack 1 win 257
+.04 > . 1:1(0) ack 54001 win 0
";
    assert_eq!(play_on("linux-6.18", &(text.to_owned() + refused)), Verdict::Pass);
    assert_eq!(play_on("linux-6.12", &(text.to_owned() + accepted)), Verdict::Pass);
}

/// A packet beyond a gap measures the share of payload, too (tcp_data_queue_ofo); since 6.17 the limit of the window then rises
/// to what was offered (tcp_set_window_clamp). The windows are those of Linux 6.18.44 and 6.12.117.
#[test]
fn packets_beyond_a_gap_measure_the_share_of_payload() {
    let text = |second: u32| {
        format!(
            "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_rmem=\"4096 131072 6291456\"`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 win 64240 <mss 1460,nop,nop,sackOK,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+.3 < . 2001:12001(10000) ack 1 win 257
+0 > . 1:1(0) ack 1 win {second} <nop,nop,sack 2001:12001>
"
        )
    };
    let [newer, older] = [text(659), text(657)];
    assert_eq!(play_on("linux-6.18", &newer), Verdict::Pass);
    assert_eq!(play_on("linux-6.12", &older), Verdict::Pass);
}

/// A window that may shrink follows the memory of large packets: the windows are those of Linux 6.18.44.
#[test]
fn a_window_that_may_shrink_follows_the_memory_of_large_packets() {
    let text =
        "`sysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_shrink_window=1 net.ipv4.tcp_rmem=\"4096 32768 32768\"`
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 32792 <mss 1000,nop,wscale 7>
+0 > S. 0:0(0) ack 1 win 16060 <mss 1460,nop,wscale 7>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
+.3 < P. 1:10001(10000) ack 1 win 257
+0 > . 1:1(0) ack 10001 win 125
+.3 < P. 10001:11025(1024) ack 1 win 257
+0 > . 1:1(0) ack 11025 win 111
+.3 < P. 11025:13025(2000) ack 1 win 257
+0 > . 1:1(0) ack 13025 win 48
+.3 read(4, ..., 13024) = 13024
+0 > . 1:1(0) ack 13025 win 117
";
    assert_eq!(play_on("linux-6.18", text), Verdict::Pass);
}
