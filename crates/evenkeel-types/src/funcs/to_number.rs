//! `to_number`: a number that is laid out by a pattern.
//!
//! Every element of the pattern takes what PostgreSQL's does, of the text that is left: a place takes a blank, a sign and a digit; a literal takes any character.
//! Nothing is searched for, so a text that does not fit gives what was met, or an error.
//!
//! Must not know: how numbers are written.

use super::numeric_format::{Format, Node, ROMAN_WIDTH, SignPlace, parse, roman};
use super::{Eval, str_arg};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::function::EvalCtx;
use crate::numeric::Numeric;

/// What is left of the text, and what was read of it.
struct Reader<'a> {
    p: &'a Format,
    rest: &'a str,
    /// ` ` as long as none was met.
    sign: char,
    /// Digits and the point.
    digits: String,
    before_point: usize,
    after_point: usize,
    is_after_point: bool,
}

impl Reader<'_> {
    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn skip(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    /// Skips characters that cannot be part of a number.
    fn skip_others(&mut self, n: usize) {
        for _ in 0..n {
            match self.next() {
                Some(c) if !matches!(c, '0'..='9' | '.' | ',' | '+' | '-') => self.skip(),
                _ => break,
            }
        }
    }

    /// A sign of these; false if something else is there.
    fn take_sign(&mut self, signs: &[char]) -> bool {
        match self.next() {
            Some(c) if signs.contains(&c) => self.sign = if c == '+' { '+' } else { '-' },
            _ => return false,
        }
        true
    }

    /// A place for a digit, or the point: leaves the last character that it took.
    fn place(&mut self, is_digit: bool) {
        let has_locale_sign = self.p.sign_place.is_some();
        if self.next() == Some(' ') {
            self.skip();
        }
        if self.sign == ' ' && is_digit && self.before_point + self.after_point == 0 {
            let signs: &[char] = match self.p.sign_place {
                None | Some(SignPlace::After) if self.p.brackets => &['-', '<', '+'],
                _ => &['-', '+'],
            };
            if self.take_sign(signs) {
                self.skip();
            }
        }
        let Some(c) = self.next() else { return };
        let mut is_read = false;
        if c.is_ascii_digit() {
            if self.is_after_point && self.after_point == self.p.post {
                return;
            }
            self.digits.push(c);
            *if self.is_after_point { &mut self.after_point } else { &mut self.before_point } += 1;
            is_read = true;
        } else if c == '.' && self.p.decimal && !self.is_after_point {
            self.digits.push('.');
            (self.is_after_point, is_read) = (true, true);
        }
        if self.sign != ' ' || self.before_point + self.after_point == 0 {
            return;
        }
        if has_locale_sign && is_read {
            // Such a sign stands directly behind the last digit.
            if matches!(self.rest[1..].chars().next(), Some('-' | '+')) {
                self.skip();
                self.take_sign(&['-', '+']);
            }
        } else if !is_read && !has_locale_sign && (self.p.plus || self.p.minus) {
            self.take_sign(&['-', '+']);
        }
    }

    /// A Roman numeral. Gives its number of decimal digits.
    fn roman(&mut self) -> Result<usize, SqlError> {
        self.rest = self.rest.trim_ascii_start();
        let letters = self.rest.bytes().take_while(|b| b"IVXLCDM".contains(&b.to_ascii_uppercase())).count();
        let (word, rest) = self.rest.split_at(letters.min(ROMAN_WIDTH));
        let value = |c: char| match c.to_ascii_uppercase() {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            'L' => 50,
            'C' => 100,
            'D' => 500,
            _ => 1000,
        };
        let values: Vec<i64> = word.chars().map(value).collect();
        let sum = values.iter().enumerate().map(|(i, v)| match values.get(i + 1) {
            Some(next) if next > v => -v,
            _ => *v,
        });
        // Whatever is written otherwise is none.
        let v = sum.sum();
        if !roman(v).is_some_and(|r| r.eq_ignore_ascii_case(word)) {
            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, "invalid Roman numeral"));
        }
        self.rest = rest;
        let digits = v.to_string();
        self.digits.push_str(&digits);
        Ok(digits.len())
    }
}

/// Reads a number that is laid out by a pattern.
pub(super) fn to_number(a: &[Datum], _: &EvalCtx<'_>) -> Eval {
    if str_arg(a, 1).is_empty() {
        return Ok(Datum::Null);
    }
    let mut p = parse(str_arg(a, 1))?;
    p.place_sign();
    if p.exponent {
        return Err(SqlError::unsupported("\"EEEE\" not supported for input"));
    }
    let mut pre = p.pre;
    let mut r = Reader {
        p: &p,
        rest: str_arg(a, 0),
        sign: ' ',
        digits: String::new(),
        before_point: 0,
        after_point: 0,
        is_after_point: false,
    };
    for node in &p.nodes {
        if r.rest.is_empty() {
            break;
        }
        match node {
            Node::Nine | Node::Zero => r.place(true),
            Node::Point => r.place(false),
            Node::Comma if p.fill || r.next() != Some(',') => continue,
            Node::Comma => {}
            Node::Minus if r.take_sign(&['-']) => {}
            Node::Plus if r.take_sign(&['+']) => {}
            Node::Sign if r.take_sign(&['-', '+']) => {}
            Node::Literal(_) => {}
            Node::Minus | Node::Plus | Node::Sign | Node::Currency => {
                r.skip_others(1);
                continue;
            }
            Node::Ordinal { .. } => {
                r.skip_others(2);
                continue;
            }
            Node::Roman { .. } => {
                pre = r.roman()?;
                continue;
            }
            Node::LocaleSign | Node::Brackets | Node::Shift | Node::Exponent => continue,
            Node::Blank | Node::CurrencyCode | Node::Spelled | Node::Fill => continue,
        }
        r.skip();
    }
    let text = format!("{}{}", r.sign, r.digits);
    let text = text.strip_suffix('.').unwrap_or(&text);
    let scale = r.after_point;
    let n: Numeric = text.parse()?;
    let mut n = n.apply_precision((pre + p.multi + scale) as i32, scale as i32)?;
    if p.multi > 0 {
        n = n.mul(&Numeric::from(10).pow(&Numeric::from(-(p.multi as i64)))?)?;
    }
    Ok(Datum::Numeric(n))
}
