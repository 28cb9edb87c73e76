//! Results of system calls, clocks and namespaces.

use std::io;

use ackclock_drill::Stop;
use ackclock_drill::calls::Memory;
use ackclock_tcp::Nanos;

/// Result of a system call.
#[derive(Debug)]
pub struct Reply {
    /// Value that the call returned.
    pub value: i64,
    /// `errno`, if the value is -1.
    pub errno: i32,
    /// Memory that the call filled and that may be compared.
    pub memory: Option<Memory>,
    /// Other numbers that the call wrote: the peer's port of `accept`, or the ends of `pipe`.
    pub numbers: Vec<i32>,
}

impl Reply {
    /// The result of the call that was just made.
    pub fn of(value: i64) -> Reply {
        let errno = if value == -1 { io::Error::last_os_error().raw_os_error().unwrap_or(0) } else { 0 };
        Reply { value, errno, memory: None, numbers: Vec::new() }
    }

    /// The result with the memory that the call filled.
    pub fn with(self, memory: Memory) -> Reply {
        Reply { memory: Some(memory), ..self }
    }
}

/// The error of the system call that just failed.
pub fn failure(what: &str) -> Stop {
    Stop::Fail(format!("{what}: {}", io::Error::last_os_error()))
}

/// The time of a clock.
pub fn clock(clock: libc::clockid_t) -> Nanos {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a `timespec` that lives until the call returns.
    #[expect(unsafe_code, reason = "the realtime clock and the monotonic one have no common safe form in nanoseconds")]
    unsafe {
        libc::clock_gettime(clock, &raw mut time);
    }
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

/// Moves the calling thread into a network namespace of its own, and makes its timers exact.
///
/// # Errors
/// The system's error, such as a missing capability.
pub fn enter_namespace() -> Result<(), Stop> {
    // SAFETY: unshare and prctl take numbers, and signal the disposition to ignore.
    #[expect(unsafe_code, reason = "namespaces, timers and signals are set by system calls that nothing safe makes")]
    unsafe {
        if libc::unshare(libc::CLONE_NEWNET) != 0 {
            return Err(failure("a network namespace"));
        }
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
    }
    Ok(())
}

/// Waits until one of the descriptors is readable, at most for this time.
pub fn wait(descriptors: [i32; 2], most: Nanos) {
    let mut waits = descriptors.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let time = libc::timespec {
        tv_sec: (most / 1_000_000_000) as libc::time_t,
        tv_nsec: (most % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: the pointers are to values that live until the call returns, and the count is that of the array.
    #[expect(unsafe_code, reason = "waiting for nanoseconds is a system call that nothing safe makes")]
    unsafe {
        libc::ppoll(waits.as_mut_ptr(), 2, &raw const time, std::ptr::null());
    }
}
