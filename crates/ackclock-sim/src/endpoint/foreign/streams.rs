//! Unidirectional streams of a stack, by the numbers that the application gives them: the order in which an end opens
//! them, in which the stack reports them to the peer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use ackclock_app::StreamEvent;
use ackclock_core::Nanos;
use ackclock_transport::StreamId;

use super::{Foreign, ZEROS};

/// A stream of this end that is neither delivered nor reset.
struct Outgoing {
    /// The stack's number of the stream, once the stack has opened it.
    id: Option<StreamId>,
    priority: i32,
    /// Bytes that were written and that the stack has not taken.
    pending: u64,
    /// Whether the application has ended the stream, and whether the stack was told.
    closing: bool,
    finished: bool,
    /// The code of a reset.
    reset: Option<u64>,
}

/// A stream of the peer that has not ended.
struct Incoming {
    number: u32,
    received: u64,
}

/// The unidirectional streams of both ends of a connection, as one end knows them.
#[derive(Default)]
pub(super) struct Streams {
    outgoing: BTreeMap<u32, Outgoing>,
    /// Streams that this end has opened, and streams of the peer that were reported.
    opened: u32,
    accepted: u32,
    incoming: BTreeMap<StreamId, Incoming>,
    /// Bytes received in all streams.
    received: u64,
    events: VecDeque<(u32, StreamEvent)>,
}

impl Streams {
    pub fn open(&mut self, priority: i32) {
        let stream = Outgoing { id: None, priority, pending: 0, closing: false, finished: false, reset: None };
        self.outgoing.insert(self.opened, stream);
        self.opened += 1;
    }

    /// Appends bytes to a stream; those for a stream that is delivered or reset are lost, as its reader expects none.
    pub fn write(&mut self, number: u32, bytes: u64) {
        if let Some(stream) = self.outgoing.get_mut(&number).filter(|stream| !stream.closing) {
            stream.pending += bytes;
        }
    }

    pub fn finish(&mut self, number: u32) {
        if let Some(stream) = self.outgoing.get_mut(&number) {
            stream.closing = true;
        }
    }

    pub fn reset(&mut self, number: u32, code: u64) {
        if let Some(stream) = self.outgoing.get_mut(&number) {
            (stream.reset, stream.pending) = (Some(code), 0);
        }
    }

    /// Takes note of a stream of the peer.
    pub fn accept(&mut self, id: StreamId) {
        self.incoming.insert(id, Incoming { number: self.accepted, received: 0 });
        self.accepted += 1;
    }

    /// Whether a stream is a unidirectional stream of the peer that has not ended.
    pub fn accepted(&self, id: StreamId) -> bool {
        self.incoming.contains_key(&id)
    }

    /// Takes note of bytes that were read. Returns whether they are of a unidirectional stream.
    pub fn read(&mut self, id: StreamId, bytes: u64) -> bool {
        let Some(stream) = self.incoming.get_mut(&id) else { return false };
        stream.received += bytes;
        self.received += bytes;
        self.events.push_back((stream.number, StreamEvent::Received(stream.received)));
        true
    }

    /// Takes note of the end of a stream of the peer.
    pub fn end(&mut self, id: StreamId, event: StreamEvent) {
        if let Some(stream) = self.incoming.remove(&id) {
            self.events.push_back((stream.number, event));
        }
    }

    /// Takes note of a stream of this end whose bytes and end have been acknowledged.
    pub fn deliver(&mut self, id: StreamId) {
        let found = self.outgoing.iter().find(|(_, stream)| stream.id == Some(id)).map(|(number, _)| *number);
        if let Some(number) = found {
            self.outgoing.remove(&number);
            self.events.push_back((number, StreamEvent::Delivered));
        }
    }

    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    pub fn event(&mut self) -> Option<(u32, StreamEvent)> {
        self.events.pop_front()
    }

    pub fn received(&self) -> u64 {
        self.received
    }
}

impl Foreign {
    /// Opens streams in their order, and hands over resets, bytes and ends, those of higher priorities first.
    pub(super) fn pump_streams(&mut self, now: Nanos) {
        if !self.connected || self.closed || self.streams.outgoing.is_empty() {
            return;
        }
        let unopened = self.streams.outgoing.iter().filter(|(_, stream)| stream.id.is_none());
        for (number, priority) in unopened.map(|(number, stream)| (*number, stream.priority)).collect::<Vec<_>>() {
            let opened = self.call("open_unidirectional", now, |transport, _| transport.open_unidirectional(now));
            let Some(id) = opened.flatten() else { break };
            self.call("prioritize", now, |transport, _| transport.prioritize(now, id, priority));
            self.streams.outgoing.entry(number).and_modify(|stream| stream.id = Some(id));
        }
        let acts =
            |stream: &Outgoing| stream.reset.is_some() || stream.pending > 0 || (stream.closing && !stream.finished);
        let ready = self.streams.outgoing.iter().filter(|(_, stream)| stream.id.is_some() && acts(stream));
        let mut ready: Vec<_> = ready.map(|(number, stream)| (Reverse(stream.priority), *number)).collect();
        ready.sort_unstable();
        for (_, number) in ready {
            self.pump_stream(now, number);
        }
    }

    fn pump_stream(&mut self, now: Nanos, number: u32) {
        let Some(Outgoing { id: Some(id), pending, closing, reset, .. }) = self.streams.outgoing.get(&number) else {
            return;
        };
        let (id, mut pending, closing, reset) = (*id, *pending, *closing, *reset);
        if let Some(code) = reset {
            self.call("reset", now, |transport, _| transport.reset(now, id, code));
            self.streams.outgoing.remove(&number);
            return;
        }
        while pending > 0 {
            let most = pending.min(ZEROS.len() as u64) as usize;
            let taken = self.call("write", now, |transport, _| transport.write(now, id, &ZEROS[..most]));
            let Some(taken) = taken else { return };
            if taken > most {
                return self.fail("write", now, format!("it took {taken} of {most} bytes"));
            }
            pending -= taken as u64;
            if taken == 0 {
                break;
            }
        }
        let finishes = closing && pending == 0;
        if finishes {
            self.call("finish", now, |transport, _| transport.finish(now, id));
        }
        if let Some(stream) = self.streams.outgoing.get_mut(&number) {
            (stream.pending, stream.finished) = (pending, finishes);
        }
    }
}
