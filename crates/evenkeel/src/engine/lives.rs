//! Which lives a database's log has had: where each one went on, so that two servers find the place up to which they have the same log (S25; decision 013, 17).
//!
//! The file `lives` has a line for each life: its number, that of the life before, and where that one ended; the last line is a checksum. Lives whose beginning is still in the log are found
//! there as well.
//!
//! Invariants
//! 1. It is a help, and no authority: what is damaged or could not be written costs a server that comes back a copy of everything.
//!
//! Must not know: what a fork is good for.

use crate::archive::LifeStart;
use crate::base::{Error, Lsn, Result};
use crate::io::{Disk, OpenMode, replace_whole};
use crate::wal::segment::{self, Header};

/// The file's name in the database's folder.
pub(super) const FILE: &str = "lives";
/// Lives that are kept, the youngest: one begins with each start.
const KEPT_MAX: usize = 4096;

/// A life, and what it followed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Life {
    life: u64,
    before: u64,
    /// Where the one before ended.
    at: Lsn,
}

/// All that are known, oldest first.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Lives(Vec<Life>);

impl Lives {
    /// Those in the folder, and those whose beginning is in its log.
    pub(super) fn read(disk: &dyn Disk) -> Result<Lives> {
        let mut lives = match read_file(disk) {
            Ok(text) => Lives::decode(&text).unwrap_or_else(|| {
                tracing::warn!("the file \"{FILE}\" is damaged: what is not in the log of the lives of the log is forgotten");
                Lives::default()
            }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Lives::default(),
            Err(e) => return Err(Error::io("reading the file \"lives\"", e)),
        };
        for n in segment::list(disk)? {
            if let Some((_, header)) = segment::open(disk, n)? {
                lives.add(header.incarnation, header.prev_incarnation, header.prev_end);
            }
        }
        Ok(lives)
    }

    /// A life that follows on another; others than such are not noted.
    pub(super) fn add(&mut self, life: u64, before: u64, at: Lsn) {
        if before != 0 && before != life && !self.0.iter().any(|l| l.life == life) {
            self.0.push(Life { life, before, at });
        }
        let over = self.0.len().saturating_sub(KEPT_MAX);
        self.0.drain(..over);
    }

    /// Those that another server knows.
    pub(super) fn add_all(&mut self, others: &Lives) {
        let own = std::mem::take(self);
        for l in others.0.iter().chain(&own.0) {
            self.add(l.life, l.before, l.at);
        }
    }

    /// Writes them down, durably.
    pub(super) fn write(&self, disk: &dyn Disk) -> Result<()> {
        replace_whole(disk, FILE, self.encode().as_bytes())
            .map_err(|e| Error::io("writing the file \"lives\"", e))
    }

    /// As text.
    pub fn encode(&self) -> String {
        let line = |l: &Life| format!("{:016x} {:016x} {}\n", l.life, l.before, l.at);
        let text: String = self.0.iter().map(line).collect();
        let crc = crc32c::crc32c(text.as_bytes());
        text + &format!("{crc:08x}\n")
    }

    /// From text; `None`: it is damaged.
    pub fn decode(text: &str) -> Option<Lives> {
        let end = text.trim_end().rfind('\n').map_or(0, |n| n + 1);
        let (lines, crc) = text.split_at(end);
        let crc = crc.strip_suffix('\n').filter(|crc| crc.len() == 8)?;
        if u32::from_str_radix(crc, 16).ok()? != crc32c::crc32c(lines.as_bytes()) {
            return None;
        }
        let line = |line: &str| {
            let mut words = line.split(' ');
            let life = u64::from_str_radix(words.next()?, 16).ok()?;
            let before = u64::from_str_radix(words.next()?, 16).ok()?;
            Some(Life { life, before, at: words.next()?.parse().ok()? })
        };
        lines.lines().map(line).collect::<Option<_>>().map(Lives)
    }

    /// Back from a life that has come to `end`: each one and where it ended, youngest first.
    pub(super) fn back_from(&self, life: u64, end: Lsn) -> Vec<(u64, Lsn)> {
        let mut back = vec![(life, end)];
        while let Some(l) = self.0.iter().find(|l| back.last().is_some_and(|(life, _)| l.life == *life)) {
            if back.iter().any(|(life, _)| *life == l.before) {
                break; // nonsense must not keep anybody for ever
            }
            back.push((l.before, l.at));
        }
        back
    }

    /// Up to where a log that is in `life` and has come to `end` is the same as one whose lives were `others`, youngest first. `None`: nowhere, as far as is known.
    pub(super) fn fork(&self, life: u64, end: Lsn, others: &[(u64, Lsn)]) -> Option<Lsn> {
        // Its own ancestors only: those of branches that were left are known as well.
        let own = self.back_from(life, end);
        others.iter().find_map(|(other, other_end)| {
            let own_end = own.iter().find(|(life, _)| life == other).map(|(_, end)| *end);
            own_end.map(|own_end| own_end.min(*other_end))
        })
    }
}

/// The lives that led to the one that begins with `first`, and that, oldest first; those that are known (1).
pub(super) fn before(disk: &dyn Disk, first: &Header) -> Vec<LifeStart> {
    let mut lives = Lives::read(disk).unwrap_or_default();
    lives.add(first.incarnation, first.prev_incarnation, first.prev_end);
    let back = lives.back_from(first.incarnation, Lsn::MAX);
    let start = |l: &[(u64, Lsn)]| LifeStart { life: l[0].0, before: l[1].0, at: l[1].1 };
    back.windows(2).rev().map(start).collect()
}

/// Notes that a life has begun. What prevents it is told to the log of events alone (1).
pub(super) fn note(disk: &dyn Disk, life: u64, before: u64, at: Lsn) {
    let noted = Lives::read(disk).and_then(|mut lives| {
        lives.add(life, before, at);
        lives.write(disk)
    });
    if let Err(e) = noted {
        tracing::warn!("the file \"{FILE}\" could not be written: {e}");
    }
}

fn read_file(disk: &dyn Disk) -> std::io::Result<String> {
    let file = disk.open(FILE, OpenMode::Existing, crate::io::Access::Buffered)?;
    let mut bytes = vec![0; file.len()?.min(1 << 20) as usize];
    crate::io::read_exact_at(&*file, &mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lives(all: &[(u64, u64, u64)]) -> Lives {
        let mut lives = Lives::default();
        all.iter().for_each(|(life, before, at)| lives.add(*life, *before, Lsn(*at)));
        lives
    }

    #[test]
    fn they_come_back_as_they_were_written_and_damage_is_noticed() {
        for all in [lives(&[]), lives(&[(1, 9, 100), (u64::MAX, 1, u64::MAX >> 2)])] {
            let text = all.encode();
            assert_eq!(Lives::decode(&text), Some(all));
            for n in 0..text.len() {
                assert_eq!(Lives::decode(&text[..n]), None, "{n} of {text}");
            }
        }
        assert_eq!(Lives::decode(&lives(&[(1, 9, 100)]).encode().replace('9', "8")), None);
    }

    #[test]
    fn the_place_is_found_up_to_which_two_logs_are_the_same() {
        // 1 → 2 at 200; the other one took over at 180, as 7, and has become 8.
        let other = lives(&[(1, 9, 100), (7, 1, 180), (8, 7, 300)]);
        let old = lives(&[(1, 9, 100), (2, 1, 200), (3, 2, 250)]);
        let back = old.back_from(3, Lsn(260));
        assert_eq!(back, [(3, Lsn(260)), (2, Lsn(250)), (1, Lsn(200)), (9, Lsn(100))]);
        assert_eq!(other.fork(8, Lsn(400), &back), Some(Lsn(180)));
        // One that had not come so far.
        assert_eq!(other.fork(8, Lsn(400), &[(1, Lsn(150))]), Some(Lsn(150)));
        // One that follows, or followed.
        assert_eq!(other.fork(8, Lsn(400), &[(8, Lsn(500)), (7, Lsn(300))]), Some(Lsn(400)));
        assert_eq!(other.fork(8, Lsn(400), &[(77, Lsn(1))]), None);
        assert_eq!(lives(&[(5, 6, 10), (6, 5, 20)]).back_from(5, Lsn(30)).len(), 2);
    }

    #[test]
    fn the_youngest_are_kept_and_none_twice() {
        let mut all = Lives::default();
        (1..=KEPT_MAX as u64 + 10).for_each(|n| all.add(n + 1, n, Lsn(n)));
        all.add(KEPT_MAX as u64, 1, Lsn(1));
        assert_eq!((all.0.len(), all.0[0].before), (KEPT_MAX, 11));
        let mut one = lives(&[(2, 1, 10)]);
        one.add_all(&lives(&[(3, 2, 20), (2, 1, 10)]));
        assert_eq!(one, lives(&[(3, 2, 20), (2, 1, 10)]));
    }
}
