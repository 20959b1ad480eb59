#![doc = include_str!("README.md")]

mod dirty;
mod kinds;
mod model;
mod platter;
mod rotating;
#[cfg(target_os = "linux")]
mod served;
mod setup;
mod still;
mod system;
#[cfg(test)]
mod tests;

pub use kinds::{KINDS, Kind, Named};
pub use model::{Done, Model, Nanos, Op, Request};
pub use platter::{Cut, Platter};
pub use rotating::Platters;
#[cfg(target_os = "linux")]
pub use served::{Counts, serve};
pub use setup::{Error, Wanted, create, cut, parts, remove, show};
pub use still::Chips;
