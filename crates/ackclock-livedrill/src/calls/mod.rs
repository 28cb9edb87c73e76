//! System calls of scripts, made for real. Each has a function that prepares it for the application's thread, and one
//! that compares what it wrote to memory.

mod message;
mod options;
mod poll;
mod sockets;
mod transfer;

use crate::live::Live;
use crate::names;
use crate::system::Reply;
use crate::worker::Job;
use ackclock_drill::Stop;
use ackclock_drill::ast::{Call, Expr};
use ackclock_drill::calls::{Answer, eval};
pub use options::{memory_info, tcp_info};
use std::os::fd::RawFd;

type Prepare = fn(&mut Live, &Arguments<'_>) -> Result<Job, Stop>;
type Finish = fn(&mut Live, &Arguments<'_>, &Reply) -> Result<Answer, Stop>;

/// Supported calls.
const CALLS: &[(&str, Prepare, Finish)] = &[
    ("accept", sockets::accept, sockets::accepted),
    ("accept4", sockets::accept, sockets::accepted),
    ("bind", sockets::bind, plain),
    ("close", sockets::close, plain),
    ("connect", sockets::connect, sockets::connected),
    ("epoll_create", poll::epoll_create, installed),
    ("epoll_create1", poll::epoll_create, installed),
    ("epoll_ctl", poll::epoll_ctl, plain),
    ("epoll_wait", poll::epoll_wait, poll::epoll_waited),
    ("fcntl", options::fcntl, plain),
    ("getsockopt", options::getsockopt, options::got_option),
    ("ioctl", options::ioctl, options::controlled),
    ("listen", sockets::listen, plain),
    ("open", transfer::open, installed),
    ("pipe", transfer::pipe, transfer::piped),
    ("poll", poll::poll, poll::polled),
    ("read", transfer::read, plain),
    ("readv", transfer::readv, plain),
    ("recv", transfer::recv, plain),
    ("recvfrom", transfer::recv, plain),
    ("recvmsg", message::recvmsg, message::received),
    ("send", transfer::send, plain),
    ("sendfile", transfer::sendfile, plain),
    ("sendmsg", message::sendmsg, plain),
    ("sendto", transfer::send, plain),
    ("setsockopt", options::setsockopt, plain),
    ("shutdown", sockets::shutdown, plain),
    ("socket", sockets::socket, sockets::opened),
    ("splice", transfer::splice, plain),
    ("write", transfer::write, plain),
    ("writev", transfer::writev, plain),
];

/// Words in arguments that request unsupported features, and the names of these features.
const BEYOND: &[(&str, &str)] = &[
    ("IPPROTO_MPTCP", "MPTCP"),
    ("IPPROTO_UDP", "UDP sockets"),
    ("IPPROTO_ICMP", "ICMP sockets"),
    ("IPPROTO_ICMPV6", "ICMP sockets"),
    ("SOCK_DGRAM", "datagram sockets"),
    ("SOCK_RAW", "raw sockets"),
];

/// The first unsupported feature of a call, determined before anything runs.
pub fn beyond(call: &Call) -> Option<String> {
    if !CALLS.iter().any(|(name, ..)| *name == call.name) {
        return Some(format!("system call {}", call.name));
    }
    call.arguments.iter().chain([&call.result]).find_map(beyond_in)
}

fn beyond_in(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Word(word) => match BEYOND.iter().find(|(name, _)| name == word) {
            Some((_, what)) => Some((*what).to_owned()),
            None => (!names::is_known(word)).then(|| format!("symbol {word}")),
        },
        Expr::Or(left, right) => beyond_in(left).or_else(|| beyond_in(right)),
        Expr::Field(_, _, value) => beyond_in(value),
        Expr::List(items) | Expr::Struct(items) | Expr::Call(_, items) => items.iter().find_map(beyond_in),
        Expr::Ellipsis | Expr::Int(_) | Expr::Text(_) => None,
    }
}

/// Prepares a call.
pub fn prepare(live: &mut Live, call: &Call) -> Result<Job, Stop> {
    match CALLS.iter().find(|(name, ..)| *name == call.name) {
        Some((_, prepare, _)) => prepare(live, &Arguments { call }),
        None => Stop::unsupported(format!("system call {}", call.name)),
    }
}

/// Compares what a call wrote to memory with the script, and returns its result, which the caller compares.
pub fn finish(live: &mut Live, call: &Call, reply: &Reply) -> Result<Answer, Stop> {
    match CALLS.iter().find(|(name, ..)| *name == call.name) {
        Some((.., finish)) => finish(live, &Arguments { call }, reply),
        None => Stop::unsupported(format!("system call {}", call.name)),
    }
}

/// The result of a call that writes nothing that is compared.
fn plain(_: &mut Live, _: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    match reply.value {
        -1 => Ok(Answer::Error(names::error(reply.errno)?)),
        value => Ok(Answer::Value(value)),
    }
}

/// The result of a call that opens something other than a socket.
fn installed(live: &mut Live, arguments: &Arguments<'_>, reply: &Reply) -> Result<Answer, Stop> {
    match reply.value {
        -1 => plain(live, arguments, reply),
        fd => Ok(Answer::Value(arguments.install(live, fd as RawFd, None)?)),
    }
}

/// Memory of an argument.
enum Memory {
    /// A buffer.
    Own(Vec<u8>),
    /// A number as address, such as NULL.
    Wild(usize),
}

impl Memory {
    fn pointer(&mut self) -> *mut libc::c_void {
        match self {
            Memory::Own(bytes) => bytes.as_mut_ptr().cast(),
            Memory::Wild(address) => *address as *mut libc::c_void,
        }
    }
}

/// Access to the arguments of a call by index.
struct Arguments<'a> {
    call: &'a Call,
}

