//! Any combination of recovery rules over a path that drops, delays and duplicates segments: every byte arrives, and
//! the sender's invariants hold after every event.

mod common;

use std::collections::BTreeMap;

use ackclock_tcp::config::RtoRule;
use ackclock_tcp::{Config, Endpoint, MILLISECOND, NEVER, Nanos, SECOND, Segment, cc, recovery, settings};
use common::{MSS, config};
use proptest::prelude::*;

/// Fate of a segment on the path.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrives,
    Lost,
    Late(u64),
    Twice,
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        12 => Just(Fate::Arrives),
        3 => Just(Fate::Lost),
        2 => (1..400u64).prop_map(Fate::Late),
        1 => Just(Fate::Twice),
    ]
}

/// Random choices of a configuration.
#[derive(Clone, Debug)]
struct Choices {
    recovery: usize,
    cc: usize,
    bits: u8,
    switches: u64,
    dup_thresh: u32,
}

fn choices() -> impl Strategy<Value = Choices> {
    (0..recovery::CATALOGUE.len(), 0..cc::CATALOGUE.len(), any::<u8>(), any::<u64>(), 1..6u32)
        .prop_map(|(recovery, cc, bits, switches, dup_thresh)| Choices { recovery, cc, bits, switches, dup_thresh })
}

impl Choices {
    fn config(&self) -> Config {
        let on = |bit: u32| self.bits & (1 << bit) != 0;
        let mut config = Config {
            recovery: recovery::CATALOGUE[self.recovery].recovery,
            cc: (&cc::CATALOGUE[self.cc]).into(),
            rto_rule: if on(0) { RtoRule::Linux } else { RtoRule::Rfc6298 },
            min_rto: if on(1) { 200 * MILLISECOND } else { SECOND },
            dup_thresh: self.dup_thresh,
            data_retries: 1000,
            ..config()
        };
        settings::set_switches(&mut config, self.switches);
        // Most ends have options, and most of them SACK.
        config.syn_options |= on(2) || on(3);
        config.sack |= on(4);
        config
    }
}

struct Path {
    now: Nanos,
    ends: [Endpoint; 2],
    fates: Vec<Fate>,
    count: usize,
    wire: BTreeMap<(Nanos, usize), (usize, Segment)>,
}

impl Path {
    fn drain(&mut self) -> Result<(), TestCaseError> {
        for end in 0..2 {
            for burst in 0.. {
                prop_assert!(burst < 5000, "no end of segments");
                let Some(segment) = self.ends[end].poll_transmit(self.now, &mut ()) else { break };
                let fate = self.fates.get(self.count).copied().unwrap_or(Fate::Arrives);
                self.count += 1;
                let delays = match fate {
                    Fate::Arrives => vec![50],
                    Fate::Lost => vec![],
                    Fate::Late(late) => vec![50 + late],
                    Fate::Twice => vec![50, 50],
                };
                for (copy, delay) in delays.into_iter().enumerate() {
                    self.wire.insert((self.now + delay * MILLISECOND, 2 * self.count + copy), (1 - end, segment));
                }
                self.check()?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), TestCaseError> {
        for end in &self.ends {
            end.check().map_err(TestCaseError::fail)?;
        }
        Ok(())
    }

    /// Runs until both ends have received `bytes`.
    fn run(&mut self, bytes: [u64; 2]) -> Result<(), TestCaseError> {
        for _ in 0..100_000 {
            self.drain()?;
            if self.ends[0].received() == bytes[1] && self.ends[1].received() == bytes[0] {
                return Ok(());
            }
            let arrival = self.wire.first_key_value().map_or(NEVER, |(key, _)| key.0);
            let timeout = self.ends[0].next_timeout().min(self.ends[1].next_timeout());
            let next = arrival.min(timeout);
            prop_assert!(next != NEVER, "nothing left to happen");
            prop_assert!(next >= self.now, "time goes forward");
            self.now = next;
            if arrival <= timeout {
                let (_, (end, segment)) = self.wire.pop_first().expect("an arrival");
                let before = self.ends[end].received();
                self.ends[end].on_segment(self.now, &segment, &mut ());
                let received = self.ends[end].received();
                self.ends[end].read(self.now, received - before);
            } else {
                for end in &mut self.ends {
                    end.on_timeout(self.now, &mut ());
                }
            }
            self.check()?;
        }
        Err(TestCaseError::fail("it does not come to an end"))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_byte_arrives(
        client in choices(),
        server in choices(),
        fates in prop::collection::vec(fate(), 0..400),
        segments in 1..150u64,
    ) {
        let mut ends = [Endpoint::new(&client.config(), u32::MAX - 5000), Endpoint::new(&server.config(), 77)];
        ends[1].listen();
        ends[0].connect(0);
        // The stream ends with a part of a segment, and a few segments go in the other direction.
        let bytes = [segments * MSS + 7, segments / 4 * MSS + 3];
        ends[0].write(0, bytes[0]);
        ends[1].write(0, bytes[1]);
        let mut path = Path { now: 0, ends, fates, count: 0, wire: BTreeMap::new() };
        path.run(bytes)?;
        let longest = path.now / SECOND;
        prop_assert!(longest < 3600, "it took {longest} s");
    }
}
