//! Waiting for several descriptors: `poll` and epoll.

use super::{Arguments, compare, plain};
use crate::live::Live;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Expr;
use ackclock_drill::calls::{Answer, eval, field};

/// The structures of an argument, alone or in a list.
fn structures<'a>(expr: &'a Expr) -> Result<Vec<&'a [Expr]>, Stop> {
    let items = match expr {
        Expr::Struct(_) => std::slice::from_ref(expr),
        Expr::List(items) => items,
        _ => return Ok(Vec::new()),
    };
    let parts = |item: &'a Expr| match item {
        Expr::Struct(parts) => Ok(parts.as_slice()),
        _ => Stop::fail("expected events such as {events=EPOLLIN, fd=4}"),
    };
    items.iter().map(parts).collect()
}

fn number(parts: &[Expr], name: &str) -> Result<i64, Stop> {
    field(parts, name).map_or(Ok(0), eval)
}

/// Runs `poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, timeout)`.
pub(super) fn poll(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let mut waits = Vec::new();
    for parts in structures(arguments.get(0)?)? {
        let fd = number(parts, "fd")?;
        let fd = live.fds.get(&fd).map_or(fd as i32, |&(fd, _)| fd);
        waits.push(libc::pollfd { fd, events: number(parts, "events")? as i16, revents: 0 });
    }
    let (count, timeout) = (arguments.int(1)?, arguments.int(2)? as i32);
    if count != waits.len() as i64 {
        return Stop::fail(format!("poll has {} structures and a count of {count}", waits.len()));
    }
    Ok(Box::new(move || {
        // SAFETY: the count is that of the array, which lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::poll(waits.as_mut_ptr(), waits.len() as libc::nfds_t, timeout) };
        Reply::of(value.into(), waits.iter().map(|wait| wait.revents.to_ne_bytes().to_vec()).collect())
    }))
}

pub(super) fn polled(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    for (parts, bytes) in structures(arguments.get(0)?)?.into_iter().zip(&reply.memory) {
        let actual = i16::from_ne_bytes([bytes[0], bytes[1]]);
        compare(&format!("revents of {}", number(parts, "fd")?), field(parts, "revents"), actual.into())?;
    }
    plain(live, arguments, reply)
}

pub(super) fn epoll_create(_: &mut Live, _: &Arguments<'_>) -> Result<Job, Stop> {
    Ok(Box::new(|| {
        // SAFETY: epoll_create1 takes a number.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::epoll_create1(0) };
        Reply::of(value.into(), Vec::new())
    }))
}

/// Runs `epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN, fd=4})`. The kernel keeps the script's descriptor as data.
pub(super) fn epoll_ctl(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let (instance, operation, fd) = (arguments.fd(live, 0)?, arguments.int(1)? as i32, arguments.fd(live, 2)?);
    let mut event = libc::epoll_event { events: 0, u64: arguments.int(2)?.cast_unsigned() };
    if let Some(Expr::Struct(parts)) = arguments.call.arguments.get(3) {
        event.events = number(parts, "events")? as u32;
    }
    Ok(Box::new(move || {
        // SAFETY: the pointer is to a value that lives until the call returns.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::epoll_ctl(instance, operation, fd, &raw mut event) };
        Reply::of(value.into(), Vec::new())
    }))
}

/// Runs `epoll_wait(5, {events=EPOLLIN, fd=4}, 1, timeout)`.
pub(super) fn epoll_wait(live: &mut Live, arguments: &Arguments<'_>) -> Result<Job, Stop> {
    let instance = arguments.fd(live, 0)?;
    let (most, timeout) = (arguments.int(2)?, arguments.int(3)? as i32);
    let room = most.clamp(0, 64) as usize;
    if most > 64 {
        return Stop::unsupported("more than 64 events of epoll_wait");
    }
    Ok(Box::new(move || {
        let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; room.max(1)];
        // SAFETY: the array has room for the count of events, which the kernel refuses if it is not positive.
        #[expect(unsafe_code, reason = "the calls of a script are made as they are")]
        let value = unsafe { libc::epoll_wait(instance, events.as_mut_ptr(), most as i32, timeout) };
        let reply = Reply::of(value.into(), Vec::new());
        let reported = &events[..usize::try_from(value).unwrap_or(0).min(events.len())];
        let bytes = |event: &libc::epoll_event| {
            let (events, data) = (event.events, event.u64);
            [i64::from(events).to_ne_bytes(), data.to_ne_bytes()].concat()
        };
        Reply { memory: reported.iter().map(bytes).collect(), ..reply }
    }))
}

/// Compares the reported events with those in the script, in any order.
pub(super) fn epoll_waited(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    let word = |bytes: &[u8]| i64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let reported: Vec<(i64, i64)> = reply.memory.iter().map(|bytes| (word(&bytes[8..]), word(&bytes[..8]))).collect();
    for parts in structures(arguments.get(1)?)? {
        let (events, fd) = (number(parts, "events")?, field(parts, "fd").map(eval).transpose()?);
        let found = reported.iter().find(|(reported, _)| fd.is_none_or(|fd| fd == *reported));
        let actual = found.map_or(0, |&(_, events)| events);
        if actual != events {
            return Stop::fail(format!("epoll_wait gave events {actual:#x} instead of {events:#x}"));
        }
    }
    plain(live, arguments, reply)
}
