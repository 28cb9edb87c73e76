//! Checks of the values that a library returns. The tables here are built in Rust, with C's layout.

use std::ffi::c_void;

use ackclock_core::{Ecn, NEVER};
use ackclock_transport::{Event, Parameters, Transmit};

use super::*;

const fn of_text(text: &'static str) -> abi::Text {
    abi::Text { start: text.as_ptr().cast(), length: text.len() }
}

/// The fault of an end, which stands in its object.
#[repr(C)]
struct Object {
    fault: u32,
    polls: u32,
}

const SOUND: u32 = 0;
const STATUS: u32 = 1;
const SILENT_STATUS: u32 = 2;
const LONG_DATAGRAM: u32 = 3;
const PAYLOAD: u32 = 4;
const ECN: u32 = 5;
const TAKEN: u32 = 6;
const READ: u32 = 7;
const EVENT: u32 = 8;
const REASON: u32 = 9;
const LOG: u32 = 10;
const STATE: u32 = 11;

fn fault(object: *mut c_void) -> u32 {
    #[expect(unsafe_code, reason = "an object of this table")]
    // SAFETY: the object is a box of `create`.
    unsafe {
        (*object.cast::<Object>()).fault
    }
}

fn set<T>(place: *mut T, value: T) {
    #[expect(unsafe_code, reason = "a place of the caller")]
    // SAFETY: the contract of the table.
    unsafe {
        place.write(value);
    }
}

extern "C" fn create(
    _: u64,
    setup: *const abi::Setup,
    object: *mut abi::Object,
    message: *mut c_char,
    _: usize,
) -> i32 {
    #[expect(unsafe_code, reason = "the setup of the caller")]
    // SAFETY: the contract of the table.
    let fault = unsafe { (*(*setup).values).number } as u32;
    match fault {
        98 => return 7,
        99 => {
            for (at, byte) in b"no\0".iter().enumerate() {
                set(message.wrapping_add(at), byte.cast_signed());
            }
            return 1;
        }
        100 => return 0,
        _ => set(object, Box::into_raw(Box::new(Object { fault, polls: 0 })).cast()),
    }
    0
}

extern "C" fn destroy(object: abi::Object) {
    #[expect(unsafe_code, reason = "an object of this table")]
    // SAFETY: the object is a box of `create`, and is not used any more.
    drop(unsafe { Box::from_raw(object.cast::<Object>()) });
}

extern "C" fn error(object: abi::Object) -> abi::Text {
    of_text(if fault(object) == SILENT_STATUS { "" } else { "out of buffers" })
}

extern "C" fn at(_: abi::Object, _: u64) -> i32 {
    0
}

extern "C" fn receive(object: abi::Object, _: u64, _: u32, _: *const u8, _: usize) -> i32 {
    i32::from([STATUS, SILENT_STATUS].contains(&fault(object))) * -4
}

extern "C" fn transmit(
    object: abi::Object,
    _: u64,
    buffer: *mut u8,
    capacity: usize,
    length: *mut usize,
    about: *mut abi::Transmit,
) -> i32 {
    set(buffer, 77);
    set(length, if fault(object) == LONG_DATAGRAM { capacity + 1 } else { 1 });
    let payload = if fault(object) == PAYLOAD { 2 } else { 1 };
    set(
        about,
        abi::Transmit { ecn: if fault(object) == ECN { 4 } else { 2 }, payload, retransmission: 1, reserved: 0 },
    );
    0
}

extern "C" fn timeout(_: abi::Object) -> u64 {
    5
}

extern "C" fn open(_: abi::Object, now: u64, stream: *mut u64) -> i32 {
    if now > 0 {
        set(stream, 3);
    }
    0
}

extern "C" fn write(object: abi::Object, _: u64, _: u64, _: *const u8, length: usize, taken: *mut usize) -> i32 {
    set(taken, if fault(object) == TAKEN { length + 1 } else { length });
    0
}

extern "C" fn of_stream(_: abi::Object, _: u64, _: u64) -> i32 {
    0
}

extern "C" fn read(object: abi::Object, _: u64, _: u64, _: *mut u8, capacity: usize, count: *mut usize) -> i32 {
    set(count, if fault(object) == READ { capacity + 1 } else { capacity });
    0
}

extern "C" fn poll(object: abi::Object, event: *mut abi::Event) -> i32 {
    #[expect(unsafe_code, reason = "an object of this table")]
    // SAFETY: the object is a box of `create`.
    let polls = unsafe { &mut (*object.cast::<Object>()).polls };
    *polls += 1;
    let kind = match (fault(object), *polls) {
        (EVENT, _) => 10,
        (REASON, _) => abi::CLOSED,
        (_, kind @ 1..=9) => kind,
        _ => abi::NONE,
    };
    static NOT_TEXT: [u8; 2] = [0xff, 0xfe];
    let wrong = abi::Text { start: NOT_TEXT.as_ptr().cast(), length: 2 };
    let reason = if kind == 7 && *polls != 7 { wrong } else { of_text("") };
    set(event, abi::Event { kind, reserved: 0, stream: 9, reason, code: 77 });
    0
}

