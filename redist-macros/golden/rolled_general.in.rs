/// Blocks of which neither size divides the other one, and whose period is long.
pub struct Walk: [f64; 52320] { from: cyclic(30) onto 4, to: cyclic(654) onto 4 }
