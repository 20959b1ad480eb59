//! A path as text.
//!
//! PostgreSQL's text leaves out parentheses that it needs in some places (`!(1 == 1).type()`); what is stored has them.
//!
//! Must not know: evaluation.

use super::{Id, Op, Path, What, check_depth};
use crate::error::SqlError;
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::json::deeper;
use crate::json::output::write_string;

struct Printer<'a> {
    path: &'a Path,
    out: &'a mut Vec<u8>,
    /// So that it is read back as the same.
    whole: bool,
    pace: Pace,
}

fn tightness(what: &What) -> u8 {
    match what {
        What::Binary(Op::Or, ..) => 0,
        What::Binary(Op::And, ..) => 1,
        What::Binary(Op::Add | Op::Sub, ..) => 3,
        What::Binary(Op::Mul | Op::Div | Op::Mod, ..) => 4,
        What::Binary(..) => 2,
        What::Plus(_) | What::Minus(_) => 5,
        _ => 6,
    }
}

impl Path {
    /// Appends the text that PostgreSQL gives.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), SqlError> {
        self.print(false, out)
    }

    /// Appends the text that is read back as the same path.
    pub fn write_stored(&self, out: &mut Vec<u8>) -> Result<(), SqlError> {
        self.print(true, out)
    }

    /// The text that is read back as the same path.
    pub fn stored(&self) -> Vec<u8> {
        let mut out = Vec::new();
        // It can only be stopped; then nothing comes of it.
        let _ = self.write_stored(&mut out);
        out
    }

    fn print(&self, whole: bool, out: &mut Vec<u8>) -> Result<(), SqlError> {
        if !self.lax {
            out.extend_from_slice(b"strict ");
        }
        Printer { path: self, out, whole, pace: Pace::default() }.chain(self.root, false, true, 0)
    }
}

impl Printer<'_> {
    fn put(&mut self, text: &str) -> Result<(), SqlError> {
        make_room(self.out, text.len())?;
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn chain(&mut self, id: Id, in_key: bool, brackets: bool, depth: usize) -> Result<(), SqlError> {
        check_depth(depth)?;
        let (mut next, mut in_key, mut brackets) = (Some(id), in_key, brackets);
        while let Some(id) = next {
            self.pace.step()?;
            deeper(|| self.node(id, in_key, brackets, depth))?;
            next = self.path.node(id).next;
            (in_key, brackets) = (true, true);
        }
        Ok(())
    }

    fn operand(&mut self, id: Id, of: &What, depth: usize) -> Result<(), SqlError> {
        let brackets = tightness(&self.path.node(id).what) <= tightness(of);
        self.chain(id, false, brackets, depth + 1)
    }

    fn inner(&mut self, before: &str, id: Id, after: &str, depth: usize) -> Result<(), SqlError> {
        self.put(before)?;
        self.chain(id, false, false, depth + 1)?;
        self.put(after)
    }

    fn key(&mut self, before: &str, name: &str) -> Result<(), SqlError> {
        self.put(before)?;
        write_string(name, self.out)
    }

    fn node(&mut self, id: Id, in_key: bool, brackets: bool, depth: usize) -> Result<(), SqlError> {
        let path = self.path;
        let node = path.node(id);
        let goes_on = node.next.is_some();
        let point = if in_key { "." } else { "" };
        // What PostgreSQL brackets or not by where it stands.
        let (open, close) = if brackets || (self.whole && goes_on) { ("(", ")") } else { ("", "") };
        // What it never brackets.
        let (open_whole, close_whole) = if self.whole && goes_on { ("(", ")") } else { ("", "") };
        let what = &node.what;
        match what {
            What::Null => self.put("null"),
            What::Bool(true) => self.put("true"),
            What::Bool(false) => self.put("false"),
            What::Number(n) if goes_on => self.put(&format!("({n})")),
            What::Number(n) => self.put(&n.to_string()),
            What::Str(s) => write_string(s, self.out),
            What::Variable(name) => self.key("$", name),
            What::Root => self.put("$"),
            What::Current => self.put("@"),
            What::Last => self.put("last"),
            What::Key(name) => self.key(point, name),
            What::AnyKey => self.put(&format!("{point}*")),
            What::AnyArray => self.put("[*]"),
            What::Any(first, last) => {
                let level = |n: u32| if n == u32::MAX { "last".to_owned() } else { n.to_string() };
                let levels = match (*first, *last) {
                    (0, u32::MAX) => String::new(),
                    (a, b) if a == b => format!("{{{}}}", level(a)),
                    (a, b) => format!("{{{} to {}}}", level(a), level(b)),
                };
                self.put(&format!("{point}**{levels}"))
            }
            What::Index(list) => {
                for (i, (from, to)) in list.iter().enumerate() {
                    self.inner(if i == 0 { "[" } else { "," }, *from, "", depth)?;
                    if let Some(to) = to {
                        self.inner(" to ", *to, "", depth)?;
                    }
                }
                self.put("]")
            }
            What::Filter(a) => self.inner("?(", *a, ")", depth),
            What::Binary(op, a, b) => {
                self.put(open)?;
                self.operand(*a, what, depth)?;
                self.put(&format!(" {} ", op.name()))?;
                self.operand(*b, what, depth)?;
                self.put(close)
            }
            What::Not(a) => {
                self.put(open_whole)?;
                self.inner("!(", *a, ")", depth)?;
                self.put(close_whole)
            }
            What::IsUnknown(a) => {
                self.put(open_whole)?;
                self.inner("(", *a, ") is unknown", depth)?;
                self.put(close_whole)
            }
            What::Exists(a) => {
                self.put(open_whole)?;
                self.inner("exists (", *a, ")", depth)?;
                self.put(close_whole)
            }
            What::Plus(a) | What::Minus(a) => {
                self.put(open)?;
                self.put(if matches!(what, What::Plus(_)) { "+" } else { "-" })?;
                self.operand(*a, what, depth)?;
                self.put(close)
            }
            What::LikeRegex(a, pattern, flags) => {
                self.put(open)?;
                self.operand(*a, what, depth)?;
                self.key(" like_regex ", pattern)?;
                let set = [
                    (flags.case, 'i'),
                    (flags.dot_all, 's'),
                    (flags.lines, 'm'),
                    (flags.blanks, 'x'),
                    (flags.quoted, 'q'),
                ];
                let set: String = set.iter().filter(|(is_set, _)| *is_set).map(|(_, c)| *c).collect();
                if !set.is_empty() {
                    self.put(&format!(" flag \"{set}\""))?;
                }
                self.put(close)
            }
            What::Method(method) => self.put(&format!(".{}()", method.name())),
            What::Decimal(precision, scale) => {
                let list: Vec<String> =
                    [precision, scale].into_iter().flatten().map(ToString::to_string).collect();
                self.put(&format!(".decimal({})", list.join(",")))
            }
            What::Datetime(template) => {
                self.put(".datetime(")?;
                template.as_ref().map_or(Ok(()), |t| write_string(t, self.out))?;
                self.put(")")
            }
            What::Timed(timed, digits) => {
                let digits = digits.as_ref().map(ToString::to_string).unwrap_or_default();
                self.put(&format!(".{}({digits})", timed.name()))
            }
        }
    }
}
