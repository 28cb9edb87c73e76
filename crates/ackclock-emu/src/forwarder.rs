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
    /// Callback that receives the time of a look, and the network at that time.
    pub look: &'a mut dyn FnMut(Nanos, &mut Emulation),
}

/// Observer of the packets of flows.
pub trait Witness {
    /// A packet of a flow enters the network from a side.
    fn enters(&mut self, flow: usize, side: Side, bytes: &[u8]);

    /// A packet of a flow was given to the device at a side: the kernel has handled the packet by then, unless its
    /// receiver was busy.
    fn left(&mut self, at: Nanos, flow: usize, to: Side, bytes: &[u8]);
}

impl Witness for () {
    fn enters(&mut self, _: usize, _: Side, _: &[u8]) {}

    fn left(&mut self, _: Nanos, _: usize, _: Side, _: &[u8]) {}
}

/// Passing of time between two readings of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passing {
    /// Time passes by itself: each packet that leaves has a reading of the clock of its own.
    Real,
    /// In a kernel with a virtual clock, time passes only while nothing is to be done, except that a reading of the
    /// clock takes some time itself.
    Virtual,
}

/// An emulation between devices, in turns.
pub struct Forwarder<'a> {
    emulation: &'a mut Emulation,
    devices: &'a Devices,
    /// The network's time 0 on the monotonic clock.
    start: Nanos,
    passing: Passing,
    /// Places of flows among the pairs of devices.
    places: Vec<usize>,
    /// Numbers of the devices that may have packets: two for each pair.
    ready: Vec<usize>,
    /// Packets of each device, by number, at the last turns at which the device had some, one after the other, and the
    /// number of the last of these turns.
    had: Vec<(usize, u64)>,
    turns: u64,
    buffer: Vec<u8>,
    lateness: Lateness,
}

impl<'a> Forwarder<'a> {
    /// Creates a forwarder for a network whose time 0 is `start` on the monotonic clock.
    ///
    /// # Panics
    /// If the network has no flow with an index of the devices.
    pub fn new(emulation: &'a mut Emulation, devices: &'a Devices, start: Nanos, passing: Passing) -> Forwarder<'a> {
        let mut places = vec![0; emulation.flows()];
        for (number, (flow, _)) in devices.pairs.iter().enumerate() {
            places[*flow] = number;
        }
        let buffer = vec![1; LONGEST];
        Forwarder {
            emulation,
            devices,
            start,
            passing,
            places,
            ready: Vec::new(),
            had: vec![(1, 0); 2 * devices.pairs.len()],
            turns: 1,
            buffer,
            lateness: Lateness::default(),
        }
    }

    /// Lets a waiter watch the devices, whose numbers begin with `first`.
    ///
    /// # Errors
    /// The system's error.
    pub fn watch(&self, waiter: &Waiter, first: u64) -> io::Result<()> {
        for (number, device) in self.devices.pairs.iter().flat_map(|(_, pair)| pair).enumerate() {
            waiter.watch(device, first + number as u64, EventFlags::IN)?;
        }
        Ok(())
    }

    /// Notes that the device with a number may have packets.
    pub fn note(&mut self, number: usize) {
        if !self.ready.contains(&number) {
            self.ready.push(number);
        }
    }

    /// Takes packets from the devices that may have some, and gives devices the packets that leave up to `now`. Returns
    /// the time of the last look at the clock, and whether devices were given packets.
    ///
    /// # Errors
    /// The system's error, for example if a device disappears.
    pub fn turn(&mut self, now: Nanos, witness: &mut impl Witness) -> io::Result<(Nanos, bool)> {
        let mut failed = Ok(());
        self.turns += 1;
        let pairs = &self.devices.pairs;
        self.ready.retain(|number| {
            let (flow, pair) = &pairs[number / 2];
            let side = [Side::Source, Side::Sink][number % 2];
            let (had, turn) = self.had[*number];
            let again = turn + 1 == self.turns;
            let most = match self.passing {
                Passing::Real => AT_ONCE,
                // Finding that a device has no more is a system call of its own, so that as many packets are taken as the
                // device had last. A device that has more is ready again at once.
                Passing::Virtual if again => AT_ONCE.min(2 * had),
                Passing::Virtual => had,
            };
            let mut count = 0;
            let mut enter = |bytes: &[u8]| {
                count += 1;
                witness.enters(*flow, side, bytes);
                self.emulation.enter(now, *flow, side, bytes);
            };
            let more = take(&pair[number % 2], most, &mut self.buffer, &mut enter).unwrap_or_else(|error| {
                failed = Err(error);
                false
            });
            self.had[*number] = (if again { had + count } else { count }.clamp(1, AT_ONCE), self.turns);
            more && self.passing == Passing::Real
        });
        let (mut seen, mut gave) = (now, false);
        self.emulation.leave(now, |flow, to, bytes, due| {
            gave = true;
            let sent = send(&pairs[self.places[flow]].1[to as usize], bytes);
            if self.passing == Passing::Real {
                seen = clock() - self.start;
            }
            self.lateness.record(due, seen);
            witness.left(seen, flow, to, bytes);
            if let Err(error) = sent {
                failed = Err(error);
            }
        });
        failed.map(|()| (seen, gave))
    }

    /// Returns the time of the next turn; 0 where a device may have packets already.
    pub fn next(&self) -> Nanos {
        if self.ready.is_empty() { self.emulation.next() } else { 0 }
    }

    /// Returns how late packets left.
    pub fn finish(self) -> Lateness {
        self.lateness
    }
}

