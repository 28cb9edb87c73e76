//! Two ends, and the path between them: a rate, a delay, and what goes wrong on the way.

use std::collections::BTreeMap;

use ackclock_core::{Ecn, Nanos};
use ackclock_transport::{Event, NEVER, Parameters, Role, Setup, Stack, StreamId, Transport};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use sha2::{Digest, Sha256};

use super::stack;

/// One millisecond.
pub const MS: Nanos = 1_000_000;

/// A path in both directions, and the two ends.
pub struct Path {
    /// Propagation delay in each direction.
    pub delay: Nanos,
    /// Bits per second; 0 for no limit.
    pub rate: u64,
    /// Datagrams of a queue of the rate.
    pub queue: usize,
    /// Chances in 1000 of a loss, of 3 ms of extra delay, of a copy, and of a flipped bit.
    pub trouble: [u64; 4],
    /// The datagrams from the server that are marked with CE, counted from 0.
    pub marked: Vec<u64>,
    /// The datagrams from the client that are lost, counted from 0.
    pub lost: Vec<u64>,
    /// Seed of the two ends.
    pub seed: u8,
    /// Parameters of both ends.
    pub parameters: Parameters,
    /// Whether both ends write a log.
    pub log: bool,
    /// Largest datagram, as both ends are told.
    pub datagram: u32,
    /// Largest datagram that is not lost.
    pub carried: u32,
}

impl Default for Path {
    fn default() -> Path {
        Path {
            delay: 10 * MS,
            rate: 0,
            queue: 50,
            trouble: [0; 4],
            marked: Vec::new(),
            lost: Vec::new(),
            seed: 1,
            parameters: Parameters::default(),
            log: false,
            datagram: 1472,
            carried: u32::MAX,
        }
    }
}

/// A simulation.
pub struct World {
    path: Path,
    /// The time.
    pub now: Nanos,
    /// Client and server.
    pub ends: [Box<dyn Transport>; 2],
    /// The events of each end with their times.
    pub events: [Vec<(Nanos, Event)>; 2],
    /// Datagrams of each end so far.
    pub sent: [u64; 2],
    /// Bytes of datagrams of each end so far.
    pub bytes: [u64; 2],
    /// Size of the largest datagram of each end.
    pub largest: [u64; 2],
    /// First datagram of each end.
    pub first: [Vec<u8>; 2],
    /// ECN-capable datagrams of each end.
    pub capable: [u64; 2],
    /// Stream bytes that each end says that it has sent.
    pub payload: [u64; 2],
    /// A hash of all datagrams with their times.
    digest: Sha256,
    flying: BTreeMap<(Nanos, u64), (usize, Ecn, Vec<u8>)>,
    free: [Nanos; 2],
    number: u64,
    random: Xoshiro256PlusPlus,
}

impl World {
    /// Creates the ends at time 0; the client connects.
    pub fn new(path: Path) -> World {
        let create = |role, seed: u8| {
            let setup =
                Setup { role, seed: [seed; 32], datagram: path.datagram, parameters: &path.parameters, log: path.log };
            stack().create(0, &setup).unwrap()
        };
        let mut ends = [create(Role::Client, path.seed), create(Role::Server, path.seed ^ 0x80)];
        ends[0].connect(0);
        let mut world = World {
            path,
            now: 0,
            ends,
            events: Default::default(),
            sent: [0; 2],
            bytes: [0; 2],
            largest: [0; 2],
            first: Default::default(),
            capable: [0; 2],
            payload: [0; 2],
            digest: Sha256::new(),
            flying: BTreeMap::new(),
            free: [0; 2],
            number: 0,
            random: Xoshiro256PlusPlus::from_seed([9; 32]),
        };
        world.settle(0);
        world
    }

    fn chance(&mut self, trouble: usize) -> bool {
        self.path.trouble[trouble] > 0 && self.random.next_u64() % 1000 < self.path.trouble[trouble]
    }

