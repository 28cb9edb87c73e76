//! The loop between TUN devices and an emulation, driven by the monotonic clock.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use ackclock_app::Side;
use ackclock_core::Nanos;
use rustix::event::epoll::EventFlags;
use rustix::io::{Errno, fcntl_dupfd_cloexec, read, write};

use crate::waiter::{Waiter, clock};
use crate::{Emulation, Lateness};

/// Size of the largest packet, in bytes.
const LONGEST: usize = 65_575;
/// Number of packets that are taken from a device before the network and the other device have their turn.
const AT_ONCE: usize = 64;
/// The descriptors between which packets are forwarded.
pub struct Devices {
    /// TUN devices at the source's and at the sink's side of flows, with the indices of the flows.
    pairs: Vec<(usize, [OwnedFd; 2])>,
    /// A descriptor that becomes readable when the loop is to end.
    stop: OwnedFd,
}

impl Devices {
    /// Duplicates descriptors by their numbers. `pairs` has the index of a flow and its TUN devices at the source's and
    /// at the sink's side, which do not block. `stop` becomes readable, or its other end is closed, when the loop is to
    /// end.
    ///
    /// # Errors
    /// The system's error if a number is not that of an open descriptor.
    pub fn of_numbers(pairs: &[(usize, i32, i32)], stop: i32) -> io::Result<Devices> {
        let duplicate = |number: i32| {
            // SAFETY: the descriptor is only duplicated. The caller does not close it meanwhile, and a number that is not
            // open is an error of the call.
            #[expect(unsafe_code, reason = "descriptors come as numbers from another language")]
            let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
            fcntl_dupfd_cloexec(borrowed, 3)
        };
        let pair = |(flow, source, sink): &(usize, i32, i32)| Ok((*flow, [duplicate(*source)?, duplicate(*sink)?]));
        Ok(Devices { pairs: pairs.iter().map(pair).collect::<io::Result<_>>()?, stop: duplicate(stop)? })
    }
}

/// A look at the network in regular intervals.
pub struct Watch<'a> {
    /// Time between two looks, in ns, above zero.
    pub every: Nanos,
    /// Is given the time of a look, and the network as it is then.
    pub look: &'a mut dyn FnMut(Nanos, &mut Emulation),
}

/// Forwards packets between the devices through the network until the loop is to end. The network's time 0 is `start` on
/// the monotonic clock. `delivered` is called with the time, the flow and the side after each packet that was given to a
/// device: the kernel has handled the packet by then, unless its receiver was busy. Returns the time that passed, in ns, and how late packets left.
///
/// # Errors
/// The system's error, for example if a device disappears.
///
/// # Panics
/// If the network has no flow with an index of the devices.
pub fn forward(
    emulation: &mut Emulation,
    devices: &Devices,
    start: Nanos,
    delivered: impl FnMut(Nanos, usize, Side),
) -> io::Result<(Nanos, Lateness)> {
    forward_watched(emulation, devices, start, delivered, None)
}

/// Does what [`forward`] does, and has a look at the network in regular intervals.
///
/// # Errors
/// The system's error, for example if a device disappears.
///
/// # Panics
/// If the network has no flow with an index of the devices.
pub fn forward_watched(
    emulation: &mut Emulation,
    devices: &Devices,
    start: Nanos,
    mut delivered: impl FnMut(Nanos, usize, Side),
    mut watch: Option<Watch<'_>>,
) -> io::Result<(Nanos, Lateness)> {
    let mut waiter = Waiter::new()?;
    // Descriptors have these numbers: two for each pair, then the one that ends the loop.
    let (pairs, stop) = (&devices.pairs, 2 * devices.pairs.len());
    let mut places = vec![0; emulation.flows()];
    for (number, (flow, pair)) in pairs.iter().enumerate() {
        places[*flow] = number;
        for side in [Side::Source, Side::Sink] {
            waiter.watch(&pair[side as usize], (2 * number + side as usize) as u64, EventFlags::IN)?;
        }
    }
    waiter.watch(&devices.stop, stop as u64, EventFlags::IN)?;
    let mut buffer = vec![1; LONGEST];
    let mut lateness = Lateness::default();
    let mut found = Vec::new();
    // Numbers of the devices that may have packets.
    let mut ready: Vec<usize> = Vec::new();
    let mut looked = 0;
    loop {
        let mut failed = Ok(());
        let turn = clock() - start;
        ready.retain(|number| {
            let (flow, pair) = &pairs[number / 2];
            let side = [Side::Source, Side::Sink][number % 2];
            take(&pair[number % 2], *flow, side, turn, emulation, &mut buffer).unwrap_or_else(|error| {
                failed = Err(error);
                false
            })
        });
        let mut now = turn;
        emulation.leave(turn, |flow, to, bytes, due| {
            let sent = send(&pairs[places[flow]].1[to as usize], bytes);
            now = clock() - start;
            lateness.record(due, now);
            delivered(now, flow, to);
            if let Err(error) = sent {
                failed = Err(error);
            }
        });
        failed?;
        let mut next = emulation.next();
        if let Some(Watch { every, look }) = &mut watch {
            if turn >= looked + *every {
                looked = turn - turn % *every;
                look(turn, emulation);
            }
            next = next.min(looked + *every);
        }
        let until = if ready.is_empty() { next.saturating_add(start) } else { 0 };
        waiter.wait(now + start, until, &mut found)?;
        for (number, _) in found.drain(..) {
            let number = number as usize;
            if number == stop {
                return Ok((clock() - start, lateness));
            }
            if !ready.contains(&number) {
                ready.push(number);
            }
        }
    }
}

/// Takes packets from a device into the network at `now`. Returns whether the device may have more.
fn take(
    device: &OwnedFd,
    flow: usize,
    side: Side,
    now: Nanos,
    emulation: &mut Emulation,
    buffer: &mut [u8],
) -> io::Result<bool> {
    for _ in 0..AT_ONCE {
        match read(device, &mut *buffer) {
            Ok(len) => emulation.enter(now, flow, side, &buffer[..len]),
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
