//! The arguments of a call. Descriptors have the script's numbers, and flags, levels and requests those of Linux.

use super::values::{Arguments, eval, field, number, structures};
use crate::ast::{Call, Expr};
use crate::symbols;
use crate::verdict::Stop;

/// A system call with its arguments. `number` is the one that the script gives to what the call opens, if any.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names of arguments are those of the manual pages")]
pub enum Request {
    /// `accept` and `accept4`
    Accept { fd: i64, flags: i64, number: Option<i64> },
    /// `bind`
    Bind { fd: i64, address: Address },
    /// `cap_set(CAP_NET_ADMIN, 0)`, which only packetdrill has.
    CapSet,
    /// `close`
    Close { fd: i64 },
    /// `connect`
    Connect { fd: i64, address: Address },
    /// `epoll_create` and `epoll_create1`
    EpollCreate { number: Option<i64> },
    /// `epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLIN, fd=4})`
    EpollControl { instance: i64, operation: i64, fd: i64, events: i64 },
    /// `epoll_wait(5, {events=EPOLLIN, fd=4}, 1, timeout)`
    EpollWait { instance: i64, most: i64, timeout: i64 },
    /// `fcntl`
    Fcntl { fd: i64, command: i64, argument: i64 },
    /// `getsockopt`; `text` is whether the script expects a text.
    GetOption { fd: i64, option: SocketOption, length: i64, text: bool },
    /// `ioctl(4, SIOCINQ, [1000])`
    Ioctl { fd: i64, request: i64, argument: i64 },
    /// `listen`
    Listen { fd: i64, backlog: i64 },
    /// `open`
    Open { path: String, flags: i64, number: Option<i64> },
    /// `pipe([5, 6])`, with the end for reading and the end for writing.
    Pipe { ends: [i64; 2] },
    /// `poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, timeout)`, with descriptors and events.
    Poll { waits: Vec<(i64, i64)>, timeout: i64 },
    /// `read`, `readv`, `recv`, `recvfrom` and `recvmsg`
    Receive(Transfer),
    /// `write`, `writev`, `send`, `sendto` and `sendmsg`
    Send(Transfer),
    /// `sendfile(4, 5, [0], 1000)`, whose offset may be NULL, or FreeBSD's with seven arguments, which returns no count.
    SendFile { to: i64, from: i64, offset: Option<i64>, length: i64, counts: bool },
    /// `setsockopt`
    SetOption { fd: i64, option: SocketOption, value: Value, length: i64 },
    /// `shutdown`
    Shutdown { fd: i64, how: i64 },
    /// `socket`; the domain is that of the script's version of IP if none is given.
    Socket { domain: Option<i64>, kind: i64, protocol: i64, number: Option<i64> },
    /// `splice(4, NULL, 6, NULL, 1000, 0)`; `offsets` is whether one is given in place of NULL.
    Splice { from: i64, to: i64, offsets: bool, length: i64, flags: i64 },
}

/// Memory to read to or to write from. A transfer of a vector with flags is one of a message.
#[derive(Clone, PartialEq, Debug)]
pub struct Transfer {
    /// Descriptor.
    pub fd: i64,
    /// Buffers.
    pub data: Data,
    /// Flags, unless the call has none.
    pub flags: Option<i64>,
    /// Address of `sendto`.
    pub address: Address,
}

/// Buffers of a transfer.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// One buffer and its length in bytes.
    Buffer(Buffer, i64),
    /// Lengths of several buffers, bytes.
    Vector(Vec<i64>),
}

/// Content of a buffer.
#[derive(Clone, PartialEq, Debug)]
pub enum Buffer {
    /// Any bytes (`...`).
    Any,
    /// A text with its escapes.
    Text(String),
    /// No buffer, but an address, which is not valid.
    Wild(i64),
}

/// Address of a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// An address that the machine chooses (`...`).
    Any,
    /// AF_UNSPEC
    Unspecified,
    /// An address that the script gives.
    Given,
}

/// A socket option.
#[derive(Clone, PartialEq, Debug)]
pub struct SocketOption {
    /// Level.
    pub level: i64,
    /// Name.
    pub name: String,
    /// Number on Linux, if the name has one.
    pub number: Option<i64>,
}

