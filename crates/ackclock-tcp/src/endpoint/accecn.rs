//! Accurate ECN feedback (RFC 9768): the ACE counter of marked packets and the option with counters of bytes.

mod linux;

use super::ecn::reflected;
use crate::config::{AccEcnOptions, Config, Conformance};
use crate::segment::{AccEcnOption, Flags, Segment};
use crate::{Ecn, Nanos};

/// Counters of an option wrap at 24 bits.
const WRAP: u32 = 1 << 24;
/// Initial values of the counters (RFC 9768 section 3.2.1), the bytes in the order ECT(0), CE, ECT(1).
const FIRST_CEP: u32 = 5;
const FIRST_BYTES: [u32; 3] = [1, 0, 1];
/// If the marked packets would be on average smaller than this fraction of the MSS, the ACE counter has not wrapped (RFC
/// 9768 appendix A.2.2).
const SAFETY_FACTOR: u64 = 2;

/// Whether the peer's options can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Options {
    /// No option has arrived yet.
    Unknown,
    /// The options arrive.
    Work,
    /// The options do not arrive, or are zeroed on the path.
    Ignored,
}

/// Feedback of an acknowledgment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Feedback {
    /// Packets that we sent and that are newly reported as marked.
    pub packets: u32,
    /// Payload bytes newly reported as marked.
    pub bytes: u64,
    /// Whether the two counters contradict each other, so that the ECN field cannot be trusted.
    pub mangled: bool,
}

/// Data that an acknowledgment newly reports as received, cumulatively or by SACK.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct News {
    /// Segments.
    pub packets: u64,
    /// Payload bytes.
    pub bytes: u64,
    /// Whether `packets` and `bytes` are exact: with SACK, or if nothing was out of order.
    pub exact: bool,
    /// Payload bytes that we have sent so far.
    pub sent: u64,
}

/// State of AccECN for one end, as receiver and as sender.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccEcn {
    /// Counters of the receiver: marked packets (r.cep) and their number in the last ACK; bytes by field (r.e0b, r.ceb,
    /// r.e1b) and their numbers in the last option.
    cep: u32,
    told_cep: u32,
    bytes: [u32; 3],
    told_bytes: [u32; 3],
    /// The ECN field of the last packet.
    previous: Ecn,
    /// The ECN field of the SYN-ACK, until a segment other than a pure ACK has left.
    syn_ack: Option<Ecn>,
    /// Number of segments that still carry an option without a change: the ACK of the SYN-ACK and the first data.
    tests: u8,
    /// The segments that carry an option.
    usage: AccEcnOptions,
    /// Whether a peer that has sent no option receives none, as in Linux.
    mutual: bool,
    /// Whether the rules of the handshake are those of FreeBSD.
    freebsd: bool,
    /// Whether the peer has sent an option.
    seen: bool,
    /// The duplicate reported together with the last option, and whether that duplicate arrived again, which means that
    /// the ACK with the option was lost (RFC 9768 section 3.2.3.2.2).
    told_duplicate: Option<(u64, u64)>,
    blocked: bool,
    /// Whether a SYN-ACK was sent with an option. A retransmission has none, because the option may have caused the
    /// loss (RFC 9768 section 3.2.3.2.2).
    syn_ack_tested: bool,
    /// Counters of the sender: the peer's counters (s.cep, s.e0b, s.ceb, s.e1b).
    peer_cep: u32,
    peer_bytes: [u32; 3],
    /// Totals, from the peer's options, of bytes that arrived with ECT(0), CE and ECT(1).
    pub delivered: [u64; 3],
    options: Options,
    /// State of Linux's estimate of marks, and of the rule by which Linux demands an option.
    estimate: linux::Estimate,
    demand: linux::Demand,
    /// Whether feedback must be ignored (RFC 9768 section 3.2.2.1, note 1).
    disabled: bool,
    /// Whether the path may change the ECN field of the handshake without consequences.
    pub trusting: bool,
    /// Whether the peer has reported our SYN-ACK as marked, and is believed.
    pub marked_answer: bool,
}

