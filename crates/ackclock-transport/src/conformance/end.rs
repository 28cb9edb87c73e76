//! One end of the tested connection, with its application.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ackclock_core::{Nanos, SECOND};

use crate::{Event, Role, StreamId, Transport};

/// A result whose error names the call and the time.
pub type Check<T> = Result<T, String>;

/// Calls of one end at one instant, beyond which it is deemed to go on for ever.
const CALLS: u32 = 300_000;
/// Bytes offered to a call of write, and the size of the buffer of a call of read.
const PIECE: usize = 16_384;

/// The bytes that this end sends on a stream.
#[derive(Clone, Default, Debug)]
pub struct Outgoing {
    /// Bytes to be written in total, and bytes taken so far.
    pub total: u64,
    pub written: u64,
    pub finished: bool,
    pub delivered: bool,
    /// Whether a write did not take all bytes, so that the application waits for [`Event::Writable`].
    pub blocked: bool,
    /// The code with which the stream was reset.
    pub reset: Option<u64>,
}

/// The bytes that this end receives on a stream.
#[derive(Clone, Default, Debug)]
pub struct Incoming {
    pub read: u64,
    readable: bool,
    opened: bool,
    pub peer_finished: bool,
    pub reset: bool,
}

impl Incoming {
    /// Whether no more bytes follow.
    pub fn ended(&self) -> bool {
        self.peer_finished || self.reset
    }
}

/// The task of the application of an end.
#[derive(Clone, Copy, Default, Debug)]
pub struct Task {
    /// Streams to open once the connection is established.
    pub streams: usize,
    /// Bytes to write on each of them.
    pub bytes: u64,
    /// Bytes to write on each stream of the peer after its end.
    pub answer: u64,
    /// Whether streams are finished after their last byte.
    pub finishes: bool,
    /// Whether its streams are unidirectional.
    pub one_way: bool,
    /// Priorities of its streams, in the order of opening; the others have none.
    pub priorities: &'static [i32],
}

/// One end.
pub struct End {
    pub role: Role,
    transport: Option<Box<dyn Transport>>,
    pub task: Task,
    /// Whether the application does not read at present.
    pub paused: bool,
    /// Whether the application makes no more calls.
    pub stopped: bool,
    /// Whether the transport has a single stream: it opened the same stream twice.
    pub single: bool,
    pub connected: Option<Nanos>,
    pub closed: Option<(Nanos, Option<String>)>,
    pub outgoing: BTreeMap<StreamId, Outgoing>,
    pub incoming: BTreeMap<StreamId, Incoming>,
    /// Own unidirectional streams, those of the peer that were reported, and streams of the peer that have ended, each in
    /// the order of time.
    pub one_way: Vec<StreamId>,
    pub reported: Vec<StreamId>,
    pub ended: Vec<StreamId>,
    opened: usize,
    /// Instant of the last call, and calls at it.
    instant: (Nanos, u32),
}

/// A time as messages show it.
pub fn shown(time: Nanos) -> String {
    format!("{}.{:09} s", time / SECOND, time % SECOND)
}

/// The byte at an offset of a stream in the direction from `role`.
fn pattern(role: Role, stream: StreamId, offset: u64) -> u8 {
    let from = if role == Role::Client { 1 } else { 101 };
    let mixed = offset.wrapping_mul(31) ^ (offset >> 8).wrapping_mul(7) ^ (offset >> 16).wrapping_mul(13);
    (mixed ^ from ^ stream.wrapping_mul(59)) as u8
}

/// The message of a panic.
pub fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

impl End {
    pub fn new(role: Role, transport: Box<dyn Transport>, task: Task) -> End {
        End {
            role,
            transport: Some(transport),
            task,
            paused: false,
            stopped: false,
            single: false,
            connected: None,
            closed: None,
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            one_way: Vec::new(),
            reported: Vec::new(),
            ended: Vec::new(),
            opened: 0,
            instant: (0, 0),
        }
    }

