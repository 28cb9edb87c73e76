//! FreeBSD: its constants and the defaults of its sysctls.

use super::{Stack, rfc};
use crate::config::{AckRule, Config, Conformance, EcnMode, Keepalive, ReductionBase, SynLosses, WindowRule};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc};

pub(super) const FREEBSD: Stack = Stack {
    name: "freebsd",
    summary: "FreeBSD 14 as it comes: CUBIC, SACK with PRR, timestamps, RTO of at least 230 ms, ACKs delayed 40 ms",
    source: "FreeBSD 14 sys/netinet/tcp_timer.h, tcp_subr.c, tcp_input.c; tcp(4)",
    config: freebsd,
    forms: &[],
    slow_start_of: |_| "standard",
    sources: &[
        ("cc", "net.inet.tcp.cc.algorithm = cubic, since 14.0"),
        (
            "initial_window",
            "sys/netinet/tcp_input.c, tcp_compute_initwnd with net.inet.tcp.initcwnd_segments = 10: the formula of RFC 6928",
        ),
        ("reduction_base", "sys/netinet/cc: cc_newreno.c, newreno_cong_signal; cc_cubic.c, cubic_ssthresh_update"),
        ("syn_losses", "sys/netinet/tcp_timer.c, tcp_timer_rexmt; tcp_syncache.c, syncache_socket: any"),
        ("recovery", "net.inet.tcp.do_prr = 1, do_prr_conservative = 0"),
        ("rescue", "sys/netinet/tcp_sack.c, tcp_sack_partialack"),
        ("dsack", "sys/netinet/tcp_output.c, tcp_sack.c: RFC 2883, since 13.0"),
        ("eifel", "sys/netinet/tcp_input.c: a timeout whose ACK echoes an older timestamp is undone"),
        (
            "retransmit_restarts_timer",
            "sys/netinet/tcp_input.c stops it with a fast retransmission; tcp_output.c starts it",
        ),
        ("initial_rto", "net.inet.tcp.rexmit_initial = 1000"),
        ("min_rto", "net.inet.tcp.rexmit_min = 30"),
        ("rto_slop", "net.inet.tcp.rexmit_slop = 200"),
        ("max_rto", "TCPTV_REXMTMAX"),
        ("syn_retries", "TCP_MAXRXTSHIFT"),
        ("connect_timeout", "net.inet.tcp.keepinit = 75000"),
        ("data_retries", "TCP_MAXRXTSHIFT"),
        ("window_rule", "sys/netinet: tcp_output.c, tcp_default_output; tcp_input.c, tcp_mss and tcp_autorcvbuf"),
        ("ack_rule", "sys/netinet/tcp_input.c, DELAY_ACK"),
        ("conformance", "sys/netinet: tcp_input.c, tcp_do_segment; tcp_output.c, tcp_default_output"),
        ("timestamps", "net.inet.tcp.rfc1323 = 1"),
        ("ecn", "net.inet.tcp.ecn.enable = 2"),
        ("nagle", "unless TCP_NODELAY"),
        ("delayed_ack", "net.inet.tcp.delacktime = 40"),
        ("receive_buffer", "net.inet.tcp.recvspace = 65536"),
        ("receive_buffer_max", "net.inet.tcp.recvbuf_max = 2 MiB"),
        ("keepalive", "net.inet.tcp.always_keepalive = 1: keepidle, keepintvl, keepcnt"),
        ("time_wait", "net.inet.tcp.msl = 30000"),
        ("fin_timeout", "net.inet.tcp.finwait2_timeout = 60000"),
        ("reset_on_give_up", "sys/netinet/tcp_subr.c, tcp_drop"),
    ],
};

