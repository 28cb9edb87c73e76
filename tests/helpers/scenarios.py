"""Scenarios that several tests run."""

SMALL = """
name = "small"
duration = "5s"

[bottleneck]
rate = "1Mbps"
delay = "20ms"

[[flows]]
name = "one"
app = "bulk"
start_jitter = "500ms"

[[flows]]
name = "two"
app = { kind = "transfer", size = "20kB", count = 3, gap = "200ms" }

[[flows]]
name = "film"
start = "1s"
app = { kind = "dash", ladder = ["50kbps", "100kbps"], segment = "1s", segments = 3 }

[probes]
window = true
packets = true
"""
"""Three kinds of flows over 1 Mbit/s for five seconds."""

SWEPT = """
duration = "500ms"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
name = "one"
start_jitter = "100ms"
app = "bulk"
"""
"""One flow for half a second: short enough for many runs."""

PROBED = """
name = "a small sweep"
duration = "3s"
[bottleneck]
rate = "5Mbps"
delay = "10ms"
queue = "1bdp"
[[flows]]
stack = "rfc"
name = "one"
start_jitter = "100ms"
app = "bulk"
[[flows]]
stack = "rfc"
name = "two"
start_jitter = "100ms"
app = { kind = "transfer", size = "20kB", count = 3, gap = "100ms" }
[[flows]]
stack = "rfc"
name = "film"
app = { kind = "dash", ladder = ["100kbps", "300kbps"], segment = "1s", segments = 2 }
[probes]
window = true
queues = true
rates = true
delays = true
packets = true
"""
"""Three kinds of flows for three seconds, with every probe that a report draws."""

LONG = {"duration": "80000h", "probes.window": "false", "probes.packets": "false"}
"""Overrides that make a run so long that a test has to end it."""