extern "C" fn statistics(object: abi::Object, statistics: *mut abi::Statistics) -> i32 {
    #[expect(unsafe_code, reason = "a place of the caller")]
    // SAFETY: the contract of the table.
    let own = unsafe { &mut *statistics };
    own.window = 10;
    own.lost = 4;
    own.state =
        if fault(object) == STATE { abi::Text { start: std::ptr::null(), length: 1 } } else { of_text("steady") };
    0
}

extern "C" fn take_log(object: abi::Object, _: *mut u8, capacity: usize, count: *mut usize) -> i32 {
    set(count, if fault(object) == LOG { capacity + 1 } else { 0 });
    0
}

/// A status that tells which values have arrived.
extern "C" fn prioritize(_: abi::Object, now: u64, stream: u64, priority: i32) -> i32 {
    i32::from((now, stream, priority) != (1, 3, -5))
}

extern "C" fn reset(_: abi::Object, now: u64, stream: u64, code: u64) -> i32 {
    i32::from((now, stream, code) != (1, 3, 77))
}

fn parameter() -> abi::Parameter {
    abi::Parameter {
        name: of_text("fault"),
        summary: of_text("number of the fault"),
        kind: abi::NUMBER,
        reserved: 0,
        least: 0.0,
        most: 100.0,
        default_number: 0.0,
        names: std::ptr::null(),
        name_count: 0,
        default_name: 0,
    }
}

fn table(rows: Vec<abi::Parameter>) -> abi::Stack {
    let rows: &'static [abi::Parameter] = Vec::leak(rows);
    abi::Stack {
        name: of_text("faulty"),
        summary: of_text("a test"),
        source: of_text("1"),
        parameters: rows.as_ptr(),
        parameter_count: rows.len(),
        overhead: 28,
        reserved: 0,
        create: Some(create),
        destroy: Some(destroy),
        error: Some(error),
        connect: Some(at),
        receive: Some(receive),
        transmit: Some(transmit),
        timeout: Some(timeout),
        expire: Some(at),
        open: Some(open),
        write: Some(write),
        finish: Some(of_stream),
        read: Some(read),
        close: Some(of_stream),
        poll: Some(poll),
        statistics: Some(statistics),
        take_log: Some(take_log),
        open_unidirectional: Some(open),
        prioritize: Some(prioritize),
        reset: Some(reset),
    }
}

fn library(table: abi::Stack) -> Result<Library, String> {
    Library::new(Box::leak(Box::new(table)))
}

fn created(fault: u32) -> Result<Box<dyn Transport>, String> {
    let mut parameters = Parameters::default();
    parameters.0.insert("fault".to_owned(), Value::Number(fault.into()));
    let setup = Setup { role: Role::Server, seed: [0; 32], datagram: 50, parameters: &parameters, log: true };
    library(table(vec![parameter()])).unwrap().create(0, &setup)
}

#[test]
fn sound_results_are_passed_on() {
    let mut end = created(SOUND).unwrap();
    end.receive(0, Ecn::Ce, &[]);
    let mut datagram = Vec::new();
    let about = Transmit { ecn: Ecn::Ect0, payload: 1, retransmission: true };
    assert_eq!((end.transmit(0, &mut datagram), &datagram[..]), (Some(about), &[77][..]));
    assert_eq!((end.open(0), end.open(1), end.timeout()), (None, Some(3), 5));
    assert_eq!((end.write(0, 3, &[1, 2]), end.read(0, 3, &mut [0; 4])), (2, 4));
    let events: Vec<Event> = std::iter::from_fn(|| end.poll()).collect();
    let (opened, readable, writable) = (Event::Opened(9), Event::Readable(9), Event::Writable(9));
    let ends = [
        Event::PeerFinished(9),
        Event::Delivered(9),
        Event::Closed(None),
        Event::OpenedUnidirectional(9),
        Event::Reset(9, 77),
    ];
    assert_eq!(events, [&[Event::Connected, opened, readable, writable][..], &ends].concat());
    assert_eq!((end.open_unidirectional(0), end.open_unidirectional(1)), (None, Some(3)));
    end.prioritize(1, 3, -5);
    end.reset(1, 3, 77);
    assert_eq!(end.poll(), None, "both calls have been done");
    let own = end.statistics();
    assert_eq!((own.window, own.srtt, own.lost, own.state), (Some(10), None, 4, Some("steady")));
    assert_eq!(end.take_log(), []);
}

