//! The transports of a library, through the tables of `ackclock_transport::abi`.

mod end;

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use ackclock_cc::abi::Header;
use ackclock_core::Nanos;
use ackclock_transport::{Features, Parameter, Range, Role, Setup, Stack, Transport, Value, abi};

use crate::library::{self, Kind};
use end::{End, Functions};

/// Libraries of transports.
pub const TRANSPORTS: Kind = Kind {
    number: abi::KIND,
    version: abi::VERSION,
    contents: "transports",
    remedy: "a library that is built with the ackclock_transport.h that `ackclock new transport NAME` writes",
    exporter: "a library that calls ACKCLOCK_TRANSPORTS of ackclock_transport.h",
};

/// Longest text that a library may give, in bytes.
const LONGEST: usize = 1 << 16;
/// The functions that a table may leave out.
const OPTIONAL: &str = "take_log, open_unidirectional, prioritize and reset";
/// Largest number of entries, parameters and names that a library may have.
const MOST: usize = 1 << 12;

/// Opens a library and returns its transports.
///
/// # Errors
///
/// A message if the file cannot be opened ([`library::open`]) or an entry is not valid.
pub fn transports(path: &Path) -> Result<Vec<Arc<dyn Stack>>, String> {
    of(library::open(path, &TRANSPORTS)?)
}

/// Returns the transports of a header that [`library::open`] has checked.
fn of(header: &'static Header) -> Result<Vec<Arc<dyn Stack>>, String> {
    let tables = slice(header.entries.cast::<abi::Stack>(), header.count, "transports")?;
    let mut found: Vec<Arc<dyn Stack>> = Vec::new();
    for table in tables {
        let stack = Library::new(table)?;
        if found.iter().any(|other| other.name() == stack.name) {
            return Err(format!("two of its transports have the name {}", stack.name));
        }
        found.push(Arc::new(stack));
    }
    Ok(found)
}

/// A transport of a library.
struct Library {
    name: String,
    summary: String,
    source: String,
    parameters: Vec<Parameter>,
    overhead: u32,
    functions: Functions,
}

impl Library {
    fn new(table: &'static abi::Stack) -> Result<Library, String> {
        let name = text(table.name).map_err(|wrong| format!("the name of a transport {wrong}"))?;
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
        if name.is_empty() || name.len() > 64 || !name.bytes().all(fits) {
            return Err(format!(
                "{name:?} is no name of a transport; accepted: lower-case letters, digits and hyphens"
            ));
        }
        let own = |what: &str, value| text(value).map_err(|wrong| format!("the {what} of {name} {wrong}"));
        let parameters = slice(table.parameters, table.parameter_count, "parameters")
            .and_then(|rows| rows.iter().map(parameter).collect::<Result<Vec<Parameter>, String>>());
        let parameters = parameters.map_err(|wrong| format!("transport {name}: {wrong}"))?;
        let functions = Functions::new(table).map_err(|missing| {
            format!("transport {name} has no function {missing}; accepted: all except {OPTIONAL}")
        })?;
        if table.overhead > 256 {
            return Err(format!("the overhead of {name} is {} bytes; accepted: at most 256", table.overhead));
        }
        let (summary, source) = (own("summary", table.summary)?, own("source", table.source)?);
        Ok(Library { summary, source, parameters, overhead: table.overhead, functions, name })
    }

    /// The values of all parameters, in the order of the table.
    fn values(&self, setup: &Setup<'_>) -> Result<Vec<abi::Value>, String> {
        let value = |parameter: &Parameter| {
            let given = setup.parameters.0.get(&parameter.name).unwrap_or(&parameter.default);
            if !parameter.range.accepts(given) {
                return Err(format!("{} = {given:?} is not accepted", parameter.name));
            }
            Ok(match (given, &parameter.range) {
                (Value::Name(name), Range::Names(names)) => {
                    let index = names.iter().position(|(one, _)| one == name).unwrap_or_default();
                    abi::Value { kind: abi::NAME, name: index, ..abi::Value::default() }
                }
                (Value::Number(number), _) => abi::Value { number: *number, ..abi::Value::default() },
                (Value::Name(_), Range::Numbers(..)) => abi::Value::default(),
            })
        };
        if let Some(name) = setup.parameters.0.keys().find(|name| self.parameters.iter().all(|one| one.name != **name))
        {
            return Err(format!("{} has no parameter {name}", self.name));
        }
        self.parameters.iter().map(value).collect()
    }
}

