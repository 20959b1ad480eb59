//! Regular expressions that look around or refer back: tried out step by step, preferred ways first.
//!
//! A way that fails is taken back and the next one tried, which some patterns make exponential. So a search has so many steps and no more ([`STEPS_MAX`]), looks
//! every so often whether it may go on, and keeps no more than [`WAYS_MAX`] ways.
//!
//! Invariants:
//! 1. A search ends: a loop whose round took nothing is left.
//!
//! Must not know: SQL's functions.

use super::regexp::Flags;
use super::regexp_pattern::{Look, Node};
use super::regexp_vm::Slots;
use crate::error::{SqlError, SqlState};
use crate::guard::{Pace, admit};

/// Steps of a search, and of one through a long text for each of its bytes.
const STEPS_MAX: usize = 10_000_000;
const STEPS_A_BYTE: usize = 64;
/// Ways that are still to be tried.
const WAYS_MAX: usize = 1 << 20;
/// Instructions of a program.
const PROGRAM_MAX: usize = 1 << 16;
/// What a step costs, as bytes of text.
const STEP_BYTES: usize = 16;
/// Ways for which memory is admitted at a time.
const WAYS_A_TIME: usize = 4096;

#[derive(Debug)]
enum Inst {
    Literal(Box<str>),
    Class(Box<[(char, char)]>),
    Look(Look),
    /// The first way, then the other.
    Split(usize, usize),
    Jump(usize),
    /// The place goes into a slot.
    Save(usize),
    /// Leaves a loop, whose jump back comes next, if its round took nothing.
    Progress(usize),
    /// What stands up to `end` matches here, or before here, or does not.
    Around {
        end: usize,
        ahead: bool,
        negated: bool,
        width: Option<usize>,
    },
    /// What a group has taken comes again.
    Again(usize),
    Done,
}

/// A compiled expression.
pub struct Back {
    program: Vec<Inst>,
    /// Groups, the whole match included.
    groups: usize,
    slots: usize,
    ignores_case: bool,
}

fn too_complex() -> SqlError {
    super::regexp::invalid("regular expression is too complex")
}

/// 54000: it takes too long.
fn too_long(steps: usize) -> SqlError {
    SqlError::new(SqlState::PROGRAM_LIMIT_EXCEEDED, "regular expression failed: too many steps").with_detail(
        format!("A pattern that looks around or refers back may take {steps} steps of this search."),
    )
}

struct Compiler {
    program: Vec<Inst>,
    slots: usize,
}

impl Compiler {
    fn put(&mut self, inst: Inst) -> Result<usize, SqlError> {
        if self.program.len() >= PROGRAM_MAX {
            return Err(too_complex());
        }
        self.program.push(inst);
        Ok(self.program.len() - 1)
    }

    fn here(&self) -> usize {
        self.program.len()
    }

    fn split(&mut self, at: usize, first: usize, other: usize, greedy: bool) {
        self.program[at] = if greedy { Inst::Split(first, other) } else { Inst::Split(other, first) };
    }

