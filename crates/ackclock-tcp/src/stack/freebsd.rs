//! FreeBSD: its constants and the defaults of its sysctls.

use super::{Stack, Values, rfc, values};
use crate::config::{
    AckRule, Conformance, EcnMode, InitialWindow, Keepalive, NagleRule, ReductionBase, Restart, SynLosses, WindowRule,
};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc};

pub(super) const FREEBSD: Stack = Stack {
    name: "freebsd",
    summary: "FreeBSD 14 as it comes: CUBIC, SACK with PRR, timestamps, RTO of at least 230 ms, ACKs delayed 40 ms",
    source: "FreeBSD 14 sys/netinet/tcp_timer.h, tcp_subr.c, tcp_input.c; tcp(4)",
    config: || freebsd().config,
    values: freebsd,
    forms: &[],
    slow_start_of: |_| "standard",
};

pub(super) const FREEBSD_2014: Stack = Stack {
    name: "freebsd-2014",
    summary: "FreeBSD 10 of 2014: NewReno's window, its own SACK recovery, IW10, initial RTO 3 s, ACKs delayed 100 ms",
    source: "FreeBSD 10 sys/netinet/tcp_timer.h, tcp_subr.c, tcp_input.c; tcp(4)",
    config: || freebsd_2014().config,
    values: freebsd_2014,
    forms: &[],
    slow_start_of: |_| "standard",
};

fn freebsd() -> Values {
    values! {
        ..rfc::values();
        cc: cc::by_name("cubic-rfc9438").expect("in the catalogue").into(),
            "net.inet.tcp.cc.algorithm = cubic, since 14.0";
        initial_window: InitialWindow::Rfc6928,
            "sys/netinet/tcp_input.c, tcp_compute_initwnd with net.inet.tcp.initcwnd_segments = 10: the formula of RFC 6928";
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //= type=exception
        //= reason=FreeBSD takes one segment after any lost SYN (tcp_timer_rexmt).
        //# it is RECOMMENDED that implementations refrain from resetting the initial window to 1 segment, unless
        //# there have been more than one SYN or SYN/ACK retransmissions
        syn_losses: SynLosses { count: 1, forgives_spurious: false },
            "sys/netinet/tcp_timer.c, tcp_timer_rexmt; tcp_syncache.c, syncache_socket: any";
        recovery: Recovery::PrrSsrb, "net.inet.tcp.do_prr = 1, do_prr_conservative = 0";
        dsack: true, "sys/netinet/tcp_output.c, tcp_sack.c: RFC 2883, since 13.0";
        reduction_base: ReductionBase::Window,
            "sys/netinet/cc: cc_newreno.c, newreno_cong_signal; cc_cubic.c, cubic_ssthresh_update";
        rescue: true, "sys/netinet/tcp_sack.c, tcp_sack_partialack";
        retransmit_restarts_timer: true,
            "sys/netinet/tcp_input.c stops it with a fast retransmission; tcp_output.c starts it";
        eifel: true, "sys/netinet/tcp_input.c: a timeout whose ACK echoes an older timestamp is undone";
        initial_rto: SECOND, "net.inet.tcp.rexmit_initial = 1000";
        min_rto: 30 * MILLISECOND, "net.inet.tcp.rexmit_min = 30";
        max_rto: 64 * SECOND, "TCPTV_REXMTMAX";
        rto_slop: 200 * MILLISECOND, "net.inet.tcp.rexmit_slop = 200";
        connect_timeout: 75 * SECOND, "net.inet.tcp.keepinit = 75000";
        syn_retries: 12, "TCP_MAXRXTSHIFT";
        syn_ack_retries: 3, "net.inet.tcp.syncache.rexmtlimit = 3";
        data_retries: 12, "TCP_MAXRXTSHIFT";
        persist_min: 5 * SECOND, "net.inet.tcp.persmin = 5000";
        persist_max: 60 * SECOND, "net.inet.tcp.persmax = 60000";
        timestamps: true, "net.inet.tcp.rfc1323 = 1";
        ecn: EcnMode::Passive, "net.inet.tcp.ecn.enable = 2";
        nagle: true, "unless TCP_NODELAY";
        nagle_rule: NagleRule::FreeBsd, "sys/netinet/tcp_output.c, tcp_default_output: idle, TF_LASTIDLE";
        restart: Restart::FreeBsd, "sys/netinet/cc/cc.c, newreno_cc_after_idle";
        window_rule: WindowRule::FreeBsd,
            "sys/netinet: tcp_output.c, tcp_default_output; tcp_input.c, tcp_mss and tcp_autorcvbuf";
        ack_rule: AckRule::FreeBsd, "sys/netinet/tcp_input.c, DELAY_ACK";
        delayed_ack: 40 * MILLISECOND, "net.inet.tcp.delacktime = 40";
        receive_buffer: 64 << 10, "net.inet.tcp.recvspace = 65536";
        receive_buffer_max: 2 << 20, "net.inet.tcp.recvbuf_max = 2 MiB";
        send_buffer: 32 << 10, "net.inet.tcp.sendspace = 32768";
        send_buffer_max: 2 << 20, "net.inet.tcp.sendbuf_max = 2 MiB, in steps of sendbuf_inc = 8192";
        keepalive: Some(Keepalive { idle: 7200 * SECOND, interval: 75 * SECOND, probes: 8 }),
            "net.inet.tcp.always_keepalive = 1: keepidle, keepintvl, keepcnt";
        time_wait: 60 * SECOND, "net.inet.tcp.msl = 30000";
        fin_timeout: 675 * SECOND,
            "sys/netinet/tcp_timer.c, tcp_timer_2msl: keepcnt * keepintvl of silence, looked at every keepintvl";
        reset_on_give_up: true, "sys/netinet/tcp_subr.c, tcp_drop";
        missing_timestamps: true, "net.inet.tcp.tolerate_missing_ts = 1, since 2021; before it had no such rule";
        ecn_syn_retries: 1, "net.inet.tcp.ecn.maxretries = 1";
        challenge_interval: 0, "sys/netinet/tcp_input.c, tcp_do_segment: no limit";
        rfc1337: true, "sys/netinet/tcp_timewait.c, tcp_twcheck";
        conformance: Conformance::FreeBsd,
            "sys/netinet: tcp_input.c, tcp_do_segment; tcp_output.c, tcp_default_output";
    }
}

