//! Bounds of the server, so that no text and no client takes it down.

/// The longest work on a request, in seconds.
pub const MAX_SECONDS: u64 = 10;

/// The most processor time of a request, in seconds: a second bound, where the server has ended.
pub const MAX_PROCESSOR_SECONDS: u64 = 2 * MAX_SECONDS;

/// The most memory of a request, in bytes of addresses.
pub const MAX_MEMORY: u64 = 2 << 30;

/// The most bytes of an answer.
pub const MAX_ANSWER: u64 = 32 << 20;

/// The most bytes of a request's text and values.
pub const MAX_REQUEST: usize = 256 << 10;

/// The most bytes of a request's head.
pub const MAX_HEAD: usize = 16 << 10;

/// The longest wait for a request's head, in seconds.
pub const HEAD_SECONDS: u64 = 5;

/// The longest life of a connection, in seconds.
pub const CONNECTION_SECONDS: u64 = 30;

/// The most connections at a time.
pub const CONNECTIONS: usize = 64;

/// The most requests that are worked on at a time.
pub const AT_WORK: usize = 2;

/// The most items whose names are listed.
pub const MAX_ITEMS: usize = 256;

/// The most ranks of a side in the table of messages.
pub const TABLE_RANKS: usize = 16;
