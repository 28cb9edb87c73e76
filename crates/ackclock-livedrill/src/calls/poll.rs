//! Waiting for several descriptors: `poll` and epoll.

use super::job;
use crate::host::Host;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::calls::Memory;

/// Most events that an `epoll_wait` may ask for.
const MOST: i64 = 64;

/// A number that names nothing in the script is asked for as it is.
pub(super) fn poll(host: &Host, waits: &[(i64, i64)], timeout: i64) -> Result<Job, Stop> {
    let wait = |&(fd, events): &(i64, i64)| {
        let fd = host.fds.get(&fd).map_or(fd as i32, |&(fd, _)| fd);
        libc::pollfd { fd, events: events as i16, revents: 0 }
    };
    let mut waits: Vec<_> = waits.iter().map(wait).collect();
    Ok(Box::new(move || {
        // SAFETY: the count is that of the array, which lives until the call returns.
        let value = unsafe { libc::poll(waits.as_mut_ptr(), waits.len() as libc::nfds_t, timeout as i32) };
        Reply::of(value.into()).with(Memory::Polled(waits.iter().map(|wait| wait.revents.into()).collect()))
    }))
}

pub(super) fn epoll_create() -> Result<Job, Stop> {
    job(|| {
        // SAFETY: epoll_create1 takes a number.
        unsafe { libc::epoll_create1(0) }.into()
    })
}

/// Runs `epoll_ctl`. The kernel keeps the script's descriptor as data.
pub(super) fn epoll_ctl(host: &Host, instance: i64, operation: i64, fd: i64, events: i64) -> Result<Job, Stop> {
    let mut event = libc::epoll_event { events: events as u32, u64: fd.cast_unsigned() };
    let (instance, fd) = (host.fd(instance), host.fd(fd));
    job(move || {
        // SAFETY: the pointer is to a value that lives until the call returns.
        unsafe { libc::epoll_ctl(instance, operation as i32, fd, &raw mut event) }.into()
    })
}

pub(super) fn epoll_wait(host: &Host, instance: i64, most: i64, timeout: i64) -> Result<Job, Stop> {
    if most > MOST {
        return Stop::unsupported(format!("more than {MOST} events of epoll_wait"));
    }
    let instance = host.fd(instance);
    Ok(Box::new(move || {
        let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; most.clamp(1, MOST) as usize];
        // SAFETY: the array has room for the count of events, which the kernel refuses if it is not positive.
        let value = unsafe { libc::epoll_wait(instance, events.as_mut_ptr(), most as i32, timeout as i32) };
        let reply = Reply::of(value.into());
        let reported = &events[..usize::try_from(value).unwrap_or(0).min(events.len())];
        let pair = |event: &libc::epoll_event| (event.u64.cast_signed(), i64::from(event.events));
        reply.with(Memory::Events(reported.iter().map(pair).collect()))
    }))
}
