//! A scenario and one change of each of its fields, for the tests of this crate and of the crates that run scenarios
//! (feature `testing`).

/// A scenario with every kind of application, on top of which tests set overrides.
pub const BASE: &str = r#"
duration = "60s"
[bottleneck]
rate = "1Mbps"
delay = "200ms"
[[flows]]
name = "video"
stack = "rfc"
app = { kind = "dash", ladder = ["200kbps", "400kbps", "700kbps"], segment = "2s" }
[[flows]]
name = "file"
stack = "rfc"
app = { kind = "transfer", size = "1MB" }
[[flows]]
stack = "rfc"
app = "bulk"
"#;

/// Accepted changes of every field of [`BASE`] except `name` and `seed`, one at a time.
pub const CHANGES: &[(&str, &str)] = &[
    ("duration", "61s"),
    ("packet_size", "1400B"),
    ("bottleneck.rate", "2Mbps"),
    ("bottleneck.delay", "100ms"),
    ("bottleneck.queue", "50 packets"),
    ("bottleneck.queue.limit", "64KiB"),
    ("bottleneck.reverse_rate", "500kbps"),
    ("bottleneck.reverse_queue", "2bdp"),
    ("bottleneck.reverse_queue.limit", "unlimited"),
    ("bottleneck.bdp_rtt", "1s"),
    ("bottleneck.gso", "queue"),
    ("bottleneck.reverse_gso", "whole"),
    ("bottleneck.host_queue", "true"),
    ("bottleneck.loss", "1%"),
    ("bottleneck.loss.probability", "2%"),
    ("bottleneck.loss.every", "100"),
    ("bottleneck.loss.first", "50"),
    ("bottleneck.mtu", "1400B"),
    ("bottleneck.icmp", "false"),
    ("bottleneck.reverse_loss", "0.5%"),
    ("bottleneck.reverse_loss.probability", "3%"),
    ("bottleneck.reverse_loss.every", "200"),
    ("bottleneck.reverse_loss.first", "60"),
    ("access", "{ rate = '7x' }"),
    ("access.rate", "100Mbps"),
    ("access.source_delay", "1ms"),
    ("access.sink_delay", "2ms"),
    ("access.gso", "false"),
    ("access.gro", "20us"),
    ("flows[2].name", "third"),
    ("flows[2].count", "2"),
    ("flows[2].app", "{ kind = 'transfer', size = '2MB' }"),
    ("flows[2].start", "1s"),
    ("flows[2].start_jitter", "2s"),
    ("flows[2].class", "3"),
    ("flows[2].dscp", "EF"),
    ("flows[2].source_host", "desk"),
    ("flows[2].sink_host", "server"),
    ("flows[2].route", "['right', 'left']"),
    ("flows[2].return_route", "['right', 'far', 'left']"),
    ("flows[2].paths", "[['bottleneck'], ['bottleneck']]"),
    ("flows[2].tunnel", "{}"),
    ("flows[2].tunnel.from", "left"),
    ("flows[2].tunnel.to", "right"),
    ("flows[2].tunnel.header", "40B"),
    ("flows[2].tunnel.ecn", "compatibility"),
    ("flows[2].tunnel.name", "vpn"),
    ("flows[2].route_changes", "[{ at = '3s', route = ['left', 'right'] }]"),
    ("flows[2].route_changes[0].at", "4s"),
    ("flows[2].route_changes[0].route", "['left', 'far', 'right']"),
    ("flows[2].route_changes[0].return_route", "['right', 'far', 'left']"),
    ("flows[2].route_changes[0].mtu", "1280B"),
    ("links", "[{ ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]"),
    ("links[0].name", "other"),
    ("links[0].ends", "['left', 'other']"),
    ("flows[2].group_jitter", "2s"),
    ("flows[2].access", "{}"),
    ("flows[2].access.rate", "3x"),
    ("flows[2].access.source_delay", "3ms"),
    ("flows[2].access.sink_delay", "4ms"),
    ("flows[2].access.gso", "true"),
    ("flows[2].access.gro", "30us"),
    ("flows[2].transport", "tcp"),
    ("flows[2].stack", "linux"),
    ("flows[2].cc", "cubic"),
    ("flows[2].validation", "newcwv"),
    ("flows[2].slow_start", "standard"),
    ("flows[2].careful_resume", "{ cwnd = '1MB', rtt = '500ms' }"),
    ("flows[2].careful_resume.cwnd", "2MB"),
    ("flows[2].careful_resume.rtt", "600ms"),
    ("flows[2].careful_resume.max_jump", "100kB"),
    ("flows[2].pacing", "fq"),
    ("flows[2].pacing.slow_start_percent", "150"),
    ("flows[2].pacing.avoidance_percent", "150"),
    ("flows[2].pacing.quantum", "5 packets"),
    ("flows[2].initial_window", "4"),
    ("flows[2].initial_rto", "3s"),
    ("flows[2].min_rto", "200ms"),
    ("flows[2].max_rto", "2min"),
    ("flows[2].sack", "false"),
    ("flows[2].receive_buffer", "64KiB"),
    ("flows[2].delayed_ack", "40ms"),
    ("flows[2].ack_every", "1"),
    ("flows[2].quick_acks", "16"),
    ("flows[2].ack_division", "4"),
    ("flows[2].dupack_spoofing", "3"),
    ("flows[2].optimistic_acks", "2"),
    ("flows[2].suppress_marks", "true"),
    ("flows[2].rto_rule", "linux"),
    ("flows[2].timestamps", "true"),
    ("flows[2].dsack", "true"),
    ("flows[2].recovery", "prr"),
    ("flows[2].dup_thresh", "4"),
    ("flows[2].adapt_dup_thresh", "true"),
    ("flows[2].window_unit", "segments"),
    ("flows[2].write_size", "64KiB"),
    ("flows[2].handshake", "none"),
    ("flows[2].handshake_data", "false"),
    ("flows[2].limited_transmit", "false"),
    ("flows[2].early_retransmit", "true"),
    ("flows[2].rack", "true"),
    ("flows[2].tlp", "true"),
    ("flows[2].frto", "true"),
    ("flows[2].dsack_undo", "true"),
    ("flows[2].eifel", "true"),
    ("flows[2].ecn", "classic"),
    ("flows[2].abe", "true"),
    ("flows[2].nagle", "true"),
    ("flows[2].receive_buffer_max", "1MB"),
    ("flows[2].send_buffer", "64KiB"),
    ("flows[2].reading", "{ rate = '500kbps' }"),
    ("flows[2].reading.rate", "400kbps"),
    ("flows[2].reading.step", "8KiB"),
    ("flows[2].reading.pauses", "[{ from = '2s', to = '4s' }]"),
    ("flows[2].reading.pauses[0].from", "1s"),
    ("flows[2].reading.pauses[0].to", "5s"),
    ("flows[2].source_reading", "{ rate = '500kbps' }"),
    ("flows[2].source_reading.rate", "400kbps"),
    ("flows[2].source_reading.step", "8KiB"),
    ("flows[2].source_reading.pauses", "[{ from = '2s', to = '4s' }]"),
    ("flows[2].source_reading.pauses[0].from", "1s"),
    ("flows[2].source_reading.pauses[0].to", "5s"),
    ("flows[2].send_buffer_max", "2MB"),
    ("flows[2].notsent_lowat", "16KiB"),
    ("flows[2].restart_after_idle", "off"),
    ("flows[2].mss", "1000B"),
    ("flows[1].app.size", "3MB"),
    ("flows[1].app.count", "3"),
    ("flows[1].app.gap", "1s"),
    ("flows[2].app.interval", "2s"),
    ("flows[2].app.count", "5"),
    ("flows[2].app.on", "3s"),
    ("flows[2].app.on.value", "4s"),
    ("flows[2].app.on.mean", "5s"),
    ("flows[2].app.off", "3s"),
    ("flows[2].app.off.value", "4s"),
    ("flows[2].app.off.mean", "5s"),
    ("flows[2].app.size", "3kB"),
    ("flows[2].app.size.value", "4kB"),
    ("flows[2].app.size.mean", "5kB"),
    ("flows[0].app.ladder", "['300kbps']"),
    ("flows[0].app.segment", "3s"),
    ("flows[0].app.segments", "20"),
    ("flows[0].app.abr", "bola"),
    ("flows[0].app.buffer", "30s"),
    ("flows[0].app.startup", "4s"),
    ("flows[0].app.resume", "5s"),
    ("flows[0].app.think", "10ms"),
    ("flows[0].app.think_jitter", "20ms"),
    ("flows[0].app.request_size", "400B"),
    ("flows[0].app.header_size", "0B"),
    ("flows[0].app.size_cv", "0.25"),
    ("flows[0].app.sizes", "[['1kB'], ['2kB'], ['3kB']]"),
    ("flows[0].app.safety", "0.9"),
    ("flows[0].app.estimator", "ewma"),
    ("flows[0].app.live", "{ latency = '6s' }"),
    ("flows[0].app.live.latency", "7s"),
    ("flows[2].arrival", "together"),
    ("flows[2].arrival.rate", "0.5"),
    ("flows[2].arrival.interval", "2s"),
    ("flows[2].app.items", "[{ at = '2s', size = '1kB' }]"),
    ("flows[2].app.items[0].at", "3s"),
    ("flows[2].app.items[0].size", "3kB"),
    ("flows[2].app.persistent", "true"),
    ("flows[2].app.tail", "20ms"),
    ("flows[2].app.sessions_per_second", "20"),
    ("flows[2].app.users", "20"),
    ("flows[2].app.pages", "3"),
    ("flows[2].app.think", "3s"),
    ("flows[2].app.objects", "4"),
    ("flows[2].app.object_size", "3kB"),
    ("flows[2].app.main_size", "3kB"),
    ("flows[2].app.request_size", "400B"),
    ("flows[2].app.server_think", "3s"),
    ("flows[2].app.parallel", "2"),
    ("flows[2].app.connections", "per-object"),
    ("flows[2].app.records", "true"),
    ("flows[2].app.rate", "2Mbps"),
    ("flows[2].app.packet_size", "200B"),
    ("flows[2].app.codec", "g729"),
    ("flows[2].app.playout", "80ms"),
    ("flows[2].app.advantage", "20"),
    ("flows[2].app.control", "nada"),
    ("flows[2].app.min_rate", "100kbps"),
    ("flows[2].app.max_rate", "2Mbps"),
    ("flows[2].app.start_rate", "300kbps"),
    ("flows[2].app.fps", "25"),
    ("flows[2].app.pauses", "[{ at = '1s', until = '2s' }]"),
    ("flows[2].app.pauses[0].at", "2s"),
    ("flows[2].app.pauses[0].until", "4s"),
    ("flows[2].app.reaction", "100ms"),
    ("flows[2].app.size_scale", "0.1"),
    ("flows[2].app.interval_scale", "0"),
    ("flows[2].app.burst_frames", "4"),
    ("flows[2].app.burst_size", "2"),
    ("flows[2].app.abrupt", "0.5"),
    ("flows[2].app.key_interval", "5s"),
    ("flows[2].app.trace", "[{ rate = '1Mbps', sizes = ['4kB'] }]"),
    ("flows[2].app.trace[0].rate", "2Mbps"),
    ("flows[2].app.trace[0].sizes", "['3kB']"),
    ("flows[2].app.payload", "1000B"),
    ("flows[2].app.skip_after", "300ms"),
    ("flows[2].app.audio", "32kbps"),
    ("flows[2].app.nack", "false"),
    ("flows[2].app.nack_retries", "3"),
    ("flows[2].app.wait", "500ms"),
    ("flows[2].app.playout_max", "500ms"),
    ("flows[2].app.feedback", "ccfb"),
    ("flows[2].app.feedback_interval", "50ms"),
    ("flows[2].app.ecn", "ect0"),
    ("flows[2].app.breaker", "true"),
    ("flows[2].app.frames", "true"),
    ("flows[2].app.sample", "1s"),
    ("flows[2].app.servers", "5"),
    ("flows[2].app.circuit_breaker", "{}"),
    ("flows[2].app.circuit_breaker.interval", "4s"),
    ("flows[2].app.circuit_breaker.loss", "0.2"),
    ("flows[2].app.circuit_breaker.intervals", "2"),
    ("flows[2].app.rounds", "5"),
    ("flows[2].app.response_size", "3kB"),
    ("probes", "{ packets = true }"),
    ("probes.window", "true"),
    ("probes.packets", "true"),
    ("probes.timeouts", "true"),
    ("probes.delays", "true"),
    ("probes.queues", "true"),
    ("probes.rates", "true"),
    ("probes.limits", "true"),
    ("probes.interval", "0s"),
    ("probes.from", "1s"),
    ("probes.to", "50s"),
];

