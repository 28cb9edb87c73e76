//! Cookies of a server: those of Fast Open, SipHash-2-4 of addresses under the server's key, what a client remembers of
//! them, and what remains of a SYN in one of Linux's SYN cookies.

use std::net::IpAddr;

use ackclock_tcp::fast_open::{Client, FastOpen};
use ackclock_tcp::{Endpoint, Flags, Segment};

/// A server's key.
pub type Key = [u8; 16];

/// The cookie of a client as Linux makes it, from its address and the server's (net/ipv4/tcp_fastopen.c).
pub fn cookie(key: &Key, client: IpAddr, server: IpAddr) -> [u8; 8] {
    of_addresses(key, &[client, server])
}

/// The cookie of a client as FreeBSD makes it, from its address alone (sys/netinet/tcp_fastopen.c,
/// tcp_fastopen_make_cookie).
pub fn freebsd_cookie(key: &Key, client: IpAddr) -> [u8; 8] {
    of_addresses(key, &[client])
}

fn of_addresses(key: &Key, all: &[IpAddr]) -> [u8; 8] {
    let mut addresses = Vec::with_capacity(32);
    for address in all {
        match address {
            IpAddr::V4(address) => addresses.extend(address.octets()),
            IpAddr::V6(address) => addresses.extend(address.octets()),
        }
    }
    siphash(key, &addresses).to_le_bytes()
}

/// The key in the form of `net.ipv4.tcp_fastopen_key`: four groups of hexadecimal digits, joined by hyphens. A second key
/// after a comma, with which older cookies were made, is not read.
pub fn key_of_sysctl(text: &str) -> Option<Key> {
    let first = text.split(',').next()?;
    let groups: Vec<_> = first.split('-').map(|group| u32::from_str_radix(group.trim(), 16)).collect();
    let [Ok(a), Ok(b), Ok(c), Ok(d)] = groups[..] else { return None };
    let mut key = Key::default();
    for (bytes, group) in key.chunks_exact_mut(4).zip([a, b, c, d]) {
        bytes.copy_from_slice(&group.to_le_bytes());
    }
    Some(key)
}

/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012).
fn siphash(key: &Key, data: &[u8]) -> u64 {
    let word = |bytes: &[u8]| {
        let mut padded = [0; 8];
        padded[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(padded)
    };
    let (low, high) = (word(&key[..8]), word(&key[8..]));
    let start = *b"somepseudorandomlygeneratedbytes";
    let mut state = [0; 4];
    for (index, (lane, bytes)) in state.iter_mut().zip(start.chunks_exact(8)).enumerate() {
        *lane = word(bytes).swap_bytes() ^ if index % 2 == 0 { low } else { high };
    }
    let mut take = |message: u64| {
        state[3] ^= message;
        state = round(round(state));
        state[0] ^= message;
    };
    let whole = data.chunks_exact(8);
    let last = word(whole.remainder()) | (data.len() as u64) << 56;
    whole.for_each(|bytes| take(word(bytes)));
    take(last);
    state[2] ^= 0xff;
    for _ in 0..4 {
        state = round(state);
    }
    state.into_iter().fold(0, |sum, lane| sum ^ lane)
}

/// A round of SipHash.
fn round([mut a, mut b, mut c, mut d]: [u64; 4]) -> [u64; 4] {
    a = a.wrapping_add(b);
    c = c.wrapping_add(d);
    b = b.rotate_left(13) ^ a;
    d = d.rotate_left(16) ^ c;
    a = a.rotate_left(32);
    c = c.wrapping_add(b);
    a = a.wrapping_add(d);
    b = b.rotate_left(17) ^ c;
    d = d.rotate_left(21) ^ a;
    c = c.rotate_left(32);
    [a, b, c, d]
}

/// The segment sizes that Linux's SYN cookies can state (net/ipv4/syncookies.c and net/ipv6/syncookies.c, msstab).
const SIZES: [u16; 4] = [536, 1300, 1440, 1460];
const SIZES_V6: [u16; 4] = [1220, 1420, 1440, 8940];

/// Reduces the options of a SYN to what a cookie keeps: one of four segment sizes, and with timestamps, whose value holds
/// the rest, window scaling, SACK and ECN.
pub fn keep_in_cookie(segment: &mut Segment, v6: bool) {
    if !segment.flags.has(Flags::SYN) || segment.flags.has(Flags::ACK) {
        return;
    }
    let sizes = if v6 { SIZES_V6 } else { SIZES };
    let offered = if segment.mss == 0 { 536 } else { segment.mss };
    segment.mss = sizes.into_iter().rfind(|&size| size <= offered).unwrap_or(sizes[0]);
    if segment.timestamps.is_none() {
        segment.window_scale = Segment::NO_OPTION;
        segment.sack_permitted = false;
        segment.flags = segment.flags.without(Flags::ECE.with(Flags::CWR));
    }
}

/// The memory that the host has of the server; all connections of a script have the same peer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// The last valid cookie.
    cookie: Option<FastOpen>,
    /// The server's segment size, bytes of payload.
    mss: Option<u32>,
    /// Requests of Linux that the server has not answered with a cookie: the next one has the option for experiments,
    /// and all after that the standard option (net/ipv4/tcp_metrics.c, tcp_fastopen_cache_set).
    refused: Refused,
    /// Whether Fast Open is not used with the server any more, because the server did not grant a cookie.
    disabled: bool,
}

