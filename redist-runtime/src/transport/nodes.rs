//! Nodes: ranks that share memory.

/// The nodes of the ranks of a communicator: the same on all of them.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// Number of each rank's node.
    of: Vec<usize>,
    /// Place of each rank among the ranks of its node.
    places: Vec<usize>,
    /// Ranks of each node, ascending.
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
        let mut places = Vec::with_capacity(of.len());
        for (rank, node) in of.iter().enumerate() {
            places.push(members[*node].len());
            members[*node].push(rank);
        }
        Self { of, places, members }
    }

    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// Returns the most ranks of a node.
    pub fn largest(&self) -> usize {
        self.members.iter().map(Vec::len).max().unwrap_or(0)
    }

    pub fn of(&self, rank: usize) -> usize {
        self.of[rank]
    }

    pub fn members(&self, node: usize) -> &[usize] {
        &self.members[node]
    }

    pub fn place(&self, rank: usize) -> usize {
        self.places[rank]
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
