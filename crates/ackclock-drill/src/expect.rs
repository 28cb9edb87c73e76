//! Comparison of sent packets with those that a script expects.
//!
//! Scripts were written for a kernel that hands large packets to the device, which splits them. The endpoint splits
//! packets itself, so one expected packet may match a run of contiguous segments. These have the same flags,
//! acknowledgment and ECN field, with FIN and PSH only on the last. The kernel sets PSH on every packet of several
//! segments, so PSH is not compared there. The order and padding of options are not part of [`ackclock_tcp::Segment`]
//! and are not compared.

use crate::ast::{EcnField, Packet, Tcp, TcpOption};
use crate::machine::Sent;
use crate::settings::Settings;
use crate::show;
use crate::wire::Numbers;
use ackclock_tcp::Flags;

/// Flags that only the last or only the first segment of a run carries.
const EDGES: u16 = Flags::PSH.0 | Flags::FIN.0 | Flags::CWR.0;

/// Whether `next` continues the packet whose latest segment is `last`.
pub fn continues(last: &Sent, next: &Sent) -> bool {
    let (before, after) = (&last.tcp, &next.tcp);
    before.len > 0
        && after.len > 0
        && after.seq == before.seq.wrapping_add(before.len)
        && after.ack == before.ack
        && next.ecn == last.ecn
        && (after.flags & !EDGES) == (before.flags & !EDGES)
        && before.flags & Flags::FIN.0 == 0
}

/// The packet formed by a run of segments.
pub fn join(run: &[Sent]) -> Option<Sent> {
    let (first, last) = (run.first()?, run.last()?);
    let mut whole = last.clone();
    whole.at = first.at;
    whole.tcp.seq = first.tcp.seq;
    whole.tcp.len = run.iter().map(|sent| sent.tcp.len).sum();
    whole.tcp.flags |= first.tcp.flags;
    Some(whole)
}

/// Differences between the expected and the sent packet, in words; empty if there are none. `several` is whether the
/// packet was sent as several segments, and `exact` whether the order and the padding of options count.
pub fn differences(
    packet: &Packet,
    expected: &Tcp,
    sent: &Sent,
    numbers: &Numbers,
    settings: &Settings,
    (several, exact): (bool, bool),
) -> Vec<String> {
    let &Sent { ref tcp, ecn, service, hops, udp, .. } = sent;
    let mut actual = numbers.leaving(tcp);
    if expected.absolute {
        actual.seq = tcp.seq;
    }
    let mut found = Vec::new();
    let mut compare = |name: &str, expected: String, actual: String| {
        if expected != actual {
            found.push(format!("{name} {actual} instead of {expected}"));
        }
    };
    if !expected.any_seq {
        compare("sequence number", expected.seq.to_string(), actual.seq.to_string());
    }
    compare("payload", expected.len.to_string(), actual.len.to_string());
    let ignored = if several { Flags::PSH.0 } else { 0 };
    let flags = |tcp: &Tcp| show::flags(&Tcp { flags: tcp.flags & !ignored, ace: None, ..tcp.clone() });
    compare("flags", flags(expected), flags(&actual));
    compare("ack", expected.ack.to_string(), actual.ack.to_string());
    if let Some(window) = expected.window
        && sent.rounded_up != Some(window)
    {
        compare("win", window.to_string(), actual.window.unwrap_or(0).to_string());
    }
    compare("urg", expected.urgent.to_string(), actual.urgent.to_string());
    let bits = ecn;
    if let Some(expected) = packet.ip.tos {
        compare("tos", format!("{expected:#04x}"), format!("{:#04x}", service | bits));
    }
    if let Some(expected) = packet.ip.dscp {
        compare("dscp", format!("{expected:#04x}"), format!("{:#04x}", service >> 2));
    }
    if let Some(expected) = packet.ip.ttl {
        compare("ttl", expected.to_string(), hops.to_string());
    }
    compare("UDP ports", ports(packet.udp), ports(udp));
    match packet.ip.ecn {
        Some(EcnField::Is(expected)) => {
            compare("ECN field", show::ecn_name(expected).to_owned(), show::ecn_name(bits).to_owned());
        }
        Some(EcnField::Capable) if !matches!(bits, 1 | 2) => {
            compare("ECN field", "ect01".to_owned(), show::ecn_name(bits).to_owned());
        }
        _ => {}
    }
    if let Some(options) = &expected.options {
        let sent_options = actual.options.as_deref().unwrap_or_default();
        compare("options", listed(options, exact), listed(sent_options, exact));
        if settings.timestamp_tick > 0
            && let (Some(expected), Some(actual)) = (expected.timestamp(), actual.timestamp())
        {
            let off = u64::from(actual.wrapping_sub(expected).cast_signed().unsigned_abs());
            if off * settings.timestamp_tick > settings.tolerance {
                found.push(format!("TS val {actual} instead of {expected}"));
            }
        }
    }
    found
}

