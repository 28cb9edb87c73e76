//! RTP packets of video frames and of audio.

use ackclock_core::Nanos;
use ackclock_core::headers::UDP_IPV4;

/// Size of an RTP header with the extension for transport-wide sequence numbers, in bytes: 12 (RFC 3550 section 5.1) and
/// 8 (RFC 8285 section 4.2).
pub(super) const HEADER: u32 = 20;
/// Size of an RTP header of audio, which has no transport-wide number.
pub(super) const AUDIO_HEADER: u32 = 12;
/// Bytes with which the payload of a retransmission begins: the original sequence number (RFC 4588 section 4).
pub(super) const ORIGINAL: u32 = 2;
/// Speech in a packet of audio, in ns.
pub(super) const AUDIO_FRAME: Nanos = 20_000_000;

/// A video frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    /// Time of its capture.
    pub captured: Nanos,
    /// Bytes of the encoded frame.
    pub bytes: u64,
    /// Number of its packets.
    pub packets: u32,
    /// Whether it can be decoded without another frame.
    pub is_key: bool,
    /// RTP sequence number of its first packet, which does not wrap.
    pub first: u64,
}

/// A packet of video, as a transport-wide number names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packet {
    /// RTP sequence number; for a parity that of the last packet before it.
    pub sequence: u64,
    /// Number of its frame.
    pub frame: u32,
    /// Size of the IP packet in bytes.
    pub size: u32,
    /// Its contents.
    pub role: Role,
}

/// The contents of a packet of video.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A part of a frame.
    Media,
    /// The same part once more.
    Retransmission,
    /// A parity of the packets before it, with its number.
    Parity(u32),
}

/// Returns the number of packets of a frame.
pub(super) fn packets_of(bytes: u64, payload: u32) -> u32 {
    (bytes.div_ceil(payload.into()).max(1)).min(u32::MAX.into()) as u32
}

/// Returns the sizes of the IP packets of a frame: payloads differ by one byte at most, as WebRTC splits frames.
pub(super) fn sizes(bytes: u64, payload: u32) -> impl Iterator<Item = u32> {
    let count = u64::from(packets_of(bytes, payload));
    let (each, more) = (bytes / count, bytes % count);
    (0..count).map(move |index| UDP_IPV4 + HEADER + (each + u64::from(index < more)) as u32)
}

/// Returns the payload's part of a rate with headers, in bit/s.
pub(super) fn payload_rate(rate: f64, fps: f64, payload: u32) -> f64 {
    let header = f64::from(UDP_IPV4 + HEADER);
    let frame = rate / 8.0 / fps;
    let packets = libm::ceil(frame / (f64::from(payload) + header)).max(1.0);
    ((frame - packets * header) * 8.0 * fps).max(8.0 * fps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_split_evenly() {
        let sizes = |bytes| super::sizes(bytes, 1200).map(|size| size - 48).collect::<Vec<_>>();
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(1200), [1200]);
        assert_eq!(sizes(2500), [834, 833, 833]);
        assert_eq!(sizes(0), [0]);
    }

    /// At 1 Mbit/s and 30 frames a second, a frame has 4,167 bytes on the wire: four packets with 192 bytes of headers.
    #[test]
    fn headers_are_taken_from_the_rate() {
        let rate = payload_rate(1e6, 30.0, 1200);
        let frame = rate / 240.0;
        assert!((frame - (1e6 / 240.0 - 4.0 * 48.0)).abs() < 1e-9);
        let wire: u32 = super::sizes(frame as u64, 1200).sum();
        assert!((f64::from(wire) * 240.0 - 1e6).abs() < 500.0);
        assert_eq!(payload_rate(1e3, 30.0, 1200), 240.0, "one byte a frame");
    }
}
