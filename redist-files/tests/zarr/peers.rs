//! Arrays of the library `zarr`, and ours as it reads them.
