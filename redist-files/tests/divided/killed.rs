//! Runs of several ranks that are killed, and are continued by another number of ranks.

use super::team::team;
use super::{contents, manifest, options, run, tree, with_sources};
use redist_files::{RunOptions, Unwatched};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Instant;

/// Names the folder of a child's run, and its number of ranks.
const CHILD: [&str; 2] = ["REDIST_RANKS_CHILD", "REDIST_RANKS_OF_CHILD"];

/// Runs that are killed.
const KILLS: usize = 20;

fn quick() -> RunOptions {
    RunOptions { check: false, ..options() }
}

/// Writes the set when [`other_numbers_of_ranks_continue_a_killed_run`] starts this program again; is no
/// test else.
#[test]
fn child() {
    let [Some(folder), Some(ranks)] = CHILD.map(std::env::var_os) else { return };
    let ranks = ranks.to_string_lossy().parse().expect("a number");
    let folder = Path::new(&folder);
    team(ranks, |peers| run(folder, (peers, &Unwatched), quick()).map(drop).expect("converted"));
}

fn start(folder: &Path, ranks: usize) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "killed::child"]);
    command.env(CHILD[0], folder).env(CHILD[1], ranks.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a child")
}

#[test]
fn other_numbers_of_ranks_continue_a_killed_run() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "out");
    let out = folder.join("out");
    let began = Instant::now();
    assert!(start(folder, 2).wait().expect("ended").success());
    let (whole, right) = (began.elapsed(), contents(&out));
    manifest(folder, "out");
    let (mut random, mut kept, mut killed) = (fastrand::Rng::new(), 0, 0);
    while killed < KILLS {
        let mut child = start(folder, random.usize(1..5));
        sleep(whole.mul_f64(random.f64()));
        child.kill().expect("killed");
        if child.wait().expect("ended").success() || contents(&out) == right {
            manifest(folder, "out");
            continue;
        }
        killed += 1;
        // A file has its name only when it is whole.
        for name in tree(&out).iter().filter(|name| !name.starts_with(".redist-")) {
            let file = right.iter().find(|(own, _)| own == name).expect("a file of the set");
            assert!(fs::read(out.join(name)).expect("a file") == file.1, "{name}");
        }
        if random.bool() {
            let ranks = random.usize(1..5);
            let all = team(ranks, |peers| run(folder, (peers, &Unwatched), quick()));
            let outcomes = all.into_iter().map(|own| own.expect("continued")).next_back();
            kept += outcomes.expect("a rank").iter().filter(|array| array.kept).count();
            assert!(contents(&out) == right, "{ranks}");
            manifest(folder, "out");
        }
    }
    assert!(kept > 0, "no run had to do less");
}

/// Another rank that outlives the first keeps the folder of unfinished files from other runs.
#[test]
fn a_folder_with_a_rank_that_lives_is_not_taken() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "out");
    let out = folder.join("out");
    let part = loop {
        let mut child = start(folder, 2);
        sleep(std::time::Duration::from_millis(fastrand::u64(1..60)));
        child.kill().expect("killed");
        child.wait().expect("ended");
        let left = tree(&out).into_iter().find(|name| name.ends_with("/.redist-journal"));
        match left {
            Some(name) => break out.join(name).parent().expect("a folder").to_owned(),
            None => manifest(folder, "out"),
        }
    };
    let mark = fs::File::open(part.join(".redist-lock")).expect("a mark");
    mark.lock_shared().expect("locked");
    run(folder, (&redist_files::Alone, &Unwatched), quick()).expect("converted anew");
    assert!(part.exists(), "a rank may still write there");
    drop(mark);
    // No folder replaces a folder.
    for name in fs::read_dir(&out).expect("a folder").map(|entry| entry.expect("a name").path()) {
        if name.extension().is_some_and(|ending| ending == "zarr") {
            fs::remove_dir_all(name).expect("removed");
        }
    }
    let force = RunOptions { force: true, ..quick() };
    run(folder, (&redist_files::Alone, &Unwatched), force).expect("converted again");
    assert!(!part.exists(), "nobody writes there");
}
