//! The bytes of log records.
//!
//! Frame (at an LSN of the record stream, no alignment):
//!
//! | field | width | |
//! | --- | --- | --- |
//! | crc | 4 | CRC32C of all that follows, seeded with the record's LSN and the log's incarnation (neither is stored) |
//! | length | varint | bytes of the body |
//! | body | length | |
//!
//! Body: `head` byte = kind in the low four bits, plus `TXN` (16), `UNDO` (32), `CLR` (64), `ONE` (128). Then, in order:
//!
//! * with `TXN`: transaction id varint; link to the transaction's previous record varint: 0 = none is needed or there is none, else its distance from
//!   the transaction's first record plus 1. Whoever follows links has met the first record, or found it in a round record's table;
//! * with `CLR`: LSN of the record to undo next, varint (0 = none);
//! * with `UNDO`: length varint and payload, opaque here (the row layer's undo information);
//! * kind `Change`: with `ONE` one block, whose ops have no length and end with the body; else number of blocks varint, then the blocks;
//! * other kinds: their payload up to the body's end.
//!
//! Block: flags byte (`IMAGE` 1, `INIT` 2, `LZ4` 4, `SAME_FILE` 8, `STRIPPED` 16; others are refused), file id varint (absent with
//! `SAME_FILE`), block varint, then with `IMAGE`: hole start u16, hole length u16, with `LZ4` the compressed length varint, the bytes; then
//! ops length varint, ops. The ops are there even when an image is: an image can be stripped (S22). With `STRIPPED` it was: the fields
//! around its bytes stand as before and the bytes are zeros, so that the record keeps its length. `FORMAT.md` has all of this byte by byte.
//!
//! Invariants
//! 1. A checksum covers one record only: nothing past its end.
//! 2. Decoding is total: any bytes give a record or an error.

use crate::base::codec::{Reader, put_bytes, put_varint, varint_len};
use crate::base::{Error, FileId, Lsn, MAX_FILE_ID, PAGE_BYTES, PageId, Result, TxnId};

/// Longest body: bounds what a reader allocates by a claimed length.
pub const MAX_BODY_BYTES: usize = 1 << 20;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Changes of pages (one mini-transaction).
    Change = 1,
    /// A transaction committed; payload: time in milliseconds since the Unix epoch, varint. It has no link: nobody undoes it.
    Commit = 2,
    /// A transaction's rollback is complete.
    Abort = 3,
    /// A round ended: redo vector, active transactions, counters.
    Round = 4,
    /// A file was dropped; payload: file id varint, then who dropped it, as in undo of kind 7 of the row layer, varint (older logs have it not).
    DropFile = 5,
    /// A file was cut; payload: file id varint, blocks left varint.
    Truncate = 6,
    /// Nothing; fills a block.
    Pad = 7,
    /// A named restore point; payload: time in milliseconds since the Unix epoch, varint, then the name to the end.
    Mark = 8,
    /// Says how far the log was durable when this was logged; payload: distance back to there from this record's LSN, varint. Each gang has one, so that
    /// damage before it is told from the end of the log (`end`).
    Flushed = 9,
}

impl Kind {
    fn from_bits(b: u8) -> Option<Kind> {
        Some(match b {
            1 => Kind::Change,
            2 => Kind::Commit,
            3 => Kind::Abort,
            4 => Kind::Round,
            5 => Kind::DropFile,
            6 => Kind::Truncate,
            7 => Kind::Pad,
            8 => Kind::Mark,
            9 => Kind::Flushed,
            _ => return None,
        })
    }
}

const TXN: u8 = 16;
const UNDO: u8 = 32;
const CLR: u8 = 64;
const ONE: u8 = 128;

const IMAGE: u8 = 1;
const INIT: u8 = 2;
const LZ4: u8 = 4;
const SAME_FILE: u8 = 8;
const STRIPPED: u8 = 16;
const BLOCK_FLAGS: u8 = IMAGE | INIT | LZ4 | SAME_FILE | STRIPPED;

