//! Plans of dimensions that a side sees as arrays of factors.

use redist::{Plan, Side};

#[test]
fn blocks_that_fit_are_blocks_of_one_size() {
    let digest = |from: &str| Plan::<1>::parse([3072], from, "cyclic(5) onto 3").unwrap().digest();
    for (split, plain) in [
        ("split([12, 256], block, *) onto 4", "block onto 4"),
        ("split([12, 256], block, *) onto 5", "block(768) onto 5"),
        ("split([12, 256], *, cyclic(64)) onto 4", "cyclic(64) onto 4"),
        ("split([12, 256], *, block) onto 4 first 2", "cyclic(64) onto 4 first 2"),
        ("split([3072], block balanced) onto 5", "block balanced onto 5"),
        ("split([12, 256], cyclic(2), *) onto 4", "cyclic(512) onto 4"),
        ("split([3, 4, 256], *, *, *) onto 1", "block onto 1"),
        ("split([1, 3072], *, cyclic(7)) onto 4", "cyclic(7) onto 4"),
    ] {
        assert_eq!(digest(split), digest(plain), "{split}");
    }
    assert_ne!(digest("split([12, 256], *, block) onto 3"), digest("cyclic(86) onto 3"));
}

#[test]
fn a_plan_splits_a_dimension() {
    let from = "block onto 5";
    let to = "split([4, 6, 3], cyclic onto 2, block balanced onto 4, *) onto 8";
    let plan = Plan::<1>::parse([72], from, to).unwrap();
    let mut volumes = [[0; 8]; 5];
    for index in 0..72 {
        let (row, column) = (index / 18 % 2, [0, 0, 1, 1, 2, 3][index / 3 % 6]);
        volumes[index / 15][row * 4 + column] += 1;
    }
    for (from, volumes) in volumes.iter().enumerate() {
        for (to, volume) in volumes.iter().enumerate() {
            assert_eq!(plan.volume(from, to), *volume, "{from} {to}");
        }
    }
    let back = plan.inverse();
    assert_eq!((back.volume(3, 1), back.inverse()), (plan.volume(1, 3), plan));
    let written = plan.descriptor(Side::Destination).layout().to_string();
    assert_eq!(written, to);
    let words = plan.in_words().to_string();
    assert!(words.contains("split([4, 6, 3], cyclic onto 2, block balanced onto 4, *)"), "{words}");
}

#[test]
fn factors_that_do_not_fit_say_why() {
    let error = |split: &str| Plan::<1>::parse([72], split, "*").unwrap_err().to_string();
    for (split, words) in [
        ("split([4, 6], *, block) onto 2", "hold 24 elements, 48 less than the extent 72"),
        ("split([4, 18], block onto 2, block onto 3) onto 5", "are on 6 ranks, but the grid has 5"),
        ("split([4, 18], block, block) onto 4", "factor 1 of `split` is the second one without"),
        ("split([4, 18], * onto 2, block) onto 4", "factor 0 of `split` is `*`, but on 2 ranks"),
        ("split([4, 18], block(1), *) onto 3", "block(1) on 3 ranks holds 3 elements"),
        ("split([4, 18], *, gen_block([9, 9])) onto 2", "factor 1 of `split` has a list"),
        ("split([4, 18], *) onto 2", "`split` lists 2 factors, but 1 distribution"),
        ("split([72], *, block) onto 2", "`split` lists 1 factor; leave out this further"),
        ("split(4, *) onto 2", "as in `split([2, 4096], *, block)`"),
    ] {
        assert!(error(split).contains(words), "{split}: {}", error(split));
    }
}

/// A section is given in elements of the whole dimension: its extents are the product of the factors'.
#[test]
fn a_section_of_a_dimension_of_factors() {
    let from = "split([4, 6], block onto 2, cyclic onto 3) onto 6 of [24] at [5]";
    let plan = Plan::<1>::parse([13], from, "block onto 2").unwrap();
    let mut volumes = [[0; 2]; 6];
    for moved in 0..13 {
        let stored = moved + 5;
        volumes[stored / 12 * 3 + stored % 6 % 3][moved / 7] += 1;
    }
    for (from, volumes) in volumes.iter().enumerate() {
        for (to, volume) in volumes.iter().enumerate() {
            assert_eq!(plan.volume(from, to), *volume, "{from} {to}");
        }
    }
    let error = |from: &str| Plan::<1>::parse([13], from, "*").unwrap_err().to_string();
    let told = error("split([4, 6], block, *) onto 2 of [4, 6] at [1, 2]");
    assert!(told.contains("`of` takes 1 number, found 2; a `split` is one dimension"), "{told}");
    let told = error("split([4, 6], block, *) onto 2 of [24] at [1, 2]");
    assert!(told.contains("`at` takes 1 number, found 2; a `split` is one dimension"), "{told}");
    let told = error("block onto 2 of [4, 6]");
    assert!(told.contains("`of` takes 1 number, found 2") && !told.contains("split` is"), "{told}");
    let told = error("split([4, 6], block, *) onto 2 of [24] at [12]");
    assert!(told.contains("12") && told.contains("24"), "{told}");
}
