//! Text of arrays, vectors and records: `{1,"b c",NULL}`, `1 2 3`, `(1,"b c",)`.

use std::sync::Arc;

use super::datum::{ArrayDatum, Datum, Dim, MAX_ARRAY_ELEMENTS, MAX_DIMS, RecordDatum};
use super::format::FormatOptions;
use super::function::MAX_VALUE_BYTES;
use super::text_io::{input_text, output_text};
use super::ty::Type;
use crate::error::{SqlError, SqlState};
use crate::guard::build::{each_piece, make_room};
use crate::guard::discard::Large;
use crate::guard::{Pace, admit};

/// Appends an array (`{…}`) or, by its type, a vector (elements separated by blanks).
pub fn write_array(
    a: &ArrayDatum,
    ty: Type,
    typmod: i32,
    o: &FormatOptions,
    out: &mut Vec<u8>,
) -> Result<(), SqlError> {
    if matches!(ty, Type::Int2Vector | Type::OidVector) {
        for (i, v) in a.values.iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            output_text(v, a.element, -1, o, out)?;
        }
        return Ok(());
    }
    if a.values.is_empty() {
        out.extend_from_slice(b"{}");
        return Ok(());
    }
    if a.dims.iter().any(|d| d.lower != 1) {
        for d in &a.dims {
            let upper = i64::from(d.lower) + i64::from(d.len) - 1;
            out.extend_from_slice(format!("[{}:{upper}]", d.lower).as_bytes());
        }
        out.push(b'=');
    }
    // The column's type may say more than the elements' own (regclass over oid).
    let element = ty.element().unwrap_or(a.element);
    let mut values = a.values.iter();
    write_dimension(&a.dims, &mut values, element, typmod, o, out, &mut Pace::default())
}

fn write_dimension<'a>(
    dims: &[Dim],
    values: &mut impl Iterator<Item = &'a Datum>,
    element: Type,
    typmod: i32,
    o: &FormatOptions,
    out: &mut Vec<u8>,
    pace: &mut Pace,
) -> Result<(), SqlError> {
    let Some((first, rest)) = dims.split_first() else { return Ok(()) };
    out.push(b'{');
    for i in 0..first.len {
        if i > 0 {
            out.push(b',');
        }
        pace.step()?;
        if rest.is_empty() {
            match values.next() {
                None | Some(Datum::Null) => out.extend_from_slice(b"NULL"),
                Some(v) => {
                    let start = out.len();
                    output_text(v, element, typmod, o, out)?;
                    quote_from(out, start, needs_quotes_in_array)?;
                    pace.bytes(out.len() - start)?;
                }
            }
        } else {
            write_dimension(rest, values, element, typmod, o, out, pace)?;
        }
    }
    out.push(b'}');
    Ok(())
}

fn needs_quotes_in_array(b: &[u8]) -> bool {
    b.is_empty()
        || b.eq_ignore_ascii_case(b"null")
        || b.iter()
            .any(|c| matches!(c, b'"' | b'\\' | b'{' | b'}' | b',') || c.is_ascii_whitespace() || *c == 0x0b)
}

fn needs_quotes_in_record(b: &[u8]) -> bool {
    b.is_empty()
        || b.iter()
            .any(|c| matches!(c, b'"' | b'\\' | b'(' | b')' | b',') || c.is_ascii_whitespace() || *c == 0x0b)
}

/// Puts what was appended since `start` in quotes if it needs them, escaping quotes and backslashes with backslashes.
fn quote_from(out: &mut Vec<u8>, start: usize, needed: fn(&[u8]) -> bool) -> Result<(), SqlError> {
    if !needed(&out[start..]) {
        return Ok(());
    }
    let body = out.split_off(start);
    escape(&body, |_| b'\\', out)
}

/// Appends something in quotes, a byte before each quote and backslash in it. Nested, that doubles at each level.
fn escape(body: &[u8], before: fn(u8) -> u8, out: &mut Vec<u8>) -> Result<(), SqlError> {
    let special = |c: &u8| matches!(c, b'"' | b'\\');
    let len = body.len() + body.iter().filter(|c| special(c)).count() + 2;
    if len > MAX_VALUE_BYTES {
        return Err(SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "requested length too large"));
    }
    make_room(out, len)?;
    out.push(b'"');
    each_piece(body, |piece| {
        for c in piece {
            if special(c) {
                out.push(before(*c));
            }
            out.push(*c);
        }
    })?;
    out.push(b'"');
    Ok(())
}

/// Appends a record: `(1,"b c",)`, NULL being nothing at all.
pub fn write_record(r: &RecordDatum, o: &FormatOptions, out: &mut Vec<u8>) -> Result<(), SqlError> {
    out.push(b'(');
    for (i, (v, ty)) in r.values.iter().zip(&r.types).enumerate() {
        if i > 0 {
            out.push(b',');
        }
        if v.is_null() {
            continue;
        }
        let start = out.len();
        output_text(v, *ty, -1, o, out)?;
        let body = out.split_off(start);
        if needs_quotes_in_record(&body) {
            // Records double their quotes and backslashes, where arrays escape them.
            escape(&body, |c| c, out)?;
        } else {
            out.extend_from_slice(&body);
        }
    }
    out.push(b')');
    Ok(())
}

