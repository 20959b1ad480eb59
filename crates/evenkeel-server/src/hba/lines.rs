//! Files of rules, cut into lines and fields as PostgreSQL cuts them.
//!
//! Invariants
//! 1. Files come from administrators, and may name one another: nesting is bounded, and so is what is read in all.
//! 2. A line that cannot be cut says why, and the others go on.
//!
//! It must not know what fields mean.

use std::path::{Path, PathBuf};

/// Files within files.
const DEPTH_MAX: usize = 10;
/// Of all files together, bytes.
const BYTES_MAX: usize = 16 << 20;

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub text: String,
    /// It began with a quote: it is no keyword.
    pub quoted: bool,
}

impl Token {
    pub fn is_keyword(&self, word: &str) -> bool {
        !self.quoted && self.text == word
    }
}

/// Words separated by commas.
pub(crate) type Field = Vec<Token>;

/// A line that is not empty.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub file: PathBuf,
    pub number: usize,
    pub fields: Vec<Field>,
    /// As it stands in the file.
    pub raw: String,
    pub error: Option<String>,
}

struct Reading {
    lines: Vec<Line>,
    bytes: usize,
}

/// All lines of a file, and of those that it includes.
pub(crate) fn read(path: &Path) -> Result<Vec<Line>, String> {
    let mut reading = Reading { lines: Vec::new(), bytes: 0 };
    let text = reading.text(path, 0)?;
    reading.file(path, &text, 0);
    Ok(reading.lines)
}

impl Reading {
    fn text(&mut self, path: &Path, depth: usize) -> Result<String, String> {
        let failed = |why: &str| format!("could not open file \"{}\": {why}", path.display());
        if depth > DEPTH_MAX {
            return Err(failed("maximum nesting depth exceeded"));
        }
        let m = std::fs::metadata(path).map_err(|e| failed(&plain(&e)))?;
        if !m.is_file() {
            return Err(failed("it is no regular file"));
        }
        self.bytes = self.bytes.saturating_add(usize::try_from(m.len()).unwrap_or(usize::MAX));
        if self.bytes > BYTES_MAX {
            return Err(failed("the files are too large"));
        }
        let bytes = std::fs::read(path).map_err(|e| failed(&plain(&e)))?;
        String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8"))
    }

    fn file(&mut self, path: &Path, text: &str, depth: usize) {
        let mut physical = text.split('\n').enumerate();
        while let Some((at, first)) = physical.next() {
            let mut raw = first.trim_end_matches('\r').to_owned();
            // A backslash at its end takes the next one along.
            while raw.ends_with('\\') {
                raw.pop();
                match physical.next() {
                    Some((_, more)) => raw.push_str(more.trim_end_matches('\r')),
                    None => break,
                }
            }
            self.line(path, at + 1, raw, depth);
        }
    }

    fn line(&mut self, path: &Path, number: usize, raw: String, depth: usize) {
        let mut fields = Vec::new();
        let mut error = None;
        let mut rest = raw.as_str();
        while error.is_none() {
            match self.field(path, &mut rest, depth) {
                Ok(None) => break,
                Ok(Some(field)) => fields.push(field),
                Err(e) => error = Some(e),
            }
        }
        if let (None, [directive, target]) = (&error, &fields[..])
            && let (Some(directive), Some(target)) = (directive.first(), target.first())
        {
            let target = beside(path, &target.text);
            let included = match directive.text.as_str() {
                "include" => Some(self.include(&target, depth)),
                "include_if_exists" if !target.exists() => Some(Ok(())),
                "include_if_exists" => Some(self.include(&target, depth)),
                "include_dir" => Some(self.include_folder(&target, depth)),
                _ => None,
            };
            match included {
                Some(Ok(())) => return,
                Some(Err(e)) => error = Some(e),
                None => {}
            }
        }
        if !fields.is_empty() || error.is_some() {
            self.lines.push(Line { file: path.to_path_buf(), number, fields, raw, error });
        }
    }

    fn include(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        let text = self.text(path, depth + 1)?;
        self.file(path, &text, depth + 1);
        Ok(())
    }

    /// Files whose names end in `.conf` and do not begin with a dot, in the order of their names.
    fn include_folder(&mut self, path: &Path, depth: usize) -> Result<(), String> {
        let failed =
            |e: std::io::Error| format!("could not open directory \"{}\": {}", path.display(), plain(&e));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let shown = name.to_string_lossy();
            if shown.ends_with(".conf") && !shown.starts_with('.') && path.join(&name).is_file() {
                names.push(name);
            }
        }
        names.sort();
        names.iter().try_for_each(|name| self.include(&path.join(name), depth))
    }

    /// The next field: words as long as commas follow them.
    fn field(&mut self, path: &Path, rest: &mut &str, depth: usize) -> Result<Option<Field>, String> {
        let mut field = Vec::new();
        let mut any = false;
        while let Some((token, goes_on)) = word(rest) {
            any = true;
            match token.text.strip_prefix('@').filter(|name| !token.quoted && !name.is_empty()) {
                Some(name) => field.extend(self.words_of(&beside(path, name), depth + 1)?),
                None => field.push(token),
            }
            if !goes_on {
                break;
            }
        }
        Ok(any.then_some(field))
    }

    /// All words of a file, which `@` names.
    fn words_of(&mut self, path: &Path, depth: usize) -> Result<Vec<Token>, String> {
        let text = self.text(path, depth)?;
        let mut words = Vec::new();
        for line in text.lines() {
            let mut rest = line;
            while let Some(field) = self.field(path, &mut rest, depth)? {
                words.extend(field);
            }
        }
        Ok(words)
    }
}

