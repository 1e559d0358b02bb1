redist::redistribute! {
    pub struct A: [f64; 100] { from: block onto 4 copies 0, to: * copies 4 storage c copies 2 }
    pub struct B: [f64; 100] { from: block onto 4 ranks [0, 1, 4, 2] copies 2, to: * copies }
    pub struct C: [f64; 100] {
        from: block onto 4,
        to: * copies 2097152,
        require: messages <= 3, static,
        unroll: 8,
        tables: 64,
        relabel: to,
    }
    pub struct D(copies: f64): [f64; 100] { from: block onto 4, to: * copies "two" }
    pub struct E: [f64; 100] { from: block onto 4 ranks 2147483640.., to: * ranks 2147483646.. copies (1 + 1) }
}

fn main() {
    // The mistake is reported once: the rest has the interface that it would have.
    let _ = redist::WithCopies::explain(&C::new());
}
