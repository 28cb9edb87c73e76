//! The search: epochs in which each rule is improved, the most used first, and splits of the most used rule.
//!
//! Winstein and Balakrishnan, "TCP ex Machina", SIGCOMM 2013, section 4.3: "1. Set all rules to the current epoch. 2. Find
//! the most-used rule in this epoch. 3. Improve that action until we cannot improve it further. 4. If we run out of rules
//! in this epoch [...] 5. Subdivide the most-used rule."

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ackclock_scenario::{Files, ScenarioError};
use ackclock_tcp::cc::remycc::{Action, Table};

use crate::candidates::{Move, beginnings, candidates};
use crate::runner::{Networks, Runner, Trial};
use crate::settings::Method;
use crate::tree::{self, MEMORY};
use crate::{Decision, Design, Score, Settings, Stopped};

/// The first rule, section 4.3: m = 1, b = 1, tau = 0.01.
const FIRST: Action = Action { increment: 1, multiple: 1.0, intersend: 0.01 };

/// Rounds of the economical search: the share of the specimens on which candidates were compared at the end of a round,
/// in sixteenths, and the part of the candidates that stay.
const ROUNDS: [(usize, usize); 3] = [(2, 4), (6, 3), (16, 1)];
/// Smallest rtt_ratio of a sender that knows its round-trip time. Below is the empty memory alone, with which every flow
/// starts. The first split of the economical search separates the two, as a start has little in common with the rest.
const KNOWN: f64 = 1.0;
/// Standard errors by which a candidate has to be worse to go no further.
const HOPELESS: f64 = 2.0;

/// The state of a search.
pub struct Search {
    design: Design,
    settings: Settings,
    table: Arc<Table>,
    /// Networks of the current generation, with the number of the generation.
    networks: Networks,
    generation: u32,
    others: Networks,
    /// Results of the table on the specimens, once they are known.
    scores: Option<Vec<Score>>,
    /// Rules that were improved as far as they go in this epoch.
    closed: Vec<bool>,
    /// Epochs since the last split, and whether an action was replaced in this epoch.
    epochs: u32,
    moved: bool,
    /// The last successful move and its rule.
    last: Option<(usize, Move)>,
    /// Whether the table was validated since the last change.
    validated: bool,
    /// Best score on the other specimens, with its table, and the number of splits since.
    best: Option<(f64, Arc<Table>)>,
    since_best: u32,
    finished: bool,
    decisions: u64,
    totals: Totals,
}

/// Totals of the runs of this process's search.
#[derive(Default)]
struct Totals {
    runs: AtomicU64,
    bytes: AtomicU64,
}

/// The state of a search in numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// Decisions so far.
    pub decisions: u64,
    /// Rules of the table.
    pub rules: usize,
    /// Splits so far.
    pub generation: u32,
    /// Epochs since the last split.
    pub epochs: u32,
    /// Mean objective of a flow on the specimens, if it is known.
    pub score: Option<f64>,
    /// Best mean objective on the other specimens so far.
    pub best: Option<f64>,
    /// Whether the search has ended.
    pub finished: bool,
    /// Runs of specimens in this process.
    pub runs: u64,
    /// Bytes that sinks received in these runs.
    pub bytes: u64,
    /// Rules still to be improved in this epoch.
    pub open: usize,
}

impl Search {
    /// A search at its beginning: the table has one rule.
    ///
    /// # Errors
    /// Mistakes of the design with the values that are drawn from it.
    pub fn new(design: Design, settings: Settings, files: Files<'_>) -> Result<Search, ScenarioError> {
        let networks = Networks::draw(&design, &settings, &Networks::generation(0), files)?;
        let others = Networks::draw(&design, &settings, Networks::VALIDATION, files)?;
        Ok(Search {
            design,
            settings,
            table: Arc::new(tree::first(FIRST)),
            networks,
            generation: 0,
            others,
            scores: None,
            closed: vec![false],
            epochs: 0,
            moved: false,
            last: None,
            validated: false,
            best: None,
            since_best: 0,
            finished: false,
            decisions: 0,
            totals: Totals::default(),
        })
    }

    /// The present table.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The table with the best score on the other specimens; the present one before any was validated.
    pub fn best(&self) -> &Arc<Table> {
        self.best.as_ref().map_or(&self.table, |(_, table)| table)
    }

