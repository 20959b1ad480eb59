//! Text form of values, in and out: results, literals, parameters in text format, COPY.
//!
//! Invariants:
//! 1. What `output_text` gives, `input_text` reads back to an equal value (with `extra_float_digits` above 0).
//! 2. Any input gives a value or an error with PostgreSQL's SQLSTATE and message: `22P02` syntax, `22003` range, `22007`/`22008` dates,
//!    `22001` too long, `22021` NUL characters.
//!
//! Must not know: the wire protocol, SQL syntax.

use crate::tid;
use std::sync::Arc;

use super::array;
use super::bits::{self, Bits};
pub use super::chars::char_count;
use super::chars::{Trim, byte_at};
use super::datetime;
use super::datum::Datum;
use super::format::FormatOptions;
use super::inet::{self, Inet};
use super::json;
use super::jsonpath::Path;
use super::macaddr8;
use super::money;
use super::numeric::Numeric;
use super::text_float::{parse_f32, parse_f64, write_f32, write_f64};
use super::ty::{Type, typmod_fraction_digits, typmod_length, typmod_numeric};
use super::{uuid, xact};
use crate::error::{SqlError, SqlState};
use crate::guard::build::{each_piece, kept, kept_bytes, make_room};
use crate::guard::{PACE_BYTES, Pace, admit, check};
use crate::{hstore, record_text, user};

/// Longest `name`, in bytes; longer ones are cut.
pub const NAME_MAX_BYTES: usize = 63;

/// Appends the text form of a non-null value (nothing for NULL). It fails where the text would be too large, or the statement must not go on.
pub fn output_text(
    d: &Datum,
    ty: Type,
    typmod: i32,
    o: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    match d {
        Datum::Null => {}
        Datum::Bool(v) => out.push(if *v { b't' } else { b'f' }),
        Datum::Int2(v) => write_i64(i64::from(*v), out),
        Datum::Int4(v) => write_i64(i64::from(*v), out),
        Datum::Int8(v) => write_i64(*v, out),
        Datum::Enum(oid, v) => {
            out.extend_from_slice(user::enum_label(*v, *oid, o.reg_names.as_ref())?.as_bytes());
        }
        Datum::Oid(v) => output_oid(*v, ty, o, out),
        // As PostgreSQL 18 writes it: without zeros in front.
        Datum::Lsn(v) => out.extend_from_slice(format!("{:X}/{:X}", v >> 32, *v as u32).as_bytes()),
        Datum::Uuid(v) => uuid::write(v, out),
        Datum::Time(v) => datetime::write_time(*v, out),
        Datum::Timetz(us, west) => datetime::write_timetz(*us, *west, out),
        Datum::Inet(v) => v.write(ty == Type::Cidr, out),
        Datum::Macaddr(v) => inet::write_macaddr(v, out),
        Datum::Macaddr8(v) => macaddr8::write(v, out),
        Datum::Tid(v) => tid::write(*v, out),
        Datum::Money(v) => money::write(*v, out),
        Datum::Xid8(v) => out.extend_from_slice(v.to_string().as_bytes()),
        Datum::Snapshot(s) => s.write(out)?,
        Datum::Json(s) => write_bytes(s.as_bytes(), out)?,
        Datum::Jsonb(b) => json::output::write(json::Jsonb(b), false, out)?,
        Datum::Hstore(b) => hstore::write(hstore::Hstore(b), out)?,
        Datum::Jsonpath(p) => p.write(out)?,
        Datum::Bits(b) => Bits::kept(b).write(out)?,
        Datum::Float4(v) => write_f32(*v, o.extra_float_digits, out),
        Datum::Float8(v) => write_f64(*v, o.extra_float_digits, out),
        Datum::Numeric(n) => n.write_text(out),
        Datum::Bpchar(s) => {
            write_bytes(s.as_bytes(), out)?;
            // What an older program stored has no blanks.
            let missing = typmod_length(typmod).unwrap_or(0).saturating_sub(char_count(s));
            out.resize(out.len() + missing, b' ');
        }
        Datum::Text(s) if ty == Type::Char => write_char(s, out),
        Datum::Text(s) | Datum::Citext(s) => write_bytes(s.as_bytes(), out)?,
        Datum::Bytes(b) if o.bytea_hex => {
            make_room(out, 2 * b.len() + 2)?;
            out.extend_from_slice(b"\\x");
            each_piece(b, |piece| write_hex(piece, out))?;
        }
        Datum::Bytes(b) => {
            for piece in b.chunks(PACE_BYTES) {
                make_room(out, 4 * piece.len())?;
                check()?;
                write_escape(piece, out);
            }
        }
        Datum::Date(v) => datetime::write_date(*v, o, out),
        Datum::Timestamp(v) => datetime::write_timestamp(*v, o, out),
        Datum::Timestamptz(v) => datetime::write_timestamptz(*v, o, out),
        Datum::Interval(v) => datetime::write_interval(v, o, out),
        Datum::Array(a) => array::write_array(a, ty, typmod, o, out)?,
        Datum::Record(r) => array::write_record(r, o, out)?,
    }
    Ok(())
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), SqlError> {
    make_room(out, bytes.len())?;
    each_piece(bytes, |piece| out.extend_from_slice(piece))
}

