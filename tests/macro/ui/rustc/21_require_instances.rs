redist::redistribute! {
    pub struct Panels<const B: usize>: [f64; 1000] {
        from: cyclic(B) onto 9,
        to: cyclic(10 * B) onto 9,
        require: static, messages <= 5,
    }
    pub struct Room<T: redist::Element>: [T; 1003] {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto 3,
        require: memory <= 10 KiB,
    }
    pub struct Turns<T: redist::Element>(n: usize): [T; n] {
        from: cyclic(60) onto 2,
        to: cyclic(15) onto 2,
        require: unrolled,
    }
}

fn main() {
    let _ = Panels::<1000>::new();
    let _ = Panels::<2>::new();
    let _ = Room::<f32>::new();
    let _ = Room::<f64>::new();
    let _ = Turns::<u8>::new(1000);
    let _ = Turns::<f64>::new(1000);
}
