//! Which of the leftmost matches PostgreSQL takes, and how its groups share it.
//!
//! The library prefers as Perl does: each quantifier for itself, alternations their first branch that leads to a match. PostgreSQL prefers a whole expression's
//! longest match, or its shortest if the first quantifier in it asks for few; only then do parts of it, from the left, take what they prefer of what that leaves.
//!
//! So the library says where the match begins, all that may match from there is followed to find its end, and each part is divided in turn: where its first
//! piece may end is found by going forward through it, where the others may begin by going back.
//!
//! Invariants:
//! 1. Only for expressions that neither look around nor refer back: a part that matches a span alone then matches it among the others.
//!
//! Must not know: SQL's functions.

use super::regexp_pattern::{Look, Node};
use super::regexp_vm::{self, Slots};
use crate::error::SqlError;
use crate::guard::{admit, check};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, Look as Known, Repetition};
use std::ops::Range;

/// Memory of the automata of one expression's parts, in bytes.
const PARTS_BYTES_MAX: usize = 16 << 20;
/// Rounds of a loop that are counted; of more, as many are taken as there are.
const COUNTED_MAX: u32 = 16;

fn too_complex() -> SqlError {
    super::regexp::invalid("regular expression is too complex")
}

/// What a part prefers to be, if it can be of several lengths: PostgreSQL's rules.
fn prefers_short(node: &Node) -> Option<bool> {
    match node {
        Node::Empty | Node::Literal(_) | Node::Class(_) | Node::Look(_) => None,
        Node::Around { .. } | Node::Again(_) => None,
        Node::Concat(list) => list.iter().find_map(prefers_short),
        Node::Alternation(_) => Some(false),
        Node::Group(_, inner) => prefers_short(inner),
        // Once, however it is spelled, says nothing about what has no choice.
        Node::Repeat { node, least: 1, most: Some(1), greedy } => {
            prefers_short(node).map(|inner| greedy.map_or(inner, |g| !g))
        }
        Node::Repeat { node, greedy, .. } => greedy.map(|g| !g).or_else(|| prefers_short(node)),
    }
}

fn has_groups(node: &Node) -> bool {
    match node {
        Node::Group(..) => true,
        Node::Concat(list) | Node::Alternation(list) => list.iter().any(has_groups),
        Node::Repeat { node, .. } => has_groups(node),
        _ => false,
    }
}

/// Whether a part may match without some of its groups.
fn may_pass_over(node: &Node) -> bool {
    match node {
        Node::Alternation(_) | Node::Repeat { least: 0, .. } => has_groups(node),
        Node::Concat(list) => list.iter().any(may_pass_over),
        Node::Group(_, node) | Node::Repeat { node, .. } => may_pass_over(node),
        _ => false,
    }
}

/// Whether the library may prefer another match.
pub(super) fn is_needed(node: &Node) -> bool {
    let mut choices = Choices::default();
    choices.count(node);
    choices.short > 0 && choices.all > 1 || choices.differs
}

/// What leaves a choice.
#[derive(Default)]
struct Choices {
    all: usize,
    short: usize,
    /// Several branches of an alternation may match at one place, with different lengths; or groups of one round are none of the next.
    differs: bool,
}

impl Choices {
    fn count(&mut self, node: &Node) {
        match node {
            Node::Concat(list) => list.iter().for_each(|n| self.count(n)),
            Node::Alternation(list) => {
                self.all += 1;
                self.differs |= node.width().is_none() && !are_distinct(list);
                list.iter().for_each(|n| self.count(n));
            }
            Node::Group(_, inner) => self.count(inner),
            Node::Repeat { node, most, greedy, .. } => {
                self.differs |= match most {
                    // The library forgets groups that never match.
                    Some(0) => has_groups(node),
                    Some(1) => false,
                    // Nor does it end a loop whose round takes nothing as PostgreSQL does.
                    _ => may_pass_over(node) || has_groups(node) && may_be_empty(node, &mut Vec::new()),
                };
                self.all += usize::from(greedy.is_some());
                self.short += usize::from(*greedy == Some(false));
                self.count(node);
            }
            _ => {}
        }
    }
}

