//! Arrays between two pages that trap: an access past either end ends the program.

use redist::Element;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::io::Error;
use std::mem::{self, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};
use std::slice;
use std::sync::OnceLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flush {
    /// It begins at the page before it, on an address that suits every instruction.
    Front,
    /// It ends at the page after it.
    Back,
}

impl Flush {
    pub const BOTH: [Self; 2] = [Self::Front, Self::Back];
}

/// An array between two pages that trap. Only its used pages are allocated.
#[derive(Debug)]
pub struct Guarded<T> {
    first: NonNull<T>,
    len: usize,
    _mapping: Mapping,
}

impl<T: Element> Guarded<T> {
    pub fn from_fn(len: usize, flush: Flush, mut element: impl FnMut(usize) -> T) -> Self {
        let mut this = Self::unwritten(len, flush);
        let spare = this.first.cast::<MaybeUninit<T>>();
        // SAFETY: `unwritten` has room for `len` elements there, aligned, which nothing else uses.
        let room = unsafe { slice::from_raw_parts_mut(spare.as_ptr(), len) };
        room.iter_mut().enumerate().for_each(|(offset, place)| {
            place.write(element(offset));
        });
        this.len = len;
        this
    }

    fn unwritten(room: usize, flush: Flush) -> Self {
        let bytes = room.checked_mul(size_of::<T>()).expect("an array that can exist");
        let mapping = Mapping::new(bytes);
        assert!(mapping.page.is_multiple_of(align_of::<T>()), "a page suits every element");
        let before = if flush == Flush::Front { 0 } else { mapping.inside - bytes };
        // SAFETY: the array lies inside of the mapping, behind its first page.
        let first = unsafe { mapping.start.add(mapping.page + before) };
        Self { first: first.cast(), len: 0, _mapping: mapping }
    }
}

impl<const N: usize> Guarded<[u8; N]> {
    /// Makes an array of zeros, which takes memory only when it is written to.
    pub fn zeroed(len: usize, flush: Flush) -> Self {
        // New pages are zeros, which bytes may be.
        Self { len, ..Self::unwritten(len, flush) }
    }
}

impl<T> Deref for Guarded<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: that many elements were written there, or are the zeros of new pages (`zeroed`).
        // They live as long as the mapping that this owns.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Guarded<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; this is borrowed exclusively, and owns them.
        unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    page: usize,
    inside: usize,
}

impl Mapping {
    fn new(bytes: usize) -> Self {
        // SAFETY: it takes a number and returns one.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a size");
        let inside = bytes.next_multiple_of(page);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let all = inside + 2 * page;
        // SAFETY: a new mapping of the system's choice, which takes no memory that is in use.
        let start = unsafe { libc::mmap(null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
        assert!(start != libc::MAP_FAILED, "{all} bytes: {}", Error::last_os_error());
        let this = Self { start: NonNull::new(start.cast()).expect("not null"), page, inside };
        if inside > 0 {
            let usable = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: these are whole pages of the mapping above, and nothing is in them yet.
            let done = unsafe { libc::mprotect(start.byte_add(page), inside, usable) };
            assert!(done == 0, "{inside} bytes: {}", Error::last_os_error());
        }
        this
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the whole mapping that `new` made; what was in it goes with this.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.inside + 2 * self.page) };
    }
}

thread_local! {
    /// This thread's note, while it works.
    static NOTE: Cell<(*const u8, usize)> = const { Cell::new((null_mut(), 0)) };
}

/// Does `work`; prints `note` if it touches a forbidden page.
pub fn noting<R>(note: &str, work: impl FnOnce() -> R) -> R {
    struct Restore((*const u8, usize));
    impl Drop for Restore {
        fn drop(&mut self) {
            NOTE.set(self.0);
        }
    }
    tell_of_faults();
    let _before = Restore(NOTE.replace((note.as_ptr(), note.len())));
    work()
}

/// The signal's previous action, which runs after the note.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

fn tell_of_faults() {
    BEFORE.get_or_init(|| {
        // SAFETY: zeros are an action: an empty mask, no flags, and the default handler.
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        let mut before = action;
        action.sa_sigaction =
            fault as extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: both are valid, and the handler makes only allowed calls.
        let done = unsafe { libc::sigaction(libc::SIGSEGV, &action, &mut before) };
        assert!(done == 0, "{}", Error::last_os_error());
        before
    });
}

/// Prints the thread's note, and lets the access fault again, for the previous action.
extern "C" fn fault(_: c_int, _: *mut libc::siginfo_t, _: *mut c_void) {
    let (note, len) = NOTE.get();
    let words = b"an access outside of an array: ";
    let default = libc::SIG_DFL;
    // SAFETY: a handler may call `write` and `sigaction`, and may read a cell that needs no
    // construction. A note is borrowed as long as it is set.
    unsafe {
        libc::write(2, words.as_ptr().cast(), words.len());
        libc::write(2, note.cast(), len);
        libc::write(2, b"\n".as_ptr().cast(), 1);
        match BEFORE.get() {
            Some(before) => libc::sigaction(libc::SIGSEGV, before, null_mut()),
            None => i32::from(libc::signal(libc::SIGSEGV, default) == libc::SIG_ERR),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn arrays_hold_what_they_are_given() {
        for flush in Flush::BOTH {
            for len in [0, 1, 7, 1024, 5000] {
                let array = Guarded::from_fn(len, flush, |offset| [offset as u16; 3]);
                assert!(array.iter().enumerate().all(|(at, found)| *found == [at as u16; 3]));
                assert_eq!(array.len(), len);
            }
        }
        let mut large = Guarded::<[u8; 1]>::zeroed(1 << 36, Flush::Back);
        large[(1 << 36) - 1] = [7];
        assert_eq!((large[0], large[1 << 35], large.last()), ([0], [0], Some(&[7])));
    }

    /// Names the end of an array to read past, for this program's second run.
    const ASKED: &str = "REDIST_READ_PAST";

    #[test]
    fn asked() {
        let Ok(asked) = std::env::var(ASKED) else { return };
        let flush = if asked == "front" { Flush::Front } else { Flush::Back };
        let array = Guarded::from_fn(10, flush, |offset| offset as u64);
        let past = if flush == Flush::Front { -1 } else { 10 };
        noting("past the end", || {
            // SAFETY: none: the program ends here, as the test demands.
            std::hint::black_box(unsafe { array.as_ptr().offset(past).read_volatile() })
        });
    }

    #[test]
    fn what_touches_a_page_ends_the_program() {
        for end in ["front", "back"] {
            let output = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "guarded::tests::asked", "--nocapture"])
                .env(ASKED, end)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{end}: {text}");
            assert!(text.contains("an access outside of an array: past the end"), "{end}: {text}");
        }
    }
}