/// A record's link to its transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TxnLink {
    /// Whose record it is.
    pub id: TxnId,
    /// The transaction's record before this one: 0 = none, else its distance in bytes from the first plus 1.
    pub prev: u64,
    /// Set on compensation records: where undo goes on.
    pub undo_next: Option<Lsn>,
}

/// A block of a change record.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// Which page.
    pub page: PageId,
    /// The page is initialised by the ops: earlier content does not matter.
    pub init: bool,
    /// The page as it was before the ops.
    pub image: Option<Image<'a>>,
    /// There was an image; it was stripped, and so many zeros stand in its place. The ops go onto the page that its LSN speaks of.
    pub stripped_bytes: Option<usize>,
    /// Encoded page ops.
    pub ops: &'a [u8],
    /// Offset of the flags in the body.
    flags_at: usize,
    /// Offset of the image's bytes, or of what stands for them, in the body.
    image_at: usize,
}

/// A full-page image, its hole left out.
#[derive(Clone, Debug)]
pub struct Image<'a> {
    hole_from: u16,
    hole_len: u16,
    lz4: bool,
    bytes: &'a [u8],
}

impl<'a> Image<'a> {
    /// An image from its parts, as [`Image::parts`] gave them.
    pub fn from_parts(hole: (u16, u16), lz4: bool, bytes: &'a [u8]) -> Image<'a> {
        Image { hole_from: hole.0, hole_len: hole.1, lz4, bytes }
    }

    /// Start and length of the hole, whether the bytes are compressed, and the bytes.
    pub fn parts(&self) -> ((u16, u16), bool, &'a [u8]) {
        ((self.hole_from, self.hole_len), self.lz4, self.bytes)
    }

    /// Bytes that the image takes in the log.
    pub fn stored_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Writes the page.
    pub fn restore(&self, page: &mut [u8]) -> Result<()> {
        let bad = || Error::corrupt("full-page image");
        let (from, to) =
            (usize::from(self.hole_from), usize::from(self.hole_from) + usize::from(self.hole_len));
        if to > PAGE_BYTES {
            return Err(bad());
        }
        let mut flat = [0u8; PAGE_BYTES];
        let want = PAGE_BYTES - (to - from);
        let got = if self.lz4 {
            lz4_flex::block::decompress_into(self.bytes, &mut flat).map_err(|_| bad())?
        } else if self.bytes.len() <= PAGE_BYTES {
            flat[..self.bytes.len()].copy_from_slice(self.bytes);
            self.bytes.len()
        } else {
            return Err(bad());
        };
        if got != want {
            return Err(bad());
        }
        page[..from].copy_from_slice(&flat[..from]);
        page[from..to].fill(0);
        page[to..].copy_from_slice(&flat[from..want]);
        Ok(())
    }
}

/// A decoded record, borrowing from the bytes it was read from.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    /// Its position.
    pub lsn: Lsn,
    /// The position after it.
    pub end: Lsn,
    /// What it is.
    pub kind: Kind,
    /// Its transaction, if it has one.
    pub txn: Option<TxnLink>,
    /// Undo information of the row layer (empty = none).
    pub undo: &'a [u8],
    /// Blocks of a change.
    pub blocks: Vec<Block<'a>>,
    /// What other kinds carry.
    pub payload: &'a [u8],
}

impl TxnLink {
    /// The record before this one of a transaction whose first record is `first`; `Lsn::ZERO` if there is none.
    pub fn prev_lsn(&self, first: Lsn) -> Lsn {
        if self.prev == 0 { Lsn::ZERO } else { Lsn(first.0.saturating_add(self.prev - 1)) }
    }
}

/// Starts the body of a change of so many blocks.
pub fn put_change_head(out: &mut Vec<u8>, txn: Option<TxnLink>, undo: &[u8], blocks: usize) {
    let at = out.len();
    put_head(out, Kind::Change, txn, undo);
    if blocks == 1 {
        out[at] |= ONE;
    } else {
        put_varint(out, blocks as u64);
    }
}

