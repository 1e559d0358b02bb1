//! Writes the tests: random redistributions, each as items of every tier.
//!
//! `REDIST_TEST_SEED` draws others: 20, 60 by `REDIST_TEST_ALL=1`, or `REDIST_EQUIVALENCE_CASES`.

mod case;
mod item;
mod notation;
mod random;
mod speller;

use case::Case;
use item::{Item, Kind};
use random::Random;
use std::path::PathBuf;
use std::{env, fs};

const ELEMENTS: [(&str, &str); 4] = [
    ("u16", "|count| count as u16"),
    ("f32", "|count| count as f32"),
    ("u64", "|count| count as u64"),
    ("[f64; 3]", "|count| [count as f64, -1.0, 0.5]"),
];

const KINDS: [(Kind, usize); 7] = [
    (Kind::Literals, 1),
    (Kind::Constants, 1),
    (Kind::Parameters, 1),
    (Kind::Generics, 2),
    (Kind::Half, 2),
    (Kind::Values, 3),
    (Kind::Any, 4),
];

fn main() {
    println!("cargo:rerun-if-changed=build");
    let seed = number("REDIST_TEST_SEED", 1);
    let all = number("REDIST_TEST_ALL", 0) == 1;
    let cases = number("REDIST_EQUIVALENCE_CASES", if all { 60 } else { 20 });
    let mut counts = [0; KINDS.len()];
    let mut text = format!("const SEED: u64 = {seed};\n");
    for number in 0..cases {
        // A case depends only on its own number and the seed, so one can be debugged without the
        // others.
        let mut random = Random::new(seed.wrapping_mul(1_000_003) + number);
        text += &module(&mut random, number as usize, &mut counts);
    }
    let kinds: Vec<String> = KINDS
        .iter()
        .zip(counts)
        .map(|((kind, _), count)| format!("(\"{kind:?}\", {count})"))
        .collect();
    text += &format!(
        "const CASES: usize = {cases};\nconst ITEMS: [(&str, usize); {}] = [{}];\n",
        kinds.len(),
        kinds.join(", ")
    );
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo says where to write"));
    fs::write(out.join("cases.rs"), text).expect("cargo's folder can be written to");
}

fn number(variable: &str, default: u64) -> u64 {
    println!("cargo:rerun-if-env-changed={variable}");
    env::var(variable).map_or(default, |text| text.parse().expect("a number is wanted"))
}

fn module(random: &mut Random, number: usize, counts: &mut [usize]) -> String {
    let dimensions = [1, 1, 2, 2, 3][number % 5];
    let case = Case::random(random, dimensions);
    let (element, counted) = random.pick(&ELEMENTS);
    let (mut items, mut plans) = (String::new(), String::new());
    for ((kind, times), count) in KINDS.into_iter().zip(counts) {
        if !random.one_in(times) {
            continue;
        }
        *count += 1;
        let item = Item::new(random, &case, kind);
        let plan = place(random, &item, kind, &mut items);
        let tier =
            item.tier.map_or("None".into(), |tier| format!("Some(redist::exec::Tier::{tier})"));
        plans += &format!("(&{plan}, {tier}),\n");
    }
    let notation = |side| notation::layout(side, &mut notation::literal);
    format!(
        "mod case_{number} {{\n\
         use redist::Layout;\n\
         type Element = {element};\n\
         const FROM: &str = {:?};\nconst TO: &str = {:?};\n\
         {items}\n#[test]\nfn case_{number}() {{\n\
         redist_equivalence::check({:?}, [FROM, TO], {counted}, &[\n{plans}]);\n}}\n}}\n",
        notation(&case.from),
        notation(&case.to),
        case.extents,
    )
}

fn place(random: &mut Random, item: &Item, kind: Kind, items: &mut String) -> String {
    let Item { declarations, text, new, .. } = item;
    if random.one_in(2) {
        return format!("{{\n{declarations}redist::redistribute! {{ {text} }}\n{new}\n}}");
    }
    let module = format!("{kind:?}").to_lowercase();
    *items += &format!("mod {module} {{\nuse super::{{Element, Layout}};\n");
    *items += &format!("{declarations}redist::redistribute! {{ pub(super) {text} }}\n}}\n");
    format!("{module}::{new}")
}
