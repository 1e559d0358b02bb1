# Items of `redistribute!`, as text. To be sourced.

# calls_of TIER COUNT GRID: so many calls, one item each; GRID is two numbers, a one-dimensional grid their product.
calls_of() {
    local tier=$1 count=$2 grid=$3 tiers=(literal constant generic parameter value)
    echo "#![allow(dead_code)]"
    echo "const NB: usize = 16;"
    for ((number = 0; number < count; number++)); do
        local this=$tier
        # Tiers take turns, and not in step with the kinds of redistributions, so that each meets each.
        if [ "$tier" = mixed ]; then this=${tiers[$(((number + number / 5) % 5))]}; fi
        echo "redist::redistribute! { $(item "$this" "$number" "$grid") }"
        # A generic item costs nothing before it is used.
        if [ "$this" = generic ]; then
            echo "pub fn f$number() -> usize { redist::Redistribution::binder(&P$number::<16>::new()).packing(0).local_len() }"
        fi
    done
}

# Kinds take turns: kr→r and r→kr, a general table, two dimensions, a section.
item() {
    local tier=$1 number=$2 grid=$3 line=$((${3/,/*})) block=$((2 * ($2 % 7 + 1)))
    local s=$block k="5 * $block" general=63 nb=16 header=""
    case $tier in
        constant) s="NB - $((16 - block))" k="5 * NB - $((80 - 5 * block))" general="4 * NB - 1" nb=NB ;;
        generic) s="B - $((16 - block))" k="5 * B - $((80 - 5 * block))" general="4 * B - 1" nb=B header="<const B: usize>" ;;
        parameter) s="b - $((16 - block))" k="5 * b - $((80 - 5 * block))" general="4 * b - 1" nb=b header="(b: usize)" ;;
    esac
    local name="pub struct P$number$header"
    if [ "$tier" = value ]; then value "$number" "$grid"; return; fi
    case $((number % 5)) in
        0) echo "$name: [f64; 10_000_000] { from: cyclic($k) onto $line, to: cyclic($s) onto $line }" ;;
        1) echo "$name: [f32; 10_000_000] { from: cyclic($s) onto $line, to: cyclic($k) onto $line }" ;;
        2) echo "$name: [f64; 10_000_000] { from: cyclic($general) onto $line, to: cyclic($((64 + block))) onto $line }" ;;
        3) echo "$name: [f64; 1000, 900] { from: (cyclic($nb), cyclic($s)) onto ($grid), to: (block, *) onto $line }" ;;
        4) echo "$name: [f64; 50, 20] { from: (cyclic($nb), cyclic($nb)) onto ($grid) of [128, 64] at [37, 5]," \
            "to: (*, block) onto $line }" ;;
    esac
}

# One side or the extents from values.
value() {
    local number=$1 grid=$2 line=$((${2/,/*})) block=$((2 * ($1 % 7 + 1)))
    case $((number % 4)) in
        0) echo "pub struct P$number(peer: redist::Layout<2>): [f64; 1000, 900] { from: peer, to: (block, *) onto $line }" ;;
        1) echo "pub struct P$number(m: usize): [f64; m] { from: cyclic($((5 * block))) onto $line, to: cyclic($block) onto $line }" ;;
        2) echo "pub struct P$number(m: usize): [f64; m] { from: cyclic(63) onto $line, to: cyclic($((64 + block))) onto $line }" ;;
        3) echo "pub struct P$number(m: usize, peer: redist::Layout<1>): [f64; m] { from: peer, to: cyclic($block) onto $line }" ;;
    esac
}

# code_of COUNT CLAUSE ELEMENT...: so many items, each with a function that needs the code for its blocks; elements in turn.
code_of() {
    local count=$1 clause=$2 elements=("${@:3}")
    echo "use redist::Redistribution;"
    for ((number = 0; number < count; number++)); do
        echo "redist::redistribute! { pub struct P$number: [${elements[$((number % ${#elements[@]}))]}; 1_000_000] {" \
            "from: cyclic($((number % 7 + 4))) onto 3, to: cyclic($((number % 3 + 1))) onto $((number % 2 + 3)), $clause } }"
        echo "pub fn f$number() -> [bool; 2] { P$number::new().kernels().exist() }"
    done
}

# packs TIER RANKS: a program that packs by one item.
packs() {
    local general=63
    if [ "$1" = constant ]; then general="NB - 1"; fi
    cat <<RUST
#![allow(dead_code)]
const NB: usize = 64;
redist::redistribute! {
    struct Item: [f64; 100_000_000] { from: cyclic($general) onto $2, to: cyclic(64) onto $2 }
}
fn main() {
    use redist::Redistribution;
    let packing = Item::new().binder().packing(std::env::args().count());
    let local = vec![1.0; packing.local_len()];
    let mut messages: Vec<_> = packing.envelopes().iter().map(|to| vec![0.0; to.len]).collect();
    packing.pack(&local, &mut messages.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
    println!("{}", messages.len());
}
RUST
}

# moves RANKS: a program that moves by one item between ranks that are `threads` or `mpi`.
moves() {
    local ranks='redist::threads::run(3, |rank| moved(rank)).unwrap();'
    if [ "$1" = mpi ]; then ranks='moved(&redist::mpi::world().unwrap()).unwrap();'; fi
    cat <<RUST
use redist::{Error, Redistribution, Side, Transport};
redist::redistribute! {
    struct Item: [f64; 1_000_000] { from: cyclic(10) onto 3, to: cyclic(4) onto 3 }
}
fn moved(ranks: &impl Transport) -> Result<(), Error> {
    let mut bound = Item::new().bind(ranks)?;
    let source = vec![1.0; bound.local_len(Side::Source)];
    let mut destination = vec![0.0; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    println!("{}", destination[0]);
    Ok(())
}
fn main() {
    $ranks
}
RUST
}

# of_all_classes: prints 89 items of all classes, elements and runs, one a line: what stands behind a struct's name.
of_all_classes() {
    local kind element run ranks
    # kr→r, r→kr, general; runs of 1 to 16 bytes.
    for kind in "u8 1" "u16 1" "u16 2" "f32 1" "f32 2" "f64 1" "f64 2"; do
        read -r element run <<< "$kind"
        for ranks in 3 4; do
            pair "$element" "$((5 * run))" "$run" "$ranks" "$ranks"
            pair "$element" "$run" "$((5 * run))" "$ranks" "$ranks"
            pair "$element" "$((3 * run))" "$((2 * run))" "$ranks" "$ranks"
        done
    done
    # Runs of 32 to 128 bytes, and of 512 bytes and more.
    for ranks in 3 4; do
        for run in 4 6 8; do
            pair f64 "$((5 * run))" "$run" "$ranks" "$ranks"
            pair f64 "$run" "$((5 * run))" "$ranks" "$ranks"
        done
        for run in 4 8 16; do pair f64 "$((3 * run))" "$((2 * run))" "$ranks" "$ranks"; done
    done
    for run in 64 128; do
        pair f64 "$((5 * run))" "$run" 4 4
        pair f64 "$run" "$((5 * run))" 4 4
        pair f64 "$((3 * run))" "$((2 * run))" 4 4
    done
    # By the number of partners.
    for ranks in 2 8 9 16; do pair f32 10 2 "$ranks" "$ranks"; done
    for ranks in 9 16; do pair f64 3 2 "$ranks" "$ranks"; done
    for ranks in 4 16; do pair f32 25 1 "$ranks" "$ranks" && pair f32 100 1 "$ranks" "$ranks"; done
    # Tiles, BLOCK, two dimensions.
    pair f64 64 16 4 4 && pair f32 64 16 4 4 && pair f64 64 32 6 6 && pair f64 128 64 4 4 && pair f64 30 654 4 4 && pair u8 30 654 4 4
    echo "[f64; 1_000_000] { from: block onto 4, to: cyclic(1) onto 4 }"
    echo "[f64; 1_000_000] { from: cyclic(1) onto 4, to: block onto 4 }"
    echo "[f64; 1_000_000] { from: block onto 3, to: block onto 4 }"
    echo "[f64; 4096, 4096] { from: (cyclic(64), cyclic(64)) onto (2, 2), to: (cyclic(16), cyclic(16)) onto (2, 2) }"
    echo "[f64; 4096, 4096] { from: (cyclic(64), cyclic(64)) onto (2, 3), to: (cyclic(32), cyclic(32)) onto (3, 2) }"
    echo "[f64; 1000, 900] { from: (cyclic(4), cyclic(4)) onto (2, 2), to: (*, block) onto 4 }"
    echo "[f64; 1024, 1024] { from: (block, *) onto 4, to: (*, block) onto 4 }"
}

# pair ELEMENT BLOCK BLOCK RANKS RANKS: an item of one dimension.
pair() { echo "[$1; 1_000_000] { from: cyclic($2) onto $4, to: cyclic($3) onto $5 }"; }

# copies_of ITEM COUNT: so many structs of an item, as `code_of` has them.
copies_of() {
    echo "use redist::Redistribution;"
    for ((number = 0; number < $2; number++)); do
        echo "redist::redistribute! { pub struct P$number: $1 }"
        echo "pub fn f$number() -> [bool; 2] { P$number::new().kernels().exist() }"
    done
}
