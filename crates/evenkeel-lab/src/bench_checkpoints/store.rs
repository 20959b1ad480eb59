//! Where the data is: the folder of our own database, and the tables on running servers.
//!
//! Invariants
//! 1. A folder is used only if this command made it: its marker says so, and what it holds.
//! 2. Tables on a running server are dropped at the end only if they were created here.
//!
//! It must not know how anything is measured.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::load::embedded::Trees;
use super::prepare::{self, CONTROL_NAME, add_extension, scale_of};
use super::temporary::TemporaryDir;
use super::{Error, LoadKind, Options, io_error, server_error};
use evenkeel_client::ConnString;
use evenkeel_client::Connection;

const FOLDER: &str = "evenkeel-bench-checkpoints";
const MARKER: &str = "bench.json";
const DATABASE: &str = "db";
/// Extensions that help to measure PostgreSQL.
const EXTENSIONS: [&str; 2] = ["pg_buffercache", "pg_prewarm"];

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Marker {
    scale: u32,
    /// Without a server; None: pgbench's tables.
    trees: Option<Trees>,
}

/// A server on which something was left.
struct Touched {
    to: ConnString,
    name: String,
    created: bool,
    extensions: Vec<&'static str>,
}

/// All data of a series.
pub struct Store {
    folder: TemporaryDir,
    loaded: Option<Marker>,
    touched: Vec<Touched>,
}

impl Store {
    /// Makes the folder under `parent`, or takes it up (invariant 1).
    pub fn new(options: &Options, parent: &Path) -> Result<Store, Error> {
        if options.data.is_none() {
            let folder = TemporaryDir::new(parent, &format!("{FOLDER}-data"))?;
            return Ok(Store { folder, loaded: None, touched: Vec::new() });
        }
        let path = parent.join(FOLDER);
        let shown = path.display().to_string();
        let marker = path.join(MARKER);
        let empty = match std::fs::read_dir(&path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => true,
            Err(e) => return Err(io_error(shown)(e)),
        };
        let mut loaded = None;
        if !empty {
            let text = std::fs::read_to_string(&marker).ok();
            let found = text.and_then(|t| serde_json::from_str::<Option<Marker>>(&t).ok());
            let Some(found) = found else {
                return Err(Error::Options(format!(
                    "{shown} is not empty and is not this command's; remove it, or name another --data"
                )));
            };
            if !options.keep_data && !options.keep_folder {
                return Err(Error::Options(format!(
                    "{shown} is there: remove it, or use what it holds with --keep-data"
                )));
            }
            loaded = found;
        }
        let folder = TemporaryDir::at(path, options.keep_data || options.keep_folder)?;
        let store = Store { folder, loaded: None, touched: Vec::new() };
        // Ours from here on, with nothing in it that is complete.
        store.mark(None)?;
        let fits = loaded.filter(|m: &Marker| {
            m.scale == options.scale && m.trees.is_some() == (options.load == LoadKind::Embedded)
        });
        Ok(Store { loaded: fits, ..store })
    }

    /// The database's folder.
    pub fn database(&self) -> PathBuf {
        self.folder.path().join(DATABASE)
    }

    /// The trees of a database without SQL.
    pub fn trees(&self) -> Option<Trees> {
        self.loaded?.trees
    }

