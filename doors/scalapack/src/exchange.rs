//! Exchanges numbers, unknown outside of a grid. Checks that the processes inside agree.

use crate::call::Call;
use crate::fault::Fault;
use crate::told::{Matrix, Told};
use redist_mpi::{Communicator, Operation};

/// A matrix, by rows and by columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agreed {
    /// Rows and columns of processes.
    pub grid: [i64; 2],
    /// M_ and N_.
    pub extents: [i64; 2],
    /// MB_ and NB_.
    pub blocks: [i64; 2],
    /// RSRC, CSRC.
    pub source: [i64; 2],
    /// IA, JA.
    pub first: [i64; 2],
    /// The rank of each process of the grid, row by row.
    pub ranks: Vec<usize>,
    /// The lowest rank with too small an LLD.
    pub short: Option<usize>,
}

/// Numbers of a matrix that processes exchange.
const NUMBERS: usize = 10;

/// Names of a matrix's numbers; `A` or `B` replaces the `?`.
const NAMES: [&str; NUMBERS] = [
    "NPROW of CTXT_?",
    "NPCOL of CTXT_?",
    "M_?",
    "N_?",
    "MB_?",
    "NB_?",
    "RSRC_?",
    "CSRC_?",
    "I?",
    "J?",
];

/// Stands for a number that a process outside of the grid does not know.
const UNKNOWN: i64 = i64::MAX;

/// The least of all ranks' numbers, before one a rank.
const LEAST: usize = 2;

/// Exchanges both matrices; `None` if no process is in a matrix's grid. Collective. If processes
/// disagree, all get the same error.
pub(crate) fn exchange(
    call: &Call,
    told: &Told,
    context: &Communicator,
) -> Result<[Option<Agreed>; 2], Fault> {
    let mut said = call.extents.map(i64::from).to_vec();
    let mut lowest = Vec::new();
    for matrix in &told.sides {
        let (numbers, least) = says(matrix.as_ref(), context);
        said.extend(numbers);
        lowest.extend(least);
    }
    let negated = said.iter().map(|&number| if number == UNKNOWN { UNKNOWN } else { -number });
    let all: Vec<i64> = said.iter().copied().chain(negated).chain(lowest).collect();
    let mut least = vec![0; all.len()];
    context.allreduce(&all, &mut least, Operation::Min)?;
    let (numbers, rest) = least.split_at(said.len());
    let (negated, lowest) = rest.split_at(said.len());
    let size = context.size();
    compared(numbers, negated, size)?;
    let side = |side: usize| {
        let numbers = &numbers[2 + side * (NUMBERS + size)..][..NUMBERS + size];
        heard(numbers, &lowest[side * (LEAST + size)..][..LEAST + size], side)
    };
    Ok([side(0)?, side(1)?])
}

fn says(matrix: Option<&Matrix>, context: &Communicator) -> (Vec<i64>, Vec<i64>) {
    let mut lowest = vec![UNKNOWN; LEAST + context.size()];
    let Some(matrix) = matrix else {
        lowest[LEAST + context.rank()] = 0;
        return (vec![UNKNOWN; NUMBERS + context.size()], lowest);
    };
    let [_, _, m, n, mb, nb, rsrc, csrc, _] = matrix.desc;
    let ([p, q], [i, j]) = (matrix.place.grid, matrix.first);
    let mut numbers = [p, q, m, n, mb, nb, rsrc, csrc, i, j].map(i64::from).to_vec();
    let ranks = matrix.ranks.as_ref().map(|ranks| ranks.iter().map(|&rank| rank as i64));
    numbers.extend(ranks.into_iter().flatten());
    numbers.resize(NUMBERS + context.size(), UNKNOWN);
    if matrix.is_short() {
        lowest[0] = context.rank() as i64;
    }
    lowest[1] = matrix.ranks.as_ref().err().map_or(UNKNOWN, |&outside| outside as i64);
    (numbers, lowest)
}

