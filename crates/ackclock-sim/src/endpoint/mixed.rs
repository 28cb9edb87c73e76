//! Endpoints of runs in which flows differ in their transport.

use std::sync::Arc;

use ackclock_app::StreamEvent;
use ackclock_core::{Ecn, Nanos, Stream};
use ackclock_net::queue::{Acknowledgment, Request};
use ackclock_tcp::{Config, Endpoint as Tcp, Segment};

use super::foreign::{Datagram, Foreign, ForeignConfig};
use super::{Contents, Counts, Endpoint, Event, Events, Limits, Packed, Progress, Sending};
use crate::ids::EndpointId;

/// An endpoint of TCP or of another stack.
#[expect(clippy::large_enum_variant, reason = "nearly all endpoints of a run may be of TCP")]
pub enum Mixed {
    /// TCP.
    Tcp(Tcp),
    /// Another stack.
    Foreign(Foreign),
}

/// Configuration of a flow's connections.
pub enum MixedConfig {
    /// TCP.
    Tcp(Arc<Config>),
    /// Another stack.
    Foreign(ForeignConfig),
}

/// The contents of a packet.
#[derive(Clone, PartialEq, Debug)]
pub enum Parcel {
    /// A segment of TCP.
    Segment(Segment),
    /// A datagram of another stack.
    Datagram(Datagram),
}

impl Contents for Parcel {
    fn size(&self) -> u32 {
        match self {
            Parcel::Segment(segment) => segment.size(),
            Parcel::Datagram(datagram) => datagram.size(),
        }
    }

    fn segments(&self) -> u32 {
        if let Parcel::Segment(segment) = self { segment.segments() } else { 1 }
    }

    fn segment(&self, index: u32) -> Parcel {
        match self {
            Parcel::Segment(segment) => Parcel::Segment(segment.segment(index)),
            Parcel::Datagram(_) => self.clone(),
        }
    }

    fn merge(&mut self, next: &Parcel) -> bool {
        match (self, next) {
            (Parcel::Segment(segment), Parcel::Segment(next)) => segment.merge(next),
            _ => false,
        }
    }

    fn payload(&self) -> u32 {
        match self {
            Parcel::Segment(segment) => segment.payload(),
            Parcel::Datagram(datagram) => datagram.payload(),
        }
    }

    fn ecn(&self) -> Ecn {
        match self {
            Parcel::Segment(segment) => segment.ecn(),
            Parcel::Datagram(datagram) => datagram.ecn(),
        }
    }

    fn set_ecn(&mut self, ecn: Ecn) {
        match self {
            Parcel::Segment(segment) => segment.set_ecn(ecn),
            Parcel::Datagram(datagram) => datagram.set_ecn(ecn),
        }
    }

    fn pack(&self, sending: Sending) -> Option<Packed> {
        if let Parcel::Segment(segment) = self { segment.pack(sending) } else { None }
    }

    fn unpack(packed: Packed, ecn: Ecn, sending: Sending) -> Parcel {
        Parcel::Segment(Segment::unpack(packed, ecn, sending))
    }

    fn request(&self) -> Option<Request> {
        if let Parcel::Segment(segment) = self { segment.request() } else { None }
    }

    fn grant(&mut self, request: Request) {
        if let Parcel::Segment(segment) = self {
            segment.grant(request);
        }
    }

    fn acknowledgment(&self) -> Option<Acknowledgment> {
        if let Parcel::Segment(segment) = self { segment.acknowledgment() } else { None }
    }

    fn as_segment(&self) -> Option<&Segment> {
        if let Parcel::Segment(segment) = self { Some(segment) } else { None }
    }
}

/// Passes the events of an endpoint on, with its packets as parcels.
struct Reports<'a, V>(&'a mut V);