/// UDP ports around a packet, in words.
fn ports(udp: Option<(u16, u16)>) -> String {
    udp.map_or("of the connection".to_owned(), |(source, destination)| format!("{source} > {destination}"))
}

/// Options without padding and sorted, unless they are to be `exact`. As in packetdrill, the TSval of sent packets may
/// have any value; their TSecr is compared.
fn listed(options: &[TcpOption], exact: bool) -> String {
    let mut names: Vec<String> = options
        .iter()
        .filter(|option| exact || !matches!(option, TcpOption::Nop | TcpOption::Eol))
        .map(|option| match option {
            TcpOption::Timestamps { ecr, .. } => format!("TS ecr {ecr}"),
            option => show::option(option),
        })
        .collect();
    if !exact {
        names.sort();
    }
    format!("<{}>", names.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(seq: u32, len: u32, flags: Flags) -> Sent {
        let tcp = Tcp {
            flags: flags.with(Flags::ACK).0,
            ace: None,
            seq,
            absolute: false,
            any_seq: false,
            len,
            ack: 7,
            window: Some(1000),
            urgent: 0,
            options: Some(Vec::new()),
        };
        Sent { at: 0, flow: 0, tcp, ecn: 0, service: 0, hops: 64, udp: None, rounded_up: None }
    }

    #[test]
    fn segments_continue_a_packet_if_they_could_be_parts_of_it() {
        let first = sent(u32::MAX - 499, 1000, Flags::ACK);
        let next = sent(500, 1000, Flags::PSH.with(Flags::FIN));
        assert!(continues(&first, &next));
        assert!(!continues(&next, &sent(1500, 1000, Flags::ACK)), "no segment follows a FIN");
        let others = [
            sent(501, 1000, Flags::ACK),
            sent(0, 1000, Flags::ACK),
            sent(500, 0, Flags::ACK),
            sent(500, 1000, Flags::ECE),
            Sent { tcp: Tcp { ack: 8, ..next.tcp.clone() }, ..next.clone() },
            Sent { ecn: 2, ..next },
        ];
        for other in others {
            assert!(!continues(&first, &other), "{other:?}");
        }
    }

    #[test]
    fn a_packet_has_the_flags_of_all_its_segments() {
        let run = [sent(1, 1000, Flags::CWR), sent(1001, 500, Flags::PSH)];
        let whole = join(&run).unwrap();
        assert_eq!((whole.tcp.seq, whole.tcp.len), (1, 1500));
        assert_eq!(whole.tcp.flags, Flags::ACK.with(Flags::PSH).with(Flags::CWR).0);
        assert_eq!(join(&[]), None);
    }

    #[test]
    fn options_are_compared_in_their_order_only_if_asked() {
        let written = [TcpOption::Nop, TcpOption::Mss(1000), TcpOption::SackPermitted];
        let other = [TcpOption::SackPermitted, TcpOption::Mss(1000)];
        assert_eq!(listed(&written, false), listed(&other, false));
        assert_eq!(listed(&written, true), "<nop,mss 1000,sackOK>");
    }
}
