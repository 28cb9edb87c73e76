//! Conversion from the engine's arguments to those of the contract, and back for the window.

use ackclock_cc as contract;
use ackclock_tcp::Rate;
use ackclock_tcp::cc::Situation;
use ackclock_tcp::context::{self, Cause};

/// Returns a struct of the contract from the engine's struct with the same fields.
macro_rules! copied {
    ($from:expr => $Name:ident { $($field:ident),* $(,)? } $(with $($other:ident: $value:expr),+)?) => {
        contract::$Name { $($field: $from.$field,)* $($($other: $value,)+)? }
    };
}

#[inline]
pub fn window(window: &context::Window) -> contract::Window {
    copied!(window => Window { cwnd, ssthresh } with pacing_rate: window.pacing_rate.map(Rate::bytes))
}

#[inline]
pub fn window_back(window: contract::Window) -> context::Window {
    let contract::Window { cwnd, ssthresh, pacing_rate } = window;
    context::Window { cwnd, ssthresh, pacing_rate: pacing_rate.map(Rate::of_bytes) }
}

#[inline]
pub fn context(ctx: &context::Context) -> contract::Context {
    copied!(ctx => Context {
        now, mss, initial_window, snd_una, snd_nxt, flight_size, pipe, unsent, receive_window, srtt, min_rtt, rto,
        in_recovery, release,
    })
}

#[inline]
pub fn ack(ack: &context::Ack) -> contract::Ack {
    copied!(ack => Ack { acked, sacked, lost, rtt, cwnd_limited, marked } with ctx: context(&ack.ctx))
}

pub fn rate(rate: context::RateSample) -> contract::RateSample {
    copied!(rate => RateSample { delivered, prior_delivered, interval, tx_in_flight, lost, app_limited })
}

pub fn delivery(delivery: &context::Delivery) -> contract::Delivery {
    copied!(delivery => Delivery { newly, delivered, lost, sent_at, forward_delay, echo }
        with ack: ack(&delivery.ack), rate: delivery.rate.map(rate))
}

pub fn lost(lost: &context::Lost) -> contract::Lost {
    copied!(lost => Lost { len, tx_in_flight, lost_since, app_limited } with ctx: context(&lost.ctx))
}

pub fn recovery_end(end: &context::RecoveryEnd) -> contract::RecoveryEnd {
    copied!(end => RecoveryEnd { retransmitted } with ctx: context(&end.ctx))
}

fn cause(cause: Cause) -> contract::Cause {
    match cause {
        // The contract has no request of a reduction, which is the cause `Delay`.
        Cause::Loss | Cause::Delay => contract::Cause::Loss,
        Cause::Ecn => contract::Cause::Ecn,
        Cause::Timeout => contract::Cause::Timeout,
    }
}

pub fn congestion(event: &context::Congestion) -> contract::Congestion {
    copied!(event => Congestion { abe } with cause: cause(event.cause), ctx: context(&event.ctx))
}

#[inline]
pub fn situation(flow: &Situation) -> contract::Situation {
    contract::Situation {
        window: window(&flow.window),
        ctx: context(&flow.ctx),
        acked_bytes: flow.acked,
        rtt_ns: flow.rtt,
        cause: flow.congestion.map(|event| cause(event.cause)),
        abe: flow.congestion.is_some_and(|event| event.abe),
        idle_ns: flow.idle,
    }
}
