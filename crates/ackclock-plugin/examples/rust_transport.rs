//! A library of transports in Rust: quinn, and one that panics where its parameter says.

use ackclock_core::{Ecn, Nanos};
use ackclock_transport::{
    Event, NEVER, Parameter, Parameters, Range, Setup, Stack, Statistics, StreamId, Transmit, Transport, Value,
};

ackclock_transport::export!(ackclock_quinn::stack(), Panicking::new());

/// The calls in which it can panic.
const CALLS: [&str; 5] = ["none", "create", "receive", "timeout", "transmit"];

struct Panicking([Parameter; 2]);

impl Panicking {
    fn new() -> Panicking {
        let names = CALLS.iter().map(|name| ((*name).to_owned(), format!("in {name}"))).collect();
        let (name, summary) = ("panics".to_owned(), "where it panics".to_owned());
        let first = Parameter { name, summary, range: Range::Names(names), default: Value::Name("none".to_owned()) };
        let (name, summary) = ("length".to_owned(), "bytes of a datagram".to_owned());
        let range = Range::Numbers(1.0, 9_999.0);
        Panicking([first, Parameter { name, summary, range, default: Value::Number(3.0) }])
    }
}

impl Stack for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    fn summary(&self) -> &str {
        "panics"
    }

    fn source(&self) -> &str {
        "1"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    fn overhead(&self) -> u32 {
        28
    }

    fn check(&self, datagram: u32, _: &Parameters) -> Result<(), String> {
        if datagram < 10 { Err("has too small datagrams; accepted: 10 bytes".to_owned()) } else { Ok(()) }
    }

    fn create(&self, _: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        let place = setup.parameters.name("panics").unwrap_or_default().to_owned();
        let length = setup.parameters.number("length").unwrap_or_default() as usize;
        assert_ne!(place, "create", "there is no memory");
        Ok(Box::new(End { place, length }))
    }
}

struct End {
    place: String,
    length: usize,
}

impl Transport for End {
    fn connect(&mut self, _: Nanos) {}

    fn receive(&mut self, _: Nanos, _: Ecn, _: &[u8]) {
        assert_ne!(self.place, "receive", "this datagram");
    }

    fn transmit(&mut self, _: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        assert_ne!(self.place, "transmit", "no datagram");
        datagram.resize(self.length, 7);
        Some(Transmit { ecn: Ecn::Ect1, payload: 2, retransmission: true })
    }

    fn timeout(&self) -> Nanos {
        assert_ne!(self.place, "timeout", "no clock");
        NEVER
    }

    fn expire(&mut self, _: Nanos) {}

    fn open(&mut self, _: Nanos) -> Option<StreamId> {
        None
    }

    fn write(&mut self, _: Nanos, _: StreamId, bytes: &[u8]) -> usize {
        bytes.len()
    }

    fn finish(&mut self, _: Nanos, _: StreamId) {}

    fn read(&mut self, _: Nanos, _: StreamId, _: &mut [u8]) -> usize {
        0
    }

    fn close(&mut self, _: Nanos, _: u64) {}

    fn poll(&mut self) -> Option<Event> {
        Some(Event::Closed(Some(format!("closed in {}", self.place))))
    }

    fn statistics(&self) -> Statistics {
        Statistics { srtt: Some(5), lost: 4, state: Some("slow start"), ..Statistics::default() }
    }

    fn take_log(&mut self) -> Vec<u8> {
        Vec::new()
    }
}