/// The text form as a string.
pub fn to_text(d: &Datum, ty: Type, typmod: i32, o: &FormatOptions) -> Result<String, SqlError> {
    let mut out = Vec::new();
    output_text(d, ty, typmod, o, &mut out)?;
    Ok(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

fn output_oid(v: u32, ty: Type, o: &FormatOptions, out: &mut Vec<u8>) {
    if ty.is_reg() {
        if v == 0 {
            return out.push(if matches!(ty, Type::Regoper | Type::Regoperator) { b'0' } else { b'-' });
        }
        let name = match &o.reg_names {
            Some(names) => names.name(ty, v),
            None => None,
        };
        let name =
            name.or_else(|| (ty == Type::Regtype).then(|| Type::from_oid(v).map(|t| t.sql_name().into()))?);
        if let Some(name) = name {
            return out.extend_from_slice(name.as_bytes());
        }
    }
    write_i64(i64::from(v), out);
}

/// Appends a decimal integer.
pub fn write_i64(v: i64, out: &mut Vec<u8>) {
    let mut buffer = [0u8; 20];
    let mut at = buffer.len();
    let mut rest = v.unsigned_abs();
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if v < 0 {
        at -= 1;
        buffer[at] = b'-';
    }
    out.extend_from_slice(&buffer[at..]);
}

fn write_char(s: &str, out: &mut Vec<u8>) {
    match s.chars().next() {
        None => {}
        Some(c) if c.is_ascii() => out.push(c as u8),
        Some(c) => out.extend_from_slice(format!("\\{:03o}", c as u32 & 0xFF).as_bytes()),
    }
}

fn write_hex(b: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for &c in b {
        out.push(DIGITS[usize::from(c >> 4)]);
        out.push(DIGITS[usize::from(c & 15)]);
    }
}

fn write_escape(b: &[u8], out: &mut Vec<u8>) {
    for &c in b {
        match c {
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7E => out.push(c),
            _ => out.extend_from_slice(&[b'\\', b'0' + (c >> 6), b'0' + (c >> 3 & 7), b'0' + (c & 7)]),
        }
    }
}

#[cold]
fn syntax_error(ty: &str, s: &str) -> SqlError {
    SqlError::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {ty}: \"{s}\""),
    )
}

#[cold]
fn value_range(ty: &str, s: &str) -> SqlError {
    SqlError::new(
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("value \"{s}\" is out of range for type {ty}"),
    )
}

/// Refuses what no text value may hold.
pub(crate) fn check_text(s: &str) -> Result<(), SqlError> {
    if s.as_bytes().contains(&0) {
        return Err(SqlError::new(
            SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            "invalid byte sequence for encoding \"UTF8\": 0x00",
        ));
    }
    Ok(())
}

/// The longest text of a number, a moment or a name: more digits than a number can have. Longer ones take time and memory, and are none.
const SCALAR_BYTES_MAX: usize = 256 << 10;
/// What is shown of one that is longer.
const SHOWN_BYTES: usize = 1 << 10;

