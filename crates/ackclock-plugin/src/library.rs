//! Opening a library of a user, whatever it holds.

use std::path::Path;

use ackclock_cc::abi::{Header, MAGIC, SYMBOL};

/// A kind of library, and the version of its entries that this build knows.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// [`Header::kind`].
    pub number: u32,
    /// The version of the entries.
    pub version: u32,
    /// The contents of such a library, in the plural.
    pub contents: &'static str,
    /// The means to build a library for this version.
    pub remedy: &'static str,
    /// The library that exports the symbol.
    pub exporter: &'static str,
}

/// Libraries of congestion controls.
pub const CONGESTION_CONTROLS: Kind = Kind {
    number: ackclock_cc::abi::CONGESTION_CONTROL,
    version: ackclock_cc::abi::VERSION,
    contents: "congestion controls",
    remedy: "a library that is built with the crate ackclock-cc that `ackclock new cc NAME --rust` writes",
    exporter: "a crate that calls ackclock_cc::export!",
};

/// Opens the library in the file `path` and returns its header. The library stays in the process until its end.
///
/// The process executes code of the library, so the user has to trust it like a program. The functions of the library
/// are the caller's to call; a library whose kind and version are right is trusted to keep the contract of its table.
///
/// # Errors
///
/// A message if the file is not a library for this system, lacks the symbol, or is of another kind or version.
pub fn open(path: &Path, kind: &Kind) -> Result<&'static Header, String> {
    let foreign = foreign(&std::fs::read(path).map_err(|error| error.to_string())?);
    if let Some(foreign) = foreign {
        return Err(format!("it is {foreign}; accepted: a shared library for {}", host()));
    }
    // The system looks for a name without a folder elsewhere.
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    #[expect(unsafe_code, reason = "a library is code of the user")]
    // SAFETY: the user asked for the execution of this library's code, as for that of a Python file.
    let library = unsafe { libloading::Library::new(path) };
    let library = library.map_err(|error| format!("it cannot be loaded: {}", told(&error)))?;
    // Objects of the library may live in any thread, and a thread's end runs code of the library.
    let library = std::mem::ManuallyDrop::new(library);
    #[expect(unsafe_code, reason = "a library is code of the user")]
    // SAFETY: the symbol is a static of this type in every library of every version.
    let header = unsafe { library.get::<*const Header>(SYMBOL) };
    let Ok(header) = header else {
        let accepted = kind.exporter;
        return Err(format!("it exports no {SYMBOL}, so it is not a library for ackclock; accepted: {accepted}"));
    };
    #[expect(unsafe_code, reason = "a library is code of the user")]
    // SAFETY: the address is that of the static, and the library stays loaded.
    let header: &'static Header = unsafe { &**header };
    check(header, kind)?;
    Ok(header)
}

/// Checks that a header is that of a library of this kind, and of the version that this build knows.
fn check(header: &Header, kind: &Kind) -> Result<(), String> {
    if header.magic != MAGIC {
        return Err(format!("its {SYMBOL} does not begin with \"ackclock\"; accepted: {}", kind.remedy));
    }
    if header.kind != kind.number {
        let (number, accepted) = (header.kind, kind.number);
        return Err(format!("it holds contents of kind {number}; accepted: {} (kind {accepted})", kind.contents));
    }
    if header.version != kind.version {
        return Err(format!(
            "it is built for version {} of the ABI of {}, and this ackclock has version {}; accepted: {}",
            header.version, kind.contents, kind.version, kind.remedy
        ));
    }
    if header.count == 0 || header.entries.is_null() {
        return Err(format!("it holds no {}; accepted: at least one", kind.contents));
    }
    Ok(())
}

