//! The TCP of `ackclock-tcp` as a transport.

use std::sync::Arc;

use ackclock_core::headers::{IPV4, TCP_IPV4};
use ackclock_core::{Ecn, Nanos, Stream};
use ackclock_net::queue::{Acknowledgment, Request};
use ackclock_tcp::config::Handshake;
use ackclock_tcp::segment::{STAMPS_LEN, Timestamps};
use ackclock_tcp::{Config, Endpoint as Tcp, Feedback, Flags, Icmp, MILLISECOND, Observer, Progress, Segment, State};

use super::{Contents, Counts, Endpoint, Event, Events, Limits, Packed, Sending, TcpEvent};
use crate::ids::EndpointId;

/// Offset of the clock of an endpoint's timestamps: different for each connection (RFC 7323 section 5.4).
#[inline]
fn clock(endpoint: EndpointId, generation: u16) -> u32 {
    let connection = u64::from(endpoint.number()) << 16 | u64::from(generation);
    ((connection + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// The clocks of both ends' timestamps when a packet is sent: that of its sender, and that of its receiver.
#[inline]
fn clocks(Sending { at, to, generation }: Sending) -> (u32, u32) {
    let time = (at / MILLISECOND) as u32;
    (time.wrapping_add(clock(to.peer(), generation)), time.wrapping_add(clock(to, generation)))
}

/// Segments that have no options, or only timestamps, are packed, which are nearly all. From the low end, `numbers` has
/// the sequence number (32 bits) and the acknowledgment number (32), and `bits` has the window (16) and the flags (9).
/// For timestamps, `extra` has the age of the echo in milliseconds, up to 16 seconds; the rest follows from the time at
/// which the segment is sent.
impl Contents for Segment {
    #[inline]
    fn size(&self) -> u32 {
        (IPV4 + self.header_len()) * self.segments() + self.len
    }

    #[inline]
    fn segments(&self) -> u32 {
        self.segments()
    }

    fn segment(&self, index: u32) -> Segment {
        self.segment(index)
    }

    fn merge(&mut self, next: &Segment) -> bool {
        self.merge(next)
    }

    #[inline]
    fn payload(&self) -> u32 {
        self.len
    }

    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn
    }

    #[inline]
    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }

    #[inline]
    fn pack(&self, sending: Sending) -> Option<Packed> {
        if self.has_options_besides_timestamps() || self.part > 0 {
            return None;
        }
        let mut size = TCP_IPV4 + self.len;
        let mut extra = None;
        if let Some(Timestamps { val, ecr }) = self.timestamps {
            let (sender, receiver) = clocks(sending);
            let age = receiver.wrapping_sub(ecr);
            if val != sender || age >> Packed::EXTRA_LEN != 0 || !sending.leaves_room() {
                return None;
            }
            size += STAMPS_LEN;
            extra = Some(age as u16);
        }
        let numbers = u64::from(self.seq) | u64::from(self.ack) << 32;
        let bits = u32::from(self.window) | u32::from(self.flags.0) << 16;
        Some(Packed { numbers, bits, extra, size })
    }

    #[inline]
    fn unpack(Packed { numbers, bits, extra, size }: Packed, ecn: Ecn, sending: Sending) -> Segment {
        let mut segment = Segment::new(Flags((bits >> 16) as u16));
        segment.ecn = ecn;
        segment.seq = numbers as u32;
        segment.ack = (numbers >> 32) as u32;
        segment.window = bits as u16;
        segment.len = size - TCP_IPV4;
        if let Some(age) = extra {
            let (sender, receiver) = clocks(sending);
            segment.timestamps = Some(Timestamps { val: sender, ecr: receiver.wrapping_sub(age.into()) });
            segment.len -= STAMPS_LEN;
        }
        segment
    }

    #[inline]
    fn request(&self) -> Option<Request> {
        let header = self.xcp()?;
        Some(Request { rtt: header.rtt(), interval: header.interval(), change: header.change() })
    }

    #[inline]
    fn grant(&mut self, request: Request) {
        if let Some(Feedback::Xcp(header)) = &mut self.feedback {
            header.set_change(request.change);
        }
    }

    fn acknowledgment(&self) -> Option<Acknowledgment> {
        const ECHOES: Flags = Flags::ECE.with(Flags::CWR);
        if self.flags.has(Flags::SYN) || !self.flags.has(Flags::ACK) {
            return None;
        }
        let mut sacked = ([(0, 0); 4], self.sack_count);
        for (range, block) in sacked.0.iter_mut().zip(self.sack_blocks()) {
            *range = (block.start, block.end);
        }
        Some(Acknowledgment {
            is_pure: self.flags.without(ECHOES) == Flags::ACK && self.len == 0 && self.feedback.is_none(),
            cumulative: self.ack,
            echoes: (self.flags.0 & ECHOES.0) as u8,
            timestamps: self.timestamps.map(|timestamps| (timestamps.val, timestamps.ecr)),
            sacked,
        })
    }

    #[inline]
    fn as_segment(&self) -> Option<&Segment> {
        Some(self)
    }
}

/// Passes the events of a TCP to the receiver of its events as a transport.
struct Reports<'a, V>(&'a mut V);

