//! Plants mutants in a copy of the project: `redist-mutants TREE SEED COUNT`.
//!
//! One build holds all of them; `REDIST_MUTANT=N` switches mutant `N` on at run time. Constants
//! stay, so that the copy compiles. The output has a mutant a line: number, part, place, change.

mod candidates;
mod plant;

use candidates::{Mutant, mutants};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The parts, of which each has as many mutants, with their folders.
const PARTS: [(&str, &[&str]); 5] = [
    ("plan", &["redist-plan/src/plan", "redist-schedules/src"]),
    ("program", &["redist-plan/src/program"]),
    ("exec", &["redist-runtime/src/exec"]),
    ("transport", &["redist-runtime/src/transport"]),
    ("macro", &["redist-macros/src", "redist-notation/src"]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [tree, seed, count] = &arguments[..] else {
        return Err("usage: redist-mutants TREE SEED COUNT".into());
    };
    let (tree, count) = (Path::new(tree), count.parse::<usize>()?);
    let mut random = fastrand::Rng::with_seed(seed.parse()?);
    let mut drawn = Vec::new();
    for (part, folders) in PARTS {
        let mut all = candidates_in(tree, folders)?;
        random.shuffle(&mut all);
        drawn.extend(apart(all, count.div_ceil(PARTS.len())).into_iter().map(|mutant| (part, mutant)));
    }
    for (number, (part, mutant)) in drawn.iter().enumerate() {
        let place = mutant.file.strip_prefix(tree)?.display();
        println!("{}\t{part}\t{place}:{}\t{}", number + 1, mutant.line, mutant.change);
    }
    plant::plant(tree, &drawn.into_iter().map(|(_, mutant)| mutant).collect::<Vec<_>>())
}

fn apart(all: Vec<Mutant>, count: usize) -> Vec<Mutant> {
    let mut kept: Vec<Mutant> = Vec::new();
    for mutant in all {
        if kept.len() < count && kept.iter().all(|other| !mutant.overlaps(other)) {
            kept.push(mutant);
        }
    }
    kept
}

fn candidates_in(tree: &Path, folders: &[&str]) -> Result<Vec<Mutant>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in folders.iter().map(|folder| tree.join(folder)).filter(|folder| folder.is_dir()) {
        sources(&folder, &mut files)?;
    }
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file)?;
        found.extend(mutants(&file, &text).map_err(|why| format!("{}: {why}", file.display()))?);
    }
    Ok(found)
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if ["tests", "models", "golden"].contains(&stem) {
            continue;
        }
        if path.is_dir() {
            sources(&path, into)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
    Ok(())
}
