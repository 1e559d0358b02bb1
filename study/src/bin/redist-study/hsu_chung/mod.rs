//! `redist study hsu-chung`: what index computation, packing and unpacking cost one rank.

mod errata;
mod measure;
mod over_n;
mod pairs;

use super::context::Context;
use super::plot::{Plot, curves};
use super::report::{Picture, Report, Table, duration, names, ratio, spread};
use super::sampling::geometric_mean;
use measure::Row;
use redist_study::packing::{ELEMENTS, KrCase, Macro, PackingMethod, RANKS, RunTime};
use redist_study::printed::{PrintedTime, printed_ratios};

const FOLDER: &str = "hsu-chung";

const PAPER: &str = "Hsu-Chung";

pub fn run(context: &Context) -> anyhow::Result<Report> {
    let cases = KrCase::all(context.scale(&ELEMENTS[..], &[RANKS * 210]), RANKS);
    let mut rows = Vec::new();
    for case in context.progress("packing, case by case", &cases) {
        rows.extend(measure::measure(case, context.scale(7, 1))?);
    }
    context.write_timed(&format!("{FOLDER}/times.csv"), &mut rows)?;
    let pairs = pairs::measure(context, &format!("{FOLDER}/pairs.csv"))?;
    Ok(Report {
        folder: FOLDER,
        title: "Index computation, packing and unpacking, in the setting of Hsu and Chung",
        paragraphs: vec![
            setting_text(&cases),
            findings_text(&rows),
            parts_text(&rows),
            errata::text(),
            pairs::text(&pairs),
        ],
        tables: vec![
            by_method(&rows),
            by_blocks(&rows),
            beside_printed(&rows),
            errata::orders(),
            pairs::table(&pairs),
        ],
        plots: draw(&rows)?,
        missing: vec!["times of 64 nodes: one rank computes what each of them would".into()],
    })
}

fn setting_text(cases: &[KrCase]) -> String {
    format!(
        "Rerun: {} ranks, 1.28 to 6.4 million single-precision elements, cyclic(2k) with cyclic(2) for k = 5, 25, 50 and 100, \
         and BLOCK with CYCLIC, in both directions: {} cases. Measured is what one rank computes (indices, packing, unpacking; \
         a plan is made in every call), not what the network does. Every message and every array of every method was compared \
         bit by bit before. The baselines pack element by element, as published; PITFALLS and ASPEN list one period and \
         repeat it. The second column tells the algorithm from the copying: what a method computes (all owners for Thakur, \
         one period for PITFALLS and ASPEN, the equations and the sender's walk for Hsu and Chung, plan and programs for \
         ours), without copying, and our kernels' copying with a plan made before, which has the tables that a plan makes \
         when it is first used. The paper's machine, an SP2, is not at hand, so that ratios are compared: the table after the next two has \
         those of the times that the paper prints in figures 7(c) to 11(c), beside ours.",
        RANKS,
        cases.len()
    )
}

fn findings_text(rows: &[Row]) -> String {
    let cases: Vec<Vec<&Row>> =
        rows.chunk_by(|a, b| case_of(a) == case_of(b)).map(|rows| rows.iter().collect()).collect();
    let time = |case: &[&Row], method: &str| {
        case.iter().find(|row| row.method == method).map(|row| row.nanoseconds)
    };
    let faster = |other: &str| {
        let won = cases.iter().filter(|case| time(case, PAPER) < time(case, other)).count();
        format!("than {other} in {won}")
    };
    let fastest = |ours: &str| {
        let published = |case: &&Vec<&Row>| {
            let mut others = case.iter().filter(|row| !is_ours(row.method));
            others.all(|row| time(case, ours) <= Some(row.nanoseconds))
        };
        cases.iter().filter(published).count()
    };
    format!(
        "The paper reports its method ahead of Thakur's and of PITFALLS for all its samples. Here it is faster {} and {} of {} \
         cases. Nothing published is faster than a plan made at run time in {}, and than an item of the macro, which knows \
         blocks and ranks, in {}.",
        faster("Thakur"),
        faster("PITFALLS"),
        cases.len(),
        fastest(RunTime.name()),
        fastest(Macro.name())
    )
}

fn parts_text(rows: &[Row]) -> String {
    let over_thakur = |direction: &str, part: fn(&Row) -> f64| {
        let of = |name: &'static str| {
            rows.iter().filter(move |row| row.method == name && row.direction == direction)
        };
        let pairs = of(PAPER).zip(of("Thakur"));
        spread(&pairs.map(|(paper, thakur)| part(paper) / part(thakur)).collect::<Vec<_>>())
    };
    let share = |direction: &str| {
        let of = rows.iter().filter(|row| row.method == PAPER && row.direction == direction);
        spread(&of.map(|row| row.index_nanoseconds / row.nanoseconds).collect::<Vec<_>>())
    };
    format!(
        "The paper's method over Thakur's, packing and unpacking apart (least, geometric mean, most): kr→r {} and {}, r→kr {} \
         and {}. It packs kr→r as printed, in one pass over the local array. Index computation alone takes this part of its \
         time: kr→r {}, r→kr {}.",
        over_thakur("kr→r", |row| row.pack_nanoseconds),
        over_thakur("kr→r", |row| row.unpack_nanoseconds),
        over_thakur("r→kr", |row| row.pack_nanoseconds),
        over_thakur("r→kr", |row| row.unpack_nanoseconds),
        share("kr→r"),
        share("r→kr"),
    )
}

fn is_ours(method: &str) -> bool {
    method.starts_with("redist")
}

