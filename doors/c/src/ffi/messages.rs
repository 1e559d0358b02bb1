//! Messages of a plan as strided boxes, for a caller who sends them. Unsafe, because C passes
//! pointers.

use super::plan::{Plan, rank_of};
use super::side;
use crate::guard::guarded;
use crate::pointers::{put_handle, put_numbers, reference, taken};
use crate::status::{Refusal, Status};
use redist::Side;
use redist::plan::{MessageViews, RankMessages};

/// Messages that one rank sends, or those that it receives. They never change, and several threads may
/// use them at a time.
pub struct Messages(Vec<MessageViews>);

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Messages>();
};

impl Messages {
    fn message(&self, number: i64) -> Result<&MessageViews, Refusal> {
        let found = usize::try_from(number).ok().and_then(|number| self.0.get(number));
        found.ok_or_else(|| {
            let count = self.0.len();
            Refusal::argument(format!("`message` is {number}, but there are {count}, from 0 on"))
        })
    }
}

/// Tells the messages that a rank sends (REDIST_SOURCE) or receives (REDIST_DESTINATION), for a
/// transport of the caller's own. Elements that stay on the rank are a message to itself. Each message
/// is some views: strided boxes of the sender's and of the receiver's dense local array, which list the
/// same elements in the same order. The sender copies its boxes to a buffer, one after the other, and
/// the receiver copies the buffer to its own. Ranks from the number of `redist_plan_size` on are
/// refused. The messages outlive the plan, and are to be freed by `redist_messages_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_messages(
    plan: *const Plan,
    side: i32,
    rank: i64,
    messages: *mut *mut Messages,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the handle.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let RankMessages { sends, receives } = plan.messages(rank_of(plan, rank)?);
            let all = if side == Side::Source { sends } else { receives };
            put_handle(messages, Messages(all), "messages")
        }
    })
}

/// Frees messages. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_messages_free(messages: *mut Messages) {
    guarded(|| {
        // SAFETY: the header demands NULL, or messages of `put_handle`, which nothing uses after
        // this call.
        drop(unsafe { taken(messages) });
        Ok(())
    });
}

/// Stores the number of messages, which are sorted by the other rank. None is empty.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_messages_size(
    messages: *const Messages,
    count: *mut i64,
) -> Status {
    guarded(|| {
        if count.is_null() {
            return Err(Refusal::null("count"));
        }
        // SAFETY: the header demands NULL or live messages, and a place for the number.
        unsafe { put_numbers(count, &[reference(messages, "messages")?.0.len()]) }
    })
}

/// Stores of a message, numbered from 0 on: the other rank, the number of elements, and the number of
/// views. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_message_views(
    messages: *const Messages,
    message: i64,
    peer: *mut i64,
    elements: *mut i64,
    views: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live messages, and NULL or a place for each number.
        unsafe {
            let message = reference(messages, "messages")?.message(message)?;
            put_numbers(peer, &[message.peer])?;
            put_numbers(elements, &[message.elements])?;
            put_numbers(views, &[message.len()])
        }
    })
}

/// A view of a message, and the caller's lists for it. Lists begin with the slowest axis.
#[repr(C)]
pub struct View {
    /// Entries that each list has, set by the caller.
    pub room: i32,
    /// Axes of the view; a view of a single element has none.
    pub axes: i32,
    /// A list for the elements along each axis, or NULL.
    pub shape: *mut i64,
    /// Elements before the first one in the sender's array.
    pub source_offset: i64,
    /// A list for the elements from neighbour to neighbour in the sender's array, or NULL.
    pub source_strides: *mut i64,
    /// Elements before the first one in the receiver's array.
    pub destination_offset: i64,
    /// A list for the elements from neighbour to neighbour in the receiver's array, or NULL.
    pub destination_strides: *mut i64,
}