    fn launch(&mut self, from: usize, ecn: Ecn, mut datagram: Vec<u8>) {
        self.digest.update(self.now.to_le_bytes());
        self.digest.update([from as u8, ecn as u8]);
        self.digest.update(&datagram);
        let number = self.sent[from];
        self.sent[from] += 1;
        self.bytes[from] += datagram.len() as u64;
        self.largest[from] = self.largest[from].max(datagram.len() as u64);
        if number == 0 {
            self.first[from].clone_from(&datagram);
        }
        self.capable[from] += u64::from(ecn.is_capable());
        assert!(datagram.len() <= self.path.datagram as usize, "a datagram of {} bytes", datagram.len());
        let mut arrival = self.now + self.path.delay;
        let bits = (datagram.len() as u64 + 28) * 8_000_000_000;
        if let Some(time) = bits.checked_div(self.path.rate) {
            let start = self.free[from].max(self.now);
            if (start - self.now) / time >= self.path.queue as u64 {
                return;
            }
            self.free[from] = start + time;
            arrival = self.free[from] + self.path.delay;
        }
        let ecn = if from == 1 && self.path.marked.contains(&number) && ecn.is_capable() { Ecn::Ce } else { ecn };
        if datagram.len() > self.path.carried as usize
            || (from == 0 && self.path.lost.contains(&number))
            || self.chance(0)
        {
            return;
        }
        if self.chance(1) {
            arrival += 3 * MS;
        }
        if self.chance(2) {
            self.number += 1;
            self.flying.insert((arrival + MS / 2, self.number), (1 - from, ecn, datagram.clone()));
        }
        if self.chance(3) {
            let bit = self.random.next_u64() as usize % (8 * datagram.len());
            datagram[bit / 8] ^= 1 << (bit % 8);
        }
        self.number += 1;
        self.flying.insert((arrival, self.number), (1 - from, ecn, datagram));
    }

    /// Sends all datagrams of an end and takes its events, as the contract says.
    pub fn settle(&mut self, end: usize) {
        loop {
            let mut datagram = Vec::new();
            let Some(transmit) = self.ends[end].transmit(self.now, &mut datagram) else {
                assert!(datagram.is_empty());
                break;
            };
            self.payload[end] += u64::from(transmit.payload);
            self.launch(end, transmit.ecn, datagram);
        }
        while let Some(event) = self.ends[end].poll() {
            self.events[end].push((self.now, event));
        }
    }

    /// Goes on to the next arrival or timeout that is not after `limit`; returns the end at which it happened.
    pub fn step(&mut self, limit: Nanos) -> Option<usize> {
        let arrival = self.flying.first_key_value().map_or(NEVER, |(&(time, _), _)| time);
        let timeouts = [self.ends[0].timeout(), self.ends[1].timeout()];
        let next = arrival.min(timeouts[0]).min(timeouts[1]);
        if next > limit || next == NEVER {
            self.now = self.now.max(limit);
            return None;
        }
        assert!(next >= self.now, "time goes back");
        self.now = next;
        let end = if arrival == next {
            let ((_, _), (end, ecn, datagram)) = self.flying.pop_first().unwrap();
            self.ends[end].receive(self.now, ecn, &datagram);
            end
        } else {
            let end = usize::from(timeouts[0] != next);
            self.ends[end].expire(self.now);
            end
        };
        self.settle(end);
        if arrival != next {
            assert!(self.ends[end].timeout() > self.now, "a timer is due after it was handled");
        }
        Some(end)
    }

    /// Delivers the next datagram, without taking what the end sends or reports.
    pub fn deliver(&mut self) -> usize {
        let ((time, _), (end, ecn, datagram)) = self.flying.pop_first().expect("a datagram on its way");
        self.now = time;
        self.ends[end].receive(time, ecn, &datagram);
        end
    }

    /// Goes on until an end has had an event or the time is over; says whether it had.
    pub fn until(&mut self, end: usize, limit: Nanos, wanted: impl Fn(&Event) -> bool) -> bool {
        loop {
            if self.events[end].iter().any(|(_, event)| wanted(event)) {
                return true;
            }
            if self.step(limit).is_none() {
                return false;
            }
        }
    }

