//! A configuration as names and values.

use crate::config::{
    AccEcnOptions, AckRule, Conformance, EcnMode, Handshake, InitialWindow, PacingBurst, ReductionBase, Restart,
    RtoRule, SynLosses, WindowRule, WindowUnit,
};
use crate::pacing::Pacing;
use crate::{Config, MILLISECOND, Nanos, SECOND};

/// Every field in its order, with its value spelled as in scenarios.
pub(super) fn values(config: &Config) -> Vec<(&'static str, String)> {
    // The pattern lists all fields: a new field does not compile until it has its line.
    let Config {
        mss,
        initial_window,
        syn_losses,
        initial_rto,
        min_rto,
        max_rto,
        rto_slop,
        rto_rule,
        syn_retries,
        syn_linear,
        connect_timeout,
        plain_syn_after,
        syn_options,
        window_scaling,
        data_retries,
        timestamps,
        sack,
        dsack,
        recovery,
        dup_thresh,
        adapt_dup_thresh,
        reduction_base,
        window_unit,
        limited_transmit,
        early_retransmit,
        rescue,
        retransmit_restarts_timer,
        rack,
        tlp,
        frto,
        dsack_undo,
        eifel,
        ecn,
        accecn_options,
        abe,
        nagle,
        minshall,
        write_size,
        keepalive,
        time_wait,
        fin_timeout,
        user_timeout,
        reset_on_give_up,
        receive_buffer,
        receive_buffer_max,
        window_scale,
        window_rule,
        ack_rule,
        handshake,
        handshake_data,
        delayed_ack,
        ack_every,
        quick_acks,
        conformance,
        challenge_interval,
        insecure_rst,
        insecure_syn,
        rfc1337,
        restart,
        pacing,
        pacing_burst,
        careful_resume,
        cc,
        slow_start,
        validation,
    } = config;
    let keepalive = keepalive.map_or_else(off, |keepalive| {
        let [idle, interval] = [keepalive.idle, keepalive.interval].map(time);
        format!("after {idle}, every {interval}, {} times", keepalive.probes)
    });
    vec![
        ("cc", cc.name().to_string()),
        ("slow_start", slow_start.name.to_owned()),
        ("validation", validation.name.to_owned()),
        ("restart", restart_name(*restart).to_owned()),
        ("pacing_burst", if *pacing_burst == PacingBurst::Linux { "linux" } else { "segment" }.to_owned()),
        ("pacing", if *pacing == Pacing::Off { off() } else { "fq".to_owned() }),
        ("careful_resume", switch(careful_resume.is_some())),
        ("mss", format!("{mss} B")),
        ("initial_window", initial_window_name(*initial_window)),
        ("syn_losses", syn_losses_name(*syn_losses)),
        ("recovery", recovery.name().to_owned()),
        ("sack", switch(*sack)),
        ("dsack", switch(*dsack)),
        ("dup_thresh", segments(*dup_thresh)),
        ("adapt_dup_thresh", switch(*adapt_dup_thresh)),
        ("reduction_base", if *reduction_base == ReductionBase::Window { "cwnd" } else { "FlightSize" }.to_owned()),
        ("window_unit", if *window_unit == WindowUnit::Segments { "segments" } else { "bytes" }.to_owned()),
        ("limited_transmit", switch(*limited_transmit)),
        ("early_retransmit", switch(*early_retransmit)),
        ("rescue", switch(*rescue)),
        ("rack", switch(*rack)),
        ("tlp", switch(*tlp)),
        ("frto", switch(*frto)),
        ("dsack_undo", switch(*dsack_undo)),
        ("eifel", switch(*eifel)),
        ("rto_rule", rto_name(*rto_rule).to_owned()),
        ("retransmit_restarts_timer", switch(*retransmit_restarts_timer)),
        ("initial_rto", time(*initial_rto)),
        ("min_rto", time(*min_rto)),
        ("max_rto", time(*max_rto)),
        ("rto_slop", time(*rto_slop)),
        ("syn_retries", syn_retries.to_string()),
        ("syn_linear", syn_linear.to_string()),
        ("connect_timeout", time(*connect_timeout)),
        ("plain_syn_after", if *plain_syn_after == 0 { off() } else { plain_syn_after.to_string() }),
        ("syn_options", switch(*syn_options)),
        ("window_scaling", switch(*window_scaling)),
        ("data_retries", data_retries.to_string()),
        ("timestamps", switch(*timestamps)),
        ("ecn", ecn_name(*ecn).to_owned()),
        ("accecn_options", accecn_name(*accecn_options).to_owned()),
        ("abe", switch(*abe)),
        ("nagle", switch(*nagle)),
        ("minshall", switch(*minshall)),
        ("window_rule", window_rule_name(*window_rule).to_owned()),
        ("write_size", if *write_size == 0 { "any".to_owned() } else { volume(*write_size) }),
        ("ack_rule", ack_rule_name(*ack_rule).to_owned()),
        ("handshake", if *handshake == Handshake::None { "none" } else { "three-way" }.to_owned()),
        ("handshake_data", switch(*handshake_data)),
        ("delayed_ack", time(*delayed_ack)),
        ("ack_every", segments(*ack_every)),
        ("quick_acks", segments(*quick_acks)),
        ("receive_buffer", volume(*receive_buffer)),
        ("receive_buffer_max", volume(*receive_buffer_max)),
        ("window_scale", window_scale.map_or_else(|| "as needed".to_owned(), |scale| scale.to_string())),
        ("keepalive", keepalive),
        ("user_timeout", time(*user_timeout)),
        ("time_wait", time(*time_wait)),
        ("fin_timeout", time(*fin_timeout)),
        ("reset_on_give_up", switch(*reset_on_give_up)),
        ("conformance", conformance_name(*conformance).to_owned()),
        ("challenge_interval", time(*challenge_interval)),
        ("insecure_rst", switch(*insecure_rst)),
        ("insecure_syn", switch(*insecure_syn)),
        ("rfc1337", switch(*rfc1337)),
    ]
}