/// Whether the texts of a type's values have no bound of their own.
fn is_of_any_length(ty: Type) -> bool {
    ty.is_text_like()
        || ty == Type::Citext
        || ty.is_array()
        || matches!(
            ty,
            Type::Bytea
                | Type::Uuid
                | Type::Json
                | Type::Jsonb
                | Type::Jsonpath
                | Type::Hstore
                | Type::Bit
                | Type::Varbit
                | Type::PgSnapshot
                | Type::TxidSnapshot
                | Type::Int2Vector
                | Type::OidVector
        )
}

/// Reads a value of a type from text and fits it to the type modifier (an overlong string is an error, unless only blanks are cut).
pub fn input_text(s: &str, ty: Type, typmod: i32, o: &FormatOptions) -> Result<Datum, SqlError> {
    if s.len() > SCALAR_BYTES_MAX && !is_of_any_length(ty) {
        let blanks = Trim::of(" \t\n\r\x0b\x0c")?;
        let s = blanks.end(blanks.start(s)?)?;
        if s.len() > SCALAR_BYTES_MAX {
            let shown = format!("{}…", &s[..s.floor_char_boundary(SHOWN_BYTES)]);
            return Err(syntax_error(&ty.sql_name(), &shown));
        }
        return input_text(s, ty, typmod, o);
    }
    Ok(match ty {
        Type::Int4 => Datum::Int4(match fast_int(s) {
            Some(v) => v as i32,
            None => i32::try_from(parse_integer(s, "integer")?).map_err(|_| value_range("integer", s))?,
        }),
        Type::Int8 => match fast_int(s) {
            Some(v) => Datum::Int8(v),
            None => {
                Datum::Int8(i64::try_from(parse_integer(s, "bigint")?).map_err(|_| value_range("bigint", s))?)
            }
        },
        Type::Int2 => {
            let v = parse_integer(s, "smallint")?;
            Datum::Int2(i16::try_from(v).map_err(|_| value_range("smallint", s))?)
        }
        Type::Text | Type::Unknown => {
            check_text(s)?;
            Datum::Text(kept(s)?)
        }
        Type::Citext => {
            check_text(s)?;
            Datum::Citext(kept(s)?)
        }
        Type::Varchar => {
            check_text(s)?;
            Datum::Text(kept(fit_varchar(s, typmod)?)?)
        }
        Type::Bpchar => {
            check_text(s)?;
            Datum::Bpchar(fit_bpchar(s, typmod)?)
        }
        Type::Name => {
            check_text(s)?;
            Datum::Text(Arc::from(cut_name(s)))
        }
        Type::Char => {
            check_text(s)?;
            read_char(s)
        }
        Type::Bool => Datum::Bool(parse_bool(s).ok_or_else(|| syntax_error("boolean", s))?),
        Type::Float4 => Datum::Float4(parse_f32(s)?),
        Type::Float8 => Datum::Float8(parse_f64(s)?),
        Type::Numeric => {
            let n: Numeric = s.parse()?;
            Datum::Numeric(match typmod_numeric(typmod) {
                Some((p, scale)) => n.apply_precision(p, scale)?,
                None => n,
            })
        }
        Type::Bytea => Datum::Bytes(kept_bytes(&parse_bytea(s)?)?),
        Type::Date => Datum::Date(datetime::parse_date(s, o)?),
        Type::Timestamp => Datum::Timestamp(round_timestamp(datetime::parse_timestamp(s, o)?, ty, typmod)?),
        Type::Timestamptz => {
            Datum::Timestamptz(round_timestamp(datetime::parse_timestamptz(s, o)?, ty, typmod)?)
        }
        Type::Interval => {
            let fields = datetime::IntervalFields::of_typmod(typmod);
            Datum::Interval(datetime::parse_interval(s, fields, o)?.adjusted(typmod)?)
        }
        Type::Enum(oid) => Datum::Enum(oid, user::enum_value(s, oid, o.reg_names.as_ref())?),
        Type::Composite(oid) => record_text::parse(s, oid, o)?,
        Type::Oid => Datum::Oid(xact::parse_u32(s, &ty.pg_name())?),
        Type::Xid => Datum::Oid(xact::parse_u32(s, "xid")?),
        Type::PgLsn => Datum::Lsn(parse_lsn(s)?),
        Type::Time => Datum::Time(round_time(datetime::parse_time(s, o)?, ty, typmod)),
        Type::Timetz => {
            let (us, west) = datetime::parse_timetz(s, o)?;
            Datum::Timetz(round_time(us, ty, typmod), west)
        }
        Type::Inet | Type::Cidr => Datum::Inet(Inet::parse(s, ty == Type::Cidr)?),
        Type::Macaddr => Datum::Macaddr(inet::parse_macaddr(s)?),
        Type::Macaddr8 => Datum::Macaddr8(macaddr8::parse(s)?),
        Type::Tid => Datum::Tid(tid::parse(s)?),
        Type::Money => Datum::Money(money::parse(s)?),
        Type::Xid8 => Datum::Xid8(xact::parse_xid8(s)?),
        Type::PgSnapshot | Type::TxidSnapshot => Datum::Snapshot(Arc::new(xact::XactSnapshot::parse(s)?)),
        Type::Json => {
            json::parse::check(s)?;
            Datum::Json(kept(s)?)
        }
        Type::Jsonb => Datum::Jsonb(json::read(s)?),
        Type::Hstore => hstore::parse(s)?,
        Type::Jsonpath => Datum::Jsonpath(Arc::new(Path::parse(s)?)),
        Type::Bit | Type::Varbit => bits::fit(bits::parse(s)?, ty, typmod, false)?,
        Type::Uuid => Datum::Uuid(uuid::parse(s).ok_or_else(|| syntax_error("uuid", s))?),
        t if t.is_reg() => Datum::Oid(parse_reg(s, ty, o)?),
        Type::Int2Vector | Type::OidVector => array::parse_vector(s, ty)?,
        t if t.is_array() => array::parse_array(s, ty, typmod, o)?,
        Type::Void => Datum::Null,
        Type::Record => {
            return Err(SqlError::unsupported("input of anonymous composite types is not implemented"));
        }
        other => {
            return Err(SqlError::unsupported(format!("cannot accept a value of type {}", other.sql_name())));
        }
    })
}