impl super::Endpoint {
    /// Sets the segments that carry the option of Accurate ECN from now on (Linux `tcp_ecn_option`).
    pub fn set_accecn_options(&mut self, options: AccEcnOptions) {
        self.cold.acc.usage = options;
    }

    /// Goes on with ECN-capable packets if the path changes the ECN field of the handshake (Linux `tcp_ecn_fallback` = 0).
    pub fn trust_ecn_fields(&mut self) {
        self.cold.acc.trusting = true;
    }
}

impl AccEcn {
    pub fn new(config: &Config) -> AccEcn {
        AccEcn {
            cep: FIRST_CEP,
            told_cep: FIRST_CEP,
            bytes: FIRST_BYTES,
            told_bytes: FIRST_BYTES,
            previous: Ecn::NotEct,
            demand: linux::Demand::default(),
            syn_ack: None,
            tests: 0,
            usage: config.accecn_options,
            mutual: config.conformance == Conformance::Linux,
            freebsd: config.conformance == Conformance::FreeBsd,
            seen: false,
            told_duplicate: None,
            blocked: false,
            syn_ack_tested: false,
            peer_cep: FIRST_CEP,
            peer_bytes: FIRST_BYTES,
            delivered: [0; 3],
            options: Options::Unknown,
            estimate: linux::Estimate::default(),
            disabled: false,
            trusting: false,
            marked_answer: false,
        }
    }

    /// Starts AccECN as the client, after the SYN-ACK agreed to it.
    pub fn start_client(&mut self, syn_ack: &Segment) {
        self.on_syn_ack(syn_ack.ecn);
        self.tests = 2;
        self.test_option(syn_ack.accecn().as_ref());
        if self.seen {
            self.demand.raise(2);
        }
    }

    /// Processes a SYN-ACK, perhaps a retransmission: its mark counts once (RFC 9768 section 3.2.2.2).
    pub fn on_syn_ack(&mut self, field: Ecn) {
        self.syn_ack = Some(field);
        if field == Ecn::Ce && self.cep == FIRST_CEP {
            self.cep += 1;
        }
    }

    /// Processes a SYN that asks for AccECN. FreeBSD counts its mark (sys/netinet/tcp_ecn.c, tcp_ecn_syncache_socket); in
    /// RFC 9768 the SYN-ACK tells of it alone.
    pub fn on_syn(&mut self, field: Ecn) {
        self.previous = field;
        if self.freebsd && field == Ecn::Ce && self.cep == FIRST_CEP {
            self.cep += 1;
        }
    }

    /// Takes the mark of our SYN as counted by the server, if the flags of its SYN-ACK tell of one (FreeBSD
    /// sys/netinet/tcp_ecn.c, tcp_ecn_input_syn_sent).
    pub fn expect_marked_syn(&mut self, answer: u8) {
        self.peer_cep += u32::from(answer == reflected(Ecn::Ce));
    }

    /// Processes the first segment in SYN-RECEIVED. Returns whether the path changes the ECN field; our SYN-ACK was not
    /// ECN-capable.
    pub fn start_server(&mut self, segment: &Segment, ace: u8) -> bool {
        self.test_option(segment.accecn().as_ref());
        self.tests = 1;
        self.demand.raise(1);
        if !AccEcn::is_handshake(segment) {
            return false;
        }
        if self.freebsd {
            // sys/netinet/tcp_ecn.c, tcp_ecn_input_segment
            self.peer_cep = FIRST_CEP + u32::from(ace == reflected(Ecn::Ce));
            return false;
        }
        // Table 4.
        match ace {
            0b000 => self.disabled = true,
            0b110 => {
                self.peer_cep = FIRST_CEP + 1;
                self.marked_answer = self.trusting;
            }
            _ => {}
        }
        ace == 0b000 || matches!(ace, 0b011 | 0b100 | 0b110) && !self.trusting
    }

    /// Whether a segment in SYN-RECEIVED reports the ECN field of the SYN-ACK, rather than the counter.
    pub fn is_handshake(segment: &Segment) -> bool {
        segment.len == 0 && segment.sack_count == 0 && !segment.flags.has(Flags::FIN)
    }