/// Value of a socket option.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Any value (`...`).
    Any,
    /// A number.
    Number(i64),
    /// A text with its escapes.
    Text(String),
    /// `{onoff=1, linger=5}`, with the time in seconds.
    Linger(i64, i64),
    /// A structure with a name, as of a stack or of an accept filter (FreeBSD).
    Named(String),
    /// Another structure.
    Structure,
}

impl Value {
    /// The value as a number.
    ///
    /// # Errors
    /// Other values.
    pub fn number(&self) -> Result<i64, Stop> {
        let what = match self {
            Value::Number(number) => return Ok(*number),
            Value::Any => "...",
            Value::Text(_) => "a text",
            Value::Linger(..) | Value::Named(_) | Value::Structure => "a structure",
        };
        Stop::fail(format!("expected a number, found {what}"))
    }
}

type Read = fn(&Arguments<'_>) -> Result<Request, Stop>;

/// Names of calls, the least numbers of their arguments, and how the arguments are read.
const CALLS: &[(&str, usize, Read)] = &[
    ("accept", 1, |the| Ok(Request::Accept { fd: the.int(0)?, flags: 0, number: the.opened()? })),
    ("accept4", 1, |the| Ok(Request::Accept { fd: the.int(0)?, flags: the.optional(3)?, number: the.opened()? })),
    ("bind", 2, |the| Ok(Request::Bind { fd: the.int(0)?, address: address(the, 1) })),
    ("cap_set", 0, |_| Ok(Request::CapSet)),
    ("close", 1, |the| Ok(Request::Close { fd: the.int(0)? })),
    ("connect", 1, |the| Ok(Request::Connect { fd: the.int(0)?, address: address(the, 1) })),
    ("epoll_create", 0, |the| Ok(Request::EpollCreate { number: the.opened()? })),
    ("epoll_create1", 0, |the| Ok(Request::EpollCreate { number: the.opened()? })),
    ("epoll_ctl", 3, epoll_ctl),
    ("epoll_wait", 4, |the| Ok(Request::EpollWait { instance: the.int(0)?, most: the.int(2)?, timeout: the.int(3)? })),
    ("fcntl", 2, |the| Ok(Request::Fcntl { fd: the.int(0)?, command: the.int(1)?, argument: the.optional(2)? })),
    ("getsockopt", 4, getsockopt),
    ("ioctl", 3, ioctl),
    ("listen", 2, |the| Ok(Request::Listen { fd: the.int(0)?, backlog: the.int(1)? })),
    ("open", 2, open),
    ("pipe", 1, pipe),
    ("poll", 3, poll),
    ("read", 3, |the| Ok(Request::Receive(buffer(the)?))),
    ("readv", 3, |the| Ok(Request::Receive(buffers(the)?))),
    ("recv", 4, |the| Ok(Request::Receive(flagged(the)?))),
    ("recvfrom", 4, |the| Ok(Request::Receive(flagged(the)?))),
    ("recvmsg", 2, |the| Ok(Request::Receive(message(the)?))),
    ("send", 4, |the| Ok(Request::Send(flagged(the)?))),
    ("sendfile", 4, sendfile),
    ("sendmsg", 2, sendmsg),
    ("sendto", 4, |the| Ok(Request::Send(flagged(the)?))),
    ("setsockopt", 4, setsockopt),
    ("shutdown", 2, |the| Ok(Request::Shutdown { fd: the.int(0)?, how: the.int(1)? })),
    ("socket", 3, socket),
    ("splice", 6, splice),
    ("write", 3, |the| Ok(Request::Send(buffer(the)?))),
    ("writev", 3, |the| Ok(Request::Send(buffers(the)?))),
];

/// Whether there is a call with this name.
pub fn is_known(name: &str) -> bool {
    CALLS.iter().any(|(known, ..)| *known == name)
}

impl Request {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// An unknown call or argument.
    pub fn of(call: &Call) -> Result<Request, Stop> {
        match CALLS.iter().find(|(name, ..)| *name == call.name) {
            Some((_, least, read)) => read(&Arguments::of(call, *least)?),
            None => Stop::unsupported(format!("system call {}", call.name)),
        }
    }
}

fn address(the: &Arguments<'_>, index: usize) -> Address {
    match the.get(index) {
        Expr::Ellipsis => Address::Any,
        _ if the.is(index, "AF_UNSPEC") => Address::Unspecified,
        _ => Address::Given,
    }
}

fn socket(the: &Arguments<'_>) -> Result<Request, Stop> {
    let domain = match the.get(0) {
        Expr::Ellipsis => None,
        domain => Some(eval(domain)?),
    };
    Ok(Request::Socket { domain, kind: the.int(1)?, protocol: the.int(2)?, number: the.opened()? })
}

fn open(the: &Arguments<'_>) -> Result<Request, Stop> {
    match the.get(0) {
        Expr::Text(path) => Ok(Request::Open { path: path.clone(), flags: the.int(1)?, number: the.opened()? }),
        _ => Stop::fail("open takes a path in quotes"),
    }
}

fn ioctl(the: &Arguments<'_>) -> Result<Request, Stop> {
    let argument = if matches!(the.get(2), Expr::List(_) | Expr::Int(_)) { the.int(2)? } else { 0 };
    Ok(Request::Ioctl { fd: the.int(0)?, request: the.int(1)?, argument })
}

fn pipe(the: &Arguments<'_>) -> Result<Request, Stop> {
    match the.get(0) {
        Expr::List(ends) if ends.len() == 2 => Ok(Request::Pipe { ends: [eval(&ends[0])?, eval(&ends[1])?] }),
        _ => Stop::fail("pipe takes two descriptors such as [5, 6]"),
    }
}

/// The arguments of `read` and `write`: a descriptor, a buffer and its length.
fn buffer(the: &Arguments<'_>) -> Result<Transfer, Stop> {
    let content = match the.get(1) {
        Expr::Ellipsis => Buffer::Any,
        Expr::Int(address) => Buffer::Wild(*address),
        Expr::Text(text) => Buffer::Text(text.clone()),
        _ if the.is(1, "NULL") => Buffer::Wild(0),
        _ => return Stop::unsupported(format!("this buffer of {}", the.call.name)),
    };
    let data = Data::Buffer(content, the.int(2)?);
    Ok(Transfer { fd: the.int(0)?, data, flags: None, address: Address::Any })
}

/// The arguments of `recv` and `send`, which have flags, and of `recvfrom` and `sendto`, which have an address, too.
fn flagged(the: &Arguments<'_>) -> Result<Transfer, Stop> {
    Ok(Transfer { flags: Some(the.int(3)?), address: address(the, 4), ..buffer(the)? })
}

/// The arguments of `readv` and `writev`.
fn buffers(the: &Arguments<'_>) -> Result<Transfer, Stop> {
    Ok(Transfer { fd: the.int(0)?, data: vector(the.get(1))?, flags: None, address: Address::Any })
}

/// The fields of `{msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0}`.
pub fn fields<'a>(the: &Arguments<'a>) -> Result<&'a [Expr], Stop> {
    match the.get(1) {
        Expr::Struct(fields) => Ok(fields),
        _ => Stop::fail(format!("{} takes a structure such as {{msg_iov(1)=[{{..., 1000}}]}}", the.call.name)),
    }
}

