//! Machine code of the kernels: `valgrind` counts instructions, `objdump` lists calls.
//!
//! Times differ from run to run; these do not. Nothing is checked in builds without optimisation,
//! or where a tool is missing. `cargo test --release -p redist-runtime --test machine_code`.

use redist_runtime::Element;
use redist_runtime::exec::generated::{self, BlocksAndRanks, Compiled};
use redist_runtime::exec::{
    Inverse, Kernel, Packing, Redistribution, TypedPlan, Unpacking, Vectors,
};
use redist_runtime::plan::{Plan, Side};
use std::hint::black_box;
use std::process::Command;

/// A kernel, and the most instructions it may take for a KiB: a tenth above the first measurement.
struct Guard {
    name: &'static str,
    from: &'static str,
    to: &'static str,
    side: Side,
    kernel: Kernel,
    instructions: f64,
}

const GUARDS: [Guard; 5] = [
    Guard {
        name: "packing runs of 4 bytes to 4 messages",
        from: "cyclic(100) onto 4",
        to: "cyclic onto 4",
        side: Side::Source,
        kernel: Kernel::Network { run: 4, peers: 4, vectors: Vectors::Sse2 },
        instructions: 478.0,
    },
    Guard {
        name: "unpacking runs of 8 bytes from 2 messages",
        from: "cyclic(2) onto 2",
        to: "cyclic(100) onto 2",
        side: Side::Destination,
        kernel: Kernel::Network { run: 8, peers: 2, vectors: Vectors::Sse2 },
        instructions: 548.0,
    },
    Guard {
        name: "packing runs of 64 bytes to 4 messages",
        from: "cyclic(1600) onto 4",
        to: "cyclic(16) onto 4",
        side: Side::Source,
        kernel: Kernel::Moves { run: 64 },
        instructions: 341.0,
    },
    Guard {
        name: "unpacking runs of 32 bytes from 3 messages",
        from: "cyclic(8) onto 3",
        to: "cyclic(2400) onto 3",
        side: Side::Destination,
        kernel: Kernel::Moves { run: 32 },
        instructions: 520.0,
    },
    Guard {
        name: "packing irregular runs of up to 120 bytes",
        from: "cyclic(64) onto 4",
        to: "cyclic(30) onto 4",
        side: Side::Source,
        kernel: Kernel::Table,
        instructions: 566.0,
    },
];

const LEN: usize = 16 * 1024;

/// The variable that names the guard and the number of passes for this program under `valgrind`.
const ASKED: &str = "REDIST_COUNTED_KERNEL";

impl Guard {
    fn plan(&self) -> TypedPlan<f32, 1> {
        let ranks =
            self.from.rsplit(' ').next().and_then(|ranks| ranks.parse::<usize>().ok()).unwrap();
        TypedPlan::parse([LEN * ranks], self.from, self.to).unwrap()
    }

    // Only what every processor of this kind has, so that counts are the same on all of them.
    fn packing(&self) -> Packing<f32> {
        self.plan().binder().max_vectors(Vectors::Sse2).packing(1)
    }

    fn unpacking(&self) -> Unpacking<f32> {
        self.plan().binder().max_vectors(Vectors::Sse2).unpacking(1)
    }

    fn pass(&self, passes: usize) {
        match self.side {
            Side::Source => pack(&self.packing(), passes),
            Side::Destination => unpack(&self.unpacking(), passes),
        }
    }

    fn count(&self, number: usize, passes: usize) -> f64 {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "counted", "--test-threads=1"])
            .env(ASKED, format!("{number} {passes}"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = text
            .lines()
            .find_map(|line| line.split("Collected :").nth(1))
            .expect("valgrind counts");
        collected.trim().parse().unwrap()
    }
}

fn pack<T: Element>(packing: &Packing<T>, passes: usize) {
    let local = vec![T::ZERO; packing.local_len()];
    let mut buffers: Vec<Vec<T>> =
        packing.envelopes().iter().map(|to| vec![T::ZERO; to.len]).collect();
    for _ in 0..passes {
        let mut messages: Vec<&mut [T]> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(black_box(&local), &mut messages);
    }
}

fn unpack<T: Element>(unpacking: &Unpacking<T>, passes: usize) {
    let mut local = vec![T::ZERO; unpacking.local_len()];
    let buffers: Vec<Vec<T>> =
        unpacking.envelopes().iter().map(|from| vec![T::ZERO; from.len]).collect();
    for _ in 0..passes {
        let messages: Vec<&[T]> = black_box(&buffers).iter().map(Vec::as_slice).collect();
        unpacking.unpack(&mut local, &messages);
    }
}

