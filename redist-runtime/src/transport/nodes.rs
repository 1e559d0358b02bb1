//! Nodes: ranks that share memory.

/// The nodes of the ranks of a communicator: the same on all of them.
#[derive(Clone, Debug)]
pub struct Nodes {
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
}

impl Nodes {
    /// The nodes from the lowest rank of each rank's node.
    pub fn new(lowest: &[u64]) -> Self {
        let mut first: Vec<u64> = lowest.to_vec();
        first.sort_unstable();
        first.dedup();
        let of: Vec<usize> =
            lowest.iter().map(|rank| first.binary_search(rank).unwrap_or_default()).collect();
        let mut members = vec![Vec::new(); first.len()];
        of.iter().enumerate().for_each(|(rank, node)| members[*node].push(rank));
        Self { of, members }
    }

    pub fn count(&self) -> usize {
        self.members.len()
    }

    pub fn of(&self, rank: usize) -> usize {
        self.of[rank]
    }

    pub fn members(&self, node: usize) -> &[usize] {
        &self.members[node]
    }

    pub fn place(&self, rank: usize) -> usize {
        let members = self.members(self.of(rank));
        members.binary_search(&rank).expect("a rank is of its node")
    }

    pub fn ranks(&self) -> usize {
        self.of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_sorted_by_node() {
        let nodes = Nodes::new(&[0, 1, 0, 3, 1]);
        let members: Vec<&[usize]> = (0..nodes.count()).map(|node| nodes.members(node)).collect();
        assert_eq!(members, [&[0, 2][..], &[1, 4], &[3]]);
        assert_eq!((nodes.of(4), nodes.place(4), nodes.place(3), nodes.ranks()), (1, 1, 0, 5));
    }
}
