//! The loop between two TUN devices and an emulation, driven by the monotonic clock.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use ackclock_app::Side;
use ackclock_core::{NEVER, Nanos};
use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::io::{Errno, fcntl_dupfd_cloexec, read, write};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime, timerfd_create,
    timerfd_settime,
};

use crate::{Emulation, Lateness};

const SECOND: Nanos = 1_000_000_000;
/// Size of the largest packet, in bytes.
const LONGEST: usize = 65_575;
/// Number of packets that are taken from a device before the network and the other device have their turn.
const AT_ONCE: usize = 64;
/// Numbers of the descriptors of the loop besides the devices.
const TIMER: u64 = 2;
const STOP: u64 = 3;

/// The descriptors between which packets are forwarded.
pub struct Devices {
    /// TUN devices at the source's and at the sink's side.
    ends: [OwnedFd; 2],
    /// A descriptor that becomes readable when the loop is to end.
    stop: OwnedFd,
}

impl Devices {
    /// Duplicates descriptors by their numbers: TUN devices at the source's and at the sink's side, which do not block,
    /// and a descriptor that becomes readable, or whose other end is closed, when the loop is to end.
    ///
    /// # Errors
    /// The system's error if a number is not that of an open descriptor.
    pub fn of_numbers(source: i32, sink: i32, stop: i32) -> io::Result<Devices> {
        let duplicate = |number: i32| {
            // SAFETY: the descriptor is only duplicated. The caller does not close it meanwhile, and a number that is not
            // open is an error of the call.
            #[expect(unsafe_code, reason = "descriptors come as numbers from another language")]
            let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
            fcntl_dupfd_cloexec(borrowed, 3)
        };
        Ok(Devices { ends: [duplicate(source)?, duplicate(sink)?], stop: duplicate(stop)? })
    }
}

/// The monotonic clock, in ns.
fn clock() -> Nanos {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    tv_sec as Nanos * SECOND + tv_nsec as Nanos
}

/// Forwards packets between the devices through the network until the loop is to end. Returns the time that passed, in
/// ns, and how late packets left.
///
/// # Errors
/// The system's error, for example if a device disappears.
pub fn forward(emulation: &mut Emulation, devices: &Devices) -> io::Result<(Nanos, Lateness)> {
    let [source, sink] = &devices.ends;
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
    let watched = [source.as_fd(), sink.as_fd(), timer.as_fd(), devices.stop.as_fd()];
    for (number, fd) in (0..).zip(watched) {
        epoll::add(&epoll, fd, EventData::new_u64(number), EventFlags::IN)?;
    }
    let mut buffer = vec![1; LONGEST];
    let mut events = Vec::with_capacity(8);
    let mut lateness = Lateness::default();
    let mut armed = NEVER;
    let start = clock();
    let mut ready = [false; 2];
    loop {
        for side in [Side::Source, Side::Sink] {
            if ready[side as usize] {
                ready[side as usize] = take(&devices.ends[side as usize], side, start, emulation, &mut buffer)?;
            }
        }
        let mut failed = Ok(());
        emulation.leave(clock() - start, |to, bytes, due| {
            let sent = send(&devices.ends[to as usize], bytes);
            lateness.record(due, clock() - start);
            if let Err(error) = sent {
                failed = Err(error);
            }
        });
        failed?;
        let next = emulation.next();
        // A timer that expires too early only costs a turn of the loop, and setting one costs more.
        if next < armed {
            timerfd_settime(&timer, TimerfdTimerFlags::ABSTIME, &once(start + next))?;
            armed = next;
        }
        events.clear();
        let wait = ready.contains(&true).then_some(Timespec { tv_sec: 0, tv_nsec: 0 });
        match epoll::wait(&epoll, rustix::buffer::spare_capacity(&mut events), wait.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        for event in &events {
            match event.data.u64() {
                STOP => return Ok((clock() - start, lateness)),
                TIMER => {
                    let _ = read(&timer, &mut [0; 8]);
                    armed = NEVER;
                }
                device => ready[device as usize] = true,
            }
        }
    }
}

/// Takes packets from a device into the network. Returns whether the device may have more.
fn take(device: &OwnedFd, side: Side, start: Nanos, emulation: &mut Emulation, buffer: &mut [u8]) -> io::Result<bool> {
    for _ in 0..AT_ONCE {
        match read(device, &mut *buffer) {
            Ok(len) => emulation.enter(clock() - start, side, &buffer[..len]),
            Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Writes a packet to a device. A device without room drops it, as networks do.
fn send(device: &OwnedFd, packet: &[u8]) -> io::Result<()> {
    match write(device, packet) {
        Ok(_) | Err(Errno::AGAIN | Errno::NOBUFS | Errno::INTR | Errno::INVAL) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn once(at: Nanos) -> Itimerspec {
    let value = Timespec { tv_sec: (at / SECOND) as i64, tv_nsec: (at % SECOND) as i64 };
    Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value }
}
