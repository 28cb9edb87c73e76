//! Parses packets: TCP with its options, UDP and ICMP.

use super::{Parsed, Parser};
use crate::ast::{AccEcnField, Body, EcnField, Icmp, Ip, Packet, Tcp, TcpOption};
use crate::lexer::{Kind, SyntaxError, is_fast_open};
use ackclock_tcp::Flags;

const U8: u32 = u8::MAX as u32;
const U16: u32 = u16::MAX as u32;
/// Words that name a field of an IP header.
const IP_FIELDS: &str = "noecn, ect0, ect1, ect01, ce, tos, class, dscp, ttl, hlim or flowlabel";

impl Parser {
    pub(super) fn packet(&mut self) -> Parsed<Packet> {
        let inbound = self.is('<');
        self.next += 1;
        let mut beyond = self.tunnels()?;
        let quoted = self.quoted()?;
        let ip = self.ip()?;
        let udp = self.eat_word("udp");
        let ports = self.ports()?;
        let body = if udp {
            self.expect('(')?;
            let len = self.integer("the UDP payload", U16)?;
            self.expect(')')?;
            Body::Udp(len)
        } else if self.eat_word("icmp") {
            let mut icmp = self.icmp()?;
            icmp.echoed = icmp.echoed.or(quoted);
            Body::Icmp(icmp)
        } else if quoted.is_some() {
            return Err(self.unexpected("icmp after the segment that it quotes"));
        } else {
            Body::Tcp(self.tcp(inbound)?)
        };
        let outer = if self.eat('/') { Some(self.encapsulation()?) } else { None };
        if self.eat('{') {
            while !self.eat('}') {
                if self.peek().is_none() {
                    return Err(self.unexpected("'}'"));
                }
                self.next += 1;
            }
            beyond = Some("mutated packets");
        }
        Ok(Packet { inbound, ip, ports, udp: outer, body, beyond })
    }

    /// Parses `udp(1 > 9899)` after a TCP packet.
    fn encapsulation(&mut self) -> Parsed<(u16, u16)> {
        if !self.eat_word("udp") {
            return Err(self.unexpected("udp(SOURCE > DESTINATION)"));
        }
        self.expect('(')?;
        let ports = self.ports()?.ok_or_else(|| self.unexpected("SOURCE > DESTINATION"))?;
        self.expect(')')?;
        Ok(ports)
    }

