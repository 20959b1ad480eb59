//! Whose timeline of an archive it is: the object `owner`, of later timelines `owner-NUMBER`. Never two writers to one timeline; timelines share no object but backups, whose names
//! are drawn at random.
//!
//! The object names the database, the place of its folder, and the run (a random number for each start). Taking it is a conditional
//! put, so of two that try at a time one is refused; each looks whether it still has it before it puts a segment. A database may take it over from
//! itself, that is from an earlier run in the same place. On the same boot of the machine the folder's lock sees to it that this one has ended. A folder
//! with the same name on another boot may be a clone of it (a volume's snapshot has its inode, too), while the original goes on: who owns an archive gives a sign of life
//! now and then, and is taken over from only after it has given none for a while. From any other place it is taken by hand: whoever knows that the
//! other writer is gone for good removes the object.
//!
//! Invariants
//! 1. A segment is put only by who found itself the owner just before. What remains of the race ends at the segment itself: it is created, never replaced.
//! 2. Whoever was the owner, and finds that it is no longer, never takes the archive again in that run: two would rob each other for ever.
//! 3. An owner is replaced by a run of another boot only after `WATCH` without a sign of life.

use super::store::{ArchiveStore, StoreError, Version};
use crate::base::{Error, Result, clock};
use std::time::Duration;

/// How often an owner gives a sign of life.
pub(super) const BEAT: Duration = Duration::from_secs(20);
/// For so long another one's is waited for: some that were late or failed are passed over.
const WATCH: Duration = Duration::from_secs(90);

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
    /// Where its folder is.
    pub place: Place,
    /// Which start of the engine.
    pub run: u64,
}

/// What tells a database's folder from its copies. No control characters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Its path, and what else stays the same as long as it is this folder. A clone of the volume has the same.
    pub folder: String,
    /// Which boot of which machine has it on which device: with the folder's name that is one folder, and one lock. Empty: not known.
    pub boot: String,
}

/// An owner of another boot that is being watched for signs of life.
#[derive(Debug)]
pub struct Watched {
    version: Version,
    since: Duration,
}

impl Owner {
    fn encode(&self) -> String {
        let beat = clock::wall_ms();
        format!(
            "{TITLE}\ndatabase {:016x}\nrun {:016x}\nplace {}\nboot {}\nbeat {beat}\n",
            self.database_id, self.run, self.place.folder, self.place.boot
        )
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Owner> {
        decode(bytes).map(|(owner, _)| owner)
    }

    /// Makes this the owner, or finds that it is; `now` is any clock that goes forwards, `watched` what earlier calls saw. `InvalidArgument`: somebody else is. An I/O error of kind
    /// `WouldBlock`: somebody else may be, and is watched; to be called again.
    pub fn claim(
        &self,
        store: &dyn ArchiveStore,
        timeline: u32,
        watched: &mut Option<Watched>,
        now: Duration,
    ) -> Result<()> {
        let object = owner_object(timeline);
        let Some((bytes, version)) = store.get(&object).map_err(failed)? else {
            return match store.create(&object, self.encode().as_bytes()) {
                Err(StoreError::Exists(_)) => self.check(store, timeline),
                done => done.map_err(failed),
            };
        };
        let Some(there) = Owner::decode(&bytes) else {
            return Err(not_understood(store, &object));
        };
        if there == *self {
            return Ok(());
        }
        if there.database_id != self.database_id || there.place.folder != self.place.folder {
            return Err(self.refused(&there, store, &object));
        }
        if there.place.boot != self.place.boot {
            let seen = watched.get_or_insert(Watched { version: version.clone(), since: now });
            if seen.version != version {
                *watched = None;
                return Err(self.refused(&there, store, &object));
            }
            let left = (seen.since + WATCH).saturating_sub(now);
            if left > Duration::ZERO {
                let why = format!(
                    "a server with the same folder had the archive {} before this machine's start, and may be another one that lives: it is watched for {} s more",
                    store.describe(),
                    left.as_secs().max(1)
                );
                return Err(Error::io(
                    "the log archive",
                    std::io::Error::new(std::io::ErrorKind::WouldBlock, why),
                ));
            }
        }
        store.replace(&object, self.encode().as_bytes(), &version).map_err(failed)
    }

    /// Whether this is the owner still.
    pub fn check(&self, store: &dyn ArchiveStore, timeline: u32) -> Result<()> {
        self.found(store, timeline).map(|_| ())
    }

    /// As `check`, and gives a sign of life.
    pub fn beat(&self, store: &dyn ArchiveStore, timeline: u32) -> Result<()> {
        let version = self.found(store, timeline)?;
        store.replace(&owner_object(timeline), self.encode().as_bytes(), &version).map_err(failed)
    }

    fn found(&self, store: &dyn ArchiveStore, timeline: u32) -> Result<Version> {
        let object = owner_object(timeline);
        let Some((bytes, version)) = store.get(&object).map_err(failed)? else {
            return Err(Error::InvalidArgument(format!(
                "the archive {} has no object \"{object}\" any more: it was given away by hand, emptied, or is not mounted. Archiving goes on once the object is there again; if it was taken away for good, after a restart, unless somebody else archives there then",
                store.describe()
            )));
        };
        match Owner::decode(&bytes) {
            Some(there) if there == *self => Ok(version),
            Some(there) => Err(self.refused(&there, store, &object)),
            None => Err(not_understood(store, &object)),
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
            there.place.folder
        ))
    }
}

/// Whose an archive is, by its first owner. `None`: nobody's yet, or of one whose database came to it later.
pub fn database_of(store: &dyn ArchiveStore) -> Result<Option<u64>> {
    let object = store.get(OWNER).map_err(failed)?;
    Ok(object.and_then(|(bytes, _)| Owner::decode(&bytes)).map(|owner| owner.database_id))
}

/// When a timeline's owner last gave a sign of life, by its own clock, milliseconds since the Unix epoch. `None`: it has no owner, or one of an earlier program.
pub fn last_sign_ms(store: &dyn ArchiveStore, timeline: u32) -> Result<Option<u64>> {
    let object = store.get(&owner_object(timeline)).map_err(failed)?;
    Ok(object.and_then(|(bytes, _)| decode(&bytes)).and_then(|(_, beat_ms)| beat_ms))
}

/// The owner, and when it gave its last sign of life.
fn decode(bytes: &[u8]) -> Option<(Owner, Option<u64>)> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    (lines.next()? == TITLE).then_some(())?;
    let database_id = u64::from_str_radix(lines.next()?.strip_prefix("database ")?, 16).ok()?;
    let run = u64::from_str_radix(lines.next()?.strip_prefix("run ")?, 16).ok()?;
    let folder = lines.next()?.strip_prefix("place ")?.into();
    // Earlier programs wrote neither of these.
    let boot = lines.next().and_then(|l| l.strip_prefix("boot ")).unwrap_or_default().into();
    let beat = lines.next().and_then(|l| l.strip_prefix("beat ")?.parse().ok());
    Some((Owner { database_id, place: Place { folder, boot }, run }, beat))
}

fn not_understood(store: &dyn ArchiveStore, object: &str) -> Error {
    Error::corrupt(format!(
        "the archive {} has an object \"{object}\" that is not understood",
        store.describe()
    ))
}

/// A store's error as the engine's.
pub(super) fn failed(e: StoreError) -> Error {
    Error::io("the log archive", std::io::Error::other(e))
}