/// Converts the packets of an event.
fn converted<P, Q>(event: Event<'_, P>, now: Nanos, wrap: impl Fn(P) -> Q, pass: impl FnOnce(Nanos, Event<'_, Q>))
where
    P: Clone,
{
    match event {
        Event::Sent { contents, offset, retransmission } => {
            let contents = &wrap(contents.clone());
            pass(now, Event::Sent { contents, offset, retransmission });
        }
        Event::Received { contents } => pass(now, Event::Received { contents: &wrap(contents.clone()) }),
        Event::Acknowledged { una } => pass(now, Event::Acknowledged { una }),
        Event::Timeout { count } => pass(now, Event::Timeout { count }),
        Event::Tcp(event) => pass(now, Event::Tcp(event)),
        Event::Log { bytes } => pass(now, Event::Log { bytes }),
    }
}

impl<V: Events<Parcel>> Events<Segment> for Reports<'_, V> {
    const ACTIVE: bool = V::ACTIVE;

    fn event(&mut self, now: Nanos, event: Event<'_, Segment>) {
        converted(event, now, Parcel::Segment, |now, event| self.0.event(now, event));
    }
}

impl<V: Events<Parcel>> Events<Datagram> for Reports<'_, V> {
    const ACTIVE: bool = V::ACTIVE;

    fn event(&mut self, now: Nanos, event: Event<'_, Datagram>) {
        converted(event, now, Parcel::Datagram, |now, event| self.0.event(now, event));
    }
}

impl Endpoint for Mixed {
    type Config = MixedConfig;
    type Packet = Parcel;

    fn new(config: &MixedConfig, random: &mut Stream) -> Mixed {
        match config {
            MixedConfig::Tcp(config) => Mixed::Tcp(<Tcp as Endpoint>::new(config, random)),
            MixedConfig::Foreign(config) => Mixed::Foreign(Foreign::new(config, random)),
        }
    }

    fn prefetch(&self) {
        if let Mixed::Tcp(end) = self {
            end.prefetch();
        }
    }

    fn prefetch_boxes(&self) {
        if let Mixed::Tcp(end) = self {
            end.prefetch_boxes();
        }
    }

    fn identify(&mut self, own: EndpointId, generation: u16) {
        match self {
            Mixed::Tcp(end) => end.identify(own, generation),
            Mixed::Foreign(end) => end.identify(own, generation),
        }
    }

    fn opens_at_once(config: &MixedConfig) -> bool {
        if let MixedConfig::Tcp(config) = config { <Tcp as Endpoint>::opens_at_once(config) } else { false }
    }

    fn connect(&mut self, now: Nanos) {
        match self {
            Mixed::Tcp(end) => Endpoint::connect(end, now),
            Mixed::Foreign(end) => end.connect(now),
        }
    }

    fn listen(&mut self) {
        match self {
            Mixed::Tcp(end) => Endpoint::listen(end),
            Mixed::Foreign(end) => end.listen(),
        }
    }

    fn write(&mut self, now: Nanos, bytes: u64) {
        match self {
            Mixed::Tcp(end) => Endpoint::write(end, now, bytes),
            Mixed::Foreign(end) => end.write(now, bytes),
        }
    }

    fn watch_host_queue(&mut self) {
        match self {
            Mixed::Tcp(end) => Endpoint::watch_host_queue(end),
            Mixed::Foreign(end) => end.watch_host_queue(),
        }
    }

    fn left_host(&mut self, payload: u32) {
        match self {
            Mixed::Tcp(end) => end.left_host(payload),
            Mixed::Foreign(end) => end.left_host(payload),
        }
    }

    fn change_path_mtu(&mut self, mtu: u32) {
        match self {
            Mixed::Tcp(end) => end.change_path_mtu(mtu),
            Mixed::Foreign(end) => end.change_path_mtu(mtu),
        }
    }

    fn withdraw(&mut self) {
        match self {
            Mixed::Tcp(end) => Endpoint::withdraw(end),
            Mixed::Foreign(end) => end.withdraw(),
        }
    }

    fn close(&mut self, now: Nanos) {
        match self {
            Mixed::Tcp(end) => Endpoint::close(end, now),
            Mixed::Foreign(end) => end.close(now),
        }
    }

