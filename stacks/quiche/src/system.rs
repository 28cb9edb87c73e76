//! The time, the date and the random numbers that quiche and BoringSSL see.
//!
//! quiche reads the system's clock, and BoringSSL draws from the system's generator. `build.rs` lets the linker redirect
//! these calls to the functions here. They answer from what the end at work has lent to its thread; outside a call of
//! an end they call the function that was meant.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use ackclock_core::{Nanos, Random, SECOND};
use ackclock_transport::NEVER;

/// Reading of the monotonic clock at simulated time 0, in s. quiche subtracts durations from early instants.
const MONOTONIC: u64 = 1_000_000;

/// Date of simulated time 0, in s since 1970: 1 January 2026.
const DATE: u64 = 1_767_225_600;

/// Time and random numbers of one end.
#[derive(Clone, Debug)]
struct Lent {
    now: Nanos,
    random: Random,
}

thread_local! {
    static LENT: RefCell<Option<Lent>> = const { RefCell::new(None) };
}

/// The loan of a time and a generator to the thread, which ends when it is dropped. A panic ends it too.
pub(crate) struct Loan<'a>(&'a mut Random);

impl<'a> Loan<'a> {
    /// Lends the time `now` and a generator to the thread.
    pub(crate) fn new(now: Nanos, random: &'a mut Random) -> Loan<'a> {
        LENT.set(Some(Lent { now, random: random.clone() }));
        Loan(random)
    }

    /// Changes the time.
    pub(crate) fn set(&self, now: Nanos) {
        LENT.with_borrow_mut(|lent| lent.iter_mut().for_each(|lent| lent.now = now));
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        if let Some(lent) = LENT.take() {
            *self.0 = lent.random;
        }
    }
}

/// Returns the simulated time of an instant of quiche's.
pub(crate) fn time(instant: Instant) -> Nanos {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let origin = ORIGIN.get_or_init(|| {
        let outer = LENT.replace(Some(Lent { now: 0, random: Random::new([0; 32]) }));
        let origin = Instant::now();
        LENT.set(outer);
        origin
    });
    nanos(instant.saturating_duration_since(*origin))
}

/// Returns the instant of the time that is lent to this thread.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns a duration in ns.
pub(crate) fn nanos(duration: Duration) -> Nanos {
    u64::try_from(duration.as_nanos()).unwrap_or(NEVER)
}

/// Returns random bytes.
pub(crate) fn bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    let mut bytes = [0; N];
    fill(random, &mut bytes);
    bytes
}

fn fill(random: &mut Random, bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        let bits = random.bits().to_le_bytes();
        chunk.copy_from_slice(&bits[..chunk.len()]);
    }
}

/// The time that is lent to this thread.
fn lent() -> Option<Nanos> {
    // A thread that ends has no loan.
    LENT.try_with(|lent| lent.try_borrow().ok()?.as_ref().map(|lent| lent.now)).ok().flatten()
}

unsafe extern "C" {
    fn __real_clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int;
    fn __real_gettimeofday(time: *mut libc::timeval, zone: *mut c_void) -> c_int;
    fn __real_time(time: *mut libc::time_t) -> libc::time_t;
    fn __real_RAND_bytes(buffer: *mut u8, length: usize) -> c_int;
}

/// Answers `clock_gettime` of the library's own code, of quiche and of BoringSSL.
///
/// # Safety
/// `time` is valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_clock_gettime(clock: libc::clockid_t, time: *mut libc::timespec) -> c_int {
    let start = match clock {
        libc::CLOCK_MONOTONIC | libc::CLOCK_MONOTONIC_RAW | libc::CLOCK_MONOTONIC_COARSE | libc::CLOCK_BOOTTIME => {
            Some(MONOTONIC)
        }
        libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE => Some(DATE),
        _ => None,
    };
    let (Some(start), Some(now)) = (start, lent()) else {
        // SAFETY: the arguments are the caller's.
        return unsafe { __real_clock_gettime(clock, time) };
    };
    let value = libc::timespec { tv_sec: (start + now / SECOND) as libc::time_t, tv_nsec: (now % SECOND) as _ };
    // SAFETY: the caller passes a place for the time.
    unsafe { time.write(value) };
    0
}

/// Answers `gettimeofday`, from which BoringSSL takes the date of sessions.
///
/// # Safety
/// `time` is valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_gettimeofday(time: *mut libc::timeval, zone: *mut c_void) -> c_int {
    let Some(now) = lent() else {
        // SAFETY: the arguments are the caller's.
        return unsafe { __real_gettimeofday(time, zone) };
    };
    let value = libc::timeval { tv_sec: (DATE + now / SECOND) as libc::time_t, tv_usec: (now % SECOND / 1000) as _ };
    // SAFETY: the caller passes a place for the time.
    unsafe { time.write(value) };
    0
}

/// Answers `time`, from which BoringSSL takes the date that certificates must cover.
///
/// # Safety
/// `time` is null or valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_time(time: *mut libc::time_t) -> libc::time_t {
    let Some(now) = lent() else {
        // SAFETY: the argument is the caller's.
        return unsafe { __real_time(time) };
    };
    let value = (DATE + now / SECOND) as libc::time_t;
    if !time.is_null() {
        // SAFETY: the caller passes a place for the time.
        unsafe { time.write(value) };
    }
    value
}

/// Answers `RAND_bytes`, from which quiche and BoringSSL's TLS take all random numbers.
///
/// # Safety
/// `buffer` is valid for writing `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_RAND_bytes(buffer: *mut u8, length: usize) -> c_int {
    let done = LENT.try_with(|lent| {
        let mut lent = lent.try_borrow_mut().ok()?;
        let random = &mut lent.as_mut()?.random;
        if length > 0 {
            // SAFETY: the caller passes a place for so many bytes.
            fill(random, unsafe { std::slice::from_raw_parts_mut(buffer, length) });
        }
        Some(())
    });
    if done.ok().flatten().is_some() {
        return 1;
    }
    // SAFETY: the arguments are the caller's.
    unsafe { __real_RAND_bytes(buffer, length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loan_decides_the_clock_and_ends() {
        let before = Instant::now();
        let mut random = Random::new([7; 32]);
        let loan = Loan::new(5_000_000_001, &mut random);
        assert_eq!(time(now()), 5_000_000_001);
        loan.set(17);
        assert_eq!(time(now()), 17);
        let date = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        assert_eq!(date, Duration::from_secs(DATE) + Duration::from_nanos(17));
        drop(loan);
        assert!(Instant::now() >= before, "the system's clock is back");
    }

    #[test]
    fn a_lent_generator_goes_on_where_it_was() {
        let mut straight = Random::new([7; 32]);
        let mut lent = straight.clone();
        let mut drawn = Vec::new();
        for _ in 0..3 {
            let _loan = Loan::new(0, &mut lent);
            let mut bytes = [0; 8];
            boring::rand::rand_bytes(&mut bytes).unwrap();
            drawn.push(bytes);
        }
        assert_eq!(drawn, [bytes::<8>(&mut straight), bytes(&mut straight), bytes(&mut straight)]);
        let mut real = [[0; 16]; 2];
        real.iter_mut().for_each(|bytes| boring::rand::rand_bytes(bytes).unwrap());
        assert_ne!(real[0], real[1], "the system's generator is back");
    }

    #[test]
    fn a_panic_ends_a_loan() {
        let result = std::panic::catch_unwind(|| {
            let mut random = Random::new([7; 32]);
            let _loan = Loan::new(0, &mut random);
            panic!("in a call");
        });
        assert!(result.is_err());
        assert_eq!(lent(), None);
    }
}
