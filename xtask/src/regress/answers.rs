//! Which statement of a script got which answer, of psql's output with every line that it read.
//!
//! Must not know: which server answered.

/// A statement and what followed it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answered {
    /// Where it begins in the script, from 1.
    pub(super) line: usize,
    pub(super) statement: String,
    pub(super) answer: Vec<String>,
}

/// How two answers to a statement are.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(super) enum Kind {
    Equal,
    Refused,
    Different,
}

/// Lines of output in which a line of the script is looked for, at most.
const LOOK_LINES_MAX: usize = 20_000;

/// The lines of a script that psql echoes; data of a COPY it does not.
fn echoed(source: &str) -> Vec<(usize, &str)> {
    let (mut lines, mut is_data, mut copies) = (Vec::new(), false, false);
    for (n, line) in source.lines().enumerate() {
        if is_data {
            is_data = line.trim_end() != "\\.";
            continue;
        }
        lines.push((n + 1, line));
        let lower = line.to_ascii_lowercase();
        let begins = lower.trim_start();
        if begins.starts_with("copy ") || begins.starts_with("\\copy ") {
            copies = true;
        }
        if lower.contains(';') || begins.starts_with('\\') {
            is_data = copies && lower.contains("from stdin");
            copies = false;
        }
    }
    lines
}

/// The statements of a script, each with what the output has behind it.
pub(super) fn answered(source: &str, output: &str) -> Vec<Answered> {
    let output: Vec<&str> = output.lines().collect();
    let lines = echoed(source);
    let (mut found, mut at) = (Vec::new(), 0);
    let mut statement: Option<(usize, String)> = None;
    let mut pending: Option<Answered> = None;
    for (n, line) in lines {
        let rest = &output[at..output.len().min(at + LOOK_LINES_MAX)];
        // Blank lines stand in answers, too.
        let place = match line.trim().is_empty() {
            true => None,
            false => rest.iter().position(|l| *l == line),
        };
        if let Some(place) = place {
            if let Some(mut p) = pending.take() {
                p.answer = rest[..place].iter().map(|l| l.to_string()).collect();
                found.push(p);
            }
            at += place + 1;
        }
        let text = line.trim();
        if text.is_empty() || text.starts_with("--") && statement.is_none() {
            continue;
        }
        let (begun, mut whole) = statement.take().unwrap_or((n, String::new()));
        whole.push_str(line);
        whole.push('\n');
        let ends =
            text.ends_with(';') || text.starts_with('\\') || text.contains(" \\g") || text.contains("; --");
        if ends {
            found.extend(pending.take());
            pending = Some(Answered { line: begun, statement: whole.trim_end().into(), answer: Vec::new() });
        } else {
            statement = Some((begun, whole));
        }
    }
    if let Some(mut p) = pending {
        p.answer = output[at..].iter().map(|l| l.to_string()).collect();
        found.push(p);
    }
    found
}

/// What of an answer counts: not where in the statement an error is, nor hints.
fn counted(answer: &[String]) -> Vec<&str> {
    let mut lines = answer.iter().map(|l| l.trim_end()).peekable();
    let mut counted = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("LINE ") && lines.peek().is_some_and(|l| l.trim() == "^") {
            lines.next();
        } else if !line.is_empty() && !line.starts_with("HINT:") {
            counted.push(line);
        }
    }
    counted
}

/// How two answers to one statement are; nothing for one that is left out.
pub(super) fn kind_of_difference(theirs: &Answered, ours: &Answered) -> Option<Kind> {
    let lower = theirs.statement.to_ascii_lowercase();
    if lower.starts_with("explain") || lower.starts_with('\\') && !lower.starts_with("\\d") {
        return None;
    }
    let (mut a, mut b) = (counted(&theirs.answer), counted(&ours.answer));
    if a == b {
        return Some(Kind::Equal);
    }
    if !lower.contains("order by") {
        a.sort_unstable();
        b.sort_unstable();
        if a == b {
            return Some(Kind::Equal);
        }
    }
    let is_refused = |line: &&str| {
        line.starts_with("ERROR:")
            && ["not supported", "does not exist", "current transaction is aborted", "not implemented"]
                .iter()
                .any(|w| line.contains(w))
    };
    let fails = |lines: &[&str]| lines.iter().any(|l| l.starts_with("ERROR:"));
    Some(match b.iter().any(is_refused) && !fails(&a) {
        true => Kind::Refused,
        false => Kind::Different,
    })
}

#[cfg(test)]
mod tests {
    use super::{Kind, answered, kind_of_difference};

    const SCRIPT: &str =
        "-- first\nSELECT 1\n  AS one;\ncopy t from stdin;\n1\t2\n\\.\nSELECT 2;\n\nSELECT x;\n";

    #[test]
    fn answers_stand_behind_their_statements() {
        let output = "-- first\nSELECT 1\n  AS one;\n one \n-----\n   1\n(1 row)\n\ncopy t from stdin;\nSELECT 2;\n ?column? \nSELECT x;\nERROR:  no x\nLINE 1: SELECT x;\n               ^\n";
        let found = answered(SCRIPT, output);
        assert_eq!(found.iter().map(|a| a.line).collect::<Vec<_>>(), [2, 4, 7, 9]);
        assert_eq!(found[0].answer.len(), 5);
        assert_eq!(found[1].answer.len(), 0);
        assert_eq!(found[3].answer[0], "ERROR:  no x");
        let other = answered(SCRIPT, &output.replace("ERROR:  no x", "ERROR:  x is not supported"));
        let kinds: Vec<_> = found.iter().zip(&other).filter_map(|(a, b)| kind_of_difference(a, b)).collect();
        assert_eq!(kinds, [Kind::Equal, Kind::Equal, Kind::Equal, Kind::Different]);
    }

    #[test]
    fn rows_without_an_order_may_come_in_any() {
        let one = answered("SELECT a;\n", "SELECT a;\n 1\n 2\n");
        let other = answered("SELECT a;\n", "SELECT a;\n 2\n 1\n");
        assert_eq!(kind_of_difference(&one[0], &other[0]), Some(Kind::Equal));
        let one = answered("SELECT a order by 1;\n", "SELECT a order by 1;\n 1\n 2\n");
        let other = answered("SELECT a order by 1;\n", "SELECT a order by 1;\n 2\n 1\n");
        assert_eq!(kind_of_difference(&one[0], &other[0]), Some(Kind::Different));
    }
}
