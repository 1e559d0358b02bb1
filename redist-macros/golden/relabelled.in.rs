pub struct Relabelled: [u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4, relabel: to }
