pub(crate) struct Relabelled: [u8; 12] { from: gen_block([3, 4, 5]) onto 3, to: cyclic(2) onto 3, relabel: to }
