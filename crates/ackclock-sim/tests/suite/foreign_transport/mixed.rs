//! Endpoints of which some are TCP and some are a fixed window, for worlds with both.

use ackclock_core::{Ecn, Nanos, Stream};
use ackclock_net::queue::Request;
use ackclock_sim::endpoint::{Contents, Counts, Endpoint, Event, Events, Packed, Progress, Sending};
use ackclock_tcp::{Endpoint as Tcp, Segment};

use super::window::{self, Frame, Window};

#[derive(Clone, PartialEq, Debug)]
pub enum Packet {
    Tcp(Segment),
    Window(Frame),
}

/// Calls the same method of either.
macro_rules! either {
    ($kind:ident, $either:expr, $inner:ident => $call:expr) => {
        match $either {
            $kind::Tcp($inner) => $call,
            $kind::Window($inner) => $call,
        }
    };
}

impl Contents for Packet {
    fn size(&self) -> u32 {
        either!(Packet, self, inner => inner.size())
    }

    fn payload(&self) -> u32 {
        either!(Packet, self, inner => inner.payload())
    }

    fn ecn(&self) -> Ecn {
        either!(Packet, self, inner => Contents::ecn(inner))
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        either!(Packet, self, inner => inner.set_ecn(ecn));
    }

    fn pack(&self, sending: Sending) -> Option<Packed> {
        either!(Packet, self, inner => inner.pack(sending))
    }

    /// Only TCP packs its segments.
    fn unpack(packed: Packed, ecn: Ecn, sending: Sending) -> Packet {
        Packet::Tcp(Segment::unpack(packed, ecn, sending))
    }

    fn request(&self) -> Option<Request> {
        either!(Packet, self, inner => inner.request())
    }

    fn grant(&mut self, request: Request) {
        either!(Packet, self, inner => inner.grant(request));
    }

    fn as_segment(&self) -> Option<&Segment> {
        either!(Packet, self, inner => inner.as_segment())
    }
}

#[derive(Clone)]
pub enum Config {
    Tcp(std::sync::Arc<ackclock_tcp::Config>),
    Window(window::Config),
}

pub enum Either {
    Tcp(Box<Tcp>),
    Window(Box<Window>),
}

/// Passes on the events of an endpoint whose packets are one of the two kinds.
struct Inner<'a, V>(&'a mut V);

impl<P: Clone + Into<Packet>, V: Events<Packet>> Events<P> for Inner<'_, V> {
    const ACTIVE: bool = V::ACTIVE;

    fn event(&mut self, now: Nanos, event: Event<'_, P>) {
        match event {
            Event::Sent { contents, offset, retransmission } => {
                let contents = &contents.clone().into();
                self.0.event(now, Event::Sent { contents, offset, retransmission });
            }
            Event::Received { contents } => {
                self.0.event(now, Event::Received { contents: &contents.clone().into() });
            }
            Event::Acknowledged { una } => self.0.event(now, Event::Acknowledged { una }),
            Event::Timeout { count } => self.0.event(now, Event::Timeout { count }),
            Event::Tcp(event) => self.0.event(now, Event::Tcp(event)),
            Event::Log { bytes } => self.0.event(now, Event::Log { bytes }),
        }
    }
}

impl From<Segment> for Packet {
    fn from(segment: Segment) -> Packet {
        Packet::Tcp(segment)
    }
}

impl From<Frame> for Packet {
    fn from(frame: Frame) -> Packet {
        Packet::Window(frame)
    }
}

impl Endpoint for Either {
    type Config = Config;
    type Packet = Packet;

    fn new(config: &Config, random: &mut Stream) -> Either {
        match config {
            Config::Tcp(config) => Either::Tcp(Box::new(<Tcp as Endpoint>::new(config, random))),
            Config::Window(config) => Either::Window(Box::new(Window::new(config, random))),
        }
    }

    fn connect(&mut self, now: Nanos) {
        either!(Either, self, end => end.connect(now));
    }

    fn listen(&mut self) {
        either!(Either, self, end => end.listen());
    }

    fn write(&mut self, now: Nanos, bytes: u64) {
        either!(Either, self, end => end.write(now, bytes));
    }

    fn withdraw(&mut self) {
        either!(Either, self, end => end.withdraw());
    }

    fn close(&mut self, now: Nanos) {
        either!(Either, self, end => end.close(now));
    }

    fn deliver<V: Events<Packet>>(&mut self, now: Nanos, packet: &Packet, events: &mut V) -> Progress {
        match (self, packet) {
            (Either::Tcp(end), Packet::Tcp(segment)) => end.deliver(now, segment, &mut Inner(events)),
            (Either::Window(end), Packet::Window(frame)) => end.deliver(now, frame, &mut Inner(events)),
            (_, packet) => panic!("{packet:?} came to an end of the other transport"),
        }
    }

    fn transmit<V: Events<Packet>>(&mut self, now: Nanos, events: &mut V) -> Option<Packet> {
        match self {
            Either::Tcp(end) => end.transmit(now, &mut Inner(events)).map(Packet::Tcp),
            Either::Window(end) => end.transmit(now, &mut Inner(events)).map(Packet::Window),
        }
    }

    fn deadline(&self) -> Nanos {
        either!(Either, self, end => end.deadline())
    }

    fn expire<V: Events<Packet>>(&mut self, now: Nanos, events: &mut V) -> Progress {
        match self {
            Either::Tcp(end) => end.expire(now, &mut Inner(events)),
            Either::Window(end) => end.expire(now, &mut Inner(events)),
        }
    }

    fn received(&self) -> u64 {
        either!(Either, self, end => end.received())
    }

    fn read(&mut self, now: Nanos, bytes: u64) {
        either!(Either, self, end => end.read(now, bytes));
    }

    fn is_over(&self) -> bool {
        either!(Either, self, end => end.is_over())
    }

    fn counts(&self) -> Counts {
        either!(Either, self, end => end.counts())
    }
}
