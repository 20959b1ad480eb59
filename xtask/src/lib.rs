//! What the ordinary tests share with the commands: attacks on a server.

pub mod args;
pub mod hostile;
