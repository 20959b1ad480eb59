//! From a text to a path.
//!
//! A predicate and an expression may both stand in parentheses, and what it was is known at their end only; so one routine reads both, and says which. An
//! error is at the first token that cannot go on, as in PostgreSQL's grammar.
//!
//! Must not know: evaluation.

use super::lex::{Lexer, Token};
use super::{Id, METHODS, Method, Node, Op, Path, RegexFlags, Timed, What, check_depth};
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;
use crate::guard;
use crate::guard::build::make_room;
use crate::guard::discard::Large;
use crate::json::deeper;
use crate::numeric::Numeric;
use crate::text_io::input_text;
use crate::ty::Type;
use crate::{Datum, regexp};

/// What was read: the first and the last node of a chain, and whether it is a predicate.
#[derive(Clone, Copy)]
struct Read {
    head: Id,
    tail: Id,
    is_predicate: bool,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token,
    nodes: Large<Vec<Node>>,
    depth: usize,
}

fn invalid(detail: impl Into<String>) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, "invalid input syntax for type jsonpath").with_detail(detail)
}

fn syntax(message: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, message)
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Path, SqlError> {
        let lexer = Lexer::new(text);
        let mut p = Parser { lexer, token: Token::End, nodes: Large::default(), depth: 0 };
        p.advance()?;
        if p.token == Token::End {
            let message = format!("invalid input syntax for type jsonpath: \"{text}\"");
            return Err(SqlError::new(SqlState::INVALID_TEXT_REPRESENTATION, message));
        }
        let lax = !p.token.is("strict");
        if p.token.is("strict") || p.token.is("lax") {
            p.advance()?;
        }
        let root = p.either()?.head;
        if p.token != Token::End {
            return Err(p.unexpected());
        }
        let path = Path { lax, nodes: p.nodes, root };
        path.check(root, 0, false, 0)?;
        Ok(path)
    }

    /// Looks where `@` and `last` stand, and how deep it goes. (1)
    fn check(&self, id: Id, filters: usize, in_subscript: bool, depth: usize) -> Result<(), SqlError> {
        check_depth(depth)?;
        let mut next = Some(id);
        while let Some(id) = next {
            let node = self.node(id);
            let go =
                |id: Id, filters, in_subscript| deeper(|| self.check(id, filters, in_subscript, depth + 1));
            match &node.what {
                What::Current if filters == 0 => {
                    return Err(syntax("@ is not allowed in root expressions"));
                }
                What::Last if !in_subscript => {
                    return Err(syntax("LAST is allowed only in array subscripts"));
                }
                What::Binary(_, a, b) => {
                    go(*a, filters, in_subscript)?;
                    go(*b, filters, in_subscript)?;
                }
                What::Filter(a) => go(*a, filters + 1, in_subscript)?,
                What::Not(a)
                | What::IsUnknown(a)
                | What::Exists(a)
                | What::Plus(a)
                | What::Minus(a)
                | What::LikeRegex(a, ..) => go(*a, filters, in_subscript)?,
                What::Index(list) => {
                    for (from, to) in list {
                        guard::check()?;
                        go(*from, filters, true)?;
                        to.map_or(Ok(()), |to| go(to, filters, true))?;
                    }
                }
                _ => {}
            }
            next = node.next;
        }
        Ok(())
    }
}

