//! Number patterns, and `to_char` of numbers.
//!
//! The writer walks the pattern as PostgreSQL's does: digits are aligned to the pattern's integer places, signs are written where the
//! first digit is (or where the pattern puts them), and a number too wide for the pattern becomes a row of `#`.

use super::{Eval, float_arg, int_arg, numeric_arg, stable, str_arg};
use crate::cast::out_of_range;
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::{EvalCtx, ScalarFn};
use crate::numeric::Numeric;
use crate::ty::Type as T;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Node {
    Nine,
    Zero,
    Point,
    Comma,
    Minus,
    Plus,
    Sign,
    LocaleSign,
    Brackets,
    Ordinal {
        upper: bool,
    },
    Roman {
        upper: bool,
    },
    Currency,
    Shift,
    Exponent,
    Blank,
    /// Known, and gives nothing; so does `SP`.
    CurrencyCode,
    Spelled,
    Fill,
    Literal(char),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SignPlace {
    Before,
    After,
}

#[derive(Default)]
pub(super) struct Format {
    pub nodes: Vec<Node>,
    pub pre: usize,
    pub post: usize,
    pub multi: usize,
    /// Place (from 0) of the first `0` before the point.
    zero_start: Option<usize>,
    /// Number of places up to the last `0`.
    zero_end: usize,
    pub fill: bool,
    pub decimal: bool,
    pub minus: bool,
    pub plus: bool,
    pub brackets: bool,
    pub roman: bool,
    pub exponent: bool,
    /// A `B` stood before all digits.
    blank: bool,
    shift: bool,
    pub sign_place: Option<SignPlace>,
    /// Integer places before the `S`.
    sign_after_places: usize,
}

pub(super) fn bad(message: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

pub(super) fn parse(pattern: &str) -> Result<Format, SqlError> {
    crate::function::check_pattern(pattern)?;
    let mut p = Format::default();
    let mut rest = pattern;
    // Words are all of capitals, or have none.
    let prefix = |s: &str, upper: &str, lower: &str| s.starts_with(upper) || s.starts_with(lower);
    while let Some(c) = rest.chars().next() {
        let (node, len) = if prefix(rest, "FM", "fm") {
            (Node::Fill, 2)
        } else if prefix(rest, "EEEE", "eeee") {
            (Node::Exponent, 4)
        } else if prefix(rest, "MI", "mi") {
            (Node::Minus, 2)
        } else if prefix(rest, "PL", "pl") {
            (Node::Plus, 2)
        } else if prefix(rest, "PR", "pr") {
            (Node::Brackets, 2)
        } else if prefix(rest, "SG", "sg") {
            (Node::Sign, 2)
        } else if prefix(rest, "SP", "sp") {
            (Node::Spelled, 2)
        } else if prefix(rest, "RN", "rn") {
            (Node::Roman { upper: c == 'R' }, 2)
        } else if prefix(rest, "TH", "th") {
            (Node::Ordinal { upper: c == 'T' }, 2)
        } else {
            match c {
                '9' => (Node::Nine, 1),
                '0' => (Node::Zero, 1),
                '.' | 'D' | 'd' => (Node::Point, 1),
                ',' | 'G' | 'g' => (Node::Comma, 1),
                'S' | 's' => (Node::LocaleSign, 1),
                'L' | 'l' => (Node::Currency, 1),
                'V' | 'v' => (Node::Shift, 1),
                'B' | 'b' => (Node::Blank, 1),
                'C' | 'c' => (Node::CurrencyCode, 1),
                '"' => {
                    let mut chars = rest[1..].chars();
                    while let Some(q) = chars.next() {
                        match q {
                            '"' => break,
                            '\\' => p.nodes.extend(chars.next().map(Node::Literal)),
                            q => p.nodes.push(Node::Literal(q)),
                        }
                    }
                    rest = chars.as_str();
                    continue;
                }
                '\\' if rest[1..].starts_with('"') => (Node::Literal('"'), 2),
                c => (Node::Literal(c), c.len_utf8()),
            }
        };
        p.note(node)?;
        p.nodes.push(node);
        rest = &rest[len..];
    }
    Ok(p)
}

impl Format {
    /// An S before all digits stands where the number begins; after the last integer digit it stands at the end.
    pub fn place_sign(&mut self) {
        if self.sign_place == Some(SignPlace::Before) && self.pre == self.sign_after_places {
            self.sign_place = Some(SignPlace::After);
        }
    }

    fn note(&mut self, node: Node) -> Result<(), SqlError> {
        if matches!(node, Node::Literal(_)) {
            return Ok(());
        }
        if self.exponent && node != Node::Exponent {
            return Err(bad("\"EEEE\" must be the last pattern used"));
        }
        let has_sign = self.sign_place.is_some();
        let sign_and = |word: &str| bad(&format!("cannot use \"S\" and \"{word}\" together"));
        match node {
            Node::Nine if self.brackets => return Err(bad("\"9\" must be ahead of \"PR\"")),
            Node::Zero if self.brackets => return Err(bad("\"0\" must be ahead of \"PR\"")),
            Node::Nine if self.shift => self.multi += 1,
            Node::Nine if self.decimal => self.post += 1,
            Node::Nine => self.pre += 1,
            Node::Zero => {
                if self.zero_start.is_none() && !self.decimal {
                    self.zero_start = Some(self.pre);
                }
                if self.decimal {
                    self.post += 1;
                } else {
                    self.pre += 1;
                }
                self.zero_end = self.pre + self.post;
            }
            Node::Blank => self.blank |= self.pre == 0 && self.post == 0,
            Node::Fill => self.fill = true,
            Node::Point if self.decimal => return Err(bad("multiple decimal points")),
            Node::Point if self.shift => return Err(bad("cannot use \"V\" and decimal point together")),
            Node::Point => self.decimal = true,
            Node::LocaleSign if has_sign => return Err(bad("cannot use \"S\" twice")),
            Node::LocaleSign if self.plus || self.minus || self.brackets => {
                return Err(bad("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together"));
            }
            Node::LocaleSign if self.decimal => self.sign_place = Some(SignPlace::After),
            Node::LocaleSign => {
                self.sign_place = Some(SignPlace::Before);
                self.sign_after_places = self.pre;
            }
            Node::Minus if has_sign => return Err(sign_and("MI")),
            Node::Plus if has_sign => return Err(sign_and("PL")),
            Node::Sign if has_sign => return Err(sign_and("SG")),
            Node::Minus => self.minus = true,
            Node::Plus => self.plus = true,
            Node::Sign => (self.minus, self.plus) = (true, true),
            Node::Brackets if has_sign || self.plus || self.minus => {
                return Err(bad("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together"));
            }
            Node::Brackets => self.brackets = true,
            Node::Roman { .. } if self.roman => return Err(bad("cannot use \"RN\" twice")),
            Node::Roman { .. } => self.roman = true,
            Node::Shift if self.decimal => return Err(bad("cannot use \"V\" and decimal point together")),
            Node::Shift => self.shift = true,
            Node::Exponent if self.exponent => return Err(bad("cannot use \"EEEE\" twice")),
            Node::Exponent if self.fill || self.roman || self.has_signs() => {
                return Err(bad("\"EEEE\" is incompatible with other formats").with_detail(
                    "\"EEEE\" may only be used together with digit and decimal point patterns.",
                ));
            }
            Node::Exponent => self.exponent = true,
            _ => {}
        }
        if self.roman && (self.decimal || self.exponent || self.zero_start.is_some() || self.has_signs()) {
            return Err(bad("\"RN\" is incompatible with other formats")
                .with_detail("\"RN\" may only be used together with \"FM\"."));
        }
        Ok(())
    }

    /// What goes neither with an exponent nor with Roman numerals.
    fn has_signs(&self) -> bool {
        self.blank || self.minus || self.plus || self.brackets || self.shift || self.sign_place.is_some()
    }
}

struct Writer<'a> {
    p: &'a Format,
    /// Digits and point of the number, without sign.
    number: Vec<u8>,
    at: usize,
    negative: bool,
    /// Integer places of the pattern that the number does not reach.
    pre_spaces: usize,
    place: usize,
    places: isize,
    sign_written: bool,
    brackets: bool,
    /// Last character worth showing in fill mode.
    last_relevant: Option<usize>,
    digit_written: bool,
    out: String,
}

impl Writer<'_> {
    fn is_predecimal_zero(&self) -> bool {
        self.p.zero_start.is_none() && self.at == 0 && self.number.first() == Some(&b'0') && self.p.post != 0
    }

    fn relevant_is_point(&self) -> bool {
        self.last_relevant.is_some_and(|i| self.number.get(i) == Some(&b'.'))
    }

    fn locale_sign(&mut self) {
        self.out.push(if self.negative { '-' } else { '+' });
    }

    /// A digit place or the point.
    fn number_part(&mut self, node: Node) {
        self.digit_written = false;
        let zero_here = self.p.zero_start == Some(self.place);
        if !self.sign_written
            && (self.place >= self.pre_spaces || zero_here)
            && (!self.is_predecimal_zero() || self.relevant_is_point())
        {
            if let Some(place) = self.p.sign_place {
                if place == SignPlace::Before {
                    self.locale_sign();
                    self.sign_written = true;
                }
            } else if self.brackets {
                self.out.push(if self.negative { '<' } else { ' ' });
                self.sign_written = true;
            } else if self.negative {
                self.out.push('-');
                self.sign_written = true;
            } else {
                if !self.p.fill {
                    self.out.push(' ');
                }
                self.sign_written = true;
            }
        }
        let zero_filled = self.p.zero_start.is_some_and(|z| z <= self.place);
        if self.place < self.pre_spaces && !zero_filled {
            if !self.p.fill {
                self.out.push(' ');
            }
        } else if self.place < self.pre_spaces {
            self.out.push('0');
            self.digit_written = true;
        } else {
            match self.number.get(self.at) {
                Some(b'.') => {
                    if !self.relevant_is_point() || self.p.fill {
                        self.out.push('.');
                    }
                }
                current => {
                    if self.last_relevant.is_some_and(|l| self.at > l) && node != Node::Zero {
                        // Not worth showing.
                    } else if self.is_predecimal_zero() {
                        if !self.p.fill {
                            self.out.push(' ');
                        } else if self.relevant_is_point() {
                            self.out.push('0');
                        }
                    } else {
                        // A point without digits after it, in a number that has none, ends the text: PostgreSQL writes the
                        // terminator of the number's own string here.
                        self.out.push(current.map_or('\0', |c| char::from(*c)));
                        self.digit_written = true;
                    }
                }
            }
            if self.at < self.number.len() {
                self.at += 1;
            }
        }
        let mut end = self.places + isize::from(self.pre_spaces > 0) + isize::from(self.p.decimal);
        if self.last_relevant == Some(self.at) {
            end = self.place as isize;
        }
        if self.place as isize + 1 == end {
            if self.sign_written && self.brackets {
                self.out.push(if self.negative { '>' } else { ' ' });
            } else if self.p.sign_place == Some(SignPlace::After) {
                self.locale_sign();
            }
        }
        self.place += 1;
    }

    fn run(mut self) -> Result<String, SqlError> {
        for &node in &self.p.nodes {
            match node {
                Node::Nine | Node::Zero | Node::Point => self.number_part(node),
                Node::Comma => {
                    if self.digit_written {
                        self.out.push(',');
                    } else if !self.p.fill {
                        self.out.push(' ');
                    }
                }
                Node::Currency => self.out.push(' '),
                Node::Ordinal { upper } => {
                    if !self.p.roman
                        && self.number.first() != Some(&b'#')
                        && !self.negative
                        && !self.p.decimal
                    {
                        if !self.number.last().is_some_and(u8::is_ascii_digit) {
                            let sign = if self.negative { "-" } else { "" };
                            let shown = String::from_utf8_lossy(&self.number);
                            let message = format!("\"{sign}{shown}\" is not a number");
                            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message));
                        }
                        self.out.push_str(ordinal(&self.number, upper));
                    }
                }
                Node::Minus => {
                    if self.negative {
                        self.out.push('-');
                    } else if !self.p.fill {
                        self.out.push(' ');
                    }
                }
                Node::Plus => {
                    if !self.negative {
                        self.out.push('+');
                    } else if !self.p.fill {
                        self.out.push(' ');
                    }
                }
                Node::Sign => self.locale_sign(),
                Node::Literal(c) => self.out.push(c),
                Node::LocaleSign
                | Node::Brackets
                | Node::Shift
                | Node::Exponent
                | Node::Blank
                | Node::CurrencyCode
                | Node::Spelled
                | Node::Fill
                | Node::Roman { .. } => {}
            }
        }
        if let Some(end) = self.out.find('\0') {
            self.out.truncate(end);
        }
        Ok(self.out)
    }
}

