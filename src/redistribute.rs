//! The macro `redistribute!` and its grammar.

/// Plans, while the crate compiles, how an array is moved from one block-cyclic layout to another.
///
/// ```
/// use redist::{Redistribution, redistribute};
///
/// redistribute! {
///     /// LU panels to QR tiles.
///     pub struct LuToQr: [f64; 100, 90] {
///         from: (cyclic(16), cyclic(16)) onto (2, 3) first (1, 2),
///         to:   (cyclic(8), cyclic(12)) onto (3, 2),
///     }
/// }
///
/// let plan = LuToQr::new();
/// assert_eq!(plan.plan().ranks(), 6);
/// ```
///
/// Each item declares a type with a function `new` that makes the plan;
/// [`Redistribution`](crate::Redistribution) has its other functions. A call holds any number of
/// items. Mistakes are reported all at once, each at its token.
///
/// # Grammar
///
/// ```ebnf
/// call   = { item } ;
/// item   = {attr} [vis] "struct" IDENT [generics] [params] ":" "[" type ";" size {"," size} "]" [where]
///          "{" clause {"," clause} [","] "}" ;
/// params = "(" IDENT ":" ("usize" | "Layout<" INT ">") {"," ...} ")" ;
/// clause = ("from" | "to") ":" side | "require" ":" demand {"," demand}
///        | "unroll" ":" INT | "tables" ":" INT | "relabel" ":" "to" ;
/// demand = "tables" | "static" | "unrolled" | "messages" "<=" INT | "steps" "<=" INT
///        | "stays" ">=" INT "%" | "memory" "<=" INT ["B" | "KiB" | "MiB" | "GiB"] ;
/// side   = layout | expr ;
/// layout = ("(" dist {"," dist} ")" | dist) "onto" sizes {mod}
///        | "scalapack" "(" MB, NB, P, Q [, RSRC, CSRC] ")" {mod} ;
/// dist   = "*" | "block" ["(" size ")" | "balanced" ["last"]] | "cyclic" ["(" size ")"] | "gen_block" "(" lengths ")"
///        | "split" "(" lengths {"," dist ["onto" size]} ")" | "blocks" "(" lengths "," lengths ")"
///        | "rows" "(" lengths "," ( "block" | "cyclic" ["(" size ")"] ) ["," "points" "(" size ")"] ")" | "points" "(" lengths ")" ;
/// lengths = "[" size ["x" count] {"," size ["x" count]} "]" ;
/// mod    = "first" sizes | "ranks" (range | "[" size {"," size} "]") | "order" ("row" | "col") | "storage" ("c" | "fortran")
///        | "of" sizes | "at" sizes | "transposed" | "axes" sizes | "copies" size ["along" axis] ;
/// sizes  = size | "(" size {"," size} ")" | "[" size {"," size} "]" ;
/// size   = expr ;
/// ```
///
/// Letter case is free in distributions, modifiers and orders. Modifiers (`onto` is one) come in
/// any order, each at most once. A word for a size is a name: the constant `RANKS` in `onto RANKS`.
///
/// # Clauses
///
/// | clause | meaning | default |
/// |---|---|---|
/// | `from` | the layout that the array has | |
/// | `to` | the layout that it gets | |
/// | `require` | demands whose violation is an error: see [demands](#demands) | no demand |
/// | `unroll` | code is to be written out for windows of up to this many pieces, at most 256; an error where a window has more, or where no code can be written; 0 for none | where it gains |
/// | `tables` | the most pieces of a window table; a longer one is an error | longer than 16 384 pieces, or than 1 024 where they depend on generics, windows are walked as they are needed |
/// | `relabel` | `relabel: to` puts the destination's ranks into those cells of its grid that let most elements stay: see [`Plan::relabelled`](crate::Plan::relabelled); both layouts and the extents have to be literals | ranks as they are written |
///
/// # Sides
///
/// [The notation](crate::docs::notation) defines distributions and modifiers. All words of a side
/// are in the order of its own dimensions, also in a permuted `to`; the extents in the header are
/// the source's. `transposed` and `axes` stand in `to` only; `copies` makes several plans, see
/// [copies](#copies). The only dimension needs no parentheses.
///
/// # Times of planning
///
/// A size is any expression of type `usize`. A dimension is planned as soon as its sizes are known.
/// Interface and messages are the same: ranks of one run may hold plans of any tiers.
///
/// | tier | when | who plans | what stands in the binary |
/// |---|---|---|---|
/// | literal | everything is an integer literal, or arithmetic on such | the macro | the window table as data; code that packs and unpacks these blocks, where it gains |
/// | constant | the blocks are constant expressions: `NB`, `Qr::NB`, `NB / 2`, a generic of the item | rustc, by the same planner | the window table; the same code |
/// | run time | a block depends on a parameter of the item, or a side is a value | the same planner, in `new` | nothing |
///
/// A dimension's tier is that of its blocks: `b` of `cyclic(b)` and `block(b)`; sizes of `block`
/// follow from extent and grid. Window tables depend on nothing else, so all other sizes may come
/// at run time.
///
/// ```
/// # use redist::redistribute;
/// # const ROWS: usize = 100;
/// # const NB: usize = 16;
/// # struct Qr;
/// # impl Qr { const NB: usize = 8; }
/// redistribute! {
///     pub struct Kr: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }             // literal
///     pub struct Panels: [f64; ROWS, 90] {                                                     // constant
///         from: (cyclic(NB), cyclic(Qr::NB)) onto (2, 3),
///         to:   (cyclic(NB / 2), cyclic(32)) onto (2, 3),
///     }
///     pub struct Tiles<T: redist::Element, const B: usize>: [T; 60, 60] {                      // for each instance
///         from: (cyclic(B), *) onto 4,
///         to:   (*, cyclic(2 * B + 1)) onto 4,
///     }
/// }
/// const KR: Kr = Kr::new();
/// let tiles = Tiles::<f32, 16>::new();
/// ```
///
/// The item's docs and `explain()` give each dimension's tier, and the reason for run time.
///
/// ## Parameters
///
/// A size that is known only at run time is a parameter, in parentheses after the name: a `usize`
/// or a `Layout<D>`, which has to be used. Then `new` takes the parameters and returns a `Result`;
/// its error names the item, the expression, the dimension and the wrong value.
///
/// ```
/// # use redist::redistribute;
/// redistribute! {
///     pub struct Reblock<T: redist::Element>(m: usize, n: usize): [T; m, n] {
///         from:    (cyclic(16), cyclic(8)) onto (2, 3),
///         to:      (cyclic(8), cyclic(32)) onto (2, 3),
///         require: tables,
///     }
/// }
/// let plan = Reblock::<f64>::new(90, 100)?;
/// # Ok::<(), redist::Error>(())
/// ```
///
/// A local variable is no constant: rustc rejects it (E0435), and it has to be declared, as in
/// `struct Plan(nb: usize): ...`. An item inside a generic function cannot name the function's
/// generics (E0401); it has its own: `struct Plan<const N: usize>: ...`.
///
/// ## Sides from values
///
/// A side may be an expression of type `Layout<D>`: a parameter, a constant, a call. So may sizes
/// of a `gen_block` come at run time.
///
/// ```
/// # use redist::{Layout, redistribute};
/// redistribute! {
///     pub struct Couple(peer: Layout<2>): [f64; 60, 60] { from: peer, to: (cyclic(16), cyclic(16)) onto (2, 2) }
///     pub struct Any<T: redist::Element>(m: usize, n: usize, a: Layout<2>, b: Layout<2>): [T; m, n] { from: a, to: b }
/// }
/// let plan = Couple::new("(block, *) onto 4".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ## Copies
///
/// With `copies k` on a side the type is a [`WithCopies`](crate::WithCopies), and no
/// [`Redistribution`](crate::Redistribution). For each copy of the destination, `bind` plans from
/// the copy of the source that is nearest or read least. `require`, `unroll`, `tables` and
/// `relabel` are errors beside it.
///
/// ```
/// use redist::{WithCopies, redistribute};
///
/// redistribute! {
///     struct Broadcast: [f64; 40, 6] { from: (*, *), to: (*, *) copies 4 }
///     struct AllGather(ranks: usize): [f64; 40, 6] { from: (block, *) onto ranks, to: (*, *) copies ranks }
///     struct RowsOfAGrid: [f64; 40, 6] { from: (block, *) onto 6, to: (block, *) onto 2 copies 3 along 1 }
/// }
/// assert!(Broadcast::new().explain()?.contains("4 of the destination"));
/// assert!(AllGather::new(3)?.explain()?.contains("3 of the destination"));
/// # Ok::<(), redist::Error>(())
/// ```
///
/// ## The way back
///
/// [`inverse`](crate::Redistribution::inverse) is the way back, planned when the item is: the
/// inverse of a constant item has constant window tables, too. Unused inverses cost nothing.
///
/// ## Demands
///
/// The demands of `require` have to be met when the crate is compiled. Otherwise, an error at the
/// demand says why, with the figure. Each stands at most once.
///
/// | demand | what has to be so |
/// |---|---|
/// | `tables` | no dimension's blocks come at run time, and no table is longer than `tables` allows: the window tables stand in the binary |
/// | `static` | the same, and nothing at all is given at run time |
/// | `unrolled` | code that packs these blocks' messages, or that unpacks them, stands in the binary; where none can be written, or it would gain nothing, there is none: see `docs/internals/binary.md` |
/// | `messages <= 6` | no rank sends more messages to others, and none receives more from others: [`Plan::messages`](crate::Plan::messages) |
/// | `steps <= 4` | a schedule without contention has no more steps: [`Plan::steps`](crate::Plan::steps) |
/// | `stays >= 25%` | at least this share of the elements stays on their rank: [`Plan::stays`](crate::Plan::stays) |
/// | `memory <= 64 MiB` | no rank needs more bytes for its local arrays of both sides and all that it sends and receives: [`Plan::memory`](crate::Plan::memory) |
///
/// The last four are about the whole plan, so nothing of it may be given at run time: there,
/// `plan()` has the same figures. Demands that depend on generics are checked for each instance
/// with a `new`.
///
/// Figures may be bounds between thousands of ranks: then the error says "up to". A demand that
/// passes always holds.
///
/// ```
/// # use redist::redistribute;
/// redistribute! {
///     pub struct Rows: [f64; 1000, 1000] {
///         from:    (cyclic(10), *) onto 4,
///         to:      (cyclic(4), *) onto 4,
///         require: static, messages <= 3, steps <= 4, stays >= 25%, memory <= 8 MiB,
///     }
/// }
/// ```
#[macro_export]
macro_rules! redistribute {
    ($($items:tt)*) => {
        $crate::__macros::redistribute! { [$crate] $($items)* }
    };
}
