//! Regular expressions: PostgreSQL's advanced syntax on the `regex` crate, which matches in linear time and bounded memory.
//!
//! What looks around and what refers back, which it does not know, is tried out by our own matcher (`regexp_back`). Where it prefers another match than
//! PostgreSQL does, the expression's parts are followed one by one (`regexp_divide`).
//!
//! Differences from PostgreSQL: an expression with greedy quantifiers only that overlap, such as `a?(ab)?`, may not take the longest match; nor may one that looks
//! around or refers back.
//!
//! Invariants:
//! 1. The library, which cannot be stopped, is given only what it is done with in some milliseconds however slow it is: [`SMALL_STEPS`], [`PATTERN_BYTES_MAX`].
//!    Everything else is stepped: by its lazy automaton (`regexp_scan`), and for groups or where that cannot tell, by ours (`regexp_vm`).
//! 2. A thread keeps one large expression at most, and only until the end of the statement.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use std::ops::Range;

use regex::{CaptureLocations, Regex, RegexBuilder};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::syntax;

use super::regexp_back::Back;
use super::regexp_divide::{self, Division};
use super::regexp_pattern;
use super::regexp_scan::{Place, Scan};
use super::regexp_vm::{self, Search, Slots};

use crate::error::{SqlError, SqlState};
use crate::guard::{admit, at_leave, check};

/// The characters of a pattern that are left.
pub(super) type Chars<'p> = std::iter::Peekable<std::str::Chars<'p>>;

/// Largest compiled program, in bytes.
const SIZE_LIMIT_BYTES: usize = 4 << 20;
/// Deepest nesting of groups.
pub(super) const NEST_LIMIT: u32 = 200;
/// Largest cache of matching states of one compiled expression, in bytes.
const DFA_LIMIT_BYTES: usize = 256 << 10;
/// Longest expression, in the library's syntax. Longer ones rarely fit the limit above, and finding that out takes long.
const PATTERN_BYTES_MAX: usize = 128 << 10;
/// What a byte of an expression takes while it is compiled.
const COMPILE_BYTES: usize = 256;
/// Compiled expressions kept for each thread.
const CACHE_ENTRIES: usize = 32;
/// The automaton of one that is kept beyond its statement, in bytes.
const KEPT_BYTES_MAX: usize = 64 << 10;
/// States times bytes that the library may go through at once: some ten milliseconds.
const SMALL_STEPS: usize = 2 << 20;
/// States times groups' ends that it may keep.
const SMALL_SLOTS: usize = 256 << 10;
/// Groups' ends that cost as much as a step.
const SLOTS_A_STEP: usize = 8;

/// The options of a regular expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// `i`
    pub case_insensitive: bool,
    /// `n`, `m`, `w`: `^` and `$` match at lines.
    pub lines: bool,
    /// `n`, `m`, `p`: `.` and negated classes exclude newlines.
    pub within_line: bool,
    /// `x`: blanks and comments in the pattern do not count.
    pub expanded: bool,
    /// `q`: the pattern is a literal string.
    pub literal: bool,
    /// `g`: for the functions that replace or split.
    pub global: bool,
}

impl Flags {
    /// Reads an options string such as `gi`.
    pub fn parse(text: &str) -> Result<Flags, SqlError> {
        let mut f = Flags::default();
        for c in text.chars() {
            match c {
                'g' => f.global = true,
                c if f.set(c)? => {}
                _ => {
                    return Err(SqlError::new(
                        SqlState::INVALID_PARAMETER_VALUE,
                        format!("invalid regular expression option: \"{c}\""),
                    ));
                }
            }
        }
        Ok(f)
    }

