//! Explicit Congestion Notification: the handshake, and classic feedback (RFC 3168). Accurate feedback is in `accecn`.

use super::{Endpoint, State, Uses};
use crate::Ecn;
use crate::config::{Conformance, EcnControl, EcnMode};
use crate::{Flags, Segment};

/// The three flags that the handshake and AccECN use as one number: AE, CWR, ECE, from the high bit down.
pub(super) fn bits(flags: Flags) -> u8 {
    u8::from(flags.has(Flags::AE)) << 2 | u8::from(flags.has(Flags::CWR)) << 1 | u8::from(flags.has(Flags::ECE))
}

/// Returns `flags` with the three flags set to `bits`.
pub(super) fn with_bits(flags: Flags, bits: u8) -> Flags {
    let flags = flags.without(Flags::AE.with(Flags::CWR).with(Flags::ECE));
    let on = |bit: u8, flag: Flags| if bits >> bit & 1 == 1 { flag } else { Flags::default() };
    flags.with(on(2, Flags::AE)).with(on(1, Flags::CWR)).with(on(0, Flags::ECE))
}

/// The code by which a SYN-ACK, or the ACK of a SYN-ACK, reports the ECN field of the segment it answers (RFC 9768
/// tables 2 and 3).
pub(super) fn reflected(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotEct => 0b010,
        Ecn::Ect1 => 0b011,
        Ecn::Ect0 => 0b100,
        Ecn::Ce => 0b110,
    }
}

/// The flags of a SYN that asks for RFC 3168, of a SYN that asks for AccECN, and of a SYN-ACK that agrees to RFC 3168.
const CLASSIC_SYN: u8 = 0b011;
const ACCURATE_SYN: u8 = 0b111;
const CLASSIC_SYN_ACK: u8 = 0b001;

/// State of one end for ECN, apart from the features in use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks {
    /// Whether new data may be sent as ECN-capable.
    pub sends_ect: bool,
    /// Whether a mark is echoed until the peer sends CWR (RFC 3168 section 6.1.3).
    pub echoing: bool,
    /// Whether an ECN-capable packet has arrived.
    pub seen: bool,
    /// ECN field of the last SYN that arrived.
    pub syn_field: Ecn,
    /// Packets that arrived with a mark.
    pub received_ce: u32,
    /// Payload bytes that arrived with ECT(0), ECT(1) and CE.
    pub received_bytes: [u64; 3],
}

impl Marks {
    pub fn new() -> Marks {
        Marks {
            sends_ect: false,
            echoing: false,
            seen: false,
            syn_field: Ecn::NotEct,
            received_ce: 0,
            received_bytes: [0; 3],
        }
    }
}

impl Endpoint {
    /// Whether ECN of either kind is in use.
    #[inline]
    pub(super) fn uses_ecn(&self) -> bool {
        self.uses.has(Uses::CLASSIC_ECN) || self.uses.has(Uses::ACCECN)
    }

    pub(super) fn use_ecn(&mut self, kind: Uses) {
        self.uses.set(kind, true);
        self.cold.marks.sends_ect = true;
    }

    /// The three flags of our SYN. A retransmitted SYN asks for less, in case the flags caused the loss: RFC 3168 gives
    /// up at once (section 6.1.1.1), AccECN after one more (RFC 9768 section 3.1.4.1).
    pub(super) fn ecn_of_syn(&self) -> u8 {
        let config = &self.sender.config;
        let freebsd = config.conformance == Conformance::FreeBsd;
        match (config.ecn.handshake(), self.cold.syn_retries) {
            (EcnMode::Classic, retries) if retries <= config.ecn_syn_retries => CLASSIC_SYN,
            // FreeBSD has one setting for both kinds (sys/netinet/tcp_ecn.c, tcp_ecn_output_syn_sent).
            (EcnMode::Accurate, retries) if freebsd && retries <= config.ecn_syn_retries => ACCURATE_SYN,
            (EcnMode::Accurate, retries) if !freebsd && retries <= config.ecn_syn_retries.max(1) => ACCURATE_SYN,
            _ => 0,
        }
    }

