/// Short blocks of r→kr to long ones.
pub struct Rk: [f64; 1003] { from: cyclic(2) onto 3, to: cyclic(10) onto 3 }
