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
    let mut vm =
        Vm { nfa, text: s.text, stack: Vec::new(), pace: Pace::default(), slots: vec![NOWHERE; width] };
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
                State::ByteRange { trans } => trans.matches(s.text.as_bytes(), at).then_some(trans.next),
                State::Sparse(many) => many.matches(s.text.as_bytes(), at),
                State::Dense(many) => many.matches(s.text.as_bytes(), at),
                _ => None,
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
    stack: Vec<Follow>,
    pace: Pace,
    /// Of the thread at hand.
    slots: Vec<usize>,
}

impl Vm<'_> {
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
                        if !self.nfa.look_matcher().matches(*look, self.text.as_bytes(), at) {
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
