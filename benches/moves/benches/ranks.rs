//! Moves between MPI ranks by `redist` only; `benches/peers/run` measures it beside its peers.
//!
//! `mpiexec -n RANKS ranks --worker ROW`; `ranks --list [--on-nodes N]` names the rows.

use pico_args::Arguments;
use redist_measuring::Turns;
use redist_moves::peer::Ours;
use redist_moves::ranks::{Worker, tasks, with_world};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = Arguments::from_env();
    let Some(row) = arguments.opt_value_from_str("--worker")? else {
        let nodes: Option<usize> = arguments.opt_value_from_str("--on-nodes")?;
        let ranks = nodes.map_or(vec![2, 4, 8], |nodes| vec![nodes, 2 * nodes]);
        for task in ranks.into_iter().flat_map(|ranks| tasks(ranks, nodes.is_some())) {
            println!("{}\t{}", task.ranks, task.row);
        }
        return Ok(());
    };
    let turns = Turns::default().or_said(&mut arguments)?;
    let worker = Worker::from_arguments(row, turns, &mut arguments)?;
    with_world(|world| worker.work::<Ours>(world))
}
