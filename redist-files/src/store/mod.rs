//! Objects at stores, by the crate `object_store`: read in ranges, written in parts; arrays in chunks are
//! written as an object a chunk.

mod chunks;
mod client;
mod gathered;
mod object;
mod upload;
mod uploads;

use super::address::{Address, StoreSort};
pub use gathered::Gathered;
pub use object::Object;
pub use uploads::Uploads;

/// Fails if a store cannot be read, or written to.
pub fn admit(address: &Address, is_written: bool) -> Result<(), String> {
    match (address.sort, is_written) {
        (StoreSort::Web, true) => {
            Err("web servers are read alone; write to s3://, or to a file".into())
        }
        _ => client::key(address).map(drop),
    }
}
