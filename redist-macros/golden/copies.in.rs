struct AllGather: [f64; 40, 6] { from: (block, *) onto 4, to: (*, *) copies 4 }
