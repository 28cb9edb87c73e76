"""Tables of the family *media*.

Written by ackclock.scenario._generate from the engine's schema; not to be edited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from ackclock.scenario._record import Record

__all__ = ["Fixed", "Gcc", "GccDraft", "Media", "Nada", "Name", "Scream", "Scream2"]

Name: TypeAlias = Literal[
    "nada",
    "scream",
    "scream2",
    "gcc",
    "gcc-draft",
    "fixed",
]
"""The names of the family *media* that need no values.

- ``nada``: NADA: one congestion signal from delay, loss and marks; accelerated ramp-up and gradual update
- ``scream``: SCReAM version 1: a window that keeps the queueing delay near its target, and a rate that fits into it
- ``scream2``: SCReAM version 2: a reference window from losses, marks (also of L4S) and delay; the rate is a window in
  an RTT
- ``gcc``: GCC as in WebRTC: trendline filter, adaptive threshold, AIMD rate, loss-based bound; without probes
- ``gcc-draft``: GCC as in the draft: Kalman filter, adaptive threshold, AIMD rate, loss-based bound
- ``fixed``: the start rate, whatever feedback says
"""


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Nada(Record):
    """NADA: one congestion signal from delay, loss and marks; accelerated ramp-up and gradual update.

    Source: RFC 8698.

    Parameters
    ----------
    prio
        weight of priority of the flow, PRIO. Accepted: from 0.01 to 100. Default: 1.
    xref
        reference congestion level, XREF, ms. Accepted: from 0.1 to 10000. Default: 10.
    kappa
        scaling parameter of the gradual update, KAPPA. Accepted: from 0.001 to 100. Default: 0.5.
    eta
        weight of the change of the signal, ETA. Accepted: from 0.001 to 100. Default: 2.
    tau
        upper bound of the RTT in the gradual update, TAU, ms. Accepted: from 1 to 100000. Default: 500.
    delta
        target feedback interval in the ramp-up's bound, DELTA, ms. Accepted: from 1 to 10000. Default: 100.
    logwin
        observation window of the statistics, LOGWIN, ms. Accepted: from 10 to 100000. Default: 500.
    qeps
        queueing delay that ends the accelerated ramp-up, QEPS, ms. Accepted: from 0 to 10000. Default: 10.
    dfilt
        bound on the filtering delay, DFILT, ms. Accepted: from 0 to 10000. Default: 120.
    gamma_max
        largest increase in the accelerated ramp-up, GAMMA_MAX. Accepted: from 0 to 10. Default: 0.5.
    qbound
        self-inflicted queueing delay allowed in the ramp-up, QBOUND, ms. Accepted: from 0 to 10000. Default: 50.
    multiloss
        average loss intervals until a loss expires, MULTILOSS. Accepted: from 0 to 1000. Default: 7.
    qth
        delay from which on it is warped after losses, QTH, ms. Accepted: from 0.1 to 10000. Default: 50.
    lambda_
        exponent of the non-linear warping, LAMBDA. Accepted: from 0 to 100. Default: 0.5.
    plrref
        reference packet loss ratio, PLRREF. Accepted: from 1e-06 to 1. Default: 0.01.
    pmrref
        reference packet marking ratio, PMRREF. Accepted: from 1e-06 to 1. Default: 0.01.
    dloss
        delay penalty at the reference loss ratio, DLOSS, ms. Accepted: from 0 to 10000. Default: 10.
    dmark
        delay penalty at the reference marking ratio, DMARK, ms. Accepted: from 0 to 10000. Default: 2.
    beta_s
        share of the rate-shaping buffer added to the sending rate, BETA_S. Accepted: from 0 to 10. Default: 0.1.
    beta_v
        share of the rate-shaping buffer taken from the target rate, BETA_V. Accepted: from 0 to 10. Default: 0.1.
    alpha
        smoothing factor of the loss and marking ratios, ALPHA. Accepted: from 0 to 1. Default: 0.1.
    xmax
        largest congestion signal, ms; 0: none, as in the RFC; 500 in ns3-rmcat. Accepted: from 0 to 1000000. Default:
        0.
    min_filter
        window of the minimum filter over delays (section 5.1.1). Accepted: from 1 to 1000. Default: 15.
    """

    kind: ClassVar = "nada"

    prio: float | None = None
    xref: float | None = None
    kappa: float | None = None
    eta: float | None = None
    tau: float | None = None
    delta: float | None = None
    logwin: float | None = None
    qeps: float | None = None
    dfilt: float | None = None
    gamma_max: float | None = None
    qbound: float | None = None
    multiloss: float | None = None
    qth: float | None = None
    lambda_: float | None = None
    plrref: float | None = None
    pmrref: float | None = None
    dloss: float | None = None
    dmark: float | None = None
    beta_s: float | None = None
    beta_v: float | None = None
    alpha: float | None = None
    xmax: float | None = None
    min_filter: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Scream(Record):
    """SCReAM version 1: a window that keeps the queueing delay near its target, and a rate that fits into it.

    Source: RFC 8298.

    Parameters
    ----------
    qdelay_target_lo
        least target of the queueing delay, s. Accepted: from 0.001 to 10. Default: 0.1.
    qdelay_target_hi
        largest target of the queueing delay, s. Accepted: from 0.001 to 10. Default: 0.4.
    qdelay_weight
        averaging factor of qdelay_fraction_avg. Accepted: from 0 to 1. Default: 0.1.
    qdelay_trend_th
        trend at which fast increase ends. Accepted: from 0 to 1. Default: 0.2.
    qdelay_trend_lo
        trend below which fast increase may resume. Accepted: from 0 to 1. Default: 0.2.
    t_resume_fast_increase
        time with a low trend until fast increase resumes, s. Accepted: from 0 to 1000. Default: 5.
    min_cwnd
        least congestion window, bytes. Accepted: from 100 to 1000000000. Default: 3000.
    max_bytes_in_flight_head_room
        congestion window over the largest flight. Accepted: from 1 to 10. Default: 1.1.
    gain
        gain of the window adjustment. Accepted: from 0.001 to 100. Default: 1.
    beta_loss
        factor of the window after a loss. Accepted: from 0.01 to 1. Default: 0.8.
    beta_ecn
        factor of the window and the rate after a mark. Accepted: from 0.01 to 1. Default: 0.9.
    beta_r
        factor of the target rate after a loss. Accepted: from 0.01 to 1. Default: 0.9.
    mss
        maximum segment size in the window adjustment, bytes. Accepted: from 100 to 65535. Default: 1000.
    rate_adjust_interval
        interval of rate adjustments, s. Accepted: from 0.01 to 10. Default: 0.2.
    ramp_up_speed
        largest speed of rate increase, bit/s per s. Accepted: from 1 to 1000000000000. Default: 200000.
    pre_congestion_guard
        guard factor against early congestion. Accepted: from 0 to 1. Default: 0.1.
    tx_queue_size_factor
        guard factor against RTP queue build-up. Accepted: from 0 to 2. Default: 1.
    rtp_qdelay_th
        RTP queue delay at which the rate is reduced, s. Accepted: from 0 to 10. Default: 0.02.
    target_rate_scale_rtp_qdelay
        factor of that reduction. Accepted: from 0.01 to 1. Default: 0.95.
    rate_pace_min
        least pacing rate, bit/s. Accepted: from 1 to 1000000000000. Default: 50000.
    competing_flows
        whether the delay target adapts to competing flows. Accepted: from 0 to 1. Default: 1.
    """

    kind: ClassVar = "scream"

    qdelay_target_lo: float | None = None
    qdelay_target_hi: float | None = None
    qdelay_weight: float | None = None
    qdelay_trend_th: float | None = None
    qdelay_trend_lo: float | None = None
    t_resume_fast_increase: float | None = None
    min_cwnd: float | None = None
    max_bytes_in_flight_head_room: float | None = None
    gain: float | None = None
    beta_loss: float | None = None
    beta_ecn: float | None = None
    beta_r: float | None = None
    mss: float | None = None
    rate_adjust_interval: float | None = None
    ramp_up_speed: float | None = None
    pre_congestion_guard: float | None = None
    tx_queue_size_factor: float | None = None
    rtp_qdelay_th: float | None = None
    target_rate_scale_rtp_qdelay: float | None = None
    rate_pace_min: float | None = None
    competing_flows: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Scream2(Record):
    """SCReAM version 2: a reference window from losses, marks (also of L4S) and delay; the rate is a window in an RTT.

    Source: draft-johansson-ccwg-rfc8298bis-screamv2.

    Parameters
    ----------
    qdelay_target_lo
        least target of the queueing delay, s. Accepted: from 0.001 to 10. Default: 0.06.
    qdelay_target_hi
        largest target of the queueing delay, s. Accepted: from 0.001 to 10. Default: 0.4.
    qdelay_avg_g
        weight of a larger queueing delay in its average. Accepted: from 0 to 1. Default: 0.25.
    l4s_avg_g_up
        weight of a larger share of marked packets in its average. Accepted: from 0 to 1. Default: 0.125.
    l4s_avg_g_down
        weight by which that average falls. Accepted: from 0 to 1. Default: 0.0078125.
    min_ref_wnd
        least reference window, bytes. Accepted: from 100 to 1000000000. Default: 3000.
    bytes_in_flight_head_room
        reference window over the largest flight. Accepted: from 1 to 10. Default: 1.5.
    beta_loss
        factor of the window after a loss. Accepted: from 0.01 to 1. Default: 0.7.
    beta_ecn
        factor of the window after a mark without L4S. Accepted: from 0.01 to 1. Default: 0.8.
    mss
        largest packet in the window's arithmetic, bytes. Accepted: from 100 to 65535. Default: 1000.
    ref_wnd_overhead
        flight over the reference window at most. Accepted: from 1 to 100. Default: 5.
    post_congestion_delay_rtt
        RTTs after congestion with cautious growth. Accepted: from 0 to 1000000. Default: 100.
    mul_increase_factor
        growth in an RTT as a share of the window. Accepted: from 0 to 10. Default: 0.02.
    inflection_scale
        slope of s over the distance from the inflection point. Accepted: from 0.001 to 1000000000. Default: 8.
    virtual_rtt
        RTT below which growth does not depend on the RTT, s. Accepted: from 0.0001 to 10. Default: 0.025.
    bytes_in_flight_limit
        flight over the window that lowers the rate. Accepted: from 0.01 to 10. Default: 0.9.
    bytes_in_flight_limit_compensation
        largest divisor of the rate for that. Accepted: from 1 to 10. Default: 1.5.
    packet_overhead
        estimated overhead of a packet, bytes. Accepted: from 0 to 1000. Default: 20.
    rate_pace_min
        least rate from which the pacing rate follows, bit/s. Accepted: from 1 to 1000000000000. Default: 50000.
    packet_pacing_headroom
        pacing rate over the media rate. Accepted: from 1 to 10. Default: 1.5.
    competing_flows
        whether the delay target adapts to competing flows. Accepted: from 0 to 1. Default: 1.
    """

    kind: ClassVar = "scream2"

    qdelay_target_lo: float | None = None
    qdelay_target_hi: float | None = None
    qdelay_avg_g: float | None = None
    l4s_avg_g_up: float | None = None
    l4s_avg_g_down: float | None = None
    min_ref_wnd: float | None = None
    bytes_in_flight_head_room: float | None = None
    beta_loss: float | None = None
    beta_ecn: float | None = None
    mss: float | None = None
    ref_wnd_overhead: float | None = None
    post_congestion_delay_rtt: float | None = None
    mul_increase_factor: float | None = None
    inflection_scale: float | None = None
    virtual_rtt: float | None = None
    bytes_in_flight_limit: float | None = None
    bytes_in_flight_limit_compensation: float | None = None
    packet_overhead: float | None = None
    rate_pace_min: float | None = None
    packet_pacing_headroom: float | None = None
    competing_flows: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Gcc(Record):
    """GCC as in WebRTC: trendline filter, adaptive threshold, AIMD rate, loss-based bound; without probes.

    Source: draft-ietf-rmcat-gcc-02 and the published trendline filter and AIMD of WebRTC.

    Parameters
    ----------
    beta
        factor of the receiving rate after over-use, beta. Accepted: from 0.1 to 0.99. Default: 0.85.
    eta
        multiplicative increase per second, eta. Accepted: from 1 to 2. Default: 1.08.
    threshold
        over-use threshold at the start, del_var_th(0), ms. Accepted: from 1 to 600. Default: 12.5.
    overuse_time
        time of over-use until it is signalled, overuse_time_th, ms. Accepted: from 0 to 1000. Default: 10.
    pacing_gain
        pacing rate over the target rate. Accepted: from 1 to 100. Default: 2.5.
    """

    kind: ClassVar = "gcc"

    beta: float | None = None
    eta: float | None = None
    threshold: float | None = None
    overuse_time: float | None = None
    pacing_gain: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class GccDraft(Record):
    """GCC as in the draft: Kalman filter, adaptive threshold, AIMD rate, loss-based bound.

    Source: draft-ietf-rmcat-gcc-02.

    Parameters
    ----------
    beta
        factor of the receiving rate after over-use, beta. Accepted: from 0.1 to 0.99. Default: 0.85.
    eta
        multiplicative increase per second, eta. Accepted: from 1 to 2. Default: 1.08.
    threshold
        over-use threshold at the start, del_var_th(0), ms. Accepted: from 1 to 600. Default: 12.5.
    overuse_time
        time of over-use until it is signalled, overuse_time_th, ms. Accepted: from 0 to 1000. Default: 10.
    pacing_gain
        pacing rate over the target rate. Accepted: from 1 to 100. Default: 2.5.
    """

    kind: ClassVar = "gcc-draft"

    beta: float | None = None
    eta: float | None = None
    threshold: float | None = None
    overuse_time: float | None = None
    pacing_gain: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Fixed(Record):
    """the start rate, whatever feedback says.

    Source: a baseline without congestion control.

    Parameters
    ----------
    pacing_gain
        pacing rate over the target rate. Accepted: from 1 to 1000. Default: 2.5.
    """

    kind: ClassVar = "fixed"

    pacing_gain: float | None = None


Media: TypeAlias = Name | Nada | Scream | Scream2 | Gcc | GccDraft | Fixed
"""Type of the fields that accept a table of the family *media*."""
