//! Files are the same after they were converted there and back.

use super::dealing::DealtLayout;
use super::stored::{Elements, npy_header, path, write};
use super::{folder, names};
use crate::cli::process::redist;
use fastrand::Rng;
use redist_testing::drawn;
use std::fs;
use std::path::Path;

const TYPES: [(&str, usize, &str); 6] = [
    ("u8", 1, "|u1"),
    ("i16", 2, "<i2"),
    ("f32", 4, "<f4"),
    ("f64", 8, "<f8"),
    ("[f32; 3]", 12, "|V12"),
    ("Complex<f64>", 16, "<c16"),
];

const FORMS: [&str; 4] = ["part.{rank}.bin", "part.{rank}.npy", "whole.npy", "whole.bin"];

fn extents(random: &mut Rng) -> Vec<usize> {
    let axes = random.usize(1..=3);
    let longest = [9000, 130, 24][axes - 1];
    (0..axes).map(|_| if random.u8(0..20) == 0 { 0 } else { random.usize(1..=longest) }).collect()
}

fn seen_as(layout: DealtLayout, extents: &[usize], form: &str) -> DealtLayout {
    if form.contains("{rank}") { layout } else { DealtLayout::whole(extents, layout.fortran) }
}

fn one(random: &mut Rng, root: &Path) {
    let extents = extents(random);
    let (name, width, dtype) = TYPES[random.usize(0..TYPES.len())];
    let elements = Elements { extents: extents.clone(), width };
    let mut axes: Vec<usize> = (0..extents.len()).collect();
    if random.bool() {
        random.shuffle(&mut axes);
    }
    let mut permuted = vec![0; extents.len()];
    axes.iter().zip(&extents).for_each(|(axis, extent)| permuted[*axis] = *extent);
    let [from, to] = [0, 1].map(|_| FORMS[random.usize(0..FORMS.len())]);
    let (source, destination) =
        (DealtLayout::random(&extents, random), DealtLayout::random(&permuted, random));
    let list =
        |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let text = format!(
        "[{name}; {}] {{ from: {}, to: {} axes ({}) }}",
        list(&extents),
        source.words(),
        destination.words(),
        list(&axes)
    );
    let (source, destination) =
        (seen_as(source, &extents, from), seen_as(destination, &permuted, to));
    let [input, output] = ["in", "out"].map(|name| root.join(name));
    for folder in [&input, &output] {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
    }
    write(&input, from, (&elements, &source), dtype);
    let [given, made] = [input.join(from), output.join(to)];
    let threads = random.u8(1..=3).to_string();
    let run = redist(&[
        "convert",
        &text,
        "--in",
        given.to_str().unwrap(),
        "--out",
        made.to_str().unwrap(),
        "--memory",
        ["64KiB", "1MiB"][random.usize(0..2)],
        "--threads",
        &threads,
        "--check",
        "--no-sync",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{text}");
    let arrays = elements.local_arrays(&destination, &axes);
    assert_eq!(names(&output).len(), arrays.len(), "{text}");
    for (rank, extents, bytes) in arrays {
        let found = fs::read(path(&output, to, rank)).unwrap();
        let fortran = destination.fortran && extents.len() > 1;
        // Files without headers have the array's type.
        let header =
            if to.ends_with(".npy") { npy_header(dtype, fortran, &extents) } else { Vec::new() };
        assert!(found == [header, bytes].concat(), "{text}: {from} to {to}: rank {rank}");
    }
}

// feature: arrays in files, to other layouts = `redist convert`
#[test]
fn random_layouts_and_forms() {
    let (mut random, root) = (Rng::with_seed(drawn::seed()), folder("random"));
    eprintln!("cases are drawn from REDIST_TEST_SEED={}", drawn::seed());
    for _ in 0..drawn::some(120) {
        one(&mut random, &root);
    }
}

#[test]
fn a_section_of_the_source() {
    let whole = Elements { extents: vec![60, 40], width: 8 };
    let mut random = Rng::with_seed(3);
    for _ in 0..10 {
        let source = DealtLayout::random(&whole.extents, &mut random);
        let root = folder("section");
        write(&root, "in.{rank}", (&whole, &source), "<f8");
        let text = format!(
            "[f64; 31, 17] {{ from: {} of (60, 40) at (5, 20), to: (*, *) }}",
            source.words()
        );
        let [from, to] = ["in.{rank}", "section.npy"].map(|name| root.join(name));
        let run = redist(&[
            "convert",
            &text,
            "--in",
            from.to_str().unwrap(),
            "--out",
            to.to_str().unwrap(),
            "--check",
            "--force",
        ]);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{text}");
        let all = whole.local_arrays(&DealtLayout::whole(&whole.extents, false), &[0, 1]);
        let row = |row: usize| all[0].2[(row * 40 + 20) * 8..][..17 * 8].to_vec();
        let wanted: Vec<u8> = (5..36).flat_map(row).collect();
        let found = fs::read(&to).unwrap();
        assert!(found == [npy_header("<f8", false, &[31, 17]), wanted].concat(), "{text}");
    }
}
