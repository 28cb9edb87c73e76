//! The one-way agents of ns-2, with the defaults that its interpreter reports.

use super::{Stack, Values, rfc, values};
use crate::config::{Handshake, InitialWindow, ReductionBase, Restart, RtoRule, SynLosses, WindowUnit};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc};

/// The forms of the congestion controls of tcp/tcp.cc.
const FORMS: &[(&str, &str)] = &[("reno", "reno-ns2")];

pub(super) const NEWRENO: Stack = Stack {
    name: "ns2-newreno",
    summary: "ns-2's Agent/TCP/Newreno with TCPSink: no handshake, RTO of at least 200 ms in ticks, every packet acknowledged",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp.cc, tcp/tcp-newreno.cc",
    config: || newreno().config,
    values: newreno,
    forms: FORMS,
    slow_start_of: |_| "standard",
};

pub(super) const SACK: Stack = Stack {
    name: "ns2-sack",
    summary: "ns-2's Agent/TCP/Sack1 with TCPSink/Sack1: no handshake, RTO of at least 200 ms in ticks, every packet acknowledged",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp.cc, tcp/tcp-sack1.cc",
    config: || sack().config,
    values: sack,
    forms: FORMS,
    slow_start_of: |_| "standard",
};

pub(super) const LINUX: Stack = Stack {
    name: "ns2-linux",
    summary: "ns-2's Agent/TCP/Linux (Wei and Cao) with TCPSink/Sack1: windows and rate halving of Linux 2.6.22, timers of ns-2",
    source: "ns-2.35 tcl/lib/ns-default.tcl, tcp/tcp-linux.cc; D. X. Wei and P. Cao, NS-2 TCP-Linux, WNS2 2006",
    config: || linux().config,
    values: linux,
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
};

/// The values that all agents share.
fn agent() -> Values {
    values! {
        ..rfc::values();
        cc: cc::by_name("reno-ns2").expect("in the catalogue").into(), "tcp/tcp.cc, opencwnd and slowdown";
        restart: Restart::OneSegment, "Agent/TCP slow_start_restart_ = true, wnd_restart_ = 1";
        initial_window: InitialWindow::Segments(2), "Agent/TCP windowInit_ = 2";
        syn_losses: SynLosses { count: 1, forgives_spurious: false },
            "tcp/tcp.cc, timeout: the window falls to wnd_restart_ = 1";
        dsack: false, "TCPSink sends no blocks";
        dup_thresh: 3, "Agent/TCP numdupacks_ = 3";
        reduction_base: ReductionBase::Window, "tcp/tcp.cc, slowdown: windowd()";
        limited_transmit: true, "Agent/TCP singledup_ = 1";
        rescue: false, "tcp/tcp-sack1.cc: no such rule";
        retransmit_restarts_timer: true, "tcp/tcp.cc: reset_rtx_timer with a fast retransmission";
        rto_rule: RtoRule::Ns2, "tcp/tcp.cc, rtt_update; Agent/TCP tcpTick_ = 0.01";
        initial_rto: 3 * SECOND, "Agent/TCP rtxcur_init_ = 3.0";
        min_rto: 200 * MILLISECOND, "Agent/TCP minrto_ = 0.2";
        max_rto: 60 * SECOND, "Agent/TCP maxrto_ = 60";
        timestamps: false, "Agent/TCP timestamps_ = false";
        nagle: false, "tcp/tcp.cc: whole packets only";
        handshake: Handshake::None,
            "tcp/tcp.cc: none; with syn_ the first packet has 40 bytes and counts as a whole one";
        delayed_ack: 0, "Agent/TCPSink acknowledges every packet; TCPSink/DelAck would wait 100 ms";
        ack_every: 1, "Agent/TCPSink";
    }
}

fn newreno() -> Values {
    values! {
        ..agent();
        recovery: Recovery::Ns2NewReno,
            "tcp/tcp-newreno.cc, with newreno_changes1_ and partial_window_deflation_ = 1";
        sack: false, "TCPSink sends no blocks";
    }
}

fn sack() -> Values {
    values! {
        ..agent();
        recovery: Recovery::Ns2Sack, "tcp/tcp-sack1.cc: pipe and a scoreboard, the forerunner of RFC 6675";
        dsack: false, "TCPSink/Sack1 generateDSacks_ = false";
    }
}

fn linux() -> Values {
    values! {
        ..agent();
        cc: cc::by_name("reno-linux").expect("in the catalogue").into(), "tcp/linux/src/tcp_cong.c, the first of its list";
        restart: Restart::Rfc5681, "tcp/tcp-linux.cc: snd_cwnd = 2";
        recovery: Recovery::Ns2Linux,
            "tcp/tcp-linux.cc, send_much and tcp_fastretrans_alert; tcp/scoreboard1.cc: rate halving, FACK";
        dsack: false, "TCPSink/Sack1 generateDSacks_ = false";
        window_unit: WindowUnit::Segments, "tcp/tcp-linux.cc: snd_cwnd";
    }
}
