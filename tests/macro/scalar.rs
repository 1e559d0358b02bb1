//! An array without dimensions, as an item.

use redist::{Error, Plan, Redistribution, Side, WithCopies, redistribute, threads};

redistribute! {
    struct Scalar: [u32;] { from: () ranks 1..2, to: () }
    struct Everywhere: [u32;] { from: () ranks 1..2, to: () copies 3 }
}

#[test]
fn its_element_moves() {
    assert_eq!(Scalar::new().plan(), Plan::parse([], "() ranks 1..2", "()").unwrap());
    threads::run(3, |rank| {
        let own = rank.rank() == 1;
        let mut bound = Scalar::new().bind(rank)?;
        let (source, mut found) =
            (vec![7; usize::from(own)], vec![0; bound.local_len(Side::Destination)]);
        bound.run(&source, &mut found)?;
        assert_eq!(found, if rank.rank() == 0 { vec![7] } else { vec![] });
        let mut all = [0];
        Everywhere::new().bind(rank)?.run(&source, &mut all)?;
        assert_eq!(all, [7]);
        Ok::<_, Error>(())
    })
    .unwrap();
}
