//! One run on several threads: one for each of its parts ([`ackclock_sim::parts`]). The results do not depend on the
//! number of threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{hint, thread};

use ackclock_sim::Run;
use ackclock_sim::parts::{Turn, Worker};

/// Number of times that a thread looks at the clocks of other parts before it sleeps for a moment between two looks, so
/// that others can run where there are more threads than cores.
const LOOKS: u32 = 10_000;
const NAP: Duration = Duration::from_micros(20);

/// Handles about `max_events` events of a run, with a thread for each of its parts. Returns whether the run continues.
///
/// # Panics
/// If a part panics.
pub fn step(run: &mut Run, max_events: u64) -> bool {
    let Some(workers) = run.workers(max_events) else { return run.step(max_events) };
    let mut workers = workers.into_iter();
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        let first = workers.next();
        for worker in workers {
            let ends = &ends;
            scope.spawn(move || work(worker, ends));
        }
        if let Some(worker) = first {
            work(worker, &ends);
        }
    });
    run.continues()
}

/// Lets a part work until it has done its share of the step, or another part panics.
fn work(mut worker: Worker<'_>, ends: &AtomicBool) {
    let _end = EndsAll(ends);
    let mut looks = 0;
    loop {
        match worker.turn() {
            Turn::Worked => looks = 0,
            Turn::Ended => return,
            Turn::Waits if ends.load(Ordering::Relaxed) => return,
            Turn::Waits if looks < LOOKS => {
                looks += 1;
                hint::spin_loop();
            }
            Turn::Waits => thread::sleep(NAP),
        }
    }
}

/// Ends the other threads if this one panics; the scope then hands the panic on.
struct EndsAll<'a>(&'a AtomicBool);

impl Drop for EndsAll<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