    /// The state in numbers.
    pub fn status(&self) -> Status {
        let uses = self.scores.as_ref().map(|scores| uses(scores));
        let open = uses.map_or(0, |uses| (0..uses.len()).filter(|&rule| self.is_open(rule, &uses)).count());
        Status {
            decisions: self.decisions,
            rules: self.table.actions().len(),
            generation: self.generation,
            epochs: self.epochs,
            score: self.scores.as_ref().map(|scores| mean(scores)),
            best: self.best.as_ref().map(|(score, _)| *score),
            finished: self.finished,
            runs: self.totals.runs.load(Ordering::Relaxed),
            bytes: self.totals.bytes.load(Ordering::Relaxed),
            open,
        }
    }

    fn is_open(&self, rule: usize, uses: &[u64]) -> bool {
        let least = self.settings.least_use * uses.iter().sum::<u64>() as f64;
        !self.closed[rule] && uses[rule] > 0 && uses[rule] as f64 >= least
    }

    /// Makes the next decision and carries it out; `None` at the end of the search. `files` are those of the design.
    ///
    /// # Errors
    /// [`Stopped`] if the runner stopped: nothing was decided, and the next call decides the same.
    pub fn step(&mut self, runner: &dyn Runner, files: Files<'_>) -> Result<Option<Decision>, Stopped> {
        if self.finished {
            return Ok(None);
        }
        if self.scores.is_none() {
            self.scores = Some(self.scores_of(&self.networks, &self.networks.all(&self.table), runner)?);
        }
        let scores = self.scores.as_ref().expect("just computed");
        let uses = uses(scores);
        // Of rules with the same number of uses the first is taken.
        let open = (0..uses.len()).filter(|&rule| self.is_open(rule, &uses));
        let rule = open.max_by_key(|&rule| (uses[rule], std::cmp::Reverse(rule)));
        let (decision, scores) = match rule {
            Some(rule) => self.improve(rule, scores, runner)?,
            None => (self.after_all(&uses, runner)?, None),
        };
        self.apply(&decision, files).expect("the design was drawn from before");
        if scores.is_some() {
            self.scores = scores;
        }
        Ok(Some(decision))
    }

    /// Decides when no rule is left in the epoch.
    fn after_all(&self, uses: &[u64], runner: &dyn Runner) -> Result<Decision, Stopped> {
        // An epoch without a change would be followed by one without a change.
        if self.moved && self.epochs + 1 < self.settings.split_every {
            return Ok(Decision::Epoch { score: self.scores.as_ref().map_or(0.0, |scores| mean(scores)) });
        }
        if !self.validated {
            return Ok(Decision::Validate { score: self.validate(runner)? });
        }
        let finish = |why: String| Ok(Decision::Finish { why });
        if self.since_best >= self.settings.patience {
            return finish(format!("{} splits without a better table", self.since_best));
        }
        if self.closed.len() >= self.settings.rules as usize {
            return finish(format!("{} rules", self.closed.len()));
        }
        if self.closed.len() == 1 && self.settings.method == Method::Economical {
            return Ok(Decision::Split { rule: 0, at: [None, None, Some(KNOWN)] });
        }
        let mut order: Vec<usize> = (0..uses.len()).filter(|&rule| uses[rule] > 0).collect();
        order.sort_by_key(|&rule| (std::cmp::Reverse(uses[rule]), rule));
        for rule in order {
            let at = self.medians(rule, runner)?;
            if at.iter().any(Option::is_some) {
                return Ok(Decision::Split { rule, at });
            }
        }
        finish("no rule can be split".to_owned())
    }

    /// The candidates for a rule's action, each with its move.
    fn candidates(&self, rule: usize) -> Vec<(Move, Action)> {
        if self.decisions == 0 && self.settings.method == Method::Economical {
            return beginnings().into_iter().map(|action| ([0; 3], action)).collect();
        }
        let last = self.last.filter(|(of, _)| *of == rule).map(|(_, by)| by);
        candidates(&self.table.actions()[rule], self.settings.method, last)
    }