    /// Before a run of ours: true if the database has to be loaded; what was there is gone then.
    pub fn begin_own(&mut self, options: &Options) -> Result<bool, Error> {
        if self.loaded.is_some() && !options.fresh {
            return Ok(false);
        }
        self.loaded = None;
        self.mark(None)?;
        match std::fs::remove_dir_all(self.database()) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(io_error(self.database().display().to_string())(e))
            }
            _ => Ok(true),
        }
    }

    /// It is loaded.
    pub fn own_loaded(&mut self, options: &Options, trees: Option<Trees>) -> Result<(), Error> {
        self.loaded = Some(Marker { scale: options.scale, trees });
        Ok(())
    }

    fn mark(&self, marker: Option<Marker>) -> Result<(), Error> {
        let path = self.folder.path().join(MARKER);
        let text = serde_json::to_string(&marker).expect("plain values");
        std::fs::write(&path, text).map_err(io_error(path.display().to_string()))
    }

    /// Before a run on a running server: true if its tables have to be loaded. Tables of another scale are the user's, and stay.
    pub fn begin_running(&mut self, to: &ConnString, name: &str, options: &Options) -> Result<bool, Error> {
        let wrong = server_error(name);
        let mut control = Connection::open(to, CONTROL_NAME).map_err(&wrong)?;
        let scale = scale_of(&mut control).map_err(&wrong)?;
        let at = match self.touched.iter().position(|t| t.to == *to) {
            Some(at) => at,
            None => {
                if let Some(other) = scale.filter(|s| *s != u64::from(options.scale)) {
                    return Err(Error::Options(format!(
                        "{name} has pgbench's tables at scale {other}, not {}: drop them, name another database, or measure with --scale {other}",
                        options.scale
                    )));
                }
                let mut touched = Touched {
                    to: to.clone(),
                    name: name.into(),
                    created: scale.is_none(),
                    extensions: Vec::new(),
                };
                for extension in EXTENSIONS {
                    if add_extension(&mut control, extension).map_err(&wrong)? {
                        touched.extensions.push(extension);
                    }
                }
                self.touched.push(touched);
                self.touched.len() - 1
            }
        };
        Ok(scale.is_none() || options.fresh && self.touched[at].created)
    }

    /// At the end: nothing stays that was not there, but for what is to stay.
    pub fn clean_up(&mut self, options: &Options) -> Result<(), Error> {
        let mut result = Ok(());
        for touched in std::mem::take(&mut self.touched) {
            result = result.and(leave(&touched, options.keep_data));
        }
        if (options.keep_data || options.keep_folder) && options.data.is_some() {
            result = result.and(self.mark(self.loaded));
        }
        result
    }
}

fn leave(touched: &Touched, keep_data: bool) -> Result<(), Error> {
    let wrong = server_error(&touched.name);
    let mut control = Connection::open(&touched.to, CONTROL_NAME).map_err(&wrong)?;
    if touched.created && !keep_data {
        // Invariant 2.
        prepare::drop_tables(&mut control).map_err(&wrong)?;
    }
    for extension in &touched.extensions {
        control.query(&format!("DROP EXTENSION IF EXISTS {extension}")).map_err(&wrong)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench_checkpoints::tests::options;

    fn with_data(dir: &Path, keep_data: bool) -> Options {
        Options { load: LoadKind::Wire, data: Some(dir.into()), keep_data, ..options() }
    }

    #[test]
    fn foreign_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(FOLDER)).unwrap();
        std::fs::write(dir.path().join(FOLDER).join("precious"), "x").unwrap();
        let e = Store::new(&with_data(dir.path(), true), dir.path()).err().unwrap().to_string();
        assert!(e.contains("is not empty and is not this command's"), "{e}");
        assert!(dir.path().join(FOLDER).join("precious").exists());
    }

    #[test]
    fn data_stays_only_if_it_is_to_and_is_used_again_if_it_fits() {
        let dir = tempfile::tempdir().unwrap();
        let keep = with_data(dir.path(), true);
        let mut store = Store::new(&keep, dir.path()).unwrap();
        assert!(store.begin_own(&keep).unwrap());
        std::fs::create_dir(store.database()).unwrap();
        store.own_loaded(&keep, None).unwrap();
        store.clean_up(&keep).unwrap();
        drop(store);
        assert!(!Store::new(&keep, dir.path()).unwrap().begin_own(&keep).unwrap());
        // The marker went when the folder was taken up, and was not set again: as after a crash.
        let mut store = Store::new(&keep, dir.path()).unwrap();
        assert!(store.begin_own(&keep).unwrap() && !store.database().exists());
        drop(store);
        let e = Store::new(&with_data(dir.path(), false), dir.path()).err().unwrap().to_string();
        assert!(e.contains("--keep-data"), "{e}");
    }

    #[test]
    fn a_folder_of_its_own_goes() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::new(&with_data(dir.path(), false), dir.path()).unwrap());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn fresh_data_is_loaded_for_each_run() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { fresh: true, ..with_data(dir.path(), false) };
        let mut store = Store::new(&options, dir.path()).unwrap();
        assert!(store.begin_own(&options).unwrap());
        store.own_loaded(&options, None).unwrap();
        assert!(store.begin_own(&options).unwrap());
    }
}