    /// Sets what an option says; false: there is no such option.
    fn set(&mut self, option: char) -> Result<bool, SqlError> {
        match option {
            'i' => self.case_insensitive = true,
            'c' => self.case_insensitive = false,
            'n' | 'm' => (self.lines, self.within_line) = (true, true),
            's' => (self.lines, self.within_line) = (false, false),
            'w' => (self.lines, self.within_line) = (true, false),
            'p' => (self.lines, self.within_line) = (false, true),
            'x' => self.expanded = true,
            't' => self.expanded = false,
            'q' => self.literal = true,
            'b' | 'e' => {
                let kind = if option == 'b' { "basic" } else { "extended" };
                let why = format!("{kind} regular expressions (option \"{option}\") are not supported");
                return Err(SqlError::unsupported(why));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

struct Entry {
    pattern: String,
    flags: Flags,
    regex: Arc<Compiled>,
}

/// A compiled expression. Its searches can be stopped.
pub enum Compiled {
    /// By the library's automata.
    Linear(Box<Linear>),
    /// By these where it begins, the rest by its parts.
    Divided(Box<Linear>, Division),
    /// With what these cannot do.
    Back(Back),
}

/// A compiled expression for the library.
pub struct Linear {
    regex: Regex,
    nfa: NFA,
    /// In the library's syntax, for the scan.
    translated: String,
    flags: Flags,
    scan: OnceLock<Option<Scan>>,
}

/// A match with its groups; places are bytes.
pub enum Groups {
    /// As the library found it.
    Found(CaptureLocations),
    /// As we did.
    Stepped(Slots),
}

impl Groups {
    /// Group `i`, if it took part; 0 is the whole match.
    pub fn get(&self, i: usize) -> Option<Range<usize>> {
        match self {
            Groups::Found(at) => at.get(i).map(|(from, to)| from..to),
            Groups::Stepped(slots) => slots.get(i),
        }
    }
}

impl Compiled {
    /// Whether there is a match.
    pub fn is_match(&self, text: &str) -> Result<bool, SqlError> {
        match self {
            Compiled::Linear(re) | Compiled::Divided(re, _) => re.is_match(text),
            Compiled::Back(re) => Ok(re.search(text, 0)?.is_some()),
        }
    }

    /// The leftmost match at or behind a place.
    pub fn find_at(&self, text: &str, at: usize) -> Result<Option<Range<usize>>, SqlError> {
        match self {
            Compiled::Linear(re) => re.find_at(text, at),
            Compiled::Divided(re, division) => {
                let Some(found) = re.find_at(text, at)? else { return Ok(None) };
                Ok(division.end(&re.nfa, text, found.start)?.map(|end| found.start..end))
            }
            Compiled::Back(re) => Ok(re.search(text, at)?.and_then(|slots| slots.get(0))),
        }
    }

    /// The same with its groups.
    pub fn captures_at(&self, text: &str, at: usize) -> Result<Option<Groups>, SqlError> {
        match self {
            Compiled::Linear(re) => re.captures_at(text, at),
            Compiled::Divided(_, division) => {
                let Some(span) = self.find_at(text, at)? else { return Ok(None) };
                division.divide(text, span).map(|slots| Some(Groups::Stepped(slots)))
            }
            Compiled::Back(re) => Ok(re.search(text, at)?.map(Groups::Stepped)),
        }
    }

    /// Groups, the whole match included.
    pub fn groups(&self) -> usize {
        match self {
            Compiled::Linear(re) => re.groups(),
            Compiled::Divided(_, division) => division.groups(),
            Compiled::Back(re) => re.groups(),
        }
    }

    fn is_large(&self) -> bool {
        match self {
            Compiled::Linear(re) => re.is_large(),
            Compiled::Divided(re, division) => re.is_large() || division.memory_bytes() > KEPT_BYTES_MAX,
            Compiled::Back(re) => re.memory_bytes() > KEPT_BYTES_MAX,
        }
    }
}

impl Linear {
    /// Whether the library, which cannot be stopped, is soon done with a text, however slow it is, and takes little for so many groups.
    fn is_small(&self, text: &str, at: usize, groups: usize) -> bool {
        let (states, slots) = (self.nfa.states().len(), 2 * groups);
        let steps = (text.len() - at + 1).saturating_mul(states).saturating_mul(1 + slots / SLOTS_A_STEP);
        steps <= SMALL_STEPS && states.saturating_mul(slots) <= SMALL_SLOTS
    }

    /// The leftmost match in what is not small.
    fn step(&self, text: &str, at: usize) -> Result<Option<Range<usize>>, SqlError> {
        let scan = self.scan.get_or_init(|| {
            Scan::new(&self.translated, syntax_config(self.flags), &self.nfa, SIZE_LIMIT_BYTES)
        });
        check()?;
        Ok(match scan.as_ref().map_or(Ok(Place::Unknown), |s| s.next(text, at))? {
            Place::At(span) => Some(span),
            Place::Nowhere => None,
            Place::Unknown => {
                let search = Search { text, range: at..text.len(), anchored: false, groups: 1 };
                regexp_vm::search(&self.nfa, &search)?.and_then(|slots| slots.get(0))
            }
        })
    }

    /// Whether there is a match.
    fn is_match(&self, text: &str) -> Result<bool, SqlError> {
        if self.is_small(text, 0, 0) {
            return Ok(self.regex.is_match(text));
        }
        Ok(self.step(text, 0)?.is_some())
    }

    /// The leftmost match at or behind a place.
    fn find_at(&self, text: &str, at: usize) -> Result<Option<Range<usize>>, SqlError> {
        if self.is_small(text, at, 0) {
            return Ok(self.regex.find_at(text, at).map(|m| m.range()));
        }
        self.step(text, at)
    }

    /// The same with its groups.
    fn captures_at(&self, text: &str, at: usize) -> Result<Option<Groups>, SqlError> {
        let groups = self.groups();
        if self.is_small(text, at, groups) {
            let mut places = self.regex.capture_locations();
            let found = self.regex.captures_read_at(&mut places, text, at);
            return Ok(found.map(|_| Groups::Found(places)));
        }
        let Some(span) = self.step(text, at)? else { return Ok(None) };
        if groups == 1 {
            return Ok(Some(Groups::Stepped(Slots::of(span))));
        }
        let search = Search { text, range: span, anchored: true, groups };
        Ok(regexp_vm::search(&self.nfa, &search)?.map(Groups::Stepped))
    }

    /// Groups, the whole match included.
    fn groups(&self) -> usize {
        self.regex.captures_len()
    }

    fn is_large(&self) -> bool {
        self.nfa.memory_usage() > KEPT_BYTES_MAX
    }
}

thread_local! {
    // Most recently used last.
    static CACHE: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
}

/// The compiled form of a pattern.
pub fn compiled(pattern: &str, flags: Flags) -> Result<Arc<Compiled>, SqlError> {
    let key = Flags { global: false, ..flags };
    CACHE.with_borrow_mut(|cache| {
        if let Some(i) = cache.iter().rposition(|e| e.flags == key && e.pattern == pattern) {
            let last = cache.len() - 1;
            cache[i..].rotate_left(1);
            return Ok(cache[last].regex.clone());
        }
        let regex = Arc::new(compile(pattern, key)?);
        if regex.is_large() {
            // One at a time, and none longer than its statement.
            cache.retain(|e| !e.regex.is_large());
            at_leave(forget_large);
        }
        if cache.len() == CACHE_ENTRIES {
            cache.remove(0);
        }
        cache.push(Entry { pattern: pattern.to_string(), flags: key, regex: regex.clone() });
        Ok(regex)
    })
}

fn forget_large() {
    CACHE.with_borrow_mut(|cache| cache.retain(|e| !e.regex.is_large()));
}

pub(super) fn invalid(detail: impl std::fmt::Display) -> SqlError {
    SqlError::new(SqlState::INVALID_REGULAR_EXPRESSION, format!("invalid regular expression: {detail}"))
}

fn compile(pattern: &str, mut flags: Flags) -> Result<Compiled, SqlError> {
    let body = prefixed(pattern, &mut flags)?;
    let too_complex = || invalid("regular expression is too complex");
    if body.len() > PATTERN_BYTES_MAX {
        return Err(too_complex());
    }
    admit(body.len() * COMPILE_BYTES)?;
    let mut division = None;
    let translated = if flags.literal {
        regex::escape(body)
    } else {
        let (node, groups) = regexp_pattern::parse(body, flags)?;
        if node.goes_back() {
            return Ok(Compiled::Back(Back::new(node, groups, flags)?));
        }
        if regexp_divide::is_needed(&node) {
            division = Some(Division::new(&node, groups, SIZE_LIMIT_BYTES)?);
        }
        translate(body, flags)?
    };
    if translated.len() > PATTERN_BYTES_MAX {
        return Err(too_complex());
    }
    admit(translated.len() * COMPILE_BYTES)?;
    let limit = thompson::Config::new().nfa_size_limit(Some(SIZE_LIMIT_BYTES));
    let nfa = thompson::Compiler::new().syntax(syntax_config(flags)).configure(limit).build(&translated);
    check()?;
    let regex = RegexBuilder::new(&translated)
        .case_insensitive(flags.case_insensitive)
        .multi_line(flags.lines)
        .dot_matches_new_line(!flags.within_line)
        .size_limit(SIZE_LIMIT_BYTES)
        .dfa_size_limit(DFA_LIMIT_BYTES)
        .nest_limit(NEST_LIMIT)
        .build()
        .map_err(|e| match e {
            regex::Error::CompiledTooBig(_) => too_complex(),
            _ => invalid(reason(&e)),
        })?;
    // It says better what is wrong, so it comes first.
    let nfa = nfa.map_err(|_| too_complex())?;
    let linear = Box::new(Linear { regex, nfa, translated, flags, scan: OnceLock::new() });
    Ok(match division {
        Some(division) => Compiled::Divided(linear, division),
        None => Compiled::Linear(linear),
    })
}

/// What stands behind the words at a pattern's beginning that say how to read it.
fn prefixed<'p>(pattern: &'p str, flags: &mut Flags) -> Result<&'p str, SqlError> {
    if flags.literal {
        return Ok(pattern);
    }
    if let Some(rest) = pattern.strip_prefix("***=") {
        *flags = Flags { literal: true, case_insensitive: flags.case_insensitive, ..Flags::default() };
        return Ok(rest);
    }
    let body = pattern.strip_prefix("***:").unwrap_or(pattern);
    let Some(options) = body.strip_prefix("(?").filter(|o| o.starts_with(|c: char| c.is_ascii_alphabetic()))
    else {
        return Ok(body);
    };
    let end = options.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(options.len());
    for option in options[..end].chars() {
        if !flags.set(option)? {
            return Err(invalid("invalid embedded option"));
        }
    }
    let rest = options[end..].strip_prefix(')').ok_or_else(|| invalid("invalid embedded option"))?;
    if flags.literal {
        *flags = Flags { literal: true, case_insensitive: flags.case_insensitive, ..Flags::default() };
    }
    Ok(rest)
}

fn syntax_config(flags: Flags) -> syntax::Config {
    syntax::Config::new()
        .case_insensitive(flags.case_insensitive)
        .multi_line(flags.lines)
        .dot_matches_new_line(!flags.within_line)
        .nest_limit(NEST_LIMIT)
}

/// The last line of the library's message, which says what is wrong, in PostgreSQL's words where it has some.
pub(super) fn reason(e: &impl std::fmt::Display) -> String {
    let text = e.to_string();
    let last = text.lines().last().unwrap_or("").trim();
    let last = last.strip_prefix("error: ").unwrap_or(last);
    match last {
        "unclosed group" | "unopened group" => "parentheses () not balanced".into(),
        "unclosed character class" => "brackets [] not balanced".into(),
        "repetition operator missing expression" => "quantifier operand invalid".into(),
        "repetition quantifier expects a valid decimal" | "unclosed counted repetition" => {
            "braces {} not balanced".into()
        }
        l if l.starts_with("invalid repetition count range") => "invalid repetition count(s)".into(),
        l if l.starts_with("invalid character class range") => "invalid character range".into(),
        l if l.starts_with("incomplete escape") => "invalid escape \\ sequence".into(),
        l => l.to_string(),
    }
}

/// Rewrites what the two syntaxes spell differently.
fn translate(pattern: &str, flags: Flags) -> Result<String, SqlError> {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(&mut chars, &mut out)?,
            c if flags.expanded && c.is_whitespace() => {}
            '#' if flags.expanded => while chars.next().is_some_and(|c| c != '\n') {},
            '[' => bracket(&mut chars, &mut out, flags.within_line)?,
            '(' if chars.peek() == Some(&'?') => {
                out.push('(');
                out.extend(chars.next());
                if chars.peek() == Some(&'#') {
                    // A comment is as good as nothing.
                    out.truncate(out.len() - 2);
                    while chars.next().is_some_and(|c| c != ')') {}
                }
            }
            '{' if !chars.peek().is_some_and(char::is_ascii_digit) => out.push_str("\\{"),
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// What a backslash begins.
pub(super) fn escape(chars: &mut Chars<'_>, out: &mut String) -> Result<(), SqlError> {
    match chars.next() {
        None => return Err(invalid("invalid escape \\ sequence")),
        Some('A') => out.push_str("\\A"),
        Some('Z') => out.push_str("\\z"),
        Some('m') => out.push_str("\\b{start}"),
        Some('M') => out.push_str("\\b{end}"),
        Some('y') => out.push_str("\\b"),
        Some('Y') => out.push_str("\\B"),
        Some(k @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) => out.push_str(shorthand(k)),
        Some(other) => {
            let c = escaped_char(other, chars)?;
            out.push_str(&format!("\\x{{{:X}}}", u32::from(c)));
        }
    }
    Ok(())
}

/// A class by its letter, as the builtin locale `C.UTF-8` has it: digits are those of ASCII.
fn shorthand(letter: char) -> &'static str {
    match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => r"[\p{Alphabetic}0-9_]",
        'W' => r"[^\p{Alphabetic}0-9_]",
        's' => r"\s",
        _ => r"\S",
    }
}

/// The same by its name.
fn named_class(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => r"\p{Alphabetic}",
        "alnum" => r"\p{Alphabetic}0-9",
        "word" => r"\p{Alphabetic}0-9_",
        "digit" => "0-9",
        "xdigit" => "0-9A-Fa-f",
        "upper" => r"\p{Uppercase}",
        "lower" => r"\p{Lowercase}",
        "space" => r"\s",
        "blank" => r"\x20\t",
        "cntrl" => r"\p{Cc}",
        "punct" => r"[[\p{P}\p{S}]--\p{Alphabetic}]",
        "graph" => r"[^\p{Cc}\p{Cn}\s]",
        "print" => r"[[^\p{Cc}\p{Cn}\s]\p{Zs}]",
        "ascii" => r"\x00-\x7F",
        _ => return None,
    })
}

