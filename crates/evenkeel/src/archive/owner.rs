//! Whose timeline of an archive it is: the object `owner`, of later timelines `owner-NUMBER`. Never two writers to one timeline; timelines share no object but backups, whose names
//! are drawn at random.
//!
//! The object names the database, the place of its folder, and the run (a random number for each start). Taking it is a conditional
//! put, so of two that try at a time one is refused; each looks whether it still has it before it puts a segment. A database may take it over from
//! itself, that is from an earlier run in the same place: the folder's lock sees to it that this one has ended. From any other it is taken by hand: whoever knows that the
//! other writer is gone for good removes the object.
//!
//! Invariants
//! 1. A segment is put only by who found itself the owner just before. What remains of the race ends at the segment itself: it is created, never replaced.

use super::store::{ArchiveStore, StoreError};
use crate::base::{Error, Result};

/// Name of the object of the first timeline.
pub const OWNER: &str = "owner";
const TITLE: &str = "evenkeel archive owner 1";

/// Name of a timeline's object.
pub fn owner_object(timeline: u32) -> String {
    if timeline <= 1 { OWNER.into() } else { format!("{OWNER}-{timeline:08x}") }
}

/// Who archives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    /// The database.
    pub database_id: u64,
    /// Host and folder.
    pub place: String,
    /// Which start of the engine.
    pub run: u64,
}

impl Owner {
    fn encode(&self) -> String {
        let place: String = self.place.chars().filter(|c| !c.is_control()).collect();
        format!("{TITLE}\ndatabase {:016x}\nrun {:016x}\nplace {place}\n", self.database_id, self.run)
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Owner> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        (lines.next()? == TITLE).then_some(())?;
        let database_id = u64::from_str_radix(lines.next()?.strip_prefix("database ")?, 16).ok()?;
        let run = u64::from_str_radix(lines.next()?.strip_prefix("run ")?, 16).ok()?;
        Some(Owner { database_id, run, place: lines.next()?.strip_prefix("place ")?.into() })
    }

    /// Makes this the owner, or finds that it is. `InvalidArgument`: somebody else is.
    pub fn claim(&self, store: &dyn ArchiveStore, timeline: u32) -> Result<()> {
        let object = owner_object(timeline);
        let Some((bytes, version)) = store.get(&object).map_err(failed)? else {
            return match store.create(&object, self.encode().as_bytes()) {
                Err(StoreError::Exists(_)) => self.check(store, timeline),
                done => done.map_err(failed),
            };
        };
        let Some(there) = Owner::decode(&bytes) else {
            return Err(Error::Corrupt(format!(
                "the archive {} has an object \"{object}\" that is not understood",
                store.describe()
            )));
        };
        if there == *self {
            return Ok(());
        }
        if there.database_id != self.database_id || there.place != self.place {
            return Err(self.refused(&there, store, &object));
        }
        store.replace(&object, self.encode().as_bytes(), &version).map_err(failed)
    }

    /// Whether this is the owner still.
    pub fn check(&self, store: &dyn ArchiveStore, timeline: u32) -> Result<()> {
        let object = owner_object(timeline);
        match store.get(&object).map_err(failed)? {
            None => Err(Error::InvalidArgument(format!(
                "the archive {} has no owner any more: it was given away by hand",
                store.describe()
            ))),
            Some((bytes, _)) => match Owner::decode(&bytes) {
                Some(there) if there == *self => Ok(()),
                Some(there) => Err(self.refused(&there, store, &object)),
                None => Err(Error::Corrupt(format!("the archive's object \"{object}\" is not understood"))),
            },
        }
    }

    fn refused(&self, there: &Owner, store: &dyn ArchiveStore, object: &str) -> Error {
        let whose = if there.database_id == self.database_id {
            "a copy of this database"
        } else {
            "another database"
        };
        Error::InvalidArgument(format!(
            "the archive {} is written by {whose}, {:016x} at {}: two may not write to one. Choose another archive_url; or, if that one is gone for good, remove the object \"{object}\"",
            store.describe(),
            there.database_id,
            there.place
        ))
    }
}

/// A store's error as the engine's.
pub(super) fn failed(e: StoreError) -> Error {
    Error::io("the log archive", std::io::Error::other(e))
}
