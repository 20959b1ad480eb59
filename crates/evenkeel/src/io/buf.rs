//! Memory for unbuffered input and output.
//!
//! Duty: own a zeroed, aligned block of bytes.
//!
//! Invariant 1: the address is a multiple of [`ALIGN`], for every length.
//!
//! Must not know: files.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The alignment of an [`AlignedBuf`] in bytes: enough for every logical block size in use.
pub const ALIGN: usize = 4096;

/// An owned block of bytes, zeroed at first, aligned to [`ALIGN`] so that files opened past the page cache
/// read and write it in place.
///
/// The memory comes from the allocator zeroed, with room to align it: asked for aligned zeroed memory, the system's allocator writes the zeros itself, and a
/// buffer pool of gigabytes would take seconds to begin with. So its pages are made when they are first used.
pub struct AlignedBuf {
    /// What was allocated.
    base: NonNull<u8>,
    /// The first aligned address there.
    ptr: NonNull<u8>,
    len: usize,
}

// SAFETY: the buffer owns its memory as a `Box<[u8]>` does, and hands out references by the usual borrow rules.
unsafe impl Send for AlignedBuf {}
// SAFETY: as above; shared access only reads.
unsafe impl Sync for AlignedBuf {}

impl AlignedBuf {
    /// A zeroed buffer of `len` bytes.
    ///
    /// Aborts when memory runs out, as `Vec` does; panics if `len` is above `isize::MAX`. A length read from a file must
    /// be checked before it comes here.
    pub fn new(len: usize) -> AlignedBuf {
        let Some(layout) = Self::layout(len) else {
            // No allocation: an aligned address that is never read. (`ALIGN` is not zero.)
            let ptr = NonNull::new(std::ptr::without_provenance_mut(ALIGN)).expect("not null");
            return AlignedBuf { base: ptr, ptr, len: 0 };
        };
        // SAFETY: the layout has a size above zero.
        let raw = unsafe { alloc_zeroed(layout) };
        let Some(base) = NonNull::new(raw) else { handle_alloc_error(layout) };
        let skip = base.align_offset(ALIGN);
        assert!(skip < ALIGN, "invariant 1");
        // SAFETY: the allocation has `ALIGN` bytes more than the buffer.
        let ptr = unsafe { base.add(skip) };
        AlignedBuf { base, ptr, len }
    }

    /// Whether a buffer of `len` bytes could be had now. Takes no time, as its memory is not touched.
    pub fn is_possible(len: usize) -> bool {
        let Some(layout) = len.checked_add(ALIGN).and_then(|n| Layout::from_size_align(n, 1).ok()) else {
            return false;
        };
        // SAFETY: the layout has a size above zero.
        let raw = unsafe { alloc_zeroed(layout) };
        // The compiler would leave out memory that nobody looks at.
        let Some(base) = NonNull::new(std::hint::black_box(raw)) else { return false };
        // SAFETY: allocated just now with this very layout.
        unsafe { dealloc(base.as_ptr(), layout) }
        true
    }

    /// A buffer that holds a copy of `bytes`.
    pub fn copy_of(bytes: &[u8]) -> AlignedBuf {
        let mut buf = AlignedBuf::new(bytes.len());
        buf.copy_from_slice(bytes);
        buf
    }

    /// The address, valid for the buffer's length while it lives.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// None for an empty buffer, which owns no memory.
    fn layout(len: usize) -> Option<Layout> {
        let with_room = || len.checked_add(ALIGN).and_then(|n| Layout::from_size_align(n, 1).ok());
        (len > 0).then(|| with_room().expect("buffer length in range"))
    }
}

impl Drop for AlignedBuf {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.len) {
            // SAFETY: allocated in `new` with this very layout, and not freed before.
            unsafe { dealloc(self.base.as_ptr(), layout) }
        }
    }
}

impl Deref for AlignedBuf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `ptr` is valid for `len` initialised bytes (zeroed in `new`), or aligned and `len` is 0.
        unsafe { std::slice::from_raw_parts(self.ptr.as_ptr(), self.len) }
    }
}

impl DerefMut for AlignedBuf {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `&mut self` makes the reference unique.
        unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr(), self.len) }
    }
}

impl Clone for AlignedBuf {
    fn clone(&self) -> AlignedBuf {
        AlignedBuf::copy_of(self)
    }
}

impl fmt::Debug for AlignedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignedBuf").field("len", &self.len).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_and_zeroed_whatever_its_length() {
        for len in [0, 1, 511, 512, 4096, 4097, 1 << 20] {
            let mut buf = AlignedBuf::new(len);
            assert_eq!(buf.len(), len);
            assert_eq!(buf.as_mut_ptr() as usize % ALIGN, 0, "length {len}");
            assert!(buf.iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn a_clone_has_the_same_bytes_in_its_own_memory() {
        let first = AlignedBuf::copy_of(b"evenkeel");
        let mut second = first.clone();
        second[0] = b'E';
        assert_eq!(&first[..], b"evenkeel");
        assert_eq!(&second[..], b"Evenkeel");
    }
}