fn ordinal(number: &[u8], upper: bool) -> &'static str {
    let teen = number.len() > 1 && number[number.len() - 2] == b'1';
    let i = match number.last() {
        Some(b'1') if !teen => 0,
        Some(b'2') if !teen => 1,
        Some(b'3') if !teen => 2,
        _ => 3,
    };
    if upper { ["ST", "ND", "RD", "TH"][i] } else { ["st", "nd", "rd", "th"][i] }
}

pub(super) fn roman(v: i64) -> Option<String> {
    const PARTS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..=3999).contains(&v) {
        return None;
    }
    let mut rest = v;
    let mut out = String::new();
    for (n, s) in PARTS {
        while rest >= n {
            out.push_str(s);
            rest -= n;
        }
    }
    Some(out)
}

/// Longest Roman numeral, MMMDCCCLXXXVIII.
pub(super) const ROMAN_WIDTH: usize = 15;

fn write(value: &Numeric, pattern: &str) -> Result<String, SqlError> {
    let mut p = parse(pattern)?;
    if p.roman {
        let v = value.to_scale_integer();
        let upper = p.nodes.iter().any(|n| matches!(n, Node::Roman { upper: true }));
        let text = v.and_then(roman).unwrap_or_else(|| "#".repeat(ROMAN_WIDTH));
        let text = if upper { text } else { text.to_lowercase() };
        return Ok(if p.fill { text } else { format!("{text:>ROMAN_WIDTH$}") });
    }
    if p.exponent {
        return Ok(scientific(value, &p));
    }
    let mut value = value.clone();
    if p.shift {
        value = value.mul(&Numeric::from(10).pow(&Numeric::from(p.multi as i64))?)?;
        p.pre += p.multi;
        // The digits after the V are integer places too.
        p.shift = false;
    }
    // A special value's name stands where the digits would, if it fits.
    let text = value.round(p.post as i64)?.to_string();
    laid_out(&mut p, &text)
}

