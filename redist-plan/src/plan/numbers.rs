use super::digest::{FORMAT, MAP_FOLLOWS, ROWS_FOLLOW};
use super::{AnyPlan, Axis, Side};
use crate::layout::Ranks;

impl AnyPlan {
    /// Returns `8 + 12 D` numbers, and the lists of both sides. Equal plans have equal numbers.
    pub fn numbers(&self) -> Vec<u64> {
        let mut numbers = vec![FORMAT, self.dimensions() as u64];
        for (dimension, axis) in self.axes().iter().enumerate() {
            numbers.push(axis.len() as u64);
            of_side(&mut numbers, axis, Side::Source);
            of_side(&mut numbers, axis, Side::Destination);
            numbers.push(self.destination_axis(dimension) as u64);
        }
        for side in [Side::Source, Side::Destination] {
            let side = self.descriptor(side);
            match side.map() {
                Ranks::From(first) => numbers.push(first as u64),
                Ranks::Map(list) => {
                    numbers.push(MAP_FOLLOWS as u64);
                    numbers.extend(list.iter().map(|&rank| rank as u64));
                }
            }
            numbers.extend([side.rank_order() as u64, side.storage() as u64]);
        }
        numbers
    }
}

fn of_side(numbers: &mut Vec<u64>, axis: &Axis, side: Side) {
    let section = axis.side(side);
    let deal = section.deal();
    // No block of one size has 0 elements, so 0 says that as many sizes follow as there are ranks.
    let rows = deal.given_rows();
    let block = match deal.given_sizes() {
        Some(_) => 0,
        None if rows.is_some() => ROWS_FOLLOW,
        None => deal.block(),
    };
    let all = [deal.extent(), block, deal.ranks(), deal.first(), section.at()];
    numbers.extend(all.map(|number| number as u64));
    if let Some((lengths, turn, points)) = rows {
        numbers.extend([lengths.len(), turn, points].map(|number| number as u64));
    }
    let sizes = deal.given_sizes().or(rows.map(|(lengths, ..)| lengths));
    numbers.extend(sizes.into_iter().flatten().map(|&size| size as u64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn hashed(numbers: &[u64]) -> u64 {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .fold(0xcbf2_9ce4_8422_2325, |state, byte| {
                (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
    }

    fn numbers<const D: usize>(plan: &Plan<D>) -> Vec<u64> {
        AnyPlan::from(plan).numbers()
    }

    #[test]
    fn the_digest_is_a_hash_of_them() {
        let plan = Plan::parse(
            [10, 12, 9],
            "(cyclic(3), *, gen_block([4, 5])) onto (2, 2) storage fortran order col",
            "(*, gen_block([2, 0, 8]), cyclic(2)) onto (3, 2) first (1, 1) ranks 2..8 axes (1, 2, 0)",
        );
        let plan = plan.unwrap();
        assert_eq!(hashed(&numbers(&plan)), plan.digest().0);
        let mapped = Plan::<2>::parse(
            [10, 12],
            "(block, cyclic) onto (2, 2) ranks [3, 0, 5, 1]",
            "(block, *) onto 3 ranks [2, 1, 0]",
        );
        let mapped = mapped.unwrap();
        assert_eq!(hashed(&numbers(&mapped)), mapped.digest().0);
        let rows = Plan::<1>::parse(
            [12],
            "rows([2, 4, 4, 2], cyclic) onto 2",
            "rows([2, 4, 4, 2], block, points(2)) onto 4 first 1",
        );
        let rows = rows.unwrap();
        assert_eq!(hashed(&numbers(&rows)), rows.digest().0);
        assert_eq!(numbers(&rows).len(), 2 + 12 + 6 + 2 * (3 + 4));
        let line = Plan::parse([7], "block onto 3", "cyclic onto 2 of 9 at 2").unwrap();
        assert_eq!((hashed(&numbers(&line)), numbers(&line).len()), (line.digest().0, 2 + 12 + 6));
    }
}
