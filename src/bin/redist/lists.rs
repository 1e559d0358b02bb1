//! `redist lists`: a move by lists of indices, planned and proven.

use crate::failure::CommandFailure;
use crate::output::print;
use crate::words::{counted, grouped};
use clap::Args;
use redist::exec::{IndexList, IndexMove};
use redist::{Error, Side, threads};
use std::collections::{BTreeMap, HashMap};
use std::fs;

/// Plan a move by lists of indices, and prove it.
///
/// Each file has a line for each rank: the indices of its elements, in the order of its local array.
/// `3` is an index, `0..4` is 0 to 3, and `0..12..3` every third of these.
#[derive(Args)]
pub struct ListsOptions {
    /// The file of what ranks have before the move.
    before: String,

    /// The file of what ranks are to have after it.
    after: String,

    /// The number of all indices; without it, one more than the greatest.
    #[arg(long)]
    extent: Option<usize>,

    /// Elements that several ranks have under one index are equal.
    #[arg(long)]
    equal: bool,
}

/// Most ranks, each of which is a thread.
const MOST_RANKS: usize = 256;

/// Most indices of both files together.
const MOST_INDICES: usize = 1 << 28;

/// The lists of one side, by rank.
type Lists = Vec<Vec<usize>>;

pub fn run(options: ListsOptions) -> Result<(), CommandFailure> {
    let mut sides = [read(&options.before)?, read(&options.after)?];
    let ranks = sides.iter().map(Vec::len).max().unwrap_or(0).max(1);
    if ranks > MOST_RANKS {
        let words = format!("error: there are lists of {ranks} ranks; write at most {MOST_RANKS}");
        return Err(CommandFailure::InputOptions(words));
    }
    sides.iter_mut().for_each(|lists| lists.resize(ranks, Vec::new()));
    let all = || sides.iter().flatten().flatten().copied();
    if all().count() > MOST_INDICES {
        let words = format!("error: the lists have more than {MOST_INDICES} indices in all");
        return Err(CommandFailure::InputOptions(words));
    }
    let extent = options.extent.unwrap_or_else(|| all().max().map_or(0, |greatest| greatest + 1));
    let told = moved(&sides, extent, options.equal)?;
    print(&report(&sides, extent, &told))
}

/// Moves the numbers of all indices between threads, compares what has come, and returns what each
/// rank says of its moves.
fn moved(
    [before, after]: &[Lists; 2],
    extent: usize,
    are_equal: bool,
) -> Result<Vec<String>, CommandFailure> {
    let of_rank = |rank: &threads::Rank| {
        let (from, to) = (&before[rank.rank()], &after[rank.rank()]);
        let moves = IndexMove::<u64>::new(extent, [IndexList::new(from), IndexList::new(to)]);
        let moves = if are_equal { moves.equal() } else { moves };
        let mut bound = moves.bind(rank)?;
        let source: Vec<u64> = from.iter().map(|index| *index as u64).collect();
        let mut found = vec![u64::MAX; bound.local_len(Side::Destination)];
        bound.run(&source, &mut found)?;
        let wrong = found.iter().zip(to).position(|(found, index)| *found != *index as u64);
        let sent =
            bound.volumes(Side::Source).iter().map(|to| ([rank.rank(), to.rank], to.elements));
        Ok::<_, Error>((bound.explain(), sent.collect::<Vec<_>>(), wrong))
    };
    let outcomes = threads::run(before.len(), of_rank)
        .map_err(|failure| CommandFailure::work("the lists", failure))?;
    let wrong = outcomes.iter().zip(0..).find_map(|((.., wrong), rank)| Some((rank, (*wrong)?)));
    if let Some((rank, place)) = wrong {
        let words = format!("place {place} of rank {rank} has another element than it wants");
        return Err(CommandFailure::work("the lists", words));
    }
    let planned: BTreeMap<[usize; 2], usize> =
        outcomes.iter().flat_map(|(_, sent, _)| sent.iter().copied()).collect();
    if planned != volumes(&[before, after]) {
        return Err(CommandFailure::work(
            "the lists",
            "ranks plan other volumes than the lists have",
        ));
    }
    Ok(outcomes.into_iter().map(|(told, ..)| told).collect())
}

fn report([before, after]: &[Lists; 2], extent: usize, told: &[String]) -> String {
    let all = |lists: &Lists| counted(lists.iter().map(Vec::len).sum(), "element");
    let mut text = format!(
        "{}, {} of {extent} indices before the move, {} after it\n",
        counted(before.len(), "rank"),
        all(before),
        all(after)
    );
    told.iter().for_each(|line| text += &format!("{line}\n"));
    let others = volumes(&[before, after]).into_iter().filter(|([from, to], _)| from != to);
    for ([from, to], elements) in others {
        text += &format!("rank {from} sends rank {to} {}\n", counted(elements, "element"));
    }
    text += &format!("verified: {} came to their places\n", all(after));
    grouped(&text)
}

/// Counts what ranks send, themselves among them, by looking at each index: the planner is not asked.
fn volumes([before, after]: &[&Lists; 2]) -> BTreeMap<[usize; 2], usize> {
    let mut owners: HashMap<usize, usize> = HashMap::new();
    for (rank, list) in before.iter().enumerate() {
        list.iter().for_each(|index| _ = owners.entry(*index).or_insert(rank));
    }
    let mut volumes = BTreeMap::new();
    for (rank, list) in after.iter().enumerate() {
        for owner in list.iter().filter_map(|index| owners.get(index)) {
            *volumes.entry([*owner, rank]).or_default() += 1;
        }
    }
    volumes
}

fn read(name: &str) -> Result<Lists, CommandFailure> {
    let text = fs::read_to_string(name).map_err(|error| CommandFailure::work(name, error))?;
    let lines = text.lines().enumerate();
    lines
        .map(|(line, text)| {
            let words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let mut list = Vec::new();
            for word in words {
                let wrong = |reason: &str| {
                    let line = line + 1;
                    let words = format!(
                        "error: {name}, line {line}: `{word}` {reason}; write an index, `0..4` or `0..12..3`"
                    );
                    CommandFailure::InputOptions(words)
                };
                let numbers: Option<Vec<usize>> =
                    word.split("..").map(|number| number.parse().ok()).collect();
                let (range, step) = match numbers.as_deref() {
                    Some([index]) => (*index..index.saturating_add(1), 1),
                    Some([first, end]) => (*first..*end, 1),
                    Some([first, end, step]) => (*first..*end, *step),
                    _ => return Err(wrong("is no index and no range")),
                };
                if step == 0 {
                    return Err(wrong("has a step of 0"));
                }
                if range.len() / step > MOST_INDICES {
                    return Err(wrong("has too many indices"));
                }
                list.extend(range.step_by(step));
            }
            Ok(list)
        })
        .collect()
}
