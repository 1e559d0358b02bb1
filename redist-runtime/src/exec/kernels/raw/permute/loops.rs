//! The loops over outputs, periods and inputs, for vectors of any kind.

/// Defines `functions` of a module, which provides, for its kind of vector and with the
/// instructions named here:
///
/// - `Vector`, and `zero`, one whose lanes do not matter;
/// - `TakenLanes`, which lanes of an input go where, and `taken`, which reads it from a table;
/// - `WrittenLanes`, which lanes of an output are written, and `written`, which finds it from a
///   mask;
/// - `load`, for whole vectors, or, at an edge, for the lanes of a mask only;
/// - `add`, which puts lanes of an input into an output;
/// - `store`, for the lanes that are written.
macro_rules! loops {
    ($features:literal) => {
        loops!($features, 1 2 3 4 5 6 7 8 9 10);
    };
    ($features:literal, $($each:literal)*) => {
        /// The functions of a direction, for inputs that are equally far from the next period's, or
        /// not, and a way to reach memory.
        pub(super) fn functions(packs: bool, even: bool, memory: Memory) -> &'static Functions {
            const PACK: Functions = of::<true, false, false>();
            const UNPACK_EVEN: Functions = of::<true, false, true>();
            const UNPACK: Functions = of::<false, false, true>();
            const FETCH_EVEN: Functions = of::<true, true, true>();
            const FETCH: Functions = of::<false, true, true>();
            match (packs, even, memory) {
                (true, _, Memory::Cached) => &PACK,
                (false, true, Memory::Cached) => &UNPACK_EVEN,
                (false, false, Memory::Cached) => &UNPACK,
                (_, true, _) => &FETCH_EVEN,
                (_, false, _) => &FETCH,
            }
        }

        const fn of<const EVEN: bool, const READS: bool, const WRITES: bool>() -> Functions {
            Functions {
                edge: [$(run::<$each, 1, true, false, false, true>),*],
                inner: [$(run::<$each, PERIODS_TOGETHER, EVEN, READS, WRITES, false>),*],
            }
        }

        /// `EVEN` if all inputs have one stride; `READS` and `WRITES` if what is read and written
        /// in the next periods is prefetched; `EDGE` if whole vectors may reach past the end.
        ///
        /// # Safety
        /// As [`PermuteFn`](super::PermuteFn); the processor has the vectors of this module.
        #[target_feature(enable = $features)]
        unsafe fn run<
            const EACH: usize,
            const PERIODS: usize,
            const EVEN: bool,
            const READS: bool,
            const WRITES: bool,
            const EDGE: bool,
        >(
            group: OutputGroup<'_>,
            sides: &Sides<'_>,
        ) {
            let (inputs, lanes) = (group.inputs.as_chunks::<EACH>().0, group.lanes.as_chunks::<EACH>().0);
            for ((output, inputs), lanes) in group.outputs.iter().zip(inputs).zip(lanes) {
                let lanes: [TakenLanes; EACH] = from_fn(|each| taken(&lanes[each]));
                let (mut from, mut steps) = ([ptr::null(); EACH], [0; EACH]);
                for (each, Input { place, .. }) in inputs.iter().enumerate() {
                    // SAFETY: inputs have places of peers of the pattern, or of the local array, which
                    // is number 0 alone; `sides` has a base and a step for each of them.
                    unsafe {
                        from[each] = sides.from.get_unchecked(place.peer as usize).wrapping_add(place.at as usize);
                        steps[each] = *sides.from_steps.get_unchecked(place.peer as usize);
                    }
                }
                let (VectorPlace { peer, at }, lanes_written) = (output.place, written(output.mask));
                // SAFETY: outputs have places of peers of the pattern, or of the local array, which is
                // number 0 alone; `sides` has a base and a step for each of them.
                let (mut to, step) = unsafe {
                    (
                        sides.to.get_unchecked(peer as usize).wrapping_add(at as usize),
                        *sides.to_steps.get_unchecked(peer as usize),
                    )
                };
                for period in 0..PERIODS {
                    let mut vector = zero();
                    for each in 0..EACH {
                        let step = if EVEN { steps[0] } else { steps[each] };
                        let at = from[each].wrapping_add(period * step);
                        if READS && EACH <= MAX_FETCHED_INPUTS {
                            fetch_to_read(at.wrapping_add(PERIODS * step));
                        }
                        // SAFETY: in each of `PERIODS` periods the caller vouches for this vector, or,
                        // at an edge, for its lanes in the mask.
                        let loaded = unsafe { load::<EDGE>(at, inputs[each].mask) };
                        vector = add(vector, &lanes[each], loaded, each == 0);
                    }
                    // SAFETY: in each of `PERIODS` periods the caller vouches for this output's lanes in
                    // its mask, which `written` has made `lanes_written` from.
                    unsafe { store(to, &lanes_written, vector) };
                    if WRITES {
                        fetch_to_write(to.wrapping_add(PERIODS * step));
                    }
                    to = to.wrapping_add(step);
                }
            }
        }
    };
}
pub(super) use loops;
