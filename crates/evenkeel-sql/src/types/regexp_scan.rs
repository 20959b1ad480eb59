//! Where the next match in a large text begins: found step by step, so that the statement can be stopped.
//!
//! The library's searches cannot be stopped, and with an expression that defeats its fast ways a hundred megabytes take half a minute. Its lazy automaton
//! can be stepped byte by byte: forward to the end of the leftmost match, back to its beginning. The library then has to look at the match alone.
//!
//! Must not know: SQL's functions.

use super::regexp::Flags;
use crate::error::{SqlError, SqlState};
use crate::guard::Pace;
use parking_lot::Mutex;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::regex::{self, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, nfa::thompson};

/// Texts up to this length are the library's alone: it is done with them soon enough, however slow it is.
const LARGE_BYTES: usize = 1 << 20;
/// The longest match that is looked at in a larger one.
const MATCH_BYTES_MAX: usize = 8 << 20;

/// The automata of an expression, forward and back.
pub(super) struct Scan {
    regex: Regex,
    /// States made so far. One thread uses it at a time: compiled expressions are kept by thread.
    cache: Mutex<regex::Cache>,
}

/// Where a search must go.
pub(super) enum Place {
    /// Here: the library finds at once what there is.
    From(usize),
    /// Nowhere: there is no match.
    None,
}

impl Scan {
    /// For an expression in the library's syntax; `None` where its automaton cannot be had.
    pub(super) fn new(translated: &str, flags: Flags, limit_bytes: usize) -> Option<Scan> {
        let syntax = syntax::Config::new()
            .case_insensitive(flags.case_insensitive)
            .multi_line(flags.lines)
            .dot_matches_new_line(!flags.within_line)
            .ignore_whitespace(flags.expanded && !flags.literal);
        let dfa = DFA::config().unicode_word_boundary(true).skip_cache_capacity_check(true);
        let nfa = thompson::Config::new().nfa_size_limit(Some(limit_bytes));
        let regex = Regex::builder().syntax(syntax).dfa(dfa).thompson(nfa).build(translated).ok()?;
        let cache = Mutex::new(regex.create_cache());
        Some(Scan { regex, cache })
    }

    /// Where the leftmost match at or behind `at` begins.
    pub(super) fn next(&self, text: &str, at: usize) -> Result<Place, SqlError> {
        let mut cache = self.cache.lock();
        let (forward, reverse) = cache.as_parts_mut();
        let mut pace = Pace::default();
        // It gives up where it cannot decide, such as at word boundaries beside other letters than ASCII's: then the library does all of it.
        let end = match step_forward(self.regex.forward(), forward, text, at, &mut pace)? {
            None => return Ok(Place::From(at)),
            Some(None) => return Ok(Place::None),
            Some(Some(end)) => end,
        };
        let Some(Some(start)) = step_back(self.regex.reverse(), reverse, text, at..end, &mut pace)? else {
            return Ok(Place::From(at));
        };
        if end - start > MATCH_BYTES_MAX {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                "the match of a regular expression is too long",
            )
            .with_detail(format!("It has {} bytes; {MATCH_BYTES_MAX} are allowed.", end - start)));
        }
        Ok(Place::From(start))
    }
}

/// Whether a text is large enough to be scanned.
pub(super) fn is_large(text: &str, at: usize) -> bool {
    text.len() - at > LARGE_BYTES
}

/// The end of the leftmost match; `None`: the automaton gave up.
fn step_forward(
    dfa: &DFA,
    cache: &mut Cache,
    text: &str,
    at: usize,
    pace: &mut Pace,
) -> Result<Option<Option<usize>>, SqlError> {
    let bytes = text.as_bytes();
    let Ok(mut state) = dfa.start_state_forward(cache, &Input::new(bytes).range(at..)) else {
        return Ok(None);
    };
    let mut last = None;
    for (i, b) in bytes.iter().enumerate().skip(at) {
        pace.bytes(1)?;
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
    range: std::ops::Range<usize>,
    pace: &mut Pace,
) -> Result<Option<Option<usize>>, SqlError> {
    let bytes = text.as_bytes();
    let input = Input::new(bytes).range(range.clone()).anchored(Anchored::Yes);
    let Ok(mut state) = dfa.start_state_reverse(cache, &input) else { return Ok(None) };
    let mut last = None;
    for i in range.clone().rev() {
        pace.bytes(1)?;
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