    fn node(&mut self, node: &Node) -> Result<(), SqlError> {
        match node {
            Node::Empty => {}
            Node::Literal(s) => drop(self.put(Inst::Literal(s.clone()))?),
            Node::Class(ranges) => drop(self.put(Inst::Class(ranges.clone()))?),
            Node::Look(look) => drop(self.put(Inst::Look(*look))?),
            Node::Again(group) => drop(self.put(Inst::Again(*group))?),
            Node::Concat(list) => list.iter().try_for_each(|n| self.node(n))?,
            Node::Group(n, inner) => {
                self.put(Inst::Save(2 * n))?;
                self.node(inner)?;
                self.put(Inst::Save(2 * n + 1))?;
            }
            Node::Alternation(list) => {
                let mut ends = Vec::new();
                for (n, one) in list.iter().enumerate() {
                    if n + 1 == list.len() {
                        self.node(one)?;
                        break;
                    }
                    let split = self.put(Inst::Done)?;
                    self.node(one)?;
                    ends.push(self.put(Inst::Done)?);
                    self.program[split] = Inst::Split(split + 1, self.program.len());
                }
                let end = self.here();
                ends.into_iter().for_each(|at| self.program[at] = Inst::Jump(end));
            }
            Node::Repeat { node, least, most, greedy } => {
                self.repeat(node, *least, *most, greedy.unwrap_or(true))?
            }
            Node::Around { node, ahead, negated } => {
                let width = if *ahead { None } else { node.width() };
                let at = self.put(Inst::Done)?;
                self.node(node)?;
                let end = self.put(Inst::Done)?;
                self.program[at] = Inst::Around { end, ahead: *ahead, negated: *negated, width };
            }
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, least: u32, most: Option<u32>, greedy: bool) -> Result<(), SqlError> {
        for _ in 0..least {
            self.node(node)?;
        }
        let Some(most) = most else {
            let slot = self.slots;
            self.slots += 1;
            let split = self.put(Inst::Done)?;
            self.put(Inst::Save(slot))?;
            self.node(node)?;
            self.put(Inst::Progress(slot))?;
            self.put(Inst::Jump(split))?;
            let end = self.here();
            self.split(split, split + 1, end, greedy);
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.put(Inst::Done)?);
            self.node(node)?;
        }
        let end = self.here();
        for at in splits {
            self.split(at, at + 1, end, greedy);
        }
        Ok(())
    }
}

/// A way that may still be tried.
struct Way {
    at: usize,
    place: usize,
    undo: usize,
}

struct Run<'t> {
    re: &'t Back,
    text: &'t str,
    slots: Vec<Option<usize>>,
    undo: Vec<(usize, Option<usize>)>,
    ways: Vec<Way>,
    pace: Pace,
    steps: usize,
    steps_max: usize,
}

impl Back {
    /// Compiles a pattern that has so many groups, the whole match included.
    pub(super) fn new(node: Node, groups: usize, flags: Flags) -> Result<Back, SqlError> {
        let mut compiler = Compiler { program: Vec::new(), slots: 2 * groups };
        compiler.node(&Node::Group(0, Box::new(node)))?;
        compiler.put(Inst::Done)?;
        let Compiler { program, slots } = compiler;
        Ok(Back { program, groups, slots, ignores_case: flags.case_insensitive })
    }

    /// Groups, the whole match included.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.program.len() * size_of::<Inst>()
    }

    /// The leftmost match at or behind a place.
    pub(super) fn search(&self, text: &str, from: usize) -> Result<Option<Slots>, SqlError> {
        let mut run = Run {
            re: self,
            text,
            slots: vec![None; self.slots],
            undo: Vec::new(),
            ways: Vec::new(),
            pace: Pace::default(),
            steps: 0,
            steps_max: STEPS_MAX.max(text.len().saturating_mul(STEPS_A_BYTE)),
        };
        for place in (from..=text.len()).filter(|p| text.is_char_boundary(*p)) {
            if run.matches(0, place, None)? {
                run.slots.truncate(2 * self.groups);
                return Ok(Some(Slots::found(run.slots)));
            }
        }
        Ok(None)
    }
}

