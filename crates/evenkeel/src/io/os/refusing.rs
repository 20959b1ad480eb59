//! For tests: a kernel that refuses.

use std::io;

/// Runs `f` in a thread of its own whose fsync and fdatasync fail with EIO; other threads are as before.
pub fn without_syncs<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|s| s.spawn(|| refuse_syncs().map(|()| f()).unwrap()).join().unwrap())
}

/// Fails this thread's syncs from here on.
fn refuse_syncs() -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    // The call's number is the first word of what a filter sees.
    let mut filter = [
        step(LOAD, 0, 0, 0),
        step(EQUAL, 1, 0, libc::SYS_fsync as u32),
        step(EQUAL, 0, 1, libc::SYS_fdatasync as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EIO as u32),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the first call takes numbers only; the second a program that outlives it, which the kernel copies and checks. Both are of this thread alone.
    let done = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    };
    if done { Ok(()) } else { Err(io::Error::last_os_error()) }
}
