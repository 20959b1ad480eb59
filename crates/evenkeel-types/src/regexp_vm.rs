//! A simulation of an expression's automaton that can be stopped, and whose memory is admitted: Pike's.
//!
//! All threads of the automaton go through the text together, the preferred ones first; each carries where its groups began and ended. Time is at most
//! states times bytes, as the library's own last resort, which asks nobody whether it may go on and takes the memory that it needs.
//!
//! Must not know: SQL's functions.

use crate::error::SqlError;
use crate::guard::{Pace, admit};
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;
use std::ops::Range;

/// No place in a text.
const NOWHERE: usize = usize::MAX;
/// What a step of a thread costs, as bytes of text.
const STEP_BYTES: usize = 16;

/// Where the groups of a match begin and end: two places each, the whole match first.
#[derive(Debug)]
pub struct Slots(Vec<usize>);

impl Slots {
    /// For a match whose groups nobody wants.
    pub(super) fn of(span: Range<usize>) -> Slots {
        Slots(vec![span.start, span.end])
    }

    /// As they were found; a group that took no part is at no place.
    pub(super) fn found(places: Vec<Option<usize>>) -> Slots {
        Slots(places.into_iter().map(|p| p.unwrap_or(NOWHERE)).collect())
    }

    /// Group `i`, if it took part.
    pub(super) fn get(&self, i: usize) -> Option<Range<usize>> {
        let (from, to) = (*self.0.get(2 * i)?, *self.0.get(2 * i + 1)?);
        (from != NOWHERE && to != NOWHERE).then_some(from..to)
    }
}

/// Where a search looks.
pub(super) struct Search<'t> {
    pub text: &'t str,
    /// No match goes beyond it; what lies around it is looked at.
    pub range: Range<usize>,
    /// It begins at the range's beginning.
    pub anchored: bool,
    /// Groups that are wanted, the whole match included.
    pub groups: usize,
}

/// The leftmost match; of those, the preferred one.
pub(super) fn search(nfa: &NFA, s: &Search<'_>) -> Result<Option<Slots>, SqlError> {
    let width = 2 * s.groups;
    let mut vm = Vm::new(nfa, s.text, false, width);
    let mut now = Threads::new(nfa.states().len(), width)?;
    let mut next = Threads::new(nfa.states().len(), width)?;
    let mut found: Option<Vec<usize>> = None;
    for at in s.range.start..=s.range.end {
        let may_begin = found.is_none() && (!s.anchored || at == s.range.start);
        if now.states.is_empty() && !may_begin {
            break;
        }
        if may_begin && s.text.is_char_boundary(at) {
            vm.slots.fill(NOWHERE);
            vm.follow(nfa.start_anchored(), at, &mut now)?;
        }
        vm.pace.bytes(1)?;
        for i in 0..now.states.len() {
            let state = now.states[i];
            vm.pace.bytes(STEP_BYTES + 8 * width)?;
            let to = match nfa.state(state) {
                State::Match { .. } => {
                    found = Some(now.slots_of(state).to_vec());
                    // All behind are less preferred.
                    break;
                }
                _ if at == s.range.end => None,
                _ => vm.byte(state, at),
            };
            if let Some(to) = to {
                vm.slots.copy_from_slice(now.slots_of(state));
                vm.follow(to, at + 1, &mut next)?;
            }
        }
        std::mem::swap(&mut now, &mut next);
        next.states.clear();
    }
    Ok(found.map(Slots))
}

/// Where matches end that begin at the beginning of a range, the nearest first, as long as `found` wants to know.
pub(super) fn ends(
    nfa: &NFA,
    text: &str,
    range: Range<usize>,
    found: impl FnMut(usize) -> bool,
) -> Result<(), SqlError> {
    reach(Vm::new(nfa, text, false, 0), range.start, range.end, found)
}

/// Where matches of a reversed automaton begin that end at the end of a range, the nearest to that first.
pub(super) fn begins(
    nfa: &NFA,
    text: &str,
    range: Range<usize>,
    found: impl FnMut(usize) -> bool,
) -> Result<(), SqlError> {
    reach(Vm::new(nfa, text, true, 0), range.end, range.start, found)
}