fn message(the: &Arguments<'_>) -> Result<Transfer, Stop> {
    let Some(buffers) = field(fields(the)?, "msg_iov") else { return Stop::fail("a message without msg_iov") };
    let flags = Some(the.optional(2)?);
    Ok(Transfer { fd: the.int(0)?, data: vector(buffers)?, flags, address: Address::Any })
}

fn sendmsg(the: &Arguments<'_>) -> Result<Request, Stop> {
    match field(fields(the)?, "msg_control") {
        Some(Expr::List(items)) if !items.is_empty() => Stop::unsupported("control messages of sendmsg"),
        _ => Ok(Request::Send(message(the)?)),
    }
}

/// Lengths of the buffers of `[{..., 100}, {..., 200}]`. The content of a buffer has no effect.
fn vector(expr: &Expr) -> Result<Data, Stop> {
    let Expr::List(items) = expr else { return Stop::fail("expected buffers such as [{..., 1000}]") };
    let length = |item: &Expr| match item {
        Expr::Struct(parts) => match &parts[..] {
            [Expr::Ellipsis | Expr::Text(_), length] => eval(length),
            _ => Stop::unsupported("buffers other than {..., LENGTH}"),
        },
        _ => Stop::fail("expected a buffer such as {..., 1000}"),
    };
    Ok(Data::Vector(items.iter().map(length).collect::<Result<_, Stop>>()?))
}