impl<V: Events<Segment>> Observer for Reports<'_, V> {
    const ACTIVE: bool = V::ACTIVE;

    #[inline(always)]
    fn event(&mut self, now: Nanos, event: TcpEvent<'_>) {
        let event = match event {
            TcpEvent::Sent { segment, offset, retransmission } => {
                Event::Sent { contents: segment, offset, retransmission }
            }
            TcpEvent::Received { segment } => Event::Received { contents: segment },
            TcpEvent::Acknowledged { una } => Event::Acknowledged { una },
            TcpEvent::Timeout { count } => Event::Timeout { count },
            of_tcp => Event::Tcp(of_tcp),
        };
        self.0.event(now, event);
    }
}

impl Endpoint for Tcp {
    /// The connections of a flow, and the flows of a group, share their configuration.
    type Config = Arc<Config>;
    type Packet = Segment;

    /// The initial sequence number is drawn at random (RFC 9293 section 3.4.1).
    #[inline]
    fn new(config: &Arc<Config>, random: &mut Stream) -> Tcp {
        Tcp::sharing(config.clone(), random.bits32())
    }

    #[inline]
    fn prefetch(&self) {
        self.prefetch();
    }

    #[inline]
    fn prefetch_boxes(&self) {
        self.prefetch_boxes();
    }

    fn identify(&mut self, own: EndpointId, generation: u16) {
        self.set_timestamps_offset(clock(own, generation));
    }

    #[inline]
    fn opens_at_once(config: &Arc<Config>) -> bool {
        config.handshake == Handshake::None
    }

    #[inline]
    fn connect(&mut self, now: Nanos) {
        self.connect(now);
    }

    #[inline]
    fn listen(&mut self) {
        self.listen();
    }

    #[inline]
    fn write(&mut self, now: Nanos, bytes: u64) {
        self.write(now, bytes);
    }

    #[inline]
    fn withdraw(&mut self) {
        self.withdraw();
    }

    #[inline]
    fn close(&mut self, now: Nanos) {
        self.shutdown_write(now);
    }

    #[inline(always)]
    fn deliver<V: Events<Segment>>(&mut self, now: Nanos, segment: &Segment, events: &mut V) -> Progress {
        self.on_segment(now, segment, &mut Reports(events))
    }

    #[inline(always)]
    fn transmit<V: Events<Segment>>(&mut self, now: Nanos, events: &mut V) -> Option<Segment> {
        self.poll_transmit(now, &mut Reports(events))
    }

    #[inline(always)]
    fn sends_plainly(&self) -> bool {
        self.sends_plainly()
    }

    #[inline(always)]
    fn is_silent(&self) -> bool {
        self.is_silent()
    }

    #[inline(always)]
    fn transmit_plain<V: Events<Segment>>(&mut self, now: Nanos, events: &mut V) -> Option<Segment> {
        self.poll_plain(now, &mut Reports(events))
    }

    #[inline]
    fn transmit_other<V: Events<Segment>>(&mut self, now: Nanos, events: &mut V) -> Option<Segment> {
        self.poll_other(now, &mut Reports(events))
    }

    #[inline]
    fn deadline(&self) -> Nanos {
        self.next_timeout()
    }

    #[inline]
    fn expire<V: Events<Segment>>(&mut self, now: Nanos, events: &mut V) -> Progress {
        self.on_timeout(now, &mut Reports(events))
    }

    #[inline]
    fn received(&self) -> u64 {
        self.received()
    }

    #[inline]
    fn read(&mut self, now: Nanos, bytes: u64) {
        self.read(now, bytes);
    }

    /// A closed end needs nothing more, nor does an end that only waits for stray segments.
    #[inline]
    fn is_over(&self) -> bool {
        matches!(self.state(), State::Closed | State::TimeWait | State::Listen)
    }

    fn watch_host_queue(&mut self) {
        self.watch_host_queue();
    }

    fn left_host(&mut self, payload: u32) {
        self.on_left_host(payload);
    }

    fn change_path_mtu(&mut self, mtu: u32) {
        self.change_path_mtu(mtu);
    }

    fn know_path_mtu(&mut self, mtu: u32) {
        self.set_path_mtu(mtu);
    }

    fn on_too_large<V: Events<Segment>>(&mut self, now: Nanos, (mtu, seq): (u32, u32), events: &mut V) {
        self.on_icmp(now, Icmp::FragmentationNeeded { mtu, seq }, &mut Reports(events));
    }

    fn as_tcp(&self) -> Option<&Tcp> {
        Some(self)
    }

    fn as_tcp_mut(&mut self) -> Option<&mut Tcp> {
        Some(self)
    }

