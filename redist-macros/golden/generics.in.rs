pub struct Generics<T: redist::Element, const B: usize>: [T; 1000] { from: cyclic(B) onto 3, to: gen_block([B, 1000 - B]) onto 2 }