/// Whether the first character says which of the branches it is.
fn are_distinct(branches: &[Node]) -> bool {
    let mut firsts = Vec::new();
    for (n, branch) in branches.iter().enumerate() {
        let mut ranges = Vec::new();
        if may_be_empty(branch, &mut ranges) {
            return false;
        }
        firsts.extend(ranges.into_iter().map(|(from, to)| (from, to, n)));
    }
    firsts.sort_unstable();
    let mut last: Option<(char, usize)> = None;
    for (from, to, n) in firsts {
        if last.is_some_and(|(end, of)| from <= end && of != n) {
            return false;
        }
        if last.is_none_or(|(end, _)| to > end) {
            last = Some((to, n));
        }
    }
    true
}

/// Whether a part may take nothing; adds the characters that it may begin with.
fn may_be_empty(node: &Node, firsts: &mut Vec<(char, char)>) -> bool {
    match node {
        Node::Literal(s) => s.chars().next().map(|c| firsts.push((c, c))).is_none(),
        Node::Class(ranges) => {
            firsts.extend_from_slice(ranges);
            false
        }
        Node::Concat(list) => list.iter().all(|n| may_be_empty(n, firsts)),
        Node::Alternation(list) => {
            let mut any = false;
            for n in list {
                any |= may_be_empty(n, firsts); // each of them, for their characters
            }
            any
        }
        Node::Group(_, inner) => may_be_empty(inner, firsts),
        Node::Repeat { node, least, .. } => may_be_empty(node, firsts) || *least == 0,
        Node::Empty | Node::Look(_) | Node::Around { .. } | Node::Again(_) => true,
    }
}

/// A part in the library's terms, without its groups.
fn hir_of(node: &Node) -> Hir {
    match node {
        Node::Literal(s) => Hir::literal(s.as_bytes()),
        Node::Class(ranges) => Hir::class(Class::Unicode(ClassUnicode::new(
            ranges.iter().map(|(from, to)| ClassUnicodeRange::new(*from, *to)),
        ))),
        Node::Look(look) => Hir::look(match look {
            Look::Start => Known::Start,
            Look::End => Known::End,
            Look::StartOfLine => Known::StartLF,
            Look::EndOfLine => Known::EndLF,
            Look::Word => Known::WordUnicode,
            Look::NoWord => Known::WordUnicodeNegate,
            Look::StartOfWord => Known::WordStartUnicode,
            Look::EndOfWord => Known::WordEndUnicode,
        }),
        Node::Concat(list) => Hir::concat(list.iter().map(hir_of).collect()),
        Node::Alternation(list) => Hir::alternation(list.iter().map(hir_of).collect()),
        Node::Group(_, inner) => hir_of(inner),
        Node::Repeat { node, least, most, .. } => {
            Hir::repetition(Repetition { min: *least, max: *most, greedy: true, sub: Box::new(hir_of(node)) })
        }
        // None of these by invariant 1.
        Node::Empty | Node::Around { .. } | Node::Again(_) => Hir::empty(),
    }
}

/// How a part that has groups is divided.
enum Part {
    /// It has none.
    Whole,
    Group(usize, Box<Part>),
    /// Pieces one behind the other.
    Row(Vec<Piece>),
    /// The first branch that matches.
    Either(Vec<(NFA, Part)>),
    Loop {
        /// One round.
        round: NFA,
        part: Box<Part>,
        is_short: bool,
        others: Others,
    },
}

/// What may follow a round of a loop, backwards.
enum Others {
    /// Any number of rounds.
    Any(NFA),
    /// What may follow the first, the second and so on.
    Counted(Vec<NFA>),
}

struct Piece {
    part: Part,
    is_short: bool,
    end: End,
}

/// How the end of a piece is found.
enum End {
    /// It has so many characters.
    Width(usize),
    /// The others have so many.
    WidthOfOthers(usize),
    /// The piece forward, the others backward.
    Automata(NFA, NFA),
}

/// What an expression prefers, and its parts, compiled.
pub struct Division {
    /// The shortest match, not the longest.
    is_short: bool,
    root: Part,
    groups: usize,
    memory_bytes: usize,
}

struct Compiler {
    limit_bytes: usize,
    memory_bytes: usize,
}

impl Compiler {
    fn nfa(&mut self, hir: &Hir, is_reverse: bool) -> Result<NFA, SqlError> {
        check()?;
        let config = thompson::Config::new()
            .nfa_size_limit(Some(self.limit_bytes))
            .reverse(is_reverse)
            .which_captures(WhichCaptures::None);
        let nfa =
            thompson::Compiler::new().configure(config).build_from_hir(hir).map_err(|_| too_complex())?;
        self.memory_bytes += nfa.memory_usage();
        if self.memory_bytes > PARTS_BYTES_MAX {
            return Err(too_complex());
        }
        admit(nfa.memory_usage())?;
        Ok(nfa)
    }

