/// Long blocks of kr→r, whose runs go to four ranks in turn.
pub struct Turns: [f64; 64000] { from: block onto 4, to: cyclic(8) onto 4 }
