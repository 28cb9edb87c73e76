"""The quality of adaptive video as one number: bitrate, minus rebuffering, minus switches.

This is the linear score that papers on rate adaptation share. Over the segments n = 1 to N of a client,

    score = sum q(R_n) - rebuffering * stalled seconds - switching * sum |q(R_n+1) - q(R_n)| - startup * startup seconds

where R_n is the bitrate of segment n, and q is a function of it:

=======  ===================================  ===========================  =======================================
name     q(R)                                 weight of rebuffering        source
=======  ===================================  ===========================  =======================================
``lin``  R in Mbit/s                          4.3                          Pensieve's QoE_lin
``log``  ln(R / lowest bitrate of the ladder) 2.66                         Pensieve's QoE_log
``mpc``  R in Mbit/s                          3, and 3 for startup         MPC's *balanced* weights
=======  ===================================  ===========================  =======================================

The weight of switches is 1 in all of them. Pensieve (Mao, Netravali, Alizadeh, SIGCOMM 2017) gives a second of
rebuffering the weight of its highest bitrate: 4.3 Mbit/s, and ln(4.3 / 0.3) = 2.66 with its lowest bitrate of
300 kbit/s. Its QoE_log takes the logarithm from BOLA (Spiteri, Urgaonkar, Sitaraman, INFOCOM 2016). Its third score,
QoE_hd, has a table of q for its six bitrates and the weight 8; it is not here, because other ladders have no such
table.

MPC (Yin, Jindal, Sekar, Sinopoli, SIGCOMM 2015) writes its weights for bitrates in kbit/s: lambda = 1 and
mu = mu_s = 3000, so that a second of stalls or of startup costs as much as 3 Mbit/s of one segment.

Papers give the score for each segment. Ladders and weights belong together: scores of different ladders or of different
kinds cannot be compared. The score is no opinion score; ITU-T P.1203 defines one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ackclock._errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ackclock.results.result import Result

__all__ = ["KINDS", "Kind", "Quality", "measure", "quality"]


@dataclass(frozen=True, slots=True)
class Kind:
    """The weights of a score."""

    rebuffering: float
    """Weight of a second of stalls."""
    startup: float
    """Weight of a second before playback starts."""
    source: str
    """The paper that the weights are from."""


KINDS = {
    "lin": Kind(4.3, 0.0, "Mao, Netravali, Alizadeh, SIGCOMM 2017"),
    "log": Kind(2.66, 0.0, "Mao, Netravali, Alizadeh, SIGCOMM 2017, after Spiteri, Urgaonkar, Sitaraman, INFOCOM 2016"),
    "mpc": Kind(3.0, 3.0, "Yin, Jindal, Sekar, Sinopoli, SIGCOMM 2015, balanced"),
}
"""The kinds of scores by name."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The score of a client, and its parts. All parts but the first are above or at zero and are subtracted."""

    flow: str
    """The client."""
    kind: str
    """The kind of score, a key of `KINDS`."""
    segments: int
    """Segments that arrived."""
    bitrate: float
    """The sum of q over the segments."""
    rebuffering: float
    """Weight times stalled seconds, a stall that is not over at the end of the run included."""
    switching: float
    """Weight times the sum of the changes of q from one segment to the next."""
    startup: float
    """Weight times the seconds from the start of the flow to the start of playback."""

    @property
    def score(self) -> float:
        """The score of all segments together."""
        return self.bitrate - self.rebuffering - self.switching - self.startup

    @property
    def per_segment(self) -> float:
        """The score for each segment, as papers give it."""
        return self.score / self.segments


def quality(
    result: Result,
    flow: str | None = None,
    *,
    kind: str = "lin",
    lowest_bps: float | None = None,
    rebuffering: float | None = None,
    switching: float = 1.0,
    startup: float | None = None,
) -> list[Quality]:
    """The scores of the DASH clients of a run, in the order of the table ``dash``.

    Parameters
    ----------
    result
        A run with flows of the application ``dash``.
    flow
        One client; by default, all.
    kind
        ``lin``, ``log`` or ``mpc``, see above.
    lowest_bps
        The lowest bitrate of the ladder in bit/s, which ``log`` needs.
    rebuffering, switching, startup
        Weights instead of those of the kind, in the unit of q for each second, for each unit of q, and for each second.

    Raises
    ------
    RefusedError
        If the run has no such client, no segment has arrived, or an argument is not accepted.
    """
    if kind not in KINDS:
        raise RefusedError(f"unknown kind {kind!r} of a quality score; accepted: {', '.join(KINDS)}")
    weights = KINDS[kind]
    of_rebuffering = weights.rebuffering if rebuffering is None else rebuffering
    of_startup = weights.startup if startup is None else startup
    for name, weight in (("rebuffering", of_rebuffering), ("switching", switching), ("startup", of_startup)):
        if not (math.isfinite(weight) and weight >= 0):
            raise RefusedError(f"{name}={weight}: expected a finite weight of at least 0")
    valued = _function(kind, lowest_bps)
    if "dash" not in result.tables:
        raise RefusedError('the run has no table dash; accepted: a run with a flow of app = { kind = "dash", ... }')
    clients, segments = result.tables["dash"], result.tables["dash_segments"]
    names = clients["flow"].tolist()
    if flow is not None and flow not in names:
        raise RefusedError(f"no DASH client {flow!r}; there are {', '.join(names)}")
    found = []
    for row in clients.rows():
        if flow is not None and row["flow"] != flow:
            continue
        mine = (segments["flow"] == row["flow"]) & np.isfinite(segments["done_s"])
        q = valued(segments["level_bps"][mine].astype(np.float64))
        if not q.size:
            raise RefusedError(f"no segment of {row['flow']} has arrived; a score needs at least one")
        waited = row["startup_s"] if row["startup_s"] is not None else result.meta["duration_s"]
        found.append(
            Quality(
                row["flow"],
                kind,
                int(q.size),
                float(q.sum()),
                of_rebuffering * float(row["stall_s"]),
                switching * float(np.abs(np.diff(q)).sum()),
                of_startup * float(waited) if of_startup else 0.0,
            )
        )
    return found


def _function(kind: str, lowest_bps: float | None) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """The function q of bitrates in bit/s."""
    if kind != "log":
        return lambda bps: bps / 1e6
    if lowest_bps is None or not (math.isfinite(lowest_bps) and lowest_bps > 0):
        raise RefusedError(f"lowest_bps={lowest_bps}: the kind log needs the lowest bitrate of the ladder, in bit/s")
    return lambda bps: np.log(bps / lowest_bps)


def measure(result: Result) -> dict[str, float]:
    """The mean of the linear score for each segment over the clients, as a function for ``ackclock.sweep``."""
    return {"quality_lin": float(np.mean([one.per_segment for one in quality(result)]))}