fn freebsd_2014() -> Values {
    values! {
        ..freebsd();
        cc: cc::by_name("reno-rfc5681").expect("in the catalogue").into(), "net.inet.tcp.cc.algorithm = newreno";
        initial_window: InitialWindow::Rfc6928,
            "sys/netinet/tcp_input.c, cc_conn_init with net.inet.tcp.experimental.initcwnd10 = 1: the formula of RFC 6928";
        restart: Restart::FreeBsd10, "sys/netinet: cc/cc_newreno.c, newreno_after_idle; tcp_output.c, tcp_output";
        recovery: Recovery::FreeBsd,
            "sys/netinet: tcp_input.c, tcp_do_segment; tcp_sack.c, tcp_sack_partialack; no PRR";
        dsack: false, "RFC 2883, optional";
        rescue: false, "sys/netinet/tcp_sack.c: no such rule";
        initial_rto: 3 * SECOND, "TCPTV_RTOBASE";
        ecn: EcnMode::Off, "net.inet.tcp.ecn.enable = 0";
        window_rule: WindowRule::FreeBsd10,
            "sys/netinet: tcp_output.c, tcp_default_output; tcp_input.c, tcp_mss and tcp_autorcvbuf";
        delayed_ack: 100 * MILLISECOND, "TCPTV_DELACK: 100 ms";
        keepalive: Some(Keepalive { idle: 7200 * SECOND, interval: 75 * SECOND, probes: 8 }),
            "net.inet.tcp.always_keepalive = 1: keepidle, keepintvl, TCPTV_KEEPCNT";
    }
}
