//! System calls.

mod connect;
mod message;
mod options;
mod pipe;
mod poll;
mod transfer;

use crate::ast::{Call, Expr};
use crate::simulated::host::{Descriptor, Host};
use crate::simulated::socket::{Connection, Socket, SocketId};
use crate::symbols;
use crate::verdict::Stop;
use ackclock_tcp::Nanos;

/// Result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The call returned this value.
    Value(i64),
    /// The call returned -1 and set this error.
    Error(&'static str),
    /// The call waits, at most until this time.
    Blocks(Nanos),
}

/// Progress of a waiting call.
#[derive(Clone, Copy, Debug)]
pub struct CallState {
    /// Start of the call.
    pub started: Nanos,
    /// Bytes transferred, or whether a connection attempt is in progress.
    pub done: u64,
    /// Whether the call sleeps until there is room to write.
    pub sleeps: bool,
    /// Whether the call has opened a connection with Fast Open, or waits for one.
    pub opens: bool,
}

/// Why a call ends early.
enum Halt {
    Stop(Stop),
    Errno(&'static str),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Halt {
        Halt::Stop(stop)
    }
}

type Called = Result<Answer, Halt>;

/// Supported calls and their implementations.
type Function = fn(&mut Host, &Call, &mut CallState) -> Called;
const CALLS: &[(&str, Function)] = &[
    ("accept", connect::accept),
    ("accept4", connect::accept),
    ("bind", connect::bind),
    ("cap_set", options::cap_set),
    ("close", connect::close),
    ("connect", connect::connect),
    ("epoll_create", poll::epoll_create),
    ("epoll_create1", poll::epoll_create),
    ("epoll_ctl", poll::epoll_ctl),
    ("epoll_wait", poll::epoll_wait),
    ("fcntl", options::fcntl),
    ("getsockopt", options::getsockopt),
    ("ioctl", options::ioctl),
    ("listen", connect::listen),
    ("open", transfer::open),
    ("pipe", pipe::pipe),
    ("poll", poll::poll),
    ("read", transfer::read),
    ("readv", transfer::readv),
    ("recv", transfer::recv),
    ("recvfrom", transfer::recv),
    ("recvmsg", message::recvmsg),
    ("send", transfer::send),
    ("sendfile", transfer::sendfile),
    ("sendmsg", message::sendmsg),
    ("sendto", transfer::send),
    ("setsockopt", options::setsockopt),
    ("shutdown", connect::shutdown),
    ("socket", connect::socket),
    ("splice", pipe::splice),
    ("write", transfer::write),
    ("writev", transfer::writev),
];

/// Words in arguments that request unsupported features, and the names of these features.
const BEYOND: &[(&str, &str)] = &[
    ("IPPROTO_MPTCP", "MPTCP"),
    ("IPPROTO_UDP", "UDP sockets"),
    ("IPPROTO_ICMP", "ICMP sockets"),
    ("IPPROTO_ICMPV6", "ICMP sockets"),
    ("SOCK_DGRAM", "datagram sockets"),
    ("SOCK_RAW", "raw sockets"),
    ("TCP_AO_ADD_KEY", "authentication (TCP-AO)"),
    ("TCP_MD5SIG", "MD5 signatures"),
    ("TCP_MD5SIG_EXT", "MD5 signatures"),
    ("TCP_REPAIR", "TCP_REPAIR"),
    ("TCP_ULP", "TCP_ULP"),
    ("TCP_ZEROCOPY_RECEIVE", "zero-copy receive"),
    ("SO_TIMESTAMP", "SO_TIMESTAMP"),
    ("SO_TIMESTAMPNS", "SO_TIMESTAMPNS"),
    ("SO_MEMINFO", "SO_MEMINFO"),
];

/// The first unsupported feature of a call, determined before anything runs.
pub fn beyond(call: &Call) -> Option<String> {
    if !CALLS.iter().any(|(name, _)| *name == call.name) {
        return Some(format!("system call {}", call.name));
    }
    call.arguments.iter().chain([&call.result]).find_map(beyond_in)
}

fn beyond_in(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Word(word) => BEYOND.iter().find(|(name, _)| name == word).map(|(_, what)| (*what).to_owned()),
        Expr::Or(left, right) => beyond_in(left).or_else(|| beyond_in(right)),
        Expr::Field(_, _, value) => beyond_in(value),
        Expr::List(items) | Expr::Struct(items) | Expr::Call(_, items) => items.iter().find_map(beyond_in),
        Expr::Ellipsis | Expr::Int(_) | Expr::Text(_) => None,
    }
}

/// Makes a call, or retries one that blocks.
pub fn attempt(host: &mut Host, call: &Call, progress: &mut CallState) -> Result<Answer, Stop> {
    let Some((_, function)) = CALLS.iter().find(|(name, _)| *name == call.name) else {
        return Stop::unsupported(format!("system call {}", call.name));
    };
    let answer = function(host, call, progress);
    host.drain();
    match answer {
        Ok(answer) => Ok(answer),
        Err(Halt::Errno(name)) => Ok(Answer::Error(name)),
        Err(Halt::Stop(stop)) => Err(stop),
    }
}

