const NB: usize = 2;

redist::redistribute! {
    pub struct A: [String; 1000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    pub struct B<T>: [T; 1000] { from: cyclic(10) onto 3, to: cyclic(NB) onto 3 }
    pub struct C<T>(m: usize): [T; m] { from: cyclic(10) onto 3, to: cyclic(NB) onto 3 }
}

fn main() {}
