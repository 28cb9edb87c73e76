"""The names of columns in words, as headings and axes have them: a noun for each column of each table.

Units are not part of a name: `ackclock.results.names.measures` takes them from the declarations of the columns.
"""

from __future__ import annotations

__all__ = ["COLUMNS", "column_name"]

ITEMS = {
    "transfers": "transfer",
    "bursts": "burst",
    "items": "item",
    "rounds": "round",
    "onoff": "on period",
    "dash_segments": "segment",
    "web_objects": "object",
    "web_pages": "page",
    "tmix_connections": "connection",
    "tmix_epochs": "exchange",
}
"""Table to the noun for a row of the table, where a row is an item that an application asked for."""

SHARED = {
    "run": "run",
    "seed": "seed",
    "flow": "flow",
    "link": "link",
    "what": "kind of item",
    "side": "side",
    "event": "event",
    "time_s": "time",
}
"""Columns with the same name in every table."""

OF_ITEMS = {
    "index": "{} number",
    "bytes": "{} size",
    "start_s": "start of the {}",
    "end_s": "end of the {}",
    "duration_s": "{} duration",
    "goodput_bps": "{} goodput",
}
"""Columns of tables with a row for each item, with a place for the noun of the row."""

COLUMNS: dict[str, dict[str, str]] = {
    "flows": {
        "stack": "stack",
        "cc": "congestion control",
        "validation": "window validation",
        "pacing": "pacing",
        "app": "application",
        "start_s": "start of the flow",
        "goodput_bps": "goodput",
        "bytes_delivered": "delivered data",
        "segments_sent": "segments sent",
        "data_segments_sent": "data segments sent",
        "retransmits": "retransmissions",
        "timeouts": "timeouts",
        "spurious_timeouts": "timeouts found spurious",
        "recoveries": "fast recoveries",
        "srtt_ms": "smoothed round-trip time",
        "min_rtt_ms": "smallest round-trip time",
    },
    "links": {
        "rate_bps": "rate",
        "utilisation": "utilisation",
        "packets": "packets carried",
        "bytes": "data carried",
        "drops": "drops",
        "queue_drops": "drops at a full queue",
        "aqm_drops": "drops by the queue discipline",
        "policer_drops": "drops by the policer",
        "losses": "losses before the queue",
        "wire_losses": "losses on the wire",
        "duplicates": "duplicated packets",
        "marks": "CE marks",
        "drop_rate": "drop rate",
        "queue_delay_mean_ms": "mean queueing delay",
        "queue_delay_p50_ms": "median queueing delay",
        "queue_delay_p95_ms": "95th percentile of the queueing delay",
        "queue_delay_p99_ms": "99th percentile of the queueing delay",
        "queue_delay_max_ms": "longest queueing delay",
    },
    "dash": {
        "segments": "DASH segments",
        "mean_level_bps": "mean DASH level",
        "mean_download_bps": "mean download rate of DASH segments",
        "played_s": "media played",
        "switches": "changes of the DASH level",
        "stalls": "stalls",
        "stall_s": "time stalled",
        "startup_s": "start-up delay",
        "latency_start_s": "live latency at the start",
        "latency_end_s": "live latency at the end",
    },
    "web": {
        "sessions": "web sessions",
        "sessions_done": "complete web sessions",
        "pages": "web pages",
        "objects": "web objects",
        "objects_failed": "failed web objects",
        "connections": "web connections",
        "connections_max": "most simultaneous web connections",
    },
    "cbr": {
        "sent": "datagrams sent",
        "received": "datagrams received",
        "lost": "datagrams lost",
        "loss": "loss of datagrams",
        "duplicates": "duplicated datagrams",
        "reordered": "reordered datagrams",
        "received_bps": "received rate",
        "delay_mean_ms": "mean delay of datagrams",
        "delay_p50_ms": "median delay of datagrams",
        "delay_p95_ms": "95th percentile of the delay of datagrams",
        "delay_p99_ms": "99th percentile of the delay of datagrams",
        "delay_max_ms": "longest delay of datagrams",
        "jitter_ms": "interarrival jitter",
    },
    "voip": {
        "sent": "speech packets sent",
        "packets": "speech packets due",
        "lost": "speech packets lost",
        "late": "speech packets too late",
        "loss": "speech packets lost or late",
        "burst_ratio": "burst ratio of the loss",
        "delay_mean_ms": "mean network delay of speech",
        "mouth_to_ear_ms": "mouth-to-ear delay",
        "r": "E-model rating R",
        "mos": "mean opinion score",
    },
    "time_on": {
        "periods": "on periods",
        "time_on_s": "time on",
        "bytes": "data delivered in on periods",
        "throughput_bps": "throughput in on periods",
    },
    "completions": {
        "count": "completed items",
        "open": "incomplete items",
        "bytes": "data of completed items",
        "goodput_bps": "goodput of completed items",
        "mean_s": "mean completion time",
        "p50_s": "median completion time",
        "p95_s": "95th percentile of the completion time",
        "p99_s": "99th percentile of the completion time",
        "max_s": "longest completion time",
        "slowdown_mean": "mean slowdown",
        "slowdown_p50": "median slowdown",
        "slowdown_p95": "95th percentile of the slowdown",
        "slowdown_p99": "99th percentile of the slowdown",
        "slowdown_max": "largest slowdown",
    },
    "completion_bins": {"upto_s": "completion time at the end of the bin", "count": "items in the bin"},
    "onoff": {"bytes": "data of the on period", "connected_s": "time of the connection"},
    "dash_segments": {
        "level_bps": "DASH level",
        "request_s": "time of the request",
        "first_byte_s": "time of the first byte",
        "done_s": "time of the last byte",
        "download_s": "download time of a segment",
        "download_bps": "download rate of a segment",
        "buffer_s": "media in the buffer",
        "stall_s": "stall before the segment",
    },
    "web_objects": {"session": "session number", "page": "page number"},
    "web_pages": {"session": "session number", "objects": "objects of the page"},
    "tmix": {
        "connections": "connections",
        "connections_done": "complete connections",
        "connections_failed": "failed connections",
        "connections_max": "most simultaneous connections",
    },
    "tmix_connections": {
        "connection": "connection vector number",
        "epochs": "exchanges of the connection",
        "initiator_bytes": "data from the initiator",
        "acceptor_bytes": "data from the acceptor",
    },
    "tmix_epochs": {
        "connection": "connection vector number",
        "initiator_bytes": "data from the initiator",
        "acceptor_bytes": "data from the acceptor",
        "idle_s": "think time before the exchange",
    },
    "window": {
        "cwnd": "congestion window",
        "ssthresh": "slow-start threshold",
        "flight_size": "FlightSize",
        "pipe": "data in flight",
        "srtt_ms": "smoothed round-trip time",
        "latest_rtt_ms": "latest round-trip time",
        "min_rtt_ms": "smallest round-trip time",
        "pacing_bps": "pacing rate",
        "delivery_bps": "delivery rate",
        "cc_state": "state of the congestion control",
        "in_recovery": "share of records in loss recovery",
        "non_validated": "share of records with a window that is not validated",
        "pipe_ack": "pipeACK",
    },
    "packets": {
        "seq": "stream offset",
        "len": "payload",
        "ack": "acknowledged offset",
        "retransmission": "share of retransmissions",
        "link": "link of the drop",
        "cause": "cause of the drop",
    },
    "sack_blocks": {
        "left": "left edge of the SACK block",
        "right": "right edge of the SACK block",
        "duplicate": "share of D-SACK blocks",
    },
    "timeouts": {
        "segment": "stream offset of the segment",
        "count": "expiries in a row",
        "spurious": "share of spurious timeouts",
    },
    "queues": {
        "packets": "queue length in packets",
        "bytes": "queue length",
        "sent": "packets that left the queue",
        "sojourn_ms": "mean sojourn time",
        "sojourn_max_ms": "longest sojourn time",
        "capacity_bps": "capacity",
    },
    "limits": {
        "busy_s": "time with data to send or outstanding",
        "cwnd_limited_s": "time limited by the congestion window",
        "rwnd_limited_s": "time limited by the receive window",
        "sndbuf_limited_s": "time limited by the send buffer",
        "pacing_limited_s": "time limited by pacing",
        "app_limited_s": "time limited by the application",
        "idle_s": "idle time",
    },
    "rates": {"bytes_delivered": "data delivered in an interval", "goodput_bps": "goodput in an interval"},
    "delays": {
        "packets": "packets with payload received",
        "mean_ms": "mean one-way delay",
        "p50_ms": "median one-way delay",
        "p95_ms": "95th percentile of the one-way delay",
        "p99_ms": "99th percentile of the one-way delay",
        "max_ms": "longest one-way delay",
    },
    "delay_cdf": {"quantile": "share of packets", "delay_ms": "one-way delay"},
}
"""Table and column to the noun. A truth value is a share, because its mean is."""


def column_name(table: str, column: str) -> str | None:
    """The name of a column of a table, in lower case; None if no table of this name has such a column."""
    own = COLUMNS.get(table, {}).get(column)
    if own is not None:
        return own
    if table in ITEMS and column in OF_ITEMS:
        return OF_ITEMS[column].format(ITEMS[table])
    return SHARED.get(column)
