//! The encoded form of a `jsonb`, and how it is read in place.
//!
//! | first byte | then |
//! |---|---|
//! | 0 null, 1 false, 2 true | nothing |
//! | 3 number | its stored numeric |
//! | 4 string | its bytes |
//! | 5 array | the number of elements, where each ends, the elements |
//! | 6 object | the number of pairs, where each key ends, where each value ends, the keys, the values |
//!
//! The high half of an array's or object's first byte says how wide its numbers are: 1, 2 or 4 bytes, little-endian. Ends are counted from the first
//! element, key or value. How long a value is stands in what contains it.
//!
//! Invariants:
//! 1. Keys are in order of length, then of bytes, and differ.
//! 2. Any bytes can be read: what is damaged reads as something else, never a panic.
//!
//! Must not know: how values are made.

use crate::numeric::Numeric;

pub(super) const NULL: u8 = 0;
pub(super) const FALSE: u8 = 1;
pub(super) const TRUE: u8 = 2;
pub(super) const NUMBER: u8 = 3;
pub(super) const STRING: u8 = 4;
pub(super) const ARRAY: u8 = 5;
pub(super) const OBJECT: u8 = 6;

/// An encoded value.
#[derive(Clone, Copy, Debug)]
pub struct Jsonb<'a>(pub &'a [u8]);

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Numeric),
    /// A string.
    Str(&'a str),
    /// An array.
    Array(Items<'a>),
    /// An object.
    Object(Pairs<'a>),
}

/// Numbers of one width, side by side.
#[derive(Clone, Copy, Debug)]
struct Numbers<'a> {
    width: usize,
    bytes: &'a [u8],
}

impl<'a> Numbers<'a> {
    fn get(&self, i: usize) -> usize {
        let at = i * self.width;
        match self.bytes.get(at..at + self.width) {
            Some([a]) => usize::from(*a),
            Some([a, b]) => usize::from(u16::from_le_bytes([*a, *b])),
            Some([a, b, c, d]) => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
            _ => 0,
        }
    }

    /// Part `i` of what the numbers are the ends of.
    fn part(&self, i: usize, of: &'a [u8]) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.get(i - 1) };
        of.get(start..self.get(i)).unwrap_or(&[])
    }
}

/// Elements of an array.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    count: usize,
    ends: Numbers<'a>,
    data: &'a [u8],
}

impl<'a> Items<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Element `i`.
    pub fn get(&self, i: usize) -> Option<Jsonb<'a>> {
        (i < self.count).then(|| Jsonb(self.ends.part(i, self.data)))
    }

    /// The element with a number that counts from the end if it is negative.
    pub fn at(&self, i: i64) -> Option<Jsonb<'a>> {
        let i = if i < 0 { i.checked_add(self.count as i64)? } else { i };
        self.get(usize::try_from(i).ok()?)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Jsonb<'a>> + use<'a> {
        let this = *self;
        (0..this.count).map(move |i| Jsonb(this.ends.part(i, this.data)))
    }
}

/// Pairs of an object.
#[derive(Clone, Copy, Debug)]
pub struct Pairs<'a> {
    count: usize,
    key_ends: Numbers<'a>,
    value_ends: Numbers<'a>,
    keys: &'a [u8],
    values: &'a [u8],
}

impl<'a> Pairs<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Key `i`.
    pub fn key(&self, i: usize) -> &'a str {
        std::str::from_utf8(self.key_ends.part(i, self.keys)).unwrap_or("")
    }

    /// Value `i`.
    pub fn value(&self, i: usize) -> Jsonb<'a> {
        Jsonb(self.value_ends.part(i, self.values))
    }

    /// The value of a key.
    pub fn find(&self, key: &str) -> Option<Jsonb<'a>> {
        let key = key.as_bytes();
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let there = self.key_ends.part(middle, self.keys);
            match there.len().cmp(&key.len()).then_with(|| there.cmp(key)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(self.value(middle)),
            }
        }
        None
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, Jsonb<'a>)> + use<'a> {
        let this = *self;
        (0..this.count).map(move |i| (this.key(i), this.value(i)))
    }
}

impl<'a> Jsonb<'a> {
    /// What it is.
    pub fn kind(self) -> Kind<'a> {
        let Some((&first, rest)) = self.0.split_first() else { return Kind::Null };
        match first & 0x0F {
            FALSE => Kind::Bool(false),
            TRUE => Kind::Bool(true),
            NUMBER => Kind::Number(Numeric::read_stored(rest).unwrap_or(Numeric::ZERO)),
            STRING => Kind::Str(std::str::from_utf8(rest).unwrap_or("")),
            ARRAY => Kind::Array(items(first >> 4, rest).unwrap_or(Items {
                count: 0,
                ends: Numbers { width: 1, bytes: &[] },
                data: &[],
            })),
            OBJECT => Kind::Object(pairs(first >> 4, rest).unwrap_or(Pairs {
                count: 0,
                key_ends: Numbers { width: 1, bytes: &[] },
                value_ends: Numbers { width: 1, bytes: &[] },
                keys: &[],
                values: &[],
            })),
            _ => Kind::Null,
        }
    }

    /// It is an array or object.
    pub fn is_container(self) -> bool {
        self.0.first().is_some_and(|b| matches!(b & 0x0F, ARRAY | OBJECT))
    }

    /// `jsonb_typeof`
    pub fn type_name(self) -> &'static str {
        match self.0.first().map_or(NULL, |b| b & 0x0F) {
            FALSE | TRUE => "boolean",
            NUMBER => "number",
            STRING => "string",
            ARRAY => "array",
            OBJECT => "object",
            _ => "null",
        }
    }
}

fn head(width: u8, bytes: &[u8], lists: usize) -> Option<(usize, usize, &[u8])> {
    let width = usize::from(width);
    if !matches!(width, 1 | 2 | 4) {
        return None;
    }
    let (count, rest) = bytes.split_at_checked(width)?;
    let count = Numbers { width, bytes: count }.get(0);
    (count.checked_mul(width * lists)? <= rest.len()).then_some((width, count, rest))
}

fn items(width: u8, bytes: &[u8]) -> Option<Items<'_>> {
    let (width, count, rest) = head(width, bytes, 1)?;
    let (ends, data) = rest.split_at(count * width);
    Some(Items { count, ends: Numbers { width, bytes: ends }, data })
}

fn pairs(width: u8, bytes: &[u8]) -> Option<Pairs<'_>> {
    let (width, count, rest) = head(width, bytes, 2)?;
    let (key_ends, rest) = rest.split_at(count * width);
    let (value_ends, data) = rest.split_at(count * width);
    let key_ends = Numbers { width, bytes: key_ends };
    let value_ends = Numbers { width, bytes: value_ends };
    let keys = if count == 0 { 0 } else { key_ends.get(count - 1) };
    let (keys, values) = data.split_at_checked(keys)?;
    Some(Pairs { count, key_ends, value_ends, keys, values })
}