    fn counts(&self) -> Counts {
        let stats = self.stats();
        Counts {
            packets_sent: stats.segments_sent,
            data_packets_sent: stats.data_segments_sent,
            retransmits: stats.data_retransmits,
            timeouts: stats.timeouts,
            spurious_timeouts: self.loss_recovery().counts.spurious_timeouts,
            recoveries: stats.recoveries,
            srtt: self.srtt(),
            min_rtt: self.min_rtt(),
        }
    }

    fn limits(&self) -> Option<&Limits> {
        self.limits()
    }
}

#[cfg(test)]
mod tests {
    use ackclock_tcp::segment::SackBlock;

    use super::*;

    /// Sends the segments of `from` to `to`, whose number is `receiver`, and returns how many were packed and how many
    /// were not.
    fn send(at: Nanos, from: &mut Tcp, to: &mut Tcp, receiver: u32) -> (u32, u32) {
        let sending = Sending { at, to: EndpointId::of_number(receiver), generation: 3 };
        let (mut packed, mut others) = (0, 0);
        while let Some(segment) = from.transmit(at, &mut ()) {
            match segment.pack(sending) {
                Some(words) => {
                    assert_eq!(Segment::unpack(words, segment.ecn, sending), segment);
                    packed += 1;
                }
                None => others += 1,
            }
            to.deliver(at, &segment, &mut ());
        }
        (packed, others)
    }

    #[test]
    fn all_segments_with_timestamps_but_syns_are_packed() {
        let config = Arc::new((ackclock_tcp::stack::by_name("linux").unwrap().config)());
        let mut random = Stream::new(1, "ends");
        let [mut client, mut server] = [8, 9].map(|number| {
            let mut end = <Tcp as Endpoint>::new(&config, &mut random);
            end.identify(EndpointId::of_number(number), 3);
            end
        });
        server.listen();
        client.connect(0);
        assert_eq!(send(0, &mut client, &mut server, 9), (0, 1));
        assert_eq!(send(7_000_000, &mut server, &mut client, 8), (0, 1));
        client.write(9_500_000, 20_000);
        let mut sent = 0;
        for round in 0..50_u64 {
            let now = 9_500_000 + 1_234_567 * round;
            let (packed, others) = send(now, &mut client, &mut server, 9);
            sent += packed + send(now + 600_000, &mut server, &mut client, 8).0;
            assert_eq!(others, 0);
        }
        assert!(server.received() == 20_000 && sent > 14, "{} {sent}", server.received());
    }

    #[test]
    fn only_timestamps_that_follow_from_the_time_are_packed() {
        let sending = Sending { at: 5_000_000, to: EndpointId::of_number(4), generation: 1 };
        let (sender, receiver) = clocks(sending);
        let with = |val: u32, age: u32| {
            let timestamps = Timestamps { val, ecr: receiver.wrapping_sub(age) };
            Segment { timestamps: Some(timestamps), len: 100, ..Segment::new(Flags::ACK) }
        };
        for age in [0, 1, (1 << 14) - 1] {
            let words = with(sender, age).pack(sending).unwrap();
            assert_eq!((words.size, words.extra), (152, Some(age as u16)));
            assert_eq!(Segment::unpack(words, Ecn::NotEct, sending), with(sender, age));
        }
        assert_eq!(with(sender, 1 << 14).pack(sending), None);
        assert_eq!(with(sender, u32::MAX).pack(sending), None);
        assert_eq!(with(sender.wrapping_add(1), 0).pack(sending), None);
        let late = Sending { at: 1 << 50, ..sending };
        let (val, ecr) = clocks(late);
        assert_eq!(Segment { timestamps: Some(Timestamps { val, ecr }), ..Segment::new(Flags::ACK) }.pack(late), None);
    }

    #[test]
    fn queues_read_the_acknowledgments_of_segments() {
        let ack = Segment { ack: 7, ..Segment::new(Flags::ACK) };
        let pure = Acknowledgment { is_pure: true, cumulative: 7, ..Acknowledgment::default() };
        assert_eq!(ack.acknowledgment(), Some(pure));
        assert_eq!(Segment::new(Flags::ACK.with(Flags::SYN)).acknowledgment(), None);
        assert_eq!(Segment::new(Flags::RST).acknowledgment(), None);
        for flag in [Flags::FIN, Flags::PSH, Flags::RST, Flags::AE] {
            let other = Segment { flags: Flags::ACK.with(flag), ..ack };
            assert_eq!(other.acknowledgment(), Some(Acknowledgment { is_pure: false, ..pure }));
        }
        assert!(!Segment { len: 1, ..ack }.acknowledgment().unwrap().is_pure);
        let echo = Segment { flags: Flags::ACK.with(Flags::ECE), ..ack }.acknowledgment().unwrap();
        assert_eq!(echo, Acknowledgment { echoes: 0x40, ..pure });
        let mut full = Segment { timestamps: Some(Timestamps { val: 3, ecr: 4 }), sack_count: 1, ..ack };
        full.sack[0] = SackBlock { start: 10, end: 20 };
        let full = full.acknowledgment().unwrap();
        assert_eq!((full.timestamps, full.ranges(), full.is_pure), (Some((3, 4)), &[(10, 20)][..], true));
    }
}
