//! Random calls on the simulated disk, compared with plain vectors of bytes.
//!
//! A failure prints its seed; run that one alone by putting it in [`SEEDS`].

use std::collections::BTreeMap;
use std::io::IoSlice;
use std::ops::Range;

use fastrand::Rng;

use super::super::{Access, Disk, OpenMode, SECTOR, write_all_at};
use super::inode::Inode;
use super::*;

const SEEDS: Range<u64> = 0..150;
const STEPS: usize = 60;
const NAMES: [&str; 3] = ["a", "b", "c"];

/// The longest file that the random calls make, in bytes: several chunks, and more than a node of them.
const LEN_MAX: u64 = 40 * 4096;

/// A file as a plain model. `history` holds every state since the last full sync, the newest last.
#[derive(Clone, Default)]
struct ModelFile {
    durable: Vec<u8>,
    history: Vec<Vec<u8>>,
    /// Lengths set since they were last durable.
    lengths: Vec<u64>,
}

impl ModelFile {
    fn current(&self) -> &[u8] {
        self.history.last().unwrap_or(&self.durable)
    }

    fn change(&mut self, change: impl FnOnce(&mut Vec<u8>)) {
        let mut next = self.current().to_vec();
        let before = next.len();
        change(&mut next);
        if next.len() != before {
            self.lengths.push(next.len() as u64);
        }
        self.history.push(next);
    }

    fn write(&mut self, offset: usize, bytes: &[u8]) {
        self.change(|content| {
            let end = offset + bytes.len();
            content.resize(content.len().max(end), 0);
            content[offset..end].copy_from_slice(bytes);
        });
    }

    fn write_log(&mut self, offset: usize, bytes: &[u8]) {
        self.write(offset, bytes);
        let end = offset + bytes.len();
        let cut = self.lengths.iter().any(|len| (*len as usize) < end);
        if end > self.durable.len() || cut {
            for len in std::mem::take(&mut self.lengths) {
                self.durable.resize(len as usize, 0);
            }
        }
        self.durable[offset..end].copy_from_slice(bytes);
    }

    fn sync(&mut self) {
        self.durable = self.current().to_vec();
        self.history.clear();
        self.lengths.clear();
    }

    /// Whether a file may look so after a power cut: each sector is that of some state, and the length lies between.
    fn check_mixed(&self, got: &[u8], seed: u64) {
        let states = || std::iter::once(&self.durable).chain(&self.history);
        let lens = || states().map(Vec::len);
        assert!(lens().min() <= Some(got.len()) && Some(got.len()) <= lens().max(), "seed {seed}: length");
        for (number, sector) in got.chunks(SECTOR).enumerate() {
            let start = number * SECTOR;
            // What a state has of the sector, or of its beginning if some truncation ended in it.
            let ends = || lens().filter(|len| (start..start + SECTOR).contains(len)).map(|len| len - start);
            let is_from = |state: &Vec<u8>| {
                let at = |at: usize| state.get(start + at).copied().unwrap_or(0);
                let same =
                    sector.iter().enumerate().take_while(|(within, byte)| **byte == at(*within)).count();
                let rest_is_zero = |end: usize| end <= same && sector[end..].iter().all(|byte| *byte == 0);
                same == sector.len() || ends().any(rest_is_zero)
            };
            assert!(
                sector.iter().all(|byte| *byte == 0) || states().any(is_from),
                "seed {seed}: sector {number}"
            );
        }
    }
}

/// What may be done to a file, to the simulated and to the plain one alike.
#[derive(Clone, Debug)]
enum Action {
    Write { access: Access, offset: u64, bytes: Vec<u8>, middle: usize },
    Sync,
    Allocate { offset: u64, len: u64 },
    Truncate { len: u64 },
}

