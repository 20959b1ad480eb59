//! Which standbys a fact has to be on before it is told, and how far they are (S25; decision 013, 4): a state machine without I/O, clock or locks.
//!
//! Invariants
//! 1. What is confirmed never falls, whoever leaves and whatever is asked for: what was told stays told.
//! 2. A name is a standby: of two connections of one name the younger counts, so nobody is a quorum by himself.
//! 3. Only who follows at this moment counts: of the disk of somebody who is away nothing is known.
//! 4. Of names in order only who has caught up counts (PostgreSQL's state "streaming"): commits go on by those behind it while a better one fetches what it missed. Once it
//!    has, it counts as long as it follows.
//!
//! Must not know: who waits, where messages come from.

use crate::base::Lsn;
use std::collections::BTreeMap;

/// What a standby must have done with a commit before that is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Handed it to its operating system.
    Written,
    /// Made it durable.
    #[default]
    Durable,
    /// Made it durable, and shows it to its readers.
    Applied,
}

impl Level {
    pub(crate) const COUNT: usize = 3;
}

/// Whom to ask, as `synchronous_standby_names` says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Synchronous {
    /// The first of the names that follow, or any.
    in_order: bool,
    /// So many of them.
    wanted: usize,
    /// Names of standbys, without case; `*`: whoever comes.
    names: Vec<String>,
}

/// What a place in a list of names says of one standby.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SyncState {
    /// Nobody waits for it.
    Async,
    /// It would be waited for if one before it went.
    Potential,
    /// It is waited for.
    Sync,
    /// It is one of those of whom some are waited for.
    Quorum,
}

impl SyncState {
    /// As `pg_stat_replication` has it.
    pub fn name(self) -> &'static str {
        match self {
            SyncState::Async => "async",
            SyncState::Potential => "potential",
            SyncState::Sync => "sync",
            SyncState::Quorum => "quorum",
        }
    }
}

impl Synchronous {
    /// Reads PostgreSQL's text: `[FIRST] n (names)`, `ANY n (names)`, or names alone, which are `FIRST 1`. `None`: nobody is asked.
    pub fn parse(text: &str) -> Result<Option<Synchronous>, String> {
        let words = words(text)?;
        let mut rest = words.as_slice();
        if rest.is_empty() {
            return Ok(None);
        }
        let is_plain = |w: &Word, s: &str| matches!(w, Word::Plain(p) if p.eq_ignore_ascii_case(s));
        let number = |w: Option<&Word>| match w {
            Some(Word::Plain(p)) => p.parse::<usize>().ok(),
            _ => None,
        };
        let opens = |w: Option<&Word>| w == Some(&Word::Mark('('));
        let mut in_order = true;
        let is_method = is_plain(&rest[0], "first") || is_plain(&rest[0], "any");
        if is_method && number(rest.get(1)).is_some() && opens(rest.get(2)) {
            in_order = is_plain(&rest[0], "first");
            rest = &rest[1..];
        }
        let mut wanted = 1;
        let mut in_brackets = false;
        if let Some(n) = number(rest.first()).filter(|_| opens(rest.get(1))) {
            (wanted, in_brackets) = (n, true);
            rest = &rest[2..];
        }
        let mut names = Vec::new();
        loop {
            match rest.split_first() {
                Some((Word::Plain(name) | Word::Quoted(name), more)) => {
                    names.push(name.clone());
                    rest = more;
                }
                _ => return Err("a standby's name is missing".into()),
            }
            match rest.split_first() {
                Some((Word::Mark(','), more)) => rest = more,
                _ => break,
            }
        }
        match (in_brackets, rest) {
            (true, [Word::Mark(')')]) | (false, []) => {}
            (true, _) => return Err("the list does not end with a bracket".into()),
            (false, _) => return Err("there is something behind the list".into()),
        }
        if wanted == 0 {
            return Err("number of synchronous standbys (0) must be greater than zero".into());
        }
        Ok(Some(Synchronous { in_order, wanted, names }))
    }

    /// How many are waited for.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// Its place in the list, from 1 on; `None`: it is not in it.
    fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == "*" || n.eq_ignore_ascii_case(name)).map(|i| i + 1)
    }
}

#[derive(PartialEq, Eq, Debug)]
enum Word {
    Plain(String),
    Quoted(String),
    Mark(char),
}

fn words(text: &str) -> Result<Vec<Word>, String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '(' | ')' | ',' => words.push(Word::Mark(c)),
            '"' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some('"') if chars.peek() == Some(&'"') => {
                            chars.next();
                            name.push('"');
                        }
                        Some('"') => break,
                        Some(c) => name.push(c),
                        None => return Err("a quoted name does not end".into()),
                    }
                }
                words.push(Word::Quoted(name));
            }
            c => {
                let mut word = c.to_string();
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !"(),\"".contains(*c)) {
                    word.push(c);
                }
                let is_name = word.chars().all(|c| c.is_alphanumeric() || "_$-.".contains(c));
                if !is_name && word != "*" {
                    return Err(format!("the name {word} has to be in double quotes"));
                }
                words.push(Word::Plain(word));
            }
        }
    }
    Ok(words)
}

