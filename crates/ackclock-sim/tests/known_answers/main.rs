//! Known answers: numbers that theory gives in closed form, compared with runs of whole scenarios. The page
//! `docs/known-answers.md` has the same numbers over more seeds.

mod disciplines;
mod reno;
mod score;
mod slow_start;
mod waiting;

use std::fmt::Write as _;

use score::{Chapter, Effort, Error, MOST};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/known-answers.md");
const REGENERATE: &str = "make known-answers";

fn chapters(effort: Effort) -> Vec<Chapter> {
    vec![
        slow_start::chapter(),
        waiting::poisson(effort),
        waiting::periodic(effort),
        reno::chapter(),
        disciplines::token_bucket(),
        disciplines::fair_shares(effort),
        disciplines::red(effort),
        disciplines::codel(),
    ]
}

/// Formats a number with its significant digits.
fn shown(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        size if size >= 1000.0 => format!("{number:.0}"),
        size if size >= 1.0 => format!("{number:.4}"),
        _ => format!("{number:.5}"),
    }
}

fn page(chapters: &[Chapter]) -> String {
    let answers: usize = chapters.iter().map(|chapter| chapter.answers.len()).sum();
    let mut page = format!(
        "# Known answers\n\n\
         *For those who want to see the simulator agree with theory.*\n\n\
         Theory gives {answers} numbers in closed form, and this page compares them with runs of whole scenarios. If runs are random, \"ours\" is a mean over seeds with its\n\
         standard error, and z is the difference divided by that error. In a correct simulator, z is a standard normal number, so that |z| is above {MOST} once in 6,000 times. If\n\
         runs are not random, the \"error\" is what the theory leaves out, and |z| is at most 1. `make test` checks the same numbers over a tenth of the seeds. `{REGENERATE}` writes\n\
         this page.\n"
    );
    for Chapter { title, theory, answers } in chapters {
        let _ =
            write!(page, "\n## {title}\n\n{theory}\n\n| number | theory | ours | error | z |\n|---|--:|--:|--:|--:|\n");
        for answer in answers {
            let error = match answer.error {
                Error::Standard(error) => format!("± {}", shown(error)),
                Error::LeftOut(error) => format!("≤ {}", shown(error)),
            };
            let unit = if answer.unit.is_empty() { String::new() } else { format!(", {}", answer.unit) };
            let (theory, ours) = (shown(answer.theory), shown(answer.ours));
            let _ = writeln!(page, "| {}{unit} | {theory} | {ours} | {error} | {:.2} |", answer.of, answer.z());
        }
    }
    page
}

fn disagreements(chapters: &[Chapter]) -> Vec<String> {
    let wrong = |chapter: &Chapter| {
        let of = chapter.title;
        let answers = chapter.answers.iter().filter(|answer| !answer.agrees());
        answers.map(|answer| format!("{of}: {answer:?}, z = {:.2}", answer.z())).collect::<Vec<_>>()
    };
    chapters.iter().flat_map(wrong).collect()
}

#[test]
fn ours_agree_with_theory() {
    let chapters = chapters(Effort::Quick);
    assert_eq!(disagreements(&chapters), Vec::<String>::new());
    let written = include_str!("../../../../docs/known-answers.md");
    for answer in chapters.iter().flat_map(|chapter| &chapter.answers) {
        assert!(written.contains(&format!("| {}", answer.of)), "{} is not on the page: {REGENERATE}", answer.of);
    }
}

#[test]
#[ignore = "takes minutes and writes the page anew"]
fn regenerate() {
    let chapters = chapters(Effort::Long);
    // The page must not contain a result that disagrees.
    assert_eq!(disagreements(&chapters), Vec::<String>::new());
    std::fs::write(PAGE, page(&chapters)).unwrap();
}