/// A `bigint`: where it is multiplied, it stays one.
fn write_bigint(value: i64, pattern: &str) -> Result<String, SqlError> {
    let mut p = parse(pattern)?;
    if !p.shift {
        return write(&Numeric::from(value), pattern);
    }
    let by = u32::try_from(p.multi).ok().and_then(|multi| 10i64.checked_pow(multi));
    let value = by.and_then(|by| value.checked_mul(by)).ok_or_else(|| out_of_range(T::Int8))?;
    p.pre += p.multi;
    p.shift = false;
    laid_out(&mut p, &value.to_string())
}

/// An `integer`: its exponent is a float's, and where it is multiplied PostgreSQL drops what its 32 bits do not hold.
fn write_integer(value: i32, pattern: &str) -> Result<String, SqlError> {
    let mut p = parse(pattern)?;
    if p.exponent {
        return Ok(float_with_exponent(f64::from(value), &p));
    }
    if !p.shift {
        return write(&Numeric::from(i64::from(value)), pattern);
    }
    let by = u32::try_from(p.multi).ok().and_then(|multi| 10i32.checked_pow(multi)).unwrap_or(i32::MIN);
    p.pre += p.multi;
    p.shift = false;
    laid_out(&mut p, &value.wrapping_mul(by).to_string())
}

