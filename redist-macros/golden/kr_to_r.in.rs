/// Panels to tiles.
#[derive(Clone, Copy, Debug)]
pub struct Kr: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
