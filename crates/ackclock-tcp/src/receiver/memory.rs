//! Memory of arriving packets, as Linux counts it (skb->truesize).

/// Bytes before a packet in its buffer, headers of the packet with timestamps, and the structures that describe a buffer
/// (Linux 6.12: NET_SKB_PAD, skb_shared_info, sk_buff).
const PAD: u64 = 64;
const HEADERS: u64 = 52;
const SHARED: u64 = 320;
const DESCRIPTION: u64 = 256;
/// The least size of a buffer (SKB_SMALL_HEAD_CACHE_SIZE); above it, sizes are powers of two.
const SMALLEST: u64 = 704;
const HEAD: u64 = SMALLEST + DESCRIPTION;
const PAGE: u64 = 4096;
/// Bytes of a packet that fit into a buffer of one page (SKB_MAX_HEAD).
const FIRST: u64 = PAGE - PAD - SHARED;
/// The unit of the share of payload in memory.
pub(super) const WHOLE: u64 = 256;

/// Memory that a packet with `payload` bytes takes, as a virtual device hands it over: a buffer in one piece, or one of a
/// page and the rest in pages (Linux 6.12 drivers/net/tun.c: tun_get_user, tun_alloc_skb; net/core/skbuff.c,
/// kmalloc_reserve).
pub(super) fn memory_of(payload: u64) -> u64 {
    let packet = HEADERS + payload;
    if PAD + packet >= PAGE {
        return PAGE + DESCRIPTION + (packet - FIRST).next_multiple_of(PAGE);
    }
    let needed = (PAD + packet).next_multiple_of(64) + SHARED;
    let buffer = if needed <= SMALLEST { SMALLEST } else { needed.next_power_of_two() };
    buffer + DESCRIPTION
}

/// Memory of a packet of several segments with `payload` bytes together, which a virtual device hands over as one: the
/// headers are in the buffer, and the payload of a large packet in pages (tun_get_user with the hdr_len of a virtio header).
pub(super) fn memory_of_several(payload: u64) -> u64 {
    match PAD + HEADERS + payload {
        ..PAGE => memory_of(payload),
        _ => HEAD + payload.next_multiple_of(PAGE),
    }
}

/// Whether the payload of such a packet is in pages alone, which join the packet before.
pub(super) fn is_paged(payload: u64) -> bool {
    PAD + HEADERS + payload >= PAGE
}

/// Share of payload in the memory of packets with `payload` bytes, in units of 1/256 (tcp_measure_rcv_mss).
pub(super) fn share_of(payload: u64, memory: u64) -> u64 {
    (payload * WHOLE / memory).max(1)
}

/// A packet larger than a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    pub payload: u64,
    /// Memory that it takes, bytes, and that of its buffer apart from pages that may join those of the packet before.
    pub memory: u64,
    pub head: u64,
}

impl Packet {
    pub fn new(payload: u64, segments: u32) -> Packet {
        let several = segments > 1;
        let memory = if several { memory_of_several(payload) } else { memory_of(payload) };
        Packet { payload, memory, head: if several && is_paged(payload) { HEAD } else { 0 } }
    }
}

/// Packets larger than a segment of which some payload was not read. Others are counted by the size of a segment.
#[derive(Clone, Default, Debug)]
pub(super) struct LargePackets(Vec<Large>);

#[derive(Clone, Copy, Debug)]
struct Large {
    start: u64,
    end: u64,
    memory: u64,
}

impl LargePackets {
    /// Takes note of a packet that takes `memory` bytes, with the payload from offset `start` to `end`.
    pub fn push(&mut self, start: u64, end: u64, memory: u64) {
        self.0.push(Large { start, end, memory });
    }

    /// Forgets the payload below offset `read`.
    #[inline]
    pub fn forget(&mut self, read: u64) {
        if !self.0.is_empty() {
            self.0.retain(|packet| packet.end > read);
            self.0.iter_mut().for_each(|packet| packet.start = packet.start.max(read));
        }
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The payload that was not read, and the memory of its packets, bytes.
    pub fn sums(&self) -> (u64, u64) {
        self.0
            .iter()
            .fold((0, 0), |(bytes, memory), packet| (bytes + packet.end - packet.start, memory + packet.memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SK_MEMINFO_RMEM_ALLOC of Linux 6.18.44 after a packet of so many bytes of payload from a TUN device.
    #[test]
    fn packets_of_more_than_a_page_have_the_rest_in_pages() {
        let measured = [
            (500, 1280),
            (1448, 2304),
            (3000, 4352),
            (3900, 8448),
            (5000, 8448),
            (8000, 12_544),
            (20_000, 20_736),
            (36_000, 37_120),
            (60_000, 61_696),
        ];
        assert_eq!(measured.map(|(payload, _)| (payload, memory_of(payload))), measured);
        assert_eq!(memory_of(88), 960, "the smallest buffer");
        // Of segments of 1000 bytes; the kernel's smallest buffer was 128 bytes smaller.
        let several = [(2000, 4352), (9000, 13_120 + 128), (20_000, 21_312 + 128), (60_000, 62_272 + 128)];
        assert_eq!(several.map(|(payload, _)| (payload, memory_of_several(payload))), several);
    }
}
