//! The values that the standards specify.

use super::{Stack, Values, values};
use crate::config::{
    AccEcnOptions, AckRule, Conformance, CwrRule, EcnControl, EcnMode, Handshake, InitialWindow, NagleRule,
    PacingBurst, ReductionBase, Restart, RtoRule, SynLosses, WindowRule, WindowUnit,
};
use crate::recovery::Recovery;
use crate::{MILLISECOND, SECOND, cc, pacing::Pacing, slow_start, validation};

pub(super) const STACK: Stack = Stack {
    name: "rfc",
    summary: "what the standards say: Reno, SACK, the initial window of RFC 6928, RTO of at least 1 s, nothing that is optional",
    source: "RFC 5681, 6298, 6675, 6928, 9293",
    config: || values().config,
    values,
    forms: &[],
    slow_start_of: |_| "standard",
};

pub(super) fn values() -> Values {
    values! {
        cc: cc::by_name("reno-rfc5681").expect("in the catalogue").into(), "RFC 5681 section 3.1";
        //= https://www.rfc-editor.org/rfc/rfc9438#section-4.10
        //# MAY use the Reno TCP slow start algorithm [RFC5681] in the rare cases when HyStart++ is not suitable
        slow_start: slow_start::by_name("standard").expect("in the catalogue"), "RFC 5681 section 3.1";
        validation: validation::by_name("none").expect("in the catalogue"),
            "none is required; RFC 7661 is experimental";
        restart: Restart::Rfc5681, "RFC 5681 section 4.1";
        pacing_burst: PacingBurst::Segment, "no rule is given";
        //= https://www.rfc-editor.org/rfc/rfc9937#section-6.4
        //= type=exception
        //= reason=Pacing is a setting of its own and off unless a scenario or the congestion control asks for it, as
        //= in Linux without the qdisc fq.
        //# It is RECOMMENDED that implementations use pacing to reduce the burstiness of data traffic
        pacing: Pacing::Off, "none is required";
        careful_resume: None, "none is required";
        mss: 1460, "RFC 9293 section 3.7.1: Ethernet's 1500 bytes less 40 of headers";
        initial_window: InitialWindow::Rfc6928, "RFC 6928 section 2, equation 1: min(10 MSS, max(2 MSS, 14,600 B))";
        //= https://www.rfc-editor.org/rfc/rfc5681#section-3.1
        //= type=exception
        //= reason=RFC 6928 section 2 recommends to do so only after more than one retransmission; `linux` has the
        //= same, `freebsd` and `ns2-sack` count every one.
        //# if the SYN or SYN/ACK is lost, the initial window used by a sender after a correctly transmitted SYN MUST
        //# be one segment
        syn_losses: SynLosses { count: 2, forgives_spurious: false },
            "RFC 6928 section 2: one segment after more than one retransmission of a SYN or SYN-ACK";
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.3
        //# We RECOMMEND that TCP implementors employ some form of advanced loss recovery
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
        //# RECOMMENDS the method defined in [RFC6675] to recover missing segments
        recovery: Recovery::Sack, "RFC 6675";
        //= https://www.rfc-editor.org/rfc/rfc7661#section-4.2
        //# The method RECOMMENDS enabling the TCP SACK option [RFC2018]
        sack: true, "RFC 2018";
        dsack: false, "RFC 2883, optional";
        dup_thresh: 3, "RFC 5681 section 3.2, RFC 6675 section 2";
        adapt_dup_thresh: false, "RFC 4653, experimental";
        reduction_base: ReductionBase::FlightSize, "RFC 5681 section 3.1";
        window_unit: WindowUnit::Bytes, "RFC 5681 section 2";
        limited_transmit: true, "RFC 3042";
        early_retransmit: false, "RFC 5827, experimental";
        growth_after_state: false, "no rule is given";
        rescue: true, "RFC 6675 section 4, rule 4";
        rack: false, "RFC 8985, optional";
        tlp: false, "RFC 8985, optional";
        frto: false, "RFC 5682, optional";
        dsack_undo: false, "RFC 3708, experimental";
        eifel: false, "RFC 4015, optional";
        rto_rule: RtoRule::Rfc6298, "RFC 6298 section 2";
        retransmit_restarts_timer: false, "RFC 6298 section 5 has new acknowledgments alone restart it";
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //# the sender SHOULD set RTO <- 1 second, though the "backing off" on repeated retransmission discussed in
        //# (5.5) still applies
        initial_rto: SECOND, "RFC 6298 section 2.1";
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //# if it is less than 1 second, then the RTO SHOULD be rounded up to 1 second
        min_rto: SECOND, "RFC 6298 section 2.4";
        //= https://www.rfc-editor.org/rfc/rfc6298#section-2
        //# A maximum value MAY be placed on RTO provided it is at least 60 seconds
        max_rto: 60 * SECOND, "RFC 6298 section 2.5: at least 60 s";
        rto_slop: 0, "no standard";
        syn_retries: 6,
            "RFC 9293 section 3.8.3: R2 for SYNs is at least 3 minutes; six come to 127 s, as Linux has it";
        syn_ack_retries: 6, "no standard; as many as for a SYN";
        syn_linear: 0, "RFC 6298 section 5.5";
        connect_timeout: 0, "RFC 9293 section 3.8.3 counts retransmissions or time";
        plain_syn_after: 0, "no standard";
        syn_options: true, "RFC 9293 section 3.7.1";
        window_scaling: true, "RFC 7323 section 2";
        data_retries: 15, "RFC 9293 section 3.8.3: R2 is at least 100 s";
        timestamps: false, "RFC 7323, optional";
        ecn: EcnMode::Off, "RFC 3168, optional";
        accecn_options: AccEcnOptions::Changes, "RFC 9768 section 3.2.3.3";
        ecn_control: EcnControl::None, "RFC 3168 sections 6.1.1 and 6.1.4 to 6.1.6";
        cwr_rule: CwrRule::NewData, "RFC 3168 section 6.1.2";
        abe: false, "RFC 8511, experimental";
        nagle: false, "RFC 9293 section 3.7.4: should be, and may be off; off, so that writes and segments are one";
        sack_compression: false, "no standard";
        nagle_rule: NagleRule::Rfc9293, "RFC 9293 section 3.7.4";
        window_rule: WindowRule::Rfc9293, "RFC 9293 section 3.8.6.2.2";
        write_size: 0, "no standard; one write for each message of the application";
        ack_rule: AckRule::Rfc5681, "RFC 5681 section 4.2";
        handshake: Handshake::ThreeWay, "RFC 9293 section 3.5";
        handshake_data: true, "RFC 9293 section 3.10.7.3: data may be included";
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# MUST be generated within 500 ms of the arrival of the first unacknowledged packet
        //= https://www.rfc-editor.org/rfc/rfc5681#section-4.2
        //# an ACK MUST NOT be delayed for more than 500 ms waiting on a second full-sized segment to arrive
        delayed_ack: 200 * MILLISECOND, "RFC 9293 section 3.8.6.3: below 500 ms";
        ack_every: 2, "RFC 5681 section 4.2";
        quick_acks: 0, "no standard";
        ack_division: 1, "RFC 5681 section 4.2: one ACK at most for a segment";
        dupack_spoofing: 0, "RFC 5681 section 4.2";
        optimistic_acks: 0, "RFC 9293 section 3.4: an ACK is for data that has arrived";
        suppress_marks: false, "RFC 3168 section 6.1.3";
        receive_buffer: 256 << 20, "larger than any path's product of bandwidth and delay here";
        receive_buffer_max: 256 << 20, "no standard tunes it";
        send_buffer: 0, "no standard limits it";
        send_buffer_max: 0, "no standard tunes it";
        notsent_lowat: 0, "no standard";
        window_scale: None, "RFC 7323 section 2.2";
        keepalive: None, "RFC 9293 section 3.8.4: off by default";
        persist_min: 0, "RFC 9293 section 3.8.6.1: the first probe after the retransmission timeout";
        persist_max: 0, "RFC 9293 section 3.8.6.1: the interval may grow as that of retransmissions does";
        user_timeout: 0, "RFC 5482, optional";
        time_wait: 60 * SECOND, "RFC 9293 section 3.4.2 with a segment lifetime of 30 s, as deployed";
        fin_timeout: 60 * SECOND, "no standard; Linux's 60 s";
        reset_on_give_up: true, "RFC 9293 section 3.8.3 leaves it open; the peer is not left half open";
        conformance: Conformance::Rfc, "RFC 9293 section 3.10.7, RFC 5961";
        challenge_interval: 500 * MILLISECOND, "RFC 5961 section 7: ten in five seconds";
        insecure_rst: false, "RFC 5961 section 3.2";
        insecure_syn: false, "RFC 5961 section 4.2";
        drop_synfin: false, "RFC 9293 section 3.10.7: no such rule";
        icmp_may_rst: true, "RFC 9293 section 3.9.2.2";
        missing_timestamps: false, "RFC 7323 section 3.2";
        ecn_syn_retries: 0, "RFC 3168 section 6.1.1.1";
        rfc1337: false, "RFC 9293 section 3.10.7.4: a RST ends TIME-WAIT";
    }
}