    /// Goes on until a time.
    pub fn run(&mut self, limit: Nanos) {
        while self.step(limit).is_some() {}
    }

    /// Adds bytes to the hash.
    pub fn digest(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
    }

    /// The hash of all datagrams.
    pub fn hash(&self) -> String {
        self.digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Byte number `at` of a pattern that has no period below its length of 16 million.
pub fn pattern(at: usize) -> u8 {
    ((at as u32).wrapping_mul(2_654_435_761) >> 24) as u8
}

/// The client asks with 100 bytes, and the server answers with `size` bytes of the pattern. Returns the world, and
/// the time when the client has read all of the answer, which is checked.
pub fn download(path: Path, size: usize, limit: Nanos) -> (World, Nanos) {
    download_watched(path, size, limit, |_| {})
}

/// Downloads as [`download`] does, and calls `watch` after every step.
pub fn download_watched(path: Path, size: usize, limit: Nanos, mut watch: impl FnMut(&mut World)) -> (World, Nanos) {
    let mut world = World::new(path);
    let answer: Vec<u8> = (0..size).map(pattern).collect();
    let (mut asked, mut written, mut read, mut seen) = (None::<StreamId>, 0, 0, [0; 2]);
    let mut request = 0;
    let mut buffer = [0; 5000];
    loop {
        for end in [0, 1] {
            while let Some((_, event)) = world.events[end].get(seen[end]).cloned() {
                seen[end] += 1;
                let now = world.now;
                match (end, event) {
                    (0, Event::Connected) => {
                        let stream = world.ends[0].open(now).expect("a stream");
                        assert_eq!(world.ends[0].write(now, stream, &[7; 100]), 100);
                        world.ends[0].finish(now, stream);
                        asked = Some(stream);
                    }
                    (1, Event::Readable(stream)) => loop {
                        let length = world.ends[1].read(now, stream, &mut buffer);
                        if length == 0 {
                            break;
                        }
                        assert!(buffer[..length].iter().all(|byte| *byte == 7));
                        request += length;
                    },
                    (1, Event::PeerFinished(stream) | Event::Writable(stream)) => {
                        assert_eq!(request, 100);
                        written += world.ends[1].write(now, stream, &answer[written..]);
                        if written == size {
                            world.ends[1].finish(now, stream);
                        }
                    }
                    (0, Event::Readable(stream)) => loop {
                        let length = world.ends[0].read(now, stream, &mut buffer);
                        if length == 0 {
                            break;
                        }
                        assert_eq!(buffer[..length], answer[read..read + length], "at byte {read}");
                        read += length;
                    },
                    (0, Event::PeerFinished(stream)) => {
                        assert_eq!((Some(stream), read), (asked, size));
                        world.settle(0);
                        let time = world.now;
                        return (world, time);
                    }
                    (_, Event::Closed(reason)) => panic!("end {end} closed: {reason:?}"),
                    _ => {}
                }
                world.settle(end);
            }
        }
        watch(&mut world);
        assert!(world.step(limit).is_some(), "{read} of {size} bytes after {limit} ns");
    }
}

/// A link of 10 Mbit/s with a short queue, on which windows grow until datagrams are lost.
pub fn narrow(parameters: Parameters) -> Path {
    Path { rate: 10_000_000, queue: 20, parameters, ..Path::default() }
}

/// The windows of the server during a download over the narrow link.
pub fn windows(parameters: Parameters) -> Vec<u64> {
    let mut windows = Vec::new();
    download_watched(narrow(parameters), 2_000_000, 60_000 * MS, |world| {
        windows.extend(world.ends[1].statistics().window);
    });
    windows.dedup();
    windows
}

/// The share of the window that the first reduction leaves. Where the ACK that reveals a loss lets slow start grow before
/// the reduction, by two packets at most, the share seems larger by up to 3 %.
pub fn first_reduction(windows: &[u64]) -> Option<f64> {
    let pair = windows.windows(2).find(|pair| pair[1] < pair[0])?;
    Some(pair[1] as f64 / pair[0] as f64)
}