    /// Processes a SYN that will be answered with a SYN-ACK: the first SYN determines which ECN is used (RFC 9768 table
    /// 2).
    pub(super) fn take_syn_ecn(&mut self, segment: &Segment) {
        let asked = bits(segment.flags);
        match (self.sender.config.ecn.handshake(), asked) {
            (EcnMode::Off, _) | (_, 0) => {}
            (EcnMode::Accurate, CLASSIC_SYN) => self.use_ecn(Uses::CLASSIC_ECN),
            (EcnMode::Accurate, _) => {
                self.use_ecn(Uses::ACCECN);
                self.cold.marks.syn_field = segment.ecn;
                self.cold.acc.on_syn(segment.ecn);
            }
            // An end that implements only RFC 3168 reads only two of the flags.
            (_, asked) if asked & CLASSIC_SYN == CLASSIC_SYN => self.use_ecn(Uses::CLASSIC_ECN),
            _ => {}
        }
    }

    /// Processes a retransmitted SYN, whose ECN field is the one to report. If the SYN no longer asks for ECN, the
    /// client may have given up, so no more ECN-capable packets are sent (RFC 9768 section 3.1.5).
    pub(super) fn take_syn_ecn_again(&mut self, segment: &Segment) {
        if self.uses.has(Uses::ACCECN) {
            self.cold.marks.syn_field = segment.ecn;
            if bits(segment.flags) == 0 {
                self.cold.marks.sends_ect = false;
            }
        }
    }

    /// The three flags of our SYN-ACK. If AccECN was requested, the third attempt is sent without it (RFC 9768 section
    /// 3.2.3.2.2).
    pub(super) fn ecn_of_syn_ack(&mut self) -> u8 {
        if self.uses.has(Uses::CLASSIC_ECN) {
            return CLASSIC_SYN_ACK;
        }
        if !self.uses.has(Uses::ACCECN) {
            return 0;
        }
        if self.cold.syn_retries > 1 {
            self.cold.marks.sends_ect = false;
            return 0;
        }
        reflected(self.cold.marks.syn_field)
    }

    /// Processes the SYN-ACK that answers our SYN.
    pub(super) fn take_syn_ack_ecn(&mut self, segment: &Segment) {
        let answer = bits(segment.flags);
        let freebsd = self.sender.config.conformance == Conformance::FreeBsd;
        let linux = self.sender.config.conformance == Conformance::Linux;
        match self.sender.config.ecn.handshake() {
            EcnMode::Off | EcnMode::Passive | EcnMode::Dctcp | EcnMode::L4s => {}
            // RFC 3168 section 6.1.1: ECE without CWR.
            EcnMode::Classic => {
                if answer & CLASSIC_SYN == CLASSIC_SYN_ACK {
                    self.use_ecn(Uses::CLASSIC_ECN);
                }
            }
            EcnMode::Accurate => match answer {
                // The peer does not support ECN, or reflects the flags that it receives.
                0 | ACCURATE_SYN => {}
                CLASSIC_SYN_ACK => self.use_ecn(Uses::CLASSIC_ECN),
                // FreeBSD takes no meaning that is reserved (sys/netinet/tcp_ecn.c, tcp_ecn_input_syn_sent), and uses marks
                // whatever the path does to them.
                0b101 if freebsd => {}
                // Linux takes the reserved answer for one of RFC 3168 (include/net/tcp_ecn.h, tcp_ecn_rcv_synack).
                0b101 if linux => self.use_ecn(Uses::CLASSIC_ECN),
                answer if freebsd => {
                    self.use_ecn(Uses::ACCECN);
                    self.cold.acc.start_client(segment);
                    self.cold.acc.expect_marked_syn(answer);
                }
                answer => {
                    self.use_ecn(Uses::ACCECN);
                    // Our SYN was not ECN-capable. If it arrived with another field, a node on the path changes that
                    // field (RFC 9768 section 3.2.2.3); 0b101 does not report the field (section 3.1.3).
                    self.cold.marks.sends_ect = self.cold.acc.trusting || matches!(answer, 0b010 | 0b101);
                    self.cold.acc.start_client(segment);
                }
            },
        }
    }

