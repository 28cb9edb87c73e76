//! The TCP of `ackclock-tcp` as a transport.

use ackclock_core::headers::{IPV4, TCP_IPV4};
use ackclock_core::{Ecn, Nanos, Stream};
use ackclock_net::queue::{Acknowledgment, Request};
use ackclock_tcp::config::Handshake;
use ackclock_tcp::{Config, Endpoint as Tcp, Feedback, Flags, Observer, Progress, Segment, State};

use super::{Contents, Counts, Endpoint, Event, Events, Limits, Packed, TcpEvent};

/// Segments without options are packed, which are nearly all. From the low end, `numbers` has the sequence number (32
/// bits) and the acknowledgment number (32), and `bits` has the window (16) and the flags (9).
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
    fn pack(&self) -> Option<Packed> {
        if self.has_options() || self.part > 0 {
            return None;
        }
        let numbers = u64::from(self.seq) | u64::from(self.ack) << 32;
        let bits = u32::from(self.window) | u32::from(self.flags.0) << 16;
        Some(Packed { numbers, bits, size: TCP_IPV4 + self.len })
    }

    #[inline]
    fn unpack(Packed { numbers, bits, size }: Packed, ecn: Ecn) -> Segment {
        let mut segment = Segment::new(Flags((bits >> 16) as u16));
        segment.ecn = ecn;
        segment.seq = numbers as u32;
        segment.ack = (numbers >> 32) as u32;
        segment.window = bits as u16;
        segment.len = size - TCP_IPV4;
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
    type Config = Config;
    type Packet = Segment;

    /// The initial sequence number is drawn at random (RFC 9293 section 3.4.1).
    #[inline]
    fn new(config: &Config, random: &mut Stream) -> Tcp {
        Tcp::new(config, random.bits32())
    }

    #[inline]
    fn opens_at_once(config: &Config) -> bool {
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

    #[inline]
    fn deliver<V: Events<Segment>>(&mut self, now: Nanos, segment: &Segment, events: &mut V) -> Progress {
        self.on_segment(now, segment, &mut Reports(events))
    }

    #[inline]
    fn transmit<V: Events<Segment>>(&mut self, now: Nanos, events: &mut V) -> Option<Segment> {
        self.poll_transmit(now, &mut Reports(events))
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
    use ackclock_tcp::segment::{SackBlock, Timestamps};

    use super::*;

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
