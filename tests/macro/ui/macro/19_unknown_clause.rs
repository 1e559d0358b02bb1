redist::redistribute! {
    pub struct A: [f64; 1000] { form: cyclic(4) onto 3, to: cyclic(2) onto 3, table: 100, inline: always }
}

fn main() {}
