//! Files of HDF5, there and back, by their own libraries, and under attack.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod peers;
mod round_trips;

use common::{bytes, convert, python, quick, refused, refused_and_clean, with};

/// Closes a file that was written, and puts a copy into its place: programs that other tests start
/// meanwhile keep the lock of the one that was written.
fn closed(file: hdf5_metno::File) {
    let name = file.filename();
    file.flush().expect("flushed");
    file.close().expect("closed");
    let copy = format!("{name}.copy");
    std::fs::copy(&name, &copy).and_then(|_| std::fs::rename(&copy, &name)).expect("copied");
}