impl Parser<'_> {
    fn advance(&mut self) -> Result<Token, SqlError> {
        let next = self.lexer.next()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn unexpected(&self) -> SqlError {
        self.lexer.error("syntax error")
    }

    fn is_char(&self, c: char) -> bool {
        self.token == Token::Char(c)
    }

    fn expect(&mut self, c: char) -> Result<(), SqlError> {
        if !self.is_char(c) {
            return Err(self.unexpected());
        }
        self.advance().map(drop)
    }

    fn expect_word(&mut self, word: &str) -> Result<(), SqlError> {
        if !self.token.is(word) {
            return Err(self.unexpected());
        }
        self.advance().map(drop)
    }

    fn add(&mut self, what: What) -> Result<Id, SqlError> {
        make_room(&mut self.nodes, 1)?;
        self.nodes.push(Node { what, next: None });
        Ok((self.nodes.len() - 1) as Id)
    }

    fn made(&mut self, what: What, is_predicate: bool) -> Result<Read, SqlError> {
        let head = self.add(what)?;
        Ok(Read { head, tail: head, is_predicate })
    }

    /// One level down.
    fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.depth += 1;
        check_depth(self.depth)?;
        let result = deeper(|| f(self));
        self.depth -= 1;
        result
    }

    fn predicate(&self, read: Read) -> Result<Id, SqlError> {
        if read.is_predicate { Ok(read.head) } else { Err(self.unexpected()) }
    }

    fn expression(&self, read: Read) -> Result<Id, SqlError> {
        if read.is_predicate { Err(self.unexpected()) } else { Ok(read.head) }
    }

    /// An expression or a predicate.
    fn either(&mut self) -> Result<Read, SqlError> {
        self.connected(Op::Or)
    }

    /// Predicates with `||` or, tighter, with `&&` between them.
    fn connected(&mut self, op: Op) -> Result<Read, SqlError> {
        let operand = |p: &mut Self| if op == Op::Or { p.connected(Op::And) } else { p.compared() };
        let token = if op == Op::Or { Token::Or } else { Token::And };
        let mut left = operand(self)?;
        while self.token == token && left.is_predicate {
            self.advance()?;
            let right = operand(self)?;
            let right = self.predicate(right)?;
            left = self.made(What::Binary(op, left.head, right), true)?;
        }
        Ok(left)
    }

    fn compared(&mut self) -> Result<Read, SqlError> {
        if self.is_char('!') {
            self.advance()?;
            let inner = if self.token.is("exists") { self.exists()? } else { self.in_parentheses()? };
            return self.made(What::Not(inner), true);
        }
        let left = self.arithmetic(0, true)?;
        if left.is_predicate {
            return Ok(left);
        }
        let op = match &self.token {
            Token::Equal => Op::Equal,
            Token::NotEqual => Op::NotEqual,
            Token::Char('<') => Op::Less,
            Token::Char('>') => Op::Greater,
            Token::LessOrEqual => Op::LessOrEqual,
            Token::GreaterOrEqual => Op::GreaterOrEqual,
            t if t.is("starts") => {
                self.advance()?;
                self.expect_word("with")?;
                let initial = match self.token {
                    Token::Str(_) | Token::Variable(_) => self.scalar()?,
                    _ => None,
                };
                let Some(initial) = initial else { return Err(self.unexpected()) };
                return self.made(What::Binary(Op::StartsWith, left.head, initial), true);
            }
            t if t.is("like_regex") => {
                self.advance()?;
                return self.like_regex(left.head);
            }
            _ => return Ok(left),
        };
        self.advance()?;
        let right = self.arithmetic(0, false)?;
        let right = self.expression(right)?;
        self.made(What::Binary(op, left.head, right), true)
    }

    fn string(&mut self) -> Result<String, SqlError> {
        match &mut self.token {
            Token::Str(s) => {
                let s = std::mem::take(s);
                self.advance()?;
                Ok(s)
            }
            _ => Err(self.unexpected()),
        }
    }

    fn like_regex(&mut self, expr: Id) -> Result<Read, SqlError> {
        let pattern = self.string()?;
        let mut flags = RegexFlags::default();
        if self.token.is("flag") {
            self.advance()?;
            for c in self.string()?.chars() {
                match c {
                    'i' => flags.case = true,
                    's' => flags.dot_all = true,
                    'm' => flags.lines = true,
                    'x' => flags.blanks = true,
                    'q' => flags.quoted = true,
                    c => {
                        let why = format!("Unrecognized flag character \"{c}\" in LIKE_REGEX predicate.");
                        return Err(invalid(why));
                    }
                }
            }
        }
        if flags.blanks && !flags.quoted {
            return Err(SqlError::unsupported(
                "XQuery \"x\" flag (expanded regular expressions) is not implemented",
            ));
        }
        regexp::compiled(&pattern, flags.for_regexp())?;
        self.made(What::LikeRegex(expr, pattern.into(), flags), true)
    }

    /// `( predicate )`
    fn in_parentheses(&mut self) -> Result<Id, SqlError> {
        self.expect('(')?;
        let inner = self.deeper(Self::either)?;
        let inner = self.predicate(inner)?;
        self.expect(')')?;
        Ok(inner)
    }

    /// `exists ( expression )`
    fn exists(&mut self) -> Result<Id, SqlError> {
        self.advance()?;
        self.expect('(')?;
        let inner = self.deeper(|p| p.arithmetic(0, false))?;
        let inner = self.expression(inner)?;
        self.expect(')')?;
        self.add(What::Exists(inner))
    }

    /// Operands with operators that bind at least so tightly; a predicate only where one may stand.
    fn arithmetic(&mut self, tightness: u8, predicate_may: bool) -> Result<Read, SqlError> {
        let mut left = self.signed(predicate_may)?;
        loop {
            let (op, tight) = match self.token {
                Token::Char('+') => (Op::Add, 1),
                Token::Char('-') => (Op::Sub, 1),
                Token::Char('*') => (Op::Mul, 2),
                Token::Char('/') => (Op::Div, 2),
                Token::Char('%') => (Op::Mod, 2),
                _ => return Ok(left),
            };
            if left.is_predicate || tight <= tightness {
                return Ok(left);
            }
            self.advance()?;
            let right = self.arithmetic(tight, false)?;
            let right = self.expression(right)?;
            left = self.made(What::Binary(op, left.head, right), false)?;
        }
    }

    fn signed(&mut self, predicate_may: bool) -> Result<Read, SqlError> {
        let is_minus = self.is_char('-');
        if !is_minus && !self.is_char('+') {
            return self.primary(predicate_may);
        }
        self.advance()?;
        let operand = self.deeper(|p| p.signed(false))?;
        let inner = self.expression(operand)?;
        let number = match &self.nodes[inner as usize] {
            Node { what: What::Number(n), next: None } => Some(n.clone()),
            _ => None,
        };
        match (number, is_minus) {
            (Some(_), false) => Ok(operand),
            (Some(n), true) => self.made(What::Number(n.neg()), false),
            (None, true) => self.made(What::Minus(inner), false),
            (None, false) => self.made(What::Plus(inner), false),
        }
    }

    fn begins_accessor(&self) -> bool {
        self.is_char('.') || self.is_char('[') || self.is_char('?')
    }

    fn primary(&mut self, predicate_may: bool) -> Result<Read, SqlError> {
        let mut read = if self.is_char('(') {
            self.advance()?;
            let inner = self.deeper(Self::either)?;
            self.expect(')')?;
            if !self.begins_accessor() {
                if inner.is_predicate && !predicate_may {
                    return Err(self.unexpected());
                }
                if inner.is_predicate && self.token.is("is") {
                    self.advance()?;
                    self.expect_word("unknown")?;
                    return self.made(What::IsUnknown(inner.head), true);
                }
                return Ok(inner);
            }
            Read { is_predicate: false, ..inner }
        } else if predicate_may && self.token.is("exists") {
            let head = self.exists()?;
            return Ok(Read { head, tail: head, is_predicate: true });
        } else {
            let head = match self.scalar()? {
                Some(head) => head,
                None => {
                    let what = match &self.token {
                        Token::Char('$') => What::Root,
                        Token::Char('@') => What::Current,
                        t if t.is("last") => What::Last,
                        _ => return Err(self.unexpected()),
                    };
                    self.advance()?;
                    self.add(what)?
                }
            };
            Read { head, tail: head, is_predicate: false }
        };
        while self.begins_accessor() {
            let op = self.accessor()?;
            self.nodes[read.tail as usize].next = Some(op);
            read.tail = op;
        }
        Ok(read)
    }

    fn scalar(&mut self) -> Result<Option<Id>, SqlError> {
        let what = match &mut self.token {
            Token::Str(s) => What::Str(std::mem::take(s).into()),
            Token::Variable(s) => What::Variable(std::mem::take(s).into()),
            Token::Number(s) | Token::Int(s) => What::Number(s.parse()?),
            t if t.is("null") => What::Null,
            t if t.is("true") => What::Bool(true),
            t if t.is("false") => What::Bool(false),
            _ => return Ok(None),
        };
        let id = self.add(what)?;
        self.advance()?;
        Ok(Some(id))
    }

    fn accessor(&mut self) -> Result<Id, SqlError> {
        let what = match self.advance()? {
            Token::Char('[') if self.is_char('*') => {
                self.advance()?;
                self.expect(']')?;
                What::AnyArray
            }
            Token::Char('[') => self.subscripts()?,
            Token::Char('?') => What::Filter(self.in_parentheses()?),
            _ => return self.member(),
        };
        self.add(what)
    }

    fn subscripts(&mut self) -> Result<What, SqlError> {
        let mut list = Vec::new();
        loop {
            let from = self.deeper(|p| p.arithmetic(0, false))?;
            let from = self.expression(from)?;
            let mut to = None;
            if self.token.is("to") {
                self.advance()?;
                let end = self.deeper(|p| p.arithmetic(0, false))?;
                to = Some(self.expression(end)?);
            }
            make_room(&mut list, 1)?;
            list.push((from, to));
            if !self.is_char(',') {
                break;
            }
            self.advance()?;
        }
        self.expect(']')?;
        Ok(What::Index(list))
    }

    /// What stands behind a point.
    fn member(&mut self) -> Result<Id, SqlError> {
        let what = match &mut self.token {
            Token::Char('*') => {
                self.advance()?;
                What::AnyKey
            }
            Token::Any => {
                self.advance()?;
                self.levels()?
            }
            Token::Str(s) => {
                let key = std::mem::take(s);
                self.advance()?;
                What::Key(key.into())
            }
            Token::Word(w) => {
                let word = std::mem::take(w);
                self.advance()?;
                if self.is_char('(') {
                    self.method(&word.to_ascii_lowercase())?
                } else {
                    What::Key(word.into())
                }
            }
            _ => return Err(self.unexpected()),
        };
        self.add(what)
    }

    /// The levels of `**`.
    fn levels(&mut self) -> Result<What, SqlError> {
        if !self.is_char('{') {
            return Ok(What::Any(0, u32::MAX));
        }
        self.advance()?;
        let first = self.level()?;
        let mut last = first;
        if self.token.is("to") {
            self.advance()?;
            last = self.level()?;
        }
        self.expect('}')?;
        Ok(What::Any(first, last))
    }

    fn level(&mut self) -> Result<u32, SqlError> {
        let level = match &self.token {
            Token::Int(s) => match input_text(s, Type::Int4, -1, &FormatOptions::default())? {
                Datum::Int4(v) => u32::try_from(v).unwrap_or(u32::MAX),
                _ => u32::MAX,
            },
            t if t.is("last") => u32::MAX,
            _ => return Err(self.unexpected()),
        };
        self.advance()?;
        Ok(level)
    }

    /// A method, at its parenthesis.
    fn method(&mut self, name: &str) -> Result<What, SqlError> {
        let timed = match name {
            "time" => Some(Timed::Time),
            "time_tz" => Some(Timed::TimeTz),
            "timestamp" => Some(Timed::Timestamp),
            "timestamp_tz" => Some(Timed::TimestampTz),
            _ => None,
        };
        let plain: Option<Method> = METHODS.iter().find(|(n, _)| *n == name).map(|(_, m)| *m);
        if timed.is_none() && plain.is_none() && name != "decimal" && name != "datetime" {
            return Err(self.unexpected());
        }
        self.advance()?;
        let what = match (timed, plain, name) {
            (Some(timed), ..) => What::Timed(timed, self.integer()?),
            (_, Some(method), _) => What::Method(method),
            (_, _, "datetime") => {
                let template = matches!(self.token, Token::Str(_)).then(|| self.string()).transpose()?;
                What::Datetime(template.map(Into::into))
            }
            _ => self.decimal()?,
        };
        self.expect(')')?;
        Ok(what)
    }

    fn integer(&mut self) -> Result<Option<Numeric>, SqlError> {
        let Token::Int(s) = &self.token else { return Ok(None) };
        let n = s.parse()?;
        self.advance()?;
        Ok(Some(n))
    }

    /// `precision, scale` of `.decimal()`
    fn decimal(&mut self) -> Result<What, SqlError> {
        let mut list = Vec::new();
        while !(list.is_empty() && self.is_char(')')) {
            let is_minus = self.is_char('-');
            if is_minus || self.is_char('+') {
                self.advance()?;
            }
            let Some(n) = self.integer()? else { return Err(self.unexpected()) };
            make_room(&mut list, 1)?;
            list.push(if is_minus { n.neg() } else { n });
            if !self.is_char(',') {
                break;
            }
            self.advance()?;
        }
        if list.len() > 2 {
            if !self.is_char(')') {
                return Err(self.unexpected());
            }
            return Err(invalid(".decimal() can only have an optional precision[,scale]."));
        }
        let mut list = list.into_iter();
        Ok(What::Decimal(list.next(), list.next()))
    }
}
