struct AllGather: [f64; 40, 6] { from: (block, *) onto 4, to: (*, *) copies 4 }
struct Late<const K: usize>(ranks: usize): [f64; 40, 6] { from: (block, *) onto ranks copies K, to: (*, *) copies ranks }