impl<'a> Arguments<'a> {
    fn get(&self, index: usize) -> Result<&'a Expr, Stop> {
        match self.call.arguments.get(index) {
            Some(argument) => Ok(argument),
            None => {
                let Call { name, arguments, .. } = self.call;
                Stop::fail(format!("{name} takes more than {} arguments", arguments.len()))
            }
        }
    }

    fn int(&self, index: usize) -> Result<i64, Stop> {
        eval(self.get(index)?)
    }

    /// A number, or 0 if none is given.
    fn optional(&self, index: usize) -> Result<i64, Stop> {
        match self.call.arguments.get(index) {
            None | Some(Expr::Ellipsis) => Ok(0),
            Some(argument) => eval(argument),
        }
    }

    /// The descriptor in this process behind that of the script; a number that names nothing stays as it is not open.
    fn fd(&self, live: &Live, index: usize) -> Result<RawFd, Stop> {
        Ok(live.fds.get(&self.int(index)?).map_or(-1, |&(fd, _)| fd))
    }

    /// The socket of a descriptor.
    fn socket(&self, live: &Live, index: usize) -> Result<Option<usize>, Stop> {
        Ok(live.fds.get(&self.int(index)?).and_then(|&(_, id)| id))
    }

    /// A buffer of `length` bytes. Its bytes are touched here, because a kernel in user mode cannot always do it.
    fn memory(&self, index: usize, length: usize) -> Result<Memory, Stop> {
        match self.get(index)? {
            Expr::Int(address) => Ok(Memory::Wild(*address as usize)),
            Expr::Word(word) if word == "NULL" => Ok(Memory::Wild(0)),
            Expr::Ellipsis => Ok(Memory::Own(vec![b'a'; length.max(1)])),
            Expr::Text(text) => match ackclock_drill::bytes_of_text(text) {
                Some(bytes) => Ok(Memory::Own(bytes)),
                None => Stop::unsupported(format!("the escapes of \"{text}\"")),
            },
            _ => Stop::unsupported(format!("this buffer of {}", self.call.name)),
        }
    }

    /// A length of a buffer.
    fn length(&self, index: usize) -> Result<usize, Stop> {
        match usize::try_from(self.int(index)?) {
            Ok(length) if length <= 1 << 30 => Ok(length),
            _ => Stop::unsupported(format!("a length of {} bytes", self.int(index)?)),
        }
    }

    /// Names a descriptor as the script does, or by the lowest number from 3 that the script does not use. A number that
    /// is taken names the new object from now on.
    fn install(&self, live: &mut Live, fd: RawFd, socket: Option<usize>) -> Result<i64, Stop> {
        let free = (3..).find(|number| !live.fds.contains_key(number)).expect("there are enough");
        let number = match &self.call.result {
            Expr::Ellipsis => free,
            result => Some(eval(result)?).filter(|&number| number >= 0).unwrap_or(free),
        };
        live.fds.insert(number, (fd, socket));
        Ok(number)
    }
}

/// Lengths of the buffers of `[{..., 100}, {..., 200}]`.
fn vector(expr: &Expr) -> Result<Vec<usize>, Stop> {
    let Expr::List(items) = expr else { return Stop::fail("expected buffers such as [{..., 1000}]") };
    let length = |item: &Expr| match item {
        Expr::Struct(parts) if parts.len() == 2 && parts[0] == Expr::Ellipsis => {
            match usize::try_from(eval(&parts[1])?) {
                Ok(length) if length <= 1 << 30 => Ok(length),
                _ => Stop::unsupported("a buffer of such a length"),
            }
        }
        _ => Stop::unsupported("buffers other than {..., LENGTH}"),
    };
    items.iter().map(length).collect()
}

/// Compares a number in memory; `...` is any number.
fn compare(name: &str, expected: Option<&Expr>, actual: i64) -> Result<(), Stop> {
    match expected {
        None | Some(Expr::Ellipsis) => Ok(()),
        Some(expected) => {
            let expected = eval(expected)?;
            if expected == actual {
                return Ok(());
            }
            Stop::fail(format!("{name} is {actual} instead of {expected}"))
        }
    }
}
