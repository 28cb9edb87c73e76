"""A run with stalls, an outage, a flow that ends and values that are missing, and what its tables say of each."""

import numpy as np

__all__ = ["BARE", "GAPS", "LONG", "covered", "drawn_columns", "told"]

GAPS = """
name = "gaps"
duration = "14s"

[bottleneck]
rate = "4Mbps"
delay = "20ms"
queue = "1bdp"
outages = [{ from = "4s", to = "7500ms" }, { from = "9s", to = "11500ms" }]

[[flows]]
name = "ends"
app = { kind = "transfer", size = "1MB" }

[[flows]]
name = "late"
app = { kind = "transfer", size = "500kB", count = 2, gap = "2s" }
start = "1s"

[[flows]]
name = "tv"
app = { kind = "dash", ladder = ["300kbps", "2Mbps"], segment = "1s", buffer = "2s" }

[probes]
window = true
rates = true
queues = true
interval = "50ms"
"""

BARE = 400
"""Columns of a plot that are looked at."""

LONG = 0.15
"""Seconds that a gap has at least, so that it is several pixels wide."""

COVERED = """((place, colour, count) => {
  const plot = place.querySelector("canvas");
  const box = place.querySelector(".u-over");
  const copy = Object.assign(document.createElement("canvas"), { width: plot.width, height: plot.height });
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(plot, 0, 0);
  const ratio = plot.width / plot.clientWidth;
  const [top, tall] = [(box.offsetTop - 2) * ratio, (box.clientHeight + 4) * ratio];
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return Array.from({ length: count }, (_, at) => {
    const left = Math.floor((box.offsetLeft + ((at + 0.5) / count) * box.clientWidth) * ratio);
    const { data } = context.getImageData(left, top, 1, tall);
    for (let i = 0; i < data.length; i += 4)
      if (data[i + 3] > 60 && wanted.every((one, part) => Math.abs(one - data[i + part]) < 40)) return true;
    return false;
  });
})"""
"""Whether a colour is in each of so many columns of a plot."""


def drawn_columns(page, place, colour, count=BARE):
    """Whether a series of a colour is drawn in each of `count` columns of the plot in an element of a page."""
    return np.array(page.run(f"{COVERED}({place}, {colour!r}, {count})"))


def covered(spans, start, end, count=BARE, margin=0.03):
    """Columns in which a line must be and must not be, for each of `count` columns between two times.

    True where one of the spans covers a column with a margin on both sides, False where none comes near, and None
    between.
    """
    found = []
    for at in (np.arange(count) + 0.5) * (end - start) / count + start:
        inside = any(begin + margin <= at <= stop - margin for begin, stop in spans)
        near = any(begin - margin <= at <= stop + margin for begin, stop in spans)
        found.append(True if inside else None if near else False)
    return found


def _steps(time, values):
    """The spans in which a value that holds until the next row is there."""
    return [(a, b) for a, b, value in zip(time[:-1], time[1:], values[:-1], strict=True) if np.isfinite(value)]


def _joined(spans):
    """Spans that touch, as one."""
    found = []
    for begin, end in spans:
        if found and begin - found[-1][1] < 1e-9:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return found


def told(result, what):
    """The spans of time in which the tables of a run have a value.

    `what` is ``cwnd`` or ``ssthresh`` of the flow that ends, ``sojourn`` of the bottleneck, ``jain`` of the flows ends
    and late, or ``stalled`` of the player.
    """
    if what in ("cwnd", "ssthresh"):
        mine = result.window["flow"] == "ends"
        return _joined(_steps(result.window["time_s"][mine], result.window[what][mine].astype(float)))
    if what == "sojourn":
        mine = result.queues["link"] == "bottleneck"
        time, sojourn = result.queues["time_s"][mine], result.queues["sojourn_ms"][mine]
        # A row ends the interval that it is about.
        return _joined(_steps(time, np.append(sojourn[1:], np.nan)))
    if what == "stalled":
        rows = [row for row in result.dash_segments.rows() if row["stall_s"] > 0]
        return _joined([(row["done_s"] - row["stall_s"], row["done_s"]) for row in rows])
    table = result.rates
    spans = []
    for flow in ("ends", "late"):
        rows = [row for row in table.rows() if row["flow"] == flow and row["bytes_delivered"] > 0]
        spans.append((rows[0]["time_s"] - 0.05, rows[-1]["time_s"]))
    return [(max(begin for begin, _ in spans), min(end for _, end in spans))]
