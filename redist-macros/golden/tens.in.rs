pub struct Tens(n: usize): [f32; n] { from: cyclic(10) onto 3, to: cyclic(4) onto 3 }
