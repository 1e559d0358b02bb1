pub struct Mapped: [u8; 24] { from: cyclic(3) onto 3 ranks [3, 1, 4], to: cyclic(5) onto 2 ranks [NB, 1] }
pub struct Relabelled: [u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4, relabel: to }
