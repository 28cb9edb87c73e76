//! Shell commands of scripts and the setting-up of the device, which really run in the namespace.

use std::net::IpAddr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::device::NAME;
use ackclock_drill::Stop;

/// Status with which a shell says that there is no such program.
const NO_PROGRAM: i32 = 127;

/// Runs a command line with bash in the folder of the script, as packetdrill does.
///
/// # Errors
/// A command that fails; a program that is not installed is unsupported.
pub fn run(line: &str, folder: &Path) -> Result<(), Stop> {
    let output = Command::new("bash")
        .args(["-c", line])
        .current_dir(folder)
        .env("PACKETDRILL_PID", std::process::id().to_string())
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|error| Stop::Fail(format!("bash: {error}")))?;
    let told = told(&output);
    if output.status.success() {
        return match told.lines().find(|line| line.contains("command not found")) {
            Some(missing) => Stop::unsupported(format!("a program: {missing}")),
            None => Ok(()),
        };
    }
    let lacks: Vec<&str> = told.lines().filter(|line| is_missing_setting(line)).collect();
    if !lacks.is_empty() {
        return Stop::unsupported(format!("a setting of the kernel: {}", lacks.join("; ")));
    }
    let shown = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if output.status.code() == Some(NO_PROGRAM) {
        return Stop::unsupported(format!("command {shown}: {told}"));
    }
    let status = output.status.code().map_or("a signal".to_owned(), |code| format!("status {code}"));
    Stop::fail(format!("`{shown}` ended with {status}{}{told}", if told.is_empty() { "" } else { ": " }))
}

/// Whether a program says that the kernel does not have a setting, or not with this value.
fn is_missing_setting(line: &str) -> bool {
    let refused = line.starts_with("sysctl: setting key ") && line.ends_with("Invalid argument");
    refused || line.contains("/proc/sys/") && line.ends_with("No such file or directory")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// Runs a program.
fn program(words: &[&str]) -> Result<(), Stop> {
    let output = Command::new(words[0]).args(&words[1..]).stdin(Stdio::null()).output();
    let output = output.map_err(|error| Stop::Fail(format!("{}: {error}", words[0])))?;
    if output.status.success() {
        return Ok(());
    }
    Stop::fail(format!("`{}`: {}", words.join(" "), told(&output)))
}

/// Gives the device its addresses and the routes to the peer.
///
/// # Errors
/// The program `ip` is missing, or refuses.
pub fn set_up(local: IpAddr, remote: IpAddr, mtu: u32) -> Result<(), Stop> {
    let (family, length) = if local.is_ipv4() { ("-4", 16) } else { ("-6", 64) };
    let own = format!("{local}/{length}");
    let peer = remote.to_string();
    program(&["ip", "link", "set", "dev", NAME, "mtu", &mtu.to_string(), "up"])?;
    let nodad: &[&str] = if local.is_ipv4() { &[] } else { &["nodad"] };
    program(&[&["ip", family, "addr", "add", &own, "dev", NAME], nodad].concat())?;
    program(&["ip", family, "route", "replace", &peer, "dev", NAME])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(line: &str) -> Result<(), Stop> {
        run(line, Path::new("/"))
    }

    #[test]
    fn commands_pass_fail_or_name_what_is_missing() {
        assert_eq!(outcome("true"), Ok(()));
        assert_eq!(outcome("echo no >&2; exit 3"), Stop::fail("`echo no >&2; exit 3` ended with status 3: no"));
        assert!(matches!(outcome("no_such_program_of_ours"), Err(Stop::Unsupported(_))));
        assert!(matches!(outcome("no_such_program_of_ours; true"), Err(Stop::Unsupported(_))));
        assert!(matches!(outcome("cat /proc/sys/net/no_such_setting"), Err(Stop::Unsupported(_))));
        assert!(matches!(outcome("cat /no_such_file"), Err(Stop::Fail(_))));
    }

    #[test]
    fn refused_values_are_missing_settings() {
        assert!(is_missing_setting("sysctl: setting key \"net.ipv4.tcp_ecn\": Invalid argument"));
        assert!(!is_missing_setting("sysctl: setting key \"net.ipv4.tcp_ecn\": Operation not permitted"));
    }
}
