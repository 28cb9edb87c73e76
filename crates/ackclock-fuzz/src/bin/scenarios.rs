//! Random scenarios on all cores: `fuzz-scenarios [minutes=M] [seed=S] [count=N] [workers=W] [out=FOLDER]`. The program
//! ends with status 1 if it found something.

use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Duration;

use ackclock_fuzz::scenarios::campaign::Campaign;
use ackclock_fuzz::scenarios::worker::{ARGUMENT, serve};

fn main() -> ExitCode {
    let done = if std::env::args().any(|argument| argument == ARGUMENT) {
        serve().map(|()| true).map_err(|error| error.to_string())
    } else {
        campaign().and_then(|campaign| campaign.run().map_err(|error| error.to_string()))
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn campaign() -> Result<Campaign, String> {
    let mut campaign = Campaign {
        seed: 1,
        time: Duration::from_secs(600),
        count: u64::MAX,
        workers: available_parallelism().map_or(1, usize::from),
        folder: "out/fuzz".into(),
    };
    for argument in std::env::args().skip(1) {
        let wrong = || format!("{argument}: accepted: minutes=M, seed=S, count=N, workers=W, out=FOLDER");
        let (key, value) = argument.split_once('=').ok_or_else(wrong)?;
        let number = || value.parse::<u64>().map_err(|_| wrong());
        match key {
            "minutes" => {
                let minutes = value.parse::<f64>().ok().filter(|minutes| *minutes >= 0.0 && *minutes < 1e6);
                campaign.time = Duration::from_secs_f64(minutes.ok_or_else(wrong)? * 60.0);
            }
            "seed" => campaign.seed = number()?,
            "count" => campaign.count = number()?,
            "workers" => campaign.workers = number()?.clamp(1, 1024) as usize,
            "out" => campaign.folder = value.into(),
            _ => return Err(wrong()),
        }
    }
    Ok(campaign)
}
