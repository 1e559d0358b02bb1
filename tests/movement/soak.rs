//! A soak over threads: moves by all ways, with faulty ranks. Nothing may be lost, hang or leak. A
//! short one always runs; `REDIST_SOAK_SECONDS=1800` and this command run half an hour: `cargo test
//! --release --test movement -- --ignored --nocapture soak::`.
//!
//! * `REDIST_SOAK_SECONDS`: its length; the default is 600.
//! * `REDIST_TEST_SEED`: other numbers to draw.
//! * `REDIST_SOAK_FIRST`: the first run, such as a failed one.
//! * `REDIST_SOAK_TRACE`: every rank prints its next step.
//! * `REDIST_SOAK_PATIENCE`: seconds without a finished run before an abort; the default is 60.
//! * `REDIST_SOAK_LEAVE_OUT`: omitted faults, as `forgotten,panics`.

use fastrand::Rng;
use redist::threads::{self, Failure};
use redist::transport::Route;
use redist_testing::drawn;
use redist_testing::soak::{
    Counted, Ending, Fault, Faults, Memory, Pool, Setting, Tally, Watchdog, act,
};
use std::time::{Duration, Instant};

/// Plans may need fewer ranks.
const RANKS: usize = 6;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn be_quiet() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.payload_as_str().is_some_and(|text| text.starts_with("soak: ")) {
            usual(info);
        }
    }));
}

fn run((seed, number): (u64, u64), setting: &Setting<'_>) {
    let result = threads::run(setting.ranks, |rank| {
        let mut rng = Rng::with_seed(seed << 32 | number);
        for _ in 0..rng.usize(1..=12) {
            if act(setting, rank, rank.rank(), &mut rng)? == Ending::IsOver {
                break;
            }
        }
        Ok::<_, String>(())
    });
    match result {
        Ok(_) => {}
        Err(Failure::Panic { message, .. }) if message.starts_with("soak: ") => {}
        Err(failure) => panic!("run {number} of seed {seed}: {failure}"),
    }
}

fn soak(faults: &Faults, tally: &Tally, mut goes_on: impl FnMut(u64) -> bool) -> u64 {
    be_quiet();
    let patience = Duration::from_secs(number("REDIST_SOAK_PATIENCE", 60));
    let (seed, dog) = (drawn::seed(), Watchdog::new(patience));
    let first = number("REDIST_SOAK_FIRST", 0);
    let pool = Pool::new(seed, 150, RANKS);
    let routes = [Route::Automatic, Route::Automatic, Route::Messages];
    let mut runs = 0;
    while goes_on(runs) {
        let number = first + runs;
        dog.note(format!("run {number} of seed {seed}"));
        // A plan may need all ranks; fewer would be refused.
        let (pool, routes) = (&pool, &routes);
        let setting = Setting { pool, ranks: RANKS, on_nodes: false, routes, faults, tally };
        run((seed, number), &setting);
        runs += 1;
    }
    runs
}

#[test]
fn a_little() {
    let tally = Tally::default();
    let faults = Faults::but(&[]);
    let runs =
        soak(&faults, &tally, |runs| runs < number("REDIST_SOAK_RUNS", drawn::some(600).into()));
    println!("{runs} runs: {tally}");
    assert!(tally.get(Counted::Compared) > 10 * runs, "{tally}");
    for fault in Fault::ALL {
        assert!(tally.faults(fault) > 0, "{fault}: {tally}");
    }
}

#[test]
#[ignore = "takes as long as REDIST_SOAK_SECONDS says"]
fn for_long() {
    let length = Duration::from_secs(number("REDIST_SOAK_SECONDS", 600));
    let (begun, mut memory, tally) = (Instant::now(), Memory::new(length), Tally::default());
    let mut told = begun;
    let runs = soak(&Faults::but(&[]), &tally, |runs| {
        if runs.is_multiple_of(20) {
            memory.sample().unwrap_or_else(|wrong| panic!("after {runs} runs: {wrong}"));
        }
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            println!("{:?}, {runs} runs: {tally}; {memory}", begun.elapsed());
        }
        begun.elapsed() < length
    });
    println!("{runs} runs in {:?}: {tally}; {memory}", begun.elapsed());
}