fn case_of(row: &Row) -> (usize, &str, &str) {
    (row.elements, &row.source, &row.destination)
}

fn by_method(rows: &[Row]) -> Table {
    let caption = "Time of each method as a multiple of that of a plan made at run time, over all cases: least, geometric mean, \
                   most.";
    let head = ["method", "cases", "ratio", "with our copying", "cases below 1"];
    let row = |name: &str| {
        let of_name = |ratio: fn(&Row) -> f64| -> Vec<f64> {
            rows.iter().filter(|row| row.method == name).map(ratio).collect()
        };
        let ratios = of_name(|row| row.over_run_time_plan);
        let copied = of_name(|row| row.our_copy_over_run_time_plan);
        let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
        let count = ratios.len().to_string();
        vec![name.into(), count, spread(&ratios), spread(&copied), below.to_string()]
    };
    Table::new(caption, head, names(rows.iter().map(|row| row.method)).into_iter().map(row))
}

fn blocks_of(row: &Row) -> String {
    format!("{} → {}", row.source, row.destination)
}

fn of_blocks(rows: &[Row]) -> Vec<Vec<&Row>> {
    let all: Vec<String> = rows.iter().map(blocks_of).collect();
    let of = |blocks: &str| rows.iter().filter(|row| blocks_of(row) == blocks).collect();
    names(all.iter().map(String::as_str)).into_iter().map(of).collect()
}

fn by_blocks(rows: &[Row]) -> Table {
    let methods = names(rows.iter().map(|row| row.method));
    let caption = "The same by distributions: geometric mean over the extents, in brackets with our copying; and the time of a rank for the largest extent, \
                   with a plan made at run time.";
    let head = ["distributions"].into_iter().chain(methods.iter().copied()).chain(["time"]);
    let row = |rows: Vec<&Row>| {
        let mean = |name: &str, value: fn(&Row) -> f64| {
            let of_method = rows.iter().filter(|row| row.method == name);
            ratio(geometric_mean(&of_method.map(|row| value(row)).collect::<Vec<_>>()))
        };
        let cell = |name: &&str| {
            let [whole, copied] = [
                mean(name, |row| row.over_run_time_plan),
                mean(name, |row| row.our_copy_over_run_time_plan),
            ];
            format!("{whole} ({copied})")
        };
        let largest = rows.iter().rfind(|row| row.method == RunTime.name());
        let largest = largest.map_or(f64::NAN, |row| row.nanoseconds * 1e-9);
        let cells = methods.iter().map(cell).chain([duration(largest)]);
        [blocks_of(rows[0])].into_iter().chain(cells).collect()
    };
    Table::new(caption, head, of_blocks(rows).into_iter().map(row))
}

fn beside_printed(rows: &[Row]) -> Table {
    let caption = "Computation of Thakur's method and of PITFALLS as a multiple of that of Hsu and Chung's, as printed and here: \
                   least, geometric mean, most over five extents.";
    let head =
        ["distributions", "Thakur, printed", "Thakur, here", "PITFALLS, printed", "PITFALLS, here"];
    let row = |rows: Vec<&Row>| {
        let of = |name: &str| {
            rows.iter().filter(|row| row.method == name).map(|row| row.nanoseconds).collect()
        };
        let here = |name: &str| {
            let (others, paper): (Vec<f64>, Vec<f64>) = (of(name), of(PAPER));
            spread(
                &others.iter().zip(&paper).map(|(other, paper)| other / paper).collect::<Vec<_>>(),
            )
        };
        let (k, direction) = (printed_k(rows[0]), rows[0].direction);
        let printed = |name: &str| {
            let wanted = |row: &PrintedTime| row.k == k && row.direction == direction;
            spread(&printed_ratios([name, "Krr"], wanted, |row| row.computation))
        };
        let cells = ["Thakur", "PITFALLS"].map(|name| [printed(name), here(name)]);
        [blocks_of(rows[0])].into_iter().chain(cells.into_iter().flatten()).collect()
    };
    Table::new(caption, head, of_blocks(rows).into_iter().map(row))
}

fn printed_k(row: &Row) -> Option<usize> {
    let is_block = [&row.source, &row.destination].iter().any(|word| *word == "block");
    (!is_block).then_some(row.k)
}

/// Draws the time of an element over `k`, for the largest extent: one picture a direction.
fn draw(rows: &[Row]) -> anyhow::Result<Vec<Picture>> {
    let largest = rows.iter().map(|row| row.elements).max().unwrap_or(0);
    let plot = |direction| {
        let here = |row: &&Row| row.elements == largest && row.direction == direction;
        let points = |name: &str| {
            let of = rows.iter().filter(here).filter(|row| row.method == name);
            of.map(|row| (row.k as f64, row.nanoseconds * row.ranks as f64 / row.elements as f64))
                .collect()
        };
        let names = names(rows.iter().filter(here).map(|row| row.method));
        Plot {
            title: format!("{direction}, 64 ranks, {:.2} million elements", largest as f64 / 1e6),
            x: "k (the last: BLOCK and CYCLIC)",
            y: "time of an element, packed and unpacked (ns)",
            curves: curves(names, is_ours, points),
        }
    };
    Ok(vec![
        plot("kr→r").picture("kr-to-r.svg", "time of an element over k, kr→r")?,
        plot("r→kr").picture("r-to-kr.svg", "time of an element over k, r→kr")?,
        over_n::panels(rows).picture("over-n.svg", "computation over the extent")?,
    ])
}