impl Action {
    fn random(rng: &mut Rng) -> Action {
        let unit = [1, SECTOR as u64][rng.usize(..2)];
        match rng.u8(..8) {
            0..5 => {
                let access = [Access::Data, Access::Log, Access::Buffered][rng.usize(..3)];
                let unit = if access == Access::Buffered { unit } else { SECTOR as u64 };
                let (offset, len) = random_range(rng, unit);
                let bytes = random_bytes(rng, len as usize);
                Action::Write { access, offset, middle: rng.usize(..=bytes.len()), bytes }
            }
            5 => Action::Sync,
            6 => {
                let (offset, len) = random_range(rng, unit);
                Action::Allocate { offset, len }
            }
            _ => Action::Truncate { len: rng.u64(..LEN_MAX) / unit * unit },
        }
    }

    fn run(&self, disk: &SimDisk, name: &str) {
        let open = |access| disk.open(name, OpenMode::Existing, access).unwrap();
        match self {
            Action::Write { access, offset, bytes, middle } => {
                let (head, tail) = bytes.split_at(*middle);
                let mut bufs = [IoSlice::new(head), IoSlice::new(tail)];
                write_all_at(&*open(*access), &mut bufs, *offset).unwrap();
            }
            Action::Sync => open(Access::Data).sync().unwrap(),
            Action::Allocate { offset, len } => open(Access::Data).allocate(*offset, *len).unwrap(),
            Action::Truncate { len } => open(Access::Data).truncate(*len).unwrap(),
        }
    }

    fn run_on_model(&self, file: &mut ModelFile) {
        match self {
            Action::Write { access: Access::Log, offset, bytes, .. } => {
                file.write_log(*offset as usize, bytes)
            }
            Action::Write { offset, bytes, .. } => file.write(*offset as usize, bytes),
            Action::Sync => file.sync(),
            Action::Allocate { offset, len } => {
                let end = (offset + len) as usize;
                file.change(|content| content.resize(content.len().max(end), 0));
            }
            Action::Truncate { len } => file.change(|content| content.resize(*len as usize, 0)),
        }
    }
}

fn random_range(rng: &mut Rng, unit: u64) -> (u64, u64) {
    let len_max = [512, 4096, 20_000][rng.usize(..3)];
    let len = (rng.u64(1..=len_max) / unit).max(1) * unit;
    (rng.u64(..LEN_MAX - len) / unit * unit, len)
}

fn random_bytes(rng: &mut Rng, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    if rng.u8(..8) > 0 {
        bytes.chunks_mut(64).for_each(|part| part.fill(rng.u8(..)));
    }
    bytes
}

/// Runs an action, and in one of three cases another one while the first is between its effect and its durability.
/// The outcome is the same as one after the other: what the first makes durable is what was there before the second.
fn step(disk: &SimDisk, name: &'static str, file: &mut ModelFile, rng: &mut Rng) {
    let outer = Action::random(rng);
    let inner = (rng.u8(..3) == 0).then(|| Action::random(rng));
    let mut to_run = inner.clone();
    disk.set_hook(Some(Box::new(move |_, disk| {
        if let Some(action) = to_run.take() {
            action.run(disk, name);
        }
    })));
    outer.run(disk, name);
    disk.set_hook(None);
    outer.run_on_model(file);
    if let Some(inner) = inner {
        inner.run_on_model(file);
    }
}

fn check_read(disk: &SimDisk, name: &str, file: &ModelFile, rng: &mut Rng, seed: u64) {
    let (offset, len) = random_range(rng, SECTOR as u64);
    let open = disk.open(name, OpenMode::Existing, Access::Data).unwrap();
    let mut got = vec![1; len as usize];
    let rest = file.current().get(offset as usize..).unwrap_or_default();
    let expected = &rest[..rest.len().min(got.len())];
    assert_eq!(open.read_at(&mut got, offset).unwrap(), expected.len(), "seed {seed}: read of {name}");
    assert!(got[..expected.len()] == *expected, "seed {seed}: read of {name}");
}

