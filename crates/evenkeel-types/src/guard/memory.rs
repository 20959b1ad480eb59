//! The process's memory: counted where it is allocated, limited by `memory_limit`.
//!
//! [`Counting`] is the allocator of a program that serves: whatever is allocated is counted, be it the buffer pool, undo, a client's message, a syntax
//! tree, a hash table or a row on its way out; so nothing can be forgotten. Threads keep a balance of their own and settle it in batches: an allocation
//! costs two additions more. In a program with another allocator the count stays at zero, and only what is admitted in advance is limited.
//!
//! Invariants:
//! 1. The total is at most [`BATCH_BYTES`] a thread away from what is allocated.
//! 2. Bytes that were admitted are part of the total from then on: two statements cannot be admitted for the same bytes.
//! 3. The statement that took much gives way. One that holds less than [`SMALL_BYTES`] goes on up to a twentieth beyond the limit, one that holds less than
//!    [`TINY_BYTES`] up to twice the limit: what others took at one go, and give back as soon as they look, is none of its business.
//! 4. What is freed goes back to the system: at once where it is large ([`LARGE_BLOCK_BYTES`]), the rest before much is admitted and when a
//!    statement or a session's turn ends, once the total has fallen by much ([`TRIM_BYTES`]).
//!
//! Must not know: statements.

