//! Shell commands of scripts. Commands that configure the stack are executed, commands without effect here are ignored,
//! and all others are unsupported by name.

use crate::simulated::cookies::Key;
use crate::simulated::sysctl::{Route, Sysctls};
use crate::verdict::Stop;

/// Largest nesting depth of shell scripts.
const DEPTH: u32 = 8;

/// Reads a file by a path from a script, relative to the script's folder.
pub type Files<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Runs a command line or the text of a shell script.
pub fn run(text: &str, sysctls: &mut Sysctls, files: &Files<'_>) -> Result<(), Stop> {
    run_nested(text, sysctls, files, 0)
}

fn run_nested(text: &str, sysctls: &mut Sysctls, files: &Files<'_>, depth: u32) -> Result<(), Stop> {
    if depth > DEPTH {
        return Stop::fail(format!("shell scripts call each other more than {DEPTH} deep"));
    }
    let mut failed = None;
    for (otherwise, words) in commands(text) {
        match (otherwise, failed.take()) {
            // `a || b`: b runs only if a fails, as a setting does that the kernel does not have.
            (true, None) => continue,
            (false, Some(stop)) => return Err(stop),
            _ => {}
        }
        match simple(&words, sysctls, files, depth) {
            Err(stop @ Stop::Unsupported(_)) => failed = Some(stop),
            other => other?,
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Runs a single command.
fn simple(words: &[String], sysctls: &mut Sysctls, files: &Files<'_>, depth: u32) -> Result<(), Stop> {
    // Assignments before a command set its environment; alone they set variables, which are not used here.
    let skip = words.iter().take_while(|word| is_assignment(word)).count();
    let Some((command, arguments)) = words[skip..].split_first() else { return Ok(()) };
    let name = command.rsplit('/').next().unwrap_or(command);
    match name {
        "sysctl" => settings(arguments, sysctls, words),
        "set_sysctls.py" => settings(arguments, sysctls, words),
        "echo" => echo(arguments, sysctls, words),
        "tc" => queue(arguments, sysctls, words),
        "ip" if arguments.first().is_some_and(|first| first == "tcp_metrics") => {
            sysctls.forgets_cookies |=
                arguments.get(1).is_some_and(|second| matches!(second.as_str(), "flush" | "del"));
            Ok(())
        }
        "ip" if arguments.first().is_some_and(|first| first == "link") => link(arguments, sysctls, words),
        "ip" if arguments.iter().any(|word| word == "route") => route(arguments, sysctls, words),
        "sh" | "bash" | "source" | "." if !arguments.is_empty() && !arguments[0].starts_with('-') => {
            simple(arguments, sysctls, files, depth)
        }
        // Commands that look for files succeed.
        "ethtool" => {
            for pair in arguments.windows(2).filter(|pair| pair[0] == "tso") {
                sysctls.no_segmentation = pair[1] == "off";
            }
            Ok(())
        }
        "rm" | "dd" | "touch" => Ok(()),
        // FreeBSD's suite compiles a program, unless it is there, that sets the server's key of Fast Open to zeros.
        "if" if arguments.first().is_some_and(|first| first == "[") && arguments.iter().any(|word| word == "-e") => {
            Ok(())
        }
        "then" => simple(arguments, sysctls, files, depth),
        "fi" | "cc" => Ok(()),
        // Modules of the kernel, and keys of signatures, which the script's options name, too.
        "kldload" | "kldstat" | "kldunload" => Ok(()),
        "setkey"
            if arguments.iter().all(|argument| matches!(argument.as_str(), "-c" | "-F")) && !arguments.is_empty() =>
        {
            Ok(())
        }
        "setkey" if arguments.is_empty() => {
            sysctls.freebsd.fast_open_key = Some(Key::default());
            Ok(())
        }
        // Packets are captured, for the author.
        "tcpdump" | "pkill" => Ok(()),
        "nstat" | "grep" | "true" | ":" | "set" | "sync" | "exit" | "ulimit" | "cat" | "dmesg" => Ok(()),
        _ if name.starts_with("sysctl_restore_") => Ok(()),
        "defaults.sh" => match files(command) {
            Some(text) => run_nested(&text, sysctls, files, depth + 1),
            None => sysctls.public_defaults(),
        },
        _ if name.ends_with(".sh") => match files(command) {
            Some(text) => run_nested(&text, sysctls, files, depth + 1),
            None => Stop::fail(format!("{command}: no such file")),
        },
        _ => unknown(words),
    }
}

fn unknown<T>(words: &[String]) -> Result<T, Stop> {
    Stop::unsupported(format!("command {}", words.join(" ")))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// Runs `sysctl [-q] name=value ...`; names have dots or slashes, or are paths below /proc/sys.
fn settings(arguments: &[String], sysctls: &mut Sysctls, words: &[String]) -> Result<(), Stop> {
    // FreeBSD's `sysctl -n NAME` shows a value; -i ignores names that the kernel does not have.
    for argument in arguments.iter().filter(|argument| !argument.starts_with('-')) {
        match argument.split_once('=') {
            Some((name, value)) => sysctls.set(name, value)?,
            None if argument.starts_with("net.inet") || argument.starts_with("kern.") => {}
            None => return unknown(words),
        }
    }
    Ok(())
}

/// Runs `echo value > /proc/sys/...`.
fn echo(arguments: &[String], sysctls: &mut Sysctls, words: &[String]) -> Result<(), Stop> {
    match arguments.iter().position(|word| word == ">") {
        None => Ok(()),
        Some(at) => match &arguments[at + 1..] {
            [path] if path.starts_with("/proc/sys/") || path.starts_with("/sys/module/tcp_cubic/") => {
                sysctls.set(path, &arguments[..at].join(" "))
            }
            [path] if path == "/dev/null" => Ok(()),
            _ => unknown(words),
        },
    }
}

/// Runs `tc qdisc replace dev tun0 root fq`: fair queueing turns pacing on, a FIFO turns it off.
fn queue(arguments: &[String], sysctls: &mut Sysctls, words: &[String]) -> Result<(), Stop> {
    if matches!(arguments.get(1).map(String::as_str), Some("del" | "delete")) {
        (sysctls.fair_queue, sysctls.device_refuses) = (false, false);
        return Ok(());
    }
    let Some(kind) = arguments.iter().position(|word| word == "root").and_then(|at| arguments.get(at + 1)) else {
        return unknown(words);
    };
    // A queue without room drops every packet at once, and the sender learns of it.
    sysctls.device_refuses = arguments.windows(2).any(|pair| pair == ["limit", "0"]);
    match kind.as_str() {
        "fq" => sysctls.fair_queue = true,
        "pfifo" | "bfifo" | "pfifo_fast" | "noqueue" | "fq_codel" => sysctls.fair_queue = false,
        _ => return unknown(words),
    }
    Ok(())
}

/// Runs `ip link set dev tun0 mtu 9000`.
fn link(arguments: &[String], sysctls: &mut Sysctls, words: &[String]) -> Result<(), Stop> {
    let Some(pair) = arguments.windows(2).find(|pair| pair[0] == "mtu") else { return unknown(words) };
    let Some(mtu) = pair[1].parse().ok().filter(|mtu| (1280..=65_535).contains(mtu)) else { return unknown(words) };
    sysctls.device_mtu = Some(mtu);
    Ok(())
}

/// Runs `ip route add ADDRESS via GATEWAY dev tun0 mtu lock 640 advmss 600 initcwnd 11`, or another change of a route. The
/// address is taken for the peer's.
fn route(arguments: &[String], sysctls: &mut Sysctls, words: &[String]) -> Result<(), Stop> {
    let verb = arguments.iter().position(|word| word == "route").and_then(|at| arguments.get(at + 1));
    match verb.map(String::as_str) {
        Some("add" | "change" | "replace") => {}
        Some("del" | "delete" | "flush") => {
            sysctls.route = Route::default();
            return Ok(());
        }
        _ => return unknown(words),
    }
    let mut route = Route::default();
    let mut rest = arguments.iter().map(String::as_str).skip_while(|&word| word != "route").skip(3);
    while let Some(name) = rest.next() {
        let value = rest.next().filter(|&value| value != "lock").or_else(|| rest.next());
        let number = value.and_then(|value| value.parse().ok());
        match (name, number) {
            ("mtu", Some(_)) => route.mtu = number,
            ("advmss", Some(_)) => route.advmss = number,
            ("initcwnd", Some(_)) => route.initial_window = number,
            ("via" | "dev" | "src" | "proto" | "scope" | "table" | "metric", _) => {}
            _ => return unknown(words),
        }
    }
    sysctls.route = route;
    Ok(())
}

/// Splits a text into commands and words, as far as the public scripts need: quotes, comments, line continuations, `;`,
/// `&&`, `||`, and `>` as a separate word. Redirections of standard error and to /dev/null are removed.
///
/// Each command has whether it runs only if the one before it fails.
fn commands(text: &str) -> Vec<(bool, Vec<String>)> {
    let mut commands = Vec::new();
    let mut otherwise = false;
    let mut words: Vec<String> = Vec::new();
    // The word being read; a pair of quotes alone gives an empty word.
    let mut open: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'\n') => {
                chars.next();
            }
            '\\' => open.get_or_insert_default().extend(chars.next()),
            '\'' | '"' => open.get_or_insert_default().extend(chars.by_ref().take_while(|&inner| inner != c)),
            '$' if chars.peek() == Some(&'(') => {
                let word = open.get_or_insert_default();
                word.push(c);
                word.extend(chars.by_ref().take_while(|&inner| inner != ')'));
                word.push(')');
            }
            '#' if open.is_none() => while chars.next_if(|&inner| inner != '\n').is_some() {},
            '\n' | ';' => {
                words.extend(open.take());
                commands.push((otherwise, std::mem::take(&mut words)));
                // A line that ends with `||` goes on.
                otherwise &= commands.last().is_some_and(|(_, words)| words.is_empty());
            }
            '&' | '|' if chars.peek() == Some(&c) => {
                chars.next();
                words.extend(open.take());
                commands.push((otherwise, std::mem::take(&mut words)));
                otherwise = c == '|';
            }
            '>' => {
                if let Some(word) = open.as_mut().filter(|word| matches!(word.as_str(), "1" | "2")) {
                    word.insert(0, '#');
                }
                words.extend(open.take());
                words.push(">".to_owned());
            }
            c if c.is_whitespace() => words.extend(open.take()),
            c => open.get_or_insert_default().push(c),
        }
    }
    words.extend(open);
    commands.push((otherwise, words));
    for (_, words) in &mut commands {
        drop_redirections(words);
        words.iter_mut().for_each(|word| *word = expand(word));
    }
    commands.retain(|(_, words)| !words.is_empty());
    commands
}

/// Removes `> /dev/null`, `2>&1` and similar redirections, but keeps those into a setting.
fn drop_redirections(words: &mut Vec<String>) {
    let mut kept: Vec<String> = Vec::new();
    let mut words_in = std::mem::take(words).into_iter().peekable();
    while let Some(word) = words_in.next() {
        let nowhere = |target: Option<&String>| target.is_some_and(|to| to == "/dev/null" || to.starts_with('&'));
        if word == ">" && nowhere(words_in.peek()) {
            words_in.next();
            kept.pop_if(|before| before.starts_with('#'));
        } else {
            kept.push(word);
        }
    }
    *words = kept;
}

/// Evaluates the shell's arithmetic as far as settings need it: products of numbers in `$((...))`.
fn expand(word: &str) -> String {
    let Some((before, rest)) = word.split_once("$((") else { return word.to_owned() };
    let Some((inner, after)) = rest.split_once("))") else { return word.to_owned() };
    let factors: Option<Vec<u64>> = inner.split('*').map(|factor| factor.trim().parse().ok()).collect();
    match factors.and_then(|factors| factors.into_iter().try_fold(1u64, u64::checked_mul)) {
        Some(product) => format!("{before}{product}{}", expand(after)),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_continuations_and_products_are_understood() {
        let text = "sysctl -q a=\"1 2 $((3*4))\" b=$((15*1024*1024)) # c\n./x.py /proc/a=1 \\\n  /proc/b=2; y > /dev/null 2>&1";
        let commands: Vec<_> = commands(text).into_iter().map(|(_, words)| words).collect();
        assert_eq!(commands[0], ["sysctl", "-q", "a=1 2 12", "b=15728640"]);
        assert_eq!(commands[1], ["./x.py", "/proc/a=1", "/proc/b=2"]);
        assert_eq!(commands[2], ["y"]);
    }
}
