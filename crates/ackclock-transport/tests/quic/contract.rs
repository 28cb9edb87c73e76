//! Parameters, the source, and calls at odd times.

use ackclock_core::Ecn;
use ackclock_transport::{Event, Parameters, Range, Role, Setup, Stack, Value};

use super::pipe::{MS, Path, World};
use super::stack_under_test::{LOCK, PACKAGE, REPORTS_LATE, stack, together};

#[test]
fn the_source_names_the_version_of_the_lock_file() {
    let version = LOCK.split(&format!("name = \"{PACKAGE}\"\nversion = \"")).nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(stack().source(), format!("{PACKAGE} {version}"));
}

#[test]
fn the_parameters_accept_their_defaults_and_their_bounds() {
    let stack = stack();
    for parameter in stack.parameters() {
        assert!(parameter.range.accepts(&parameter.default), "{}", parameter.name);
        let values = match &parameter.range {
            Range::Numbers(least, most) => vec![Value::Number(least.ceil()), Value::Number(*most)],
            Range::Names(names) => names.iter().map(|(name, _)| Value::Name(name.clone())).collect(),
        };
        for value in values {
            let mut parameters = Parameters([(parameter.name.clone(), value.clone())].into());
            together(&parameter.name, &mut parameters);
            for role in [Role::Client, Role::Server] {
                let setup = Setup { role, seed: [1; 32], datagram: 65_507, parameters: &parameters, log: false };
                let made = stack.create(0, &setup).err();
                assert_eq!(made, None, "{} {value:?}", parameter.name);
            }
        }
    }
}

#[test]
fn calls_at_odd_times_do_no_harm() {
    let mut world = World::new(Path::default());
    assert_eq!(world.ends[0].open(0), None, "no stream before the handshake");
    assert_eq!(world.ends[0].write(0, 0, b"early"), 0);
    for stream in [0, 2, 3, 4, u64::MAX] {
        world.ends[0].finish(0, stream);
        assert_eq!(world.ends[1].read(0, stream, &mut [0; 10]), 0);
        assert_eq!(world.ends[1].write(0, stream, b"bytes"), 0);
    }
    world.ends[0].connect(0);
    world.ends[1].connect(0);
    world.ends[1].expire(0);
    world.run(1000 * MS);
    let now = world.now;
    for end in [0, 1] {
        for stream in [2, 3, 400, u64::MAX] {
            world.ends[end].finish(now, stream);
            assert_eq!(world.ends[end].write(now, stream, b"bytes"), 0, "stream {stream}");
            assert_eq!(world.ends[end].read(now, stream, &mut [0; 10]), 0);
        }
        world.ends[end].receive(now, Ecn::NotEct, b"");
        world.ends[end].receive(now, Ecn::NotEct, &[0xff; 1500]);
        world.ends[end].close(now, u64::MAX);
        world.ends[end].close(now, 0);
        world.settle(end);
        assert_eq!(world.ends[end].open(now), None);
        assert_eq!(world.ends[end].write(now, 0, b"late"), 0);
    }
    world.run(10_000 * MS);
}

/// A stack that reports events late reports none of them after the end.
#[test]
fn nothing_happens_after_a_close() {
    let mut world = World::new(Path::default());
    assert!(world.until(1, 1000 * MS, |event| *event == Event::Connected));
    let now = world.now;
    let stream = world.ends[0].open(now).unwrap();
    assert_eq!(world.ends[0].write(now, stream, b"bytes"), 5);
    world.settle(0);
    assert!(world.sent[0] > 0);
    while world.deliver() != 1 {}
    let now = world.now;
    while !REPORTS_LATE && world.ends[1].poll().is_some() {}
    world.ends[1].close(now, 0);
    world.ends[1].close(now, 0);
    assert_eq!(world.ends[1].poll(), Some(Event::Closed(None)));
    assert_eq!(world.ends[1].poll(), None);
}