    fn part(&mut self, node: &Node) -> Result<Part, SqlError> {
        if !has_groups(node) {
            return Ok(Part::Whole);
        }
        Ok(match node {
            Node::Group(n, inner) => Part::Group(*n, Box::new(self.part(inner)?)),
            Node::Concat(list) => {
                // What stands behind the last group is nobody's.
                let last = list.iter().rposition(has_groups).unwrap_or(0);
                let mut row = Vec::new();
                for (i, one) in list.iter().enumerate().take(last + 1) {
                    row.push(self.piece(one, &list[i + 1..])?);
                }
                Part::Row(row)
            }
            Node::Alternation(list) => {
                let branch = |n| Ok((self.nfa(&hir_of(n), false)?, self.part(n)?));
                Part::Either(list.iter().map(branch).collect::<Result<_, SqlError>>()?)
            }
            Node::Repeat { most: Some(0), .. } => Part::Whole,
            Node::Repeat { node, least: 1, most: Some(1), .. } => self.part(node)?,
            // Of rounds that there must be, the last shows its groups: the others come before it as one piece.
            repeat @ Node::Repeat { node: round, least: least @ 1.., most, greedy } => {
                let before = Node::Repeat {
                    node: round.clone(),
                    least: least - 1,
                    most: most.map(|most| most - 1),
                    greedy: *greedy,
                };
                let first = Piece {
                    part: Part::Whole,
                    is_short: prefers_short(repeat) == Some(true),
                    end: self.end(&before, std::slice::from_ref(round))?,
                };
                let last = self.piece(round, &[])?;
                Part::Row(vec![first, last])
            }
            Node::Repeat { node, most, .. } => Part::Loop {
                round: self.nfa(&hir_of(node), false)?,
                part: Box::new(self.part(node)?),
                is_short: prefers_short(node) == Some(true),
                others: {
                    let sub = Box::new(hir_of(node));
                    let mut others = |max| {
                        let again = Repetition { min: 0, max, greedy: true, sub: sub.clone() };
                        self.nfa(&Hir::repetition(again), true)
                    };
                    match most {
                        Some(most @ ..=COUNTED_MAX) => {
                            let counted = (0..*most).rev().map(Some).map(others);
                            Others::Counted(counted.collect::<Result<_, _>>()?)
                        }
                        _ => Others::Any(others(None)?),
                    }
                },
            },
            _ => Part::Whole,
        })
    }

    fn piece(&mut self, node: &Node, others: &[Node]) -> Result<Piece, SqlError> {
        Ok(Piece {
            part: self.part(node)?,
            is_short: prefers_short(node) == Some(true),
            end: self.end(node, others)?,
        })
    }

    fn end(&mut self, node: &Node, others: &[Node]) -> Result<End, SqlError> {
        if let Some(width) = node.width() {
            return Ok(End::Width(width));
        }
        if let Some(width) = others.iter().map(Node::width).sum() {
            return Ok(End::WidthOfOthers(width));
        }
        let rest = Hir::concat(others.iter().map(hir_of).collect());
        Ok(End::Automata(self.nfa(&hir_of(node), false)?, self.nfa(&rest, true)?))
    }
}

impl Division {
    /// For a pattern whose groups are so many, the whole match included.
    pub(super) fn new(node: &Node, groups: usize, limit_bytes: usize) -> Result<Division, SqlError> {
        let mut compiler = Compiler { limit_bytes, memory_bytes: 0 };
        let root = compiler.part(node)?;
        let is_short = prefers_short(node) == Some(true);
        Ok(Division { is_short, root, groups, memory_bytes: compiler.memory_bytes })
    }

    /// Groups, the whole match included.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// The end of the match that begins there, of an automaton of the whole.
    pub(super) fn end(&self, nfa: &NFA, text: &str, from: usize) -> Result<Option<usize>, SqlError> {
        let mut end = None;
        regexp_vm::ends(nfa, text, from..text.len(), |at| {
            end = Some(at);
            !self.is_short
        })?;
        Ok(end)
    }

    /// The groups of a match.
    pub(super) fn divide(&self, text: &str, span: Range<usize>) -> Result<Slots, SqlError> {
        let mut slots = vec![None; 2 * self.groups];
        (slots[0], slots[1]) = (Some(span.start), Some(span.end));
        divide(&self.root, text, span, &mut slots)?;
        Ok(Slots::found(slots))
    }
}