fn check(disk: &SimDisk, model: &BTreeMap<&'static str, ModelFile>, seed: u64, crash_seed: u64) {
    let worst = disk.crash_copy_with(CrashPolicy::LoseUnsynced, crash_seed);
    let best = disk.crash_copy_with(CrashPolicy::KeepAll, crash_seed);
    let mixed = disk.crash_copy(crash_seed);
    let killed = disk.kill_copy();
    for (name, file) in model {
        let contents = |disk: &SimDisk| disk.contents(name).unwrap();
        assert!(contents(disk) == file.current(), "seed {seed}: current content of {name}");
        assert!(contents(&killed) == file.current(), "seed {seed}: {name} after a kill");
        assert!(contents(&worst) == file.durable, "seed {seed}: durable content of {name}");
        assert!(contents(&best) == file.current(), "seed {seed}: {name} with all kept");
        file.check_mixed(&contents(&mixed), seed);
    }
}

#[test]
fn random_calls_agree_with_plain_vectors() {
    for seed in SEEDS {
        let mut rng = Rng::with_seed(seed);
        let mut disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
        let mut model = BTreeMap::new();
        for name in NAMES {
            disk.open(name, OpenMode::CreateNew, Access::Data).unwrap();
            model.insert(name, ModelFile::default());
        }
        disk.sync_dir("").unwrap();
        for _ in 0..STEPS {
            let name = NAMES[rng.usize(..NAMES.len())];
            step(&disk, name, model.get_mut(name).unwrap(), &mut rng);
            check_read(&disk, name, &model[name], &mut rng, seed);
            check(&disk, &model, seed, rng.u64(..));
            match rng.u8(..20) {
                0 => disk = disk.kill_copy(),
                1 => {
                    disk = disk.crash_copy_with(CrashPolicy::LoseUnsynced, 0);
                    for file in model.values_mut() {
                        *file = ModelFile { durable: file.durable.clone(), ..ModelFile::default() };
                    }
                }
                _ => {}
            }
        }
    }
}

/// A file whose every state is remembered, and for each sector the number of the durable one.
struct FlushModel {
    states: Vec<Vec<u8>>,
    durable: Vec<usize>,
    len_durable: usize,
    /// Truncations: the state each made, and the length in sectors.
    cuts: Vec<(usize, usize)>,
}

impl FlushModel {
    const SECTORS: usize = 24;

    fn push(&mut self, inode: &Inode) {
        let mut state = vec![0; inode.len() as usize];
        inode.read(0, &mut state);
        self.states.push(state);
    }

    /// Sectors up to a state, of some sectors or of all, are durable.
    fn complete(&mut self, sectors: Option<Range<usize>>, upto: usize) {
        let end = sectors.as_ref().map_or(usize::MAX, |sectors| sectors.end);
        let len = self.states[self.len_durable].len() / SECTOR;
        let pending = |cut: &(usize, usize)| cut.0 > self.len_durable && cut.0 <= upto;
        let cuts: Vec<_> = self.cuts.iter().copied().filter(pending).collect();
        if end > len || cuts.iter().any(|cut| cut.1 < end) {
            for (state, len) in cuts {
                self.durable[len..].iter_mut().for_each(|durable| *durable = state.max(*durable));
            }
            self.len_durable = self.len_durable.max(upto);
        }
        let sectors = sectors.unwrap_or(0..Self::SECTORS);
        self.durable[sectors].iter_mut().for_each(|durable| *durable = upto.max(*durable));
    }

    fn durable_content(&self) -> Vec<u8> {
        let mut content = vec![0; self.states[self.len_durable].len()];
        for (number, sector) in content.chunks_mut(SECTOR).enumerate() {
            if let Some(from) = self.states[self.durable[number]].get(number * SECTOR..) {
                let count = from.len().min(SECTOR);
                sector[..count].copy_from_slice(&from[..count]);
            }
        }
        content
    }
}

