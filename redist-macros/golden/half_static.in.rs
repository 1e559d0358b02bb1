pub struct HalfStatic(peer: Layout<2>): [f64; 60, 60] { from: (cyclic(6), cyclic(NB)) onto (2, 2), to: peer }
