//! Atomics whose operations are points. Threads of a model go on one at a time, so memory orders weaker than SeqCst are not modelled.

use super::point;
use std::sync::atomic::Ordering;

/// A fence. One thread goes on at a time: there is nothing to order.
pub fn fence(_: Ordering) {
    point();
}

macro_rules! atomic {
    ($name:ident, $type:ty) => {
        /// As the one of `std`; each operation is a point.
        #[derive(Debug, Default)]
        pub struct $name(std::sync::atomic::$name);

        #[allow(missing_docs)]
        impl $name {
            pub const fn new(value: $type) -> $name {
                $name(std::sync::atomic::$name::new(value))
            }

            pub fn load(&self, order: Ordering) -> $type {
                point();
                self.0.load(order)
            }

            pub fn store(&self, value: $type, order: Ordering) {
                point();
                self.0.store(value, order);
            }

            pub fn swap(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.swap(value, order)
            }

            pub fn compare_exchange(
                &self,
                old: $type,
                new: $type,
                won: Ordering,
                lost: Ordering,
            ) -> Result<$type, $type> {
                point();
                self.0.compare_exchange(old, new, won, lost)
            }

            pub fn fetch_or(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_or(value, order)
            }

            pub fn fetch_and(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_and(value, order)
            }

            pub fn fetch_update(
                &self,
                won: Ordering,
                lost: Ordering,
                f: impl FnMut($type) -> Option<$type>,
            ) -> Result<$type, $type> {
                point();
                self.0.fetch_update(won, lost, f)
            }
        }
    };
}

macro_rules! number {
    ($name:ident, $type:ty) => {
        atomic!($name, $type);

        #[allow(missing_docs)]
        impl $name {
            pub fn fetch_add(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_add(value, order)
            }

            pub fn fetch_sub(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_sub(value, order)
            }

            pub fn fetch_max(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_max(value, order)
            }

            pub fn fetch_min(&self, value: $type, order: Ordering) -> $type {
                point();
                self.0.fetch_min(value, order)
            }
        }
    };
}

atomic!(AtomicBool, bool);
number!(AtomicU8, u8);
number!(AtomicU32, u32);
number!(AtomicU64, u64);
number!(AtomicUsize, usize);