/// Flushes may end in any order, with writes between: a sector is as durable as the newest flush of it says.
#[test]
fn random_flushes_end_in_any_order() {
    for seed in 0..20 * SEEDS.end {
        let mut rng = Rng::with_seed(seed);
        let mut inode = Inode::default();
        let sectors = FlushModel::SECTORS;
        let mut model = FlushModel {
            states: vec![Vec::new()],
            durable: vec![0; sectors],
            len_durable: 0,
            cuts: Vec::new(),
        };
        let mut in_flight = Vec::new();
        for letter in 1..50u8 {
            let first = rng.usize(..sectors);
            let range = first..rng.usize(first + 1..=sectors);
            let bytes = range.start as u64 * SECTOR as u64..range.end as u64 * SECTOR as u64;
            match rng.u8(..8) {
                0..3 => {
                    let content = vec![letter; range.len() * SECTOR];
                    inode.write(&[IoSlice::new(&content)], content.len(), bytes.start, 2);
                    model.push(&inode);
                    if rng.bool() {
                        let flush = inode.begin_flush(Some(bytes), true);
                        in_flight.push((flush, Some(range), model.states.len() - 1));
                    }
                }
                3 if bytes.start < inode.len() => {
                    inode.truncate(bytes.start, 2);
                    model.push(&inode);
                    model.cuts.push((model.states.len() - 1, range.start));
                }
                4 => {
                    inode.allocate(bytes.end);
                    model.push(&inode);
                }
                5 => in_flight.push((inode.begin_flush(None, true), None, model.states.len() - 1)),
                _ if !in_flight.is_empty() => {
                    let (flush, range, upto) = in_flight.swap_remove(rng.usize(..in_flight.len()));
                    inode.complete_flush(&flush);
                    model.complete(range, upto);
                }
                _ => {}
            }
            let content = |policy| {
                let crashed = inode.crashed(policy, &mut Rng::with_seed(seed));
                let mut content = vec![0; crashed.len() as usize];
                crashed.read(0, &mut content);
                content
            };
            assert!(
                content(CrashPolicy::LoseUnsynced) == model.durable_content(),
                "seed {seed}: step {letter}"
            );
            assert!(
                content(CrashPolicy::KeepAll) == *model.states.last().unwrap(),
                "seed {seed}: step {letter}"
            );
        }
    }
}

/// Names as a plain model: after a power cut each name leads where it did at some time since the last sync.
#[test]
fn random_names_survive_in_order() {
    type Map = BTreeMap<String, Vec<u8>>;
    for seed in SEEDS {
        let mut rng = Rng::with_seed(seed);
        let disk = SimDisk::new(SimOptions { seed, ..SimOptions::default() });
        let mut history = vec![Map::new()];
        for number in 0..40u32 {
            let mut map = history.last().unwrap().clone();
            let (name, other) = (NAMES[rng.usize(..3)], NAMES[rng.usize(..3)]);
            match rng.u8(..7) {
                0..3 if !map.contains_key(name) => {
                    let log = disk.open(name, OpenMode::CreateNew, Access::Log).unwrap();
                    let content = [number.to_le_bytes(); SECTOR / 4].concat();
                    write_all_at(&*log, &mut [IoSlice::new(&content)], 0).unwrap();
                    map.insert(name.to_owned(), content);
                }
                3 | 4 if map.contains_key(name) => {
                    disk.rename(name, other).unwrap();
                    let content = map.remove(name).unwrap();
                    map.insert(other.to_owned(), content);
                }
                5 if map.remove(name).is_some() => disk.remove(name).unwrap(),
                6 => {
                    disk.sync_dir("").unwrap();
                    history.clear();
                }
                _ => {}
            }
            history.push(map);
            let crashed = disk.crash_copy(rng.u64(..));
            for name in NAMES {
                let got = crashed.contents(name).ok();
                assert!(history.iter().any(|map| map.get(name) == got.as_ref()), "seed {seed}: {name}");
            }
            let files: Vec<Vec<u8>> = NAMES.iter().filter_map(|name| crashed.contents(name).ok()).collect();
            let mut distinct = files.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), files.len(), "seed {seed}: one file under two names");
            let names: Vec<&String> = history.last().unwrap().keys().collect();
            assert_eq!(disk.list("").unwrap().iter().collect::<Vec<_>>(), names, "seed {seed}");
        }
    }
}
