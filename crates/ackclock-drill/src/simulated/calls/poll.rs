//! CallState for several descriptors: `poll` and epoll.

use super::{Answer, Arguments, CallState, Called, Halt, eval, field};
use crate::ast::{Call, Expr};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::{Epoll, Item};
use crate::symbols::{EDGE, ERR, HUP, ONESHOT, OUT, WRNORM};
use crate::verdict::Stop;
use ackclock_tcp::{MILLISECOND, NEVER, Nanos};

/// Time at which a call with a timeout in milliseconds gives up.
fn deadline(progress: &CallState, timeout: i64) -> Nanos {
    match u64::try_from(timeout) {
        Ok(milliseconds) => progress.started.saturating_add(milliseconds.saturating_mul(MILLISECOND)),
        Err(_) => NEVER,
    }
}

impl Host {
    /// Events of a descriptor, and the wake-ups of its readers and writers.
    fn events(&mut self, fd: i64) -> Option<(i64, (u64, u64))> {
        let Some(Descriptor::Socket(id)) = self.fds.get(&fd) else { return None };
        let id = *id;
        let room = self.writable(id);
        let socket = &mut self.sockets[id];
        if let Some(connection) = socket.connection_mut().filter(|connection| connection.connected) {
            // A caller that asks for room is notified when there is room.
            connection.send_buffer.wanted |= !room;
        }
        Some((socket.readiness(room), (socket.woken_in, socket.woken_out)))
    }
}

/// Runs `poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, timeout)`.
pub(super) fn poll(host: &mut Host, call: &Call, progress: &mut CallState) -> Called {
    let arguments = Arguments::of(call, 3)?;
    let Expr::List(items) = arguments.get(0) else {
        return Err(Stop::Fail("poll takes a list such as [{fd=4, events=POLLIN, revents=0}]".to_owned()).into());
    };
    let mut wrong = Vec::new();
    let mut ready = 0;
    for item in items {
        let Expr::Struct(parts) = item else {
            return Err(Stop::Fail("poll takes structures such as {fd=4, events=POLLIN}".to_owned()).into());
        };
        let number = |name: &str| field(parts, name).map_or(Ok(0), eval);
        let (fd, asked, expected) = (number("fd")?, number("events")?, number("revents")?);
        let actual = match host.events(fd) {
            Some((events, _)) => events & (asked | ERR | HUP),
            None => crate::symbols::value("POLLNVAL").expect("a known symbol"),
        };
        ready += i64::from(actual != 0);
        if actual != expected {
            wrong.push(format!("revents of {fd} is {actual:#x} instead of {expected:#x}"));
        }
    }
    let until = deadline(progress, arguments.int(2)?);
    if ready == 0 && host.now < until {
        return Ok(Answer::Blocks(until));
    }
    if !wrong.is_empty() {
        return Err(Stop::Fail(wrong.join("; ")).into());
    }
    Ok(Answer::Value(ready))
}

pub(super) fn epoll_create(host: &mut Host, call: &Call, _: &mut CallState) -> Called {
    host.install(call, Descriptor::Epoll(Epoll::default()))
}

/// Runs `epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN, fd=4})`.
pub(super) fn epoll_ctl(host: &mut Host, call: &Call, _: &mut CallState) -> Called {
    let arguments = Arguments::of(call, 3)?;
    let (instance, operation, fd) = (arguments.int(0)?, arguments.int(1)?, arguments.int(2)?);
    if !host.fds.contains_key(&fd) {
        return Err(Halt::Errno("EBADF"));
    }
    let events = match arguments.get(3) {
        Expr::Struct(parts) => field(parts, "events").map_or(Ok(0), eval)?,
        _ => 0,
    };
    let Some(Descriptor::Epoll(epoll)) = host.fds.get_mut(&instance) else { return Err(Halt::Errno("EINVAL")) };
    let item = Item { events, seen: None, off: false };
    match (operation, epoll.items.contains_key(&fd)) {
        (1, true) => return Err(Halt::Errno("EEXIST")),
        (2 | 3, false) => return Err(Halt::Errno("ENOENT")),
        (1, false) | (3, true) => {
            epoll.items.insert(fd, item);
        }
        (2, true) => {
            epoll.items.remove(&fd);
        }
        _ => return Err(Halt::Errno("EINVAL")),
    }
    Ok(Answer::Value(0))
}

/// Runs `epoll_wait(5, {events=EPOLLIN, fd=4}, 1, timeout)`.
pub(super) fn epoll_wait(host: &mut Host, call: &Call, progress: &mut CallState) -> Called {
    let arguments = Arguments::of(call, 4)?;
    let instance = arguments.int(0)?;
    let most = usize::try_from(arguments.int(2)?).map_err(|_| Halt::Errno("EINVAL"))?;
    let Some(Descriptor::Epoll(epoll)) = host.fds.get(&instance) else { return Err(Halt::Errno("EINVAL")) };
    let watched = epoll.items.clone();
    let mut reported = Vec::new();
    for (fd, item) in watched {
        let Some((events, woken)) = host.events(fd) else { continue };
        let mask = (item.events & !(EDGE | ONESHOT)) | ERR | HUP;
        let ready = events & mask;
        if item.off || ready == 0 || reported.len() == most {
            continue;
        }
        // Edge-triggered: only wake-ups since the last report count.
        let wakes_writer = woken.1 > item.seen.map_or(0, |seen| seen.1) && mask & (OUT | WRNORM) != 0;
        let wakes_reader = woken.0 > item.seen.map_or(0, |seen| seen.0);
        if item.events & EDGE != 0 && item.seen.is_some() && !wakes_reader && !wakes_writer {
            continue;
        }
        reported.push((fd, ready, woken));
    }
    let until = deadline(progress, arguments.int(3)?);
    if reported.is_empty() && host.now < until {
        return Ok(Answer::Blocks(until));
    }
    if let Some(Descriptor::Epoll(epoll)) = host.fds.get_mut(&instance) {
        for &(fd, _, woken) in &reported {
            if let Some(item) = epoll.items.get_mut(&fd) {
                item.seen = Some(woken);
                item.off = item.events & ONESHOT != 0;
            }
        }
    }
    check(arguments.get(1), &reported)?;
    Ok(Answer::Value(reported.len() as i64))
}

/// Compares the reported events with those in the script, in any order.
fn check(expected: &Expr, reported: &[(i64, i64, (u64, u64))]) -> Result<(), Stop> {
    let items = match expected {
        Expr::Struct(_) => std::slice::from_ref(expected),
        Expr::List(items) => items,
        _ => return Ok(()),
    };
    for item in items {
        let Expr::Struct(parts) = item else { return Stop::fail("expected events such as {events=EPOLLIN, fd=4}") };
        let events = field(parts, "events").map_or(Ok(0), eval)?;
        let fd = field(parts, "fd").map(eval).transpose()?;
        let found = reported.iter().find(|(reported, ..)| fd.is_none_or(|fd| fd == *reported));
        let actual = found.map_or(0, |&(_, events, _)| events);
        if actual != events {
            return Stop::fail(format!("epoll_wait gave events {actual:#x} instead of {events:#x}"));
        }
    }
    Ok(())
}
