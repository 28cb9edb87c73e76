//! The option of TCP Fast Open (RFC 7413), and the settings of its two ends.

use crate::Segment;
use crate::segment::SackBlock;

/// Smallest and largest cookie, bytes (RFC 7413 section 4.1.1).
pub const COOKIE: std::ops::RangeInclusive<u8> = 4..=16;

/// The Fast Open option of a SYN or SYN-ACK (RFC 7413 section 4.1.1): a request, or a cookie.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FastOpen {
    len: u8,
    experimental: bool,
    bytes: [u8; *COOKIE.end() as usize],
}

impl FastOpen {
    /// The option without a cookie: in a SYN it requests one.
    pub const REQUEST: FastOpen = FastOpen { len: 0, experimental: false, bytes: [0; *COOKIE.end() as usize] };

    /// The option with a cookie. Of a cookie longer than 16 bytes, which is not valid, only the length is kept. With
    /// `experimental`, the option has kind 254 and the magic number 0xF989, as before RFC 7413.
    pub fn new(cookie: &[u8], experimental: bool) -> FastOpen {
        let mut option = FastOpen { len: u8::try_from(cookie.len()).unwrap_or(u8::MAX), experimental, ..Self::REQUEST };
        if let Some(bytes) = option.bytes.get_mut(..cookie.len()) {
            bytes.copy_from_slice(cookie);
        }
        option
    }

    /// The cookie, if it is valid; empty for a request.
    pub fn cookie(&self) -> &[u8] {
        if self.has_cookie() { &self.bytes[..usize::from(self.len)] } else { &[] }
    }

    /// The bytes of the cookie as they go on the wire, whether or not the cookie is valid; zeros stand for the bytes of
    /// a cookie that is too long.
    pub fn wire(&self) -> impl Iterator<Item = u8> + '_ {
        self.bytes.iter().copied().chain(std::iter::repeat(0)).take(usize::from(self.len))
    }

    /// Whether the option has a cookie of a valid length: 4 to 16 bytes, and even (RFC 7413 section 4.1.1).
    pub fn has_cookie(&self) -> bool {
        COOKIE.contains(&self.len) && self.len.is_multiple_of(2)
    }

    /// Whether the option requests a cookie.
    pub fn is_request(&self) -> bool {
        self.len == 0
    }

    /// Whether the option has the number for experiments.
    pub fn is_experimental(&self) -> bool {
        self.experimental
    }

    /// Bytes of the option with its kind and length.
    pub fn option_len(&self) -> u32 {
        u32::from(self.len) + if self.experimental { 4 } else { 2 }
    }
}

/// Fast Open as a client: whether the SYN requests a cookie or carries a cookie and data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Client {
    /// The cookie that the server granted earlier, or [`FastOpen::REQUEST`]; `None` sends data without a cookie.
    pub option: Option<FastOpen>,
    /// Largest segment that the server accepted earlier, bytes of payload with options; 536 if unknown (RFC 7413
    /// section 4.1.3).
    pub mss: u32,
}

/// Fast Open as a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Server {
    /// The cookie of this client, which the driver derives from the client's address and a secret; `None` grants no
    /// cookies.
    pub cookie: Option<FastOpen>,
    /// Whether data in a SYN without a cookie is accepted, too.
    pub without_cookie: bool,
}

/// Answer of a server to a SYN with the Fast Open option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Option of the SYN-ACK, whose cookie may be invalid.
    pub option: Option<FastOpen>,
    /// Bytes of the SYN's data that the SYN-ACK acknowledged.
    pub acked: u32,
    /// Whether the SYN was sent more than once, and so at last without the option.
    pub repeated: bool,
}

/// Mark that the space for SACK blocks holds a Fast Open option.
const PRESENT: u32 = 1 << 31;
/// Mark of the number for experiments.
const EXPERIMENTAL: u32 = 1 << 30;

/// A SYN carries no SACK blocks (RFC 2018 section 3), and only a SYN carries the Fast Open option: the option is stored
/// in the space for the blocks, so that no segment is larger because of it.
impl Segment {
    /// The Fast Open option of a SYN.
    pub fn fast_open(&self) -> Option<FastOpen> {
        let [first, second, head, _] = self.sack;
        if self.sack_count > 0 || head.start & PRESENT == 0 {
            return None;
        }
        let mut option =
            FastOpen { len: head.end as u8, experimental: head.start & EXPERIMENTAL != 0, ..FastOpen::REQUEST };
        let words = [first.start, first.end, second.start, second.end];
        for (bytes, word) in option.bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Some(option)
    }

    /// Sets the Fast Open option of a SYN, in place of any SACK blocks.
    pub fn set_fast_open(&mut self, option: Option<FastOpen>) {
        self.sack = Default::default();
        self.sack_count = 0;
        let Some(option) = option else { return };
        let word = |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| option.bytes[at + byte]));
        self.sack[0] = SackBlock { start: word(0), end: word(4) };
        self.sack[1] = SackBlock { start: word(8), end: word(12) };
        let mark = PRESENT | if option.experimental { EXPERIMENTAL } else { 0 };
        self.sack[2] = SackBlock { start: mark, end: u32::from(option.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Flags;

    #[test]
    fn a_segment_keeps_the_option_as_it_was() {
        for len in 0..=38 {
            let cookie: Vec<u8> = (1..=len).collect();
            for experimental in [false, true] {
                let option = FastOpen::new(&cookie, experimental);
                let mut segment = Segment::new(Flags::SYN);
                assert_eq!(segment.fast_open(), None);
                segment.set_fast_open(Some(option));
                assert_eq!(segment.fast_open(), Some(option));
                let valid = matches!(len, 4 | 6 | 8 | 10 | 12 | 14 | 16);
                assert_eq!((option.has_cookie(), option.is_request()), (valid, len == 0), "{len}");
                assert_eq!(option.cookie(), if valid { &cookie[..] } else { &[] });
                assert_eq!(segment.options_len(), u32::from(len) + if experimental { 4 } else { 2 });
                segment.set_fast_open(None);
                assert_eq!(segment, Segment::new(Flags::SYN));
            }
        }
    }
}