/// Forwards packets between the devices through the network until the loop is to end. The network's time 0 is `start` on
/// the monotonic clock. Returns the time that passed, in ns, and how late packets left.
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
    witness: &mut impl Witness,
    mut watch: Option<Watch<'_>>,
) -> io::Result<(Nanos, Lateness)> {
    let mut waiter = Waiter::new()?;
    let mut forwarder = Forwarder::new(emulation, devices, start, Passing::Real);
    forwarder.watch(&waiter, 0)?;
    // The devices have two numbers for each pair; then comes the descriptor that ends the loop.
    let stop = 2 * devices.pairs.len();
    waiter.watch(&devices.stop, stop as u64, EventFlags::IN)?;
    let mut found = Vec::new();
    let mut looked = 0;
    loop {
        let turn = clock() - start;
        let (now, _) = forwarder.turn(turn, witness)?;
        let mut next = forwarder.next();
        if let Some(Watch { every, look }) = &mut watch {
            if turn >= looked + *every {
                looked = turn - turn % *every;
                look(turn, forwarder.emulation);
            }
            next = next.min(looked + *every);
        }
        waiter.wait(now + start, next.saturating_add(start), &mut found)?;
        for (number, _) in found.drain(..) {
            let number = number as usize;
            if number == stop {
                return Ok((clock() - start, forwarder.finish()));
            }
            forwarder.note(number);
        }
    }
}

/// Passes at most so many packets from a device to `enter`. Returns whether the device may have more.
fn take(device: &OwnedFd, most: usize, buffer: &mut [u8], enter: &mut impl FnMut(&[u8])) -> io::Result<bool> {
    for _ in 0..most {
        match read(device, &mut *buffer) {
            Ok(len) => enter(&buffer[..len]),
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

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixDatagram;

    use ackclock_scenario::Scenario;
    use ackclock_tcp::{Flags, Segment};
    use ackclock_wire::{Addresses, Sum, encode};

    use super::*;

    const MS: Nanos = 1_000_000;

    /// The kernel's ends of a flow's devices, and the forwarder's.
    fn devices() -> ([UnixDatagram; 2], Devices) {
        let pairs = [(); 2].map(|()| UnixDatagram::pair().unwrap());
        let [(source, one), (sink, other)] = pairs;
        for end in [&source, &sink, &one, &other] {
            end.set_nonblocking(true).unwrap();
        }
        let devices = Devices::of_numbers(&[(0, one.as_raw_fd(), other.as_raw_fd())], one.as_raw_fd()).unwrap();
        ([source, sink], devices)
    }

    fn packet(seq: u32) -> Vec<u8> {
        let addresses =
            Addresses { source: "10.0.0.1:5000".parse().unwrap(), destination: "10.0.0.2:80".parse().unwrap() };
        let mut bytes = vec![0; 1500];
        encode(&addresses, &Segment { seq, len: 1460, ..Segment::new(Flags::ACK) }, Sum::default(), &mut bytes)
            .unwrap();
        bytes
    }

    /// The packets of a flow at their times.
    #[derive(Default)]
    struct Seen {
        entered: usize,
        left: Vec<Nanos>,
    }

    impl Witness for Seen {
        fn enters(&mut self, flow: usize, side: Side, bytes: &[u8]) {
            assert_eq!((flow, side, bytes.len()), (0, Side::Source, 1500));
            self.entered += 1;
        }

        fn left(&mut self, at: Nanos, flow: usize, to: Side, bytes: &[u8]) {
            assert_eq!((flow, to, bytes.len()), (0, Side::Sink, 1500));
            self.left.push(at);
        }
    }

    fn emulation() -> Emulation {
        let text = "duration = '10s'\n[bottleneck]\nrate = '12Mbps'\ndelay = '10ms'\n[access]\nrate = '1000x'\n\
                    [[flows]]\napp = 'bulk'\n";
        Emulation::new(&Scenario::from_toml(text, &[]).unwrap(), 1).unwrap()
    }

    #[test]
    fn packets_leave_at_the_times_of_the_turns_of_a_virtual_clock() {
        let ([source, sink], devices) = devices();
        let (mut emulation, mut seen) = (emulation(), Seen::default());
        let mut forwarder = Forwarder::new(&mut emulation, &devices, 0, Passing::Virtual);
        source.send(&packet(1)).unwrap();
        forwarder.note(0);
        assert_eq!(forwarder.next(), 0, "a device may have packets");
        assert_eq!(forwarder.turn(5, &mut seen).unwrap(), (5, false));
        // A microsecond on each of two access links, a millisecond on the bottleneck, and its delay.
        let mut turns = 0;
        while seen.left.is_empty() {
            turns += 1;
            let now = forwarder.next();
            assert_eq!(forwarder.turn(now, &mut seen).unwrap().0, now);
        }
        assert_eq!((seen.left, turns), (vec![5 + 11 * MS + 2_000], 2));
        assert_eq!(sink.recv(&mut [0; 2000]).unwrap(), 1500);
        assert_eq!((forwarder.finish().count(), emulation.seen().entered), (1, 1));
    }

    #[test]
    fn a_device_is_asked_for_as_many_packets_as_it_had_where_each_question_takes_long() {
        let ([source, _sink], devices) = devices();
        let (mut emulation, mut seen) = (emulation(), Seen::default());
        let mut forwarder = Forwarder::new(&mut emulation, &devices, 0, Passing::Virtual);
        let mut taken = Vec::new();
        let mut now = 0;
        for count in [3, 3, 1] {
            for number in 0..count {
                source.send(&packet(number)).unwrap();
            }
            for _ in 0..3 {
                forwarder.note(0);
                forwarder.turn(now, &mut seen).unwrap();
                taken.push(std::mem::take(&mut seen.entered));
            }
            // Other turns pass.
            now += 1;
            forwarder.turn(now, &mut seen).unwrap();
        }
        assert_eq!(taken, [1, 2, 0, 3, 0, 0, 1, 0, 0]);
    }
}
