//! Ports: links with a queue discipline, whose packets leave one by one as events.

use ackclock_core::Nanos;
use ackclock_net::queue::Headers;
use ackclock_net::{DropCause, Large, Sent};

use super::{Network, Notice, Stage, TooLarge};
use crate::endpoint::Contents;
use crate::event::Key;
use crate::ids::{LinkId, Receiver};
use crate::observe::{NetworkEvent, Observer};
use crate::packet::Packet;

impl<P: Contents> Network<P> {
    /// Handles the arrival of a packet at a port.
    #[inline(never)]
    pub(super) fn enter<O: Observer<P>>(&mut self, at: Nanos, packet: Packet, link: LinkId, observer: &mut O) {
        let port = self.links[link.0 as usize].port.expect("only a port refuses to tell times");
        if O::ACTIVE {
            let contents = packet.contents(&self.stored);
            observer.network(at, contents.as_ref(), NetworkEvent::Arrived { link, packet });
        }
        let mut item = packet.item(&self.stored, self.senders.flow(&packet));
        let header = self.stages[packet.stage() as usize].header;
        item.size += header;
        if let Some(mtu) = self.ports[port as usize].mtu
            && item.size > mtu.bytes
        {
            self.ports[port as usize].port.count_loss();
            if mtu.tells {
                let bytes = mtu.bytes.saturating_sub(header);
                self.notices.extend(self.too_large(at, packet, bytes).map(Notice::TooLarge));
            }
            return self.refuse(at, packet, link, (DropCause::Loss, None), observer);
        }
        let port_state = &mut self.ports[port as usize].port;
        let headers = port_state.reads_headers().then(|| Headers {
            acknowledgment: packet.contents(&self.stored).and_then(|contents| contents.acknowledgment()),
            ..self.senders.headers(&packet)
        });
        let mut copied = None;
        let copy = |packet: &Packet| *copied.insert(packet.duplicate(&mut self.stored));
        port_state.arrive_with(at, item, headers.as_ref(), packet, copy);
        if O::ACTIVE
            && let Some(packet) = copied
        {
            let contents = packet.contents(&self.stored);
            observer.network(at, contents.as_ref(), NetworkEvent::Copied { link, packet });
        }
        self.drive(at, port, observer);
    }

    /// Returns the message to the sender of a segment that is larger than `mtu` bytes; `None` for other packets.
    #[cold]
    fn too_large(&self, at: Nanos, packet: Packet, mtu: u32) -> Option<TooLarge> {
        let Receiver::Endpoint(receiver) = packet.receiver() else { return None };
        let seq = packet.contents(&self.stored)?.as_segment()?.seq;
        let (endpoint, generation) = (receiver.peer(), packet.generation());
        Some(TooLarge { endpoint, generation, mtu, seq, took: at.saturating_sub(packet.sent()) })
    }

    /// Whether the source of the earliest event, one of the network's sources, is a port; [`Network::serve`] handles
    /// such an event.
    #[inline]
    pub fn is_port(&self, source: u32) -> bool {
        (source as usize) < self.ports.len()
    }

    /// Handles the event of a port that is the earliest. Returns a packet if one arrives from the port, like
    /// [`Network::arrive`].
    pub fn serve<O: Observer<P>>(&mut self, observer: &mut O) -> Option<Packet> {
        let first = self.events.first();
        let port = first.source();
        let port_state = &mut self.ports[port as usize];
        if port_state.leaving.front().is_some_and(|(key, _)| *key == first) {
            self.notices.extend(port_state.leaving.pop_front().map(|(_, left)| Notice::Left(left)));
            self.arm(port);
            return None;
        }
        let next = port_state.flight.first_entry().filter(|next| next.key().0 == first);
        let packet = next.map(|next| next.remove());
        if packet.is_none() {
            self.drive(first.time(), port, observer);
        }
        self.arm(port);
        packet
    }

    /// Moves packets through a port as far as possible at `at`.
    fn drive<O: Observer<P>>(&mut self, at: Nanos, port: u32, observer: &mut O) {
        loop {
            let port_state = &mut self.ports[port as usize];
            let link = port_state.link;
            if let Some(dropped) = port_state.port.dropped() {
                self.refuse(at, dropped.packet, link, (dropped.cause, dropped.passage), observer);
            } else if let Some(sent) = port_state.port.poll(at) {
                self.launch(at, port, sent, observer);
            } else if !port_state.port.has_dropped() {
                break;
            }
        }
        let port_state = &mut self.ports[port as usize];
        let due = port_state.port.due();
        if port_state.due != due {
            port_state.due = due;
            port_state.poll = self.events.stamp(due, port);
        }
        self.arm(port);
    }

    /// Handles a packet that leaves a port for the wire.
    fn launch<O: Observer<P>>(&mut self, at: Nanos, port: u32, sent: Sent<Packet>, observer: &mut O) {
        let port_state = &mut self.ports[port as usize];
        let link = port_state.link;
        let Sent { packet, item, passage, is_copy } = sent;
        let packet = packet.updated(&item, &mut self.stored);
        let waited = passage.start - item.arrival;
        if self.tells_hosts
            && self.links[link.0 as usize].on_host
            && !is_copy
            && let Some(left) = self.sender_of(packet)
        {
            let key = self.events.stamp(passage.departure, port);
            self.ports[port as usize].leaving.push_back((key, left));
        }
        let port_state = &mut self.ports[port as usize];
        if let Some(queueing_delays) = &mut self.links[link.0 as usize].queueing_delays {
            queueing_delays.record(waited);
        }
        if O::ACTIVE {
            let contents = packet.contents(&self.stored);
            observer.network(at, contents.as_ref(), NetworkEvent::Sent { link, packet, passage, waited });
        }
        let earliest = port_state.latest;
        if !port_state.port.reorders() {
            port_state.latest = passage.arrival;
        }
        if packet.is_large() && self.links[link.0 as usize].large == Large::Queued {
            let (all, mut upto) = (packet.size(), 0);
            for segment in packet.split(&mut self.stored) {
                upto += segment.size();
                self.depart(passage.arrival_of(upto, all, earliest), port, segment, observer);
            }
            return;
        }
        self.depart(passage.arrival, port, packet, observer);
    }

    /// Moves a packet on that arrives at `at` from a port.
    #[inline]
    fn depart<O: Observer<P>>(&mut self, at: Nanos, port: u32, packet: Packet, observer: &mut O) {
        let port_state = &mut self.ports[port as usize];
        let stage = self.stages[packet.stage() as usize];
        if port_state.port.reorders() {
            let key = self.events.stamp(at, port);
            if key != Key::NEVER {
                port_state.flight.insert((key, port_state.departed), packet.before(stage.next));
                port_state.departed += 1;
            }
            return;
        }
        let link = port_state.link;
        self.pass(at, packet, Stage { first: stage.first + 1, ..stage }, link.0, observer);
    }

    /// Sets the event of a port.
    pub(super) fn arm(&mut self, port: u32) {
        let port_state = &self.ports[port as usize];
        let first = port_state.flight.first_key_value().map_or(Key::NEVER, |((key, _), _)| *key);
        let leaving = port_state.leaving.front().map_or(Key::NEVER, |(key, _)| *key);
        self.events.set(port, port_state.poll.min(first).min(leaving));
    }
}
