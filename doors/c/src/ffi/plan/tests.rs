//! Plans as C makes them.

use super::super::{REDIST_DESTINATION, REDIST_SOURCE};
use super::*;
use crate::ffi::library::{redist_last_message, redist_text_free};
use crate::layout::REDIST_COLLAPSED;
use std::ffi::{CStr, CString};
use std::ptr::null_mut;

fn parsed(extents: &[i64], from: &str, to: &str) -> Result<*mut Plan, (Status, String)> {
    let [from, to] = [from, to].map(|text| CString::new(text).unwrap());
    let mut plan = null_mut();
    let dimensions = extents.len() as i32;
    // SAFETY: all pointers are of values of this function, which live until the call returns.
    let status = unsafe {
        redist_plan_parse(dimensions, extents.as_ptr(), from.as_ptr(), to.as_ptr(), &raw mut plan)
    };
    if status == Status::RedistOk { Ok(plan) } else { Err((status, last())) }
}

fn last() -> String {
    // SAFETY: the message ends with a zero, and stays until the next failed call.
    unsafe { CStr::from_ptr(redist_last_message()) }.to_str().unwrap().to_owned()
}

fn layout(plan: *const Plan, side: i32) -> String {
    let mut text = null_mut();
    // SAFETY: the plan is alive, the text is freed once and ends with a zero.
    unsafe {
        assert_eq!(redist_plan_layout(plan, side, &raw mut text), Status::RedistOk);
        let words = CStr::from_ptr(text).to_str().unwrap().to_owned();
        redist_text_free(text);
        words
    }
}

#[test]
fn plans_say_who_holds_what() {
    let plan = parsed(&[6, 5], "(block, *) onto 2", "(*, cyclic(2)) onto 3 storage fortran");
    let plan = plan.unwrap();
    let (mut extents, mut strides, mut len) = ([0; 2], [0; 2], 0);
    let (mut dimensions, mut ranks, mut index) = (0, 0, [0; 2]);
    // SAFETY: the plan is alive until the end. All other pointers are of arrays of this function
    // with two entries, or of numbers.
    unsafe {
        let (extents_at, strides_at) = (extents.as_mut_ptr(), strides.as_mut_ptr());
        let side = REDIST_DESTINATION;
        let found = redist_plan_local(plan, side, 1, extents_at, strides_at, &raw mut len);
        assert_eq!(found, Status::RedistOk);
        assert_eq!((extents, strides, len), ([6, 2], [1, 6], 12));
        redist_plan_size(plan, &raw mut dimensions, &raw mut ranks);
        assert_eq!((dimensions, ranks), (2, 3));
        redist_plan_global_index(plan, side, 1, 7, index.as_mut_ptr());
        assert_eq!(index, [1, 3]);
        let outside = redist_plan_global_index(plan, side, 1, 12, index.as_mut_ptr());
        assert_eq!(
            (outside, last().as_str()),
            (Status::RedistArgument, "rank 1 has no element at offset 12")
        );
        let mut back = null_mut();
        assert_eq!(redist_plan_inverse(plan, &raw mut back), Status::RedistOk);
        assert_eq!(layout(back, REDIST_SOURCE), layout(plan, REDIST_DESTINATION));
        redist_plan_free(back);
        redist_plan_free(plan);
    }
}

#[test]
fn numbers_and_words_plan_alike() {
    let (blocks, grid) = ([3, 2], [2, 3]);
    let from = Layout {
        size: size_of::<Layout>(),
        blocks: blocks.as_ptr(),
        grid: grid.as_ptr(),
        first: std::ptr::null(),
        ranks: std::ptr::null(),
        ranks_len: 0,
        column_major_ranks: 0,
        fortran: 1,
        sizes: std::ptr::null(),
        sizes_len: 0,
        axes: std::ptr::null(),
        of: std::ptr::null(),
        at: std::ptr::null(),
    };
    let one = [REDIST_COLLAPSED; 2];
    let to = Layout { blocks: one.as_ptr(), fortran: 0, ..from };
    let mut plan = null_mut();
    // SAFETY: the lists have two entries. Lists and plan live until the plan is freed.
    unsafe {
        let made = redist_plan_numbers(2, [10, 9].as_ptr(), &from, &to, &raw mut plan);
        assert_eq!(made, Status::RedistOk);
        assert_eq!(
            layout(plan, REDIST_SOURCE),
            "(cyclic(3), cyclic(2)) onto (2, 3) storage fortran"
        );
        redist_plan_free(plan);
        let old = Layout { size: 8, ..from };
        let made = redist_plan_numbers(2, [10, 9].as_ptr(), &old, &to, &raw mut plan);
        assert_eq!(made, Status::RedistArgument);
        assert!(last().contains("`redist_layout.size` is 8"), "{}", last());
        let short = Layout { grid: std::ptr::null(), ..from };
        let made = redist_plan_numbers(2, [10, 9].as_ptr(), &short, &to, &raw mut plan);
        assert_eq!((made, last().as_str()), (Status::RedistNull, "`from.grid` is NULL"));
    }
}

