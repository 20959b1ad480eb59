//! How to open a database.

use super::io_counts::{CountedDisk, IoCounts};
use super::settings::{DEFS, Id, parse};
use crate::archive::{ArchiveStore, FolderStore, Place};
use crate::base::{Error, Result};
use crate::control::TornPageProtection;
use crate::io::{Disk, LogSync, OsOptions, descriptor_limit};
use crate::recovery::RecoveryProgress;
use crate::settings::{Shown, Value, Values, find};
use crate::store::replayed::Defines;
use crate::wal::Synchronous;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Who is told how far a recovery has come.
#[derive(Clone)]
pub(super) struct Listener(pub(super) Arc<dyn Fn(RecoveryProgress) + Send + Sync>);

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

/// Tells which rows are definitions.
#[derive(Clone)]
pub(super) struct Definitions(pub(super) Defines);

impl fmt::Debug for Definitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Definitions")
    }
}

/// Settings for `Database::open`. Start from `Options::default()`.
#[derive(Clone, Debug)]
pub struct Options {
    values: Values,
    threads: bool,
    seed: Option<u64>,
    archive_store: Option<Arc<dyn ArchiveStore>>,
    archive_place: Option<Place>,
    recovery_listener: Option<Listener>,
    definitions: Option<Definitions>,
    synchronous: Option<Synchronous>,
    leaves_losers: bool,
    keeps_log: bool,
    epoch: Option<u64>,
    /// Of the folder that is opened with these.
    io_counts: Arc<IoCounts>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            values: Values::of(&DEFS),
            threads: true,
            seed: None,
            archive_store: None,
            archive_place: None,
            recovery_listener: None,
            definitions: None,
            synchronous: None,
            leaves_losers: false,
            keeps_log: false,
            epoch: None,
            io_counts: Arc::default(),
        }
    }
}

impl Options {
    /// Whether the engine has a setting of this name.
    pub fn has(name: &str) -> bool {
        find(&DEFS, name).is_ok()
    }

