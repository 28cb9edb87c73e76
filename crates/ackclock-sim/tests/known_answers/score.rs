//! Answers that theory knows, beside ours, and how far apart they may be.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};

/// How far ours may be from theory.
#[derive(Clone, Copy, Debug)]
pub enum Error {
    /// Ours is a mean over seeds with this standard error.
    Standard(f64),
    /// Ours is not random; this is what the theory leaves out, at most.
    LeftOut(f64),
}

/// A number that theory knows.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What it is, and where.
    pub of: String,
    /// In which unit.
    pub unit: &'static str,
    pub theory: f64,
    pub ours: f64,
    pub error: Error,
}

/// The largest |z| that passes. Seeds are fixed, so it is not a matter of chance whether a version passes; a right simulator has
/// one answer in 6,000 beyond it.
pub const MOST: f64 = 3.8;

impl Answer {
    /// The difference over its error: a standard normal number where ours is a mean over seeds, and from -1 to 1 where it is not
    /// random.
    pub fn z(&self) -> f64 {
        match self.error {
            Error::Standard(error) | Error::LeftOut(error) => (self.ours - self.theory) / error,
        }
    }

    /// Whether ours agrees with theory.
    pub fn agrees(&self) -> bool {
        let most = if let Error::Standard(_) = self.error { MOST } else { 1.0 };
        self.z().abs() <= most
    }
}

/// A group of answers by one theory.
pub struct Chapter {
    pub title: &'static str,
    /// The setting, the formula and where it is from.
    pub theory: &'static str,
    pub answers: Vec<Answer>,
}

/// How many seeds an answer is a mean over: few in the tests, many for the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    Quick,
    Long,
}

impl Effort {
    pub fn seeds(self, quick: u64) -> std::ops::RangeInclusive<u64> {
        1..=if self == Effort::Quick { quick } else { quick * 10 }
    }
}

/// The mean of numbers of which there is one for each seed, against theory. Seeds are independent, and so are the numbers.
pub fn mean_over_seeds(of: String, unit: &'static str, theory: f64, numbers: &[f64]) -> Answer {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean) * (number - mean)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    assert!(error > 0.0, "{of}: {count} seeds give the same");
    Answer { of, unit, theory, ours: mean, error: Error::Standard(error) }
}

/// Runs a scenario.
pub fn run(text: &str, seed: u64) -> Output {
    let scenario = Scenario::from_toml(text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut run = Run::new(&scenario, Some(seed)).unwrap();
    while run.step(1 << 20) {}
    run.finish()
}

/// A column of numbers; what has no value is left out.
pub fn numbers(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().flatten().copied().collect(),
        Some(Column::Int(cells)) => cells.iter().flatten().map(|cell| *cell as f64).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// A column of texts.
pub fn texts(output: &Output, table: &str, column: &str) -> Vec<String> {
    match output.tables[table].column(column) {
        Some(Column::Text(cells)) => cells.iter().map(|cell| cell.clone().unwrap_or_default()).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}