    fn open_stream(&mut self, now: Nanos, priority: i32) {
        if let Mixed::Foreign(end) = self {
            end.open_stream(now, priority);
        }
    }

    fn write_stream(&mut self, now: Nanos, stream: u32, bytes: u64) {
        if let Mixed::Foreign(end) = self {
            end.write_stream(now, stream, bytes);
        }
    }

    fn finish_stream(&mut self, now: Nanos, stream: u32) {
        if let Mixed::Foreign(end) = self {
            end.finish_stream(now, stream);
        }
    }

    fn reset_stream(&mut self, now: Nanos, stream: u32, code: u64) {
        if let Mixed::Foreign(end) = self {
            end.reset_stream(now, stream, code);
        }
    }

    fn stream_event(&mut self) -> Option<(u32, StreamEvent)> {
        if let Mixed::Foreign(end) = self { end.stream_event() } else { None }
    }

    fn received_in_streams(&self) -> u64 {
        if let Mixed::Foreign(end) = self { end.received_in_streams() } else { 0 }
    }

    fn deliver<V: Events<Parcel>>(&mut self, now: Nanos, parcel: &Parcel, events: &mut V) -> Progress {
        match (self, parcel) {
            (Mixed::Tcp(end), Parcel::Segment(segment)) => end.deliver(now, segment, &mut Reports(events)),
            (Mixed::Foreign(end), Parcel::Datagram(datagram)) => end.deliver(now, datagram, &mut Reports(events)),
            _ => unreachable!("both ends of a connection have one transport"),
        }
    }

    fn transmit<V: Events<Parcel>>(&mut self, now: Nanos, events: &mut V) -> Option<Parcel> {
        match self {
            Mixed::Tcp(end) => end.transmit(now, &mut Reports(events)).map(Parcel::Segment),
            Mixed::Foreign(end) => end.transmit(now, &mut Reports(events)).map(Parcel::Datagram),
        }
    }

    fn deadline(&self) -> Nanos {
        match self {
            Mixed::Tcp(end) => end.deadline(),
            Mixed::Foreign(end) => end.deadline(),
        }
    }

    fn expire<V: Events<Parcel>>(&mut self, now: Nanos, events: &mut V) -> Progress {
        match self {
            Mixed::Tcp(end) => end.expire(now, &mut Reports(events)),
            Mixed::Foreign(end) => end.expire(now, &mut Reports(events)),
        }
    }

    fn received(&self) -> u64 {
        match self {
            Mixed::Tcp(end) => Endpoint::received(end),
            Mixed::Foreign(end) => end.received(),
        }
    }

    fn read(&mut self, now: Nanos, bytes: u64) {
        if let Mixed::Tcp(end) = self {
            Endpoint::read(end, now, bytes);
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Mixed::Tcp(end) => Endpoint::is_over(end),
            Mixed::Foreign(end) => end.is_over(),
        }
    }

    fn know_path_mtu(&mut self, mtu: u32) {
        if let Mixed::Tcp(end) = self {
            end.know_path_mtu(mtu);
        }
    }

    fn on_too_large<V: Events<Parcel>>(&mut self, now: Nanos, message: (u32, u32), events: &mut V) {
        if let Mixed::Tcp(end) = self {
            end.on_too_large(now, message, &mut Reports(events));
        }
    }

    fn as_tcp(&self) -> Option<&Tcp> {
        if let Mixed::Tcp(end) = self { Some(end) } else { None }
    }

    fn as_tcp_mut(&mut self) -> Option<&mut Tcp> {
        if let Mixed::Tcp(end) = self { Some(end) } else { None }
    }

    fn counts(&self) -> Counts {
        match self {
            Mixed::Tcp(end) => Endpoint::counts(end),
            Mixed::Foreign(end) => end.counts(),
        }
    }

    fn limits(&self) -> Option<&Limits> {
        match self {
            Mixed::Tcp(end) => Endpoint::limits(end),
            Mixed::Foreign(_) => None,
        }
    }
}
