//! A client that sends over a bottleneck of a constant rate, and a server that acknowledges over a path without one.

use std::collections::{BTreeMap, VecDeque};

use ackclock_tcp::{Config, Ecn, Endpoint, NEVER, Nanos, SECOND, Segment};

/// Bytes of headers that the bottleneck serialises with each segment.
pub const HEADERS: u64 = 40;

pub struct Path {
    pub now: Nanos,
    pub client: Endpoint,
    pub server: Endpoint,
    /// Bytes a second through the bottleneck.
    pub rate: u64,
    /// Propagation to the server, and back.
    pub delay: Nanos,
    pub back: Nanos,
    /// Segments that may wait for the bottleneck, one in service not counted; more are dropped.
    pub limit: u64,
    /// An ECN-capable segment that finds more than this many waiting is marked.
    pub mark_above: Option<u64>,
    /// Returns whether a data segment is lost before the bottleneck, by its number from 0.
    pub lose: fn(u64) -> bool,
    /// Time, length and waiting segments found, of each data segment that came to the bottleneck.
    pub arrivals: Vec<(Nanos, u32, u64)>,
    /// Numbers of segments dropped and marked.
    pub dropped: u64,
    pub marked: u64,
    data: u64,
    departures: VecDeque<Nanos>,
    wire: BTreeMap<(Nanos, u64), (bool, Segment)>,
    order: u64,
}

impl Path {
    /// The client has begun to connect. Both ends are as `config` says.
    pub fn new(config: &Config, rate: u64, delay: Nanos, limit: u64) -> Path {
        Path::between(config, config, rate, delay, limit)
    }

    pub fn between(client: &Config, server: &Config, rate: u64, delay: Nanos, limit: u64) -> Path {
        let mut path = Path {
            now: 0,
            client: Endpoint::new(client, u32::MAX - 5000),
            server: Endpoint::new(server, 77),
            rate,
            delay,
            back: delay,
            limit,
            mark_above: None,
            lose: |_| false,
            arrivals: Vec::new(),
            dropped: 0,
            marked: 0,
            data: 0,
            departures: VecDeque::new(),
            wire: BTreeMap::new(),
            order: 0,
        };
        path.server.listen();
        path.client.connect(0);
        path
    }

    /// The bandwidth-delay product, bytes on the wire.
    pub fn bdp(&self) -> u64 {
        self.rate * 2 * self.delay / SECOND
    }

    fn put(&mut self, at: Nanos, to_server: bool, segment: Segment) {
        self.wire.insert((at, self.order), (to_server, segment));
        self.order += 1;
    }

    /// A segment of the client comes to the bottleneck.
    fn forward(&mut self, mut segment: Segment) {
        let now = self.now;
        while self.departures.front().is_some_and(|&departure| departure <= now) {
            self.departures.pop_front();
        }
        // The one in service does not wait.
        let waiting = (self.departures.len() as u64).saturating_sub(1);
        if segment.len > 0 {
            self.arrivals.push((now, segment.len, waiting));
            self.data += 1;
            if (self.lose)(self.data - 1) || waiting >= self.limit {
                self.dropped += 1;
                return;
            }
        }
        if segment.ecn != Ecn::NotEct && self.mark_above.is_some_and(|most| waiting > most) {
            segment.ecn = Ecn::Ce;
            self.marked += 1;
        }
        let start = self.departures.back().copied().unwrap_or(now);
        let departure = start + (u64::from(segment.len) + HEADERS) * SECOND / self.rate;
        self.departures.push_back(departure);
        self.put(departure + self.delay, true, segment);
    }

    fn drain(&mut self) {
        while let Some(segment) = self.client.poll_transmit(self.now, &mut ()) {
            self.forward(segment);
        }
        while let Some(segment) = self.server.poll_transmit(self.now, &mut ()) {
            self.put(self.now + self.back, false, segment);
        }
    }

    /// Runs until `until`.
    pub fn run(&mut self, until: Nanos) {
        loop {
            self.drain();
            let arrival = self.wire.first_key_value().map_or(NEVER, |(key, _)| key.0);
            let timeout = self.client.next_timeout().min(self.server.next_timeout());
            let next = arrival.min(timeout);
            if next > until {
                self.now = until;
                return;
            }
            assert!(next >= self.now, "time goes forward");
            self.now = next;
            if arrival <= timeout {
                let (_, (to_server, segment)) = self.wire.pop_first().expect("an arrival");
                if to_server {
                    let before = self.server.received();
                    self.server.on_segment(self.now, &segment, &mut ());
                    let received = self.server.received();
                    self.server.read(self.now, received - before);
                } else {
                    self.client.on_segment(self.now, &segment, &mut ());
                }
                self.client.check().expect("within the sender's invariants");
            } else {
                self.client.on_timeout(self.now, &mut ());
                self.server.on_timeout(self.now, &mut ());
            }
        }
    }

    /// The part of the bottleneck's capacity that payload received since `since` (a time and what was received then) took,
    /// headers included, for segments of `mss`.
    pub fn utilisation(&self, since: (Nanos, u64), mss: u64) -> f64 {
        let bytes = (self.server.received() - since.1) as f64 * (mss + HEADERS) as f64 / mss as f64;
        bytes / (self.rate as f64 * (self.now - since.0) as f64 / SECOND as f64)
    }

    /// Mean number of segments that data segments found waiting since `since`.
    pub fn mean_queue(&self, since: Nanos) -> f64 {
        let found: Vec<u64> =
            self.arrivals.iter().filter(|arrival| arrival.0 >= since).map(|arrival| arrival.2).collect();
        found.iter().sum::<u64>() as f64 / found.len().max(1) as f64
    }
}
