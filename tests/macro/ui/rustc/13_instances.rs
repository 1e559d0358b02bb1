redist::redistribute! {
    pub struct G<const B: usize>: [f64; 1000] { from: cyclic(3 * B) onto 3, to: cyclic(B) onto 3 }
    pub struct At<const I: usize>: [f64; 100] { from: cyclic(4) onto 3 of 128 at I, to: block onto 3 }
    pub struct Short<const S: usize, const T: usize>: [f64; 10_000] {
        from: cyclic(S) onto 3,
        to: cyclic(T) onto 3,
        tables: 100,
    }
    pub struct Long<const S: usize>: [f64; 10_000_000] {
        from: cyclic(S) onto 3,
        to: cyclic(S + 1) onto 3,
        require: tables,
    }
}

fn main() {
    let _ = G::<0>::new();
    let _ = At::<28>::new();
    let _ = At::<29>::new();
    let _ = Short::<63, 64>::new();
    let _ = Long::<500>::new();
    let _ = Long::<600>::new();
}
