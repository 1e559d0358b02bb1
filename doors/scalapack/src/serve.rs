//! Serves a call, from its parameters to its end.

use crate::blacs;
use crate::call::Call;
use crate::check::check;
use crate::exchange::{Agreed, exchange};
use crate::fault::Fault;
use crate::kept;
use crate::moves::Move;
use crate::statistics;
use crate::told::Told;
use redist_mpi::{Communicator, CommunicatorRef};

/// Serves a routine. Collective over the processes of its context, which fail together.
///
/// # Safety
/// On processes of their grids, `a` and `b` are local arrays as the call's descriptors say. Nothing
/// else uses them until this returns.
pub(crate) unsafe fn serve(call: &Call, a: *const u8, b: *mut u8) -> Result<(), Fault> {
    statistics::note_call(call);
    if call.extents.contains(&0) {
        return Ok(());
    }
    let context = context(call)?;
    let told = Told::of(call, &context)?;
    let mut groups = kept::groups()?;
    let group = groups.of(&context)?;
    let common = group.common_bits(&told, &context)?;
    if let Some(plan) = group.found(common) {
        // SAFETY: the caller promises the descriptors' local arrays. The plan is that of these
        // descriptors, as all processes have found.
        return Ok(unsafe { plan.run(a, b) }?);
    }
    let sides = agreed(call, &told, &context)?;
    let bytes = bytes_of_each(&told, &context);
    let plan = Move::bind(&told, &sides, group.own(bytes, &context)?)?;
    statistics::note_plan();
    // SAFETY: the caller promises the descriptors' local arrays. The plan has just been made from
    // these descriptors.
    Ok(unsafe { group.keep(told, bytes, plan).run(a, b) }?)
}

fn context(call: &Call) -> Result<CommunicatorRef<'static>, Fault> {
    match call.context {
        None => Ok(redist_mpi::world()?),
        Some(context) if blacs::place(context)?.is_some() => blacs::communicator(context),
        Some(context) => Err(Fault::from(format!(
            "ICTXT = {context}: this process is in no such context; bring one whose grid has all \
             processes of A and of B, and call on those alone"
        ))),
    }
}

fn agreed(call: &Call, told: &Told, context: &Communicator) -> Result<[Agreed; 2], Fault> {
    let sides = exchange(call, told, context)?;
    check(call.extents, &sides)?;
    let [Some(a), Some(b)] = sides else { unreachable!("both are checked") };
    for (side, name) in ["A", "B"].into_iter().enumerate() {
        let Some(rank) = [&a, &b][side].short else { continue };
        // Each process has its own LLD, so only those at fault know more.
        return Err(match &told.sides[side] {
            Some(matrix) if matrix.is_short() => {
                let (lld, rows) = (matrix.lld(), matrix.rows());
                let here = context.rank();
                format!("LLD_{name} = {lld}: process {here} has {rows} rows of the matrix").into()
            }
            _ => Fault::elsewhere(format!("LLD_{name} is too small on process {rank}")),
        });
    }
    Ok([a, b])
}

/// Returns a process's bytes, on average.
fn bytes_of_each(told: &Told, context: &Communicator) -> u64 {
    let [m, n] = told.extents.map(|extent| extent as u64);
    (m * n).saturating_mul(told.width as u64) / context.size() as u64
}
