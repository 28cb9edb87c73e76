//! System calls of scripts, made for real: each is prepared for the application's thread, and what it opened is named
//! when it has ended.

#![expect(unsafe_code, reason = "the calls of a script are made as they are")]

mod message;
mod options;
mod poll;
mod sockets;
mod transfer;

use std::os::fd::RawFd;

use crate::host::Host;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::Call;
use ackclock_drill::calls::{Answer, Request, install};
use ackclock_drill::symbols;
pub use options::{memory_info, tcp_info};

/// The first unsupported feature of a call, determined before anything runs.
pub fn beyond(call: &Call) -> Option<String> {
    let unknown = |word: &str| match symbols::value(word).or_else(|| symbols::option(word)) {
        Some(_) => None,
        None => Some(format!("symbol {word}")),
    };
    match call.name.as_str() {
        "cap_set" => Some("system call cap_set".to_owned()),
        _ => ackclock_drill::calls::beyond(call, &unknown),
    }
}

/// Prepares a call.
pub fn prepare(host: &mut Host, request: &Request) -> Result<Job, Stop> {
    match request {
        &Request::Accept { fd, flags, .. } => sockets::accept(host, fd, flags),
        &Request::Bind { fd, address } => sockets::bind(host, fd, address),
        Request::CapSet => Stop::unsupported("system call cap_set"),
        &Request::Close { fd } => sockets::close(host, fd),
        &Request::Connect { fd, address } => sockets::connect(host, fd, address),
        Request::EpollCreate { .. } => poll::epoll_create(),
        &Request::EpollControl { instance, operation, fd, events } => {
            poll::epoll_ctl(host, instance, operation, fd, events)
        }
        &Request::EpollWait { instance, most, timeout } => poll::epoll_wait(host, instance, most, timeout),
        &Request::Fcntl { fd, command, argument } => options::fcntl(host, fd, command, argument),
        Request::GetOption { fd, option, length, text } => options::getsockopt(host, *fd, option, *length, *text),
        &Request::Ioctl { fd, request, .. } => options::ioctl(host, fd, request),
        &Request::Listen { fd, backlog } => sockets::listen(host, fd, backlog),
        Request::Open { path, flags, .. } => transfer::open(path, *flags),
        Request::Pipe { .. } => transfer::pipe(),
        Request::Poll { waits, timeout } => poll::poll(host, waits, *timeout),
        Request::Receive(transfer) => transfer::transfer(host, transfer, false),
        Request::Send(transfer) => transfer::transfer(host, transfer, true),
        &Request::SendFile { to, from, offset, length, .. } => transfer::sendfile(host, to, from, offset, length),
        Request::SetOption { fd, option, value, length } => options::setsockopt(host, *fd, option, value, *length),
        &Request::Shutdown { fd, how } => sockets::shutdown(host, fd, how),
        &Request::Socket { domain, kind, protocol, .. } => sockets::socket(host, domain, kind, protocol),
        Request::Splice { offsets: true, .. } => Stop::unsupported("offsets of splice"),
        &Request::Splice { from, to, length, flags, .. } => transfer::splice(host, from, to, length, flags),
    }
}

/// Takes note of what a call opened or ended, and returns its result.
pub fn finish(host: &mut Host, request: &Request, reply: Reply) -> Result<Answer, Stop> {
    match request {
        Request::Connect { fd, address } => sockets::connected(host, *fd, *address, reply),
        _ if reply.value == -1 => answer(reply),
        Request::Accept { number, .. } => sockets::accepted(host, *number, &reply),
        Request::EpollCreate { number } | Request::Open { number, .. } => {
            Ok(Answer::Value(install(&mut host.fds, *number, (reply.value as RawFd, None))))
        }
        Request::Pipe { ends } => {
            for (end, fd) in ends.iter().zip(&reply.numbers) {
                host.fds.insert(*end, (*fd, None));
            }
            answer(reply)
        }
        Request::Socket { number, .. } => Ok(sockets::opened(host, *number, &reply)),
        _ => answer(reply),
    }
}

/// The result of a call as the script names it.
fn answer(reply: Reply) -> Result<Answer, Stop> {
    match (reply.value, reply.memory) {
        (-1, _) => match symbols::errno_name(reply.errno.into()) {
            Some(name) => Ok(Answer::Error(name)),
            None => Stop::fail(format!("error number {}, without a name here", reply.errno)),
        },
        (value, Some(memory)) => Ok(Answer::Filled(value, memory)),
        (value, None) => Ok(Answer::Value(value)),
    }
}

/// A call that writes nothing that is compared. Its memory lives until the error is read.
fn job(mut call: impl FnMut() -> i64 + Send + 'static) -> Result<Job, Stop> {
    Ok(Box::new(move || Reply::of(call())))
}

/// Checks the length of a buffer.
fn length(length: i64) -> Result<usize, Stop> {
    match usize::try_from(length) {
        Ok(length) if length <= 1 << 30 => Ok(length),
        _ => Stop::unsupported(format!("a length of {length} bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_their_names() {
        for (name, number) in [("ESHUTDOWN", libc::ESHUTDOWN), ("EAGAIN", libc::EAGAIN), ("EFAULT", libc::EFAULT)] {
            let reply = Reply { value: -1, errno: number, memory: None, numbers: Vec::new() };
            assert_eq!(answer(reply), Ok(Answer::Error(name)));
        }
        let unknown = Reply { value: -1, errno: 4000, memory: None, numbers: Vec::new() };
        assert_eq!(answer(unknown), Stop::fail("error number 4000, without a name here"));
    }

    #[test]
    fn options_have_the_numbers_of_the_system() {
        for (name, number) in [
            ("SO_REUSEADDR", libc::SO_REUSEADDR),
            ("SO_ZEROCOPY", libc::SO_ZEROCOPY),
            ("SO_TIMESTAMPING", libc::SO_TIMESTAMPING),
            ("SO_MAX_PACING_RATE", libc::SO_MAX_PACING_RATE),
            ("TCP_INQ", libc::TCP_INQ),
            ("TCP_USER_TIMEOUT", libc::TCP_USER_TIMEOUT),
            ("TCP_FASTOPEN_KEY", libc::TCP_FASTOPEN_KEY),
            ("TCP_NOTSENT_LOWAT", libc::TCP_NOTSENT_LOWAT),
            ("IP_FREEBIND", libc::IP_FREEBIND),
            ("IPV6_TCLASS", libc::IPV6_TCLASS),
        ] {
            assert_eq!(symbols::option(name), Some(number.into()), "{name}");
        }
    }
}
