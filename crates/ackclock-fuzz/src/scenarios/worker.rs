//! The process in which scenarios run, so that a scenario that hangs or exhausts the memory does not end the others.
//!
//! Requests and answers are lines. A worker answers `case SEED INDEX` and `judge DOCUMENT` by `trying DOCUMENT` for
//! every document before it is read, and then by `done ANSWER`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::case::{Fuzzer, Outcome, Ran, judge};
use super::check::Finding;

/// Argument that makes the program a worker.
pub const ARGUMENT: &str = "--worker";
/// Time after which a scenario counts as hanging; every scenario that ends takes far less.
const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum memory of a worker, in KiB.
const MOST_KIB: u64 = 3 << 20;
/// Maximum number of events of a scenario that is judged by itself.
pub const BUDGET: u64 = 200_000;

/// Place and message of the latest panic.
static PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

/// Runs a function that may panic; a panic is a finding, identified by its place.
///
/// # Errors
/// The finding.
pub fn guarded<T>(
    work: impl FnOnce() -> Result<T, (Finding, Json)>,
    tried: impl FnOnce() -> Json,
) -> Result<T, (Finding, Json)> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let noted = PANIC.lock().ok().and_then(|mut noted| noted.take());
        let (place, message) = noted.unwrap_or_default();
        let kind = disagreement(&message).unwrap_or_else(|| format!("panic at {place}"));
        Err((Finding::new(kind, message), tried()))
    })
}

/// Returns the table and column of a disagreement. They identify the panic of a build with debug assertions better than
/// the place of the assertion.
fn disagreement(message: &str) -> Option<String> {
    let after = |key| message.split_once(key)?.1.split('"').next();
    message.starts_with("the tables of a run disagree").then_some(())?;
    Some(format!("invariants: {}.{}", after("table: \"")?, after("column: \"")?))
}

/// Records panics for [`guarded`] instead of printing them.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or(String::new(), |place| format!("{}:{}", place.file(), place.line()));
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let message = text.unwrap_or("no message").to_owned();
        if let Ok(mut noted) = PANIC.lock() {
            noted.get_or_insert((place, message));
        }
    }));
}

/// Answers requests on standard input until the input ends.
///
/// # Errors
/// If the requesting process is gone.
pub fn serve() -> std::io::Result<()> {
    note_panics();
    let fuzzer = Fuzzer::default();
    let mut known = BTreeSet::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let mut tried = Json::Null;
        let answer = if word == "case" {
            let mut numbers = rest.split(' ').filter_map(|number| number.parse().ok());
            let (seed, index) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            let mut trying = |document: &Json| {
                tried.clone_from(document);
                // If no process reads, the final answer reports the error.
                let _ = writeln!(out, "trying {document}");
            };
            let case = guarded(|| fuzzer.case(seed, index, None, &mut trying), || Json::Null);
            case.map_err(|(finding, document)| (finding, if document.is_null() { tried.clone() } else { document }))
        } else {
            let document: Json = serde_json::from_str(rest).unwrap_or_default();
            guarded(|| judge(&document, BUDGET).map_err(|finding| (finding, document.clone())), || document.clone())
        };
        let answer = match answer {
            Err((finding, document)) => json!({ "kind": finding.kind, "what": finding.what, "document": document }),
            Ok(Outcome::Refused) => json!({ "outcome": "refused" }),
            Ok(Outcome::TooLarge) => json!({ "outcome": "too large" }),
            Ok(Outcome::Ran(Ran { checks, happened, covered })) => {
                let new: Vec<_> = covered.difference(&known).copied().collect();
                known.extend(&new);
                json!({ "outcome": "ran", "checks": checks, "happened": happened, "covered": new })
            }
        };
        writeln!(out, "done {answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// A worker process, seen by the process that started it.
pub struct Worker {
    child: Child,
    requests: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    /// Starts a worker.
    ///
    /// # Errors
    /// If the system cannot start the process.
    pub fn start() -> std::io::Result<Worker> {
        let program = std::env::current_exe()?;
        let limited = format!("ulimit -v {MOST_KIB} && exec \"$0\" {ARGUMENT}");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("a worker has no pipes"));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(answers).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Worker { child, requests, lines })
    }

    /// Sends a request. A worker that dies or hangs is a finding, and a new worker is started.
    ///
    /// # Errors
    /// If a new worker cannot be started.
    pub fn ask(&mut self, request: &str) -> std::io::Result<Json> {
        let mut tried =
            request.strip_prefix("judge ").map_or(Json::Null, |text| serde_json::from_str(text).unwrap_or_default());
        let asked = writeln!(self.requests, "{request}").and_then(|()| self.requests.flush());
        loop {
            let line = match (&asked, self.lines.recv_timeout(PATIENCE)) {
                (Ok(()), Ok(line)) => line,
                (Ok(()), Err(RecvTimeoutError::Timeout)) => {
                    *self = self.replaced()?;
                    let what = format!("no answer within {} s", PATIENCE.as_secs());
                    return Ok(json!({ "kind": "hang", "what": what, "document": tried }));
                }
                _ => {
                    let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
                    *self = self.replaced()?;
                    return Ok(json!({ "kind": "crash", "what": status, "document": tried }));
                }
            };
            if let Some(document) = line.strip_prefix("trying ") {
                tried = serde_json::from_str(document).unwrap_or_default();
            } else if let Some(answer) = line.strip_prefix("done ") {
                return Ok(serde_json::from_str(answer).unwrap_or_default());
            }
        }
    }

    fn replaced(&mut self) -> std::io::Result<Worker> {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        Worker::start()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
