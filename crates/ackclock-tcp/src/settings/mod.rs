//! The settings of an endpoint, each declared once: [`Config`], the tables of the stacks, the lines of packetdrill
//! scripts, the fuzzer's choices and the fields of a scenario's flows follow from the list in [`settings!`](crate::settings!).

mod kinds;
mod named;

pub use kinds::{Choice, Count, Kind, SegmentsOrRfc6928, Shown, Switch, Time, Volume};
pub use named::Named;
pub(crate) use named::named;

use crate::config::Config;
pub use crate::config::SETTINGS;

/// A setting of [`Config`], for programs that go through all settings.
pub struct Setting {
    /// Name of the field in [`Config`], which is also the setting's name in scenarios and scripts.
    pub name: &'static str,
    /// Description of the setting.
    pub description: &'static str,
    pub(crate) show: fn(&Config) -> String,
    pub(crate) set: fn(&mut Config, &str) -> bool,
    pub(crate) accepts: fn() -> Option<String>,
    pub(crate) switch: fn(&mut Config) -> Option<&mut bool>,
}

impl Setting {
    /// The value in a configuration, as the tables of stacks spell it.
    pub fn show(&self, config: &Config) -> String {
        (self.show)(config)
    }

    /// The texts that [`Setting::set`] accepts, as a phrase; `None` if the setting has no value that is a single word.
    pub fn accepts(&self) -> Option<String> {
        (self.accepts)()
    }

    /// Sets the value in a configuration. Returns whether the text is accepted.
    pub fn set(&self, config: &mut Config, text: &str) -> bool {
        (self.set)(config, text)
    }

    /// The value in a configuration, if the setting is on or off.
    pub fn switch<'c>(&self, config: &'c mut Config) -> Option<&'c mut bool> {
        (self.switch)(config)
    }
}

/// The setting with a name.
pub fn by_name(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.name == name)
}

/// Sets all settings that are on or off, in the order of [`SETTINGS`], from the lowest bits of a number.
pub fn set_switches(config: &mut Config, bits: u64) {
    let mut bits = bits;
    for setting in SETTINGS {
        if let Some(switch) = setting.switch(config) {
            *switch = bits & 1 == 1;
            bits >>= 1;
        }
    }
}