    /// Processes, as a receiver, the ECN field and CWR of an acceptable segment (RFC 3168 section 6.1.3).
    pub(super) fn take_field(&mut self, segment: &Segment) {
        let segment = &Segment { ecn: self.reported_field(segment), ..*segment };
        let unacked = self.receiver.has_unacked() || segment.len > 0;
        let repeats = segment.ack == self.wire(self.sender.una());
        let marks = &mut self.cold.marks;
        marks.seen |= segment.ecn != Ecn::NotEct;
        marks.received_ce += if segment.ecn == Ecn::Ce { segment.segments() } else { 0 };
        let counter = match segment.ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(0),
            Ecn::Ect1 => Some(1),
            Ecn::Ce => Some(2),
        };
        if let Some(counter) = counter {
            marks.received_bytes[counter] += u64::from(segment.len);
        }
        let freebsd = self.sender.config.conformance == Conformance::FreeBsd;
        if self.uses.has(Uses::ACCECN) {
            // FreeBSD's ACKs wait as without marks.
            if self.cold.acc.on_arrival(segment, unacked) && !freebsd {
                self.receiver.owe_ack();
            }
            return;
        }
        if self.sender.config.ecn == EcnMode::Dctcp {
            return self.take_dctcp_field(segment);
        }
        if segment.flags.has(Flags::CWR) {
            marks.echoing = false;
            // sys/netinet/tcp_ecn.c, tcp_ecn_input_segment; tcp_input.c sends nothing for a pure ACK of new data.
            if freebsd && (segment.len > 0 || repeats) {
                self.receiver.owe_ack();
            }
        }
        if segment.len == 0 && !freebsd {
            return;
        }
        match segment.ecn {
            Ecn::Ce => {
                if !marks.echoing {
                    self.receiver.enter_quick(2);
                }
                marks.echoing = true;
            }
            // Among ECN-capable segments, one that is not is a retransmission: the sender's window may be small (Linux,
            // tcp_ecn_check_ce).
            Ecn::NotEct if marks.seen => self.receiver.enter_quick(2),
            _ => {}
        }
    }

    /// Whether outgoing segments carry feedback: in TIME-WAIT Linux and FreeBSD send zeros (net/ipv4/tcp_minisocks.c;
    /// sys/netinet/tcp_timewait.c, tcp_twrespond).
    pub(super) fn tells_marks(&self) -> bool {
        self.state != State::TimeWait || self.sender.config.conformance == Conformance::Rfc
    }

    /// The state machine of DCTCP: ACKs echo the mark of the last segment that arrived, and a change is reported at
    /// once (RFC 8257 section 3.2). CWR needs no processing, since nothing waits for it.
    fn take_dctcp_field(&mut self, segment: &Segment) {
        let marked = segment.ecn == Ecn::Ce;
        if segment.len > 0 && marked != self.cold.marks.echoing {
            self.cold.marks.echoing = marked;
            self.receiver.owe_ack();
        }
    }

    /// The ECN field of answers and RSTs outside the stream.
    pub(super) fn control_field(&self) -> Ecn {
        if self.sender.config.ecn == EcnMode::Dctcp { Ecn::Ect0 } else { Ecn::NotEct }
    }

    /// The ECN field of our SYN or SYN-ACK. Only the first of them is ECN-capable, because the mark may have caused the
    /// loss (RFC 5562 section 3).
    pub(super) fn handshake_field(&self, segment: &Segment) -> Ecn {
        let config = &self.sender.config;
        let capable = match config.ecn_control {
            EcnControl::None => false,
            EcnControl::SynAck => segment.flags.has(Flags::ACK),
            EcnControl::All => true,
        };
        let asks = bits(segment.flags) != 0;
        if capable && asks && self.cold.syn_retries == 0 { Ecn::Ect0 } else { self.control_field() }
    }

    /// Sets the three flags and the ECN field of an outgoing segment. `ect` is whether the segment is new data.
    pub(super) fn mark(&mut self, segment: &mut Segment, ect: bool) {
        if !self.tells_marks() {
            segment.flags = with_bits(segment.flags, 0);
        } else if self.uses.has(Uses::ACCECN) {
            segment.flags = with_bits(segment.flags, self.cold.acc.ace(segment));
        } else if self.cold.marks.echoing {
            segment.flags = segment.flags.with(Flags::ECE);
        }
        // Neither retransmissions nor segments without data are ECN-capable (RFC 3168 sections 6.1.4 to 6.1.6). With
        // AccECN Linux marks all segments as ECN-capable (include/net/tcp_ecn.h, tcp_ecn_send), as RFC 8311 allows
        // experiments to do.
        let ecn = self.sender.config.ecn;
        let linux = self.uses.has(Uses::ACCECN) && self.sender.config.conformance == Conformance::Linux;
        let all = self.sender.config.ecn_control == EcnControl::All;
        if (ect || all || linux || ecn == EcnMode::Dctcp) && self.cold.marks.sends_ect {
            let scalable = ecn == EcnMode::L4s && self.uses.has(Uses::ACCECN);
            segment.ecn = if scalable { Ecn::Ect1 } else { Ecn::Ect0 };
        }
    }
}