    /// Compares the candidates for a rule's action with the action. Returns the decision, and the scores if they change.
    fn improve(
        &self,
        rule: usize,
        scores: &[Score],
        runner: &dyn Runner,
    ) -> Result<(Decision, Option<Vec<Score>>), Stopped> {
        let found = self.candidates(rule);
        let tables: Vec<Arc<Table>> =
            found.iter().map(|(_, action)| Arc::new(tree::with_action(&self.table, rule, *action))).collect();
        // A specimen in which the rule is not used has the same result with every candidate.
        let mut order: Vec<usize> = (0..scores.len()).filter(|&index| scores[index].uses[rule] > 0).collect();
        order.sort_by_key(|&index| (std::cmp::Reverse(scores[index].uses[rule]), index));
        let mut alive: Vec<Tried> = (0..found.len()).map(Tried::new).collect();
        let mut done = 0;
        for (sixteenths, keep) in rounds(self.settings.method) {
            let upto = (order.len() * sixteenths).div_ceil(16);
            let round = &order[done..upto];
            let of = |tried: &Tried| {
                let table = &tables[tried.candidate];
                round.iter().map(|&network| Trial { network, table: table.clone() }).collect::<Vec<_>>()
            };
            let trials: Vec<Trial> = alive.iter().flat_map(of).collect();
            let results = self.scores_of(&self.networks, &trials, runner)?;
            for (job, score) in results.into_iter().enumerate() {
                let index = round[job % round.len()];
                alive[job / round.len()].add(index, score, &scores[index]);
            }
            done = upto;
            if done < order.len() {
                alive.retain(|tried| !tried.is_hopeless());
                alive.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.candidate.cmp(&b.candidate)));
                let stay = alive.len().div_ceil(keep);
                let mut place = 0;
                // Slower actions need not be better, so they stay until they are hopeless.
                alive.retain(|tried| {
                    place += 1;
                    place <= stay || self.is_slower(rule, &found[tried.candidate].1)
                });
            }
        }
        let flows: u32 = scores.iter().map(|score| score.flows).sum();
        let least = self.settings.least_gain * f64::from(flows);
        let best = alive.iter().max_by(|a, b| a.gain.total_cmp(&b.gain).then(b.candidate.cmp(&a.candidate)));
        let better = best.filter(|tried| tried.gain > least);
        let action = |tried: &Tried| found[tried.candidate].1;
        let slower = alive.iter().filter(|tried| self.is_slower(rule, &action(tried)) && tried.gain > -least);
        let slower = slower.max_by(|a, b| action(a).intersend.total_cmp(&action(b).intersend));
        let Some(taken) = better.or(slower) else { return Ok((Decision::Keep { rule }, None)) };
        let mut scores = scores.to_vec();
        for (index, score) in &taken.scores {
            scores[*index] = score.clone();
        }
        let (action, score) = (action(taken), mean(&scores));
        let decision = match better {
            Some(_) => Decision::Improve { rule, action, score },
            None => Decision::Slow { rule, action, score },
        };
        Ok((decision, Some(scores)))
    }

    /// Whether an action differs from that of a rule in a longer tau alone, in the economical search. Of actions that are
    /// as good as each other the slowest is taken: on the networks of a design the rules of starts, for example, decide
    /// little, and elsewhere they decide how long queues are.
    fn is_slower(&self, rule: usize, action: &Action) -> bool {
        let present = self.table.actions()[rule];
        self.settings.method == Method::Economical
            && action.intersend > present.intersend
            && Action { intersend: present.intersend, ..*action } == present
    }

    /// The medians of the memories with which a rule is used, on the axes that they divide.
    fn medians(&self, rule: usize, runner: &dyn Runner) -> Result<[Option<f64>; MEMORY], Stopped> {
        let all = runner.memories(&self.networks, &self.networks.all(&self.table), rule)?.concat();
        let range = tree::ranges(&self.table)[rule];
        Ok(std::array::from_fn(|axis| {
            let values: Vec<f64> = all.iter().map(|memory| memory[axis]).collect();
            tree::dividing(&range, axis, &values)
        }))
    }

    fn scores_of(&self, networks: &Networks, trials: &[Trial], runner: &dyn Runner) -> Result<Vec<Score>, Stopped> {
        let scores = runner.scores(networks, trials, &self.settings.objective)?;
        self.totals.runs.fetch_add(scores.len() as u64, Ordering::Relaxed);
        self.totals.bytes.fetch_add(scores.iter().map(|score| score.bytes).sum(), Ordering::Relaxed);
        Ok(scores)
    }

    /// Computes the score of the present table on the other specimens, also to check a log.
    ///
    /// # Errors
    /// [`Stopped`] if the runner stopped.
    pub fn validate(&self, runner: &dyn Runner) -> Result<f64, Stopped> {
        Ok(mean(&self.scores_of(&self.others, &self.others.all(&self.table), runner)?))
    }

    /// Carries out a decision, without a simulation.
    ///
    /// # Errors
    /// A message if the decision cannot follow those before it.
    pub fn apply(&mut self, decision: &Decision, files: Files<'_>) -> Result<(), String> {
        let rules = self.closed.len();
        if self.finished {
            return Err("a decision after the end of the search".to_owned());
        }
        if let Decision::Improve { rule, .. }
        | Decision::Slow { rule, .. }
        | Decision::Keep { rule }
        | Decision::Split { rule, .. } = decision
            && *rule >= rules
        {
            return Err(format!("there is no rule {rule}; the table has {rules} rules"));
        }
        match decision {
            Decision::Improve { rule, action, .. } => {
                let moves = self.candidates(*rule);
                let Some((by, _)) = moves.iter().find(|(_, candidate)| candidate == action) else {
                    return Err(format!("the action of rule {rule} cannot follow the one before it"));
                };
                self.last = Some((*rule, *by));
                self.table = Arc::new(tree::with_action(&self.table, *rule, *action));
                (self.moved, self.validated, self.scores) = (true, false, None);
            }
            Decision::Slow { rule, action, .. } => {
                if !self.is_slower(*rule, action) {
                    return Err(format!("the action of rule {rule} is not slower than the one before it"));
                }
                self.table = Arc::new(tree::with_action(&self.table, *rule, *action));
                self.closed[*rule] = true;
                (self.moved, self.validated, self.scores, self.last) = (true, false, None, None);
            }
            Decision::Keep { rule } => self.closed[*rule] = true,
            Decision::Epoch { .. } => {
                self.closed.fill(false);
                self.epochs += 1;
                self.moved = false;
            }
            Decision::Validate { score } => {
                self.validated = true;
                if self.best.as_ref().is_none_or(|(best, _)| score > best) {
                    (self.best, self.since_best) = (Some((*score, self.table.clone())), 0);
                } else {
                    self.since_best += 1;
                }
            }
            Decision::Split { rule, at } => {
                let range = tree::ranges(&self.table)[*rule];
                let inside = |(axis, at): (usize, &Option<f64>)| {
                    at.is_none_or(|at| range.lower[axis] < at && at < range.upper[axis])
                };
                if !at.iter().enumerate().all(inside) {
                    return Err(format!("rule {rule} cannot be split at {at:?}"));
                }
                self.table = Arc::new(tree::split(&self.table, *rule, *at));
                self.closed = vec![false; self.table.actions().len()];
                (self.epochs, self.moved, self.validated, self.last) = (0, false, false, None);
                self.generation += 1;
                let purpose = Networks::generation(self.generation);
                let drawn = Networks::draw(&self.design, &self.settings, &purpose, files);
                self.networks = drawn.map_err(|error| error.to_string())?;
                self.scores = None;
            }
            Decision::Finish { .. } => self.finished = true,
        }
        self.decisions += 1;
        Ok(())
    }
}