/// Calls the macro `$declare` with the list of all settings. A setting is `/// Sentence.`, then `name: type = kind;`.
///
/// The settings under `scenario` are fields of a scenario's flows with this name and type; the text after a kind adds
/// to the meaning of the field's absence, which is "the stack's". The settings under `other` are not in scenarios, or
/// scenarios have their own form of them. Types and kinds are looked up where the macro is called. A new setting needs a
/// line here and its value in `stack/rfc.rs`.
#[macro_export]
macro_rules! settings {
    ($declare:ident) => {
        $declare! {
            scenario {
                /// Retransmission timeout before the first RTT sample (RFC 6298).
                initial_rto: Nanos = Time::POSITIVE;
                /// Minimum retransmission timeout.
                min_rto: Nanos = Time::POSITIVE;
                /// Maximum retransmission timeout.
                max_rto: Nanos = Time::POSITIVE;
                /// Rule that computes the retransmission timeout from the RTT samples.
                rto_rule: RtoRule = Choice;
                /// Whether the TCP timestamps option is offered (RFC 7323); it takes 12 bytes of each segment.
                timestamps: bool = Switch;
                /// Whether selective acknowledgments are offered (RFC 2018).
                sack: bool = Switch;
                /// Whether duplicate segments are reported by D-SACK (RFC 2883).
                dsack: bool = Switch;
                /// Algorithm of loss recovery, which decides what is sent during recovery and how fast.
                recovery: Recovery = Choice;
                /// A segment counts as lost after this number of duplicate ACKs, or of SACKed segments above it (RFC
                /// 5681, RFC 6675).
                dup_thresh: u32 = Count::of("segments", 1, 300);
                /// Whether observed reordering raises dup_thresh, as in Linux.
                // Once dup_thresh is raised, SACKed data counts for the window's growth as soon as it is reported
                // (Linux net/ipv4/tcp_input.c, tcp_may_raise_cwnd).
                adapt_dup_thresh: bool = Switch;
                /// Unit in which the sender counts its window.
                // A congestion control that owns the window (`cc::Scope::window`) has its own unit.
                window_unit: WindowUnit = Choice;
                /// Whether the first duplicate ACKs trigger new segments (limited transmit, RFC 3042).
                limited_transmit: bool = Switch;
                /// Whether fewer duplicate ACKs suffice while less than four segments are outstanding (early
                /// retransmit, RFC 5827).
                early_retransmit: bool = Switch;
                /// Whether losses are detected by time instead of by counting duplicate ACKs (RACK, RFC 8985).
                rack: bool = Switch;
                /// Whether a tail loss probe is sent when the last segments of a flight are not acknowledged (TLP, RFC
                /// 8985 section 7).
                tlp: bool = Switch;
                /// Whether the sender waits for two ACKs after a timeout before it marks all outstanding segments lost
                /// (F-RTO, RFC 5682).
                frto: bool = Switch;
                /// Whether a recovery is undone when D-SACKs show that it was spurious.
                dsack_undo: bool = Switch;
                /// Whether a recovery is undone when timestamps show that it was spurious (Eifel, RFC 3522 and RFC
                /// 4015).
                eifel: bool = Switch;
                /// Mode of Explicit Congestion Notification (ECN).
                ecn: EcnMode = Choice;
                /// Whether a CE mark reduces the window by less than a loss does (ABE, RFC 8511).
                abe: bool = Switch;
                /// Whether small segments are delayed while data is outstanding (Nagle, RFC 9293 section 3.7.4).
                nagle: bool = Switch;
                /// Maximum size of one write of the application: TCP sends what it can after each write, so that the
                /// end of a write can be a small segment.
                write_size: u64 = Volume::POSITIVE, ", which has no maximum";
                /// How connections begin: none is for studies that ran in ns-2, whose one-way agents have no handshake.
                handshake: Handshake = Choice;
                /// Whether data may ride on the ACK that completes the handshake. If not, that ACK is sent by itself
                /// before the first data, as after connect() and write().
                handshake_data: bool = Switch;
                /// Size of the receive buffer, which limits the advertised window.
                receive_buffer: u64 = Volume::RECEIVE_BUFFER;
                /// Maximum size to which auto-tuning may raise the receive buffer.
                // Auto-tuning is off if this equals `receive_buffer`.
                receive_buffer_max: u64 = Volume::RECEIVE_BUFFER, "; receive_buffer where that is given";
                /// Size of the send buffer, as SO_SNDBUF gives it. Linux counts the memory of the packets, and has twice
                /// this size of it; FreeBSD counts payload.
                send_buffer: u64 = Volume::POSITIVE;
                /// Maximum size to which auto-tuning may raise the send buffer.
                // Auto-tuning is off if this equals `send_buffer`.
                send_buffer_max: u64 = Volume::POSITIVE, "; send_buffer where that is given";
                /// Volume of unsent data in the send buffer from which the application has to wait (TCP_NOTSENT_LOWAT).
                notsent_lowat: u64 = Volume::POSITIVE, ", none on every stack";
                /// Maximum delay of an acknowledgment, below 500ms; with zero every segment is acknowledged at once.
                /// Linux's stacks have a rule of their own and do not use it.
                delayed_ack: Nanos = Time::OR_OFF;
                /// Number of full-sized segments after which an acknowledgment is sent at once. Linux's stacks do not use it.
                ack_every: u32 = Count::of("segments", 1, 65_535);
                /// Number of segments that are acknowledged at once at the start of a connection and after an idle
                /// period.
                quick_acks: u32 = Count::of("segments", 0, 65_535);
                /// Number of ACKs into which a misbehaving receiver divides each acknowledgment of new data (ACK division, Savage
                /// et al. 1999).
                ack_division: u32 = Count::of("ACKs", 1, 65_535);
                /// Number of duplicates that a misbehaving receiver sends after each ACK (DupACK spoofing, Savage et al. 1999).
                dupack_spoofing: u32 = Count::of("duplicates", 0, 1000);
                /// Number of full segments by which the ACKs of a misbehaving receiver run ahead of what has arrived
                /// (optimistic ACKs, Savage et al. 1999). Data that is lost then never arrives.
                optimistic_acks: u32 = Count::of("segments", 0, 65_535);
                /// Whether a misbehaving receiver hides the marks of the packets that arrive (RFC 3168 section 18).
                suppress_marks: bool = Switch;
            }
            other {
                /// Maximum segment size in bytes of payload; it is offered to the peer and limits our own segments.
                mss: u32 = Shown(|mss: &u32| format!("{mss} B"));
                /// Initial window of a connection.
                initial_window: InitialWindow = SegmentsOrRfc6928;
                /// Rule for lost SYNs that reduce the initial window to one segment.
                syn_losses: SynLosses = Shown(SynLosses::shown);
                /// Time that is added to every timeout computed from samples and to every doubled timeout (FreeBSD
                /// net.inet.tcp.rexmit_slop: 200 ms).
                rto_slop: Nanos = Time::OR_OFF;
                /// Number of SYN retransmissions before a connection attempt is given up, in addition to `syn_linear`
                /// (Linux `tcp_syn_retries`: 6).
                syn_retries: u32 = Count::of("", 0, 127);
                /// Number of SYN-ACK retransmissions before the attempt of a peer is given up (Linux `tcp_synack_retries`: 5;
                /// FreeBSD net.inet.tcp.syncache.rexmtlimit: 3).
                syn_ack_retries: u32 = Count::of("", 0, 127);
                /// Number of SYN retransmissions before the time between them doubles (Linux `tcp_syn_linear_timeouts`:
                /// 4; RFC 6298: 0).
                syn_linear: u32 = Count::of("", 0, 127);
                /// Time after which an attempt to connect is given up (FreeBSD net.inet.tcp.keepinit: 75 s); if off,
                /// only retransmissions are counted.
                connect_timeout: Nanos = Time::OR_OFF;
                /// Number of SYN retransmissions from which on the SYN carries no option except the maximum segment
                /// size (FreeBSD net.inet.tcp.rexmit_drop_options: 3); 0 for never.
                plain_syn_after: u32 = Shown(|&count: &u32| if count == 0 { "off".to_owned() } else { count.to_string() });
                /// Whether SYNs carry options and the options of the peer's SYN are used, of which the segment size always is
                /// (without them: FreeBSD TCP_NOOPT).
                syn_options: bool = Switch;
                /// Whether window scaling is offered and, if both ends offer it, used (RFC 7323).
                window_scaling: bool = Switch;
                /// Consecutive retransmission timeouts before a connection is given up (R2 of RFC 9293 section 3.8.3;
                /// Linux `tcp_retries2`: 15).
                data_retries: u32 = Count::of("", 0, 255);
                /// Whether the state after an acknowledgment decides on the growth of the window: the acknowledgment that
                /// ends a recovery grows it, and the one that begins a recovery does not.
                growth_after_state: bool = Switch;
                /// Base of a reduction of the window.
                reduction_base: ReductionBase = Choice;
                /// Whether SACK recovery sends one rescue retransmission, of the highest outstanding segment, if there
                /// is nothing else to send (RFC 6675 section 4, rule 4). RACK does not use it (RFC 8985 section 9.2).
                rescue: bool = Switch;
                /// Whether a retransmission of the first outstanding segment restarts the retransmission timer. RFC
                /// 6298 does not specify a restart; most stacks do it. With `rto_rule` linux the timer restarts in any
                /// case.
                retransmit_restarts_timer: bool = Switch;
                /// The segments that carry the option of Accurate ECN.
                accecn_options: AccEcnOptions = Choice;
                /// Packets that are ECN-capable besides new data, while ECN is in use (FreeBSD net.inet.tcp.ecn.plusplus, a
                /// patch of 2020).
                ecn_control: EcnControl = Choice;
                /// Segment that carries CWR after the window was reduced, with ECN of RFC 3168.
                cwr_rule: CwrRule = Choice;
                /// Whether a receiver with the acknowledgment rule of Linux lets duplicate ACKs wait for up to a
                /// millisecond, after three in a row, so that one ACK reports several segments (Linux tcp_comp_sack_nr,
                /// tcp_comp_sack_delay_ns).
                sack_compression: bool = Switch;
                /// Conditions of Nagle's rule, where it is on.
                nagle_rule: NagleRule = Choice;
                /// Probing of an idle connection, if any.
                keepalive: Option<Keepalive> = Shown(Keepalive::shown);
                /// Duration of TIME-WAIT: twice the maximum segment lifetime (RFC 9293 section 3.4.2).
                time_wait: Nanos = Time::OR_OFF;
                /// Time for which a connection that its application has closed stays in FIN-WAIT-2 (Linux
                /// `tcp_fin_timeout`: 60 s).
                fin_timeout: Nanos = Time::OR_OFF;
                /// Minimum time between two probes of a closed window, where the time follows from the smoothed RTT and its
                /// deviation (FreeBSD net.inet.tcp.persmin: 5 s); if off, the time is that of the retransmission timeout.
                persist_min: Nanos = Time::OR_OFF;
                /// Maximum time between two probes of a closed window with `persist_min` (FreeBSD net.inet.tcp.persmax: 60 s).
                persist_max: Nanos = Time::OR_OFF;
                /// Time for which data may go unacknowledged before the connection is given up (RFC 5482); if off,
                /// retries are counted instead.
                user_timeout: Nanos = Time::OR_OFF;
                /// Whether an end that gives up a connection for lack of acknowledgments sends a RST, so that the
                /// peer's end does not stay open.
                reset_on_give_up: bool = Switch;
                /// The window scale to offer at least; the scale is larger where the window field needs it to hold the
                /// receive buffer. `None` for the smallest scale that it needs.
                window_scale: Option<u8> = Shown(|scale: &Option<u8>| {
                    scale.map_or_else(|| "as needed".to_owned(), |scale| scale.to_string())
                });
                /// Rule for the window that is offered and accepted.
                window_rule: WindowRule = Choice;
                /// Rule for the time at which payload is acknowledged.
                ack_rule: AckRule = Choice;
                /// Treatment of unacceptable segments.
                conformance: Conformance = Choice;
                /// Minimum time between two challenge ACKs (RFC 5961 section 7; Linux `tcp_invalid_ratelimit`: 500 ms).
                challenge_interval: Nanos = Time::OR_OFF;
                /// Whether any RST in the window resets the connection, as before RFC 5961 (FreeBSD
                /// net.inet.tcp.insecure_rst).
                insecure_rst: bool = Switch;
                /// Whether a SYN in the window resets the connection, as before RFC 5961 (FreeBSD
                /// net.inet.tcp.insecure_syn).
                insecure_syn: bool = Switch;
                /// Whether a segment with both SYN and FIN is dropped (FreeBSD net.inet.tcp.drop_synfin, which spares TIME-WAIT).
                drop_synfin: bool = Switch;
                /// Whether an ICMP message that means a hard error ends an attempt to connect (FreeBSD
                /// net.inet.tcp.icmp_may_rst). Only the conformance of FreeBSD uses it.
                icmp_may_rst: bool = Switch;
                /// Whether a segment without timestamps is taken on a connection with timestamps (RFC 7323 section 3.2; FreeBSD
                /// net.inet.tcp.tolerate_missing_ts: 1).
                missing_timestamps: bool = Switch;
                /// Number of SYN retransmissions that still ask for ECN of RFC 3168 (FreeBSD
                /// net.inet.tcp.ecn.maxretries: 1).
                ecn_syn_retries: u32 = Count::of("", 0, 127);
                /// Whether TIME-WAIT ignores a RST (RFC 1337; Linux `tcp_rfc1337`).
                rfc1337: bool = Switch;
                /// Treatment of the congestion window after an idle period longer than the retransmission timeout.
                restart: Restart = Choice;
                /// Pacing of the sender's segments.
                pacing: Pacing = Shown(|&pacing: &Pacing| pacing.name().to_owned());
                /// Data that a congestion control's own pacing rate releases at once.
                pacing_burst: PacingBurst = Choice;
                /// Parameters of the path from an earlier connection, for careful resume (RFC 9959); `None` turns
                /// careful resume off.
                careful_resume: Option<careful_resume::Saved> =
                    Shown(|saved: &Option<careful_resume::Saved>| if saved.is_some() { "on" } else { "off" }.to_owned());
                /// Congestion control algorithm.
                cc: cc::Algorithm = Choice;
                /// Method of slow start.
                slow_start: &'static slow_start::Entry = Choice;
                /// Method of congestion window validation.
                validation: &'static validation::Entry = Choice;
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack;

    #[test]
    fn a_value_that_is_shown_can_be_set() {
        let mut set = 0;
        for target in stack::CATALOGUE {
            for setting in SETTINGS.iter().filter(|setting| setting.accepts().is_some()) {
                let mut config = (stack::CATALOGUE[0].config)();
                let shown = setting.show(&(target.config)());
                let text = shown.split(' ').next().expect("a value has a text");
                assert!(setting.set(&mut config, text), "{}: {text}", setting.name);
                assert_eq!(setting.show(&config), shown, "{} of {}", setting.name, target.name);
                set += 1;
            }
        }
        assert!(set > 40 * stack::CATALOGUE.len(), "{set} values");
    }

    #[test]
    fn a_text_that_is_not_accepted_changes_nothing() {
        for (name, text) in [("rack", "yes"), ("min_rto", "off"), ("dup_thresh", "301"), ("ecn", ""), ("mss", "1000")] {
            let mut config = (stack::CATALOGUE[0].config)();
            let setting = by_name(name).expect("a setting");
            let before = setting.show(&config);
            assert!(!setting.set(&mut config, text), "{name}={text}");
            assert_eq!(setting.show(&config), before);
        }
    }

    #[test]
    fn bits_set_the_switches_in_their_order() {
        let mut config = (stack::CATALOGUE[0].config)();
        set_switches(&mut config, 0b101);
        assert_eq!((config.timestamps, config.sack, config.dsack, config.rfc1337), (true, false, true, false));
        set_switches(&mut config, u64::MAX);
        assert!(SETTINGS.iter().filter_map(|setting| setting.switch(&mut config).copied()).all(|on| on));
    }
}
