//! The discipline: how packets pass tins, flows, COBALT and the shaper.

use super::longest::Longest;
use super::options::{AckFilter, Isolation, Parameters, Tins};
use super::shaper::{ETHERNET, Framing, Pace, Shaper, bytes_per_second};
use super::tin::{Hashes, QUEUES, Tin};
use super::tins::{Threshold, thresholds, tin};
use crate::queue::cobalt_control::Constants;
use crate::queue::flow_queues::Total;
use crate::queue::flows::mixed;
use crate::queue::{Discipline, DropCause, Drops, Headers, Item, Limit, Next, Settings};
use crate::{Nanos, Random};

/// Largest number of full packets in the memory, unless it is given.
const PACKETS: u64 = 10_240;
/// Least memory, unless it is given, bytes.
const LEAST_MEMORY: u64 = 4 << 20;
/// Steps of BLUE's drop probability, in units of 2^-32: 1/256 and 1/4096.
const INCREMENT: u32 = 1 << 24;
const DECREMENT: u32 = 1 << 20;
/// Packets that are sent between two times at which the heap of queue lengths is built anew.
const HEAP_LIFE: u32 = 65_535;

/// CAKE.
pub(super) struct Cake {
    limit: Limit,
    memory_limit: u64,
    memory: u64,
    total: Total,
    classes: Tins,
    isolation: Isolation,
    framing: Framing,
    ack_filter: AckFilter,
    ingress: bool,
    shaper: Shaper,
    tins: Vec<Tin>,
    /// The tin of the last turn.
    current: usize,
    /// The longest queue, and the number of packets until the heap is built anew. Nothing keeps the heap in order
    /// before the first overflow.
    longest: Option<Longest>,
    heap_life: u32,
    salt: u64,
    random: Random,
}

impl Cake {
    pub(super) fn new(settings: &Settings<'_>) -> Cake {
        let given = Parameters::read(settings.given);
        let rate = given.bandwidth.map_or(0, bytes_per_second);
        let (interval, target) = given.delays();
        let full = u64::from(settings.packet_size + ETHERNET);
        let least = match rate {
            0 => u64::MAX,
            rate => u64::try_from(u128::from(rate) * u128::from(interval) / 250_000).unwrap_or(u64::MAX),
        };
        let tins = thresholds(given.tins, rate).into_iter().map(|Threshold { rate, quantum }| {
            let pace = Pace::new(rate);
            let constants = constants(pace.duration(full), target * 1000, interval * 1000);
            let mut tin = Tin::new(constants, pace, rate, quantum, given.isolation);
            if given.ack_filter != AckFilter::Off {
                tin.keep_acks();
            }
            tin
        });
        let mut random = settings.random();
        Cake {
            limit: settings.limit,
            memory_limit: given.memory_limit.unwrap_or_else(|| least.max(LEAST_MEMORY).min(PACKETS * full)),
            memory: 0,
            total: Total::default(),
            classes: given.tins,
            isolation: given.isolation,
            framing: given.framing(),
            ack_filter: given.ack_filter,
            ingress: given.ingress,
            shaper: Shaper::new(Pace::new(rate)),
            tins: tins.collect(),
            current: 0,
            longest: None,
            heap_life: 0,
            salt: random.bits(),
            random,
        }
    }

    fn hash(&self, number: u64) -> u32 {
        mixed(number ^ self.salt) as u32
    }

    /// The tin to work on.
    fn choose(&self, at: Nanos) -> usize {
        // Ties between tins that are not within their thresholds go to the more urgent one.
        let mut best = (Nanos::MAX, 0);
        for (number, tin) in self.tins.iter().enumerate().filter(|(_, tin)| tin.has_flows()) {
            if tin.next <= at || tin.next <= best.0 {
                best = (tin.next, number);
            }
        }
        best.1
    }

    /// The tin to work on without a shaper: the current one until its turn is over.
    fn turn(&mut self) -> usize {
        let mut current = self.current;
        while self.tins[current].deficit < 0 || !self.tins[current].has_flows() {
            let tin = &mut self.tins[current];
            if tin.deficit <= 0 {
                tin.deficit += tin.quantum;
            }
            current = (current + 1) % self.tins.len();
        }
        current
    }

    /// Charges a packet that left, or that was dropped and counts.
    fn charge(&mut self, at: Nanos, tin: usize, item: &Item, dropped: bool) -> i64 {
        let bytes = self.framing.bytes(item.size);
        if !self.shaper.pace.is_unlimited() {
            self.tins[tin].charge(at, bytes);
            self.shaper.charge(bytes, dropped);
        }
        bytes as i64
    }

    /// Removes the first packet of a queue.
    fn take(&mut self, tin: usize, queue: usize) -> Option<Item> {
        let item = self.tins[tin].take(queue)?;
        self.total.take(&item);
        self.memory -= memory(item.size);
        Some(item)
    }

    fn exceeds(&self) -> bool {
        self.memory > self.memory_limit || self.limit.exceeded_by(self.total.packets, self.total.bytes)
    }

    /// Drops the first packet of the longest queue.
    fn shorten(&mut self, at: Nanos, drops: &mut Drops) {
        let mut longest = self.longest.take().unwrap_or_else(|| Longest::new(QUEUES));
        if self.heap_life == 0 {
            longest.build(&lengths(&self.tins));
        }
        self.heap_life = HEAP_LIFE;
        let (tin, queue) = longest.top();
        match if tin < self.tins.len() { self.take(tin, queue) } else { None } {
            None => self.heap_life = 0,
            Some(item) => {
                let Tin { flows, constants, .. } = &mut self.tins[tin];
                flows[queue].cobalt.overflowed(constants, at);
                if self.ingress {
                    self.charge(at, tin, &item, true);
                }
                drops.push((item, DropCause::Queue));
                longest.top_shortened(&lengths(&self.tins));
            }
        }
        self.longest = Some(longest);
    }
}

