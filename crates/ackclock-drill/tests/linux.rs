//! Scripts of Linux's own sockets and TCP, where they go beyond the RFCs: what the public suites state, in scripts of our own.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_drill::{Context, Outcome, Verdict, run};
use ackclock_tcp::stack;

fn play(text: &str) -> Outcome {
    run(text, &Context { stack: stack::by_name("linux").unwrap(), defines: &[], files: &|_| None })
}

#[test]
fn every_script_of_linux_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linux");
    let mut scripts: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    scripts.sort();
    assert!(scripts.len() >= 9);
    let outcomes = scripts.iter().map(|path| (path, play(&fs::read_to_string(path).unwrap()).verdict));
    let wrong: Vec<String> = outcomes
        .filter(|(_, verdict)| *verdict != Verdict::Pass)
        .map(|(path, verdict)| format!("{}: {verdict:?}", path.file_name().unwrap().display()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
