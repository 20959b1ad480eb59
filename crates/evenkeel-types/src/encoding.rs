//! Character encodings of clients and files: PostgreSQL's names, and conversion from and to UTF-8, in which everything is kept.
//!
//! Invariants:
//! 1. What has no equivalent on the other side is an error; nothing is replaced or passed on as it is.
//! 2. Bytes below 128 mean the same in every encoding that is converted, so protocol strings may be cut at them.
//!
//! Must not know: the protocol, COPY.

use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::ty::Type;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// How an encoding is converted.
#[derive(Clone, Copy)]
enum Way {
    /// It is UTF-8, or nobody knows what it is (`SQL_ASCII`): passed on, if it is UTF-8.
    None,
    /// ISO 8859-1: bytes are code points.
    Latin1,
    /// ISO 8859-9: Latin 1 with six letters in other places.
    Latin5,
    /// By a table of the Encoding Standard.
    Table(&'static encoding_rs::Encoding),
    /// It is known, and not converted.
    Refused,
}

struct Known {
    name: &'static str,
    id: i32,
    way: Way,
    /// Other names, as PostgreSQL compares them: letters and digits only.
    aliases: &'static [&'static str],
}

const fn known(name: &'static str, id: i32, way: Way, aliases: &'static [&'static str]) -> Known {
    Known { name, id, way, aliases }
}

static KNOWN: &[Known] = &[
    known("SQL_ASCII", 0, Way::None, &["sqlascii"]),
    known("EUC_JP", 1, Way::Refused, &["eucjp"]),
    known("EUC_CN", 2, Way::Refused, &["euccn"]),
    known("EUC_KR", 3, Way::Refused, &["euckr"]),
    known("EUC_TW", 4, Way::Refused, &["euctw"]),
    known("EUC_JIS_2004", 5, Way::Refused, &["eucjis2004"]),
    known("UTF8", 6, Way::None, &["utf8", "unicode"]),
    known("MULE_INTERNAL", 7, Way::Refused, &["muleinternal"]),
    known("LATIN1", 8, Way::Latin1, &["latin1", "iso88591"]),
    known("LATIN2", 9, Way::Table(encoding_rs::ISO_8859_2), &["latin2", "iso88592"]),
    known("LATIN3", 10, Way::Table(encoding_rs::ISO_8859_3), &["latin3", "iso88593"]),
    known("LATIN4", 11, Way::Table(encoding_rs::ISO_8859_4), &["latin4", "iso88594"]),
    known("LATIN5", 12, Way::Latin5, &["latin5", "iso88599"]),
    known("LATIN6", 13, Way::Table(encoding_rs::ISO_8859_10), &["latin6", "iso885910"]),
    known("LATIN7", 14, Way::Table(encoding_rs::ISO_8859_13), &["latin7", "iso885913"]),
    known("LATIN8", 15, Way::Table(encoding_rs::ISO_8859_14), &["latin8", "iso885914"]),
    known("LATIN9", 16, Way::Table(encoding_rs::ISO_8859_15), &["latin9", "iso885915"]),
    known("LATIN10", 17, Way::Table(encoding_rs::ISO_8859_16), &["latin10", "iso885916"]),
    known("WIN1256", 18, Way::Table(encoding_rs::WINDOWS_1256), &["win1256", "windows1256"]),
    known(
        "WIN1258",
        19,
        Way::Table(encoding_rs::WINDOWS_1258),
        &["win1258", "windows1258", "abc", "tcvn", "tcvn5712", "vscii"],
    ),
    known("WIN866", 20, Way::Table(encoding_rs::IBM866), &["win866", "windows866", "alt"]),
    known("WIN874", 21, Way::Table(encoding_rs::WINDOWS_874), &["win874", "windows874"]),
    known("KOI8R", 22, Way::Table(encoding_rs::KOI8_R), &["koi8r", "koi8"]),
    known("WIN1251", 23, Way::Table(encoding_rs::WINDOWS_1251), &["win1251", "windows1251", "win"]),
    known("WIN1252", 24, Way::Table(encoding_rs::WINDOWS_1252), &["win1252", "windows1252"]),
    known("ISO_8859_5", 25, Way::Table(encoding_rs::ISO_8859_5), &["iso88595"]),
    known("ISO_8859_6", 26, Way::Table(encoding_rs::ISO_8859_6), &["iso88596"]),
    known("ISO_8859_7", 27, Way::Table(encoding_rs::ISO_8859_7), &["iso88597"]),
    known("ISO_8859_8", 28, Way::Table(encoding_rs::ISO_8859_8), &["iso88598"]),
    known("WIN1250", 29, Way::Table(encoding_rs::WINDOWS_1250), &["win1250", "windows1250"]),
    known("WIN1253", 30, Way::Table(encoding_rs::WINDOWS_1253), &["win1253", "windows1253"]),
    known("WIN1254", 31, Way::Table(encoding_rs::WINDOWS_1254), &["win1254", "windows1254"]),
    known("WIN1255", 32, Way::Table(encoding_rs::WINDOWS_1255), &["win1255", "windows1255"]),
    known("WIN1257", 33, Way::Table(encoding_rs::WINDOWS_1257), &["win1257", "windows1257"]),
    known("KOI8U", 34, Way::Table(encoding_rs::KOI8_U), &["koi8u"]),
    known("SJIS", 35, Way::Refused, &["sjis", "shiftjis", "mskanji", "win932", "windows932"]),
    known("BIG5", 36, Way::Refused, &["big5", "win950", "windows950"]),
    known("GBK", 37, Way::Refused, &["gbk", "win936", "windows936"]),
    known("UHC", 38, Way::Refused, &["uhc", "win949", "windows949"]),
    known("GB18030", 39, Way::Refused, &["gb18030"]),
    known("JOHAB", 40, Way::Refused, &["johab"]),
    known("SHIFT_JIS_2004", 41, Way::Refused, &["shiftjis2004"]),
];

/// The upper half of an encoding of single bytes, both ways.
struct Table {
    chars: [Option<char>; 128],
    bytes: HashMap<char, u8>,
}

impl Table {
    fn of(way: Way) -> Table {
        let mut chars = [None; 128];
        for (place, c) in chars.iter_mut().enumerate() {
            let byte = place as u8 + 128;
            *c = match (way, byte) {
                (Way::Latin5, 0xd0) => Some('Ğ'),
                (Way::Latin5, 0xdd) => Some('İ'),
                (Way::Latin5, 0xde) => Some('Ş'),
                (Way::Latin5, 0xf0) => Some('ğ'),
                (Way::Latin5, 0xfd) => Some('ı'),
                (Way::Latin5, 0xfe) => Some('ş'),
                (Way::Latin1 | Way::Latin5, b) => Some(char::from(b)),
                (Way::Table(t), b) => {
                    let bytes = [b];
                    let text = t.decode_without_bom_handling_and_without_replacement(&bytes);
                    let c = text.and_then(|t| t.chars().next());
                    // The Encoding Standard fills the holes of Windows' pages with control characters.
                    let is_page = t.name().starts_with("windows");
                    c.filter(|c| !(is_page && ('\u{80}'..='\u{9f}').contains(c)))
                }
                (Way::None | Way::Refused, _) => None,
            };
        }
        let bytes = chars.iter().enumerate().filter_map(|(n, c)| c.map(|c| (c, n as u8 + 128))).collect();
        Table { chars, bytes }
    }
}

/// An encoding that PostgreSQL knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoding(u8);

impl Encoding {
    /// What everything is kept in.
    pub const UTF8: Encoding = Encoding(6);

    /// By any of its names.
    pub fn named(name: &str) -> Option<Encoding> {
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        let place = KNOWN.iter().position(|k| k.aliases.contains(&name.as_str()))?;
        Some(Encoding(place as u8))
    }

    fn known(self) -> &'static Known {
        &KNOWN[usize::from(self.0)]
    }

    /// PostgreSQL's name.
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// PostgreSQL's number.
    pub fn id(self) -> i32 {
        self.known().id
    }

    /// Nothing is converted: it is UTF-8 on both sides.
    pub fn is_passed_on(self) -> bool {
        matches!(self.known().way, Way::None)
    }

    /// Whether it is converted, or needs not be.
    pub fn is_converted(self) -> bool {
        !matches!(self.known().way, Way::Refused)
    }

    /// The error where it is not.
    pub fn not_converted(self) -> SqlError {
        SqlError::unsupported(format!("conversion between {} and UTF8 is not supported", self.name()))
    }

    fn table(self) -> &'static Table {
        static TABLES: [OnceLock<Table>; KNOWN_COUNT] = [const { OnceLock::new() }; KNOWN_COUNT];
        TABLES[usize::from(self.0)].get_or_init(|| Table::of(self.known().way))
    }

    /// To UTF-8. What is passed on is not looked at.
    pub fn decode(self, bytes: &[u8]) -> Result<Cow<'_, [u8]>, SqlError> {
        if self.is_passed_on() || bytes.is_ascii() {
            return Ok(Cow::Borrowed(bytes));
        }
        if !self.is_converted() {
            return Err(self.not_converted());
        }
        let table = self.table();
        let mut out = Vec::new();
        make_room(&mut out, bytes.len() + bytes.len() / 4)?;
        let mut pace = Pace::default();
        for b in bytes {
            pace.bytes(1)?;
            match b.checked_sub(128) {
                None => out.push(*b),
                Some(high) => match table.chars[usize::from(high)] {
                    Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                    None => return Err(no_equivalent(&[*b], self.name(), "UTF8")),
                },
            }
        }
        Ok(Cow::Owned(out))
    }

    /// From UTF-8.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, SqlError> {
        if self.is_passed_on() || text.is_ascii() {
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        if !self.is_converted() {
            return Err(self.not_converted());
        }
        let table = self.table();
        let mut out = Vec::new();
        make_room(&mut out, text.len())?;
        let mut pace = Pace::default();
        for c in text.chars() {
            pace.bytes(1)?;
            match (u8::try_from(c), table.bytes.get(&c)) {
                (Ok(b), _) if b < 128 => out.push(b),
                (_, Some(b)) => out.push(*b),
                _ => {
                    let spelled = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
                    return Err(no_equivalent(&spelled, "UTF8", self.name()));
                }
            }
        }
        Ok(Cow::Owned(out))
    }
}