    /// Checks the option of the first segment that may carry one (RFC 9768 sections 3.2.3.2.3 and 3.2.3.2.4).
    fn test_option(&mut self, option: Option<&AccEcnOption>) {
        self.seen |= option.is_some();
        self.options = match option {
            Some(option) if fields(option)[0] != Some(0) && fields(option)[2] != Some(0) => Options::Work,
            _ => Options::Ignored,
        };
    }

    /// Processes a packet that is not a SYN. Returns whether an ACK is due at once (RFC 9768 section 3.2.2.5.1).
    pub fn on_arrival(&mut self, segment: &Segment, unacked: bool) -> bool {
        let marked = segment.ecn == Ecn::Ce;
        let previous = std::mem::replace(&mut self.previous, segment.ecn);
        self.cep += if marked { segment.segments() } else { 0 };
        let counter = match segment.ecn {
            Ecn::NotEct => None,
            Ecn::Ect0 => Some(0),
            Ecn::Ce => Some(1),
            Ecn::Ect1 => Some(2),
        };
        let before = counter.map_or(0, |counter| self.bytes[counter]);
        let after = (before + segment.len) % WRAP;
        if let Some(counter) = counter {
            self.bytes[counter] = after;
        }
        let untold = self.cep - self.told_cep;
        if self.mutual {
            let edge = previous != segment.ecn;
            self.demand.on_arrival(edge || marked, before ^ after);
            return segment.len > 0 && (edge || untold >= linux::MOST_UNTOLD);
        }
        let changed = marked && previous != Ecn::Ce && segment.len > 0;
        let most = if unacked { 2 } else { 3 };
        changed || marked && untold >= most
    }

    /// Whether the ACK of the SYN-ACK is still to be sent, which must carry no data (RFC 9768 section 3.2.2.1).
    pub fn awaits_pure_ack(&self) -> bool {
        self.syn_ack.is_some()
    }

    /// The ACE field of an outgoing segment: on the pure ACK of the SYN-ACK its ECN field, else the number of marked
    /// packets.
    pub fn ace(&mut self, segment: &Segment) -> u8 {
        self.told_cep = self.cep;
        match self.syn_ack.take() {
            Some(field) if segment.len == 0 && segment.sack_count == 0 => reflected(field),
            _ => (self.cep & 7) as u8,
        }
    }

    /// Tells the time and the smoothed round-trip time before a segment is made.
    pub fn tell_time(&mut self, now: Nanos, srtt: Option<Nanos>) {
        self.demand.tell_time(now, srtt);
    }

    /// The option that a segment should carry. It is sent when a counter has changed since the last option, with every
    /// counter that ever changed (RFC 9768 section 3.2.3.3), or always with all counters, as in Linux.
    pub fn option(&self) -> Option<AccEcnOption> {
        let always = match self.usage {
            AccEcnOptions::Never => return None,
            AccEcnOptions::Changes => false,
            AccEcnOptions::Minimum | AccEcnOptions::Always | AccEcnOptions::Persistent => true,
        };
        if self.mutual && !self.seen || self.blocked {
            return None;
        }
        if self.usage == AccEcnOptions::Minimum && !self.demand.is_due() {
            return None;
        }
        if always || self.tests > 0 {
            return Some(self.full_option());
        }
        if self.bytes == self.told_bytes {
            return None;
        }
        let changed = [0, 1, 2].map(|counter| self.bytes[counter] != FIRST_BYTES[counter]);
        let order1 = changed[2] && !changed[0];
        let order = if order1 { [2, 1, 0] } else { [0, 1, 2] };
        let count = order.iter().rposition(|&counter| changed[counter]).map_or(1, |last| last as u8 + 1);
        Some(AccEcnOption { order1, count, counters: order.map(|counter| self.bytes[counter]) })
    }

    /// Number of counters of the option, from its start, that hold every change since the last option.
    pub fn needed(&self, option: &AccEcnOption) -> u8 {
        let order = if option.order1 { [2, 1, 0] } else { [0, 1, 2] };
        order
            .iter()
            .rposition(|&counter| self.bytes[counter] != self.told_bytes[counter])
            .map_or(1, |last| last as u8 + 1)
    }

