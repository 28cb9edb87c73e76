"""Evidence from made tables: rows a millisecond apart, with a round-trip time of 40 ms."""

import numpy as np

from ackclock import Result
from ackclock.judge.conform.evidence import Evidence
from tests.helpers.tables import make_table

MSS = 1448
RATE = 10e6
CAPACITY = RATE * MSS / 1500
PACED = 0.99 * (MSS + 40) / MSS
"""Pacing rate over the estimated bandwidth at a gain of one."""
BDP = CAPACITY * 0.04 / 8


def evidence(phases, *, cc="bbr3", moment_s=None, packets=(), events=(), rates=None, columns=None, without=()):
    """The evidence of a flow that is in each of `phases`, pairs of a state and a duration in ms, one after the other.

    The window is 80 packets, 40 are in flight, and the flow paces and delivers at the capacity, unless `columns` has
    other values, one a row. `without` names columns that the stack does not show.
    """
    states = [state for state, ms in phases for _ in range(ms)]
    count = len(states)
    given = {
        "time_s": np.arange(count) / 1e3,
        "flow": ["subject"] * count,
        "cwnd": np.full(count, 80 * MSS),
        "pipe": np.full(count, 40 * MSS),
        "flight_size": np.full(count, 40 * MSS),
        "srtt_ms": np.full(count, 40.0),
        "latest_rtt_ms": np.full(count, 40.0),
        "min_rtt_ms": np.full(count, 40.0),
        "pacing_bps": np.full(count, PACED * CAPACITY),
        "delivery_bps": np.full(count, CAPACITY),
        "in_recovery": np.full(count, False),
        "cc_state": states,
    }
    given |= columns or {}
    cells = {name: _typed(name, values) for name, values in given.items()}
    for name in without:
        cells[name] = [None] * count
    received = np.full(count, int(CAPACITY / 8e3)) if rates is None else np.asarray(rates)
    tables = {
        "flows": make_table(flow=["other", "subject"], cc=["cubic", cc]),
        "window": make_table(**cells),
        "rates": make_table(
            time_s=(np.arange(1, count + 1) / 1e3).tolist(),
            flow=["subject"] * count,
            bytes_delivered=received.astype(int).tolist(),
        ),
        "events": make_table(
            time_s=[time for time, _ in events],
            flow=["subject" for _ in events],
            event=[event for _, event in events],
        ),
    }
    if packets:
        tables["packets"] = make_table(
            time_s=[time for time, _, _ in packets],
            flow=["subject" for _ in packets],
            event=[event for _, event, _ in packets],
            len=[length for _, _, length in packets],
        )
    return Evidence(Result({"duration_s": count / 1e3}, tables), RATE, 1500, moment_s)


def _typed(name, values):
    """A column's cells: volumes are whole numbers, and times and rates are not."""
    cells = np.asarray(values)
    if name.endswith(("_s", "_ms", "_bps")):
        return cells.astype(float).tolist()
    return cells.tolist()


def steps(*parts):
    """A column from pairs of a value and a number of rows."""
    return np.concatenate([np.full(count, value) for value, count in parts])