    /// Sets one by name, with units: `options.set("shared_buffers", "256MB")`. An unknown name or a bad value is `Error::Setting`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let place = find(&DEFS, name)?;
        self.values.set(place, parse(place, value)?);
        // PostgreSQL's name for two of the protections. It shows what is in force, in whatever order the two were set.
        if place == Id::FullPageWrites as usize {
            if self.is_on(Id::FullPageWrites) {
                self.put(Id::TornPageProtection, TornPageProtection::FullPageWrites as i64);
            } else if self.protection() == TornPageProtection::FullPageWrites {
                self.put(Id::TornPageProtection, TornPageProtection::Off as i64);
            }
        }
        let images = self.protection() == TornPageProtection::FullPageWrites;
        self.put(Id::FullPageWrites, images.into());
        Ok(())
    }

    fn put(&mut self, id: Id, number: i64) {
        self.values.set(id as usize, Value::Number(number));
    }

    pub(super) fn protection(&self) -> TornPageProtection {
        TornPageProtection::ALL[self.get(Id::TornPageProtection) as usize]
    }

    /// As `set`, for chains.
    pub fn with(mut self, name: &str, value: &str) -> Result<Options> {
        self.set(name, value)?;
        Ok(self)
    }

    /// The same for a folder of its own, with counts of its own, and its disk, which adds to them.
    pub(super) fn counting(mut self, disk: Arc<dyn Disk>) -> (Arc<dyn Disk>, Options) {
        self.io_counts = Arc::default();
        (Arc::new(CountedDisk::new(disk, self.io_counts.clone())), self)
    }

    pub(super) fn io_counts(&self) -> Arc<IoCounts> {
        self.io_counts.clone()
    }

    /// All settings with the values chosen here.
    pub fn settings(&self) -> Vec<Shown> {
        self.values.shown(&DEFS)
    }

    /// Where the log is archived; empty: nowhere.
    pub fn archive_url(&self) -> &str {
        self.values.text(Id::ArchiveUrl as usize)
    }

    /// The store that `archive_url` names, where it is not a folder: the caller knows how to reach it.
    pub fn with_archive_store(mut self, store: Arc<dyn ArchiveStore>) -> Options {
        if self.archive_url().is_empty() {
            self.values.set(Id::ArchiveUrl as usize, Value::Text(store.describe()));
        }
        self.archive_store = Some(store);
        self
    }

    /// What tells this database's folder from copies of it. Set by `Database::open`; for databases that do not lie in a folder.
    pub fn with_archive_place(mut self, place: &str) -> Options {
        self.archive_place.get_or_insert_default().folder = place.into();
        self
    }

    /// Which boot of which machine it is opened on, and on which device. As `with_archive_place`: a copy of the folder there that is told by its name alone waits for signs of life.
    pub fn with_archive_boot(mut self, boot: &str) -> Options {
        self.archive_place.get_or_insert_default().boot = boot.into();
        self
    }

    /// How the folder's files are accessed. Of the process's descriptors data files take half at most: the log, connections, the archive and whatever
    /// else the process does keep theirs.
    /// Unless it was said, whose log goes into the archive is told by the folder.
    pub(super) fn with_place_of(self, dir: &Path) -> Options {
        let archive_place = self.archive_place.or_else(|| Some(place_of(dir)));
        Options { archive_place, ..self }
    }

    pub(super) fn os_options(&self) -> OsOptions {
        let files = self.get(Id::MaxFilesPerProcess) as usize;
        OsOptions {
            direct: self.is_on(Id::DirectIo),
            fsync: self.is_on(Id::Fsync),
            log_sync: LogSync::ALL[self.get(Id::WalSyncMethod) as usize],
            data_files_max: files.min(descriptor_limit() / 2),
        }
    }

    pub(super) fn archive_place(&self) -> Option<&Place> {
        self.archive_place.as_ref()
    }

    /// The archive's store, if there is to be one.
    pub(super) fn archive_store(&self) -> Result<Option<Arc<dyn ArchiveStore>>> {
        if let Some(store) = &self.archive_store {
            return Ok(Some(store.clone()));
        }
        if self.archive_url().is_empty() {
            return Ok(None);
        }
        match FolderStore::path_of(self.archive_url()) {
            Some(path) => Ok(Some(Arc::new(FolderStore::new(path)))),
            None => Err(Error::InvalidArgument(format!(
                "archive_url \"{}\": the engine itself archives to file:///absolute/path only; other stores come from the crate evenkeel-archive",
                self.archive_url()
            ))),
        }
    }

    /// Calls `f` now and then while `open` recovers the database, and once at the end; never if there is nothing to recover. On the thread of the caller of
    /// `open`, which waits for it.
    pub fn on_recovery_progress(mut self, f: Arc<dyn Fn(RecoveryProgress) + Send + Sync>) -> Options {
        self.recovery_listener = Some(Listener(f));
        self
    }

    /// For a layer above that has definitions in rows of the first tree: on a standby, commits that changed rows for whose keys this is true are counted
    /// (`Transaction::definitions`).
    pub fn with_definitions(mut self, defines: Defines) -> Options {
        self.definitions = Some(Definitions(defines));
        self
    }

    /// Of a database that is opened for a moment, and is to leave its archive alone.
    pub fn without_archive(mut self) -> Options {
        self.archive_store = None;
        self.set("archive_url", "").expect("a text takes any text");
        self
    }

    /// Asks these standbys before anything is told, of what is found at the start as well: see `Database::set_synchronous`.
    pub fn with_synchronous(mut self, whom: Option<Synchronous>) -> Options {
        self.synchronous = whom;
        self
    }

    pub(super) fn synchronous(&self) -> Option<&Synchronous> {
        self.synchronous.as_ref()
    }

    pub(super) fn definitions(&self) -> Defines {
        self.definitions.as_ref().map_or_else(|| -> Defines { Arc::new(|_| false) }, |d| d.0.clone())
    }

    pub(super) fn recovery_listener(&self) -> Option<&Listener> {
        self.recovery_listener.as_ref()
    }

    /// No background threads: the caller drives the duties by `Database::step_…`. For simulations.
    pub fn without_threads(mut self) -> Options {
        self.threads = false;
        self
    }

    /// Whatever a crash cut short is left to `Database::step_purge`, however little it is, and without threads, too; if it cannot be, that
    /// is an error. For simulations.
    #[doc(hidden)]
    pub fn leaving_losers(mut self) -> Options {
        self.leaves_losers = true;
        self
    }

    pub(super) fn leaves_losers(&self) -> bool {
        self.leaves_losers
    }

    /// No log goes, although nothing archives it yet: for who is opened for a moment.
    pub fn keeping_log(mut self) -> Options {
        self.keeps_log = true;
        self
    }

    pub(super) fn keeps_log(&self) -> bool {
        self.keeps_log
    }

    /// The log that is written from this start on belongs to this epoch, as whoever elects counts; else to that of the log before. Of two logs with different ends, whichever has the higher epoch is the one
    /// that may have told (S25; decision 013, 18).
    pub fn with_epoch(mut self, epoch: u64) -> Options {
        self.epoch = Some(epoch);
        self
    }

    pub(super) fn epoch(&self) -> Option<u64> {
        self.epoch
    }

    /// Draws log incarnations and the like from this seed, for runs that can be repeated.
    pub fn with_seed(mut self, seed: u64) -> Options {
        self.seed = Some(seed);
        self
    }

    pub(super) fn get(&self, id: Id) -> u64 {
        self.values.number(id as usize) as u64
    }

    pub(super) fn values(&self) -> &Values {
        &self.values
    }

    pub(super) fn is_on(&self, id: Id) -> bool {
        self.get(id) != 0
    }

    pub(super) fn threads(&self) -> bool {
        self.threads
    }

    pub(super) fn rng(&self) -> fastrand::Rng {
        self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed)
    }
}