/// Compares the result with the script.
pub fn check(call: &Call, answer: Answer) -> Result<(), Stop> {
    let actual = match answer {
        Answer::Value(value) => value.to_string(),
        Answer::Error(name) => format!("-1 {name}"),
        Answer::Blocks(_) => "nothing: it blocks".to_owned(),
    };
    let expected = match (&call.result, &call.errno) {
        (Expr::Ellipsis, _) => return Ok(()),
        (result, Some(errno)) if errno != "flags" => {
            let alike = |name: &str| symbols::errno_number(name) == symbols::errno_number(errno);
            match answer {
                Answer::Error(name) if eval(result)? == -1 && alike(name) => return Ok(()),
                _ => format!("{} {errno}", eval(result)?),
            }
        }
        (result, _) => {
            let value = eval(result)?;
            match answer {
                Answer::Value(actual) if actual == value => return Ok(()),
                Answer::Error(_) if value == -1 => return Ok(()),
                _ => value.to_string(),
            }
        }
    };
    Stop::fail(format!("{} returned {actual} instead of {expected}", call.name))
}

/// The number that an expression represents.
pub fn eval(expr: &Expr) -> Result<i64, Stop> {
    match expr {
        Expr::Int(value) => Ok(*value),
        Expr::Word(word) => match symbols::value(word) {
            Some(value) => Ok(value),
            None => Stop::unsupported(format!("symbol {word}")),
        },
        Expr::Or(left, right) => Ok(eval(left)? | eval(right)?),
        Expr::List(items) if items.len() == 1 => eval(&items[0]),
        Expr::Call(name, items) if name == "htons" && items.len() == 1 => eval(&items[0]),
        _ => Stop::fail(format!("expected a number, found {}", kind(expr))),
    }
}

fn kind(expr: &Expr) -> &'static str {
    match expr {
        Expr::Ellipsis => "...",
        Expr::Int(_) => "a number",
        Expr::Word(_) => "a name",
        Expr::Text(_) => "a text",
        Expr::Or(..) => "an alternative",
        Expr::Field(..) => "a field",
        Expr::List(_) => "a list",
        Expr::Struct(_) => "a structure",
        Expr::Call(..) => "a function",
    }
}

/// Access to the arguments of a call by index.
struct Arguments<'a> {
    call: &'a Call,
}

impl<'a> Arguments<'a> {
    fn of(call: &'a Call, least: usize) -> Result<Arguments<'a>, Stop> {
        if call.arguments.len() < least {
            let message = format!("{} takes {least} arguments, found {}", call.name, call.arguments.len());
            return Stop::fail(message);
        }
        Ok(Arguments { call })
    }

    fn get(&self, index: usize) -> &'a Expr {
        self.call.arguments.get(index).unwrap_or(&Expr::Ellipsis)
    }

    fn int(&self, index: usize) -> Result<i64, Stop> {
        eval(self.get(index))
    }

    /// A number, or 0 if none is given.
    fn optional(&self, index: usize) -> Result<i64, Stop> {
        if self.get(index) == &Expr::Ellipsis { Ok(0) } else { self.int(index) }
    }

    /// A number of bytes.
    fn bytes(&self, index: usize) -> Result<u64, Halt> {
        u64::try_from(self.int(index)?).map_err(|_| Halt::Errno("EINVAL"))
    }
}

/// The value of a field in a structure.
pub fn field<'a>(items: &'a [Expr], name: &str) -> Option<&'a Expr> {
    items.iter().find_map(|item| match item {
        Expr::Field(field, _, value) if field == name => Some(&**value),
        _ => None,
    })
}

impl Host {
    /// The socket of a descriptor.
    fn socket_of(&self, fd: i64) -> Result<SocketId, Halt> {
        match self.fds.get(&fd) {
            Some(Descriptor::Socket(id)) => Ok(*id),
            Some(_) => Err(Halt::Errno("ENOTSOCK")),
            None => Err(Halt::Errno("EBADF")),
        }
    }

    fn socket_mut(&mut self, fd: i64) -> Result<(SocketId, &mut Socket), Halt> {
        let id = self.socket_of(fd)?;
        Ok((id, &mut self.sockets[id]))
    }

    fn connection_mut(&mut self, id: SocketId) -> Result<&mut Connection, Halt> {
        self.sockets[id].connection_mut().ok_or(Halt::Errno("ENOTCONN"))
    }

    /// Installs an opened object under the descriptor that the script expects, or under the lowest free one.
    fn install(&mut self, call: &Call, descriptor: Descriptor) -> Result<Answer, Halt> {
        let free = (3..).find(|fd| !self.fds.contains_key(fd)).expect("there are enough");
        let fd = match &call.result {
            Expr::Ellipsis => free,
            result => eval(result)?,
        };
        let fd = if fd < 0 { free } else { fd };
        // Numbers are the script's own names, as in packetdrill: one that is taken names the new object from now on.
        self.fds.insert(fd, descriptor);
        Ok(Answer::Value(fd))
    }
}
