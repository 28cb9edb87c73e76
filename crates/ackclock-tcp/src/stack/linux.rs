//! Linux: its constants and the defaults of its sysctls.

use super::{Stack, Values, rfc, values};
use crate::config::{
    AccEcnOptions, AckRule, Conformance, EcnMode, InitialWindow, NagleRule, PacingBurst, ReductionBase, Restart,
    RtoRule, SynLosses, WindowRule, WindowUnit,
};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc, slow_start, validation};

/// The names of the kernel's modules.
const FORMS: &[(&str, &str)] = &[
    ("bbr", "bbr1"),
    ("bic", "bic-linux"),
    ("cubic", "cubic-linux"),
    ("dctcp", "dctcp-linux"),
    ("highspeed", "highspeed-linux"),
    ("htcp", "htcp-linux"),
    ("hybla", "hybla-linux"),
    ("illinois", "illinois-linux"),
    ("lp", "lp-linux"),
    ("reno", "reno-linux"),
    ("scalable", "scalable-linux"),
    ("vegas", "vegas-linux"),
    ("veno", "veno-linux"),
    ("westwood", "westwood-linux"),
    ("yeah", "yeah-linux"),
];

pub(super) const LINUX: Stack = Stack {
    name: "linux",
    summary: "Linux 6.12 as it comes: CUBIC with HyStart, RACK-TLP, PRR, F-RTO, timestamps, its RTO and delayed ACKs",
    source: "Linux 6.12 include/net/tcp.h, net/ipv4/tcp*.c, Documentation/networking/ip-sysctl.rst",
    config: || linux().config,
    values: linux,
    forms: FORMS,
    slow_start_of,
};

pub(super) const LINUX_6_18: Stack = Stack {
    name: "linux-6.18",
    summary: "Linux 6.18: as 6.12, with receive buffers of up to 32 MiB, window units of 1024 bytes, stricter window checks",
    source: "Linux 6.18 net/ipv4/tcp.c, tcp_init; tcp_input.c; the sysctls of 6.18.44",
    config: || linux_6_18().config,
    values: linux_6_18,
    ..LINUX
};

pub(super) const LINUX_6_12: Stack = Stack {
    name: "linux-6.12",
    summary: "Linux 6.12, which is what `linux` means",
    source: "the source of `linux`",
    ..LINUX
};

pub(super) const LINUX_6_1: Stack = Stack {
    name: "linux-6.1",
    summary: "Linux 6.1: as 6.12, with half of the receive buffer as the window, and timeouts of SYNs that double at once",
    source: "Linux 6.1 include/net/tcp.h, net/ipv4/tcp*.c, Documentation/networking/ip-sysctl.rst",
    config: || linux_6_1().config,
    values: linux_6_1,
    ..LINUX
};

pub(super) const LINUX_3_12: Stack = Stack {
    name: "linux-3.12",
    summary: "Linux 3.12 of 2013: CUBIC with HyStart, PRR of RFC 6937, TLP and early retransmit, no RACK, no pacing",
    source: "Linux 3.12 include/net/tcp.h, net/ipv4/tcp*.c, Documentation/networking/ip-sysctl.txt",
    config: || linux_3_12().config,
    values: linux_3_12,
    ..LINUX
};

/// The slow start of Linux's modules: CUBIC alone has HyStart (net/ipv4/tcp_cubic.c); the others call tcp_slow_start.
fn slow_start_of(cc: &str) -> &'static str {
    if cc.starts_with("cubic") { "hystart" } else { "linux" }
}