use crate::error::{SqlError, SqlState};
use libmimalloc_sys::{
    mi_collect, mi_free, mi_malloc, mi_malloc_aligned, mi_option_set, mi_option_t, mi_realloc_aligned,
    mi_zalloc, mi_zalloc_aligned,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ffi::c_long;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

/// A thread's balance is settled when it is this far from zero.
const BATCH_BYTES: isize = 32 << 10;
/// What a statement may hold and go on, when memory is short.
const SMALL_BYTES: usize = 1 << 20;
/// What a statement may hold and go on, whoever made it short.
const TINY_BYTES: usize = 64 << 10;
/// What the allocator adds to a block, and to what it rounds up.
const BLOCK_BYTES: usize = 8;
const ROUND_BYTES: usize = 16;

static TOTAL: AtomicIsize = AtomicIsize::new(0);
static LIMIT: AtomicIsize = AtomicIsize::new(isize::MAX);
/// Some thread found the total beyond the limit, and none has found it below since.
static TIGHT: AtomicBool = AtomicBool::new(false);

/// The largest total since memory was last given back to the system: the allocator may keep as much as lies between it and the total.
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// That is done again when so much does, or the part of the limit below, if that is less. Rejected: counting what is freed; many small statements free much
/// that the next one uses, and giving it back costs all of them page faults.
const TRIM_BYTES: isize = 64 << 20;
const TRIM_PART: isize = 32;
/// Blocks from this size on are the system's own: they go back to it when they are freed, and while they grow they are moved without being copied.
const LARGE_BLOCK_BYTES: usize = 1 << 20;
/// How long mimalloc keeps what is free, milliseconds, where the limit is below the next: beyond, a tenth of it is more than is free in its own usual second.
const KEPT_FREE_MS: c_long = 10;
const KEPT_LONGER_BYTES: usize = 4 << 30;
/// `mi_option_purge_delay` of mimalloc.h, which the bindings leave out.
const PURGE_DELAY: mi_option_t = 15;

struct Balance {
    /// Taken less given back, ever.
    net: Cell<isize>,
    /// Of it, what the total does not have yet.
    unsettled: Cell<isize>,
    /// Admitted, part of the total, and not allocated yet.
    admitted: Cell<isize>,
}

thread_local! {
    static BALANCE: Balance =
        const { Balance { net: Cell::new(0), unsettled: Cell::new(0), admitted: Cell::new(0) } };
}

fn add(bytes: isize) {
    let total = TOTAL.fetch_add(bytes, Relaxed) + bytes;
    let tight = total > LIMIT.load(Relaxed);
    if TIGHT.load(Relaxed) != tight {
        TIGHT.store(tight, Relaxed);
    }
    if total > PEAK.load(Relaxed) {
        PEAK.fetch_max(total, Relaxed);
    }
}

#[inline]
fn note(bytes: isize) {
    // A thread that is ending has no balance any more.
    let _ = BALANCE.try_with(|b| {
        b.net.set(b.net.get() + bytes);
        let mut rest = bytes;
        let admitted = b.admitted.get();
        if admitted > 0 && rest > 0 {
            let covered = admitted.min(rest);
            b.admitted.set(admitted - covered);
            rest -= covered;
        }
        let unsettled = b.unsettled.get() + rest;
        if unsettled.abs() < BATCH_BYTES {
            b.unsettled.set(unsettled);
        } else {
            b.unsettled.set(0);
            add(unsettled);
        }
    });
}

/// Small blocks by mimalloc, large ones by the system's allocator; all of them counted. (4)
pub struct Counting;

#[inline]
fn block_bytes(size: usize) -> isize {
    ((size + BLOCK_BYTES + ROUND_BYTES - 1) & !(ROUND_BYTES - 1)) as isize
}

#[inline]
fn is_large(bytes: usize) -> bool {
    bytes >= LARGE_BLOCK_BYTES
}

/// Every block of mimalloc's is aligned to a word. Its calls that take an alignment would be slower: they search only for sizes that are powers of two,
/// take a larger block for all others, and let the free path look where the block began.
#[inline]
fn is_plain(layout: &Layout) -> bool {
    layout.align() <= size_of::<usize>()
}

unsafe fn small_alloc(layout: &Layout) -> *mut u8 {
    // SAFETY: any size and any power of two are allowed.
    let p = unsafe {
        if is_plain(layout) {
            mi_malloc(layout.size())
        } else {
            mi_malloc_aligned(layout.size(), layout.align())
        }
    };
    p.cast()
}

unsafe fn small_alloc_zeroed(layout: &Layout) -> *mut u8 {
    // SAFETY: any size and any power of two are allowed.
    let p = unsafe {
        if is_plain(layout) {
            mi_zalloc(layout.size())
        } else {
            mi_zalloc_aligned(layout.size(), layout.align())
        }
    };
    p.cast()
}

// SAFETY: every call is passed on as it is to one of two allocators, chosen by the size, which the caller repeats when it gives a block back; counting
// allocates nothing and does not unwind.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let large = is_large(layout.size());
        // SAFETY: the caller's promise is passed on.
        let p = unsafe { if large { System.alloc(layout) } else { small_alloc(&layout) } };
        if !p.is_null() {
            note(block_bytes(layout.size()));
        }
        p
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let large = is_large(layout.size());
        // SAFETY: the caller's promise is passed on.
        let p = unsafe { if large { System.alloc_zeroed(layout) } else { small_alloc_zeroed(&layout) } };
        if !p.is_null() {
            note(block_bytes(layout.size()));
        }
        p
    }

    unsafe fn realloc(&self, p: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on; where the block goes to the other allocator, both blocks have room for what is copied, and the new size
        // was promised to be a layout's.
        let new = unsafe {
            match (is_large(layout.size()), is_large(new_size)) {
                (true, true) => System.realloc(p, layout, new_size),
                (false, false) => mi_realloc_aligned(p.cast(), new_size, layout.align()).cast(),
                _ => {
                    let new = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
                    if !new.is_null() {
                        std::ptr::copy_nonoverlapping(p, new, layout.size().min(new_size));
                        self.dealloc(p, layout);
                    }
                    return new;
                }
            }
        };
        if !new.is_null() {
            note(block_bytes(new_size) - block_bytes(layout.size()));
        }
        new
    }

    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        let large = is_large(layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { if large { System.dealloc(p, layout) } else { mi_free(p.cast()) } };
        note(-block_bytes(layout.size()));
    }
}

/// Limits the process; `None`: no limit.
pub fn set_limit(bytes: Option<usize>) {
    let limit = bytes.and_then(|b| isize::try_from(b).ok()).unwrap_or(isize::MAX);
    LIMIT.store(limit, Relaxed);
    // The program itself is resident, too.
    static PROGRAM: OnceLock<Held> = OnceLock::new();
    PROGRAM.get_or_init(|| Held::new(program_bytes()));
    // SAFETY: they set parameters of the allocators under their own locks.
    unsafe {
        // The system's would keep ever larger blocks for itself once it has seen some freed.
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES as libc::c_int);
        if bytes.is_some_and(|b| b < KEPT_LONGER_BYTES) {
            mi_option_set(PURGE_DELAY, KEPT_FREE_MS);
        }
    }
}

/// Size of the program's code.
fn program_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|t| t.split(' ').nth(3)?.parse::<usize>().ok()).unwrap_or(0);
    // SAFETY: it asks for a constant of the system.
    let page_bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages * usize::try_from(page_bytes).unwrap_or(0)
}

/// The limit, if there is one.
pub fn limit_bytes() -> Option<usize> {
    Some(LIMIT.load(Relaxed)).filter(|l| *l != isize::MAX).and_then(|l| usize::try_from(l).ok())
}

