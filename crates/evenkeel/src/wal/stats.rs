//! What a stretch of log consists of: records by kind, with their bytes and those of their images.

use super::record::{Kind, Record};
use std::fmt::Write;

/// Sums of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// Records.
    pub records: u64,
    /// Their bytes, frames included.
    pub bytes: u64,
    /// Images in them.
    pub images: u64,
    /// Bytes of the images.
    pub image_bytes: u64,
    /// Images that were stripped.
    pub stripped_images: u64,
    /// Bytes that these had.
    pub stripped_bytes: u64,
    /// Bytes of undo information.
    pub undo_bytes: u64,
}

/// Sums by kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogStats {
    kinds: [Sum; KINDS.len()],
}

const KINDS: [(Kind, &str); 9] = [
    (Kind::Change, "change"),
    (Kind::Commit, "commit"),
    (Kind::Abort, "abort"),
    (Kind::Round, "round"),
    (Kind::DropFile, "drop file"),
    (Kind::Truncate, "truncate"),
    (Kind::Pad, "pad"),
    (Kind::Mark, "mark"),
    (Kind::Flushed, "flushed"),
];

impl LogStats {
    /// Counts a record.
    pub fn add(&mut self, r: &Record<'_>) {
        let i = KINDS.iter().position(|(k, _)| *k == r.kind).expect("every kind has a row");
        let s = &mut self.kinds[i];
        s.records += 1;
        s.bytes += r.end.0 - r.lsn.0;
        s.undo_bytes += r.undo.len() as u64;
        for b in &r.blocks {
            if let Some(image) = &b.image {
                s.images += 1;
                s.image_bytes += image.stored_bytes() as u64;
            }
            if let Some(bytes) = b.stripped_bytes {
                s.stripped_images += 1;
                s.stripped_bytes += bytes as u64;
            }
        }
    }

    /// Kinds that occur, in the order of their numbers, with their names.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Sum)> + '_ {
        KINDS.iter().zip(self.kinds).filter(|(_, s)| s.records > 0).map(|((_, name), s)| (*name, s))
    }

    /// All kinds together.
    pub fn total(&self) -> Sum {
        self.kinds.iter().fold(Sum::default(), |a, b| Sum {
            records: a.records + b.records,
            bytes: a.bytes + b.bytes,
            images: a.images + b.images,
            image_bytes: a.image_bytes + b.image_bytes,
            stripped_images: a.stripped_images + b.stripped_images,
            stripped_bytes: a.stripped_bytes + b.stripped_bytes,
            undo_bytes: a.undo_bytes + b.undo_bytes,
        })
    }

    /// A table for people.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{:<10} {:>10} {:>14} {:>9} {:>14} {:>9} {:>14} {:>12}\n",
            "kind", "records", "bytes", "images", "image bytes", "stripped", "stripped bytes", "undo bytes"
        );
        for (name, s) in self.rows().chain([("total", self.total())]) {
            let _ = writeln!(
                out,
                "{name:<10} {:>10} {:>14} {:>9} {:>14} {:>9} {:>14} {:>12}",
                s.records,
                s.bytes,
                s.images,
                s.image_bytes,
                s.stripped_images,
                s.stripped_bytes,
                s.undo_bytes
            );
        }
        out
    }

    /// The same as one JSON object.
    pub fn json(&self) -> String {
        let row = |s: Sum| {
            format!(
                "{{\"records\":{},\"bytes\":{},\"images\":{},\"image_bytes\":{},\"stripped_images\":{},\"stripped_bytes\":{},\"undo_bytes\":{}}}",
                s.records,
                s.bytes,
                s.images,
                s.image_bytes,
                s.stripped_images,
                s.stripped_bytes,
                s.undo_bytes
            )
        };
        let kinds: Vec<_> =
            self.rows().map(|(n, s)| format!("\"{}\":{}", n.replace(' ', "_"), row(s))).collect();
        format!("{{\"kinds\":{{{}}},\"total\":{}}}", kinds.join(","), row(self.total()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_adds_up_every_column() {
        let sum = |n: u64| Sum {
            records: n,
            bytes: 10 * n,
            images: 20 * n,
            image_bytes: 30 * n,
            stripped_images: 40 * n,
            stripped_bytes: 50 * n,
            undo_bytes: 60 * n,
        };
        let mut stats = LogStats::default();
        (stats.kinds[0], stats.kinds[1], stats.kinds[8]) = (sum(2), sum(3), sum(5));
        assert_eq!(stats.total(), sum(10));
        assert_eq!(stats.rows().map(|(name, _)| name).collect::<Vec<_>>(), ["change", "commit", "flushed"]);
    }
}