#[test]
fn a_wrong_result_ends_the_connection_with_a_reason_and_all_calls() {
    for (fault, words) in [
        (STATUS, "out of buffers"),
        (SILENT_STATUS, "receive returned the status -4 without a text"),
        (LONG_DATAGRAM, "transmit returned 51 bytes; accepted: at most 50"),
        (PAYLOAD, "a datagram of 1 bytes with ECN 2, 2 bytes of payload"),
        (ECN, "a datagram of 1 bytes with ECN 4, 1 bytes of payload"),
        (TAKEN, "write returned 3 bytes; accepted: at most 2"),
        (READ, "read returned 5 bytes; accepted: at most 4"),
        (EVENT, "poll returned an event of kind 10; accepted: 0 to 9"),
        (REASON, "poll returned Closed, and its reason is not UTF-8"),
        (LOG, "take_log returned 65537 bytes; accepted: at most 65536"),
        (STATE, "the state of the statistics has no address or 1 bytes"),
    ] {
        let mut end = created(fault).unwrap();
        end.receive(0, Ecn::NotEct, &[1]);
        let mut datagram = Vec::new();
        let sent = end.transmit(0, &mut datagram);
        assert_eq!(sent.is_some(), !datagram.is_empty(), "{words}");
        let written = end.write(0, 3, &[1, 2]);
        let read = end.read(0, 3, &mut [0; 4]);
        assert!(written <= 2 && read <= 4, "{words}");
        end.take_log();
        end.statistics();
        let reasons: Vec<Event> =
            std::iter::from_fn(|| end.poll()).filter(|event| matches!(event, Event::Closed(Some(_)))).collect();
        let [Event::Closed(Some(reason))] = &reasons[..] else { panic!("{words}: {reasons:?}") };
        assert!(reason.contains(words), "{reason}");
        assert_eq!((end.timeout(), end.open(1), end.write(0, 3, &[1])), (NEVER, None, 0));
    }
}

#[test]
fn create_gives_the_reason_of_the_library_or_its_status() {
    for (fault, words) in
        [(98, "faulty: status 7 without a message"), (99, "faulty: no"), (100, "faulty: create returned no object")]
    {
        assert_eq!(created(fault).map(|_| ()), Err(words.to_owned()));
    }
    let mut parameters = Parameters::default();
    parameters.0.insert("other".to_owned(), Value::Number(1.0));
    let setup = Setup { role: Role::Client, seed: [0; 32], datagram: 50, parameters: &parameters, log: false };
    let message = library(table(vec![parameter()])).unwrap().create(0, &setup).map(|_| ()).unwrap_err();
    assert_eq!(message, "faulty has no parameter other");
}

#[test]
fn tables_that_are_not_valid_are_told() {
    let with = |change: fn(&mut abi::Stack)| {
        let mut table = table(vec![parameter()]);
        change(&mut table);
        library(table).map(|_| ()).unwrap_err()
    };
    let row = |change: fn(&mut abi::Parameter)| {
        let mut row = parameter();
        change(&mut row);
        library(table(vec![row])).map(|_| ()).unwrap_err()
    };
    for (message, words) in [
        (with(|table| table.name = of_text("My Stack")), "\"My Stack\" is no name of a transport"),
        (with(|table| table.name.length = 1 << 20), "the name of a transport has no address or 1048576 bytes"),
        (with(|table| table.parameters = std::ptr::null()), "its table of 1 parameters is not valid"),
        (
            with(|table| table.parameter_count = 5_000),
            "its table of 5000 parameters is not valid; accepted: at most 4096",
        ),
        (with(|table| table.overhead = 1_000), "the overhead of faulty is 1000 bytes"),
        (with(|table| table.poll = None), "transport faulty has no function poll"),
        (row(|row| row.name = of_text("")), "a parameter has an empty name"),
        (row(|row| row.kind = 2), "fault is of kind 2; accepted: 0 for numbers, 1 for names"),
        (row(|row| row.most = f64::NAN), "fault does not accept its default Number(0.0)"),
        (row(|row| row.most = f64::INFINITY), "fault does not accept its default Number(0.0)"),
        (row(|row| row.default_number = 101.0), "fault does not accept its default Number(101.0)"),
        (row(|row| row.kind = abi::NAME), "fault has 0 names and the default 0"),
    ] {
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_table_may_leave_out_what_a_stack_need_not_have() {
    let all = library(table(Vec::new())).unwrap().features();
    assert_eq!(all, Features { unidirectional: true, priorities: true, resets: true });
    let mut plain = table(Vec::new());
    (plain.open_unidirectional, plain.prioritize, plain.reset) = (None, None, None);
    let plain = library(plain).unwrap();
    assert_eq!(plain.features(), Features::default());
}
