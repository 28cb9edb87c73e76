//! The one-way agents of ns-2, with the defaults that its interpreter reports.

use super::{Stack, rfc};
use crate::config::{Config, InitialWindow, RtoRule, SynLosses};
use crate::{MILLISECOND, SECOND};

pub(super) const SACK: Stack = Stack {
    name: "ns2-sack",
    summary: "ns-2's Agent/TCP/Sack1 with TCPSink/Sack1: initial RTO 3 s, RTO of at least 200 ms, every packet acknowledged",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp.cc, tcp/tcp-sack1.cc",
    config: sack,
    forms: &[],
    slow_start_of: |_| "standard",
    sources: &[
        ("initial_window", "Agent/TCP windowInit_ = 2"),
        ("syn_losses", "tcp/tcp.cc, timeout: the window falls to wnd_restart_ = 1"),
        ("rescue", "tcp/tcp-sack1.cc: no such rule"),
        ("limited_transmit", "Agent/TCP singledup_ = 1"),
        ("restart", "Agent/TCP slow_start_restart_ = true"),
        ("retransmit_restarts_timer", "tcp/tcp-sack1.cc: reset_rtx_timer with a fast retransmission"),
        ("initial_rto", "Agent/TCP rtxcur_init_ = 3.0"),
        ("min_rto", "Agent/TCP minrto_ = 0.2"),
        ("max_rto", "Agent/TCP maxrto_ = 60"),
        ("delayed_ack", "Agent/TCPSink acknowledges every packet; TCPSink/DelAck would wait 100 ms"),
        ("ack_every", "Agent/TCPSink"),
        ("dup_thresh", "Agent/TCP numdupacks_ = 3"),
        ("rto_rule", "tcp/tcp.cc, rtt_update; Agent/TCP tcpTick_ = 0.01"),
        ("timestamps", "Agent/TCP timestamps_ = false"),
        ("recovery", "tcp/tcp-sack1.cc: pipe and a scoreboard, the forerunner of RFC 6675"),
    ],
};

fn sack() -> Config {
    Config {
        initial_window: InitialWindow::Segments(2),
        syn_losses: SynLosses { count: 1, forgives_spurious: false },
        rescue: false,
        initial_rto: 3 * SECOND,
        min_rto: 200 * MILLISECOND,
        delayed_ack: 0,
        ack_every: 1,
        rto_rule: RtoRule::Ns2,
        retransmit_restarts_timer: true,
        ..rfc::config()
    }
}
