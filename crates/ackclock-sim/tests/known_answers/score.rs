//! Theoretical answers beside the simulated ones, and the accepted difference.

use ackclock_results::Column;
use ackclock_scenario::Scenario;
use ackclock_sim::run::{Output, Run};

/// Accepted difference of the simulated answer from theory.
#[derive(Clone, Copy, Debug)]
pub enum Error {
    /// The simulated answer is a mean over seeds with this standard error.
    Standard(f64),
    /// The simulated answer is not random; the theory omits at most this much.
    LeftOut(f64),
}

/// An answer that theory gives.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Name of the answer, and its setting.
    pub of: String,
    /// Unit of the answer.
    pub unit: &'static str,
    pub theory: f64,
    pub ours: f64,
    pub error: Error,
}

/// The largest |z| that passes. Seeds are fixed, so a version passes or fails without chance. In a correct simulator
/// one answer in 6,000 exceeds it.
pub const MOST: f64 = 3.8;

impl Answer {
    /// Returns the difference divided by its error: a standard normal number if the simulated answer is a mean over
    /// seeds, otherwise a number from -1 to 1.
    pub fn z(&self) -> f64 {
        match self.error {
            Error::Standard(error) | Error::LeftOut(error) => (self.ours - self.theory) / error,
        }
    }

    /// Whether the simulated answer agrees with theory.
    pub fn agrees(&self) -> bool {
        let most = if let Error::Standard(_) = self.error { MOST } else { 1.0 };
        self.z().abs() <= most
    }
}

/// A group of answers from one theory.
pub struct Chapter {
    pub title: &'static str,
    /// The setting, the formula and its source.
    pub theory: &'static str,
    pub answers: Vec<Answer>,
}

/// Number of seeds of a mean: few in the tests, many for the page.
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

/// Compares the mean of numbers, one for each seed, with theory. Seeds are independent, and so are the numbers.
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

/// Returns a column of numbers; empty cells are left out.
pub fn numbers(output: &Output, table: &str, column: &str) -> Vec<f64> {
    match output.tables[table].column(column) {
        Some(Column::Float(cells)) => cells.iter().flatten().copied().collect(),
        Some(Column::Int(cells)) => cells.iter().flatten().map(|cell| *cell as f64).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}

/// Returns a column of texts.
pub fn texts(output: &Output, table: &str, column: &str) -> Vec<String> {
    match output.tables[table].column(column) {
        Some(Column::Text(cells)) => cells.iter().map(|cell| cell.clone().unwrap_or_default()).collect(),
        other => panic!("{table}.{column} is {other:?}"),
    }
}