/// Stores one view of a message, both numbered from 0 on. If the view has more axes than the lists have
/// room, only their number is stored, and the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_message_view(
    messages: *const Messages,
    message: i64,
    number: i64,
    view: *mut View,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live messages, and NULL or a view that nothing else
        // uses now. Its lists are NULL or have as many entries as it says, and no more are stored.
        unsafe {
            let message = reference(messages, "messages")?.message(message)?;
            let found = usize::try_from(number).ok().and_then(|number| message.view(number));
            let found = found.ok_or_else(|| {
                let count = message.len();
                Refusal::argument(format!("`number` is {number}, but there are {count}, from 0 on"))
            })?;
            let view = view.as_mut().ok_or_else(|| Refusal::null("view"))?;
            let count = found.shape.len();
            view.axes = count as i32;
            if !usize::try_from(view.room).is_ok_and(|room| room >= count) {
                return Err(Refusal::argument(format!(
                    "`room` is {}, but the view has {count} axes; bring longer lists",
                    view.room
                )));
            }
            put_numbers(view.shape, &found.shape)?;
            put_numbers(&raw mut view.source_offset, &[found.source.offset])?;
            put_numbers(view.source_strides, &found.source.strides)?;
            put_numbers(&raw mut view.destination_offset, &[found.destination.offset])?;
            put_numbers(view.destination_strides, &found.destination.strides)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::plan::{redist_plan_free, redist_plan_parse};
    use super::super::{REDIST_DESTINATION, REDIST_SOURCE};
    use super::*;
    use crate::ffi::library::redist_last_message;
    use std::ffi::CStr;
    use std::ptr::{null, null_mut};

    /// Shape, and offset and strides on each side.
    type Box = (Vec<i64>, [(i64, Vec<i64>); 2]);

    fn view(messages: *const Messages, number: i64, room: i32) -> (Status, i32, Option<Box>) {
        let (mut shape, [mut from, mut to]) = ([0; 8], [[0; 8]; 2]);
        let mut view = View {
            room,
            axes: -1,
            shape: shape.as_mut_ptr(),
            source_offset: -1,
            source_strides: from.as_mut_ptr(),
            destination_offset: -1,
            destination_strides: to.as_mut_ptr(),
        };
        // SAFETY: the messages are alive, and the view and its lists are of this function.
        let status = unsafe { redist_message_view(messages, 0, number, &raw mut view) };
        let View { axes, source_offset, destination_offset, .. } = view;
        let some = (status == Status::RedistOk).then(|| {
            let list = |all: &[i64]| all[..axes as usize].to_vec();
            (list(&shape), [(source_offset, list(&from)), (destination_offset, list(&to))])
        });
        (status, axes, some)
    }

    fn messages_of(side: i32, rank: i64) -> Result<*mut Messages, Status> {
        let (mut plan, mut messages) = (null_mut(), null_mut());
        let [from, to] = [c"(cyclic(2), *) onto 2", c"(*, block) onto 3"];
        // SAFETY: extents have an entry for each dimension, texts end, and the places are of this
        // function. The plan is freed once; its messages outlive it.
        let status = unsafe {
            let extents = [8, 6];
            redist_plan_parse(2, extents.as_ptr(), from.as_ptr(), to.as_ptr(), &raw mut plan);
            let status = redist_plan_messages(plan, side, rank, &raw mut messages);
            redist_plan_free(plan);
            status
        };
        if status == Status::RedistOk { Ok(messages) } else { Err(status) }
    }

    fn last() -> String {
        // SAFETY: the message ends with a zero, and stays until the next failed call.
        unsafe { CStr::from_ptr(redist_last_message()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn messages_are_told_as_boxes_of_both_arrays() {
        let sends = messages_of(REDIST_SOURCE, 1).unwrap();
        let (mut count, mut peer, mut elements, mut views) = (0, 0, 0, 0);
        // SAFETY: the messages are alive, and the places are of this function.
        unsafe {
            assert_eq!(redist_messages_size(sends, &raw mut count), Status::RedistOk);
            let told =
                redist_message_views(sends, 2, &raw mut peer, &raw mut elements, &raw mut views);
            assert_eq!(told, Status::RedistOk);
        }
        assert_eq!((count, peer, elements, views), (3, 2, 8, 1));
        let rows = (0, vec![12, 6, 1]);
        let columns = (4, vec![8, 2, 1]);
        assert_eq!(view(sends, 0, 8).2, Some((vec![2, 2, 2], [rows, columns])));
        let (status, axes, _) = view(sends, 0, 2);
        assert_eq!((status, axes), (Status::RedistArgument, 3));
        assert!(last().contains("`room` is 2, but the view has 3 axes"), "{}", last());
        assert_eq!(view(sends, 1, 8).0, Status::RedistArgument);
        assert!(last().contains("`number` is 1, but there are 1, from 0 on"), "{}", last());
        // SAFETY: the messages are alive until they are freed, once.
        unsafe {
            let told = redist_message_views(sends, 3, null_mut(), null_mut(), null_mut());
            assert_eq!(told, Status::RedistArgument);
            assert!(last().contains("`message` is 3, but there are 3"), "{}", last());
            redist_messages_free(sends);
        }
    }

    #[test]
    fn wrong_calls_are_refused() {
        assert_eq!(messages_of(REDIST_DESTINATION, 3), Err(Status::RedistArgument));
        assert_eq!(messages_of(2, 0), Err(Status::RedistArgument));
        // SAFETY: all pointers are NULL, which both functions allow or refuse.
        unsafe {
            assert_eq!(redist_messages_size(null(), null_mut()), Status::RedistNull);
            redist_messages_free(null_mut());
        }
        let none = messages_of(REDIST_DESTINATION, 2).unwrap();
        // SAFETY: the messages are alive until they are freed, once.
        unsafe {
            let told = redist_message_view(none, 0, 0, null_mut());
            assert_eq!(told, Status::RedistNull);
            redist_messages_free(none);
        }
    }
}
