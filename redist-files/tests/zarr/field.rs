//! A field of 175320 × 721 × 1440 numbers, of which a part is there: maps become series, within the
//! memory that is told.
//!
//! The part has 4 MiB and the field is smaller, unless `REDIST_CHECKPOINT_BYTES` says how many there
//! are.

use super::{quick, tree};
use redist_files::{Manifest, Run, RunOptions, Unwatched};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names the folder of a child's run.
const CHILD: &str = "REDIST_FIELD_CHILD";

/// Bytes that a run takes beside `--memory` and what it had before: stacks, the states of chunks, and
/// what codecs and the allocator keep for themselves.
const BESIDE: usize = 32 << 20;

/// A field, and the memory of the run that turns its chunks.
#[derive(Clone, Copy, Debug)]
struct Field {
    /// Extents, in elements: hours, rows and columns.
    extents: [usize; 3],
    /// Extents of a chunk of the new array, in elements.
    series: [usize; 3],
    /// Bytes of elements in memory.
    memory: usize,
    /// Maps that are there, from some hour on.
    maps: usize,
}

/// The first map that is there.
const FIRST: usize = 700;

fn field() -> Field {
    let asked = std::env::var("REDIST_CHECKPOINT_BYTES").ok();
    let small = Field {
        extents: [8766, 73, 144],
        series: [438, 10, 10],
        memory: 4 << 20,
        maps: (4 << 20) / (73 * 144 * 4),
    };
    asked.map_or(small, |bytes| {
        let bytes: usize = bytes.parse().expect("a number of bytes");
        Field {
            extents: [175_320, 721, 1440],
            series: [4383, 20, 20],
            memory: 64 << 20,
            maps: bytes / (721 * 1440 * 4),
        }
    })
}

/// The element of a place, which no other has.
fn element(hour: usize, place: usize) -> f32 {
    (hour * 31 + place * 7 + 1) as f32
}

/// Writes the maps that are there, each a chunk without compression.
fn write(folder: &Path, field: &Field) {
    let [hours, rows, columns] = field.extents;
    let metadata = json!({
        "zarr_format": 3, "node_type": "array", "shape": field.extents, "data_type": "float32",
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": [1, rows, columns] } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "fill_value": 0.0, "attributes": {},
        "codecs": [{ "name": "bytes", "configuration": { "endian": "little" } }],
    });
    let array = folder.join("maps.zarr");
    fs::create_dir(&array).expect("a folder");
    fs::write(array.join("zarr.json"), metadata.to_string()).expect("written");
    assert!(FIRST + field.maps <= hours);
    for hour in FIRST..FIRST + field.maps {
        let map = (0..rows * columns).flat_map(|place| element(hour, place).to_le_bytes());
        let chunk = array.join(format!("c/{hour}/0"));
        fs::create_dir_all(&chunk).expect("a folder");
        fs::write(chunk.join("0"), map.collect::<Vec<u8>>()).expect("written");
    }
}

/// Most bytes of memory that this program has had.
fn peak() -> usize {
    let text = fs::read_to_string("/proc/self/status").expect("the state of this program");
    let line = text.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace()
        .nth(1)
        .and_then(|kib| kib.parse().ok())
        .map_or(0, |kib: usize| kib << 10)
}

/// Turns the field when [`chunks_are_turned_in_the_memory_that_is_told`] starts this program again.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let folder = Path::new(&folder);
    let before = peak();
    let mut run = Run::new(RunOptions { memory: field().memory, ..quick(0) }, &Unwatched);
    let manifest = Manifest::read(&folder.join("manifest.json")).expect("a manifest");
    manifest.add_to(&mut run).expect("a field");
    run.convert().expect("series");
    fs::write(folder.join("peak"), json!([before, peak()]).to_string()).expect("written");
}

/// Compares series of drawn places with the maps, and with the hours around them.
fn look(folder: &Path, field: &Field) {
    let array = json!({ "name": "t", "in": "series.zarr" });
    let manifest = json!({ "array": [array] }).to_string();
    fs::write(folder.join("read.json"), manifest).expect("written");
    let manifest = Manifest::read(&folder.join("read.json")).expect("a manifest");
    let opened = manifest.open(64 << 20).expect("an array");
    let [_, rows, columns] = field.extents;
    let mut random = fastrand::Rng::new();
    for _ in 0..10 {
        let [row, column] = [random.usize(..rows), random.usize(..columns)];
        let (first, hours) = (FIRST - 2, field.maps + 4);
        let mut found = vec![0; 4 * hours];
        let place = row * columns + column;
        let start = [first, row, column];
        opened.read((&start, &[1; 3]), &[hours, 1, 1], &mut found).expect("a series");
        for (hour, bytes) in (first..first + hours).zip(found.as_chunks::<4>().0) {
            let is_there = (FIRST..FIRST + field.maps).contains(&hour);
            let expected = if is_there { element(hour, place) } else { 0.0 };
            assert_eq!(f32::from_le_bytes(*bytes), expected, "hour {hour} of {row}, {column}");
        }
    }
}

#[test]
fn chunks_are_turned_in_the_memory_that_is_told() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, field) = (made.path(), field());
    write(folder, &field);
    let array =
        json!({ "name": "t", "in": "maps.zarr", "out": "series.zarr", "chunks": field.series });
    fs::write(folder.join("manifest.json"), json!({ "array": [array] }).to_string())
        .expect("written");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "field::child"]).env(CHILD, folder);
    let ended = command.output().expect("a child");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let text = fs::read(folder.join("peak")).expect("peaks");
    let [before, peak]: [usize; 2] = serde_json::from_slice(&text).expect("peaks");
    let most = before + field.memory + BESIDE;
    assert!(peak <= most, "{peak} bytes were in memory, of {most}; {before} before");
    // Only chunks with a map in them are there.
    let per_map = (1..3).map(|axis| field.extents[axis].div_ceil(field.series[axis]));
    let long = field.series[0];
    let slabs = (FIRST + field.maps - 1) / long - FIRST / long + 1;
    let names = tree(&folder.join("series.zarr"));
    assert_eq!(names.len(), 1 + slabs * per_map.product::<usize>(), "chunks, and the metadata");
    look(folder, &field);
    assert!(tree(folder).iter().all(|name| !name.contains(".redist")), "unfinished files are left");
}
