//! Where the next match in a large text is: found step by step, so that the statement can be stopped.
//!
//! The library's searches cannot be stopped, and with an expression that defeats its fast ways a hundred megabytes take half a minute. Its lazy automaton
//! can be stepped byte by byte: forward to the end of the leftmost match, back to its beginning.
//!
//! Must not know: SQL's functions.

use crate::error::SqlError;
use crate::guard::Pace;
use parking_lot::Mutex;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::regex::{self, Regex};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};
use std::ops::Range;

/// Bytes of states that an automaton keeps made.
const CACHE_BYTES: usize = 1 << 20;
/// Making one state of the automaton goes through so many of the expression's at the cost of a byte of text.
const STATES_A_BYTE: usize = 64;

/// The automata of an expression, forward and back.
pub(super) struct Scan {
    regex: Regex,
    /// States made so far. One thread uses it at a time: compiled expressions are kept by thread.
    cache: Mutex<regex::Cache>,
    /// What a byte of text may cost, as bytes of text.
    byte_cost: usize,
}

/// Where the leftmost match is.
pub(super) enum Place {
    At(Range<usize>),
    Nowhere,
    /// The automaton cannot tell, such as at word boundaries beside other letters than ASCII's.
    Unknown,
}

impl Scan {
    /// For an expression in the library's syntax, and its automaton; `None` where a lazy one cannot be had.
    pub(super) fn new(
        translated: &str,
        config: syntax::Config,
        nfa: &NFA,
        limit_bytes: usize,
    ) -> Option<Scan> {
        let dfa = DFA::config()
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .cache_capacity(CACHE_BYTES);
        let back = thompson::Config::new()
            .nfa_size_limit(Some(limit_bytes))
            .reverse(true)
            .which_captures(WhichCaptures::None);
        let forward = DFA::builder().configure(dfa.clone()).build_from_nfa(nfa.clone()).ok()?;
        let reverse = DFA::builder()
            .configure(dfa.match_kind(MatchKind::All))
            .syntax(config)
            .thompson(back)
            .build(translated)
            .ok()?;
        let regex = Regex::builder().build_from_dfas(forward, reverse);
        let cache = Mutex::new(regex.create_cache());
        Some(Scan { regex, cache, byte_cost: 1 + nfa.states().len() / STATES_A_BYTE })
    }

    /// The leftmost match at or behind `at`.
    pub(super) fn next(&self, text: &str, at: usize) -> Result<Place, SqlError> {
        let mut cache = self.cache.lock();
        let (forward, reverse) = cache.as_parts_mut();
        let mut steps = Steps { pace: Pace::default(), byte_cost: self.byte_cost };
        let end = match step_forward(self.regex.forward(), forward, text, at, &mut steps)? {
            None => return Ok(Place::Unknown),
            Some(None) => return Ok(Place::Nowhere),
            Some(Some(end)) => end,
        };
        let start = step_back(self.regex.reverse(), reverse, text, at..end, &mut steps)?;
        Ok(start.flatten().map_or(Place::Unknown, |start| Place::At(start..end)))
    }
}

struct Steps {
    pace: Pace,
    byte_cost: usize,
}

impl Steps {
    fn step(&mut self) -> Result<(), SqlError> {
        self.pace.bytes(self.byte_cost)
    }
}

/// The end of the leftmost match; `None`: the automaton gave up.
fn step_forward(
    dfa: &DFA,
    cache: &mut Cache,
    text: &str,
    at: usize,
    steps: &mut Steps,
) -> Result<Option<Option<usize>>, SqlError> {
    let bytes = text.as_bytes();
    let Ok(mut state) = dfa.start_state_forward(cache, &Input::new(bytes).range(at..)) else {
        return Ok(None);
    };
    let mut last = None;
    for (i, b) in bytes.iter().enumerate().skip(at) {
        steps.step()?;
        match dfa.next_state(cache, state, *b) {
            Ok(next) => state = next,
            Err(_) => return Ok(None),
        }
        if state.is_tagged() {
            if state.is_match() {
                last = Some(i);
            } else if state.is_dead() {
                return Ok(Some(last));
            } else if state.is_quit() {
                return Ok(None);
            }
        }
    }
    match dfa.next_eoi_state(cache, state) {
        Ok(state) if state.is_match() => Ok(Some(Some(bytes.len()))),
        Ok(_) => Ok(Some(last)),
        Err(_) => Ok(None),
    }
}

/// The beginning of the match that ends there.
fn step_back(
    dfa: &DFA,
    cache: &mut Cache,
    text: &str,
    range: Range<usize>,
    steps: &mut Steps,
) -> Result<Option<Option<usize>>, SqlError> {
    let bytes = text.as_bytes();
    let input = Input::new(bytes).range(range.clone()).anchored(Anchored::Yes);
    let Ok(mut state) = dfa.start_state_reverse(cache, &input) else { return Ok(None) };
    let mut last = None;
    for i in range.clone().rev() {
        steps.step()?;
        match dfa.next_state(cache, state, bytes[i]) {
            Ok(next) => state = next,
            Err(_) => return Ok(None),
        }
        if state.is_tagged() {
            if state.is_match() {
                last = Some(i + 1);
            } else if state.is_dead() {
                return Ok(Some(last));
            } else if state.is_quit() {
                return Ok(None);
            }
        }
    }
    let before = match range.start.checked_sub(1) {
        Some(i) => dfa.next_state(cache, state, bytes[i]),
        None => dfa.next_eoi_state(cache, state),
    };
    match before {
        Ok(state) if state.is_match() => Ok(Some(Some(range.start))),
        Ok(_) => Ok(Some(last)),
        Err(_) => Ok(None),
    }
}
