//! Evaluation of a path over a value.
//!
//! What is looked for is a list of items, or only whether there are any: then it ends at the first. An error of the value (no such key, no number) ends
//! evaluation; where errors do not count it is an outcome like others, and predicates make it "unknown".
//!
//! Must not know: functions and operators.

use super::item::{Item, Part};
use super::{Id, Op, Path, What, check_depth};
use crate::datum::Datum;
use crate::error::{SqlError, SqlState};
use crate::format::FormatOptions;
use crate::guard::Pace;
use crate::guard::build::make_room;
use crate::json::{Jsonb, Kind, deeper};
use crate::numeric::Numeric;
use crate::ty::Type;

/// What `$name` stands for.
#[derive(Clone, Copy)]
pub enum Variables<'a> {
    /// There are none.
    None,
    /// Fields of an object.
    Object(Jsonb<'a>),
    /// Values of SQL with their names and types.
    Named(&'a [(String, Datum, Type)]),
}

/// What came of a part of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Something was found.
    Found,
    /// Nothing was.
    Nothing,
    /// An error that does not count.
    Failed,
}

pub(super) type Done = Result<Answer, SqlError>;
/// Where what is found goes; `None`: it is enough to know that something is.
pub(super) type Found<'f, 'a> = Option<&'f mut Vec<Item<'a>>>;

/// What `.keyvalue()` numbers objects by.
#[derive(Clone, Copy)]
pub(super) struct Base {
    pub from: usize,
    pub id: i64,
}

/// An evaluation.
pub(super) struct Run<'a> {
    pub path: &'a Path,
    variables: Variables<'a>,
    pub format: &'a FormatOptions,
    /// Zones may be used that only the session knows.
    pub zoned: bool,
    /// Errors are raised.
    pub raises: bool,
    ignores_structure: bool,
    root: Item<'a>,
    current: Item<'a>,
    pub base: Base,
    pub last_id: i64,
    /// The length of the array in whose subscript it is.
    innermost: Option<usize>,
    depth: usize,
    pub pace: Pace,
}

/// Whether a value has something at a path.
pub fn exists(
    path: &Path,
    value: Jsonb<'_>,
    variables: Variables<'_>,
    raises: bool,
    zoned: bool,
    format: &FormatOptions,
) -> Done {
    let mut run = Run::new(path, value, variables, raises, zoned, format)?;
    let root = run.root.clone();
    if path.lax {
        return run.item(path.root, &root, None);
    }
    // All of it, for there may be errors.
    let mut found = Vec::new();
    Ok(match run.item(path.root, &root, Some(&mut found))? {
        Answer::Failed => Answer::Failed,
        _ if found.is_empty() => Answer::Nothing,
        _ => Answer::Found,
    })
}

/// What a value has at a path; nothing where errors do not count, and there was one: what was found before it is left.
pub fn query<'a>(
    path: &'a Path,
    value: Jsonb<'a>,
    variables: Variables<'a>,
    raises: bool,
    zoned: bool,
    format: &'a FormatOptions,
) -> Result<(Answer, Vec<Item<'a>>), SqlError> {
    let mut run = Run::new(path, value, variables, raises, zoned, format)?;
    let root = run.root.clone();
    let mut found = Vec::new();
    let answer = run.item(path.root, &root, Some(&mut found))?;
    Ok((answer, found))
}

