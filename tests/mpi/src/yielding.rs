//! A timer that makes this process yield its core. Unsafe, because it asks the system for a signal.

use std::ffi::c_int;
use std::io;
use std::mem;
use std::ptr::null_mut;
use std::time::Duration;

extern "C" fn yields(_: c_int) {
    // SAFETY: the call takes no argument, and a signal handler may make it: it neither allocates
    // nor locks.
    unsafe { libc::sched_yield() };
}

pub fn after_every(interval: Duration) -> io::Result<()> {
    // SAFETY: all zeros are a `sigaction`: an empty mask, no flags, and the default action.
    let mut action: libc::sigaction = unsafe { mem::zeroed() };
    action.sa_sigaction = yields as extern "C" fn(c_int) as libc::sighandler_t;
    // System calls continue after it.
    action.sa_flags = libc::SA_RESTART;
    // SAFETY: `action` is valid, and its handler may run at any time.
    checked(unsafe { libc::sigaction(libc::SIGALRM, &action, null_mut()) })?;
    let interval = libc::timeval { tv_sec: 0, tv_usec: interval.subsec_micros().into() };
    let timer = libc::itimerval { it_interval: interval, it_value: interval };
    // SAFETY: `timer` is valid, and its signal has a handler.
    checked(unsafe { libc::setitimer(libc::ITIMER_REAL, &timer, null_mut()) })
}

fn checked(status: c_int) -> io::Result<()> {
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