/// Rounds a timestamp to the digits that its modifier keeps.
pub(crate) fn round_timestamp(us: i64, ty: Type, typmod: i32) -> Result<i64, SqlError> {
    match typmod_fraction_digits(ty, typmod) {
        Some(digits) if datetime::is_finite_ts(us) => {
            datetime::interval::round_us(us, digits).ok_or_else(datetime::timestamp_out_of_range)
        }
        _ => Ok(us),
    }
}

/// Rounds a time of day to the digits that its modifier keeps.
pub(crate) fn round_time(us: i64, ty: Type, typmod: i32) -> i64 {
    let digits = typmod_fraction_digits(ty, typmod);
    digits.and_then(|digits| datetime::interval::round_us(us, digits)).unwrap_or(us)
}

/// Plain decimal digits with an optional minus, short enough for an `int4` never to overflow; `None` for the careful way.
#[inline]
fn fast_int(s: &str) -> Option<i64> {
    let b = s.as_bytes();
    let (negative, digits) = match b.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, b),
    };
    if digits.is_empty() || digits.len() > 9 {
        return None;
    }
    let mut v = 0i64;
    for &d in digits {
        if !d.is_ascii_digit() {
            return None;
        }
        v = v * 10 + i64::from(d - b'0');
    }
    Some(if negative { -v } else { v })
}

fn trim(s: &str) -> &str {
    s.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b')
}

/// Two numbers of one to eight hexadecimal digits, and nothing else.
fn parse_lsn(s: &str) -> Result<u64, SqlError> {
    let half = |digits: &str| {
        let fits = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).ok().filter(|_| fits)
    };
    let lsn = s.split_once('/').and_then(|(high, low)| Some(half(high)? << 32 | half(low)?));
    lsn.ok_or_else(|| syntax_error("pg_lsn", s))
}

