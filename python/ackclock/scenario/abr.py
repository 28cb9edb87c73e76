"""Tables of the family *abr*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Abr", "L2a", "LolPlus", "Mpc", "Name", "RobustMpc"]

Name: TypeAlias = Literal[
    "throughput",
    "bba",
    "bola",
    "hybrid",
    "mpc",
    "robust-mpc",
    "l2a",
    "lol-plus",
]
"""The names of the family *abr* that need no values.

- ``throughput``: the highest level within the estimated throughput, the lowest while the buffer is low
- ``bba``: BBA-0: a map from buffer level to rate with a reservoir and a cushion, and hysteresis
- ``bola``: BOLA as in dash.js: utility and buffer weighed by Lyapunov optimisation, with a placeholder buffer
- ``hybrid``: DYNAMIC of dash.js: 0.9 of a moving average of throughput at low buffer, BOLA at high
- ``mpc``: MPC: the best plan for the next segments if the throughput is the harmonic mean of the last downloads
- ``robust-mpc``: RobustMPC: MPC for a lower bound of the throughput, from the largest error of the last predictions
- ``l2a``: L2A-LL as in dash.js: online learning of a probability for each level, for live video at low latency
- ``lol-plus``: LoL+ as in dash.js: a self-organising map of the levels, for live video at low latency
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Mpc(Record):
    """MPC: the best plan for the next segments if the throughput is the harmonic mean of the last downloads.

    Source: Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video Streaming over HTTP,
    SIGCOMM 2015, sections 4 and 5.

    Parameters
    ----------
    horizon
        number of segments of a plan; a fraction is cut off. Accepted: from 1 to 8. Default: 5.
    history
        number of downloads and of errors remembered; a fraction is cut off. Accepted: from 1 to 100. Default: 5.
    rebuffering
        score that a second of rebuffering costs, Mbit/s. Accepted: from 0 to 1000. Default: 3.
    switching
        score that a change by 1 Mbit/s costs, in Mbit/s. Accepted: from 0 to 1000. Default: 1.
    """

    kind: ClassVar = "mpc"

    horizon: float | None = None
    history: float | None = None
    rebuffering: float | None = None
    switching: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RobustMpc(Record):
    """RobustMPC: MPC for a lower bound of the throughput, from the largest error of the last predictions.

    Source: Yin, Jindal, Sekar, Sinopoli, A Control-Theoretic Approach for Dynamic Adaptive Video Streaming over HTTP,
    SIGCOMM 2015, section 5; Mao, Netravali, Alizadeh, SIGCOMM 2017, their RobustMPC.

    Parameters
    ----------
    horizon
        number of segments of a plan; a fraction is cut off. Accepted: from 1 to 8. Default: 5.
    history
        number of downloads and of errors remembered; a fraction is cut off. Accepted: from 1 to 100. Default: 5.
    rebuffering
        score that a second of rebuffering costs, Mbit/s. Accepted: from 0 to 1000. Default: 3.
    switching
        score that a change by 1 Mbit/s costs, in Mbit/s. Accepted: from 0 to 1000. Default: 1.
    """

    kind: ClassVar = "robust-mpc"

    horizon: float | None = None
    history: float | None = None
    rebuffering: float | None = None
    switching: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class L2a(Record):
    """L2A-LL as in dash.js: online learning of a probability for each level, for live video at low latency.

    Source: Karagkioules, Mekuria, Griffioen, Wagenaar, Online Learning for Low-Latency Adaptive Streaming, MMSys 2020;
    dash.js 4, L2ARule.

    Parameters
    ----------
    horizon
        steps to converge in, segments. Accepted: from 1 to 1000. Default: 4.
    react
        factor of the multiplier after a level above the throughput. Accepted: from 1 to 100. Default: 2.
    target
        buffer at which the learning begins, s. Accepted: from 0 to 1000. Default: 1.5.
    """

    kind: ClassVar = "l2a"

    horizon: float | None = None
    react: float | None = None
    target: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class LolPlus(Record):
    """LoL+ as in dash.js: a self-organising map of the levels, for live video at low latency.

    Source: Bentaleb, Akcay, Lim, Begen, Zimmermann, Catching the Moment with LoL+ in Twitch-Like Low-Latency Live
    Streaming Platforms, IEEE Transactions on Multimedia 2021; dash.js 4, LoLPRule, LearningAbrController.

    Parameters
    ----------
    min_buffer
        buffer that has to remain after a download, s. Accepted: from 0 to 1000. Default: 0.3.
    learning_rate
        share of its distance from a state by which a neuron moves. Accepted: from 0 to 1. Default: 0.01.
    neighbourhood
        width of the movement around a neuron. Accepted: from 0.001 to 10. Default: 0.1.
    """

    kind: ClassVar = "lol-plus"

    min_buffer: float | None = None
    learning_rate: float | None = None
    neighbourhood: float | None = None


Abr: TypeAlias = Name | Mpc | RobustMpc | L2a | LolPlus | str | Mapping[str, str | float]
"""Type of the fields that accept a table of the family *abr*."""
