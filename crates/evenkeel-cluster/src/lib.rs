//! Which of several servers leads (S25; decision 013, 18 and 19): who elects whom, what is known of each other, and the store that all of them see.
//!
//! Must not know: how a server serves, what is in a log.

pub mod etcd;
pub mod gateway;
pub mod member;
pub mod view;

pub use etcd::{Etcd, ask_to_remove, look_once, now};
pub use gateway::{ClusterUrl, StoreError};
pub use member::{Action, Event, Member, Role, Standing};
pub use view::{Config, Contact, Election, Kept, Leader, MemberId, View, Vote, Write};
