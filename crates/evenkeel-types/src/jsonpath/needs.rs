//! What a value must have if a path finds something in it, or is true of it: for indexes, which find values by it and look at them again.
//!
//! Invariants:
//! 1. A value that lacks what is needed has nothing at the path, or the predicate is not true of it.
//!
//! Must not know: how indexes keep values.

use super::{Id, Op, Path, What};
use crate::json::deeper;
use crate::numeric::Numeric;

/// Something that is needed.
#[derive(Clone, PartialEq, Debug)]
pub enum Needs<'a> {
    /// Nothing that could be told.
    Nothing,
    /// All of these.
    All(Vec<Needs<'a>>),
    /// Any of these.
    Any(Vec<Needs<'a>>),
    /// The name of a member, wherever it is.
    Name(&'a str),
    /// A scalar, and the names that lead to it, if they are known.
    Scalar(Option<Vec<&'a str>>, Scalar<'a>),
}

/// A scalar.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Scalar<'a> {
    Null,
    Bool(bool),
    Number(&'a Numeric),
    Str(&'a str),
}

fn all(list: Vec<Needs<'_>>) -> Needs<'_> {
    let mut list: Vec<Needs<'_>> = list.into_iter().filter(|n| *n != Needs::Nothing).collect();
    match list.len() {
        0 => Needs::Nothing,
        1 => list.remove(0),
        _ => Needs::All(list),
    }
}

fn any<'a>(a: Needs<'a>, b: Needs<'a>) -> Needs<'a> {
    if a == Needs::Nothing || b == Needs::Nothing { Needs::Nothing } else { Needs::Any(vec![a, b]) }
}

/// The names that lead to where a path is; `None`: any may.
type Names<'a> = Option<Vec<&'a str>>;

impl Path {
    /// What a value needs for `@?`.
    pub fn needs_to_exist(&self) -> Needs<'_> {
        self.along(self.root, &Some(Vec::new()), None)
    }

    /// What a value needs for `@@`.
    pub fn needs_to_match(&self) -> Needs<'_> {
        self.of_predicate(self.root, &Some(Vec::new()))
    }

    /// What is needed for something at a path from a place, equal to a scalar if one is given.
    fn along<'a>(&'a self, from: Id, place: &Names<'a>, scalar: Option<Scalar<'a>>) -> Needs<'a> {
        let mut names = match &self.node(from).what {
            What::Root => Some(Vec::new()),
            What::Current => place.clone(),
            _ => return Needs::Nothing,
        };
        let (mut needed, mut scalar, mut next) = (Vec::new(), scalar, self.node(from).next);
        while let Some(id) = next {
            let node = self.node(id);
            next = node.next;
            match &node.what {
                What::Key(name) => {
                    needed.push(Needs::Name(name));
                    if let Some(names) = &mut names {
                        names.push(name);
                    }
                }
                What::AnyArray | What::Index(_) => {}
                What::AnyKey | What::Any(..) => names = None,
                What::Filter(condition) => {
                    let place = names.clone();
                    needed.push(deeper(|| self.of_predicate(*condition, &place)));
                }
                // What a method gives is not what is in the value, nor what lies in it.
                _ => {
                    scalar = None;
                    break;
                }
            }
        }
        needed.extend(scalar.map(|scalar| Needs::Scalar(names, scalar)));
        all(needed)
    }

    fn of_predicate<'a>(&'a self, id: Id, place: &Names<'a>) -> Needs<'a> {
        let node = self.node(id);
        if node.next.is_some() {
            return Needs::Nothing;
        }
        match &node.what {
            What::Binary(Op::And, a, b) => {
                all(vec![deeper(|| self.of_predicate(*a, place)), deeper(|| self.of_predicate(*b, place))])
            }
            What::Binary(Op::Or, a, b) => {
                any(deeper(|| self.of_predicate(*a, place)), deeper(|| self.of_predicate(*b, place)))
            }
            What::Binary(Op::Equal, a, b) => match (self.scalar(*a), self.scalar(*b)) {
                (None, Some(scalar)) => self.along(*a, place, Some(scalar)),
                (Some(scalar), None) => self.along(*b, place, Some(scalar)),
                _ => Needs::Nothing,
            },
            What::Exists(a) => self.along(*a, place, None),
            _ => Needs::Nothing,
        }
    }

    fn scalar(&self, id: Id) -> Option<Scalar<'_>> {
        let node = self.node(id);
        match &node.what {
            _ if node.next.is_some() => None,
            What::Null => Some(Scalar::Null),
            What::Bool(b) => Some(Scalar::Bool(*b)),
            What::Number(n) => Some(Scalar::Number(n)),
            What::Str(s) => Some(Scalar::Str(s)),
            _ => None,
        }
    }
}