/// The system and the processor of this process, such as "linux on x86_64".
fn host() -> String {
    format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// Returns the contents of a file that cannot be a shared library for this system, in words.
fn foreign(bytes: &[u8]) -> Option<String> {
    let own = match std::env::consts::OS {
        "macos" => "Mach-O",
        "windows" => "PE",
        _ => "ELF",
    };
    let format = match bytes {
        [0x7f, b'E', b'L', b'F', ..] => "ELF",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => "Mach-O",
        [b'M', b'Z', ..] => "PE",
        _ => return Some("no shared library".to_owned()),
    };
    if format != own {
        let system = match format {
            "ELF" => "Linux",
            "PE" => "Windows",
            _ => "macOS",
        };
        return Some(format!("a library for {system} ({format})"));
    }
    if format == "ELF" {
        // e_machine of the ELF header.
        let machine = u16::from_le_bytes([*bytes.get(18)?, *bytes.get(19)?]);
        let (number, name) = match std::env::consts::ARCH {
            "x86_64" => (62, "x86_64"),
            "aarch64" => (183, "aarch64"),
            _ => (machine, "of another type"),
        };
        let other = match machine {
            62 => "x86_64".to_owned(),
            183 => "aarch64".to_owned(),
            243 => "riscv64".to_owned(),
            other => format!("ELF machine {other}"),
        };
        if machine != number {
            return Some(format!("a library for processors of the type {other}, and this one is {name}"));
        }
    }
    (format == "ELF" && !is_complete(bytes)).then(|| format!("the first {} bytes of a larger library", bytes.len()))
}

/// Whether a file has all segments and sections that its ELF header announces. The system maps segments unseen, and a
/// process that reads beyond the end of the file is killed.
fn is_complete(bytes: &[u8]) -> bool {
    let number = |at: usize, length: usize| {
        let digits = bytes.get(at..at.checked_add(length)?)?;
        usize::try_from(digits.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))).ok()
    };
    // e_ident[EI_CLASS] and [EI_DATA]: other words and byte orders are for the system to refuse.
    if bytes.get(4..6) != Some(&[2, 1]) {
        return true;
    }
    let segments = || {
        // e_phoff, e_phentsize and e_phnum; p_offset and p_filesz.
        let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
        let end = |index: usize| {
            let segment = table.checked_add(index.checked_mul(size)?)?;
            number(segment.checked_add(8)?, 8)?.checked_add(number(segment.checked_add(32)?, 8)?)
        };
        (0..count).map(end).try_fold(0, |most: usize, end| Some(most.max(end?)))
    };
    // e_shoff, e_shentsize and e_shnum: the table of sections is the last part of a file, if there is one.
    let sections = || number(40, 8)?.checked_add(number(58, 2)?.checked_mul(number(60, 2)?)?);
    segments().is_some_and(|end| end <= bytes.len()) && sections().is_some_and(|end| end <= bytes.len())
}

/// The system's message of an error.
fn told(error: &libloading::Error) -> String {
    use std::error::Error;
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = CONGESTION_CONTROLS;

    fn header() -> Header {
        Header { magic: MAGIC, kind: 1, version: 1, entries: std::ptr::dangling(), count: 1 }
    }

    #[test]
    fn a_header_of_this_kind_and_version_is_accepted() {
        assert_eq!(check(&header(), &KIND), Ok(()));
    }

    #[test]
    fn other_headers_have_a_message_each() {
        for (wrong, words) in [
            (Header { magic: *b"whatever", ..header() }, "does not begin with \"ackclock\""),
            (Header { kind: 7, ..header() }, "kind 7; accepted: congestion controls (kind 1)"),
            (Header { version: 9, ..header() }, "version 9 of the ABI of congestion controls, and this ackclock has"),
            (Header { count: 0, ..header() }, "it holds no congestion controls"),
            (Header { entries: std::ptr::null(), ..header() }, "it holds no congestion controls"),
        ] {
            let message = check(&wrong, &KIND).unwrap_err();
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn files_of_other_systems_are_recognised() {
        let elf = |machine: u8| [&b"\x7fELF"[..], &[0; 14], &[machine, 0]].concat();
        let other = if cfg!(target_arch = "x86_64") { 183 } else { 62 };
        for (bytes, words) in [
            (b"import ackclock".to_vec(), "no shared library"),
            (b"MZ\x90".to_vec(), "a library for Windows (PE)"),
            (vec![0xcf, 0xfa, 0xed, 0xfe], "a library for macOS (Mach-O)"),
            (elf(other), "a library for processors of the type"),
        ] {
            assert!(foreign(&bytes).unwrap().starts_with(words), "{words}");
        }
        assert_eq!(foreign(&elf(if cfg!(target_arch = "x86_64") { 62 } else { 183 })), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_ends_too_early_is_not_loaded() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(foreign(&own), None);
        for length in [40, 64, 4096, own.len() / 2, own.len() - 1] {
            let told = foreign(&own[..length]).unwrap();
            assert_eq!(told, format!("the first {length} bytes of a larger library"));
        }
    }
}
