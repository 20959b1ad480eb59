//! Bytes of the protocol: framing and decoding what clients send, encoding what they are told.
//!
//! It must not know sessions.
#![doc = include_str!("README.md")]

pub mod frontend;
pub(crate) mod input;
mod origin;
pub(crate) mod output;
pub(crate) mod recode;