/// What the process has allocated, or was admitted to.
pub fn total_bytes() -> usize {
    usize::try_from(TOTAL.load(Relaxed)).unwrap_or(0)
}

/// What this thread took less what it gave back.
pub(super) fn thread_bytes() -> isize {
    BALANCE.with(|b| b.net.get())
}

/// Whether the limit was passed.
#[inline]
pub fn is_tight() -> bool {
    TIGHT.load(Relaxed)
}

/// What was freed in small blocks goes back to the system, which the allocator does of itself only at the ends of its arenas. (4)
pub fn trim() {
    let total = TOTAL.load(Relaxed);
    if PEAK.load(Relaxed) - total > TRIM_BYTES.min(LIMIT.load(Relaxed) / TRIM_PART) {
        PEAK.store(total, Relaxed);
        // SAFETY: it takes the allocator's own locks, and nothing else.
        unsafe { mi_collect(true) };
    }
}

/// Gives back what was admitted and not used, and settles the thread's balance.
pub fn settle() {
    BALANCE.with(|b| {
        let left = b.admitted.take();
        if left != 0 {
            add(b.unsettled.take() - left);
        }
    });
}

/// A thread that ends leaves nothing open behind.
pub fn settle_thread() {
    BALANCE.with(|b| add(b.unsettled.take() - b.admitted.take()));
}

/// 53200
pub fn out_of_memory(detail: String) -> SqlError {
    SqlError::new(SqlState::OUT_OF_MEMORY, "out of memory").with_detail(detail)
}

fn passed(limit: isize) -> SqlError {
    out_of_memory(format!("The server's memory_limit of {} kB is reached.", limit >> 10))
}

/// For a statement that holds `own` bytes. (3)
pub fn check(own: usize) -> Result<(), SqlError> {
    let (total, limit) = (TOTAL.load(Relaxed), LIMIT.load(Relaxed));
    let allowed = if own < TINY_BYTES {
        limit.saturating_mul(2)
    } else if own < SMALL_BYTES {
        limit.saturating_add(limit / 20)
    } else {
        limit
    };
    if total > allowed { Err(passed(limit)) } else { Ok(()) }
}

/// Takes `bytes` in advance of their allocation. (2)
pub fn admit(bytes: usize, own: usize) -> Result<(), SqlError> {
    settle();
    // What others freed may still be resident.
    trim();
    let limit = LIMIT.load(Relaxed);
    let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
    let fits = |total: isize| total.checked_add(bytes).filter(|t| *t <= limit);
    if own.saturating_add(bytes as usize) < SMALL_BYTES {
        return check(own);
    }
    TOTAL.fetch_update(Relaxed, Relaxed, fits).map_err(|_| passed(limit))?;
    BALANCE.with(|b| b.admitted.set(bytes));
    Ok(())
}

/// Memory that no allocator counts, held until it is dropped.
pub struct Held(isize);

impl Held {
    /// Takes some, whatever there is.
    pub fn new(bytes: usize) -> Held {
        let bytes = isize::try_from(bytes).unwrap_or(0);
        add(bytes);
        Held(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        add(-self.0);
    }
}

/// Memory of the machine, or of the control group that the process is in: the smaller one.
pub fn machine_bytes() -> Option<usize> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let number = |text: String| text.trim().parse::<usize>().ok();
    let of_machine = read("/proc/meminfo").and_then(|t| {
        let kb = t.lines().find_map(|l| l.strip_prefix("MemTotal:"))?.trim().strip_suffix("kB")?;
        Some(kb.trim().parse::<usize>().ok()? << 10)
    });
    let mut found: Vec<usize> = of_machine.into_iter().collect();
    for line in read("/proc/self/cgroup").unwrap_or_default().lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        // A limit may stand at any level above; in a container the path seen from outside may not exist.
        let mut at = std::path::PathBuf::from(format!("{root}{path}"));
        loop {
            found.extend(read(&format!("{}/{file}", at.display())).and_then(number));
            if at.as_os_str() == root || !at.pop() || !at.starts_with(root) {
                break;
            }
        }
        found.extend(read(&format!("{root}/{file}")).and_then(number));
    }
    found.into_iter().filter(|b| *b > 0).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_rounded_as_the_allocator_does() {
        assert_eq!([block_bytes(0), block_bytes(8), block_bytes(9), block_bytes(24)], [16, 16, 32, 32]);
    }

    #[test]
    fn the_machine_has_memory() {
        assert!(machine_bytes().is_some_and(|b| b > 64 << 20));
    }
}