/// Starts a body of another kind.
pub fn put_head(out: &mut Vec<u8>, kind: Kind, txn: Option<TxnLink>, undo: &[u8]) {
    let mut head = kind as u8;
    if let Some(t) = txn {
        head |= TXN | if t.undo_next.is_some() { CLR } else { 0 };
    }
    if !undo.is_empty() {
        head |= UNDO;
    }
    out.push(head);
    if let Some(t) = txn {
        put_varint(out, t.id.0);
        put_varint(out, t.prev);
        if let Some(next) = t.undo_next {
            put_varint(out, next.0);
        }
    }
    if !undo.is_empty() {
        put_bytes(out, undo);
    }
}

/// Appends a block to a change body, the `only` one or one of several. `image` is the page before the ops, with its hole.
pub fn put_block(
    out: &mut Vec<u8>,
    page: PageId,
    only: bool,
    same_file: bool,
    init: bool,
    image: Option<(&[u8], std::ops::Range<usize>)>,
    ops: &[u8],
) {
    let flags_at = out.len();
    let mut flags = if init { INIT } else { 0 } | if same_file { SAME_FILE } else { 0 };
    out.push(0);
    if !same_file {
        put_varint(out, page.file.0);
    }
    put_varint(out, u64::from(page.block.0));
    if let Some((bytes, hole)) = image {
        flags |= IMAGE | put_image(out, bytes, hole);
    }
    out[flags_at] = flags;
    if only {
        out.extend_from_slice(ops);
    } else {
        put_bytes(out, ops);
    }
}

fn put_image(out: &mut Vec<u8>, page: &[u8], hole: std::ops::Range<usize>) -> u8 {
    out.extend_from_slice(&(hole.start as u16).to_le_bytes());
    out.extend_from_slice(&(hole.len() as u16).to_le_bytes());
    let mut flat = [0u8; PAGE_BYTES];
    let n = PAGE_BYTES - hole.len();
    flat[..hole.start].copy_from_slice(&page[..hole.start]);
    flat[hole.start..n].copy_from_slice(&page[hole.end..]);
    let mut packed = [0u8; lz4_flex::block::get_maximum_output_size(PAGE_BYTES)];
    match lz4_flex::block::compress_into(&flat[..n], &mut packed) {
        Ok(len) if len < n * 7 / 8 => {
            put_bytes(out, &packed[..len]);
            LZ4
        }
        _ => {
            out.extend_from_slice(&flat[..n]);
            0
        }
    }
}

/// Length of the frame around a body.
pub fn framed_len(body: usize) -> usize {
    4 + varint_len(body as u64) + body
}

/// Length of the padding that a block which is filled up to `used` bytes needs so that the next record begins a block; 0 if it does so
/// anyway. Longer than what is left of the block where no record has that length.
pub fn padding_len(used: u64, block_bytes: u64) -> u64 {
    let left = (block_bytes - used) % block_bytes;
    if left == 0 || padding_body(left).is_some() { left } else { left + block_bytes }
}

/// Length of a body whose frame has `total` bytes, if there is one.
fn padding_body(total: u64) -> Option<usize> {
    let total = usize::try_from(total).ok()?;
    (1..=10)
        .filter_map(|head| total.checked_sub(4 + head))
        .find(|body| *body > 0 && framed_len(*body) == total)
}

/// Body of a padding record whose frame has `total` bytes, as `padding_len` gave it.
pub fn padding(total: u64) -> Vec<u8> {
    let mut body = Vec::new();
    put_head(&mut body, Kind::Pad, None, &[]);
    body.resize(padding_body(total).expect("the length of a padding record"), 0);
    body
}

/// Body of a record that says that the log is durable up to `flushed`, to stand at a position this far behind it.
pub fn flushed_body(distance: u64) -> Vec<u8> {
    let mut body = Vec::new();
    put_head(&mut body, Kind::Flushed, None, &[]);
    put_varint(&mut body, distance);
    body
}

/// Longest frame of such a record.
pub const FLUSHED_FRAME_MAX: usize = 4 + 1 + 1 + 10;
/// The byte that its body begins with, and where in the frame that stands.
pub const FLUSHED_HEAD: u8 = 9;
/// See [`FLUSHED_HEAD`].
pub const FLUSHED_KIND_AT: usize = 5;

