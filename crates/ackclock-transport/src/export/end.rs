//! The functions of the tables, for one end of a connection.

#![expect(unsafe_code, reason = "the caller keeps the contract of the tables: pointers are valid during a call")]

use std::ffi::c_char;

use ackclock_core::Ecn;

use super::{Entry, caught, text};
use crate::{Event, NEVER, Parameters, Range, Role, Setup, Stack, StreamId, Transport, Value, abi};

/// The status of a call that failed.
const FAILED: i32 = 1;

/// The object behind an [`abi::Object`].
struct End {
    transport: Box<dyn Transport>,
    /// Text of the last error.
    error: String,
    /// Text of the last event.
    reason: String,
    /// The datagram that is sent. It is kept for its memory.
    datagram: Vec<u8>,
    /// Bytes of the log that the caller has not taken yet.
    log: Vec<u8>,
}

/// Returns the end behind an object.
fn of<'a>(object: abi::Object) -> &'a mut End {
    // SAFETY: `create` made the object, and no other call uses it at the same time.
    unsafe { &mut *object.cast::<End>() }
}

/// Writes a result to a place of the caller.
fn set<T>(place: *mut T, value: T) {
    // SAFETY: the caller gives a place for the result.
    unsafe { place.write(value) };
}

/// Returns the bytes of the caller.
fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if length == 0 {
        return &[];
    }
    // SAFETY: the caller gives so many bytes.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// Returns the buffer of the caller, all of whose bytes are initialised.
fn buffer<'a>(start: *mut u8, capacity: usize) -> &'a mut [u8] {
    if capacity == 0 {
        return &mut [];
    }
    // SAFETY: the caller gives so many bytes.
    unsafe { std::slice::from_raw_parts_mut(start, capacity) }
}

/// Does a call. A panic and an error become the text of [`error`].
fn call<T>(object: abi::Object, body: impl FnOnce(&mut End) -> Result<T, String>) -> Result<T, i32> {
    let end = of(object);
    let done = caught(|| body(end)).and_then(|result| result);
    done.map_err(|message| {
        of(object).error = message;
        FAILED
    })
}

/// Does a call that returns nothing but its status.
fn act(object: abi::Object, body: impl FnOnce(&mut dyn Transport)) -> i32 {
    status(call(object, |end| {
        body(&mut *end.transport);
        Ok(())
    }))
}

fn status(result: Result<(), i32>) -> i32 {
    result.map_or_else(|status| status, |()| abi::OK)
}

/// Reads the parameters of a setup.
fn parameters(stack: &dyn Stack, given: &[abi::Value]) -> Parameters {
    let value = |range: &Range, given: &abi::Value| match range {
        Range::Numbers(..) => Value::Number(given.number),
        Range::Names(names) => Value::Name(names.get(given.name).map_or_else(String::new, |(name, _)| name.clone())),
    };
    let rows = stack.parameters().iter().zip(given);
    Parameters(rows.map(|(own, given)| (own.name.clone(), value(&own.range, given))).collect())
}

pub(super) unsafe extern "C" fn create<E: Entry>(
    now: u64,
    setup: *const abi::Setup,
    object: *mut abi::Object,
    message: *mut c_char,
    capacity: usize,
) -> i32 {
    let stack = E::stack();
    // SAFETY: the caller gives a setup.
    let given = unsafe { &*setup };
    let made = caught(|| {
        let values: &[abi::Value] = if given.value_count == 0 {
            &[]
        } else {
            // SAFETY: the caller gives so many values.
            unsafe { std::slice::from_raw_parts(given.values, given.value_count) }
        };
        let parameters = parameters(stack, values);
        stack.check(given.datagram, &parameters)?;
        let role = if given.role == abi::CLIENT { Role::Client } else { Role::Server };
        let (seed, datagram, log) = (given.seed, given.datagram, given.log != 0);
        stack.create(now, &Setup { role, seed, datagram, parameters: &parameters, log })
    });
    match made.and_then(|result| result) {
        Ok(transport) => {
            let (error, reason) = (String::new(), String::new());
            let end = End { transport, error, reason, datagram: Vec::new(), log: Vec::new() };
            set(object, Box::into_raw(Box::new(end)).cast());
            abi::OK
        }
        Err(told) => {
            let places = buffer(message.cast(), capacity);
            let length = fitting(&told, places.len().saturating_sub(1));
            for (place, byte) in places.iter_mut().zip(told.as_bytes()[..length].iter().chain(&[0])) {
                *place = *byte;
            }
            FAILED
        }
    }
}

