//! Elements of every type move.

use num_complex::Complex;
use redist::transport::Route;
use redist::{Bound, Element, Error, Plain, Redistribution, Side, TypedPlan, threads};
use std::fmt::Debug;

/// Three numbers by `bytemuck`: five bytes, so no run is a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed)]
struct Sample(u8, f32);

// SAFETY: both fields are numbers, and a packed struct has no padding.
unsafe impl bytemuck::Zeroable for Sample {}
// SAFETY: both fields are numbers, and a packed struct has no padding.
unsafe impl bytemuck::Pod for Sample {}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Particle {
    place: [f64; 3],
    mass: f32,
    kind: char,
    charged: bool,
    rest: [u8; 7],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Colour<T>(T, [T; 2]);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(transparent)]
struct Field(Complex<f32>);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Packed {
    number: u64,
    is_even: bool,
}

const EXTENT: usize = 1003;

fn plan<T: Element>() -> TypedPlan<T, 1> {
    TypedPlan::parse([EXTENT], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3")
        .expect("two layouts")
}

fn held<T: Element>(side: Side, rank: usize, value: impl Fn(usize) -> T) -> Vec<T> {
    let descriptor = *plan::<T>().plan().descriptor(side);
    let mut local = vec![value(0); descriptor.local_len(rank)];
    for global in (0..EXTENT).filter(|global| descriptor.owner([*global]) == rank) {
        local[descriptor.local_offset([global])] = value(global);
    }
    local
}

fn moves<T: Element + Debug + PartialEq>(value: impl Fn(usize) -> T + Sync) {
    for route in [Route::Automatic, Route::Messages] {
        let moved = threads::run(3, |rank| {
            let mut bound: Bound<T, _> = plan().binder().route(route).bind(rank)?;
            let source = held(Side::Source, rank.rank(), &value);
            let expected = held(Side::Destination, rank.rank(), &value);
            for starts in [false, true] {
                let mut destination = vec![value(7); expected.len()];
                match starts {
                    false => bound.run(&source, &mut destination)?,
                    true => bound.start(&source, &mut destination)?.finish()?,
                }
                assert_eq!(destination, expected, "{route}, started: {starts}");
            }
            Ok::<_, Error>(())
        });
        moved.expect("no rank fails");
    }
}

#[test]
fn numbers_truth_values_and_characters() {
    moves(|global| global as u8);
    moves(|global| global as i128);
    moves(|global| global.is_multiple_of(3));
    moves(|global| char::from_u32(0xe000 + global as u32).expect("a private character"));
    moves(|global| [[global % 2 == 0, true, global > 500]; 3]);
}

#[test]
fn complex_numbers() {
    moves(|global| Complex::new(global as f32, -1.0));
    moves(|global| Complex::new(global as f64, 0.5));
    moves(|global| [Complex::new(global as i16, 1); 3]);
}

#[test]
fn numbers_of_16_bits() {
    moves(|global| half::f16::from_f32(global as f32));
    moves(|global| [half::bf16::from_f32(global as f32), half::bf16::ONE]);
}

#[test]
fn structs() {
    moves(|global| Particle {
        place: [global as f64, 0.5, -1.0],
        mass: global as f32,
        kind: if global.is_multiple_of(2) { 'é' } else { 'p' },
        charged: global.is_multiple_of(5),
        rest: [global as u8; 7],
    });
    moves(|global| Colour(global as u8, [1, 2]));
    moves(|global| Colour([global as u16; 2], [[3; 2]; 2]));
    moves(|global| Field(Complex::new(0.0, global as f32)));
    moves(|global| Packed { number: global as u64, is_even: global.is_multiple_of(2) });
}

#[test]
fn what_bytemuck_knows() {
    moves(|global| Plain(Sample(global as u8, global as f32)));
    moves(|global| [Plain([global as u64; 3]); 2]);
}

#[test]
fn slices_are_seen_as_plain_where_they_are() {
    let mut samples = [Sample(1, 1.0), Sample(2, 2.0)];
    let address = samples.as_ptr();
    assert_eq!(Plain::slice(&samples), [Plain(Sample(1, 1.0)), Plain(Sample(2, 2.0))]);
    assert_eq!(Plain::slice(&samples).as_ptr().cast(), address);
    let plain = Plain::slice_mut(&mut samples);
    plain[1] = Plain(Sample(3, 3.0));
    assert_eq!(Plain::inner(plain), [Sample(1, 1.0), Sample(3, 3.0)]);
    Plain::inner_mut(plain)[0] = Sample(4, 4.0);
    assert_eq!(samples, [Sample(4, 4.0), Sample(3, 3.0)]);
}

/// Threads compare the types themselves, not name, size and alignment.
#[test]
fn types_of_one_name_are_told_apart() {
    fn bind<T: Element>(rank: &threads::Rank) -> Result<(), Error> {
        let plan = TypedPlan::<T, 1>::parse([10], "block onto 2", "cyclic onto 2")?;
        plan.bind(rank).map(drop)
    }
    let binds = {
        #[derive(Clone, Copy, Element)]
        #[repr(transparent)]
        struct Unit(u32);
        bind::<Unit>
    };
    let binds_another = {
        #[derive(Clone, Copy, Element)]
        #[repr(transparent)]
        struct Unit(i32);
        bind::<Unit>
    };
    let told = threads::run(2, |rank| {
        let error = if rank.rank() == 0 { binds(rank) } else { binds_another(rank) };
        Ok::<_, Error>(error.expect_err("the types differ").to_string())
    });
    for error in told.expect("no rank fails") {
        assert!(error.contains("another type of the same name"), "{error}");
    }
}