/// Reads `1 2 3` as an `int2vector` or `oidvector`.
pub fn parse_vector(s: &str, ty: Type) -> Result<Datum, SqlError> {
    let element = if ty == Type::Int2Vector { Type::Int2 } else { Type::Oid };
    let o = FormatOptions::default();
    let values: Result<Vec<Datum>, SqlError> =
        s.split_ascii_whitespace().map(|w| input_text(w, element, -1, &o)).collect();
    Ok(Datum::vector(element, values?))
}

/// What reading an element costs, as bytes of text.
const ELEMENT_BYTES: usize = 64;
/// What is shown of a literal that is not one.
const SHOWN_BYTES: usize = 64 << 10;

fn malformed(s: &str, detail: &str) -> SqlError {
    let shown = &s[..s.floor_char_boundary(SHOWN_BYTES)];
    SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, format!("malformed array literal: \"{shown}\""))
        .with_detail(detail)
}

struct Parser<'a> {
    input: &'a str,
    rest: &'a str,
    element: Type,
    typmod: i32,
    options: &'a FormatOptions,
    values: Large<Vec<Datum>>,
    pace: Pace,
    /// Length of each dimension, once its first list is complete.
    lengths: Vec<Option<usize>>,
    /// Depth at which elements stand, once one was seen.
    leaf_depth: Option<usize>,
}

/// Reads an array literal.
pub fn parse_array(s: &str, ty: Type, typmod: i32, o: &FormatOptions) -> Result<Datum, SqlError> {
    let element = ty.element().ok_or_else(|| SqlError::internal("an array type has no element type"))?;
    let mut rest = skip_space(s);
    let mut bounds: Vec<(i32, i32)> = Vec::new();
    while let Some(after) = rest.strip_prefix('[') {
        let limit = |why: String| SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, why);
        if bounds.len() == MAX_DIMS {
            return Err(limit(format!(
                "number of array dimensions exceeds the maximum allowed ({MAX_DIMS})"
            )));
        }
        let no_bounds = "\"[\" must introduce explicitly-specified array dimensions.";
        let (first, mut tail) = bound(after)?.ok_or_else(|| malformed(s, no_bounds))?;
        let (mut lower, mut upper) = (1, first);
        if let Some(second) = tail.strip_prefix(':') {
            let missing = || malformed(s, "Missing array dimension value.");
            (lower, (upper, tail)) = (first, bound(second)?.ok_or_else(missing)?);
        }
        let tail =
            tail.strip_prefix(']').ok_or_else(|| malformed(s, "Missing \"]\" after array dimensions."))?;
        if upper < lower {
            return Err(SqlError::new(
                SqlState::ARRAY_SUBSCRIPT_ERROR,
                "upper bound cannot be less than lower bound",
            ));
        }
        if upper == i32::MAX {
            return Err(limit(format!("array upper bound is too large: {upper}")));
        }
        if upper.checked_sub(lower).and_then(|n| n.checked_add(1)).is_none() {
            return Err(limit(format!("array size exceeds the maximum allowed ({MAX_ARRAY_ELEMENTS})")));
        }
        bounds.push((lower, upper));
        rest = skip_space(tail);
    }
    if !bounds.is_empty() {
        rest = match rest.strip_prefix('=') {
            Some(r) => skip_space(r),
            None => return Err(malformed(s, "Missing \"=\" after array dimensions.")),
        };
        if !rest.starts_with('{') {
            return Err(malformed(s, "Array contents must start with \"{\"."));
        }
    } else if !rest.starts_with('{') {
        return Err(malformed(s, "Array value must start with \"{\" or dimension information."));
    }
    let mut p = Parser {
        input: s,
        rest,
        element,
        typmod,
        options: o,
        values: Large::default(),
        pace: Pace::default(),
        lengths: Vec::new(),
        leaf_depth: None,
    };
    p.list(0)?;
    if !skip_space(p.rest).is_empty() {
        return Err(malformed(s, "Junk after closing right brace."));
    }
    if p.values.is_empty() && bounds.is_empty() {
        return Ok(Datum::Array(Arc::new(ArrayDatum {
            element,
            dims: Vec::new(),
            values: Large::default(),
        })));
    }
    let mut dims: Vec<Dim> = p.lengths.iter().map(|n| Dim { len: n.unwrap_or(0) as i32, lower: 1 }).collect();
    if !bounds.is_empty() {
        let agree = bounds.len() == dims.len()
            && bounds
                .iter()
                .zip(&dims)
                .all(|((l, u), d)| i64::from(*u) - i64::from(*l) + 1 == i64::from(d.len));
        if !agree {
            return Err(malformed(s, "Specified array dimensions do not match array contents."));
        }
        for (d, (lower, _)) in dims.iter_mut().zip(&bounds) {
            d.lower = *lower;
        }
    }
    Ok(Datum::Array(Arc::new(ArrayDatum { element, dims, values: p.values })))
}