/// The arguments of `sendfile`: Linux's four, or FreeBSD's seven, with buffers before and after the file.
fn sendfile(the: &Arguments<'_>) -> Result<Request, Stop> {
    if the.call.arguments.len() == 7 {
        let mut around = 0;
        if let Expr::Struct(parts) = the.get(4) {
            for buffers in ["headers", "trailers"].iter().filter_map(|name| field(parts, name)) {
                if let Data::Vector(lengths) = vector(buffers)? {
                    around += lengths.iter().sum::<i64>();
                }
            }
        }
        let length = the.int(3)? + around;
        return Ok(Request::SendFile {
            to: the.int(1)?,
            from: the.int(0)?,
            offset: Some(the.int(2)?),
            length,
            counts: false,
        });
    }
    let offset = if the.is(2, "NULL") { None } else { Some(the.int(2)?) };
    Ok(Request::SendFile { to: the.int(0)?, from: the.int(1)?, offset, length: the.int(3)?, counts: true })
}

fn splice(the: &Arguments<'_>) -> Result<Request, Stop> {
    let offsets = ![1, 3].iter().all(|&index| the.is(index, "NULL"));
    Ok(Request::Splice { from: the.int(0)?, to: the.int(2)?, offsets, length: the.int(4)?, flags: the.int(5)? })
}

fn poll(the: &Arguments<'_>) -> Result<Request, Stop> {
    let structures = structures(the.get(0))?;
    let pair = |parts: &&[Expr]| Ok((number(parts, "fd")?, number(parts, "events")?));
    let waits: Vec<(i64, i64)> = structures.iter().map(pair).collect::<Result<_, Stop>>()?;
    let count = the.int(1)?;
    if count != waits.len() as i64 {
        return Stop::fail(format!("poll has {} structures and a count of {count}", waits.len()));
    }
    Ok(Request::Poll { waits, timeout: the.int(2)? })
}

fn epoll_ctl(the: &Arguments<'_>) -> Result<Request, Stop> {
    let events = match the.get(3) {
        Expr::Struct(parts) => number(parts, "events")?,
        _ => 0,
    };
    Ok(Request::EpollControl { instance: the.int(0)?, operation: the.int(1)?, fd: the.int(2)?, events })
}

fn option(the: &Arguments<'_>) -> Result<SocketOption, Stop> {
    let (name, number) = match the.get(2) {
        Expr::Word(name) => (name.clone(), symbols::option(name)),
        Expr::Int(number) => (number.to_string(), Some(*number)),
        _ => return Stop::fail("expected the name of a socket option"),
    };
    Ok(SocketOption { level: the.int(1)?, name, number })
}

fn getsockopt(the: &Arguments<'_>) -> Result<Request, Stop> {
    let text = matches!(the.get(3), Expr::Text(_));
    Ok(Request::GetOption { fd: the.int(0)?, option: option(the)?, length: the.optional(4)?, text })
}

fn setsockopt(the: &Arguments<'_>) -> Result<Request, Stop> {
    let value = match the.get(3) {
        Expr::Ellipsis => Value::Any,
        Expr::Text(text) => Value::Text(text.clone()),
        Expr::Struct(parts) => match named(parts) {
            Some(name) => Value::Named(name),
            None => linger(parts)?,
        },
        number => Value::Number(eval(number)?),
    };
    Ok(Request::SetOption { fd: the.int(0)?, option: option(the)?, value, length: the.optional(4)? })
}