/// How far the log was durable when the record at the start of `bytes`, which stand at `lsn`, was logged; with the length of its frame. `None`: no
/// intact record of that kind stands here. For whoever looks for them where it is not known where records begin: most places cost a comparison of two bytes.
pub fn flushed_frame(bytes: &[u8], lsn: Lsn, incarnation: u64) -> Option<(Lsn, usize)> {
    let &[_, _, _, _, len @ 2..=11, FLUSHED_HEAD, ..] = bytes else { return None };
    let frame = bytes.get(..5 + usize::from(len))?;
    if !frame_is_intact(frame, lsn, incarnation) {
        return None;
    }
    let record = Record::decode(&frame[5..], lsn, Lsn(lsn.0 + frame.len() as u64)).ok()?;
    Some((record.flushed()?, frame.len()))
}

/// Writes the frame head (checksum and length) for a body that will stand at `lsn`.
pub fn frame_head(body: &[u8], lsn: Lsn, incarnation: u64) -> ([u8; 14], usize) {
    let mut head = [0u8; 14];
    let mut len = Vec::with_capacity(10);
    put_varint(&mut len, body.len() as u64);
    let crc = crc32c::crc32c_append(crc32c::crc32c_append(seed(lsn, incarnation), &len), body);
    head[..4].copy_from_slice(&crc.to_le_bytes());
    head[4..4 + len.len()].copy_from_slice(&len);
    (head, 4 + len.len())
}

fn seed(lsn: Lsn, incarnation: u64) -> u32 {
    let mut b = [0u8; 16];
    b[..8].copy_from_slice(&lsn.0.to_le_bytes());
    b[8..].copy_from_slice(&incarnation.to_le_bytes());
    crc32c::crc32c(&b)
}

/// Reads the frame head at the start of `bytes`: (head length, body length). `None` if no record can start like this.
pub fn parse_frame(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut r = Reader::new(bytes.get(4..)?, "record");
    let before = r.rest().len();
    let body = r.varint_max(MAX_BODY_BYTES).ok()?;
    (body > 0).then_some((4 + before - r.rest().len(), body))
}

/// Whether a body can begin with this byte.
pub fn may_begin_body(head: u8) -> bool {
    Kind::from_bits(head & 15).is_some()
}

/// Whether a whole frame is intact at `lsn` in this incarnation.
pub fn frame_is_intact(frame: &[u8], lsn: Lsn, incarnation: u64) -> bool {
    frame.len() > 4
        && frame_checksum(frame, lsn, incarnation)
            == u32::from_le_bytes(frame[..4].try_into().expect("four bytes"))
}

/// The checksum that a whole frame must begin with.
pub fn frame_checksum(frame: &[u8], lsn: Lsn, incarnation: u64) -> u32 {
    crc32c::crc32c_append(seed(lsn, incarnation), &frame[4..])
}