/// Returns a change together with the table that its key needs.
pub fn change(index: usize) -> Vec<(String, String)> {
    let (path, value) = CHANGES[index];
    let mut pairs = Vec::new();
    for table in ["flows[2].pacing", "bottleneck.queue", "bottleneck.reverse_queue"] {
        if path.starts_with(&format!("{table}.")) {
            let kind = if table.ends_with("pacing") { "fq" } else { "drop-tail" };
            pairs.push((table, format!("{{ kind = '{kind}' }}")));
        }
    }
    for table in ["bottleneck.loss", "bottleneck.reverse_loss"] {
        if path.starts_with(&format!("{table}.")) && !path.ends_with("probability") {
            pairs.push((table, "{ kind = 'periodic', every = 10 }".to_owned()));
        }
    }
    let of_link = |list: &str| list.ends_with("pauses") && !list.ends_with("app.pauses");
    if let Some((list, _)) = path.split_once("[0]").filter(|(list, _)| of_link(list)) {
        pairs.push((list, "[{ from = '2s', to = '4s' }]".to_owned()));
    }
    if let Some(field) = path.strip_prefix("flows[2].app.") {
        let drawn = |text: &str| match field.ends_with(".mean") {
            true => format!("{{ kind = 'exponential', mean = '{text}' }}"),
            false => format!("{{ kind = 'constant', value = '{text}' }}"),
        };
        let app = match field.split_once('.').map_or(field, |(field, _)| field) {
            "on" | "off" | "tail" => format!("{{ kind = 'onoff', on = {}, off = {} }}", drawn("2s"), drawn("1s")),
            "size" => format!("{{ kind = 'onoff', size = {}, off = '1s' }}", drawn("2kB")),
            "items[0]" | "items" | "persistent" => {
                "{ kind = 'list', items = [{ at = '1s', size = '1kB' }] }".to_owned()
            }
            "servers" | "rounds" | "response_size" => "{ kind = 'rpc', response_size = '1kB' }".to_owned(),
            "rate" | "packet_size" | "circuit_breaker" => "{ kind = 'cbr', rate = '1Mbps' }".to_owned(),
            "codec" | "playout" | "advantage" => "{ kind = 'voip' }".to_owned(),
            "control" | "min_rate" | "max_rate" | "start_rate" | "fps" | "pauses" | "reaction" | "size_scale"
            | "interval_scale" | "burst_frames" | "burst_size" | "abrupt" | "key_interval" | "trace" | "payload"
            | "skip_after" | "audio" | "nack" | "nack_retries" | "wait" | "playout_max" | "feedback"
            | "feedback_interval" | "ecn" | "breaker" | "frames" | "sample" => "{ kind = 'call' }".to_owned(),
            "pauses[0]" => "{ kind = 'call', pauses = [{ at = '1s', until = '3s' }] }".to_owned(),
            "trace[0]" => "{ kind = 'call', trace = [{ rate = '1Mbps', sizes = ['4kB'] }] }".to_owned(),
            "users" => "{ kind = 'web', object_size = '1kB' }".to_owned(),
            field if !["interval", "count"].contains(&field) => {
                "{ kind = 'web', sessions_per_second = 10, object_size = '1kB' }".to_owned()
            }
            _ => "{ kind = 'bursts', size = '64kB', interval = '1s' }".to_owned(),
        };
        pairs.push(("flows[2].app", app));
    }
    if path.starts_with("links[0].") {
        pairs.push(("links", "[{ ends = ['right', 'beyond'], rate = '5Mbps', delay = '30ms' }]".to_owned()));
    }
    if path == "bottleneck.icmp" {
        pairs.push(("bottleneck.mtu", "1400B".to_owned()));
    }
    if path.starts_with("flows[2].route_changes[0]") {
        pairs.push(("flows[2].route_changes", "[{ at = '3s', route = ['left', 'right'] }]".to_owned()));
    }
    if path.ends_with(".return_route") || path.ends_with("[0].route") {
        let links = "[{ ends = ['right', 'far'], preset = 'lte' }, { ends = ['far', 'left'], preset = 'lte' }]";
        pairs.push(("links", links.to_owned()));
    }
    if path == "flows[2].send_buffer_max" {
        pairs.push(("flows[2].send_buffer", "64KiB".to_owned()));
    }
    if path == "flows[0].app.live.latency" {
        pairs.push(("flows[0].app.live", "{ latency = '6s' }".to_owned()));
    }
    match path {
        "flows[2].arrival.rate" => pairs.push(("flows[2].arrival", "{ kind = 'poisson', rate = 1 }".to_owned())),
        "flows[2].arrival.interval" => {
            pairs.push(("flows[2].arrival", "{ kind = 'staggered', interval = '1s' }".to_owned()));
        }
        _ => {}
    }
    if path.starts_with("flows[2].careful_resume.") {
        pairs.push(("flows[2].careful_resume", "{ cwnd = '1MB', rtt = '500ms' }".to_owned()));
    }
    pairs.push((path, value.to_owned()));
    pairs.into_iter().map(|(path, value)| (path.to_owned(), value)).collect()
}