    /// The name of this end in messages.
    pub fn name(&self) -> &'static str {
        if self.role == Role::Client { "client" } else { "server" }
    }

    /// The start of a message about a call.
    pub fn at(&self, call: &str, now: Nanos) -> String {
        format!("{call} of the {} at {}", self.name(), shown(now))
    }

    /// Makes a call of the transport. An end that panicked is not called again, and not dropped.
    pub fn call<T>(&mut self, now: Nanos, name: &str, body: impl FnOnce(&mut dyn Transport) -> T) -> Check<T> {
        if self.instant.0 != now {
            self.instant = (now, 0);
        }
        self.instant.1 += 1;
        if self.instant.1 > CALLS {
            return Err(format!("{}: more than {CALLS} calls at one instant", self.at(name, now)));
        }
        let Some(mut transport) = self.transport.take() else {
            return Err(format!("{} after a panic", self.at(name, now)));
        };
        match catch_unwind(AssertUnwindSafe(|| (body(&mut *transport), transport))) {
            Ok((result, transport)) => {
                self.transport = Some(transport);
                Ok(result)
            }
            Err(panic) => Err(format!("{} panicked: {}", self.at(name, now), message(&*panic))),
        }
    }

    /// Takes all events. The error is an event that breaks a rule.
    pub fn take_events(&mut self, now: Nanos, peer: &End) -> Check<()> {
        while let Some(event) = self.call(now, "poll", |transport| transport.poll())? {
            self.take_event(now, &event, peer)
                .map_err(|wrong| format!("{}: {event:?} {wrong}", self.at("poll", now)))?;
        }
        Ok(())
    }

    fn take_event(&mut self, now: Nanos, event: &Event, peer: &End) -> Check<()> {
        let once = |flag: &mut bool| {
            if std::mem::replace(flag, true) { Err("for the second time".to_owned()) } else { Ok(()) }
        };
        match event {
            Event::Connected => {
                let mut known = self.connected.is_some();
                self.connected = self.connected.or(Some(now));
                once(&mut known)
            }
            Event::Opened(id) => once(&mut self.incoming.entry(*id).or_default().opened),
            Event::Readable(id) => {
                self.incoming.entry(*id).or_default().readable = true;
                Ok(())
            }
            Event::Writable(id) => {
                if let Some(outgoing) = self.outgoing.get_mut(id) {
                    outgoing.blocked = false;
                }
                Ok(())
            }
            Event::OpenedUnidirectional(id) => {
                once(&mut self.incoming.entry(*id).or_default().opened)?;
                self.reported.push(*id);
                let place = self.reported.len() - 1;
                match peer.one_way.get(place) {
                    Some(own) if own == id => Ok(()),
                    Some(own) => Err(format!("as number {place}, which is stream {own}")),
                    None => Err("before the peer opened the stream".to_owned()),
                }
            }
            Event::Reset(id, code) => {
                let incoming = self.incoming.entry(*id).or_default();
                once(&mut incoming.reset)?;
                self.ended.push(*id);
                match peer.outgoing.get(id).and_then(|sent| sent.reset) {
                    _ if incoming.peer_finished => Err("after PeerFinished".to_owned()),
                    Some(own) if own == *code => Ok(()),
                    Some(own) => Err(format!("of a stream that was reset with the code {own}")),
                    None => Err("of a stream that was not reset".to_owned()),
                }
            }
            Event::PeerFinished(id) => {
                let incoming = self.incoming.entry(*id).or_default();
                once(&mut incoming.peer_finished)?;
                if incoming.reset {
                    return Err("after Reset".to_owned());
                }
                self.ended.push(*id);
                match peer.outgoing.get(id) {
                    Some(sent) if sent.finished && sent.written == incoming.read => {}
                    Some(sent) if sent.finished => {
                        return Err(format!("when {} of {} bytes were read", incoming.read, sent.written));
                    }
                    _ => return Err("before the peer finished the stream".to_owned()),
                }
                if self.task.answer > 0 {
                    self.outgoing.insert(*id, Outgoing { total: self.task.answer, ..Outgoing::default() });
                }
                Ok(())
            }
            Event::Delivered(id) => match self.outgoing.get_mut(id) {
                Some(outgoing) if outgoing.finished => once(&mut outgoing.delivered),
                _ => Err("before this end finished the stream".to_owned()),
            },
            Event::Closed(reason) => {
                let mut known = self.closed.is_some();
                self.closed = self.closed.take().or_else(|| Some((now, reason.clone())));
                once(&mut known)
            }
        }
    }

    /// Makes the next call of the application, if it has one to make; `opens` if it may try to open a stream.
    pub fn act(&mut self, now: Nanos, opens: &mut bool, peer: &End) -> Check<bool> {
        if self.stopped || self.closed.is_some() || self.connected.is_none() {
            return Ok(false);
        }
        if *opens && !self.single && self.opened < self.task.streams {
            let id = if self.task.one_way {
                self.call(now, "open_unidirectional", |transport| transport.open_unidirectional(now))?
            } else {
                self.call(now, "open", |transport| transport.open(now))?
            };
            *opens = id.is_some();
            if let Some(id) = id {
                if let Some(priority) = self.task.priorities.get(self.opened) {
                    self.call(now, "prioritize", |transport| transport.prioritize(now, id, *priority))?;
                }
                if self.task.one_way {
                    self.one_way.push(id);
                }
                let total = self.task.bytes;
                self.single = self.outgoing.contains_key(&id);
                self.opened += usize::from(!self.single);
                self.outgoing.entry(id).or_insert(Outgoing { total, ..Outgoing::default() });
            }
            return Ok(true);
        }
        let readable = self.incoming.iter().find(|(_, incoming)| incoming.readable && !self.paused).map(|(id, _)| *id);
        if let Some(id) = readable {
            self.read(now, id, peer)?;
            return Ok(true);
        }
        let open = || self.outgoing.iter().filter(|(_, one)| one.reset.is_none());
        let next = open().find(|(_, one)| !one.blocked && one.written < one.total);
        if let Some((id, next)) = next.map(|(id, next)| (*id, next.clone())) {
            self.write(now, id, &next)?;
            return Ok(true);
        }
        let open = || self.outgoing.iter().filter(|(_, one)| one.reset.is_none());
        let done = open().find(|(_, one)| !one.finished && one.written >= one.total);
        if let Some(id) = done.map(|(id, _)| *id).filter(|_| self.task.finishes) {
            self.outgoing.entry(id).or_default().finished = true;
            self.call(now, "finish", |transport| transport.finish(now, id))?;
            return Ok(true);
        }
        Ok(false)
    }

    fn write(&mut self, now: Nanos, id: StreamId, next: &Outgoing) -> Check<()> {
        let end = next.total.min(next.written + PIECE as u64);
        let bytes: Vec<u8> = (next.written..end).map(|offset| pattern(self.role, id, offset)).collect();
        let taken = self.call(now, "write", |transport| transport.write(now, id, &bytes))?;
        if taken > bytes.len() {
            return Err(format!("{} took {taken} of {} bytes", self.at("write", now), bytes.len()));
        }
        let outgoing = self.outgoing.entry(id).or_default();
        outgoing.written += taken as u64;
        outgoing.blocked = taken < bytes.len();
        Ok(())
    }

    /// Resets a stream.
    pub fn reset(&mut self, now: Nanos, id: StreamId, code: u64) -> Check<()> {
        self.outgoing.entry(id).or_default().reset = Some(code);
        self.call(now, "reset", |transport| transport.reset(now, id, code))
    }

    fn read(&mut self, now: Nanos, id: StreamId, peer: &End) -> Check<()> {
        let mut buffer = vec![0; PIECE];
        let count = self.call(now, "read", |transport| transport.read(now, id, &mut buffer))?;
        let at = self.at("read", now);
        let Some(bytes) = buffer.get(..count) else {
            return Err(format!("{at} returned {count} for a buffer of {PIECE} bytes"));
        };
        let incoming = self.incoming.entry(id).or_default();
        let from = incoming.read;
        incoming.readable = count > 0;
        incoming.read += count as u64;
        let written = peer.outgoing.get(&id).map_or(0, |sent| sent.written);
        if incoming.read > written {
            return Err(format!(
                "{at} has given {} bytes of stream {id}, of which {written} were written",
                incoming.read
            ));
        }
        for (offset, byte) in (from..).zip(bytes) {
            let expected = pattern(peer.role, id, offset);
            if *byte != expected {
                return Err(format!("{at}: byte {offset} of stream {id} is {byte}, and {expected} was written"));
            }
        }
        Ok(())
    }

    /// Whether all streams of this end have been written, finished and acknowledged.
    pub fn delivered(&self) -> bool {
        !self.outgoing.is_empty()
            && (self.opened >= self.task.streams || self.single)
            && self.outgoing.values().all(|one| one.delivered || one.reset.is_some())
    }

    /// Whether the connection has ended without an error, after both directions of all streams did.
    pub fn ended(&self) -> bool {
        matches!(self.closed, Some((_, None))) && self.delivered() && self.incoming.values().all(Incoming::ended)
    }

    /// Bytes written and read so far, in words.
    pub fn progress(&self) -> String {
        let written: u64 = self.outgoing.values().map(|one| one.written).sum();
        let total: u64 = self.outgoing.values().map(|one| one.total).sum();
        let read: u64 = self.incoming.values().map(|one| one.read).sum();
        let connected = if self.connected.is_some() { "connected" } else { "not connected" };
        let blocked = if self.outgoing.values().any(|one| one.blocked) { ", waits for Writable" } else { "" };
        format!("the {} is {connected}, wrote {written} of {total} bytes and read {read}{blocked}", self.name())
    }
}
