//! Memory that the ranks of a node share: POSIX shared memory. Its name is gone before any rank goes
//! on, so the kernel frees it when the last rank unmaps it or ends, however it ends. Unsafe, because
//! the memory is the kernel's, and other processes use it.

use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use crate::error::Error;
use crate::transport::slots::PAGE;
use std::ptr;

/// Memory of each rank of a node, mapped by all of them. Dropping it unmaps it here, and waits for no
/// rank.
#[derive(Debug)]
pub(super) struct NodeMemory {
    /// The address of the first part in this process, at the beginning of a page.
    start: *mut u8,
    /// The bytes of all parts.
    len: usize,
    /// By place in the node, the bytes before a part, and the bytes of the part: whole pages.
    parts: Vec<(usize, usize)>,
}

// SAFETY: the value has the address and the length of a mapping, which every thread of the process
// sees alike. Its methods only read them, and the kernel unmaps from any thread.
unsafe impl Send for NodeMemory {}
// SAFETY: all methods only read the address and the length. Code that uses the memory behind the
// addresses proves its own uses.
unsafe impl Sync for NodeMemory {}

/// Longest name of a mapping, in bytes. Systems allow 31 at least.
const NAME_BYTES: usize = 30;

impl NodeMemory {
    /// Makes `bytes` bytes for this rank, all zero, in whole pages. `begin` gets the memory, and
    /// initialises this rank's part; all ranks meet when all have begun. If it fails on one rank, it
    /// fails on all, with the reason of the lowest. Collective; each rank passes its own number.
    pub fn new<T>(
        all: &OwnCommunicator,
        node: &OwnCommunicator,
        bytes: usize,
        begin: impl FnOnce(&Self) -> T,
    ) -> Result<(Self, T), Error> {
        let begun = Self::mapped(node, bytes).map(|memory| {
            let begun = begin(&memory);
            (memory, begun)
        });
        all_prepared(all, begun)
    }

    /// Maps the memory of a node, and removes its name. Collective over the node's ranks.
    fn mapped(node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        let parts = parts(node, bytes)?;
        let own = parts[node.rank()];
        let len = parts.iter().fold(0usize, |sum, (_, len)| sum.saturating_add(*len));
        let made = match node.rank() {
            0 => system::File::make(len).map(Some),
            _ => Ok(None),
        };
        let name = made.as_ref().ok().and_then(|made| made.as_ref().map(system::File::name));
        let mut told = name.unwrap_or([0; NAME_BYTES]);
        node.must(node.bcast(0, &mut told))?;
        let memory = made.and_then(|made| {
            let file = made.map_or_else(|| system::File::open(&told), Ok)?;
            let start = file.map(len, own)?;
            Ok(Self { start, len, parts })
        });
        let memory = all_prepared(node, memory.map_err(unavailable));
        if node.rank() == 0 {
            system::remove(&told);
        }
        memory
    }

    /// Returns the address and the bytes of the part of the rank at this place of the node. The
    /// memory is there as long as this value.
    pub fn part(&self, place: usize) -> (*mut u8, usize) {
        let (before, len) = self.parts[place];
        (self.start.wrapping_add(before), len)
    }

    /// Returns the address of each part.
    pub fn starts(&self) -> Vec<*mut u8> {
        (0..self.parts.len()).map(|place| self.part(place).0).collect()
    }
}

impl Drop for NodeMemory {
    fn drop(&mut self) {
        // SAFETY: `mapped` made the mapping, of this length, and only this unmaps it. Users of the
        // memory keep this value as long, as `part` says.
        unsafe { system::unmap(self.start, self.len) };
    }
}

/// Returns `true` if so many bytes of shared memory are a small part of those that are left, as far as
/// this rank sees: an eighth at most.
pub(super) fn is_small_part(bytes: usize) -> bool {
    system::left().is_none_or(|left| bytes as u64 <= left / 8)
}