/// What tells a folder from its copies.
fn place_of(dir: &Path) -> Place {
    use std::os::unix::fs::MetadataExt;
    let path = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let (inode, device) = std::fs::metadata(&path).map_or((0, 0), |m| (m.ino(), m.dev()));
    // Linux draws it at each boot; elsewhere copies on other machines are not told apart.
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let plain = |text: String| text.chars().filter(|c| !c.is_control()).collect();
    Place {
        folder: plain(format!("{} (inode {inode})", path.display())),
        boot: plain(format!("{}, device {device}", boot.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(settings: &[(&str, &str)]) -> (String, String) {
        let mut options = Options::default();
        settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
        let value = |name: &str| options.settings().into_iter().find(|s| s.name == name).unwrap().value;
        (value("torn_page_protection"), value("full_page_writes"))
    }

    #[test]
    fn full_page_writes_is_another_name_for_two_of_the_protections() {
        let is = |settings: &[(&str, &str)], protection: &str, images: &str| {
            assert_eq!(shown(settings), (protection.into(), images.into()), "{settings:?}");
        };
        is(&[], "full_page_writes", "on");
        is(&[("full_page_writes", "off")], "off", "off");
        is(&[("full_page_writes", "off"), ("full_page_writes", "on")], "full_page_writes", "on");
        is(&[("torn_page_protection", "atomic")], "atomic", "off");
        is(&[("torn_page_protection", "atomic"), ("full_page_writes", "on")], "full_page_writes", "on");
    }

    #[test]
    fn what_is_shown_reads_back_in_any_order() {
        for name in TornPageProtection::NAMES {
            let (protection, images) = shown(&[("torn_page_protection", name)]);
            let (a, b) = (("torn_page_protection", &protection[..]), ("full_page_writes", &images[..]));
            assert_eq!(shown(&[a, b]), (protection.clone(), images.clone()));
            assert_eq!(shown(&[b, a]), (protection.clone(), images.clone()));
        }
    }
}
