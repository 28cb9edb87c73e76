//! A test of conformance that any [`Stack`] can run: it drives a client and a server over a small simulated path, and
//! checks the rules of [`Transport`](crate::Transport).
//!
//! ```ignore
//! let report = ackclock_transport::conformance::check(&MyStack);
//! assert!(report.passed(), "{report}");
//! ```
//!
//! The path and the order of calls are deterministic. A stack that sends or fires timers for ever is stopped by limits;
//! a call that does not return stops the test with it.

mod cases;
mod end;
mod net;
mod pipe;

use std::fmt;

use crate::{Parameters, Stack};
use cases::CASES;
use net::{Tested, Watch};

/// The result of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The stack obeys the rule.
    Pass,
    /// The stack breaks the rule; the message names the call and the time.
    Fail(String),
    /// The rule does not apply to the stack, for this reason.
    NotApplicable(String),
}

/// A rule and its result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Short name.
    pub name: &'static str,
    /// The rule, in one sentence.
    pub rule: &'static str,
    /// The result.
    pub outcome: Outcome,
}

/// The results of all cases. It is shown as a table with a line for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Name of the stack.
    pub stack: String,
    /// The cases in their order.
    pub cases: Vec<Case>,
}

impl Report {
    /// Whether no case failed.
    pub fn passed(&self) -> bool {
        self.failed().is_empty()
    }

    /// Returns the names of the cases that failed.
    pub fn failed(&self) -> Vec<&'static str> {
        let failed = self.cases.iter().filter(|case| matches!(case.outcome, Outcome::Fail(_)));
        failed.map(|case| case.name).collect()
    }

    /// Returns the result of a case.
    pub fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.cases.iter().find(|case| case.name == name).map(|case| &case.outcome)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failed = self.failed().len();
        writeln!(f, "conformance of {}: {} cases, {failed} failed", self.stack, self.cases.len())?;
        for Case { name, rule, outcome } in &self.cases {
            match outcome {
                Outcome::Pass => writeln!(f, "  pass            {name}: {rule}")?,
                Outcome::Fail(message) => writeln!(f, "  FAIL            {name}: {rule}\n                  {message}")?,
                Outcome::NotApplicable(reason) => writeln!(f, "  not applicable  {name}: {reason}")?,
            }
        }
        Ok(())
    }
}

/// Checks a stack with the defaults of its parameters.
pub fn check(stack: &dyn Stack) -> Report {
    check_with(stack, &Parameters::default())
}

/// Checks a stack with parameters, all of which [`Stack::parameters`] accepts.
pub fn check_with(stack: &dyn Stack, parameters: &Parameters) -> Report {
    let tested = Tested { stack, parameters, seed: 1 };
    let mut watch = Watch::default();
    let mut transfers = true;
    let mut cases: Vec<Case> = Vec::new();
    for (name, rule, run) in CASES {
        let outcome = if transfers {
            match run(tested, &mut watch) {
                Ok(None) => Outcome::Pass,
                Ok(Some(reason)) => Outcome::NotApplicable(reason),
                Err(message) => Outcome::Fail(message),
            }
        } else {
            Outcome::NotApplicable(format!("it needs the case {:?}, which failed", CASES[0].0))
        };
        // All other cases need a connection that carries data.
        transfers &= !(cases.is_empty() && matches!(outcome, Outcome::Fail(_)));
        cases.push(Case { name, rule, outcome });
    }
    let mut seen = |name, rule, wrong: Option<String>| {
        cases.push(Case { name, rule, outcome: wrong.map_or(Outcome::Pass, Outcome::Fail) });
    };
    seen("datagram sizes", "No datagram is empty or larger than Setup::datagram, in any case.", watch.size);
    seen("timeouts", "After expire and transmit no timer is due at the same time, in any case.", watch.timeout);
    Report { stack: stack.name().to_owned(), cases }
}

#[cfg(test)]
mod tests;
