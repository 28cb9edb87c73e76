//! The meaning of a system call of a script on any machine: the reading of its arguments ([`Request`]), and the comparison
//! of its result and of the memory that it filled ([`Answer`]) with the script.

mod compare;
mod request;
mod values;

use std::collections::BTreeMap;

use crate::ast::{Call, Expr};
use ackclock_tcp::Nanos;
pub use compare::{compare_memory, compare_result};
pub use request::{Address, Buffer, Data, Request, SocketOption, Transfer, Value};
pub use values::bytes_of_text;

/// Result of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The call returned this value.
    Value(i64),
    /// The call returned this value and filled memory.
    Filled(i64, Memory),
    /// The call returned -1 and set this error.
    Error(&'static str),
    /// The call waits, at most until this time.
    Blocks(Nanos),
}

/// Memory that a call filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Memory {
    /// The number of `ioctl` or of a socket option.
    Number(i64),
    /// A socket option that is a text.
    Text(String),
    /// A socket option that is a structure: numbers by the names of its fields.
    Fields(Vec<(&'static str, i64)>),
    /// A socket option that is a structure with a name.
    Named(String),
    /// Flags and control messages of `recvmsg`.
    Message(i64, Vec<Control>),
    /// `revents` of each structure of `poll`, in order.
    Polled(Vec<i64>),
    /// Descriptors of the script and their events, of `epoll_wait`.
    Events(Vec<(i64, i64)>),
}

/// A control message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Control {
    /// `cmsg_level`
    pub level: i64,
    /// `cmsg_type`
    pub kind: i64,
    /// `cmsg_data`
    pub data: ControlData,
}

/// Data of a control message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ControlData {
    /// TCP_CM_INQ: number of bytes left to read.
    Inq(i64),
    /// The first time of a `struct scm_timestamping`, from the start of the script, in nanoseconds.
    Time(i64),
    /// `struct sock_extended_err`: `ee_errno`, `ee_origin`, `ee_type`, `ee_code`, `ee_info` and `ee_data`.
    Error([i64; 6]),
    /// Data that are not compared.
    Unknown,
}

/// Words in arguments that request features that no machine has, and the names of these features.
const BEYOND: &[(&str, &str)] = &[
    ("IPPROTO_MPTCP", "MPTCP"),
    ("IPPROTO_UDP", "UDP sockets"),
    ("IPPROTO_ICMP", "ICMP sockets"),
    ("IPPROTO_ICMPV6", "ICMP sockets"),
    ("SOCK_DGRAM", "datagram sockets"),
    ("SOCK_RAW", "raw sockets"),
];

/// The first unsupported feature of a call, determined before anything runs. `word` names the feature that a word in an
/// argument requests and the machine does not have.
pub fn beyond(call: &Call, word: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if !request::is_known(&call.name) {
        return Some(format!("system call {}", call.name));
    }
    call.arguments.iter().chain([&call.result]).find_map(|expr| beyond_in(expr, word))
}

fn beyond_in(expr: &Expr, word: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    match expr {
        Expr::Word(name) => match BEYOND.iter().find(|(known, _)| known == name) {
            Some((_, what)) => Some((*what).to_owned()),
            None => word(name),
        },
        Expr::Or(left, right) => beyond_in(left, word).or_else(|| beyond_in(right, word)),
        Expr::Field(_, _, value) => beyond_in(value, word),
        Expr::List(items) | Expr::Struct(items) | Expr::Call(_, items) => {
            items.iter().find_map(|item| beyond_in(item, word))
        }
        Expr::Ellipsis | Expr::Int(_) | Expr::Text(_) => None,
    }
}

/// Puts an opened object among `all` under the number that the script expects, or under the lowest free one from 3.
/// Returns the number.
///
/// Numbers are the script's own names, as in packetdrill: a number that is taken names the new object from now on.
pub fn install<T>(all: &mut BTreeMap<i64, T>, number: Option<i64>, object: T) -> i64 {
    let free = || (3..).find(|number| !all.contains_key(number)).expect("there are enough numbers");
    let number = number.unwrap_or_else(free);
    all.insert(number, object);
    number
}
