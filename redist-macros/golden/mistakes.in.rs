pub struct Mistakes: [f64; 1000] { from: cylic(0) onto 3, to: cyclic(NB) onto 3 }