/// COBALT's constants where a full packet takes `packet_time`.
fn constants(packet_time: Nanos, least_target: Nanos, rtt: Nanos) -> Constants {
    let target = (packet_time.saturating_mul(3) / 2).max(least_target);
    let interval = (rtt + target - least_target).max(2 * target);
    let spacing = interval & u64::from(u32::MAX);
    Constants { target, interval, spacing, packet_time, increment: INCREMENT, decrement: DECREMENT, ecn: true }
}

/// Lengths of the queues, for the heap.
fn lengths(tins: &[Tin]) -> impl Fn(usize, usize) -> u64 + '_ {
    |tin, queue| tins.get(tin).map_or(0, |tin| tin.flows[queue].length())
}

/// Memory of a packet, bytes: a buffer with headroom and trailer, in powers of two, and its descriptor.
fn memory(size: u32) -> u64 {
    const HEADROOM: u64 = 64;
    const TRAILER: u64 = 320;
    const DESCRIPTOR: u64 = 256;
    (u64::from(size) + u64::from(ETHERNET) + HEADROOM + TRAILER).next_power_of_two() + DESCRIPTOR
}

impl Discipline for Cake {
    fn reads_headers(&self) -> bool {
        true
    }

    fn enqueue(&mut self, at: Nanos, item: Item, drops: &mut Drops) {
        let headers = Headers { source: item.flow, destination: item.flow, ..Headers::default() };
        self.enqueue_read(at, item, &headers, drops);
    }

    fn enqueue_read(&mut self, at: Nanos, item: Item, headers: &Headers, drops: &mut Drops) {
        let hosts = [headers.source, headers.destination].map(|host| self.hash(host));
        let party = self.isolation.party(self.hash(item.flow), hosts[0], hosts[1]);
        let number = tin(self.classes, headers.dscp);
        let tin = &mut self.tins[number];
        let queue = tin.queue(Hashes { party, hosts });
        if tin.packets == 0 {
            tin.next = tin.next.max(at);
            if self.total.packets == 0 {
                self.shaper.wake(at);
            }
        }
        self.total.add(&item);
        self.memory += memory(item.size);
        tin.push(queue, item, headers.acknowledgment);
        if let Some(ack) = tin.filter(queue, self.ack_filter == AckFilter::Aggressive) {
            self.total.take(&ack);
            self.memory -= memory(ack.size);
            if self.ingress {
                self.charge(at, number, &ack, true);
            }
            drops.push((ack, DropCause::Aqm));
        }
        if self.heap_life > 0
            && let Some(mut longest) = self.longest.take()
        {
            longest.lengthened(number, queue, &lengths(&self.tins));
            self.longest = Some(longest);
        }
        self.tins[number].added(queue, &mut self.random);
        while self.exceeds() {
            self.shorten(at, drops);
        }
    }

    fn dequeue(&mut self, at: Nanos, drops: &mut Drops) -> Next {
        let mut first = true;
        'tins: loop {
            if self.total.packets == 0 {
                return Next::Empty;
            }
            if let Some(until) = self.shaper.wait(at) {
                return Next::Wait(until);
            }
            self.current = if self.shaper.pace.is_unlimited() { self.turn() } else { self.choose(at) };
            let number = self.current;
            'turns: loop {
                let Some(queue) = self.tins[number].first(first) else { continue 'tins };
                first = false;
                if self.tins[number].flows[queue].deficit <= 0 {
                    self.tins[number].ended(queue, &mut self.random);
                    continue 'turns;
                }
                loop {
                    let Some(mut item) = self.take(number, queue) else {
                        self.tins[number].found_empty(queue, at);
                        continue 'tins;
                    };
                    if self.heap_life > 0
                        && let Some(mut longest) = self.longest.take()
                    {
                        longest.shortened(number, queue, &lengths(&self.tins));
                        self.longest = Some(longest);
                    }
                    let Tin { flows, constants, bulk, .. } = &mut self.tins[number];
                    let bulk = if self.ingress { *bulk } else { 0 };
                    let flow = &mut flows[queue];
                    // The last packet of a queue may be marked, but is not dropped.
                    let strikes = flow.cobalt.strikes(constants, at, &mut item, bulk, &mut self.random);
                    let dropped = strikes && !flow.items.is_empty();
                    if !dropped || self.ingress {
                        let bytes = self.charge(at, number, &item, dropped);
                        self.tins[number].flows[queue].deficit -= bytes;
                        self.tins[number].deficit -= bytes;
                    }
                    if !dropped {
                        self.heap_life = self.heap_life.saturating_sub(1);
                        return Next::Send(item);
                    }
                    drops.push((item, DropCause::Aqm));
                    if self.ingress {
                        continue 'turns;
                    }
                }
            }
        }
    }

    /// Linux net/sched/sch_cake.c, cake_enqueue: large packets are split, unless the user turns that off (no-split-gso).
    fn splits(&self, _size: u32) -> bool {
        true
    }

    fn backlog(&self) -> (u64, u64) {
        (self.total.packets, self.total.bytes)
    }
}