/// Where the binary format of a type has characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Characters {
    /// Nowhere.
    None,
    /// All of it is text.
    All,
    /// Somewhere, or nobody knows.
    Inside,
}

impl Characters {
    /// Of values of a type.
    pub fn of(ty: Type) -> Characters {
        match ty {
            Type::Text | Type::Varchar | Type::Bpchar | Type::Name | Type::Unknown => Characters::All,
            Type::Bool | Type::Int2 | Type::Int4 | Type::Int8 | Type::Float4 | Type::Float8 => {
                Characters::None
            }
            Type::Numeric | Type::Bytea | Type::Date | Type::Timestamp | Type::Timestamptz => {
                Characters::None
            }
            Type::Interval | Type::PgLsn | Type::Xid8 | Type::Money | Type::Tid | Type::Char => {
                Characters::None
            }
            t if t.is_oid_like() => Characters::None,
            _ => Characters::Inside,
        }
    }
}

impl Encoding {
    /// The binary format of a value, to what it is with UTF-8.
    pub fn decode_binary(self, bytes: &[u8], ty: Type) -> Result<Cow<'_, [u8]>, SqlError> {
        match self.characters(bytes, ty)? {
            Characters::All => self.decode(bytes),
            _ => Ok(Cow::Borrowed(bytes)),
        }
    }

    /// The binary format of a value, from what it is with UTF-8.
    pub fn encode_binary(self, bytes: &[u8], ty: Type) -> Result<Cow<'_, [u8]>, SqlError> {
        match (self.characters(bytes, ty)?, std::str::from_utf8(bytes)) {
            (Characters::All, Ok(text)) => self.encode(text),
            _ => Ok(Cow::Borrowed(bytes)),
        }
    }

    fn characters(self, bytes: &[u8], ty: Type) -> Result<Characters, SqlError> {
        if self.is_passed_on() || bytes.is_ascii() {
            return Ok(Characters::None);
        }
        match Characters::of(ty) {
            Characters::Inside => Err(SqlError::unsupported(format!(
                "the binary format of type {} is not supported with encoding {}",
                ty.sql_name(),
                self.name()
            ))),
            found => Ok(found),
        }
    }
}