fn linux() -> Values {
    values! {
        ..rfc::values();
        cc: cc::by_name("cubic-linux").expect("in the catalogue").into(), "DEFAULT_TCP_CONG";
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.10
        //= type=exception
        //= reason=Linux has HyStart, its predecessor; on the stack `rfc` slow start is standard unless a scenario
        //= says otherwise.
        //# CUBIC SHOULD use the HyStart++ slow start algorithm [RFC9406]
        slow_start: slow_start::by_name("hystart").expect("in the catalogue"),
            "net/ipv4/tcp_cubic.c: hystart = 1, hystart_detect = 3; without CUBIC net/ipv4/tcp_cong.c, tcp_slow_start";
        validation: validation::by_name("linux").expect("in the catalogue"),
            "net/ipv4/tcp_output.c, tcp_cwnd_validate; tcp_slow_start_after_idle = 1";
        restart: Restart::Off, "part of the validation";
        pacing_burst: PacingBurst::Linux,
            "net/ipv4/tcp_output.c, tcp_tso_autosize; tcp_min_tso_segs = 2, tcp_tso_rtt_log = 9";
        //= https://www.rfc-editor.org/rfc/rfc6928#section-2
        //= type=exception
        //= reason=Linux and FreeBSD have ten segments whatever their size.
        //# the upper bound for the initial window will be min (10*MSS, max (2*MSS, 14600))
        initial_window: InitialWindow::Segments(10),
            "include/net/tcp.h, TCP_INIT_CWND = 10, whatever the size of segments";
        syn_losses: SynLosses { count: 2, forgives_spurious: true },
            "net/ipv4/tcp_input.c, tcp_init_transfer: total_retrans > 1 and undo_marker";
        //= https://www.rfc-editor.org/rfc/rfc8985#section-9.3
        //# The Proportional Rate Reduction (PRR) algorithm [RFC6937] is RECOMMENDED for the specific congestion
        //# control actions
        recovery: Recovery::Prr,
            "net/ipv4/tcp_input.c, tcp_cwnd_reduction: slow start only without new losses, as RFC 9937";
        dsack: true, "tcp_dsack = 1";
        adapt_dup_thresh: true, "tcp_reordering = 3, tcp_max_reordering = 300";
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //= type=exception
        //= reason=Linux reduces from cwnd, and its window validation keeps cwnd near what is used.
        //# the value of ssthresh MUST be set to no more than the value given in equation (4)
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.2
        //= type=exception
        //= reason=Linux reduces from cwnd, and its window validation keeps cwnd near what is used.
        //# When the third duplicate ACK is received, a TCP MUST set ssthresh to no more than the value given in
        //# equation (4)
        reduction_base: ReductionBase::Window, "net/ipv4/tcp_cubic.c, cubictcp_recalc_ssthresh";
        window_unit: WindowUnit::Segments,
            "include/linux/tcp.h: snd_cwnd, snd_ssthresh and packets_out are packets";
        growth_after_state: true,
            "net/ipv4/tcp_input.c, tcp_cong_control: tcp_cong_avoid where tcp_fastretrans_alert left no reduction";
        rescue: false, "no such rule; RACK and TLP find lost tails";
        retransmit_restarts_timer: true, "net/ipv4/tcp_output.c, tcp_xmit_retransmit_queue";
        //= https://www.rfc-editor.org/rfc/rfc8985#section-1
        //# it is RECOMMENDED as an alternative to that earlier approach
        //= https://www.rfc-editor.org/rfc/rfc9937#section-5
        //# it is RECOMMENDED that PRR is implemented together with RACK-TLP loss recovery
        rack: true, "tcp_recovery = 1";
        tlp: true, "tcp_early_retrans = 3";
        frto: true, "tcp_frto = 2";
        dsack_undo: true, "net/ipv4/tcp_input.c, tcp_try_undo_dsack";
        eifel: true, "net/ipv4/tcp_input.c, tcp_may_undo";
        rto_rule: RtoRule::Linux, "net/ipv4/tcp_input.c, tcp_rtt_estimator";
        //= https://www.rfc-editor.org/rfc/rfc6298#section-1
        //= type=exception
        //= reason=Linux has a least timeout of 200 ms (TCP_RTO_MIN).
        //# a TCP MUST NOT be more aggressive than the following algorithms allow
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //= type=exception
        //= reason=Linux has a least timeout of 200 ms (TCP_RTO_MIN).
        //# if it is less than 1 second, then the RTO SHOULD be rounded up to 1 second
        min_rto: 200 * MILLISECOND, "TCP_RTO_MIN";
        max_rto: 120 * SECOND, "TCP_RTO_MAX";
        syn_retries: 6, "tcp_syn_retries = 6";
        syn_ack_retries: 5, "tcp_synack_retries = 5";
        syn_linear: 4, "tcp_syn_linear_timeouts = 4, since 6.5";
        data_retries: 15, "tcp_retries2 = 15";
        timestamps: true, "tcp_timestamps = 1";
        ecn: EcnMode::Passive, "tcp_ecn = 2";
        accecn_options: AccEcnOptions::Always, "tcp_ecn_option = 2, of the kernels whose tcp_ecn may ask for it: since 7.0 (commit 8ae3e8e6ceed)";
        nagle: true, "unless TCP_NODELAY";
        sack_compression: true, "tcp_comp_sack_nr = 44, tcp_comp_sack_delay_ns = 1 ms, since 4.18";
        nagle_rule: NagleRule::Minshall, "net/ipv4/tcp_output.c, tcp_nagle_check";
        window_rule: WindowRule::Linux, "net/ipv4/tcp_input.c, tcp_measure_rcv_mss";
        ack_rule: AckRule::Linux, "net/ipv4/tcp_input.c, tcp_event_data_recv";
        handshake_data: false, "net/ipv4/tcp_input.c, tcp_rcv_synsent_state_process, without sk_write_pending";
        delayed_ack: 40 * MILLISECOND, "TCP_ATO_MIN, from which the estimate starts";
        quick_acks: 16, "TCP_MAX_QUICKACKS";
        receive_buffer: 64 << 10,
            "tcp_rmem[1] = 128 KiB, of which the window is half at first (TCP_DEFAULT_SCALING_RATIO)";
        receive_buffer_max: 3 << 20, "tcp_rmem[2] = 6 MiB, of which the window is half at first";
        send_buffer: 8 << 10, "tcp_wmem[1] = 16 KiB of memory, twice the size as SO_SNDBUF gives it";
        send_buffer_max: 2 << 20, "tcp_wmem[2] = 4 MiB of memory, twice the size as SO_SNDBUF gives it";
        notsent_lowat: 0, "tcp_notsent_lowat = UINT_MAX";
        window_scale: Some(7), "net/ipv4/tcp_output.c, tcp_select_initial_window: enough for tcp_rmem[2]";
        time_wait: 60 * SECOND, "TCP_TIMEWAIT_LEN";
        fin_timeout: 60 * SECOND, "tcp_fin_timeout = 60";
        reset_on_give_up: false, "net/ipv4/tcp_timer.c, tcp_write_err";
        missing_timestamps: true, "net/ipv4/tcp_input.c, tcp_paws_discard and tcp_fast_parse_options";
        conformance: Conformance::Linux, "net/ipv4/tcp_input.c: tcp_ack, tcp_validate_incoming";
        challenge_interval: 500 * MILLISECOND, "tcp_invalid_ratelimit = 500";
        rfc1337: false, "tcp_rfc1337 = 0";
    }
}

