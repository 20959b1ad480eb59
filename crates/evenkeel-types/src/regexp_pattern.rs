//! Patterns in PostgreSQL's syntax, as trees.
//!
//! Must not know: how they are matched.

use super::regexp::{Chars, Flags, NEST_LIMIT, bracket, escape, invalid, reason};
use crate::error::SqlError;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look as Known};

/// The most that a count of repetitions may be.
const COUNT_MAX: u32 = 255;
/// Ranges of characters in all classes of a pattern.
const RANGES_MAX: usize = 1 << 19;

/// What holds at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    Start,
    End,
    StartOfLine,
    EndOfLine,
    /// A word begins or ends.
    Word,
    NoWord,
    StartOfWord,
    EndOfWord,
}

impl Look {
    pub(super) fn holds(self, text: &str, place: usize) -> bool {
        let is_word =
            |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_');
        let before = || text[..place].chars().next_back();
        let behind = || text[place..].chars().next();
        match self {
            Look::Start => place == 0,
            Look::End => place == text.len(),
            Look::StartOfLine => matches!(before(), None | Some('\n')),
            Look::EndOfLine => matches!(behind(), None | Some('\n')),
            Look::Word => is_word(before()) != is_word(behind()),
            Look::NoWord => is_word(before()) == is_word(behind()),
            Look::StartOfWord => !is_word(before()) && is_word(behind()),
            Look::EndOfWord => is_word(before()) && !is_word(behind()),
        }
    }
}

/// A pattern.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Empty,
    Literal(Box<str>),
    /// Ranges in their order.
    Class(Box<[(char, char)]>),
    Look(Look),
    Concat(Vec<Node>),
    Alternation(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: u32,
        most: Option<u32>,
        /// Whether many are preferred; `None`: a count says nothing about that.
        greedy: Option<bool>,
    },
    Group(usize, Box<Node>),
    /// What is ahead of a place, or behind it, or is not.
    Around {
        node: Box<Node>,
        ahead: bool,
        negated: bool,
    },
    /// What a group has taken.
    Again(usize),
}

impl Node {
    /// Whether something in it looks around or refers back.
    pub(super) fn goes_back(&self) -> bool {
        match self {
            Node::Around { .. } | Node::Again(_) => true,
            Node::Concat(list) | Node::Alternation(list) => list.iter().any(Node::goes_back),
            Node::Group(_, node) | Node::Repeat { node, .. } => node.goes_back(),
            Node::Empty | Node::Literal(_) | Node::Class(_) | Node::Look(_) => false,
        }
    }

    /// The characters that it takes, if these are always as many.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Node::Empty | Node::Look(_) | Node::Around { .. } => Some(0),
            Node::Literal(s) => Some(s.chars().count()),
            Node::Class(_) => Some(1),
            Node::Concat(list) => list.iter().map(Node::width).sum(),
            Node::Alternation(list) => {
                let mut widths = list.iter().map(Node::width);
                let first = widths.next()??;
                widths.all(|w| w == Some(first)).then_some(first)
            }
            Node::Repeat { node, least, most, .. } if Some(*least) == *most => {
                node.width()?.checked_mul(*least as usize)
            }
            Node::Group(_, node) => node.width(),
            Node::Repeat { .. } | Node::Again(_) => None,
        }
    }
}

struct Parser<'p> {
    chars: Chars<'p>,
    flags: Flags,
    /// Groups that were opened, the whole match included.
    groups: usize,
    /// Those that were closed.
    closed: Vec<usize>,
    /// Inside of what looks around, where parentheses take nothing and nothing is referred to.
    around: usize,
    depth: u32,
    /// Of characters, in classes so far.
    ranges: usize,
}

/// A pattern as a tree, and its groups, the whole match included.
pub(super) fn parse(pattern: &str, flags: Flags) -> Result<(Node, usize), SqlError> {
    let mut parser = Parser {
        chars: pattern.chars().peekable(),
        flags,
        groups: 1,
        closed: Vec::new(),
        around: 0,
        depth: 0,
        ranges: 0,
    };
    let node = parser.alternation()?;
    match parser.chars.next() {
        None => Ok((node, parser.groups)),
        Some(_) => Err(unbalanced()),
    }
}

fn unbalanced() -> SqlError {
    invalid("parentheses () not balanced")
}