/// Returns the place and the bytes of each rank's part. Collective over the node's ranks.
fn parts(node: &OwnCommunicator, bytes: usize) -> Result<Vec<(usize, usize)>, Error> {
    // MPICH 4.0 takes numbers from 2^63 on for negative ones.
    const MOST: u64 = u64::MAX >> 2;
    let mut lens = vec![MOST; node.size()];
    lens[node.rank()] = pages(bytes).min(MOST);
    node.minima_of(&mut lens)?;
    let mut before = 0usize;
    Ok(lens
        .into_iter()
        .map(|len| {
            let part = (before, len as usize);
            before = before.saturating_add(part.1);
            part
        })
        .collect())
}

/// Returns the bytes of the fewest pages for so many bytes: one page at least.
fn pages(bytes: usize) -> u64 {
    bytes.max(1).checked_next_multiple_of(PAGE).unwrap_or(usize::MAX) as u64
}

fn unavailable(reason: String) -> Error {
    Error::Unavailable { what: "memory that the ranks of a node share".into(), reason }
}

/// The calls of systems with POSIX shared memory.
#[cfg(unix)]
mod system {
    use super::{NAME_BYTES, ptr};
    use rustix::fd::OwnedFd;
    use rustix::fs::{Mode, ftruncate, statvfs};
    use rustix::io::Errno;
    use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
    use rustix::shm::{self, OFlags};
    use std::process;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A file of shared memory that other processes can still open by its name.
    pub struct File {
        file: OwnedFd,
        /// Name of the file, as bytes.
        name: [u8; NAME_BYTES],
    }

    /// Attempts to find a name that no file has. A process that was killed between two calls may have
    /// left one.
    const ATTEMPTS: usize = 100;

    impl File {
        /// Makes a file of so many bytes, only for this user.
        pub fn make(len: usize) -> Result<Self, String> {
            static NEXT: AtomicU64 = AtomicU64::new(0);
            let mut last = Errno::EXIST;
            for _ in 0..ATTEMPTS {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let text = format!("/redist.{:x}.{number:x}", process::id());
                let mut name = [0; NAME_BYTES];
                name[..text.len()].copy_from_slice(text.as_bytes());
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR;
                match shm::open(text.as_str(), flags, Mode::RUSR | Mode::WUSR) {
                    Ok(file) => {
                        let made = Self { file, name };
                        return match ftruncate(&made.file, len as u64) {
                            Ok(()) => Ok(made),
                            Err(error) => {
                                remove(&name);
                                Err(no_room(len, error))
                            }
                        };
                    }
                    Err(Errno::EXIST) => {}
                    Err(error) => last = error,
                }
                if last != Errno::EXIST {
                    break;
                }
            }
            Err(format!("the system makes no shared memory (shm_open: {last})"))
        }

        pub fn name(&self) -> [u8; NAME_BYTES] {
            self.name
        }

        /// Opens the file of another process; no name says that there is none.
        pub fn open(name: &[u8; NAME_BYTES]) -> Result<Self, String> {
            let text = text(name).ok_or("the first rank of the node could make none")?;
            let opened = shm::open(text, OFlags::RDWR, Mode::empty());
            let file = opened.map_err(|error| {
                format!("this rank does not see the shared memory of its node's first ({error})")
            })?;
            Ok(Self { file, name: *name })
        }

        /// Maps all `len` bytes, once there is memory for this rank's part: `before` it so many
        /// bytes, and in it so many. Each rank takes its own pages, near its processor.
        pub fn map(&self, len: usize, own: (usize, usize)) -> Result<*mut u8, String> {
            reserve(&self.file, own).map_err(|error| no_room(own.1, error))?;
            let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
            // SAFETY: the system chooses an address that nothing else has.
            let mapped = unsafe { mmap(ptr::null_mut(), len, access, flags, &self.file, 0) };
            mapped.map(<*mut _>::cast).map_err(|error| no_room(len, error))
        }
    }

    /// Takes memory now, because a write without it would end the process later.
    #[cfg(target_os = "linux")]
    fn reserve(file: &OwnedFd, (before, len): (usize, usize)) -> Result<(), Errno> {
        use rustix::fs::{FallocateFlags, fallocate};
        let reserve = || fallocate(file, FallocateFlags::empty(), before as u64, len as u64);
        rustix::io::retry_on_intr(reserve)
    }

