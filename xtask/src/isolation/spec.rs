//! The language of isolation specs, as PostgreSQL's `src/test/isolation` has them: sessions with named steps, and the orders in which the steps are run.
//!
//! Invariants:
//!
//! 1. Every step that a permutation names belongs to a session.
//! 2. Without permutations all orders are made that keep each session's own, at most [`MAX_ORDERS`] of them.
//!
//! Must not know: what a step's SQL means.

/// Orders that are made of a spec without any of its own.
const MAX_ORDERS: usize = 400;

/// A session and its steps.
#[derive(Default, Debug)]
pub(super) struct Session {
    pub(super) name: String,
    pub(super) setup: Option<String>,
    pub(super) teardown: Option<String>,
    pub(super) steps: Vec<Step>,
}

/// A step: its name and its SQL.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) sql: String,
}

/// A step's place in a permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) session: usize,
    pub(super) step: usize,
    /// Said to wait as soon as it has begun, as nobody knows whether it is seen to.
    pub(super) is_vague: bool,
    /// Its end is told after that of others: where it stands says nothing.
    pub(super) is_late: bool,
}

/// A spec.
#[derive(Default, Debug)]
pub(super) struct Spec {
    pub(super) setups: Vec<String>,
    pub(super) teardown: Option<String>,
    pub(super) sessions: Vec<Session>,
    pub(super) permutations: Vec<Vec<Turn>>,
}

#[derive(Debug, PartialEq, Eq, Clone)]
enum Token {
    Word(String),
    Quoted(String),
    Block(String),
    Mark(char),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let len = match c {
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '{' => {
                let end = rest.find('}').ok_or("a block has no end")?;
                tokens.push(Token::Block(rest[1..end].trim().into()));
                end + 1
            }
            '"' => {
                let end = 1 + rest[1..].find('"').ok_or("a name has no end")?;
                tokens.push(Token::Quoted(rest[1..end].into()));
                end + 1
            }
            '(' | ')' | ',' | '*' => {
                tokens.push(Token::Mark(c));
                1
            }
            c if c.is_whitespace() => c.len_utf8(),
            c if c.is_alphanumeric() || c == '_' => {
                let end =
                    rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].into()));
                end
            }
            c => return Err(format!("{c} stands where nothing like it can")),
        };
        rest = &rest[len..];
    }
    Ok(tokens)
}

struct Parser {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Parser {
    fn block(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Block(sql)) => Ok(sql),
            other => Err(format!("a block of SQL should stand where {other:?} does")),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Word(name) | Token::Quoted(name)) => Ok(name),
            other => Err(format!("a name should stand where {other:?} does")),
        }
    }

    /// Whether a permutation's next step follows, and not the next part of the spec.
    fn goes_on(&mut self) -> bool {
        match self.tokens.peek() {
            Some(Token::Word(word)) => word != "permutation",
            Some(Token::Quoted(_)) => true,
            _ => false,
        }
    }

    /// What stands in parentheses behind a step's name: whether there is an asterisk, and whether there is anything else.
    fn markers(&mut self) -> Result<(bool, bool), String> {
        let (mut is_vague, mut is_late) = (false, false);
        if self.tokens.peek() == Some(&Token::Mark('(')) {
            loop {
                match self.tokens.next() {
                    Some(Token::Mark(')')) => break,
                    Some(Token::Mark('*')) => is_vague = true,
                    Some(Token::Word(_) | Token::Quoted(_)) => is_late = true,
                    Some(_) => {}
                    None => return Err("a parenthesis has no end".into()),
                }
            }
        }
        Ok((is_vague, is_late))
    }
}

impl Spec {
    /// Reads a spec.
    pub(super) fn parse(text: &str) -> Result<Spec, String> {
        let mut p = Parser { tokens: tokens(text)?.into_iter().peekable() };
        let mut spec = Spec::default();
        while let Some(token) = p.tokens.next() {
            let Token::Word(word) = &token else { return Err(format!("{token:?} begins no part")) };
            match (word.as_str(), spec.sessions.last_mut()) {
                ("setup", None) => spec.setups.push(p.block()?),
                ("teardown", None) => spec.teardown = Some(p.block()?),
                ("setup", Some(session)) => session.setup = Some(p.block()?),
                ("teardown", Some(session)) => session.teardown = Some(p.block()?),
                ("session", _) => spec.sessions.push(Session { name: p.name()?, ..Session::default() }),
                ("step", Some(session)) => session.steps.push(Step { name: p.name()?, sql: p.block()? }),
                ("permutation", _) => {
                    let mut turns = Vec::new();
                    while p.goes_on() {
                        let (session, step) = spec.find(&p.name()?)?;
                        let (is_vague, is_late) = p.markers()?;
                        turns.push(Turn { session, step, is_vague, is_late });
                    }
                    spec.permutations.push(turns);
                }
                _ => return Err(format!("{word} begins no part")),
            }
        }
        if spec.permutations.is_empty() {
            spec.every_order(&mut vec![0; spec.sessions.len()], &mut Vec::new());
        }
        Ok(spec)
    }

