//! Plays rounds, each of both commits, in random order.

use crate::judge::Judged;
use crate::options::Options;
use crate::programs::Group;
use crate::ratios::{Name, Ratios};
use crate::report;
use redist_measuring::session::ask;
use redist_measuring::{Row, Shuffle, Task};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::time::Instant;

/// The figure of an item beside its run-time plan, both of this commit.
const ITEM: &str = "item beside its plan";

/// Rounds played so far, with their ratios.
pub struct Rounds<'a> {
    options: &'a Options,
    begun: Instant,
    shuffle: Shuffle,
    file: File,
    ratios: BTreeMap<Name, Ratios>,
    /// Methods that are the same on both sides.
    controls: Vec<f64>,
    failures: Vec<String>,
    /// `true` once the time has ended before the last round.
    is_short: bool,
}

impl<'a> Rounds<'a> {
    pub fn new(options: &'a Options, head: &str) -> io::Result<Self> {
        let mut file = File::create(options.out.join("guard.jsonl"))?;
        writeln!(file, "{}", serde_json::json!({ "guard": head }))?;
        Ok(Self {
            options,
            begun: Instant::now(),
            shuffle: Shuffle::new(options.seed),
            file,
            ratios: BTreeMap::new(),
            controls: Vec::new(),
            failures: Vec::new(),
            is_short: false,
        })
    }

    pub fn first(&mut self, group: &Group, rows: &[Task]) -> io::Result<()> {
        for round in 1..=self.options.rounds {
            eprintln!("{}, round {round} of {}", group.name, self.options.rounds);
            self.round(group, rows, |ratios| &mut ratios.first)?;
        }
        Ok(())
    }

    pub fn suspects(&self, group: &Group, rows: &[Task]) -> Vec<Task> {
        let is_suspect = |row: &&Task| {
            let mut own = self.ratios.iter().filter(|((of, name, ranks, _), _)| {
                *of == group.name && *name == row.row && *ranks == row.ranks
            });
            own.any(|(_, ratios)| Judged::of(&ratios.first).is_suspect())
        };
        rows.iter().filter(is_suspect).cloned().collect()
    }

    pub fn again(&mut self, group: &Group, suspects: &[Task]) -> io::Result<()> {
        if suspects.is_empty() {
            return Ok(());
        }
        for round in 1..=self.options.more {
            let (more, count) = (self.options.more, suspects.len());
            eprintln!("{}, {count} suspects, round {round} of {more}", group.name);
            self.round(group, suspects, |ratios| &mut ratios.again)?;
        }
        Ok(())
    }

    fn round(
        &mut self,
        group: &Group,
        rows: &[Task],
        kept: impl Fn(&mut Ratios) -> &mut Vec<f64>,
    ) -> io::Result<()> {
        for number in self.shuffle.order(rows.len()) {
            if self.begun.elapsed() > self.options.patience {
                self.is_short = true;
                return Ok(());
            }
            let task = &rows[number];
            let mut told = [None, None];
            for side in self.shuffle.order(2) {
                told[side] = self.process(group, side, task)?;
            }
            if let [Some(base), Some(this)] = told {
                self.keep(group, task, &base, &this, &kept);
            }
        }
        Ok(())
    }

    fn process(&mut self, group: &Group, side: usize, task: &Task) -> io::Result<Option<Row>> {
        let seed = self.shuffle.seed() >> 16;
        let _busy = group.busy_cores();
        let outcome = ask(group.launch(self.options, side, task, seed));
        let name = ["base", "this"][side];
        let line = serde_json::json!({
            "group": group.name, "row": task.row, "ranks": task.ranks, "side": name,
            "outcome": outcome,
        });
        writeln!(self.file, "{line}")?;
        match outcome {
            Ok(row) if row.wrong() == 0 => return Ok(Some(row)),
            Ok(_) => self.fail(group, task, name, "a method got it wrong"),
            Err(reason) => self.fail(group, task, name, &reason),
        }
        Ok(None)
    }

    fn fail(&mut self, group: &Group, task: &Task, side: &str, reason: &str) {
        let text = format!("{}, {}, {} ranks, {side}: {reason}", group.name, task.row, task.ranks);
        if !self.failures.contains(&text) {
            self.failures.push(text);
        }
    }

    fn keep(
        &mut self,
        group: &Group,
        task: &Task,
        base: &Row,
        this: &Row,
        kept: impl Fn(&mut Ratios) -> &mut Vec<f64>,
    ) {
        let name = |method: &str| (group.name, task.row.clone(), task.ranks, method.to_owned());
        if let Some(gain) = group.item_gains(this) {
            kept(self.ratios.entry(name(ITEM)).or_default()).push(gain);
        }
        for method in &base.methods {
            let sides = base.times(&method.name).zip(this.times(&method.name));
            let Some((before, now)) = sides else { continue };
            let ratio = before.median / now.median;
            if group.judges(&method.name) {
                kept(self.ratios.entry(name(&method.name)).or_default()).push(ratio);
            } else {
                self.controls.push(ratio);
            }
        }
    }

    pub fn report(&self) -> String {
        let text = report::text(&self.ratios, &self.controls, &self.failures, self.is_short);
        format!("{text}; {} s", self.begun.elapsed().as_secs())
    }

    /// Returns `true` if no row is slower and none failed; `None` if a suspect had too few rounds.
    pub fn is_fine(&self) -> Option<bool> {
        let any = |of: fn(&Ratios) -> bool| self.ratios.values().any(of);
        if self.ratios.is_empty() || !self.failures.is_empty() || any(Ratios::is_slower) {
            return Some(false);
        }
        (!any(Ratios::is_open)).then_some(true)
    }
}