fn segments(count: u32) -> String {
    format!("{count} segments")
}

fn initial_window_name(window: InitialWindow) -> String {
    match window {
        InitialWindow::Segments(count) => segments(count),
        InitialWindow::Rfc6928 => "rfc6928".to_owned(),
    }
}

fn syn_losses_name(losses: SynLosses) -> String {
    let forgiven = if losses.forgives_spurious { ", unless timestamps show that they were late" } else { "" };
    format!("{} retransmitted{forgiven}", losses.count)
}

fn off() -> String {
    "off".to_owned()
}

fn switch(on: bool) -> String {
    if on { "on".to_owned() } else { off() }
}

fn time(time: Nanos) -> String {
    match time {
        0 => off(),
        time if time.is_multiple_of(SECOND) => format!("{}s", time / SECOND),
        time => format!("{}ms", time / MILLISECOND),
    }
}

fn volume(bytes: u64) -> String {
    match bytes {
        bytes if bytes.is_multiple_of(1 << 20) => format!("{}MiB", bytes >> 20),
        bytes if bytes.is_multiple_of(1 << 10) => format!("{}KiB", bytes >> 10),
        bytes => format!("{bytes}B"),
    }
}

fn rto_name(rule: RtoRule) -> &'static str {
    match rule {
        RtoRule::Rfc6298 => "rfc6298",
        RtoRule::Linux => "linux",
        RtoRule::Ns2 => "ns2",
        RtoRule::Ns2Fine => "ns2-100us",
        RtoRule::Ns2Linux => "ns2-linux",
    }
}

fn restart_name(restart: Restart) -> &'static str {
    match restart {
        Restart::Off => "off",
        Restart::Rfc5681 => "rfc5681",
        Restart::LowersSsthresh => "lowers-ssthresh",
        Restart::RaisesSsthresh => "raises-ssthresh",
        Restart::OneSegment => "one-segment",
    }
}

fn ecn_name(mode: EcnMode) -> &'static str {
    match mode {
        EcnMode::Off => "off",
        EcnMode::Passive => "passive",
        EcnMode::Classic => "classic",
        EcnMode::Accurate => "accurate",
        EcnMode::Dctcp => "dctcp",
        EcnMode::L4s => "l4s",
    }
}

fn accecn_name(options: AccEcnOptions) -> &'static str {
    match options {
        AccEcnOptions::Never => "never",
        AccEcnOptions::Changes => "changes",
        AccEcnOptions::Always => "always",
        AccEcnOptions::Persistent => "persistent",
    }
}

fn ack_rule_name(rule: AckRule) -> &'static str {
    match rule {
        AckRule::Rfc5681 => "rfc5681",
        AckRule::Linux => "linux",
        AckRule::FreeBsd => "freebsd",
    }
}

fn window_rule_name(rule: WindowRule) -> &'static str {
    match rule {
        WindowRule::Rfc9293 => "rfc9293",
        WindowRule::Linux => "linux",
        WindowRule::FreeBsd => "freebsd",
        WindowRule::FreeBsd10 => "freebsd-10",
    }
}

fn conformance_name(conformance: Conformance) -> &'static str {
    match conformance {
        Conformance::Rfc => "rfc",
        Conformance::Linux => "linux",
        Conformance::FreeBsd => "freebsd",
    }
}