#[test]
fn what_is_wrong_is_said() {
    let refused = |extents: &[i64], from, to| parsed(extents, from, to).unwrap_err();
    let (status, message) = refused(&[4], "blok onto 2", "block onto 2");
    assert_eq!(status, Status::RedistLayout);
    assert!(message.contains("did you mean `block`"), "{message}");
    assert_eq!(refused(&[1; 9], "", "").0, Status::RedistArgument);
    assert_eq!(refused(&[1; 9], "", "").1, "`dimensions` is 9, and must be 0 to 8");
    assert_eq!(refused(&[], "*", "()").0, Status::RedistLayout);
    assert_eq!(refused(&[-4], "(*)", "(*)").1, "`extents` is -4, and must not be negative");
    let text = CString::new("(*)").unwrap();
    // SAFETY: pointers are NULL, or of values that live until the call returns.
    unsafe {
        let at = text.as_ptr();
        let nowhere = redist_plan_parse(1, [4].as_ptr(), at, at, null_mut());
        assert_eq!((nowhere, last().as_str()), (Status::RedistNull, "`plan` is NULL"));
        let mut plan = null_mut();
        let no_list = redist_plan_parse(1, std::ptr::null(), at, at, &raw mut plan);
        assert_eq!((no_list, last().as_str()), (Status::RedistNull, "`extents` is NULL"));
        let latin = redist_plan_parse(1, [4].as_ptr(), c"\xe9".as_ptr(), at, &raw mut plan);
        assert_eq!((latin, last().as_str()), (Status::RedistArgument, "`from` is not UTF-8"));
        assert_eq!(redist_plan_explain(std::ptr::null(), null_mut()), Status::RedistNull);
        assert_eq!(
            redist_plan_local(null_mut(), 2, 0, null_mut(), null_mut(), null_mut()),
            Status::RedistArgument
        );
        redist_plan_free(null_mut());
        redist_text_free(null_mut());
    }
}

#[test]
fn plans_say_who_sends_whom_how_much() {
    let plan = parsed(&[6, 5], "(block, *) onto 2", "(*, cyclic(2)) onto 3 storage fortran");
    let plan = plan.unwrap();
    let volume = |from: i64, to: i64| {
        let mut elements = -1;
        // SAFETY: the plan is alive, and the place is of this function.
        let status = unsafe { redist_plan_volume(plan, from, to, &raw mut elements) };
        (status, elements)
    };
    let sent = |from| [0, 1, 2].map(|to| volume(from, to).1);
    assert_eq!([sent(0), sent(1), sent(2)], [[6, 6, 3], [6, 6, 3], [0; 3]]);
    assert_eq!(volume(0, 3), (Status::RedistArgument, -1));
    let owner = |side: i32, index: [i64; 2]| {
        let mut rank = -1;
        // SAFETY: the plan is alive, the index has two entries, and the place is of this function.
        let status = unsafe { redist_plan_owner(plan, side, index.as_ptr(), &raw mut rank) };
        (status, rank)
    };
    assert_eq!(owner(REDIST_SOURCE, [3, 0]), (Status::RedistOk, 1));
    assert_eq!(owner(REDIST_DESTINATION, [0, 4]), (Status::RedistOk, 2));
    for outside in [[6, 0], [0, -1]] {
        assert_eq!(owner(REDIST_SOURCE, outside), (Status::RedistArgument, -1));
    }
    // SAFETY: the plan is alive, and freed once.
    unsafe { redist_plan_free(plan) };
}

#[test]
fn ranks_that_are_none_are_refused() {
    let plan = parsed(&[6, 5], "(block, *) onto 2", "(*, block) onto 1").unwrap();
    let mut index = [0; 2];
    for rank in [-1, 2, 7, i64::MAX] {
        let (mut len, nothing) = (0, null_mut());
        // SAFETY: the plan is alive, and pointers are NULL or to values of this function.
        unsafe {
            let of = redist_plan_local(plan, REDIST_SOURCE, rank, nothing, nothing, &raw mut len);
            assert_eq!(of, Status::RedistArgument);
            assert!(
                last().contains(&format!("`rank` is {rank}, but the plan has 2 ranks, 0 to 1"))
            );
            let at = redist_plan_global_index(plan, REDIST_SOURCE, rank, 0, index.as_mut_ptr());
            assert_eq!(at, Status::RedistArgument);
            assert!(last().contains("the plan has 2 ranks"), "{}", last());
        }
    }
    // SAFETY: the plan is alive, and freed once.
    unsafe { redist_plan_free(plan) };
}