const KNOWN_COUNT: usize = 42;
const _: () = assert!(KNOWN.len() == KNOWN_COUNT);

fn no_equivalent(bytes: &[u8], from: &str, to: &str) -> SqlError {
    let bytes: Vec<String> = bytes.iter().map(|b| format!("0x{b:02x}")).collect();
    SqlError::new(
        SqlState::UNTRANSLATABLE_CHARACTER,
        format!(
            "character with byte sequence {} in encoding \"{from}\" has no equivalent in encoding \"{to}\"",
            bytes.join(" ")
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_what_is_no_letter_or_digit() {
        for (name, is) in [
            ("utf-8", Some("UTF8")),
            ("Unicode", Some("UTF8")),
            ("ISO-8859-15", Some("LATIN9")),
            ("windows_1252", Some("WIN1252")),
            ("sql ascii", Some("SQL_ASCII")),
            ("klingon", None),
        ] {
            assert_eq!(Encoding::named(name).map(Encoding::name), is, "{name}");
        }
    }

    #[test]
    fn every_place_has_its_number() {
        for (n, k) in KNOWN.iter().enumerate() {
            assert_eq!(k.id as usize, n, "{}", k.name);
        }
    }

    #[test]
    fn what_goes_one_way_comes_back() {
        for k in KNOWN {
            let e = Encoding::named(k.name).unwrap();
            if e.is_passed_on() || !e.is_converted() {
                continue;
            }
            for b in 128..=255u8 {
                if let Ok(text) = e.decode(&[b]) {
                    let text = std::str::from_utf8(&text).unwrap();
                    assert_eq!(&*e.encode(text).unwrap(), [b], "{} {b:x}", k.name);
                }
            }
        }
    }

    #[test]
    fn what_the_other_side_does_not_have_is_an_error() {
        let latin1 = Encoding::named("latin1").unwrap();
        assert_eq!(&*latin1.encode("é").unwrap(), b"\xe9");
        let e = latin1.encode("1 €").unwrap_err();
        assert_eq!(
            e.message,
            "character with byte sequence 0xe2 0x82 0xac in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\""
        );
        assert_eq!(e.code, SqlState::UNTRANSLATABLE_CHARACTER);
        let win1252 = Encoding::named("win1252").unwrap();
        assert_eq!(&*win1252.encode("€").unwrap(), b"\x80");
        assert!(win1252.decode(b"\x81").is_err());
        assert!(Encoding::named("sjis").unwrap().decode(b"\x81").is_err());
    }
}
