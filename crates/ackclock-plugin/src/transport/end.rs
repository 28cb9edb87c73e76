//! An end of a connection of a library. What the library returns is checked.

use std::cell::{Cell, RefCell};
use std::ffi::c_char;

use ackclock_core::{Ecn, Nanos};
use ackclock_transport::{Event, Features, NEVER, Statistics, StreamId, Transmit, Transport, abi};

use super::text;

/// Declares [`Functions`] from its fields, all of which a table must have.
macro_rules! functions {
    ($($name:ident: $Type:ty;)*) => {
        /// The functions of a table.
        #[derive(Clone, Copy)]
        pub struct Functions {
            $(pub $name: $Type,)*
            take_log: Option<unsafe extern "C" fn(abi::Object, *mut u8, usize, *mut usize) -> i32>,
            open_unidirectional: Option<unsafe extern "C" fn(abi::Object, u64, *mut u64) -> i32>,
            prioritize: Option<unsafe extern "C" fn(abi::Object, u64, u64, i32) -> i32>,
            reset: Option<unsafe extern "C" fn(abi::Object, u64, u64, u64) -> i32>,
        }

        impl Functions {
            /// The functions of a table, or the name of the first one that is missing.
            pub fn new(table: &abi::Stack) -> Result<Functions, &'static str> {
                Ok(Functions {
                    $($name: table.$name.ok_or(stringify!($name))?,)*
                    take_log: table.take_log,
                    open_unidirectional: table.open_unidirectional,
                    prioritize: table.prioritize,
                    reset: table.reset,
                })
            }

            /// The abilities for which the table has functions.
            pub fn features(&self) -> Features {
                Features {
                    unidirectional: self.open_unidirectional.is_some(),
                    priorities: self.prioritize.is_some(),
                    resets: self.reset.is_some(),
                }
            }
        }
    };
}

functions! {
    create: unsafe extern "C" fn(u64, *const abi::Setup, *mut abi::Object, *mut c_char, usize) -> i32;
    destroy: unsafe extern "C" fn(abi::Object);
    error: unsafe extern "C" fn(abi::Object) -> abi::Text;
    connect: unsafe extern "C" fn(abi::Object, u64) -> i32;
    receive: unsafe extern "C" fn(abi::Object, u64, u32, *const u8, usize) -> i32;
    transmit: unsafe extern "C" fn(abi::Object, u64, *mut u8, usize, *mut usize, *mut abi::Transmit) -> i32;
    timeout: unsafe extern "C" fn(abi::Object) -> u64;
    expire: unsafe extern "C" fn(abi::Object, u64) -> i32;
    open: unsafe extern "C" fn(abi::Object, u64, *mut u64) -> i32;
    write: unsafe extern "C" fn(abi::Object, u64, u64, *const u8, usize, *mut usize) -> i32;
    finish: unsafe extern "C" fn(abi::Object, u64, u64) -> i32;
    read: unsafe extern "C" fn(abi::Object, u64, u64, *mut u8, usize, *mut usize) -> i32;
    close: unsafe extern "C" fn(abi::Object, u64, u64) -> i32;
    poll: unsafe extern "C" fn(abi::Object, *mut abi::Event) -> i32;
    statistics: unsafe extern "C" fn(abi::Object, *mut abi::Statistics) -> i32;
}

/// An end.
pub struct End {
    functions: Functions,
    object: abi::Object,
    /// Largest datagram, in bytes.
    datagram: usize,
    /// Whether a call failed; no function except `destroy` is called afterwards.
    failed: Cell<bool>,
    /// The end of the connection because of a failure, until the caller takes it.
    ending: RefCell<Option<Event>>,
}

#[expect(unsafe_code, reason = "an object of a library")]
// SAFETY: the contract of the table: an object may be used in any thread, in one at a time.
unsafe impl Send for End {}

/// A pointer to bytes that is valid for none as well.
const NO_TEXT: abi::Text = abi::Text { start: std::ptr::null(), length: 0 };

impl End {
    pub fn new(functions: Functions, object: abi::Object, datagram: u32) -> End {
        End { functions, object, datagram: datagram as usize, failed: Cell::new(false), ending: RefCell::new(None) }
    }

    /// Calls a function, unless a call failed before. Returns whether the call has been done.
    fn call(&self, name: &str, body: impl FnOnce(&Functions, abi::Object) -> i32) -> bool {
        if self.failed.get() {
            return false;
        }
        let status = body(&self.functions, self.object);
        if status == abi::OK {
            return true;
        }
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the object is that of `create`.
        let told = text(unsafe { (self.functions.error)(self.object) });
        self.fail(match told {
            Ok(told) if told.is_empty() => format!("{name} returned the status {status} without a text"),
            Ok(told) => told,
            Err(wrong) => format!("{name} returned the status {status}, and the text of the error {wrong}"),
        });
        false
    }

