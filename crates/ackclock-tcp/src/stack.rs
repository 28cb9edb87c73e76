//! Named stacks: tables of the choices that make up an endpoint.

use crate::config::{AckRule, Config, Conformance, EcnMode, Restart, RtoRule};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc, pacing::Pacing, slow_start, validation};

/// A named stack.
pub struct Stack {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Where its values come from.
    pub source: &'static str,
    /// Its configuration.
    pub config: fn() -> Config,
}

/// Every stack, by name.
pub const CATALOGUE: &[Stack] = &[
    Stack {
        name: "rfc",
        summary: "what the standards say: Reno, SACK, IW10, RTO of at least 1 s",
        source: "RFC 5681, 6298, 6675, 6928",
        config: rfc,
    },
    Stack {
        name: "linux",
        summary: "Linux's constants as far as they exist here: CUBIC, RTO of at least 200 ms, ACKs delayed 40 ms after 16 quick ones",
        source: "Linux include/net/tcp.h: TCP_RTO_MIN, TCP_DELACK_MIN, TCP_MAX_QUICKACKS, TCP_INIT_CWND",
        config: linux,
    },
];

/// The stack of a name.
pub fn by_name(name: &str) -> Option<&'static Stack> {
    CATALOGUE.iter().find(|stack| stack.name == name)
}

fn rfc() -> Config {
    Config {
        mss: 1460,
        initial_window: 10,
        initial_rto: SECOND,
        min_rto: SECOND,
        max_rto: 60 * SECOND,
        rto_rule: RtoRule::Rfc6298,
        syn_retries: 6,
        data_retries: 15,
        timestamps: false,
        sack: true,
        dsack: false,
        recovery: Recovery::Sack,
        dup_thresh: 3,
        adapt_dup_thresh: false,
        limited_transmit: true,
        early_retransmit: false,
        rack: false,
        tlp: false,
        frto: false,
        dsack_undo: false,
        eifel: false,
        ecn: EcnMode::Off,
        abe: false,
        nagle: false,
        minshall: false,
        keepalive: None,
        time_wait: 60 * SECOND,
        fin_timeout: 60 * SECOND,
        user_timeout: 0,
        reset_on_give_up: true,
        receive_buffer: 256 << 20,
        receive_buffer_max: 256 << 20,
        window_scale: None,
        ack_rule: AckRule::Rfc5681,
        delayed_ack: 200 * MILLISECOND,
        ack_every: 2,
        quick_acks: 0,
        conformance: Conformance::Rfc,
        challenge_interval: 500 * MILLISECOND,
        rfc1337: false,
        restart: Restart::Rfc5681,
        pacing: Pacing::Off,
        careful_resume: None,
        cc: cc::by_name("reno").expect("in the catalogue"),
        slow_start: slow_start::by_name("standard").expect("in the catalogue"),
        validation: validation::by_name("none").expect("in the catalogue"),
    }
}

fn linux() -> Config {
    Config {
        min_rto: 200 * MILLISECOND,
        max_rto: 120 * SECOND,
        delayed_ack: 40 * MILLISECOND,
        quick_acks: 16,
        cc: cc::by_name("cubic").expect("in the catalogue"),
        validation: validation::by_name("rfc2861-linux").expect("in the catalogue"),
        ..rfc()
    }
}
