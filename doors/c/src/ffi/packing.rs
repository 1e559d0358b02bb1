//! Packing and unpacking of one rank's messages, for a caller who sends them. Unsafe, because C
//! passes pointers.

use super::bind::binder;
use super::plan::{Plan, rank_of};
use super::side;
use crate::array::{Given, LocalArray};
use crate::element::{self, named};
use crate::guard::guarded;
use crate::options::Options;
use crate::pointers::{bytes_mut, list, optional, put_handle, put_numbers, reference, taken, text};
use crate::status::{Refusal, Status, length};
use redist::exec::{AnyPacking, PackingError};
use redist::layout::vocabulary::counted;
use redist::{AnyElement, Side};
use redist_doors::overlap;
use std::ffi::{c_char, c_void};

/// The packing and the unpacking of one rank. It never changes, and several threads may use it at a
/// time.
pub struct Packing {
    packing: AnyPacking,
    element: AnyElement,
    /// Bytes of an element.
    width: usize,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Packing>();
};

/// A caller's array or buffer.
#[derive(Clone, Copy)]
struct Memory {
    /// Address of the first byte.
    address: usize,
    /// Number of bytes.
    bytes: usize,
}

impl Memory {
    fn place(self) -> (usize, usize) {
        (self.address, self.bytes)
    }
}

impl Packing {
    /// Checks a caller's elements at an address.
    fn memory(&self, address: usize, elements: i64, name: &str) -> Result<Memory, Refusal> {
        let bytes = usize::try_from(elements).ok().and_then(|len| len.checked_mul(self.width));
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| {
            let words = format!("`{name}_len` is {elements}, and must be a number of elements");
            Refusal::argument(words)
        })?;
        match bytes > 0 && address == 0 {
            true => Err(Refusal::null(name)),
            false => Ok(Memory { address, bytes }),
        }
    }

    /// Returns a caller's buffers for all messages of a side, as long as these.
    fn buffers(&self, side: Side, addresses: &[usize]) -> Result<Vec<Memory>, Refusal> {
        let messages = self.packing.messages(side);
        if addresses.len() != messages.len() {
            let (found, expected) = (addresses.len(), messages.len());
            return Err(PackingError::Buffers { expected, found }.into());
        }
        let pairs = messages.iter().zip(addresses).enumerate();
        let memory = pairs.map(|(number, (message, &address))| match address {
            0 => Err(Refusal::null(&format!("buffers[{number}]"))),
            _ => Ok(Memory { address, bytes: message.len * self.width }),
        });
        memory.collect()
    }

    /// Returns the bytes of each message of a side, which one buffer has.
    fn joined(&self, side: Side, buffer: Memory) -> Result<Vec<usize>, Refusal> {
        let lens = self.packing.messages(side).iter().map(|message| message.len * self.width);
        let lens: Vec<usize> = lens.collect();
        let [expected, found] =
            [lens.iter().sum(), buffer.bytes].map(|bytes: usize| bytes / self.width);
        match expected == found {
            true => Ok(lens),
            false => {
                let expected = counted(expected, "element");
                let words =
                    format!("the buffer of all messages must hold {expected}, found {found}");
                Err(Refusal::new(Status::RedistArray, words))
            }
        }
    }

    fn peer(&self, side: Side, peer: i64) -> Result<usize, Refusal> {
        let rank = usize::try_from(peer).ok();
        let known = |rank: &usize| self.packing.messages(side).iter().any(|one| one.rank == *rank);
        rank.filter(known).ok_or_else(|| {
            let word = ["to", "from"][side as usize];
            let words = format!(
                "`peer` is {peer}, and there is no message {word} it; `redist_packing_message` \
                 tells the peers"
            );
            Refusal::argument(words)
        })
    }
}

impl From<PackingError> for Refusal {
    fn from(error: PackingError) -> Self {
        let status = match error {
            PackingError::NoMessage { .. } => Status::RedistArgument,
            PackingError::Trapezoid => Status::RedistUnavailable,
            _ => Status::RedistArray,
        };
        Self::new(status, error.to_string())
    }
}

/// Refuses memory that shares a byte with other memory.
fn apart(all: &[Memory]) -> Result<(), Refusal> {
    let mut places: Vec<_> = all.iter().map(|one| one.place()).filter(|one| one.1 > 0).collect();
    places.sort_unstable();
    match places.windows(2).any(|pair| overlap([pair[0], pair[1]])) {
        true => {
            let words = "array and buffers share memory; bring memory that is apart";
            Err(Refusal::new(Status::RedistArray, words))
        }
        false => Ok(()),
    }
}

/// Prepares the packing and the unpacking of a rank's messages, for a transport of the caller's own.
/// `element` is as for `redist_bind`. Of the options, `padding` and `part` count; they may be NULL.
/// Neither MPI nor a communicator is needed. The packing outlives the plan, and is to be freed by
/// `redist_packing_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_packing(
    plan: *const Plan,
    element: *const c_char,
    rank: i64,
    options: *const Options,
    packing: *mut *mut Packing,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, a text that ends with a zero, options with
        // lists as `binder` needs, and a place for the handle.
        unsafe {
            let binder = binder(plan, element, options)?;
            let rank = rank_of(&reference(plan, "plan")?.0, rank)?;
            let element = named(text(element, "element")?)?;
            let made = Packing { packing: binder.packing(rank)?, element, width: element.bytes() };
            put_handle(packing, made, "packing")
        }
    })
}

