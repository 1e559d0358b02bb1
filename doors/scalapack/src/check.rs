//! Checks a call's parameters: the same result on all processes.

use crate::exchange::Agreed;

/// # Errors
/// The first wrong parameter, its value, and the reason.
pub(crate) fn check(extents: [i32; 2], sides: &[Option<Agreed>; 2]) -> Result<(), String> {
    for (name, extent) in ["M", "N"].into_iter().zip(extents) {
        if extent < 0 {
            return Err(format!("{name} = {extent} is negative"));
        }
    }
    for (name, side) in ["A", "B"].into_iter().zip(sides) {
        let Some(side) = side else {
            return Err(format!("CTXT_{name} is no context of a grid on any process of ICTXT"));
        };
        for (dimension, extent) in extents.into_iter().enumerate() {
            along(dimension, i64::from(extent), name, side)?;
        }
    }
    Ok(())
}

fn along(dimension: usize, moved: i64, name: &str, side: &Agreed) -> Result<(), String> {
    let [letter, index, row] = [["M", "I", "row"], ["N", "J", "column"]][dimension];
    let (block, ranks) = (side.blocks[dimension], side.grid[dimension]);
    let (extent, first) = (side.extents[dimension], side.first[dimension]);
    let source = side.source[dimension];
    if block < 1 {
        return Err(format!("{letter}B_{name} = {block}: a block has at least one {row}"));
    }
    if !(0..ranks).contains(&source) {
        let which = ["RSRC", "CSRC"][dimension];
        let reason = format!("the grid has {ranks} process {row}s, counted from 0");
        return Err(format!("{which}_{name} = {source}: {reason}"));
    }
    let last = first + moved - 1;
    if first < 1 || last > extent {
        let reason = format!("{row}s {first} to {last} are not in 1 to {letter}_{name} = {extent}");
        return Err(format!("{index}{name} = {first}, {letter} = {moved}: {reason}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 x 3 processes, 10 x 12 elements in blocks of 4 x 5, from (1, 1) on.
    fn good() -> Agreed {
        let (grid, extents, blocks, source, first) = ([2, 3], [10, 12], [4, 5], [1, 2], [1, 1]);
        Agreed { grid, extents, blocks, source, first, ranks: (0..6).collect(), short: None }
    }

    fn told(bad: Agreed) -> String {
        check([10, 12], &[Some(good()), Some(bad)]).unwrap_err()
    }

    #[test]
    fn what_is_wrong_is_named_with_its_value() {
        assert_eq!(check([10, 12], &[Some(good()), Some(good())]), Ok(()));
        let bad = Agreed { blocks: [0, 5], ..good() };
        assert_eq!(told(bad), "MB_B = 0: a block has at least one row");
        let bad = Agreed { source: [1, 3], ..good() };
        assert_eq!(told(bad), "CSRC_B = 3: the grid has 3 process columns, counted from 0");
        let bad = Agreed { source: [-1, 2], ..good() };
        assert_eq!(told(bad), "RSRC_B = -1: the grid has 2 process rows, counted from 0");
        let bad = Agreed { first: [2, 1], ..good() };
        assert_eq!(told(bad), "IB = 2, M = 10: rows 2 to 11 are not in 1 to M_B = 10");
        let bad = Agreed { first: [1, 0], ..good() };
        assert_eq!(told(bad), "JB = 0, N = 12: columns 0 to 11 are not in 1 to N_B = 12");
        let none = check([10, 12], &[None, Some(good())]).unwrap_err();
        assert_eq!(none, "CTXT_A is no context of a grid on any process of ICTXT");
        let negative = check([10, -1], &[Some(good()), Some(good())]).unwrap_err();
        assert_eq!(negative, "N = -1 is negative");
    }
}