/// The character that an escape stands for; its first letter or digit is gone.
fn escaped_char(escape: char, chars: &mut Chars<'_>) -> Result<char, SqlError> {
    let bad = || invalid("invalid escape \\ sequence");
    Ok(match escape {
        'a' => '\x07',
        'b' => '\x08',
        'B' => '\\',
        'e' => '\x1b',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        'c' => char::from(chars.next().ok_or_else(bad)? as u8 & 0x1f),
        'u' => number_of(chars, 16, 4, 4).ok_or_else(bad)?,
        'U' => number_of(chars, 16, 8, 8).ok_or_else(bad)?,
        'x' => number_of(chars, 16, 1, usize::MAX).ok_or_else(bad)?,
        '0'..='7' => {
            // Up to three digits of what is no larger than a byte.
            let mut n = u32::from(escape) - u32::from('0');
            for _ in 0..2 {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(8)).filter(|d| n * 8 + d <= 0xff)
                else {
                    break;
                };
                n = n * 8 + digit;
                chars.next();
            }
            char::from(n as u8)
        }
        other if other.is_ascii_alphanumeric() => return Err(bad()),
        other => other,
    })
}

/// A character by so many digits of its number.
fn number_of(chars: &mut Chars<'_>, radix: u32, least: usize, most: usize) -> Option<char> {
    let (mut n, mut digits) = (0_u32, 0);
    while digits < most
        && let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix))
    {
        n = n.checked_mul(radix)?.checked_add(digit)?;
        digits += 1;
        chars.next();
    }
    if digits < least { None } else { char::from_u32(n) }
}

