use redist_plan::plan::Side;

pub fn too_many_copied(which: Side, most: usize) -> String {
    format!("the copies of the {which} have more than {most} ranks in all; ask for fewer")
}

pub fn copies_too_high(which: Side) -> String {
    format!(
        "the copies of the {which} reach past rank 2^31 - 2, the highest of any communicator; ask for fewer, or use \
         lower ranks"
    )
}

pub fn copies_overlap(which: Side, rank: usize) -> String {
    format!(
        "rank {rank} is in two copies of the {which}: each copy's ranks are those of the copy before it, each higher \
         by the number of ranks of the grid; list ranks for which that is free"
    )
}

pub fn clause_of_one_plan(clause: &str) -> String {
    format!(
        "`{clause}` is about one plan, but between copies there is one for each copy of the destination; remove it, \
         or leave `copies` out"
    )
}