impl<'a> Record<'a> {
    /// Decodes the body of a record at `lsn` whose frame was checked.
    pub fn decode(body: &'a [u8], lsn: Lsn, end: Lsn) -> Result<Record<'a>> {
        let mut r = Reader::new(body, "log record");
        let head = r.u8()?;
        let kind = Kind::from_bits(head & 15).ok_or_else(|| r.bad("unknown kind"))?;
        let mut txn = None;
        if head & TXN != 0 {
            let (id, prev) = (TxnId(r.varint()?), r.varint()?);
            if id > TxnId::MAX || prev > lsn.0 {
                return Err(r.bad("bad transaction link"));
            }
            let undo_next = if head & CLR != 0 { Some(Lsn(r.varint()?)) } else { None };
            if undo_next.is_some_and(|next| next >= lsn) {
                return Err(r.bad("undo would go forwards"));
            }
            txn = Some(TxnLink { id, prev, undo_next });
        }
        let undo = if head & UNDO != 0 { r.bytes()? } else { &[] };
        let mut rec = Record { lsn, end, kind, txn, undo, blocks: Vec::new(), payload: &[] };
        if kind != Kind::Change {
            rec.payload = r.rest();
            return Ok(rec);
        }
        let only = head & ONE != 0;
        let n = if only { 1 } else { r.varint_max(1024)? };
        let mut file = None;
        for _ in 0..n {
            let flags_at = body.len() - r.rest().len();
            let flags = r.u8()?;
            if flags & !BLOCK_FLAGS != 0 || (flags & IMAGE == 0 && flags & (LZ4 | STRIPPED) != 0) {
                return Err(r.bad("unknown block flags"));
            }
            if flags & SAME_FILE == 0 {
                file = Some(FileId(r.varint()?)).filter(|f| f.0 < MAX_FILE_ID);
            }
            let file = file.ok_or_else(|| r.bad("first block without a file"))?;
            let block = r.varint_max(u32::MAX as usize)? as u32;
            let mut image_at = 0;
            let mut stripped_bytes = None;
            let image = if flags & IMAGE != 0 {
                let (hole_from, hole_len, lz4) = (r.u16()?, r.u16()?, flags & LZ4 != 0);
                let bytes = if lz4 {
                    r.bytes()?
                } else {
                    let hole = usize::from(hole_len);
                    r.take(PAGE_BYTES.checked_sub(hole).ok_or_else(|| r.bad("bad hole"))?)?
                };
                image_at = body.len() - r.rest().len() - bytes.len();
                if flags & STRIPPED != 0 {
                    stripped_bytes = Some(bytes.len());
                    None
                } else {
                    Some(Image { hole_from, hole_len, lz4, bytes })
                }
            } else {
                None
            };
            let ops = if only { r.take_rest() } else { r.bytes()? };
            rec.blocks.push(Block {
                page: PageId::new(file, block),
                init: flags & INIT != 0,
                image,
                stripped_bytes,
                ops,
                flags_at,
                image_at,
            });
        }
        if !r.is_empty() {
            return Err(r.bad("bytes left over"));
        }
        Ok(rec)
    }
}

impl Record<'_> {
    /// When a commit happened, milliseconds since the Unix epoch; `None` for other records.
    pub fn commit_time_ms(&self) -> Option<u64> {
        (self.kind == Kind::Commit)
            .then(|| Reader::new(self.payload, "commit record").varint().ok())
            .flatten()
    }

    /// The file that was cut, and how many blocks are left of it; `None` for other records. `Corrupt`: it cannot be read.
    pub fn truncation(&self) -> Result<Option<(FileId, u32)>> {
        if self.kind != Kind::Truncate {
            return Ok(None);
        }
        let mut p = Reader::new(self.payload, "truncate record");
        Ok(Some((FileId(p.varint()?), p.varint_max(u32::MAX as usize)? as u32)))
    }

    /// How far the log was durable when this record, of kind [`Kind::Flushed`], was logged; `None` for other records.
    pub fn flushed(&self) -> Option<Lsn> {
        let mut r = (self.kind == Kind::Flushed).then(|| Reader::new(self.payload, "flushed record"))?;
        self.lsn.0.checked_sub(r.varint().ok()?).map(Lsn)
    }

    /// A restore point's time in milliseconds since the Unix epoch, and its name; `None` for other records, and for bytes that are no name.
    pub fn mark(&self) -> Option<(u64, &str)> {
        let mut r = (self.kind == Kind::Mark).then(|| Reader::new(self.payload, "mark record"))?;
        let time_ms = r.varint().ok()?;
        Some((time_ms, std::str::from_utf8(r.rest()).ok()?))
    }
}

/// A piece of a body that held an image, or does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImagePlace {
    /// The image's bytes within the body.
    pub bytes: std::ops::Range<usize>,
    flags_at: usize,
}

/// Where a record's images stand in its body, in order, stripped ones included.
pub fn image_places(record: &Record<'_>) -> Vec<ImagePlace> {
    let place = |b: &Block<'_>| {
        let len = b.stripped_bytes.or(b.image.as_ref().map(|i| i.bytes.len()))?;
        Some(ImagePlace { bytes: b.image_at..b.image_at + len, flags_at: b.flags_at })
    };
    record.blocks.iter().filter_map(place).collect()
}