/// Frees a packing. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_packing_free(packing: *mut Packing) {
    guarded(|| {
        // SAFETY: the header demands NULL, or a packing of `put_handle`, which nothing uses after
        // this call.
        drop(unsafe { taken(packing) });
        Ok(())
    });
}

/// Stores the number of messages that the rank sends (REDIST_SOURCE) or receives
/// (REDIST_DESTINATION), and the elements of its local array. Elements that stay on the rank are a
/// message to itself. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_packing_size(
    packing: *const Packing,
    side: i32,
    count: *mut i64,
    local_len: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live packing, and NULL or a place for each number.
        unsafe {
            let Packing { packing, width, .. } = reference(packing, "packing")?;
            put_numbers(count, &[packing.messages(side).len()])?;
            put_numbers(local_len, &[packing.local_bytes(side) / width])
        }
    })
}

/// Stores of a message, numbered from 0 on and sorted by the other rank: that rank, and the number of
/// elements. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_packing_message(
    packing: *const Packing,
    side: i32,
    message: i64,
    peer: *mut i64,
    elements: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live packing, and NULL or a place for each number.
        unsafe {
            let messages = reference(packing, "packing")?.packing.messages(side);
            let found = usize::try_from(message).ok().and_then(|number| messages.get(number));
            let found = found.ok_or_else(|| {
                let count = messages.len();
                let words = format!("`message` is {message}, but there are {count}, from 0 on");
                Refusal::argument(words)
            })?;
            put_numbers(peer, &[found.rank])?;
            put_numbers(elements, &[found.len])
        }
    })
}

/// Checks the type, the length and the shape of the rank's local array on one side, for callers that
/// know them: see `redist_run_arrays`. An array that was padded may be longer than the `local_len` of
/// `redist_packing_size`, which all other functions of packing take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_packing_check(
    packing: *const Packing,
    side: i32,
    array: *const LocalArray,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live packing, and NULL or an array whose name and lists
        // are as `read` needs.
        let (own, given) =
            unsafe { (reference(packing, "packing")?, Given::read(array, "array")?) };
        if let Some(brought) = given.element {
            let wrong = |argument| Refusal::of_move(own.packing.rank(), argument);
            element::check(own.element, brought).map_err(wrong)?;
        }
        own.memory(given.address, given.len, "array")?;
        let len = length(given.len, "array.len")?;
        let (shape, strides) = match &given.shape {
            Some(shape) => (shape.extents(), shape.strides()),
            None => (&[][..], &[][..]),
        };
        own.packing.check_array(side, len, shape, strides).map_err(Refusal::shape)
    })
}

/// Packs the message to `peer` into a buffer. Lengths are in elements. Array and buffer must not
/// overlap. The first call of a packing plans. The order of elements is that of `redist_run`'s
/// messages, and another one than that of views.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_pack(
    packing: *const Packing,
    array: *const c_void,
    array_len: i64,
    peer: i64,
    buffer: *mut c_void,
    buffer_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live packing.
        let own = unsafe { reference(packing, "packing") }?;
        let from = own.memory(array.addr(), array_len, "array")?;
        let to = own.memory(buffer.addr(), buffer_len, "buffer")?;
        let peer = own.peer(Side::Source, peer)?;
        apart(&[from, to])?;
        // SAFETY: neither is NULL unless it has no elements, as `memory` found. The header demands
        // that many elements, which nothing else uses; they are apart.
        let (from, to) = unsafe {
            (optional(array.cast::<u8>(), from.bytes), bytes_mut(buffer.cast::<u8>(), to.bytes))
        };
        Ok(own.packing.pack(from, peer, to)?)
    })
}

/// Unpacks the message from `peer`, which a buffer has, into the array: see `redist_pack`. Elements
/// of no message stay as they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_unpack(
    packing: *const Packing,
    buffer: *const c_void,
    buffer_len: i64,
    peer: i64,
    array: *mut c_void,
    array_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live packing.
        let own = unsafe { reference(packing, "packing") }?;
        let from = own.memory(buffer.addr(), buffer_len, "buffer")?;
        let to = own.memory(array.addr(), array_len, "array")?;
        let peer = own.peer(Side::Destination, peer)?;
        apart(&[from, to])?;
        // SAFETY: neither is NULL unless it has no elements, as `memory` found. The header demands
        // that many elements, which nothing else uses; they are apart.
        let (from, to) = unsafe {
            (optional(buffer.cast::<u8>(), from.bytes), bytes_mut(array.cast::<u8>(), to.bytes))
        };
        Ok(own.packing.unpack(from, peer, to)?)
    })
}