fn can_look(tool: &str) -> bool {
    let optimised = cfg!(all(not(debug_assertions), target_arch = "x86_64", target_os = "linux"));
    optimised
        && Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn counted() {
    let Ok(asked) = std::env::var(ASKED) else { return };
    let (number, passes) = asked.split_once(' ').unwrap();
    GUARDS[number.parse::<usize>().unwrap()].pass(passes.parse().unwrap());
}

#[test]
fn guards_are_about_the_kernels_that_they_name() {
    if cfg!(target_arch = "x86_64") {
        for guard in &GUARDS {
            let recipe = match guard.side {
                Side::Source => guard.packing().kernel(),
                Side::Destination => guard.unpacking().kernel(),
            };
            assert_eq!(recipe.kernel, guard.kernel, "{}", guard.name);
        }
    }
}

#[test]
fn kernels_take_no_more_instructions_than_they_did() {
    if !can_look("valgrind") {
        return;
    }
    for (number, guard) in GUARDS.iter().enumerate() {
        let (few, many) = (guard.count(number, 2), guard.count(number, 6));
        let per_kib = (many - few) / 4.0 / (LEN * size_of::<f32>() / 1024) as f64;
        println!(
            "{}: {per_kib:.0} instructions a KiB, guarded at {:.0}",
            guard.name, guard.instructions
        );
        assert!(per_kib <= guard.instructions, "{}: {per_kib:.0} instructions a KiB", guard.name);
        assert!(
            per_kib >= guard.instructions * 0.5,
            "{}: {per_kib:.0}: lower the guard",
            guard.name
        );
    }
}

/// Returns what `objdump` lists of this program, if it can.
fn machine_code() -> Option<String> {
    let program = can_look("objdump").then(|| std::env::current_exe().unwrap())?;
    let output =
        Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(program).output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn functions<'a>(code: &'a str, name: &'static str) -> impl Iterator<Item = &'a str> {
    code.split("\n\n")
        .filter(move |function| function.lines().next().is_some_and(|line| line.contains(name)))
}

/// Copies of constant length must be moves: a call of `memcpy` takes longer than a short run.
#[test]
fn copies_of_constant_length_do_not_call_memcpy() {
    let Some(code) = machine_code() else { return };
    let kernels = functions(&code, "kernels3raw7uniform3all");
    let (mut inline, mut calling) = (0, 0);
    for kernel in kernels {
        let moves = kernel
            .lines()
            .filter(|line| line.contains("movups") || line.contains("movdqu"))
            .count();
        match kernel.contains("memcpy") || kernel.contains("memmove") {
            true => calling += 1,
            false => inline += usize::from(moves >= 2),
        }
    }
    // In 2 directions: 16 lengths of whole registers, the shortest in 2 ways to reach memory. By
    // calls: longer runs in 2 ways.
    assert!(inline >= 34, "{inline} kernels copy by 16-byte moves");
    assert!(calling <= 4, "{calling} kernels call memcpy");
}

/// An item whose copies between arrays have streams of 30 runs, more than are written together.
struct LongStreams;

impl Compiled<1> for LongStreams {
    const BLOCKS: Option<BlocksAndRanks> = Some(BlocksAndRanks::new((9, 3), (2, 4)));
}

impl Redistribution<1> for LongStreams {
    type Element = f64;

    fn name(&self) -> &str {
        "LongStreams"
    }

    fn plan(&self) -> Plan<1> {
        Plan::parse([8400], "cyclic(9) onto 3", "cyclic(2) onto 4").unwrap()
    }

    fn inverse(&self) -> Inverse<f64, 1> {
        generated::inverse(self)
    }
}

/// Compilers do not unroll a loop over many runs, whose lengths they then do not know.
#[test]
fn long_streams_of_copies_do_not_call_memcpy() {
    let long = BlocksAndRanks::new((9, 3), (2, 4)).exchange().unwrap();
    assert_eq!(long.first(1), 30, "runs of the first stream");
    assert_eq!(black_box(generated::kernels::<LongStreams, 1>()).exist(), [true, true]);
    let Some(code) = machine_code() else { return };
    let streams: Vec<_> = functions(&code, "constant6copies").collect();
    assert!(streams.iter().any(|stream| stream.lines().count() > 30), "they are written out");
    for stream in streams {
        let calls = stream.lines().find(|line| line.contains("memcpy") || line.contains("memmove"));
        assert_eq!(calls, None, "{}", stream.lines().next().unwrap_or_default());
    }
}