impl<'a> Run<'a> {
    fn new(
        path: &'a Path,
        value: Jsonb<'a>,
        variables: Variables<'a>,
        raises: bool,
        zoned: bool,
        format: &'a FormatOptions,
    ) -> Result<Run<'a>, SqlError> {
        let count = match variables {
            Variables::None => 0,
            Variables::Named(list) => list.len() as i64,
            Variables::Object(object) if matches!(object.kind(), Kind::Object(_)) => 1,
            Variables::Object(_) => {
                let why = "\"vars\" argument is not an object";
                return Err(SqlError::new(SqlState::INVALID_PARAMETER_VALUE, why).with_detail(
                    "Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.",
                ));
            }
        };
        let root = Item::of(value);
        Ok(Run {
            path,
            variables,
            format,
            zoned,
            raises,
            ignores_structure: path.lax,
            current: root.clone(),
            root,
            base: Base { from: 0, id: 0 },
            last_id: 1 + count,
            innermost: None,
            depth: 0,
            pace: Pace::default(),
        })
    }

    pub fn is_lax(&self) -> bool {
        self.path.lax
    }

    pub fn ignores_structure(&self) -> bool {
        self.ignores_structure
    }

    /// An error of the value.
    pub fn fail(&self, state: SqlState, message: impl FnOnce() -> String) -> Done {
        if self.raises { Err(SqlError::new(state, message())) } else { Ok(Answer::Failed) }
    }

    /// An error of a computation, unless it is one of the statement's.
    pub fn soften(&self, e: SqlError) -> Done {
        let is_of_statement = matches!(e.code.class(), "53" | "54" | "57" | "58" | "XX");
        if self.raises || is_of_statement { Err(e) } else { Ok(Answer::Failed) }
    }

    /// One level down. (invariant 2 of the module)
    pub fn down<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, SqlError>) -> Result<T, SqlError> {
        self.depth += 1;
        check_depth(self.depth)?;
        self.pace.step()?;
        let result = deeper(|| f(self));
        self.depth -= 1;
        result
    }

    /// A node and all that is applied to what it gives.
    pub fn item(&mut self, id: Id, at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        self.unwrapping(id, at, found, self.path.lax)
    }

    /// The same, taking arrays apart or not.
    pub fn unwrapping(&mut self, id: Id, at: &Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Done {
        self.down(|run| run.node(id, at, found, unwrap))
    }

    /// Applies what stands behind a node to one of its items.
    pub fn next(&mut self, id: Id, at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        if let Some(next) = self.path.node(id).next {
            return self.item(next, at, found);
        }
        if let Some(found) = found {
            make_room(found, 1)?;
            found.push(at.clone());
        }
        Ok(Answer::Found)
    }

    /// Whether it is enough to know that there is something, and nothing stands behind a node.
    pub fn is_enough(&self, id: Id, found: &Found<'_, 'a>) -> bool {
        found.is_none() && self.path.node(id).next.is_none()
    }

    fn node(&mut self, id: Id, at: &Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Done {
        let path = self.path;
        let what = &path.node(id).what;
        if unwrap && at.is_array() && takes_apart(what) {
            return self.each(Some(id), at, found, false);
        }
        match what {
            What::Null | What::Bool(_) | What::Number(_) | What::Str(_) if self.is_enough(id, &found) => {
                Ok(Answer::Found)
            }
            What::Null => self.next(id, &Item::Null, found),
            What::Bool(b) => self.next(id, &Item::Bool(*b), found),
            What::Number(n) => self.next(id, &Item::Number(n.clone()), found),
            What::Str(s) => self.next(id, &Item::Str((&**s).into()), found),
            What::Variable(name) => {
                let base = self.base;
                let value = self.variable(name)?;
                let answer = self.next(id, &value, found);
                self.base = base;
                answer
            }
            What::Root => {
                let base = std::mem::replace(&mut self.base, Base { from: 0, id: 0 });
                let root = self.root.clone();
                let answer = self.next(id, &root, found);
                self.base = base;
                answer
            }
            What::Current => {
                let current = self.current.clone();
                self.next(id, &current, found)
            }
            What::Last => {
                let Some(size) = self.innermost else {
                    return Err(SqlError::internal("evaluating jsonpath LAST outside of array subscript"));
                };
                self.next(id, &Item::Number((size as i64 - 1).into()), found)
            }
            What::Key(name) => self.key(id, name, at, found),
            What::AnyKey => match at {
                Item::Container(part) if !at.is_array() => {
                    let unwrap = self.path.lax;
                    self.children(self.path.node(id).next, part, found, 1, (1, 1), false, unwrap)
                }
                _ if self.ignores_structure => Ok(Answer::Nothing),
                _ => self.fail(SqlState::SQL_JSON_OBJECT_NOT_FOUND, || {
                    "jsonpath wildcard member accessor can only be applied to an object".into()
                }),
            },
            What::AnyArray if at.is_array() => self.each(self.path.node(id).next, at, found, self.path.lax),
            What::AnyArray if self.path.lax => self.next(id, at, found),
            What::AnyArray if self.ignores_structure => Ok(Answer::Nothing),
            What::AnyArray => self.fail(SqlState::SQL_JSON_ARRAY_NOT_FOUND, || {
                "jsonpath wildcard array accessor can only be applied to an array".into()
            }),
            What::Any(first, last) => self.any(id, (*first, *last), at, found),
            What::Index(list) => self.index(id, list, at, found),
            What::Filter(condition) => {
                let outer = std::mem::replace(&mut self.current, at.clone());
                let truth = self.truth(*condition, at);
                self.current = outer;
                if truth? == Some(true) { self.next(id, at, found) } else { Ok(Answer::Nothing) }
            }
            What::Binary(op, a, b) if op.is_arithmetic() => self.arithmetic(id, *op, (*a, *b), at, found),
            What::Plus(a) => self.signed(id, *a, false, at, found),
            What::Minus(a) => self.signed(id, *a, true, at, found),
            What::Binary(..) | What::Not(_) | What::IsUnknown(_) | What::Exists(_) | What::LikeRegex(..) => {
                let truth = self.truth(id, at)?;
                if self.is_enough(id, &found) {
                    return Ok(Answer::Found);
                }
                self.next(id, &truth.map_or(Item::Null, Item::Bool), found)
            }
            What::Method(method) => self.method(id, *method, at, found),
            What::Decimal(precision, scale) => {
                self.decimal(id, precision.as_ref(), scale.as_ref(), at, found)
            }
            What::Datetime(template) => self.datetime(id, template.as_deref(), at, found),
            What::Timed(timed, digits) => self.timed(id, *timed, digits.as_ref(), at, found),
        }
    }

    fn variable(&mut self, name: &str) -> Result<Item<'a>, SqlError> {
        let found = match self.variables {
            Variables::None => None,
            Variables::Object(object) => match object.kind() {
                Kind::Object(pairs) => pairs.find(name).map(|value| {
                    // Its place is that in the object.
                    let from = value.0.as_ptr() as usize - object.0.as_ptr() as usize;
                    self.base = Base { from: 0usize.wrapping_sub(from), id: 1 };
                    Item::of(value)
                }),
                _ => None,
            },
            Variables::Named(list) => match list.iter().position(|(n, ..)| n == name) {
                Some(i) => {
                    self.base = Base { from: 0, id: i as i64 + 1 };
                    Some(Item::of_datum(&list[i].1, list[i].2)?)
                }
                None => None,
            },
        };
        found.ok_or_else(|| {
            let message = format!("could not find jsonpath variable \"{name}\"");
            SqlError::new(SqlState::UNDEFINED_OBJECT, message)
        })
    }

    fn key(&mut self, id: Id, name: &str, at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        let part = match at {
            Item::Container(part) if !at.is_array() => part,
            _ if self.ignores_structure => return Ok(Answer::Nothing),
            _ => {
                return self.fail(SqlState::SQL_JSON_MEMBER_NOT_FOUND, || {
                    "jsonpath member accessor can only be applied to an object".into()
                });
            }
        };
        let value = match part.jsonb().kind() {
            Kind::Object(pairs) => pairs.find(name).map(|value| part.item(value)),
            _ => None,
        };
        match value {
            Some(value) => self.next(id, &value, found),
            None if self.ignores_structure => Ok(Answer::Nothing),
            None => self.fail(SqlState::SQL_JSON_MEMBER_NOT_FOUND, || {
                format!("JSON object does not contain key \"{name}\"")
            }),
        }
    }

    /// Each element of an array, or what a part of the path gives of it.
    pub fn each(&mut self, id: Option<Id>, at: &Item<'a>, found: Found<'_, 'a>, unwrap: bool) -> Done {
        match at {
            Item::Container(part) => self.children(id, part, found, 1, (1, 1), false, unwrap),
            _ => Ok(Answer::Nothing),
        }
    }

    /// What is in a container, at levels from one to another.
    #[allow(clippy::too_many_arguments)] // One place for three kinds of accessors, as the language has them.
    fn children(
        &mut self,
        id: Option<Id>,
        part: &Part<'a>,
        mut found: Found<'_, 'a>,
        level: u32,
        (first, last): (u32, u32),
        ignoring: bool,
        unwrap: bool,
    ) -> Done {
        let mut answer = Answer::Nothing;
        if level > last {
            return Ok(answer);
        }
        let container = part.jsonb();
        let (items, pairs) = match container.kind() {
            Kind::Array(items) => (Some(items), None),
            Kind::Object(pairs) => (None, Some(pairs)),
            _ => return Ok(answer),
        };
        let values = items.iter().flat_map(|i| i.iter());
        let values = values.chain(pairs.iter().flat_map(|p| p.iter().map(|(_, value)| value)));
        for value in values {
            self.pace.step()?;
            let child = part.item(value);
            let is_container = matches!(child, Item::Container(_));
            let only_leaves = first == u32::MAX && last == u32::MAX;
            if level >= first || (only_leaves && !is_container) {
                match (id, found.as_deref_mut()) {
                    (Some(id), found) => {
                        let ignored = self.ignores_structure;
                        self.ignores_structure |= ignoring;
                        let result = self.unwrapping(id, &child, found, unwrap);
                        self.ignores_structure = ignored;
                        answer = result?;
                    }
                    (None, Some(found)) => {
                        make_room(found, 1)?;
                        found.push(child.clone());
                    }
                    (None, None) => return Ok(Answer::Found),
                }
                if answer == Answer::Failed || (answer == Answer::Found && found.is_none()) {
                    break;
                }
            }
            if let (Item::Container(inner), true) = (&child, level < last) {
                let levels = (first, last);
                answer = self.down(|run| {
                    run.children(id, inner, found.as_deref_mut(), level + 1, levels, ignoring, unwrap)
                })?;
                if answer == Answer::Failed || (answer == Answer::Found && found.is_none()) {
                    break;
                }
            }
        }
        Ok(answer)
    }

    /// `.**`
    fn any(&mut self, id: Id, levels: (u32, u32), at: &Item<'a>, mut found: Found<'_, 'a>) -> Done {
        let mut answer = Answer::Nothing;
        if levels.0 == 0 {
            let ignored = std::mem::replace(&mut self.ignores_structure, true);
            let result = self.next(id, at, found.as_deref_mut());
            self.ignores_structure = ignored;
            answer = result?;
            if answer == Answer::Found && found.is_none() {
                return Ok(answer);
            }
        }
        match at {
            Item::Container(part) => {
                let unwrap = self.path.lax;
                self.children(self.path.node(id).next, part, found, 1, levels, true, unwrap)
            }
            _ => Ok(answer),
        }
    }

    fn index(&mut self, id: Id, list: &[(Id, Option<Id>)], at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        let size = match at {
            Item::Container(part) => match part.jsonb().kind() {
                Kind::Array(items) => Some(items.len()),
                _ => None,
            },
            _ => None,
        };
        if size.is_none() && !self.path.lax {
            if self.ignores_structure {
                return Ok(Answer::Nothing);
            }
            return self.fail(SqlState::SQL_JSON_ARRAY_NOT_FOUND, || {
                "jsonpath array accessor can only be applied to an array".into()
            });
        }
        let outer = self.innermost.replace(size.unwrap_or(1));
        let answer = self.subscripts(id, list, at, size, found);
        self.innermost = outer;
        answer
    }

    fn subscripts(
        &mut self,
        id: Id,
        list: &[(Id, Option<Id>)],
        at: &Item<'a>,
        size: Option<usize>,
        mut found: Found<'_, 'a>,
    ) -> Done {
        let len = size.unwrap_or(1) as i64;
        let mut answer = Answer::Nothing;
        for (from, to) in list {
            let Some(from) = self.subscript(*from, at)? else { return Ok(Answer::Failed) };
            let to = match to {
                Some(to) => match self.subscript(*to, at)? {
                    Some(to) => to,
                    None => return Ok(Answer::Failed),
                },
                None => from,
            };
            if !self.ignores_structure && (from < 0 || from > to || to >= len) {
                return self.fail(SqlState::INVALID_SQL_JSON_SUBSCRIPT, || {
                    "jsonpath array subscript is out of bounds".into()
                });
            }
            answer = Answer::Nothing;
            for i in from.max(0)..=to.min(len - 1) {
                self.pace.step()?;
                let element = match (at, size) {
                    (Item::Container(part), Some(_)) => match part.jsonb().kind() {
                        Kind::Array(items) => items.at(i).map(|value| part.item(value)),
                        _ => None,
                    },
                    _ => Some(at.clone()),
                };
                let Some(element) = element else { continue };
                if self.is_enough(id, &found) {
                    return Ok(Answer::Found);
                }
                // What stands behind is no longer in this subscript's array, but an inner one sees the outer's length, as in PostgreSQL.
                answer = self.next(id, &element, found.as_deref_mut())?;
                if answer == Answer::Failed || (answer == Answer::Found && found.is_none()) {
                    return Ok(answer);
                }
            }
        }
        Ok(answer)
    }

    /// The number in a subscript; `None`: an error that does not count.
    fn subscript(&mut self, id: Id, at: &Item<'a>) -> Result<Option<i64>, SqlError> {
        let mut found = Vec::new();
        if self.item(id, at, Some(&mut found))? == Answer::Failed {
            return Ok(None);
        }
        let bad = |run: &Self, why: &str| {
            run.fail(SqlState::INVALID_SQL_JSON_SUBSCRIPT, || why.to_owned()).map(|_| None)
        };
        let [Item::Number(n)] = &found[..] else {
            return bad(self, "jsonpath array subscript is not a single numeric value");
        };
        match n.trunc(0).and_then(|n| n.to_i32()) {
            Ok(i) => Ok(Some(i.into())),
            Err(_) => bad(self, "jsonpath array subscript is out of integer range"),
        }
    }

    /// As [`Run::item`], and arrays among what is found are taken apart in lax mode.
    pub fn unwrapped(&mut self, id: Id, at: &Item<'a>, found: &mut Vec<Item<'a>>) -> Done {
        if !self.path.lax {
            return self.item(id, at, Some(found));
        }
        let mut list = Vec::new();
        if self.item(id, at, Some(&mut list))? == Answer::Failed {
            return Ok(Answer::Failed);
        }
        for item in list {
            if item.is_array() {
                self.each(None, &item, Some(found), false)?;
            } else {
                make_room(found, 1)?;
                found.push(item);
            }
        }
        Ok(Answer::Found)
    }

    fn arithmetic(&mut self, id: Id, op: Op, (a, b): (Id, Id), at: &Item<'a>, found: Found<'_, 'a>) -> Done {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for (id, list) in [(a, &mut left), (b, &mut right)] {
            if self.unwrapped(id, at, list)? == Answer::Failed {
                return Ok(Answer::Failed);
            }
        }
        let bad = |side: &str| {
            format!("{side} operand of jsonpath operator {} is not a single numeric value", op.name())
        };
        let [Item::Number(a)] = &left[..] else {
            return self.fail(SqlState::SINGLETON_SQL_JSON_ITEM_REQUIRED, || bad("left"));
        };
        let [Item::Number(b)] = &right[..] else {
            return self.fail(SqlState::SINGLETON_SQL_JSON_ITEM_REQUIRED, || bad("right"));
        };
        let result = match op {
            Op::Add => a.add(b),
            Op::Sub => a.sub(b),
            Op::Mul => a.mul(b),
            Op::Div => a.div(b),
            _ => a.rem(b),
        };
        match result {
            Ok(n) => self.next(id, &Item::Number(n), found),
            Err(e) => self.soften(e),
        }
    }

    fn signed(
        &mut self,
        id: Id,
        operand: Id,
        is_minus: bool,
        at: &Item<'a>,
        mut found: Found<'_, 'a>,
    ) -> Done {
        let mut list = Vec::new();
        if self.unwrapped(operand, at, &mut list)? == Answer::Failed {
            return Ok(Answer::Failed);
        }
        let mut answer = Answer::Nothing;
        for item in list {
            let number: Numeric = match item {
                Item::Number(_) if self.is_enough(id, &found) => return Ok(Answer::Found),
                Item::Number(n) => n,
                _ if self.is_enough(id, &found) => continue,
                _ => {
                    let sign = if is_minus { "-" } else { "+" };
                    return self.fail(SqlState::SQL_JSON_NUMBER_NOT_FOUND, || {
                        format!("operand of unary jsonpath operator {sign} is not a numeric value")
                    });
                }
            };
            let number = if is_minus { number.neg() } else { number };
            match self.next(id, &Item::Number(number), found.as_deref_mut())? {
                Answer::Failed => return Ok(Answer::Failed),
                Answer::Found if found.is_none() => return Ok(Answer::Found),
                Answer::Found => answer = Answer::Found,
                Answer::Nothing => {}
            }
        }
        Ok(answer)
    }
}

/// Whether a node is applied to the elements of an array in its place, in lax mode.
fn takes_apart(what: &What) -> bool {
    use super::Method;
    match what {
        What::Method(m) => !matches!(m, Method::Type | Method::Size),
        What::Key(_)
        | What::AnyKey
        | What::Filter(_)
        | What::Decimal(..)
        | What::Datetime(_)
        | What::Timed(..) => true,
        _ => false,
    }
}
