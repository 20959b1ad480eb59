//! A standby that begins with a base backup of an archive, and gets the log from its primary, which has most of it in the archive only.

mod common;

use common::moments::{Load, State};
use common::pair::{LONG, durable_end, open_standby, pump_up_to, seeds};
use common::{assert_sound, committed, disk};
use evenkeel::archive::MemoryStore;
use evenkeel::io::SimDisk;
use evenkeel::restore::{BackupOf, RestoreOptions, standby_on};
use evenkeel::{BackupOptions, Error, Lsn, Result};
use std::sync::Arc;

const SLOT: &str = "c";

fn lay(
    store: &MemoryStore,
    into: &SimDisk,
    agree: &mut dyn FnMut(&BackupOf) -> Result<()>,
) -> Result<BackupOf> {
    standby_on(Arc::new(store.clone()), Arc::new(into.clone()), &RestoreOptions::default(), agree, &|_| {})
}

#[test]
fn a_backup_becomes_a_standby_and_follows_its_primary() {
    let mut from_archive = 0;
    for seed in 0..seeds(16) {
        let (mut rng, home) = (fastrand::Rng::with_seed(seed), disk(seed));
        let store = MemoryStore::new();
        let mut load = Load::open(&home, &store, seed, "here", State::new());
        load.run(rng.u32(20..60));
        // A few lives, with backups upon backups in one of them.
        let lives = rng.u64(1..4);
        let with_backup = rng.u64(..lives);
        for life in 0..lives {
            if life == with_backup {
                load.backup(&BackupOptions::default());
            }
            load.run(rng.u32(1..80));
            if life + 1 < lives {
                let state = load.state.clone();
                load.end(true);
                load = Load::open(&home, &store, seed + 1000 * (life + 1), "here", state);
            }
        }
        load.run(40);
        load.archives = true;
        (0..3).for_each(|_| load.archive());
        let copy = disk(seed ^ 0x5b);
        let db = load.db.clone();
        let mut agree = |of: &BackupOf| {
            let fork = db.upstream().fork(&[(of.end.life, of.end.lsn)])?;
            assert_eq!((fork, of.database_id), (Some(of.end.lsn), db.database_id()), "seed {seed}");
            db.upstream().create_slot(SLOT, true).map(drop)
        };
        let of = lay(&store, &copy, &mut agree).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        load.run(rng.u32(1..40));

        let standby = open_standby(&copy, seed);
        let up = load.db.upstream();
        from_archive += u32::from(up.slots()[0].restart.is_some_and(|at| at > of.needs));
        let end = durable_end(&load.db);
        pump_up_to(up, SLOT, &standby, &mut rng, true, Lsn::MAX);
        assert!(standby.wait_replayed(end, LONG).unwrap(), "seed {seed}");
        let state = load.state.clone();
        drop(load);
        let db = standby.promote().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        while db.rollback_changes_left() > 0 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        for (tree, rows) in &state {
            assert_eq!(committed(&db, *tree).unwrap(), *rows, "seed {seed}");
        }
        assert_sound(&db, &format!("seed {seed}"));
    }
    assert!(from_archive > 0, "log came from the archive");
}

/// Whom it is to follow may have left that branch of the log: nothing is written then.
#[test]
fn who_does_not_agree_leaves_the_folder_as_it_was() {
    let (home, store) = (disk(1), MemoryStore::new());
    let mut load = Load::open(&home, &store, 1, "here", State::new());
    load.run(60);
    load.backup(&BackupOptions::default());
    load.archive();
    let copy = disk(2);
    let refused = lay(&store, &copy, &mut |_| Err(Error::InvalidArgument("another branch".into())));
    assert!(refused.unwrap_err().to_string().contains("another branch"));
    assert!(!evenkeel::io::Disk::exists(&copy, "restoring").unwrap());
    lay(&store, &copy, &mut |_| Ok(())).unwrap();
    assert!(lay(&store, &copy, &mut |_| Ok(())).unwrap_err().to_string().contains("not empty"));
}

/// A restore from there refuses to guess which of the two timelines is meant. A standby follows a server, and that one says whether the backup's log is its own.
#[test]
fn a_standby_is_made_of_an_archive_that_two_servers_write_side_by_side() {
    let (home, store) = (disk(3), MemoryStore::new());
    let mut one = Load::open(&home, &store, 3, "here", State::new());
    one.run(60);
    one.backup(&BackupOptions::default());
    one.run(60);
    (0..20).for_each(|_| one.archive());
    let latest = RestoreOptions::default();
    let (home_two, _) = common::moments::restore(&store, &latest).unwrap();
    let mut two = Load::open(&home_two, &store, 4, "there", one.state.clone());
    for _ in 0..8 {
        one.run(20);
        two.archive();
        two.db.mark("it writes").unwrap();
        two.archive();
    }
    two.db.set_setting("archive_timeout", "1s").unwrap();
    two.archive();
    (0..3).for_each(|_| one.archive());
    let e = common::moments::restore(&store, &latest).map(drop).unwrap_err().to_string();
    assert!(e.contains("written side by side"), "{e}");

    let copy = disk(5);
    let db = one.db.clone();
    let mut agree = |of: &BackupOf| {
        assert_eq!(db.upstream().fork(&[(of.end.life, of.end.lsn)])?, Some(of.end.lsn));
        db.upstream().create_slot(SLOT, true).map(drop)
    };
    lay(&store, &copy, &mut agree).unwrap();
    let standby = open_standby(&copy, 5);
    let end = durable_end(&one.db);
    pump_up_to(one.db.upstream(), SLOT, &standby, &mut fastrand::Rng::with_seed(5), true, Lsn::MAX);
    assert!(standby.wait_replayed(end, LONG).unwrap());
    let state = one.state.clone();
    drop((one, two));
    let db = standby.promote().unwrap();
    while db.rollback_changes_left() > 0 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    for (tree, rows) in &state {
        assert_eq!(committed(&db, *tree).unwrap(), *rows);
    }
    assert_sound(&db, "of two timelines");
}
