//! Waiting for several descriptors: `poll` and epoll.

use super::{CallState, Called, Halt};
use crate::calls::{Answer, Memory};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::Item;
use crate::symbols::{EDGE, ERR, HUP, NVAL, ONESHOT, OUT, WRNORM};
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

pub(super) fn poll(host: &mut Host, waits: &[(i64, i64)], timeout: i64, progress: &CallState) -> Called {
    let events = |&(fd, asked): &(i64, i64)| host.events(fd).map_or(NVAL, |(events, _)| events & (asked | ERR | HUP));
    let events: Vec<i64> = waits.iter().map(events).collect();
    let ready = events.iter().filter(|&&events| events != 0).count();
    let until = deadline(progress, timeout);
    if ready == 0 && host.now < until {
        return Ok(Answer::Blocks(until));
    }
    Ok(Answer::Filled(ready as i64, Memory::Polled(events)))
}

pub(super) fn epoll_ctl(host: &mut Host, instance: i64, operation: i64, fd: i64, events: i64) -> Called {
    if !host.fds.contains_key(&fd) {
        return Err(Halt::Errno("EBADF"));
    }
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

pub(super) fn epoll_wait(host: &mut Host, instance: i64, most: i64, timeout: i64, progress: &CallState) -> Called {
    let most = usize::try_from(most).map_err(|_| Halt::Errno("EINVAL"))?;
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
    let until = deadline(progress, timeout);
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
    let events = reported.iter().map(|&(fd, events, _)| (fd, events)).collect();
    Ok(Answer::Filled(reported.len() as i64, Memory::Events(events)))
}
