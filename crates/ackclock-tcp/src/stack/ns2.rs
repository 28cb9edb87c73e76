//! The one-way agents of ns-2, with the defaults that its interpreter reports.

use super::{Stack, rfc};
use crate::config::{Config, Handshake, InitialWindow, ReductionBase, Restart, RtoRule, SynLosses, WindowUnit};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc};

/// The forms of the congestion controls of tcp/tcp.cc.
const FORMS: &[(&str, &str)] = &[("reno", "reno-ns2")];

/// Sources of the values that all agents share.
const SHARED: [(&str, &str); 16] = [
    ("initial_window", "Agent/TCP windowInit_ = 2"),
    ("syn_losses", "tcp/tcp.cc, timeout: the window falls to wnd_restart_ = 1"),
    ("rescue", "tcp/tcp-sack1.cc: no such rule"),
    ("limited_transmit", "Agent/TCP singledup_ = 1"),
    ("handshake", "tcp/tcp.cc: none; with syn_ the first packet has 40 bytes and counts as a whole one"),
    ("nagle", "tcp/tcp.cc: whole packets only"),
    ("retransmit_restarts_timer", "tcp/tcp.cc: reset_rtx_timer with a fast retransmission"),
    ("initial_rto", "Agent/TCP rtxcur_init_ = 3.0"),
    ("min_rto", "Agent/TCP minrto_ = 0.2"),
    ("max_rto", "Agent/TCP maxrto_ = 60"),
    ("delayed_ack", "Agent/TCPSink acknowledges every packet; TCPSink/DelAck would wait 100 ms"),
    ("ack_every", "Agent/TCPSink"),
    ("dup_thresh", "Agent/TCP numdupacks_ = 3"),
    ("rto_rule", "tcp/tcp.cc, rtt_update; Agent/TCP tcpTick_ = 0.01"),
    ("timestamps", "Agent/TCP timestamps_ = false"),
    ("reduction_base", "tcp/tcp.cc, slowdown: windowd()"),
];

/// The shared sources and those of one agent.
const fn with<const OWN: usize, const ALL: usize>(
    own: [(&'static str, &'static str); OWN],
) -> [(&'static str, &'static str); ALL] {
    let mut all = [("", ""); ALL];
    let mut at = 0;
    while at < ALL {
        all[at] = if at < OWN { own[at] } else { SHARED[at - OWN] };
        at += 1;
    }
    all
}

pub(super) const NEWRENO: Stack = Stack {
    name: "ns2-newreno",
    summary: "ns-2's Agent/TCP/Newreno with TCPSink: no handshake, RTO of at least 200 ms in ticks, every packet acknowledged",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp.cc, tcp/tcp-newreno.cc",
    config: newreno,
    forms: FORMS,
    slow_start_of: |_| "standard",
    sources: &with::<5, 21>([
        ("cc", "tcp/tcp.cc, opencwnd and slowdown"),
        ("recovery", "tcp/tcp-newreno.cc, with newreno_changes1_ and partial_window_deflation_ = 1"),
        ("sack", "TCPSink sends no blocks"),
        ("dsack", "TCPSink sends no blocks"),
        ("restart", "Agent/TCP slow_start_restart_ = true, wnd_restart_ = 1"),
    ]),
};

pub(super) const SACK: Stack = Stack {
    name: "ns2-sack",
    summary: "ns-2's Agent/TCP/Sack1 with TCPSink/Sack1: no handshake, RTO of at least 200 ms in ticks, every packet acknowledged",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp.cc, tcp/tcp-sack1.cc",
    config: sack,
    forms: FORMS,
    slow_start_of: |_| "standard",
    sources: &with::<4, 20>([
        ("cc", "tcp/tcp.cc, opencwnd and slowdown"),
        ("recovery", "tcp/tcp-sack1.cc: pipe and a scoreboard, the forerunner of RFC 6675"),
        ("dsack", "TCPSink/Sack1 generateDSacks_ = false"),
        ("restart", "Agent/TCP slow_start_restart_ = true, wnd_restart_ = 1"),
    ]),
};

pub(super) const LINUX: Stack = Stack {
    name: "ns2-linux",
    summary: "ns-2's Agent/TCP/Linux (Wei and Cao) with TCPSink/Sack1: windows and rate halving of Linux 2.6.22, timers of ns-2",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp-linux.cc; D. X. Wei and P. Cao, NS-2 TCP-Linux, WNS2 2006",
    config: linux,
    forms: &[
        ("bic", "bic-linux"),
        ("cubic", "cubic-2.1"),
        ("highspeed", "highspeed-linux"),
        ("lp", "lp-linux"),
        ("reno", "reno-linux"),
        ("scalable", "scalable-linux"),
        ("vegas", "vegas-2.6"),
        ("veno", "veno-linux"),
        ("yeah", "yeah-linux"),
    ],
    slow_start_of: |_| "standard",
    sources: &with::<5, 21>([
        ("cc", "tcp/linux/src/tcp_cong.c, the first of its list"),
        ("recovery", "tcp/tcp-linux.cc, send_much and tcp_fastretrans_alert; tcp/scoreboard1.cc: rate halving, FACK"),
        ("dsack", "TCPSink/Sack1 generateDSacks_ = false"),
        ("window_unit", "tcp/tcp-linux.cc: snd_cwnd"),
        ("restart", "tcp/tcp-linux.cc: snd_cwnd = 2"),
    ]),
};

fn agent(cc: &str) -> Config {
    Config {
        initial_window: InitialWindow::Segments(2),
        syn_losses: SynLosses { count: 1, forgives_spurious: false },
        handshake: Handshake::None,
        nagle: false,
        reduction_base: ReductionBase::Window,
        dsack: false,
        rescue: false,
        restart: Restart::OneSegment,
        initial_rto: 3 * SECOND,
        min_rto: 200 * MILLISECOND,
        delayed_ack: 0,
        ack_every: 1,
        rto_rule: RtoRule::Ns2,
        retransmit_restarts_timer: true,
        cc: cc::by_name(cc).expect("in the catalogue").into(),
        ..rfc::config()
    }
}

fn newreno() -> Config {
    Config { sack: false, recovery: Recovery::Ns2NewReno, ..agent("reno-ns2") }
}

fn sack() -> Config {
    Config { recovery: Recovery::Ns2Sack, ..agent("reno-ns2") }
}

fn linux() -> Config {
    Config {
        recovery: Recovery::Ns2Linux,
        window_unit: WindowUnit::Segments,
        restart: Restart::Rfc5681,
        ..agent("reno-linux")
    }
}
