//! Waiting for descriptors and for the monotonic clock at once.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use ackclock_core::{NEVER, Nanos};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::{Errno, read};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_create,
    timerfd_settime,
};

const SECOND: Nanos = 1_000_000_000;
const ZERO: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// Number of the timer among those of the descriptors.
const TIMER: u64 = u64::MAX;
/// Number of descriptors that one wait can find ready.
const AT_ONCE: usize = 64;

/// Returns the time of the monotonic clock, in ns.
pub fn clock() -> Nanos {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    tv_sec as Nanos * SECOND + tv_nsec as Nanos
}

/// Descriptors with numbers, and a timer.
pub struct Waiter {
    epoll: OwnedFd,
    timer: OwnedFd,
    /// Time at which the timer expires.
    armed: Nanos,
    /// Whether the timer has expired and is still readable. Setting it again makes it unreadable.
    expired: bool,
    /// Whether waiting ends at a time to the nanosecond without the timer.
    precise: bool,
    events: Vec<epoll::Event>,
}

impl Waiter {
    /// Creates a waiter without descriptors.
    ///
    /// # Errors
    /// The system's error.
    pub fn new() -> io::Result<Waiter> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN)?;
        Ok(Waiter { epoll, timer, armed: NEVER, expired: false, precise: false, events: Vec::with_capacity(AT_ONCE) })
    }

    /// Creates a waiter without descriptors for a thread that no timer of the kernel may be late for (SCHED_FIFO): waiting
    /// then takes one system call and no timer, where the kernel is Linux 5.11 or later.
    ///
    /// # Errors
    /// The system's error.
    pub fn precise() -> io::Result<Waiter> {
        Ok(Waiter { precise: true, ..Waiter::new()? })
    }

    /// Watches a descriptor until it is closed.
    ///
    /// # Errors
    /// The system's error.
    pub fn watch(&self, descriptor: impl AsFd, number: u64, flags: EventFlags) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, descriptor, EventData::new_u64(number), flags)?)
    }

    /// Waits until a descriptor is ready or until `until` on the monotonic clock, and adds the numbers of the
    /// descriptors that are ready to `ready`. May return early; with `until` at or before `now`, the caller's last look at
    /// the clock, it does not wait. A look of its own would be a system call in a kernel in user mode.
    ///
    /// # Errors
    /// The system's error.
    pub fn wait(&mut self, now: Nanos, until: Nanos, ready: &mut Vec<(u64, EventFlags)>) -> io::Result<()> {
        let past = until <= now;
        if self.precise && !past {
            match self.wait_for(until - now, ready) {
                // A kernel before Linux 5.11.
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => self.precise = false,
                done => return done,
            }
        }
        // A timer that expires too early only costs a turn of the caller's loop, and setting one costs more.
        if until < self.armed && !past {
            let value = Timespec { tv_sec: (until / SECOND) as i64, tv_nsec: (until % SECOND) as i64 };
            let once = Itimerspec { it_interval: ZERO, it_value: value };
            timerfd_settime(&self.timer, TimerfdTimerFlags::ABSTIME, &once)?;
            (self.armed, self.expired) = (until, false);
        }
        if self.expired && !past {
            let _ = read(&self.timer, &mut [0; 8]);
            self.expired = false;
        }
        self.events.clear();
        let room = rustix::buffer::spare_capacity(&mut self.events);
        match epoll::wait(&self.epoll, room, past.then_some(&ZERO)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &self.events {
            if event.data.u64() == TIMER {
                (self.armed, self.expired) = (NEVER, true);
            } else {
                ready.push((event.data.u64(), event.flags));
            }
        }
        Ok(())
    }

    /// Waits for the descriptors, at most for `time`.
    fn wait_for(&self, time: Nanos, ready: &mut Vec<(u64, EventFlags)>) -> io::Result<()> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; AT_ONCE];
        let time = libc::timespec { tv_sec: (time / SECOND) as i64, tv_nsec: (time % SECOND) as i64 };
        let (epoll, room, no_signals) =
            (self.epoll.as_raw_fd(), AT_ONCE as libc::c_int, std::ptr::null::<libc::sigset_t>());
        // SAFETY: the kernel writes at most `room` events to `events`, and reads `time`; both live until the call returns.
        #[expect(unsafe_code, reason = "nothing safe waits with this precision on kernels of which one is not known")]
        let count = unsafe {
            let events = events.as_mut_ptr();
            libc::syscall(libc::SYS_epoll_pwait2, epoll, events, room, &raw const time, no_signals, 0_usize)
        };
        if count < 0 {
            let error = io::Error::last_os_error();
            return if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) };
        }
        let found = events[..count as usize].iter().filter(|event| event.u64 != TIMER);
        ready.extend(found.map(|event| (event.u64, EventFlags::from_bits_retain(event.events))));
        Ok(())
    }
}