/// A bound of a dimension, and what stands behind it; None: there is none.
fn bound(s: &str) -> Result<Option<(i32, &str)>, SqlError> {
    let sign = usize::from(s.starts_with(['-', '+']));
    let digits = s[sign..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Ok(None);
    }
    let (number, rest) = s.split_at(sign + digits);
    let number = number.parse().map_err(|_| {
        SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "array bound is out of integer range")
    })?;
    Ok(Some((number, rest)))
}

fn skip_space(s: &str) -> &str {
    s.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b')
}

impl Parser<'_> {
    fn bad(&self, detail: &str) -> SqlError {
        malformed(self.input, detail)
    }

    fn ragged(&self) -> SqlError {
        self.bad("Multidimensional arrays must have sub-arrays with matching dimensions.")
    }

    /// A list in braces, at a depth of nesting.
    fn list(&mut self, depth: usize) -> Result<(), SqlError> {
        if depth >= MAX_DIMS {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("number of array dimensions exceeds the maximum allowed ({MAX_DIMS})"),
            ));
        }
        self.rest = &self.rest[1..];
        if self.lengths.len() == depth {
            self.lengths.push(None);
        }
        let mut count = 0;
        self.rest = skip_space(self.rest);
        if let Some(after) = self.rest.strip_prefix('}') {
            self.rest = after;
            return self.close(depth, 0);
        }
        loop {
            self.rest = skip_space(self.rest);
            let is_list = self.rest.starts_with('{');
            if is_list {
                if self.leaf_depth.is_some_and(|d| d <= depth) {
                    return Err(self.ragged());
                }
                self.list(depth + 1)?;
            } else {
                if *self.leaf_depth.get_or_insert(depth) != depth || self.lengths.len() > depth + 1 {
                    return Err(self.ragged());
                }
                self.element()?;
            }
            count += 1;
            self.rest = skip_space(self.rest);
            let mut chars = self.rest.chars();
            match chars.next() {
                Some(',') => self.rest = chars.as_str(),
                Some('}') => {
                    self.rest = chars.as_str();
                    return self.close(depth, count);
                }
                Some('{') => return Err(self.bad("Unexpected \"{\" character.")),
                Some(_) if is_list => return Err(self.bad("Unexpected array element.")),
                Some(_) => return Err(self.bad("Incorrectly quoted array element.")),
                None => return Err(self.bad("Unexpected end of input.")),
            }
        }
    }

    fn close(&mut self, depth: usize, count: usize) -> Result<(), SqlError> {
        match self.lengths[depth] {
            None => {
                self.lengths[depth] = Some(count);
                Ok(())
            }
            Some(n) if n == count => Ok(()),
            Some(_) => Err(self.ragged()),
        }
    }

    fn element(&mut self) -> Result<(), SqlError> {
        if self.values.len() >= MAX_ARRAY_ELEMENTS {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("array size exceeds the maximum allowed ({MAX_ARRAY_ELEMENTS})"),
            ));
        }
        let mut text = String::new();
        let mut quoted = false;
        if let Some(after) = self.rest.strip_prefix('"') {
            quoted = true;
            let mut chars = after.chars();
            loop {
                if text.len() == text.capacity() {
                    admit(text.len() * 2)?;
                }
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => match chars.next() {
                        Some(c) => text.push(c),
                        None => return Err(self.bad("Unexpected end of input.")),
                    },
                    Some(c) => text.push(c),
                    None => return Err(self.bad("Unexpected end of input.")),
                }
            }
            self.pace.bytes(self.rest.len() - chars.as_str().len())?;
            self.rest = chars.as_str();
        } else {
            let mut keep = 0; // text up to here does not end in unescaped blanks
            let mut chars = self.rest.chars();
            loop {
                let before = chars.as_str();
                if text.len() == text.capacity() {
                    admit(text.len() * 2)?;
                }
                match chars.next() {
                    Some(',' | '}') => {
                        self.rest = before;
                        break;
                    }
                    Some('{') => return Err(self.bad("Unexpected \"{\" character.")),
                    Some('"') => return Err(self.bad("Incorrectly quoted array element.")),
                    Some('\\') => {
                        match chars.next() {
                            Some(c) => text.push(c),
                            None => return Err(self.bad("Unexpected end of input.")),
                        }
                        quoted = true;
                        keep = text.len();
                    }
                    Some(c) => {
                        text.push(c);
                        if !c.is_ascii_whitespace() {
                            keep = text.len();
                        }
                    }
                    None => return Err(self.bad("Unexpected end of input.")),
                }
            }
            text.truncate(keep);
            if text.is_empty() {
                let c = self.rest.chars().next().unwrap_or('}');
                return Err(self.bad(&format!("Unexpected \"{c}\" character.")));
            }
        }
        self.pace.bytes(ELEMENT_BYTES + text.len())?;
        make_room(&mut self.values, 1)?;
        self.values.push(if !quoted && self.options.array_nulls && text.eq_ignore_ascii_case("null") {
            Datum::Null
        } else {
            input_text(&text, self.element, self.typmod, self.options)?
        });
        Ok(())
    }
}