    /// The option of a SYN-ACK.
    pub fn syn_ack_option(&mut self) -> Option<AccEcnOption> {
        let again = std::mem::replace(&mut self.syn_ack_tested, true);
        (!again && self.usage != AccEcnOptions::Never).then(|| self.full_option())
    }

    /// Records that the next segment reports a duplicate. If the last option went with the same duplicate, options are
    /// lost.
    pub fn on_duplicate(&mut self, block: (u64, u64)) {
        self.blocked |= self.told_duplicate == Some(block) && self.usage != AccEcnOptions::Persistent;
    }

    /// The option with all counters, for segments that test the path.
    fn full_option(&self) -> AccEcnOption {
        let [e0b, ceb, e1b] = self.bytes;
        AccEcnOption { order1: true, count: 3, counters: [e1b, ceb, e0b] }
    }

    /// Records that an option was sent with a segment that reports `duplicate`.
    pub fn on_option_sent(&mut self, with_data: bool, duplicate: Option<(u64, u64)>) {
        self.told_bytes = self.bytes;
        self.demand.on_option_sent();
        self.told_duplicate = duplicate;
        // The ACK of the SYN-ACK is the first test; after it only data is a test.
        self.tests = if with_data { 0 } else { self.tests.min(1) };
    }

    /// The increase of the peer's counter of marked packets by its last three bits, and the largest increase that is
    /// possible with `acked` packets (RFC 9768 appendix A.2.1).
    fn increases(&self, ace: u8, acked: u64) -> (u32, u32) {
        let packets = u32::from(ace).wrapping_sub(self.peer_cep) & 7;
        let excess = acked.saturating_sub(u64::from(packets));
        (packets, packets + u32::try_from(excess / 8 * 8).unwrap_or(0))
    }

    /// Processes the feedback of an acknowledgment with `news`, in segments of `mss` bytes.
    pub fn decode(&mut self, segment: &Segment, ace: u8, news: &News, mss: u64) -> Feedback {
        if self.mutual {
            return self.decode_as_linux(segment, ace, news, mss);
        }
        let (mut packets, safer) = self.increases(ace, news.packets);
        let certain = news.packets < 8;
        let marked = self.marked_bytes(segment);
        let mut feedback = Feedback::default();
        match marked {
            Some(bytes) => {
                // Marked segments are at most of the MSS, and on average not below half of it (appendix A.2.2).
                let bytes = u64::from(bytes);
                let enough = bytes <= u64::from(packets) * mss && bytes < u64::from(safer) * mss / SAFETY_FACTOR;
                packets = if enough { packets } else { safer };
                feedback.bytes = bytes;
                feedback.mangled = bytes > 0 && packets == 0 && certain;
            }
            None => {
                packets = safer;
                feedback.bytes = (u64::from(packets) * mss).min(news.bytes);
            }
        }
        self.peer_cep = self.peer_cep.wrapping_add(packets);
        if self.disabled {
            return Feedback::default();
        }
        feedback.packets = packets;
        feedback
    }

    /// Payload bytes newly reported as marked; `None` where no option reports them.
    fn marked_bytes(&mut self, segment: &Segment) -> Option<u32> {
        let option = segment.accecn()?;
        if self.options == Options::Ignored {
            // An option that arrives shows that options are no longer blocked (section 3.2.3.2.3).
            self.test_option(Some(&option));
        }
        if self.options != Options::Work {
            return None;
        }
        let mut marked = None;
        for (counter, field) in fields(&option).into_iter().enumerate() {
            let Some(field) = field else { continue };
            let grown = field.wrapping_sub(self.peer_bytes[counter]) % WRAP;
            if grown >= WRAP / 2 {
                // The acknowledgment is old.
                continue;
            }
            self.peer_bytes[counter] = field % WRAP;
            self.delivered[counter] += u64::from(grown);
            if counter == 1 {
                marked = Some(grown);
            }
        }
        marked
    }
}