    /// Ends the connection, and all calls of the library for it.
    #[cold]
    fn fail(&self, reason: String) {
        if !self.failed.replace(true) {
            *self.ending.borrow_mut() = Some(Event::Closed(Some(reason)));
        }
    }

    /// Returns a count of the library if it is at most `most`.
    fn counted(&self, name: &str, count: usize, most: usize) -> usize {
        if count > most {
            self.fail(format!("{name} returned {count} bytes; accepted: at most {most}"));
            return 0;
        }
        count
    }

    /// Reads an event.
    fn event(&self, event: &abi::Event) -> Option<Event> {
        let stream = event.stream;
        Some(match event.kind {
            abi::NONE => return None,
            abi::CONNECTED => Event::Connected,
            abi::OPENED => Event::Opened(stream),
            abi::READABLE => Event::Readable(stream),
            abi::WRITABLE => Event::Writable(stream),
            abi::PEER_FINISHED => Event::PeerFinished(stream),
            abi::DELIVERED => Event::Delivered(stream),
            abi::OPENED_UNIDIRECTIONAL => Event::OpenedUnidirectional(stream),
            abi::RESET => Event::Reset(stream, event.code),
            abi::CLOSED => match text(event.reason) {
                Ok(reason) => Event::Closed(Some(reason).filter(|reason| !reason.is_empty())),
                Err(wrong) => {
                    self.fail(format!("poll returned Closed, and its reason {wrong}"));
                    return None;
                }
            },
            other => {
                self.fail(format!("poll returned an event of kind {other}; accepted: 0 to {}", abi::RESET));
                return None;
            }
        })
    }
}

#[expect(unsafe_code, reason = "functions of a library")]
// SAFETY of all calls: the object is that of `create`, buffers are valid for the lengths that are passed with them, and
// places for results are valid during the call.
impl Transport for End {
    fn connect(&mut self, now: Nanos) {
        // SAFETY: as above.
        self.call("connect", |table, object| unsafe { (table.connect)(object, now) });
    }

    fn receive(&mut self, now: Nanos, ecn: Ecn, datagram: &[u8]) {
        let (start, length) = (datagram.as_ptr(), datagram.len());
        // SAFETY: as above.
        self.call("receive", |table, object| unsafe { (table.receive)(object, now, ecn as u32, start, length) });
    }

    fn transmit(&mut self, now: Nanos, datagram: &mut Vec<u8>) -> Option<Transmit> {
        datagram.resize(self.datagram, 0);
        let (mut length, mut about) = (0, abi::Transmit::default());
        let (start, capacity) = (datagram.as_mut_ptr(), datagram.len());
        // SAFETY: as above.
        let done = self.call("transmit", |table, object| unsafe {
            (table.transmit)(object, now, start, capacity, &raw mut length, &raw mut about)
        });
        let length = if done { self.counted("transmit", length, capacity) } else { 0 };
        datagram.truncate(length);
        let abi::Transmit { ecn, payload, retransmission, .. } = about;
        if length > 0 && (ecn > 3 || payload as usize > length || retransmission > 1) {
            self.fail(format!(
                "transmit returned a datagram of {length} bytes with ECN {ecn}, {payload} bytes of payload and \
                 retransmission {retransmission}; accepted: 0 to 3, at most the length, and 0 or 1"
            ));
            datagram.clear();
        }
        let ecn = Ecn::from_bits((ecn & 3) as u8);
        (!datagram.is_empty()).then_some(Transmit { ecn, payload, retransmission: retransmission == 1 })
    }

    fn timeout(&self) -> Nanos {
        if self.failed.get() {
            return NEVER;
        }
        // SAFETY: as above.
        unsafe { (self.functions.timeout)(self.object) }
    }

    fn expire(&mut self, now: Nanos) {
        // SAFETY: as above.
        self.call("expire", |table, object| unsafe { (table.expire)(object, now) });
    }

    fn open(&mut self, now: Nanos) -> Option<StreamId> {
        let mut stream = abi::UNKNOWN;
        // SAFETY: as above.
        let done = self.call("open", |table, object| unsafe { (table.open)(object, now, &raw mut stream) });
        (done && stream != abi::UNKNOWN).then_some(stream)
    }

    fn open_unidirectional(&mut self, now: Nanos) -> Option<StreamId> {
        let open = self.functions.open_unidirectional?;
        let mut stream = abi::UNKNOWN;
        // SAFETY: as above.
        let done = self.call("open_unidirectional", |_, object| unsafe { open(object, now, &raw mut stream) });
        (done && stream != abi::UNKNOWN).then_some(stream)
    }

    fn prioritize(&mut self, now: Nanos, stream: StreamId, priority: i32) {
        if let Some(prioritize) = self.functions.prioritize {
            // SAFETY: as above.
            self.call("prioritize", |_, object| unsafe { prioritize(object, now, stream, priority) });
        }
    }

