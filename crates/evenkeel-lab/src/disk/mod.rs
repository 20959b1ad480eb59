#![doc = include_str!("README.md")]

mod dirty;
mod kinds;
mod model;
mod platter;
mod rotating;
mod still;
#[cfg(test)]
mod tests;

pub use kinds::{KINDS, Kind, Named};
pub use model::{Done, Model, Nanos, Op, Request};
pub use platter::{Cut, Platter};
pub use rotating::Platters;
pub use still::Chips;