impl Parser<'_> {
    fn alternation(&mut self) -> Result<Node, SqlError> {
        self.depth += 1;
        if self.depth > NEST_LIMIT {
            return Err(invalid("regular expression is too complex"));
        }
        let mut branches = vec![self.concat()?];
        while self.chars.next_if_eq(&'|').is_some() {
            branches.push(self.concat()?);
        }
        self.depth -= 1;
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alternation(branches) })
    }

    /// Comments, and blanks that do not count.
    fn skip(&mut self) {
        loop {
            match self.chars.peek().copied() {
                Some('(') if begins_comment(&self.chars) => {
                    while self.chars.next().is_some_and(|c| c != ')') {}
                }
                Some(c) if self.flags.expanded && c.is_whitespace() => drop(self.chars.next()),
                Some('#') if self.flags.expanded => while self.chars.next().is_some_and(|c| c != '\n') {},
                _ => return,
            }
        }
    }

    /// Whether counts begin here; a brace before anything else is a character.
    fn at_counts(&self) -> bool {
        let mut ahead = self.chars.clone();
        ahead.next() == Some('{') && ahead.peek().is_some_and(char::is_ascii_digit)
    }

    fn concat(&mut self) -> Result<Node, SqlError> {
        let mut list = Vec::new();
        loop {
            self.skip();
            match self.chars.peek() {
                None | Some('|' | ')') => break,
                _ => {}
            }
            let atom = self.atom()?;
            list.push(self.quantified(atom)?);
        }
        Ok(match list.len() {
            0 => Node::Empty,
            1 => list.remove(0),
            _ => Node::Concat(list),
        })
    }

    fn quantified(&mut self, mut atom: Node) -> Result<Node, SqlError> {
        self.skip();
        let (least, most, is_count) = match self.chars.peek().copied() {
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('?') => (0, Some(1), false),
            Some('{') if self.at_counts() => {
                self.chars.next();
                self.counts()?
            }
            _ => return Ok(atom),
        };
        // The last of the counts is still there, as are the other signs.
        self.chars.next();
        if matches!(atom, Node::Around { .. } | Node::Look(_)) {
            return Err(invalid("quantifier operand invalid"));
        }
        let greedy = self.chars.next_if_eq(&'?').is_none();
        self.skip();
        if matches!(self.chars.peek(), Some('*' | '+' | '?')) || self.at_counts() {
            return Err(invalid("quantifier operand invalid"));
        }
        let greedy = (!is_count).then_some(greedy);
        if !is_count || least != 1 {
            atom = Node::Repeat { node: Box::new(atom), least, most, greedy };
        }
        Ok(atom)
    }

    /// `2}`, `2,}` and `2,3}`, up to the brace; whether it is one count.
    fn counts(&mut self) -> Result<(u32, Option<u32>, bool), SqlError> {
        let least = self.count()?.unwrap_or(0);
        let is_count = self.chars.next_if_eq(&',').is_none();
        let most = if is_count { Some(least) } else { self.count()? };
        if self.chars.peek() != Some(&'}') {
            return Err(invalid("braces {} not balanced"));
        }
        match most {
            Some(most) if most < least => Err(invalid("invalid repetition count(s)")),
            most => Ok((least, most, is_count)),
        }
    }

    fn count(&mut self) -> Result<Option<u32>, SqlError> {
        let mut count = None;
        while let Some(digit) = self.chars.peek().and_then(|c| c.to_digit(10)) {
            self.chars.next();
            let n = count.unwrap_or(0) * 10 + digit;
            if n > COUNT_MAX {
                return Err(invalid("invalid repetition count(s)"));
            }
            count = Some(n);
        }
        Ok(count)
    }

    fn atom(&mut self) -> Result<Node, SqlError> {
        if self.at_counts() {
            return Err(invalid("quantifier operand invalid"));
        }
        match self.chars.next() {
            Some('(') => self.parenthesis(),
            Some('[') => {
                let mut out = String::new();
                bracket(&mut self.chars, &mut out, self.flags.within_line)?;
                self.known(&out)
            }
            Some('\\') if matches!(self.chars.peek(), Some('1'..='9')) => self.reference(),
            Some('\\') => {
                let mut out = String::new();
                escape(&mut self.chars, &mut out)?;
                self.known(&out)
            }
            Some(c @ ('.' | '^' | '$')) => self.known(c.encode_utf8(&mut [0; 4])),
            Some('*' | '+' | '?') => Err(invalid("quantifier operand invalid")),
            // Without case, most characters are only themselves.
            Some(c) if !self.flags.case_insensitive => {
                Ok(Node::Literal((c.encode_utf8(&mut [0; 4]) as &str).into()))
            }
            Some(c) => self.known(&regex::escape(c.encode_utf8(&mut [0; 4]))),
            None => Ok(Node::Empty),
        }
    }

    fn parenthesis(&mut self) -> Result<Node, SqlError> {
        let mut around = None;
        let mut group = None;
        if self.chars.next_if_eq(&'?').is_some() {
            let ahead = self.chars.next_if_eq(&'<').is_none();
            around = match self.chars.next() {
                Some(':') if ahead => None,
                Some('=') => Some((ahead, false)),
                Some('!') => Some((ahead, true)),
                _ => return Err(invalid("quantifier operand invalid")),
            };
        } else if self.around == 0 {
            group = Some(self.groups);
            self.groups += 1;
        }
        self.around += usize::from(around.is_some());
        let inner = Box::new(self.alternation()?);
        if self.chars.next() != Some(')') {
            return Err(unbalanced());
        }
        self.around -= usize::from(around.is_some());
        Ok(match (around, group) {
            (Some((ahead, negated)), _) => Node::Around { node: inner, ahead, negated },
            (None, Some(n)) => {
                self.closed.push(n);
                Node::Group(n, inner)
            }
            // What stands in parentheses may be repeated, whatever it is.
            (None, None) if matches!(*inner, Node::Around { .. } | Node::Look(_)) => {
                Node::Concat(vec![*inner])
            }
            (None, None) => *inner,
        })
    }

    /// A digit, or several if there are so many groups; else it is a character by its number.
    fn reference(&mut self) -> Result<Node, SqlError> {
        let mut ahead = self.chars.clone();
        let (mut n, mut digits) = (0_usize, 0);
        while let Some(digit) = ahead.peek().and_then(|c| c.to_digit(10)) {
            n = n.saturating_mul(10).saturating_add(digit as usize);
            digits += 1;
            ahead.next();
        }
        if digits > 1 && n >= self.groups {
            let mut out = String::new();
            escape(&mut self.chars, &mut out)?;
            return self.known(&out);
        }
        self.chars = ahead;
        if self.around > 0 || !self.closed.contains(&n) {
            return Err(invalid("invalid backreference number"));
        }
        Ok(Node::Again(n))
    }

    /// What the library knows, in its syntax.
    fn known(&mut self, text: &str) -> Result<Node, SqlError> {
        let hir = ParserBuilder::new()
            .case_insensitive(self.flags.case_insensitive)
            .multi_line(self.flags.lines)
            .dot_matches_new_line(!self.flags.within_line)
            .build()
            .parse(text)
            .map_err(|e| invalid(reason(&e)))?;
        let node = node_of(&hir)?;
        if let Node::Class(ranges) = &node {
            self.ranges += ranges.len();
            if self.ranges > RANGES_MAX {
                return Err(invalid("regular expression is too complex"));
            }
        }
        Ok(node)
    }
}