    /// Whether a session is SERIALIZABLE and DEFERRABLE: it waits for a snapshot that others cannot spoil.
    pub(super) fn is_deferrable(&self) -> bool {
        let said =
            |s: &Session, what: &str| s.setup.as_ref().is_some_and(|t| t.to_uppercase().contains(what));
        self.sessions.iter().any(|s| said(s, "SERIALIZABLE") && said(s, " DEFERRABLE"))
    }

    fn find(&self, name: &str) -> Result<(usize, usize), String> {
        let places = self.sessions.iter().enumerate();
        let mut steps = places.flat_map(|(s, session)| (0..session.steps.len()).map(move |n| (s, n)));
        steps
            .find(|(s, n)| self.sessions[*s].steps[*n].name == name)
            .ok_or_else(|| format!("no session has the step {name}"))
    }

    fn every_order(&mut self, done: &mut Vec<usize>, turns: &mut Vec<Turn>) {
        let mut is_over = true;
        for session in 0..self.sessions.len() {
            let step = done[session];
            if step == self.sessions[session].steps.len() || self.permutations.len() == MAX_ORDERS {
                continue;
            }
            is_over = false;
            done[session] += 1;
            turns.push(Turn { session, step, is_vague: false, is_late: false });
            self.every_order(done, turns);
            turns.pop();
            done[session] -= 1;
        }
        if is_over && self.permutations.len() < MAX_ORDERS {
            self.permutations.push(turns.clone());
        }
    }
}

/// The statements of a text, which end where a semicolon stands outside of quotes, comments and parentheses.
pub(super) fn statements(text: &str) -> Vec<String> {
    let (mut found, mut start, mut at, mut depth) = (Vec::new(), 0, 0, 0_usize);
    let upto = |from: usize, word: &str, more: usize| {
        text[from..].find(word).map_or(text.len(), |n| from + n + word.len() * more)
    };
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        at = match c {
            '\'' | '"' => upto(at + 1, &c.to_string(), 1),
            '-' if rest.starts_with("--") => upto(at, "\n", 1),
            '/' if rest.starts_with("/*") => upto(at, "*/", 1),
            '$' => match rest[1..].find('$') {
                Some(n) if rest[1..1 + n].chars().all(|c| c.is_alphanumeric() || c == '_') => {
                    upto(at + n + 2, &rest[..n + 2], 1)
                }
                _ => at + 1,
            },
            '(' | ')' => {
                depth = if c == '(' { depth + 1 } else { depth.saturating_sub(1) };
                at + 1
            }
            ';' if depth == 0 => {
                found.push(text[start..at].trim().to_string());
                start = at + 1;
                start
            }
            c => at + c.len_utf8(),
        };
    }
    found.push(text[start..].trim().to_string());
    found.retain(|s| !s.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::{Spec, statements};

    #[test]
    fn a_spec_is_read() {
        let spec = Spec::parse(
            "# first\nsetup { CREATE TABLE t (a int); }\nteardown { DROP TABLE t; }\nsession \"s1\"\nsetup { BEGIN; }\nstep a { SELECT 1; }\nstep b { COMMIT; }\n\
             session s2\nstep c { SELECT 2; }\npermutation a c(*) b\npermutation c(b, a notices 1) \"a\" b\n",
        )
        .expect("a spec");
        assert_eq!((spec.setups.len(), spec.sessions.len(), spec.permutations.len()), (1, 2, 2));
        assert_eq!(spec.sessions[0].setup.as_deref(), Some("BEGIN;"));
        let [_, c, _] = &spec.permutations[0][..] else { panic!("three steps") };
        assert!(c.session == 1 && c.step == 0 && c.is_vague && !c.is_late);
        let first = &spec.permutations[1][0];
        assert!(first.is_late && !first.is_vague);
        assert!(Spec::parse("session s\nstep a { x }\npermutation b").is_err());
    }

    #[test]
    fn without_permutations_all_orders_are_made() {
        let spec = Spec::parse("session s\nstep a { }\nstep b { }\nsession t\nstep c { }\nstep d { }");
        assert_eq!(spec.expect("a spec").permutations.len(), 6);
    }

    #[test]
    fn statements_end_at_their_semicolons() {
        let text = "select ';', \"a;b\"; -- not; here\ncreate rule r as (a; b); do $x$ begin; end $x$; /* ; */ select $1";
        let found = statements(text);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[3].ends_with("select $1"));
    }
}