/// Requests for a cookie that a server has refused, by the option that they carried.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug, Default)]
enum Refused {
    #[default]
    None,
    Standard,
    Experimental,
}

impl Memory {
    /// The options of the next SYN, if Fast Open is used. Without `cookies`, data is sent without one.
    pub fn client(&self, default_mss: u32, cookies: bool) -> Option<Client> {
        let request = FastOpen::new(&[], self.refused == Refused::Standard);
        let option = cookies.then(|| self.cookie.unwrap_or(request));
        (!self.disabled).then_some(Client { option, mss: self.mss.unwrap_or(default_mss) })
    }

    /// Takes the server's answer to the SYN of `asked`. `forgets` is whether a server that neither accepts the data nor
    /// grants a cookie is not asked again (FreeBSD sys/netinet/tcp_fastopen.c, tcp_fastopen_update_cache).
    pub fn learn(&mut self, asked: Client, endpoint: &Endpoint, forgets: bool) {
        let Some(answer) = endpoint.fast_open_answer() else { return };
        let cookie = answer.option.filter(FastOpen::has_cookie);
        if !forgets || cookie.is_some() || self.cookie.is_some() {
            self.mss = Some(endpoint.peer_mss());
        }
        if cookie.is_some() {
            self.cookie = cookie;
            return;
        }
        self.disabled |= forgets && answer.acked == 0;
        // net/ipv4/tcp_input.c, tcp_rcv_fastopen_synack: a SYN that was sent again had no option.
        let silent = !answer.repeated && !answer.option.is_some_and(|option| option.is_request());
        if let Some(request) = asked.option.filter(|option| silent && option.is_request() && self.cookie.is_none()) {
            let now = if request.is_experimental() { Refused::Experimental } else { Refused::Standard };
            self.refused = if now > self.refused { now } else { self.refused };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper, appendix A: the key and the message count up from zero.
    #[test]
    fn siphash_has_the_papers_value() {
        let key: Key = std::array::from_fn(|index| index as u8);
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(siphash(&key, &message), 0xa129_ca61_49be_45e5);
    }

    #[test]
    fn a_cookie_depends_on_key_and_addresses() {
        let key = key_of_sysctl("04030201-08070605-0c0b0a09-100f0e0d").unwrap();
        assert_eq!(key, std::array::from_fn(|index| index as u8 + 1));
        let cookie = |client: &str| cookie(&key, client.parse().unwrap(), "192.168.0.1".parse().unwrap());
        assert_ne!(cookie("192.0.2.1"), cookie("192.0.2.2"));
        assert_ne!(
            cookie("192.0.2.1"),
            super::cookie(&[0; 16], "192.0.2.1".parse().unwrap(), "192.168.0.1".parse().unwrap())
        );
        for wrong in ["", "1-2-3", "1-2-3-4-5", "1-2-3-g", "100000000-0-0-0"] {
            assert_eq!(key_of_sysctl(wrong), None, "{wrong}");
        }
    }
}