struct Follower {
    name: String,
    /// By [`Level`].
    at: [Lsn; Level::COUNT],
    /// It has caught up (4): it had all that was confirmed when it spoke last, `goal`, by the time that it spoke again.
    is_level: bool,
    goal: Lsn,
}

impl Follower {
    fn meets(&mut self, confirmed: Lsn) {
        self.is_level |= self.at[Level::Written as usize] >= self.goal;
        self.goal = confirmed;
    }
}

/// The standbys that follow at this moment, and what they have confirmed together.
#[derive(Default)]
pub struct Quorum {
    asked: Option<Synchronous>,
    /// By their order of arrival.
    followers: std::collections::BTreeMap<u64, Follower>,
    next: u64,
    confirmed: [Lsn; Level::COUNT],
}

impl Quorum {
    /// From now on these are asked; `told`: what was told until now (1), where nobody was asked.
    pub fn ask(&mut self, whom: Option<Synchronous>, told: Lsn) {
        if self.asked.is_none() {
            self.confirmed.iter_mut().for_each(|c| *c = (*c).max(told));
            for f in self.followers.values_mut() {
                (f.is_level, f.goal) = (false, told);
                f.meets(told);
            }
        }
        self.asked = whom;
        self.count();
    }

    /// Whether anybody is asked.
    pub fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// A standby follows from now on. Gives its number.
    pub fn enter(&mut self, name: &str) -> u64 {
        self.next += 1;
        let goal = self.confirmed[Level::Written as usize];
        let follower = Follower { name: name.into(), at: Default::default(), is_level: false, goal };
        self.followers.insert(self.next, follower);
        self.next
    }

    /// It follows no more.
    pub fn leave(&mut self, number: u64) {
        self.followers.remove(&number);
        self.count();
    }

    /// It has said how far it is; what it is to have applied counts only where that is durable.
    pub fn confirm(&mut self, number: u64, written: Lsn, durable: Lsn, applied: Lsn) {
        if let Some(f) = self.followers.get_mut(&number) {
            f.at = [written.max(durable), durable, applied.min(durable)];
            f.meets(self.confirmed[Level::Written as usize]);
            self.count();
        }
    }

    /// What the standbys that were asked have confirmed together.
    pub fn confirmed(&self) -> [Lsn; Level::COUNT] {
        self.confirmed
    }

    /// Those that count, the youngest connection of each name (2), with their places, best first.
    fn candidates(&self, asked: &Synchronous) -> Vec<(usize, u64, &Follower)> {
        let mut by_name = BTreeMap::new();
        for (number, f) in &self.followers {
            if let Some(place) = asked.place(&f.name) {
                by_name.insert(f.name.to_lowercase(), (place, *number, f));
            }
        }
        let mut all: Vec<_> = by_name.into_values().collect();
        all.sort_by_key(|(place, number, _)| (*place, *number));
        all
    }

    fn count(&mut self) {
        let Some(asked) = &self.asked else { return };
        let counts = |f: &Follower| f.is_level || !asked.in_order;
        let mut counting: Vec<[Lsn; Level::COUNT]> =
            self.candidates(asked).into_iter().filter(|(_, _, f)| counts(f)).map(|(_, _, f)| f.at).collect();
        if counting.len() < asked.wanted {
            return;
        }
        if asked.in_order {
            counting.truncate(asked.wanted);
        }
        let wanted = asked.wanted;
        for level in 0..Level::COUNT {
            let mut at: Vec<Lsn> = counting.iter().map(|c| c[level]).collect();
            at.sort_unstable_by(|a, b| b.cmp(a));
            self.confirmed[level] = self.confirmed[level].max(at[wanted - 1]);
        }
    }

