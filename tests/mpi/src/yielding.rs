//! A timer that makes this process yield its core. Unsafe, because it asks the system for a signal.

use std::ffi::c_int;
use std::io;
use std::mem;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Microseconds from one handler's end to the next signal.
static INTERVAL: AtomicU32 = AtomicU32::new(0);

/// Yields, and asks for the next signal. A timer of its own pace would send signals faster than a
/// handler runs where a yield takes long, and this process would do nothing but handle them.
extern "C" fn yields(_: c_int) {
    // SAFETY: the call takes no argument, and a signal handler may make it: it neither allocates
    // nor locks.
    unsafe { libc::sched_yield() };
    // It fails for a wrong interval alone, which `after_every` has tried.
    let _ = ask_once();
}

/// Asks for one signal, after the interval.
fn ask_once() -> c_int {
    let none = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let after = libc::timeval { tv_sec: 0, tv_usec: INTERVAL.load(Ordering::Relaxed).into() };
    let timer = libc::itimerval { it_interval: none, it_value: after };
    // SAFETY: `timer` is valid, its signal has a handler, and a handler may make this system call.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, null_mut()) }
}

pub fn after_every(interval: Duration) -> io::Result<()> {
    // SAFETY: all zeros are a `sigaction`: an empty mask, no flags, and the default action.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = yields as extern "C" fn(c_int) as libc::sighandler_t;
    // System calls continue after it.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `action` is valid, and its handler may run at any time.
    checked(unsafe { libc::sigaction(libc::SIGALRM, &action, null_mut()) })?;
    INTERVAL.store(interval.subsec_micros(), Ordering::Relaxed);
    checked(ask_once())
}

fn checked(status: c_int) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