pub(super) const FREEBSD_2014: Stack = Stack {
    name: "freebsd-2014",
    summary: "FreeBSD 10 of 2014: NewReno's window, its own SACK recovery, IW10, initial RTO 3 s, ACKs delayed 100 ms",
    source: "FreeBSD 10 sys/netinet/tcp_timer.h, tcp_subr.c, tcp_input.c; tcp(4)",
    config: freebsd_2014,
    forms: &[],
    slow_start_of: |_| "standard",
    sources: &[
        ("cc", "net.inet.tcp.cc.algorithm = newreno"),
        (
            "initial_window",
            "sys/netinet/tcp_input.c, cc_conn_init with net.inet.tcp.experimental.initcwnd10 = 1: the formula of RFC 6928",
        ),
        ("reduction_base", "sys/netinet/cc: cc_newreno.c, newreno_cong_signal; cc_cubic.c, cubic_ssthresh_update"),
        ("syn_losses", "sys/netinet/tcp_timer.c, tcp_timer_rexmt; tcp_syncache.c, syncache_socket: any"),
        ("rescue", "sys/netinet/tcp_sack.c: no such rule"),
        ("recovery", "sys/netinet: tcp_input.c, tcp_do_segment; tcp_sack.c, tcp_sack_partialack; no PRR"),
        ("eifel", "sys/netinet/tcp_input.c: a timeout whose ACK echoes an older timestamp is undone"),
        (
            "retransmit_restarts_timer",
            "sys/netinet/tcp_input.c stops it with a fast retransmission; tcp_output.c starts it",
        ),
        ("initial_rto", "TCPTV_RTOBASE"),
        ("min_rto", "net.inet.tcp.rexmit_min = 30"),
        ("rto_slop", "net.inet.tcp.rexmit_slop = 200"),
        ("max_rto", "TCPTV_REXMTMAX"),
        ("syn_retries", "TCP_MAXRXTSHIFT"),
        ("connect_timeout", "net.inet.tcp.keepinit = 75000"),
        ("data_retries", "TCP_MAXRXTSHIFT"),
        ("window_rule", "sys/netinet: tcp_output.c, tcp_default_output; tcp_input.c, tcp_mss and tcp_autorcvbuf"),
        ("ack_rule", "sys/netinet/tcp_input.c, DELAY_ACK"),
        ("conformance", "sys/netinet: tcp_input.c, tcp_do_segment; tcp_output.c, tcp_default_output"),
        ("timestamps", "net.inet.tcp.rfc1323 = 1"),
        ("ecn", "net.inet.tcp.ecn.enable = 0"),
        ("nagle", "unless TCP_NODELAY"),
        ("delayed_ack", "TCPTV_DELACK: 100 ms"),
        ("receive_buffer", "net.inet.tcp.recvspace = 65536"),
        ("receive_buffer_max", "net.inet.tcp.recvbuf_max = 2 MiB"),
        ("keepalive", "net.inet.tcp.always_keepalive = 1: keepidle, keepintvl, TCPTV_KEEPCNT"),
    ],
};

fn freebsd() -> Config {
    Config {
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //= type=exception
        //= reason=FreeBSD takes one segment after any lost SYN (tcp_timer_rexmt).
        //# it is RECOMMENDED that implementations refrain from resetting the initial window to 1 segment, unless
        //# there have been more than one SYN or SYN/ACK retransmissions
        syn_losses: SynLosses { count: 1, forgives_spurious: false },
        min_rto: 30 * MILLISECOND,
        rto_slop: 200 * MILLISECOND,
        max_rto: 64 * SECOND,
        syn_retries: 12,
        connect_timeout: 75 * SECOND,
        data_retries: 12,
        timestamps: true,
        dsack: true,
        recovery: Recovery::PrrSsrb,
        reduction_base: ReductionBase::Window,
        eifel: true,
        retransmit_restarts_timer: true,
        ecn: EcnMode::Passive,
        nagle: true,
        receive_buffer: 64 << 10,
        receive_buffer_max: 2 << 20,
        window_rule: WindowRule::FreeBsd,
        ack_rule: AckRule::FreeBsd,
        conformance: Conformance::FreeBsd,
        delayed_ack: 40 * MILLISECOND,
        keepalive: Some(Keepalive { idle: 7200 * SECOND, interval: 75 * SECOND, probes: 8 }),
        cc: cc::by_name("cubic-rfc9438").expect("in the catalogue").into(),
        ..rfc::config()
    }
}

fn freebsd_2014() -> Config {
    Config {
        initial_rto: 3 * SECOND,
        window_rule: WindowRule::FreeBsd10,
        dsack: false,
        recovery: Recovery::FreeBsd,
        rescue: false,
        ecn: EcnMode::Off,
        delayed_ack: 100 * MILLISECOND,
        cc: cc::by_name("reno-rfc5681").expect("in the catalogue").into(),
        ..freebsd()
    }
}