fn linux_6_18() -> Values {
    values! {
        ..linux();
        receive_buffer_max: 16 << 20,
            "tcp_rmem[2] = 32 MiB, since 6.16 (commit 572be9bf9d0d), of which the window is half at first";
        window_scale: Some(10), "net/ipv4/tcp_output.c, tcp_select_initial_window: enough for tcp_rmem[2]";
        window_rule: WindowRule::Linux617,
            "net/ipv4: tcp_input.c, tcp_sequence; tcp.c, tcp_set_window_clamp, since 6.17";
    }
}

fn linux_6_1() -> Values {
    values! {
        ..linux();
        syn_linear: 0, "RFC 6298 section 5.5; tcp_syn_linear_timeouts is of 6.5";
        window_rule: WindowRule::Rfc9293,
            "tcp_adv_win_scale = 1: half of the memory; the share of payload is measured since 6.6 (dfa2f0483360)";
    }
}

fn linux_3_12() -> Values {
    values! {
        ..linux();
        validation: validation::by_name("rfc2861-linux").expect("in the catalogue"),
            "net/ipv4/tcp_output.c, tcp_cwnd_validate; tcp_slow_start_after_idle = 1";
        pacing_burst: PacingBurst::Segment, "no rule is given";
        syn_losses: SynLosses { count: 2, forgives_spurious: false },
            "net/ipv4/tcp_metrics.c, tcp_init_metrics: total_retrans > 1";
        recovery: Recovery::PrrSsrb, "net/ipv4/tcp_input.c, tcp_cwnd_reduction: the slow-start reduction bound";
        adapt_dup_thresh: true, "tcp_reordering = 3";
        reduction_base: ReductionBase::Window, "net/ipv4/tcp_cubic.c, bictcp_recalc_ssthresh";
        early_retransmit: true, "tcp_early_retrans = 3: delayed, and TLP";
        growth_after_state: false, "net/ipv4/tcp_input.c, tcp_ack: tcp_cong_avoid before tcp_fastretrans_alert";
        rescue: false, "net/ipv4/tcp_output.c, tcp_xmit_retransmit_queue: nothing above the highest SACK";
        rack: false, "RFC 8985, optional";
        tlp: true, "tcp_early_retrans = 3, since 3.10";
        frto: true, "tcp_frto = 2, RFC 5682 since 3.10";
        syn_linear: 0, "RFC 6298 section 5.5";
        window_rule: WindowRule::Rfc9293, "RFC 9293 section 3.8.6.2.2";
        sack_compression: false, "since 4.18";
        receive_buffer: 43_690, "tcp_rmem[1] = 87380, of which the window is half (tcp_adv_win_scale = 1)";
        receive_buffer_max: 3 << 20, "tcp_rmem[2] = 6 MiB, of which the window is half";
        challenge_interval: 500 * MILLISECOND, "RFC 5961 section 7: ten in five seconds";
    }
}
