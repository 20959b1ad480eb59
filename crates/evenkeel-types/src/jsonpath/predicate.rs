//! What is true, false or unknown (`None`).
//!
//! A predicate is true if it is for any pair of its operands' items. In strict mode all pairs are looked at, for an error in one makes it unknown.
//!
//! Must not know: functions and operators of SQL.

use super::item::Item;
use super::run::{Answer, Run};
use super::{Id, Op, What, moment};
use crate::error::SqlError;
use crate::regexp;
use std::cmp::Ordering;

pub(super) type Truth = Option<bool>;

impl<'a> Run<'a> {
    /// The truth of a predicate.
    pub fn truth(&mut self, id: Id, at: &Item<'a>) -> Result<Truth, SqlError> {
        self.down(|run| run.truth_of(id, at))
    }

    fn truth_of(&mut self, id: Id, at: &Item<'a>) -> Result<Truth, SqlError> {
        let path = self.path;
        match &path.node(id).what {
            What::Binary(Op::And, a, b) => {
                let left = self.truth(*a, at)?;
                if left == Some(false) {
                    return Ok(left);
                }
                let right = self.truth(*b, at)?;
                Ok(if right == Some(true) { left } else { right })
            }
            What::Binary(Op::Or, a, b) => {
                let left = self.truth(*a, at)?;
                if left == Some(true) {
                    return Ok(left);
                }
                let right = self.truth(*b, at)?;
                Ok(if right == Some(false) { left } else { right })
            }
            What::Not(a) => Ok(self.truth(*a, at)?.map(|t| !t)),
            What::IsUnknown(a) => Ok(Some(self.truth(*a, at)?.is_none())),
            What::Exists(a) => self.without_errors(|run| {
                if run.is_lax() {
                    return Ok(match run.item(*a, at, None)? {
                        Answer::Failed => None,
                        answer => Some(answer == Answer::Found),
                    });
                }
                let mut found = Vec::new();
                Ok(match run.item(*a, at, Some(&mut found))? {
                    Answer::Failed => None,
                    _ => Some(!found.is_empty()),
                })
            }),
            What::Binary(Op::StartsWith, a, b) => self.any_pair(*a, Some(*b), false, at, |_, a, b| {
                Ok(match (a, b) {
                    (Item::Str(whole), Some(Item::Str(initial))) => {
                        Some(whole.as_bytes().starts_with(initial.as_bytes()))
                    }
                    _ => None,
                })
            }),
            What::LikeRegex(a, pattern, flags) => {
                let regex = regexp::compiled(pattern, flags.for_regexp())?;
                self.any_pair(*a, None, false, at, |_, a, _| match a {
                    Item::Str(s) => regex.is_match(s).map(Some),
                    _ => Ok(None),
                })
            }
            What::Binary(op, a, b) => self.any_pair(*a, Some(*b), true, at, |run, a, b| match b {
                Some(b) => run.compared(*op, a, b),
                None => Ok(None),
            }),
            _ => Err(SqlError::internal("a part of a jsonpath is no predicate")),
        }
    }

    fn without_errors<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let raised = std::mem::replace(&mut self.raises, false);
        let result = f(self);
        self.raises = raised;
        result
    }

    fn any_pair(
        &mut self,
        left: Id,
        right: Option<Id>,
        unwraps_right: bool,
        at: &Item<'a>,
        is_true: impl Fn(&mut Self, &Item<'a>, Option<&Item<'a>>) -> Result<Truth, SqlError>,
    ) -> Result<Truth, SqlError> {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        let answer = self.without_errors(|run| {
            if run.unwrapped(left, at, &mut lefts)? == Answer::Failed {
                return Ok(Answer::Failed);
            }
            match right {
                None => Ok(Answer::Found),
                Some(right) if unwraps_right => run.unwrapped(right, at, &mut rights),
                Some(right) => run.item(right, at, Some(&mut rights)),
            }
        })?;
        if answer == Answer::Failed {
            return Ok(None);
        }
        let (mut failed, mut found) = (false, false);
        for a in &lefts {
            let one = [None];
            let mut listed = rights.iter().map(Some);
            let pairs: &mut dyn Iterator<Item = Option<&Item<'a>>> =
                if right.is_some() { &mut listed } else { &mut one.into_iter() };
            for b in pairs {
                self.pace.step()?;
                match is_true(self, a, b)? {
                    None if !self.is_lax() => return Ok(None),
                    None => failed = true,
                    Some(true) if self.is_lax() => return Ok(Some(true)),
                    Some(true) => found = true,
                    Some(false) => {}
                }
            }
        }
        Ok(if found {
            Some(true)
        } else if failed {
            None
        } else {
            Some(false)
        })
    }

    fn compared(&mut self, op: Op, a: &Item<'a>, b: &Item<'a>) -> Result<Truth, SqlError> {
        let order = match (a, b) {
            (Item::Null, Item::Null) => Ordering::Equal,
            (Item::Bool(a), Item::Bool(b)) => a.cmp(b),
            (Item::Number(a), Item::Number(b)) => a.cmp(b),
            (Item::Str(a), Item::Str(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Item::Moment(a, _), Item::Moment(b, _)) => match moment::compare(a, b, self.zoned, self.format)?
            {
                Some(order) => order,
                None => return Ok(None),
            },
            // Nothing but null is null, and neither more nor less.
            (Item::Null, _) | (_, Item::Null) => return Ok(Some(op == Op::NotEqual)),
            _ => return Ok(None),
        };
        Ok(Some(match op {
            Op::Equal => order.is_eq(),
            Op::NotEqual => order.is_ne(),
            Op::Less => order.is_lt(),
            Op::Greater => order.is_gt(),
            Op::LessOrEqual => order.is_le(),
            _ => order.is_ge(),
        }))
    }
}