/// All places that a match leads to, whatever is preferred.
fn reach(
    mut vm: Vm<'_>,
    from: usize,
    last: usize,
    mut found: impl FnMut(usize) -> bool,
) -> Result<(), SqlError> {
    let nfa = vm.nfa;
    let mut now = Threads::new(nfa.states().len(), 0)?;
    let mut next = Threads::new(nfa.states().len(), 0)?;
    let mut at = from;
    vm.follow(nfa.start_anchored(), at, &mut now)?;
    loop {
        let is_match = now.states.iter().any(|s| matches!(nfa.state(*s), State::Match { .. }));
        if is_match && !found(at) || at == last || now.states.is_empty() {
            return Ok(());
        }
        vm.pace.bytes(1)?;
        let (byte, to) = if vm.is_reverse { (at - 1, at - 1) } else { (at, at + 1) };
        for i in 0..now.states.len() {
            vm.pace.bytes(STEP_BYTES)?;
            if let Some(state) = vm.byte(now.states[i], byte) {
                vm.follow(state, to, &mut next)?;
            }
        }
        std::mem::swap(&mut now, &mut next);
        next.states.clear();
        at = to;
    }
}

/// The threads at one place, the preferred first, no two in one state.
struct Threads {
    states: Vec<StateID>,
    /// Where a state stands in `states`, if it is there.
    index: Vec<u32>,
    slots: Vec<usize>,
    width: usize,
}

impl Threads {
    fn new(states: usize, width: usize) -> Result<Threads, SqlError> {
        let cells = states.saturating_mul(width);
        admit(cells.saturating_mul(size_of::<usize>()).saturating_add(8 * states))?;
        Ok(Threads {
            states: Vec::with_capacity(states),
            index: vec![0; states],
            // Zeroes cost nothing until a thread writes over them.
            slots: vec![0; cells],
            width,
        })
    }

    fn insert(&mut self, state: StateID) -> bool {
        let at = self.index[state.as_usize()] as usize;
        if self.states.get(at) == Some(&state) {
            return false;
        }
        self.index[state.as_usize()] = self.states.len() as u32;
        self.states.push(state);
        true
    }

    fn slots_of(&self, state: StateID) -> &[usize] {
        &self.slots[state.as_usize() * self.width..][..self.width]
    }
}

/// What is left to do while a thread goes as far as it can without a byte.
enum Follow {
    State(StateID),
    /// Another way begins without what this one noted.
    Restore(usize, usize),
}

struct Vm<'a> {
    nfa: &'a NFA,
    text: &'a str,
    /// The automaton goes back through the text.
    is_reverse: bool,
    stack: Vec<Follow>,
    pace: Pace,
    /// Of the thread at hand.
    slots: Vec<usize>,
}

impl<'a> Vm<'a> {
    fn new(nfa: &'a NFA, text: &'a str, is_reverse: bool, width: usize) -> Vm<'a> {
        let slots = vec![NOWHERE; width];
        Vm { nfa, text, is_reverse, stack: Vec::new(), pace: Pace::default(), slots }
    }

    /// Where a byte of the text leads from a state.
    fn byte(&self, state: StateID, at: usize) -> Option<StateID> {
        let text = self.text.as_bytes();
        match self.nfa.state(state) {
            State::ByteRange { trans } => trans.matches(text, at).then_some(trans.next),
            State::Sparse(many) => many.matches(text, at),
            State::Dense(many) => many.matches(text, at),
            _ => None,
        }
    }

    /// Adds the thread at hand to a list, in every state that it reaches without a byte.
    fn follow(&mut self, from: StateID, at: usize, list: &mut Threads) -> Result<(), SqlError> {
        self.stack.push(Follow::State(from));
        while let Some(todo) = self.stack.pop() {
            let mut state = match todo {
                Follow::State(state) => state,
                Follow::Restore(slot, to) => {
                    self.slots[slot] = to;
                    continue;
                }
            };
            while list.insert(state) {
                self.pace.bytes(STEP_BYTES)?;
                state = match self.nfa.state(state) {
                    State::Look { look, next } => {
                        // A reversed automaton has looks that are turned round, too.
                        let look = if self.is_reverse { look.reversed() } else { *look };
                        if !self.nfa.look_matcher().matches(look, self.text.as_bytes(), at) {
                            break;
                        }
                        *next
                    }
                    State::Union { alternates } => {
                        let Some((first, others)) = alternates.split_first() else { break };
                        self.stack.extend(others.iter().rev().map(|s| Follow::State(*s)));
                        *first
                    }
                    State::BinaryUnion { alt1, alt2 } => {
                        self.stack.push(Follow::State(*alt2));
                        *alt1
                    }
                    State::Capture { next, slot, .. } => {
                        let slot = slot.as_usize();
                        if slot < self.slots.len() {
                            self.stack.push(Follow::Restore(slot, self.slots[slot]));
                            self.slots[slot] = at;
                        }
                        *next
                    }
                    _ => {
                        let cells = state.as_usize() * list.width..(state.as_usize() + 1) * list.width;
                        list.slots[cells].copy_from_slice(&self.slots);
                        self.pace.bytes(8 * list.width)?;
                        break;
                    }
                };
            }
        }
        Ok(())
    }
}
