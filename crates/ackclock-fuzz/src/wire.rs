//! Any bytes into the decoder of packets: the decoder never panics, and a decoded packet is the same after it is
//! encoded and decoded again.

use ackclock_tcp::{AccEcnOption, Ecn, Flags, Segment, Timestamps};
use ackclock_wire::{Addresses, Packet, Sum, decode, encode};
use arbitrary::{Result, Unstructured};

/// Runs one input twice: as a packet, and as choices for a segment that is written, damaged at one place, and read
/// again.
///
/// # Panics
/// If reading a written segment gives a different segment.
pub fn run(data: &[u8]) {
    again(data);
    let _ = damage(&mut Unstructured::new(data));
}

/// Reads `bytes`; a segment in them is written and read again.
fn again(bytes: &[u8]) {
    let Ok(Packet::Tcp { addresses, segment, payload }) = decode(bytes) else { return };
    let mut buffer = vec![0; 70_000];
    // Not every option that can be read can be written together with all others.
    let Ok(headers) = encode(&addresses, &segment, Sum::of(payload), &mut buffer) else { return };
    buffer[headers..headers + payload.len()].copy_from_slice(payload);
    assert_eq!(decode(&buffer[..headers + payload.len()]), Ok(Packet::Tcp { addresses, segment, payload }));
}

fn damage(u: &mut Unstructured<'_>) -> Result<()> {
    let v6: bool = u.arbitrary()?;
    let [source, destination] = if v6 { ["[fd00::1]:80", "[fd00::2]:4000"] } else { ["10.0.0.1:80", "10.0.0.2:4000"] };
    let addresses = Addresses {
        source: source.parse().expect("an address"),
        destination: destination.parse().expect("an address"),
    };
    let flags: u16 = u.arbitrary()?;
    let mut segment = Segment::new(Flags(flags & 0x1ff));
    (segment.seq, segment.ack, segment.window) = u.arbitrary()?;
    segment.ecn = Ecn::from_bits(u.arbitrary()?);
    segment.len = u32::from(u.arbitrary::<u8>()?);
    if segment.flags.has(Flags::SYN) {
        (segment.mss, segment.sack_permitted) = u.arbitrary()?;
        segment.window_scale = *u.choose(&[0, 7, 14, Segment::NO_OPTION])?;
    }
    if u.arbitrary()? {
        let (val, ecr) = u.arbitrary()?;
        segment.timestamps = Some(Timestamps { val, ecr });
    }
    segment.sack_count = u.int_in_range(0..=4)?;
    for block in &mut segment.sack[..usize::from(segment.sack_count)] {
        (block.start, block.end) = u.arbitrary()?;
    }
    if u.arbitrary()? {
        let count = u.int_in_range(0..=3)?;
        let counters: [u32; 3] = u.arbitrary()?;
        let known = |(place, counter): (usize, u32)| if place < usize::from(count) { counter & 0xff_ffff } else { 0 };
        let mut places = counters.into_iter().enumerate().map(known);
        let counters = std::array::from_fn(|_| places.next().expect("three"));
        segment.set_accecn(Some(AccEcnOption { order1: u.arbitrary()?, count, counters }));
    }
    let mut buffer = [0; 512];
    let Ok(headers) = encode(&addresses, &segment, Sum::default(), &mut buffer) else { return Ok(()) };
    let len = headers + segment.len as usize;
    let payload = vec![0; segment.len as usize];
    assert_eq!(decode(&buffer[..len]), Ok(Packet::Tcp { addresses, segment, payload: &payload }));
    let (place, bits): (u16, u8) = u.arbitrary()?;
    buffer[usize::from(place) % len] ^= bits;
    again(&buffer[..len]);
    again(&buffer[..usize::from(place) % len]);
    Ok(())
}