impl Stack for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn summary(&self) -> &str {
        &self.summary
    }

    fn source(&self) -> &str {
        &self.source
    }

    fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    fn overhead(&self) -> u32 {
        self.overhead
    }

    fn features(&self) -> Features {
        self.functions.features()
    }

    fn create(&self, now: Nanos, setup: &Setup<'_>) -> Result<Box<dyn Transport>, String> {
        let values = self.values(setup)?;
        let given = abi::Setup {
            role: if setup.role == Role::Client { abi::CLIENT } else { abi::SERVER },
            datagram: setup.datagram,
            seed: setup.seed,
            values: values.as_ptr(),
            value_count: values.len(),
            log: setup.log.into(),
            reserved: 0,
        };
        let mut object = std::ptr::null_mut();
        let mut message: [c_char; 512] = [0; 512];
        #[expect(unsafe_code, reason = "a function of a library")]
        // SAFETY: the contract of the table: a setup that is valid during the call, and places for object and message.
        let status = unsafe {
            (self.functions.create)(now, &raw const given, &raw mut object, message.as_mut_ptr(), message.len())
        };
        if status != abi::OK {
            let bytes: Vec<u8> =
                message.iter().map(|byte| byte.cast_unsigned()).take_while(|byte| *byte != 0).collect();
            let told = String::from_utf8_lossy(&bytes);
            let told = if told.is_empty() { format!("status {status} without a message") } else { told.into_owned() };
            return Err(format!("{}: {told}", self.name));
        }
        if object.is_null() {
            return Err(format!("{}: create returned no object", self.name));
        }
        Ok(Box::new(End::new(self.functions, object, setup.datagram)))
    }
}

/// Reads a parameter.
fn parameter(row: &abi::Parameter) -> Result<Parameter, String> {
    let name = text(row.name).map_err(|wrong| format!("the name of a parameter {wrong}"))?;
    if name.is_empty() {
        return Err("a parameter has an empty name".to_owned());
    }
    let own = |what: &str, value| text(value).map_err(|wrong| format!("the {what} of {name} {wrong}"));
    let summary = own("summary", row.summary)?;
    let (range, default) = match row.kind {
        abi::NUMBER => (Range::Numbers(row.least, row.most), Value::Number(row.default_number)),
        abi::NAME => {
            let names = slice(row.names, row.name_count, "names").map_err(|wrong| format!("{name}: {wrong}"))?;
            let names = names.iter().map(|one| Ok((own("accepted name", one.name)?, own("summary", one.summary)?)));
            let names = names.collect::<Result<Vec<(String, String)>, String>>()?;
            let default = names.get(row.default_name).map(|(default, _)| default.clone());
            let default = default
                .ok_or_else(|| format!("{name} has {} names and the default {}", names.len(), row.default_name))?;
            (Range::Names(names), Value::Name(default))
        }
        other => return Err(format!("{name} is of kind {other}; accepted: 0 for numbers, 1 for names")),
    };
    let finite = !matches!(range, Range::Numbers(least, most) if !least.is_finite() || !most.is_finite());
    if !finite || !range.accepts(&default) {
        return Err(format!("{name} does not accept its default {default:?}; its range is {range:?}"));
    }
    Ok(Parameter { name, summary, range, default })
}

/// Returns the entries of a table of the library.
fn slice<T>(start: *const T, count: usize, what: &str) -> Result<&'static [T], String> {
    if count == 0 {
        return Ok(&[]);
    }
    if start.is_null() || !start.is_aligned() || count > MOST {
        return Err(format!("its table of {count} {what} is not valid; accepted: at most {MOST}, at their address"));
    }
    #[expect(unsafe_code, reason = "a table of a library")]
    // SAFETY: the contract of the tables: so many entries, which live as long as the library, and it is never closed.
    Ok(unsafe { std::slice::from_raw_parts(start, count) })
}

/// Returns a text of the library.
fn text(text: abi::Text) -> Result<String, String> {
    if text.length == 0 {
        return Ok(String::new());
    }
    if text.start.is_null() || text.length > LONGEST {
        let length = text.length;
        return Err(format!("has no address or {length} bytes; accepted: texts of at most {LONGEST} bytes"));
    }
    #[expect(unsafe_code, reason = "a text of a library")]
    // SAFETY: the contract of texts: so many bytes, which live until the next call at least.
    let bytes = unsafe { std::slice::from_raw_parts(text.start.cast::<u8>(), text.length) };
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| "is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests;