/// Whether `(?#` is next.
fn begins_comment(chars: &Chars<'_>) -> bool {
    let mut ahead = chars.clone();
    ["(", "?", "#"].iter().all(|c| ahead.next().is_some_and(|next| c.starts_with(next)))
}

fn node_of(hir: &Hir) -> Result<Node, SqlError> {
    Ok(match hir.kind() {
        HirKind::Empty => Node::Empty,
        HirKind::Literal(bytes) => Node::Literal(String::from_utf8_lossy(&bytes.0).into()),
        HirKind::Class(Class::Unicode(class)) => {
            Node::Class(class.ranges().iter().map(|r| (r.start(), r.end())).collect())
        }
        HirKind::Class(Class::Bytes(class)) => {
            Node::Class(class.ranges().iter().map(|r| (char::from(r.start()), char::from(r.end()))).collect())
        }
        HirKind::Look(look) => Node::Look(match look {
            Known::Start => Look::Start,
            Known::End => Look::End,
            Known::StartLF | Known::StartCRLF => Look::StartOfLine,
            Known::EndLF | Known::EndCRLF => Look::EndOfLine,
            Known::WordUnicode | Known::WordAscii => Look::Word,
            Known::WordUnicodeNegate | Known::WordAsciiNegate => Look::NoWord,
            Known::WordStartUnicode | Known::WordStartAscii => Look::StartOfWord,
            Known::WordEndUnicode | Known::WordEndAscii => Look::EndOfWord,
            _ => return Err(invalid("invalid escape \\ sequence")),
        }),
        HirKind::Concat(list) => Node::Concat(list.iter().map(node_of).collect::<Result<_, _>>()?),
        HirKind::Alternation(list) => Node::Alternation(list.iter().map(node_of).collect::<Result<_, _>>()?),
        HirKind::Capture(_) | HirKind::Repetition(_) => return Err(invalid("invalid escape \\ sequence")),
    })
}