/// A bracket expression: backslash escapes and `[:class:]` mean the same, everything else special to the library is escaped.
pub(super) fn bracket(chars: &mut Chars<'_>, out: &mut String, within_line: bool) -> Result<(), SqlError> {
    let unbalanced = || invalid("brackets [] not balanced");
    // [[:<:]] and [[:>:]] are the ends of words.
    let ahead: String = chars.clone().take(6).collect();
    if ahead == "[:<:]]" || ahead == "[:>:]]" {
        out.push_str(if ahead == "[:<:]]" { "\\b{start}" } else { "\\b{end}" });
        chars.nth(5);
        return Ok(());
    }
    out.push('[');
    if chars.peek() == Some(&'^') {
        out.extend(chars.next());
        if within_line {
            out.push_str("\\n");
        }
    }
    let mut first = true;
    loop {
        let c = chars.next().ok_or_else(unbalanced)?;
        match c {
            ']' if !first => {
                out.push(']');
                return Ok(());
            }
            ']' => out.push_str("\\]"),
            '[' if matches!(chars.peek(), Some(':' | '.' | '=')) => {
                let kind = chars.next().unwrap_or(':');
                let mut name = String::new();
                loop {
                    let n = chars.next().ok_or_else(unbalanced)?;
                    if n == kind && chars.peek() == Some(&']') {
                        chars.next();
                        break;
                    }
                    name.push(n);
                }
                match (kind, name.as_str()) {
                    (':', name) if let Some(class) = named_class(name) => out.push_str(class),
                    (':', _) => return Err(invalid("invalid character class")),
                    (_, one) if one.chars().count() == 1 => out.push_str(&regex::escape(one)),
                    _ => return Err(invalid("invalid collating element")),
                }
            }
            '[' => out.push_str("\\["),
            '\\' => {
                let e = chars.next().ok_or_else(|| invalid("invalid escape \\ sequence"))?;
                match e {
                    'd' | 'D' | 's' | 'S' | 'w' | 'W' => out.push_str(shorthand(e)),
                    e => out.push_str(&format!("\\x{{{:X}}}", u32::from(escaped_char(e, chars)?))),
                }
            }
            '&' | '~' | '#' | ' ' => {
                out.push('\\');
                out.push(c);
            }
            '-' if chars.peek() == Some(&'-') || first => out.push_str("\\-"),
            c => out.push(c),
        }
        first = false;
    }
}