/// What is matched alone is matched among others, so there is always a way.
fn no_way() -> SqlError {
    SqlError::internal("a match of a regular expression cannot be divided")
}

fn divide(part: &Part, text: &str, span: Range<usize>, slots: &mut [Option<usize>]) -> Result<(), SqlError> {
    match part {
        Part::Whole => {}
        Part::Group(n, inner) => {
            (slots[2 * n], slots[2 * n + 1]) = (Some(span.start), Some(span.end));
            divide(inner, text, span, slots)?;
        }
        Part::Row(pieces) => {
            let mut at = span.start;
            for piece in pieces {
                let end = piece_end(piece, text, at..span.end)?;
                divide(&piece.part, text, at..end, slots)?;
                at = end;
            }
        }
        Part::Either(branches) => {
            for (nfa, part) in branches {
                let mut is_it = false;
                regexp_vm::ends(nfa, text, span.clone(), |at| {
                    is_it = at == span.end;
                    true
                })?;
                if is_it {
                    return divide(part, text, span, slots);
                }
            }
            return Err(no_way());
        }
        Part::Loop { round, part, is_short, others } => {
            if span.is_empty() {
                // Of what prefers to be long, a round is gone if that takes nothing.
                let mut is_gone = false;
                if !is_short {
                    regexp_vm::ends(round, text, span.clone(), |_| {
                        is_gone = true;
                        false
                    })?;
                }
                return if is_gone { divide(part, text, span, slots) } else { Ok(()) };
            }
            let last = last_round(round, others, text, span, *is_short)?;
            return divide(part, text, last, slots);
        }
    }
    Ok(())
}

/// Of a loop, the last round, whose groups are those of the loop. Every round takes something.
fn last_round(
    round: &NFA,
    others: &Others,
    text: &str,
    span: Range<usize>,
    is_short: bool,
) -> Result<Range<usize>, SqlError> {
    let mut at = span.start;
    match others {
        Others::Counted(counted) => {
            for rest in counted {
                let end = meet(round, rest, text, at..span.end, is_short, true)?;
                if end == span.end {
                    return Ok(at..end);
                }
                at = end;
            }
            Err(no_way())
        }
        Others::Any(rest) => {
            admit(span.len() + 1)?;
            let mut may_begin = vec![false; span.len() + 1];
            regexp_vm::begins(rest, text, span.clone(), |place| {
                may_begin[place - span.start] = true;
                true
            })?;
            loop {
                let mut end = None;
                regexp_vm::ends(round, text, at..span.end, |place| {
                    if place > at && may_begin[place - span.start] {
                        end = Some(place);
                    }
                    !is_short || end.is_none()
                })?;
                match end {
                    Some(end) if end == span.end => return Ok(at..end),
                    Some(end) => at = end,
                    None => return Err(no_way()),
                }
            }
        }
    }
}

fn piece_end(piece: &Piece, text: &str, within: Range<usize>) -> Result<usize, SqlError> {
    let taken = &text[within.clone()];
    match &piece.end {
        End::Width(width) => {
            let mut places = taken.char_indices().map(|(n, _)| n).chain([taken.len()]);
            places.nth(*width).map(|n| within.start + n).ok_or_else(no_way)
        }
        End::WidthOfOthers(0) => Ok(within.end),
        End::WidthOfOthers(width) => {
            let mut places = taken.char_indices().rev().map(|(n, _)| n);
            places.nth(*width - 1).map(|n| within.start + n).ok_or_else(no_way)
        }
        End::Automata(nfa, others) => meet(nfa, others, text, within, piece.is_short, false),
    }
}

/// Where what comes first may end and the others, backwards, may begin: the farthest such place, or the nearest.
fn meet(
    first: &NFA,
    others: &NFA,
    text: &str,
    within: Range<usize>,
    is_short: bool,
    takes_some: bool,
) -> Result<usize, SqlError> {
    admit((within.len() + 1) * size_of::<usize>())?;
    let mut ends = Vec::new();
    regexp_vm::ends(first, text, within.clone(), |at| {
        if !takes_some || at > within.start {
            ends.push(at);
        }
        true
    })?;
    let mut found = None;
    regexp_vm::begins(others, text, within, |at| {
        while ends.last().is_some_and(|end| *end > at) {
            ends.pop();
        }
        if ends.last() == Some(&at) {
            found = Some(at);
        }
        // The first is the farthest.
        !ends.is_empty() && (is_short || found.is_none())
    })?;
    found.ok_or_else(no_way)
}
