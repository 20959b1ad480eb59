//! `jsonpath`: paths into JSON, as SQL/JSON has them.
//!
//! `lex.rs` and `parse.rs` read a text; `print.rs` writes it as PostgreSQL does; `run.rs` evaluates a path over a `jsonb`, with `predicate.rs`, `method.rs` and
//! `moment.rs` for what has a truth value, for methods of items, and for those that are dates and times; `item.rs` is what paths are evaluated to. `needs.rs` tells what an
//! index can look for.
//!
//! Nodes lie in one list and refer to one another by place, so that a path is dropped and cloned without going down it.
//!
//! Invariants:
//! 1. A path that was read is nested no deeper than [`MAX_DEPTH`], and has `@` only in filters, `last` only in subscripts.
//! 2. Evaluation can be stopped at each item, and goes no deeper than [`MAX_DEPTH`], whatever the path and the value are.
//!
//! Must not know: functions and operators.

mod item;
mod lex;
mod method;
mod moment;
mod needs;
mod parse;
mod predicate;
mod print;
mod run;

pub use item::Item;
pub use needs::{Needs, Scalar};
pub use run::{Answer, Variables, exists, query};

use crate::error::{SqlError, SqlState};
use crate::guard::discard::Large;
use crate::numeric::Numeric;

/// The deepest nesting of expressions, and of what is evaluated within another.
pub const MAX_DEPTH: usize = crate::json::MAX_DEPTH;

/// The place of a node.
type Id = u32;

/// A path.
#[derive(Clone, Debug)]
pub struct Path {
    lax: bool,
    nodes: Large<Vec<Node>>,
    root: Id,
}

/// A part of a path, and what is applied to what it gives.
#[derive(Clone, Debug)]
struct Node {
    what: What,
    next: Option<Id>,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    StartsWith,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Op::Or => "||",
            Op::And => "&&",
            Op::Equal => "==",
            Op::NotEqual => "!=",
            Op::Less => "<",
            Op::Greater => ">",
            Op::LessOrEqual => "<=",
            Op::GreaterOrEqual => ">=",
            Op::StartsWith => "starts with",
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "%",
        }
    }

    fn is_arithmetic(self) -> bool {
        matches!(self, Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod)
    }
}

/// Methods without arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Method {
    Type,
    Size,
    Abs,
    Floor,
    Ceiling,
    Double,
    KeyValue,
    Bigint,
    Boolean,
    Date,
    Integer,
    Number,
    String,
}

const METHODS: [(&str, Method); 13] = [
    ("type", Method::Type),
    ("size", Method::Size),
    ("abs", Method::Abs),
    ("floor", Method::Floor),
    ("ceiling", Method::Ceiling),
    ("double", Method::Double),
    ("keyvalue", Method::KeyValue),
    ("bigint", Method::Bigint),
    ("boolean", Method::Boolean),
    ("date", Method::Date),
    ("integer", Method::Integer),
    ("number", Method::Number),
    ("string", Method::String),
];

impl Method {
    fn name(self) -> &'static str {
        METHODS.iter().find(|(_, m)| *m == self).map_or("", |(name, _)| name)
    }
}

/// Methods that make a moment of a string, and take how many digits its seconds keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Timed {
    Time,
    TimeTz,
    Timestamp,
    TimestampTz,
}

impl Timed {
    fn name(self) -> &'static str {
        match self {
            Timed::Time => "time",
            Timed::TimeTz => "time_tz",
            Timed::Timestamp => "timestamp",
            Timed::TimestampTz => "timestamp_tz",
        }
    }
}

/// Flags of `like_regex`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct RegexFlags {
    case: bool,
    dot_all: bool,
    lines: bool,
    blanks: bool,
    quoted: bool,
}

impl RegexFlags {
    fn for_regexp(self) -> crate::regexp::Flags {
        crate::regexp::Flags {
            case_insensitive: self.case,
            lines: self.lines && !self.quoted,
            within_line: !self.dot_all && !self.quoted,
            literal: self.quoted,
            ..crate::regexp::Flags::default()
        }
    }
}

#[derive(Clone, Debug)]
enum What {
    Null,
    Bool(bool),
    Number(Numeric),
    Str(Box<str>),
    Variable(Box<str>),
    /// `$`
    Root,
    /// `@`
    Current,
    Last,
    Key(Box<str>),
    AnyKey,
    AnyArray,
    /// `**`: levels from one to another; `u32::MAX` is the last.
    Any(u32, u32),
    Index(Vec<(Id, Option<Id>)>),
    Filter(Id),
    Binary(Op, Id, Id),
    Not(Id),
    IsUnknown(Id),
    Exists(Id),
    Plus(Id),
    Minus(Id),
    LikeRegex(Id, Box<str>, RegexFlags),
    Method(Method),
    Decimal(Option<Numeric>, Option<Numeric>),
    Datetime(Option<Box<str>>),
    Timed(Timed, Option<Numeric>),
}

impl Path {
    fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    /// Whether dates and times are made of strings on the way.
    pub fn has_moments(&self) -> bool {
        self.nodes
            .iter()
            .any(|n| matches!(n.what, What::Datetime(_) | What::Timed(..) | What::Method(Method::Date)))
    }

    /// Memory that it holds, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }
}

/// Fails if something is nested too deeply.
fn check_depth(depth: usize) -> Result<(), SqlError> {
    if depth <= MAX_DEPTH {
        return Ok(());
    }
    Err(SqlError::new(SqlState::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded")
        .with_hint(format!("Parts of a jsonpath nest no deeper than {MAX_DEPTH} levels.")))
}

#[cfg(test)]
mod tests;
