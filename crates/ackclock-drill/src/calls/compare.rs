//! Comparison of the result of a call, and of the memory that it filled, with the script.

use super::request::fields;
use super::values::{Arguments, eval, field, number, structures};
use super::{Answer, Control, ControlData, Memory, Request};
use crate::ast::{Call, Expr};
use crate::symbols::{self, NONBLOCK, RDWR};
use crate::verdict::Stop;
use ackclock_tcp::{Nanos, SECOND};

/// Names of the fields of a `struct sock_extended_err`.
const ERROR: [&str; 6] = ["ee_errno", "ee_origin", "ee_type", "ee_code", "ee_info", "ee_data"];

/// O_NONBLOCK of FreeBSD, as its scripts write it in numbers.
const FREEBSD_NONBLOCK: i64 = 4;

/// Compares the result with the script.
pub fn compare_result(call: &Call, answer: &Answer) -> Result<(), Stop> {
    let actual = match answer {
        Answer::Value(value) | Answer::Filled(value, _) => value.to_string(),
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
            let mut value = eval(result)?;
            if call.name == "fcntl" && value == RDWR | FREEBSD_NONBLOCK {
                value = RDWR | NONBLOCK;
            }
            match *answer {
                Answer::Value(actual) | Answer::Filled(actual, _) if actual == value => return Ok(()),
                Answer::Error(_) if value == -1 => return Ok(()),
                _ => value.to_string(),
            }
        }
    };
    Stop::fail(format!("{} returned {actual} instead of {expected}", call.name))
}

/// Compares what a call wrote to memory with the script. Times may differ by the tolerance.
pub fn compare_memory(call: &Call, request: &Request, answer: &Answer, tolerance: Nanos) -> Result<(), Stop> {
    let Answer::Filled(_, memory) = answer else { return Ok(()) };
    let the = Arguments { call };
    match (request, memory) {
        (Request::Poll { waits, .. }, Memory::Polled(actual)) => polled(the.get(0), waits, actual),
        (Request::EpollWait { .. }, Memory::Events(reported)) => waited(the.get(1), reported),
        (_, Memory::Message(flags, controls)) => message(fields(&the)?, *flags, controls, tolerance),
        (Request::GetOption { option, .. }, Memory::Text(actual)) => match the.get(3) {
            Expr::Text(expected) if expected != actual => {
                Stop::fail(format!("{} is {actual} instead of {expected}", option.name))
            }
            _ => Ok(()),
        },
        (Request::GetOption { option, .. }, Memory::Fields(actual)) => match the.get(3) {
            Expr::Struct(parts) => actual.iter().try_for_each(|&(name, actual)| {
                compare(&format!("{} {name}", option.name), field(parts, name), actual)
            }),
            _ => Ok(()),
        },
        (Request::GetOption { option, .. }, Memory::Named(actual)) => match the.get(3) {
            Expr::Struct(parts) => match field(parts, "function_set_name") {
                Some(Expr::Text(expected)) if expected != actual => {
                    Stop::fail(format!("{} is {actual} instead of {expected}", option.name))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        },
        (Request::GetOption { option, .. }, Memory::Number(actual)) => match the.get(3) {
            Expr::Struct(_) => Stop::unsupported("structures of getsockopt"),
            expected => compare(&option.name, Some(expected), *actual),
        },
        (_, Memory::Number(actual)) => match the.get(2) {
            Expr::Ellipsis => Ok(()),
            expected if eval(expected)? == *actual => Ok(()),
            expected => Stop::fail(format!("ioctl gave {actual} instead of {}", eval(expected)?)),
        },
        _ => Ok(()),
    }
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

/// Compares `revents`, which is 0 if it is not given, as in packetdrill.
fn polled(expected: &Expr, waits: &[(i64, i64)], actual: &[i64]) -> Result<(), Stop> {
    let mut wrong = Vec::new();
    for (parts, ((fd, _), actual)) in structures(expected)?.into_iter().zip(waits.iter().zip(actual)) {
        let expected = number(parts, "revents")?;
        if *actual != expected {
            wrong.push(format!("revents of {fd} is {actual:#x} instead of {expected:#x}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Stop::fail(wrong.join("; ")) }
}

/// Compares the reported events with those in the script, in any order.
fn waited(expected: &Expr, reported: &[(i64, i64)]) -> Result<(), Stop> {
    for parts in structures(expected)? {
        let (events, fd) = (number(parts, "events")?, field(parts, "fd").map(eval).transpose()?);
        let found = reported.iter().find(|(reported, _)| fd.is_none_or(|fd| fd == *reported));
        let actual = found.map_or(0, |&(_, events)| events);
        if actual != events {
            return Stop::fail(format!("epoll_wait gave events {actual:#x} instead of {events:#x}"));
        }
    }
    Ok(())
}

/// Compares the flags and the control messages of a message that was received.
fn message(fields: &[Expr], flags: i64, actual: &[Control], tolerance: Nanos) -> Result<(), Stop> {
    compare("msg_flags", field(fields, "msg_flags"), flags)?;
    let Some(Expr::List(expected)) = field(fields, "msg_control") else { return Ok(()) };
    if expected.len() != actual.len() {
        let shown: Vec<String> = actual.iter().map(|one| format!("level {} type {}", one.level, one.kind)).collect();
        let shown = if shown.is_empty() { "none".to_owned() } else { shown.join(", ") };
        return Stop::fail(format!("{} control messages instead of {}: {shown}", actual.len(), expected.len()));
    }
    expected.iter().zip(actual).try_for_each(|(expected, actual)| control(expected, actual, tolerance))
}

fn control(expected: &Expr, actual: &Control, tolerance: Nanos) -> Result<(), Stop> {
    let Expr::Struct(parts) = expected else {
        return Stop::fail("expected a control message such as {cmsg_level=..., cmsg_type=..., cmsg_data=...}");
    };
    compare("cmsg_level", field(parts, "cmsg_level"), actual.level)?;
    compare("cmsg_type", field(parts, "cmsg_type"), actual.kind)?;
    let data = field(parts, "cmsg_data");
    match (&actual.data, data) {
        (ControlData::Unknown, _) => {
            Stop::unsupported(format!("control messages of level {} and type {}", actual.level, actual.kind))
        }
        (ControlData::Inq(left), data) => compare("TCP_CM_INQ", data, *left),
        (ControlData::Time(actual), Some(Expr::Struct(data))) => time(data, *actual, tolerance),
        (ControlData::Error(actual), Some(Expr::Struct(data))) => {
            ERROR.into_iter().zip(actual).try_for_each(|(name, &actual)| compare(name, field(data, name), actual))
        }
        (ControlData::Time(_) | ControlData::Error(_), _) => Ok(()),
    }
}

/// Compares a `struct scm_timestamping`, whose time is counted from the start of the script.
fn time(data: &[Expr], actual: i64, tolerance: Nanos) -> Result<(), Stop> {
    let (seconds, nanoseconds) = (number(data, "scm_sec")?, number(data, "scm_nsec")?);
    let expected = seconds.saturating_mul(SECOND as i64).saturating_add(nanoseconds);
    if actual.abs_diff(expected) > tolerance {
        return Stop::fail(format!("the time is {actual} ns instead of {expected} ns"));
    }
    Ok(())
}