    /// What a follower is to those who wait, and its place in the list (0: none).
    pub fn state(&self, number: u64) -> (SyncState, usize) {
        let Some(asked) = &self.asked else { return (SyncState::Async, 0) };
        let mut before = 0;
        for (place, n, f) in self.candidates(asked) {
            if n == number {
                let state = match (asked.in_order, f.is_level && before < asked.wanted) {
                    (false, _) => SyncState::Quorum,
                    (true, true) => SyncState::Sync,
                    (true, false) => SyncState::Potential,
                };
                return (state, place);
            }
            before += usize::from(f.is_level);
        }
        (SyncState::Async, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Synchronous {
        Synchronous::parse(text).unwrap().unwrap()
    }

    fn durable(q: &Quorum) -> u64 {
        q.confirmed()[Level::Durable as usize].0
    }

    fn confirm(q: &mut Quorum, n: u64, at: u64) {
        q.confirm(n, Lsn(at), Lsn(at), Lsn(at));
    }

    #[test]
    fn names_are_read_as_postgresql_reads_them() {
        let of = |in_order, wanted, names: &[&str]| Synchronous {
            in_order,
            wanted,
            names: names.iter().map(|n| n.to_string()).collect(),
        };
        for (text, expected) in [
            ("b", of(true, 1, &["b"])),
            ("b, \"C d\"", of(true, 1, &["b", "C d"])),
            ("2 (b, c,d)", of(true, 2, &["b", "c", "d"])),
            ("FIRST 1 (b)", of(true, 1, &["b"])),
            ("any 2(b, *)", of(false, 2, &["b", "*"])),
            ("*", of(true, 1, &["*"])),
            ("any, first", of(true, 1, &["any", "first"])),
            ("\"a\"\"b\"", of(true, 1, &["a\"b"])),
        ] {
            assert_eq!(asked(text), expected, "{text}");
        }
        assert_eq!(Synchronous::parse("  ").unwrap(), None);
        for bad in ["b,", "2 (b", "(b)", "any 0 (b)", "any 2", "b c", "\"b", "2 ()", "a=b", "any 1 (b) c"] {
            assert!(Synchronous::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn so_many_as_are_wanted_have_it() {
        let mut q = Quorum::default();
        let (b, c, d) = (q.enter("b"), q.enter("C"), q.enter("d"));
        q.ask(Some(asked("any 2 (b, c)")), Lsn(5));
        assert_eq!(durable(&q), 5, "what was told stays told");
        confirm(&mut q, d, 900);
        confirm(&mut q, b, 100);
        assert_eq!(durable(&q), 5, "d is not asked, b is one");
        confirm(&mut q, c, 70);
        assert_eq!(durable(&q), 70);
        assert_eq!(q.state(b), (SyncState::Quorum, 1));
        assert_eq!(q.state(d), (SyncState::Async, 0));
        q.leave(c);
        confirm(&mut q, b, 200);
        assert_eq!(durable(&q), 70, "invariant 3");
        q.ask(Some(asked("first 1 (c, b, d)")), Lsn(0));
        assert_eq!(durable(&q), 200);
        assert_eq!((q.state(b), q.state(d)), ((SyncState::Sync, 2), (SyncState::Potential, 3)));
    }

    /// Invariant 4.
    #[test]
    fn who_catches_up_is_not_waited_for() {
        let mut q = Quorum::default();
        q.ask(Some(asked("first 1 (c, b)")), Lsn(0));
        let b = q.enter("b");
        confirm(&mut q, b, 200);
        assert_eq!(durable(&q), 200);
        let c = q.enter("c");
        confirm(&mut q, b, 300);
        assert_eq!(durable(&q), 300, "c has said nothing");
        for at in [100, 250] {
            confirm(&mut q, c, at);
            confirm(&mut q, b, 300 + at);
            assert_eq!(durable(&q), 300 + at, "c is further back");
            assert_eq!((q.state(b).0, q.state(c).0), (SyncState::Sync, SyncState::Potential));
        }
        // It was at 550 when c spoke before: c has that now, and is waited for.
        confirm(&mut q, c, 560);
        assert_eq!((q.state(b).0, q.state(c).0), (SyncState::Potential, SyncState::Sync));
        confirm(&mut q, b, 700);
        assert_eq!(durable(&q), 560);
        confirm(&mut q, c, 650);
        assert_eq!(durable(&q), 650);
        q.leave(c);
        assert_eq!(durable(&q), 700);
        // Who followed while nobody was asked, and is far behind.
        let c = q.enter("c");
        q.ask(None, Lsn(0));
        confirm(&mut q, c, 10);
        q.ask(Some(asked("first 1 (c, b)")), Lsn(800));
        confirm(&mut q, b, 900);
        assert_eq!(durable(&q), 900);
        assert_eq!((q.state(b).0, q.state(c).0), (SyncState::Sync, SyncState::Potential));
    }

    #[test]
    fn who_comes_twice_counts_once() {
        let mut q = Quorum::default();
        q.ask(Some(asked("any 2 (*)")), Lsn(0));
        let old = q.enter("b");
        confirm(&mut q, old, 100);
        let new = q.enter("B");
        confirm(&mut q, new, 90);
        assert_eq!(durable(&q), 0, "invariant 2");
        let c = q.enter("c");
        confirm(&mut q, c, 100);
        assert_eq!(durable(&q), 90, "the younger connection counts");
        assert_eq!(q.state(old).0, SyncState::Async);
    }

    #[test]
    fn levels_are_apart() {
        let mut q = Quorum::default();
        q.ask(Some(asked("b")), Lsn(0));
        let b = q.enter("b");
        q.confirm(b, Lsn(30), Lsn(20), Lsn(10));
        assert_eq!(q.confirmed(), [Lsn(30), Lsn(20), Lsn(10)]);
        q.confirm(b, Lsn(0), Lsn(40), Lsn(50));
        assert_eq!(q.confirmed(), [Lsn(40), Lsn(40), Lsn(40)], "applied, but not durable, can be lost");
    }
}