/// Length of the start of a text that fits into `most` bytes and ends with a whole character.
fn fitting(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

pub(super) unsafe extern "C" fn destroy(object: abi::Object) {
    // SAFETY: `create` made the object, and the caller gives it up.
    let end = unsafe { Box::from_raw(object.cast::<End>()) };
    // A panic has nobody who could be told.
    let _ = caught(|| drop(end));
}

pub(super) unsafe extern "C" fn error(object: abi::Object) -> abi::Text {
    text(&of(object).error)
}

pub(super) unsafe extern "C" fn connect(object: abi::Object, now: u64) -> i32 {
    act(object, |transport| transport.connect(now))
}

pub(super) unsafe extern "C" fn receive(
    object: abi::Object,
    now: u64,
    ecn: u32,
    start: *const u8,
    length: usize,
) -> i32 {
    let ecn = Ecn::from_bits((ecn & 3) as u8);
    act(object, |transport| transport.receive(now, ecn, bytes(start, length)))
}

pub(super) unsafe extern "C" fn transmit(
    object: abi::Object,
    now: u64,
    start: *mut u8,
    capacity: usize,
    length: *mut usize,
    about: *mut abi::Transmit,
) -> i32 {
    status(call(object, |end| {
        end.datagram.clear();
        let Some(sent) = end.transport.transmit(now, &mut end.datagram) else { return Ok(()) };
        let count = end.datagram.len();
        let Some(place) = buffer(start, capacity).get_mut(..count) else {
            return Err(format!("transmit wrote a datagram of {count} bytes; accepted: at most {capacity}"));
        };
        place.copy_from_slice(&end.datagram);
        set(length, count);
        let (ecn, retransmission) = (sent.ecn as u32, sent.retransmission.into());
        set(about, abi::Transmit { ecn, payload: sent.payload, retransmission, reserved: 0 });
        Ok(())
    }))
}

/// A panic makes the timeout due at once, so that the caller learns of it from [`expire`].
pub(super) unsafe extern "C" fn timeout(object: abi::Object) -> u64 {
    call(object, |end| Ok(end.transport.timeout())).unwrap_or(0)
}

pub(super) unsafe extern "C" fn expire(object: abi::Object, now: u64) -> i32 {
    act(object, |transport| transport.expire(now))
}

pub(super) unsafe extern "C" fn open(object: abi::Object, now: u64, stream: *mut u64) -> i32 {
    open_with(object, stream, |transport| transport.open(now))
}

pub(super) unsafe extern "C" fn open_unidirectional(object: abi::Object, now: u64, stream: *mut u64) -> i32 {
    open_with(object, stream, |transport| transport.open_unidirectional(now))
}

fn open_with(object: abi::Object, stream: *mut u64, body: impl FnOnce(&mut dyn Transport) -> Option<StreamId>) -> i32 {
    status(call(object, |end| Ok(body(&mut *end.transport))).map(|opened| {
        if let Some(opened) = opened {
            set(stream, opened);
        }
    }))
}

pub(super) unsafe extern "C" fn prioritize(object: abi::Object, now: u64, stream: u64, priority: i32) -> i32 {
    act(object, |transport| transport.prioritize(now, stream, priority))
}

pub(super) unsafe extern "C" fn reset(object: abi::Object, now: u64, stream: u64, code: u64) -> i32 {
    act(object, |transport| transport.reset(now, stream, code))
}

pub(super) unsafe extern "C" fn write(
    object: abi::Object,
    now: u64,
    stream: u64,
    start: *const u8,
    length: usize,
    taken: *mut usize,
) -> i32 {
    let written = call(object, |end| Ok(end.transport.write(now, stream, bytes(start, length))));
    status(written.map(|count| set(taken, count)))
}

pub(super) unsafe extern "C" fn finish(object: abi::Object, now: u64, stream: u64) -> i32 {
    act(object, |transport| transport.finish(now, stream))
}

pub(super) unsafe extern "C" fn read(
    object: abi::Object,
    now: u64,
    stream: u64,
    start: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    let moved = call(object, |end| Ok(end.transport.read(now, stream, buffer(start, capacity))));
    status(moved.map(|moved| set(count, moved)))
}

pub(super) unsafe extern "C" fn close(object: abi::Object, now: u64, code: u64) -> i32 {
    act(object, |transport| transport.close(now, code))
}

pub(super) unsafe extern "C" fn poll(object: abi::Object, event: *mut abi::Event) -> i32 {
    status(call(object, |end| {
        let Some(found) = end.transport.poll() else { return Ok(()) };
        let (kind, stream, code) = match found {
            Event::Connected => (abi::CONNECTED, 0, 0),
            Event::Opened(stream) => (abi::OPENED, stream, 0),
            Event::Readable(stream) => (abi::READABLE, stream, 0),
            Event::Writable(stream) => (abi::WRITABLE, stream, 0),
            Event::PeerFinished(stream) => (abi::PEER_FINISHED, stream, 0),
            Event::Delivered(stream) => (abi::DELIVERED, stream, 0),
            Event::OpenedUnidirectional(stream) => (abi::OPENED_UNIDIRECTIONAL, stream, 0),
            Event::Reset(stream, code) => (abi::RESET, stream, code),
            Event::Closed(reason) => {
                end.reason = reason.unwrap_or_default();
                (abi::CLOSED, 0, 0)
            }
        };
        let reason = if kind == abi::CLOSED { text(&end.reason) } else { text("") };
        set(event, abi::Event { kind, reserved: 0, stream, reason, code });
        Ok(())
    }))
}

pub(super) unsafe extern "C" fn statistics(object: abi::Object, place: *mut abi::Statistics) -> i32 {
    status(call(object, |end| {
        let own = end.transport.statistics();
        let number = |value: Option<u64>| value.unwrap_or(abi::UNKNOWN);
        set(
            place,
            abi::Statistics {
                window: number(own.window),
                threshold: number(own.threshold),
                in_flight: number(own.in_flight),
                srtt: number(own.srtt),
                rtt_variation: number(own.rtt_variation),
                latest_rtt: number(own.latest_rtt),
                min_rtt: number(own.min_rtt),
                pacing_rate: number(own.pacing_rate),
                delivery_rate: number(own.delivery_rate),
                lost: own.lost,
                retransmitted: own.retransmitted,
                timeouts: own.timeouts,
                reductions: own.reductions,
                state: text(own.state.unwrap_or_default()),
            },
        );
        Ok(())
    }))
}

pub(super) unsafe extern "C" fn take_log(
    object: abi::Object,
    start: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    status(call(object, |end| {
        if end.log.is_empty() {
            end.log = end.transport.take_log();
        }
        let length = end.log.len().min(capacity);
        buffer(start, length).copy_from_slice(&end.log[..length]);
        end.log.drain(..length);
        set(count, length);
        Ok(())
    }))
}

const _: () = assert!(NEVER == u64::MAX, "the time of a timeout that never comes is that of the C header");
