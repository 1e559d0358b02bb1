//! Arrays of the laws: each element names its place.

use redist::threads::Rank;
use redist::transport::Route;
use redist::{Error, Redistribution, Side, TypedPlan};
use redist_testing::strategies::Case;

pub type Tag = [u32; 2];

pub const UNTOUCHED: Tag = [u32::MAX; 2];

pub const ROUTES: [Route; 2] = [Route::Automatic, Route::Messages];

pub fn tagged<const D: usize>(case: &Case<D>, rank: usize) -> Vec<Tag> {
    let len = case.plan().descriptor(Side::Source).local_len(rank);
    (0..len).map(|offset| [rank as u32, offset as u32]).collect()
}

pub fn untouched<const D: usize>(case: &Case<D>, rank: usize) -> Vec<Tag> {
    vec![UNTOUCHED; case.plan().descriptor(Side::Destination).local_len(rank)]
}

pub fn moved<const D: usize>(
    case: &Case<D>,
    (rank, route): (&Rank, Route),
    source: &[Tag],
) -> Result<Vec<Tag>, Error> {
    let mut destination = untouched(case, rank.rank());
    moves_into(case, (rank, route), source, &mut destination)?;
    Ok(destination)
}

pub fn moves_into<const D: usize>(
    case: &Case<D>,
    (rank, route): (&Rank, Route),
    source: &[Tag],
    destination: &mut [Tag],
) -> Result<(), Error> {
    let plan = TypedPlan::<Tag, D>::from(case.plan());
    plan.binder().route(route).bind(rank)?.run(source, destination)
}

macro_rules! for_dimensions {
    ($config:expr, $name:ident, $strategy:ident, $check:ident, $ranks:literal) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config($config)]

                #[test]
                fn one_dimension(case in $strategy::<1>($ranks)) {
                    $check(case)?;
                }

                #[test]
                fn two_dimensions(case in $strategy::<2>($ranks)) {
                    $check(case)?;
                }

                #[test]
                fn three_dimensions(case in $strategy::<3>($ranks)) {
                    $check(case)?;
                }

                #[test]
                fn four_dimensions(case in $strategy::<4>($ranks)) {
                    $check(case)?;
                }
            }
        }
    };
}
pub(crate) use for_dimensions;