/// A floating-point number, of which so many digits count: PostgreSQL has `printf` round it, and cuts places behind the point that would be noise.
fn write_float(value: f64, digits: usize, pattern: &str) -> Result<String, SqlError> {
    let mut p = parse(pattern)?;
    if p.roman {
        return write(&Numeric::from_f64(value.round_ties_even()), pattern);
    }
    if p.exponent && (!value.is_finite() || p.post > PRECISION_MAX) {
        return write(&Numeric::from_f64(value), pattern);
    }
    if p.exponent {
        return Ok(float_with_exponent(value, &p));
    }
    let mut value = value;
    if p.shift {
        let by = 10f64.powi(p.multi.min(400) as i32);
        value = if digits == FLT_DIG { f64::from(value as f32 * by as f32) } else { value * by };
        p.pre += p.multi;
        p.shift = false;
    }
    // Of what is no number, the digits are those of C's word for it.
    let whole = if value.is_finite() { format!("{:.0}", value.abs()).len() } else { "inf".len() };
    p.post = p.post.min(digits.saturating_sub(whole));
    let text = match value.is_finite() {
        true => format!("{value:.*}", p.post),
        false => Numeric::from_f64(value).to_string(),
    };
    laid_out(&mut p, &text)
}

/// As `printf` writes it, with a blank for the sign of what is not negative.
fn float_with_exponent(value: f64, p: &Format) -> String {
    let text = format!("{value:.*e}", p.post.min(PRECISION_MAX));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let sign = if exponent.starts_with('-') { '-' } else { '+' };
    let blank = if mantissa.starts_with('-') { "" } else { " " };
    format!("{blank}{mantissa}e{sign}{:0>2}", exponent.trim_start_matches('-'))
}