/// The name in `{function_set_name="freebsd", pcbcnt=0}` or `{af_name="dataready"}`.
fn named(parts: &[Expr]) -> Option<String> {
    match ["function_set_name", "af_name"].iter().find_map(|name| field(parts, name)) {
        Some(Expr::Text(name)) => Some(name.clone()),
        _ => None,
    }
}

fn linger(parts: &[Expr]) -> Result<Value, Stop> {
    let found = |names: [&str; 2]| names.iter().find_map(|name| field(parts, name));
    match (found(["onoff", "l_onoff"]), found(["linger", "l_linger"])) {
        (Some(on), Some(time)) => Ok(Value::Linger(eval(on)?, eval(time)?)),
        _ => Ok(Value::Structure),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Action;

    fn read(call: &str) -> Result<Request, Stop> {
        let script = crate::parse::script(&format!("0 {call}\n"), &[]).unwrap_or_else(|error| panic!("{error:?}"));
        match &script.events[0].action {
            Action::Call(call) => Request::of(call),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_forms_of_a_transfer_differ_in_buffers_and_flags() {
        let any = |length| Data::Buffer(Buffer::Any, length);
        let transfer = |data, flags| Transfer { fd: 4, data, flags, address: Address::Any };
        for (call, expected) in [
            ("read(4, ..., 10) = 10", Request::Receive(transfer(any(10), None))),
            ("recv(4, ..., 10, MSG_PEEK) = 10", Request::Receive(transfer(any(10), Some(2)))),
            ("writev(4, [{..., 3}, {..., 4}], 2) = 7", Request::Send(transfer(Data::Vector(vec![3, 4]), None))),
            (
                "sendmsg(4, {msg_name(...)=..., msg_iov(1)=[{..., 5}], msg_flags=0}, MSG_MORE) = 5",
                Request::Send(transfer(Data::Vector(vec![5]), Some(0x8000))),
            ),
            ("write(4, NULL, 9) = -1 EFAULT", Request::Send(transfer(Data::Buffer(Buffer::Wild(0), 9), None))),
            (
                r#"write(4, "a\x01", 2) = 2"#,
                Request::Send(transfer(Data::Buffer(Buffer::Text(r"a\x01".to_owned()), 2), None)),
            ),
        ] {
            assert_eq!(read(call), Ok(expected), "{call}");
        }
    }

    #[test]
    fn what_a_call_opens_has_the_number_of_its_result() {
        let number = |result: &str| match read(&format!("accept(3, ..., ...) = {result}")) {
            Ok(Request::Accept { number, .. }) => number,
            other => panic!("{other:?}"),
        };
        assert_eq!((number("4"), number("..."), number("-1 EAGAIN")), (Some(4), None, None));
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for (call, message) in [
            ("read(4, ...) = 0", "read takes 3 arguments, found 2"),
            ("pipe([5]) = 0", "pipe takes two descriptors such as [5, 6]"),
            ("poll([{fd=4, events=POLLIN}], 2, 0) = 0", "poll has 1 structures and a count of 2"),
            ("read(4, ..., \"x\") = 0", "expected a number, found a text"),
        ] {
            assert_eq!(read(call), Err(Stop::Fail(message.to_owned())), "{call}");
        }
        for (call, what) in [
            ("frobnicate(4) = 0", "system call frobnicate"),
            ("read(4, ..., MANY) = 0", "symbol MANY"),
            ("writev(4, [{NULL, 2}], 1) = 2", "buffers other than {..., LENGTH}"),
        ] {
            assert_eq!(read(call), Err(Stop::Unsupported(what.to_owned())), "{call}");
        }
    }

    #[test]
    fn values_of_options_are_numbers_texts_and_times_to_linger() {
        let value = |text: &str| match read(&format!("setsockopt(4, SOL_SOCKET, SO_LINGER, {text}, 8) = 0")) {
            Ok(Request::SetOption { value, .. }) => value,
            other => panic!("{other:?}"),
        };
        assert_eq!(value("[7]"), Value::Number(7));
        assert_eq!(value("\"cubic\""), Value::Text("cubic".to_owned()));
        assert_eq!(value("{onoff=1, linger=5}"), Value::Linger(1, 5));
        assert_eq!(value("{name=1}"), Value::Structure);
    }
}