/// Where in a SIMILAR TO pattern's bracket expression a character stands: `]` at its begin is one of its characters.
#[derive(Clone, Copy, PartialEq)]
enum InClass {
    First,
    /// Behind the `^` that negates the class.
    Negated,
    Later,
}

/// The parts of a SIMILAR TO pattern, divided by escaped double quotes, as regular expressions.
pub(crate) fn similar_parts(pattern: &str, escape: Option<&str>) -> Result<Vec<String>, SqlError> {
    let escape = match escape {
        None => Some('\\'),
        Some(e) if e.chars().count() > 1 => {
            return Err(SqlError::new(SqlState::INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                .with_hint("Escape string must be empty or one character."));
        }
        Some(e) => e.chars().next(),
    };
    let (mut parts, mut out) = (Vec::new(), String::new());
    let mut is_escaped = false;
    // Brackets nest for classes by name, as in [[:alpha:]%].
    let (mut depth, mut place) = (0, InClass::Later);
    for c in pattern.chars() {
        if is_escaped {
            is_escaped = false;
            if c != '"' || depth > 0 {
                out.push('\\');
                out.push(c);
                place = InClass::Later;
            } else if parts.len() == 2 {
                return Err(SqlError::new(
                    SqlState::INVALID_USE_OF_ESCAPE_CHARACTER,
                    "SQL regular expression may not contain more than two escape-double-quote separators",
                ));
            } else {
                parts.push(std::mem::take(&mut out));
            }
            continue;
        }
        if Some(c) == escape {
            is_escaped = true;
            continue;
        }
        if depth > 0 {
            if c == '\\' {
                out.push('\\');
            }
            out.push(c);
            match c {
                ']' if place == InClass::Later => depth -= 1,
                '[' => depth += 1,
                _ => {}
            }
            place = match (c, place) {
                ('^', InClass::First) => InClass::Negated,
                _ => InClass::Later,
            };
            continue;
        }
        match c {
            '[' => {
                out.push(c);
                (depth, place) = (1, InClass::First);
            }
            '%' => out.push_str(".*"),
            '_' => out.push('.'),
            '(' => out.push_str("(?:"),
            '\\' | '.' | '^' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    parts.push(out);
    Ok(parts)
}

/// Rewrites a SIMILAR TO pattern as a regular expression.
pub fn similar_to(pattern: &str, escape: Option<&str>) -> Result<String, SqlError> {
    Ok(match &similar_parts(pattern, escape)?[..] {
        [before, middle] => format!("^(?:{before}){{1,1}}?({middle})$"),
        [before, middle, after] => format!("^(?:{before}){{1,1}}?({middle}){{1,1}}(?:{after})$"),
        parts => format!("^(?:{})$", parts.concat()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard;
    use evenkeel::Interrupt;

    fn re(pattern: &str) -> Arc<Compiled> {
        compiled(pattern, Flags::default()).unwrap()
    }

    fn all(groups: usize, g: &Groups) -> Vec<Option<Range<usize>>> {
        (0..groups).map(|i| g.get(i)).collect()
    }

    #[test]
    fn stepping_finds_what_the_library_finds() {
        let patterns = [
            "a",
            "",
            "a*",
            "a*b|a",
            "(a)|(b)",
            "(a|ab)(c|bcd)?",
            "^a",
            "a$",
            "^$",
            "(a?)(b?)c",
            "\\yb\\y",
            "\\ma",
            "b\\M",
            "ä+",
            "[äb]*c",
            "(ä)(.)",
            ".",
            "(.*)(a)(.*)",
            "(a|b)*?c",
            "x",
            "a{2,3}",
            "((a)|(b))*",
            "(?:a|(b))+",
            "[^a]",
            "\\w+\\s*",
            "$",
        ];
        let texts =
            ["", "a", "b", "aab", "abcd", "aaac", "ä", "aäb", "bäc a", "a\nb", "cab abc", "ääb ä", "b b"];
        for pattern in patterns {
            let compiled = re(pattern);
            let (Compiled::Linear(re) | Compiled::Divided(re, _)) = &*compiled else {
                unreachable!("{pattern} is the library's")
            };
            for text in texts {
                for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                    let mut places = re.regex.capture_locations();
                    let want = re.regex.captures_read_at(&mut places, text, at).map(|m| m.range());
                    assert_eq!(re.step(text, at).unwrap(), want, "{pattern} in {text:?} from {at}");
                    let range = at..text.len();
                    let search = Search { text, range, anchored: false, groups: re.groups() };
                    let found = regexp_vm::search(&re.nfa, &search).unwrap().map(Groups::Stepped);
                    let want = want.map(|_| all(re.groups(), &Groups::Found(places)));
                    assert_eq!(found.map(|f| all(re.groups(), &f)), want, "{pattern} in {text:?} from {at}");
                    if let Some(span) = re.step(text, at).unwrap() {
                        let search = Search { text, range: span, anchored: true, groups: re.groups() };
                        let found = regexp_vm::search(&re.nfa, &search).unwrap().map(Groups::Stepped);
                        assert_eq!(found.map(|f| all(re.groups(), &f)), want, "{pattern} within {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_search_that_takes_long_can_be_stopped() {
        // The library needs ten seconds for this, and half a gigabyte for its groups.
        let (slow, groups) = (re(&("a?".repeat(10_000) + "b")), re(&"(a)?".repeat(1500)));
        let divided = re("(a|aa)*(b?)");
        let text = "a".repeat(40_000);
        let interrupt = Interrupt::new();
        let _entered = guard::enter(&interrupt, usize::MAX);
        interrupt.cancel();
        let canceled = |r: Result<bool, SqlError>| r.unwrap_err().code == SqlState::QUERY_CANCELED;
        assert!(canceled(slow.is_match(&text)));
        assert!(canceled(slow.captures_at(&text, 0).map(|g| g.is_some())));
        assert!(canceled(groups.captures_at(&text, 0).map(|g| g.is_some())));
        assert!(canceled(divided.captures_at(&text, 0).map(|g| g.is_some())));
        assert!(canceled(re(r"^(a+)+\1b").is_match(&text)));
        assert!(canceled(re(r"(?<=(a|aa)*b)c").is_match(&text)));
    }

    #[test]
    fn a_long_expression_is_too_complex_at_once() {
        let error = compiled(&"(a|b|c)*".repeat(100_000), Flags::default()).map(|_| ()).unwrap_err();
        assert_eq!(error.message, "invalid regular expression: regular expression is too complex");
    }

    #[test]
    fn large_expressions_are_not_kept() {
        let interrupt = Interrupt::new();
        let entered = guard::enter(&interrupt, usize::MAX);
        for i in 0..3 {
            re(&format!("x{i}{}", "abcdefgh".repeat(1000)));
        }
        let kept = || CACHE.with_borrow(|c| c.iter().filter(|e| e.regex.is_large()).count());
        assert_eq!(kept(), 1);
        drop(entered);
        assert_eq!(kept(), 0);
    }
}