/// Returns numbers that are the least and, negated, the most of all ranks'.
fn compared(numbers: &[i64], negated: &[i64], size: usize) -> Result<(), String> {
    let differ = |(&least, &most): (&i64, &i64)| least != UNKNOWN && least != -most;
    let Some(at) = numbers.iter().zip(negated).position(differ) else { return Ok(()) };
    let what = match at.checked_sub(2) {
        None => ["M", "N"][at].to_owned(),
        Some(at) => {
            let (side, at) = (at / (NUMBERS + size), at % (NUMBERS + size));
            NAMES.get(at).unwrap_or(&"the processes of CTXT_?").replace('?', ["A", "B"][side])
        }
    };
    Err(format!("{what} = {} on one process, {} on another", numbers[at], -negated[at]))
}

fn heard(numbers: &[i64], least: &[i64], side: usize) -> Result<Option<Agreed>, String> {
    let name = ["A", "B"][side];
    let (least, inside) = least.split_at(LEAST);
    if least[1] != UNKNOWN {
        return Err(format!("process {} of CTXT_{name} is not in ICTXT", least[1]));
    }
    let (numbers, ranks) = numbers.split_first_chunk().expect("as many as there are names");
    let &[p, q, m, n, mb, nb, rsrc, csrc, i, j]: &[i64; NUMBERS] = numbers;
    let ranks = ranks.iter().filter(|&&rank| rank != UNKNOWN).map(|&rank| rank as usize);
    let ranks: Vec<usize> = ranks.collect();
    if let Some(rank) = ranks.iter().find(|&&rank| inside[rank] != UNKNOWN) {
        return Err(format!(
            "CTXT_{name} = -1 on process {rank} of ICTXT, which is in the grid of CTXT_{name}"
        ));
    }
    let short = (least[0] != UNKNOWN).then_some(least[0] as usize);
    let (grid, extents, blocks, source, first) = ([p, q], [m, n], [mb, nb], [rsrc, csrc], [i, j]);
    let agreed = Agreed { grid, extents, blocks, source, first, ranks, short };
    Ok((p != UNKNOWN).then_some(agreed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let size = 3;
        let mut numbers = vec![1; 2 + 2 * (NUMBERS + size)];
        let mut negated = vec![-1; numbers.len()];
        assert_eq!(compared(&numbers, &negated, size), Ok(()));
        let second = 2 + NUMBERS + size;
        negated[second + 4] = -7;
        assert_eq!(
            compared(&numbers, &negated, size).unwrap_err(),
            "MB_B = 1 on one process, 7 on another"
        );
        numbers[second - 1] = 0;
        let error = compared(&numbers, &negated, size).unwrap_err();
        assert_eq!(error, "the processes of CTXT_A = 0 on one process, 1 on another");
        numbers[1] = 0;
        let error = compared(&numbers, &negated, size).unwrap_err();
        assert_eq!(error, "N = 0 on one process, 1 on another");
    }

    #[test]
    fn a_matrix_of_no_process_is_none() {
        const NONE: i64 = UNKNOWN;
        assert_eq!(heard(&[NONE; NUMBERS + 2], &[NONE, NONE, 0, 0], 0), Ok(None));
        let mut numbers = vec![1; NUMBERS + 2];
        numbers[NUMBERS + 1] = NONE;
        let agreed = heard(&numbers, &[5, NONE, 0, NONE], 0).unwrap().unwrap();
        assert_eq!((agreed.ranks, agreed.short), (vec![1], Some(5)));
        let error = heard(&numbers, &[NONE, 1, 0, NONE], 1).unwrap_err();
        assert_eq!(error, "process 1 of CTXT_B is not in ICTXT");
        let error = heard(&numbers, &[NONE, NONE, NONE, 0], 0).unwrap_err();
        assert_eq!(error, "CTXT_A = -1 on process 1 of ICTXT, which is in the grid of CTXT_A");
    }
}
