//! A transport with several streams: many ends of the toy behind one, with the number of the stream before each datagram.
//! Four streams are bidirectional; ten in each direction are unidirectional.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use ackclock_core::{Ecn, MILLISECOND, Nanos};

use super::toy::{Fault, Toy, checksum};
use crate::{Event, Features, NEVER, Parameter, Role, Setup, Stack, Statistics, StreamId, Transmit, Transport};

const BIDIRECTIONAL: u64 = 4;
const ONE_WAY: u64 = 10;
const STREAMS: u64 = BIDIRECTIONAL + 2 * ONE_WAY;
/// First bytes of the datagrams that reset a stream and that acknowledge this.
const RESET: u8 = 200;
const RESET_SEEN: u8 = 201;
/// Time after which a reset without an answer is sent again.
const AGAIN: Nanos = 100 * MILLISECOND;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    Nothing,
    /// Bytes of the streams 1 and 2 are exchanged by the receiver.
    MixesStreams,
    /// Unidirectional streams are reported as they arrive.
    ReportsAsTheyArrive,
    IgnoresPriorities,
    SilentReset,
    OtherCode,
    SendsAfterReset,
    EndsAfterReset,
}

pub struct Several {
    toy: Toy,
    wrong: Wrong,
}

impl Several {
    pub fn new(wrong: Wrong) -> Several {
        Several { toy: Toy::new(Fault::None), wrong }
    }
}

impl Stack for Several {
    fn name(&self) -> &str {
        "several"
    }

    fn summary(&self) -> &str {
        "many streams"
    }

    fn source(&self) -> &str {
        "1"
    }

    fn parameters(&self) -> &[Parameter] {
        &[]
    }

    fn overhead(&self) -> u32 {
        28
    }

    fn features(&self) -> Features {
        Features { unidirectional: true, priorities: true, resets: true }
    }

    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        let inner = Setup { datagram: setup.datagram - 1, ..setup.clone() };
        let ends = (0..STREAMS).map(|_| self.toy.create(now, &inner)).collect::<Result<Vec<_>, String>>()?;
        Ok(Box::new(Ends {
            wrong: self.wrong,
            role: setup.role,
            ends,
            connected: 0,
            opened: [0; 2],
            reported: 0,
            priorities: BTreeMap::new(),
            held: Vec::new(),
            resets: BTreeMap::new(),
            again: NEVER,
            control: VecDeque::new(),
            abandoned: Vec::new(),
            events: VecDeque::new(),
        }))
    }
}

struct Ends {
    wrong: Wrong,
    role: Role,
    ends: Vec<Box<dyn Transport>>,
    connected: u64,
    /// Bidirectional and unidirectional streams that this end has opened.
    opened: [u64; 2],
    /// Unidirectional streams of the peer that were reported.
    reported: u64,
    /// Streams with a priority that are not delivered or reset.
    priorities: BTreeMap<StreamId, i32>,
    /// Streams that took nothing, because others have a higher priority.
    held: Vec<StreamId>,
    /// Resets without an answer, with their codes, and the time at which they are sent again.
    resets: BTreeMap<StreamId, u64>,
    again: Nanos,
    /// Datagrams about resets.
    control: VecDeque<Vec<u8>>,
    /// Streams of this end or of the peer that were reset.
    abandoned: Vec<StreamId>,
    events: VecDeque<Event>,
}

/// The unidirectional streams from an end.
fn one_way(role: Role) -> Range<u64> {
    let first = BIDIRECTIONAL + if role == Role::Client { 0 } else { ONE_WAY };
    first..first + ONE_WAY
}

fn other(role: Role) -> Role {
    if role == Role::Client { Role::Server } else { Role::Client }
}

fn composed(kind: u8, stream: StreamId, code: u64) -> Vec<u8> {
    let mut datagram = vec![kind, stream as u8];
    datagram.extend(code.to_le_bytes());
    datagram.extend(checksum(&datagram).to_le_bytes());
    datagram
}

impl Ends {
    fn send_resets(&mut self, now: Nanos) {
        self.control.extend(self.resets.iter().map(|(stream, code)| composed(RESET, *stream, *code)));
        self.again = if self.resets.is_empty() { NEVER } else { now + AGAIN };
    }

    fn on_control(&mut self, datagram: &[u8]) {
        let (body, sum) = datagram.split_at(datagram.len().saturating_sub(4));
        if body.len() != 10 || checksum(body).to_le_bytes() != sum {
            return;
        }
        let (stream, code) = (u64::from(body[1]), u64::from_le_bytes(body[2..].try_into().expect("eight bytes")));
        if body[0] == RESET_SEEN {
            self.resets.remove(&stream);
            if self.resets.is_empty() {
                self.again = NEVER;
            }
            return;
        }
        self.control.push_back(composed(RESET_SEEN, stream, code));
        if !self.abandoned.contains(&stream) {
            self.abandoned.push(stream);
            self.report(stream);
            self.events.push_back(Event::Reset(stream, code));
            if self.wrong == Wrong::EndsAfterReset {
                self.events.push_back(Event::PeerFinished(stream));
            }
        }
    }

