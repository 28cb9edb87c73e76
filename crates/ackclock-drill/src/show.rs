//! Formats packets and times like a script, for messages.

use crate::ast::{AccEcnField, EcnField, Packet, Tcp, TcpOption};
use ackclock_tcp::{Flags, Nanos};

/// Formats seconds to the microsecond, as `0.2` or `1.000004`.
pub fn time(nanos: Nanos) -> String {
    let micros = (nanos + 500) / 1000;
    let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_owned() }
}

/// `> P. 1:1001(1000) ack 1 <nop,nop,TS val 1 ecr 2>`
pub fn packet(packet: &Packet, tcp: &Tcp) -> String {
    let arrow = if packet.inbound { "<" } else { ">" };
    let ecn = match packet.ip.ecn {
        None => String::new(),
        Some(EcnField::Capable) => "[ect01] ".to_owned(),
        Some(EcnField::Is(bits)) => format!("[{}] ", ecn_name(bits)),
    };
    format!("{arrow} {ecn}{}", segment(tcp))
}

/// Name of an ECN code point.
pub fn ecn_name(bits: u8) -> &'static str {
    ["noecn", "ect1", "ect0", "ce"][usize::from(bits & 3)]
}

/// Formats a segment without its direction.
pub fn segment(tcp: &Tcp) -> String {
    let end = tcp.seq.wrapping_add(tcp.len);
    let mark = if tcp.absolute { "!" } else { "" };
    let mut text = match tcp.any_seq {
        true => format!("{} ...({})", flags(tcp), tcp.len),
        false => format!("{} {}:{end}({}){mark}", flags(tcp), tcp.seq, tcp.len),
    };
    if tcp.flags & Flags::ACK.0 != 0 {
        text += &format!(" ack {}", tcp.ack);
    }
    if let Some(window) = tcp.window {
        text += &format!(" win {window}");
    }
    match &tcp.options {
        None => text += " <...>",
        Some(options) if options.is_empty() => {}
        Some(options) => text += &format!(" <{}>", options.iter().map(option).collect::<Vec<_>>().join(",")),
    }
    text
}

/// Formats flags as letters, and an ACE field that was given as a digit as this digit.
pub fn flags(tcp: &Tcp) -> String {
    const LETTERS: [(Flags, char); 9] = [
        (Flags::SYN, 'S'),
        (Flags::FIN, 'F'),
        (Flags::RST, 'R'),
        (Flags::PSH, 'P'),
        (Flags::URG, 'U'),
        (Flags::ECE, 'E'),
        (Flags::CWR, 'W'),
        (Flags::AE, 'A'),
        (Flags::ACK, '.'),
    ];
    let shown = match tcp.ace {
        Some(_) => tcp.flags & !(Flags::ECE.0 | Flags::CWR.0 | Flags::AE.0),
        None => tcp.flags,
    };
    let mut text: String = LETTERS.iter().filter(|(flag, _)| shown & flag.0 != 0).map(|&(_, letter)| letter).collect();
    if let Some(ace) = tcp.ace {
        text.push(char::from(b'0' + ace));
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

/// Formats an option.
pub fn option(option: &TcpOption) -> String {
    match option {
        TcpOption::Nop => "nop".to_owned(),
        TcpOption::Eol => "eol".to_owned(),
        TcpOption::Mss(mss) => format!("mss {mss}"),
        TcpOption::WindowScale(shift) => format!("wscale {shift}"),
        TcpOption::SackPermitted => "sackOK".to_owned(),
        TcpOption::Sack(blocks) => {
            blocks.iter().fold("sack".to_owned(), |text, (start, end)| format!("{text} {start}:{end}"))
        }
        TcpOption::Timestamps { val, ecr } => {
            let val = val.map_or_else(|| "...".to_owned(), |val| val.to_string());
            format!("TS val {val} ecr {ecr}")
        }
        TcpOption::AccEcn(counters) => counters.iter().fold("ECN".to_owned(), |text, (field, value)| {
            let name = match field {
                AccEcnField::E0b => "e0b",
                AccEcnField::Ceb => "ceb",
                AccEcnField::E1b => "e1b",
            };
            format!("{text} {name} {value}")
        }),
        TcpOption::Md5 => "md5".to_owned(),
        TcpOption::FastOpen { cookie, experimental } => {
            let name = if *experimental { "FOEXP" } else { "FO" };
            let digits: String = cookie.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{name} {digits}").trim_end().to_owned()
        }
        TcpOption::Other(name) => (*name).to_owned(),
    }
}
