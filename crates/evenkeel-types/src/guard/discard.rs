//! What is very large is freed by a thread of its own: millions of rows or elements take a tenth of a second and more, which a canceled statement, and
//! the client that waits for its end, have no use for.
//!
//! Invariants:
//! 1. Until it is freed it counts as allocated (`memory`); whoever finds no memory waits for what was handed over before he asked ([`wait`]).
//! 2. At most [`QUEUE_MAX`] containers wait; beyond that their owners free them themselves.
//!
//! Must not know: what is freed.

use super::memory;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Elements that their owner frees: some milliseconds' work.
const FREED_HERE: usize = 50_000;
/// Containers that may wait to be freed.
const QUEUE_MAX: usize = 64;

struct Handed {
    large: Box<dyn Send>,
    /// Where the owner looks what was freed of its own elsewhere.
    freed: Arc<AtomicIsize>,
}

static HANDED: AtomicUsize = AtomicUsize::new(0);
static FREED: AtomicUsize = AtomicUsize::new(0);

static QUEUE: LazyLock<Option<SyncSender<Handed>>> = LazyLock::new(|| {
    let (sender, receiver) = sync_channel::<Handed>(QUEUE_MAX);
    let free = move || {
        for Handed { large, freed } in receiver {
            let before = memory::thread_bytes();
            drop(large);
            freed.fetch_add(before - memory::thread_bytes(), Ordering::Relaxed);
            memory::settle_thread();
            FREED.fetch_add(1, Ordering::SeqCst);
            memory::trim();
        }
    };
    // Without a thread everybody frees what is his.
    std::thread::Builder::new().name("freeing".into()).spawn(free).ok().map(|_| sender)
});

/// Frees it elsewhere, if there is room for that.
pub(super) fn hand_over(large: Box<dyn Send>) {
    let Some(queue) = &*QUEUE else { return };
    HANDED.fetch_add(1, Ordering::SeqCst);
    if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) =
        queue.try_send(Handed { large, freed: super::freed_elsewhere() })
    {
        FREED.fetch_add(1, Ordering::SeqCst); // the error has freed it
    }
}

/// Blocks until all that was handed over before is freed, or `stop` says so. True if there was anything to wait for. (1)
pub(super) fn wait(stop: impl Fn() -> bool) -> bool {
    let handed = HANDED.load(Ordering::SeqCst);
    if FREED.load(Ordering::SeqCst) >= handed {
        return false;
    }
    while FREED.load(Ordering::SeqCst) < handed && !stop() {
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// What may hold very much.
pub trait Many: Default + Send + 'static {
    /// About how many allocations it consists of.
    fn parts(&self) -> usize;
}

impl<T: Send + 'static> Many for Vec<T> {
    fn parts(&self) -> usize {
        self.len()
    }
}

impl<K: Send + 'static, V: Send + 'static, S: Default + Send + 'static> Many for HashMap<K, V, S> {
    fn parts(&self) -> usize {
        self.len()
    }
}

/// Frees a container, elsewhere if it is large.
pub fn discard<T: Many>(container: T) {
    if container.parts() > FREED_HERE {
        hand_over(Box::new(container));
    }
}

/// A container that is discarded when it is dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Large<T: Many>(T);

impl<T: Many> Large<T> {
    /// The container.
    pub fn into_inner(mut self) -> T {
        std::mem::take(&mut self.0)
    }
}

impl<T: Many> From<T> for Large<T> {
    fn from(container: T) -> Large<T> {
        Large(container)
    }
}

impl<T: Many> Deref for Large<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Many> DerefMut for Large<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<E: Send + 'static> FromIterator<E> for Large<Vec<E>> {
    fn from_iter<I: IntoIterator<Item = E>>(elements: I) -> Large<Vec<E>> {
        Large(elements.into_iter().collect())
    }
}

impl<'a, E: Send + 'static> IntoIterator for &'a Large<Vec<E>> {
    type Item = &'a E;
    type IntoIter = std::slice::Iter<'a, E>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T: Many> Drop for Large<T> {
    fn drop(&mut self) {
        discard(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};
    use std::thread::{ThreadId, current};

    /// Says which thread frees it.
    struct Told(std::sync::mpsc::Sender<ThreadId>);

    impl Drop for Told {
        fn drop(&mut self) {
            let _ = self.0.send(current().id());
        }
    }

    fn many(n: usize) -> (Large<Vec<Option<Told>>>, Receiver<ThreadId>) {
        let (sender, receiver) = channel();
        let mut list: Vec<Option<Told>> = (1..n).map(|_| None).collect();
        list.push(Some(Told(sender)));
        (list.into(), receiver)
    }

    #[test]
    fn what_is_large_is_freed_by_another_thread_and_what_is_small_is_not() {
        let (large, freed_by) = many(FREED_HERE + 1);
        drop(large);
        assert_ne!(freed_by.recv().unwrap(), current().id());
        let (small, freed_by) = many(FREED_HERE);
        drop(small);
        assert_eq!(freed_by.recv().unwrap(), current().id());
        let (large, freed_by) = many(FREED_HERE + 1);
        assert_eq!(large.into_inner().len(), FREED_HERE + 1, "it is an ordinary one again");
        assert_eq!(freed_by.recv().unwrap(), current().id());
    }

    #[test]
    fn whoever_waits_finds_it_freed_or_is_stopped() {
        let (gate, opened) = channel::<()>();
        struct Slow(Receiver<()>);
        impl Drop for Slow {
            fn drop(&mut self) {
                let _ = self.0.recv();
            }
        }
        hand_over(Box::new(Slow(opened)));
        assert!(wait(|| true), "there is something to wait for");
        let (large, freed_by) = many(FREED_HERE + 1);
        drop(large);
        assert!(freed_by.try_recv().is_err(), "it stands behind the slow one");
        gate.send(()).unwrap();
        wait(|| false);
        assert!(freed_by.try_recv().is_ok());
    }
}
