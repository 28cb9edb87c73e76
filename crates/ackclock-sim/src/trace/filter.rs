//! The part of a run that traces contain: flows and times.

use ackclock_core::Nanos;
use ackclock_scenario::{Problem, suggestion};
use ackclock_schema::quantity::TIME;

use crate::ids::FlowId;

/// Largest number of names that a message lists.
const MOST_NAMES: usize = 5;

/// The part of a run to be traced, as it is written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Part {
    /// Names of flows. A flow with copies stands for all of them. Without names, all flows are traced.
    pub flows: Vec<String>,
    /// Start of the traces, such as "2s"; by default the start of the run.
    pub from: Option<String>,
    /// End of the traces, included; by default the end of the run.
    pub to: Option<String>,
}

/// The part of a run to be traced.
pub struct Filter {
    /// Whether each flow is traced; `None` if all are, and packets whose flow is not known.
    flows: Option<Vec<bool>>,
    from: Nanos,
    to: Nanos,
}

impl Filter {
    /// Reads a part of a run of this duration whose flows have these names.
    ///
    /// # Errors
    /// All mistakes, with what is accepted.
    pub fn new(part: &Part, names: &[String], duration: Nanos) -> Result<Filter, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut problem = |path: &str, message: String| {
            problems.push(Problem { path: path.to_owned(), line: None, message });
        };
        let mut flows = (!part.flows.is_empty()).then(|| vec![false; names.len()]);
        for wanted in &part.flows {
            let mut found = false;
            for (name, chosen) in names.iter().zip(flows.iter_mut().flatten()) {
                if name == wanted || is_copy(name, wanted) {
                    (*chosen, found) = (true, true);
                }
            }
            if !found {
                let listed: Vec<_> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
                let more = if names.len() > MOST_NAMES { ", ..." } else { "" };
                let meant = suggestion(wanted, names.iter().map(String::as_str));
                problem("flow", format!("no flow is called {wanted}; accepted: {}{more}{meant}", listed.join(", ")));
            }
        }
        let mut time = |path: &str, text: &Option<String>, otherwise| {
            let Some(text) = text else { return otherwise };
            TIME.parse(text).unwrap_or_else(|mistake| {
                problem(path, format!("{text:?} {mistake}; accepted: a time such as \"2s\" or \"200ms\""));
                otherwise
            })
        };
        let from = time("from", &part.from, 0);
        let to = time("to", &part.to, Nanos::MAX);
        if from > to {
            let message = format!("{} is after the end of the traces, {}", TIME.write(from), TIME.write(to));
            problem("from", format!("{message}; accepted: at most that"));
        } else if from > duration {
            let message = format!("{} is after the end of the run, {}", TIME.write(from), TIME.write(duration));
            problem("from", format!("{message}; accepted: at most that"));
        }
        if problems.is_empty() { Ok(Filter { flows, from, to }) } else { Err(problems) }
    }

    /// Whether the time is traced.
    pub fn has_time(&self, at: Nanos) -> bool {
        (self.from..=self.to).contains(&at)
    }

    /// Whether the flow is traced; packets of an unknown flow are traced if all flows are.
    pub fn has_flow(&self, flow: Option<FlowId>) -> bool {
        let Some(flows) = &self.flows else { return true };
        flow.and_then(|flow| flows.get(flow.index())).copied().unwrap_or(false)
    }
}

/// Whether `name` is a copy of the flow `flow`: the flow's name and the copy's number.
fn is_copy(name: &str, flow: &str) -> bool {
    let number = name.strip_prefix(flow).and_then(|rest| rest.strip_prefix('.'));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}
