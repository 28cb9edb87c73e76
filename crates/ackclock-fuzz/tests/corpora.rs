//! Runs every input of the corpora again.

use std::path::Path;

use ackclock_fuzz::TARGETS;

#[test]
fn corpora_run_without_a_finding() {
    for target in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        let mut inputs: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("an entry").path())
            .collect();
        inputs.sort();
        assert!(inputs.len() > 20, "{}: a corpus", folder.display());
        for input in inputs {
            let data = std::fs::read(&input).expect("readable");
            let outcome = std::panic::catch_unwind(|| (target.run)(&data));
            assert!(outcome.is_ok(), "{} fails on {}", target.name, input.display());
        }
    }
}
