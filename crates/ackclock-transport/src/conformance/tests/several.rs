//! A transport with four streams: four ends of the toy behind one, with the number of the stream before each datagram.

use ackclock_core::{Ecn, Nanos};

use super::toy::{Fault, Toy};
use crate::{Event, Parameter, Setup, Stack, Statistics, StreamId, Transmit, Transport};

const STREAMS: usize = 4;

pub struct Several {
    toy: Toy,
    /// Whether bytes of the streams 1 and 2 are exchanged by the receiver.
    mixes: bool,
}

impl Several {
    pub fn new(mixes: bool) -> Several {
        Several { toy: Toy::new(Fault::None), mixes }
    }
}

impl Stack for Several {
    fn name(&self) -> &str {
        "several"
    }

    fn summary(&self) -> &str {
        "four streams"
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

    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        let setup = Setup { datagram: setup.datagram - 1, ..setup.clone() };
        let ends = (0..STREAMS).map(|_| self.toy.create(now, &setup)).collect::<Result<Vec<_>, String>>()?;
        Ok(Box::new(Ends { ends, connected: 0, opened: 0, mixes: self.mixes }))
    }
}

struct Ends {
    ends: Vec<Box<dyn Transport>>,
    connected: usize,
    opened: usize,
    mixes: bool,
}

impl Transport for Ends {
    fn connect(&mut self, now: Nanos) {
        self.ends.iter_mut().for_each(|end| end.connect(now));
    }

    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]) {
        let Some((number, rest)) = datagram.split_first() else { return };
        if let Some(end) = self.ends.get_mut(usize::from(*number)) {
            end.receive(now, ecn, rest);
        }
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        for (number, end) in self.ends.iter_mut().enumerate() {
            let mut inner = Vec::new();
            if let Some(transmit) = end.transmit(now, &mut inner) {
                datagram.push(number as u8);
                datagram.extend(inner);
                return Some(transmit);
            }
        }
        None
    }

    fn timeout(&self) -> Nanos {
        self.ends.iter().map(|end| end.timeout()).min().expect("four ends")
    }

    fn expire(&mut self, now: Nanos) {
        self.ends.iter_mut().for_each(|end| end.expire(now));
    }

    fn open(&mut self, _now: Nanos) -> Option<StreamId> {
        let free = self.opened < STREAMS;
        self.opened += usize::from(free);
        free.then(|| self.opened as u64 - 1)
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        self.ends[stream as usize].write(now, 0, bytes)
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        self.ends[stream as usize].finish(now, 0);
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        let stream = if self.mixes && (1..3).contains(&stream) { 3 - stream } else { stream };
        self.ends[stream as usize].read(now, 0, buffer)
    }

    fn close(&mut self, now: Nanos, code: u64) {
        self.ends.iter_mut().for_each(|end| end.close(now, code));
    }

    fn poll(&mut self) -> Option<Event> {
        for (number, end) in self.ends.iter_mut().enumerate() {
            let stream = number as u64;
            while let Some(event) = end.poll() {
                match event {
                    Event::Connected => {
                        self.connected += 1;
                        if self.connected == STREAMS {
                            return Some(event);
                        }
                    }
                    Event::Closed(_) if number > 0 => {}
                    Event::Closed(_) => return Some(event),
                    Event::Opened(_) => return Some(Event::Opened(stream)),
                    Event::Readable(_) => return Some(Event::Readable(stream)),
                    Event::Writable(_) => return Some(Event::Writable(stream)),
                    Event::PeerFinished(_) => return Some(Event::PeerFinished(stream)),
                    Event::Delivered(_) => return Some(Event::Delivered(stream)),
                }
            }
        }
        None
    }

    fn statistics(&self) -> Statistics {
        self.ends[0].statistics()
    }
}
