//! Collective calls.

use crate::play::Fallible;
use redist_mpi::{Communicator, Operation};
use std::fmt::Debug;

pub fn barrier(world: &Communicator) -> Fallible {
    world.barrier()
}

pub fn bcast(world: &Communicator) -> Fallible {
    let root = world.size() - 1;
    let mut words = if world.rank() == root { [3_i16, -4, 5] } else { [0; 3] };
    world.bcast(root, &mut words)?;
    assert_eq!(words, [3, -4, 5]);
    Ok(())
}

/// Returns the sum of a number over all ranks, and the type's largest and smallest values.
fn reduced<T>(world: &Communicator, one: T, ends: [T; 2], of_size: impl Fn(usize) -> T) -> Fallible
where
    T: redist_mpi::Element + PartialEq + Debug,
{
    let mut sum = [ends[0]];
    world.allreduce(&[one], &mut sum, Operation::Sum)?;
    assert_eq!(sum, [of_size(world.size())]);
    let mine = if world.rank() == 0 { ends } else { [one; 2] };
    let (mut least, mut most) = ([one; 2], [one; 2]);
    world.allreduce(&mine, &mut least, Operation::Min)?;
    world.allreduce(&mine, &mut most, Operation::Max)?;
    assert_eq!((least[0], most[1]), (ends[0], ends[1]));
    Ok(())
}

pub fn allreduce(world: &Communicator) -> Fallible {
    macro_rules! integers {
        ($($type:ty)*) => {
            $(reduced::<$type>(world, 1, [<$type>::MIN, <$type>::MAX >> 1], |size| size as $type)?;)*
        };
    }
    integers! { i8 i16 i32 i64 u8 u16 u32 u64 }
    reduced::<f32>(world, 1.0, [f32::MIN, f32::MAX], |size| size as f32)?;
    reduced::<f64>(world, 1.0, [f64::MIN, f64::MAX], |size| size as f64)
}

pub fn operations(world: &Communicator) -> Fallible {
    let (rank, size) = (world.rank() as u32, world.size() as u32);
    let expected = |fold: fn(u32, u32) -> u32| (0..size).map(|rank| rank + 2).reduce(fold).unwrap();
    let all: [(Operation, u32); 9] = [
        (Operation::Max, expected(u32::max)),
        (Operation::Min, expected(u32::min)),
        (Operation::Sum, expected(|one, other| one + other)),
        (Operation::Product, expected(|one, other| one * other)),
        (Operation::LogicalAnd, 1),
        (Operation::LogicalOr, 1),
        (Operation::BitAnd, expected(|one, other| one & other)),
        (Operation::BitOr, expected(|one, other| one | other)),
        (Operation::BitXor, expected(|one, other| one ^ other)),
    ];
    for (operation, expected) in all {
        let mut result = [77];
        world.allreduce(&[rank + 2], &mut result, operation)?;
        let is_logical = matches!(operation, Operation::LogicalAnd | Operation::LogicalOr);
        let expected = if is_logical && size == 1 { result[0] } else { expected };
        assert_eq!(result, [expected], "{operation:?}");
    }
    Ok(())
}

pub fn iallreduce(world: &Communicator) -> Fallible {
    let (mine, mut most) = ([world.rank() as u64, 9], [0_u64; 2]);
    // SAFETY: both are left alone until the request is complete, below.
    let mut request =
        unsafe { world.iallreduce(mine.as_ptr(), most.as_mut_ptr(), 2, Operation::Max) }?;
    request.wait()?;
    assert!(!request.is_live());
    assert_eq!(most, [world.size() as u64 - 1, 9]);
    Ok(())
}

/// An empty list of bytes begins at 1, which is `MPI_IN_PLACE` in two interfaces.
pub fn nothing(world: &Communicator) -> Fallible {
    world.bcast::<u8>(0, &mut [])?;
    world.allreduce::<u8>(&[], &mut [], Operation::Sum)
}