/// A candidate on the specimens so far.
struct Tried {
    candidate: usize,
    scores: Vec<(usize, Score)>,
    /// Gains over the present action: their sum, and each.
    gain: f64,
    gains: Vec<f64>,
}

impl Tried {
    fn new(candidate: usize) -> Tried {
        Tried { candidate, scores: Vec::new(), gain: 0.0, gains: Vec::new() }
    }

    fn add(&mut self, specimen: usize, score: Score, before: &Score) {
        let gain = score.sum - before.sum;
        self.gain += gain;
        self.gains.push(gain);
        self.scores.push((specimen, score));
    }

    /// Whether the candidate is worse by more than the specimens differ.
    fn is_hopeless(&self) -> bool {
        let count = self.gains.len() as f64;
        if count < 3.0 {
            return false;
        }
        let mean = self.gain / count;
        let squares: f64 = self.gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        mean < -HOPELESS * error
    }
}

fn rounds(method: Method) -> Vec<(usize, usize)> {
    match method {
        Method::Published => vec![(16, 1)],
        Method::Economical => ROUNDS.to_vec(),
    }
}

/// Uses of each rule over all specimens.
fn uses(scores: &[Score]) -> Vec<u64> {
    let rules = scores.first().map_or(0, |score| score.uses.len());
    (0..rules).map(|rule| scores.iter().map(|score| score.uses[rule]).sum()).collect()
}

/// Mean objective of a flow.
fn mean(scores: &[Score]) -> f64 {
    let flows: u32 = scores.iter().map(|score| score.flows).sum();
    scores.iter().map(|score| score.sum).sum::<f64>() / f64::from(flows.max(1))
}