/// Packs all messages by the kernels of `redist_run`, which read the array once. There are `count`
/// buffers, in the order of the messages, each as long as its message. Array and buffers must not
/// overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_pack_all(
    packing: *const Packing,
    array: *const c_void,
    array_len: i64,
    buffers: *const *mut c_void,
    count: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live packing, and NULL or so many pointers.
        let (own, given) = unsafe { (reference(packing, "packing")?, many(buffers, count)?) };
        let from = own.memory(array.addr(), array_len, "array")?;
        let addresses: Vec<usize> = given.iter().map(|buffer| buffer.addr()).collect();
        let mut all = own.buffers(Side::Source, &addresses)?;
        let lens: Vec<usize> = all.iter().map(|one| one.bytes).collect();
        all.push(from);
        apart(&all)?;
        let to = given.iter().zip(lens);
        // SAFETY: no buffer is NULL, as `buffers` found. The header demands memory of its message
        // there, which nothing else uses; all are apart.
        let to = to.map(|(buffer, bytes)| unsafe { bytes_mut(buffer.cast::<u8>(), bytes) });
        // SAFETY: it is not NULL unless it has no elements, as `memory` found. The header demands that
        // many elements, which nothing writes to.
        let from = unsafe { optional(array.cast::<u8>(), from.bytes) };
        Ok(own.packing.pack_all(from, &mut to.collect::<Vec<_>>())?)
    })
}

/// Unpacks all messages by the kernels of `redist_run`: see `redist_pack_all`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_unpack_all(
    packing: *const Packing,
    buffers: *const *const c_void,
    count: i64,
    array: *mut c_void,
    array_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live packing, and NULL or so many pointers.
        let (own, given) = unsafe { (reference(packing, "packing")?, many(buffers, count)?) };
        let to = own.memory(array.addr(), array_len, "array")?;
        let addresses: Vec<usize> = given.iter().map(|buffer| buffer.addr()).collect();
        let all = own.buffers(Side::Destination, &addresses)?;
        all.iter().try_for_each(|one| apart(&[*one, to]))?;
        let from = given.iter().zip(&all);
        // SAFETY: no buffer is NULL, as `buffers` found. The header demands memory of its message
        // there, which nothing writes to.
        let from = from.map(|(buffer, one)| unsafe { optional(buffer.cast::<u8>(), one.bytes) });
        // SAFETY: it is not NULL unless it has no elements, as `memory` found. The header demands that
        // many elements, which nothing else uses; no buffer has any of them.
        let to = unsafe { bytes_mut(array.cast::<u8>(), to.bytes) };
        Ok(own.packing.unpack_all(&mut from.collect::<Vec<_>>(), to)?)
    })
}

/// As `redist_pack_all`, with one buffer that has all messages, one after the other in their order, as
/// `MPI_Alltoallv` takes it. `buffer_len` is their sum.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_pack_joined(
    packing: *const Packing,
    array: *const c_void,
    array_len: i64,
    buffer: *mut c_void,
    buffer_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live packing.
        let own = unsafe { reference(packing, "packing") }?;
        let from = own.memory(array.addr(), array_len, "array")?;
        let to = own.memory(buffer.addr(), buffer_len, "buffer")?;
        let lens = own.joined(Side::Source, to)?;
        apart(&[from, to])?;
        // SAFETY: neither is NULL unless it has no elements, as `memory` found. The header demands
        // that many elements, which nothing else uses; they are apart.
        let (from, mut to) = unsafe {
            (optional(array.cast::<u8>(), from.bytes), bytes_mut(buffer.cast::<u8>(), to.bytes))
        };
        let parts = lens.into_iter().map(|len| to.split_off_mut(..len).expect("as long as all"));
        Ok(own.packing.pack_all(from, &mut parts.collect::<Vec<_>>())?)
    })
}

/// Unpacks the messages of one buffer: see `redist_pack_joined`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_unpack_joined(
    packing: *const Packing,
    buffer: *const c_void,
    buffer_len: i64,
    array: *mut c_void,
    array_len: i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live packing.
        let own = unsafe { reference(packing, "packing") }?;
        let from = own.memory(buffer.addr(), buffer_len, "buffer")?;
        let to = own.memory(array.addr(), array_len, "array")?;
        let lens = own.joined(Side::Destination, from)?;
        apart(&[from, to])?;
        // SAFETY: neither is NULL unless it has no elements, as `memory` found. The header demands
        // that many elements, which nothing else uses; they are apart.
        let (mut from, to) = unsafe {
            (optional(buffer.cast::<u8>(), from.bytes), bytes_mut(array.cast::<u8>(), to.bytes))
        };
        let parts = lens.into_iter().map(|len| from.split_off(..len).expect("as long as all"));
        Ok(own.packing.unpack_all(&mut parts.collect::<Vec<_>>(), to)?)
    })
}

/// # Safety
/// The pointer is NULL, or points to `count` pointers that are not written to in `'a`.
unsafe fn many<'a, T>(buffers: *const T, count: i64) -> Result<&'a [T], Refusal> {
    let count = length(count, "count")?;
    // SAFETY: the caller promises NULL or so many.
    unsafe { list(buffers, count, "buffers") }
}