/// Strips the images of a body (S22): their bytes become zeros, and the blocks say so. The frame's checksum is then to be made anew.
pub fn strip_images(body: &mut [u8], places: &[ImagePlace]) {
    for place in places {
        body[place.flags_at] |= STRIPPED;
        body[place.bytes.clone()].fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The record that FORMAT.md takes apart.
    const EXAMPLE: &str = include_str!("FORMAT.md");

    #[test]
    fn the_documented_example_is_what_the_code_reads_and_writes() {
        let hex = EXAMPLE.lines().find_map(|l| l.strip_prefix("    frame: ")).expect("the example's bytes");
        let frame: Vec<u8> =
            hex.split_whitespace().map(|b| u8::from_str_radix(b, 16).expect("a byte")).collect();
        let (head, len) = parse_frame(&frame).unwrap();
        assert_eq!(head + len, frame.len());
        assert!(frame_is_intact(&frame, Lsn(0x1000), 0x0123_4567_89AB_CDEF));
        let rec = Record::decode(&frame[head..], Lsn(0x1000), Lsn(0x1000 + frame.len() as u64)).unwrap();
        assert_eq!((rec.txn.unwrap().id, rec.txn.unwrap().prev), (TxnId(300), 1));
        assert_eq!((rec.undo, rec.blocks[0].page), (&b"u"[..], PageId::new(FileId(17), 5)));
        assert_eq!(rec.blocks[0].ops, [0x82, 3, b'a', b'b']);
        let link = TxnLink { id: TxnId(300), prev: 1, undo_next: None };
        let mut body = Vec::new();
        put_change_head(&mut body, Some(link), b"u", 1);
        put_block(&mut body, PageId::new(FileId(17), 5), true, false, false, None, &[0x82, 3, b'a', b'b']);
        assert_eq!(frame[head..], body);
    }

    #[test]
    fn a_stripped_change_keeps_length_and_ops() {
        let mut body = change(true);
        let whole = body.clone();
        let places = image_places(&Record::decode(&whole, Lsn(100), Lsn(200)).unwrap());
        assert_eq!(places.len(), 1);
        strip_images(&mut body, &places);
        assert_eq!(body.len(), whole.len());
        let rec = Record::decode(&body, Lsn(100), Lsn(200)).unwrap();
        assert!(rec.blocks[0].image.is_none());
        assert_eq!(rec.blocks[0].stripped_bytes, Some(places[0].bytes.len()));
        assert_eq!((rec.blocks[0].ops, rec.blocks[1].init, rec.undo), (&b"ops"[..], true, &b"undo"[..]));
        assert_eq!(image_places(&rec), places, "stripping again changes nothing");
    }

    #[test]
    fn a_link_goes_back_and_no_farther_than_the_log_s_beginning() {
        let record = |prev, undo_next| {
            let mut body = Vec::new();
            put_change_head(&mut body, Some(TxnLink { id: TxnId(7), prev, undo_next }), b"", 0);
            Record::decode(&body, Lsn(100), Lsn(200)).map(|r| r.txn.unwrap())
        };
        assert_eq!(record(100, None).unwrap().prev, 100);
        assert!(record(101, None).is_err(), "before the log's beginning");
        assert_eq!(record(1, Some(Lsn(99))).unwrap().undo_next, Some(Lsn(99)));
        assert!(record(1, Some(Lsn(100))).is_err(), "to itself");
    }

    #[test]
    fn unknown_block_flags_are_refused() {
        for flags in [32u8, 64, 128, STRIPPED, LZ4] {
            let mut body = Vec::new();
            put_change_head(&mut body, None, b"", 1);
            body.extend([flags, 17, 5]);
            assert!(Record::decode(&body, Lsn(100), Lsn(200)).is_err(), "{flags}");
        }
    }

    fn change(with_image: bool) -> Vec<u8> {
        let mut page = vec![0u8; PAGE_BYTES];
        page[..40].fill(3);
        page[8000..].fill(9);
        let mut body = Vec::new();
        let link = TxnLink { id: TxnId(77), prev: 5, undo_next: None };
        put_change_head(&mut body, Some(link), b"undo", 2);
        let image = with_image.then_some((&page[..], 40..8000));
        put_block(&mut body, PageId::new(FileId(300), 9), false, false, false, image, b"ops");
        put_block(&mut body, PageId::new(FileId(300), 10), false, true, true, None, b"");
        body
    }

    #[test]
    fn a_change_round_trips_with_its_image() {
        let body = change(true);
        let rec = Record::decode(&body, Lsn(100), Lsn(200)).unwrap();
        assert_eq!(rec.txn.unwrap().id, TxnId(77));
        assert_eq!(rec.undo, b"undo");
        assert_eq!(rec.blocks.len(), 2);
        assert_eq!((rec.blocks[0].ops, rec.blocks[1].init), (&b"ops"[..], true));
        let mut page = vec![1u8; PAGE_BYTES];
        let image = rec.blocks[0].image.as_ref().unwrap();
        assert_eq!(image.stored_bytes(), image.parts().2.len());
        assert!((2..body.len()).contains(&image.stored_bytes()), "{}", image.stored_bytes());
        image.restore(&mut page).unwrap();
        assert!(page[..40].iter().all(|&b| b == 3) && page[40..8000].iter().all(|&b| b == 0));
        assert!(page[8000..].iter().all(|&b| b == 9));
        assert!(body.len() < 400, "image was compressed: {}", body.len());
    }

    #[test]
    fn the_only_block_needs_no_lengths() {
        let link = TxnLink { id: TxnId(77), prev: 1, undo_next: None };
        let mut body = Vec::new();
        put_change_head(&mut body, Some(link), b"undo", 1);
        put_block(&mut body, PageId::new(FileId(3), 9), true, false, false, None, b"ops");
        assert_eq!(body.len(), 1 + 2 + (1 + 4) + 3 + 3, "head, link, undo, block, ops");
        let rec = Record::decode(&body, Lsn(100), Lsn(200)).unwrap();
        assert_eq!((rec.blocks.len(), rec.blocks[0].ops), (1, &b"ops"[..]));
        assert_eq!(
            (link.prev_lsn(Lsn(40)), TxnLink { prev: 0, ..link }.prev_lsn(Lsn(40))),
            (Lsn(40), Lsn::ZERO)
        );
    }

    #[test]
    fn padding_ends_at_the_next_block_or_the_one_after() {
        assert_eq!(padding_len(0, 4096), 0);
        for used in 1..4096 {
            let total = padding_len(used, 4096);
            assert!((used + total).is_multiple_of(4096) && total < 4096 + 200, "{used}: {total}");
            let body = padding(total);
            assert_eq!(framed_len(body.len()) as u64, total);
            let record = Record::decode(&body, Lsn(used), Lsn(used + total)).unwrap();
            assert_eq!((record.kind, record.txn), (Kind::Pad, None));
        }
    }

    #[test]
    fn a_record_is_bound_to_its_place_and_incarnation() {
        let body = change(false);
        let (head, n) = frame_head(&body, Lsn(100), 7);
        let frame = [&head[..n], &body].concat();
        assert_eq!(frame.len(), framed_len(body.len()));
        assert_eq!(parse_frame(&frame), Some((n, body.len())));
        assert!(frame_is_intact(&frame, Lsn(100), 7));
        assert!(!frame_is_intact(&frame, Lsn(101), 7));
        assert!(!frame_is_intact(&frame, Lsn(100), 8));
    }

    #[test]
    fn damaged_bodies_never_panic() {
        for seed in 0..20_000 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut body = change(seed % 2 == 0);
            for _ in 0..rng.usize(1..4) {
                let at = rng.usize(0..body.len());
                body[at] = rng.u8(..);
            }
            body.truncate(rng.usize(1..=body.len()));
            if let Ok(rec) = Record::decode(&body, Lsn(1000), Lsn(2000)) {
                let mut page = vec![0u8; PAGE_BYTES];
                for b in &rec.blocks {
                    let _ = b.image.as_ref().map(|i| i.restore(&mut page));
                    let _ = crate::page::apply(&mut page, b.ops);
                    page.fill(0);
                }
            }
        }
    }
}