    /// Parses outer headers, each up to its colon.
    fn tunnels(&mut self) -> Parsed<Option<&'static str>> {
        let mut found = None;
        loop {
            let name = match self.peek() {
                Some(Kind::Word(word)) => match word.as_str() {
                    "ipv4" => "packets with IPv4 headers of their own",
                    "ipv6" => "packets with IPv6 headers of their own",
                    "gre" | "GREv0" => "GRE",
                    "mpls" => "MPLS",
                    "psp" => "PSP",
                    _ => return Ok(found),
                },
                _ => return Ok(found),
            };
            found = Some(name);
            while !self.eat(':') {
                if self.peek().is_none() {
                    return Err(self.unexpected("':' after an outer header"));
                }
                self.next += 1;
            }
        }
    }

    /// Parses `[1:1001(1000)]` before `icmp`, as in FreeBSD's older scripts: the segment that the message quotes.
    fn quoted(&mut self) -> Parsed<Option<(u32, u32)>> {
        if !self.is('[') || !matches!(self.peek_after(1), Some(Kind::Int(_))) {
            return Ok(None);
        }
        self.next += 1;
        let segment = self.sequence()?;
        self.expect(']')?;
        Ok(Some(segment))
    }

    /// Parses `[ect0]`, `(tos 0x2, flowlabel 0x1)`, `(dscp EF, ecn ect0)` or `[ttl 5]`.
    fn ip(&mut self) -> Parsed<Ip> {
        let mut ip = Ip::default();
        let close = match self.peek() {
            Some(Kind::Punct('[')) => ']',
            Some(Kind::Punct('(')) => ')',
            _ => return Ok(ip),
        };
        self.next += 1;
        loop {
            let at = self.at();
            self.eat_word("ecn");
            match self.word(IP_FIELDS)?.as_str() {
                "noecn" => ip.ecn = Some(EcnField::Is(0)),
                "ect1" => ip.ecn = Some(EcnField::Is(1)),
                "ect0" => ip.ecn = Some(EcnField::Is(2)),
                "ce" => ip.ecn = Some(EcnField::Is(3)),
                "ect01" => ip.ecn = Some(EcnField::Capable),
                "tos" | "class" => ip.tos = Some(self.integer("tos", U8)? as u8),
                "dscp" => ip.dscp = Some(self.dscp()?),
                "ttl" | "hlim" => ip.ttl = Some(self.integer("ttl", U8)? as u8),
                "flowlabel" => ip.flow_label = Some(self.integer("flowlabel", 0xf_ffff)?),
                other => {
                    return Err(SyntaxError::new(at, format!("expected {IP_FIELDS}, found {other}")));
                }
            }
            if self.eat(close) {
                return Ok(ip);
            }
            self.expect(',')?;
        }
    }

    /// Parses a DSCP: a number or the name of a class (RFC 2474, RFC 2597, RFC 3246, RFC 5865, RFC 8622).
    fn dscp(&mut self) -> Parsed<u8> {
        let at = self.at();
        let Some(Kind::Word(name)) = self.peek() else { return Ok(self.integer("dscp", 63)? as u8) };
        let name = name.clone();
        self.next += 1;
        let digits: Vec<u8> = name.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        let class = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match (class, digits.as_slice()) {
            ("CS", &[class @ 0..=7]) => Ok(8 * class),
            ("AF", &[class @ 1..=4, drop @ 1..=3]) => Ok(8 * class + 2 * drop),
            ("EF", []) => Ok(46),
            ("VOICE_ADMIT" | "VA", []) => Ok(44),
            ("LE", []) => Ok(1),
            _ => Err(SyntaxError::new(
                at,
                format!("{name} is no DSCP: expected 0 to 63, CS0 to CS7, AF11 to AF43, EF, VA or LE"),
            )),
        }
    }

    /// Parses `8080 > 9090`.
    fn ports(&mut self) -> Parsed<Option<(u16, u16)>> {
        if !matches!(self.peek(), Some(Kind::Int(_))) || self.peek_after(1) != Some(&Kind::Punct('>')) {
            return Ok(None);
        }
        let source = self.integer("the source port", U16)? as u16;
        self.expect('>')?;
        let destination = self.integer("the destination port", U16)? as u16;
        self.eat(':');
        Ok(Some((source, destination)))
    }

    fn icmp(&mut self) -> Parsed<Icmp> {
        let kind = self.word("an ICMP type such as unreachable")?;
        let mut code = None;
        if !self.is_word("mtu") && !self.is_word("id") && matches!(self.peek(), Some(Kind::Word(_))) {
            code = Some(self.word("an ICMP code")?);
        }
        let mtu = if self.eat_word("mtu") { Some(self.integer("mtu", u32::MAX)?) } else { None };
        if self.eat_word("id") {
            self.integer("id", U16)?;
        }
        let (mut echoed, mut foreign) = (None, false);
        if self.eat('[') {
            if self.eat_word("udp") || self.eat_word("raw") {
                self.expect('(')?;
                self.integer("the payload", U16)?;
                self.expect(')')?;
                foreign = true;
            } else {
                self.eat_word("tcp");
                echoed = Some(self.sequence()?);
            }
            self.expect(']')?;
        }
        Ok(Icmp { kind, code, mtu, echoed, foreign })
    }

    fn tcp(&mut self, inbound: bool) -> Parsed<Tcp> {
        let (flags, ace) = self.flags()?;
        let at = self.at();
        let any_seq = self.peek() == Some(&Kind::Ellipsis);
        let (seq, len) = if any_seq { (0, self.length_alone()?) } else { self.sequence()? };
        if inbound && any_seq {
            return Err(SyntaxError::new(at, "...(n) is accepted only in a packet that leaves"));
        }
        let absolute = !any_seq && self.eat('!');
        let ack = if self.eat_word("ack") { self.sequence_number("ack")? } else { 0 };
        let window = if self.eat_word("win") { Some(self.integer("win", U16)? as u16) } else { None };
        let urgent = if self.eat_word("urg") { self.integer("urg", U16)? as u16 } else { 0 };
        let at = self.at();
        let options = if self.eat('<') { self.options()? } else { Some(Vec::new()) };
        if inbound && options.is_none() {
            return Err(SyntaxError::new(at, "<...> is accepted only in a packet that leaves"));
        }
        let any = |option: &TcpOption| matches!(option, TcpOption::Timestamps { val: None, .. });
        if inbound && options.iter().flatten().any(any) {
            return Err(SyntaxError::new(at, "TS val ... is accepted only in a packet that leaves"));
        }
        Ok(Tcp { flags, ace, seq, absolute, any_seq, len, ack, window, urgent, options })
    }

    /// Parses `S`, `.`, `FP.`, `SEWA`, `-` for no flags, and a digit for the ACE field of Accurate ECN.
    fn flags(&mut self) -> Parsed<(u16, Option<u8>)> {
        let at = self.at();
        let mut text = String::new();
        loop {
            let part = match self.peek() {
                // In packetdrill's grammar, a space may separate letters from the point.
                Some(Kind::Punct('.')) if !text.is_empty() && !text.contains('.') => ".".to_owned(),
                _ if !text.is_empty() && !self.joined() => break,
                Some(Kind::Word(word)) => word.clone(),
                // A digit of the ACE field may come first.
                Some(Kind::Int(digit)) if text.is_empty() => digit.to_string(),
                Some(Kind::Punct('.')) => ".".to_owned(),
                Some(Kind::Punct('-')) if text.is_empty() => "-".to_owned(),
                Some(Kind::Float(float)) if float.starts_with('.') => float.clone(),
                _ => break,
            };
            self.next += 1;
            text.push_str(&part);
        }
        if text.is_empty() {
            return Err(self.unexpected("TCP flags (F, S, R, P, '.', U, E, W, A or '-')"));
        }
        let (mut flags, mut ace) = (0, None);
        for c in text.chars() {
            flags |= match c {
                'F' => Flags::FIN.0,
                'S' => Flags::SYN.0,
                'R' => Flags::RST.0,
                'P' => Flags::PSH.0,
                '.' => Flags::ACK.0,
                'U' => Flags::URG.0,
                'E' => Flags::ECE.0,
                'W' => Flags::CWR.0,
                'A' => Flags::AE.0,
                '-' if text.len() == 1 => 0,
                '0'..='7' if ace.is_none() => {
                    let value = c as u8 - b'0';
                    ace = Some(value);
                    ace_flags(value)
                }
                _ => {
                    let message =
                        format!("{text} are no TCP flags: expected F, S, R, P, '.', U, E, W, A, 0 to 7 or '-'");
                    return Err(SyntaxError::new(at, message));
                }
            };
        }
        Ok((flags, ace))
    }

    /// Parses `1:1001(1000)`, or `-1:0(1)` and `1+65536:65537(0)`.
    fn sequence(&mut self) -> Parsed<(u32, u32)> {
        let at = self.at();
        let start = self.sequence_number("the first sequence number")?;
        self.expect(':')?;
        let end = self.sequence_number("the sequence number after the last")?;
        self.expect('(')?;
        let len = self.integer("the payload", u32::MAX)?;
        self.expect(')')?;
        if start.wrapping_add(len) != end {
            return Err(SyntaxError::new(at, format!("{start}:{end}({len}): the payload is not what lies between")));
        }
        Ok((start, len))
    }

    /// Parses `...(100)`, the payload of a segment with any sequence number.
    fn length_alone(&mut self) -> Parsed<u32> {
        self.next += 1;
        self.expect('(')?;
        let len = self.integer("the payload", u32::MAX)?;
        self.expect(')')?;
        Ok(len)
    }

    /// Parses options up to `>`; `None` for `<...>`.
    fn options(&mut self) -> Parsed<Option<Vec<TcpOption>>> {
        if self.peek() == Some(&Kind::Ellipsis) {
            self.next += 1;
            self.expect('>')?;
            return Ok(None);
        }
        let mut options = Vec::new();
        if self.eat('>') {
            return Ok(Some(options));
        }
        loop {
            options.push(self.option()?);
            if self.eat('>') {
                return Ok(Some(options));
            }
            if !self.eat(',') {
                return Err(self.unexpected("',' or '>' after a TCP option"));
            }
        }
    }

    fn option(&mut self) -> Parsed<TcpOption> {
        let at = self.at();
        let name = self.word("a TCP option")?;
        Ok(match name.as_str() {
            "nop" => TcpOption::Nop,
            "eol" => TcpOption::Eol,
            "mss" => TcpOption::Mss(self.integer("mss", U16)? as u16),
            "wscale" => TcpOption::WindowScale(self.integer("wscale", U8)? as u8),
            "sackOK" => TcpOption::SackPermitted,
            "sack" => {
                let mut blocks = Vec::new();
                while matches!(self.peek(), Some(Kind::Int(_))) {
                    let start = self.sequence_number("the start of a SACK block")?;
                    self.expect(':')?;
                    blocks.push((start, self.sequence_number("the end of a SACK block")?));
                }
                if blocks.is_empty() || blocks.len() > 4 {
                    return Err(SyntaxError::new(at, "sack has one to four blocks such as 1001:2001"));
                }
                TcpOption::Sack(blocks)
            }
            "TS" => {
                if !self.eat_word("val") {
                    return Err(self.unexpected("val"));
                }
                let any = self.peek() == Some(&Kind::Ellipsis);
                self.next += usize::from(any);
                let val = if any { None } else { Some(self.integer("val", u32::MAX)?) };
                if !self.eat_word("ecr") {
                    return Err(self.unexpected("ecr"));
                }
                TcpOption::Timestamps { val, ecr: self.integer("ecr", u32::MAX)? }
            }
            "ECN" | "accecn" | "AccECN" => self.accecn()?,
            name if is_fast_open(name) => self.fast_open(name == "FOEXP")?,
            "md5" | "MD5" => {
                self.blob("MD5 signatures");
                TcpOption::Md5
            }
            "exp_smc" | "smc" => self.blob("SMC"),
            "mp_capable" | "mp_join" | "dss" | "add_address" | "mp_fail" | "mp_fastclose" | "mp_prio" => {
                self.blob("MPTCP")
            }
            other => {
                let message = format!(
                    "{other} is no TCP option: expected nop, eol, mss, wscale, sackOK, sack, TS, ECN, FO, FOEXP or md5"
                );
                return Err(SyntaxError::new(at, message));
            }
        })
    }

    /// Parses `ECN e1b 1 ceb 0 e0b 1`: up to three counters, in the order on the wire.
    fn accecn(&mut self) -> Parsed<TcpOption> {
        let at = self.at();
        let mut counters = Vec::new();
        while let Some(Kind::Word(word)) = self.peek() {
            let field = match word.as_str() {
                "e0b" => AccEcnField::E0b,
                "ceb" => AccEcnField::Ceb,
                "e1b" => AccEcnField::E1b,
                _ => break,
            };
            self.next += 1;
            self.eat('=');
            counters.push((field, self.integer("a counter of 24 bits", 0xff_ffff)?));
        }
        let order: Vec<AccEcnField> = counters.iter().map(|&(field, _)| field).collect();
        use AccEcnField::{Ceb, E0b, E1b};
        if ![E0b, Ceb, E1b].starts_with(&order) && ![E1b, Ceb, E0b].starts_with(&order) {
            let message = "the AccECN option counts e0b, ceb, e1b or e1b, ceb, e0b, or fewer from the start of these";
            return Err(SyntaxError::new(at, message));
        }
        Ok(TcpOption::AccEcn(counters))
    }

    /// Parses the cookie of a Fast Open option: up to 38 bytes in hexadecimal digits, or none.
    fn fast_open(&mut self, experimental: bool) -> Parsed<TcpOption> {
        let at = self.at();
        let Some(Kind::Word(digits)) = self.peek() else {
            return Ok(TcpOption::FastOpen { cookie: Vec::new(), experimental });
        };
        let pairs = digits.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let cookie: Option<Vec<u8>> = pairs.map(byte).collect();
        let whole = digits.len().is_multiple_of(2) && digits.len() <= 2 * 38;
        let Some(cookie) = cookie.filter(|_| whole) else {
            return Err(SyntaxError::new(at, format!("{digits} is no cookie: expected 1 to 38 bytes such as 0a1b")));
        };
        self.next += 1;
        Ok(TcpOption::FastOpen { cookie, experimental })
    }

    /// Skips the rest of an option that is not supported.
    fn blob(&mut self, name: &'static str) -> TcpOption {
        while !matches!(self.peek(), None | Some(Kind::Punct(',' | '>'))) {
            self.next += 1;
        }
        TcpOption::Other(name)
    }
}

/// The three flags that form an ACE field (RFC 9768 section 3.2.2).
fn ace_flags(ace: u8) -> u16 {
    let bit = |value: u8, flag: Flags| if ace & value != 0 { flag.0 } else { 0 };
    bit(4, Flags::AE) | bit(2, Flags::CWR) | bit(1, Flags::ECE)
}