    /// Reports a unidirectional stream of the peer, and those before it.
    fn report(&mut self, stream: StreamId) {
        let range = one_way(other(self.role));
        if !range.contains(&stream) {
            return;
        }
        let place = stream - range.start;
        if self.wrong == Wrong::ReportsAsTheyArrive {
            if self.reported >> place & 1 == 0 {
                self.reported |= 1 << place;
                self.events.push_back(Event::OpenedUnidirectional(stream));
            }
            return;
        }
        while self.reported <= place {
            self.events.push_back(Event::OpenedUnidirectional(range.start + self.reported));
            self.reported += 1;
        }
    }

    /// Lets streams that were held write again, after a stream has ended.
    fn release(&mut self, stream: StreamId) {
        self.priorities.remove(&stream);
        self.events.extend(self.held.drain(..).map(Event::Writable));
    }

    fn sends(&self, stream: u64) -> bool {
        let reset = self.abandoned.contains(&stream) && one_way(self.role).contains(&stream);
        !reset || self.wrong == Wrong::SendsAfterReset
    }
}

impl Transport for Ends {
    fn connect(&mut self, now: Nanos) {
        self.ends.iter_mut().for_each(|end| end.connect(now));
    }

    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]) {
        let Some((number, rest)) = datagram.split_first() else { return };
        if *number >= RESET {
            return self.on_control(datagram);
        }
        if let Some(end) = self.ends.get_mut(usize::from(*number)) {
            end.receive(now, ecn, rest);
        }
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        if let Some(control) = self.control.pop_front() {
            datagram.extend(control);
            return Some(Transmit::default());
        }
        for number in (0..STREAMS).filter(|number| self.sends(*number)).collect::<Vec<_>>() {
            let mut inner = Vec::new();
            if let Some(transmit) = self.ends[number as usize].transmit(now, &mut inner) {
                datagram.push(number as u8);
                datagram.extend(inner);
                return Some(transmit);
            }
        }
        None
    }

    fn timeout(&self) -> Nanos {
        let ends = (0..STREAMS).filter(|number| self.sends(*number)).map(|number| self.ends[number as usize].timeout());
        ends.min().unwrap_or(NEVER).min(self.again)
    }

    fn expire(&mut self, now: Nanos) {
        if self.again <= now {
            self.send_resets(now);
        }
        self.ends.iter_mut().for_each(|end| end.expire(now));
    }

    fn open(&mut self, _now: Nanos) -> Option<StreamId> {
        let free = self.opened[0] < BIDIRECTIONAL;
        self.opened[0] += u64::from(free);
        free.then(|| self.opened[0] - 1)
    }

    fn open_unidirectional(&mut self, _now: Nanos) -> Option<StreamId> {
        let stream = one_way(self.role).start + self.opened[1];
        let free = self.opened[1] < ONE_WAY;
        self.opened[1] += u64::from(free);
        free.then_some(stream)
    }

    fn prioritize(&mut self, _now: Nanos, stream: StreamId, priority: i32) {
        if self.wrong != Wrong::IgnoresPriorities {
            self.priorities.insert(stream, priority);
        }
    }

    fn reset(&mut self, now: Nanos, stream: StreamId, code: u64) {
        self.abandoned.push(stream);
        self.release(stream);
        if self.wrong != Wrong::SilentReset {
            self.resets.insert(stream, code + u64::from(self.wrong == Wrong::OtherCode));
            self.send_resets(now);
        }
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        let own = self.priorities.get(&stream).copied().unwrap_or(0);
        if self.priorities.values().any(|other| *other > own) {
            self.held.push(stream);
            return 0;
        }
        self.ends[stream as usize].write(now, 0, bytes)
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        self.ends[stream as usize].finish(now, 0);
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        if self.abandoned.contains(&stream) && one_way(other(self.role)).contains(&stream) {
            return 0;
        }
        let mixes = self.wrong == Wrong::MixesStreams && (1..3).contains(&stream);
        let stream = if mixes { 3 - stream } else { stream };
        self.ends[stream as usize].read(now, 0, buffer)
    }

    fn close(&mut self, now: Nanos, code: u64) {
        self.resets.clear();
        self.again = NEVER;
        self.ends.iter_mut().for_each(|end| end.close(now, code));
    }

    fn poll(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let mut ends = (0..).zip(&mut self.ends);
            let (stream, event) = ends.find_map(|(stream, end)| Some((stream, end.poll()?)))?;
            if self.abandoned.contains(&stream) && !matches!(event, Event::Connected | Event::Closed(_)) {
                continue;
            }
            self.connected += u64::from(event == Event::Connected);
            match event {
                Event::Connected if self.connected < STREAMS => continue,
                Event::Closed(_) if stream > 0 => continue,
                Event::Readable(_) | Event::PeerFinished(_) => self.report(stream),
                Event::Delivered(_) => self.release(stream),
                _ => {}
            }
            self.events.push_back(match event {
                Event::Readable(_) => Event::Readable(stream),
                Event::Writable(_) => Event::Writable(stream),
                Event::PeerFinished(_) => Event::PeerFinished(stream),
                Event::Delivered(_) => Event::Delivered(stream),
                other => other,
            });
        }
    }

    fn statistics(&self) -> Statistics {
        self.ends[0].statistics()
    }
}