/// Decimal, `0x`, `0o` or `0b` digits with optional single underscores between them.
fn parse_integer(s: &str, ty: &str) -> Result<i128, SqlError> {
    let t = trim(s);
    let (negative, body) = match t.as_bytes().first() {
        Some(b'-') => (true, &t[1..]),
        Some(b'+') => (false, &t[1..]),
        _ => (false, t),
    };
    let (radix, digits) = match body.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &body[2..]),
        [b'0', b'o' | b'O', ..] => (8, &body[2..]),
        [b'0', b'b' | b'B', ..] => (2, &body[2..]),
        _ => (10, body),
    };
    let bytes = digits.as_bytes();
    if bytes.is_empty() {
        return Err(syntax_error(ty, s));
    }
    let mut v: i128 = 0;
    for (i, &b) in bytes.iter().enumerate() {
        if b == b'_' {
            // Only between digits, or right after a radix prefix.
            let after = i > 0 && bytes[i - 1] != b'_' || i == 0 && radix != 10;
            if !after || !bytes.get(i + 1).is_some_and(|n| char::from(*n).is_digit(radix)) {
                return Err(syntax_error(ty, s));
            }
            continue;
        }
        let Some(d) = char::from(b).to_digit(radix) else {
            return Err(syntax_error(ty, s));
        };
        // Far out of every range already: only the syntax is still checked.
        v = (v * i128::from(radix) + i128::from(d)).min(i128::MAX >> 8);
    }
    Ok(if negative { -v } else { v })
}

pub(crate) fn parse_bool(s: &str) -> Option<bool> {
    let t = trim(s).to_ascii_lowercase();
    match t.as_str() {
        "1" | "on" => return Some(true),
        "0" | "of" | "off" => return Some(false),
        "" => return None,
        _ => {}
    }
    if "true".starts_with(&t) || "yes".starts_with(&t) {
        Some(true)
    } else if "false".starts_with(&t) || "no".starts_with(&t) {
        Some(false)
    } else {
        None
    }
}

fn parse_reg(s: &str, ty: Type, o: &FormatOptions) -> Result<u32, SqlError> {
    if s == "-" {
        return Ok(0);
    }
    if !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()) {
        return xact::parse_u32(s, "oid");
    }
    if let Some(names) = &o.reg_names {
        return names.oid(ty, s);
    }
    if ty == Type::Regtype
        && let Some(t) = Type::from_name(s)
    {
        return Ok(t.oid());
    }
    let (code, what) = match ty {
        Type::Regclass => (SqlState::UNDEFINED_TABLE, "relation"),
        Type::Regtype => (SqlState::UNDEFINED_OBJECT, "type"),
        Type::Regnamespace => (SqlState::INVALID_SCHEMA_NAME, "schema"),
        Type::Regrole => (SqlState::UNDEFINED_OBJECT, "role"),
        _ => (SqlState::UNDEFINED_FUNCTION, "function"),
    };
    Err(SqlError::new(code, format!("{what} \"{s}\" does not exist")))
}

fn read_char(s: &str) -> Datum {
    let b = s.as_bytes();
    if let [b'\\', a @ b'0'..=b'3', c @ b'0'..=b'7', d @ b'0'..=b'7'] = b {
        let v = (a - b'0') << 6 | (c - b'0') << 3 | (d - b'0');
        return if v == 0 { Datum::text("") } else { Datum::text(char::from(v).to_string()) };
    }
    match b.first() {
        None => Datum::text(""),
        Some(&c) => Datum::text(char::from(c).to_string()),
    }
}

/// The part of a string that a `name` holds.
pub fn cut_name(s: &str) -> &str {
    if s.len() <= NAME_MAX_BYTES {
        return s;
    }
    let mut end = NAME_MAX_BYTES;
    while !s.is_char_boundary(end) {
        end -= 1;
    }
    &s[..end]
}

/// Byte length of the first `n` characters; `None` if there are no more than `n`.
pub(super) fn prefix_bytes(s: &str, n: usize) -> Option<usize> {
    if s.len() <= n {
        return None;
    }
    Some(byte_at(s, n)).filter(|at| *at < s.len())
}

#[cold]
fn too_long(name: &str, n: usize) -> SqlError {
    SqlError::new(SqlState::STRING_DATA_RIGHT_TRUNCATION, format!("value too long for type {name}({n})"))
}

/// Fits a string to `varchar(n)`: trailing blanks beyond it are cut, anything else is an error.
pub(super) fn fit_varchar(s: &str, typmod: i32) -> Result<&str, SqlError> {
    let Some(n) = typmod_length(typmod) else { return Ok(s) };
    match prefix_bytes(s, n) {
        None => Ok(s),
        Some(cut) if s[cut..].bytes().all(|b| b == b' ') => Ok(&s[..cut]),
        Some(_) => Err(too_long("character varying", n)),
    }
}