/// Digits that count of `real` and of `double precision`, as C names them.
const FLT_DIG: usize = 6;
const DBL_DIG: usize = 15;
/// More places than anybody's.
const PRECISION_MAX: usize = 1000;

/// A number's text in the places of a pattern.
fn laid_out(p: &mut Format, text: &str) -> Result<String, SqlError> {
    p.place_sign();
    let p = &*p;
    let overflow = || {
        let mut n = vec![b'#'; p.pre];
        if p.decimal {
            n.push(b'.');
            n.extend(std::iter::repeat_n(b'#', p.post));
        }
        n
    };
    let negative = text.starts_with('-');
    let mut number = text.trim_start_matches('-').as_bytes().to_vec();
    let pre_len = number.iter().position(|b| *b == b'.').unwrap_or(number.len());
    let mut pre_spaces = p.pre.saturating_sub(pre_len);
    if pre_len > p.pre {
        number = overflow();
        pre_spaces = 0;
    }
    // Like "-0", which shows no sign.
    let needs_sign =
        if p.plus || p.minus { p.plus && !p.minus } else { negative || !p.fill || p.sign_place.is_some() };
    let brackets = p.brackets && (negative || !p.fill);
    let last_relevant = (p.fill && p.decimal).then(|| last_relevant(&number, p, pre_spaces)).flatten();
    let mut places = (p.pre + p.post) as isize - 1;
    if needs_sign && pre_spaces == 0 {
        places += 1;
    }
    let w = Writer {
        p,
        number,
        at: 0,
        negative,
        pre_spaces,
        place: 0,
        places,
        sign_written: !needs_sign,
        brackets,
        last_relevant,
        digit_written: false,
        out: String::new(),
    };
    w.run()
}

/// Position of the last digit after the point that is not zero (or of the point), but not before a digit that a `0` asks for.
fn last_relevant(number: &[u8], p: &Format, pre_spaces: usize) -> Option<usize> {
    let point = number.iter().position(|b| *b == b'.')?;
    let mut last = number.iter().rposition(|b| *b != b'0').unwrap_or(point).max(point);
    if p.zero_end > pre_spaces {
        last = last.max((p.zero_end - pre_spaces).min(number.len() - 1));
    }
    Some(last)
}

/// `1.23e+05`, with a blank for the sign of what is not negative.
fn scientific(value: &Numeric, p: &Format) -> String {
    if !value.is_finite() {
        let mut s: Vec<u8> = vec![b'#'; p.pre + p.post + 6];
        s[0] = b' ';
        if let Some(point) = s.get_mut(p.pre + 1) {
            *point = b'.';
        }
        return String::from_utf8_lossy(&s).into_owned();
    }
    let text = value.to_scientific(p.post);
    if text.starts_with('-') { text } else { format!(" {text}") }
}

fn to_char_numeric(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(write(numeric_arg(a, 0)?, str_arg(a, 1))?))
}

fn to_char_int(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    Ok(Datum::from(match &a[0] {
        Datum::Int4(v) => write_integer(*v, str_arg(a, 1))?,
        _ => write_bigint(int_arg(a, 0), str_arg(a, 1))?,
    }))
}

fn to_char_float(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    let digits = if matches!(a[0], Datum::Float4(_)) { FLT_DIG } else { DBL_DIG };
    Ok(Datum::from(write_float(float_arg(a, 0), digits, str_arg(a, 1))?))
}

pub(super) static TABLE: &[ScalarFn] = &[
    stable("to_char", &[T::Int4, T::Text], T::Text, to_char_int),
    stable("to_char", &[T::Int8, T::Text], T::Text, to_char_int),
    stable("to_char", &[T::Float4, T::Text], T::Text, to_char_float),
    stable("to_char", &[T::Float8, T::Text], T::Text, to_char_float),
    stable("to_char", &[T::Numeric, T::Text], T::Text, to_char_numeric),
    stable("to_number", &[T::Text, T::Text], T::Numeric, super::to_number::to_number),
];