    fn reset(&mut self, now: Nanos, stream: StreamId, code: u64) {
        if let Some(reset) = self.functions.reset {
            // SAFETY: as above.
            self.call("reset", |_, object| unsafe { reset(object, now, stream, code) });
        }
    }

    fn write(&mut self, now: Nanos, stream: StreamId, bytes: &[u8]) -> usize {
        let mut taken = 0;
        let (start, length) = (bytes.as_ptr(), bytes.len());
        // SAFETY: as above.
        let done = self.call("write", |table, object| unsafe {
            (table.write)(object, now, stream, start, length, &raw mut taken)
        });
        if done { self.counted("write", taken, length) } else { 0 }
    }

    fn finish(&mut self, now: Nanos, stream: StreamId) {
        // SAFETY: as above.
        self.call("finish", |table, object| unsafe { (table.finish)(object, now, stream) });
    }

    fn read(&mut self, now: Nanos, stream: StreamId, buffer: &mut [u8]) -> usize {
        let mut count = 0;
        let (start, capacity) = (buffer.as_mut_ptr(), buffer.len());
        // SAFETY: as above.
        let done = self.call("read", |table, object| unsafe {
            (table.read)(object, now, stream, start, capacity, &raw mut count)
        });
        if done { self.counted("read", count, capacity) } else { 0 }
    }

    fn close(&mut self, now: Nanos, code: u64) {
        // SAFETY: as above.
        self.call("close", |table, object| unsafe { (table.close)(object, now, code) });
    }

    fn poll(&mut self) -> Option<Event> {
        let mut event = abi::Event { kind: abi::NONE, reserved: 0, stream: 0, reason: NO_TEXT, code: 0 };
        // SAFETY: as above.
        let done = self.call("poll", |table, object| unsafe { (table.poll)(object, &raw mut event) });
        let event = if done { self.event(&event) } else { None };
        event.or_else(|| self.ending.take())
    }

    fn statistics(&self) -> Statistics {
        let unknown = abi::UNKNOWN;
        let mut own = abi::Statistics {
            window: unknown,
            threshold: unknown,
            in_flight: unknown,
            srtt: unknown,
            rtt_variation: unknown,
            latest_rtt: unknown,
            min_rtt: unknown,
            pacing_rate: unknown,
            delivery_rate: unknown,
            lost: 0,
            retransmitted: 0,
            timeouts: 0,
            reductions: 0,
            state: NO_TEXT,
        };
        // SAFETY: as above.
        let done = self.call("statistics", |table, object| unsafe { (table.statistics)(object, &raw mut own) });
        if !done {
            return Statistics::default();
        }
        let known = |value: u64| Some(value).filter(|value| *value != unknown);
        Statistics {
            window: known(own.window),
            threshold: known(own.threshold),
            in_flight: known(own.in_flight),
            srtt: known(own.srtt),
            rtt_variation: known(own.rtt_variation),
            latest_rtt: known(own.latest_rtt),
            min_rtt: known(own.min_rtt),
            pacing_rate: known(own.pacing_rate),
            delivery_rate: known(own.delivery_rate),
            state: self.state(own.state),
            lost: own.lost,
            retransmitted: own.retransmitted,
            timeouts: own.timeouts,
            reductions: own.reductions,
        }
    }

    fn take_log(&mut self) -> Vec<u8> {
        let mut log = Vec::new();
        let Some(take_log) = self.functions.take_log else { return log };
        let mut buffer = vec![0; 1 << 16];
        loop {
            let mut count = 0;
            let (start, capacity) = (buffer.as_mut_ptr(), buffer.len());
            // SAFETY: as above.
            let done = self.call("take_log", |_, object| unsafe { take_log(object, start, capacity, &raw mut count) });
            let count = if done { self.counted("take_log", count, capacity) } else { 0 };
            if count == 0 {
                return log;
            }
            log.extend_from_slice(&buffer[..count]);
        }
    }
}

impl End {
    /// Reads the state of the congestion control, which is a constant of the library.
    fn state(&self, state: abi::Text) -> Option<&'static str> {
        match text(state) {
            Ok(told) if told.is_empty() => None,
            Ok(_) => {
                #[expect(unsafe_code, reason = "a text of a library")]
                // SAFETY: the contract: a constant of the library, which is never closed; it was just checked.
                let bytes = unsafe { std::slice::from_raw_parts(state.start.cast::<u8>(), state.length) };
                std::str::from_utf8(bytes).ok()
            }
            Err(wrong) => {
                self.fail(format!("the state of the statistics {wrong}"));
                None
            }
        }
    }
}

impl Drop for End {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "an object of a library")]
        // SAFETY: the object is that of `create`, and nobody uses it after this.
        unsafe {
            (self.functions.destroy)(self.object);
        }
    }
}