/// The fields of an option in the order ECT(0), CE, ECT(1); missing fields are `None`.
fn fields(option: &AccEcnOption) -> [Option<u32>; 3] {
    let field = |place: usize| (place < usize::from(option.count.min(3))).then(|| option.counters[place]);
    if option.order1 { [field(2), field(1), field(0)] } else { [field(0), field(1), field(2)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    fn rfc() -> &'static crate::stack::Stack {
        crate::stack::by_name("rfc").unwrap()
    }

    fn decode(ace: u8, acked: u64, option: Option<[u32; 3]>) -> Feedback {
        let mut acc = AccEcn::new(&(rfc().config)());
        acc.options = Options::Work;
        let mut ack = Segment::new(Flags::ACK);
        ack.set_accecn(option.map(|counters| AccEcnOption { order1: false, count: 3, counters }));
        acc.decode(&ack, ace, &news(acked), MSS)
    }

    /// An acknowledgment of `bytes` in segments of [`MSS`].
    fn news(bytes: u64) -> News {
        News { packets: bytes / MSS, bytes, exact: true, sent: 0 }
    }

    /// RFC 9768 section 3.2.2.5.2 and appendix A.2: the counter may have wrapped, which the option confirms or refutes.
    #[test]
    fn many_segments_at_once_are_taken_as_the_worst_unless_the_option_tells() {
        assert_eq!(decode(6, 7 * MSS, None), Feedback { packets: 1, bytes: 1000, mangled: false });
        assert_eq!(decode(6, 12 * MSS, None), Feedback { packets: 9, bytes: 9000, mangled: false });
        assert_eq!(decode(6, 12 * MSS, Some([11_001, 1000, 1])), Feedback { packets: 1, bytes: 1000, mangled: false });
        assert_eq!(decode(6, 12 * MSS, Some([3001, 9000, 1])), Feedback { packets: 9, bytes: 9000, mangled: false });
        assert_eq!(decode(5, 12 * MSS, None).packets, 8);
        assert_eq!(decode(5, 7 * MSS, None), Feedback::default());
        assert_eq!(decode(5, MSS, Some([1, 1000, 1])), Feedback { packets: 0, bytes: 1000, mangled: true });
    }

    /// The examples of RFC 9768 appendix A.2.2, with segments of 1460 bytes.
    #[test]
    fn marked_bytes_say_whether_the_counter_has_wrapped() {
        for (least, acked, marked, packets) in [(0, 8, 1460, 8), (2, 10, 1460, 2), (7, 15, 10_200, 7)] {
            let mut acc = AccEcn::new(&(rfc().config)());
            acc.options = Options::Work;
            let mut ack = Segment::new(Flags::ACK);
            ack.set_accecn(Some(AccEcnOption { order1: false, count: 2, counters: [1, marked, 0] }));
            let news = News { packets: acked, bytes: acked * 1460, exact: true, sent: 0 };
            assert_eq!(acc.decode(&ack, (5 + least) & 7, &news, 1460).packets, packets, "{least}");
        }
    }

    #[test]
    fn bytes_told_add_up_over_wraps() {
        let mut acc = AccEcn::new(&(rfc().config)());
        acc.options = Options::Work;
        let mut ack = Segment::new(Flags::ACK);
        for told in [WRAP / 3, WRAP / 3 * 2, 50] {
            ack.set_accecn(Some(AccEcnOption { order1: false, count: 2, counters: [told, 0, 0] }));
            acc.decode(&ack, 5, &news(MSS), MSS);
        }
        assert_eq!(acc.delivered, [u64::from(WRAP) + 49, 0, 0]);
    }

    #[test]
    fn counters_of_the_option_wrap_and_old_ones_are_left_alone() {
        let mut acc = AccEcn::new(&(rfc().config)());
        acc.options = Options::Work;
        acc.peer_bytes = [WRAP - 100, 0, 1];
        let mut ack = Segment::new(Flags::ACK);
        ack.set_accecn(Some(AccEcnOption { order1: true, count: 3, counters: [1, 0, 400] }));
        acc.decode(&ack, 5, &news(MSS), MSS);
        assert_eq!(acc.peer_bytes[0], 400);
        ack.set_accecn(Some(AccEcnOption { order1: true, count: 3, counters: [1, 0, 200] }));
        acc.decode(&ack, 5, &news(MSS), MSS);
        assert_eq!(acc.peer_bytes[0], 400);
    }
}