/// Fits a string to `char(n)` and gives what is stored of it: without trailing blanks.
pub(super) fn fit_bpchar(s: &str, typmod: i32) -> Result<Arc<str>, SqlError> {
    let Some(n) = typmod_length(typmod) else { return kept(s) };
    match prefix_bytes(s, n) {
        None => padded(s, n),
        // Blanks may go.
        Some(cut) if s[cut..].bytes().all(|b| b == b' ') => kept(&s[..cut]),
        Some(_) => Err(too_long("character", n)),
    }
}

/// With blanks up to `n` characters.
pub(super) fn padded(s: &str, n: usize) -> Result<Arc<str>, SqlError> {
    with_blanks(s, n.saturating_sub(char_count(s)))
}

/// With so many blanks behind it.
pub(super) fn with_blanks(s: &str, blanks: usize) -> Result<Arc<str>, SqlError> {
    /// So many bytes are put together without an allocation of their own.
    const SMALL_BYTES: usize = 256;
    if blanks == 0 {
        return kept(s);
    }
    let mut small = [b' '; SMALL_BYTES];
    let bytes = s.len() + blanks;
    if bytes <= SMALL_BYTES {
        small[..s.len()].copy_from_slice(s.as_bytes());
        return Ok(Arc::from(std::str::from_utf8(&small[..bytes]).unwrap_or(s)));
    }
    let mut out = crate::guard::build::Text::with_capacity(bytes)?;
    out.push_str(s)?;
    out.extend(std::iter::repeat_n(' ', blanks))?;
    out.finish()
}

fn parse_bytea(s: &str) -> Result<Vec<u8>, SqlError> {
    if let Some(hex) = s.strip_prefix("\\x") {
        return decode_hex(hex);
    }
    let b = s.as_bytes();
    admit(b.len())?;
    let mut out = Vec::with_capacity(b.len());
    let mut pace = Pace::default();
    let mut i = 0;
    while i < b.len() {
        let piece = &b[i..b.len().min(i + PACE_BYTES)];
        let plain = memchr::memchr(b'\\', piece).unwrap_or(piece.len());
        pace.bytes(plain + 1)?;
        out.extend_from_slice(&piece[..plain]);
        i += plain;
        match &b[i..] {
            [b'\\', b'\\', ..] => {
                out.push(b'\\');
                i += 2;
            }
            [b'\\', a @ b'0'..=b'3', c @ b'0'..=b'7', d @ b'0'..=b'7', ..] => {
                out.push((a - b'0') << 6 | (c - b'0') << 3 | (d - b'0'));
                i += 4;
            }
            [b'\\', ..] => {
                return Err(SqlError::new(
                    SqlState::INVALID_TEXT_REPRESENTATION,
                    "invalid input syntax for type bytea",
                ));
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Hexadecimal digits, blanks between pairs allowed.
pub(super) fn decode_hex(hex: &str) -> Result<Vec<u8>, SqlError> {
    let invalid = |m: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, m);
    admit(hex.len() / 2)?;
    let mut out = Vec::with_capacity(hex.len() / 2);
    let mut high = None;
    for (n, piece) in hex.as_bytes().chunks(PACE_BYTES).enumerate() {
        check()?;
        for (i, &c) in piece.iter().enumerate() {
            let digit = match c {
                b'0'..=b'9' => c - b'0',
                b'a'..=b'f' => c - b'a' + 10,
                b'A'..=b'F' => c - b'A' + 10,
                b' ' | b'\n' | b'\t' | b'\r' if high.is_none() => continue,
                _ => {
                    // What came before is ASCII, so a character begins here.
                    let bad = hex[n * PACE_BYTES + i..].chars().next().unwrap_or_default();
                    return Err(invalid(format!("invalid hexadecimal digit: \"{bad}\"")));
                }
            };
            match high.take() {
                None => high = Some(digit),
                Some(high) => out.push(high << 4 | digit),
            }
        }
    }
    if high.is_some() {
        return Err(invalid("invalid hexadecimal data: odd number of digits".into()));
    }
    Ok(out)
}
