//! Surrounds every function that C calls, and keeps panics inside.

use crate::status::{Refusal, Status};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Calls `body`; its refusal or panic becomes a status, and this thread's last message.
pub fn guarded(body: impl FnOnce() -> Result<(), Refusal>) -> Status {
    // A panic may leave only a bound plan half done. Rust uses it after panics, too, and it knows
    // whether a move is under way. All else was made in `body`, and is gone.
    let done = catch_unwind(AssertUnwindSafe(body));
    let refusal = match done {
        Ok(Ok(())) => return Status::RedistOk,
        Ok(Err(refusal)) => refusal,
        Err(panic) => Refusal::new(Status::RedistPanic, words(panic)),
    };
    let message = terminated(refusal.message);
    // A thread that is about to end keeps no message.
    let _ = LAST.try_with(|last| last.replace(message));
    refusal.status
}

fn words(panic: Box<dyn Any + Send>) -> String {
    let said = panic.downcast_ref::<String>().cloned();
    let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
    // A payload whose drop panics must not do so here.
    std::mem::forget(panic);
    format!("the library has panicked: {}", said.as_deref().unwrap_or("it does not say why"))
}

pub fn terminated(text: impl Into<Vec<u8>>) -> CString {
    let mut bytes = text.into();
    bytes.retain(|byte| *byte != 0);
    CString::new(bytes).unwrap_or_default()
}

/// Returns this thread's last message, which stays until the next one.
pub fn last_message() -> *const c_char {
    let nothing: &'static CStr = c"";
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(nothing.as_ptr())
}

/// Returns a copy of this thread's last message.
pub fn last_words() -> String {
    LAST.try_with(|last| last.borrow().to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{last_words as last, *};

    #[test]
    fn panics_are_statuses_with_words() {
        assert_eq!(guarded(|| panic!("ouch")), Status::RedistPanic);
        assert_eq!(last(), "the library has panicked: ouch");
        assert_eq!(guarded(|| panic!("at {}", 3)), Status::RedistPanic);
        assert_eq!(last(), "the library has panicked: at 3");
        assert_eq!(guarded(|| std::panic::panic_any(7)), Status::RedistPanic);
        assert_eq!(last(), "the library has panicked: it does not say why");
    }

    #[test]
    fn messages_are_of_their_thread_and_stay() {
        assert_eq!(guarded(|| Err(Refusal::argument("a\0b"))), Status::RedistArgument);
        assert_eq!(guarded(|| Ok(())), Status::RedistOk);
        assert_eq!(last(), "ab");
        std::thread::spawn(|| assert_eq!(last(), "")).join().unwrap();
    }
}