impl Run<'_> {
    fn set(&mut self, slot: usize, place: usize) {
        self.undo.push((slot, self.slots[slot]));
        self.slots[slot] = Some(place);
    }

    fn take_back(&mut self, to: usize) {
        while self.undo.len() > to {
            if let Some((slot, before)) = self.undo.pop() {
                self.slots[slot] = before;
            }
        }
    }

    fn way(&mut self, at: usize, place: usize) -> Result<(), SqlError> {
        if self.ways.len() >= WAYS_MAX {
            return Err(too_long(self.steps_max));
        }
        if self.ways.len().is_multiple_of(WAYS_A_TIME) {
            admit(WAYS_A_TIME * (size_of::<Way>() + size_of::<(usize, Option<usize>)>()))?;
        }
        self.ways.push(Way { at, place, undo: self.undo.len() });
        Ok(())
    }

    /// Whether the program from an instruction on matches at a place, up to `end` if that is given. The slots are those of the match then, else as before.
    fn matches(&mut self, start: usize, from: usize, end: Option<usize>) -> Result<bool, SqlError> {
        let (ways, undo) = (self.ways.len(), self.undo.len());
        let (mut at, mut place) = (start, from);
        loop {
            self.steps += 1;
            if self.steps > self.steps_max {
                return Err(too_long(self.steps_max));
            }
            self.pace.bytes(STEP_BYTES)?;
            if let Some((next, to)) = self.step(at, place)? {
                (at, place) = (next, to);
                if !matches!(self.re.program[at], Inst::Done) {
                    continue;
                }
                if end.is_none_or(|end| end == place) {
                    self.ways.truncate(ways);
                    return Ok(true);
                }
            }
            if self.ways.len() == ways {
                self.take_back(undo);
                return Ok(false);
            }
            let Some(way) = self.ways.pop() else { return Ok(false) };
            self.take_back(way.undo);
            (at, place) = (way.at, way.place);
        }
    }

    /// Where one instruction leads to; `None`: it fails.
    fn step(&mut self, at: usize, place: usize) -> Result<Option<(usize, usize)>, SqlError> {
        let (re, text) = (self.re, self.text);
        let to = match &re.program[at] {
            Inst::Done => return Ok(Some((at, place))),
            Inst::Literal(s) => text[place..].starts_with(&**s).then_some(place + s.len()),
            Inst::Class(ranges) => text[place..].chars().next().and_then(|c| {
                let n = ranges.partition_point(|(_, last)| *last < c);
                ranges.get(n).filter(|(first, _)| *first <= c).map(|_| place + c.len_utf8())
            }),
            Inst::Look(look) => look.holds(text, place).then_some(place),
            Inst::Split(first, other) => {
                self.way(*other, place)?;
                return Ok(Some((*first, place)));
            }
            Inst::Jump(to) => return Ok(Some((*to, place))),
            Inst::Save(slot) => {
                self.set(*slot, place);
                Some(place)
            }
            Inst::Progress(slot) => {
                let next = if self.slots[*slot] == Some(place) { at + 2 } else { at + 1 };
                return Ok(Some((next, place)));
            }
            Inst::Around { end, ahead, negated, width } => {
                let found = if *ahead {
                    self.matches(at + 1, place, None)?
                } else {
                    self.behind(at + 1, place, *width)?
                };
                return Ok((found != *negated).then_some((end + 1, place)));
            }
            Inst::Again(group) => match (self.slots[2 * group], self.slots[2 * group + 1]) {
                (Some(from), Some(to)) if from <= to => self.again(from, to, place)?,
                _ => None,
            },
        };
        Ok(to.map(|place| (at + 1, place)))
    }

    /// Whether what begins somewhere before a place ends there.
    fn behind(&mut self, start: usize, place: usize, width: Option<usize>) -> Result<bool, SqlError> {
        let text = self.text;
        let places = text[..place].char_indices().rev().map(|(n, _)| n);
        for (n, from) in std::iter::once(place).chain(places).enumerate() {
            match width {
                Some(width) if n < width => continue,
                Some(width) if n > width => return Ok(false),
                _ => {}
            }
            if self.matches(start, from, Some(place))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where the text of a group ends that comes again at a place.
    fn again(&mut self, from: usize, to: usize, place: usize) -> Result<Option<usize>, SqlError> {
        let (taken, rest) = (&self.text[from..to], &self.text[place..]);
        self.pace.bytes(taken.len())?;
        self.steps += taken.len() / STEP_BYTES;
        if rest.starts_with(taken) {
            return Ok(Some(place + taken.len()));
        }
        if !self.re.ignores_case {
            return Ok(None);
        }
        let mut chars = rest.chars();
        let same = taken
            .chars()
            .all(|a| chars.next().is_some_and(|b| a == b || a.to_lowercase().eq(b.to_lowercase())));
        Ok(same.then(|| self.text.len() - chars.as_str().len()))
    }
}
