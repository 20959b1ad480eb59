//! Stack for what was parsed.
//!
//! How deep a statement's trees can be is known from its tokens before the first of them is built (`parse/depth.rs`). Everything that goes down such a
//! tree, code that the compiler derives (dropping, cloning, printing) included, runs on a stack that is large enough for that depth; ordinary
//! statements find it there already.
//!
//! Invariants:
//! 1. No tree is deeper than [`MAX_DEPTH`]: more is 54001 before anything is built.
//! 2. A tree is dropped where there is stack for it ([`Deep`]), wherever its last owner is.

use super::discard::hand_over;
use super::memory::Held;
use std::ops::{Deref, DerefMut};

/// The deepest tree.
pub const MAX_DEPTH: usize = 10_000;
/// Stack of one level; what is not touched costs address space only.
const LEVEL_BYTES: usize = 64 << 10;
/// What is needed whatever the depth.
const BASE_BYTES: usize = 512 << 10;
/// Depths up to this find room on a worker's stack.
const USUAL_DEPTH: usize = 100;
/// The part of a large stack that is counted as memory.
const COUNTED_PART: usize = 16;

/// What is made of so much is freed by another thread.
const LARGE_BYTES: usize = 200_000;

/// Runs something that goes down a tree of a depth.
pub fn with_depth<R>(depth: usize, f: impl FnOnce() -> R) -> R {
    let need = BASE_BYTES + depth.min(MAX_DEPTH) * LEVEL_BYTES;
    if stacker::remaining_stack().is_some_and(|left| left >= need) {
        return f();
    }
    let _held = (depth > USUAL_DEPTH).then(|| Held::new(need / COUNTED_PART));
    stacker::grow(need, f)
}

/// A tree with its depth. (2)
#[derive(Debug)]
pub struct Deep<T: Send + 'static> {
    depth: usize,
    /// It is made of very much, and freed by another thread (`discard`).
    large: bool,
    /// Taken out only where the whole is given up.
    tree: Option<T>,
}

impl<T: Send + 'static> Deep<T> {
    /// A tree that is at most `depth` deep.
    pub fn new(depth: usize, tree: T) -> Deep<T> {
        Deep { depth, large: false, tree: Some(tree) }
    }

    /// The same, of a text so long, or of so much memory. It must hold nothing that others wait for.
    pub fn made_of(mut self, bytes: usize) -> Deep<T> {
        self.large = bytes > LARGE_BYTES;
        self
    }

    /// How deep it is at most.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The tree; the caller sees to the stack.
    pub fn into_inner(mut self) -> T {
        self.tree.take().expect(WHOLE)
    }
}

const WHOLE: &str = "a tree is taken out once, with the whole";

impl<T: Send + 'static> Deref for Deep<T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.tree.as_ref().expect(WHOLE)
    }
}

impl<T: Send + 'static> DerefMut for Deep<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.tree.as_mut().expect(WHOLE)
    }
}

impl<T: Send + 'static> Drop for Deep<T> {
    fn drop(&mut self) {
        let Some(tree) = self.tree.take() else { return };
        if self.large {
            hand_over(Box::new(Deep { depth: self.depth, large: false, tree: Some(tree) }));
        } else {
            with_depth(self.depth, || drop(tree));
        }
    }
}