    #[cfg(not(target_os = "linux"))]
    fn reserve(_: &OwnedFd, _: (usize, usize)) -> Result<(), Errno> {
        Ok(())
    }

    /// Returns the bytes that are left for shared memory; `None` if the system does not say.
    pub fn left() -> Option<u64> {
        let found = statvfs("/dev/shm").ok()?;
        Some(found.f_bavail.saturating_mul(found.f_frsize))
    }

    fn no_room(bytes: usize, error: Errno) -> String {
        let left = left().map_or_else(|| "an unknown number".into(), |left| left.to_string());
        format!("{bytes} bytes are asked for, and /dev/shm has {left} left ({error})")
    }

    fn text(name: &[u8; NAME_BYTES]) -> Option<&str> {
        let end = name.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES);
        std::str::from_utf8(&name[..end]).ok().filter(|text| !text.is_empty())
    }

    /// Removes the name of a file, if there is one.
    pub fn remove(name: &[u8; NAME_BYTES]) {
        // Nobody is left to hear of an error, and the memory goes without the name, too.
        let _ = text(name).map(shm::unlink);
    }

    /// Unmaps a mapping.
    ///
    /// # Safety
    /// [`File::map`] returned it, of this length, and nothing still uses it.
    pub unsafe fn unmap(start: *mut u8, len: usize) {
        // SAFETY: the mapping is the caller's, who promises that nothing uses it.
        let _ = unsafe { munmap(start.cast(), len) };
    }
}

/// Stands for them on other systems, whose ranks send messages.
#[cfg(not(unix))]
mod system {
    use super::NAME_BYTES;

    pub fn left() -> Option<u64> {
        None
    }

    /// Stands for a file that systems without shared memory do not have.
    pub struct File;

    impl File {
        pub fn make(_: usize) -> Result<Self, String> {
            Err("this system has no POSIX shared memory".into())
        }

        pub fn name(&self) -> [u8; NAME_BYTES] {
            [0; NAME_BYTES]
        }

        pub fn open(_: &[u8; NAME_BYTES]) -> Result<Self, String> {
            Self::make(0)
        }

        pub fn map(&self, _: usize, _: (usize, usize)) -> Result<*mut u8, String> {
            Self::make(0).map(|_| super::ptr::null_mut())
        }
    }

    pub fn remove(_: &[u8; NAME_BYTES]) {}

    /// # Safety
    /// None: no mapping exists.
    pub unsafe fn unmap(_: *mut u8, _: usize) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn parts_are_whole_pages_and_sums_saturate() {
        assert_eq!(
            [0, 1, PAGE, PAGE + 1].map(pages),
            [PAGE, PAGE, PAGE, 2 * PAGE].map(|n| n as u64)
        );
        assert!(pages(usize::MAX) >= 1 << 62);
    }

    #[test]
    fn a_file_is_seen_by_its_name_until_that_is_removed() {
        let file = system::File::make(2 * PAGE).unwrap();
        let name = file.name();
        let other = system::File::open(&name).unwrap();
        system::remove(&name);
        assert!(system::File::open(&name).is_err(), "the name is gone");
        let len = 2 * PAGE;
        let both = [file.map(len, (0, PAGE)).unwrap(), other.map(len, (PAGE, PAGE)).unwrap()];
        // SAFETY: both mappings have two pages, and only this thread uses them.
        unsafe {
            assert_eq!(both[1].add(len - 1).read(), 0, "memory begins as zeros");
            both[0].add(len - 1).write(7);
            assert_eq!(both[1].add(len - 1).read(), 7, "both are one memory");
            both.into_iter().for_each(|start| system::unmap(start, len));
        }
    }

    #[test]
    fn memory_that_there_is_not_is_refused_before_it_is_used() {
        let len = 1 << 60;
        let refused = system::File::make(len).and_then(|file| {
            let name = file.name();
            let mapped = file.map(len, (0, len));
            system::remove(&name);
            mapped.map(drop)
        });
        let told = refused.unwrap_err();
        assert!(told.contains("/dev/shm") && told.contains(&len.to_string()), "{told}");
    }

    #[test]
    fn no_name_is_that_of_no_file() {
        assert!(system::File::open(&[0; NAME_BYTES]).is_err());
    }
}
