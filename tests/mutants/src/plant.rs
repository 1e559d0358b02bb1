//! Plants mutants, of which one is switched on at run time.

use crate::candidates::Mutant;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, fs};

/// The switch: off in constants, and at run time on for the number in `REDIST_MUTANT`.
const SWITCH: &str = r#"
#[allow(missing_docs, unsafe_code)]
mod mutant {
    use std::sync::OnceLock;

    const fn never(_: u32) -> bool {
        false
    }

    fn asked(number: u32) -> bool {
        static ON: OnceLock<u32> = OnceLock::new();
        let read = || std::env::var("REDIST_MUTANT").ok().and_then(|text| text.parse().ok());
        *ON.get_or_init(|| read().unwrap_or(0)) == number
    }

    pub(crate) const fn is_on(number: u32) -> bool {
        #[allow(unused_unsafe)]
        unsafe { std::intrinsics::const_eval_select((number,), never, asked) }
    }
}
"#;

const FEATURES: &str = "#![feature(core_intrinsics, const_eval_select)] #![allow(internal_features, warnings)] ";

pub fn plant(tree: &Path, mutants: &[Mutant]) -> Result<(), Box<dyn Error>> {
    let mut files: BTreeMap<&PathBuf, Vec<(usize, &Mutant)>> = BTreeMap::new();
    for (index, mutant) in mutants.iter().enumerate() {
        files.entry(&mutant.file).or_default().push((index + 1, mutant));
    }
    for (file, mut changes) in files {
        let mut text = fs::read_to_string(file)?;
        changes.sort_by_key(|(_, mutant)| std::cmp::Reverse(mutant.at.start));
        for (number, mutant) in changes {
            let new = mutant.text.replace("NUMBER", &number.to_string());
            text.replace_range(mutant.at.clone(), &new);
        }
        fs::write(file, text)?;
    }
    for name in ["redist-runtime", "redist-plan", "redist-schedules", "redist-macros", "redist-notation"] {
        let root = tree.join(name).join("src/lib.rs");
        if root.is_file() {
            // The switch is the only unsafe code in a copy of the planner.
            let text = fs::read_to_string(&root)?.replace("#![forbid(unsafe_code)]", "");
            fs::write(&root, format!("{FEATURES}{text}{SWITCH}"))?;
        }
    }
    Ok(())
}