/// A name as another file has it: relative to that one's folder.
fn beside(path: &Path, name: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(name)
}

/// The system's words without its number.
pub(super) fn plain(e: &std::io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The next word, and whether a comma follows it. Two quotes within quotes are one; what stands in quotes may have blanks, commas and `#`.
fn word(rest: &mut &str) -> Option<(Token, bool)> {
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\r');
    let text = rest.trim_start_matches(|c| is_blank(c) || c == ',');
    let mut token = Token { text: String::new(), quoted: false };
    let (mut in_quote, mut was_quote, mut saw_quote, mut comma) = (false, false, false, false);
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        match c {
            c if is_blank(c) && !in_quote => {
                end = at;
                break;
            }
            '#' if !in_quote => {
                // The rest is a remark.
                *rest = "";
                return (saw_quote || !token.text.is_empty()).then_some((token, false));
            }
            ',' if !in_quote => {
                comma = true;
                end = at + 1;
                break;
            }
            c => {
                if c != '"' || was_quote {
                    token.text.push(c);
                }
                was_quote = in_quote && c == '"' && !was_quote;
                if c == '"' {
                    in_quote = !in_quote;
                    saw_quote = true;
                    token.quoted |= token.text.is_empty();
                }
            }
        }
    }
    *rest = &text[end..];
    (saw_quote || !token.text.is_empty()).then_some((token, comma))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pg_hba.conf");
        std::fs::write(&path, text).unwrap();
        let show = |t: &Token| if t.quoted { format!("<{}>", t.text) } else { t.text.clone() };
        let lines = read(&path).unwrap();
        let fields = |l: &Line| {
            let error =
                l.error.clone().map(|e| format!("error: {}", e.replace(dir.path().to_str().unwrap(), "")));
            let all = l.fields.iter().map(|f| f.iter().map(show).collect::<Vec<_>>().join("|"));
            all.chain(error).collect()
        };
        lines.iter().map(fields).collect()
    }

    #[test]
    fn fields_are_cut_as_postgresql_cuts_them() {
        assert_eq!(
            cut("local  all\tall trust # a remark\n\n  # none\nx"),
            [&["local", "all", "all", "trust"][..], &["x"]]
        );
        assert_eq!(
            cut("host a,b, c \"all\" \"x y,#\" d\"q\"e \"a\"\"b\""),
            [["host", "a|b|c", "<all>", "<x y,#>", "dqe", "<a\"b>"]]
        );
        assert_eq!(cut("a \\\nb\\\r\nc\nd"), [&["a", "bc"][..], &["d"]]);
        assert_eq!(cut("a \"\" \"open quote"), [["a", "<>", "<open quote>"]]);
        assert_eq!(cut("a#b"), [["a"]]);
        assert_eq!(cut(""), Vec::<Vec<String>>::new());
    }

    #[test]
    fn files_name_other_files() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, text).unwrap();
            path
        };
        let main = put(
            "pg_hba.conf",
            "local @dbs x\ninclude more.conf\ninclude_dir d\ninclude_if_exists none\ninclude none\nlocal @none x\n",
        );
        put("dbs", "a b, \"c d\"\n@more_dbs # and\n");
        put("more_dbs", "e\n");
        put("more.conf", "one\n");
        put("d/b.conf", "three\n");
        put("d/a.conf", "two\n");
        put("d/.hidden.conf", "no\n");
        put("d/other", "no\n");
        let lines = read(&main).unwrap();
        let firsts: Vec<&str> = lines.iter().map(|l| l.fields[0][0].text.as_str()).collect();
        assert_eq!(firsts, ["local", "one", "two", "three", "include", "local"]);
        let dbs: Vec<&str> = lines[0].fields[1].iter().map(|t| t.text.as_str()).collect();
        assert_eq!(dbs, ["a", "b", "c d", "e"]);
        assert_eq!(lines[2].file, dir.path().join("d/a.conf"));
        for line in &lines[4..] {
            let e = line.error.as_ref().unwrap();
            assert!(e.contains("could not open file") && e.ends_with("No such file or directory"), "{e}");
        }
        let circle = put("circle.conf", "include circle.conf\n");
        let lines = read(&circle).unwrap();
        assert!(lines[0].error.as_ref().unwrap().contains("maximum nesting depth exceeded"));
        let circle = put("at", "local @at\n");
        assert!(read(&circle).unwrap()[0].error.as_ref().unwrap().contains("nesting depth"));
        assert!(read(dir.path()).is_err());
    }
}
