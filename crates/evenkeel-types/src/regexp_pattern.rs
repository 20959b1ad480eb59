//! Patterns that look around or refer back, as trees.
//!
//! Must not know: how they are matched.

use super::regexp::{Chars, Flags, NEST_LIMIT, bracket, escape, invalid};
use crate::error::SqlError;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look as Known};

/// The most that a count of repetitions may be.
const COUNT_MAX: u32 = 255;

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
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
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
        greedy: bool,
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

    /// Blanks and comments that do not count.
    fn skip(&mut self) {
        while self.flags.expanded {
            match self.chars.peek() {
                Some(c) if c.is_whitespace() => drop(self.chars.next()),
                Some('#') => while self.chars.next().is_some_and(|c| c != '\n') {},
                _ => return,
            }
        }
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
        let (least, most) = match self.chars.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                let mut ahead = self.chars.clone();
                ahead.next();
                if !ahead.peek().is_some_and(char::is_ascii_digit) {
                    return Ok(atom);
                }
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
        if matches!(self.chars.peek(), Some('*' | '+' | '?')) {
            return Err(invalid("quantifier operand invalid"));
        }
        // Once is no choice.
        if (least, most) != (1, Some(1)) {
            atom = Node::Repeat { node: Box::new(atom), least, most, greedy };
        }
        Ok(atom)
    }

    /// `2}`, `2,}` and `2,3}`, up to the brace.
    fn counts(&mut self) -> Result<(u32, Option<u32>), SqlError> {
        let least = self.count()?.unwrap_or(0);
        let most = match self.chars.next_if_eq(&',') {
            Some(_) => self.count()?,
            None => Some(least),
        };
        if self.chars.peek() != Some(&'}') {
            return Err(invalid("braces {} not balanced"));
        }
        match most {
            Some(most) if most < least => Err(invalid("invalid repetition count(s)")),
            most => Ok((least, most)),
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
            (None, None) => *inner,
        })
    }

    /// A digit, or several if there are so many groups.
    fn reference(&mut self) -> Result<Node, SqlError> {
        let mut n = 0;
        while let Some(digit) = self.chars.peek().and_then(|c| c.to_digit(10)) {
            let more = n * 10 + digit as usize;
            if n > 0 && more > self.closed.len() {
                break;
            }
            n = more;
            self.chars.next();
        }
        if self.around > 0 || !self.closed.contains(&n) {
            return Err(invalid("invalid backreference number"));
        }
        Ok(Node::Again(n))
    }

    /// What the library knows, in its syntax.
    fn known(&self, text: &str) -> Result<Node, SqlError> {
        let hir = ParserBuilder::new()
            .case_insensitive(self.flags.case_insensitive)
            .multi_line(self.flags.lines)
            .dot_matches_new_line(!self.flags.within_line)
            .build()
            .parse(text)
            .map_err(|_| invalid("invalid escape \\ sequence"))?;
        node_of(&hir)
    }
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
